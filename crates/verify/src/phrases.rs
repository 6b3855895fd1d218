//! Words for a trace that a reader needs no manual for.

use ir::modelled::{Barrier, Condition, Modelled, Mutex, RwLock};

/// What a call on a synchronisation object came to: `locks m`, `signals changed: nobody waits`.
pub fn synchronisation(operation: &str, object: &str, note: &str) -> String {
    let verb = match Modelled::named(operation) {
        Some(Modelled::Mutex(function)) => mutex_verb(function),
        Some(Modelled::RwLock(function)) => rw_lock_verb(function),
        Some(Modelled::Condition(function)) => match function {
            Condition::Wait | Condition::TimedWait | Condition::ClockWait => {
                return condition_wait(object, note);
            }
            Condition::Signal => return format!("signals {object}: {note}"),
            Condition::Broadcast => return format!("signals all on {object}: {note}"),
            Condition::Init | Condition::Destroy => None,
        },
        Some(Modelled::Barrier(Barrier::Wait)) => return format!("at barrier {object}: {note}"),
        _ => None,
    };
    let Some(verb) = verb else {
        return match note {
            "" => format!("{operation}({object})"),
            _ => format!("{operation}({object}): {note}"),
        };
    };
    if note.is_empty() {
        format!("{verb} {object}")
    } else {
        let infinitive = verb.trim_end_matches('s');
        format!("does not {infinitive} {object}: {note}")
    }
}

fn mutex_verb(function: Mutex) -> Option<&'static str> {
    match function {
        Mutex::Lock
        | Mutex::TryLock
        | Mutex::TimedLock
        | Mutex::ClockLock
        | Mutex::SpinLock
        | Mutex::SpinTryLock => Some("locks"),
        Mutex::Unlock | Mutex::SpinUnlock => Some("unlocks"),
        Mutex::Init | Mutex::Destroy | Mutex::SpinInit | Mutex::SpinDestroy => None,
    }
}

fn rw_lock_verb(function: RwLock) -> Option<&'static str> {
    match function {
        RwLock::ReadLock | RwLock::TryReadLock | RwLock::TimedReadLock | RwLock::ClockReadLock => {
            Some("read-locks")
        }
        RwLock::WriteLock
        | RwLock::TryWriteLock
        | RwLock::TimedWriteLock
        | RwLock::ClockWriteLock => Some("write-locks"),
        RwLock::Unlock => Some("unlocks"),
        RwLock::Init | RwLock::Destroy => None,
    }
}

fn condition_wait(object: &str, note: &str) -> String {
    if note == "waits" {
        format!("waits for a signal on {object}")
    } else {
        format!("waiting on {object}: {note}")
    }
}

/// An input as its type would print it. The type is known from its name alone: `nondet_uint`.
pub fn input_value(name: &str, bits: u128) -> String {
    let kind = name.strip_prefix("nondet_").unwrap_or("int");
    match kind {
        "bool" | "_Bool" => (bits != 0).to_string(),
        "char" | "schar" => (bits as i8).to_string(),
        "short" => (bits as i16).to_string(),
        "float" => f32::from_bits(bits as u32).to_string(),
        "double" => f64::from_bits(bits as u64).to_string(),
        "pointer" => format!("{bits:#x}"),
        "long" | "longlong" | "loff_t" => wide(bits),
        _ if kind.starts_with('u') || kind.starts_with("size") => bits.to_string(),
        "int" if bits <= u128::from(u32::MAX) => (bits as u32 as i32).to_string(),
        _ => wide(bits),
    }
}

fn wide(bits: u128) -> String {
    match u64::try_from(bits) {
        Ok(bits) => (bits as i64).to_string(),
        Err(_) => (bits as i128).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks() {
        assert_eq!(synchronisation("pthread_mutex_lock", "m", ""), "locks m");
        assert_eq!(
            synchronisation("pthread_mutex_trylock", "m", "busy"),
            "does not lock m: busy"
        );
        assert_eq!(
            synchronisation("pthread_rwlock_wrlock", "rw", ""),
            "write-locks rw"
        );
        assert_eq!(
            synchronisation("sem_post", "s", "now 1"),
            "sem_post(s): now 1"
        );
    }

    #[test]
    fn conditions() {
        assert_eq!(
            synchronisation("pthread_cond_wait", "c", "waits"),
            "waits for a signal on c"
        );
        assert_eq!(
            synchronisation("pthread_cond_signal", "c", "nobody waits"),
            "signals c: nobody waits"
        );
    }

    #[test]
    fn inputs() {
        assert_eq!(input_value("nondet_int", 0xffff_ffff), "-1");
        assert_eq!(input_value("nondet_uint", 0xffff_ffff), "4294967295");
        assert_eq!(input_value("nondet_long", u128::from(u64::MAX)), "-1");
        assert_eq!(input_value("nondet_uchar", 200), "200");
        assert_eq!(input_value("nondet_bool", 1), "true");
        assert_eq!(input_value("x", 0xffff_fffe), "-2");
        assert_eq!(input_value("x", 1 << 40), "1099511627776");
    }
}

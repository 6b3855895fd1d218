//! Mutexes and spinlocks. The state is in the program's own memory, laid out like glibc's so that
//! static initialisers work: word 0 is the owner's id plus one, word 1 the recursion count, `kind`
//! the type.

use ir::modelled::Mutex;

use super::errno::*;
use super::steps::{Deadline, Steps, has_clock};
use super::{DESTROYED, Shim, ShimCall};
use crate::fault::{Exec, Fault, Misuse, Problem};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::race::{Effect, How};
use crate::record::EventKind;
use crate::thread::{Guard, ThreadId};
use crate::value::Value;

pub(super) const RECURSIVE: u32 = 1;
pub(super) const ERRORCHECK: u32 = 2;

pub fn shim(function: Mutex) -> Shim {
    match function {
        Mutex::Lock => |m, c| lock(m, c, Wait::Forever, "pthread_mutex_lock"),
        Mutex::TryLock => |m, c| lock(m, c, Wait::Never, "pthread_mutex_trylock"),
        Mutex::TimedLock | Mutex::ClockLock => {
            |m, c| lock(m, c, Wait::Timed, "pthread_mutex_timedlock")
        }
        Mutex::Unlock => |m, c| unlock(m, c, "pthread_mutex_unlock"),
        Mutex::Init => init,
        Mutex::Destroy => destroy,
        Mutex::SpinLock => |m, c| lock(m, c, Wait::Forever, "pthread_spin_lock"),
        Mutex::SpinTryLock => |m, c| lock(m, c, Wait::Never, "pthread_spin_trylock"),
        Mutex::SpinUnlock => |m, c| unlock(m, c, "pthread_spin_unlock"),
        Mutex::SpinInit => init_spin,
        Mutex::SpinDestroy => destroy_spin,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Wait {
    Forever,
    Never,
    Timed,
}

impl Machine {
    pub(crate) fn mutex_is_free(&self, address: u64) -> bool {
        self.word(address) == 0
    }

    /// The thread that holds the mutex or spinlock at `address`.
    pub fn lock_owner(&self, address: u64) -> Option<ThreadId> {
        match self.word(address) {
            DESTROYED => None,
            owner => ThreadId::of_owner_word(owner),
        }
    }

    /// How much of a mutex is looked at.
    pub(crate) fn mutex_bytes(&self) -> u64 {
        if self.pointer_bits() == 64 { 20 } else { 16 }
    }

    pub(super) fn mutex_kind(&self, address: u64) -> u32 {
        self.word(address + self.mutex_bytes() - 4) & 3
    }

    /// What the word of a lock holds while the running thread owns it.
    pub(super) fn me(&self) -> u32 {
        self.now.current.owner_word()
    }

    pub(super) fn sync_event(&mut self, operation: &'static str, address: u64, note: &str) {
        self.event(|| EventKind::Sync {
            operation,
            address,
            note: note.to_string(),
        });
    }

    pub(super) fn misuse<T>(&mut self, operation: &str, object: u64, problem: Problem) -> Exec<T> {
        self.fault(Fault::LockMisuse(Misuse {
            operation: operation.to_string(),
            object,
            problem,
        }))
    }

    /// Faults if the mutex was destroyed.
    pub(super) fn check_mutex(&mut self, address: u64, operation: &str) -> Exec<()> {
        if self.word(address) == DESTROYED {
            return self.misuse(operation, address, Problem::Destroyed);
        }
        Ok(())
    }
}

fn lock(m: &mut Machine, call: &ShimCall, wait: Wait, operation: &'static str) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let me = m.me();
    m.check_access(address, 4, AccessKind::Write)?;
    let held_by_me = m.word(address) == me;
    // A thread that holds the lock itself does not wait: it gets an error, or locks once more.
    let guard = if wait == Wait::Forever && !held_by_me {
        Guard::Zero(address)
    } else {
        Guard::Always
    };
    let spin = operation.starts_with("pthread_spin");
    let bytes = if spin { 4 } else { m.mutex_bytes() };
    if m.mode.slices && m.is_invisible() {
        // No thread can notice it.
        m.settle(address, bytes)?;
        m.check_mutex(address, operation)?;
        m.hold_elided(address, bytes);
        return m.result_number(call, 0);
    }
    if wait == Wait::Forever && m.peeks_into(address, bytes)? {
        m.settle(address, bytes)?;
        m.check_mutex(address, operation)?;
        m.begin_section(address, bytes)?;
        return m.result_number(call, 0);
    }
    let is_section = wait == Wait::Forever && m.note_lock_for_shadow(address);
    if wait == Wait::Timed && !has_clock(m, call)? {
        return m.result_number(call, EINVAL);
    }
    let mut deadline = Deadline::of(m, call, wait == Wait::Timed)?;
    m.synchronise(address, bytes, guard)?;
    deadline.pass(m);
    m.check_mutex(address, operation)?;
    let kind = if spin { 0 } else { m.mutex_kind(address) };
    let owner = m.word(address);
    // A timed wait that is scheduled while another thread holds the lock has timed out; a longer
    // one is scheduled later.
    let code = if owner == me {
        match (kind, wait) {
            (RECURSIVE, _) => {
                let count = m.word(address + 4) + 1;
                m.set_word(address + 4, count);
                0
            }
            (_, Wait::Never) => EBUSY,
            (ERRORCHECK, _) => EDEADLK,
            // No other thread can release it in time.
            (_, Wait::Timed) if deadline.is_time => ETIMEDOUT,
            (_, Wait::Timed) => EINVAL,
            _ => return m.misuse(operation, address, Problem::HeldByCaller),
        }
    } else if owner != 0 {
        match wait {
            Wait::Never => EBUSY,
            // The time is looked at only where the lock is not free.
            _ if !deadline.is_time => EINVAL,
            _ => ETIMEDOUT,
        }
    } else {
        m.set_word(address, me);
        if !spin {
            m.set_word(address + 4, 1);
        }
        0
    };
    if wait != Wait::Forever {
        m.probes.footprint.depends(code == 0);
    }
    let note = match code {
        0 => "",
        EBUSY => "busy",
        EDEADLK => "would deadlock",
        EINVAL => "no such time",
        _ => "timed out",
    };
    m.sync_event(operation, address, note);
    if code == 0 {
        m.acquire(address);
        if is_section {
            m.thread_state_mut(m.now.current).section = Some(address);
        }
    }
    m.note_operation(address, bytes)?;
    m.result_number(call, code)
}

fn unlock(m: &mut Machine, call: &ShimCall, operation: &'static str) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let spin = operation.starts_with("pthread_spin");
    let bytes = if spin { 4 } else { m.mutex_bytes() };
    // The mutex may be gone, elidable or not.
    m.check_access(address, bytes, AccessKind::Write)?;
    if m.mode.slices && m.is_invisible() {
        m.release_elided(address);
        return m.result_number(call, 0);
    }
    if m.peeks() && m.ends_section(address) {
        return m.result_number(call, 0);
    }
    m.synchronise(address, bytes, Guard::Always)?;
    m.check_mutex(address, operation)?;
    let kind = if spin { 0 } else { m.mutex_kind(address) };
    let owner = m.word(address);
    if owner != m.me() {
        if kind == RECURSIVE || kind == ERRORCHECK {
            m.sync_event(operation, address, "not the owner");
            m.note_operation(address, bytes)?;
            return m.result_number(call, EPERM);
        }
        let owner = ThreadId::of_owner_word(owner);
        let problem = owner.map_or(Problem::NotLocked, Problem::HeldBy);
        return m.misuse(operation, address, problem);
    }
    if kind == RECURSIVE && m.word(address + 4) > 1 {
        let count = m.word(address + 4) - 1;
        m.set_word(address + 4, count);
    } else {
        if !spin {
            m.release_for_others(address);
            m.set_word(address + 4, 0);
        }
        m.set_word(address, 0);
        if m.thread_state(m.now.current).section == Some(address) {
            m.thread_state_mut(m.now.current).section = None;
        }
    }
    m.sync_event(operation, address, "");
    m.note_operation(address, bytes)?;
    m.release(address);
    m.result_number(call, 0)
}

fn init(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let attributes = m.arg_number(call, 1)?;
    let (size, kind_offset) = if m.pointer_bits() == 64 {
        (40, 16)
    } else {
        (24, 12)
    };
    m.check_access(address, size, AccessKind::Write)?;
    let mut steps = Steps::resume(m);
    let kind = match attributes {
        0 => 0,
        _ => {
            let word = steps.word(m, attributes)?;
            let word = m.term(word, 32);
            let kind = m.terms.extract(word, 0, 2);
            let kind = m.value(kind);
            m.number(kind)? as u32
        }
    };
    m.note_lifetime(address, size, false);
    m.take_turn(address, size, AccessKind::Write, Guard::Always)?;
    steps.finish(m);
    m.note_access(address, size, Effect::Initialise, How::Plain)?;
    m.state
        .memory
        .write_bytes(&mut m.trail, address, &[0; 40][..size as usize]);
    m.set_word(address + kind_offset, kind);
    m.result_number(call, 0)
}

fn destroy(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.synchronise(address, m.mutex_bytes(), Guard::Always)?;
    m.note_lifetime(address, m.mutex_bytes(), true);
    m.check_mutex(address, call.name)?;
    if m.word(address) != 0 {
        return m.misuse(call.name, address, Problem::InUse);
    }
    m.note_access(address, m.mutex_bytes(), Effect::Destroy, How::Plain)?;
    m.set_word(address, DESTROYED);
    m.result_number(call, 0)
}

fn init_spin(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 4, AccessKind::Write)?;
    m.note_lifetime(address, 4, call.name == "pthread_spin_destroy");
    m.take_turn(address, 4, AccessKind::Write, Guard::Always)?;
    m.note_access(address, 4, Effect::Initialise, How::Plain)?;
    m.set_word(address, 0);
    m.result(call, Value::ZERO);
    Ok(())
}

fn destroy_spin(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.synchronise(address, 4, Guard::Always)?;
    m.check_mutex(address, call.name)?;
    if m.word(address) != 0 {
        return m.misuse(call.name, address, Problem::InUse);
    }
    m.note_access(address, 4, Effect::Destroy, How::Plain)?;
    m.set_word(address, DESTROYED);
    m.result_number(call, 0)
}

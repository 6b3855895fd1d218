//! Read-write locks: word 0 counts readers, word 1 is the writer's id plus one.

use super::errno::*;
use super::{Shim, ShimCall};
use crate::fault::{Exec, Problem};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::thread::{Guard, ThreadId};

pub fn find(name: &str) -> Option<Shim> {
    Some(match name {
        "pthread_rwlock_rdlock" => |m, c| lock(m, c, false, Wait::Forever, "pthread_rwlock_rdlock"),
        "pthread_rwlock_wrlock" => |m, c| lock(m, c, true, Wait::Forever, "pthread_rwlock_wrlock"),
        "pthread_rwlock_tryrdlock" => {
            |m, c| lock(m, c, false, Wait::Never, "pthread_rwlock_tryrdlock")
        }
        "pthread_rwlock_trywrlock" => {
            |m, c| lock(m, c, true, Wait::Never, "pthread_rwlock_trywrlock")
        }
        "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => {
            |m, c| lock(m, c, false, Wait::Timed, "pthread_rwlock_timedrdlock")
        }
        "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => {
            |m, c| lock(m, c, true, Wait::Timed, "pthread_rwlock_timedwrlock")
        }
        "pthread_rwlock_unlock" => unlock,
        "pthread_rwlock_init" => init,
        "pthread_rwlock_destroy" => destroy,
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Wait {
    Forever,
    Never,
    Timed,
}

impl Machine {
    pub(crate) fn rwlock_is_free(&self, address: u64, write: bool) -> bool {
        self.word(address + 4) == 0 && (!write || self.word(address) == 0)
    }
}

fn lock(
    m: &mut Machine,
    call: &ShimCall,
    write: bool,
    wait: Wait,
    operation: &'static str,
) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 8, AccessKind::Write)?;
    let mine = m.word(address + 4) == m.me();
    let guard = if wait == Wait::Forever && !mine {
        Guard::RwLock { address, write }
    } else {
        Guard::Always
    };
    m.synchronise(address, 8, guard)?;
    if m.word(address + 4) == m.me() && wait != Wait::Never {
        m.sync_event(operation, address, "would deadlock");
        return m.result_number(call, EDEADLK);
    }
    let free = m.rwlock_is_free(address, write);
    let code = if !free {
        if wait == Wait::Never {
            EBUSY
        } else {
            ETIMEDOUT
        }
    } else {
        0
    };
    if code == 0 {
        m.change();
        if write {
            m.set_word(address + 4, m.me());
        } else {
            let readers = m.word(address) + 1;
            m.set_word(address, readers);
        }
    }
    m.sync_event(operation, address, if code == 0 { "" } else { "not taken" });
    m.result_number(call, code)
}

fn unlock(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 8, AccessKind::Write)?;
    m.synchronise(address, 8, Guard::Always)?;
    m.change();
    let (readers, writer) = (m.word(address), m.word(address + 4));
    if writer == m.me() {
        m.set_word(address + 4, 0);
    } else if writer != 0 {
        return m.misuse(call.name, address, Problem::HeldBy(ThreadId(writer - 1)));
    } else if readers == 0 {
        return m.misuse(call.name, address, Problem::NotLocked);
    } else {
        m.set_word(address, readers - 1);
    }
    m.sync_event("pthread_rwlock_unlock", address, "");
    m.result_number(call, 0)
}

fn init(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 8, AccessKind::Write)?;
    m.see(address, 8, AccessKind::Write, Guard::Always)?;
    m.memory.write_bytes(&mut m.trail, address, &[0; 8]);
    m.result_number(call, 0)
}

fn destroy(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 8, AccessKind::Write)?;
    m.synchronise(address, 8, Guard::Always)?;
    if m.word(address) != 0 || m.word(address + 4) != 0 {
        return m.misuse(call.name, address, Problem::InUse);
    }
    m.result_number(call, 0)
}

//! Read-write locks: word 0 counts readers, word 1 is the writer's id plus one. Words 2 and 3 count, four bits each, how often
//! each of the first sixteen threads holds it for reading; of later threads it is not known.

use super::errno::*;
use super::{DESTROYED, Shim, ShimCall};
use crate::fault::{Exec, Problem};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::race::{Deed, How};
use crate::thread::{Guard, ThreadId};
use crate::touch::{Change, Update};

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

/// How much of the lock is used.
const BYTES: u64 = 16;

#[derive(Clone, Copy, PartialEq)]
enum Wait {
    Forever,
    Never,
    Timed,
}

impl Machine {
    /// How often the running thread holds the lock for reading, and where that is counted.
    fn read_holds(&self, address: u64) -> Option<(u64, u32, u32)> {
        let thread = self.current.0;
        if thread >= 16 {
            return None;
        }
        let at = address + 8 + u64::from(thread / 8) * 4;
        let shift = thread % 8 * 4;
        Some((at, shift, self.word(at) >> shift & 15))
    }

    /// Readers come and go in any order, as far as they are told apart: of the others, one may give back what another took.
    fn changes_readers(&mut self, address: u64) {
        if self.read_holds(address).is_some() {
            self.touched.changes(Change::Updated(Update::Share));
        }
    }

    fn set_read_holds(&mut self, address: u64, change: impl Fn(u32) -> u32) {
        if let Some((at, shift, holds)) = self.read_holds(address) {
            let word = self.word(at) & !(15 << shift) | (change(holds).min(15) << shift);
            self.set_word(at, word);
        }
    }

    fn check_rwlock(&mut self, operation: &str, address: u64) -> Exec<()> {
        if self.word(address + 4) == DESTROYED {
            return self.misuse(operation, address, Problem::Destroyed);
        }
        Ok(())
    }

    fn rwlock_is_free(&self, address: u64, write: bool) -> bool {
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
    m.check_access(address, BYTES, AccessKind::Write)?;
    let mine = m.word(address + 4) == m.me();
    let guard = if wait == Wait::Forever && !mine {
        Guard::RwLock { address, write }
    } else {
        Guard::Always
    };
    m.synchronise(address, BYTES, guard)?;
    m.check_rwlock(operation, address)?;
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
            m.set_read_holds(address, |holds| holds + 1);
            m.changes_readers(address);
        }
    }
    if wait != Wait::Forever {
        m.touched.depends(code == 0);
    }
    m.sync_event(operation, address, if code == 0 { "" } else { "not taken" });
    if code == 0 {
        m.acquire(address);
        if write {
            m.acquire_from_readers(address);
        }
    }
    m.note_operation(address, BYTES)?;
    m.result_number(call, code)
}

fn unlock(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, BYTES, AccessKind::Write)?;
    m.synchronise(address, BYTES, Guard::Always)?;
    m.check_rwlock(call.name, address)?;
    m.change();
    let (readers, writer) = (m.word(address), m.word(address + 4));
    if writer == m.me() {
        m.set_word(address + 4, 0);
    } else if writer != 0 {
        return m.misuse(call.name, address, Problem::HeldBy(ThreadId(writer - 1)));
    } else if readers == 0 {
        return m.misuse(call.name, address, Problem::NotLocked);
    } else if m
        .read_holds(address)
        .is_some_and(|(_, _, holds)| holds == 0)
    {
        return m.misuse(call.name, address, Problem::NotHeld);
    } else {
        m.set_word(address, readers - 1);
        m.set_read_holds(address, |holds| holds - 1);
        m.changes_readers(address);
    }
    m.sync_event("pthread_rwlock_unlock", address, "");
    m.note_operation(address, BYTES)?;
    if writer == m.me() {
        m.release(address);
    } else {
        m.release_for_writers(address);
    }
    m.result_number(call, 0)
}

fn init(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, BYTES, AccessKind::Write)?;
    m.take_turn(address, BYTES, AccessKind::Write, Guard::Always)?;
    m.note_access(address, BYTES, Deed::Initialise, How::Plain)?;
    m.memory
        .write_bytes(&mut m.trail, address, &[0; BYTES as usize]);
    m.result_number(call, 0)
}

fn destroy(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, BYTES, AccessKind::Write)?;
    m.synchronise(address, BYTES, Guard::Always)?;
    m.check_rwlock(call.name, address)?;
    if m.word(address) != 0 || m.word(address + 4) != 0 {
        return m.misuse(call.name, address, Problem::InUse);
    }
    m.note_access(address, BYTES, Deed::Destroy, How::Plain)?;
    m.set_word(address + 4, DESTROYED);
    m.result_number(call, 0)
}

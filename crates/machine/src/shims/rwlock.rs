//! Read-write locks: word 0 counts readers, word 1 is the writer's id plus one. The sixteen bytes
//! after them count how often each of the first sixteen threads holds it for reading; of later
//! threads it is not known.

use ir::modelled::RwLock;

use super::errno::*;
use super::steps::{Deadline, Steps, has_clock};
use super::{DESTROYED, Shim, ShimCall};
use crate::fault::{Cutoff, Exec, Problem};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::race::{Effect, How};
use crate::thread::{Guard, ThreadId};
use crate::touch::{Change, Update};
use crate::value::Value;

pub fn shim(function: RwLock) -> Shim {
    match function {
        RwLock::ReadLock => |m, c| lock(m, c, false, Wait::Forever, "pthread_rwlock_rdlock"),
        RwLock::WriteLock => |m, c| lock(m, c, true, Wait::Forever, "pthread_rwlock_wrlock"),
        RwLock::TryReadLock => |m, c| lock(m, c, false, Wait::Never, "pthread_rwlock_tryrdlock"),
        RwLock::TryWriteLock => |m, c| lock(m, c, true, Wait::Never, "pthread_rwlock_trywrlock"),
        RwLock::TimedReadLock | RwLock::ClockReadLock => {
            |m, c| lock(m, c, false, Wait::Timed, "pthread_rwlock_timedrdlock")
        }
        RwLock::TimedWriteLock | RwLock::ClockWriteLock => {
            |m, c| lock(m, c, true, Wait::Timed, "pthread_rwlock_timedwrlock")
        }
        RwLock::Unlock => unlock,
        RwLock::Init => init,
        RwLock::Destroy => destroy,
    }
}

/// How much of the lock is used: both glibc's 56 bytes and its 32 on 32 bits have room for it,
/// before the kind.
const BYTES: u64 = 24;
/// `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`
const PREFERS_WRITERS: u8 = 2;
/// Most counts of one thread as a reader. glibc counts to 2^29.
const MOST_HOLDS: u32 = 255;

#[derive(Clone, Copy, PartialEq)]
enum Wait {
    Forever,
    Never,
    Timed,
}

impl Machine {
    /// How often the running thread holds the lock for reading, and where that is counted.
    fn read_holds(&self, address: u64) -> Option<(u64, u32, u32)> {
        let thread = self.now.current.0;
        if thread >= 16 {
            return None;
        }
        let at = address + 8 + u64::from(thread / 4) * 4;
        let shift = thread % 4 * 8;
        Some((at, shift, self.word(at) >> shift & MOST_HOLDS))
    }

    /// Readers that are counted come and go in any order. Of those that are not, one may release
    /// what another took.
    fn changes_readers(&mut self, address: u64) {
        if self.read_holds(address).is_some() {
            self.probes
                .footprint
                .changes(Change::Updated(Update::Share));
        }
    }

    fn set_read_holds(&mut self, address: u64, change: impl Fn(u32) -> u32) {
        if let Some((at, shift, holds)) = self.read_holds(address) {
            let word = self.word(at) & !(MOST_HOLDS << shift) | change(holds) << shift;
            self.set_word(at, word);
        }
    }

    fn check_rwlock(&mut self, operation: &str, address: u64) -> Exec<()> {
        if self.word(address + 4) == DESTROYED {
            return self.misuse(operation, address, Problem::Destroyed);
        }
        // Whether it can be locked depends on its kind.
        let kind = self.rwlock_kind(address);
        if self.state.memory.check(kind, 1, AccessKind::Read).is_ok() {
            self.note_use(kind, 1, AccessKind::Read);
        }
        Ok(())
    }

    /// Where the kind of the lock is.
    pub(crate) fn rwlock_kind(&self, address: u64) -> u64 {
        address + if self.pointer_bits() == 64 { 48 } else { 24 }
    }

    /// Whether a writer that waits keeps readers out.
    fn prefers_writers(&self, address: u64) -> bool {
        let kind = self.rwlock_kind(address);
        self.state.memory.check(kind, 1, AccessKind::Read).is_ok()
            && self.state.memory.plain_byte(kind) == Some(PREFERS_WRITERS)
    }

    /// The rule for readers and writers. A thread that waits is asked by `Guard::holds_on`.
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
    if wait == Wait::Timed && !has_clock(m, call)? {
        return m.result_number(call, EINVAL);
    }
    let mut deadline = Deadline::of(m, call, wait == Wait::Timed)?;
    if !deadline.is_time {
        deadline.pass(m);
        return m.result_number(call, EINVAL);
    }
    m.synchronise(address, BYTES, guard)?;
    deadline.pass(m);
    m.check_rwlock(operation, address)?;
    if !write && m.prefers_writers(address) {
        let what = "a read-write lock that prefers writers".to_string();
        return m.cut_off(Cutoff::UnmodelledInstruction(what));
    }
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
            if m.read_holds(address)
                .is_some_and(|(_, _, holds)| holds == MOST_HOLDS)
            {
                let what = "a read lock held 256 times by one thread".to_string();
                return m.cut_off(Cutoff::UnmodelledInstruction(what));
            }
            let readers = m.word(address) + 1;
            m.set_word(address, readers);
            m.set_read_holds(address, |holds| holds + 1);
            m.changes_readers(address);
        }
    }
    if wait != Wait::Forever {
        m.probes.footprint.depends(code == 0);
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
    } else if let Some(writer) = ThreadId::of_owner_word(writer) {
        return m.misuse(call.name, address, Problem::HeldBy(writer));
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
    let attributes = m.arg_number(call, 1)?;
    let size = if m.pointer_bits() == 64 { 56 } else { 32 };
    m.check_access(address, size, AccessKind::Write)?;
    let mut steps = Steps::resume(m);
    let kind = match attributes {
        0 => 0,
        _ => {
            let kind = steps.word(m, attributes)?;
            let prefers = Value::concrete(u64::from(PREFERS_WRITERS));
            let prefers = m.symbolic_cmp(ir::CmpOp::Eq, 32, kind, prefers);
            if m.truth(prefers)? {
                PREFERS_WRITERS
            } else {
                0
            }
        }
    };
    m.take_turn(address, size, AccessKind::Write, Guard::Always)?;
    steps.finish(m);
    m.note_access(address, size, Effect::Initialise, How::Plain)?;
    m.state
        .memory
        .write_bytes(&mut m.trail, address, &[0; 56][..size as usize]);
    let at = m.rwlock_kind(address);
    m.state.memory.write_bytes(&mut m.trail, at, &[kind]);
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
    m.note_access(address, BYTES, Effect::Destroy, How::Plain)?;
    m.set_word(address + 4, DESTROYED);
    m.result_number(call, 0)
}

//! POSIX semaphores: word 0 is the value.

use ir::modelled::Semaphore;

use super::errno::*;
use super::steps::{Deadline, has_clock};
use super::{DESTROYED, Shim, ShimCall};
use crate::fault::{Exec, Problem};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::race::{Effect, How};
use crate::thread::Guard;
use crate::value::Value;

pub fn shim(function: Semaphore) -> Shim {
    match function {
        Semaphore::Init => init,
        Semaphore::Destroy => destroy,
        Semaphore::Wait => |m, c| wait(m, c, Wait::Forever, "sem_wait"),
        Semaphore::TryWait => |m, c| wait(m, c, Wait::Never, "sem_trywait"),
        Semaphore::TimedWait | Semaphore::ClockWait => {
            |m, c| wait(m, c, Wait::Timed, "sem_timedwait")
        }
        Semaphore::Post => post,
        Semaphore::GetValue => value,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Wait {
    Forever,
    Never,
    Timed,
}

const SEM_VALUE_MAX: u32 = i32::MAX as u32;

fn init(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let value = m.arg_number(call, 2)?;
    m.check_access(address, 4, AccessKind::Write)?;
    if value > u64::from(SEM_VALUE_MAX) {
        return fail(m, call, EINVAL);
    }
    m.take_turn(address, 4, AccessKind::Write, Guard::Always)?;
    m.note_access(address, 4, Effect::Initialise, How::Plain)?;
    m.set_word(address, value as u32);
    m.result_number(call, 0)
}

fn destroy(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.synchronise(address, 4, Guard::Always)?;
    m.note_access(address, 4, Effect::Destroy, How::Plain)?;
    m.set_word(address, DESTROYED);
    m.result_number(call, 0)
}

fn wait(m: &mut Machine, call: &ShimCall, wait: Wait, operation: &'static str) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 4, AccessKind::Write)?;
    let guard = match wait {
        Wait::Forever => Guard::Positive(address),
        Wait::Never | Wait::Timed => Guard::Always,
    };
    if wait == Wait::Timed && !has_clock(m, call)? {
        return fail(m, call, EINVAL);
    }
    let mut deadline = Deadline::of(m, call, wait == Wait::Timed)?;
    if !deadline.is_time {
        deadline.pass(m);
        return fail(m, call, EINVAL);
    }
    m.synchronise(address, 4, guard)?;
    deadline.pass(m);
    check(m, call, address)?;
    let value = m.word(address);
    let code = if value as i32 <= 0 {
        if wait == Wait::Never {
            EAGAIN
        } else {
            ETIMEDOUT
        }
    } else {
        0
    };
    if wait != Wait::Forever {
        m.probes.footprint.depends(code == 0);
    }
    if code != 0 {
        m.sync_event(operation, address, "not taken");
        m.note_operation(address, 4)?;
        return fail(m, call, code);
    }
    m.change();
    m.set_word(address, value - 1);
    m.sync_event(operation, address, &format!("now {}", value - 1));
    m.acquire(address);
    m.note_operation(address, 4)?;
    m.result_number(call, 0)
}

fn post(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.synchronise(address, 4, Guard::Always)?;
    check(m, call, address)?;
    let value = m.word(address);
    m.note_operation(address, 4)?;
    if value >= SEM_VALUE_MAX {
        return fail(m, call, EOVERFLOW);
    }
    m.change();
    m.set_word(address, value + 1);
    m.sync_event("sem_post", address, &format!("now {}", value + 1));
    m.release(address);
    m.result_number(call, 0)
}

/// Two events: the semaphore is read, then the value is written.
fn value(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let out = m.arg_number(call, 1)?;
    if m.running.frames.last().expect("a frame").progress == 0 {
        m.check_access(address, 4, AccessKind::Read)?;
        m.take_turn(address, 4, AccessKind::Read, Guard::Always)?;
        check(m, call, address)?;
        let value = m.word(address);
        m.sync_event("sem_getvalue", address, &format!("is {value}"));
        m.note_access(address, 4, Effect::Read, How::Operation)?;
        let frame = m.running.frames.last_mut().expect("a frame");
        frame.progress = 1;
        frame.carried = Value::concrete(u64::from(value));
        m.finish_instruction();
    }
    let value = m.running.frames.last().expect("a frame").carried;
    m.store(Value::concrete(out), value, 32, None)?;
    let frame = m.running.frames.last_mut().expect("a frame");
    frame.progress = 0;
    frame.carried = Value::ZERO;
    m.result_number(call, 0)
}

fn check(m: &mut Machine, call: &ShimCall, address: u64) -> Exec<()> {
    if m.word(address) == DESTROYED {
        return m.misuse(call.name, address, Problem::Destroyed);
    }
    Ok(())
}

/// -1 with `errno` set.
fn fail(m: &mut Machine, call: &ShimCall, code: u64) -> Exec<()> {
    m.set_errno(code)?;
    m.result(call, Value::concrete(u64::MAX));
    Ok(())
}

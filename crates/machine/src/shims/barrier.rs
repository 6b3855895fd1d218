//! Barriers: word 0 is how many must arrive, word 1 how many have, word 2 the generation.

use super::errno::*;
use super::steps::Steps;
use super::{Shim, ShimCall};
use crate::fault::{Cutoff, Exec, Problem, Stop};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::race::{Deed, How};
use crate::thread::Guard;
use crate::value::Value;

pub fn find(name: &str) -> Option<Shim> {
    Some(match name {
        "pthread_barrier_init" => init,
        "pthread_barrier_wait" => wait,
        "pthread_barrier_destroy" => destroy,
        _ => return None,
    })
}

/// glibc refuses barriers for more.
const MOST: u64 = i32::MAX as u64;

impl Machine {
    /// How many have arrived at a barrier, and how many must.
    pub fn barrier_arrivals(&self, address: u64) -> (u32, u32) {
        (self.word(address + 4), self.word(address))
    }

    pub(crate) fn barrier_generation(&self, address: u64) -> u32 {
        self.word(address + 8)
    }
}

fn init(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    let attributes = m.arg_number(call, 1)?;
    let count = m.arg_number(call, 2)?;
    if count == 0 || count > MOST {
        return m.result_number(call, EINVAL);
    }
    m.check_access(address, 12, AccessKind::Write)?;
    let mut steps = Steps::resume(m);
    steps.attribute(m, attributes)?;
    m.take_turn(address, 12, AccessKind::Write, Guard::Always)?;
    steps.finish(m);
    m.note_access(address, 12, Deed::Initialise, How::Plain)?;
    m.set_word(address, count as u32);
    m.set_word(address + 4, 0);
    m.set_word(address + 8, 0);
    m.result_number(call, 0)
}

fn wait(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 12, AccessKind::Write)?;
    if m.frames.last().expect("a frame").progress == 0 {
        // It may wait with what a section holds, also if nobody ever opens the barrier.
        m.leave_no_section_open()?;
        m.synchronise(address, 12, Guard::Always)?;
        if m.word(address) == 0 {
            return m.misuse(call.name, address, Problem::Destroyed);
        }
        m.change();
        let arrived = m.word(address + 4) + 1;
        let generation = m.barrier_generation(address);
        if arrived >= m.word(address) {
            m.set_word(address + 4, 0);
            m.set_word(address + 8, generation.wrapping_add(1));
            m.sync_event("pthread_barrier_wait", address, "opens the barrier");
            m.note_operation(address, 12)?;
            m.order_barrier(address, generation);
            // PTHREAD_BARRIER_SERIAL_THREAD
            m.result(call, Value::concrete(u64::MAX));
            return Ok(());
        }
        if m.state(m.current).atomic > 0 {
            let what = "an operation that blocks inside an atomic section".to_string();
            return m.cut_off(Cutoff::UnmodelledInstruction(what));
        }
        m.set_word(address + 4, arrived);
        // Remembered for the guard; a generation is never 2^32 - 1 away.
        m.frames.last_mut().expect("a frame").progress = generation.wrapping_add(1).max(1);
        m.sync_event("pthread_barrier_wait", address, "waits");
        m.note_operation(address, 12)?;
        m.release(address);
        m.finish_instruction();
        m.park = (
            Guard::Barrier {
                address,
                generation,
            },
            m.observed,
        );
        return Err(Stop::Park);
    }
    let generation = m.frames.last().expect("a frame").progress.wrapping_sub(1);
    let guard = Guard::Barrier {
        address,
        generation,
    };
    if m.observed {
        // Who opened the barrier lies before.
        m.take_turn(address, 12, AccessKind::Read, guard)?;
    } else {
        m.pass(false, guard)?;
    }
    m.frames.last_mut().expect("a frame").progress = 0;
    m.result_number(call, 0)
}

fn destroy(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 12, AccessKind::Write)?;
    m.synchronise(address, 12, Guard::Always)?;
    if m.word(address + 4) != 0 {
        return m.misuse(call.name, address, Problem::InUse);
    }
    m.note_access(address, 12, Deed::Destroy, How::Plain)?;
    // A barrier for nobody is one that was destroyed.
    m.set_word(address, 0);
    m.result_number(call, 0)
}

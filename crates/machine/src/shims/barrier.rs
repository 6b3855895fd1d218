//! Barriers: word 0 is how many must arrive, word 1 how many have, word 2 the generation.
//!
//! A thread that was let go reads the barrier once more, as in glibc: memory that is given back
//! without `pthread_barrier_destroy` may still be in use. `pthread_barrier_destroy` waits in glibc
//! until all threads have gone. Here it does not wait: a thread that was let go and has not gone
//! yet will not read the barrier any more ([`Woken::Destroyed`]), so that it does not matter when
//! it goes on.

use ir::modelled::Barrier;

use super::errno::*;
use super::steps::Steps;
use super::{Shim, ShimCall};
use crate::fault::{Cutoff, Exec, Problem, Stop};
use crate::machine::Machine;
use crate::memory::{AccessKind, ObjectKind};
use crate::race::{Effect, How};
use crate::thread::{Guard, Status, ThreadId, Woken};
use crate::value::Value;

pub fn shim(function: Barrier) -> Shim {
    match function {
        Barrier::Init => init,
        Barrier::Wait => wait,
        Barrier::Destroy => destroy,
    }
}

/// glibc refuses barriers for more.
const MOST: u64 = i32::MAX as u64 - 1;

impl Machine {
    /// How many have arrived at a barrier, and how many must.
    pub fn barrier_arrivals(&self, address: u64) -> (u32, u32) {
        (self.word(address + 4), self.word(address))
    }

    /// Whether it matters when a thread goes on that was let go: it does to a search that orders
    /// events, and where the memory may be given back.
    fn is_seen_leaving(&self, barrier: u64) -> bool {
        let object = self.state.memory.object_at(barrier);
        let kind = object.map(|id| self.state.memory.object(id).kind);
        self.mode.observed || !matches!(kind, Some(ObjectKind::Global(_)))
    }

    /// Whether the thread waits there or has not gone on yet.
    fn is_at_barrier(&self, thread: ThreadId, barrier: u64) -> bool {
        matches!(
            self.status(thread),
            Status::Parked { guard: Guard::Barrier { address, .. }, .. } if address == barrier
        )
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
    m.note_access(address, 12, Effect::Initialise, How::Plain)?;
    m.set_word(address, count as u32);
    m.set_word(address + 4, 0);
    m.set_word(address + 8, 0);
    m.result_number(call, 0)
}

fn wait(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    if m.running.frames.last().expect("a frame").progress == 0 {
        m.check_access(address, 12, AccessKind::Write)?;
        // The thread would wait in a critical section, for ever if the barrier is never opened.
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
        if m.thread_state(m.now.current).atomic > 0 {
            let what = "an operation that blocks inside an atomic section".to_string();
            return m.cut_off(Cutoff::UnmodelledInstruction(what));
        }
        m.set_word(address + 4, arrived);
        // Remembered for the guard; a generation is never 2^32 - 1 away.
        m.running.frames.last_mut().expect("a frame").progress = generation.wrapping_add(1).max(1);
        m.sync_event("pthread_barrier_wait", address, "waits");
        m.note_operation(address, 12)?;
        m.release(address);
        m.finish_instruction();
        m.running.block_at = (
            Guard::Barrier {
                address,
                generation,
            },
            m.is_seen_leaving(address),
        );
        return Err(Stop::Park);
    }
    let generation = m
        .running
        .frames
        .last()
        .expect("a frame")
        .progress
        .wrapping_sub(1);
    let guard = Guard::Barrier {
        address,
        generation,
    };
    let is_destroyed = m.thread_state(m.now.current).woken == Woken::Destroyed;
    if !is_destroyed {
        m.check_access(address, 12, AccessKind::Write)?;
    }
    if !m.is_seen_leaving(address) {
        m.pass(false, guard)?;
    } else if is_destroyed {
        // The thread comes after the one that destroyed the barrier, whatever has become of the
        // memory.
        let visible = m.now.concurrent && !(m.mode.slices && m.is_invisible());
        if visible && m.mode.observed {
            m.probes.footprint.add(address, 12, AccessKind::Read, false);
        }
        m.pass(visible, guard)?;
    } else {
        // The thread comes after the one that opened the barrier.
        m.take_turn(address, 12, AccessKind::Read, guard)?;
    }
    if is_destroyed {
        m.thread_state_mut(m.now.current).woken = Woken::Signal;
    }
    m.running.frames.last_mut().expect("a frame").progress = 0;
    m.result_number(call, 0)
}

fn destroy(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 12, AccessKind::Write)?;
    m.synchronise(address, 12, Guard::Always)?;
    if m.word(address + 4) != 0 {
        return m.misuse(call.name, address, Problem::InUse);
    }
    m.note_access(address, 12, Effect::Destroy, How::Plain)?;
    let leaving: Vec<ThreadId> = (m.thread_ids())
        .filter(|t| m.is_at_barrier(*t, address))
        .collect();
    for thread in leaving {
        m.thread_state_mut(thread).woken = Woken::Destroyed;
    }
    // A barrier for no threads is one that was destroyed.
    m.set_word(address, 0);
    m.result_number(call, 0)
}

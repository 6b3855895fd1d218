//! `setjmp` and `longjmp`. The buffer holds a magic word, the frame's index and serial place, and
//! where to go on.

use std::rc::Rc;

use ir::modelled::Jump;

use super::{Shim, ShimCall};
use crate::fault::{Exec, Fault, Stop};
use crate::machine::Machine;
use crate::memory::{AccessKind, MemoryFault};
use crate::thread::Guard;
use crate::value::Value;

const MAGIC: u32 = 0x51ea_7e00;

pub fn shim(function: Jump) -> Shim {
    match function {
        Jump::Setjmp => setjmp,
        Jump::Longjmp => longjmp,
    }
}

/// Whether this is `setjmp` by one of its names.
pub fn returns_twice(name: &str) -> bool {
    Jump::named(name) == Some(Jump::Setjmp)
}

fn setjmp(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let buffer = m.arg_number(call, 0)?;
    m.check_access(buffer, 16, AccessKind::Write)?;
    m.see(buffer, 16, AccessKind::Write, Guard::Always)?;
    let frame = *m.running.frames.last().expect("a frame");
    let index = m.running.frames.len() as u32 - 1;
    let thread = m.now.current.0;
    let words = [MAGIC ^ thread, index, frame.pc, frame.function.0];
    for (i, word) in words.into_iter().enumerate() {
        m.set_word(buffer + 4 * i as u64, word);
    }
    m.result_number(call, 0)
}

fn longjmp(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let buffer = m.arg_number(call, 0)?;
    let value = m.arg(call, 1);
    let target = target(m, buffer)?;
    // Jumping back makes a loop.
    let thread = m.now.current;
    let program = Rc::clone(&m.program);
    let f = program.function(m.running.frames.last().expect("a frame").function);
    let jumps = m.next_iteration(f, m.thread_state(thread).jumps)?;
    m.thread_state_mut(thread).jumps = jumps;
    // longjmp(buffer, 0) makes setjmp return 1.
    let value = if value.is_concrete() {
        Value::concrete(value.bits.max(1))
    } else {
        let (zero, one) = (m.terms.constant(32, 0), m.terms.constant(32, 1));
        let is_zero = m.terms.cmp(smt::CmpOp::Eq, value.term, zero);
        let term = m.terms.ite(is_zero, one, value.term);
        m.value(term)
    };
    jump(m, target, value)
}

/// A call of `setjmp` that has not been left.
#[derive(Clone, Copy)]
pub(super) struct Target {
    frame: usize,
    pc: u32,
}

/// What a buffer holds; waits until the frames above may be left.
pub(super) fn target(m: &mut Machine, buffer: u64) -> Exec<Target> {
    m.check_access(buffer, 16, AccessKind::Read)?;
    m.see(buffer, 16, AccessKind::Read, Guard::Always)?;
    let [magic, index, pc, function] = [0, 4, 8, 12].map(|offset| m.word(buffer + offset));
    let valid = magic == MAGIC ^ m.now.current.0
        && (index as usize) < m.running.frames.len()
        && m.running.frames[index as usize].function.0 == function;
    if !valid {
        return m.fault(Fault::Memory(MemoryFault::Wild, buffer));
    }
    let first = m
        .running
        .frames
        .get(index as usize + 1)
        .map(|f| f.stack.objects);
    if let Some(first) = first {
        m.see_objects_die(first)?;
    }
    Ok(Target {
        frame: index as usize,
        pc,
    })
}

/// Leaves the frames above, and lets `setjmp` return once more.
pub(super) fn jump(m: &mut Machine, target: Target, value: Value) -> Exec<()> {
    while m.running.frames.len() > target.frame + 1 {
        let function = m.running.frames.last().expect("a frame").function;
        if m.program.function(function).atomic {
            m.leave_atomic();
        }
        m.note_mystery();
        m.pop_frame();
    }
    m.running.frames.last_mut().expect("the frame of setjmp").pc = target.pc;
    m.now.turns += 1;
    let program = std::rc::Rc::clone(&m.program);
    m.return_from_call(&program, &[value]);
    Err(Stop::Jumped)
}

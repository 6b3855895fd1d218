//! Thread creation, join, exit. None of them is a visible operation (see `machine`), unless the
//! memory they write is.

use std::rc::Rc;

use ir::modelled::Thread;

use super::errno::*;
use super::steps::Steps;
use super::{Shim, ShimCall, jump};
use crate::fault::{Exec, Fault, Problem, Stop};
use crate::machine::Machine;
use crate::memory::{AccessKind, MemoryFault};
use crate::record::EventKind;
use crate::thread::{Guard, ThreadId};
use crate::value::Value;

pub fn shim(function: Thread) -> Shim {
    match function {
        Thread::Create => create,
        Thread::Join => join,
        Thread::Detach => detach,
        Thread::Exit => |m, c| {
            let value = m.arg(c, 0);
            exit(m, value)
        },
        Thread::RegisterCancel => |m, c| {
            let buffer = m.arg_number(c, 0)?;
            m.thread_state_mut(m.now.current).cleanups.push(buffer);
            Ok(())
        },
        Thread::UnregisterCancel => |m, _| {
            m.thread_state_mut(m.now.current).cleanups.pop();
            Ok(())
        },
        Thread::UnwindNext => |m, _| {
            let value = m.thread_state(m.now.current).result;
            exit(m, value)
        },
        Thread::Own => own_handle,
        Thread::Equal => equal,
        Thread::OnceEnter => once_enter,
        Thread::OnceLeave => once_leave,
        Thread::Id => thread_id,
        Thread::WaitAlone => wait_alone,
        Thread::UsesThreadLocals => |m, c| {
            let uses = !m.thread_state(m.now.current).tls.is_empty();
            m.result_number(c, u64::from(uses))
        },
    }
}

fn thread_of(m: &Machine, handle: u64) -> Option<ThreadId> {
    let id = ThreadId::of_handle(handle)?;
    m.thread_exists(id).then_some(id)
}

fn create(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let out = m.arg_number(call, 0)?;
    let attributes = m.arg_number(call, 1)?;
    let function = m.arg_number(call, 2)?;
    let argument = m.arg(call, 3);
    let parent = m.now.current;
    m.leave_no_section_open()?;
    let Some(&body) = m.program.layout.function_at.get(&function) else {
        return m.fault(Fault::Memory(MemoryFault::Wild, function));
    };
    m.check_callee(body);
    let mut steps = Steps::resume(m);
    let detached = match attributes {
        0 => false,
        _ => {
            let state = steps.word(m, attributes)?;
            let is_detached = m.symbolic_cmp(ir::CmpOp::Eq, 32, state, Value::concrete(1));
            m.truth(is_detached)?
        }
    };
    let child = m.next_child(parent);
    if m.is_crowded(child) {
        return m.stand_still();
    }
    let bits = m.pointer_bits();
    // The handle is written before the thread starts.
    m.store(
        Value::concrete(out),
        Value::concrete(child.handle()),
        bits,
        None,
    )?;
    steps.finish(m);
    m.note_second_thread();
    let child = m.child_id(parent);
    m.order_create(child);
    let clock = m.thread_state(parent).clock.clone();
    let own = m.clock_mut(parent);
    own[parent.index()] += 1;
    // Room for the child, which will be joined more often than made.
    own.resize(own.len().max(child.index() + 1), 0);
    let f = m.program.function(body);
    if f.has_body && f.shim.is_none() && f.params.len() <= 1 && !f.variadic {
        // Some take an integer, by way of a cast.
        let width = m.program.module.functions[body]
            .params
            .first()
            .map_or(bits, |ty| ty.bits(bits));
        let argument = m.resized(argument, width);
        m.spawn(child, body, &[argument], clock);
    } else {
        let entries = m.program.entries.expect("a thread was started");
        let args = [Value::concrete(function), argument];
        m.spawn(child, entries.call_thread, &args, clock);
    }
    m.state.threads[child.index()]
        .as_mut()
        .expect("just born")
        .state
        .detached = detached;
    m.event(|| EventKind::Create {
        child,
        function: body,
    });
    m.result_number(call, 0)
}

/// The thread that a handle stands for, if it may be joined or detached. It may once: afterwards
/// the handle may have ended with the thread, and POSIX leaves its use undefined. Of two calls for
/// one thread the later one is reported, whichever that is.
fn joinable(m: &mut Machine, call: &ShimCall, handle: u64) -> Exec<ThreadId> {
    let Some(target) = thread_of(m, handle) else {
        return m.misuse(call.name, 0, Problem::NoThread);
    };
    let state = m.thread_state(target);
    if state.joined {
        return m.misuse(call.name, 0, Problem::JoinedTwice(target));
    }
    if state.detached {
        return m.misuse(call.name, 0, Problem::Detached(target));
    }
    Ok(target)
}

fn join(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let handle = m.arg_number(call, 0)?;
    let out = m.arg_number(call, 1)?;
    let target = joinable(m, call, handle)?;
    let me = m.now.current;
    if target == me {
        return m.result_number(call, EDEADLK);
    }
    m.stop_in_shadow(m.mode.observes_joins);
    m.step.only_joins = out == 0;
    let is_shown =
        m.probes.history.is_some() && !m.mode.observes_joins && m.thread_state(me).atomic == 0;
    // A turn that was given here is for the store of the result: the join was shown before the
    // thread stopped at that.
    let was_shown = m.running.joining || m.now.granted;
    if is_shown && !was_shown || out == 0 && m.is_learning() {
        m.running.block_at = (Guard::Ended(target), false);
        return Err(Stop::Park);
    }
    m.pass(m.mode.observes_joins, Guard::Ended(target))?;
    m.running.joining = false;
    m.order_join(me, target);
    if out != 0 {
        // First: what the thread did lies before the store. Doing it twice does no harm.
        m.meet(me, target);
        let (result, bits) = (m.thread_state(target).result, m.pointer_bits());
        m.store(Value::concrete(out), result, bits, None)?;
    }
    m.join(me, target);
    m.event(|| EventKind::Join(target));
    m.result_number(call, 0)
}

fn detach(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let handle = m.arg_number(call, 0)?;
    let target = joinable(m, call, handle)?;
    m.thread_state_mut(target).detached = true;
    m.result_number(call, 0)
}

/// Runs the cleanup handlers, then leaves every frame; for the outermost, that of the thread's
/// function, it is a return.
fn exit(m: &mut Machine, value: Value) -> Exec<()> {
    let thread = m.now.current;
    if let Some(&buffer) = m.thread_state(thread).cleanups.last() {
        let target = jump::target(m, buffer)?;
        m.thread_state_mut(thread).cleanups.pop();
        m.set_result(thread, value);
        // There the handler is called, and then `__pthread_unwind_next`.
        return jump::jump(m, target, Value::concrete(1));
    }
    if m.now.current == ThreadId::MAIN {
        return exit_main(m, value);
    }
    let first = m.running.frames[0].stack.objects;
    m.see_objects_die(first)?;
    while m.running.frames.len() > 1 {
        let function = m.running.frames.last().expect("a frame").function;
        if m.program.function(function).atomic {
            m.leave_atomic();
        }
        m.pop_frame();
    }
    let program = Rc::clone(&m.program);
    let f = program.function(m.running.frames[0].function);
    m.leave(&program, f, &[value])
}

/// Main's stack stays, since other threads may use it; the process exits when they have ended.
fn exit_main(m: &mut Machine, value: Value) -> Exec<()> {
    let entries = m.program.entries.expect("a thread was started");
    let last = entries.main_exited;
    m.set_result(ThreadId::MAIN, value);
    let program = Rc::clone(&m.program);
    m.enter(last, program.function(last), &[])?;
    Err(Stop::Jumped)
}

/// Waits until every other thread has ended.
fn wait_alone(m: &mut Machine, _: &ShimCall) -> Exec<()> {
    m.stop_in_shadow(m.mode.observes_joins);
    m.pass(m.mode.observes_joins, Guard::Alone)?;
    let others: Vec<ThreadId> = m.thread_ids().filter(|t| *t != m.now.current).collect();
    for other in others {
        if m.mode.observed {
            m.meet(m.now.current, other);
        }
        m.order_join(m.now.current, other);
    }
    Ok(())
}

fn own_handle(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let handle = m.now.current.handle();
    m.result_number(call, handle)
}

fn thread_id(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let id = u64::from(m.now.current.0);
    m.result_number(call, id)
}

fn equal(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let (a, b) = (m.arg_number(call, 0)?, m.arg_number(call, 1)?);
    m.result_number(call, u64::from(a == b))
}

/// Whether this thread is the one to run the routine; waits while another does. Word 0: 0 fresh, 1
/// running, 2 done. To exit is such a routine, which is never done; that a thread begins with it is
/// not worth a row in a report.
fn once_enter(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.check_access(address, 4, AccessKind::Write)?;
    m.synchronise(address, 4, Guard::Once(address))?;
    let first = m.word(address) == 0;
    if first {
        m.set_word(address, 1);
    }
    m.probes.footprint.depends(first);
    m.acquire(address);
    m.note_operation(address, 4)?;
    if call.name == "__sleave_once_enter" {
        let note = if first {
            "runs the routine"
        } else {
            "already run"
        };
        m.sync_event("pthread_once", address, note);
    }
    m.result_number(call, u64::from(first))
}

fn once_leave(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let address = m.arg_number(call, 0)?;
    m.synchronise(address, 4, Guard::Always)?;
    m.set_word(address, 2);
    m.sync_event("pthread_once", address, "done");
    m.note_operation(address, 4)?;
    m.release(address);
    Ok(())
}

impl Machine {
    /// From the first `pthread_create` on, `__libc_single_threaded` is false. No other thread is
    /// there yet that could tell when: the write is no event.
    fn note_second_thread(&mut self) {
        let flag = self.program.entries.and_then(|e| e.single_threaded);
        if let Some(flag) = flag
            && self.state.memory.plain_byte(flag) != Some(0)
        {
            self.state.memory.write_bytes(&mut self.trail, flag, &[0]);
        }
    }

    /// The id that [`Machine::child_id`] will give.
    fn next_child(&mut self, parent: ThreadId) -> ThreadId {
        let index = self.thread_state(parent).children;
        self.id_of_child(parent, index)
    }

    /// Threads that have not ended.
    pub fn unfinished(&self) -> Vec<ThreadId> {
        self.thread_ids()
            .filter(|t| !self.status(*t).is_over())
            .collect()
    }
}

//! Condition variables. The set of waiters is part of the threads' status; the object itself is
//! only a name.
//!
//! A wait has three steps: the thread becomes a waiter; it gives the mutex back; later, once
//! signalled (or timed out, or spuriously), it takes the mutex again. For a thread that takes the
//! mutex before it signals, as POSIX demands, the first two are one step. A thread that signals
//! without the mutex between them could as well do so after them. As two steps, each accesses one
//! object, so that signals outside the mutex do not depend on operations on the mutex. The last
//! step comes after what accesses the mutex, and after the signal that woke the thread
//! ([`Machine::woken`]).
//!
//! A wait with a time-out has another step, which tells whether the signal came first: the thread
//! gives up on the condition, or finds that it was signalled, before it takes the mutex. From this
//! step a search sees that the time could have been up before the signal. If taking the mutex were
//! all that follows the signal, nothing would say so: it comes after the signal whatever is done to
//! the condition (`cond_timeout_before_signal.c`, `cond_broadcast_twice_and_timeout.c`).
//!
//! Where critical sections are one step, the first two steps are the end of one, and the third is
//! the beginning of the next (`peek`).

use ir::modelled::Condition;

use super::errno::*;
use super::mutex::{ERRORCHECK, RECURSIVE};
use super::steps::{Deadline, Steps};
use super::{DESTROYED, Shim, ShimCall};
use crate::fault::{Cutoff, Exec, Problem, Stop};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::race::{Effect, How};
use crate::thread::{Guard, Status, ThreadId, Woken};
use crate::touch::{Change, Update};

pub fn shim(function: Condition) -> Shim {
    match function {
        Condition::Wait => |m, c| wait(m, c, false),
        Condition::TimedWait | Condition::ClockWait => |m, c| wait(m, c, true),
        Condition::Signal => |m, c| wake(m, c, false),
        Condition::Broadcast => |m, c| wake(m, c, true),
        Condition::Init => init,
        Condition::Destroy => destroy,
    }
}

/// Progress of a wait that has read a part of its deadline (see `steps`),
const READING: u32 = 1;
/// that has begun, and holds the mutex still,
const LEAVING: u32 = 2;
/// that has given the mutex back,
const WAITING: u32 = 3;
/// whose time is up, or that has found its signal before that: it is no waiter any more, but needs
/// the mutex to return.
const DECIDED: u32 = 4;

fn wait(m: &mut Machine, call: &ShimCall, timed: bool) -> Exec<()> {
    let condition = m.arg_number(call, 0)?;
    let mutex = m.arg_number(call, 1)?;
    let operation = operation(timed);
    match m.running.frames.last().expect("a frame").progress {
        0 | READING => begin(m, call, condition, mutex, timed),
        LEAVING => leave(m, condition, mutex, timed, operation),
        WAITING if m.thread_state(m.now.current).woken == Woken::Timeout => {
            m.running.visible |= m.now.concurrent && m.is_visible(condition, 4, AccessKind::Write);
            m.probes.footprint.depends(true);
            m.sync_event(operation, condition, "timed out");
            proceed(m, DECIDED, Guard::Zero(mutex))
        }
        WAITING
            if timed && m.mode.observed && m.thread_state(m.now.current).woken == Woken::Signal =>
        {
            m.running.visible |= m.now.concurrent && m.is_visible(condition, 4, AccessKind::Write);
            m.probes.footprint.depends(false);
            proceed(m, DECIDED, Guard::Zero(mutex))
        }
        _ => stop_waiting(m, call, condition, mutex, operation),
    }
}

fn operation(timed: bool) -> &'static str {
    match timed {
        true => "pthread_cond_timedwait",
        false => "pthread_cond_wait",
    }
}

/// The thread becomes a waiter.
fn begin(m: &mut Machine, call: &ShimCall, condition: u64, mutex: u64, timed: bool) -> Exec<()> {
    let operation = operation(timed);
    let mut deadline = Deadline::of(m, call, timed)?;
    if !deadline.is_time {
        deadline.pass(m);
        return m.result_number(call, EINVAL);
    }
    let ends_section = m.waits_in_section(mutex)?;
    m.check_access(condition, 4, AccessKind::Write)?;
    m.check_access(mutex, m.mutex_bytes(), AccessKind::Write)?;
    let visible = match ends_section {
        true => m.touch_at_wait(condition, 4),
        false => m.now.concurrent && m.is_visible(condition, 4, AccessKind::Write),
    };
    m.pass(visible, Guard::Always)?;
    check(m, operation, condition)?;
    let other_mutex = waiters(m, condition).any(|(_, other)| other != mutex);
    if other_mutex {
        return m.misuse(operation, condition, Problem::OtherMutex);
    }
    if ends_section {
        deadline.pass(m);
        // All waiters have this mutex, so that their order does not matter.
        m.probes.footprint.changes(Change::Updated(Update::Wait));
        m.sync_event(operation, condition, "waits");
        m.ends_section(mutex);
        // A loop in which a thread waits here goes on for a reason.
        m.trail.effects += 1;
        let guard = Guard::Condition {
            condition,
            mutex,
            signalled: false,
            timed,
        };
        return proceed(m, WAITING, guard);
    }
    let kind = m.mutex_kind(mutex);
    if m.word(mutex) != m.me() {
        if kind == RECURSIVE || kind == ERRORCHECK {
            deadline.pass(m);
            m.sync_event(operation, mutex, "not the owner");
            return m.result_number(call, EPERM);
        }
        return m.misuse(operation, mutex, Problem::NotLocked);
    }
    if kind == RECURSIVE && m.word(mutex + 4) > 1 {
        // glibc unlocks it once, and waits while it is still locked.
        let what = "a condition wait with a mutex that is locked twice".to_string();
        return m.cut_off(Cutoff::UnmodelledInstruction(what));
    }
    if m.thread_state(m.now.current).atomic > 0 {
        let what = "an operation that blocks inside an atomic section".to_string();
        return m.cut_off(Cutoff::UnmodelledInstruction(what));
    }
    let spurious = m.mode.observed && m.may_wake_for_nothing() && m.choice(2)? == 1;
    deadline.pass(m);
    if spurious {
        m.thread_state_mut(m.now.current).woken = Woken::Spuriously;
    }
    m.sync_event(operation, condition, "waits");
    m.note_operation(condition, 4)?;
    let guard = if spurious {
        Guard::Always
    } else {
        Guard::Leaving {
            condition,
            mutex,
            signalled: false,
        }
    };
    if m.leaves_in_shadow(mutex) {
        m.running.frames.last_mut().expect("a frame").progress = LEAVING;
        m.finish_instruction();
        // No thread has signalled meanwhile.
        m.thread_state_mut(m.now.current).woken = Woken::Timeout;
        return leave(m, condition, mutex, timed, operation);
    }
    proceed(m, LEAVING, guard)
}

/// Gives the mutex back.
fn leave(
    m: &mut Machine,
    condition: u64,
    mutex: u64,
    timed: bool,
    operation: &'static str,
) -> Exec<()> {
    m.check_access(mutex, m.mutex_bytes(), AccessKind::Write)?;
    m.running.visible |= m.now.concurrent && m.is_visible(mutex, 4, AccessKind::Write);
    m.note_words(mutex, 4);
    m.check_mutex(mutex, operation)?;
    m.release_for_others(mutex);
    m.set_word(mutex, 0);
    m.set_word(mutex + 4, 0);
    m.note_operation(mutex, 4)?;
    m.release(mutex);
    if m.thread_state(m.now.current).woken == Woken::Spuriously {
        return proceed(m, WAITING, Guard::Zero(mutex));
    }
    let signalled = m.thread_state(m.now.current).woken == Woken::Signal;
    let guard = if signalled && timed && m.mode.observed {
        Guard::Always
    } else {
        Guard::Condition {
            condition,
            mutex,
            signalled,
            timed,
        }
    };
    proceed(m, WAITING, guard)
}

fn proceed(m: &mut Machine, progress: u32, guard: Guard) -> Exec<()> {
    m.running.frames.last_mut().expect("a frame").progress = progress;
    m.finish_instruction();
    m.running.block_at = (guard, true);
    Err(Stop::Park)
}

/// The thread was scheduled: the mutex is free, and `woken` says why it may go on.
fn stop_waiting(
    m: &mut Machine,
    call: &ShimCall,
    condition: u64,
    mutex: u64,
    operation: &'static str,
) -> Exec<()> {
    let bytes = m.mutex_bytes();
    // The mutex may be gone by now.
    m.check_access(mutex, bytes, AccessKind::Write)?;
    if m.resumes_in_section(mutex, bytes)? {
        m.check_mutex(mutex, operation)?;
        m.begin_section(mutex, bytes)?;
    } else {
        take_back(m, mutex, operation)?;
    }
    m.running.frames.last_mut().expect("a frame").progress = 0;
    let woken = m.thread_state(m.now.current).woken;
    let note = match woken {
        Woken::Signal | Woken::Destroyed => "woken by a signal",
        Woken::Timeout => "timed out",
        Woken::Spuriously => "woken without a signal",
    };
    m.sync_event(operation, condition, note);
    let result = if woken == Woken::Timeout {
        ETIMEDOUT
    } else {
        0
    };
    m.result_number(call, result)
}

/// Takes the mutex again.
fn take_back(m: &mut Machine, mutex: u64, operation: &'static str) -> Exec<()> {
    let begins_section = m.note_lock_for_shadow(mutex);
    m.running.visible |= m.now.concurrent && m.is_visible(mutex, 4, AccessKind::Write);
    m.note_words(mutex, 4);
    m.check_mutex(mutex, operation)?;
    m.acquire(mutex);
    m.note_operation(mutex, 4)?;
    m.note_spurious_wakeup(mutex);
    m.set_word(mutex, m.me());
    m.set_word(mutex + 4, 1);
    if begins_section {
        m.thread_state_mut(m.now.current).section = Some(mutex);
    }
    Ok(())
}

/// Where in a mutex the last thread is noted that released it after a change.
const CHANGED_BY: u64 = 8;

/// Spurious wake-ups where every event is a decision. A thread decides when it begins to wait
/// whether it will wake without a signal: what happens until then could as well happen to one that
/// waits for the mutex. It decides so again only if another thread has changed something and
/// released the mutex since it began to wait the last time.
impl Machine {
    fn may_wake_for_nothing(&self) -> bool {
        self.config.spurious_wakeups && self.thread_state(self.now.current).spurious_at != Some(0)
    }

    /// Before the current thread releases the mutex.
    pub(super) fn release_for_others(&mut self, mutex: u64) {
        if self.mode.observed && self.thread_state(self.now.current).changed {
            self.thread_state_mut(self.now.current).changed = false;
            self.set_word(mutex + CHANGED_BY, self.me());
        }
    }

    fn note_spurious_wakeup(&mut self, mutex: u64) {
        if !self.mode.observed || self.thread_state(self.now.current).woken != Woken::Spuriously {
            return;
        }
        let changed = !matches!(self.word(mutex + CHANGED_BY), 0)
            && self.word(mutex + CHANGED_BY) != self.me();
        self.thread_state_mut(self.now.current).spurious_at = Some(u64::from(changed));
        if changed {
            self.set_word(mutex + CHANGED_BY, 0);
        }
    }
}

impl Machine {
    /// Notes why a waiting thread that is scheduled now may go on.
    #[inline]
    pub(crate) fn note_waking(&mut self, thread: ThreadId, spurious: bool) {
        let signalled = match self.status(thread) {
            Status::Parked {
                guard: Guard::Condition { signalled, .. },
                ..
            } => signalled,
            Status::Parked {
                guard: Guard::Leaving { signalled, .. },
                ..
            } => {
                self.thread_state_mut(thread).woken = match signalled {
                    true => Woken::Signal,
                    false => Woken::Timeout,
                };
                return;
            }
            _ => return,
        };
        let changes = self.now.changes.count;
        let state = self.thread_state_mut(thread);
        (state.woken, state.spurious_at) = if spurious {
            (Woken::Spuriously, Some(changes))
        } else if signalled {
            (Woken::Signal, None)
        } else {
            (Woken::Timeout, state.spurious_at)
        };
    }
}

fn wake(m: &mut Machine, call: &ShimCall, all: bool) -> Exec<()> {
    let condition = m.arg_number(call, 0)?;
    m.check_access(condition, 4, AccessKind::Write)?;
    m.take_turn(condition, 4, AccessKind::Write, Guard::Always)?;
    check(m, call.name, condition)?;
    let waiters: Vec<ThreadId> = waiters(m, condition).map(|(t, _)| t).collect();
    // A round of a loop that wakes a thread is not pure, whichever thread that is.
    m.trail.effects += u32::from(!waiters.is_empty());
    let woken = if all || waiters.is_empty() {
        waiters
    } else {
        let chosen = m.choice(waiters.len() as u32)?;
        vec![waiters[chosen as usize]]
    };
    m.probes.footprint.depends(!woken.is_empty());
    m.note_operation(condition, 4)?;
    m.change();
    m.probes.footprint.wakes(&woken);
    for &thread in &woken {
        m.order_wake(thread);
        let mut status = m.status(thread);
        if let Status::Parked { guard, .. } = &mut status {
            match guard {
                // It has a step of its own to find that out.
                Guard::Condition { timed: true, .. } if m.mode.observed => {
                    *guard = Guard::Always;
                    m.thread_state_mut(thread).woken = Woken::Signal;
                }
                Guard::Condition { signalled, .. } | Guard::Leaving { signalled, .. } => {
                    *signalled = true;
                }
                _ => {}
            }
        }
        m.set_status(thread, status);
    }
    let note = match woken.as_slice() {
        [] => "nobody waits".to_string(),
        threads => {
            let names: Vec<_> = threads.iter().map(ToString::to_string).collect();
            format!("wakes {}", names.join(", "))
        }
    };
    let operation = if all {
        "pthread_cond_broadcast"
    } else {
        "pthread_cond_signal"
    };
    m.sync_event(operation, condition, &note);
    m.result_number(call, 0)
}

/// Threads that wait for a signal, each with its mutex.
fn waiters(m: &Machine, condition: u64) -> impl Iterator<Item = (ThreadId, u64)> + '_ {
    m.thread_ids().filter_map(move |t| match m.status(t) {
        Status::Parked {
            guard:
                Guard::Condition {
                    condition: c,
                    mutex,
                    signalled: false,
                    ..
                }
                | Guard::Leaving {
                    condition: c,
                    mutex,
                    signalled: false,
                },
            ..
        } if c == condition => Some((t, mutex)),
        _ => None,
    })
}

fn check(m: &mut Machine, operation: &str, condition: u64) -> Exec<()> {
    if m.word(condition) == DESTROYED {
        return m.misuse(operation, condition, Problem::Destroyed);
    }
    Ok(())
}

fn init(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let condition = m.arg_number(call, 0)?;
    let attributes = m.arg_number(call, 1)?;
    m.check_access(condition, 4, AccessKind::Write)?;
    let mut steps = Steps::resume(m);
    steps.attribute(m, attributes)?;
    m.take_turn(condition, 4, AccessKind::Write, Guard::Always)?;
    steps.finish(m);
    m.note_access(condition, 4, Effect::Initialise, How::Plain)?;
    m.set_word(condition, 0);
    m.result_number(call, 0)
}

fn destroy(m: &mut Machine, call: &ShimCall) -> Exec<()> {
    let condition = m.arg_number(call, 0)?;
    m.check_access(condition, 4, AccessKind::Write)?;
    m.take_turn(condition, 4, AccessKind::Write, Guard::Always)?;
    m.note_access(condition, 4, Effect::Destroy, How::Plain)?;
    if waiters(m, condition).next().is_some() {
        return m.misuse(call.name, condition, Problem::InUse);
    }
    m.set_word(condition, DESTROYED);
    m.result_number(call, 0)
}

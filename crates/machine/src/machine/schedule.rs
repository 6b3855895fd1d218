//! Scheduling: which threads are enabled, which guards hold, and how an execution ends when no
//! thread is enabled.

use super::state::OthersEnabled;
use super::{Enabled, Machine, Situation};
use crate::fault::{Cutoff, End, Exec, Fault, FaultAt, Stop};
use crate::thread::{Guard, Status, Thread, ThreadId, Woken};

/// Iterations without a visible operation after which the machine stops (`Situation::Spin`); the
/// number doubles every time. Few loops are longer, and a look at what other threads do takes about
/// as long.
const FIRST_PATIENCE: u64 = 10_000;

/// A thread is given up after this many iterations beside other threads, none of them with a
/// visible operation: it may never end, and must not keep the search from other schedules. Without
/// a bound on loops it goes on.
const LONGEST_IDLE: u64 = 1 << 24;

/// A thread that does nothing visible in ten million iterations, while others could go on, is given
/// up.
const MOST_SPINS: u32 = 9;

impl Machine {
    /// Whether the guard of a parked operation holds.
    #[inline]
    pub(crate) fn guard_holds(&self, thread: ThreadId, guard: &Guard) -> bool {
        match guard {
            Guard::Always | Guard::Spin => true,
            Guard::Ended(other) => self.has_ended(*other),
            _ => self.rare_guard_holds(thread, guard),
        }
    }

    fn rare_guard_holds(&self, thread: ThreadId, guard: &Guard) -> bool {
        match *guard {
            Guard::Always | Guard::Spin => true,
            // A lock that was copied from one that the thread holds counts as held by it: it goes
            // on and finds that out.
            Guard::Zero(address) if self.word(address) == thread.owner_word() => true,
            Guard::Zero(address) | Guard::Positive(address) | Guard::Once(address) => {
                guard.holds_on([self.word(address), 0])
            }
            Guard::RwLock { address, .. } => {
                guard.holds_on([self.word(address), self.word(address + 4)])
            }
            Guard::Barrier {
                address,
                generation,
            } => {
                self.thread_state(thread).woken == Woken::Destroyed
                    || self.barrier_generation(address) != generation
            }
            Guard::Ended(other) => self.has_ended(other),
            Guard::Leaving { .. } => true,
            Guard::Condition {
                mutex,
                signalled,
                timed,
                ..
            } => {
                if signalled {
                    guard.holds_on([self.word(mutex), 0])
                } else {
                    timed
                }
            }
            Guard::Alone => self.thread_ids().all(|t| t == thread || self.has_ended(t)),
            Guard::Await | Guard::Assumption => false,
        }
    }

    /// Whether a thread can be joined. One that exited the process never can; `main` can once it
    /// waits for the others.
    pub(super) fn has_ended(&self, thread: ThreadId) -> bool {
        match self.status(thread) {
            Status::Ended => true,
            Status::Parked { guard, .. } => guard == Guard::Alone,
            Status::Running | Status::Exited => false,
        }
    }

    /// Threads that can be scheduled now, in the order of their ids. Spurious wake-ups come last.
    pub fn enabled(&self) -> &[Enabled] {
        &self.enabled.list
    }

    fn may_wake_spuriously(&self, thread: ThreadId, guard: &Guard) -> bool {
        let &Guard::Condition {
            mutex,
            signalled: false,
            ..
        } = guard
        else {
            return false;
        };
        let changed = match self.thread_state(thread).spurious_at {
            Some(count) => self.now.changes.since(count, thread),
            None => true,
        };
        self.config.spurious_wakeups && changed && self.mutex_is_free(mutex)
    }

    /// A thread that is not at a scheduling point. If there is none, lists the threads that can be
    /// scheduled.
    #[inline]
    pub(super) fn runnable(&mut self) -> Option<ThreadId> {
        if let Some(Some(thread)) = self.state.threads.get(self.now.current.index())
            && matches!(thread.hot.status, Status::Running)
        {
            return Some(self.now.current);
        }
        if self.now.stable_enabled_set == 0 {
            return self.look_for_runnable();
        }
        self.now.others_enabled = OthersEnabled::Some;
        if self.enabled.cached != self.now.stable_enabled_set {
            self.list_stable_enabled_set();
        }
        None
    }

    fn list_stable_enabled_set(&mut self) {
        self.enabled.list.clear();
        let mut left = self.now.stable_enabled_set;
        while left != 0 {
            self.enabled.list.push(Enabled {
                thread: ThreadId(left.trailing_zeros()),
                spurious: false,
            });
            left &= left - 1;
        }
        self.enabled.cached = self.now.stable_enabled_set;
    }

    /// Forgets which threads can go on.
    pub(super) fn forget_enabled(&mut self) {
        self.now.others_enabled = OthersEnabled::Unclear;
        self.enabled.cached = 0;
        self.enabled.list.clear();
    }

    fn look_for_runnable(&mut self) -> Option<ThreadId> {
        self.forget_enabled();
        let mut free = 0;
        let mut threads: u64 = 0;
        let mut all_wait_for_ends = true;
        let mut some_wait_for_conditions = false;
        for (i, thread) in self.state.threads.iter().enumerate() {
            let Some(Thread { hot, .. }) = thread else {
                continue;
            };
            let thread = ThreadId::from(i);
            match &hot.status {
                Status::Ended | Status::Exited => {}
                Status::Running => return Some(thread),
                Status::Parked { guard, visible } if self.guard_holds(thread, guard) => {
                    if !visible {
                        return Some(thread);
                    }
                    free += u32::from(matches!(guard, Guard::Always));
                    some_wait_for_conditions |= matches!(guard, Guard::Condition { .. });
                    threads |= 1_u64.checked_shl(thread.0).unwrap_or(0);
                    self.enabled.list.push(Enabled {
                        thread,
                        spurious: false,
                    });
                }
                Status::Parked { guard, .. } => {
                    all_wait_for_ends &= guard.waits_for_ends();
                    some_wait_for_conditions |= matches!(guard, Guard::Condition { .. });
                }
            }
        }
        if some_wait_for_conditions && !self.mode.observed {
            self.add_spurious_wakeups();
        }
        if free > 1 {
            self.now.others_enabled = OthersEnabled::Some;
            if all_wait_for_ends
                && threads.count_ones() == free
                && self.enabled.list.len() == free as usize
            {
                (self.now.stable_enabled_set, self.enabled.cached) = (threads, threads);
            }
        } else if all_wait_for_ends && self.enabled.list.len() == 1 {
            self.now.others_enabled = OthersEnabled::None;
        }
        None
    }

    fn add_spurious_wakeups(&mut self) {
        for thread in (0..self.state.threads.len()).map(ThreadId::from) {
            if let Some(Some(t)) = self.state.threads.get(thread.index())
                && let Status::Parked { guard, .. } = &t.hot.status
                // In addition to its time-out, if it has one: the wait returns something else.
                && self.may_wake_spuriously(thread, guard)
            {
                self.enabled.list.push(Enabled {
                    thread,
                    spurious: true,
                });
            }
        }
    }

    /// Whether more than one thread is alive, or has ended unjoined.
    pub fn is_concurrent(&self) -> bool {
        self.now.concurrent
    }

    /// Whether no thread but the running one can do anything.
    #[inline]
    pub(crate) fn is_alone(&mut self) -> bool {
        if self.mode.observed {
            return false;
        }
        match self.now.others_enabled {
            OthersEnabled::None => true,
            OthersEnabled::Some => false,
            OthersEnabled::Unclear => self.look_around(),
        }
    }

    fn look_around(&mut self) -> bool {
        let mut all_wait_for_ends = true;
        for (i, thread) in self.state.threads.iter().enumerate() {
            let Some(Thread { hot, .. }) = thread else {
                continue;
            };
            let id = ThreadId::from(i);
            match &hot.status {
                _ if id == self.now.current => {}
                Status::Ended | Status::Exited => {}
                Status::Running => return false,
                Status::Parked { guard, .. } => {
                    if self.guard_holds(id, guard) || self.may_wake_spuriously(id, guard) {
                        return false;
                    }
                    all_wait_for_ends &= guard.waits_for_ends();
                }
            }
        }
        if all_wait_for_ends {
            self.now.others_enabled = OthersEnabled::None;
        }
        true
    }

    /// After an end because no thread can go on: whether a spurious wake-up can. If so, the machine
    /// waits for that to be scheduled. This is not for deadlocks alone: a thread that exited the
    /// process or was stopped by an assumption did so as early as possible, and a wake-up may have
    /// come before.
    pub fn survive_standstill(&mut self) -> bool {
        // Only spurious wake-ups are left, and no thread is in the middle of a transition.
        let mut threads = self.state.threads.iter().flatten();
        if self.enabled.list.is_empty() || threads.any(|t| t.hot.status == Status::Running) {
            return false;
        }
        self.situation = Situation::Schedule;
        true
    }

    /// One more iteration without a visible operation. The thread may be waiting for a write to
    /// memory that is not known to be shared: once in a while the machine stops, so that a search
    /// can look at what the other threads do.
    pub(crate) fn be_patient(&mut self) -> Exec<()> {
        if self.state.threads.len() < 2 {
            return Ok(());
        }
        let state = self.spinning_mut(self.now.current);
        state.idle += 1;
        if state.idle < FIRST_PATIENCE << state.spins {
            return Ok(());
        }
        if state.idle > LONGEST_IDLE && self.config.default_unwind != u32::MAX {
            return self.cut_off(Cutoff::LoopBound);
        }
        if !self.now.concurrent {
            return Ok(());
        }
        self.leave_no_section_open()?;
        if !self.mode.is_impatient && (self.now.granted || self.is_alone()) {
            return Ok(());
        }
        let state = self.spinning_mut(self.now.current);
        state.spins += 1;
        if state.spins > MOST_SPINS {
            return self.cut_off(Cutoff::LoopBound);
        }
        self.situation = Situation::Spin;
        Err(Stop::End)
    }

    /// An iteration with something visible in it.
    #[inline]
    pub(crate) fn stop_spinning(&mut self) {
        if self.thread_state(self.now.current).idle != 0 {
            let state = self.spinning_mut(self.now.current);
            (state.idle, state.spins) = (0, 0);
        }
    }

    /// How often the machine has stopped because the running thread spins.
    pub fn spins(&self) -> u32 {
        self.thread_state(self.now.current).spins
    }

    /// Goes on with a thread that spins or waits.
    pub fn spin_on(&mut self) {
        self.running.goes_round = matches!(self.situation, Situation::Await { .. });
        self.situation = Situation::Schedule;
    }

    /// Makes the place at which a thread spins a scheduling point.
    pub fn yield_spinning(&mut self) {
        let status = Status::Parked {
            guard: Guard::Spin,
            visible: true,
        };
        self.set_status(self.now.current, status);
        self.running.answers.clear();
        self.situation = Situation::Schedule;
    }

    /// Whether the thread stands at such a place.
    #[inline]
    pub fn is_spinning(&self, thread: ThreadId) -> bool {
        matches!(
            self.status(thread),
            Status::Parked {
                guard: Guard::Spin,
                ..
            }
        )
    }

    /// After a fault in the middle of a transition: the other threads could have gone on before it.
    /// Lets them, with the faulty thread stopped, so that what they access is known. `false`: there
    /// are none.
    pub fn survive_fault(&mut self) -> bool {
        if !self.now.concurrent {
            return false;
        }
        self.stop_current(Guard::Assumption);
        true
    }

    /// After `Situation::Await`: the thread goes no further in this execution; the others do.
    pub fn block_in_loop(&mut self) {
        self.stop_current(Guard::Await);
    }

    /// The same for a thread that stands before its next operation, or waits. Returns how it stands
    /// there.
    pub fn block_parked(&mut self, thread: ThreadId) -> Status {
        let status = self.status(thread);
        let guard = Guard::Await;
        let visible = false;
        self.set_status(thread, Status::Parked { guard, visible });
        status
    }

    /// A search lets threads run just to see what they access: until `end_look_ahead`, the machine
    /// stops at every thread that spins. Returns whether it did so before.
    pub fn begin_look_ahead(&mut self) -> bool {
        std::mem::replace(&mut self.mode.is_impatient, true)
    }

    pub fn end_look_ahead(&mut self, was_impatient: bool) {
        self.mode.is_impatient = was_impatient;
    }

    /// From now on the caller bounds loops.
    pub fn lift_loop_bound(&mut self) {
        self.config.default_unwind = u32::MAX;
    }

    /// Undoes `block_parked`.
    pub fn unblock_parked(&mut self, thread: ThreadId, status: Status) {
        self.set_status(thread, status);
        self.situation = Situation::Schedule;
    }

    fn stop_current(&mut self, guard: Guard) {
        self.restore_value();
        let visible = false;
        self.set_status(self.now.current, Status::Parked { guard, visible });
        self.running.answers.clear();
        self.now.granted = false;
        self.situation = Situation::Schedule;
    }

    /// Whether `block_in_loop` or `block_parked` stopped it.
    pub fn is_blocked_in_loop(&self, thread: ThreadId) -> bool {
        matches!(
            self.status(thread),
            Status::Parked {
                guard: Guard::Await,
                ..
            }
        )
    }

    /// Whether it was stopped by an assumption, or by a fault that the others survived.
    pub fn is_stopped(&self, thread: ThreadId) -> bool {
        matches!(
            self.status(thread),
            Status::Parked {
                guard: Guard::Assumption,
                ..
            }
        )
    }

    /// Lets a thread that waits in a loop begin another round.
    pub fn unblock_in_loop(&mut self, thread: ThreadId) {
        let status = Status::Parked {
            guard: Guard::Spin,
            visible: true,
        };
        self.set_status(thread, status);
        self.situation = Situation::Schedule;
    }

    /// Whether every thread has come to its end, rather than been cut short by another's exit.
    pub fn all_have_ended(&self) -> bool {
        self.thread_ids().all(|t| self.status(t).is_over())
    }

    pub(super) fn end_without_enabled(&self) -> End {
        if self.now.exited {
            return End::Normal;
        }
        let assumption = |t: &ThreadId| {
            matches!(
                self.status(*t),
                Status::Parked {
                    guard: Guard::Assumption | Guard::Await,
                    ..
                }
            )
        };
        if self.thread_ids().any(|t| assumption(&t)) {
            return End::Discarded;
        }
        // A deadlock is reported at a thread that does not just wait for others to end.
        let stuck = self
            .thread_ids()
            .filter(|&t| !self.status(t).is_over())
            .min_by_key(|&t| {
                matches!(
                    self.status(t),
                    Status::Parked {
                        guard: Guard::Ended(_) | Guard::Alone,
                        ..
                    }
                )
            });
        match stuck {
            Some(thread) => End::Fault(FaultAt {
                fault: Fault::Deadlock,
                thread,
                loc: self.user_loc(thread),
            }),
            None => End::Normal,
        }
    }

    /// Whether scheduling this takes the turn from a thread that could go on: the one that
    /// performed the last visible operation. A thread that spins, or that waits on a condition for
    /// a signal or a time-out, gives its turn away.
    pub fn is_preemption(&self, choice: Enabled) -> bool {
        let turn = self.now.turn;
        if choice.thread == turn {
            return false;
        }
        match self.status(turn) {
            Status::Parked {
                guard:
                    Guard::Spin
                    | Guard::Condition {
                        signalled: false, ..
                    },
                ..
            } => false,
            Status::Parked { guard, visible } => visible && self.guard_holds(turn, &guard),
            Status::Running | Status::Ended | Status::Exited => false,
        }
    }

    /// The next thing to decide is which thread is scheduled.
    #[inline]
    pub(super) fn go_on(&mut self) {
        if !matches!(self.situation, Situation::Schedule) {
            self.situation = Situation::Schedule;
        }
    }

    /// Lets a thread join another that has ended.
    pub fn join_on(&mut self) {
        self.running.joining = true;
        self.go_on();
    }

    pub(super) fn waits_for_an_end(&self, thread: ThreadId) -> bool {
        let status = self.status(thread);
        matches!(
            status,
            Status::Parked {
                guard: Guard::Ended(_),
                ..
            }
        )
    }

    /// Lets `thread` perform its visible operation.
    pub fn schedule(&mut self, choice: Enabled) {
        self.give_turn(choice);
        let thread = choice.thread;
        if self.step_again(thread) {
            return;
        }
        self.note_waking(thread, choice.spurious);
        self.begin_step(thread);
    }

    #[inline]
    fn give_turn(&mut self, choice: Enabled) {
        let thread = choice.thread;
        self.forget_held_up(thread);
        if thread != self.now.turn {
            self.now.preemptions += u32::from(self.is_preemption(choice));
            self.now.turn = thread;
        }
        self.probes.footprint.clear();
        self.now.current = thread;
        // Where a thread spins it performs no visible operation, so that it needs no turn.
        let spins = self.is_spinning(thread);
        self.now.granted = !spins;
        self.running.goes_round = spins;
        self.go_on();
    }

    /// Schedules the only thread that can go on before it has ended, if there is just one.
    pub(super) fn lone(&mut self) -> Option<ThreadId> {
        match (self.look_for_runnable(), self.enabled.list.as_slice()) {
            (None, &[only]) if self.now.others_enabled == OthersEnabled::None && !only.spurious => {
                self.give_turn(only);
                Some(only.thread)
            }
            _ => None,
        }
    }
}

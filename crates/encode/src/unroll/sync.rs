//! Condition variables, semaphores, barriers and once routines: atomic updates of the words that
//! the machine keeps, some of which wait.

use ir::modelled::{Barrier, Condition, Semaphore};
use smt::{BinOp, CmpOp, TermId};

use super::address::Targets;
use super::call::Called;
use super::locks::RECURSIVE;
use super::sections::Ways;
use super::{Began, Next, Run, Unroller, Worklist};
use crate::graph::{EventIx, EventKind, FaultKind, Signal, Waiter};
use crate::path::Path;

const DESTROYED: u128 = u32::MAX as u128;
const EAGAIN: u64 = 11;
const EINVAL: u64 = 22;
const EOVERFLOW: u64 = 75;
const ETIMEDOUT: u64 = 110;
const SEM_VALUE_MAX: u128 = i32::MAX as u128;

impl Unroller<'_> {
    // ----- condition variables -----

    pub(super) fn condition(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Condition,
        call: &Called,
    ) -> Run<Next> {
        match function {
            Condition::Wait => self.wait(work, path, call, false)?,
            Condition::TimedWait | Condition::ClockWait => self.wait(work, path, call, true)?,
            Condition::Signal => self.signal(work, path, call, false)?,
            Condition::Broadcast => self.signal(work, path, call, true)?,
            Condition::Init => {
                if self.need(path, call.args[1], "attributes of a condition")? != 0 {
                    return self.stop(path, "a condition variable with attributes");
                }
                self.clear_words(work, path, call.args[0], 4, &[])?;
                self.result_number(path, call, 0);
            }
            Condition::Destroy => {
                let condition = self.need(path, call.args[0], "a condition variable")?;
                self.need_valid(work, path, condition, 4, true)?;
                self.grew |= self.known.destroyed.insert(condition);
                self.act(path);
                let place = Targets::at(self.terms, condition);
                self.begin_operation(work, path, EventKind::Synchronise, &place)?;
                let (yes, gone) = (self.terms.bool(true), self.word_of(DESTROYED));
                self.set_word(work, path, &place, 0, yes, gone);
                let event = self.event_at(path);
                self.end_event(path);
                // A waiter that has not been woken would be a fault: as in a signal, who waits is
                // said by the formula.
                self.graph.destroys.push((condition, event));
                self.result_number(path, call, 0);
            }
        }
        Ok(Next::Go)
    }

    /// Within an operation: the condition variable must not have been destroyed.
    fn check_condition(&mut self, work: &Worklist, path: &mut Path, place: &Targets) -> Run<()> {
        let word = self.word(work, path, place, 0);
        let is_gone = self.is_destroyed(place, word);
        self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)
    }

    fn wait(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        timed: bool,
    ) -> Run<()> {
        let condition = self.need(path, call.args[0], "a condition variable")?;
        if timed {
            self.check_deadline(work, path, call)?;
        }
        if path.atomic > 0 {
            return self.stop(path, "an operation that waits inside an atomic section");
        }
        self.need_valid(work, path, condition, 4, true)?;
        let kind_offset = if self.module.pointer_bits == 64 {
            16
        } else {
            12
        };
        let mutex = self.resolve(work, path, call.args[1], kind_offset + 4, true)?;
        let [(at, _)] = mutex.all.as_slice() else {
            return self.stop(path, "a wait with one of several mutexes");
        };
        let at = *at;
        if self.mutex_kind(work, path, &mutex)? == RECURSIVE {
            return self.stop(path, "a wait with a recursive mutex");
        }
        if !path.held.contains(&at) {
            return self.stop(path, "a wait with a mutex that is perhaps not held");
        }
        let place = Targets::at(self.terms, condition);
        if self.may_end(condition) || self.is_contended(condition, 4) {
            self.begin_operation(work, path, EventKind::Synchronise, &place)?;
            self.check_condition(work, path, &place)?;
            self.end_event(path);
        } else {
            self.note_visitor(work, condition);
            self.check_condition(work, path, &place)?;
        }
        // A round that only waits, with a mutex that was just taken when it began, is as if the
        // mutex had been taken later (see `waiting`).
        let acted: Vec<Option<TermId>> = (path.heads_mut())
            .map(|head| {
                let is_idle = head.fresh.is_some_and(|(mutex, _)| mutex == at);
                is_idle.then_some(head.acted)
            })
            .collect();
        let leaves_out = self.options.spurious_wakeups;
        let heads = path.heads_mut().filter(|_| leaves_out);
        let since: Vec<_> = heads.filter_map(|head| head.fresh).collect();
        let since = since.into_iter().filter(|(mutex, _)| *mutex == at);
        let since = since.map(|(_, event)| event).collect();
        self.grew |= (self.known.waited_with.entry(condition).or_default()).insert(at);
        // The thread becomes a waiter and gives the mutex back.
        let (_, begins) = self.give_up(work, path, &mutex, 0)?;
        path.held.remove(&at);
        path.may_hold.remove(&at);
        // Another location, for the names.
        let wake_of = self.graph.events.len();
        path.frame_mut().part = 1;
        let taken = self.take(work, path, &mutex, 0, true);
        let timed_out = self.choice(work, path, "timed out");
        path.frame_mut().part = 0;
        taken?;
        let wake = crate::graph::EventIx::from(wake_of);
        let since: Vec<EventIx> = since;
        for (begin, cond) in begins {
            self.graph.waiters.push(Waiter {
                condition,
                mutex: at,
                begin,
                cond,
                wake,
                timed: timed.then_some(timed_out),
                since: since.clone(),
            });
        }
        if self.options.spurious_wakeups {
            for (head, acted) in path.heads_mut().zip(acted) {
                if let Some(acted) = acted {
                    head.acted = acted;
                    head.has_waited = true;
                    head.has_waited_a_while |= timed;
                }
            }
        }
        let zero = self.word_of(0);
        let code = match timed {
            true => {
                let late = self.word_of(u128::from(ETIMEDOUT));
                self.terms.ite(timed_out, late, zero)
            }
            false => zero,
        };
        self.result(path, call, code);
        Ok(())
    }

    fn signal(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        all: bool,
    ) -> Run<()> {
        let condition = self.need(path, call.args[0], "a condition variable")?;
        self.need_valid(work, path, condition, 4, true)?;
        self.act(path);
        let place = Targets::at(self.terms, condition);
        let ways = match self.section_of_signal(path, condition) {
            Some(began) => {
                self.note_visitor(work, condition);
                self.check_condition(work, path, &place)?;
                began.under(self.terms, path.guard)
            }
            None => {
                self.begin_operation(work, path, EventKind::Synchronise, &place)?;
                self.check_condition(work, path, &place)?;
                let event = self.event_at(path);
                self.end_event(path);
                Ways::from_iter([(event, path.guard)])
            }
        };
        for (event, cond) in ways {
            self.graph.signals.push(Signal {
                condition,
                event,
                cond,
                all,
            });
        }
        self.result_number(path, call, 0);
        Ok(())
    }

    /// A signal in a critical section that is one event so far is a part of that event, if all that
    /// wait for the condition do so with the section's mutex: none of them begins to wait or goes on
    /// while the thread holds it. So all signals of the section find the same threads waiting, those
    /// that wait when the section begins, but for whom an earlier signal of the section has chosen.
    fn section_of_signal(&mut self, path: &Path, condition: u64) -> Option<Began> {
        let is_seen = path.atomic > 0
            || self.may_end(condition)
            || self.known.destroyed.contains(&condition)
            || self.is_contended(condition, 4);
        let mutexes = self.known.waited_with.get(&condition)?;
        let mut mutexes = mutexes.iter();
        let (Some(mutex), None, false) = (mutexes.next(), mutexes.next(), is_seen) else {
            return None;
        };
        let open = path.sections.get(mutex).filter(|open| open.is_alone)?;
        Some(open.began.clone())
    }

    // ----- semaphores -----

    pub(super) fn semaphore(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Semaphore,
        call: &Called,
    ) -> Run<Next> {
        let address = call.args[0];
        let objects = self.resolve(work, path, address, 4, true)?;
        let zero = self.word_of(0);
        let one = self.word_of(1);
        let yes = self.terms.bool(true);
        self.act(path);
        match function {
            Semaphore::Init => {
                let value = call.args[2];
                let most = self.terms.constant(32, SEM_VALUE_MAX);
                let too_large = self.terms.cmp(CmpOp::Ugt, value, most);
                if self.terms.as_constant(too_large) != Some(0) {
                    return self.stop(path, "a semaphore with a value that may be too large");
                }
                self.begin_operation(work, path, EventKind::Access, &objects)?;
                self.set_word(work, path, &objects, 0, yes, value);
                self.end_event(path);
                self.result_number(path, call, 0);
            }
            Semaphore::Destroy => {
                for (at, _) in &objects.all {
                    self.grew |= self.known.destroyed.insert(*at);
                }
                self.begin_operation(work, path, EventKind::Access, &objects)?;
                let gone = self.word_of(DESTROYED);
                self.set_word(work, path, &objects, 0, yes, gone);
                self.end_event(path);
                self.result_number(path, call, 0);
            }
            Semaphore::Wait | Semaphore::TryWait | Semaphore::TimedWait | Semaphore::ClockWait => {
                let forever = function == Semaphore::Wait;
                if forever && path.atomic > 0 {
                    return self.stop(path, "an operation that waits inside an atomic section");
                }
                if matches!(function, Semaphore::TimedWait | Semaphore::ClockWait) {
                    self.check_deadline(work, path, call)?;
                }
                let ended = self.begin_waiting(work, path, EventKind::Synchronise, &objects);
                let event = self.event_at(path);
                let value = self.word(work, path, &objects, 0);
                self.check_semaphore(work, path, value)?;
                let is_positive = self.terms.cmp(CmpOp::Sgt, value, zero);
                let is_gone = self.is_destroyed(&objects, value);
                if forever {
                    let enabled = self.terms.any(&[is_positive, is_gone, ended]);
                    self.wait_for(path, event, enabled);
                }
                self.fail_if(work.thread, path, FaultKind::Memory, ended)?;
                self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
                let fewer = self.terms.bin(BinOp::Sub, value, one);
                let cond = if forever { yes } else { is_positive };
                self.set_word(work, path, &objects, 0, cond, fewer);
                self.end_event(path);
                let error = if function == Semaphore::TryWait {
                    EAGAIN
                } else {
                    ETIMEDOUT
                };
                let fails = self.terms.not(cond);
                self.outcome(work, path, call, fails, error)?;
            }
            Semaphore::Post => {
                self.begin_operation(work, path, EventKind::Synchronise, &objects)?;
                let value = self.word(work, path, &objects, 0);
                self.check_semaphore(work, path, value)?;
                let is_gone = self.is_destroyed(&objects, value);
                self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
                let most = self.word_of(SEM_VALUE_MAX);
                let is_full = self.terms.cmp(CmpOp::Uge, value, most);
                let has_room = self.terms.not(is_full);
                let more = self.terms.bin(BinOp::Add, value, one);
                self.set_word(work, path, &objects, 0, has_room, more);
                self.end_event(path);
                self.outcome(work, path, call, is_full, EOVERFLOW)?;
            }
            Semaphore::GetValue => {
                self.begin_operation(work, path, EventKind::Synchronise, &objects)?;
                let value = self.word(work, path, &objects, 0);
                self.check_semaphore(work, path, value)?;
                let is_gone = self.is_destroyed(&objects, value);
                self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
                self.end_event(path);
                path.frame_mut().part = 1;
                let stored = self.store(work, path, call.args[1], value, false);
                path.frame_mut().part = 0;
                stored?;
                self.result_number(path, call, 0);
            }
        }
        Ok(Next::Go)
    }

    fn check_semaphore(&mut self, work: &Worklist, path: &Path, value: TermId) -> Run<()> {
        let is_undefined = (self.terms.support(value).iter()).any(|input| {
            self.terms
                .input_name(*input)
                .starts_with(crate::memory::UNDEFINED)
        });
        match is_undefined {
            true => self.fail(work.thread, path, FaultKind::LockMisuse),
            false => Ok(()),
        }
    }

    fn is_destroyed(&mut self, objects: &super::address::Targets, word: TermId) -> TermId {
        let may_be = objects
            .all
            .iter()
            .any(|(at, _)| self.known.destroyed.contains(at));
        match may_be {
            true => self.is(word, DESTROYED),
            false => self.terms.bool(false),
        }
    }

    /// 0, or -1 with `errno` set.
    fn outcome(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        call: &Called,
        fails: TermId,
        code: u64,
    ) -> Run<()> {
        let zero = self.word_of(0);
        if self.terms.as_constant(fails) == Some(0) {
            self.result(path, call, zero);
            return Ok(());
        }
        self.set_errno(work, path, fails, code)?;
        let minus_one = self.word_of(u128::from(u32::MAX));
        let result = self.terms.ite(fails, minus_one, zero);
        self.result(path, call, result);
        Ok(())
    }

    // ----- barriers -----

    pub(super) fn barrier(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Barrier,
        call: &Called,
    ) -> Run<Next> {
        self.barriers.is_at_one = true;
        let next = self.barrier_operation(work, path, function, call);
        self.barriers.is_at_one = false;
        next
    }

    /// Word 0 is how many must arrive, word 1 how many have, word 2 the generation.
    fn barrier_operation(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Barrier,
        call: &Called,
    ) -> Run<Next> {
        let objects = self.resolve(work, path, call.args[0], 12, true)?;
        let zero = self.word_of(0);
        let one = self.word_of(1);
        let yes = self.terms.bool(true);
        self.act(path);
        match function {
            Barrier::Init => {
                if self.need(path, call.args[1], "attributes of a barrier")? != 0 {
                    return self.stop(path, "a barrier with attributes");
                }
                let count = self.need(path, call.args[2], "the count of a barrier")?;
                if count == 0 || count > i32::MAX as u64 - 1 {
                    self.result_number(path, call, EINVAL);
                    return Ok(Next::Go);
                }
                self.begin_operation(work, path, EventKind::Access, &objects)?;
                let count = self.word_of(u128::from(count));
                for (offset, value) in [(0, count), (4, zero), (8, zero)] {
                    self.set_word(work, path, &objects, offset, yes, value);
                }
                self.end_event(path);
                self.result_number(path, call, 0);
            }
            Barrier::Wait => {
                if path.atomic > 0 {
                    return self.stop(path, "an operation that waits inside an atomic section");
                }
                if self.wait_for_phase(work, path, call, &objects)?.is_some() {
                    return Ok(Next::Go);
                }
                self.begin_operation(work, path, EventKind::Synchronise, &objects)?;
                let total = self.word(work, path, &objects, 0);
                self.check_semaphore(work, path, total)?;
                let is_gone = self.is(total, 0);
                self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
                let before = self.word(work, path, &objects, 4);
                let generation = self.word(work, path, &objects, 8);
                let arrived = self.terms.bin(BinOp::Add, before, one);
                let opens = self.terms.cmp(CmpOp::Uge, arrived, total);
                let left = self.terms.ite(opens, zero, arrived);
                let next = self.terms.bin(BinOp::Add, generation, one);
                self.set_word(work, path, &objects, 4, yes, left);
                self.set_word(work, path, &objects, 8, opens, next);
                self.end_event(path);
                path.frame_mut().part = 1;
                let ended = self.begin_waiting(work, path, EventKind::Synchronise, &objects);
                let event = self.event_at(path);
                let now = self.word(work, path, &objects, 8);
                let same = self.terms.eq(now, generation);
                let moved = self.terms.not(same);
                let passes = self.terms.any(&[opens, moved, ended]);
                self.wait_for(path, event, passes);
                // After it was destroyed, who leaves looks at nothing any more.
                let total = self.word(work, path, &objects, 0);
                let is_gone = self.is(total, 0);
                let fine = self.terms.or(opens, is_gone);
                let waits = self.terms.not(fine);
                let wrong = self.terms.and(ended, waits);
                self.fail_if(work.thread, path, FaultKind::Memory, wrong)?;
                self.end_event(path);
                path.frame_mut().part = 0;
                let serial = self.word_of(u128::from(u32::MAX));
                let result = self.terms.ite(opens, serial, zero);
                self.result(path, call, result);
            }
            Barrier::Destroy => {
                self.begin_operation(work, path, EventKind::Access, &objects)?;
                let arrived = self.word(work, path, &objects, 4);
                let is_empty = self.is(arrived, 0);
                let in_use = self.terms.not(is_empty);
                self.fail_if(work.thread, path, FaultKind::LockMisuse, in_use)?;
                self.set_word(work, path, &objects, 0, yes, zero);
                self.end_event(path);
                self.result_number(path, call, 0);
            }
        }
        Ok(Next::Go)
    }

    // ----- once routines -----

    /// Word 0: 0 fresh, 1 running, 2 done.
    pub(super) fn once_enter(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
    ) -> Run<()> {
        if path.atomic > 0 {
            return self.stop(path, "an operation that waits inside an atomic section");
        }
        let objects = self.resolve(work, path, call.args[0], 4, true)?;
        self.act(path);
        let ended = self.begin_waiting(work, path, EventKind::Synchronise, &objects);
        let event = self.event_at(path);
        let word = self.word(work, path, &objects, 0);
        let runs = self.is(word, 1);
        let is_done = self.terms.not(runs);
        let passes = self.terms.or(is_done, ended);
        self.wait_for(path, event, passes);
        self.fail_if(work.thread, path, FaultKind::Memory, ended)?;
        let is_first = self.is(word, 0);
        let one = self.word_of(1);
        self.set_word(work, path, &objects, 0, is_first, one);
        self.end_event(path);
        self.result(path, call, is_first);
        Ok(())
    }

    pub(super) fn once_leave(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
    ) -> Run<()> {
        let objects = self.resolve(work, path, call.args[0], 4, true)?;
        self.act(path);
        self.begin_operation(work, path, EventKind::Synchronise, &objects)?;
        let two = self.word_of(2);
        let yes = self.terms.bool(true);
        self.set_word(work, path, &objects, 0, yes, two);
        self.end_event(path);
        Ok(())
    }
}

//! Threads whose next steps come to nothing: they go round a loop that waits for what others write, or cannot get through an
//! atomic section.
//!
//! Such steps are taken back, and the thread *naps* until something is written where it looked. What they could do at earlier places is
//! tried when nothing else is left. Only steps that come to nothing whatever the inputs are taken back: with inputs left to
//! choose, others would be lost, and a thread would be taken to wait for ever that does so with some of them only.

use ir::debug::LocId;
use machine::Recorded;
use smt::TermId;

use super::sequence::{Counts, NONE, Origin, Step};
use super::{Attempt, Executed, Search, Todo};
use crate::feasibility::Feasible;

/// A thread whose next steps came to nothing: they are not tried again before something is written where they looked.
#[derive(Clone)]
pub(super) struct Nap {
    pub thread: u32,
    pub cells: Vec<u32>,
    /// Steps there were.
    pub since: usize,
    /// It would go round a loop, rather than never get through an atomic section.
    pub is_loop: bool,
    /// It can get through with other replies, which were tried.
    pub is_partial: bool,
    pub loc: LocId,
    /// What they accessed that is not known to be shared.
    pub recorded: Vec<Recorded>,
}

/// A step that was not done.
pub(super) struct Refused {
    pub step: Step,
    pub base: Counts,
    /// It can be done with other replies.
    pub is_partial: bool,
    /// What it accessed that is not known to be shared.
    pub recorded: Vec<Recorded>,
    /// Where it gave up.
    pub loc: LocId,
}

impl Search<'_> {
    /// Whether the thread's next operation is known to come to nothing.
    pub(super) fn naps(&self, thread: u32) -> bool {
        let Some(nap) = self.naps.iter().rev().find(|nap| nap.thread == thread) else {
            return false;
        };
        nap.cells.iter().all(|cell| {
            let mut i = self.sequence.last_on(*cell);
            while i != NONE && i as usize >= nap.since {
                let step = &self.sequence.steps[i as usize];
                if step.written {
                    return false;
                }
                i = step.previous;
            }
            true
        })
    }

    /// What to do with a thread that has gone round a loop with so many steps, the current one included. `None`: it waits.
    pub(super) fn awaits(&mut self, step: &Step, events: u32) -> Option<Executed> {
        match step.origin {
            Origin::Kept => return None,
            // It looked at what is out of date; it could as well have come later.
            Origin::Moved if events > 0 => return Some(Executed::Infeasible),
            Origin::Fresh | Origin::Moved | Origin::Revisited => {}
        }
        if events == 0 {
            return None;
        }
        // Steps that stand at the end, none of them out of date, can be withdrawn.
        let earlier = events as usize - 1;
        let steps = &self.sequence.steps[self.sequence.len() - earlier..];
        let mut origins = steps.iter().map(|s| s.origin).chain([step.origin]);
        let first = origins.next().expect("the step itself");
        let is_last = steps.iter().all(|s| s.thread == step.thread)
            && matches!(first, Origin::Fresh | Origin::Revisited)
            && origins.all(|o| o == Origin::Fresh);
        (is_last && !self.waits_for_some(step, earlier)).then_some(Executed::Awaits(earlier))
    }

    /// Whether the iteration that ends with this step and so many before it goes round the loop with some replies only: what
    /// came before does not imply them. It stays, with its replies: others lead elsewhere, and it waits for ever only on
    /// paths on which these hold.
    fn waits_for_some(&mut self, step: &Step, earlier: usize) -> bool {
        let assumed = |step: &Step| -> Vec<TermId> {
            let replies = step.replies.0.iter();
            replies.filter_map(|r| r.assumed).collect()
        };
        let (before, iteration) = self.sequence.steps.split_at(self.sequence.len() - earlier);
        let iteration = || iteration.iter().chain([step]);
        if iteration().any(|s| s.replies.0.iter().any(|r| r.is_choice)) {
            return true;
        }
        let conditions: Vec<TermId> = iteration().flat_map(assumed).collect();
        if conditions.is_empty() {
            return false;
        }
        let mut given: Vec<TermId> = before.iter().flat_map(assumed).collect();
        let all = self.walk.machine.terms.all(&conditions);
        given.push(self.walk.machine.terms.not(all));
        !matches!(self.walk.check_alone(&given), Feasible::No)
    }

    /// Withdraws the steps of an iteration that came to nothing. The thread waits until something is written where it looked.
    pub(super) fn withdraw(&mut self, earlier: usize, is_loop: bool) {
        let Refused {
            step,
            is_partial,
            mut recorded,
            loc,
            ..
        } = self.refused.take().expect("a step that was not done");
        let mut cells = vec![step.cell];
        let mut first = (step.origin, step.stamp);
        for _ in 0..earlier {
            let step = self.remove();
            cells.push(step.cell);
            first = (step.origin, step.stamp);
        }
        let thread = step.thread;
        let n = self.sequence.len();
        if first.0 == Origin::Revisited {
            let after = &self.sequence.steps[n - 1];
            self.attempts.push(Attempt {
                thread,
                index: self.sequence.count(thread) + 1,
                stamp: first.1,
                after: (after.thread, after.index),
            });
        } else {
            self.next_stamp = first.1;
        }
        cells.sort_unstable();
        cells.dedup();
        if earlier > 0 {
            let first = self.track.mark(self.track.len() - earlier);
            recorded.extend(self.walk.machine.recorded_since(first));
        }
        self.rewind();
        // What others write where it looked may let it come to something.
        self.walk.machine.record_again(&recorded);
        self.naps.push(Nap {
            thread,
            cells,
            since: n,
            is_loop,
            is_partial,
            loc,
            recorded,
        });
    }

    /// Lets a thread that would come to nothing try nevertheless, for what its steps can do in other places.
    pub(super) fn insist(&mut self, thread: u32) -> Executed {
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        loop {
            let stamp = self.next_stamp;
            self.next_stamp += 1;
            match self.execute(Some(thread), Todo::fresh(thread, stamp), None) {
                Executed::Done if self.can_go_on(thread) => {}
                // It can be done with other replies.
                Executed::Done => return Executed::Done,
                Executed::Refused | Executed::Awaits(_) => break,
                other => return other,
            }
        }
        let Refused { mut step, base, .. } = self.refused.take().expect("a step not done");
        self.next_stamp = step.stamp;
        step.index = self.sequence.count(thread) + 1;
        step.previous = self.sequence.last_on(step.cell);
        let mut plans = self.plans(&step, &base, self.sequence.len());
        self.leave_unusual_replies_out(&mut plans, self.sequence.len());
        if !plans.is_empty() {
            self.open(None, plans);
        }
        Executed::Refused
    }
}

//! Threads that cannot get through an atomic section.
//!
//! Such a step is taken back, and the thread waits until something is written where it looked (a
//! blocked [`Await`]). What the step could do at earlier places is tried when no other thread can
//! go on. The step is taken back only if the section cannot be passed on any inputs: otherwise the
//! executions on the other inputs would be lost.

use ir::debug::LocId;
use machine::{Recorded, ThreadId};

use super::sequence::{Counts, Origin, Step};
use super::{Attempt, Executed, Search};
use crate::cells::CellId;
use crate::step::StepId;

/// A thread that cannot pass the atomic section before which it stands. It is not tried again
/// before one of the cells that it looked at is written.
#[derive(Clone)]
pub(super) struct Await {
    pub thread: ThreadId,
    pub cells: Vec<CellId>,
    /// Where the step was tried: the end of the sequence at that time.
    pub since: StepId,
    /// The thread can get through with other replies, which were tried.
    pub is_partial: bool,
    pub loc: LocId,
    /// What it accessed that is not known to be shared.
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
    /// Whether the thread is known to be unable to go on.
    pub(super) fn is_blocked_await(&self, thread: ThreadId) -> bool {
        let Some(blocked_await) = self
            .blocked_awaits
            .iter()
            .rev()
            .find(|blocked_await| blocked_await.thread == thread)
        else {
            return false;
        };
        blocked_await.cells.iter().all(|cell| {
            let mut at = self.sequence.last_on(*cell);
            while at.is_some() && at >= blocked_await.since {
                let step = &self.sequence.steps[at];
                if step.written {
                    return false;
                }
                at = step.previous;
            }
            true
        })
    }

    /// A step could not be done. Its thread waits until something is written where it looked.
    pub(super) fn withdraw(&mut self) {
        let Refused {
            step,
            is_partial,
            recorded,
            loc,
            ..
        } = self.refused.take().expect("a step that was not done");
        let thread = step.thread;
        if step.origin == Origin::Revisited {
            let after = &self.sequence.steps[self.sequence.last()];
            self.attempts.push(Attempt {
                thread,
                index: self.sequence.next_event(thread).index,
                insertion_order: step.insertion_order,
                after: after.event(),
            });
        } else {
            self.next_insertion_order = step.insertion_order;
        }
        self.rewind();
        // What others write where it looked may let it pass.
        self.walk.machine.record_again(&recorded);
        self.blocked_awaits.push(Await {
            thread,
            cells: vec![step.cell],
            since: self.sequence.end(),
            is_partial,
            loc,
            recorded,
        });
    }

    /// Lets a thread try that is known to be unable to go on: its step shows which other places it
    /// could stand in.
    pub(super) fn insist(&mut self, thread: ThreadId) -> Executed {
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        loop {
            match self.execute_fresh(thread) {
                Executed::Done if self.can_go_on(thread) => {}
                // It can be done with other replies.
                Executed::Done => return Executed::Done,
                Executed::Refused => break,
                other => return other,
            }
        }
        let Refused { mut step, base, .. } = self.refused.take().expect("a step not done");
        self.next_insertion_order = step.insertion_order;
        step.index = self.sequence.next_event(thread).index;
        step.previous = self.sequence.last_on(step.cell);
        let end = self.sequence.end();
        let mut revisits = self.revisits(&step, &base, end);
        self.leave_unusual_replies_out(&mut revisits, end);
        if !revisits.is_empty() {
            self.open(None, revisits);
        }
        Executed::Refused
    }
}

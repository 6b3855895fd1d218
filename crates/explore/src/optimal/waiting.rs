//! Threads that cannot get through an atomic section.
//!
//! Such a step is taken back, and the thread *naps* until something is written where it looked.
//! What it could do at earlier places is tried when nothing else is left. Only a step that comes to
//! nothing whatever the inputs is taken back: with inputs left to choose, others would be lost.

use ir::debug::LocId;
use machine::Recorded;

use super::sequence::{Counts, NONE, Origin, Step};
use super::{Attempt, Executed, Search, Todo};

/// A thread whose next steps came to nothing: they are not tried again before something is written
/// where they looked.
#[derive(Clone)]
pub(super) struct Await {
    pub thread: u32,
    pub cells: Vec<u32>,
    /// Steps there were.
    pub since: usize,
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
    pub(super) fn is_blocked_await(&self, thread: u32) -> bool {
        let Some(blocked_await) = self
            .blocked_awaits
            .iter()
            .rev()
            .find(|blocked_await| blocked_await.thread == thread)
        else {
            return false;
        };
        blocked_await.cells.iter().all(|cell| {
            let mut i = self.sequence.last_on(*cell);
            while i != NONE && i as usize >= blocked_await.since {
                let step = &self.sequence.steps[i as usize];
                if step.written {
                    return false;
                }
                i = step.previous;
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
        let n = self.sequence.len();
        if step.origin == Origin::Revisited {
            let after = &self.sequence.steps[n - 1];
            self.attempts.push(Attempt {
                thread,
                index: self.sequence.count(thread) + 1,
                insertion_order: step.insertion_order,
                after: (after.thread, after.index),
            });
        } else {
            self.next_insertion_order = step.insertion_order;
        }
        self.rewind();
        // What others write where it looked may let it come to something.
        self.walk.machine.record_again(&recorded);
        self.blocked_awaits.push(Await {
            thread,
            cells: vec![step.cell],
            since: n,
            is_partial,
            loc,
            recorded,
        });
    }

    /// Lets a thread that would come to nothing try nevertheless, for what its steps can do in
    /// other places.
    pub(super) fn insist(&mut self, thread: u32) -> Executed {
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        loop {
            let insertion_order = self.next_insertion_order;
            self.next_insertion_order += 1;
            match self.execute(Some(thread), Todo::fresh(thread, insertion_order), None) {
                Executed::Done if self.can_go_on(thread) => {}
                // It can be done with other replies.
                Executed::Done => return Executed::Done,
                Executed::Refused => break,
                other => return other,
            }
        }
        let Refused { mut step, base, .. } = self.refused.take().expect("a step not done");
        self.next_insertion_order = step.insertion_order;
        step.index = self.sequence.count(thread) + 1;
        step.previous = self.sequence.last_on(step.cell);
        let mut revisits = self.revisits(&step, &base, self.sequence.len());
        self.leave_unusual_replies_out(&mut revisits, self.sequence.len());
        if !revisits.is_empty() {
            self.open(None, revisits);
        }
        Executed::Refused
    }
}

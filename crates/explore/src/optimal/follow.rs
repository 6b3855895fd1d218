//! The machine follows the sequence: what is no longer in it is undone, what is in it is executed.

use machine::{Cutoff, Mark, ThreadId};

use super::execute::{begun, schedule};
use super::sequence::{Bytes, NONE, Origin, Step};
use super::{Executed, Finds, Search};

impl Search<'_> {
    pub(super) fn return_to(&mut self, mark: Mark) {
        self.walk.machine.discard(mark);
        // Who can go on is known after a look around.
        self.walk.machine.advance();
        self.end = None;
    }

    /// Undoes the step that was executed at that time and all after it.
    pub(super) fn rewind_to(&mut self, at: usize) {
        let mark = self.track.forget(at);
        self.return_to(mark);
    }

    /// Takes the machine back to where it has executed only what is in the sequence.
    pub(super) fn rewind(&mut self) {
        if let Some(at) = self.track.first_stale() {
            self.rewind_to(at);
        }
    }

    /// Lets the machine execute what is in the sequence, and nothing else.
    pub(super) fn catch_up(&mut self) -> Executed {
        self.rewind();
        if self.track.len() == self.sequence.len() && self.blocked_awaits.is_empty() {
            return Executed::Done;
        }
        // What is done again is not counted again.
        let events = self.walk.machine.total_events;
        let executed = self.execute_missing();
        self.walk.repeated += self.walk.machine.total_events - events;
        for blocked_await in &self.blocked_awaits {
            self.walk.machine.record_again(&blocked_await.recorded);
        }
        executed
    }

    fn execute_missing(&mut self) -> Executed {
        let mut i = self.sequence.len();
        let mut missing = i - self.track.len();
        while missing > 0 {
            i -= 1;
            let slot = self.sequence.steps[i].slot;
            missing -= usize::from(self.track.at(slot).is_none());
        }
        while i < self.sequence.len() {
            let step = &self.sequence.steps[i];
            let (thread, slot, was_faulty) = (step.thread, step.slot, step.faulty);
            if self.track.at(slot).is_some() {
                i += 1;
                continue;
            }
            let replies = step.replies.clone();
            let mut finds = None;
            if step.next_write != NONE
                && let Some(at) = self
                    .track
                    .at(self.sequence.steps[step.next_write as usize].slot)
            {
                finds = self.finds_before(step.bytes, step.next_write as usize);
                if finds.is_none() {
                    self.rewind_to(at);
                    return self.execute_missing();
                }
            }
            self.begun = begun(&self.walk.machine, &self.track);
            let mark = schedule(&mut self.walk.machine, (i > 0).then_some(thread), finds);
            let mut step = Step::new(thread, 0, Origin::Kept);
            let executed = self.advance(&mut step, replies, None);
            if executed != Executed::Done {
                return self.not_done(step, mark, executed);
            }
            if step.faulty && !was_faulty {
                // In invisible code, on which nothing else depends: what comes after it is not
                // known.
                let loc = self.walk.machine.user_loc(ThreadId(thread));
                let what = "what does not concern the properties".to_string();
                self.walk.cut_off(Cutoff::OtherFault(what), loc);
            }
            self.track.executed(slot, mark);
        }
        Executed::Done
    }

    /// What a read of these bytes would find before a write that was executed, as were those that
    /// follow it on the cell.
    pub(super) fn finds_before(&self, bytes: Option<Bytes>, write: usize) -> Option<Finds> {
        let at = bytes?;
        if self.walk.machine.watches_races() {
            // What happens before what follows the order in which the machine executes.
            return None;
        }
        let steps = &self.sequence.steps;
        let mut i = self.sequence.last_on(steps[write].cell) as usize;
        loop {
            if steps[i].written && steps[i].bytes.is_none() {
                return None;
            }
            if i == write {
                break;
            }
            i = steps[i].previous as usize;
        }
        let mark = self.track.mark(self.track.at(steps[write].slot)?);
        let word = self
            .walk
            .machine
            .held_before(mark, at.address, at.count.get())?;
        Some(Finds { at, word })
    }
}

//! The machine follows the sequence: what is no longer in it is undone, what is in it is executed.

use machine::{Cutoff, Mark};

use super::execute::{begun, schedule};
use super::sequence::{Bytes, InsertionOrder, Origin, Step};
use super::track::ExecutedId;
use super::{Executed, Finds, Search};
use crate::step::StepId;

impl Search<'_> {
    pub(super) fn return_to(&mut self, mark: Mark) {
        self.walk.machine.discard(mark);
        // Then it is known which threads can go on.
        self.walk.machine.advance();
        self.end = None;
    }

    /// Undoes a step and all that was executed later.
    pub(super) fn rewind_to(&mut self, at: ExecutedId) {
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
        let mut at = self.sequence.end();
        let mut missing = self.sequence.len() - self.track.len();
        while missing > 0 {
            at.0 -= 1;
            let slot = self.sequence.steps[at].slot;
            missing -= usize::from(self.track.at(slot).is_none());
        }
        while let Some(step) = self.sequence.steps.get(at) {
            let (thread, slot, was_faulty) = (step.thread, step.slot, step.faulty);
            if self.track.at(slot).is_some() {
                at = at.next();
                continue;
            }
            let replies = step.replies.clone();
            let mut finds = None;
            if step.next_write.is_some()
                && let Some(executed) = self.track.at(self.sequence.steps[step.next_write].slot)
            {
                finds = self.finds_before(step.bytes, step.next_write);
                if finds.is_none() {
                    self.rewind_to(executed);
                    return self.execute_missing();
                }
            }
            self.begun = begun(&self.walk.machine, &self.track);
            let scheduled = (at > StepId::FIRST).then_some(thread);
            let mark = schedule(&mut self.walk.machine, scheduled, finds);
            let mut step = Step::new(thread, InsertionOrder::FIRST, Origin::Kept);
            let executed = self.advance(&mut step, replies, None);
            if executed != Executed::Done {
                return self.not_done(step, mark, executed);
            }
            if step.faulty && !was_faulty {
                // In invisible code, on which nothing else depends: what comes after it is not
                // known.
                let loc = self.walk.machine.user_loc(thread);
                let what = "what does not concern the properties".to_string();
                self.walk.cut_off(Cutoff::OtherFault(what), loc);
            }
            self.track.executed(slot, mark);
        }
        Executed::Done
    }

    /// What a read of these bytes would find before this write, if the machine has executed the
    /// write and those that follow it on the cell.
    pub(super) fn finds_before(&self, bytes: Option<Bytes>, write: StepId) -> Option<Finds> {
        let bytes = bytes?;
        if self.walk.machine.watches_races() {
            // Races are found by the order in which the machine executes.
            return None;
        }
        let steps = &self.sequence.steps;
        let mut at = self.sequence.last_on(steps[write].cell);
        loop {
            if steps[at].written && steps[at].bytes.is_none() {
                return None;
            }
            if at == write {
                break;
            }
            at = steps[at].previous;
        }
        let mark = self.track.mark(self.track.at(steps[write].slot)?);
        let word = self
            .walk
            .machine
            .held_before(mark, bytes.address, bytes.count.get())?;
        Some(Finds { at: bytes, word })
    }
}

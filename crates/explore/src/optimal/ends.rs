//! Ends of executions: in the middle of a step, or because no thread can go on.

use machine::{End, Status, ThreadId};

use super::execute::base_clocks;
use super::sequence::{Origin, Step};
use super::{Direction, Executed, Finished, Revisit, Search};
use crate::cells::CellId;
use crate::ends::{decisions_of, ends_step};
use crate::replies::Replies;

impl Search<'_> {
    /// After a step: whether the execution ended in the middle of it.
    pub(super) fn judge(&mut self) -> Option<Finished> {
        while let Some(end) = self.end.clone() {
            if !ends_step(&end) {
                return None;
            }
            if !self.sequence.is_faulty()
                && let Some(finished) = self.book(&end)
            {
                return Some(finished);
            }
            // The others could have gone on before it.
            if !self.walk.machine.survive_fault() {
                return None;
            }
            self.sequence.set_faulty();
            let mut step = self.sequence.steps.pop().expect("the step that ended");
            let executed = self.advance(&mut step, Replies::default(), None);
            self.sequence.steps.push(step);
            match executed {
                Executed::Finished(finished) => return Some(finished),
                Executed::Done => {}
                // Either would need a question or a wait. These are steps of their own
                // (`Search::observes_joins`), and no thread begins a step here: all stand before
                // one. In the classic search they need not be, and it goes back.
                Executed::Refused | Executed::Infeasible => unreachable!("a step of its own"),
            }
        }
        None
    }

    fn book(&mut self, end: &End) -> Option<Finished> {
        let steps = &self.sequence.steps;
        let decided = steps.iter().map(|step| (step.thread, &step.decisions[..]));
        let mut decisions = || decisions_of(decided.clone());
        let before = self.walk.outcome.found.len();
        let stopped = self.walk.end(end, &mut decisions, steps.len());
        if self.walk.outcome.found.len() > before {
            self.renew_inputs(before);
        }
        self.walk.outcome.stopped = Some(stopped?);
        Some(Finished::Done)
    }

    /// No thread can go on.
    pub(super) fn leaf(&mut self) -> Option<Finished> {
        if self.walk.machine.sharing_grew {
            return Some(Finished::StartOver);
        }
        let end = match &self.end {
            Some(end) => end.clone(),
            // Only threads are left that wait for others (`Await`).
            None => End::Discarded,
        };
        let end = match end {
            End::Discarded => self.walk.end_of_stuck(),
            end => end,
        };
        // A thread that went round a loop once more may have shown that more is shared.
        if self.walk.machine.sharing_grew {
            return Some(Finished::StartOver);
        }
        if !self.sequence.is_faulty()
            && !ends_step(&end)
            && let Some(finished) = self.book(&end)
        {
            return Some(finished);
        }
        let revisits = self.revisits_of_the_stuck();
        if let Some(finished) = self.interrupted() {
            return Some(finished);
        }
        if !revisits.is_empty() {
            self.open(None, revisits);
        }
        None
    }

    /// Earlier places for what could not be done.
    fn revisits_of_the_stuck(&mut self) -> Vec<Revisit> {
        let machine = &self.walk.machine;
        let mut stuck: Vec<(ThreadId, CellId)> = Vec::new();
        for thread in machine.thread_ids() {
            let Status::Parked { guard, .. } = machine.status(thread) else {
                continue;
            };
            let Some(address) = guard.object() else {
                continue;
            };
            stuck.push((thread, self.cells.at(address, 4)));
        }
        let mut revisits = Vec::new();
        for (thread, cell) in stuck {
            let mut step = Step::new(thread, self.next_insertion_order, Origin::Fresh);
            base_clocks(
                &self.walk.machine,
                &self.sequence,
                &mut step,
                &mut self.base,
            );
            step.cell = cell;
            step.written = true;
            step.index = self.sequence.next_event(thread).index;
            step.previous = self.sequence.last_on(cell);
            revisits.extend(self.revisits(&step, &self.base, self.sequence.end()));
        }
        self.leave_unusual_replies_out(&mut revisits, self.sequence.end());
        if self.end.is_none() {
            let is_partial = |thread| {
                let blocked_await = self
                    .blocked_awaits
                    .iter()
                    .rev()
                    .find(|blocked_await| blocked_await.thread == thread);
                blocked_await.is_some_and(|blocked_await| blocked_await.is_partial)
            };
            let enabled = self.walk.machine.enabled().iter();
            let enabled = enabled.filter(|e| !e.spurious && !is_partial(e.thread));
            revisits.extend(enabled.map(|e| Revisit {
                thread: e.thread,
                insertion_order: self.next_insertion_order,
                direction: Direction::Insist,
            }));
        }
        revisits
    }
}

//! Ends of executions: what is booked, and what could not be done is looked for in earlier places.

use machine::{End, Property, Status, ThreadId};
use smallvec::smallvec;

use super::races::Could;
use super::{Finished, Halt, Search};
use crate::dependence::{Access, Effect};
use crate::ends::{decisions_of, ends_step};
use crate::step::StepId;
use crate::waiting::Stuck;

impl Search<'_, '_> {
    /// If the execution ended in the middle of the last step: lets the other threads go on.
    pub(super) fn judge(&mut self) -> Option<Finished> {
        while let Some(end) = self.end.clone()
            && ends_step(&end)
        {
            self.reverse_access(&end);
            let fault = end.clone();
            if let Some(finished) = self.book(&end) {
                return Some(finished);
            }
            if !self.is_reported(&fault) {
                self.spoil();
            }
            if !self.walk.machine.survive_fault() {
                return None;
            }
            let mut step = self.trace.steps.pop().expect("the last step");
            step.ended = true;
            let halt = self.advance(&mut step);
            self.trace.steps.push(step);
            match halt {
                Halt::Finished(finished) => return Some(finished),
                _ if self.is_void() => return Some(Finished::StartOver),
                Halt::Scheduling => {}
                // What follows a fault does not count.
                Halt::Refused | Halt::Infeasible => self.end = Some(End::Discarded),
            }
        }
        None
    }

    /// Books an end, unless it comes after one in the middle of a step.
    pub(super) fn book(&mut self, end: &End) -> Option<Finished> {
        let steps = &self.trace.steps;
        let ended: Vec<StepId> = steps.ids().filter(|id| steps[*id].ended).collect();
        if !ended.is_empty() {
            let last = &steps.last().expect("a step that ended").clock;
            let comes_after = ended.iter().any(|id| steps[*id].happens_before(last));
            if let End::Fault(fault) = end
                && ends_step(end)
                && !comes_after
                && !self.walk.has_found(fault)
            {
                // It could have come before: there is more to find.
                ended
                    .iter()
                    .for_each(|id| self.nodes[*id].add_all_to_backtrack_set());
            }
            return None;
        }
        let steps = steps.iter().map(|step| (step.thread, &step.decisions[..]));
        let mut decisions = || decisions_of(steps.clone());
        let stopped = self.walk.end(end, &mut decisions, self.trace.len())?;
        self.walk.outcome.stopped = Some(stopped);
        Some(Finished::Done)
    }

    /// No thread can go on.
    pub(super) fn leaf(&mut self) -> Option<Finished> {
        // Without an end there are only threads left that wait for others (`Await`).
        let mut end = self.end.clone().unwrap_or(End::Discarded);
        let mut leaves = Some(Vec::new());
        if end == End::Discarded {
            match self.walk.livelock() {
                Stuck::Ends(better) => end = better,
                Stuck::Leaves(conditions) => leaves = conditions,
                Stuck::Unclear(loc) => {
                    self.walk.leave_open(loc);
                    leaves = None;
                }
                Stuck::No => {}
            }
        }
        // A thread that went round a loop once more may have shown that more is shared.
        if self.walk.machine.sharing_grew {
            return Some(Finished::StartOver);
        }
        self.look_once_more();
        let is_fine = match &end {
            End::Normal | End::Discarded => true,
            End::Fault(at) => {
                at.fault.property() == Property::Deadlock
                    && !self.walk.options.properties.contains(Property::Deadlock)
            }
            End::Cutoff(..) => false,
        };
        let end_itself = end.clone();
        if !ends_step(&end) {
            if self.is_known() {
                end = End::Discarded;
            }
            if let Some(finished) = self.book(&end) {
                return Some(finished);
            }
        }
        let finished = self.reverse_waits();
        let is_fine = is_fine || self.is_reported(&end_itself);
        self.summarise_end(leaves.filter(|_| is_fine));
        finished
    }

    /// Steps of threads that wait race with earlier ones, too. Those of threads that wait in loops
    /// were looked at when they began to wait.
    pub(super) fn reverse_waits(&mut self) -> Option<Finished> {
        self.note_looks();
        let threads: Vec<ThreadId> = self.walk.machine.thread_ids().collect();
        for thread in threads {
            let Status::Parked { guard, .. } = self.walk.machine.status(thread) else {
                continue;
            };
            let Some(address) = guard.object() else {
                continue;
            };
            let mut step = self.trace.next_step(&self.walk.machine, thread);
            step.effects = smallvec![Effect {
                cell: self.cells.at(address, 4),
                access: Access::Write,
            }];
            if self.cells.merged {
                return Some(Finished::StartOver);
            }
            self.reverse_races(&step, Could::No);
            if let Some(summaries) = &mut self.summaries {
                (step.accesses()).for_each(|access| summaries.note_access(access));
            }
        }
        None
    }
}

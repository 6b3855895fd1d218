//! Where else a step could stand, and which of those places are tried from here.

use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use super::sequence::{Counts, Step};
use super::{Attempt, Direction, Finished, Revisit, Search};
use crate::feasibility::Feasible;
use crate::step::{EventId, StepId};

impl Search<'_> {
    /// Whether the search is to stop. In long executions it takes long to look for other places,
    /// and meanwhile no step is executed that would notice.
    pub(super) fn interrupted(&mut self) -> Option<Finished> {
        if !self.is_interrupted() {
            return None;
        }
        self.walk.outcome.stopped = Some(self.walk.monitor.stop_reason());
        Some(Finished::Done)
    }

    fn is_interrupted(&self) -> bool {
        self.walk.options.interrupt.load(Ordering::Relaxed)
    }

    /// Other places for a step that stands at `end`, or would. `base`: what it needs and what lies
    /// before it, without regard to its cell. Not all places, if the search is interrupted.
    pub(super) fn revisits(&self, step: &Step, base: &[u32], end: StepId) -> Vec<Revisit> {
        let mut revisits = Vec::new();
        if step.previous == StepId::NONE {
            return revisits;
        }
        let (needed, before) = base.split_at(self.sequence.width());
        let steps = &self.sequence.steps;
        // An attempt must stay behind the step that revisited it.
        let bound = self
            .attempts
            .iter()
            .filter(|a| a.event() == step.event())
            .filter_map(|a| self.sequence.find(a.after))
            .max();
        let mut revisit = |direction| {
            revisits.push(Revisit {
                thread: step.thread,
                insertion_order: step.insertion_order,
                direction,
            });
        };
        if !step.written || step.conditional {
            let mut at = step.previous;
            while at.is_some() && bound.is_none_or(|b| at > b) {
                let other = &steps[at];
                if other.written {
                    if other.is_in(before) {
                        break;
                    }
                    revisit(Direction::Forward(at));
                }
                at = other.previous;
            }
        }
        if step.written || step.conditional {
            let mut porf_prefix = self.porf_prefix.borrow_mut();
            let mut at = step.previous;
            while at.is_some() && bound.is_none_or(|b| at > b) {
                if self.is_interrupted() {
                    break;
                }
                let other = &steps[at];
                if !other.is_in(needed) {
                    let target = at;
                    self.needed_before(target, needed, &mut porf_prefix);
                    if self.is_maximal_extension(target, &porf_prefix, end) {
                        let porf_prefix = SmallVec::from_slice(&porf_prefix);
                        revisit(Direction::Backward {
                            target,
                            porf_prefix,
                        });
                    }
                } else if other.written {
                    break;
                }
                at = other.previous;
            }
        }
        revisits.reverse();
        revisits
    }

    /// Leaves out backward revisits, unless the steps that are taken out gave the first replies
    /// that are possible given the older steps and those that are needed: otherwise another
    /// sequence explores them.
    pub(super) fn leave_unusual_replies_out(&mut self, revisits: &mut Vec<Revisit>, end: StepId) {
        if !self.sequence.steps.as_slice()[1..end.index()]
            .iter()
            .any(|s| s.replies.has_later())
        {
            return;
        }
        revisits.retain(|revisit| match &revisit.direction {
            Direction::Backward {
                target,
                porf_prefix,
            } => self.gives_usual_replies(*target, porf_prefix, end),
            Direction::Forward(_) | Direction::Insist => true,
        });
    }

    fn gives_usual_replies(&mut self, target: StepId, porf_prefix: &[u32], end: StepId) -> bool {
        let oldest = self.sequence.steps[target].insertion_order;
        let is_needed = |s: &Step| s.is_in(porf_prefix);
        for i in 0..end.index() {
            let step = &self.sequence.steps.as_slice()[i];
            if step.insertion_order < oldest || is_needed(step) || !step.replies.has_later() {
                continue;
            }
            for k in 0..step.replies.0.len() {
                let steps = &self.sequence.steps.as_slice()[..end.index()];
                let step = &steps[i];
                let reply = &step.replies.0[k];
                let Some(first) = reply.first(&mut self.walk.machine.terms) else {
                    continue;
                };
                let Some(first) = first else {
                    // A modelled choice can always be made.
                    return false;
                };
                let given = steps
                    .iter()
                    .enumerate()
                    .filter(|(j, s)| {
                        *j != i && (s.insertion_order <= step.insertion_order || is_needed(s))
                    })
                    .flat_map(|(_, s)| &s.replies.0)
                    .chain(&step.replies.0[..k])
                    .filter_map(|r| r.assumed)
                    .chain([first])
                    .collect::<Vec<_>>();
                if matches!(self.walk.check_alone(&given), Feasible::Yes(_)) {
                    return false;
                }
            }
        }
        true
    }

    /// What a step needs that is put before `revisited`: what its thread needs, and the writes
    /// before that place.
    fn needed_before(&self, revisited: StepId, needed: &[u32], porf_prefix: &mut Counts) {
        porf_prefix.clear();
        porf_prefix.extend_from_slice(needed);
        let write = self.sequence.steps[revisited].last_write;
        if write.is_some() {
            for (mine, theirs) in porf_prefix.iter_mut().zip(self.sequence.needed(write)) {
                *mine = (*mine).max(*theirs);
            }
        }
    }

    /// Whether the steps that would be taken out are a maximal extension (TruSt): each stands where
    /// it would be put last, given the older steps and those that are needed. Then this is the
    /// sequence from which the one with `target` behind a step with such needs is explored.
    fn is_maximal_extension(&self, target: StepId, porf_prefix: &[u32], end: StepId) -> bool {
        let steps = &self.sequence.steps.as_slice()[..end.index()];
        let at = |id: StepId| &steps[id.index()];
        let target = at(target);
        let is_needed = |s: &Step| s.is_in(porf_prefix);
        if is_needed(target) {
            return false;
        }
        for step in steps {
            if step.insertion_order < target.insertion_order || is_needed(step) {
                continue;
            }
            if step.overtaken > 0
                || step.last_write.is_some()
                    && at(step.last_write).insertion_order > step.insertion_order
                    && !is_needed(at(step.last_write))
                || step.next_write < end && is_needed(at(step.next_write))
            {
                return false;
            }
            let is_anchor = |a: &Attempt| {
                a.after == step.event()
                    && (a.insertion_order <= step.insertion_order || a.event().is_in(porf_prefix))
            };
            if self.attempts.iter().any(is_anchor) {
                return false;
            }
        }
        self.attempts.iter().all(|a| {
            a.insertion_order < target.insertion_order
                || a.event().is_in(porf_prefix)
                || self.attempt_is_usual(a, porf_prefix, end)
        })
    }

    /// Whether an attempt that would be taken out would have been made, or done, given the older
    /// steps and those needed.
    fn attempt_is_usual(&self, attempt: &Attempt, porf_prefix: &[u32], end: StepId) -> bool {
        let steps = &self.sequence.steps;
        let find = |event: EventId| self.sequence.find(event);
        let after = find(attempt.after).expect("the step that revisited it");
        let is_there = |step: StepId| {
            steps[step].insertion_order <= attempt.insertion_order || steps[step].is_in(porf_prefix)
        };
        if !is_there(after) {
            return false;
        }
        // Of the writes on the cell, those that are there come first, all of them before the
        // attempt was carried out.
        let done = find(attempt.event())
            .filter(|done| *done < end)
            .unwrap_or(StepId::NONE);
        let mut seen = false;
        let mut at = self.sequence.last_on(steps[after].cell);
        while at != after {
            if steps[at].written && at < end {
                let there = at != done && is_there(at);
                if seen && !there || there && at > done {
                    return false;
                }
                seen |= there;
            }
            at = steps[at].previous;
        }
        true
    }
}

//! Where else a step could stand, and which of those places are tried from here.

use std::sync::atomic::Ordering;

use super::sequence::{Counts, NONE, Step};
use super::{Attempt, Direction, Finished, Revisit, Search};
use crate::feasibility::Feasible;
use smallvec::SmallVec;

impl Search<'_> {
    /// Whether the search is to stop. In long executions it takes long to look for other places,
    /// and nothing is executed meanwhile that would heed it.
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

    /// Other places for a step behind the first `n`, which needs and has before it what `base`
    /// says. Not all of them, if the search is interrupted.
    pub(super) fn revisits(&self, step: &Step, base: &[u32], n: usize) -> Vec<Revisit> {
        let mut revisits = Vec::new();
        if step.previous == NONE {
            return revisits;
        }
        let (needed, before) = base.split_at(self.sequence.width());
        let steps = &self.sequence.steps[..n];
        // An attempt must stay behind the step that revisited it.
        let bound = self
            .attempts
            .iter()
            .filter(|a| (a.thread, a.index) == (step.thread, step.index))
            .filter_map(|a| self.sequence.find(a.after.0, a.after.1))
            .max();
        let mut revisit = |direction| {
            revisits.push(Revisit {
                thread: step.thread,
                insertion_order: step.insertion_order,
                direction,
            });
        };
        if !step.written || step.conditional {
            let mut i = step.previous;
            while i != NONE && bound.is_none_or(|b| i as usize > b) {
                let other = &steps[i as usize];
                if other.written {
                    if before[other.thread as usize] >= other.index {
                        break;
                    }
                    revisit(Direction::Forward(i as usize));
                }
                i = other.previous;
            }
        }
        if step.written || step.conditional {
            let mut porf_prefix = self.porf_prefix.borrow_mut();
            let mut i = step.previous;
            while i != NONE && bound.is_none_or(|b| i as usize > b) {
                if self.is_interrupted() {
                    break;
                }
                let other = &steps[i as usize];
                if needed[other.thread as usize] < other.index {
                    let target = i as usize;
                    self.needed_before(target, needed, &mut porf_prefix);
                    if self.is_maximal_extension(target, &porf_prefix, n) {
                        let porf_prefix = SmallVec::from_slice(&porf_prefix);
                        revisit(Direction::Backward {
                            target,
                            porf_prefix,
                        });
                    }
                } else if other.written {
                    break;
                }
                i = other.previous;
            }
        }
        revisits.reverse();
        revisits
    }

    /// Leaves out plans that are explored from a sequence in which the steps taken out gave other
    /// replies: the first ones that are possible given the older steps and those that are needed.
    pub(super) fn leave_unusual_replies_out(&mut self, revisits: &mut Vec<Revisit>, n: usize) {
        if !self.sequence.steps[1..n]
            .iter()
            .any(|s| s.replies.has_later())
        {
            return;
        }
        revisits.retain(|revisit| match &revisit.direction {
            Direction::Backward {
                target,
                porf_prefix,
            } => self.gives_usual_replies(*target, porf_prefix, n),
            Direction::Forward(_) | Direction::Insist => true,
        });
    }

    fn gives_usual_replies(&mut self, target: usize, porf_prefix: &[u32], n: usize) -> bool {
        let oldest = self.sequence.steps[target].insertion_order;
        let is_needed = |s: &Step| porf_prefix[s.thread as usize] >= s.index;
        for i in 0..n {
            let step = &self.sequence.steps[i];
            if step.insertion_order < oldest || is_needed(step) || !step.replies.has_later() {
                continue;
            }
            for k in 0..step.replies.0.len() {
                let steps = &self.sequence.steps;
                let step = &steps[i];
                let reply = &step.replies.0[k];
                let Some(first) = reply.first(&mut self.walk.machine.terms) else {
                    continue;
                };
                let Some(first) = first else {
                    // A modelled choice can always be made.
                    return false;
                };
                let given = steps[..n]
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
    fn needed_before(&self, revisited: usize, needed: &[u32], porf_prefix: &mut Counts) {
        porf_prefix.clear();
        porf_prefix.extend_from_slice(needed);
        let write = self.sequence.steps[revisited].last_write;
        if write != NONE {
            for (mine, theirs) in porf_prefix
                .iter_mut()
                .zip(self.sequence.needed(write as usize))
            {
                *mine = (*mine).max(*theirs);
            }
        }
    }

    /// Whether this is the sequence from which the one with `target` behind a step with such needs
    /// is explored: every step that would be taken out stands where it would be put last, given the
    /// older steps and those that are needed.
    fn is_maximal_extension(&self, target: usize, porf_prefix: &[u32], n: usize) -> bool {
        let steps = &self.sequence.steps[..n];
        let target = &steps[target];
        let is_needed = |s: &Step| porf_prefix[s.thread as usize] >= s.index;
        if is_needed(target) {
            return false;
        }
        for step in steps {
            if step.insertion_order < target.insertion_order || is_needed(step) {
                continue;
            }
            let at = |i: u32| &steps[i as usize];
            if step.overtaken > 0
                || step.last_write != NONE
                    && at(step.last_write).insertion_order > step.insertion_order
                    && !is_needed(at(step.last_write))
                || (step.next_write as usize) < n && is_needed(at(step.next_write))
            {
                return false;
            }
            let is_anchor = |a: &Attempt| {
                a.after == (step.thread, step.index)
                    && (a.insertion_order <= step.insertion_order
                        || porf_prefix[a.thread as usize] >= a.index)
            };
            if self.attempts.iter().any(is_anchor) {
                return false;
            }
        }
        self.attempts.iter().all(|a| {
            a.insertion_order < target.insertion_order
                || porf_prefix[a.thread as usize] >= a.index
                || self.attempt_is_usual(a, porf_prefix, n)
        })
    }

    /// Whether an attempt that would be taken out would have been made, or done, given the older
    /// steps and those needed.
    fn attempt_is_usual(&self, attempt: &Attempt, porf_prefix: &[u32], n: usize) -> bool {
        let steps = &self.sequence.steps;
        let find = |(thread, index)| self.sequence.find(thread, index);
        let after = find(attempt.after).expect("the step that revisited it");
        let is_there = |i: usize| {
            steps[i].insertion_order <= attempt.insertion_order
                || porf_prefix[steps[i].thread as usize] >= steps[i].index
        };
        if !is_there(after) {
            return false;
        }
        // Of the writes on the cell, those that are there come first, all of them before the
        // attempt was carried out.
        let done = find((attempt.thread, attempt.index))
            .filter(|done| *done < n)
            .unwrap_or(usize::MAX);
        let mut seen = false;
        let mut i = self.sequence.last_on(steps[after].cell) as usize;
        while i != after {
            if steps[i].written && i < n {
                let there = i != done && is_there(i);
                if seen && !there || there && i > done {
                    return false;
                }
                seen |= there;
            }
            i = steps[i].previous as usize;
        }
        true
    }
}

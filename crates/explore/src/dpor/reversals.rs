//! Which threads are added to which backtrack sets, so that steps that race are done in the other
//! order, too: one of those that can begin such an execution suffices (source sets).

use machine::{End, Fault, ThreadId};
use smallvec::{SmallVec, smallvec};

use super::node::Threads;
use super::races::{Could, History};
use super::trace::Step;
use super::{Kind, Search};
use crate::cells::CellId;
use crate::dependence::{Access, Effect};
use crate::step::StepId;

/// Places, and threads of which one must be in the backtrack set there.
type Reversals = SmallVec<[(StepId, Threads); 4]>;

impl Search<'_, '_> {
    /// Sees to it that the step is also done before the steps it races with. It is not part of the
    /// execution yet.
    pub(super) fn reverse_races(&mut self, step: &Step, now: Could) {
        let reversals = self.reversals(step, self.trace.end(), now);
        self.try_reversals(step.thread, reversals);
    }

    /// Where a step, which stands at `end` or would, could have been done earlier, and which
    /// threads can begin such an execution.
    pub(super) fn reversals(&self, step: &Step, end: StepId, now: Could) -> Reversals {
        let history = History {
            trace: &self.trace,
            nodes: &self.nodes,
            blocked_awaits: &self.blocked_awaits,
            end,
        };
        let races = history.races(self.kind, step, now).into_iter();
        let threads = |place| match self.kind {
            Kind::Classic => history.causes(step, place),
            Kind::Source => history.initials(step, place),
        };
        races.map(|place| (place, threads(place))).collect()
    }

    pub(super) fn try_reversals(&mut self, own: ThreadId, reversals: Reversals) {
        for (place, mut one_of) in reversals {
            let node = &mut self.nodes[place];
            if self.walk.options.search.independence().observers {
                // A thread that slept when the state was reached can have been woken by a step on
                // which, in the end, it does not depend. It cannot begin the reversed execution;
                // the first step that can is not asleep.
                one_of.retain(|t| !node.came_asleep(*t));
                if one_of.is_empty() {
                    continue;
                }
            }
            let is_tried = |t: &ThreadId| node.backtrack.contains(t) || node.is_asleep(*t);
            if one_of.iter().any(is_tried) {
                continue;
            }
            let mut candidates = one_of.into_iter().filter(|t| node.enabled.contains(t));
            let is_own = |t: &ThreadId| *t == own;
            match candidates
                .clone()
                .find(is_own)
                .or_else(|| candidates.next())
            {
                Some(thread) => node.add_to_backtrack_set(thread),
                None => node.add_all_to_backtrack_set(),
            }
        }
    }

    /// If the step, which is not part of the execution yet, sees what another step wrote,
    /// happens-before grows from that other step on: looks for the races that come of it.
    pub(super) fn observe(&mut self, step: &mut Step) {
        let Some(seen) = self.trace.observe(step) else {
            return;
        };
        for place in (seen.0..self.trace.end().0).map(StepId) {
            let step = &self.trace.steps[place];
            let reversals = self.reversals(step, place, Could::Yes);
            self.try_reversals(self.trace.steps[place].thread, reversals);
        }
    }

    /// At the end of an execution, threads that wait for ever see the last writes to the cells that
    /// they look at.
    pub(super) fn look_once_more(&mut self) {
        if !self.walk.options.search.independence().observers {
            return;
        }
        let blocked_awaits = self.blocked_awaits.iter();
        let lasting = blocked_awaits
            .filter(|blocked_await| blocked_await.lasts(&self.trace, self.trace.end()));
        let looks = lasting.flat_map(|blocked_await| {
            blocked_await
                .cells
                .iter()
                .map(|cell| (blocked_await.event.thread, *cell))
        });
        let mut looks: Vec<(ThreadId, CellId)> = looks.collect();
        for round in self.trace.last_rounds() {
            let effects = round.iter().flat_map(|step| &step.effects);
            let thread = round[0].thread;
            looks.extend(effects.map(|effect| (thread, effect.cell)));
        }
        looks.sort_unstable();
        looks.dedup();
        for (thread, cell) in looks {
            let mut step = self.trace.next_step(&self.walk.machine, thread);
            let access = Access::Read;
            step.effects = smallvec![Effect { cell, access }];
            self.observe(&mut step);
        }
    }

    /// Whether an equivalent execution has been followed before: a step had to be seen by a later
    /// one, and was not.
    pub(super) fn is_known(&self) -> bool {
        let steps = &self.trace.steps;
        steps.iter().any(|s| s.must_be_observed && !s.seen)
    }

    /// An access that failed because its memory was freed touches no cell, but comes after the step
    /// that freed it.
    pub(super) fn reverse_access(&mut self, end: &End) {
        if let End::Fault(at) = end
            && let Fault::Memory(_, address) = at.fault
            && let Some(cell) = self.cells.around(address)
        {
            let mut step = self.trace.next_step(&self.walk.machine, at.thread);
            let access = Access::Write;
            step.effects = smallvec![Effect { cell, access }];
            self.reverse_races(&step, Could::Yes);
        }
    }
}

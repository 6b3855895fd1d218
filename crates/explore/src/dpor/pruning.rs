//! Pruning by summaries, for a search that looks for races.
//!
//! What is pruned would have accessed memory, and its steps would have raced with those before. So for all that its summary accesses the
//! races are looked for as if it was accessed now, by the thread that does. What happens before that access is more than
//! what is known now: more races are found than there are, which is only costly. The thread need not be the one that can begin the
//! reversed execution: everyone is tried there.

use machine::{ControlState, End, Guard, ThreadId};
use smallvec::smallvec;

use super::node::{Node, Sleeper, Threads};
use super::races::{Could, History};
use super::trace::{NONE, Step};
use super::{Executed, Finished, Kind, Search};
use crate::dependence::Effect;
use crate::summaries::{self, Asleep, Covered, Known, Visible};

impl Search<'_, '_> {
    /// Nothing can be said about what follows the last point.
    pub(super) fn spoil(&mut self) {
        if let Some(summaries) = &mut self.summaries {
            summaries.spoil();
        }
    }

    pub(super) fn close_points(&mut self, count: usize) {
        if let Some(summaries) = &mut self.summaries {
            summaries.close_from(&mut self.walk.machine, count);
        }
    }

    /// At the end of an execution.
    pub(super) fn summarise_end(&mut self, is_fine: bool) {
        let Some(summaries) = &mut self.summaries else {
            return;
        };
        self.walk.outcome.summaries = Some(summaries.statistics());
        if !summaries.is_of_interest() {
            return;
        }
        let machine = &mut self.walk.machine;
        let conditions = summaries::disabled(machine).filter(|_| is_fine);
        let known = conditions.map_or_else(Known::nothing, Known::fine);
        summaries.deliver(machine, known);
    }

    /// Whether the end is a fault that is known already. What is looked for is one that is not.
    pub(super) fn is_reported(&self, end: &End) -> bool {
        let End::Fault(at) = end else {
            return false;
        };
        summaries::happens_again(&at.fault) && self.walk.has_found(at)
    }

    fn has_ended(&self) -> bool {
        self.trace.steps.iter().any(|step| step.ended)
    }

    /// At a state from which a thread will be chosen.
    pub(super) fn open_point(&mut self, sleep_set: &[Sleeper]) -> usize {
        let may_publish = self.naps.is_empty() && !self.has_ended();
        let Some(summaries) = &mut self.summaries else {
            return 0;
        };
        let machine = &mut self.walk.machine;
        if summaries.rests() {
            return summaries.open(machine, summaries::Kind::All, None, Vec::new());
        }
        let key = machine.control_state().filter(|_| may_publish);
        let conditions = summaries::disabled(machine);
        let is_known = conditions.is_some();
        let key = key.map(|key| (key, asleep(sleep_set)));
        let kind = summaries::Kind::All;
        let point = summaries.open(machine, kind, key, conditions.unwrap_or_default());
        if !is_known {
            summaries.spoil();
        }
        point
    }

    /// What is known of the present state, if a summary holds here.
    pub(super) fn covered(&mut self, sleep_set: &[Sleeper]) -> Option<Covered> {
        if !self.naps.is_empty() || self.has_ended() {
            return None;
        }
        let summaries = self.summaries.as_mut().filter(|s| !s.rests())?;
        let key = self.walk.machine.control_state()?;
        summaries.covering(&mut self.walk, &key, &asleep(sleep_set))
    }

    /// The control state at a jump that depends on inputs, in the middle of a step.
    pub(super) fn branch_key(&mut self) -> Option<(ControlState, Asleep)> {
        self.summaries.as_ref().filter(|s| !s.rests())?;
        if !self.naps.is_empty() || self.has_ended() || !self.walk.machine.asks_at_branch() {
            return None;
        }
        let key = self.walk.machine.control_state()?;
        let node = self.nodes.last()?;
        // What the step has touched is what it will have touched.
        let touches = self.walk.machine.touched();
        let independence = self.walk.options.independence;
        let effects = Effect::all(self.cells, touches, false, independence);
        let thread = self.walk.machine.current_thread().0;
        Some((key, asleep(&node.asleep_beside(thread, &effects))))
    }

    pub(super) fn covered_at(&mut self, (key, asleep): &(ControlState, Asleep)) -> Option<Known> {
        let summaries = self.summaries.as_mut()?;
        summaries.covering_all(&mut self.walk, key, asleep)
    }

    /// Goes back instead of exploring what is known, or explores the rest.
    pub(super) fn prune(
        &mut self,
        covered: Covered,
        enabled: Threads,
        sleep_set: Vec<Sleeper>,
    ) -> Executed {
        let Covered { known, missing } = covered;
        let missing: Threads = enabled
            .iter()
            .copied()
            .filter(|t| missing.contains(t))
            .collect();
        if let Some(&first) = missing.first() {
            return self.explore_rest(known, missing, enabled, first, sleep_set);
        }
        self.leave_to(known)
    }

    /// Goes back instead of exploring what is known.
    pub(super) fn leave_to(&mut self, known: Known) -> Executed {
        self.walk.outcome.runs.pruned += 1;
        self.walk.machine.record_again(&known.accesses.recorded);
        let visible: Vec<Visible> = known.accesses.visible.iter().copied().collect();
        if let Some(summaries) = &mut self.summaries {
            summaries.deliver(&mut self.walk.machine, known);
        }
        if self.is_void() {
            return Executed::Finished(Finished::StartOver);
        }
        for access in visible {
            self.reverse_access_of(access);
        }
        if let Some(stopped) = self.walk.tick(self.trace.len()) {
            self.walk.outcome.stopped = Some(stopped);
            return Executed::Finished(Finished::Done);
        }
        self.back()
    }

    /// All executions from here are known but those that one of the missing threads can begin.
    fn explore_rest(
        &mut self,
        known: Known,
        missing: Threads,
        enabled: Threads,
        first: u32,
        sleep_set: Vec<Sleeper>,
    ) -> Executed {
        self.walk.machine.record_again(&known.accesses.recorded);
        if self.is_void() {
            return Executed::Finished(Finished::StartOver);
        }
        for access in &known.accesses.visible {
            self.reverse_access_of(*access);
        }
        let point = self.open_point(&sleep_set);
        if let Some(summaries) = &mut self.summaries {
            summaries.begin_with(&known);
        }
        let mark = self.walk.machine.mark();
        let mut node = Node::new(mark, enabled, first, sleep_set, point);
        missing.iter().for_each(|thread| node.try_too(*thread));
        node.is_complete = true;
        self.nodes.push(node);
        self.walk.outcome.deepest = self.walk.outcome.deepest.max(self.nodes.len());
        self.next_thread()
    }

    /// As if the thread accessed the cell now.
    fn reverse_access_of(&mut self, access: Visible) {
        // One that does not exist yet comes after all that its parents know.
        let mut known = access.thread;
        while !self.walk.machine.thread_exists(ThreadId(known)) {
            known = self.walk.machine.thread_names()[known as usize].0.0;
        }
        let mut step = self.trace.next_step(&self.walk.machine, known);
        step.effects = smallvec![access.effect];
        step.guard = access.guard;
        let places = match access.guard {
            guard if guard == Guard::Always || guard.object().is_some() => {
                let history = History {
                    trace: &self.trace,
                    nodes: &self.nodes,
                    naps: &self.naps,
                    length: self.trace.len(),
                };
                history.races(Kind::Source, &step, Could::Yes).to_vec()
            }
            // Who knows when it could have been done.
            _ => self.all_dependent(&step),
        };
        for place in places {
            self.nodes[place].try_all();
        }
    }

    /// Where a step comes after others without knowing of them.
    fn all_dependent(&self, step: &Step) -> Vec<usize> {
        let mut places = Vec::new();
        for cell in step.effects.iter().map(|effect| effect.cell) {
            let mut i = self.trace.last_on(cell);
            while i != NONE {
                let other = &self.trace.steps[i as usize];
                if other.happens_before(&step.base) {
                    if other.is_barrier_on(cell) {
                        break;
                    }
                } else if step.depends_on(other) {
                    places.push(i as usize);
                }
                i = other.previous_on(cell);
            }
        }
        places
    }
}

fn asleep(sleep_set: &[Sleeper]) -> Asleep {
    let asleep = sleep_set.iter().filter(|s| !s.dozes);
    asleep.map(|s| (s.thread, s.effects.to_vec())).collect()
}

//! Pruning by summaries, for a search that reverses races.
//!
//! The steps of the executions that are pruned would have raced with those before. So for every
//! access in the summary races are looked for as if its thread made it now, after what the summary
//! says that it comes after. It may come after more: then more races are found than there are,
//! which is only costly. The thread need not be the one that can begin the reversed execution: all
//! threads are added to the backtrack set there.

use base::IndexVec;
use machine::{ControlState, End, Guard, ThreadId};
use smallvec::smallvec;
use smt::TermId;

use super::node::{Node, Sleeper, Threads};
use super::races::{Could, History};
use super::trace::{Step, Trace};
use super::{Await, Executed, Finished, Kind, Search};
use crate::dependence::Effect;
use crate::step::StepId;
use crate::summaries::{self, Asleep, Covering, Crossed, PointId, Summary, Visible};

impl Search<'_, '_> {
    /// Nothing can be said about what follows the last point.
    pub(super) fn spoil(&mut self) {
        if let Some(summaries) = &mut self.summaries {
            summaries.spoil();
        }
    }

    /// With summaries the way back takes long, and the search may be told to stop on it.
    pub(super) fn rest_on_the_way_back(&mut self) -> Option<Finished> {
        self.summaries.as_ref()?;
        self.walk.outcome.stopped = Some(self.walk.tick(self.trace.len())?);
        Some(Finished::Done)
    }

    /// Everything after this point and the later ones was explored.
    pub(super) fn close_points(&mut self, first: PointId) {
        if let Some(summaries) = &mut self.summaries {
            summaries.close_from(&mut self.walk.machine, first, None);
        }
    }

    /// All was explored from the state after the last step, of which this was the point.
    pub(super) fn close_point_after_step(&mut self, point: PointId) {
        if let Some(summaries) = &mut self.summaries {
            let before = point.previous();
            let step = before.and_then(|before| crossed(&self.trace, &self.nodes, before));
            summaries.close_from(&mut self.walk.machine, point, step);
        }
    }

    /// At the end of an execution.
    pub(super) fn summarise_end(&mut self, fine_if: Option<Vec<TermId>>) {
        let Some(summaries) = &mut self.summaries else {
            return;
        };
        self.walk.outcome.summaries = Some(summaries.statistics());
        if !summaries.is_of_interest() {
            return;
        }
        let machine = &mut self.walk.machine;
        let disabled = summaries::disabled(machine);
        let waiting = waiting(&self.blocked_awaits, &self.trace);
        let known = match (fine_if, disabled, waiting) {
            (Some(fine_if), Some(disabled), Some(waiting)) => {
                Summary::fine([fine_if, disabled, waiting].concat())
            }
            _ => Summary::nothing(),
        };
        let step = crossed(&self.trace, &self.nodes, summaries.last());
        summaries.deliver(machine, known, step);
    }

    /// The step could not pass its atomic section. Under which conditions it cannot is part of what
    /// is known of the state before it.
    pub(super) fn summarise_refusal(&mut self, step: &Step) -> Option<Vec<TermId>> {
        let summaries = self.summaries.as_mut()?;
        let point = self.nodes.last().expect("the state before the step").point;
        let position = summaries.position_of(point).filter(|_| !step.chosen);
        let machine = &mut self.walk.machine;
        let conditions = position.and_then(|from| machine.conditions_of_wait(step.thread, from));
        (step.accesses()).for_each(|access| summaries.note_access(access));
        summaries.require(point, conditions.as_deref());
        conditions
    }

    /// Whether the end is a fault that is known already. What is looked for is one that is not.
    pub(super) fn is_reported(&self, end: &End) -> bool {
        let End::Fault(at) = end else {
            return false;
        };
        summaries::happens_again(&at.fault) && self.walk.has_found(at)
    }

    /// At a state from which a thread will be chosen.
    pub(super) fn open_point(&mut self, sleep_set: &[Sleeper]) -> PointId {
        let may_publish = !self.trace.has_ended();
        let Some(summaries) = &mut self.summaries else {
            return PointId::FIRST;
        };
        let machine = &mut self.walk.machine;
        if summaries.is_backing_off() {
            return summaries.open(machine, summaries::Kind::All, None, Vec::new());
        }
        let key = machine.control_state().filter(|_| may_publish);
        let waiting = waiting(&self.blocked_awaits, &self.trace);
        let disabled = summaries::disabled(machine);
        let conditions = disabled.zip(waiting).map(|(a, b)| [a, b].concat());
        let is_known = conditions.is_some();
        let key = key.map(|key| (key, asleep(sleep_set)));
        let kind = summaries::Kind::All;
        let point = summaries.open(machine, kind, key, conditions.unwrap_or_default());
        if !is_known {
            summaries.spoil();
        }
        self.note_looks();
        point
    }

    /// A thread that waits looks at cells. Where a summary is used it may not have done so yet, and
    /// would race with the threads that write there.
    pub(super) fn note_looks(&mut self) {
        let Some(summaries) = &mut self.summaries else {
            return;
        };
        let now = self.trace.end();
        let lasting = self
            .blocked_awaits
            .iter()
            .filter(|blocked_await| blocked_await.lasts(&self.trace, now));
        let looks = lasting.flat_map(|blocked_await| &blocked_await.looks);
        looks.for_each(|look| summaries.note_access(*look));
    }

    /// What is known of the present state.
    pub(super) fn covered(&mut self, sleep_set: &[Sleeper]) -> Covering {
        let is_on = self.summaries.as_ref().is_some_and(|s| !s.is_backing_off());
        if !is_on || self.trace.has_ended() {
            return Covering::Nothing;
        }
        let key = self.walk.machine.control_state();
        match (&mut self.summaries, key) {
            (Some(summaries), Some(key)) => {
                let asleep = asleep(sleep_set);
                let covering = summaries.covering(&mut self.walk, &key, &asleep);
                if let Covering::Inputs { inputs, known } = &covering {
                    self.leave_inputs((key, asleep), *inputs, known);
                    self.reverse_left_inside();
                }
                covering
            }
            _ => Covering::Nothing,
        }
    }

    /// The control state at a jump that depends on inputs, in the middle of a step.
    pub(super) fn branch_key(&mut self) -> Option<(ControlState, Asleep)> {
        let at_branch = self.walk.machine.asks_at_branch();
        at_branch.then(|| self.key_inside())?
    }

    /// Where a thread joins another that has ended, in the middle of a step: whether what follows
    /// is known.
    pub(super) fn pass_join(&mut self, step: &mut Step) -> bool {
        if let Some(key) = self.key_inside() {
            if self.is_known_inside(step, &key) {
                return true;
            }
            if let Some(summaries) = &mut self.summaries {
                let machine = &mut self.walk.machine;
                summaries.open(machine, summaries::Kind::All, Some(key), Vec::new());
            }
        }
        self.walk.machine.join_on();
        false
    }

    /// The control state in the middle of a step.
    fn key_inside(&mut self) -> Option<(ControlState, Asleep)> {
        self.summaries.as_ref().filter(|s| !s.is_backing_off())?;
        if self.trace.has_ended() {
            return None;
        }
        let key = self.walk.machine.control_state()?;
        // The step touches nothing more after this.
        let effects = self.effects();
        let node = self.nodes.last()?;
        let thread = self.walk.machine.current_thread();
        Some((key, asleep(&node.asleep_beside(thread, &effects))))
    }

    /// In the middle of a step: whether what follows is known for all inputs. If it is for some,
    /// these are left out, and the step goes on for the others only: finding nothing then says
    /// nothing of the inputs left out.
    pub(super) fn is_known_inside(
        &mut self,
        step: &mut Step,
        key: &(ControlState, Asleep),
    ) -> bool {
        let Some(summaries) = &mut self.summaries else {
            return false;
        };
        match summaries.covering(&mut self.walk, &key.0, &key.1) {
            Covering::All(known) => {
                self.pruned_inside = Some(known);
                true
            }
            Covering::Inputs { inputs, known } => {
                step.chosen = true;
                self.leave_inputs(key.clone(), inputs, &known);
                false
            }
            Covering::AllBut { .. } | Covering::Nothing => false,
        }
    }

    /// Goes on without inputs of which something is known.
    fn leave_inputs(&mut self, key: (ControlState, Asleep), inputs: TermId, known: &Summary) {
        let machine = &mut self.walk.machine;
        known.accesses.access_again(machine);
        if let Some(summaries) = &mut self.summaries {
            summaries.open_remainder(machine, key, known);
        }
        let rest = machine.terms.not(inputs);
        machine.assume(rest);
        self.left_inside.extend(known.accesses.visible.keys());
    }

    /// What was left out in the last step would have raced with those before.
    pub(super) fn reverse_left_inside(&mut self) {
        for access in std::mem::take(&mut self.left_inside) {
            // What the step has done since then is not what it would have.
            self.reverse_access_of(access, &[]);
        }
    }

    /// Goes back instead of exploring what is known.
    pub(super) fn leave_to(&mut self, known: Summary) -> Executed {
        self.walk.outcome.runs.pruned += 1;
        known.accesses.access_again(&mut self.walk.machine);
        if self.is_void() {
            return Executed::Finished(Finished::StartOver);
        }
        for (access, after) in &known.accesses.visible {
            self.reverse_access_of(*access, after.effects());
        }
        if let Some(summaries) = &mut self.summaries {
            let step = crossed(&self.trace, &self.nodes, summaries.last());
            summaries.deliver(&mut self.walk.machine, known, step);
        }
        self.back()
    }

    /// All executions from here are known but those that one of the missing threads can begin.
    pub(super) fn explore_rest(
        &mut self,
        known: Summary,
        missing: Asleep,
        enabled: Threads,
        first: ThreadId,
        sleep_set: Vec<Sleeper>,
    ) -> Executed {
        if !missing.iter().all(|(thread, _)| enabled.contains(thread)) {
            return self.open(enabled, first, sleep_set);
        }
        known.accesses.access_again(&mut self.walk.machine);
        if self.is_void() {
            return Executed::Finished(Finished::StartOver);
        }
        for (access, after) in &known.accesses.visible {
            self.reverse_access_of(*access, after.effects());
        }
        let point = self.open_point(&sleep_set);
        if let Some(summaries) = &mut self.summaries {
            summaries.begin_with(&known);
        }
        let mark = self.walk.machine.mark();
        self.enter(Node::for_rest(mark, enabled, missing, sleep_set, point))
    }

    /// As if the thread accessed the cell now, after operations that have these effects.
    fn reverse_access_of(&mut self, access: Visible, after: &[Effect]) {
        // One that does not exist yet comes after all that its parents know.
        let mut known = access.thread;
        while !self.walk.machine.thread_exists(known) {
            known = self.walk.machine.thread_names()[known.index()].0;
        }
        let mut step = self.trace.next_step(&self.walk.machine, known);
        step.effects = smallvec![access.effect];
        step.guard = access.guard;
        for effect in after {
            self.trace.add_before(&mut step.base, *effect);
        }
        // The thread waits now, but could perhaps have gone on earlier.
        let is_next = |blocked_await: &Await| blocked_await.event == step.event();
        let waits = self.blocked_awaits.iter().any(is_next);
        // A thread that shares a lock may give it back in what was pruned, before others have taken
        // it here.
        let may_be_overtaken = self.walk.options.search.independence().commute;
        let is_clear = access.guard.object().is_some() && !may_be_overtaken;
        let places = match access.guard {
            guard if !waits && (guard == Guard::Always || is_clear) => {
                let history = History {
                    trace: &self.trace,
                    nodes: &self.nodes,
                    blocked_awaits: &self.blocked_awaits,
                    end: self.trace.end(),
                };
                history.races(Kind::Source, &step, Could::Yes).to_vec()
            }
            // It is not known where it could have been done.
            _ => self.all_dependent(&step),
        };
        for place in places {
            self.nodes[place].add_all_to_backtrack_set();
        }
    }

    /// The steps on which a step depends and that do not happen before it.
    fn all_dependent(&self, step: &Step) -> Vec<StepId> {
        let mut places = Vec::new();
        for cell in step.effects.iter().map(|effect| effect.cell) {
            let mut at = self.trace.last_on(cell);
            while at.is_some() {
                let other = &self.trace.steps[at];
                if other.happens_before(&step.base) {
                    if other.is_barrier_on(cell) {
                        break;
                    }
                } else if step.depends_on(other) {
                    places.push(at);
                }
                at = other.previous_on(cell);
            }
        }
        places
    }
}

/// The last step, if the state before it is the one at this point and the present state the one
/// after it.
fn crossed<'a>(
    trace: &'a Trace,
    nodes: &IndexVec<StepId, Node>,
    point: PointId,
) -> Option<Crossed<'a>> {
    let before = nodes.last().filter(|_| nodes.len() == trace.len())?;
    let step = trace.steps.last().filter(|_| before.point == point)?;
    Some(Crossed {
        thread: step.thread,
        effects: &step.effects,
    })
}

/// The conditions under which the threads wait that wait for a write (`Await`). `None`: of one of
/// them they are not known.
fn waiting(blocked_awaits: &[Await], trace: &Trace) -> Option<Vec<TermId>> {
    let mut conditions = Vec::new();
    for blocked_await in blocked_awaits
        .iter()
        .filter(|blocked_await| blocked_await.lasts(trace, trace.end()))
    {
        conditions.extend(blocked_await.conditions.as_ref()?);
    }
    Some(conditions)
}

fn asleep(sleep_set: &[Sleeper]) -> Asleep {
    let asleep = sleep_set.iter().filter(|s| !s.must_be_observed);
    asleep.map(|s| (s.thread, s.effects.to_vec())).collect()
}

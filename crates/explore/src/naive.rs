//! Every interleaving of visible operations, every feasible branch, depth-first (P1, Algorithm 1).
//!
//! Nodes are kept on a stack with the machine's mark; going back is undoing the trail, never
//! re-execution. A node whose last alternative is taken is dropped at once, so depth counts only
//! decisions that are still open. The machine remembers steps, for most are taken many times (see
//! `machine::step_memo`): each execution is still gone through, event by event.

use std::sync::Arc;

use machine::{
    Answer, Cutoff, Enabled, End, Mark, Mode, Probes, Program, Property, Question, Situation,
};
use smallvec::SmallVec;
use smt::TermId;

use crate::decision::Decision;
use crate::feasibility::Feasible;
use crate::outcome::{Monitor, Outcome, Stopped};
use crate::states::{Seen as SeenState, States};
use crate::summaries::{self, Asleep, Covering, Kind, Known, Summaries};
use crate::walk::{Known as Learnt, Options, Seen, Walk};

/// Searches until nothing is left, a fault is found (unless all are asked for), or it is told to
/// stop.
pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, String> {
    let mut known = Learnt::default();
    search_within(program, options, Bound::None, &mut known, monitor).map(|within| within.outcome)
}

/// Which schedules are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// All.
    None,
    /// Those with at most so many preemptions (see `preemptions`).
    Preemptions(u32),
    /// One, with as few switches as may be (see `agreed`).
    One,
}

/// What a search within a bound found.
pub(crate) struct Within {
    pub outcome: Outcome,
    /// Something was left out because of the bound.
    pub cut: bool,
    /// With the bound of one schedule: in every execution every thread came to its end.
    pub all_ended: bool,
}

pub(crate) fn search_within(
    program: &Arc<Program>,
    options: &Options,
    bound: Bound,
    known: &mut Learnt,
    monitor: &mut dyn Monitor,
) -> Result<Within, String> {
    let mut limits = options.summaries.filter(|_| bound == Bound::None);
    loop {
        let summaries = limits;
        let has_states = options.states && bound == Bound::None;
        let mode = Mode {
            // A thread that waits for ever does not come to its end, which is all that matters.
            is_impatient: bound == Bound::One,
            // With states, so that no round of a loop is without one. With summaries, so that a
            // thread that is alone stops, too, where another way may lead to the same state.
            observed: has_states || summaries.is_some(),
            observes_last: has_states,
            ..Mode::default()
        };
        let probes = match (has_states, summaries) {
            (true, _) => Probes::default(),
            (false, Some(_)) => Probes::default().with_history(Arc::default()),
            (false, None) => Probes::default().with_step_memo(),
        };
        let mut walk = Walk::start(program, options, monitor, known, mode, probes)?;
        let states = has_states.then(|| States::new(&mut walk.machine));
        let mut search = Search {
            states,
            walk,
            nodes: Vec::new(),
            decisions: Vec::new(),
            aftermath: false,
            bound,
            cut: false,
            all_ended: true,
            summaries: summaries.map(|limits| Summaries::new(limits, options.explains.is_some())),
        };
        let finished = search.run();
        let summaries = search.summaries.as_ref();
        search.walk.outcome.summaries = summaries.map(Summaries::statistics);
        if finished == Finished::Done {
            search.find_livelocks();
            let summaries = search.summaries.as_ref();
            if let Some(published) = summaries.and_then(Summaries::published) {
                let walk = &mut search.walk;
                walk.monitor.summaries(&mut walk.machine, published);
            }
            return Ok(Within {
                cut: search.cut,
                all_ended: search.all_ended,
                outcome: search.walk.finish(),
            });
        }
        if finished == Finished::Waits {
            limits = None;
        }
        match bound {
            Bound::None => known.learn(&search.walk.machine),
            _ => known.learn_generously(&search.walk.machine),
        }
        search.walk.monitor.restart();
    }
}

/// So often a thread that spins goes on if the others have nothing to do with it: its loop may just
/// be long.
const PATIENT_SPINS: u32 = 6;

#[derive(PartialEq)]
enum Finished {
    Done,
    SharingGrew,
    /// A thread waits in a loop. That goes on for ever where every event is a decision, which
    /// summaries need.
    Waits,
}

struct Node {
    mark: Mark,
    aftermath: bool,
    /// Length of the decision sequence before this node.
    decisions: usize,
    /// See `Summaries`.
    point: usize,
    /// See `States`.
    state: u32,
    alternatives: Alternatives,
}

/// What is left to try at a node.
enum Alternatives {
    Schedule {
        enabled: SmallVec<[Enabled; 4]>,
        next: usize,
    },
    /// The condition was taken as true first.
    Branch {
        condition: TermId,
    },
    Choice {
        next: u32,
        count: u32,
    },
    /// Values tried so far are excluded.
    Value {
        term: TermId,
        excluded: Vec<TermId>,
    },
}

struct Search<'a> {
    walk: Walk<'a>,
    nodes: Vec<Node>,
    decisions: Vec<Decision>,
    /// The current path goes on after a fault: nothing on it counts but what memory proves to be
    /// shared.
    aftermath: bool,
    bound: Bound,
    /// The bound left something out.
    cut: bool,
    all_ended: bool,
    summaries: Option<Summaries>,
    states: Option<States>,
}

/// What follows the end of a path.
enum Next {
    /// The path goes on after all: see `Machine::survive_fault` and `survive_standstill`.
    GoOn,
    Back,
    Stop(Finished),
}

impl Search<'_> {
    fn run(&mut self) -> Finished {
        loop {
            let situation = match self.walk.machine.advance() {
                Situation::Schedule => {
                    if !self.is_known_state() && !self.is_pruned() {
                        self.schedule();
                    } else if let Some(finished) = self.leave_path() {
                        return finished;
                    }
                    continue;
                }
                Situation::End(End::Normal) => Situation::End(End::Normal),
                other => other.clone(),
            };
            match situation {
                Situation::Schedule => unreachable!("handled above"),
                // The round ends in a state that is known.
                Situation::Await { events, .. } if self.states.is_some() && events > 0 => {
                    self.walk.machine.spin_on();
                }
                Situation::Await { .. } if self.states.is_some() => {
                    self.decisions.push(Decision::Yield);
                    self.walk.machine.block_in_loop();
                }
                Situation::Await { .. } => return Finished::Waits,
                Situation::Spin => match self.walk.look_ahead() {
                    Seen::Sharing => return Finished::SharingGrew,
                    Seen::Nothing if self.walk.machine.spins() < PATIENT_SPINS => {
                        self.walk.machine.spin_on()
                    }
                    Seen::Nothing if self.bound == Bound::One => {
                        // Perhaps it never comes to its end. Another search can tell sooner.
                        self.all_ended = false;
                        return Finished::Done;
                    }
                    Seen::Nothing | Seen::Fault => {
                        self.spoil();
                        self.decisions.push(Decision::Yield);
                        self.walk.machine.yield_spinning();
                    }
                },
                Situation::Ask(question) => {
                    let is_pruned = self.walk.machine.asks_at_branch() && self.is_pruned();
                    if is_pruned || !self.answer(question) {
                        if !is_pruned {
                            self.spoil();
                        }
                        if let Some(finished) = self.leave_path() {
                            return finished;
                        }
                    }
                }
                Situation::Join => {
                    if !self.is_pruned() {
                        self.open_join();
                        self.walk.machine.join_on();
                    } else if let Some(finished) = self.leave_path() {
                        return finished;
                    }
                }
                Situation::End(end) => match self.end_of_path(end) {
                    Next::GoOn => {}
                    Next::Stop(finished) => return finished,
                    Next::Back => {
                        if !self.backtrack() {
                            return Finished::Done;
                        }
                    }
                },
            }
        }
    }

    /// Leaves a path before its end. What the search comes to, if nothing is left, or if what was
    /// executed has shown that more is shared.
    fn leave_path(&mut self) -> Option<Finished> {
        if self.walk.machine.sharing_grew {
            return Some(Finished::SharingGrew);
        }
        let goes_on = self.walk.outcome.stopped.is_none() && self.backtrack();
        (!goes_on).then_some(Finished::Done)
    }

    fn end_of_path(&mut self, end: End) -> Next {
        if matches!(end, End::Cutoff(Cutoff::Interrupted, _)) {
            self.walk.outcome.stopped = Some(self.walk.monitor.stop_reason());
            return Next::Stop(Finished::Done);
        }
        if self.walk.machine.sharing_grew {
            // The decisions were made with too few scheduling points: even a fault must be found
            // anew.
            return Next::Stop(Finished::SharingGrew);
        }
        if self.bound == Bound::One {
            self.all_ended &= end == End::Normal && self.walk.machine.all_have_ended();
            if !self.all_ended {
                return Next::Stop(Finished::Done);
            }
        }
        let mut end = end;
        if let Some(states) = &mut self.states {
            states.end();
            if end == End::Discarded {
                end = self.walk.end_of_stuck();
            }
            // A thread that went round once more may have shown it.
            if self.walk.machine.sharing_grew {
                return Next::Stop(Finished::SharingGrew);
            }
        }
        let fault = match &end {
            End::Fault(at) => Some(at.fault.property()),
            _ => None,
        };
        let kept = self.summaries.is_some().then(|| end.clone());
        if !self.aftermath
            && let Some(stopped) =
                self.walk
                    .end(end, &mut || self.decisions.clone(), self.nodes.len())
        {
            self.walk.outcome.stopped = Some(stopped);
            return Next::Stop(Finished::Done);
        }
        if let Some(end) = kept {
            self.summarise_end(&end);
        }
        match fault {
            Some(Property::Deadlock) | None if self.walk.machine.survive_standstill() => {
                self.schedule();
                Next::GoOn
            }
            Some(Property::Deadlock) | None => Next::Back,
            // A verdict needs no more; only the count of all executions and final states does.
            Some(_) if self.walk.options.all && self.walk.machine.survive_fault() => {
                self.aftermath = true;
                Next::GoOn
            }
            Some(_) => Next::Back,
        }
    }

    // ----- states -----

    /// Whether this state has been explored, or is being explored.
    fn is_known_state(&mut self) -> bool {
        let Some(states) = self.states.as_mut().filter(|_| !self.aftermath) else {
            return false;
        };
        match states.arrive(&self.walk.machine, &self.decisions) {
            SeenState::New => false,
            SeenState::Before => {
                self.walk.outcome.runs.pruned += 1;
                self.walk.outcome.stopped = self.walk.tick(self.nodes.len());
                true
            }
            SeenState::TooMany => {
                self.walk.outcome.stopped = Some(Stopped::MemoryLimit);
                true
            }
        }
    }

    /// When everything was explored: states from which no execution ends.
    fn find_livelocks(&mut self) {
        let is_asked_for = self.walk.options.properties.contains(Property::Deadlock);
        let is_done = self.walk.outcome.is_complete() && self.walk.outcome.found.is_empty();
        let Some(states) = self.states.take().filter(|_| is_asked_for && is_done) else {
            return;
        };
        states.find_livelocks(&mut self.walk);
    }

    // ----- summaries -----

    /// Whether a summary holds here, so that nothing need be explored.
    fn is_pruned(&mut self) -> bool {
        let Some(summaries) = self.summaries.as_mut().filter(|s| !s.rests()) else {
            return false;
        };
        let key = self.walk.machine.control_state();
        let Some(key) = key.filter(|_| !self.aftermath) else {
            return false;
        };
        let asleep = Asleep::new();
        match summaries.covering(&mut self.walk, &key, &asleep) {
            Covering::All(known) => {
                self.leave_to(known);
                true
            }
            Covering::Inputs { inputs, known } => {
                let machine = &mut self.walk.machine;
                known.accesses.access_again(machine);
                summaries.open_rest(machine, (key, asleep), &known);
                let rest = machine.terms.not(inputs);
                machine.assume(rest);
                // More may be shared than was known.
                machine.sharing_grew
            }
            Covering::AllBut { .. } | Covering::Nothing => false,
        }
    }

    fn leave_to(&mut self, known: Known) {
        self.walk.outcome.runs.pruned += 1;
        known.accesses.access_again(&mut self.walk.machine);
        if let Some(summaries) = &mut self.summaries {
            summaries.deliver(&mut self.walk.machine, known, None);
        }
        self.walk.outcome.stopped = self.walk.tick(self.nodes.len());
    }

    /// At a state from which a thread will be chosen.
    fn open_point(&mut self) -> usize {
        let Some(summaries) = &mut self.summaries else {
            return 0;
        };
        if self.aftermath {
            return summaries.last();
        }
        let machine = &mut self.walk.machine;
        if summaries.rests() {
            return summaries.open(machine, Kind::All, None, Vec::new());
        }
        let conditions = summaries::disabled(machine);
        let is_known = conditions.is_some();
        let key = machine.control_state().map(|key| (key, Asleep::new()));
        let point = summaries.open(machine, Kind::All, key, conditions.unwrap_or_default());
        if !is_known {
            summaries.spoil();
        }
        point
    }

    /// Where a thread joins another that has ended.
    fn open_join(&mut self) {
        let Some(summaries) = self.summaries.as_mut().filter(|s| !s.rests()) else {
            return;
        };
        let machine = &mut self.walk.machine;
        if !self.aftermath
            && let Some(key) = machine.control_state()
        {
            summaries.open(machine, Kind::All, Some((key, Asleep::new())), Vec::new());
        }
    }

    fn spoil(&mut self) {
        if self.aftermath {
            return;
        }
        if let Some(summaries) = &mut self.summaries {
            summaries.spoil();
        }
    }

    fn summarise_end(&mut self, end: &End) {
        let Some(summaries) = &mut self.summaries else {
            return;
        };
        if self.aftermath {
            // What follows a fault counts only for what it shows to be shared.
            summaries.note_recorded(&self.walk.machine);
            return;
        }
        if !summaries.is_of_interest() {
            return;
        }
        let is_fine = match end {
            End::Normal | End::Discarded => true,
            End::Fault(at) => {
                let properties = &self.walk.options.properties;
                let is_deadlock = at.fault.property() == Property::Deadlock;
                is_deadlock && !properties.contains(Property::Deadlock)
                    || summaries::happens_again(&at.fault) && self.walk.has_found(at)
            }
            End::Cutoff(..) => false,
        };
        let machine = &mut self.walk.machine;
        let conditions = summaries::disabled(machine).filter(|_| is_fine);
        let known = conditions.map_or_else(Known::nothing, Known::fine);
        summaries.deliver(machine, known, None);
    }

    // ----- decisions -----

    fn schedule(&mut self) {
        let point = self.open_point();
        let mut enabled: SmallVec<[Enabled; 4]> = SmallVec::from_slice(self.walk.machine.enabled());
        self.prefer_current(&mut enabled);
        let all = enabled.len();
        match self.bound {
            Bound::None => {}
            Bound::Preemptions(most) => {
                if self.walk.machine.preemptions() >= most {
                    enabled.retain(|e| !self.walk.machine.is_preemption(*e));
                }
            }
            Bound::One => enabled.truncate(1),
        }
        self.cut |= enabled.len() < all;
        let first = enabled[0];
        if enabled.len() > 1 {
            self.open_at(point, Alternatives::Schedule { enabled, next: 1 });
        }
        self.take(first);
    }

    /// The thread that ran last comes first: schedules with few switches are tried, and shown,
    /// before others.
    fn prefer_current(&self, enabled: &mut [Enabled]) {
        if self.summaries.is_some() {
            return;
        }
        let current = self.walk.machine.current_thread();
        if self.walk.machine.is_spinning(current) {
            enabled.sort_by_key(|e| e.thread == current);
            return;
        }
        if let Some(i) = enabled
            .iter()
            .position(|e| e.thread == current && !e.spurious)
        {
            enabled[..=i].rotate_right(1);
        }
    }

    fn take(&mut self, choice: Enabled) {
        let thread = choice.thread.0;
        self.decisions.push(if choice.spurious {
            Decision::Wake(thread)
        } else {
            Decision::Run(thread)
        });
        self.walk.machine.schedule(choice);
    }

    /// A question has several answers.
    fn open(&mut self, alternatives: Alternatives) {
        let kind = match alternatives {
            Alternatives::Schedule { .. } | Alternatives::Choice { .. } => Kind::All,
            Alternatives::Branch { .. } | Alternatives::Value { .. } => Kind::Any,
        };
        let machine = &mut self.walk.machine;
        let is_after = self.aftermath;
        let point = self.summaries.as_mut().map_or(0, |s| match is_after {
            true => s.last(),
            false => {
                let key = machine.control_state().filter(|_| machine.asks_at_branch());
                let key = key.map(|key| (key, Asleep::new()));
                s.open(machine, kind, key, Vec::new())
            }
        });
        self.open_at(point, alternatives);
    }

    fn open_at(&mut self, point: usize, alternatives: Alternatives) {
        self.nodes.push(Node {
            mark: self.walk.machine.mark(),
            point,
            state: self.states.as_ref().map_or(0, States::current),
            aftermath: self.aftermath,
            decisions: self.decisions.len(),
            alternatives,
        });
        self.walk.outcome.deepest = self.walk.outcome.deepest.max(self.nodes.len());
    }

    /// Answers a question of the machine; `false`: this path cannot go on.
    fn answer(&mut self, question: Question) -> bool {
        match question {
            Question::Branch(condition) => self.branch(condition),
            Question::Assume(condition) => match self.walk.check(&[condition]) {
                Feasible::Yes(_) => {
                    self.walk.machine.assume(condition);
                    self.walk.machine.answer(Answer::Truth(true));
                    true
                }
                Feasible::No => {
                    self.walk.outcome.runs.blocked += 1;
                    false
                }
                Feasible::Unknown => self.walk.give_up(),
            },
            Question::Example(term) => match self.walk.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.walk.machine.terms.eval(term, &model);
                    self.walk.machine.answer(Answer::Number(value));
                    true
                }
                Feasible::No => unreachable!("the path condition can be satisfied"),
                Feasible::Unknown => self.walk.give_up(),
            },
            Question::Value(term) => match self.walk.check(&[]) {
                Feasible::Yes(model) => {
                    let value = self.walk.machine.terms.eval(term, &model);
                    let equal = self.walk.equals(term, value);
                    let different = self.walk.machine.terms.not(equal);
                    match self.walk.check(&[different]) {
                        Feasible::No => {}
                        // Whatever else is possible comes later; if the solver cannot tell, asking
                        // again will.
                        Feasible::Yes(_) | Feasible::Unknown => {
                            self.open(Alternatives::Value {
                                term,
                                excluded: vec![different],
                            });
                            self.walk.machine.assume(equal);
                        }
                    }
                    self.walk.machine.answer(Answer::Number(value));
                    true
                }
                Feasible::No => unreachable!("the path condition can be satisfied"),
                Feasible::Unknown => self.walk.give_up(),
            },
            Question::Choice(count) => {
                self.open(Alternatives::Choice { next: 1, count });
                self.choose(0);
                true
            }
        }
    }

    fn choose(&mut self, choice: u32) {
        self.decisions.push(Decision::Choose(choice));
        self.walk.machine.answer(Answer::Number(u128::from(choice)));
    }

    fn branch(&mut self, condition: TermId) -> bool {
        let negated = self.walk.machine.terms.not(condition);
        let holds = self.walk.check(&[condition]);
        let fails = match holds {
            // The path is feasible, so one side is.
            Feasible::No => None,
            _ => Some(self.walk.check(&[negated])),
        };
        match (holds, fails) {
            (Feasible::Yes(_), Some(Feasible::Yes(_))) => {
                self.open(Alternatives::Branch { condition });
                self.walk.machine.assume(condition);
                self.walk.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::Yes(_), Some(Feasible::No)) => {
                self.walk.outcome.runs.infeasible += 1;
                self.walk.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::No, _) => {
                self.walk.outcome.runs.infeasible += 1;
                self.walk.machine.answer(Answer::Truth(false));
                true
            }
            // One side is undecided: follow the other, and remember that something was left out.
            (Feasible::Yes(_), _) => {
                self.walk.give_up();
                self.walk.machine.assume(condition);
                self.walk.machine.answer(Answer::Truth(true));
                true
            }
            (Feasible::Unknown, Some(Feasible::Yes(_))) => {
                self.walk.give_up();
                self.walk.machine.assume(negated);
                self.walk.machine.answer(Answer::Truth(false));
                true
            }
            (Feasible::Unknown, _) => self.walk.give_up(),
        }
    }

    // ----- going back -----

    /// Takes the next alternative of the deepest open node; `false`: none is left.
    fn backtrack(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if let Some(summaries) = &mut self.summaries {
                summaries.close_from(&mut self.walk.machine, node.point + 1, None);
            }
            self.decisions.truncate(node.decisions);
            self.aftermath = node.aftermath;
            if let Some(states) = &mut self.states {
                states.go_back_to(node.state);
            }
            match &mut node.alternatives {
                Alternatives::Schedule { enabled, next } => {
                    let choice = enabled[*next];
                    *next += 1;
                    let last = *next == enabled.len();
                    self.back_to_last(last);
                    self.take(choice);
                    return true;
                }
                Alternatives::Branch { condition } => {
                    let negated = self.walk.machine.terms.not(*condition);
                    self.back_to_last(true);
                    self.walk.machine.assume(negated);
                    self.walk.machine.answer(Answer::Truth(false));
                    return true;
                }
                Alternatives::Choice { next, count } => {
                    let choice = *next;
                    *next += 1;
                    let last = *next == *count;
                    self.back_to_last(last);
                    self.choose(choice);
                    return true;
                }
                Alternatives::Value { .. } => {
                    let node = self.nodes.pop().expect("a node");
                    if self.next_value(node) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Undoes to the last node, whose last alternative needs it no more.
    fn back_to_last(&mut self, is_over: bool) {
        let node = self.nodes.last().expect("a node");
        self.walk.machine.undo(&node.mark);
        if is_over {
            self.walk.machine.forget(&node.mark);
            self.nodes.truncate(self.nodes.len() - 1);
        }
    }

    fn next_value(&mut self, node: Node) -> bool {
        let Node {
            mark,
            aftermath,
            decisions,
            point,
            state,
            alternatives,
        } = node;
        let Alternatives::Value { term, mut excluded } = alternatives else {
            unreachable!("a node of values");
        };
        self.walk.machine.undo(&mark);
        match self.walk.check(&excluded) {
            Feasible::Yes(model) => {
                let value = self.walk.machine.terms.eval(term, &model);
                let equal = self.walk.equals(term, value);
                excluded.push(self.walk.machine.terms.not(equal));
                self.nodes.push(Node {
                    mark,
                    aftermath,
                    decisions,
                    point,
                    state,
                    alternatives: Alternatives::Value { term, excluded },
                });
                self.walk.machine.assume(equal);
                self.walk.machine.answer(Answer::Number(value));
                true
            }
            Feasible::No => {
                self.walk.machine.discard(mark);
                false
            }
            Feasible::Unknown => {
                self.walk.give_up();
                self.walk.machine.discard(mark);
                false
            }
        }
    }
}

//! The guided execution (P2, Figure 4): a greedy depth-first search that goes on with the best
//! successor and keeps the others.
//!
//! It ends when a fault was found that is wanted, when its states are used up, or when no thread
//! can come to some target any more and branches were missed on the way: then the traces are to be
//! refined. Where nothing was missed it goes back to the latest state with other successors.

use std::collections::BTreeMap;
use std::fmt::Write;

use analysis::NodeId;
use analysis::abstraction::{Condition, condition_at};
use machine::{
    Answer, Enabled, End, Machine, Mark, Position, Property, Question, Situation, Status, ThreadId,
};
use rustc_hash::FxHashSet;
use smt::TermId;

use super::progress::{Missed, Progress};
use super::rank::{Rank, Ranking, stands_at_target};
use super::refinement::Miss;
use super::traces::{Purpose, TraceSet};
use super::trial::{Scene, Wanted};
use crate::decision::{Decision, Schedule};
use crate::driver::{Finished, Flow, Policy, Round, Spun, drive};
use crate::feasibility::Feasible;
use crate::random::Generator;
use crate::replies::Reply;
use crate::walk::Walk;

/// How an execution came out.
pub enum Ended {
    /// What was wanted has happened; it is booked in the walk's outcome.
    Found,
    /// No thread can come to some target any more. What stood in the way is in `misses`.
    Missed,
    /// The states are used up.
    Budget,
    /// Every successor was followed.
    Exhausted,
    StartOver,
    Stopped,
}

/// Decisions of one path: of more, it is given up.
const LONGEST_PATH: usize = 20_000;
/// Misses of one run that are looked into: each may cost questions to the solver.
const MOST_MISSES: usize = 24;
/// Runs that end at the targets without a fault are continued in other ways so often, before the
/// traces are refined or others have their turn.
const MOST_VALUES: usize = 4;

pub struct Execution<'e, 'w, 'a, 'g> {
    pub walk: &'w mut Walk<'a>,
    pub scene: &'e mut Scene<'g>,
    pub set: &'e TraceSet,
    pub wanted: Wanted,
    pub random: Generator,
    pub early: bool,
    /// States that may still be made.
    pub left: u64,
    pub states: u64,
    /// Instructions that were executed.
    pub executed: u64,
    pub progress: Progress,
    /// All places of the traces.
    places: FxHashSet<NodeId>,
    /// What the progress is known up to.
    pub position: Position,
    nodes: Vec<Node>,
    pub decisions: Vec<Decision>,
    pub misses: Vec<Miss>,
    pub reached: Option<Reached>,
    is_at_goal: bool,
    /// The fault that ended it happened while threads were at all targets.
    pub at_target: bool,
    /// It goes on to its end, whatever the traces say, to show which memory is shared.
    pub scouts: bool,
    /// The ranks of successors, if they are to be shown.
    pub shown: Option<String>,
}

/// All targets were reached at the same time.
#[derive(Clone, Debug)]
pub struct Reached {
    pub schedule: Schedule,
    pub inputs: BTreeMap<String, u128>,
}

struct Node {
    mark: Mark,
    decisions: usize,
    position: Position,
    progress: Progress,
    is_at_goal: bool,
    others: Others,
}

/// What else can come next, the worst first.
enum Others {
    Threads(Vec<Enabled>),
    Side(bool),
    Values(Vec<u128>),
    Choices(Vec<u32>),
}

impl<'e, 'w, 'a, 'g> Execution<'e, 'w, 'a, 'g> {
    pub fn new(
        walk: &'w mut Walk<'a>,
        scene: &'e mut Scene<'g>,
        set: &'e TraceSet,
        wanted: Wanted,
        random: Generator,
        left: u64,
    ) -> Self {
        Execution {
            places: set
                .0
                .iter()
                .flat_map(|trace| trace.places.iter().copied())
                .collect(),
            progress: Progress::at_first(set),
            position: Position::default(),
            walk,
            scene,
            set,
            wanted,
            random,
            early: false,
            left,
            states: 0,
            executed: 0,
            nodes: Vec::new(),
            decisions: Vec::new(),
            misses: Vec::new(),
            reached: None,
            is_at_goal: false,
            at_target: false,
            scouts: false,
            shown: None,
        }
    }

    pub fn run(&mut self) -> Ended {
        drive(self)
    }

    /// The history at the states in which something was decided, the latest first.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.nodes.iter().rev().map(|node| node.position)
    }

    fn node_at(&self, thread: ThreadId) -> Option<NodeId> {
        let (function, block, index) = self.walk.machine.stands_at(thread)?;
        let nodes = self.scene.ground.facts.nodes;
        Some(nodes.at(function, block, index as usize))
    }

    // ----- where it is -----

    /// Brings the progress up to date with what was executed.
    fn look(&mut self) {
        let executed = self.walk.machine.executed_since(self.position);
        self.position = self.walk.machine.position();
        self.executed += executed.len() as u64;
        let facts = self.scene.ground.facts;
        let mut missed = Vec::new();
        for executed in &executed {
            let at = (executed.function, executed.block);
            let node = facts.nodes.at(at.0, at.1, executed.index as usize);
            if self.progress.is_settled() && !self.places.contains(&node) {
                continue;
            }
            self.progress
                .step(self.set, facts.nodes, facts.module, executed, &mut missed);
        }
        for missed in missed {
            self.note(missed);
        }
    }

    fn note(&mut self, missed: Missed) {
        let is_known = |miss: &Miss| (miss.trace, miss.place) == (missed.trace, missed.place);
        if !self.scouts && self.misses.len() < MOST_MISSES && !self.misses.iter().any(is_known) {
            let miss = self.look_into(missed);
            self.misses.push(miss);
        }
    }

    /// Whether a thread is left for every trace that is not done. A thread that comes there no more
    /// leaves its trace to others.
    fn can_go_on(&mut self) -> bool {
        let threads: Vec<ThreadId> = self.walk.machine.thread_ids().collect();
        for trace in 0..self.set.0.len() {
            if self.progress.is_done(self.set, trace) {
                continue;
            }
            let own = self.progress.traces[trace].thread;
            if let Some(own) = own
                && !self.may_come(trace, own)
            {
                self.progress.give_up(trace);
            }
            let may_serve = |e: &mut Self, thread: ThreadId| {
                e.progress.may_serve(e.set, trace, thread) && e.may_come(trace, thread)
            };
            if !threads.iter().any(|thread| may_serve(self, *thread)) {
                return false;
            }
        }
        true
    }

    fn may_come(&mut self, trace: usize, thread: ThreadId) -> bool {
        let machine = &self.walk.machine;
        let waits_for_ever = |status| matches!(status, Status::Parked { guard, .. } if guard == machine::Guard::Assumption);
        let status = machine.status(thread);
        if status.is_over() || waits_for_ever(status) {
            return false;
        }
        self.ranking().reaches(trace, thread)
    }

    fn ranking(&mut self) -> Ranking<'_, 'g> {
        Ranking {
            ground: self.scene.ground,
            distances: &mut self.scene.distances,
            set: self.set,
            progress: &self.progress,
            machine: &self.walk.machine,
            early: self.early,
        }
    }

    /// Whether a thread of its own stands at each target, or has been there.
    fn is_goal(&self) -> bool {
        self.set.0.iter().enumerate().all(|(number, trace)| {
            let Purpose::Target(_) = trace.purpose else {
                return true;
            };
            let along = &self.progress.traces[number];
            let stands = along.thread.is_some_and(|thread| {
                self.node_at(thread)
                    .is_some_and(|at| stands_at_target(self.set, &self.progress, number, at))
            });
            self.progress.is_done(self.set, number) || stands
        })
    }

    fn note_reached(&mut self) {
        if self.reached.is_some() {
            return;
        }
        let Feasible::Yes(model) = self.walk.check(&[]) else {
            return;
        };
        self.reached = Some(Reached {
            schedule: self.walk.schedule_of(self.decisions.clone()),
            inputs: self.walk.inputs_of(&model),
        });
    }

    /// The race that is looked for has happened.
    fn has_raced(&self) -> bool {
        let Wanted::Race(lines) = &self.wanted else {
            return false;
        };
        let debug = &self.walk.machine.program.module.debug;
        let mut races = self.walk.machine.races_found().iter();
        races.any(|race| {
            let mut found = [race.first.loc, race.second.loc].map(|loc| {
                let place = debug.locs[loc];
                (place.file, place.line)
            });
            found.sort_unstable();
            found == *lines
        })
    }

    // ----- what comes next -----

    fn take(&mut self, choice: Enabled) {
        self.states += 1;
        self.decisions.push(Decision::of(choice));
        self.walk.machine.schedule(choice);
    }

    fn open(&mut self, others: Others) {
        let is_empty = match &others {
            Others::Threads(threads) => threads.is_empty(),
            Others::Values(_) | Others::Side(_) => false,
            Others::Choices(choices) => choices.is_empty(),
        };
        if is_empty {
            // The machine knows decisions by their depth, and loops with decisions are bounded.
            self.walk.machine.mark();
            return;
        }
        self.nodes.push(Node {
            mark: self.walk.machine.mark(),
            decisions: self.decisions.len(),
            position: self.position,
            progress: self.progress.clone(),
            is_at_goal: self.is_at_goal,
            others,
        });
    }

    fn choose_thread(&mut self) -> Flow<Ended> {
        let enabled = self.walk.machine.enabled().to_vec();
        let mut ranked = match self.is_at_goal {
            true => self.after_goal(enabled),
            false => {
                let mut random = std::mem::replace(&mut self.random, Generator::new(0));
                let ranked = self.ranking().threads(&enabled, &mut random);
                self.random = random;
                self.show(&ranked);
                ranked.into_iter().map(|(_, choice)| choice).collect()
            }
        };
        let best = ranked.remove(0);
        ranked.reverse();
        self.open(Others::Threads(ranked));
        self.take(best);
        Flow::Continue(())
    }

    /// A line for each successor, the best first.
    fn show(&mut self, ranked: &[(Rank, Enabled)]) {
        let Some(mut text) = self.shown.take() else {
            return;
        };
        let _ = writeln!(text, "state {}", self.states);
        for (rank, choice) in ranked {
            let at = self.node_at(choice.thread);
            let at = at.map_or(String::new(), |at| self.scene.ground.name(at));
            let _ = writeln!(text, "  {}: {rank} ({at})", choice.thread);
        }
        self.shown = Some(text);
    }

    /// At the targets: the threads there go first, in an order that is drawn, or last of all.
    fn after_goal(&mut self, mut enabled: Vec<Enabled>) -> Vec<Enabled> {
        let set = self.set;
        let machine = &self.walk.machine;
        let is_there = |e: &Enabled, p: &Progress| p.is_bound_to_target(set, e.thread);
        let current = machine.current_thread();
        let targets_first = !self.early;
        let mut keyed: Vec<_> = enabled
            .drain(..)
            .map(|e| {
                let is_there = is_there(&e, &self.progress);
                let key = (
                    e.spurious,
                    machine.is_spinning(e.thread),
                    is_there != targets_first,
                    e.thread != current && !is_there,
                );
                (key, self.random.next(), e)
            })
            .collect();
        keyed.sort_by_key(|(key, tie, _)| (*key, *tie));
        keyed.into_iter().map(|(.., e)| e).collect()
    }

    /// Which side of a branch, or which outcome of an assertion, the traces want.
    fn wanted_side(&mut self, node: NodeId) -> Option<bool> {
        let thread = self.walk.machine.current_thread();
        let nodes = self.scene.ground.facts.nodes;
        let condition = condition_at(self.scene.ground, node)?;
        let Condition::Branch { then, other, .. } = condition else {
            let is_assertion = matches!(condition, Condition::Assertion { .. });
            let is_last = self.set.0.iter().any(|trace| trace.last() == node);
            return (is_assertion && is_last).then_some(false);
        };
        for (number, trace) in self.set.0.iter().enumerate() {
            if self.progress.is_done(self.set, number)
                || !self.progress.may_serve(self.set, number, thread)
            {
                continue;
            }
            let next = self.progress.traces[number].next;
            let rest = trace.places.get(next..).unwrap_or_default();
            let Some(at) = rest.iter().position(|place| *place == node) else {
                continue;
            };
            let side = rest.get(at + 1).map(|side| nodes.block(*side));
            if side == Some(then) {
                return Some(true);
            }
            if side == Some(other) {
                return Some(false);
            }
        }
        self.nearer_side(thread, node, [then, other])
    }

    /// The side from which the next place of a trace is nearer.
    fn nearer_side(
        &mut self,
        thread: ThreadId,
        node: NodeId,
        sides: [ir::BlockId; 2],
    ) -> Option<bool> {
        let nodes = self.scene.ground.facts.nodes;
        let function = nodes.function(node);
        let mut stack = self.ranking().stack(thread);
        let mut nearest = [u32::MAX; 2];
        for (side, nearest) in sides.iter().zip(&mut nearest) {
            *stack.last_mut()? = nodes.at(function, *side, 0);
            for number in 0..self.set.0.len() {
                if self.progress.is_done(self.set, number)
                    || !self.progress.may_serve(self.set, number, thread)
                {
                    continue;
                }
                let next = self.progress.traces[number].next;
                let places = &self.set.0[number].places;
                let place = places[next.min(places.len() - 1)];
                let to = self.scene.distances.to(place);
                let distance = self.scene.distances.from_stack(&to, &stack);
                *nearest = (*nearest).min(distance.unwrap_or(u32::MAX));
            }
        }
        (nearest[0] != nearest[1]).then_some(nearest[0] < nearest[1])
    }

    fn branch(&mut self, condition: TermId) -> Option<Reply> {
        let thread = self.walk.machine.current_thread();
        let wanted = self.node_at(thread).and_then(|node| self.wanted_side(node));
        let first = wanted.unwrap_or_else(|| self.random.below(2) == 0);
        let negated = self.walk.machine.terms.not(condition);
        let side = |truth| if truth { condition } else { negated };
        if let Feasible::Yes(_) = self.walk.check(&[side(first)]) {
            self.open(Others::Side(!first));
            return Some(Reply::only(Answer::Truth(first), Some(side(first))));
        }
        if let Feasible::Yes(_) = self.walk.check(&[side(!first)]) {
            self.walk.machine.mark();
            return Some(Reply::only(Answer::Truth(!first), Some(side(!first))));
        }
        self.walk.give_up();
        None
    }

    /// A value for a term that must be a number: a function that leads to a place (h3), or any.
    fn value(&mut self, term: TermId, tried: &[u128]) -> Option<(Reply, u128)> {
        let mut excluded = Vec::with_capacity(tried.len());
        for value in tried {
            let equal = self.walk.equals(term, *value);
            excluded.push(self.walk.machine.terms.not(equal));
        }
        for value in self.leading_values() {
            if tried.contains(&value) {
                continue;
            }
            let equal = self.walk.equals(term, value);
            if let Feasible::Yes(_) = self.walk.check(&[equal]) {
                return Some((Reply::only(Answer::Number(value), Some(equal)), value));
            }
        }
        // A pointer that leads nowhere comes last.
        let zero = self.walk.equals(term, 0);
        let not_zero = self.walk.machine.terms.not(zero);
        let mut asked = excluded.clone();
        asked.push(not_zero);
        let feasible = match self.walk.check(&asked) {
            Feasible::Yes(model) => Feasible::Yes(model),
            _ => self.walk.check(&excluded),
        };
        match feasible {
            Feasible::Yes(model) => {
                let value = self.walk.machine.terms.eval(term, &model);
                let equal = self.walk.equals(term, value);
                Some((Reply::only(Answer::Number(value), Some(equal)), value))
            }
            Feasible::No => None,
            Feasible::Unknown => {
                self.walk.give_up();
                None
            }
        }
    }

    /// At a call of what a pointer says: the addresses of functions from which a place of a trace
    /// can be reached (h3).
    fn leading_values(&mut self) -> Vec<u128> {
        let thread = self.walk.machine.current_thread();
        let Some(node) = self.node_at(thread) else {
            return Vec::new();
        };
        let facts = self.scene.ground.facts;
        let Some(call) = facts.call(node) else {
            return Vec::new();
        };
        if !matches!(call.callee, ir::Callee::Indirect(_)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for callee in facts.entered_by(node) {
            let entry = facts.nodes.at(callee, ir::BlockId(0), 0);
            for number in 0..self.set.0.len() {
                let next = self.progress.traces[number].next;
                let places = &self.set.0[number].places;
                let place = places[next.min(places.len() - 1)];
                let distance = self.scene.distances.to(place).from(entry);
                if let Some(distance) = distance {
                    let symbol = ir::Symbol::Function(callee);
                    let address = self.walk.machine.program.address_of(symbol);
                    found.push((distance, u128::from(address)));
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, address)| address).collect()
    }

    // ----- going back -----

    /// A path has ended. What was missed on it is a reason to refine; otherwise the latest state
    /// with other successors is gone back to.
    fn leave_path(&mut self) -> Flow<Ended> {
        if self.walk.machine.sharing_grew {
            return Flow::Break(Ended::StartOver);
        }
        if self.walk.outcome.stopped.is_some() {
            return Flow::Break(Ended::Stopped);
        }
        if self.scouts || !self.misses.is_empty() && self.reached.is_none() {
            return Flow::Break(Ended::Missed);
        }
        self.backtrack()
    }

    fn backtrack(&mut self) -> Flow<Ended> {
        if self.states >= self.left {
            return Flow::Break(Ended::Budget);
        }
        while let Some(node) = self.nodes.pop() {
            self.walk.machine.undo(&node.mark);
            self.walk.machine.forget(&node.mark);
            self.decisions.truncate(node.decisions);
            self.position = node.position;
            self.progress = node.progress;
            self.is_at_goal = node.is_at_goal;
            match node.others {
                Others::Threads(mut threads) => {
                    let choice = threads.pop().expect("a successor is left");
                    self.open(Others::Threads(threads));
                    self.take(choice);
                    return Flow::Continue(());
                }
                others => {
                    if self.reply_otherwise(others) {
                        return Flow::Continue(());
                    }
                }
            }
        }
        Flow::Break(Ended::Exhausted)
    }

    fn reply_otherwise(&mut self, others: Others) -> bool {
        let Situation::Ask(question) = *self.walk.machine.advance() else {
            return false;
        };
        self.states += 1;
        let reply = match (others, question) {
            (Others::Side(side), Question::Branch(condition)) => {
                let negated = self.walk.machine.terms.not(condition);
                let assumed = if side { condition } else { negated };
                let Feasible::Yes(_) = self.walk.check(&[assumed]) else {
                    return false;
                };
                self.walk.machine.mark();
                Reply::only(Answer::Truth(side), Some(assumed))
            }
            (Others::Values(mut tried), Question::Value(term)) => {
                let Some((reply, value)) = self.value(term, &tried) else {
                    return false;
                };
                tried.push(value);
                self.open_values(tried);
                reply
            }
            (Others::Choices(mut choices), Question::Choice(_)) => {
                let choice = choices.pop().expect("a choice is left");
                self.open(Others::Choices(choices));
                Reply::choice(choice)
            }
            _ => return false,
        };
        self.walk.give(&reply, &mut self.decisions);
        true
    }

    fn open_values(&mut self, tried: Vec<u128>) {
        match tried.len() < MOST_VALUES {
            true => self.open(Others::Values(tried)),
            false => {
                self.walk.machine.mark();
            }
        }
    }

    fn stop(&mut self) -> Flow<Ended> {
        Flow::Break(Ended::Stopped)
    }

    /// Tells how far it is; whether it is to stop.
    fn is_to_stop(&mut self) -> bool {
        match self.walk.tick_at_question(self.decisions.len()) {
            Some(stopped) => {
                self.walk.outcome.stopped = Some(stopped);
                true
            }
            None => false,
        }
    }
}

impl Policy for Execution<'_, '_, '_, '_> {
    type Stop = Ended;

    fn machine(&mut self) -> &mut Machine {
        &mut self.walk.machine
    }

    fn schedule(&mut self) -> Flow<Ended> {
        if self.walk.machine.sharing_grew {
            return Flow::Break(Ended::StartOver);
        }
        if self.is_to_stop() {
            return self.stop();
        }
        self.look();
        if self.has_raced() {
            return self.end(End::Discarded);
        }
        if !self.is_at_goal && self.is_goal() {
            self.is_at_goal = true;
            self.note_reached();
        }
        if self.states >= self.left {
            return Flow::Break(Ended::Budget);
        }
        let is_lost = |e: &mut Self| !e.scouts && !e.is_at_goal && !e.can_go_on();
        if self.decisions.len() > LONGEST_PATH || is_lost(self) {
            return self.leave_path();
        }
        self.choose_thread()
    }

    fn ask(&mut self, question: Question) -> Flow<Ended> {
        if self.is_to_stop() {
            return self.stop();
        }
        self.look();
        self.states += 1;
        let reply = match question {
            Question::Branch(condition) => self.branch(condition),
            Question::Value(term) => self.value(term, &[]).map(|(reply, value)| {
                self.open_values(vec![value]);
                reply
            }),
            Question::Choice(count) => {
                let first = self.random.below(count as usize) as u32;
                let others = (0..count).filter(|choice| *choice != first);
                self.open(Others::Choices(others.collect()));
                Some(Reply::choice(first))
            }
            Question::Assume(_) | Question::Example(_) => self.walk.reply(question),
        };
        match reply {
            Some(reply) => {
                self.walk.give(&reply, &mut self.decisions);
                Flow::Continue(())
            }
            None => self.leave_path(),
        }
    }

    fn wait(&mut self, _: Round) -> Flow<Ended> {
        unreachable!("not every event is a decision")
    }

    fn spin(&mut self) -> Flow<Ended> {
        match self.walk.spin() {
            Spun::StartOver => return Flow::Break(Ended::StartOver),
            Spun::GoesOn => {}
            Spun::Yields { .. } => {
                self.decisions.push(Decision::Yield);
                self.walk.machine.yield_spinning();
            }
        }
        Flow::Continue(())
    }

    fn end(&mut self, end: End) -> Flow<Ended> {
        match self.walk.end_of_run(&end) {
            Ok(()) => {}
            Err(Finished::StartOver) => return Flow::Break(Ended::StartOver),
            Err(_) => return self.stop(),
        }
        self.look();
        let is_goal = self.is_goal();
        if is_goal {
            self.note_reached();
        }
        self.at_target = is_goal || self.is_at_goal;
        let known = self.walk.outcome.found.len();
        let stopped = self
            .walk
            .end(&end, &mut || self.decisions.clone(), self.decisions.len());
        let is_new = self.walk.outcome.found.len() > known;
        if is_new {
            return Flow::Break(Ended::Found);
        }
        if let Some(stopped) = stopped {
            self.walk.outcome.stopped = Some(stopped);
            return self.stop();
        }
        let is_standstill = match &end {
            End::Fault(at) => at.fault.property() == Property::Deadlock,
            End::Normal | End::Discarded => true,
            End::Cutoff(..) => false,
        };
        if is_standstill && self.walk.machine.survive_standstill() {
            return self.schedule();
        }
        self.leave_path()
    }
}

impl Execution<'_, '_, '_, '_> {
    /// The branch that was missed, as the machine stands after it.
    fn look_into(&mut self, missed: Missed) -> Miss {
        let node = self.set.0[missed.trace].places[missed.place];
        let side = self.set.0[missed.trace]
            .places
            .get(missed.place + 1)
            .copied();
        let missing = self.what_is_missing(node, missed.thread);
        Miss {
            trace: missed.trace,
            place: missed.place,
            at: node,
            side,
            missing,
        }
    }
}

//! Every interleaving of visible operations, every feasible branch, depth-first (P1, Algorithm 1).
//!
//! Nodes are kept on a stack with the machine's mark; going back is undoing the trail, never
//! re-execution. A node whose last alternative is taken is dropped at once, so depth counts only
//! decisions that are still open. The machine remembers steps, for most are taken many times (see
//! `machine::step_memo`): each execution is still gone through, event by event.

mod pruning;

use std::sync::Arc;

use machine::{Enabled, End, Machine, Mark, Mode, Probes, Program, Property, Question};
use smallvec::SmallVec;

use crate::decision::Decision;
use crate::driver::{Finished, Flow, Policy, Round, Spun, drive};
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::options::{self, Options, Prune};
use crate::outcome::{Monitor, Outcome};
use crate::replies::{Others, Reply};
use crate::states::{StateId, States};
use crate::summaries::{Asleep, Kind, PointId, Summaries};
use crate::walk::Walk;

/// Searches until nothing is left, a fault is found (unless all are asked for), or it is told to
/// stop.
pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Error> {
    let mut known = SearchFacts::at_first(&options.shared);
    search_within(program, options, Bound::None, &mut known, monitor).map(|within| within.outcome)
}

/// Which schedules are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// All.
    None,
    /// Those with at most this many preemptions (see `preemptions`).
    Preemptions(u32),
    /// One, with as few switches as may be (see `single_schedule`).
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
    facts: &mut SearchFacts,
    monitor: &mut dyn Monitor,
) -> Result<Within, Error> {
    let prune = match (&options.search, bound) {
        (options::Search::Naive(prune), Bound::None) => prune.clone(),
        _ => Prune::Nothing,
    };
    let has_states = matches!(prune, Prune::States);
    let mut summarise = match prune {
        Prune::Summaries(summarise) => Some(summarise),
        _ => None,
    };
    loop {
        let mode = Mode {
            // A thread that waits for ever does not come to its end, which is all that matters.
            is_impatient: bound == Bound::One,
            // With states, so that no round of a loop is without one. With summaries, so that a
            // thread that is alone stops, too, where another way may lead to the same state.
            observed: has_states || summarise.is_some(),
            observes_last: has_states,
            ..Mode::default()
        };
        let probes = match (has_states, &summarise) {
            (true, _) => Probes::default(),
            (false, Some(_)) => Probes::default().with_history(Arc::default()),
            (false, None) => Probes::default().with_step_memo(),
        };
        let mut walk = Walk::start(program, options, monitor, facts, mode, probes)?;
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
            waits: false,
            summaries: summarise.as_ref().map(Summaries::new),
        };
        let finished = drive(&mut search);
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
        if search.waits {
            summarise = None;
        }
        match bound {
            Bound::None => facts.learn(&search.walk.machine),
            _ => facts.learn_generously(&search.walk.machine),
        }
        search.walk.monitor.restart();
    }
}

struct Node {
    mark: Mark,
    aftermath: bool,
    /// Length of the decision sequence before this node.
    decisions: usize,
    /// See `Summaries`.
    point: PointId,
    /// See `States`.
    state: StateId,
    alternatives: Alternatives,
}

/// What is left to try at a node.
enum Alternatives {
    Schedule {
        enabled: SmallVec<[Enabled; 4]>,
        next: usize,
    },
    Replies(Others),
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
    /// A thread waits in a loop. That goes on for ever where every event is a decision, which
    /// summaries need.
    waits: bool,
    summaries: Option<Summaries>,
    states: Option<States>,
}

impl Policy for Search<'_> {
    type Stop = Finished;

    fn machine(&mut self) -> &mut Machine {
        &mut self.walk.machine
    }

    fn schedule(&mut self) -> Flow<Finished> {
        if self.is_known_state() || self.is_pruned() {
            return self.leave_path();
        }
        self.choose_thread();
        Flow::Continue(())
    }

    fn ask(&mut self, question: Question) -> Flow<Finished> {
        if self.walk.machine.asks_at_branch() && self.is_pruned() {
            return self.leave_path();
        }
        match self.walk.reply(question) {
            Some(reply) => {
                self.give(reply);
                Flow::Continue(())
            }
            None => {
                self.spoil();
                self.leave_path()
            }
        }
    }

    fn join(&mut self) -> Flow<Finished> {
        if self.is_pruned() {
            return self.leave_path();
        }
        self.open_join();
        self.walk.machine.join_on();
        Flow::Continue(())
    }

    fn wait(&mut self, round: Round) -> Flow<Finished> {
        if self.states.is_none() {
            self.waits = true;
            return Flow::Break(Finished::StartOver);
        }
        if round.events > 0 {
            // The round ends in a state that is known.
            self.walk.machine.spin_on();
        } else {
            self.decisions.push(Decision::Yield);
            self.walk.machine.block_in_loop();
        }
        Flow::Continue(())
    }

    fn spin(&mut self) -> Flow<Finished> {
        match self.walk.spin() {
            Spun::StartOver => return Flow::Break(Finished::StartOver),
            Spun::GoesOn => {}
            Spun::Yields { fault: false } if self.bound == Bound::One => {
                // Perhaps it never comes to its end. Another search can tell sooner.
                self.all_ended = false;
                return Flow::Break(Finished::Done);
            }
            Spun::Yields { .. } => {
                self.spoil();
                self.decisions.push(Decision::Yield);
                self.walk.machine.yield_spinning();
            }
        }
        Flow::Continue(())
    }

    fn end(&mut self, end: End) -> Flow<Finished> {
        match self.end_of_path(end) {
            Flow::Continue(GoesOn::Yes) => Flow::Continue(()),
            Flow::Continue(GoesOn::No) => self.backtrack(),
            Flow::Break(finished) => Flow::Break(finished),
        }
    }
}

/// Whether a path goes on after its end: see `Machine::survive_fault` and `survive_standstill`.
enum GoesOn {
    Yes,
    No,
}

impl Search<'_> {
    /// Leaves a path before its end. What the search comes to, if nothing is left, or if what was
    /// executed has shown that more is shared.
    fn leave_path(&mut self) -> Flow<Finished> {
        if self.walk.machine.sharing_grew {
            return Flow::Break(Finished::StartOver);
        }
        if self.walk.outcome.stopped.is_some() {
            return Flow::Break(Finished::Done);
        }
        self.backtrack()
    }

    fn end_of_path(&mut self, mut end: End) -> Flow<Finished, GoesOn> {
        if let Err(finished) = self.walk.end_of_run(&end) {
            return Flow::Break(finished);
        }
        if self.bound == Bound::One {
            self.all_ended &= end == End::Normal && self.walk.machine.all_have_ended();
            if !self.all_ended {
                return Flow::Break(Finished::Done);
            }
        }
        if let Some(states) = &mut self.states {
            states.end();
            if end == End::Discarded {
                end = self.walk.end_of_stuck();
            }
            // A thread that went round once more may have shown it.
            if self.walk.machine.sharing_grew {
                return Flow::Break(Finished::StartOver);
            }
        }
        let fault = match &end {
            End::Fault(at) => Some(at.fault.property()),
            _ => None,
        };
        if !self.aftermath
            && let Some(stopped) =
                self.walk
                    .end(&end, &mut || self.decisions.clone(), self.nodes.len())
        {
            self.walk.outcome.stopped = Some(stopped);
            return Flow::Break(Finished::Done);
        }
        if self.summaries.is_some() {
            self.summarise_end(&end);
        }
        Flow::Continue(match fault {
            Some(Property::Deadlock) | None if self.walk.machine.survive_standstill() => {
                self.choose_thread();
                GoesOn::Yes
            }
            // A verdict needs no more; only the count of all executions and final states does.
            Some(property)
                if property != Property::Deadlock
                    && self.walk.options.all
                    && self.walk.machine.survive_fault() =>
            {
                self.aftermath = true;
                GoesOn::Yes
            }
            _ => GoesOn::No,
        })
    }

    // ----- decisions -----

    fn choose_thread(&mut self) {
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
        self.decisions.push(Decision::of(choice));
        self.walk.machine.schedule(choice);
    }

    /// Gives a reply to the machine. If there are others, they are tried later.
    fn give(&mut self, mut reply: Reply) {
        let others = std::mem::replace(&mut reply.others, Others::None);
        if others != Others::None {
            self.open(others);
        }
        if reply.is_implied {
            // Nothing is ever taken out of a path, as other searches do.
            reply.assumed = None;
        }
        self.walk.give(&reply, &mut self.decisions);
    }

    /// A question has several answers.
    fn open(&mut self, others: Others) {
        let kind = match others {
            Others::Choice { .. } => Kind::All,
            _ => Kind::Any,
        };
        let machine = &mut self.walk.machine;
        let is_after = self.aftermath;
        let point = self
            .summaries
            .as_mut()
            .map_or(PointId::FIRST, |s| match is_after {
                true => s.last(),
                false => {
                    let key = machine.control_state().filter(|_| machine.asks_at_branch());
                    let key = key.map(|key| (key, Asleep::new()));
                    s.open(machine, kind, key, Vec::new())
                }
            });
        self.open_at(point, Alternatives::Replies(others));
    }

    fn open_at(&mut self, point: PointId, alternatives: Alternatives) {
        self.nodes.push(Node {
            mark: self.walk.machine.mark(),
            point,
            state: self.states.as_ref().map_or(StateId::FIRST, States::current),
            aftermath: self.aftermath,
            decisions: self.decisions.len(),
            alternatives,
        });
        self.walk.outcome.deepest = self.walk.outcome.deepest.max(self.nodes.len());
    }

    // ----- going back -----

    /// Takes the next alternative of the deepest open node.
    fn backtrack(&mut self) -> Flow<Finished> {
        while let Some(node) = self.nodes.last_mut() {
            if let Some(summaries) = &mut self.summaries {
                summaries.close_from(&mut self.walk.machine, node.point.next(), None);
            }
            self.decisions.truncate(node.decisions);
            self.aftermath = node.aftermath;
            if let Some(states) = &mut self.states {
                states.go_back_to(node.state);
            }
            self.walk.machine.undo(&node.mark);
            match &mut node.alternatives {
                Alternatives::Schedule { enabled, next } => {
                    let choice = enabled[*next];
                    *next += 1;
                    if *next == enabled.len() {
                        self.drop_last_node();
                    }
                    self.take(choice);
                    return Flow::Continue(());
                }
                Alternatives::Replies(others) => {
                    let others = std::mem::replace(others, Others::None);
                    if self.reply_otherwise(others) {
                        return Flow::Continue(());
                    }
                }
            }
        }
        Flow::Break(Finished::Done)
    }

    /// At the last node, where the machine stands; `false`: there is no other reply.
    fn reply_otherwise(&mut self, others: Others) -> bool {
        let Some(mut reply) = self.walk.other_reply(others) else {
            self.drop_last_node();
            return false;
        };
        let others = std::mem::replace(&mut reply.others, Others::None);
        if others == Others::None {
            self.drop_last_node();
        } else {
            let node = self.nodes.last_mut().expect("a node");
            node.alternatives = Alternatives::Replies(others);
        }
        self.walk.give(&reply, &mut self.decisions);
        true
    }

    /// The machine stands at the last node, which is needed no more.
    fn drop_last_node(&mut self) {
        let node = self.nodes.last().expect("a node");
        self.walk.machine.forget(&node.mark);
        // Not taken out, which would copy it.
        self.nodes.truncate(self.nodes.len() - 1);
    }
}

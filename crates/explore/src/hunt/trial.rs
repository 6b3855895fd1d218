//! Trials: a set of traces, and what refinements make of it (P2, sections 4.3, 5 and 6).
//!
//! The sets of a trial are tried in the order of how far they have come, then of how little was
//! refined. Each execution begins where the program does. A turn is over when its states are used
//! up; the next one goes on with the sets that are left.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use std::sync::Arc;

use analysis::NodeId;
use analysis::abstraction::{
    AbstractSystem, AbstractTrace, AbstractTraces, Distances, Ground, Target,
};
use ir::debug::FileId;
use machine::{Mark, Mode, Probes, Program, Question, Situation};
use rustc_hash::FxHashMap;

use super::execution::{Ended, Execution, Reached};
use super::refinement::{Miss, refine};
use super::traces::TraceSet;
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::options::Options;
use crate::outcome::{Found, Monitor, Outcome};
use crate::random::Generator;
use crate::walk::Walk;

/// What guides all trials of a program.
pub struct Scene<'g> {
    pub ground: &'g Ground<'g>,
    pub distances: Distances<'g>,
    ways: FxHashMap<NodeId, Arc<Vec<AbstractTrace>>>,
    /// What a first run has shown to be shared. Without it, threads could not be stopped where they
    /// access it, and runs that end early would never show it.
    scouted: Option<SearchFacts>,
}

impl<'g> Scene<'g> {
    pub fn of(ground: &'g Ground<'g>) -> Scene<'g> {
        Scene {
            ground,
            distances: Distances::of(ground),
            ways: FxHashMap::default(),
            scouted: None,
        }
    }

    /// The first ways to a definition, in its own abstract system.
    pub(super) fn ways_to(&mut self, definition: NodeId) -> Arc<Vec<AbstractTrace>> {
        let ground = self.ground;
        let find = || {
            let target = Target::from(definition);
            let system = Arc::new(AbstractSystem::of(ground, &[target], &[]));
            let traces = AbstractTraces::to(&system, target);
            Arc::new(traces.take(WAYS).collect())
        };
        Arc::clone(self.ways.entry(definition).or_insert_with(find))
    }
}

/// What a trial is after, beside what goes wrong by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Fault,
    /// A race between these lines, in order.
    Race([(FileId, u32); 2]),
}

/// What a trial cost (P2, Table 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HuntStatistics {
    /// Decisions and replies that were made.
    pub states: u64,
    pub executions: u64,
    pub refinements: u64,
    /// Places of the first set of traces.
    pub length: usize,
}

/// One set of traces, with all that refinements make of it.
pub struct Trial {
    pub targets: Vec<Target>,
    pub wanted: Wanted,
    sets: Vec<Candidate>,
    seen: BTreeSet<TraceSet>,
    pub statistics: HuntStatistics,
    /// What stood in the way of the set that came farthest.
    pub nearest: Option<Miss>,
    farthest: usize,
    /// The targets were reached at the same time.
    pub reached: Option<Reached>,
    /// The ranks of successors, if they are to be shown.
    pub shown: Option<String>,
    seed: u64,
}

#[derive(Clone)]
struct Candidate {
    set: TraceSet,
    /// How much of the traces was passed when this set was made.
    passed: usize,
    refinements: u32,
    /// How often it was tried.
    tries: u32,
}

/// A fault.
#[derive(Clone, Debug)]
pub struct FoundThere {
    pub found: Found,
    /// Threads were at all targets.
    pub at_target: bool,
}

/// What a turn of a trial came to.
#[derive(Debug)]
pub enum Turn {
    /// Something went wrong.
    Found(Vec<FoundThere>),
    /// The states of the turn are used up.
    Over,
    /// Nothing is left to try.
    Exhausted,
    /// The hunt is to stop.
    Stopped,
}

/// States of an execution before others of its trial have their turn, the first time.
const FIRST_TRY: u64 = 400;
/// A set of traces with more refinements is given up.
const MOST_REFINEMENTS: u32 = 200;
/// Sets that are kept: of more, the least promising are given up.
const MOST_SETS: usize = 256;
/// So many instructions cost as much as a state.
const INSTRUCTIONS: u64 = 1_000;
/// First runs, and their states.
const MOST_SCOUTS: usize = 16;
const SCOUTING: u64 = 5_000;
/// Ways to a definition that are tried.
const WAYS: usize = 2;

impl Trial {
    pub fn new(
        targets: Vec<Target>,
        wanted: Wanted,
        traces: Vec<AbstractTrace>,
        seed: u64,
    ) -> Trial {
        let set = TraceSet::of(traces);
        let statistics = HuntStatistics {
            length: set.length(),
            ..HuntStatistics::default()
        };
        Trial {
            targets,
            wanted,
            sets: vec![Candidate {
                set: set.clone(),
                passed: 0,
                refinements: 0,
                tries: 0,
            }],
            seen: BTreeSet::from([set]),
            statistics,
            nearest: None,
            farthest: 0,
            reached: None,
            shown: None,
            seed,
        }
    }

    /// The set that comes next.
    pub fn current(&self) -> Option<&TraceSet> {
        self.sets.last().map(|candidate| &candidate.set)
    }

    fn put_back(&mut self, candidate: Candidate) {
        self.sets.push(candidate);
        self.sets.sort_by_key(|c| {
            let spent = c.tries;
            (Reverse(spent), c.passed, Reverse(c.refinements))
        });
        if self.sets.len() > MOST_SETS {
            self.sets.drain(..self.sets.len() - MOST_SETS);
        }
    }
}

/// Carries out turns of trials on one program.
pub struct Hunter<'h> {
    program: Arc<Program>,
    options: &'h Options,
    /// `None`: nothing was executed yet.
    facts: Option<SearchFacts>,
    pub outcome: Outcome,
}

impl<'h> Hunter<'h> {
    pub fn new(program: &Arc<Program>, options: &'h Options) -> Hunter<'h> {
        Hunter {
            program: Arc::clone(program),
            options,
            facts: None,
            outcome: Outcome::default(),
        }
    }

    /// One turn of a trial, of so many states.
    pub fn turn(
        &mut self,
        scene: &mut Scene,
        trial: &mut Trial,
        states: u64,
        monitor: &mut dyn Monitor,
    ) -> Result<Turn, Error> {
        if self.facts.is_none() {
            self.facts = Some(self.scout(scene, trial, monitor)?);
        }
        let mut left = states;
        loop {
            let facts = self.facts.get_or_insert_default();
            let probes = Probes::default().with_history(Arc::default());
            let mut walk = Walk::start(
                &self.program,
                self.options,
                monitor,
                facts,
                Mode::default(),
                probes,
            )?;
            let known = self.outcome.found.len();
            walk.outcome = Outcome {
                restarts: walk.outcome.restarts,
                shared: walk.outcome.shared.clone(),
                stopped: None,
                ..std::mem::take(&mut self.outcome)
            };
            let start = first_decision(&mut walk);
            let mut at_target = false;
            let turn = executions(&mut walk, scene, trial, &start, &mut left, &mut at_target);
            if turn.is_none() {
                facts.learn_generously(&walk.machine);
                self.outcome = std::mem::take(&mut walk.outcome);
                continue;
            }
            self.outcome = walk.finish();
            // Those that were known are not booked again.
            let new = self.outcome.found[known..].iter().cloned();
            let new: Vec<FoundThere> = new.map(|found| FoundThere { found, at_target }).collect();
            return Ok(match turn {
                Some(turn) if new.is_empty() => turn,
                _ => Turn::Found(new),
            });
        }
    }

    /// Runs the program to its end, again and again, until that shows no more memory to be shared.
    fn scout(
        &self,
        scene: &mut Scene,
        trial: &Trial,
        monitor: &mut dyn Monitor,
    ) -> Result<SearchFacts, Error> {
        if let Some(known) = &scene.scouted {
            return Ok(known.clone());
        }
        let mut facts = SearchFacts::at_first(&self.options.shared);
        let none = TraceSet(Vec::new());
        for _ in 0..MOST_SCOUTS {
            let probes = Probes::default().with_history(Arc::default());
            let mode = Mode::default();
            let mut walk = Walk::start(&self.program, self.options, monitor, &facts, mode, probes)?;
            first_decision(&mut walk);
            let random = Generator::of_run(trial.seed, 0);
            let wanted = Wanted::Fault;
            let mut execution = Execution::new(&mut walk, scene, &none, wanted, random, SCOUTING);
            execution.scouts = true;
            execution.run();
            if !walk.machine.sharing_grew {
                break;
            }
            facts.learn_generously(&walk.machine);
        }
        scene.scouted = Some(facts.clone());
        Ok(facts)
    }
}

/// Where the first thing is to be decided: what comes before is executed once.
fn first_decision(walk: &mut Walk) -> Start {
    loop {
        let start = walk.machine.mark();
        match *walk.machine.advance() {
            // To these there is one answer.
            Situation::Ask(question @ (Question::Assume(_) | Question::Example(_))) => {
                let Some(reply) = walk.reply(question) else {
                    return Start { mark: start };
                };
                walk.give(&reply, &mut Vec::new());
            }
            Situation::Schedule | Situation::Ask(_) | Situation::Join => {
                let mark = walk.machine.mark();
                return Start { mark };
            }
            Situation::Spin | Situation::Await { .. } | Situation::End(_) => {
                walk.machine.undo(&start);
                return Start { mark: start };
            }
        }
    }
}

struct Start {
    mark: Mark,
}

/// Executions of a trial until its states are used up; `None`: more memory is shared than was
/// known, and what was executed does not count.
fn executions(
    walk: &mut Walk,
    scene: &mut Scene,
    trial: &mut Trial,
    start: &Start,
    left: &mut u64,
    at_target: &mut bool,
) -> Option<Turn> {
    while *left > 0 {
        if let Some(stopped) = walk.tick(0) {
            walk.outcome.stopped = Some(stopped);
            return Some(Turn::Stopped);
        }
        let Some(mut candidate) = trial.sets.pop() else {
            return Some(Turn::Exhausted);
        };
        walk.machine.undo(&start.mark);
        trial.statistics.refinements +=
            u64::from(candidate.tries == 0 && candidate.refinements > 0);
        let random = Generator::of_run(trial.seed, trial.statistics.executions);
        let most = (FIRST_TRY << candidate.tries.min(20)).min(*left);
        let mut execution = Execution::new(
            walk,
            scene,
            &candidate.set,
            trial.wanted.clone(),
            random,
            most,
        );
        execution.early = candidate.tries % 2 == 1;
        execution.shown = trial.shown.take();
        let ended = execution.run();
        let (states, misses) = (execution.states, std::mem::take(&mut execution.misses));
        let passed = execution.progress.passed(&candidate.set);
        *at_target = execution.at_target;
        let cost = states.max(execution.executed / INSTRUCTIONS).max(1);
        trial.shown = execution.shown.take();
        trial.reached = trial.reached.take().or(execution.reached.take());
        trial.statistics.states += states;
        trial.statistics.executions += 1;
        *left = left.saturating_sub(cost);
        if passed >= trial.farthest
            && let Some(miss) = misses.last()
        {
            trial.nearest = Some(miss.clone());
        }
        trial.farthest = trial.farthest.max(passed);
        match ended {
            Ended::Found => {
                trial.put_back(candidate);
                return Some(Turn::Over);
            }
            Ended::Stopped => {
                trial.put_back(candidate);
                return Some(Turn::Stopped);
            }
            Ended::StartOver => {
                trial.put_back(candidate);
                return None;
            }
            // Nothing was decided: every execution is this one.
            Ended::Exhausted | Ended::Missed | Ended::Budget if states == 0 => {
                trial.sets.clear();
                return Some(Turn::Exhausted);
            }
            Ended::Exhausted | Ended::Missed | Ended::Budget => {
                add_refined(scene, trial, &candidate, &misses, passed);
                candidate.tries += 1;
                // Another try of a set may do better where something was missed: ties are drawn
                // anew.
                if !matches!(ended, Ended::Exhausted) || !misses.is_empty() {
                    trial.put_back(candidate);
                }
            }
        }
    }
    Some(Turn::Over)
}

fn add_refined(
    scene: &mut Scene,
    trial: &mut Trial,
    candidate: &Candidate,
    misses: &[Miss],
    passed: usize,
) {
    if candidate.refinements >= MOST_REFINEMENTS {
        return;
    }
    // What is missed last on the way of a trace comes first.
    let mut misses: Vec<&Miss> = misses.iter().collect();
    misses.sort_by_key(|miss| miss.place);
    for miss in misses {
        let refined = refine(scene, &candidate.set, miss);
        for set in refined.into_iter().rev() {
            if trial.seen.insert(set.clone()) {
                trial.put_back(Candidate {
                    set,
                    passed,
                    refinements: candidate.refinements + 1,
                    tries: 0,
                });
            }
        }
    }
}

//! What an engine is: it answers whether a program has a bug.
//!
//! An engine gets a [`Task`] and tells how far it is through a monitor, which may make it wait
//! while others work. Its [`Answer`] is the same for all engines: candidates for bugs, or how much
//! was covered. A candidate becomes a bug only in `crate::check`, by a replay.
//!
//! A new engine is a module of `crate::engines`, a variant of `EngineOptions` with its options, and
//! a line in the list of `crate::portfolio`, if it is to join that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use analysis::Statistics;
use explore::{
    Found, Frontier, Monitor, Outcome, Properties, Runs, Stopped, SummaryStatistics,
    TraceStatistics,
};
use ir::debug::LocId;
use machine::{Config, Cutoff, Program, SharedSet};
use smt::SolverStats;

use crate::Internal;
use crate::board::Board;
use crate::engines::static_proof::Obstacle;
use crate::explain::Why;
use crate::known::Known;
use crate::load::Loaded;
use crate::options::Options;
use crate::relevance::{StaticFacts, Subject, Wanted};

pub(crate) trait Engine: Send {
    /// What reports call it.
    fn name(&self) -> &'static str;

    fn run(&self, task: &Task, monitor: &mut dyn Monitor) -> Result<Answer, Internal>;

    /// The engine to ask instead, now that this one's answer is in doubt; `None`: there is nothing
    /// that it took for granted.
    fn assume_less(&self, _doubt: Doubt) -> Option<Box<dyn Engine>> {
        None
    }
}

/// Why an answer does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// An execution has shown that something was left out that matters.
    Refuted,
    /// It gave up, or found something, perhaps where no input leads: at a don't-care branch, an
    /// execution may go wrong outside the slice in a way that no input does.
    Spoilt,
    /// What it found cannot be followed where nothing is left out.
    Unconfirmed,
}

/// The question.
#[derive(Clone)]
pub(crate) struct Task<'a> {
    pub loaded: &'a Loaded,
    pub machine: Config,
    pub properties: Properties,
    pub all: bool,
    pub solver_timeout: Duration,
    /// Of the check as a whole.
    pub time_limit: Option<Duration>,
    /// Somebody wants the check to end.
    pub interrupt: &'a AtomicBool,
    /// Stop at once. Raised some time after `interrupt` in a search that can be left.
    pub halt: Arc<AtomicBool>,
    /// Told what the engine is at, by the main one.
    pub known: Option<&'a Known>,
    pub analysed: &'a Analysed<'a>,
    /// What engines tell each other.
    pub board: Arc<Board>,
}

impl<'a> Task<'a> {
    pub fn new(
        loaded: &'a Loaded,
        options: &'a Options,
        halt: &Arc<AtomicBool>,
        analysed: &'a Analysed<'a>,
    ) -> Task<'a> {
        Task {
            loaded,
            machine: options.machine.clone(),
            properties: options.properties.clone(),
            all: options.all,
            solver_timeout: options.solver_timeout,
            time_limit: options.time_limit,
            interrupt: &options.interrupt,
            halt: Arc::clone(halt),
            known: Some(&options.known),
            analysed,
            board: Arc::default(),
        }
    }
}

/// What static analysis has found out so far, for all engines of a check.
pub(crate) struct Analysed<'a> {
    loaded: &'a Loaded,
    facts: OnceLock<StaticFacts>,
    subjects: Mutex<Vec<(Wanted, Arc<Subject>)>>,
}

impl<'a> Analysed<'a> {
    pub fn new(loaded: &'a Loaded) -> Analysed<'a> {
        Analysed {
            loaded,
            facts: OnceLock::new(),
            subjects: Mutex::default(),
        }
    }

    pub fn facts(&self) -> &StaticFacts {
        self.facts
            .get_or_init(|| StaticFacts::of(&self.loaded.program.module))
    }

    /// The program as it is searched. Engines that want the same get the same: what one refutes is
    /// refuted for all.
    pub fn subject(&self, wanted: &Wanted) -> Arc<Subject> {
        let mut subjects = self.subjects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = subjects.iter().find(|(key, _)| key == wanted) {
            return Arc::clone(known);
        }
        let subject = Arc::new(Subject::of(self.loaded, wanted, || self.facts()));
        subjects.push((wanted.clone(), Arc::clone(&subject)));
        subject
    }
}

/// What an engine says.
pub(crate) struct Answer {
    /// Which one.
    pub engine: &'static str,
    /// How the program was executed.
    pub machine: Config,
    pub candidates: Vec<Candidate>,
    pub coverage: Coverage,
    pub counts: Counts,
    /// If accesses on which nothing depends were no scheduling points: how many were left.
    pub slice: Option<Statistics>,
    /// Bounds that were in force.
    pub bounds: Vec<String>,
    /// Memory that proved to be shared.
    pub shared: SharedSet,
    /// Why it is safe, if that was asked for and the engine can say.
    pub why: Option<Why>,
    /// What the answer rests on was refuted: nothing counts but a bug that is confirmed.
    pub is_refuted: bool,
    /// Some jumps on inputs went one way.
    pub has_dont_care_branches: bool,
    /// What is left to do, if the search can tell.
    pub left: Option<Frontier>,
    /// What was left is void (see [`explore::Resumed`]).
    pub starts_over: bool,
}

impl Answer {
    /// A bug, or a proof.
    pub fn is_decisive(&self) -> bool {
        !self.candidates.is_empty() || self.coverage.is_complete()
    }

    /// Nothing is known.
    pub fn unknown(engine: &'static str, task: &Task) -> Answer {
        Answer {
            engine,
            machine: task.machine.clone(),
            candidates: Vec::new(),
            coverage: Coverage {
                stopped: Some(Stopped::NotDecided),
                ..Coverage::default()
            },
            counts: Counts::default(),
            slice: None,
            bounds: bounds(&task.machine),
            shared: SharedSet::default(),
            why: None,
            is_refuted: false,
            has_dont_care_branches: false,
            left: None,
            starts_over: false,
        }
    }

    /// What a search of this program found.
    pub fn of(engine: &'static str, task: &Task, program: &Arc<Program>, found: Outcome) -> Answer {
        let candidate = |found| Candidate {
            found,
            program: Arc::clone(program),
        };
        Answer {
            counts: Counts::of(&found),
            coverage: Coverage {
                cut_off: found.cut_off,
                crowded: found.crowded,
                stopped: found.stopped,
                one_schedule: found.one_schedule,
                preemptions: found.covered_preemptions,
                threads: None,
                obstacle: None,
            },
            candidates: found.found.into_iter().map(candidate).collect(),
            shared: found.shared,
            ..Answer::unknown(engine, task)
        }
    }
}

/// A fault that was found, on the program as it was searched. Scheduling points that were left out
/// are found again before it is replayed.
pub(crate) struct Candidate {
    pub found: Found,
    pub program: Arc<Program>,
}

impl Candidate {
    /// With the scheduling points that the search left out.
    pub fn with_all_points(&self, machine: &Config) -> Result<Found, Internal> {
        let mut found = self.found.clone();
        if found.reduced.is_some() {
            let expanded = explore::expand(&self.program, machine, &found);
            found.schedule = expanded.map_err(|why| {
                let property = found.fault.fault.property().name();
                Internal::NotFollowed { property, why }
            })?;
            found.events = found.events.max(found.schedule.decisions.len() as u64);
            found.reduced = None;
        }
        Ok(found)
    }
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    pub runs: Runs,
    /// Executions that ended in a fault.
    pub failing: u64,
    pub threads: u32,
    pub events: u64,
    /// The longest sequence of decisions.
    pub deepest: usize,
    pub solver: SolverStats,
    /// How states were pruned, if they were.
    pub summaries: Option<SummaryStatistics>,
    /// What was unrolled, if it was.
    pub trace: Option<TraceStatistics>,
}

impl Counts {
    pub(crate) fn of(outcome: &Outcome) -> Counts {
        Counts {
            runs: outcome.runs,
            failing: outcome.failing,
            threads: outcome.threads,
            events: outcome.events,
            deepest: outcome.deepest,
            solver: outcome.solver,
            summaries: outcome.summaries,
            trace: outcome.trace,
        }
    }

    /// Adds the cost of what was done besides.
    pub(crate) fn add_runs(&mut self, other: &Counts) {
        self.runs.complete += other.runs.complete;
        self.runs.pruned += other.runs.pruned;
        self.runs.blocked += other.runs.blocked;
        self.runs.infeasible += other.runs.infeasible;
        self.events += other.events;
        self.threads = self.threads.max(other.threads);
    }
}

/// How much of what a program can do was looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Where and why executions were given up.
    pub cut_off: BTreeMap<(Cutoff, LocId), u64>,
    /// Why static facts do not prove it.
    pub obstacle: Option<Obstacle>,
    /// Where threads stood still because they would have made one too many.
    pub crowded: BTreeSet<LocId>,
    /// Why the engine stopped before it was done.
    pub stopped: Option<Stopped>,
    /// One schedule was followed, which stands for all.
    pub one_schedule: bool,
    /// Every schedule with at most so many preemptions was followed to its end, though not every
    /// schedule.
    pub preemptions: Option<u32>,
    /// A search with at most so many threads came to its end, of a program that makes more than
    /// there is room for. Which threads are made, if several make some, was not varied.
    pub threads: Option<u32>,
}

impl Coverage {
    /// Nothing was left out.
    pub fn is_complete(&self) -> bool {
        self.cut_off.is_empty() && self.crowded.is_empty() && self.stopped.is_none()
    }
}

/// Bounds on executions that are in force.
pub(crate) fn bounds(machine: &Config) -> Vec<String> {
    let unwind = machine.unwind.map(|unwind| format!("unwind {unwind}"));
    let threads = machine.threads.map(|threads| format!("threads {threads}"));
    unwind.into_iter().chain(threads).collect()
}

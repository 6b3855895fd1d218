//! What a search found out.

use std::collections::{BTreeMap, BTreeSet};

use ir::debug::{DebugInfo, FileId, LocId};
use machine::{Cutoff, Fault, FaultAt, Machine, Peeking, Property, SharedSet};
use serde::{Deserialize, Serialize};
use smt::SolverStats;

use crate::decision::Schedule;
use crate::facts::SearchFacts;
use crate::optimal::Part;
use crate::summaries::Published;

/// Counts of executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// Reached an end, good or bad.
    pub complete: u64,
    /// Cut by a summary.
    pub pruned: u64,
    /// Cut by a sleep set or an assumption.
    pub blocked: u64,
    /// Sides of branches that the solver refuted.
    pub infeasible: u64,
}

/// What tells faults apart: of those at one site the first is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Site {
    At(Property, LocId),
    /// The lines of a race, whichever came first.
    Race([(FileId, u32); 2]),
}

impl Site {
    pub fn of(fault: &FaultAt, debug: &DebugInfo) -> Site {
        let Fault::Race(race) = &fault.fault else {
            return Site::At(fault.fault.property(), fault.loc);
        };
        let mut lines = [race.first.loc, race.second.loc].map(|loc| {
            let place = debug.locs[loc];
            (place.file, place.line)
        });
        lines.sort_unstable();
        Site::Race(lines)
    }
}

/// What a search knew that left scheduling points out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reduced {
    /// If it looked into critical sections.
    pub peeking: Option<Peeking>,
    /// Mutexes whose sections were single steps.
    pub mutexes: SharedSet,
}

/// A fault, and how to get there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    pub site: Site,
    /// If the search left scheduling points out: how to find them (see [`crate::expand`]).
    pub reduced: Option<Reduced>,
    /// Visible operations up to it.
    pub events: u64,
    pub fault: FaultAt,
    pub inputs: BTreeMap<String, u128>,
    pub schedule: Schedule,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub runs: Runs,
    /// Faults at distinct sites, in the order of discovery.
    pub found: Vec<Found>,
    /// Executions that ended in a fault.
    pub failing: u64,
    /// Where and why executions were given up.
    #[serde(with = "cut_offs")]
    pub cut_off: BTreeMap<(Cutoff, LocId), u64>,
    /// Where threads stood still because they would have made one too many.
    #[serde(default)]
    pub crowded: BTreeSet<LocId>,
    /// The search was stopped before it was done.
    #[serde(skip)]
    pub stopped: Option<Stopped>,
    pub threads: u32,
    pub events: u64,
    pub deepest: usize,
    /// Memory that proved to be shared.
    pub shared: SharedSet,
    /// How often the search started over because more memory proved to be shared.
    pub restarts: u32,
    #[serde(skip)]
    pub solver: SolverStats,
    /// How states were pruned, if they were.
    #[serde(skip)]
    pub summaries: Option<crate::summaries::Statistics>,
    /// What was unrolled, if it was.
    #[serde(skip)]
    pub trace: Option<TraceStatistics>,
    /// One schedule was followed, which stands for all.
    #[serde(skip)]
    pub one_schedule: bool,
    /// Every schedule with at most so many preemptions was followed to its end, though not every
    /// schedule.
    #[serde(skip)]
    pub covered_preemptions: Option<u32>,
    /// A search with at most so many threads came to its end, of a program that makes more than
    /// there is room for. Which threads are made, if several make some, was not varied.
    #[serde(skip)]
    pub covered_threads: Option<u32>,
}

/// How much of a program the trace engine has unrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TraceStatistics {
    /// Edges of the threads' graphs that are known.
    pub edges: usize,
    /// Those that the code has and no execution has taken yet.
    pub open_exits: usize,
    /// Visible operations.
    pub events: usize,
    /// How often the graphs were made.
    pub graphs: u64,
}

impl Outcome {
    /// Every execution was followed to its end.
    pub fn is_complete(&self) -> bool {
        self.cut_off.is_empty() && self.crowded.is_empty() && self.stopped.is_none()
    }

    /// Adds what a search found that comes after this one. Of faults at one site the first counts.
    pub fn append(&mut self, later: Outcome) {
        self.runs.complete += later.runs.complete;
        self.runs.pruned += later.runs.pruned;
        self.runs.blocked += later.runs.blocked;
        self.runs.infeasible += later.runs.infeasible;
        for found in later.found {
            if !self.found.iter().any(|f| f.site == found.site) {
                self.found.push(found);
            }
        }
        self.failing += later.failing;
        for (cause, count) in later.cut_off {
            *self.cut_off.entry(cause).or_default() += count;
        }
        self.crowded.extend(later.crowded);
        self.stopped = self.stopped.or(later.stopped);
        self.threads = self.threads.max(later.threads);
        self.events += later.events;
        self.deepest = self.deepest.max(later.deepest);
        self.restarts = self.restarts.max(later.restarts);
        self.solver += later.solver;
    }
}

/// In files, as a list.
mod cut_offs {
    use super::{BTreeMap, Cutoff, LocId};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    type CutOffs = BTreeMap<(Cutoff, LocId), u64>;

    pub fn serialize<S: Serializer>(map: &CutOffs, serializer: S) -> Result<S::Ok, S::Error> {
        map.iter().collect::<Vec<_>>().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CutOffs, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}

/// Where a search stands: what it knows, what it has found and what is left to do, in the order in
/// which a single worker does it. Plain data, good for this program and these options in any
/// process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Frontier {
    #[serde(rename = "knowledge")]
    pub facts: SearchFacts,
    pub parts: Vec<Part>,
    /// Others have the rest: if this must start over, so must they.
    #[serde(default)]
    pub is_part: bool,
}

/// How far a search came.
#[derive(Debug)]
pub struct Resumed {
    /// Of the parts that are done, also of those that were before.
    pub outcome: Outcome,
    /// What is left, and what is known; nothing if the search was stopped in the middle of an
    /// execution.
    pub left: Option<Frontier>,
    /// More had to be known: whatever was found in any part of the search is void. What is left is
    /// everything.
    pub starts_over: bool,
}

/// How many executions there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Done so far.
    pub executions: u64,
    /// In all, as far as one can tell.
    pub expected: f64,
}

/// What a monitor wants of a search that can stop, between two executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls(pub(crate) u32);

impl Calls {
    pub const NONE: Calls = Calls(0);
    /// Say how many executions there are.
    pub const ESTIMATE: Calls = Calls(1);
    /// Say where the search stands.
    pub const CHECKPOINT: Calls = Calls(2);
    /// Stop, and say what is left.
    pub const LEAVE: Calls = Calls(4);
    /// Say roughly how many executions there are, as far as that takes little time.
    pub const ROUGH_ESTIMATE: Calls = Calls(8);

    pub const fn and(self, other: Calls) -> Calls {
        Calls(self.0 | other.0)
    }

    pub const fn has(self, other: Calls) -> bool {
        self.0 & other.0 != 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    TimeLimit,
    MemoryLimit,
    Interrupted,
    /// A fault was found and only the first was asked for.
    FirstBug,
    /// Schedules with more preemptions were not to be searched. `cut`: there are some.
    PreemptionBound {
        bound: u32,
        cut: bool,
    },
    /// Runs were taken at random, as many as were asked for or as there was time for.
    RandomSearch,
    /// It was not for this engine to decide.
    NotDecided,
}

/// What a search is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Exhaustive,
    /// Schedules with at most so many preemptions.
    Preemptions(u32),
    Random,
    /// All orders of what was executed, at once.
    Trace,
    /// Guided to places where something may go wrong.
    Hunt,
}

/// Which faults count. The others end an execution without a verdict on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Properties(pub BTreeSet<Property>);

impl Properties {
    /// All but races, which must be asked for: many a program has some that its author knows of.
    pub fn all() -> Properties {
        Properties(
            [
                Property::Assertion,
                Property::Abort,
                Property::Memory,
                Property::LockMisuse,
                Property::DivisionByZero,
                Property::Unreachable,
                Property::Deadlock,
            ]
            .into(),
        )
    }

    pub fn contains(&self, property: Property) -> bool {
        self.0.contains(&property)
    }
}

/// Watches a search: shows progress, collects final states. One that changes only some of what
/// another does names that one as `inner`, which is told everything else.
pub trait Monitor {
    fn inner(&mut self) -> Option<&mut dyn Monitor> {
        None
    }
    /// Called at every complete execution that ended well.
    fn complete(&mut self, machine: &mut Machine) {
        if let Some(inner) = self.inner() {
            inner.complete(machine);
        }
    }
    /// Called after every execution. `Some`: stop.
    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        self.inner()?.tick(outcome, depth)
    }
    /// Called when a search begins, and when it goes on in another way.
    fn phase(&mut self, phase: Phase) {
        if let Some(inner) = self.inner() {
            inner.phase(phase);
        }
    }
    /// Why the machine's interrupt flag was raised.
    fn stop_reason(&mut self) -> Stopped {
        let inner = self.inner();
        inner.map_or(Stopped::Interrupted, |inner| inner.stop_reason())
    }
    /// The search starts over: forget what was collected.
    fn restart(&mut self) {
        if let Some(inner) = self.inner() {
            inner.restart();
        }
    }
    /// The summaries that are left when everything was searched, if they are to be explained.
    fn summaries(&mut self, machine: &mut Machine, summaries: Vec<Published>) {
        if let Some(inner) = self.inner() {
            inner.summaries(machine, summaries);
        }
    }
    /// Called between two executions.
    fn calls(&mut self) -> Calls {
        self.inner().map_or(Calls::NONE, |inner| inner.calls())
    }
    /// Other workers, and this one before, have done so many executions.
    fn elsewhere(&mut self, executions: u64) {
        if let Some(inner) = self.inner() {
            inner.elsewhere(executions);
        }
    }
    /// Called while there is nothing to do but wait for others, before `tick`.
    fn idle(&mut self) {
        if let Some(inner) = self.inner() {
            inner.idle();
        }
    }
    /// So far is the trace engine, which takes turns with the search.
    fn beside(&mut self, trace: TraceStatistics, solver: SolverStats) {
        if let Some(inner) = self.inner() {
            inner.beside(trace, solver);
        }
    }
    fn estimate(&mut self, estimate: Estimate) {
        if let Some(inner) = self.inner() {
            inner.estimate(estimate);
        }
    }
    fn checkpoint(&mut self, frontier: Frontier) {
        if let Some(inner) = self.inner() {
            inner.checkpoint(frontier);
        }
    }
    /// What another worker calls at every complete execution that ended well.
    fn helper(&mut self) -> Option<Helper> {
        self.inner()?.helper()
    }
}

/// A monitor's part with another worker.
pub type Helper = Box<dyn FnMut(&mut Machine) + Send>;

/// Watches nothing.
pub struct Silent;

impl Monitor for Silent {}

//! What a search found out.

use std::collections::{BTreeMap, BTreeSet};

use ir::debug::LocId;
use machine::{Cutoff, FaultAt, Machine, Property, SharedSet};
use serde::Serialize;
use smt::SolverStats;

use crate::decision::Schedule;

/// Counts of executions, as DESIGN.md section 7 names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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

/// A fault, and how to get there.
#[derive(Clone, Debug)]
pub struct Found {
    /// Visible operations up to it.
    pub events: u64,
    pub fault: FaultAt,
    pub inputs: BTreeMap<String, u128>,
    pub schedule: Schedule,
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub runs: Runs,
    /// Distinct faults by property and place, in the order of discovery.
    pub found: Vec<Found>,
    /// Executions that ended in a fault.
    pub failing: u64,
    /// Where and why executions were given up.
    pub cut_off: BTreeMap<(Cutoff, LocId), u64>,
    /// The search was stopped before it was done.
    pub stopped: Option<Stopped>,
    pub threads: u32,
    pub events: u64,
    pub deepest: usize,
    /// Memory that proved to be shared.
    pub shared: SharedSet,
    /// How often the search started over because more memory proved to be shared.
    pub restarts: u32,
    pub solver: SolverStats,
    /// Every schedule with at most so many preemptions was followed to its end, though not every schedule.
    pub covered_preemptions: Option<u32>,
}

impl Outcome {
    /// Every execution was followed to its end.
    pub fn is_complete(&self) -> bool {
        self.cut_off.is_empty() && self.stopped.is_none()
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
}

/// What a search is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Exhaustive,
    /// Schedules with at most so many preemptions.
    Preemptions(u32),
    Random,
}

/// Which faults count. The others end an execution without a verdict on it.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Watches a search: shows progress, collects final states.
pub trait Monitor {
    /// Called at every complete execution that ended well.
    fn complete(&mut self, _machine: &mut Machine) {}
    /// Called after every execution. `Some`: stop.
    fn tick(&mut self, _outcome: &Outcome, _depth: usize) -> Option<Stopped> {
        None
    }
    /// Called when a search begins, and when it goes on in another way.
    fn phase(&mut self, _phase: Phase) {}
    /// Why the machine's interrupt flag was raised.
    fn stop_reason(&mut self) -> Stopped {
        Stopped::Interrupted
    }
    /// The search starts over: forget what was collected.
    fn restart(&mut self) {}
}

/// Watches nothing.
pub struct Silent;

impl Monitor for Silent {}

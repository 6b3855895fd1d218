//! Searches that can be divided: by one worker or several, stopped and taken up again, saved, and
//! estimated. Nothing here knows how a search goes on; that is behind [`Divisible`].
//!
//! The executions of a search are in an order: that in which a single worker comes to them. A
//! [`Divisible`] search explores a *unit*, which is an interval of that order, and what is left of
//! a unit between two executions can be cut into smaller ones. `units` holds all units in their
//! order, with what was found in those that are done.
//!
//! `alone` explores them one after the other. `shared` lets several workers do so, each with a
//! machine and a solver of its own. What they find is put together in the order of the units
//! (`assemble`), so it is what a single worker finds: a unit that ends with a fault, when only the
//! first is asked for, makes what comes after it void, and so does one that shows that the search
//! must start over; units before it are still finished, and may say otherwise.
//!
//! Deviation: a thread that was not known when the workers began makes the search start over, since
//! threads are numbered in the order in which they are found. A single worker goes on.

mod alone;
mod assemble;
mod estimate;
mod shared;
mod units;

use std::sync::Arc;
use std::time::{Duration, Instant};

use base::id;
use machine::Program;

use self::assemble::Over;
use self::units::Ending;
use crate::cells::Cells;
use crate::driver::Finished;
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::optimal::WorkUnit;
use crate::options::Options;
use crate::outcome::{Frontier, Monitor, Outcome, Resumed, Stopped};
use crate::walk::Walk;

/// How many workers share a search, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    pub count: u32,
    /// Until then there is one worker: most searches are over before more would be of use.
    pub join_after: Duration,
    /// Cut units whenever possible. For tests.
    pub always_cut: bool,
}

impl Default for Workers {
    fn default() -> Workers {
        Workers {
            count: 1,
            join_after: Duration::from_millis(100),
            always_cut: false,
        }
    }
}

impl Workers {
    /// One for each core.
    pub fn on_all_cores() -> Workers {
        let cores = std::thread::available_parallelism();
        Workers {
            count: cores.map_or(1, |n| n.get() as u32),
            ..Workers::default()
        }
    }
}

id!(
    /// A worker.
    WorkerId, "worker "
);

impl WorkerId {
    /// The worker that has the monitor.
    const FIRST: WorkerId = WorkerId(0);
}

/// A kind of search whose work can be divided.
pub(crate) trait Divide: 'static {
    type Search<'a>: Divisible<'a>;
}

/// A search whose work can be divided.
pub(crate) trait Divisible<'a>: Sized {
    fn start(
        program: &Arc<Program>,
        options: &'a Options,
        monitor: &'a mut dyn Monitor,
        facts: &SearchFacts,
    ) -> Result<Self, Error>;

    fn walk(&self) -> &Walk<'a>;

    fn walk_mut(&mut self) -> &mut Walk<'a>;

    /// Explores a unit. Between two executions it may be cut, or left.
    fn explore(&mut self, unit: WorkUnit, between: Between<'_, Self>) -> Result<Finished, Error>;

    /// Between two executions: gives the later part of the unit away. `None`: that would be
    /// everything, or nothing.
    fn cut(&mut self) -> Option<WorkUnit>;

    /// Between two executions: everything that is left, in its order.
    fn left(&mut self) -> Vec<WorkUnit>;

    /// What is known now.
    fn facts(&self, restarts: u32) -> SearchFacts;

    /// What is known when it must start over. `is_late`: executions were completed.
    fn facts_to_start_over(&self, restarts: u32, is_late: bool) -> SearchFacts;

    fn cells(&self) -> &Cells;

    /// From now on no more threads can be told apart.
    fn fix_threads(&mut self, count: usize);

    /// Samples the tree for so long, and says what all samples have given.
    fn probe(&mut self, program: &Arc<Program>, time: Duration) -> Probed;
}

/// What is done between two executions; `Some`: the search is over.
pub(crate) type Between<'b, S> = &'b mut dyn FnMut(&mut S) -> Option<Finished>;

/// What sampling a tree has given so far.
pub(crate) struct Probed {
    pub count: u64,
    /// Executions in all.
    pub mean: Option<f64>,
    /// The standard error, as a part of the mean.
    pub error: f64,
    /// What it took.
    pub time: Duration,
}

/// Explores what is left of a search, or all.
pub(crate) fn search<D: Divide>(
    program: &Arc<Program>,
    options: &Options,
    workers: Workers,
    left: Frontier,
    monitor: &mut dyn Monitor,
) -> Result<Resumed, Error> {
    let start = Instant::now();
    let is_part = left.is_part;
    let mut left = left;
    loop {
        let over = match workers.count {
            0 | 1 => alone::explore::<D>(program, options, workers, left, monitor)?,
            _ => shared::explore::<D>(program, options, workers, left, monitor, start)?,
        };
        match over {
            Over::Done(outcome, left) => {
                return Ok(Resumed {
                    outcome: *outcome,
                    left: left.map(|left| Frontier { is_part, ..left }),
                    starts_over: false,
                });
            }
            Over::Again(facts) if is_part => {
                return Ok(Resumed {
                    outcome: Outcome {
                        stopped: Some(Stopped::Interrupted),
                        threads: facts.threads.len() as u32,
                        restarts: facts.restarts,
                        ..Outcome::default()
                    },
                    left: Some(Frontier::after(facts)),
                    starts_over: true,
                });
            }
            Over::Void(outcome, facts) => {
                return Ok(Resumed {
                    outcome: *outcome,
                    left: Some(Frontier::after(facts)),
                    starts_over: true,
                });
            }
            Over::Again(facts) => {
                monitor.restart();
                left = Frontier::after(facts);
            }
        }
    }
}

/// What exploring a unit came to.
struct Explored {
    outcome: Outcome,
    ending: Ending,
    /// What is left of it.
    left: Vec<WorkUnit>,
}

/// Explores one unit, and says what it came to. `counted`: events of the units before.
fn explore_unit<'a, S: Divisible<'a>>(
    search: &mut S,
    unit: WorkUnit,
    restarts: u32,
    counted: &mut u64,
    between: Between<'_, S>,
) -> Result<Explored, Error> {
    let walk = search.walk_mut();
    walk.outcome = Outcome {
        restarts,
        ..Outcome::default()
    };
    walk.counted = *counted;
    let mut finished = search.explore(unit, between)?;
    let outcome = found_so_far(search);
    search.walk_mut().outcome = Outcome::default();
    if search.cells().merged && outcome.stopped.is_none() {
        // It showed where nothing was executed after it.
        finished = Finished::StartOver;
    }
    *counted += outcome.events;
    let ending = match (finished, outcome.stopped) {
        (Finished::StartOver, _) => {
            let is_late = outcome.runs.complete > 0;
            Ending::StartOver(Box::new(search.facts_to_start_over(restarts + 1, is_late)))
        }
        (Finished::Left, _) => Ending::Left,
        (Finished::Done, Some(Stopped::FirstBug)) if !outcome.found.is_empty() => Ending::Fault,
        (Finished::Done, Some(_)) => Ending::Stopped,
        (Finished::Done, None) => Ending::Exhausted,
    };
    let left = match finished {
        Finished::Left => search.left(),
        Finished::Done | Finished::StartOver => Vec::new(),
    };
    Ok(Explored {
        outcome,
        ending,
        left,
    })
}

/// What was found in the current unit so far.
fn found_so_far<'a, S: Divisible<'a>>(search: &S) -> Outcome {
    let walk = search.walk();
    let mut outcome = walk.outcome.clone();
    outcome.threads = walk.machine.threads_seen;
    outcome.crowded.extend(&walk.machine.crowded);
    outcome.events = walk.machine.total_events - walk.repeated - walk.counted;
    outcome
}

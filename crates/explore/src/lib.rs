//! The search over schedules and inputs: a walk through the tree of decisions.
//!
//! [`optimal`], the usual search, follows one execution per Mazurkiewicz trace. [`dpor`] has the
//! reductions of the papers: persistent sets, source sets, sleep sets, observers, and summaries
//! (P1). [`naive`] takes every way (P1, Algorithm 1); it stays for ever, for every reduction is
//! measured against it.
//!
//! Programs too large for that: [`Search::Preemptions`] takes the schedules with few preemptions,
//! [`Search::Random`] some at random. Neither can say that a program is safe.
//!
//! Invariant: what is explored never depends on time, hash order or addresses of the host; only
//! when to stop does.

mod cells;
mod census;
mod decision;
mod dependence;
mod dpor;
mod driver;
mod ends;
mod error;
mod facts;
mod feasibility;
mod guided;
mod hunt;
mod livelock;
mod look_ahead;
mod naive;
mod optimal;
mod options;
mod outcome;
mod preemptions;
mod random;
mod replay;
mod replies;
mod sharing;
mod single_schedule;
mod states;
mod step;
mod summaries;
mod waiting;
mod walk;
mod worker_pool;

pub use census::{Census, census};
pub use decision::{Decision, Schedule};
pub use dependence::Independence;
pub use error::Error;
pub use facts::SearchFacts;
pub use guided::{Guide, Guided, guided};
pub use hunt::{
    FoundThere, GuidingTrace, HuntStatistics, Hunter, Miss, Missing, Purpose, Reached, Scene,
    TraceSet, Trial, Turn, Wanted,
};
pub use optimal::{Part, WorkUnit};
pub use options::{Besides, Options, Prune, Search, Summarise};
pub use outcome::{
    Calls, Estimate, Found, Frontier, Helper, Monitor, Outcome, Phase, Properties, Reduced,
    Resumed, Runs, Silent, Site, Stopped, TraceStatistics,
};
pub use random::Sampling;
pub use replay::{Replay, expand, replay};
pub use single_schedule::search_one_schedule;
pub use summaries::{Limits, Published, Statistics as SummaryStatistics};
pub use worker_pool::Workers;

use std::sync::Arc;

use machine::Program;

/// Searches until nothing is left, a fault is found (unless all are asked for), or it is told to
/// stop.
pub fn search(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Error> {
    options.validate()?;
    match options.search {
        Search::Naive(_) => naive::search(program, options, monitor),
        Search::Dpor { .. } | Search::Source { .. } => dpor::search(program, options, monitor),
        Search::Optimal { workers, .. } => {
            let whole = Frontier::after(SearchFacts::at_first(&options.shared));
            optimal::search(program, options, workers, whole, monitor)
                .map(|resumed| resumed.outcome)
        }
        Search::Preemptions { bound } => preemptions::search(program, options, bound, monitor),
        Search::Random(sampling) => random::search(program, options, sampling, monitor),
    }
}

/// Searches what is left, and says what is still left when it is told to leave (see
/// [`Calls::LEAVE`]). The search is the optimal one, whatever the options name.
pub fn resume(
    program: &Arc<Program>,
    options: &Options,
    workers: Workers,
    left: Frontier,
    monitor: &mut dyn Monitor,
) -> Result<Resumed, Error> {
    optimal::search(program, options, workers, left, monitor)
}

//! Sleave as a library: load a program, search, confirm what was found by replay, and say the
//! verdict.
//!
//! ```no_run
//! let program = verify::load(&["lost_update.c".into()], &[]).unwrap();
//! let checked = verify::check(&program, &verify::Options::default(), &mut verify::Quiet).unwrap();
//! println!("{:?}", checked.verdict);
//! ```
//!
//! Invariant: this crate prints nothing and decides no exit code.

mod board;
mod check;
mod deadlock;
mod ending;
mod engine;
mod engines;
mod explain;
mod facts;
mod harness;
mod hunt;
mod job;
mod known;
mod lint;
mod load;
mod minimise;
mod names;
mod options;
mod phrases;
mod portfolio;
mod race;
mod reasons;
mod relevance;
mod trace;
mod verdict;
mod watch;
mod witness;

pub use analysis::Statistics;
pub use bitcode::{Leash, LoadError};
pub use check::{Checked, check};
pub use deadlock::{Cause, Deadlock, Waiting};
pub use engine::{Counts, Coverage};
pub use engines::trace::GIVEN_INPUTS;
pub use explain::{
    Condition, DeadSide, Explained, Explanation, Lines, PlaceOf, SourceLine, Stands, Unreached, Why,
};
pub use explore::{
    Besides, Estimate, Frontier, Helper, Independence, Limits, Monitor, Part, Phase, Properties,
    Prune, Runs, Sampling, Search, SearchFacts, Stopped, Summarise, SummaryStatistics,
    TraceStatistics, WorkUnit, Workers,
};
pub use facts::{FactError, FactKind, facts};
pub use harness::{Harness, HarnessError, Made, USUAL_DEPTH};
pub use hunt::{
    Branch, HuntError, HuntJob, HuntJobError, HuntOptions, Hunted, HuntedSet, InTheWay, Quarry,
    Show, Status, hunt, hunt_jobs, show_hunt,
};
pub use job::{Budget, Configuration, Job, JobError, JobFault, JobResult, JobVerdict, run_job};
pub use known::Known;
pub use lint::{Frame, HeldLock, LintOptions, SourcePlace, Step, Warning, WarningKind, lint};
pub use load::{Loaded, load, load_on, load_with_harness};
pub use machine::{Config, Property, Surroundings, ThreadId};
pub use options::{
    Checkpoint, Dependence, EngineOptions, Explore, GivenInputs, Members, Options, OptionsError,
    Pieces, Portfolio, Trace as TraceOptions, parse_properties,
};
pub use race::{Access, Caller, Held, RaceReport};
pub use reasons::CutOff;
pub use smt::SolverStats;
pub use trace::{Line, LineKind, Trace};
pub use verdict::{Bug, Reason, Verdict};
pub use watch::{Progress, Quiet, StopReason, Watcher, resident_mb, resident_mb_of};
pub use witness::{
    Diverged, InvalidWitness, LONGEST_INPUT, ReplayError, Replayed, Witness, WitnessError, replay,
};

/// A fault of Sleave itself, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum Internal {
    #[error(transparent)]
    Search(#[from] explore::Error),
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error("{0}, which took turns with the main search, died")]
    MemberDied(&'static str),
    #[error("a {property} was found but cannot be followed: {why}")]
    NotFollowed {
        property: &'static str,
        why: explore::Error,
    },
    #[error("a {property} at {location} was found but its replay ended otherwise: {message}")]
    EndedOtherwise {
        property: &'static str,
        location: String,
        message: String,
    },
    #[error("a {property} at {location} was found but cannot be replayed: {why}")]
    NotReplayed {
        property: &'static str,
        location: String,
        why: ReplayError,
    },
    #[error("the proof cannot be written to {}: {error}", path.display())]
    Proof {
        path: std::path::PathBuf,
        error: String,
    },
}

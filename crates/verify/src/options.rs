//! What a check is asked, of whom, and what it may cost.
//!
//! Each engine has options of its own, which say what it does and nothing else. What does not go
//! together and can still be written is refused in one place: [`Options::validate`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use explore::{Frontier, Properties, Search, Workers};
use machine::{Config, Property, Surroundings, ThreadId};
use serde::{Deserialize, Serialize};

use crate::explain::Lines;
use crate::known::Known;
use crate::watch::StopReason;

#[derive(Clone, Debug)]
pub struct Options {
    pub machine: Config,
    pub properties: Properties,
    /// Go on after a bug, and count every execution.
    pub all: bool,
    /// Who answers.
    pub engine: EngineOptions,
    pub time_limit: Option<Duration>,
    pub memory_limit_mb: Option<u64>,
    /// Per query.
    pub solver_timeout: Duration,
    /// Raised from outside to stop early.
    pub interrupt: Arc<AtomicBool>,
    /// Why it was raised.
    pub reason: StopReason,
    /// Kept up to date, for whoever must report in place of the check.
    pub known: Known,
}

/// What `sleave check` does without flags (`cli::options` has a test of that).
impl Default for Options {
    fn default() -> Self {
        let surroundings = Surroundings {
            any_args: true,
            ..Surroundings::default()
        };
        Options {
            machine: Config {
                surroundings,
                ..Config::default()
            },
            properties: Properties::all(),
            all: false,
            engine: EngineOptions::Portfolio(Portfolio::default()),
            time_limit: None,
            memory_limit_mb: None,
            solver_timeout: Duration::from_secs(30),
            interrupt: Arc::new(AtomicBool::new(false)),
            reason: StopReason::default(),
            known: Known::default(),
        }
    }
}

#[derive(Clone, Debug)]
pub enum EngineOptions {
    /// Several engines that take turns.
    Portfolio(Portfolio),
    /// The explorer alone.
    Explore(Explore),
    /// Static facts alone, without a search.
    Static,
    /// All interleavings and inputs in one formula (P3).
    Trace(Trace),
}

/// Values for inputs, as a witness has them.
#[derive(Clone, Debug)]
pub struct GivenInputs {
    /// By name: thread, how many inputs it has asked for before, what it asks for. Others are zero.
    pub values: BTreeMap<String, u128>,
    /// The threads that they are named after: the parent of each, and which of its children it is.
    pub threads: Vec<(ThreadId, u32)>,
}

impl GivenInputs {
    /// By name, of a program whose threads are made by `main`: `T3` is the third. `None`: one of
    /// the names is none.
    pub fn by_name(values: BTreeMap<String, u128>) -> Option<GivenInputs> {
        let mut last = ThreadId::MAIN;
        for name in values.keys() {
            last = last.max(InputName::of(name)?.thread);
        }
        let children = (0..last.0).map(|index| (ThreadId::MAIN, index));
        let threads = std::iter::once((ThreadId::MAIN, 0)).chain(children);
        Some(GivenInputs {
            values,
            threads: threads.collect(),
        })
    }
}

/// The name of an input that a thread asks for.
pub(crate) struct InputName<'n> {
    pub thread: ThreadId,
    pub index: u32,
    pub what: &'n str,
}

impl InputName<'_> {
    pub fn of(name: &str) -> Option<InputName<'_>> {
        let (thread, rest) = name.strip_prefix('T')?.split_once('.')?;
        let (index, what) = rest.split_once('.')?;
        Some(InputName {
            thread: ThreadId(thread.parse().ok()?),
            index: index.parse().ok()?,
            what,
        })
    }
}

/// The trace engine.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Everything is unrolled before solving, loops so often: the paper's BMC. `None`: as far as
    /// executions have gone.
    pub whole: Option<u32>,
    /// Nothing is left out that cannot matter: the paper's TDV without its optimisations.
    pub plain: bool,
    /// No operation is left out because nothing depends on it.
    pub unsliced: bool,
    /// The order of events is kept by numbers in place of a graph: slow, and plainly right.
    pub clocks: bool,
    /// Values for the inputs: the paper's test vector. `None`: all inputs.
    pub inputs: Option<GivenInputs>,
    /// If the program proves to be safe, say what no execution does, at these lines.
    pub explain: Option<Lines>,
    /// Where the proof goes that the answers of the solver are right.
    pub proof: Option<PathBuf>,
}

impl From<Explore> for EngineOptions {
    fn from(explore: Explore) -> EngineOptions {
        EngineOptions::Explore(explore)
    }
}

impl From<Search> for EngineOptions {
    fn from(search: Search) -> EngineOptions {
        Explore::of(search).into()
    }
}

/// A search by the explorer, and others that take turns with it if it is long.
#[derive(Clone, Debug)]
pub struct Portfolio {
    pub main: Explore,
    /// Who joins it.
    pub members: Members,
    /// So does the trace engine.
    pub trace: bool,
    /// Where random choices of the bug hunt start.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// A short bug hunt, at random and with few preemptions, or with few threads.
    BugHunt,
    /// That, and searches that may prove sooner what is to be proved.
    All,
}

impl Default for Portfolio {
    fn default() -> Portfolio {
        Portfolio {
            main: Explore {
                search: Search::Optimal {
                    peek: true,
                    workers: Workers::on_all_cores(),
                },
                dependence: Dependence::Predicate,
                explain: None,
                pieces: None,
            },
            members: Members::All,
            trace: true,
            seed: 0,
        }
    }
}

/// A search by the explorer (P1, P4).
#[derive(Clone, Debug)]
pub struct Explore {
    pub search: Search,
    pub dependence: Dependence,
    /// Of a program that proves to be safe, say why, at these lines, from the search's summaries.
    pub explain: Option<Lines>,
    /// Do an optimal search piece by piece.
    pub pieces: Option<Pieces>,
}

impl Explore {
    /// With every access a scheduling point.
    pub fn of(search: Search) -> Explore {
        Explore {
            search,
            dependence: Dependence::Conflict,
            explain: None,
            pieces: None,
        }
    }

    /// With only those accesses scheduling points on which a property may depend.
    pub fn predicate(search: Search) -> Explore {
        Explore {
            dependence: Dependence::Predicate,
            ..Explore::of(search)
        }
    }
}

/// Which operations may depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// Those that access the same, one of them writing.
    #[default]
    Conflict,
    /// Of these, those on which a property may depend (P4). Jumps on inputs on which nothing
    /// depends are don't-care branches (P1).
    Predicate,
    /// Likewise, but every jump on an input goes both ways.
    PredicateOfAccesses,
}

/// A search that can be left and taken up again (see [`crate::Job`]).
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// Go on with this.
    pub resume: Option<Arc<Frontier>>,
    pub checkpoint: Option<Checkpoint>,
    /// Leave the rest after so many executions.
    pub executions: Option<u64>,
}

/// Where a search is saved from time to time, and how often at most.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub path: PathBuf,
    pub every: Duration,
}

/// Options that make no sense together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    #[error(transparent)]
    Races(explore::Error),
    #[error("only summaries can be explained: this search makes none")]
    ExplainsNoSummaries,
    #[error("only a search with --por optimal, of everything, can be saved or made a job")]
    NoPieces,
    #[error("a proof is of an order in a graph: there is none with --clocks")]
    NoProofOfClocks,
    #[error("unknown property {name}; there are {known}, and all")]
    UnknownProperty { name: String, known: String },
}

impl Options {
    /// What this engine answers.
    pub fn with(engine: impl Into<EngineOptions>) -> Options {
        Options {
            engine: engine.into(),
            ..Options::default()
        }
    }

    /// Whether everything that is asked for goes together.
    pub fn validate(&self) -> Result<(), OptionsError> {
        if let EngineOptions::Trace(trace) = &self.engine
            && trace.clocks
            && trace.proof.is_some()
        {
            return Err(OptionsError::NoProofOfClocks);
        }
        let Some(explore) = self.explore() else {
            return Ok(());
        };
        let search = &explore.search;
        if self.properties.contains(Property::Race)
            && let Some(why) = search.needs_no_races()
        {
            return Err(OptionsError::Races(why));
        }
        if explore.explain.is_some() && search.summaries().is_none() {
            return Err(OptionsError::ExplainsNoSummaries);
        }
        if explore.pieces.is_some() && !matches!(search, Search::Optimal { .. }) {
            return Err(OptionsError::NoPieces);
        }
        Ok(())
    }

    /// The main search, if one is made.
    pub fn explore(&self) -> Option<&Explore> {
        match &self.engine {
            EngineOptions::Portfolio(portfolio) => Some(&portfolio.main),
            EngineOptions::Explore(explore) => Some(explore),
            EngineOptions::Static | EngineOptions::Trace(_) => None,
        }
    }

    pub fn explore_mut(&mut self) -> Option<&mut Explore> {
        match &mut self.engine {
            EngineOptions::Portfolio(portfolio) => Some(&mut portfolio.main),
            EngineOptions::Explore(explore) => Some(explore),
            EngineOptions::Static | EngineOptions::Trace(_) => None,
        }
    }

    pub(crate) fn explains(&self) -> bool {
        let lines = match &self.engine {
            EngineOptions::Trace(trace) => trace.explain.as_ref(),
            _ => self.explore().and_then(|explore| explore.explain.as_ref()),
        };
        lines.is_some()
    }

    pub(crate) fn pieces(&self) -> Option<&Pieces> {
        self.explore().and_then(|explore| explore.pieces.as_ref())
    }
}

/// Properties by name.
pub fn parse_properties(names: &[String]) -> Result<Properties, OptionsError> {
    let mut all = Properties::all().0;
    all.insert(Property::Race);
    let name_of = |property: &Property| property.name().replace(' ', "-");
    let mut chosen = BTreeSet::new();
    for name in names {
        if name == "all" {
            chosen.extend(&all);
            continue;
        }
        let found = all.iter().find(|p| name_of(p) == *name || p.name() == name);
        let property = found.ok_or_else(|| OptionsError::UnknownProperty {
            name: name.clone(),
            known: all.iter().map(name_of).collect::<Vec<_>>().join(", "),
        })?;
        chosen.insert(*property);
    }
    Ok(Properties(chosen))
}

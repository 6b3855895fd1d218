//! What is asked of a search, and which search it is asked of.
//!
//! Each search has options of its own, so that what does not go together cannot be written. One
//! rule is left, since it is about the question: a search for races leaves nothing out
//! ([`Search::needs_no_races`]).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use machine::{Config, Peeking, Probes, Property, SharedSet, Shown};

use crate::dependence::Independence;
use crate::error::Error;
use crate::outcome::Properties;
use crate::random::Sampling;
use crate::summaries::Limits;
use crate::worker_pool::Workers;

#[derive(Clone, Debug)]
pub struct Options {
    pub machine: Config,
    pub search: Search,
    pub properties: Properties,
    /// Go on after a fault.
    pub all: bool,
    /// Marked accesses are no scheduling points, marked jumps no questions (see
    /// `machine::Program::with_marks`).
    pub slices: bool,
    /// Per query.
    pub solver_timeout: Duration,
    pub interrupt: Arc<AtomicBool>,
    /// Memory that is known to be shared from the beginning. There may be too much of it: then there
    /// are more scheduling points, and nothing is lost.
    pub shared: SharedSet,
}

/// Which executions are followed.
#[derive(Clone, Debug)]
pub enum Search {
    /// All of them.
    Naive(Prune),
    /// Enough for every Mazurkiewicz trace: persistent sets (Flanagan and Godefroid).
    Dpor {
        /// Atomic updates of one kind whose results nobody uses are independent.
        commute: bool,
        /// Critical sections are looked into: those that access different cells are independent.
        peek: bool,
        summaries: Option<Summarise>,
    },
    /// One per Mazurkiewicz trace, and some that are cut short: source sets and sleep sets.
    Source {
        commute: bool,
        peek: bool,
        besides: Besides,
    },
    /// One per Mazurkiewicz trace.
    Optimal { peek: bool, workers: Workers },
    /// Those with at most so many preemptions.
    Preemptions { bound: u32 },
    /// Some, at random.
    Random(Sampling),
}

/// Which states the naive search does not go on from.
#[derive(Clone, Debug, Default)]
pub enum Prune {
    #[default]
    Nothing,
    /// From which nothing can fail, by a summary (P1).
    Summaries(Summarise),
    /// That were explored before (see `states`).
    States,
}

/// What a search with source sets leaves out besides.
#[derive(Clone, Debug, Default)]
pub enum Besides {
    #[default]
    Nothing,
    /// The order of writes that nobody sees (see [`Independence`]).
    Observers,
    /// States from which nothing can fail, by a summary (P1). What is seen of writes is known only
    /// at the end of executions, which a summary cuts short: this does not go with observers.
    Summaries(Summarise),
}

/// How summaries are made.
#[derive(Clone, Debug, Default)]
pub struct Summarise {
    pub limits: Limits,
    /// The monitor is given the summaries when everything was searched. There are some at these
    /// jumps, too.
    pub explains: Option<Arc<Shown>>,
}

impl Search {
    /// Every interleaving: the search that all others are measured against.
    pub fn naive() -> Search {
        Search::Naive(Prune::Nothing)
    }

    pub fn dpor() -> Search {
        Search::Dpor {
            commute: false,
            peek: false,
            summaries: None,
        }
    }

    pub fn source() -> Search {
        Search::Source {
            commute: false,
            peek: false,
            besides: Besides::Nothing,
        }
    }

    pub fn optimal() -> Search {
        Search::Optimal {
            peek: false,
            workers: Workers::default(),
        }
    }

    /// What the search takes to be independent.
    pub fn independence(&self) -> Independence {
        match self {
            Search::Dpor { commute, .. } => Independence {
                commute: *commute,
                observers: false,
            },
            Search::Source {
                commute, besides, ..
            } => Independence {
                commute: *commute,
                observers: matches!(besides, Besides::Observers),
            },
            _ => Independence::default(),
        }
    }

    /// Whether critical sections are looked into.
    pub fn peeks(&self) -> bool {
        match self {
            Search::Dpor { peek, .. }
            | Search::Source { peek, .. }
            | Search::Optimal { peek, .. } => *peek,
            Search::Naive(_) | Search::Preemptions { .. } | Search::Random(_) => false,
        }
    }

    pub fn without_peeking(mut self) -> Search {
        if let Search::Dpor { peek, .. }
        | Search::Source { peek, .. }
        | Search::Optimal { peek, .. } = &mut self
        {
            *peek = false;
        }
        self
    }

    /// How summaries are made, if they are.
    pub fn summaries(&self) -> Option<&Summarise> {
        match self {
            Search::Naive(Prune::Summaries(summarise)) => Some(summarise),
            Search::Dpor { summaries, .. } => summaries.as_ref(),
            Search::Source {
                besides: Besides::Summaries(summarise),
                ..
            } => Some(summarise),
            _ => None,
        }
    }

    pub fn summaries_mut(&mut self) -> Option<&mut Summarise> {
        match self {
            Search::Naive(Prune::Summaries(summarise)) => Some(summarise),
            Search::Dpor { summaries, .. } => summaries.as_mut(),
            Search::Source {
                besides: Besides::Summaries(summarise),
                ..
            } => Some(summarise),
            _ => None,
        }
    }

    /// Whether every execution is followed, up to those that show the same.
    pub fn is_exhaustive(&self) -> bool {
        !matches!(self, Search::Preemptions { .. } | Search::Random(_))
    }

    /// What of this search does not go with races, which are about accesses that were made: they
    /// are not in summaries or states, and steps that commute may still order others.
    pub fn needs_no_races(&self) -> Option<Error> {
        if self.independence().is_finer() {
            return Some(Error::IndependenceForRaces);
        }
        if self.summaries().is_some() {
            return Some(Error::SummariesForRaces);
        }
        matches!(self, Search::Naive(Prune::States)).then_some(Error::StatesForRaces)
    }
}

impl Options {
    /// Whether the search can answer the question.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        let races = self.properties.contains(Property::Race);
        let refused = races.then(|| self.search.needs_no_races());
        refused.flatten().map_or(Ok(()), Err)
    }

    /// The probes of a search that reduces: it looks into critical sections if it is asked to.
    pub(crate) fn probes(&self, known: &Peeking) -> Probes {
        match self.search.peeks() {
            true => Probes::default().with_peek(known.clone()),
            false => Probes::default(),
        }
    }
}

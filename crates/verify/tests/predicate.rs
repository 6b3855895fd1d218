//! Verdicts of searches that look only at what the asked-for properties depend on, against the
//! reference interpreter of the `oracle` crate, on random programs in which about half the
//! statements depend on nothing that is asked for.
//!
//! Every program is checked for assertions, for deadlocks and for everything, since each has a
//! slice of its own.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones;
//! `SLEAVE_CONFIGURATION=NAME` restricts it to one of the [`configurations`]; `SLEAVE_FIRST=1`
//! stops at the first difference and does not make it small.

mod batch;
mod campaign;
#[path = "campaign/verdicts.rs"]
mod verdicts;

use oracle::{Config, Weights};
use verdicts::{Campaign, Configuration, Counts, only};
use verify::{
    Besides, Dependence, Explore, Options, Properties, Property, Search, Summarise, Workers,
};

/// The searches that are compared, each with a name.
fn configurations() -> Vec<Configuration> {
    let optimal = |peek| Search::Optimal {
        peek,
        workers: Workers::default(),
    };
    let finest = Search::Source {
        commute: true,
        peek: true,
        besides: Besides::Observers,
    };
    let dpor = Search::Dpor {
        commute: false,
        peek: true,
        summaries: None,
    };
    let with = |(name, search)| Configuration {
        name,
        options: Options::with(Explore::predicate(search)),
        asked: vec![
            Properties::all(),
            only(Property::Assertion),
            only(Property::Deadlock),
        ],
    };
    [
        ("predicate", optimal(false)),
        ("optimal", optimal(true)),
        ("dpor", dpor),
        ("finest", finest),
    ]
    .map(with)
    .into()
}

#[test]
fn what_is_left_out_hides_no_bug() {
    let campaign = Campaign {
        configurations: configurations(),
        program: |seed| oracle::generate(&config(seed), seed),
        counts: Counts::default(),
        together: campaign::BATCH,
    };
    campaign.run(0..500);
}

/// Jumps on inputs on which nothing depends go one way. The naive search takes part, and so do
/// searches that prune.
#[test]
fn what_goes_one_way_hides_no_bug() {
    let summaries = Search::Source {
        commute: false,
        peek: false,
        besides: Besides::Summaries(Summarise::default()),
    };
    let dpor = Search::Dpor {
        commute: false,
        peek: false,
        summaries: Some(Summarise::default()),
    };
    let more = [
        ("one way, none", Search::naive()),
        ("one way, summaries", summaries),
        ("one way, dpor with summaries", dpor),
    ];
    let more = more.map(|(name, search)| Configuration {
        name,
        options: Options::with(Explore::predicate(search)),
        asked: vec![Properties::all(), only(Property::Assertion)],
    });
    let campaign = Campaign {
        configurations: configurations().into_iter().chain(more).collect(),
        program: |seed| oracle::generate(&Config::irrelevant_branches(), seed),
        counts: Counts::default(),
        together: campaign::BATCH,
    };
    let counts = campaign.run(0..300);
    assert!(counts.dont_care_branches.into_inner() > 0);
    assert!(counts.pruned.into_inner() > 0);
}

/// Critical sections that wait on conditions are looked into where nobody wakes for nothing.
/// Programs in which one mutex protects everything have many.
#[test]
fn sections_that_wait_hide_no_bug() {
    let mut finest = configurations().pop().expect("the finest");
    finest.options.machine.spurious_wakeups = false;
    let mut without_slice = finest.options.clone();
    let explore = without_slice.explore_mut().expect("a search");
    explore.dependence = Dependence::Conflict;
    let conflict = Configuration {
        name: "waits, conflict",
        options: without_slice,
        asked: finest.asked.clone(),
    };
    let predicate = Configuration {
        name: "waits, predicate",
        ..finest
    };
    let campaign = Campaign {
        configurations: vec![conflict, predicate],
        program: |seed| oracle::generate(&Config::monitor(), seed),
        counts: Counts::default(),
        together: campaign::BATCH,
    };
    campaign.run(0..500);
}

/// One schedule is followed only where it stands for all. What all programs of a batch have in
/// common is not enough for that: each is compiled alone.
#[test]
fn one_schedule_shows_what_all_would() {
    let options = Options::with(Explore::predicate(Search::Optimal {
        peek: true,
        workers: Workers::default(),
    }));
    let campaign = Campaign {
        configurations: vec![Configuration {
            name: "agreed",
            options,
            asked: vec![only(Property::Assertion)],
        }],
        program: |seed| oracle::generate(&Config::half_irrelevant(), seed),
        counts: Counts::default(),
        together: 1,
    };
    let agreed = campaign.run(0..200).one_schedule.into_inner();
    assert!(agreed > 0);
}

/// Odd seeds have condition variables, every fourth has many critical sections.
fn config(seed: u64) -> Config {
    let usual = Config::half_irrelevant();
    match seed % 4 {
        1 | 3 => Config {
            conditions: 1..=1,
            mutexes: 1..=2,
            ..usual
        },
        2 => Config {
            mutexes: 1..=1,
            weights: Weights {
                critical_section: 60,
                ..usual.weights.clone()
            },
            ..usual
        },
        _ => usual,
    }
}

//! Verdicts of searches that prune by summaries, against the reference interpreter of the `oracle` crate, on random programs with
//! everything in them of which about half fail, often on one schedule and one input alone.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones; `SLEAVE_CONFIGURATION=NAME` restricts it to one of the
//! [`configurations`]; `SLEAVE_FIRST=1` stops at the first difference and does not make it small.

mod batch;
mod campaign;
#[path = "campaign/verdicts.rs"]
mod verdicts;

use oracle::{Config, Weights};
use verdicts::{Campaign, Configuration, Counts, only};
use verify::{Dependence, Independence, Limits, Options, Properties, Property, Reduction};

/// The searches that are compared, each with a name.
fn configurations() -> Vec<Configuration> {
    let with = |reduction| Options {
        reduction,
        summaries: Some(Limits::default()),
        ..Options::default()
    };
    let predicate = Options {
        dependence: Dependence::Predicate,
        ..with(Reduction::Source)
    };
    let commute = Options {
        independence: Independence {
            commute: true,
            observers: false,
        },
        ..with(Reduction::Source)
    };
    let peek = Options {
        peek: true,
        ..predicate.clone()
    };
    // So little room that summaries are replaced and given up all the time.
    let tight = Options {
        summaries: Some(Limits {
            states: 40,
            summaries: 2,
            size: 60,
            patience: 5,
            trial: 100,
        }),
        ..with(Reduction::Source)
    };
    let (all, assertions) = (Properties::all, || only(Property::Assertion));
    let configuration = |(name, options, asked)| Configuration {
        name,
        options,
        asked,
    };
    [
        ("source", with(Reduction::Source), vec![all(), assertions()]),
        ("dpor", with(Reduction::Dpor), vec![all()]),
        ("none", with(Reduction::None), vec![all()]),
        ("predicate", predicate, vec![all(), assertions()]),
        ("peek", peek, vec![all(), assertions()]),
        ("commute", commute, vec![assertions()]),
        ("tight", tight, vec![all()]),
    ]
    .map(configuration)
    .into()
}

#[test]
fn what_is_pruned_hides_no_bug() {
    let campaign = Campaign {
        configurations: configurations(),
        program: |seed| oracle::generate(&config(seed), seed),
        counts: Counts::default(),
        together: campaign::BATCH,
    };
    let counts = campaign.run(0..1000);
    let percent = 100 * counts.failing.into_inner() / counts.programs.into_inner();
    assert!((30..=70).contains(&percent), "{percent} % fail");
    assert!(counts.pruned.into_inner() > 0);
}

/// Three of four programs have more of something: semaphores, addresses, locks. There who can go on, and what meets what, depends
/// on branches.
fn config(seed: u64) -> Config {
    let usual = Config::everything();
    let weights = usual.weights.clone();
    match seed % 4 {
        1 => Config {
            semaphores: 1..=2,
            mutexes: 0..=1,
            weights: Weights {
                semaphore: 60,
                consult: 40,
                ..weights
            },
            ..usual
        },
        2 => Config {
            weights: Weights {
                indirect: 45,
                choose_pointer: 16,
                ..weights
            },
            ..usual
        },
        3 => Config {
            conditions: 1..=1,
            weights: Weights {
                condition: 30,
                kept_if: 12,
                ..weights
            },
            ..usual
        },
        _ => usual,
    }
}

//! Verdicts of searches that prune by summaries, against the reference interpreter of the `oracle` crate, on random programs with
//! everything in them of which about half fail, often on one schedule and one input alone.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones; `SLEAVE_CONFIGURATION=NAME` restricts it to one of the
//! [`configurations`]; `SLEAVE_FIRST=1` stops at the first difference and does not make it small.

mod batch;
mod campaign;
#[path = "campaign/verdicts.rs"]
mod verdicts;

use oracle::Config;
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
    // So little room that summaries are replaced and given up all the time.
    let tight = Options {
        summaries: Some(Limits {
            states: 40,
            summaries: 2,
            size: 60,
            patience: 5,
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
        program: |seed| oracle::generate(&Config::everything(), seed),
        counts: Counts::default(),
        together: campaign::BATCH,
    };
    let counts = campaign.run(0..1000);
    let percent = 100 * counts.failing.into_inner() / counts.programs.into_inner();
    assert!((30..=70).contains(&percent), "{percent} % fail");
    assert!(counts.pruned.into_inner() > 0);
}

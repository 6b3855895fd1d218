//! Verdicts of searches that prune by summaries, against the reference interpreter of the `oracle`
//! crate, on random programs with everything in them of which about half fail, often on one
//! schedule and one input alone; and on small ones in which what a thread accesses next depends on
//! what it has read.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones;
//! `SLEAVE_CONFIGURATION=NAME` restricts it to one of the [`configurations`]; `SLEAVE_FIRST=1`
//! stops at the first difference and does not make it small.

mod batch;
mod campaign;
#[path = "campaign/verdicts.rs"]
mod verdicts;

use std::ops::Range;

use oracle::{Config, Program, Weights};
use verdicts::{Campaign, Configuration, Counts, only};
use verify::{Besides, Explore, Limits, Options, Properties, Property, Prune, Search, Summarise};

/// The searches that are compared, each with a name.
fn configurations() -> Vec<Configuration> {
    let source = |commute, peek, limits| Search::Source {
        commute,
        peek,
        besides: Besides::Summaries(Summarise {
            limits,
            explains: None,
        }),
    };
    let plain = |commute, peek| source(commute, peek, Limits::default());
    let dpor = Search::Dpor {
        commute: false,
        peek: false,
        summaries: Some(Summarise::default()),
    };
    let naive = Search::Naive(Prune::Summaries(Summarise::default()));
    let predicate = Options::with(Explore::predicate(plain(false, false)));
    let peek = Options::with(Explore::predicate(plain(false, true)));
    // So little room that summaries are replaced and given up all the time.
    let tight = Limits {
        states: 40,
        summaries: 2,
        size: 60,
        patience: 5,
        trial: 100,
    };
    let (all, assertions) = (Properties::all, || only(Property::Assertion));
    let configuration = |(name, options, asked)| Configuration {
        name,
        options,
        asked,
    };
    [
        (
            "source",
            Options::with(plain(false, false)),
            vec![all(), assertions()],
        ),
        ("dpor", Options::with(dpor), vec![all()]),
        ("none", Options::with(naive), vec![all()]),
        ("predicate", predicate, vec![all(), assertions()]),
        ("peek", peek, vec![all(), assertions()]),
        (
            "commute",
            Options::with(plain(true, false)),
            vec![assertions()],
        ),
        (
            "tight",
            Options::with(source(false, false, tight)),
            vec![all()],
        ),
    ]
    .map(configuration)
    .into()
}

#[test]
fn what_is_pruned_hides_no_bug() {
    hides_no_bug(|seed| oracle::generate(&config(seed), seed), 0..1000);
}

#[test]
fn who_accesses_something_else_is_not_left_out() {
    let program = |seed| oracle::generate(&accesses_something_else(seed), seed);
    hides_no_bug(program, 0..400);
}

fn hides_no_bug(program: fn(u64) -> Program, usual: Range<u64>) {
    let campaign = Campaign {
        configurations: configurations(),
        program,
        counts: Counts::default(),
        together: campaign::BATCH,
    };
    let counts = campaign.run(usual);
    let percent = 100 * counts.failing.into_inner() / counts.programs.into_inner();
    assert!((30..=70).contains(&percent), "{percent} % fail");
    assert!(counts.pruned.into_inner() > 0);
}

/// Three of four programs have more of something: semaphores, addresses, locks. There who can go
/// on, and what meets what, depends on branches.
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

/// Which element of the array a thread accesses depends on what it has read, and others change that
/// meanwhile. So the next step of a thread that slept when a summary was made may access something
/// else where it is used.
fn accesses_something_else(seed: u64) -> Config {
    let usual = Config::everything();
    Config {
        // Two threads meet in the array, and a third one changes where. If some start late, fewer
        // programs show it. They are short and the bound is low, so that such programs cost about
        // as much as the others.
        threads: 3..=3,
        main: 2..=3,
        late: 0,
        statements: 1..=2,
        max_interleavings: 5000,
        locals: 1..=1,
        // So what others change is what the index was read from.
        shared: 1..=1,
        // Who waits for whom is what the other programs are about.
        mutexes: 0..=1,
        semaphores: 0..=0,
        conditions: 0..=0,
        // Programs without inputs show it more often, but others should be there, too.
        inputs: 0..=(seed % 2) as usize,
        weights: Weights {
            indirect: 150,
            update: 80,
            ..usual.weights.clone()
        },
        // What is lost is one order of two accesses. A rare failure is more likely to need just
        // that one.
        tries: 10,
        ..usual
    }
}

/// From one state an access comes after a wait in one execution and not in another.
#[test]
fn what_an_access_comes_after_it_does_in_every_execution() {
    let name = "../../tests/programs/bug/prune_waits_in_one_execution.c";
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let loaded = verify::load(&[file], &[]).expect("a program that compiles");
    for configuration in configurations() {
        let checked = verify::check(&loaded, &configuration.options, &mut verify::Quiet);
        let verdict = checked.expect("a verdict").verdict;
        let name = configuration.name;
        assert!(matches!(verdict, verify::Verdict::Bug(_)), "{name}");
    }
}

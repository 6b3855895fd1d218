//! Verdicts of searches that look only at what the asked-for properties depend on, against the reference interpreter of the
//! `oracle` crate, on random programs in which about half the statements depend on nothing that is asked for.
//!
//! Final states are not compared: what is irrelevant may end as it likes. Every program is checked for assertions, for deadlocks
//! and for everything, since each has a slice of its own.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones; `SLEAVE_CONFIGURATION=NAME` restricts it to one of the
//! [`configurations`]; `SLEAVE_FIRST=1` stops at the first difference and does not make it small.

mod batch;
mod campaign;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use batch::{Batch, letter};
use machine::Cutoff;
use oracle::{Behaviours, Config, Program, Semantics, Weights};
use verify::{
    Checked, Dependence, Independence, Internal, Loaded, Options, Properties, Property, Quiet,
    Reduction, Verdict,
};

/// The searches that are compared, each with a name.
fn configurations() -> Vec<(&'static str, Options)> {
    let optimal = Options {
        reduction: Reduction::Optimal,
        ..Options::default()
    };
    let finest = Options {
        reduction: Reduction::Source,
        independence: Independence {
            commute: true,
            observers: true,
        },
        ..Options::default()
    };
    let predicate = |options: &Options| Options {
        dependence: Dependence::Predicate,
        ..options.clone()
    };
    let all = |options: &Options| Options {
        peek: true,
        ..predicate(options)
    };
    let dpor = Options {
        reduction: Reduction::Dpor,
        ..Options::default()
    };
    vec![
        ("predicate", predicate(&optimal)),
        ("optimal", all(&optimal)),
        ("dpor", all(&dpor)),
        ("finest", all(&finest)),
    ]
}

/// What is asked for.
fn questions() -> [Properties; 3] {
    let only = |property| Properties([property].into());
    [
        Properties::all(),
        only(Property::Assertion),
        only(Property::Deadlock),
    ]
}

#[test]
fn what_is_left_out_hides_no_bug() {
    let wanted = std::env::var("SLEAVE_CONFIGURATION").ok();
    for (name, options) in configurations() {
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            campaign::compare(campaign::seeds(0..500), |seeds| {
                differences(name, &options, seeds)
            });
        }
    }
}

/// One schedule is followed only where it stands for all. What all programs of a batch have in common is not enough for that: each
/// is compiled alone.
#[test]
fn one_schedule_shows_what_all_would() {
    let options = Options {
        reduction: Reduction::Optimal,
        dependence: Dependence::Predicate,
        peek: true,
        ..Options::default()
    };
    let agreed = AtomicU64::new(0);
    campaign::compare(campaign::seeds(0..200), |seeds| {
        let mut reports = Vec::new();
        for seed in seeds {
            let program = oracle::generate(&Config::half_irrelevant(), seed);
            let asked = Properties([Property::Assertion].into());
            let (loaded, batch) = campaign::load(std::slice::from_ref(&program));
            let expected = oracle::behaviours(&program, Semantics::default());
            let checked = check(&loaded, 0, &options, &asked);
            agreed.fetch_add(
                u64::from(checked.is_ok_and(|c| c.outcome.one_schedule)),
                Ordering::Relaxed,
            );
            let differs = verdict_differs(&loaded, &batch, 0, &options, asked, &expected);
            if let Some(why) = differs {
                let source = oracle::render(&program).source;
                reports.push(format!("seed {seed}: {why}\n{source}"));
            }
        }
        reports
    });
    let agreed = agreed.into_inner();
    eprintln!("{agreed} programs in which one schedule was enough");
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

fn differences(name: &str, options: &Options, seeds: Range<u64>) -> Vec<String> {
    let programs: Vec<Program> = seeds
        .clone()
        .map(|seed| oracle::generate(&config(seed), seed))
        .collect();
    let mut reports = Vec::new();
    for ((seed, program), why) in seeds.zip(&programs).zip(disagreements(options, &programs)) {
        let Some(why) = why else {
            continue;
        };
        let why = format!("{name}, seed {seed}: {why}");
        eprintln!("{why}");
        if campaign::only_first() {
            return vec![why];
        }
        let differs = |p: &Program| disagreements(options, std::slice::from_ref(p))[0].is_some();
        let small = oracle::minimise(program, differs);
        reports.push(format!("{why}\n{}", oracle::render(&small).source));
    }
    reports
}

/// For each program, in what the verdict differs from the reference.
fn disagreements(options: &Options, programs: &[Program]) -> Vec<Option<String>> {
    let (loaded, batch) = campaign::load(programs);
    let disagreement = |(index, program): (usize, &Program)| {
        let expected = oracle::behaviours(program, Semantics::default());
        questions()
            .into_iter()
            .find_map(|asked| verdict_differs(&loaded, &batch, index, options, asked, &expected))
    };
    let programs = batch.programs.iter();
    programs.enumerate().map(disagreement).collect()
}

fn check(
    loaded: &Loaded,
    index: usize,
    options: &Options,
    asked: &Properties,
) -> Result<Checked, Internal> {
    let mut options = Options {
        all: true,
        properties: asked.clone(),
        ..options.clone()
    };
    options.machine.args = vec![letter(index).to_string()];
    verify::check(loaded, &options, &mut Quiet)
}

/// Bugs of the two kinds there are in these programs: a failing assertion, a deadlock.
fn verdict_differs(
    loaded: &Loaded,
    batch: &Batch<'_>,
    index: usize,
    options: &Options,
    asked: Properties,
    expected: &Behaviours,
) -> Option<String> {
    let checked = match check(loaded, index, options, &asked) {
        Ok(checked) => checked,
        Err(fault) => return Some(fault.to_string()),
    };
    // Runs that end in a fault that is not asked for hide nothing here: the fault ends them for the reference, too.
    let outcome = &checked.outcome;
    let ends = |cutoff: &Cutoff| matches!(cutoff, Cutoff::OtherFault(_));
    let others = expected.can_fail() && !asked.contains(Property::Assertion);
    if outcome.stopped.is_some() || !outcome.cut_off.keys().all(|(c, _)| others && ends(c)) {
        return Some(format!("not complete: {outcome:?}"));
    }
    let bugs = match &checked.verdict {
        Verdict::Bug(bugs) => bugs.as_slice(),
        Verdict::Safe | Verdict::Unknown(_) => &[],
    };
    for (property, possible) in [
        (Property::Assertion, expected.can_fail()),
        (Property::Deadlock, expected.deadlock),
    ] {
        let found = bugs.iter().any(|bug| bug.property == property);
        if asked.contains(property) && found != possible {
            let what = if possible { "missed" } else { "impossible" };
            return Some(format!(
                "{what}: {}, asked for {:?}",
                property.name(),
                asked.0
            ));
        }
    }
    for bug in bugs {
        let fails = match campaign::assertion(batch, index, &bug.location) {
            _ if bug.property == Property::Deadlock => true,
            Ok(id) => expected.failing_assertions().contains(&id),
            Err(why) => return Some(why),
        };
        if !fails || !asked.contains(bug.property) {
            return Some(format!(
                "impossible: {} at {}",
                bug.property.name(),
                bug.location
            ));
        }
    }
    None
}

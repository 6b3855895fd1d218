//! Verdicts of searches that prune by summaries, against the reference interpreter of the `oracle` crate, on random programs of which
//! about half fail, often on one schedule and one input alone.
//!
//! Verdicts are compared, for assertions and for deadlocks. Final states are not: that is what is pruned. Nor is every assertion that can
//! fail, since what comes after a failure is not always looked at.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones; `SLEAVE_CONFIGURATION=NAME` restricts it to one of the
//! [`configurations`]; `SLEAVE_FIRST=1` stops at the first difference and does not make it small.

mod batch;
mod campaign;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use batch::{Batch, letter};
use oracle::{AssertId, Behaviours, Config, Program, Semantics, Weights};
use verify::{
    Dependence, Limits, Loaded, Options, Properties, Property, Quiet, Reduction, Verdict,
};

/// The searches that are compared, each with a name.
fn configurations() -> Vec<(&'static str, Options)> {
    let with = |reduction| Options {
        reduction,
        summaries: Some(Limits::default()),
        ..Options::default()
    };
    vec![
        ("source", with(Reduction::Source)),
        ("dpor", with(Reduction::Dpor)),
        ("none", with(Reduction::None)),
        (
            "predicate",
            Options {
                dependence: Dependence::Predicate,
                ..with(Reduction::Source)
            },
        ),
    ]
}

static PRUNED: AtomicU64 = AtomicU64::new(0);

#[test]
fn what_is_pruned_hides_no_bug() {
    let wanted = std::env::var("SLEAVE_CONFIGURATION").ok();
    for (name, options) in configurations() {
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            campaign::compare(campaign::seeds(0..250), |seeds| {
                differences(name, &options, seeds)
            });
        }
    }
    let pruned = PRUNED.load(Ordering::Relaxed);
    eprintln!("{pruned} runs were pruned");
    assert!(pruned > 0);
}

/// Odd seeds have condition variables; every third has pointers.
fn config(seed: u64) -> Config {
    let mut config = Config {
        inputs: 0..=2,
        failing: 50,
        ..Config::default()
    };
    if seed % 2 == 1 {
        config.conditions = 1..=1;
        config.mutexes = 1..=2;
    }
    if seed.is_multiple_of(3) {
        config.pointers = 0..=1;
        config.local_pointers = 0..=2;
        config.weights = Weights {
            pointer: 25,
            ..config.weights
        };
    }
    config
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
        differs(&loaded, &batch, index, options, &expected)
    };
    let programs = batch.programs.iter();
    programs.enumerate().map(disagreement).collect()
}

fn differs(
    loaded: &Loaded,
    batch: &Batch<'_>,
    index: usize,
    options: &Options,
    expected: &Behaviours,
) -> Option<String> {
    let mut options = Options {
        all: true,
        properties: Properties::all(),
        ..options.clone()
    };
    options.machine.args = vec![letter(index).to_string()];
    let checked = match verify::check(loaded, &options, &mut Quiet) {
        Ok(checked) => checked,
        Err(fault) => return Some(fault.to_string()),
    };
    let outcome = &checked.outcome;
    PRUNED.fetch_add(outcome.runs.pruned, Ordering::Relaxed);
    if !outcome.is_complete() {
        return Some(format!("not complete: {outcome:?}"));
    }
    let bugs = match &checked.verdict {
        Verdict::Bug(bugs) => bugs.as_slice(),
        Verdict::Safe | Verdict::Unknown(_) => &[],
    };
    let mut failing: Vec<AssertId> = Vec::new();
    for bug in bugs.iter().filter(|b| b.property == Property::Assertion) {
        match campaign::assertion(batch, index, &bug.location) {
            Ok(id) => failing.push(id),
            Err(why) => return Some(why),
        }
    }
    let possible = expected.failing_assertions();
    if failing.is_empty() && !possible.is_empty() {
        return Some(format!("missed: {possible:?}"));
    }
    if let Some(impossible) = failing.iter().find(|id| !possible.contains(id)) {
        return Some(format!("impossible: {impossible:?}"));
    }
    let deadlock = bugs.iter().any(|b| b.property == Property::Deadlock);
    if deadlock != expected.deadlock {
        let what = if deadlock { "impossible" } else { "missed" };
        return Some(format!("{what}: deadlock"));
    }
    None
}

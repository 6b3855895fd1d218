//! Every behaviour of random programs, as the explorer sees it, against the reference interpreter of the `oracle` crate.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones; half of them with condition variables.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use ir::Symbol;
use machine::Machine;
use oracle::{Behaviours, Config, Failure, Final, Program, Semantics};
use smt::Model;
use verify::{Options, Property, Verdict, Watcher};

/// Seeds that every test run covers.
const USUAL: Range<u64> = 0..2000;

#[test]
fn naive_search_sees_what_the_reference_sees() {
    let seeds = campaign().unwrap_or(USUAL);
    let next = AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let differences: Vec<String> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    let mut found = Vec::new();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= seeds.end {
                            return found;
                        }
                        found.extend(compare(seed));
                    }
                })
            })
            .collect();
        handles
            .into_iter()
            .flat_map(|h| h.join().expect("no panic"))
            .collect()
    });
    assert!(
        differences.is_empty(),
        "{} programs differ:\n{}",
        differences.len(),
        differences.join("\n\n")
    );
}

fn campaign() -> Option<Range<u64>> {
    let text = std::env::var("SLEAVE_CAMPAIGN").ok()?;
    let (first, last) = text
        .split_once("..")
        .expect("SLEAVE_CAMPAIGN is FIRST..LAST");
    Some(first.parse().expect("a seed")..last.parse().expect("a seed"))
}

/// Odd seeds have condition variables.
fn config(seed: u64) -> Config {
    if seed.is_multiple_of(2) {
        Config::default()
    } else {
        Config {
            conditions: 1..=1,
            mutexes: 1..=2,
            ..Config::default()
        }
    }
}

fn compare(seed: u64) -> Option<String> {
    let program = oracle::generate(&config(seed), seed);
    disagreement(&program)?;
    let small = oracle::minimise(&program, |p| disagreement(p).is_some());
    let why = disagreement(&small).expect("the minimised program still differs");
    Some(format!(
        "seed {seed}: {why}\n{}",
        oracle::render(&small).source
    ))
}

fn disagreement(program: &Program) -> Option<String> {
    let expected = oracle::behaviours(program, Semantics::default());
    match explore(program) {
        Ok(found) => oracle::difference(&expected, &found).map(|d| d.describe(program)),
        Err(why) => Some(why),
    }
}

/// All behaviours that Sleave finds.
fn explore(program: &Program) -> Result<Behaviours, String> {
    let rendered = oracle::render(program);
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file: PathBuf = folder.path().join("program.c");
    std::fs::write(&file, &rendered.source).map_err(|e| e.to_string())?;
    let loaded = verify::load(&[file], &[]).map_err(|e| e.to_string())?;
    let options = Options {
        all: true,
        ..Options::default()
    };
    let mut collector = Collector {
        program,
        finals: BTreeSet::new(),
    };
    let checked = verify::check(&loaded, &options, &mut collector).map_err(|e| e.to_string())?;
    if !checked.outcome.is_complete() {
        return Err(format!("not complete: {:?}", checked.outcome));
    }
    let mut found = Behaviours {
        finals: collector.finals,
        ..Behaviours::default()
    };
    if let Verdict::Bug(bugs) = &checked.verdict {
        for bug in bugs {
            let line = bug.location.rsplit(':').nth(1).and_then(|l| l.parse().ok());
            let failure = match bug.property {
                Property::Deadlock => {
                    found.deadlock = true;
                    continue;
                }
                Property::Assertion => {
                    let id = line.and_then(|l| rendered.assertion_at(l));
                    Failure::Assertion(
                        id.ok_or_else(|| format!("no assertion at {}", bug.location))?,
                    )
                }
                Property::LockMisuse => Failure::LockMisuse,
                Property::Memory => Failure::OutOfBounds,
                other => return Err(format!("{} at {}", other.name(), bug.location)),
            };
            found.failures.insert(failure);
        }
    }
    Ok(found)
}

/// Final states of complete executions, for every input that follows them.
struct Collector<'a> {
    program: &'a Program,
    finals: BTreeSet<Final>,
}

impl Watcher for Collector<'_> {
    fn complete(&mut self, machine: &mut Machine) {
        let inputs: HashMap<String, _> = machine
            .terms
            .inputs()
            .map(|i| (machine.terms.input_name(i).to_string(), i))
            .collect();
        let observed: Vec<_> = self
            .program
            .observables()
            .iter()
            .map(|o| {
                let global = machine
                    .program
                    .module
                    .global_named(&o.global)
                    .expect("an observable");
                let address =
                    machine.program.address_of(Symbol::Global(global)) + 4 * o.index as u64;
                let value = machine.memory.read(&mut machine.terms, address, 32);
                value.to_term(&mut machine.terms, 32)
            })
            .collect();
        for assignment in self.program.input_assignments() {
            let mut model = Model::new();
            for (k, value) in assignment.iter().enumerate() {
                if let Some(input) = inputs.get(&format!("T0.{k}.nondet_int")) {
                    model.set(*input, u128::from(*value as u32));
                }
            }
            let terms = &machine.terms;
            if machine.path.iter().all(|c| terms.eval(*c, &model) == 1) {
                self.finals.insert(Final {
                    inputs: assignment.iter().map(|v| i64::from(*v)).collect(),
                    values: observed
                        .iter()
                        .map(|t| i64::from(terms.eval(*t, &model) as u32 as i32))
                        .collect(),
                });
            }
        }
    }

    fn restart(&mut self) {
        self.finals.clear();
    }
}

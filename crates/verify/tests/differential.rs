//! Every behaviour of random programs, as the explorer sees it, against the reference interpreter of the `oracle` crate.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones; half of them with condition variables.
//! `SLEAVE_POR=KIND` searches with that reduction instead of none.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use ir::Symbol;
use machine::Machine;
use oracle::{AssertId, Behaviours, Config, Failure, Final, Program, Rendered, Semantics};
use smt::Model;
use verify::{Loaded, Options, Property, Reduction, Verdict, Watcher};

/// Seeds that every test run covers.
const USUAL: Range<u64> = 0..2000;

/// Programs compiled together.
const BATCH: u64 = 20;

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
                        let first = next.fetch_add(BATCH, Ordering::Relaxed);
                        if first >= seeds.end {
                            return found;
                        }
                        found.extend(compare(first..(first + BATCH).min(seeds.end)));
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

fn reduction() -> Reduction {
    match std::env::var("SLEAVE_POR").as_deref() {
        Err(_) | Ok("none") => Reduction::None,
        Ok("dpor") => Reduction::Dpor,
        Ok("source") => Reduction::Source,
        Ok("optimal") => Reduction::Optimal,
        Ok(other) => panic!("SLEAVE_POR is {other}"),
    }
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

fn compare(seeds: Range<u64>) -> Vec<String> {
    let programs: Vec<Program> = seeds
        .clone()
        .map(|seed| oracle::generate(&config(seed), seed))
        .collect();
    let mut reports = Vec::new();
    for ((seed, program), why) in seeds.zip(&programs).zip(disagreements(&programs)) {
        if let Some(why) = why {
            eprintln!("seed {seed}: {why}");
            let differs = |p: &Program| disagreement(p).is_some();
            let small = oracle::minimise(program, differs);
            let why = disagreement(&small).expect("the minimised program still differs");
            reports.push(format!(
                "seed {seed}: {why}\n{}",
                oracle::render(&small).source
            ));
        }
    }
    reports
}

fn disagreement(program: &Program) -> Option<String> {
    disagreements(std::slice::from_ref(program)).remove(0)
}

/// For each program, in what it differs from the reference.
fn disagreements(programs: &[Program]) -> Vec<Option<String>> {
    let batch = Batch::new(programs);
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("programs.c");
    std::fs::write(&file, &batch.source).expect("the file is written");
    let loaded = verify::load(&[file], &[]).expect("a program that compiles");
    (0..programs.len())
        .map(|index| {
            let expected = oracle::behaviours(&programs[index], Semantics::default());
            match batch.explore(&loaded, index) {
                Ok(found) => {
                    oracle::difference(&expected, &found).map(|d| d.describe(&programs[index]))
                }
                Err(why) => Some(why),
            }
        })
        .collect()
}

/// Several programs in one file, since starting the compiler costs more than checking one of them. The first argument of
/// `main` says which is meant.
struct Batch<'a> {
    programs: &'a [Program],
    rendered: Vec<Rendered>,
    /// Lines of the file before each program's own.
    offsets: Vec<u32>,
    source: String,
}

impl<'a> Batch<'a> {
    fn new(programs: &'a [Program]) -> Batch<'a> {
        let rendered: Vec<Rendered> = programs.iter().map(oracle::render).collect();
        let mut source = String::new();
        let mut offsets = Vec::new();
        for (index, rendered) in rendered.iter().enumerate() {
            offsets.push(source.lines().count() as u32);
            for line in rendered.source.lines() {
                // Headers and declarations may be repeated as they are.
                let shared = line.starts_with('#') || line.starts_with("extern");
                source.push_str(&if shared {
                    line.to_string()
                } else {
                    rename(line, index)
                });
                source.push('\n');
            }
        }
        source.push_str("int main(int argc, char **argv) {\n    switch (argv[1][0]) {\n");
        for index in 0..programs.len() {
            let letter = letter(index);
            source.push_str(&format!("    case '{letter}': return p{index}_main();\n"));
        }
        source.push_str("    }\n    return 1;\n}\n");
        Batch {
            programs,
            rendered,
            offsets,
            source,
        }
    }

    /// All behaviours that Sleave finds.
    fn explore(&self, loaded: &Loaded, index: usize) -> Result<Behaviours, String> {
        let mut options = Options {
            all: true,
            reduction: reduction(),
            ..Options::default()
        };
        options.machine.args = vec![letter(index).to_string()];
        let mut collector = Collector {
            program: &self.programs[index],
            prefix: format!("p{index}_"),
            finals: BTreeSet::new(),
        };
        let checked = verify::check(loaded, &options, &mut collector).map_err(|e| e.to_string())?;
        if !checked.outcome.is_complete() {
            return Err(format!("not complete: {:?}", checked.outcome));
        }
        let mut found = Behaviours {
            finals: collector.finals,
            ..Behaviours::default()
        };
        let Verdict::Bug(bugs) = &checked.verdict else {
            return Ok(found);
        };
        for bug in bugs {
            let failure = match bug.property {
                Property::Deadlock => {
                    found.deadlock = true;
                    continue;
                }
                Property::Assertion => Failure::Assertion(self.assertion(index, &bug.location)?),
                Property::LockMisuse => Failure::LockMisuse,
                Property::Memory => Failure::OutOfBounds,
                other => return Err(format!("{} at {}", other.name(), bug.location)),
            };
            found.failures.insert(failure);
        }
        Ok(found)
    }

    fn assertion(&self, index: usize, location: &str) -> Result<AssertId, String> {
        let line: Option<u32> = location.rsplit(':').nth(1).and_then(|l| l.parse().ok());
        line.and_then(|l| l.checked_sub(self.offsets[index]))
            .and_then(|l| self.rendered[index].assertion_at(l))
            .ok_or_else(|| format!("no assertion at {location}"))
    }
}

fn letter(index: usize) -> char {
    char::from(b'a' + u8::try_from(index).expect("a small batch"))
}

/// Puts `pINDEX_` before every global name of a rendered program: `main`, `thread0`, `g0`, `a0`, `m0`, `s0`, `c0`, `t0_l0`.
fn rename(line: &str, index: usize) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for c in line.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if is_global(&word) {
            result.push_str(&format!("p{index}_"));
        }
        result.push_str(&std::mem::take(&mut word));
        result.push(c);
    }
    result.trim_end_matches('\n').to_string()
}

fn is_global(word: &str) -> bool {
    let digits = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit());
    let simple = ["thread", "g", "a", "m", "s", "c"]
        .iter()
        .any(|prefix| word.strip_prefix(prefix).is_some_and(digits));
    let copied = word
        .strip_prefix('t')
        .and_then(|rest| rest.split_once("_l"))
        .is_some_and(|(thread, local)| digits(thread) && digits(local));
    word == "main" || simple || copied
}

/// Final states of complete executions, for every input that follows them.
struct Collector<'a> {
    program: &'a Program,
    prefix: String,
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
                    .global_named(&format!("{}{}", self.prefix, o.global))
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

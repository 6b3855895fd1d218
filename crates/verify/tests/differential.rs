//! Every behaviour of random programs, as the explorer sees it, against the reference interpreter of the `oracle` crate.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones, half of them with condition variables;
//! `SLEAVE_POR=naive`, `dpor`, `source` or `optimal` restricts it to one search, `SLEAVE_SPURIOUS=off` switches spurious wake-ups off.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use explore::Census;
use ir::Symbol;
use machine::Machine;
use oracle::{AssertId, Behaviours, Config, Failure, Final, Program, Rendered, Semantics, Weights};
use smt::Model;
use verify::{
    Job, Knowledge, Loaded, Options, Property, Reduction, Runs, Verdict, Watcher, Workers,
};

/// Programs compiled together.
const BATCH: u64 = 20;

#[test]
fn naive_search_sees_what_the_reference_sees() {
    compare_all(Reduction::None, 0..2000);
}

#[test]
fn optimal_search_sees_what_the_reference_sees() {
    compare_all(Reduction::Optimal, 0..500);
}

/// Final states, counts and faults do not depend on who searches.
#[test]
fn several_workers_find_what_one_finds() {
    let Some(seeds) = seeds(Reduction::Optimal, 0..300) else {
        return;
    };
    let crews = [(1, true), (2, true), (4, true), (2, false)];
    let mut asked = 0;
    for first in seeds.clone().step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(seeds.end);
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&config(seed), seed))
            .collect();
        let (loaded, batch) = load(&programs);
        for (index, seed) in seeds.enumerate() {
            for all in [true, false] {
                let find = |count, always_cut| {
                    let workers = Workers {
                        count,
                        join_after: Duration::ZERO,
                        always_cut,
                    };
                    find(&loaded, &batch, index, all, workers)
                };
                let alone = find(1, false);
                asked += alone.1.inputs;
                for (count, always_cut) in crews {
                    let found = find(count, always_cut);
                    assert_eq!(
                        found, alone,
                        "seed {seed}, all: {all}, {count} workers, always cut: {always_cut}"
                    );
                }
            }
        }
    }
    assert!(asked > 0, "some programs have inputs");
}

/// What a search finds, in a form to compare: final states, and the rest. Of a first fault the former are of no interest.
fn find(
    loaded: &Loaded,
    batch: &Batch,
    index: usize,
    all: bool,
    workers: Workers,
) -> (BTreeSet<Final>, Findings) {
    let mut options = search_options(Reduction::Optimal, index);
    options.all = all;
    options.workers = workers;
    let mut collector = Collector::new(&batch.programs[index], format!("p{index}_"));
    let mut monitor = Collecting(&mut collector);
    let outcome = explore::search(&loaded.program, &options, &mut monitor).expect("it starts");
    let finals = if all {
        collector.finals()
    } else {
        BTreeSet::new()
    };
    (finals, Findings::of(&outcome))
}

#[derive(Debug, PartialEq)]
struct Findings {
    runs: Runs,
    events: u64,
    failing: u64,
    cut_off: String,
    /// With their schedules and inputs.
    faults: Vec<String>,
    inputs: usize,
}

impl Findings {
    fn of(outcome: &verify::Outcome) -> Findings {
        let faults = outcome.found.iter();
        Findings {
            runs: outcome.runs,
            events: outcome.events,
            failing: outcome.failing,
            cut_off: format!("{:?}", outcome.cut_off),
            inputs: faults.clone().map(|f| f.inputs.len()).sum(),
            faults: faults.map(|f| format!("{f:?}")).collect(),
        }
    }
}

/// Jobs are shipped as text, done a few executions at a time, in an order of their own; their counts sum up to those of the
/// whole search.
#[test]
fn jobs_sum_up_to_the_whole() {
    let Some(seeds) = seeds(Reduction::Optimal, 0..200) else {
        return;
    };
    let mut shipped = 0;
    for first in seeds.clone().step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(seeds.end);
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&config(seed), seed))
            .collect();
        let (loaded, batch) = load(&programs);
        for (index, seed) in seeds.enumerate() {
            let whole = find(&loaded, &batch, index, true, Workers::default()).1;
            let mut options = Options {
                all: true,
                ..Options::default()
            };
            options.machine.args = vec![letter(index).to_string()];
            let mut job = Job::new(&loaded, &options);
            job.budget.executions = Some(1 + seed % 5);
            let (runs, failing, count) = ship(&loaded, &job, &options);
            shipped += count;
            assert_eq!((runs, failing), (whole.runs, whole.failing), "seed {seed}");
        }
    }
    assert!(shipped > 1000, "{shipped} jobs");
}

/// Counts of a job and of all that come of it, and how many there were.
fn ship(loaded: &Loaded, job: &Job, options: &Options) -> (Runs, u64, usize) {
    let (mut runs, mut failing, mut count) = (Runs::default(), 0, 0);
    let mut knowledge: Option<Knowledge> = None;
    let mut left = vec![serde_json::to_string(job).expect("a job is plain data")];
    while let Some(text) = left.pop() {
        count += 1;
        let job: Job = serde_json::from_str(&text).expect("a job");
        job.work.validate().expect("a job that fits");
        let result = verify::run_job(loaded, &job, options, &mut verify::Quiet).expect("it runs");
        let goes_together = match &mut knowledge {
            Some(known) => known.join(&result.knowledge),
            None => {
                knowledge = Some(result.knowledge.clone());
                true
            }
        };
        if result.starts_over || !goes_together {
            (runs, failing) = (Runs::default(), 0);
            left.clear();
        } else {
            runs.complete += result.runs.complete;
            runs.blocked += result.runs.blocked;
            runs.infeasible += result.runs.infeasible;
            failing += result.failing;
        }
        let jobs = if result.starts_over || goes_together {
            result.leftover
        } else {
            let work = verify::Frontier::after(knowledge.clone().expect("what is known"));
            vec![Job { work, ..job }]
        };
        if result.starts_over {
            knowledge = None;
        }
        let texts = jobs.iter().map(serde_json::to_string);
        left.extend(texts.map(|text| text.expect("a job is plain data")));
    }
    (runs, failing, count)
}

fn load(programs: &[Program]) -> (Loaded, Batch<'_>) {
    let batch = Batch::new(programs);
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("programs.c");
    std::fs::write(&file, &batch.source).expect("the file is written");
    let loaded = verify::load(&[file], &[]).expect("a program that compiles");
    (loaded, batch)
}

fn search_options(reduction: Reduction, index: usize) -> explore::Options {
    let mut options = explore::Options {
        machine: verify::Config::default(),
        reduction,
        properties: verify::Properties::all(),
        all: true,
        solver_timeout: Duration::from_secs(30),
        interrupt: Arc::default(),
        workers: Workers::default(),
    };
    options.machine.args = vec![letter(index).to_string()];
    options
}

#[test]
fn classic_dpor_sees_what_the_reference_sees() {
    compare_all(Reduction::Dpor, 0..500);
}

#[test]
fn source_sets_see_what_the_reference_sees() {
    compare_all(Reduction::Source, 0..500);
}

/// One execution per Mazurkiewicz trace, counted by brute force. Where a fault cuts executions short, what comes before it is
/// no maximal trace, and nothing is compared; nor where an input or a modelled choice decides, of which some are followed
/// twice: `SLEAVE_REPLIES=1` reports these, too.
#[test]
fn optimal_search_follows_every_trace_once() {
    count_all(Reduction::Optimal, |traces, runs| {
        (runs.complete, runs.blocked) == traces
    });
}

/// What is cut by a sleep set is blocked, too.
#[test]
fn source_sets_complete_every_trace_once() {
    count_all(Reduction::Source, |(complete, blocked), runs| {
        runs.complete == complete && runs.blocked >= blocked
    });
}

#[test]
fn classic_dpor_follows_every_trace() {
    count_all(Reduction::Dpor, |(complete, blocked), runs| {
        runs.complete >= complete && runs.blocked >= blocked
    });
}

/// Whether a count fits the numbers of complete and of blocked traces.
type Fits = fn((u64, u64), Runs) -> bool;

fn count_all(reduction: Reduction, fits: Fits) {
    let Some(seeds) = seeds(reduction, 0..500) else {
        return;
    };
    let replies = std::env::var("SLEAVE_REPLIES").is_ok();
    let (mut counted, mut traces) = (0, 0);
    let mut differences = Vec::new();
    for first in seeds.clone().step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(seeds.end);
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&faultless(seed), seed))
            .collect();
        for ((seed, program), count) in seeds.zip(&programs).zip(counts(&programs, reduction)) {
            let Some((census, runs)) = count else {
                continue;
            };
            if census.asked && !replies {
                continue;
            }
            counted += 1;
            traces += census.complete.len();
            let expected = (census.complete.len() as u64, census.blocked.len() as u64);
            if !fits(expected, runs) {
                let differs = |p: &Program| {
                    counts(std::slice::from_ref(p), reduction)
                        .remove(0)
                        .is_some_and(|(c, r)| {
                            let traces = (c.complete.len() as u64, c.blocked.len() as u64);
                            (!c.asked || replies) && !fits(traces, r)
                        })
                };
                let why = format!("seed {seed}: {expected:?} complete and blocked, but {runs:?}");
                eprintln!("{why}");
                let small = oracle::minimise(program, differs);
                differences.push(format!("{why}\n{}", oracle::render(&small).source));
            }
        }
    }
    eprintln!("{counted} programs with {traces} traces");
    assert!(
        differences.is_empty(),
        "{} programs differ:\n{}",
        differences.len(),
        differences.join("\n\n")
    );
    assert!(counted > 0);
}

/// Interleavings above which a program is not counted.
const MOST_INTERLEAVINGS: u64 = 20_000;

/// The census of each program, and what a search counts. `None`: too large, or cut short by a fault.
fn counts(programs: &[Program], reduction: Reduction) -> Vec<Option<(Census, Runs)>> {
    let (loaded, _) = load(programs);
    (0..programs.len())
        .map(|index| {
            let options = search_options(reduction, index);
            let census = explore::census(&loaded.program, &options, MOST_INTERLEAVINGS);
            let census = census.expect("it starts")?;
            let outcome = explore::search(&loaded.program, &options, &mut explore::Silent);
            Some((census, outcome.expect("it starts").runs))
        })
        .collect()
}

/// Compares on the usual seeds, or on those of a campaign.
fn compare_all(reduction: Reduction, usual: Range<u64>) {
    let Some(seeds) = seeds(reduction, usual) else {
        return;
    };
    let subject = Subject {
        reduction,
        semantics: Semantics {
            spurious_wakeups: std::env::var("SLEAVE_SPURIOUS").is_err(),
        },
    };
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
                        found.extend(subject.compare(first..(first + BATCH).min(seeds.end)));
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

/// `None`: the campaign is about another search.
fn seeds(reduction: Reduction, usual: Range<u64>) -> Option<Range<u64>> {
    let Ok(text) = std::env::var("SLEAVE_CAMPAIGN") else {
        return Some(usual);
    };
    let wanted = match std::env::var("SLEAVE_POR").as_deref() {
        Ok("naive") => Some(Reduction::None),
        Ok("dpor") => Some(Reduction::Dpor),
        Ok("source") => Some(Reduction::Source),
        Ok("optimal") => Some(Reduction::Optimal),
        Ok(other) => panic!("SLEAVE_POR is naive, dpor, source or optimal, not {other}"),
        Err(_) => None,
    };
    if wanted.is_some_and(|w| w != reduction) {
        return None;
    }
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

/// Programs in which few executions are cut short. Every fourth has inputs, odd seeds have condition variables.
fn faultless(seed: u64) -> Config {
    let usual = config(seed);
    Config {
        inputs: if seed.is_multiple_of(4) { 0..=2 } else { 0..=0 },
        failing: 0,
        weights: Weights {
            assert: 0,
            raw_index: 0,
            lock_misuse: 0,
            ..usual.weights.clone()
        },
        ..usual
    }
}

/// What is compared with the reference.
struct Subject {
    reduction: Reduction,
    semantics: Semantics,
}

impl Subject {
    fn compare(&self, seeds: Range<u64>) -> Vec<String> {
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&config(seed), seed))
            .collect();
        let mut reports = Vec::new();
        for ((seed, program), why) in seeds.zip(&programs).zip(self.disagreements(&programs)) {
            if let Some(why) = why {
                eprintln!("seed {seed}: {why}");
                let differs = |p: &Program| self.disagreement(p).is_some();
                let small = oracle::minimise(program, differs);
                let why = self
                    .disagreement(&small)
                    .expect("the minimised program still differs");
                reports.push(format!(
                    "seed {seed}: {why}\n{}",
                    oracle::render(&small).source
                ));
            }
        }
        reports
    }

    fn disagreement(&self, program: &Program) -> Option<String> {
        self.disagreements(std::slice::from_ref(program)).remove(0)
    }

    /// For each program, in what it differs from the reference.
    fn disagreements(&self, programs: &[Program]) -> Vec<Option<String>> {
        let (loaded, batch) = load(programs);
        (0..programs.len())
            .map(|index| {
                let expected = oracle::behaviours(&programs[index], self.semantics);
                match batch.explore(&loaded, index, self) {
                    Ok(found) => {
                        oracle::difference(&expected, &found).map(|d| d.describe(&programs[index]))
                    }
                    Err(why) => Some(why),
                }
            })
            .collect()
    }
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
    fn explore(
        &self,
        loaded: &Loaded,
        index: usize,
        subject: &Subject,
    ) -> Result<Behaviours, String> {
        let mut options = Options {
            all: true,
            reduction: subject.reduction,
            ..Options::default()
        };
        options.machine.spurious_wakeups = subject.semantics.spurious_wakeups;
        options.machine.args = vec![letter(index).to_string()];
        let mut collector = Collector::new(&self.programs[index], format!("p{index}_"));
        let checked = verify::check(loaded, &options, &mut collector).map_err(|e| e.to_string())?;
        if !checked.outcome.is_complete() {
            return Err(format!("not complete: {:?}", checked.outcome));
        }
        let mut found = Behaviours {
            finals: collector.finals(),
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
#[derive(Clone)]
struct Collector {
    program: Program,
    prefix: String,
    finals: Arc<Mutex<BTreeSet<Final>>>,
}

impl Collector {
    fn new(program: &Program, prefix: String) -> Collector {
        Collector {
            program: program.clone(),
            prefix,
            finals: Arc::default(),
        }
    }

    fn finals(&self) -> BTreeSet<Final> {
        self.finals.lock().expect("no panic").clone()
    }
}

struct Collecting<'a>(&'a mut Collector);

impl verify::Monitor for Collecting<'_> {
    fn complete(&mut self, machine: &mut Machine) {
        self.0.complete(machine);
    }

    fn restart(&mut self) {
        self.0.restart();
    }

    fn helper(&mut self) -> Option<verify::Helper> {
        let mut collector = self.0.clone();
        Some(Box::new(move |machine| collector.complete(machine)))
    }
}

impl Watcher for Collector {
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
                self.finals.lock().expect("no panic").insert(Final {
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
        self.finals.lock().expect("no panic").clear();
    }
}

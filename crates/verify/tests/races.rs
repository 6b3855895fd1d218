//! Which lines of random programs race, as each search sees it, against the definition in the
//! `oracle` crate.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones.

mod batch;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use batch::{Batch, letter};
use machine::{Cutoff, Fault};
use oracle::{Config, Program, Semantics, Weights};
use verify::{Loaded, Options, Properties, Property, Search, Verdict};

/// Programs compiled together.
const BATCH: u64 = 20;

/// Steps of all executions of a program, above which it is left out.
const MOST_STEPS: usize = 100_000;

fn searches() -> [Search; 4] {
    [
        Search::naive(),
        Search::dpor(),
        Search::source(),
        Search::optimal(),
    ]
}

/// Two lines, the smaller first.
type Lines = BTreeSet<[u32; 2]>;

#[test]
fn races_are_those_of_the_reference() {
    let seeds = seeds(0..500);
    let next = AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<(Counts, Vec<String>)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
                    loop {
                        let first = next.fetch_add(BATCH, Ordering::Relaxed);
                        if first >= seeds.end {
                            return (counts, wrong);
                        }
                        let seeds = first..(first + BATCH).min(seeds.end);
                        wrong.extend(compare(seeds, &mut counts));
                    }
                })
            })
            .collect();
        let joined = handles.into_iter().map(|h| h.join().expect("no panic"));
        joined.collect()
    });
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for (some, differences) in results {
        counts.programs += some.programs;
        counts.racy += some.racy;
        counts.pairs += some.pairs;
        wrong.extend(differences);
    }
    eprintln!(
        "{} programs, {} with races, of {} pairs of lines",
        counts.programs, counts.racy, counts.pairs
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(counts.racy > 0 && counts.racy < counts.programs);
}

#[derive(Default)]
struct Counts {
    programs: usize,
    racy: usize,
    pairs: usize,
}

fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("SLEAVE_CAMPAIGN") else {
        return usual;
    };
    let (first, last) = text
        .split_once("..")
        .expect("SLEAVE_CAMPAIGN is FIRST..LAST");
    first.parse().expect("a seed")..last.parse().expect("a seed")
}

/// Nothing ends an execution but its own end, a deadlock or an assumption: a fault hides what comes
/// after it. Every fourth program has inputs, odd seeds have condition variables, and memory orders
/// vary in three of four.
fn program(seed: u64) -> Program {
    let usual = Config::default();
    let config = Config {
        inputs: if seed.is_multiple_of(4) { 0..=2 } else { 0..=0 },
        conditions: if seed.is_multiple_of(2) { 0..=0 } else { 1..=1 },
        mutexes: if seed.is_multiple_of(2) { 0..=3 } else { 1..=2 },
        failing: 0,
        weights: Weights {
            assert: 0,
            raw_index: 0,
            lock_misuse: 0,
            ..usual.weights.clone()
        },
        ..usual
    };
    let program = oracle::without_assertions(&oracle::generate(&config, seed));
    if seed % 4 == 3 {
        return program;
    }
    oracle::with_memory_orders(&program, seed)
}

fn compare(seeds: Range<u64>, counts: &mut Counts) -> Vec<String> {
    let programs: Vec<Program> = seeds.clone().map(program).collect();
    let compared = disagreements(&programs);
    let mut reports = Vec::new();
    for ((seed, program), compared) in seeds.zip(&programs).zip(compared) {
        match compared {
            Compared::TooLarge => {}
            Compared::Same(pairs) => {
                counts.programs += 1;
                counts.racy += usize::from(pairs > 0);
                counts.pairs += pairs;
            }
            Compared::Different(why) => {
                eprintln!("seed {seed}: {why}");
                let differs = |p: &Program| {
                    let compared = disagreements(std::slice::from_ref(p)).remove(0);
                    matches!(compared, Compared::Different(_))
                };
                let small = oracle::minimise(program, differs);
                let why = match disagreements(std::slice::from_ref(&small)).remove(0) {
                    Compared::Different(why) => why,
                    _ => unreachable!("the minimised program still differs"),
                };
                let source = oracle::render(&small).source;
                reports.push(format!("seed {seed}: {why}\n{source}"));
            }
        }
    }
    reports
}

enum Compared {
    /// Or cut short by another fault.
    TooLarge,
    /// So many pairs race.
    Same(usize),
    Different(String),
}

fn disagreements(programs: &[Program]) -> Vec<Compared> {
    let batch = Batch::new(programs);
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("programs.c");
    std::fs::write(&file, &batch.source).expect("the file is written");
    let loaded = verify::load(&[file], &[]).expect("a program that compiles");
    (0..programs.len())
        .map(|index| disagreement(&batch, &loaded, index))
        .collect()
}

fn disagreement(batch: &Batch, loaded: &Loaded, index: usize) -> Compared {
    let program = &batch.programs[index];
    let Some(races) = oracle::races(program, Semantics::default(), MOST_STEPS) else {
        return Compared::TooLarge;
    };
    let lines = &batch.rendered[index].operation_lines;
    let expected: Lines = races
        .iter()
        .map(|pair| {
            let mut pair = pair.map(|(thread, operation)| lines[thread][operation]);
            pair.sort_unstable();
            pair
        })
        .collect();
    for one in searches() {
        let found = match search(loaded, index, &one) {
            Ok(Some(found)) => found,
            // Another fault, which hides what comes after it.
            Ok(None) => return Compared::TooLarge,
            Err(why) => return Compared::Different(format!("{one:?}: {why}")),
        };
        let found: Lines = found
            .into_iter()
            .map(|pair| pair.map(|line| line - batch.offsets[index]))
            .collect();
        if found != expected {
            return Compared::Different(format!(
                "{one:?} finds races of {found:?}, but there are {expected:?}"
            ));
        }
    }
    match confirm(loaded, index, expected.is_empty()) {
        Ok(()) => Compared::Same(expected.len()),
        Err(why) => Compared::Different(why),
    }
}

fn search(loaded: &Loaded, index: usize, search: &Search) -> Result<Option<Lines>, String> {
    let mut options = explore::Options {
        machine: verify::Config::default(),
        search: search.clone(),
        properties: Properties([Property::Race].into()),
        all: true,
        slices: false,
        solver_timeout: std::time::Duration::from_secs(30),
        interrupt: std::sync::Arc::default(),
        shared: Default::default(),
    };
    options.machine.args = vec![letter(index).to_string()];
    let outcome = explore::search(&loaded.program, &options, &mut explore::Silent)
        .map_err(|error| error.to_string())?;
    let is_other = |(cutoff, _): &(Cutoff, _)| matches!(cutoff, Cutoff::OtherFault(_));
    if outcome.stopped.is_none() && outcome.cut_off.keys().any(is_other) {
        return Ok(None);
    }
    if !outcome.is_complete() {
        return Err(format!("not complete: {:?}", outcome.cut_off));
    }
    let locs = &loaded.program.module.debug.locs;
    let mut lines = Lines::new();
    for found in &outcome.found {
        let Fault::Race(race) = &found.fault.fault else {
            return Err(format!("{:?}", found.fault));
        };
        let mut pair = [race.first.loc, race.second.loc].map(|loc| locs[loc].line);
        pair.sort_unstable();
        lines.insert(pair);
    }
    Ok(Some(lines))
}

/// The verdict, after whatever was found has been replayed.
fn confirm(loaded: &Loaded, index: usize, safe: bool) -> Result<(), String> {
    let mut options = Options {
        properties: Properties([Property::Race].into()),
        ..Options::with(Search::optimal())
    };
    options.machine.args = vec![letter(index).to_string()];
    let checked = verify::check(loaded, &options, &mut verify::Quiet).map_err(|e| e.to_string())?;
    match checked.verdict {
        Verdict::Safe if safe => Ok(()),
        Verdict::Bug(_) if !safe => Ok(()),
        verdict => Err(format!("the verdict is {verdict:?}")),
    }
}

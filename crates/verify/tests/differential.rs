//! Every behaviour of random programs, as the explorer sees it, against the reference interpreter
//! of the `oracle` crate.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones, half of them with
//! condition variables; `SLEAVE_POR=MODE` restricts it to one of the [`Mode`]s, by name;
//! `SLEAVE_SPURIOUS=off` switches spurious wake-ups off; `SLEAVE_FIRST=1` stops at the first
//! difference and does not make it small.

mod batch;
mod campaign;
mod final_states;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use batch::{Batch, letter};
use campaign::{BATCH, assertion, load, only_first};
use explore::{Census, Outcome};
use final_states::{Collecting, Collector};
use oracle::{Behaviours, Config, Failure, Final, Program, Semantics, SharedId, Weights};
use verify::{
    Besides, Job, Loaded, Options, Property, Runs, Search, SearchFacts, Verdict, Workers,
};

/// A search, by name.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    search: fn() -> Search,
}

impl Mode {
    const fn new(name: &'static str, search: fn() -> Search) -> Mode {
        Mode { name, search }
    }
}

fn dpor(commute: bool, peek: bool) -> Search {
    Search::Dpor {
        commute,
        peek,
        summaries: None,
    }
}

fn source(commute: bool, peek: bool, besides: Besides) -> Search {
    Search::Source {
        commute,
        peek,
        besides,
    }
}

fn optimal(peek: bool, workers: Workers) -> Search {
    Search::Optimal { peek, workers }
}

const NAIVE: Mode = Mode::new("naive", Search::naive);
const OPTIMAL: Mode = Mode::new("optimal", Search::optimal);
const DPOR: Mode = Mode::new("dpor", Search::dpor);
const SOURCE: Mode = Mode::new("source", Search::source);
const DPOR_COMMUTE: Mode = Mode::new("dpor-commute", || dpor(true, false));
const COMMUTE: Mode = Mode::new("commute", || source(true, false, Besides::Nothing));
const OBSERVERS: Mode = Mode::new("observers", || source(false, false, Besides::Observers));
const BOTH: Mode = Mode::new("both", || source(true, false, Besides::Observers));
const PEEK: Mode = Mode::new("peek", || optimal(true, Workers::default()));
const DPOR_PEEK: Mode = Mode::new("dpor-peek", || dpor(false, true));
const SOURCE_PEEK: Mode = Mode::new("source-peek", || source(false, true, Besides::Nothing));
const BOTH_PEEK: Mode = Mode::new("both-peek", || source(true, true, Besides::Observers));
const MODES: [Mode; 12] = [
    NAIVE,
    OPTIMAL,
    DPOR,
    SOURCE,
    DPOR_COMMUTE,
    COMMUTE,
    OBSERVERS,
    BOTH,
    PEEK,
    DPOR_PEEK,
    SOURCE_PEEK,
    BOTH_PEEK,
];

#[test]
fn naive_search_sees_what_the_reference_sees() {
    compare_all(NAIVE, 0..2000);
}

#[test]
fn optimal_search_sees_what_the_reference_sees() {
    compare_all(OPTIMAL, 0..500);
}

/// Final states, counts and faults do not depend on who searches.
#[test]
fn several_workers_find_what_one_finds() {
    let Some(seeds) = seeds(OPTIMAL, 0..310) else {
        return;
    };
    let crews = [(1, true), (2, true), (4, true), (2, false)];
    let mut asked = 0;
    for first in seeds.clone().step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(seeds.end);
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&config(OPTIMAL, seed), seed))
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

/// What a search finds, in a form to compare: final states, and the rest. Of a first fault the
/// former are of no interest.
fn find(
    loaded: &Loaded,
    batch: &Batch,
    index: usize,
    all: bool,
    workers: Workers,
) -> (BTreeSet<Final>, Findings) {
    let mut options = search_options(OPTIMAL, index);
    options.all = all;
    options.search = optimal(false, workers);
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
    fn of(outcome: &Outcome) -> Findings {
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

/// Jobs are shipped as text, done a few executions at a time, in an order of their own; their
/// counts sum up to those of the whole search.
#[test]
fn jobs_sum_up_to_the_whole() {
    let Some(seeds) = seeds(OPTIMAL, 0..310) else {
        return;
    };
    let mut shipped = 0;
    for first in seeds.clone().step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(seeds.end);
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&config(OPTIMAL, seed), seed))
            .collect();
        let (loaded, batch) = load(&programs);
        for (index, seed) in seeds.enumerate() {
            let whole = find(&loaded, &batch, index, true, Workers::default()).1;
            let mut options = Options {
                all: true,
                ..Options::with(Search::optimal())
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
    let mut knowledge: Option<SearchFacts> = None;
    let mut left = vec![serde_json::to_string(job).expect("a job is plain data")];
    while let Some(text) = left.pop() {
        count += 1;
        let job: Job = serde_json::from_str(&text).expect("a job");
        job.work.validate().expect("a job that fits");
        let workers = Workers::default();
        let result = verify::run_job(loaded, &job, options, workers, &mut verify::Quiet);
        let result = result.expect("it runs");
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

fn search_options(mode: Mode, index: usize) -> explore::Options {
    let mut options = explore::Options {
        machine: verify::Config::default(),
        search: (mode.search)(),
        properties: verify::Properties::all(),
        all: true,
        slices: false,
        solver_timeout: Duration::from_secs(30),
        interrupt: Arc::default(),
        shared: Default::default(),
    };
    options.machine.args = vec![letter(index).to_string()];
    options
}

#[test]
fn classic_dpor_sees_what_the_reference_sees() {
    compare_all(DPOR, 0..500);
    compare_all(DPOR_COMMUTE, 0..500);
}

#[test]
fn source_sets_see_what_the_reference_sees() {
    compare_all(SOURCE, 0..500);
}

#[test]
fn updates_that_commute_hide_nothing() {
    compare_all(COMMUTE, 0..500);
}

#[test]
fn observers_hide_nothing_that_is_read() {
    compare_all(OBSERVERS, 0..500);
    compare_all(BOTH, 0..500);
}

#[test]
fn peeking_into_critical_sections_hides_nothing() {
    for mode in [PEEK, DPOR_PEEK, SOURCE_PEEK, BOTH_PEEK] {
        compare_all(mode, 0..500);
    }
}

/// One execution per Mazurkiewicz trace, counted by brute force. Where a fault cuts executions
/// short, what comes before it is no maximal trace, and nothing is compared; nor where an input or
/// a modelled choice decides, of which some are followed twice: `SLEAVE_REPLIES=1` reports these,
/// too.
#[test]
fn optimal_search_follows_every_trace_once() {
    count_all(OPTIMAL, |traces, runs| {
        (runs.complete, runs.blocked) == traces
    });
}

/// What is cut by a sleep set is blocked, too.
#[test]
fn source_sets_complete_every_trace_once() {
    for mode in [SOURCE, COMMUTE, OBSERVERS, BOTH] {
        count_all(mode, |(complete, blocked), runs| {
            runs.complete == complete && runs.blocked >= blocked
        });
    }
}

#[test]
fn classic_dpor_follows_every_trace() {
    for mode in [DPOR, DPOR_COMMUTE] {
        count_all(mode, |(complete, blocked), runs| {
            runs.complete >= complete && runs.blocked >= blocked
        });
    }
}

/// Whether a count fits the numbers of complete and of blocked traces.
type Fits = fn((u64, u64), Runs) -> bool;

fn count_all(mode: Mode, fits: Fits) {
    let Some(seeds) = seeds(mode, 0..500) else {
        return;
    };
    let replies = std::env::var("SLEAVE_REPLIES").is_ok();
    let (mut counted, mut traces) = (0, 0);
    let mut differences = Vec::new();
    for first in seeds.clone().step_by(BATCH as usize) {
        if only_first() && !differences.is_empty() {
            break;
        }
        let seeds = first..(first + BATCH).min(seeds.end);
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&faultless(mode, seed), seed))
            .collect();
        for ((seed, program), count) in seeds.zip(&programs).zip(counts(&programs, mode)) {
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
                    counts(std::slice::from_ref(p), mode)
                        .remove(0)
                        .is_some_and(|(c, r)| {
                            let traces = (c.complete.len() as u64, c.blocked.len() as u64);
                            (!c.asked || replies) && !fits(traces, r)
                        })
                };
                let why = format!("seed {seed}: {expected:?} complete and blocked, but {runs:?}");
                eprintln!("{why}");
                if only_first() {
                    differences.push(why);
                    break;
                }
                let small = oracle::minimise(program, differs);
                differences.push(format!("{why}\n{}", oracle::render(&small).source));
            }
        }
    }
    eprintln!("{}: {counted} programs with {traces} traces", mode.name);
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

/// The census of each program, and what a search counts. `None`: too large, or cut short by a
/// fault.
fn counts(programs: &[Program], mode: Mode) -> Vec<Option<(Census, Runs)>> {
    let (loaded, _) = load(programs);
    (0..programs.len())
        .map(|index| {
            let mut options = search_options(mode, index);
            // Waking for nothing is a choice, and programs with choices are not counted.
            options.machine.spurious_wakeups = false;
            let census = explore::census(&loaded.program, &options, MOST_INTERLEAVINGS);
            let census = census.expect("it starts")?;
            let outcome = explore::search(&loaded.program, &options, &mut explore::Silent);
            Some((census, outcome.expect("it starts").runs))
        })
        .collect()
}

/// Compares on the usual seeds, or on those of a campaign.
fn compare_all(mode: Mode, usual: Range<u64>) {
    let Some(seeds) = seeds(mode, usual) else {
        return;
    };
    let subject = Subject {
        mode,
        semantics: Semantics {
            spurious_wakeups: std::env::var("SLEAVE_SPURIOUS").is_err(),
        },
    };
    campaign::compare(seeds, |seeds| subject.compare(seeds));
}

/// `None`: the campaign is about another search.
fn seeds(mode: Mode, usual: Range<u64>) -> Option<Range<u64>> {
    if std::env::var("SLEAVE_CAMPAIGN").is_ok()
        && let Ok(wanted) = std::env::var("SLEAVE_POR")
    {
        let names = MODES.map(|m| m.name);
        assert!(names.contains(&&*wanted), "{wanted} is none of {names:?}");
        if wanted != mode.name {
            return None;
        }
    }
    Some(campaign::seeds(usual))
}

/// Odd seeds have condition variables. Where writes need not conflict, every other program has many
/// of them, and little else.
fn config(mode: Mode, seed: u64) -> Config {
    let usual = Config::default();
    let search = (mode.search)();
    if search.peeks() && seed % 4 < 2 {
        Config {
            threads: 2..=4,
            mutexes: 1..=3,
            weights: Weights {
                critical_section: 4 * usual.weights.critical_section,
                ..usual.weights.clone()
            },
            ..usual
        }
    } else if search.independence().is_finer() && seed % 4 < 2 {
        Config {
            threads: 2..=5,
            shared: 1..=2,
            mutexes: 0..=1,
            weights: Weights {
                write: 30,
                update: 30,
                critical_section: 4,
                ..usual.weights.clone()
            },
            ..usual
        }
    } else if seed.is_multiple_of(2) {
        usual
    } else {
        Config {
            conditions: 1..=1,
            mutexes: 1..=2,
            ..usual
        }
    }
}

/// Programs in which few executions are cut short. Every fourth has inputs, odd seeds have
/// condition variables.
fn faultless(mode: Mode, seed: u64) -> Config {
    let usual = config(mode, seed);
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
    mode: Mode,
    semantics: Semantics,
}

impl Subject {
    fn compare(&self, seeds: Range<u64>) -> Vec<String> {
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| oracle::generate(&config(self.mode, seed), seed))
            .collect();
        let mut reports = Vec::new();
        for ((seed, program), why) in seeds.zip(&programs).zip(self.disagreements(&programs)) {
            if let Some(why) = why {
                eprintln!("seed {seed}: {why}");
                if only_first() {
                    reports.push(why);
                    break;
                }
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

    /// With observers, what memory holds in the end counts only as far as somebody has read it:
    /// what threads computed.
    fn difference(
        &self,
        program: &Program,
        mut expected: Behaviours,
        mut found: Behaviours,
    ) -> Option<String> {
        let memory =
            program.observables().len() - program.threads.iter().map(|t| t.locals).sum::<usize>();
        if (self.mode.search)().independence().observers {
            if let Some(end) = found.finals.difference(&expected.finals).next() {
                return Some(format!("an impossible end: {end:?}"));
            }
            for ends in [&mut expected.finals, &mut found.finals] {
                let all = std::mem::take(ends).into_iter();
                ends.extend(all.map(|mut end| {
                    let unread = |i: &usize| {
                        *i >= program.shared.len() || !oracle::is_read_in_the_end(SharedId(*i))
                    };
                    (0..memory).filter(unread).for_each(|i| end.values[i] = 0);
                    end
                }));
            }
        }
        oracle::difference(&expected, &found).map(|d| d.describe(program))
    }

    /// For each program, in what it differs from the reference.
    fn disagreements(&self, programs: &[Program]) -> Vec<Option<String>> {
        let (loaded, batch) = load(programs);
        (0..programs.len())
            .map(|index| {
                let expected = oracle::behaviours(&programs[index], self.semantics);
                match batch.explore(&loaded, index, self) {
                    Ok(found) => self.difference(&programs[index], expected, found),
                    Err(why) => Some(why),
                }
            })
            .collect()
    }
}

impl Batch<'_> {
    /// All behaviours that Sleave finds.
    fn explore(
        &self,
        loaded: &Loaded,
        index: usize,
        subject: &Subject,
    ) -> Result<Behaviours, String> {
        let mut options = Options {
            all: true,
            ..Options::with((subject.mode.search)())
        };
        options.machine.spurious_wakeups = subject.semantics.spurious_wakeups;
        options.machine.args = vec![letter(index).to_string()];
        let mut collector = Collector::new(&self.programs[index], format!("p{index}_"));
        let checked = verify::check(loaded, &options, &mut collector).map_err(|e| e.to_string())?;
        if !checked.coverage.is_complete() {
            return Err(format!("not complete: {:?}", checked.coverage));
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
                Property::Assertion => Failure::Assertion(assertion(self, index, &bug.location)?),
                Property::LockMisuse => Failure::LockMisuse,
                Property::Memory => Failure::OutOfBounds,
                other => return Err(format!("{} at {}", other.name(), bug.location)),
            };
            found.failures.insert(failure);
        }
        Ok(found)
    }
}

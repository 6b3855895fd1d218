//! Verdicts of the trace engine (P3) against the reference, on random programs of all kinds: an
//! assertion that fails, a deadlock, a lock misused, an access that is wrong, a data race.
//!
//! Right is `safe` where nothing that was asked for can happen, and a bug of a kind that can; every
//! bug is replayed. The engine may step aside, and take too long: how often it does is counted, and
//! bounded. It may not take an execution to fail that does not when it is run.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds of each family instead of the usual ones, with
//! all variants of the engine; `SLEAVE_FAMILY=NAME` and `SLEAVE_CONFIGURATION=NAME` restrict it to
//! one of each; `SLEAVE_LIMIT=MILLISECONDS` says how long the engine may take; with
//! `SLEAVE_STRICT=1` a program that it leaves open is a difference, too; `SLEAVE_FIRST=1` stops at
//! the first difference and does not make it small.

#[allow(dead_code, reason = "other tests use the rest")]
mod batch;
mod subjects;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use machine::Program;
use oracle::{Config, Weights, campaign, tiny};
use subjects::{Statements, Subject, Tiny, Waiting};
use verify::{EngineOptions, Loaded, Options, Properties, Property, Quiet, TraceOptions, Verdict};

/// Programs compiled together.
const TOGETHER: u64 = 10;

/// Unless `SLEAVE_LIMIT` says otherwise.
const LIMIT: Duration = Duration::from_secs(3);

#[test]
fn statements_are_seen_as_the_reference_sees_them() {
    let family = Family::new("statements");
    family.compare(0..200, |seed| {
        let config = match seed % 5 {
            0 => Config::default(),
            1 => Config {
                conditions: 1..=1,
                mutexes: 1..=2,
                ..Config::default()
            },
            2 => Config::half_irrelevant(),
            3 => Config::irrelevant_branches(),
            _ => Config::everything(),
        };
        Statements {
            program: oracle::generate(&config, seed),
            spurious_wakeups: true,
            races: false,
        }
    });
}

/// Where it matters that nobody wakes for nothing.
#[test]
fn monitors_are_seen_as_the_reference_sees_them() {
    let family = Family {
        spurious_wakeups: false,
        ..Family::new("monitors")
    };
    family.compare(0..80, |seed| Statements {
        program: oracle::generate(&Config::monitor(), seed),
        spurious_wakeups: false,
        races: false,
    });
}

#[test]
fn races_of_statements_are_seen_as_the_reference_sees_them() {
    let family = Family {
        races: true,
        ..Family::new("racing statements")
    };
    family.compare(0..100, |seed| Statements {
        program: racing(seed),
        spurious_wakeups: true,
        races: true,
    });
}

#[test]
fn loops_that_wait_are_seen_as_the_reference_sees_them() {
    Family::new("loops").compare(0..100, |seed| Waiting { seed });
}

#[test]
fn waiting_is_seen_as_the_reference_sees_it() {
    tiny_family("waiting", 0..100);
}

#[test]
fn locks_are_seen_as_the_reference_sees_them() {
    tiny_family("locks", 0..120);
}

#[test]
fn heap_nodes_are_seen_as_the_reference_sees_them() {
    tiny_family("heap", 0..80);
}

#[test]
fn bytes_are_seen_as_the_reference_sees_them() {
    tiny_family("bytes", 0..60);
}

#[test]
fn trees_of_threads_are_seen_as_the_reference_sees_them() {
    tiny_family("trees", 0..60);
}

#[test]
fn races_are_seen_as_the_reference_sees_them() {
    tiny_family("races", 0..60);
}

#[test]
fn everything_at_once_is_seen_as_the_reference_sees_it() {
    tiny_family("mixed", 0..40);
}

fn tiny_family(name: &'static str, usual: Range<u64>) {
    let config = tiny::family(name).expect("a family");
    let family = Family {
        races: config.races,
        ..Family::new(name)
    };
    family.compare(usual, |seed| Tiny {
        program: tiny::generate(&config, seed).0,
        races: config.races,
        most_states: config.most_states,
    });
}

/// Nothing ends an execution but its own end, a deadlock or an assumption: a fault hides what comes
/// after it.
fn racing(seed: u64) -> oracle::Program {
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

/// The engine by name. The first looks at every program.
fn variants(seed: u64) -> Vec<(&'static str, TraceOptions)> {
    let usual = TraceOptions::default();
    let clocks = TraceOptions {
        clocks: true,
        ..usual.clone()
    };
    let plain = TraceOptions {
        plain: true,
        ..usual.clone()
    };
    let whole = TraceOptions {
        whole: Some(1 + (seed % 3) as u32),
        ..usual.clone()
    };
    let mut all = vec![
        ("theory", usual),
        ("clocks", clocks),
        ("plain", plain),
        ("whole", whole),
    ];
    if std::env::var_os("SLEAVE_CAMPAIGN").is_none() {
        let turn = 1 + seed as usize % 3;
        all = vec![all.swap_remove(0), all.swap_remove(turn % all.len())];
    }
    if let Ok(wanted) = std::env::var("SLEAVE_CONFIGURATION") {
        all.retain(|(name, _)| *name == wanted);
    }
    all
}

/// Programs of one kind.
struct Family {
    name: &'static str,
    races: bool,
    spurious_wakeups: bool,
    seen: Mutex<Seen>,
}

/// What was seen on the way.
#[derive(Default)]
struct Seen {
    /// How often each variant gave which answer.
    answers: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// What it stepped aside for.
    obstacles: BTreeMap<String, usize>,
}

impl Family {
    fn new(name: &'static str) -> Family {
        Family {
            name,
            races: false,
            spurious_wakeups: true,
            seen: Mutex::default(),
        }
    }

    fn compare<S: Subject>(self, usual: Range<u64>, make: impl Fn(u64) -> S + Sync) {
        if std::env::var("SLEAVE_FAMILY").is_ok_and(|wanted| wanted != self.name) {
            return;
        }
        campaign::compare(campaign::seeds(usual), |seeds| {
            let starts = seeds.clone().step_by(TOGETHER as usize);
            let batches = starts.map(|first| first..(first + TOGETHER).min(seeds.end));
            let differences = batches.flat_map(|seeds| self.differences(seeds, &make));
            differences.collect()
        });
        let seen = self.seen.into_inner().expect("no panic");
        for (variant, answers) in &seen.answers {
            eprintln!("{}, {variant}: {answers:?}", self.name);
        }
        for (why, count) in &seen.obstacles {
            eprintln!("{}: {count} times {why}", self.name);
        }
    }

    fn differences<S: Subject>(&self, seeds: Range<u64>, make: impl Fn(u64) -> S) -> Vec<String> {
        let programs: Vec<S> = seeds.clone().map(make).collect();
        let loaded = load(&programs);
        let mut reports = Vec::new();
        for ((seed, program), loaded) in seeds.zip(programs).zip(&loaded) {
            let Some(possible) = program.possible() else {
                continue;
            };
            let mut wrong = None;
            for (name, variant) in variants(seed) {
                let options = self.options(seed, variant);
                let said = Said::of(loaded, &options);
                self.note(name, &said);
                if let Some(what) = said.wrong(&possible, &options.properties) {
                    wrong = Some((name, options, what, said));
                    break;
                }
            }
            let Some((name, options, what, said)) = wrong else {
                continue;
            };
            let report = format!(
                "{}, seed {seed}, {name}, asked for {:?}: {what}: {said:?}, possible are {possible:?}",
                self.name, options.properties.0
            );
            eprintln!("{report}");
            if campaign::only_first() {
                return vec![report];
            }
            let small = program.smallest(|smaller| {
                let Some(possible) = smaller.possible() else {
                    return false;
                };
                let one = std::slice::from_ref(smaller);
                let said = Said::of(&load(one)[0], &options);
                said.wrong(&possible, &options.properties) == Some(what)
            });
            let said = Said::of(&load(std::slice::from_ref(&small))[0], &options);
            let (possible, source) = (small.possible(), S::file(&[small]));
            let small = format!("// {said:?}, possible are {possible:?}\n{source}");
            eprintln!("{small}");
            reports.push(format!("{report}\n{small}"));
        }
        reports
    }

    fn options(&self, seed: u64, variant: TraceOptions) -> Options {
        let all = Properties::all();
        let with_races = all.0.iter().copied().chain([Property::Race]);
        let properties = match (self.races, seed % 4) {
            (true, 0) => Properties(with_races.collect()),
            (true, _) => Properties([Property::Race].into()),
            (false, 2) => Properties([Property::Assertion].into()),
            (false, 3) => Properties([Property::Deadlock].into()),
            (false, _) => all,
        };
        let limit = std::env::var("SLEAVE_LIMIT").ok();
        let limit = limit.map(|text| Duration::from_millis(text.parse().expect("milliseconds")));
        let mut options = Options {
            properties,
            time_limit: Some(limit.unwrap_or(LIMIT)),
            ..Options::with(EngineOptions::Trace(variant))
        };
        options.machine.spurious_wakeups = self.spurious_wakeups;
        options
    }

    fn note(&self, variant: &'static str, said: &Said) {
        let mut seen = self.seen.lock().expect("no panic");
        let answers = seen.answers.entry(variant).or_default();
        *answers.entry(said.name()).or_default() += 1;
        if let Said::Unknown(name, advice) = said
            && name == NOT_FOR_THIS
        {
            let why = advice.split_once("it does not encode ");
            let why = why.map_or(advice.as_str(), |(_, why)| why);
            let why = why.split(". Leave").next().unwrap_or(why);
            *seen.obstacles.entry(why.to_string()).or_default() += 1;
        }
    }
}

/// Each program on its own.
fn load<S: Subject>(programs: &[S]) -> Vec<Loaded> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("programs.c");
    std::fs::write(&file, S::file(programs)).expect("the file is written");
    let all = verify::load(&[file], &[]).expect("a program that compiles");
    let alone = (0..programs.len()).map(|index| {
        let mut module = (*all.program.module).clone();
        let main = module.function_named("main").expect("a main");
        let name = format!("p{index}_main");
        let one = module.function_named(&name).expect("the program's main");
        module.functions[main].name = "nobody_calls_this".to_string();
        module.functions[one].name = "main".to_string();
        Loaded {
            program: Arc::new(Program::new(Arc::new(module))),
            hash: all.hash + index as u64,
            files: all.files.clone(),
            clang_flags: Vec::new(),
            warnings: String::new(),
            compile_time: all.compile_time,
            load_time: all.load_time,
            notes: Vec::new(),
            made: None,
        }
    });
    alone.collect()
}

const NOT_FOR_THIS: &str = "not for this program";

/// What the engine said.
#[derive(Debug)]
enum Said {
    Safe,
    Bug(BTreeSet<Property>),
    /// The reason, and the advice.
    Unknown(String, String),
    Fault(String),
}

impl Said {
    fn of(loaded: &Loaded, options: &Options) -> Said {
        // Each check has a flag of its own to be stopped by.
        let options = Options {
            interrupt: Arc::default(),
            ..options.clone()
        };
        let checked = catch_unwind(AssertUnwindSafe(|| {
            verify::check(loaded, &options, &mut Quiet)
        }));
        match checked {
            Err(_) => Said::Fault("a panic".to_string()),
            Ok(Err(fault)) => Said::Fault(fault.to_string()),
            Ok(Ok(checked)) => match checked.verdict {
                Verdict::Safe => Said::Safe,
                Verdict::Bug(bugs) => Said::Bug(bugs.iter().map(|bug| bug.property).collect()),
                Verdict::Unknown(reason) => Said::Unknown(reason.name, reason.advice),
            },
        }
    }

    fn name(&self) -> String {
        match self {
            Said::Safe => "safe".to_string(),
            Said::Bug(kinds) => {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                kinds.join(", ")
            }
            Said::Unknown(name, _) => format!("unknown ({name})"),
            Said::Fault(why) => format!("fault ({why})"),
        }
    }

    /// What is wrong with it, if anything is.
    fn wrong(&self, possible: &BTreeSet<Property>, asked: &Properties) -> Option<&'static str> {
        let (asked, others): (BTreeSet<Property>, BTreeSet<Property>) = possible
            .iter()
            .partition(|property| asked.contains(**property));
        match self {
            Said::Safe => (!asked.is_empty()).then_some("missed"),
            Said::Bug(found) => (!found.is_subset(&asked)).then_some("impossible"),
            Said::Unknown(_, advice) if advice.contains("that does not when it is run") => {
                Some("taken to fail")
            }
            Said::Unknown(name, _) if name == NOT_FOR_THIS || name == "time limit" => {
                std::env::var_os("SLEAVE_STRICT").map(|_| "open")
            }
            // An execution may run into what was not asked for.
            Said::Unknown(name, _) if name.starts_with("undefined behaviour") => {
                others.is_empty().then_some("no such other fault")
            }
            Said::Unknown(..) => Some("left open"),
            Said::Fault(_) => Some("fault"),
        }
    }
}

//! What every configuration says of random programs of the tiny C (`oracle::tiny`), against all
//! that can go wrong with them: loops that wait, locks of all kinds, heap nodes, bytes, trees of
//! threads, races, parts of memory, ends of objects.
//!
//! The configurations are those of `tests/configurations.txt`, the default of the command line
//! first. Right is `safe` where nothing that was asked for can happen, and a bug of a kind that
//! can. `unknown` says nothing wrong; how often it is said is counted, and bounded for the default.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds of each family instead of the usual ones;
//! `SLEAVE_FAMILY=NAME` and `SLEAVE_CONFIGURATION=NAME` restrict it to one of each;
//! `SLEAVE_FIRST=1` stops at the first difference and does not make it small. `SLEAVE_OTHERS=N`: of
//! the configurations but the default, N look at each program, in turn; in CI one, in a campaign
//! all. With `SLEAVE_LENIENT=1` any number may be left open. `tests/campaign.py` compares the
//! program `sleave` itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

use cli::flags::Command;
use oracle::campaign;
use oracle::tiny::{self, Failure, Program};
use verify::{Loaded, Options, Properties, Property, Quiet, Verdict};

/// Programs compiled together.
const TOGETHER: u64 = 10;

/// For one search, unless `SLEAVE_LIMIT` says otherwise, in milliseconds. Most of those that end do
/// so long before.
const LIMIT: Duration = Duration::from_millis(300);

/// In per cent: the default says `unknown` of no more. It was 8 of 1,200 programs that wait, and 5
/// at most of the other families; on a busy machine it is more.
const UNDECIDED: usize = 15;

#[test]
fn waiting_is_seen_as_the_reference_sees_it() {
    compare("waiting", 0..700);
}

#[test]
fn locks_are_seen_as_the_reference_sees_them() {
    compare("locks", 0..500);
}

#[test]
fn heap_nodes_are_seen_as_the_reference_sees_them() {
    compare("heap", 0..400);
}

#[test]
fn bytes_are_seen_as_the_reference_sees_them() {
    compare("bytes", 0..300);
}

#[test]
fn trees_of_threads_are_seen_as_the_reference_sees_them() {
    compare("trees", 0..300);
}

#[test]
fn races_are_seen_as_the_reference_sees_them() {
    compare("races", 0..300);
}

#[test]
fn parts_of_memory_are_seen_as_the_reference_sees_them() {
    compare("memory", 0..200);
}

#[test]
fn ends_of_objects_are_seen_as_the_reference_sees_them() {
    compare("lifetimes", 0..200);
}

#[test]
fn everything_at_once_is_seen_as_the_reference_sees_it() {
    compare("mixed", 0..100);
}

struct Configuration {
    name: String,
    options: Options,
}

/// Those of the list, with what each is asked for. For races: those that can look for them.
fn configurations(races: bool) -> Vec<Configuration> {
    let list = include_str!("../../../tests/configurations.txt");
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let all = lines.map(|line| {
        let (name, flags) = line.split_once('|').expect("NAME | FLAGS");
        let flags: Vec<&str> = flags.split_whitespace().collect();
        (name.trim().to_string(), flags)
    });
    let wanted = std::env::var("SLEAVE_CONFIGURATION").ok();
    let all = all.filter(|(name, _)| wanted.as_ref().is_none_or(|wanted| wanted == name));
    let other = ["--prune", "--commute", "--observers", "--property"];
    let all = all.filter(|(_, flags)| !races || !flags.iter().any(|flag| other.contains(flag)));
    let found: Vec<Configuration> = all
        .map(|(name, flags)| {
            let mut options = options(&flags);
            if races {
                options.properties = Properties([Property::Race].into());
            }
            Configuration { name, options }
        })
        .collect();
    assert!(
        races || !found.is_empty(),
        "no configuration called {wanted:?}"
    );
    found
}

/// What the command line makes of flags.
fn options(flags: &[&str]) -> Options {
    // Which argument says which program: see `say`.
    let line = ["sleave", "check", "program.c", "--args", "?"];
    let line = line.iter().chain(flags);
    let flags = cli::help::parse(line.map(Into::into)).expect("flags that are known");
    let Command::Check(flags) = flags.command else {
        unreachable!("the command is check");
    };
    Options {
        time_limit: Some(number("SLEAVE_LIMIT").map_or(LIMIT, Duration::from_millis)),
        ..cli::options::of(&flags).expect("flags that go together")
    }
}

/// How often a configuration gave which answer.
type Counts = Mutex<BTreeMap<String, BTreeMap<String, usize>>>;

fn compare(family: &str, usual: Range<u64>) {
    if std::env::var("SLEAVE_FAMILY").is_ok_and(|wanted| wanted != family) {
        return;
    }
    let config = tiny::family(family).expect("a family");
    let configurations = configurations(config.races);
    if configurations.is_empty() {
        return;
    }
    let counts = Counts::default();
    let seeds = campaign::seeds(usual);
    let programs = (seeds.end - seeds.start) as usize;
    let failing = Mutex::new(BTreeMap::<String, usize>::new());
    campaign::compare(seeds, |seeds| {
        let starts = seeds.clone().step_by(TOGETHER as usize);
        let batches = starts.map(|first| first..(first + TOGETHER).min(seeds.end));
        let differences = batches.flat_map(|seeds| {
            differences(family, &config, &configurations, seeds, &counts, &failing)
        });
        differences.collect()
    });
    let counts = counts.into_inner().expect("no panic");
    eprintln!("{family}: {:?}", failing.into_inner().expect("no panic"));
    for (name, answers) in &counts {
        eprintln!("{family}, {name}: {answers:?}");
    }
    if std::env::var_os("SLEAVE_LENIENT").is_some() {
        return;
    }
    let answers = counts.get("default").into_iter().flatten();
    let open = answers.filter(|(said, _)| said.starts_with("unknown"));
    let open: usize = open.map(|(_, count)| count).sum();
    assert!(
        100 * open <= UNDECIDED * programs,
        "{family}: of {programs} programs the default leaves {open} open: {:?}",
        counts.get("default")
    );
}

fn differences(
    family: &str,
    config: &tiny::Config,
    configurations: &[Configuration],
    seeds: Range<u64>,
    counts: &Counts,
    failing: &Mutex<BTreeMap<String, usize>>,
) -> Vec<String> {
    let programs: Vec<_> = seeds
        .clone()
        .map(|seed| tiny::generate(config, seed))
        .collect();
    let loaded = load(programs.iter().map(|(program, _)| program));
    let mut reports = Vec::new();
    for ((index, seed), (program, found)) in seeds.enumerate().zip(&programs) {
        let kind = format!("{:?}", found.failures);
        *failing.lock().expect("no panic").entry(kind).or_default() += 1;
        for configuration in due(configurations, seed) {
            let said = say(&loaded, index, &configuration.options);
            let wrong = judge(&said, &found.failures, &configuration.options.properties);
            *counts
                .lock()
                .expect("no panic")
                .entry(configuration.name.clone())
                .or_default()
                .entry(said.clone())
                .or_default() += 1;
            let Some(wrong) = wrong else { continue };
            let name = &configuration.name;
            let report = format!(
                "{family}, seed {seed}, {name}: {wrong}: {said}, possible are {:?}",
                found.failures
            );
            eprintln!("{report}");
            if campaign::only_first() {
                return vec![report];
            }
            let small = tiny::shrink(program, |smaller| {
                let found = tiny::failures(smaller, config.races, config.most_states);
                found.is_ok_and(|found| {
                    let said = say(&load([smaller]), 0, &configuration.options);
                    let properties = &configuration.options.properties;
                    judge(&said, &found.failures, properties) == Some(wrong)
                })
            });
            reports.push(format!("{report}\n{}", tiny::render(&small, "")));
        }
    }
    reports
}

/// The default looks at every program, and of the others some, in turn.
fn due(configurations: &[Configuration], seed: u64) -> impl Iterator<Item = &Configuration> {
    let count = configurations.len();
    let is_campaign = std::env::var("SLEAVE_CAMPAIGN").is_ok();
    let others =
        number("SLEAVE_OTHERS").map_or(if is_campaign { count } else { 1 }, |n| n as usize);
    let numbered = configurations.iter().enumerate();
    let due = numbered.filter(move |(place, _)| {
        let turn = (place + count - seed as usize * others % count) % count;
        *place == 0 || turn < others
    });
    due.map(|(_, configuration)| configuration)
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().expect("a number"))
}

/// The argument that means a program.
fn letter(index: usize) -> char {
    char::from(b'a' + u8::try_from(index).expect("a small batch"))
}

/// Several programs in one file; the first argument of `main` says which is meant.
fn load<'a>(programs: impl IntoIterator<Item = &'a Program>) -> Loaded {
    let (mut source, mut cases) = (tiny::HEADER.to_string(), String::new());
    for (index, program) in programs.into_iter().enumerate() {
        source.push_str(&tiny::render(program, &format!("p{index}_")));
        let letter = letter(index);
        cases.push_str(&format!("    case '{letter}': return p{index}_main();\n"));
    }
    source.push_str(&format!(
        "int main(int argc, char **argv) {{\n    switch (argv[1][0]) {{\n{cases}    }}\n    return 1;\n}}\n"
    ));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("programs.c");
    std::fs::write(&file, source).expect("the file is written");
    verify::load(&[file], &[]).expect("a program that compiles")
}

/// The verdict in words: `safe`, `unknown (..)`, the kinds of bugs, or what went wrong.
fn say(loaded: &Loaded, index: usize, options: &Options) -> String {
    let mut options = options.clone();
    options.machine.args = vec![letter(index).to_string()];
    // Each search has a flag of its own to be stopped by.
    options.interrupt = Default::default();
    match verify::check(loaded, &options, &mut Quiet) {
        Err(fault) => format!("fault: {fault}"),
        Ok(checked) => match checked.verdict {
            Verdict::Safe => "safe".to_string(),
            Verdict::Unknown(reason) => format!("unknown ({})", reason.name),
            Verdict::Bug(bugs) => {
                let kinds: BTreeSet<_> = bugs.iter().map(|bug| bug.property.name()).collect();
                Vec::from_iter(kinds).join(", ")
            }
        },
    }
}

/// What is wrong with what was said, if anything is.
fn judge(said: &str, can: &BTreeSet<Failure>, asked: &Properties) -> Option<&'static str> {
    let possible: BTreeSet<&str> = can
        .iter()
        .map(|failure| match failure {
            Failure::Assertion => Property::Assertion,
            Failure::Memory => Property::Memory,
            Failure::LockMisuse => Property::LockMisuse,
            Failure::Stuck => Property::Deadlock,
            Failure::Race => Property::Race,
        })
        .filter(|property| asked.contains(*property))
        .map(Property::name)
        .collect();
    match said {
        "safe" => (!possible.is_empty()).then_some("missed"),
        said if said.starts_with("unknown") => None,
        said if said.starts_with("fault") => Some("fault"),
        kinds => {
            let mut kinds = kinds.split(", ");
            (!kinds.all(|kind| possible.contains(kind))).then_some("impossible")
        }
    }
}

//! Every program of `tests/programs/safe`, `bug` and `waiting` has its verdict in every
//! configuration of `tests/configurations.txt`, what the command line does without flags first of
//! all. Each program is compiled once, and checked in this process.
//!
//! A configuration that the command line refuses to combine with a program's own options is left
//! out; so is the search of all interleavings for loops that wait, which it unrolls.
//! What static facts alone prove of a program is held against its verdict and the explorer's, and
//! what a short hunt says of its assertions against its verdict.
//!
//! `// needs: states`: a round changes something and changes it back, which only the default and
//! the search of states understand. The latter does not keep which inputs lead to a state, and may
//! leave a loop open where there are some.
//!
//! `SLEAVE_CONFIGURATION=NAME` restricts the test to one configuration, `SLEAVE_PROGRAM=TEXT` to
//! programs whose path contains the text; `SLEAVE_SLOW=MILLISECONDS` tells which checks take
//! longer, `SLEAVE_VERBOSE=1` which begin. With `SLEAVE_LENIENT=1`, `unknown` is no wrong verdict.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cli::flags::{CheckFlags, Command};
use verify::{
    EngineOptions, Explore, HuntOptions, Loaded, Options, Properties, Property, Quarry, Quiet,
    Search, Status, Verdict,
};

/// What the trace engine decides at all, it decides in less.
const FORMULA_LIMIT: Duration = Duration::from_secs(2);

/// What it may say instead of a verdict.
const STEPS_ASIDE: [&str; 2] = ["not for this program", "time limit"];

/// Where `unknown` is as good as a verdict, nobody waits longer.
const LENIENT_LIMIT: Duration = Duration::from_secs(30);

#[test]
fn every_configuration_gives_every_verdict() {
    let configurations = configurations();
    let (mut checks, mut proofs) = (0, 0);
    let mut wrong = Vec::new();
    for folder in ["waiting", "bug", "safe"] {
        // Options name files as seen from the folder of the program.
        let folder = root().join(folder);
        std::env::set_current_dir(&folder).expect("the folder of programs");
        let next = AtomicUsize::new(0);
        let programs = programs(&folder);
        let work = || {
            let (mut checks, mut proofs, mut wrong) = (0, 0, Vec::new());
            while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let loaded = program.load();
                for configuration in &configurations {
                    match program.judge(&loaded, configuration) {
                        None => continue,
                        Some(Ok(())) => {}
                        Some(Err(why)) => {
                            wrong.push(format!("{} {configuration}: {why}", program.name()))
                        }
                    }
                    checks += 1;
                }
                let (proved, refuted) = program.static_facts(&loaded);
                proofs += proved;
                let hunted = program.hunted(&loaded);
                let both = refuted.into_iter().chain(hunted);
                wrong.extend(both.map(|why| format!("{}: {why}", program.name())));
            }
            (checks, proofs, wrong)
        };
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            for handle in handles {
                let (found, proved, differences) = handle.join().expect("no panic");
                checks += found;
                proofs += proved;
                wrong.extend(differences);
            }
        });
    }
    eprintln!(
        "{checks} checks in {} configurations, {proofs} proofs by static facts",
        configurations.len()
    );
    assert!(checks > 0, "nothing was checked");
    let is_whole = ["SLEAVE_CONFIGURATION", "SLEAVE_PROGRAM"];
    if is_whole.iter().all(|name| std::env::var_os(name).is_none()) {
        assert!(proofs > 500, "{proofs} proofs by static facts");
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What the explorer may take to say that static facts are wrong.
const TO_CONTRADICT: Duration = Duration::from_secs(1);

fn is_lenient() -> bool {
    std::env::var_os("SLEAVE_LENIENT").is_some()
}

/// Flags of each configuration.
fn configurations() -> Vec<String> {
    let wanted = std::env::var("SLEAVE_CONFIGURATION").ok();
    include_str!("../../../tests/configurations.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('|').expect("NAME | FLAGS"))
        .filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == name.trim()))
        .map(|(_, flags)| flags.trim().to_string())
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

fn programs(folder: &Path) -> Vec<Program> {
    let wanted = std::env::var("SLEAVE_PROGRAM").unwrap_or_default();
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| {
        let kinds = ["c", "cpp", "i", "ll"];
        let is_source = |e: &std::ffi::OsStr| kinds.iter().any(|kind| e == *kind);
        path.extension().is_some_and(is_source) && path.to_string_lossy().contains(&wanted)
    });
    paths.sort();
    paths.iter().map(|path| Program::read(path)).collect()
}

enum Expected {
    Safe,
    Fault(String),
    Unknown(String),
}

struct Program {
    path: PathBuf,
    expected: Expected,
    waits: bool,
    options: Vec<String>,
    clang: Vec<String>,
    needs_states: bool,
    has_inputs: bool,
}

impl Program {
    fn read(path: &Path) -> Program {
        let text = std::fs::read_to_string(path).expect("a program");
        let header = |name: &str| {
            text.lines().take(12).find_map(|line| {
                let comment = line.trim_start_matches([';', '/', ' ']);
                comment.strip_prefix(name).map(str::trim)
            })
        };
        let marked = text.split_once("~ BUG(").map(|(_, rest)| {
            let line = rest.lines().next().expect("a line");
            &line[..line.rfind(')').expect("a closing bracket")]
        });
        let said = header("expect:").and_then(|verdict| verdict.split_once(" ("));
        let expected = match (said, marked) {
            (Some(("bug", kind)), _) => Expected::Fault(kind.trim_end_matches(')').to_string()),
            (Some((_, why)), _) => Expected::Unknown(why.trim_end_matches(')').to_string()),
            (None, Some(kind)) => Expected::Fault(kind.to_string()),
            (None, None) => Expected::Safe,
        };
        let words = header("sleave:").unwrap_or_default().split_whitespace();
        let words: Vec<String> = words.map(str::to_string).collect();
        let mut halves = words.split(|word| word == "--").map(<[String]>::to_vec);
        Program {
            path: path.to_path_buf(),
            expected,
            waits: path
                .parent()
                .is_some_and(|folder| folder.ends_with("waiting")),
            options: halves.next().unwrap_or_default(),
            clang: halves.next().unwrap_or_default(),
            needs_states: header("needs:").is_some_and(|what| what == "states"),
            has_inputs: text.contains("nondet"),
        }
    }

    fn name(&self) -> std::borrow::Cow<'_, str> {
        self.path.file_name().expect("a name").to_string_lossy()
    }

    fn load(&self) -> Loaded {
        verify::load(std::slice::from_ref(&self.path), &self.clang)
            .unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    /// What the command line makes of the program's options and those of a configuration.
    fn flags(&self, configuration: &str) -> Option<CheckFlags> {
        let ours = self.options.iter().map(String::as_str);
        let line = ["sleave", "check", "--no-witness"].into_iter();
        let line = line.chain(ours).chain(configuration.split_whitespace());
        let line = line.chain([self.path.to_str()?]).map(Into::into);
        match cli::help::parse(line).ok()?.command {
            Command::Check(flags) => Some(*flags),
            _ => unreachable!("the command is check"),
        }
    }

    /// How many properties static facts prove, each alone; and what speaks against them: the
    /// program's bug, or one that the explorer alone finds.
    fn static_facts(&self, loaded: &Loaded) -> (usize, Option<String>) {
        // What a program's own options say of its surroundings is not said to static facts.
        if !self.options.is_empty() || std::env::var_os("SLEAVE_CONFIGURATION").is_some() {
            return (0, None);
        }
        let ask = |properties: BTreeSet<Property>, engine: EngineOptions| {
            let options = Options {
                properties: Properties(properties),
                time_limit: Some(TO_CONTRADICT),
                ..Options::with(engine)
            };
            let checked = verify::check(loaded, &options, &mut Quiet);
            checked.expect("it is checked").verdict
        };
        let is_proved = |property: &Property| {
            let verdict = ask([*property].into(), EngineOptions::Static);
            matches!(verdict, Verdict::Safe)
        };
        let all = Properties::all().0.into_iter().chain([Property::Race]);
        let proved: BTreeSet<Property> = all.filter(is_proved).collect();
        let count = proved.len();
        if let Expected::Fault(kind) = &self.expected
            && proved.iter().any(|property| property.name() == kind)
        {
            return (
                count,
                Some(format!("static facts prove that there is no {kind}")),
            );
        }
        if proved.is_empty() {
            return (0, None);
        }
        let explorer = Explore::of(Search::optimal());
        let found = ask(proved, explorer.into());
        let found = found.bugs().first().map(|bug| bug.property.name());
        (
            count,
            found.map(|kind| format!("there is a {kind}, but static facts prove there is none")),
        )
    }

    /// What speaks against a short hunt for assertions: it refutes the one that fails, or confirms
    /// one in a program that is safe.
    fn hunted(&self, loaded: &Loaded) -> Option<String> {
        if std::env::var_os("SLEAVE_CONFIGURATION").is_some() {
            return None;
        }
        let flags = self.flags("")?;
        let mut check = cli::options::of(&flags).ok()?;
        check.machine.surroundings.stdin = cli::check::read_stdin(&flags).expect("it is there");
        let options = HuntOptions {
            quarry: vec![Quarry::Assertions],
            seed: 0,
            jobs: 1,
            rounds: Some(1),
            check,
        };
        let hunt = || verify::hunt(loaded, &options, &mut Quiet);
        let hunted = match catch_unwind(AssertUnwindSafe(hunt)) {
            Ok(Ok(hunted)) => hunted,
            Ok(Err(error)) => return Some(format!("hunt: {error}")),
            Err(_) => return Some("the hunt panics".to_string()),
        };
        let is_safe = matches!(self.expected, Expected::Safe);
        hunted.sets.iter().find_map(|set| match &set.status {
            Status::Confirmed(bug) if is_safe => {
                Some(format!("a hunt confirms a bug: {}", bug.message))
            }
            Status::Refuted(_) if set.places.iter().any(|place| self.marks(place.line)) => {
                Some(format!("a hunt refutes what fails: {}", set.message))
            }
            _ => None,
        })
    }

    /// Whether an assertion is said to fail at this line.
    fn marks(&self, line: u32) -> bool {
        let text = std::fs::read_to_string(&self.path).expect("a program");
        let line = text.lines().nth(line as usize - 1).unwrap_or_default();
        line.contains("~ BUG(assertion)")
    }

    /// What is wrong with the verdict. `None`: the configuration is not for this program.
    fn judge(&self, loaded: &Loaded, configuration: &str) -> Option<Result<(), String>> {
        let by_states = configuration == "--prune states";
        let is_naive = configuration.starts_with("--por none");
        let is_understood = by_states || configuration.is_empty();
        if self.waits && is_naive || self.needs_states && !is_understood {
            return None;
        }
        // Runs at random, and loops that are unrolled, end with a bug that is asked for, or not at
        // all.
        let has = |what: &str| self.options.join(" ").contains(what);
        let may_not_end = has("--random") || has("--por none") || has("--por") && is_naive;
        if may_not_end && !configuration.is_empty() {
            return None;
        }
        // Who asks for one thing and for another is answered by either.
        if has("--property") && configuration.contains("--property") {
            return None;
        }
        let flags = self.flags(configuration)?;
        let mut options = cli::options::of(&flags).ok()?;
        options.machine.surroundings.stdin = cli::check::read_stdin(&flags).expect("it is there");
        if is_lenient() {
            options.time_limit = Some(LENIENT_LIMIT);
        }
        // The trace engine steps aside from what is not for it, and takes long for what hardly is.
        let by_formula = configuration.contains("--engine trace");
        if by_formula {
            options.time_limit = Some(FORMULA_LIMIT);
        }
        let start = Instant::now();
        if std::env::var_os("SLEAVE_VERBOSE").is_some() {
            eprintln!("{} {configuration}", self.name());
        }
        let checked = catch_unwind(AssertUnwindSafe(|| {
            verify::check(loaded, &options, &mut Quiet)
        }));
        let slow = std::env::var("SLEAVE_SLOW").ok();
        let slow = slow.and_then(|text| text.parse().ok());
        if slow.is_some_and(|limit| start.elapsed() > Duration::from_millis(limit)) {
            let seconds = start.elapsed().as_secs_f64();
            eprintln!("{seconds:.2} s: {} {configuration}", self.name());
        }
        let (verdict, engine) = match checked {
            Ok(Ok(checked)) => (checked.verdict, checked.engine),
            Ok(Err(fault)) => return Some(Err(fault.to_string())),
            Err(_) => return Some(Err("it panics".to_string())),
        };
        let is_asked = |name: &str| options.properties.0.iter().any(|p| p.name() == name);
        let found: Vec<&str> = verdict
            .bugs()
            .iter()
            .map(|bug| bug.property.name())
            .collect();
        let is_right = match (&self.expected, &verdict) {
            // Nothing is said about what else may go wrong.
            (Expected::Fault(kind), _) if !is_asked(kind) => true,
            (Expected::Fault(kind), Verdict::Bug(_)) => found.contains(&kind.as_str()),
            (Expected::Safe, Verdict::Safe) => true,
            (_, Verdict::Unknown(reason))
                if by_formula && STEPS_ASIDE.contains(&reason.name.as_str()) =>
            {
                true
            }
            (Expected::Unknown(why), Verdict::Unknown(reason)) => reason.name == *why,
            // What a search cannot follow may be nothing to a proof from static facts.
            (Expected::Unknown(_), Verdict::Safe) => engine == "static",
            (_, Verdict::Unknown(reason)) => {
                by_states && self.has_inputs || is_lenient() || reason.name == "static facts"
            }
            _ => false,
        };
        Some(if is_right {
            Ok(())
        } else {
            Err(format!("{verdict:?}").chars().take(300).collect())
        })
    }
}

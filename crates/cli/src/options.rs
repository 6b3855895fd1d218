//! From the command line to the library's options: a translation, and why some command lines have
//! none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use verify::{
    Besides, Checkpoint, Dependence, EngineOptions, Explore, GivenInputs, HuntOptions, Members,
    Options, OptionsError, Pieces, Portfolio, Property, Prune, Quarry, Sampling, Search, Summarise,
    Surroundings, TraceOptions, Workers,
};

use crate::flags::{CheckFlags, Engine, HuntFlags, Por, ProgramFlags, PruneKind, TraceFlags};

/// Why a command line makes no sense.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    #[error("{flag} does not go with {other}")]
    NotTogether {
        flag: &'static str,
        other: &'static str,
    },
    #[error("{flag} needs {other}")]
    Needs {
        flag: &'static str,
        other: &'static str,
    },
    #[error("{}: the {what} would overwrite the program", path.display())]
    Overwrites { path: PathBuf, what: &'static str },
    #[error("{}: no inputs can be read there: a witness, or a JSON object like {{\"T1.0.nondet_int\": 7}}, the first input of the first thread that main makes", .0.display())]
    Inputs(PathBuf),
    #[error(transparent)]
    Options(#[from] OptionsError),
}

pub fn of(flags: &CheckFlags) -> Result<Options, UsageError> {
    let mut options = Options {
        engine: engine(flags)?,
        all: flags.search.all,
        time_limit: flags.time_limit,
        memory_limit_mb: flags.memory_limit,
        ..Options::default()
    };
    machine(&flags.program, &mut options.machine);
    if let Some(timeout) = flags.solver_timeout {
        options.solver_timeout = timeout;
    }
    if !flags.search.property.is_empty() {
        options.properties = verify::parse_properties(&flags.search.property)?;
    }
    if options.properties.contains(Property::Race)
        && let Some(flag) = flag_without_races(flags)
    {
        let other = "--property race";
        return Err(UsageError::NotTogether { flag, other });
    }
    options.validate()?;
    overwrites_nothing(flags)?;
    Ok(options)
}

/// What is hunted, and within which limits.
pub fn of_hunt(flags: &HuntFlags) -> HuntOptions {
    let mut check = Options {
        time_limit: Some(flags.time_limit),
        memory_limit_mb: flags.memory_limit,
        ..Options::default()
    };
    machine(&flags.program, &mut check.machine);
    if let Some(timeout) = flags.solver_timeout {
        check.solver_timeout = timeout;
    }
    let mut quarry = Vec::new();
    if !flags.target.is_empty() {
        quarry.push(Quarry::Lines(flags.target.clone()));
    }
    quarry.extend(flags.warnings.then_some(Quarry::Warnings));
    quarry.extend(flags.sarif.iter().cloned().map(Quarry::Sarif));
    if flags.assertions || quarry.is_empty() {
        quarry.push(Quarry::Assertions);
    }
    HuntOptions {
        quarry,
        seed: flags.seed,
        jobs: flags.jobs as usize,
        rounds: None,
        check,
    }
}

/// Who answers. Who names a search gets that one, with no other searches beside it.
fn engine(flags: &CheckFlags) -> Result<EngineOptions, UsageError> {
    let is_named = flags.search.por.is_some()
        || flags.search.dependence.is_some()
        || flags.search.peek
        || prunes(flags);
    if flags.search.engine != Engine::Trace
        && let Some(flag) = flags.search.trace.named()
    {
        let other = "--engine trace";
        return Err(UsageError::Needs { flag, other });
    }
    let is_alone = match flags.search.engine {
        Engine::Portfolio => false,
        Engine::Explore => true,
        Engine::Static => {
            return match named(flags) {
                Some(other) => Err(UsageError::NotTogether {
                    flag: "--engine static",
                    other,
                }),
                None => Ok(EngineOptions::Static),
            };
        }
        Engine::Trace => {
            return match named(flags).filter(|flag| *flag != "--explain") {
                Some(other) => Err(UsageError::NotTogether {
                    flag: "--engine trace",
                    other,
                }),
                None => {
                    let explain = flags.search.explain.clone().map(Option::unwrap_or_default);
                    Ok(EngineOptions::Trace(TraceOptions {
                        unsliced: flags.search.no_slice,
                        explain,
                        ..trace(&flags.search.trace)?
                    }))
                }
            };
        }
    };
    let main = Explore {
        search: search(flags, !is_named)?,
        dependence: match flags.search.dependence {
            Some(dependence) => dependence,
            None if is_named || flags.search.no_slice => Dependence::Conflict,
            None => Dependence::Predicate,
        },
        explain: flags.search.explain.clone().map(Option::unwrap_or_default),
        pieces: pieces(flags),
    };
    if is_alone || flags.search.por == Some(Por::None) || !main.search.is_exhaustive() {
        return Ok(main.into());
    }
    let is_plain = matches!(main.search, Search::Optimal { .. }) && flags.search.prune.is_none();
    let members = match !is_named && is_plain {
        true => Members::All,
        false => Members::BugHunt,
    };
    Ok(EngineOptions::Portfolio(Portfolio {
        // It explains what it proves, in its own way.
        trace: members == Members::All || named(flags) == Some("--explain"),
        members,
        seed: flags.search.seed,
        main,
    }))
}

fn trace(flags: &TraceFlags) -> Result<TraceOptions, UsageError> {
    let inputs = match &flags.inputs {
        None => None,
        Some(path) => Some(read_inputs(path).ok_or_else(|| UsageError::Inputs(path.clone()))?),
    };
    Ok(TraceOptions {
        whole: flags.whole,
        plain: flags.lazy || flags.whole.is_some(),
        clocks: flags.clocks,
        inputs,
        proof: flags.proof.clone(),
        ..TraceOptions::default()
    })
}

/// Inputs by name: an object of numbers, or a witness, which also says what threads it names them
/// after.
fn read_inputs(path: &Path) -> Option<GivenInputs> {
    let text = std::fs::read_to_string(path).ok()?;
    let file: serde_json::Value = serde_json::from_str(&text).ok()?;
    let inputs = file.get("inputs").unwrap_or(&file).as_object()?;
    let number = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.parse().ok(),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Some(number as u64 as u128),
            None => number.as_u64().map(u128::from),
        },
        _ => None,
    };
    let values = inputs
        .iter()
        .map(|(name, value)| Some((name.clone(), number(value)?)));
    let values: Option<BTreeMap<String, u128>> = values.collect();
    let values = values?;
    match file.get("schedule").and_then(|s| s.get("threads")) {
        None => GivenInputs::by_name(values),
        Some(threads) => {
            let threads = serde_json::from_value(threads.clone()).ok()?;
            Some(GivenInputs { values, threads })
        }
    }
}

/// A search is named by this flag.
fn named(flags: &CheckFlags) -> Option<&'static str> {
    let flags = [
        (flags.search.por.is_some(), "--por"),
        (flags.search.dependence.is_some(), "--dependence"),
        (flags.search.peek, "--peek"),
        (flags.search.commute, "--commute"),
        (flags.search.observers, "--observers"),
        (flags.search.prune.is_some(), "--prune"),
        (flags.search.explain.is_some(), "--explain"),
        (flags.search.preemptions.is_some(), "--preemptions"),
        (flags.search.random, "--random"),
        (checkpoint(flags).is_some(), "--checkpoint or --resume"),
        (flags.saving.job.is_some(), "--job"),
    ];
    let mut named = flags.into_iter().filter(|(is_named, _)| *is_named);
    named.next().map(|(_, flag)| flag)
}

/// States are pruned.
fn prunes(flags: &CheckFlags) -> bool {
    matches!(
        flags.search.prune,
        Some(PruneKind::Summaries | PruneKind::States)
    ) || flags.search.explain.is_some()
}

/// How summaries are made, if they are, and the flag that asks for it.
fn summaries(flags: &CheckFlags) -> Result<Option<(Summarise, &'static str)>, UsageError> {
    let flag = match (flags.search.prune, &flags.search.explain) {
        (Some(PruneKind::None | PruneKind::States), Some(_)) => {
            return Err(UsageError::Needs {
                flag: "--explain",
                other: "--prune summaries: leave --prune out",
            });
        }
        (_, Some(_)) => Some("--explain"),
        (Some(PruneKind::Summaries), None) => Some("--prune summaries"),
        (_, None) => None,
    };
    if let (None, Some(flag)) = (flag, flags.search.limits.named()) {
        return Err(UsageError::Needs {
            flag,
            other: "--prune summaries",
        });
    }
    let limits = flags.search.limits.limits();
    let summarise = Summarise {
        limits,
        explains: None,
    };
    Ok(flag.map(|flag| (summarise, flag)))
}

fn search(flags: &CheckFlags, peeks: bool) -> Result<Search, UsageError> {
    let summaries = summaries(flags)?;
    let peek = flags.search.peek || peeks;
    let (commute, observers) = (flags.search.commute, flags.search.observers);
    let finer = match (commute, observers) {
        (true, _) => Some("--commute"),
        (false, true) => Some("--observers"),
        (false, false) => None,
    };
    let not_together = |flag, other| Err(UsageError::NotTogether { flag, other });
    let states = flags.search.prune == Some(PruneKind::States);
    if let Some(flag) = finer {
        let leave_out = |other| not_together(flag, other);
        match flags.search.por {
            Some(Por::None) => {
                return leave_out("--por none: leave --por out, which then is source");
            }
            Some(Por::Optimal) => {
                return leave_out("--por optimal: leave --por out, which then is source");
            }
            Some(Por::Dpor) if observers => {
                return not_together(
                    "--observers",
                    "--por dpor: use --por source with it, or leave --por out",
                );
            }
            _ if states => return leave_out("--prune states"),
            _ => {}
        }
    }
    if states && flags.search.por.is_some_and(|por| por != Por::None) {
        return not_together(
            "--prune states",
            "--por, unless it is none: leave --por out",
        );
    }
    if let Some((_, flag)) = &summaries {
        let others = [
            (
                flags.search.por == Some(Por::Optimal),
                "--por optimal: leave --por out",
            ),
            (observers, "--observers"),
            (flags.search.preemptions.is_some(), "--preemptions"),
            (flags.search.random, "--random"),
        ];
        if let Some((_, other)) = others.into_iter().find(|(is_set, _)| *is_set) {
            return not_together(flag, other);
        }
    }
    let summaries = summaries.map(|(summarise, _)| summarise);
    if let Some(bound) = flags.search.preemptions {
        return Ok(Search::Preemptions { bound });
    }
    if flags.search.random {
        return Ok(Search::Random(Sampling {
            seed: flags.search.seed,
            runs: flags.search.runs,
        }));
    }
    let usual = match () {
        () if states => Por::None,
        () if finer.is_some() || summaries.is_some() => Por::Source,
        () => Por::Optimal,
    };
    Ok(match flags.search.por.unwrap_or(usual) {
        Por::None if states => Search::Naive(Prune::States),
        Por::None => Search::Naive(summaries.map_or(Prune::Nothing, Prune::Summaries)),
        Por::Dpor => Search::Dpor {
            commute,
            peek,
            summaries,
        },
        Por::Source => Search::Source {
            commute,
            peek,
            besides: match summaries {
                Some(summarise) => Besides::Summaries(summarise),
                None if observers => Besides::Observers,
                None => Besides::Nothing,
            },
        },
        Por::Optimal => Search::Optimal {
            peek,
            workers: workers(flags),
        },
    })
}

/// What leaves accesses out that a race may be found by.
fn flag_without_races(flags: &CheckFlags) -> Option<&'static str> {
    let flags = [
        (flags.search.commute, "--commute"),
        (flags.search.observers, "--observers"),
        (flags.search.explain.is_some(), "--explain"),
        (
            flags.search.prune == Some(PruneKind::Summaries),
            "--prune summaries",
        ),
        (
            flags.search.prune == Some(PruneKind::States),
            "--prune states",
        ),
    ];
    let mut set = flags.into_iter().filter(|(is_set, _)| *is_set);
    set.next().map(|(_, flag)| flag)
}

fn machine(flags: &ProgramFlags, machine: &mut verify::Config) {
    match flags.unwind {
        None => {}
        Some(0) => {
            machine.unwind = None;
            machine.default_unwind = u32::MAX;
        }
        Some(bound) => machine.unwind = Some(bound),
    }
    machine.spurious_wakeups = !flags.no_spurious;
    machine.malloc_may_fail = flags.malloc_may_fail;
    machine.threads = flags.threads;
    let words = flags.args.iter().flat_map(|words| words.0.clone());
    machine.args = words.collect();
    machine.surroundings = surroundings(flags);
}

/// What the command line says of the program's surroundings. Of several values of a variable the
/// last counts. The contents of the standard input are read later: that may take long.
fn surroundings(flags: &ProgramFlags) -> Surroundings {
    let mut environment: Vec<(String, Option<String>)> = Vec::new();
    for (name, value) in &flags.env {
        environment.retain(|(known, _)| known != name);
        environment.push((name.clone(), value.clone()));
    }
    Surroundings {
        any_args: flags.args.is_empty(),
        environment,
        whole_environment: flags.only_env,
        stdin: None,
        input_length: flags.input_length,
    }
}

fn workers(flags: &CheckFlags) -> Workers {
    let mut workers = Workers::on_all_cores();
    if let Some(count) = flags.saving.jobs {
        workers.count = count;
    }
    // For tests: split as early and as often as possible.
    if std::env::var_os("SLEAVE_ALWAYS_CUT").is_some() {
        workers.join_after = std::time::Duration::ZERO;
        workers.always_cut = true;
    }
    workers
}

/// The search is to be left and taken up.
fn pieces(flags: &CheckFlags) -> Option<Pieces> {
    let checkpoint = checkpoint(flags).map(|path| Checkpoint {
        path: path.clone(),
        every: flags.saving.checkpoint_every,
    });
    (checkpoint.is_some() || flags.saving.job.is_some()).then(|| Pieces {
        checkpoint,
        ..Pieces::default()
    })
}

/// Where the search is saved.
pub fn checkpoint(flags: &CheckFlags) -> Option<&PathBuf> {
    flags
        .saving
        .checkpoint
        .as_ref()
        .or(flags.saving.resume.as_ref())
}

fn overwrites_nothing(flags: &CheckFlags) -> Result<(), UsageError> {
    let searches = flags.saving.checkpoint.iter().chain(&flags.saving.job);
    let searches = searches.map(|path| (path, "search"));
    let witnesses = flags.witness.iter().map(|path| (path, "witness"));
    let proofs = flags.search.trace.proof.iter();
    let proofs = proofs.map(|path| (path, "proof"));
    for (path, what) in searches.chain(witnesses).chain(proofs) {
        if flags.files.contains(path) {
            let path = path.clone();
            return Err(UsageError::Overwrites { path, what });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Command;

    #[test]
    fn no_flags_are_the_librarys_default() {
        let line = ["sleave", "check", "program.c"].map(Into::into);
        let flags = crate::help::parse(line.into_iter()).expect("a command line");
        let Command::Check(flags) = flags.command else {
            unreachable!("the command is check");
        };
        let (ours, usual) = (of(&flags).expect("options"), Options::default());
        assert_eq!(format!("{:?}", ours.engine), format!("{:?}", usual.engine));
        assert_eq!(ours.machine, usual.machine);
        assert_eq!(ours.properties, usual.properties);
        assert_eq!(ours.all, usual.all);
        assert_eq!(ours.time_limit, usual.time_limit);
        assert_eq!(ours.memory_limit_mb, usual.memory_limit_mb);
        assert_eq!(ours.solver_timeout, usual.solver_timeout);
    }
}

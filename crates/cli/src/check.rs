//! `sleave check`: load, search, write the witnesses, report.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use verify::{
    Bug, Checked, Checkpoint, Dependence, Independence, Job, Leash, LoadError, Loaded, Options,
    Property, Reduction, Strategy, Surroundings, Verdict, Workers,
};

use crate::exit::{Exit, fault_text};
use crate::flags::{CheckFlags, Format, Show};
use crate::last_resort::Watch;
use crate::output;
use crate::progress::ProgressLine;
use crate::report::{self, Style};

/// Limits count from `begin`.
pub fn run(flags: Arc<CheckFlags>, begin: Instant) -> Exit {
    let mut options = match options(&flags) {
        Ok(options) => options,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let leash = Leash::default();
    options.interrupt = Arc::clone(&leash.stop);
    let (known, asked) = (options.known.clone(), Arc::clone(&flags));
    let report = move |stopped| {
        let checked = known.checked(stopped);
        // Whoever reads from what is no file may never do so.
        let is_file = |path: &PathBuf| !path.exists() || path.is_file();
        let witnesses = match asked.witness.as_ref().is_none_or(is_file) {
            true => write_witnesses(&asked, &checked),
            false => vec![None; checked.verdict.bugs().len()],
        };
        output::print(&report_of(&asked, &checked, &witnesses));
        exit_of(&checked)
    };
    let watch = Watch::start(leash, &options.reason, report);
    // A limit that is too far away to be told is none.
    let deadline = flags.time_limit.and_then(|limit| begin.checked_add(limit));
    watch.limit(deadline, flags.memory_limit);
    options.machine.surroundings.stdin = match read_stdin(&flags) {
        Ok(stdin) => stdin,
        Err(message) => return watch.report(Exit::Usage, || output::error(&message)),
    };
    let loaded = match load(&watch, &flags.files, &flags.clang_flags, &flags.show) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let mut options = match resume(&flags, options, &loaded) {
        Ok(options) => options,
        Err(message) => return watch.report(Exit::Usage, || output::error(&message)),
    };
    if let Some(path) = &flags.job {
        return write_job(path, &loaded, &options);
    }
    let left = flags
        .time_limit
        .map(|limit| limit.saturating_sub(begin.elapsed()));
    options.time_limit = left;
    let mut progress = ProgressLine::new(flags.show.quiet);
    let checked = verify::check(&loaded, &options, &mut progress);
    drop(progress);
    match checked {
        Ok(checked) => {
            // Both take a while if an execution is long: if it is too long, less is reported.
            let witnesses = write_witnesses(&flags, &checked);
            let text = report_of(&flags, &checked, &witnesses);
            watch.report(exit_of(&checked), || {
                tell_checkpoint(&flags, &checked);
                output::print(&text);
            })
        }
        Err(fault) => watch.report(Exit::Fault, || {
            output::error(&fault_text(&fault.to_string()))
        }),
    }
}

fn report_of(flags: &CheckFlags, checked: &Checked, witnesses: &[Option<PathBuf>]) -> String {
    match flags.show.format {
        Format::Json => report::json::check(checked, witnesses, flags.all),
        Format::Text if flags.show.quiet => report::text::verdict_line(&checked.verdict),
        Format::Text => report::text::check(checked, witnesses, &Style::of(&flags.show)),
    }
}

fn exit_of(checked: &Checked) -> Exit {
    match checked.verdict {
        Verdict::Safe => Exit::Safe,
        Verdict::Bug(_) => Exit::Bug,
        Verdict::Unknown(_) => Exit::Unknown,
    }
}

/// What only swaps independent steps is left out how, and what is independent.
fn reduction(flags: &CheckFlags) -> Result<(Reduction, Independence), String> {
    let independence = Independence {
        commute: flags.commute,
        observers: flags.observers,
    };
    let finer = independence != Independence::default();
    let reduction = match flags.por {
        Some(reduction) => reduction,
        None if finer => Reduction::Source,
        None => Reduction::default(),
    };
    if finer && !reduction.takes(independence) {
        let (flag, what) = if reduction == Reduction::Dpor {
            (
                "--observers",
                "use --por source with it, or leave --por out",
            )
        } else {
            let flag = if flags.commute {
                "--commute"
            } else {
                "--observers"
            };
            (flag, "leave --por out, which then is source")
        };
        let kind = match reduction {
            Reduction::None => "none",
            Reduction::Dpor => "dpor",
            Reduction::Source => "source",
            Reduction::Optimal => "optimal",
        };
        return Err(format!("{flag} does not go with --por {kind}: {what}"));
    }
    Ok((reduction, independence))
}

pub fn options(flags: &CheckFlags) -> Result<Options, String> {
    let (mut reduction, independence) = reduction(flags)?;
    let prunes = match (&flags.prune, &flags.explain) {
        (Some(kind), Some(_)) if kind == "none" => {
            return Err("--explain needs --prune summaries: leave --prune out".to_string());
        }
        (Some(kind), _) => kind == "summaries",
        (None, explain) => explain.is_some(),
    };
    if let (false, Some(flag)) = (prunes, flags.limits.named()) {
        return Err(format!("{flag} needs --prune summaries"));
    }
    if prunes && flags.por.is_none() {
        reduction = Reduction::Source;
    }
    let states = flags.prune.as_deref() == Some("states");
    if states && flags.por.is_some_and(|por| por != Reduction::None) {
        return Err("--prune states is for --por none: leave --por out".to_string());
    }
    if states {
        reduction = Reduction::None;
    }
    // Who names a search gets that one and nothing else.
    let is_default =
        flags.por.is_none() && flags.dependence.is_none() && !flags.peek && !prunes && !states;
    let mut options = Options {
        strategy: strategy(flags),
        reduction,
        independence,
        dependence: flags
            .dependence
            .unwrap_or(if is_default && !flags.no_slice {
                Dependence::Predicate
            } else {
                Dependence::Conflict
            }),
        peek: flags.peek || is_default,
        // Counts of all executions are those of one search, and only that can be left and taken up.
        rivals: is_default
            && reduction == Reduction::Optimal
            && flags.prune.is_none()
            && !flags.all
            && checkpoint(flags).is_none()
            && flags.job.is_none(),
        summaries: prunes.then(|| flags.limits.limits()),
        states,
        explain: flags.explain.clone().map(Option::unwrap_or_default),
        seed: flags.seed,
        all: flags.all,
        time_limit: flags.time_limit,
        memory_limit_mb: flags.memory_limit,
        workers: workers(flags),
        checkpoint: checkpoint(flags).map(|path| Checkpoint {
            path: path.clone(),
            every: flags.checkpoint_every,
        }),
        ..Options::default()
    };
    match flags.unwind {
        None => {}
        Some(0) => {
            options.machine.unwind = None;
            options.machine.default_unwind = u32::MAX;
        }
        Some(bound) => options.machine.unwind = Some(bound),
    }
    options.machine.spurious_wakeups = !flags.no_spurious;
    options.machine.malloc_may_fail = flags.malloc_may_fail;
    options.machine.threads = flags.threads;
    options.machine.args = flags
        .args
        .iter()
        .flat_map(|words| words.0.clone())
        .collect();
    options.machine.surroundings = surroundings(flags);
    if let Some(timeout) = flags.solver_timeout {
        options.solver_timeout = timeout;
    }
    if !flags.property.is_empty() {
        options.properties = verify::parse_properties(&flags.property)?;
    }
    let other = match () {
        () if states && options.properties.contains(Property::Race) => Some("--property race"),
        () if !prunes => None,
        () if reduction == Reduction::Optimal => Some("--por optimal: leave --por out"),
        () if flags.observers => Some("--observers"),
        () if flags.explain.is_some() && flags.preemptions.is_some() => Some("--preemptions"),
        () if flags.explain.is_some() && flags.random => Some("--random"),
        () if options.properties.contains(Property::Race) => Some("--property race"),
        () => None,
    };
    if let Some(other) = other {
        let flag = match flags.explain {
            Some(_) => "--explain",
            None if states => "--prune states",
            None => "--prune summaries",
        };
        return Err(format!("{flag} does not go with {other}"));
    }
    if independence != Independence::default() && options.properties.contains(Property::Race) {
        return Err(
            "--commute and --observers do not go with --property race: steps that commute may still order others. \
             Leave them out, or the race"
                .to_owned(),
        );
    }
    let is_optimal = reduction == Reduction::Optimal
        && matches!(options.strategy, Strategy::Exhaustive | Strategy::Attack);
    if !is_optimal {
        if checkpoint(flags).is_some() || flags.job.is_some() {
            return Err(
                "only a search with --por optimal, of everything, can be saved or made a job"
                    .to_string(),
            );
        }
        if flags.jobs.is_some_and(|jobs| jobs > 1) {
            output::error("--jobs is for --por optimal: this search has one worker");
        }
    }
    let mut saved = flags.checkpoint.iter().chain(&flags.job);
    if let Some(path) = saved.find(|path| flags.files.contains(path)) {
        return Err(format!(
            "{}: the search would overwrite the program",
            path.display()
        ));
    }
    if let Some(witness) = &flags.witness
        && flags.files.contains(witness)
    {
        return Err(format!(
            "{}: the witness would overwrite the program",
            witness.display()
        ));
    }
    Ok(options)
}

/// Where the search is saved.
fn checkpoint(flags: &CheckFlags) -> Option<&PathBuf> {
    flags.checkpoint.as_ref().or(flags.resume.as_ref())
}

/// Takes up what is left of a search that was saved.
fn resume(flags: &CheckFlags, options: Options, loaded: &Loaded) -> Result<Options, String> {
    let Some(path) = &flags.resume else {
        return Ok(options);
    };
    let job = Job::read(path).map_err(|e| e.to_string())?;
    job.continues(loaded, &options).map_err(|e| e.to_string())?;
    if job.work.is_part {
        return Err(format!(
            "{}: a part of a search; `sleave explore-job` does it",
            path.display()
        ));
    }
    Ok(Options {
        resume: Some(Arc::new(job.work)),
        ..options
    })
}

fn write_job(path: &Path, loaded: &Loaded, options: &Options) -> Exit {
    match Job::new(loaded, options).write(path) {
        Ok(()) => Exit::Safe,
        Err(error) => {
            output::error(&format!("{}: cannot be written: {error}", path.display()));
            Exit::Usage
        }
    }
}

/// Where a search that was stopped can be taken up.
fn tell_checkpoint(flags: &CheckFlags, checked: &Checked) {
    let Some(path) = checkpoint(flags) else {
        return;
    };
    let path = path.display();
    let is_left = checked.outcome.stopped.is_some() && !matches!(checked.verdict, Verdict::Bug(_));
    match &checked.checkpoint {
        Some(Err(error)) => output::error(&format!("{path}: cannot be written: {error}")),
        Some(Ok(_)) if is_left && !flags.show.quiet => {
            output::error(&format!("saved: go on with --resume {path}"));
        }
        _ => {}
    }
}

/// What the command line says of the program's surroundings. Of several values of a variable the
/// last counts. The contents of the standard input are read later: that may take long.
fn surroundings(flags: &CheckFlags) -> Surroundings {
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

pub fn read_stdin(flags: &CheckFlags) -> Result<Option<Vec<u8>>, String> {
    let Some(path) = &flags.stdin else {
        return Ok(None);
    };
    let contents = std::fs::read(path);
    let contents = contents.map_err(|error| format!("{}: {error}", path.display()));
    contents.map(Some)
}

fn workers(flags: &CheckFlags) -> Workers {
    let mut workers = Workers::default();
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    workers.count = flags.jobs.unwrap_or_else(cores);
    // For tests: split as early and as often as possible.
    if std::env::var_os("SLEAVE_ALWAYS_CUT").is_some() {
        workers.join_after = std::time::Duration::ZERO;
        workers.always_cut = true;
    }
    workers
}

fn strategy(flags: &CheckFlags) -> Strategy {
    if let Some(bound) = flags.preemptions {
        Strategy::Preemptions(bound)
    } else if flags.random {
        Strategy::Random { runs: flags.runs }
    } else if flags.por == Some(Reduction::None) || flags.no_attack || flags.all {
        // Counts are asked for, or may be.
        Strategy::Exhaustive
    } else {
        Strategy::Attack
    }
}

/// Loads the program, or says why not.
pub fn load(
    watch: &Watch,
    files: &[PathBuf],
    clang_flags: &[String],
    show: &Show,
) -> Result<Loaded, Exit> {
    match verify::load_on(watch.leash(), files, clang_flags) {
        Ok(loaded) => {
            if show.verbose {
                output::raw_error(&loaded.warnings);
            }
            Ok(loaded)
        }
        Err(LoadError::Stopped) => Err(watch.report_known()),
        Err(LoadError::Compile { message }) => {
            Err(watch.report(Exit::Input, || output::raw_error(&message)))
        }
        Err(error) => {
            let tell = || output::error(&error.to_string());
            Err(watch.report(Exit::Input, tell))
        }
    }
}

/// One file for each bug; `None` where there is none.
fn write_witnesses(flags: &CheckFlags, checked: &Checked) -> Vec<Option<PathBuf>> {
    let Verdict::Bug(bugs) = &checked.verdict else {
        return Vec::new();
    };
    let first = match &flags.witness {
        _ if flags.no_witness => return vec![None; bugs.len()],
        Some(path) => path.clone(),
        None => default_witness(&flags.files[0]),
    };
    let write = |(index, bug): (usize, &Bug)| {
        let path = numbered(&first, index + 1);
        match bug.witness.write(&path) {
            Ok(()) => Some(path),
            Err(error) => {
                output::error(&format!(
                    "{}: the witness cannot be written: {error}",
                    path.display()
                ));
                None
            }
        }
    };
    bugs.iter().enumerate().map(write).collect()
}

const WITNESS_SUFFIX: &str = ".witness.json";

fn default_witness(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    PathBuf::from(format!("{}{WITNESS_SUFFIX}", stem.to_string_lossy()))
}

/// `a.witness.json`, `a.2.witness.json`, `a.3.witness.json`, ...
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let suffix = [WITNESS_SUFFIX, ".json"]
        .into_iter()
        .find(|s| name.ends_with(s))
        .unwrap_or("");
    let stem = name.strip_suffix(suffix).unwrap_or(&name);
    path.with_file_name(format!("{stem}.{number}{suffix}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn witnesses_are_named_after_the_first_file() {
        let first = default_witness(Path::new("some/folder/queue.c"));
        assert_eq!(first, Path::new("queue.witness.json"));
        assert_eq!(numbered(&first, 1), first);
        assert_eq!(numbered(&first, 2), Path::new("queue.2.witness.json"));
        assert_eq!(numbered(Path::new("d/w.json"), 3), Path::new("d/w.3.json"));
        assert_eq!(numbered(Path::new("d/w"), 2), Path::new("d/w.2"));
    }
}

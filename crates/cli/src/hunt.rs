//! `sleave hunt`: goes after assertions, warnings or lines, and says what came of each.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use verify::{HuntError, HuntJob, HuntOptions, Hunted, Leash, Loaded, Status};

use crate::check::{default_witness, load_with, numbered};
use crate::exit::{Exit, Fault};
use crate::flags::{Guide, HuntFlags, LintFormat};
use crate::last_resort::Watch;
use crate::options;
use crate::output;
use crate::progress::ProgressLine;
use crate::report::{self, Style};

/// Limits count from `begin`.
pub fn run(flags: &HuntFlags, begin: Instant) -> Exit {
    let mut options = options::of_hunt(flags);
    let leash = Leash::default();
    options.check.interrupt = Arc::clone(&leash.stop);
    // Who has not reported a moment after a limit has nothing that is sorted out.
    let report = |_| {
        output::error("stopped before anything was sorted out: try a longer --time-limit");
        Exit::Unknown
    };
    let watch = Watch::start(leash, &options.check.reason, report);
    watch.limit(begin.checked_add(flags.time_limit), flags.memory_limit);
    options.check.machine.surroundings.stdin =
        match flags.program.stdin.as_ref().map(std::fs::read).transpose() {
            Ok(stdin) => stdin,
            Err(error) => {
                let tell = || output::error(&format!("the standard input: {error}"));
                return watch.report(Exit::Usage, tell);
            }
        };
    let harness = flags.harness.harness();
    let show = flags.shown();
    let loaded = match load_with(&watch, &flags.files, &flags.clang_flags, harness, &show) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    if let Some(guide) = flags.show {
        let show = match guide {
            Guide::Abstract => verify::Show::Abstract,
            Guide::Traces => verify::Show::Traces,
            Guide::Ranks => verify::Show::Ranks,
        };
        return match verify::show_hunt(&loaded, &options, show, flags.dot) {
            Ok(text) => watch.report(Exit::Safe, || output::print(&text)),
            Err(error) => failed(&watch, error),
        };
    }
    if let Some(folder) = &flags.trials {
        return match write_trials(folder, &loaded, &options) {
            Ok(count) => {
                let text = format!("{count} trials in {}\n", folder.display());
                watch.report(Exit::Safe, || output::print(&text))
            }
            Err(TrialsError::Hunt(error)) => failed(&watch, error),
            Err(TrialsError::Write(error)) => {
                let tell = || output::error(&format!("{}: {error}", folder.display()));
                watch.report(Exit::Usage, tell)
            }
        };
    }
    if let Some(path) = &flags.trial {
        let job = HuntJob::read(path).and_then(|job| job.fits(&loaded).map(|()| job));
        let job = match job {
            Ok(job) => job,
            Err(error) => return failed(&watch, error.into()),
        };
        options.quarry = job.quarry.clone();
        options.seed = job.seed;
        options.only = Some(job);
    }
    let left = flags.time_limit.saturating_sub(begin.elapsed());
    options.check.time_limit = Some(left);
    let mut progress = ProgressLine::new(flags.quiet);
    let hunted = verify::hunt(&loaded, &options, &mut progress);
    drop(progress);
    match hunted {
        Ok(hunted) => {
            let witnesses = write_witnesses(flags, &hunted);
            let text = match flags.format {
                LintFormat::Text => {
                    let style = Style::of(&flags.shown());
                    report::hunt::text(&hunted, &witnesses, flags.quiet, &style)
                }
                LintFormat::Json => report::hunt::json(&hunted, &witnesses),
                LintFormat::Sarif => report::sarif::hunted(&hunted),
            };
            let exit = match hunted.has_bugs() {
                true => Exit::Bug,
                false => Exit::Unknown,
            };
            watch.report(exit, || output::print(&text))
        }
        Err(error) => failed(&watch, error),
    }
}

/// Of each target set so many trials are written.
const TRIALS: usize = 8;
/// So many states each may make.
const STATES: u64 = 100_000;

enum TrialsError {
    Hunt(HuntError),
    Write(std::io::Error),
}

/// One file for each trial. How many there are.
fn write_trials(
    folder: &Path,
    loaded: &Loaded,
    options: &HuntOptions,
) -> Result<usize, TrialsError> {
    let jobs = verify::hunt_jobs(loaded, options, TRIALS, STATES).map_err(TrialsError::Hunt)?;
    std::fs::create_dir_all(folder).map_err(TrialsError::Write)?;
    for job in &jobs {
        let path = folder.join(format!("{}.{}.trial.json", job.set, job.trial));
        let text = serde_json::to_string_pretty(job).expect("a trial is plain data");
        std::fs::write(path, text + "\n").map_err(TrialsError::Write)?;
    }
    Ok(jobs.len())
}

fn failed(watch: &Watch, error: HuntError) -> Exit {
    match error {
        HuntError::Internal(fault) => {
            watch.report(Exit::Fault, || output::error(&Fault(fault).to_string()))
        }
        error => watch.report(Exit::Usage, || output::error(&error.to_string())),
    }
}

/// One file for each bug, in the order of the report; `None` where there is none.
fn write_witnesses(flags: &HuntFlags, hunted: &Hunted) -> Vec<Option<PathBuf>> {
    let first = match &flags.witness {
        Some(path) => path.clone(),
        None => default_witness(&flags.files[0]),
    };
    let confirmed = hunted.sets.iter().filter_map(|set| match &set.status {
        Status::Confirmed(bug) => Some(&**bug),
        _ => None,
    });
    let bugs = confirmed.chain(&hunted.besides).enumerate();
    let write = |(index, bug): (usize, &verify::Bug)| {
        if flags.no_witness {
            return None;
        }
        let path = numbered(&first, index + 1);
        match bug.witness.write(&path) {
            Ok(()) => Some(path),
            Err(error) => {
                let path = path.display();
                output::error(&format!("{path}: the witness cannot be written: {error}"));
                None
            }
        }
    };
    bugs.map(write).collect()
}

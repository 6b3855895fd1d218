//! `sleave check`: load, search, write the witnesses, report.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use verify::{
    Bug, Checked, Harness, HarnessError, Internal, Job, JobError, Leash, LoadError, Loaded,
    Options, Search, Verdict,
};

use crate::exit::{Exit, Fault};
use crate::flags::{CheckFlags, Format, Show};
use crate::last_resort::Watch;
use crate::options;
use crate::output;
use crate::progress::ProgressLine;
use crate::report::{self, Style};

/// Limits count from `begin`.
pub fn run(flags: Arc<CheckFlags>, begin: Instant) -> Exit {
    let mut options = match options::of(&flags) {
        Ok(options) => options,
        Err(error) => {
            output::error(&error.to_string());
            return Exit::Usage;
        }
    };
    let is_optimal =
        (options.explore()).is_some_and(|e| matches!(e.search, Search::Optimal { .. }));
    if !is_optimal && flags.saving.jobs.is_some_and(|jobs| jobs > 1) {
        output::error("--jobs is for --por optimal: this search has one worker");
    }
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
        Err(error) => {
            let file = flags
                .program
                .stdin
                .as_deref()
                .unwrap_or(Path::new("-"))
                .display();
            let tell = || output::error(&format!("{file}: {error}"));
            return watch.report(Exit::Usage, tell);
        }
    };
    let loaded = match load_with(
        &watch,
        &flags.files,
        &flags.clang_flags,
        flags.harness.harness(),
        &flags.show,
    ) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    if let Err(error) = resume(&flags, &mut options, &loaded) {
        return watch.report(Exit::Usage, || output::error(&error.to_string()));
    }
    if let Some(path) = &flags.saving.job {
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
                tell_proof(&flags, &checked);
            })
        }
        Err(error @ Internal::Proof { .. }) => {
            watch.report(Exit::Usage, || output::error(&error.to_string()))
        }
        Err(fault) => watch.report(Exit::Fault, || output::error(&Fault(fault).to_string())),
    }
}

fn report_of(flags: &CheckFlags, checked: &Checked, witnesses: &[Option<PathBuf>]) -> String {
    match flags.show.format {
        Format::Json => report::json::check(checked, witnesses, flags.search.all),
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

/// Takes up what is left of a search that was saved.
fn resume(flags: &CheckFlags, options: &mut Options, loaded: &Loaded) -> Result<(), ResumeError> {
    let Some(path) = &flags.saving.resume else {
        return Ok(());
    };
    let job = Job::read(path)?;
    job.continues(loaded, options)?;
    if job.work.is_part {
        return Err(ResumeError::IsPart(path.clone()));
    }
    let explore = options.explore_mut().expect("only a search is resumed");
    let pieces = explore.pieces.get_or_insert_default();
    pieces.resume = Some(Arc::new(job.work));
    Ok(())
}

/// Why a saved search is not taken up.
#[derive(Debug, thiserror::Error)]
enum ResumeError {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("{}: a part of a search; `sleave explore-job` does it", .0.display())]
    IsPart(PathBuf),
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
    let Some(path) = options::checkpoint(flags) else {
        return;
    };
    let path = path.display();
    let is_left = checked.coverage.stopped.is_some() && !matches!(checked.verdict, Verdict::Bug(_));
    match &checked.checkpoint {
        Some(Err(error)) => output::error(&format!("{path}: cannot be written: {error}")),
        Some(Ok(_)) if is_left && !flags.show.quiet => {
            output::error(&format!("saved: go on with --resume {path}"));
        }
        _ => {}
    }
}

/// Where the proof is.
fn tell_proof(flags: &CheckFlags, checked: &Checked) {
    if let Some(path) = &flags.search.trace.proof
        && matches!(checked.verdict, Verdict::Safe)
        && !flags.show.quiet
    {
        let command = format!("sleave check-proof {}", path.display());
        output::error(&format!("proved: check it with `{command}`"));
    }
}

pub fn read_stdin(flags: &CheckFlags) -> io::Result<Option<Vec<u8>>> {
    flags.program.stdin.as_ref().map(std::fs::read).transpose()
}

/// Loads the program, or says why not.
pub fn load(
    watch: &Watch,
    files: &[PathBuf],
    clang_flags: &[String],
    show: &Show,
) -> Result<Loaded, Exit> {
    load_with(watch, files, clang_flags, None, show)
}

/// The same, with a driver if one is to be made.
pub fn load_with(
    watch: &Watch,
    files: &[PathBuf],
    clang_flags: &[String],
    harness: Option<Harness>,
    show: &Show,
) -> Result<Loaded, Exit> {
    let leash = watch.leash();
    let loaded = match harness {
        Some(harness) => verify::load_with_harness(leash, files, clang_flags, &harness),
        None => verify::load_on(leash, files, clang_flags).map_err(HarnessError::Load),
    };
    match loaded {
        Ok(loaded) => {
            if show.verbose {
                output::raw_error(&loaded.warnings);
            }
            for note in loaded.notes.iter().filter(|_| !show.quiet) {
                output::error(note);
            }
            Ok(loaded)
        }
        Err(HarnessError::Load(LoadError::Stopped)) => Err(watch.report_known()),
        Err(HarnessError::Load(LoadError::Compile { message })) => {
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

pub fn default_witness(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    PathBuf::from(format!("{}{WITNESS_SUFFIX}", stem.to_string_lossy()))
}

/// `a.witness.json`, `a.2.witness.json`, `a.3.witness.json`, ...
pub fn numbered(path: &Path, number: usize) -> PathBuf {
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

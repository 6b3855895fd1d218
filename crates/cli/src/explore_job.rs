//! `sleave explore-job`: does a part of a search from a file and says what came of it and what is
//! left, as JSON.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use verify::{Job, JobResult, JobVerdict, Leash, Options, Workers};

use crate::check::load_with;
use crate::exit::{Exit, Fault};
use crate::flags::ExploreJobFlags;
use crate::last_resort::Watch;
use crate::output;
use crate::progress::ProgressLine;

pub fn run(flags: ExploreJobFlags, begin: Instant) -> Exit {
    let leash = Leash::default();
    let options = Options {
        interrupt: Arc::clone(&leash.stop),
        memory_limit_mb: flags.memory_limit,
        ..Options::default()
    };
    let read: Arc<OnceLock<Job>> = Arc::default();
    let (known, asked, output) = (
        options.known.clone(),
        Arc::clone(&read),
        flags.output.clone(),
    );
    let watch = Watch::start(leash, &options.reason, move |stopped| match asked.get() {
        Some(job) => write(
            &JobResult::unfinished(job, known.checked(stopped)),
            output.as_deref(),
        ),
        None => {
            output::error("the job was not read in time");
            Exit::Unknown
        }
    });
    let deadline = flags.time_limit.and_then(|limit| begin.checked_add(limit));
    watch.limit(deadline, flags.memory_limit);
    let mut job = match Job::read(&flags.job) {
        Ok(job) => job,
        Err(error) => return watch.report(Exit::Usage, || output::error(&error.to_string())),
    };
    if flags.executions.is_some() {
        job.budget.executions = flags.executions;
    }
    if let Some(limit) = flags.time_limit {
        job.budget.seconds = Some(limit.as_secs_f64());
    }
    let _ = read.set(job.clone());
    watch.limit(None, flags.memory_limit);
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
    if let Err(error) = job.fits(&loaded) {
        return watch.report(Exit::Usage, || output::error(&error.to_string()));
    }
    // A budget is for the search: what is left of a program that takes long to load must become
    // less.
    let seconds = job.budget.seconds.map(Duration::try_from_secs_f64);
    let deadline = seconds.and_then(|seconds| Instant::now().checked_add(seconds.ok()?));
    watch.limit(deadline, flags.memory_limit);
    let mut progress = ProgressLine::new(flags.show.quiet);
    let workers = Workers {
        count: flags.jobs,
        ..Workers::default()
    };
    let result = verify::run_job(&loaded, &job, &options, workers, &mut progress);
    drop(progress);
    match result {
        Ok(result) => {
            let mut exit = exit_of(&result);
            watch.report(exit, || exit = write(&result, flags.output.as_deref()));
            exit
        }
        Err(fault) => watch.report(Exit::Fault, || output::error(&Fault(fault).to_string())),
    }
}

fn write(result: &JobResult, path: Option<&Path>) -> Exit {
    match path {
        None => output::print(&result.to_text()),
        Some(path) => {
            if let Err(error) = result.write(path) {
                return usage(&cannot_write(path, &error));
            }
        }
    }
    exit_of(result)
}

fn exit_of(result: &JobResult) -> Exit {
    match result.verdict {
        JobVerdict::Bug => Exit::Bug,
        JobVerdict::Safe if result.leftover.is_empty() => Exit::Safe,
        JobVerdict::Safe | JobVerdict::Unknown => Exit::Unknown,
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("{}: cannot be written: {error}", path.display())
}

fn usage(message: &str) -> Exit {
    output::error(message);
    Exit::Usage
}

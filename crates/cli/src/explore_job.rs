//! `sleave explore-job`: does a part of a search from a file and says what came of it and what is left, as JSON.

use std::path::Path;

use verify::{Job, JobVerdict, Options, Workers};

use crate::check::{load, stop_on_interrupt};
use crate::exit::{Exit, fault_text};
use crate::flags::ExploreJobFlags;
use crate::output;
use crate::progress::ProgressLine;

pub fn run(flags: &ExploreJobFlags) -> Exit {
    let mut job = match Job::read(&flags.job) {
        Ok(job) => job,
        Err(error) => return usage(&error.to_string()),
    };
    let options = Options {
        workers: Workers {
            count: flags.jobs,
            ..Workers::default()
        },
        memory_limit_mb: flags.memory_limit,
        ..Options::default()
    };
    if flags.executions.is_some() {
        job.budget.executions = flags.executions;
    }
    if let Some(limit) = flags.time_limit {
        job.budget.seconds = Some(limit.as_secs_f64());
    }
    stop_on_interrupt(&options.interrupt);
    let loaded = match load(&flags.files, &flags.clang_flags, &flags.show) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    if let Err(error) = job.fits(&loaded) {
        return usage(&error.to_string());
    }
    let mut progress = ProgressLine::new(flags.show.quiet);
    let result = verify::run_job(&loaded, &job, &options, &mut progress);
    drop(progress);
    let result = match result {
        Ok(result) => result,
        Err(fault) => {
            output::error(&fault_text(&fault.to_string()));
            return Exit::Fault;
        }
    };
    match &flags.output {
        None => output::print(&result.to_text()),
        Some(path) => {
            if let Err(error) = result.write(path) {
                return usage(&cannot_write(path, &error));
            }
        }
    }
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

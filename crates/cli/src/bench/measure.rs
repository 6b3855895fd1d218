//! Runs a program in a configuration, as `sleave check` does; or lets `sleave check` or `sleave hunt`
//! do it, in a process of its own, where memory is to be measured.

mod own_process;

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use benchmarks::{Configuration, Cost, Measured, Quantity, Row};
use clap::Parser;
use verify::{Internal, Leash, LoadError, Loaded, Quiet, Verdict};

use crate::exit::Fault;
use crate::flags::{Command, Flags};
use crate::options::{self, UsageError};

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    #[error(transparent)]
    Folder(#[from] io::Error),
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A configuration has flags that do not exist, or do not go together.
    #[error(transparent)]
    Flags(#[from] clap::Error),
    #[error(transparent)]
    Options(#[from] UsageError),
    #[error("{}", Fault(.0))]
    Search(#[from] Internal),
    #[error("`sleave {command} {flags}` ends with code {code}: {message}")]
    Code {
        command: &'static str,
        flags: &'static str,
        code: i32,
        message: String,
    },
    #[error("`sleave {command} {flags}` prints no report: {error}")]
    Report {
        command: &'static str,
        flags: &'static str,
        error: serde_json::Error,
    },
    #[error("interrupted")]
    Interrupted,
}

/// One result for each configuration. Nothing if it is to stop meanwhile.
pub fn measure(
    row: &Row,
    configurations: &[Configuration],
    quantity: Quantity,
    time_limit: Duration,
    leash: &Leash,
) -> Result<Vec<Measured>, MeasureError> {
    let Some(program) = &row.program else {
        return Ok(Vec::new());
    };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(program.file);
    std::fs::write(&file, program.source)?;
    for (name, header) in program.headers {
        std::fs::write(folder.path().join(name), header)?;
    }
    let searches = configurations.iter();
    if quantity != Quantity::Runs {
        return searches
            .map(|c| own_process::run(folder.path(), program, c, time_limit, leash))
            .collect();
    }
    let clang_flags = program.clang_flags.iter().map(ToString::to_string);
    let clang_flags: Vec<String> = clang_flags.collect();
    let files = std::slice::from_ref(&file);
    let loaded = verify::load_on(leash, files, &clang_flags)?;
    searches
        .map(|configuration| search(&loaded, &file, configuration, time_limit, leash))
        .collect()
}

fn search(
    loaded: &Loaded,
    file: &Path,
    configuration: &Configuration,
    time_limit: Duration,
    leash: &Leash,
) -> Result<Measured, MeasureError> {
    let words = ["sleave", "check"].into_iter();
    let words = words.chain(configuration.flags.split_whitespace());
    let words = words.map(Into::into).chain([file.as_os_str().to_owned()]);
    let parsed = Flags::try_parse_from(words)?;
    let Command::Check(parsed) = parsed.command else {
        unreachable!("the first word says `check`");
    };
    let mut options = options::of(&parsed)?;
    options.time_limit = Some(time_limit);
    let start = Instant::now();
    let checked = verify::check(loaded, &options, &mut Quiet)?;
    if leash.stop.load(Ordering::Relaxed) {
        return Err(MeasureError::Interrupted);
    }
    let time = start.elapsed().as_secs_f64();
    let runs = checked.counts.runs;
    let stops_here = matches!(checked.verdict, Verdict::Bug(_)) && !parsed.search.all;
    Ok(Measured {
        configuration: configuration.name,
        flags: configuration.flags,
        cost: Cost {
            finished: stops_here || checked.coverage.is_complete(),
            runs: Some(runs.complete + runs.pruned + runs.blocked),
            states: None,
            memory_mb: None,
            time_s: time,
            trace_length: None,
            refinements: None,
        },
        verdict: match checked.verdict {
            Verdict::Safe => "safe".to_string(),
            Verdict::Bug(_) => "bug".to_string(),
            Verdict::Unknown(reason) => reason.name,
        },
    })
}

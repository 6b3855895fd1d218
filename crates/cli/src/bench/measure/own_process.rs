//! Checks a program in a process of its own: the most memory that a process ever held says nothing
//! of the second thing it does.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::Ordering;
use std::time::Duration;

use benchmarks::{Configuration, Cost, Measured};
use serde::Deserialize;
use verify::Leash;

use super::MeasureError;
use crate::exit::Exit;

/// What is read of the report of `sleave check --format json`.
#[derive(Deserialize)]
struct Report {
    verdict: String,
    reason: Option<String>,
    runs: Runs,
    time_s: f64,
    memory_mb: f64,
}

#[derive(Deserialize)]
struct Runs {
    complete: u64,
    pruned: u64,
    blocked: u64,
}

/// Between two looks at the process and at the leash.
const NAP: Duration = Duration::from_millis(5);

/// The report is kept in the folder until the next one.
pub fn check(
    folder: &Path,
    file: &Path,
    clang_flags: &[&str],
    configuration: &Configuration,
    time_limit: Duration,
    leash: &Leash,
) -> Result<Measured, MeasureError> {
    let (report, messages) = (folder.join("report.json"), folder.join("messages"));
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("check")
        .args(configuration.flags.split_whitespace())
        .args(["--no-witness", "--format=json", "--time-limit"])
        .arg(time_limit.as_secs_f64().to_string())
        .arg(file)
        .arg("--")
        .args(clang_flags)
        .stdout(File::create(&report)?)
        .stderr(File::create(&messages)?);
    // Between fork and exec nothing but this call happens.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    let code = wait(command.spawn()?, leash)?;
    let is_verdict = [Exit::Safe, Exit::Bug, Exit::Unknown].map(|exit| i32::from(exit.code()));
    if !is_verdict.contains(&code) {
        return Err(MeasureError::Check {
            flags: configuration.flags,
            code,
            message: std::fs::read_to_string(&messages)?.trim_end().to_string(),
        });
    }
    let flags = configuration.flags;
    let report: Report = serde_json::from_str(&std::fs::read_to_string(&report)?)
        .map_err(|error| MeasureError::Report { flags, error })?;
    let is_unknown = report.verdict == "unknown";
    Ok(Measured {
        configuration: configuration.name,
        flags,
        cost: Cost {
            finished: !is_unknown,
            runs: Some(report.runs.complete + report.runs.pruned + report.runs.blocked),
            memory_mb: Some(report.memory_mb),
            time_s: report.time_s,
        },
        verdict: match report.reason {
            Some(reason) if is_unknown => reason,
            _ => report.verdict,
        },
    })
}

/// With which code it ends; -1: by a signal.
fn wait(mut child: Child, leash: &Leash) -> Result<i32, MeasureError> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().unwrap_or(-1));
        }
        if leash.stop.load(Ordering::Relaxed) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(MeasureError::Interrupted);
        }
        std::thread::sleep(NAP);
    }
}

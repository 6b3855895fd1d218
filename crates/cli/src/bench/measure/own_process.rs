//! Checks or hunts a program in a process of its own: the most memory that a process ever held says
//! nothing of the second thing it does.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::Ordering;
use std::time::Duration;

use benchmarks::{Configuration, Cost, Measured, Program};
use serde::Deserialize;
use verify::Leash;

use super::MeasureError;
use crate::exit::Exit;

/// What is read of the report of `sleave check --format json`. A bug has a reason, too, where a search
/// for all of them was not done.
#[derive(Deserialize)]
struct Checked {
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

/// Likewise, of `sleave hunt`.
#[derive(Deserialize)]
struct Hunted {
    targets: Vec<Target>,
    time_s: f64,
    memory_mb: f64,
}

#[derive(Deserialize)]
struct Target {
    status: String,
    states: u64,
    refinements: u64,
    trace_length: u64,
}

/// Between two looks at the process and at the leash.
const NAP: Duration = Duration::from_millis(5);

/// The program is in the folder; so is the report, until the next one.
pub fn run(
    folder: &Path,
    program: &Program,
    configuration: &Configuration,
    time_limit: Duration,
    leash: &Leash,
) -> Result<Measured, MeasureError> {
    let (report, messages) = (folder.join("report.json"), folder.join("messages"));
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(configuration.command.name())
        .args(configuration.flags.split_whitespace())
        .args(["--no-witness", "--format=json", "--time-limit"])
        .arg(time_limit.as_secs_f64().to_string())
        .args(what(program, configuration))
        .arg(folder.join(program.file))
        .arg("--")
        .args(&program.clang_flags)
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
    let (command, flags) = (configuration.command.name(), configuration.flags);
    if !is_verdict.contains(&code) {
        return Err(MeasureError::Code {
            command,
            flags,
            code,
            message: std::fs::read_to_string(&messages)?.trim_end().to_string(),
        });
    }
    let report = std::fs::read_to_string(&report)?;
    let read = match configuration.command {
        benchmarks::Command::Check => serde_json::from_str(&report).map(of_check),
        benchmarks::Command::Hunt => serde_json::from_str(&report).map(of_hunt),
    };
    let (verdict, cost) = read.map_err(|error| MeasureError::Report {
        command,
        flags,
        error,
    })?;
    Ok(Measured {
        configuration: configuration.name,
        flags,
        cost,
        verdict,
    })
}

/// The targets of a hunt; a check of a program with targets looks for everything, races as well.
fn what(program: &Program, configuration: &Configuration) -> Vec<String> {
    let has_targets = !program.targets.is_empty();
    let flags: &[&str] = match (configuration.command, has_targets) {
        (benchmarks::Command::Hunt, true) => {
            let places = program.targets.iter();
            return places
                .map(|place| format!("--target={}:{}", place.file, place.line))
                .collect();
        }
        (benchmarks::Command::Hunt, false) => &["--assertions"],
        (benchmarks::Command::Check, true) => &["--property=all"],
        (benchmarks::Command::Check, false) => &[],
    };
    flags.iter().map(ToString::to_string).collect()
}

fn of_check(report: Checked) -> (String, Cost) {
    let is_unknown = report.verdict == "unknown";
    let cost = Cost {
        finished: report.reason.is_none(),
        runs: Some(report.runs.complete + report.runs.pruned + report.runs.blocked),
        states: None,
        memory_mb: Some(report.memory_mb),
        time_s: report.time_s,
        trace_length: None,
        refinements: None,
    };
    let verdict = match report.reason {
        Some(reason) if is_unknown => reason,
        _ => report.verdict,
    };
    (verdict, cost)
}

/// A line that is in several functions makes several target sets: one of them is enough.
fn of_hunt(report: Hunted) -> (String, Cost) {
    let confirmed = report.targets.iter().find(|t| t.status == "confirmed");
    let shown = confirmed.or(report.targets.first());
    let cost = Cost {
        finished: confirmed.is_some(),
        runs: None,
        states: Some(report.targets.iter().map(|target| target.states).sum()),
        memory_mb: Some(report.memory_mb),
        time_s: report.time_s,
        trace_length: shown.map(|target| target.trace_length),
        refinements: Some(report.targets.iter().map(|t| t.refinements).sum()),
    };
    let verdict = shown.map_or("nothing to hunt", |target| &target.status);
    (verdict.to_string(), cost)
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

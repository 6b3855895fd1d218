//! The `sleave` command. This crate alone prints and decides exit codes; what it prints it gets
//! from `verify` as plain data. What is public is for its tests, which translate command lines and
//! check in process.

mod analyze;
mod bench;
pub mod check;
mod check_proof;
pub mod exit;
mod explore_job;
pub mod flags;
pub mod help;
mod hunt;
pub mod last_resort;
mod lint;
pub mod options;
mod output;
mod progress;
mod replay;
mod report;
mod source;

use std::sync::Arc;
use std::time::Instant;

use exit::{Exit, Fault};
use flags::Command;

/// Does what the command line says.
pub fn main() -> std::process::ExitCode {
    let begin = Instant::now();
    let flags = match help::parse(std::env::args_os()) {
        Ok(flags) => flags,
        Err(error) => return exit::usage(&error).into(),
    };
    let exit = exit::catch_panics(|| match flags.command {
        Command::Check(flags) => check::run(Arc::from(flags), begin),
        Command::Hunt(flags) => hunt::run(&flags, begin),
        Command::Replay(flags) => replay::run(&flags),
        Command::Lint(flags) => lint::run(&flags),
        Command::Analyze(flags) => analyze::run(&flags),
        Command::ExploreJob(flags) => explore_job::run(flags, begin),
        Command::CheckProof(flags) => check_proof::run(&flags),
        Command::Bench(flags) => bench::run(&flags),
    });
    exit.unwrap_or_else(|panic| {
        output::error(&Fault(panic).to_string());
        Exit::Fault
    })
    .into()
}

//! The `sleave` command. This crate alone prints and decides exit codes; what it prints it gets from `verify` as plain data.

mod analyze;
mod bench;
mod check;
mod exit;
mod explore_job;
mod flags;
mod last_resort;
mod lint;
mod output;
mod progress;
mod replay;
mod report;
mod source;

use std::sync::Arc;
use std::time::Instant;

use clap::Parser;

use exit::Exit;
use flags::{Command, Flags};

fn main() -> std::process::ExitCode {
    let begin = Instant::now();
    let flags = match Flags::try_parse() {
        Ok(flags) => flags,
        Err(error) => return exit::usage(&error).into(),
    };
    let exit = exit::catch_faults(|| match flags.command {
        Command::Check(flags) => check::run(Arc::from(flags), begin),
        Command::Replay(flags) => replay::run(&flags),
        Command::Lint(flags) => lint::run(&flags),
        Command::Analyze(flags) => analyze::run(&flags),
        Command::ExploreJob(flags) => explore_job::run(flags),
        Command::Bench(flags) => bench::run(&flags),
    });
    exit.unwrap_or_else(|fault| {
        output::error(&fault);
        Exit::Fault
    })
    .into()
}

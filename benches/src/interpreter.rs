//! Single-threaded kernels: Sleave's interpreter against LLVM's (`lli -force-interpreter`) on the
//! same bitcode.
//!
//! Both are given what clang makes at -O0 with locals in registers, so instructions per second
//! compare as times do. Loading is left out on Sleave's side and included on lli's, where it is a
//! few milliseconds of seconds.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use verify::{Options, Quiet, Search, Verdict};

/// The best of so many runs, since the machine is noisy.
const REPEAT: u32 = 3;

pub fn run() -> anyhow::Result<()> {
    println!("Interpreter, best of {REPEAT} runs\n");
    println!("| kernel | lli -force-interpreter | Sleave | ratio |");
    println!("|---|---|---|---|");
    for name in ["sieve", "matrix", "quicksort", "hash"] {
        let theirs = lli(name)?;
        let ours = sleave(name)?;
        let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
        println!("| {name} | {theirs:.2?} | {ours:.2?} | {ratio:.1} |");
    }
    println!();
    Ok(())
}

fn sleave(name: &str) -> anyhow::Result<Duration> {
    let loaded = crate::load(name)?;
    let options = Options::with(Search::naive());
    let mut best = Duration::MAX;
    for _ in 0..REPEAT {
        let checked = verify::check(&loaded, &options, &mut Quiet)?;
        if !matches!(checked.verdict, Verdict::Safe) {
            bail!("{name} is not safe: {:?}", checked.verdict);
        }
        best = best.min(checked.time);
    }
    Ok(best)
}

fn lli(name: &str) -> anyhow::Result<Duration> {
    let folder = tempfile::tempdir()?;
    let raw = folder.path().join("raw.bc");
    let bitcode = folder.path().join("kernel.bc");
    let clang = "-O0 -Xclang -disable-O0-optnone -emit-llvm -c -o".split(' ');
    tool(
        Command::new("clang-22")
            .args(clang)
            .arg(&raw)
            .arg(crate::kernel(name)),
    )?;
    tool(
        Command::new("opt-22")
            .arg("-passes=mem2reg,sroa")
            .arg("-o")
            .arg(&bitcode)
            .arg(&raw),
    )?;
    let mut best = Duration::MAX;
    for _ in 0..REPEAT {
        let start = Instant::now();
        tool(
            Command::new("lli-22")
                .arg("-force-interpreter")
                .arg(&bitcode),
        )?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

fn tool(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("{command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

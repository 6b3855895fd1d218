//! Whole runs of `sleave check --jobs 1` on the programs of `benches/por`, beside other tools.
//!
//! `SLEAVE_PEERS` names a file that says how to run them: per line a name, a command that prepares
//! the program (compiles it) and one that checks it, separated by tabs. Both go to `sh` with
//! `$SOURCE`, `$DEFINE` (as `-DN=5`) and a folder `$DIR`. Runs of the tools take turns, so that a
//! busy machine disturbs all alike; the best of several counts.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

/// Program, macro and size.
const PROGRAMS: [(&str, &str, u32); 17] = [
    ("fib", "N", 4),
    ("fib", "N", 5),
    ("dekker", "ROUNDS", 2),
    ("lamport", "ROUNDS", 2),
    ("szymanski", "ROUNDS", 2),
    ("indexer", "N", 15),
    ("sigma", "N", 6),
    ("sigma", "N", 7),
    ("stack", "N", 8),
    ("queue", "N", 3),
    ("pthread_demo", "N", 8),
    ("casrot", "N", 10),
    ("casw", "N", 5),
    ("readers", "N", 14),
    ("lastzero", "N", 12),
    ("filesystem", "N", 22),
    ("account", "N", 5),
];

const TURNS: usize = 5;
/// After so long one run is enough.
const LONG: Duration = Duration::from_secs(5);

struct Tool {
    name: String,
    prepare: String,
    check: String,
}

/// The best of several runs.
#[derive(Clone, Copy)]
struct Best {
    prepare: Duration,
    check: Duration,
    peak_mb: u64,
}

pub fn run() -> anyhow::Result<()> {
    let mut tools = vec![sleave()?];
    if let Some(file) = std::env::var_os("SLEAVE_PEERS") {
        tools.extend(peers(Path::new(&file))?);
    }
    println!("Whole runs, best of {TURNS}: seconds from bitcode, (seconds from C), peak MB\n");
    let names = tools.iter().map(|t| format!(" {} |", t.name));
    println!(
        "| program | executions |{} Sleave faster by |",
        names.collect::<String>()
    );
    println!("|---|---|{}---|", "---|".repeat(tools.len()));
    for (program, define, size) in PROGRAMS {
        let folder = tempfile::tempdir()?;
        let define = format!("-D{define}={size}");
        let mut best: Vec<Option<Best>> = vec![None; tools.len()];
        for _ in 0..TURNS {
            for (tool, best) in tools.iter().zip(&mut best) {
                if best.is_none_or(|b| b.check < LONG) {
                    let now = measure(tool, program, &define, folder.path())?;
                    *best = Some(best.map_or(now, |b| b.min(now)));
                }
            }
        }
        let best: Vec<Best> = best.into_iter().flatten().collect();
        let cells = best.iter().map(|b| {
            let (check, all) = (b.check.as_secs_f64(), (b.prepare + b.check).as_secs_f64());
            format!(" {check:.3} ({all:.2}) {} |", b.peak_mb)
        });
        let faster = best[1..].iter().map(|b| b.check).min();
        let faster = faster.map_or(String::new(), |peer| {
            format!("{:.1}", peer.as_secs_f64() / best[0].check.as_secs_f64())
        });
        println!(
            "| {program} {size} | {} |{} {faster} |",
            executions(folder.path())?,
            cells.collect::<String>()
        );
    }
    println!();
    Ok(())
}

fn sleave() -> anyhow::Result<Tool> {
    let binary = std::env::current_exe()?.with_file_name("sleave");
    ensure!(
        binary.exists(),
        "there is no {}: run `cargo build --release` first",
        binary.display()
    );
    let binary = binary.display();
    Ok(Tool {
        name: "Sleave".to_owned(),
        prepare: "clang-22 -O0 -Xclang -disable-O0-optnone -g -fno-discard-value-names $DEFINE -emit-llvm -c \
                  $SOURCE -o $DIR/sleave.bc"
            .to_owned(),
        check: format!(
            "{binary} check --engine explore --por optimal --all --jobs 1 --no-witness --format json $DIR/sleave.bc > $DIR/sleave.json"
        ),
    })
}

fn peers(file: &Path) -> anyhow::Result<Vec<Tool>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text.lines().filter(|l| !l.is_empty());
    lines
        .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [name, prepare, check] => Ok(Tool {
                name: name.to_owned(),
                prepare: prepare.to_owned(),
                check: check.to_owned(),
            }),
            _ => anyhow::bail!("not a name and two commands with tabs between them: {line}"),
        })
        .collect()
}

fn measure(tool: &Tool, program: &str, define: &str, folder: &Path) -> anyhow::Result<Best> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("por/{program}.c"));
    let (prepare, _) = timed(&tool.prepare, &source, define, folder)?;
    let (check, peak_mb) = timed(&tool.check, &source, define, folder)?;
    Ok(Best {
        prepare,
        check,
        peak_mb,
    })
}

impl Best {
    fn min(self, other: Best) -> Best {
        Best {
            prepare: self.prepare.min(other.prepare),
            check: self.check.min(other.check),
            peak_mb: self.peak_mb.min(other.peak_mb),
        }
    }
}

/// Time and peak memory of a command.
fn timed(
    command: &str,
    source: &Path,
    define: &str,
    folder: &Path,
) -> anyhow::Result<(Duration, u64)> {
    let start = Instant::now();
    let child = Command::new("sh")
        .args(["-c", &format!("exec {command}")])
        .env("SOURCE", source)
        .env("DEFINE", define)
        .env("DIR", folder)
        .stdout(io::stderr())
        .spawn()?;
    let mut status = 0;
    // SAFETY: all zeroes are a value of it, and the pointers are to our own variables.
    let (ended, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let ended = libc::wait4(child.id() as i32, &mut status, 0, &mut usage);
        (ended, usage)
    };
    let time = start.elapsed();
    ensure!(ended > 0 && status == 0, "failed: {command}");
    Ok((time, usage.ru_maxrss as u64 / 1024))
}

fn executions(folder: &Path) -> anyhow::Result<u64> {
    let json: PathBuf = folder.join("sleave.json");
    let text = std::fs::read_to_string(&json)?;
    let report: serde_json::Value = serde_json::from_str(&text)?;
    report["runs"]["complete"]
        .as_u64()
        .context("no number of runs")
}

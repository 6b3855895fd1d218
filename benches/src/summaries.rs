//! What summaries cost where they buy nothing, and whether they stay within their bounds.
//!
//! The programs of `benches/summaries` come to another state by every schedule, and to each by one
//! alone. `--por source` without and with `--prune summaries` take turns, so that a busy machine
//! disturbs both alike; time of the processor counts, not of the clock.

use std::path::Path;
use std::time::Duration;

use anyhow::ensure;
use verify::{
    Besides, Checked, Limits, Loaded, Options, Progress, Quiet, Search, Summarise, Watcher,
};

/// Program, threads and rounds.
const PROGRAMS: [(&str, u32, u32); 6] = [
    ("orders", 3, 4),
    ("orders", 4, 3),
    ("log", 3, 4),
    ("log", 2, 9),
    ("input", 3, 3),
    ("input", 2, 7),
];

const PAIRS: usize = 5;

pub fn run() -> anyhow::Result<()> {
    println!("Summaries where nothing can be pruned, median of {PAIRS} pairs: seconds\n");
    println!("| program | executions | pruned | source sets | with summaries | more |");
    println!("|---|---|---|---|---|---|");
    for (program, threads, rounds) in PROGRAMS {
        let loaded = load(program, threads, rounds)?;
        let mut pairs = Vec::new();
        let mut last = None;
        for _ in 0..PAIRS {
            let (_, without) = measure(&loaded, Besides::Nothing)?;
            let (checked, with) = measure(&loaded, summaries(Limits::default()))?;
            pairs.push((without, with));
            last = Some(checked.counts.runs);
        }
        pairs.sort_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
        let (without, with) = pairs[PAIRS / 2];
        let runs = last.expect("a pair");
        println!(
            "| {program} {threads}x{rounds} | {} | {} | {:.2} | {:.2} | {:+.0} % |",
            runs.complete,
            runs.pruned,
            without.as_secs_f64(),
            with.as_secs_f64(),
            100.0 * ratio((without, with)) - 100.0
        );
    }
    println!();
    Ok(())
}

fn ratio((without, with): (Duration, Duration)) -> f64 {
    with.as_secs_f64() / without.as_secs_f64()
}

fn load(program: &str, threads: u32, rounds: u32) -> anyhow::Result<Loaded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("summaries");
    let defines = [format!("-DTHREADS={threads}"), format!("-DROUNDS={rounds}")];
    Ok(verify::load(
        &[folder.join(format!("{program}.c"))],
        &defines,
    )?)
}

fn summaries(limits: Limits) -> Besides {
    Besides::Summaries(Summarise {
        limits,
        explains: None,
    })
}

fn options(besides: Besides) -> Options {
    let source = Search::Source {
        commute: false,
        peek: false,
        besides,
    };
    Options {
        all: true,
        ..Options::with(source)
    }
}

fn measure(loaded: &Loaded, besides: Besides) -> anyhow::Result<(Checked, Duration)> {
    let before = processor_time();
    let checked = verify::check(loaded, &options(besides), &mut Quiet)?;
    let time = processor_time() - before;
    ensure!(checked.coverage.is_complete(), "it was cut off");
    Ok((checked, time))
}

/// Of this thread, which searches alone.
fn processor_time() -> Duration {
    // SAFETY: all zeroes are a value of it, and the pointer is to our own variable.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time);
        time
    };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// So long the search goes on, and so often it is looked at.
const ENDURANCE: Duration = Duration::from_secs(600);
const LOOKS: Duration = Duration::from_secs(30);

/// A search that does not come to its end, with summaries all the time.
pub fn endure() -> anyhow::Result<()> {
    let limits = Limits {
        trial: 0,
        ..Limits::default()
    };
    println!("Ten minutes of summaries; bounds: {limits:?}\n");
    println!(
        "| seconds | runs | pruned | control states | summaries | replaced | largest | resident MB |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let loaded = load("input", 4, 6)?;
    let options = Options {
        time_limit: Some(ENDURANCE),
        ..options(summaries(limits))
    };
    let mut looks = Looks {
        next: LOOKS,
        limits,
        is_within: true,
    };
    verify::check(&loaded, &options, &mut looks)?;
    ensure!(looks.is_within, "the table has grown beyond its bounds");
    println!();
    Ok(())
}

struct Looks {
    next: Duration,
    limits: Limits,
    is_within: bool,
}

impl Watcher for Looks {
    fn progress(&mut self, progress: Progress) {
        let Some(table) = progress.summaries else {
            return;
        };
        self.is_within &= table.states <= self.limits.states as u64
            && table.kept <= (self.limits.states * self.limits.summaries) as u64
            && table.largest <= self.limits.size;
        if progress.elapsed < self.next {
            return;
        }
        self.next += LOOKS;
        println!(
            "| {:.0} | {} | {} | {} | {} | {} | {} | {} |",
            progress.elapsed.as_secs_f64(),
            progress.runs,
            table.pruned,
            table.states,
            table.kept,
            table.replaced,
            table.largest,
            verify::resident_mb()
        );
    }
}

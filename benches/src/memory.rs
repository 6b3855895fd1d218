//! Memory held after so many executions of one search: it must not grow with them.

use std::time::Duration;

use verify::{Options, Progress, Search, Watcher};

const TIME: Duration = Duration::from_secs(20);
const SAMPLES: u32 = 8;

pub fn run() -> anyhow::Result<()> {
    let loaded = crate::load("increments")?;
    let options = Options {
        all: true,
        time_limit: Some(TIME),
        ..Options::with(Search::naive())
    };
    let mut sampler = Sampler {
        next: TIME / SAMPLES,
    };
    println!("Memory over {} s of one search\n", TIME.as_secs());
    println!("| executions | resident |");
    println!("|---|---|");
    verify::check(&loaded, &options, &mut sampler)?;
    println!();
    Ok(())
}

struct Sampler {
    next: Duration,
}

impl Watcher for Sampler {
    fn progress(&mut self, progress: Progress) {
        if progress.elapsed >= self.next {
            println!("| {} | {} MB |", progress.runs, verify::resident_mb());
            self.next += TIME / SAMPLES;
        }
    }
}

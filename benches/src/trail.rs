//! Executions per second of the naive search, which goes back by the trail, against executing every schedule from the start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use machine::{Config, Inputs, Machine, SharedSet, Situation};
use verify::{Options, Quiet};

const TIME: Duration = Duration::from_secs(5);

pub fn run() -> anyhow::Result<()> {
    let loaded = crate::load("increments")?;
    let options = Options {
        all: true,
        time_limit: Some(TIME),
        ..Options::default()
    };
    let checked = verify::check(&loaded, &options, &mut Quiet)?;
    let search = checked.outcome.runs.complete as f64 / checked.time.as_secs_f64();
    println!("Two threads with 8 shared increments each, executions per second\n");
    let restart = from_the_start(&loaded, &checked.outcome.shared)?;
    println!("| from the start | naive search | ratio |");
    println!("|---|---|---|");
    println!("| {restart:.0} | {search:.0} | {:.1} |\n", search / restart);
    Ok(())
}

/// Fresh machines, each following one schedule to its end, the threads in turn.
fn from_the_start(loaded: &verify::Loaded, shared: &SharedSet) -> anyhow::Result<f64> {
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < TIME {
        let program = Arc::clone(&loaded.program);
        let mut machine =
            Machine::new(program, Config::default(), shared.clone(), Inputs::Symbolic);
        machine.start().map_err(anyhow::Error::msg)?;
        let mut step = 0;
        while matches!(machine.advance(), Situation::Schedule) {
            let enabled = machine.enabled();
            machine.schedule(enabled[step % enabled.len()]);
            step += 1;
        }
        runs += 1;
    }
    Ok(f64::from(runs) / start.elapsed().as_secs_f64())
}

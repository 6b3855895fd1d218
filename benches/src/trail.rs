//! Executions per second of the naive search, which goes back by the trail, against executing every schedule from the start.
//!
//! What "from the start" takes depends on what is made anew. Both ends of the range are measured: a machine alone, which is
//! the least; and a machine and a solver, which is what the search makes whenever it starts, since terms belong to a machine
//! and a solver to its terms.

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
    println!("| from the start, each time with | executions/s | naive search | ratio |");
    println!("|---|---|---|---|");
    for (what, with_solver) in [
        ("a new machine", false),
        ("a new machine and a new solver", true),
    ] {
        let restart = from_the_start(&loaded, &checked.outcome.shared, with_solver)?;
        println!(
            "| {what} | {restart:.0} | {search:.0} | {:.1} |",
            search / restart
        );
    }
    println!();
    Ok(())
}

/// Fresh machines, each following one schedule to its end, the threads in turn.
fn from_the_start(
    loaded: &verify::Loaded,
    shared: &SharedSet,
    with_solver: bool,
) -> anyhow::Result<f64> {
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < TIME {
        let program = Arc::clone(&loaded.program);
        let mut machine =
            Machine::new(program, Config::default(), shared.clone(), Inputs::Symbolic);
        let solver = with_solver.then(|| smt::default_solver(TIME));
        machine.start().map_err(anyhow::Error::msg)?;
        let mut step = 0;
        while matches!(machine.advance(), Situation::Schedule) {
            let enabled = machine.enabled();
            machine.schedule(enabled[step % enabled.len()]);
            step += 1;
        }
        drop(solver);
        runs += 1;
    }
    Ok(f64::from(runs) / start.elapsed().as_secs_f64())
}

//! Executions per second of the naive search, which goes back by the trail, against the same search
//! without one: every execution starts on a fresh machine, follows the decisions up to where it
//! differs from the one before, and goes on as the search does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use machine::{End, Machine, Setup, SharedSet, Situation};
use verify::{Loaded, Options, Quiet, Search};

/// The two take turns, so that whatever else the machine does disturbs both.
const TURNS: u32 = 10;
const TURN: Duration = Duration::from_millis(500);

/// The programs of the table.
const PROGRAMS: [(&str, &str); 2] = [
    ("increments", "`counter++`: a load and a store"),
    ("atomic_increments", "atomic"),
];

pub fn run() -> anyhow::Result<()> {
    println!("Two threads with 8 shared increments each, executions per second of CPU time\n");
    println!("| increments | from the start | naive search | ratio |");
    println!("|---|---|---|---|");
    for (name, what) in PROGRAMS {
        let loaded = crate::load(name)?;
        let (mut search, mut restart) = (Speed::default(), Speed::default());
        for _ in 0..TURNS {
            let shared = by_trail(&loaded, &mut search)?;
            from_the_start(&loaded, &shared, &mut restart)?;
        }
        if let (Some(one), Some(other)) = (search.all, restart.all) {
            ensure!(one == other, "{one} executions by trail, {other} without");
        }
        let (search, restart) = (search.per_second(), restart.per_second());
        let ratio = search / restart;
        println!("| {what} | {restart:.0} | {search:.0} | {ratio:.1} |");
    }
    println!();
    Ok(())
}

#[derive(Default)]
struct Speed {
    executions: u64,
    /// Of the CPU, so that a busy machine disturbs little.
    time: Duration,
    /// How many there are, if there was time for all.
    all: Option<u64>,
}

impl Speed {
    fn per_second(&self) -> f64 {
        self.executions as f64 / self.time.as_secs_f64()
    }
}

/// What this process has had of the CPU.
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to our own variable.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Searches for one turn, several times over if there is more time than enough.
fn by_trail(loaded: &Loaded, speed: &mut Speed) -> anyhow::Result<SharedSet> {
    let start = Instant::now();
    let before = cpu_time();
    loop {
        let options = Options {
            all: true,
            time_limit: Some(TURN.saturating_sub(start.elapsed())),
            ..Options::with(Search::naive())
        };
        let checked = verify::check(loaded, &options, &mut Quiet)?;
        let executions = checked.counts.runs.complete;
        speed.executions += executions;
        if start.elapsed() >= TURN || checked.coverage.stopped.is_some() {
            speed.time += cpu_time() - before;
            return Ok(checked.shared);
        }
        speed.all = Some(executions);
    }
}

/// How many choices there were, and which of them was taken.
struct Choice {
    count: usize,
    taken: usize,
}

/// Executes for one turn, one execution after the other.
fn from_the_start(loaded: &Loaded, shared: &SharedSet, speed: &mut Speed) -> anyhow::Result<()> {
    let start = Instant::now();
    let before = cpu_time();
    let mut executions = 0;
    let mut path: Vec<Choice> = Vec::new();
    loop {
        let program = Arc::clone(&loaded.program);
        let setup = Setup {
            shared: shared.clone(),
            ..Setup::default()
        };
        let mut machine = Machine::start(program, setup)?;
        execute(&mut machine, &mut path)?;
        executions += 1;
        while let Some(choice) = path.last_mut() {
            choice.taken += 1;
            if choice.taken < choice.count {
                break;
            }
            path.pop();
        }
        // If it is over before time, it begins anew.
        if path.is_empty() && speed.all.is_none() {
            speed.all = Some(executions);
        }
        if start.elapsed() >= TURN {
            speed.executions += executions;
            speed.time += cpu_time() - before;
            return Ok(());
        }
    }
}

/// Follows the path to its end and goes on with first choices.
fn execute(machine: &mut Machine, path: &mut Vec<Choice>) -> anyhow::Result<()> {
    let mut step = 0;
    while matches!(machine.advance(), Situation::Schedule) {
        let enabled = machine.enabled();
        if step == path.len() {
            path.push(Choice {
                count: enabled.len(),
                taken: 0,
            });
        }
        // The thread that ran last comes first.
        let current = machine.current_thread();
        let first = enabled.iter().position(|e| e.thread == current);
        let first = first.unwrap_or(0);
        let index = match path[step].taken {
            0 => first,
            taken if taken <= first => taken - 1,
            taken => taken,
        };
        let choice = enabled[index];
        machine.schedule(choice);
        step += 1;
    }
    let is_normal = matches!(machine.advance(), Situation::End(End::Normal));
    ensure!(is_normal, "the program does not end well");
    Ok(())
}

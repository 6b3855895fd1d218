//! A short search for bugs: runs at random, then schedules with few preemptions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use explore::{Monitor, Outcome, Phase, Sampling, Search, Stopped};

use crate::Internal;
use crate::engine::{Answer, Engine, Task, bounds};
use crate::engines::explore::Explorer;
use crate::options::Portfolio;
use crate::watch::Guardian;

/// What it may take, all hunts of one search together: this part of the time limit, and never
/// longer than that. The first half is for random runs.
const SHARE: f64 = 0.02;
const LONGEST: Duration = Duration::from_secs(1);

/// The bound of the second half: the next one is rarely exhausted in so little time.
const PREEMPTIONS: u32 = 2;

/// The hunts in the middle of another search. Of a search whose end may be near they are short, and
/// the longer it gets, the longer they are.
pub(super) struct Hunts {
    /// What is left of their time.
    left: Duration,
    /// What the main search has had when the next is due.
    next: Duration,
    /// Each makes other runs.
    seed: u64,
}

impl Hunts {
    pub fn of(portfolio: &Portfolio, task: &Task) -> Hunts {
        let limit = task.time_limit;
        Hunts {
            left: limit.map_or(LONGEST, |limit| limit.mul_f64(SHARE).min(LONGEST)),
            next: Duration::ZERO,
            seed: portfolio.seed,
        }
    }

    /// Whether it is time for one.
    pub fn are_due(&self, had: Duration) -> bool {
        had >= self.next && !self.left.is_zero()
    }

    /// One that takes so long at most.
    pub fn hunt(
        &mut self,
        portfolio: &Portfolio,
        task: &Task,
        (had, longest): (Duration, Duration),
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Answer>, Internal> {
        let portfolio = Portfolio {
            seed: self.seed,
            ..portfolio.clone()
        };
        let time = longest.min(self.left);
        self.left -= time;
        self.next = 2 * had;
        self.seed = self.seed.wrapping_add(1);
        run(&portfolio, task, time, monitor)
    }
}

/// What was found within this time, if something was.
pub(super) fn run(
    portfolio: &Portfolio,
    task: &Task,
    time: Duration,
    monitor: &mut dyn Monitor,
) -> Result<Option<Answer>, Internal> {
    let main = Explorer::new(portfolio.main.clone());
    let random = Search::Random(Sampling {
        seed: portfolio.seed,
        runs: None,
    });
    let preemptions = Search::Preemptions { bound: PREEMPTIONS };
    for (name, search) in [("random", random), ("preemptions", preemptions)] {
        let engine = main.clone().instead(name, search);
        let answer = run_within(&engine, task, time / 2, monitor)?;
        if !answer.candidates.is_empty() {
            // What the hunt leaves out, the check does not.
            return Ok(Some(Answer {
                bounds: bounds(&task.machine),
                ..answer
            }));
        }
    }
    Ok(None)
}

/// Runs an engine for so long, while another one waits.
pub(super) fn run_within(
    engine: &dyn Engine,
    task: &Task,
    time: Duration,
    monitor: &mut dyn Monitor,
) -> Result<Answer, Internal> {
    let alarm = Arc::new(AtomicBool::new(false));
    let guardian = Guardian::alarm(&alarm, time);
    let task = Task {
        halt: Arc::clone(&alarm),
        known: None,
        ..task.clone()
    };
    let mut within = Within {
        shown: monitor,
        outer: task.interrupt,
        alarm: &alarm,
        guardian: &guardian,
    };
    within.phase(Phase::default());
    let answer = engine.run(&task, &mut within);
    within.phase(Phase::default());
    answer
}

/// Shows progress, and nothing else: final states and checkpoints are those of the search that
/// waits. Stops when its time is over, and when that search is to stop.
struct Within<'a> {
    shown: &'a mut dyn Monitor,
    outer: &'a AtomicBool,
    alarm: &'a AtomicBool,
    guardian: &'a Guardian,
}

impl Monitor for Within<'_> {
    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        if self.outer.load(Ordering::Relaxed) {
            return Some(Stopped::Interrupted);
        }
        if self.alarm.load(Ordering::Relaxed) {
            return Some(self.guardian.reason());
        }
        self.shown.tick(outcome, depth)
    }

    fn phase(&mut self, phase: Phase) {
        self.shown.phase(phase);
        // It is shown from its first execution on: there may be few.
        self.shown.idle();
    }

    fn stop_reason(&mut self) -> Stopped {
        self.guardian.reason()
    }
}

//! How long sampling may take, and what the monitor is told of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use machine::Program;

use super::{Divisible, Probed};
use crate::outcome::{Calls, Estimate};

/// Sampling takes this part of the first worker's time, more of it early, as long as what it says
/// is not good enough.
const SHARE: f64 = 0.03;
const EARLY_SHARE: f64 = 0.25;
const EARLY: Duration = Duration::from_secs(1);
/// If a rough estimate will do.
const ROUGH_SHARE: f64 = 0.04;
const SHORTEST: Duration = Duration::from_millis(5);
const GOOD_ERROR: f64 = 0.05;
const ENOUGH: u64 = 1000;

/// When the search began, and what sampling has given so far.
pub(super) struct Estimating {
    start: Instant,
    probed: Option<Probed>,
}

impl Estimating {
    pub fn new() -> Estimating {
        Estimating {
            start: Instant::now(),
            probed: None,
        }
    }

    /// Says how many executions there are, of which so many are done, if these calls ask for that.
    pub fn heed<'a>(
        &mut self,
        calls: Calls,
        search: &mut impl Divisible<'a>,
        program: &Arc<Program>,
        executions: u64,
    ) {
        let elapsed = self.start.elapsed();
        let most = if calls.has(Calls::ESTIMATE) {
            elapsed.min(EARLY).mul_f64(EARLY_SHARE) + elapsed.mul_f64(SHARE)
        } else if calls.has(Calls::ROUGH_ESTIMATE) {
            elapsed.mul_f64(ROUGH_SHARE)
        } else {
            return;
        };
        let probed = self.probed.as_ref();
        let is_good = probed.is_some_and(|p| p.count >= ENOUGH && p.error < GOOD_ERROR);
        let taken = probed.map_or(Duration::ZERO, |p| p.time);
        if !is_good && most > taken {
            let time = (most - taken).max(SHORTEST);
            self.probed = Some(search.probe(program, time));
        }
        if let Some(expected) = self.probed.as_ref().and_then(|p| p.mean) {
            search.walk_mut().monitor.estimate(Estimate {
                executions,
                expected: expected.max(executions as f64),
            });
        }
    }
}

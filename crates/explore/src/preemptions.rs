//! Every schedule with at most so many preemptions (Musuvathi, Qadeer, PLDI'07). Most bugs need one
//! or two, and the number of such schedules grows with the length of the program as a polynomial.
//!
//! A *preemption* is a switch away from a thread that could go on; a switch when a thread waits,
//! spins or ends is free. What counts is the thread that performed the last visible operation
//! (`Machine::is_preemption`).
//!
//! The search is the naive one with a bound, complete for it (`tests/preemptions.rs` of `verify`).
//! Partial order reduction is left out on purpose: of the schedules of one trace it may keep one
//! that needs more preemptions than another, and then the bound cuts the only one that is left
//! (Coons, Musuvathi, McKinley, OOPSLA'13).
//!
//! Memory that is shared is found as in every search (see `machine`'s `sharing`). Its argument
//! holds within the bound: letting local accesses directly follow their thread's previous visible
//! operation adds no preemption, since a thread that was stopped before a local access could go on.

use std::sync::Arc;

use machine::Program;

use crate::error::Error;
use crate::facts::SearchFacts;
use crate::naive::{Bound, Within, search_within};
use crate::options::Options;
use crate::outcome::{Monitor, Outcome, Phase, Stopped};

/// Searches until nothing within the bound is left, a fault is found (unless all are asked for), or
/// it is told to stop. The outcome is never complete. If the first fault is enough, it is one that
/// needs as few preemptions as possible: all smaller bounds come first.
pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    most: u32,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Error> {
    let mut known = SearchFacts::at_first(&options.shared);
    let mut bound = if options.all { most } else { 0 };
    let mut covered = None;
    loop {
        monitor.phase(Phase::Preemptions(bound));
        let within = Bound::Preemptions(bound);
        let Within {
            mut outcome, cut, ..
        } = search_within(program, options, within, &mut known, monitor)?;
        if outcome.is_complete() {
            // With nothing left out, greater bounds add nothing.
            covered = Some(if cut { bound } else { most });
        }
        if outcome.stopped.is_some() || !cut || bound == most {
            outcome.covered_preemptions = covered;
            outcome
                .stopped
                .get_or_insert(Stopped::PreemptionBound { bound: most, cut });
            return Ok(outcome);
        }
        bound += 1;
        monitor.restart();
    }
}

//! One schedule that stands for all, where a static analysis has shown that they agree
//! (`analysis::schedule_independence`).
//!
//! What is explored is every input under one schedule with few switches. It stands for the others
//! only if every thread comes to its end in every execution: what a thread that is cut short would
//! have done is then seen, too. A deadlock, an assumption that fails, a bound, a fault: the search
//! proves nothing then, and another one has to be made.

use std::sync::Arc;

use machine::Program;

use crate::error::Error;
use crate::facts::SearchFacts;
use crate::naive::{Bound, search_within};
use crate::options::Options;
use crate::outcome::{Monitor, Outcome};

/// `None`: the schedule does not stand for all.
pub fn search_one_schedule(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Option<Outcome>, Error> {
    let mut known = SearchFacts::at_first(&options.shared);
    let within = search_within(program, options, Bound::One, &mut known, monitor)?;
    let stands_for_all = within.all_ended && within.outcome.is_complete();
    Ok(stands_for_all.then_some(Outcome {
        one_schedule: true,
        ..within.outcome
    }))
}

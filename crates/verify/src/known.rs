//! What a check knows so far, for whoever must report before it has come to its end.
//!
//! A limit may pass while a check is where nobody looks at a flag: in an analysis, in a library, in
//! a replay. Another thread then reports in its place, from what is kept here.
//!
//! Invariants: a bug stands here only after a concrete replay, as in a verdict; nothing that is
//! read from here says `safe`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use analysis::Statistics;
use explore::{Outcome, Runs, Search, Stopped};
use machine::SharedSet;

use crate::check::Checked;
use crate::engine::{Counts, Coverage};
use crate::explain::Why;
use crate::options::Options;
use crate::reasons::{stopped_advice, stopped_name};
use crate::verdict::{Bug, Reason, Verdict};
use crate::watch::peak_mb;

/// Events that are shown, of all bugs together, where the time is up.
const MOST_EVENTS: usize = 5_000;

#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    start: Instant,
    doing: Doing,
    is_bounded: bool,
    explains: bool,
    all: bool,
    bounds: Vec<String>,
    slice: Option<Statistics>,
    counts: Counts,
    expected: Option<f64>,
    bugs: Vec<Bug>,
}

impl Default for State {
    fn default() -> State {
        State {
            start: Instant::now(),
            doing: Doing::default(),
            is_bounded: false,
            explains: false,
            all: false,
            bounds: Vec::new(),
            slice: None,
            counts: Counts::default(),
            expected: None,
            bugs: Vec::new(),
        }
    }
}

/// What a check is at.
#[derive(Clone, Debug, Default)]
pub(crate) enum Doing {
    /// Not begun: there is no program yet.
    #[default]
    Loading,
    Analysing,
    /// With this slice.
    Searching(Option<Statistics>),
    /// This was found, at this place.
    Confirming(String),
}

impl Known {
    /// Whoever asks holds this for a moment only, and does nothing meanwhile that could fail.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self, options: &Options, bounds: Vec<String>) {
        let mut state = self.state();
        *state = State {
            doing: Doing::Analysing,
            is_bounded: is_bounded(options),
            explains: options.explains(),
            all: options.all,
            bounds,
            ..State::default()
        };
    }

    pub(crate) fn now(&self, doing: Doing) {
        let mut state = self.state();
        if let Doing::Searching(slice) = &doing {
            state.slice = *slice;
        }
        state.doing = doing;
    }

    /// How far the search is.
    pub(crate) fn count(&self, outcome: &Outcome, elsewhere: u64, expected: Option<f64>) {
        let mut state = self.state();
        state.counts = Counts::of(outcome);
        state.counts.runs.complete += elsewhere;
        state.expected = expected;
    }

    /// Replayed, and perhaps not as short yet as it will be.
    pub(crate) fn confirm(&self, bug: Bug) {
        let bugs = &mut self.state().bugs;
        // A search that is made again finds the same.
        bugs.retain(|b| (b.property, &b.location) != (bug.property, &bug.location));
        bugs.push(bug);
    }

    /// What there is to report if the check must end here. Of long executions that is the end:
    /// laying out more takes too long.
    pub fn checked(&self, stopped: Stopped) -> Checked {
        let mut state = self.state();
        let mut bugs = std::mem::take(&mut state.bugs);
        let mut left = MOST_EVENTS;
        bugs.retain_mut(|bug| {
            let is_shown = left > 0;
            bug.trace.keep_last(left);
            left = left.saturating_sub(bug.trace.lines.len().max(1));
            is_shown
        });
        let counts = state.counts;
        let reason = Reason {
            name: stopped_name(stopped).to_string(),
            location: None,
            advice: advice(&state.doing, stopped, state.is_bounded, counts.runs),
        };
        let is_bug = !bugs.is_empty();
        Checked {
            left_out: (is_bug && state.all).then(|| reason.clone()),
            verdict: if is_bug {
                Verdict::Bug(bugs)
            } else {
                Verdict::Unknown(reason)
            },
            engine: "none",
            counts,
            coverage: Coverage {
                stopped: Some(stopped),
                ..Coverage::default()
            },
            shared: SharedSet::default(),
            time: state.start.elapsed(),
            memory_mb: peak_mb(),
            slice: state.slice,
            why: state.explains.then_some(Why::NotSafe),
            bounds: state.bounds.clone(),
            made_up: Vec::new(),
            cut_offs: Vec::new(),
            expected: state.expected,
            left: None,
            starts_over: false,
            checkpoint: None,
        }
    }
}

/// Only schedules with few preemptions are searched.
fn is_bounded(options: &Options) -> bool {
    let search = options.explore().map(|explore| &explore.search);
    matches!(search, Some(Search::Preemptions { .. }))
}

fn advice(doing: &Doing, stopped: Stopped, is_bounded: bool, runs: Runs) -> String {
    let raise = match stopped {
        Stopped::TimeLimit => " Raise --time-limit.",
        Stopped::MemoryLimit => " Raise --memory-limit.",
        _ => "",
    };
    match doing {
        Doing::Loading => format!("The program was still being compiled and loaded.{raise}"),
        Doing::Analysing => format!(
            "The program was still being analysed, and nothing was searched.{raise} --no-slice leaves the analysis out."
        ),
        Doing::Searching(_) => stopped_advice(stopped, is_bounded, runs),
        Doing::Confirming(what) => {
            format!("{what} was found, but there was no time to confirm it.{raise}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_bug_nothing_is_known() {
        let known = Known::default();
        for stopped in [
            Stopped::TimeLimit,
            Stopped::MemoryLimit,
            Stopped::Interrupted,
        ] {
            let checked = known.checked(stopped);
            let Verdict::Unknown(reason) = checked.verdict else {
                panic!("{:?}", checked.verdict);
            };
            assert_eq!(reason.name, stopped_name(stopped));
            assert!(reason.advice.contains("compiled"), "{}", reason.advice);
        }
    }
}

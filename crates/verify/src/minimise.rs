//! Makes a failing schedule easier to read: fewer context switches first, then fewer steps.
//!
//! Greedy: a change is kept if a concrete replay still ends in the same fault at the same place, so
//! nothing here can make a witness wrong. The effort is bounded, also that of a single replay,
//! which may lead into a loop without end; what comes out is short, not shortest.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use explore::Decision;
use machine::ThreadId;

use crate::load::Loaded;
use crate::watch::Guardian;
use crate::witness::{Witness, reproduces};

/// Enough for schedules of some ten switches, which is what a person can follow.
const MOST_REPLAYS: u32 = 300;
/// A user waits for the report.
const LONGEST: Duration = Duration::from_secs(1);

/// Shortens one witness of so many, which share the time, until it is told to stop.
pub(crate) fn minimise_context_switches(
    loaded: &Loaded,
    witness: &mut Witness,
    witnesses: usize,
    stop: &AtomicBool,
) {
    let original = std::mem::take(&mut witness.schedule.decisions);
    let time = LONGEST / u32::try_from(witnesses).unwrap_or(u32::MAX);
    let alarm = Arc::new(AtomicBool::new(false));
    let _guardian = Guardian::alarm(&alarm, time);
    let mut attempts = Attempts {
        replays: 0,
        until: Instant::now() + time,
        stop,
        try_it: |decisions: &[Decision]| {
            witness.schedule.decisions = decisions.to_vec();
            reproduces(loaded, witness, &alarm)
        },
    };
    let shortest = reduce(steps(&original), &mut attempts);
    witness.schedule.decisions = shortest.into_iter().flatten().collect();
}

/// A scheduling decision and the choices made before the next one.
type Step = Vec<Decision>;

fn steps(decisions: &[Decision]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for decision in decisions {
        match (decision, steps.last_mut()) {
            (Decision::Choose(_) | Decision::Yield, Some(step)) => step.push(*decision),
            _ => steps.push(vec![*decision]),
        }
    }
    steps
}

/// The thread that takes a step; `None` for choices before the first scheduling decision.
fn thread(step: &Step) -> Option<ThreadId> {
    match step[0] {
        Decision::Run(thread) | Decision::Wake(thread) => Some(thread),
        Decision::Choose(_) | Decision::Yield => None,
    }
}

fn switches(steps: &[Step]) -> usize {
    steps
        .windows(2)
        .filter(|w| thread(&w[0]) != thread(&w[1]))
        .count()
}

/// What is to become less.
fn cost(steps: &[Step]) -> (usize, usize) {
    (switches(steps), steps.len())
}

struct Attempts<'a, F> {
    replays: u32,
    until: Instant,
    stop: &'a AtomicBool,
    try_it: F,
}

impl<F: FnMut(&[Decision]) -> bool> Attempts<'_, F> {
    fn exhausted(&self) -> bool {
        self.replays >= MOST_REPLAYS || self.is_late()
    }

    fn is_late(&self) -> bool {
        Instant::now() > self.until || self.stop.load(Ordering::Relaxed)
    }

    fn works(&mut self, steps: &[Step]) -> bool {
        self.replays += 1;
        (self.try_it)(&steps.concat())
    }
}

fn reduce<F: FnMut(&[Decision]) -> bool>(
    steps: Vec<Step>,
    attempts: &mut Attempts<'_, F>,
) -> Vec<Step> {
    let mut best = steps;
    while let Some(better) = improve(&best, attempts) {
        best = better;
    }
    without_tail(best, attempts)
}

fn improve<F: FnMut(&[Decision]) -> bool>(
    steps: &[Step],
    attempts: &mut Attempts<'_, F>,
) -> Option<Vec<Step>> {
    for candidate in merged(steps).chain(without_parts(steps)) {
        if attempts.exhausted() {
            return None;
        }
        if cost(&candidate) < cost(steps) && attempts.works(&candidate) {
            return Some(candidate);
        }
    }
    None
}

/// Bounds of the stretches that one thread runs alone.
fn segments(steps: &[Step]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    for end in 1..=steps.len() {
        if end == steps.len() || thread(&steps[end]) != thread(&steps[start]) {
            found.push((start, end));
            start = end;
        }
    }
    found
}

/// Two stretches of one thread run together: the later moved up, or the earlier moved down.
fn merged(steps: &[Step]) -> impl Iterator<Item = Vec<Step>> {
    let segments = segments(steps);
    let mut pairs = Vec::new();
    for (i, first) in segments.iter().enumerate() {
        let same = |s: &&(usize, usize)| thread(&steps[s.0]) == thread(&steps[first.0]);
        if let Some(second) = segments[i + 1..].iter().find(same) {
            pairs.push((*first, *second));
        }
    }
    pairs.into_iter().flat_map(move |((a, b), (c, d))| {
        let up = [&steps[..b], &steps[c..d], &steps[b..c], &steps[d..]].concat();
        let down = [&steps[..a], &steps[b..c], &steps[a..b], &steps[c..]].concat();
        [up, down]
    })
}

/// Some steps left out: long stretches first.
fn without_parts(steps: &[Step]) -> impl Iterator<Item = Vec<Step>> {
    let lengths =
        std::iter::successors(Some(steps.len() / 2), |n| Some(n / 2)).take_while(|n| *n > 0);
    lengths.flat_map(move |length| {
        let starts = (0..=steps.len() - length).step_by(length.div_ceil(2));
        starts.map(move |start| [&steps[..start], &steps[start + length..]].concat())
    })
}

/// Leaves out what comes after the end of the execution. That a prefix suffices is monotone in its
/// length.
fn without_tail<F: FnMut(&[Decision]) -> bool>(
    steps: Vec<Step>,
    attempts: &mut Attempts<'_, F>,
) -> Vec<Step> {
    let (mut least, mut enough) = (0, steps.len());
    while least < enough && !attempts.is_late() {
        let middle = (least + enough) / 2;
        if attempts.works(&steps[..middle]) {
            enough = middle;
        } else {
            least = middle + 1;
        }
    }
    steps[..enough].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(threads: &[u32]) -> Vec<Step> {
        let threads = threads.iter().map(|t| ThreadId(*t));
        threads.map(|t| vec![Decision::Run(t)]).collect()
    }

    fn reduced(threads: &[u32], works: impl Fn(&[u32]) -> bool) -> Vec<u32> {
        let mut attempts = Attempts {
            replays: 0,
            until: Instant::now() + LONGEST,
            stop: &AtomicBool::new(false),
            try_it: |decisions: &[Decision]| {
                let threads = decisions.iter().filter_map(|d| thread(&vec![*d]));
                works(&threads.map(|t| t.0).collect::<Vec<_>>())
            },
        };
        let steps = reduce(run(threads), &mut attempts);
        steps.iter().filter_map(thread).map(|t| t.0).collect()
    }

    #[test]
    fn stretches_of_one_thread_are_joined() {
        let sorted = |threads: &[u32]| {
            threads.iter().filter(|t| **t == 1).count() == 3 && threads.len() == 6
        };
        assert_eq!(reduced(&[1, 2, 1, 2, 1, 2], sorted), [1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn what_the_fault_needs_stays() {
        // A lost update: both read before either writes.
        let needs = |threads: &[u32]| threads.starts_with(&[2, 1, 1, 2]);
        assert_eq!(reduced(&[2, 1, 1, 2], needs), [2, 1, 1, 2]);
    }

    #[test]
    fn superfluous_steps_go() {
        let needs = |threads: &[u32]| threads.ends_with(&[3]) || threads.contains(&3);
        assert_eq!(reduced(&[1, 1, 2, 2, 1, 3, 1], needs), [3]);
    }

    #[test]
    fn choices_stay_with_their_step() {
        let [one, other] = [ThreadId(1), ThreadId(2)].map(Decision::Run);
        let choice = Decision::Choose(1);
        assert_eq!(
            steps(&[one, choice, other]),
            [vec![one, choice], vec![other]]
        );
    }
}

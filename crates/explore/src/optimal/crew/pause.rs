//! What a worker does between two executions: heeds calls, cuts its segment for others, says where
//! it stands.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::super::knowledge::names;
use super::super::{Finished, Search};
use super::pool::{Pool, Segment, State};
use super::{CANCEL, CUT, Crew, FIRST, LEAVE, SAVE, SAVED};
use crate::outcome::{Calls, Estimate, Outcome, Stopped};

/// Segments that wait, at most, where they are cut whenever possible.
const MOST_WAITING: usize = 8;

/// Probing takes this part of the first worker's time, more of it early, as long as what it says is
/// not good enough.
const PROBING: f64 = 0.03;
const EARLY_PROBING: f64 = 0.25;
const EARLY: Duration = Duration::from_secs(1);
const SHORTEST_PROBING: Duration = Duration::from_millis(5);
const GOOD_ERROR: f64 = 0.05;
const ENOUGH: u64 = 1000;

impl Search<'_> {
    /// Between two executions.
    pub(in super::super) fn rest(&mut self) -> Option<Finished> {
        let post = self.post.as_ref()?;
        let worker = &post.crew.workers[post.worker];
        let mut calls = worker.calls.load(Ordering::Relaxed);
        worker.executions.store(
            worker.executions.load(Ordering::Relaxed) + 1,
            Ordering::Relaxed,
        );
        let is_first = post.worker == FIRST;
        if is_first {
            calls |= self.walk.monitor.calls().0;
            if self.walk.joins_at.is_some_and(|at| Instant::now() >= at) {
                self.walk.joins_at = None;
                let crew = Arc::clone(&post.crew);
                crew.join(self);
            }
        }
        if self.walk.options.workers.always_cut {
            calls |= CUT;
        }
        if calls == 0 {
            return None;
        }
        self.heed(calls, is_first)
    }

    #[cold]
    fn heed(&mut self, calls: u32, is_first: bool) -> Option<Finished> {
        let post = self.post.as_ref()?;
        let (crew, me, id) = (Arc::clone(&post.crew), post.worker, post.segment);
        // A call to cut stands until it is heeded.
        crew.workers[me].calls.fetch_and(CUT, Ordering::Relaxed);
        if calls & CANCEL != 0 {
            self.walk.outcome.stopped = Some(Stopped::Interrupted);
            return Some(Finished::Done);
        }
        if is_first {
            let executions = crew.executions();
            let runs = self.walk.outcome.runs;
            let mine = runs.complete + runs.blocked;
            self.walk.monitor.elsewhere(executions.saturating_sub(mine));
            crew.serve(Calls(calls), &mut *self.walk.monitor);
            if Calls(calls).has(Calls::ESTIMATE) {
                self.estimate(&crew);
            }
        }
        // It may have called itself, with all others.
        let calls = calls
            | crew.workers[me]
                .calls
                .fetch_and(CUT | SAVED, Ordering::Relaxed);
        if calls & LEAVE != 0 {
            return Some(Finished::Left);
        }
        if calls & SAVE != 0 {
            let outcome = self.snapshot();
            let pieces = self.pieces();
            let groups = self.cells.groups();
            let mut pool = crew.pool();
            pool.footprint[me] = groups;
            self.tell_threads(&mut pool);
            if let Some(at) = pool.position(id) {
                pool.segments[at].saved = Some((outcome, pieces));
            }
            crew.tell_if_saved(&pool);
        }
        if calls & CUT != 0 {
            self.give(&crew, me, id);
        }
        None
    }

    /// Leaves the later part of the segment to others.
    fn give(&mut self, crew: &Crew, me: usize, id: u64) {
        let is_wanted = |pool: &Pool| {
            let waiting = |s: &&Segment| matches!(s.state, State::Waiting(_));
            let waiting = pool.segments.iter().filter(waiting).count();
            let wanted = if crew.options.workers.always_cut {
                MOST_WAITING
            } else {
                pool.hungry
            };
            // Where the search stands must not change while that is asked.
            let at = pool.position(id);
            at.is_some_and(|at| !pool.saving || pool.segments[at].saved.is_none())
                && waiting < wanted
        };
        let wanted = is_wanted(&crew.pool());
        if !wanted {
            crew.workers[me].calls.fetch_and(!CUT, Ordering::Relaxed);
            return;
        }
        // A part with nothing in it is of no use.
        let mut pieces = Vec::new();
        while let Some(piece) = self.cut() {
            let is_enough = piece.ways() > 0;
            pieces.push(piece);
            if is_enough {
                break;
            }
        }
        if pieces.is_empty() {
            return;
        }
        crew.workers[me].calls.fetch_and(!CUT, Ordering::Relaxed);
        let mut pool = crew.pool();
        let Some(at) = pool.position(id) else {
            return;
        };
        // The lowest was cut first and comes last.
        for piece in pieces {
            let id = pool.next;
            pool.next += 1;
            pool.segments.insert(
                at + 1,
                Segment {
                    id,
                    state: State::Waiting(Box::new(piece)),
                    saved: None,
                },
            );
        }
        drop(pool);
        crew.changed.notify_all();
    }

    /// Says how many executions there are.
    fn estimate(&mut self, crew: &Crew) {
        let elapsed = crew.start.elapsed();
        let most = elapsed.min(EARLY).mul_f64(EARLY_PROBING) + elapsed.mul_f64(PROBING);
        let is_good = self.probes.count >= ENOUGH && self.probes.error() < GOOD_ERROR;
        if !is_good && most > self.probes.time {
            let time = (most - self.probes.time).max(SHORTEST_PROBING);
            let knowledge = self.knowledge(0);
            let mut probes = std::mem::take(&mut self.probes);
            probes.go_on(&crew.program, self.walk.options, &knowledge, time);
            self.probes = probes;
        }
        let executions = crew.executions();
        if let Some(expected) = self.probes.mean() {
            self.walk.monitor.estimate(Estimate {
                executions,
                expected: expected.max(executions as f64),
            });
        }
    }

    /// A worker that is alone may have found more threads.
    pub(super) fn tell_threads(&self, pool: &mut Pool) {
        if !pool.joined {
            pool.knowledge.threads = names(&self.walk.machine);
        }
    }

    /// What was found in this segment so far.
    fn snapshot(&self) -> Outcome {
        let mut outcome = self.walk.outcome.clone();
        outcome.threads = self.walk.machine.threads_seen;
        outcome.crowded.extend(&self.walk.machine.crowded);
        outcome.events = self.walk.machine.total_events - self.walk.repeated - self.walk.counted;
        outcome
    }

    /// What was found in this segment.
    pub(super) fn harvest(&mut self) -> Outcome {
        let outcome = self.snapshot();
        self.walk.outcome = Outcome::default();
        outcome
    }
}

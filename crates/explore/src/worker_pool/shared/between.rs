//! What a worker does between two executions: heeds calls, cuts its unit for others, says where it
//! stands.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::super::alone::MOST_WAITING;
use super::super::estimate::Estimating;
use super::super::units::{Slot, State, UnitId};
use super::super::{Divide, Divisible, WorkerId, found_so_far};
use super::{CANCEL, CUT, Common, LEAVE, SAVE, SAVED, WorkerPool};
use crate::driver::Finished;
use crate::outcome::{Calls, Stopped};

/// What a worker is at.
pub(super) struct Assignment<'e> {
    pub pool: Arc<WorkerPool>,
    pub worker: WorkerId,
    pub unit: UnitId,
    /// When the others may join.
    pub joins_at: Option<Instant>,
    pub estimating: &'e mut Estimating,
}

impl Assignment<'_> {
    pub fn between_executions<'a, D: Divide>(
        &mut self,
        search: &mut D::Search<'a>,
    ) -> Option<Finished> {
        let worker = &self.pool.workers[self.worker];
        let mut calls = worker.calls.load(Ordering::Relaxed);
        let executions = worker.executions.load(Ordering::Relaxed);
        worker.executions.store(executions + 1, Ordering::Relaxed);
        if self.worker == WorkerId::FIRST {
            calls |= search.walk_mut().monitor.calls().0;
            if self.joins_at.is_some_and(|at| Instant::now() >= at) {
                self.joins_at = None;
                self.pool.join::<D>(search);
            }
        }
        if self.pool.sharing.always_cut {
            calls |= CUT;
        }
        if calls == 0 {
            return None;
        }
        self.heed(search, calls)
    }

    #[cold]
    fn heed<'a>(&mut self, search: &mut impl Divisible<'a>, calls: u32) -> Option<Finished> {
        let (pool, me) = (Arc::clone(&self.pool), self.worker);
        // A call to cut stands until it is heeded.
        pool.workers[me].calls.fetch_and(CUT, Ordering::Relaxed);
        if calls & CANCEL != 0 {
            search.walk_mut().outcome.stopped = Some(Stopped::Interrupted);
            return Some(Finished::Done);
        }
        if me == WorkerId::FIRST {
            let executions = pool.executions();
            let runs = search.walk().outcome.runs;
            let mine = runs.complete + runs.blocked;
            let monitor = &mut *search.walk_mut().monitor;
            monitor.elsewhere(executions.saturating_sub(mine));
            pool.serve(Calls(calls), monitor);
            let executions = pool.executions();
            self.estimating
                .heed(Calls(calls), search, &pool.program, executions);
        }
        // It may have called itself, with all others.
        let flag = &pool.workers[me].calls;
        let calls = calls | flag.fetch_and(CUT | SAVED, Ordering::Relaxed);
        if calls & LEAVE != 0 {
            return Some(Finished::Left);
        }
        if calls & SAVE != 0 {
            let saved = (found_so_far(search), search.left());
            let cells = search.cells().groups();
            let facts = search.facts(0);
            let mut common = pool.common();
            common.units.cells[me] = cells;
            common.tell_threads(facts);
            if let Some(at) = common.units.position(self.unit) {
                common.units.slots[at].saved = Some(saved);
            }
            pool.tell_if_saved(&common);
        }
        if calls & CUT != 0 {
            self.give(search);
        }
        None
    }

    /// Whether other workers have use for a part of this unit.
    fn is_wanted(&self, common: &Common) -> bool {
        let is_waiting = |s: &&Slot| matches!(s.state, State::Waiting(_));
        let waiting = common.units.slots.iter().filter(is_waiting).count();
        let wanted = match self.pool.sharing.always_cut {
            true => MOST_WAITING,
            false => common.idle,
        };
        // Where the search stands must not change while that is asked.
        let at = common.units.position(self.unit);
        at.is_some_and(|at| !common.saving || common.units.slots[at].saved.is_none())
            && waiting < wanted
    }

    /// Leaves the later part of the unit to others.
    fn give<'a>(&mut self, search: &mut impl Divisible<'a>) {
        let flag = &self.pool.workers[self.worker].calls;
        let is_wanted = self.is_wanted(&self.pool.common());
        if !is_wanted {
            flag.fetch_and(!CUT, Ordering::Relaxed);
            return;
        }
        // A part with nothing in it is of no use.
        let mut units = Vec::new();
        while let Some(unit) = search.cut() {
            let is_enough = unit.ways() > 0;
            units.push(unit);
            if is_enough {
                break;
            }
        }
        if units.is_empty() {
            return;
        }
        flag.fetch_and(!CUT, Ordering::Relaxed);
        let mut common = self.pool.common();
        let Some(at) = common.units.position(self.unit) else {
            return;
        };
        // The lowest was cut first and comes last.
        for unit in units {
            let state = State::Waiting(Box::new(unit));
            common.units.insert(at + 1, state);
        }
        drop(common);
        self.pool.changed.notify_all();
    }
}

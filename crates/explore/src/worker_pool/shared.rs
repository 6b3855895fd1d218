//! Several workers explore the units of one search.
//!
//! A worker that has nothing to do asks the others; the first of them to finish an execution cuts
//! its unit in two and leaves the later part to whichever asked. Between two executions a worker
//! looks at one flag of its own; the units, behind a lock, are touched only when one is cut or
//! done.

mod between;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base::IndexVec;
use machine::{Machine, Program};
use smt::SolverStats;

use self::between::Assignment;
use super::assemble::{Over, assemble};
use super::estimate::Estimating;
use super::units::{Ending, Slot, State, UnitId, Units};
use super::{Divide, Divisible, Explored, WorkerId, Workers, explore_unit};
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::optimal::WorkUnit;
use crate::options::Options;
use crate::outcome::{Calls, Frontier, Helper, Monitor, Outcome, Stopped};

/// Bits of a worker's flag, beside those of `Calls`.
const CUT: u32 = 1 << 8;
const CANCEL: u32 = 1 << 9;
const SAVED: u32 = 1 << 10;
const SAVE: u32 = 1 << 11;
const LEAVE: u32 = 1 << 12;

/// How often a worker without work looks after the monitor.
const PAUSE: Duration = Duration::from_millis(10);

struct WorkerPool {
    program: Arc<Program>,
    options: Options,
    sharing: Workers,
    workers: IndexVec<WorkerId, Worker>,
    common: Mutex<Common>,
    changed: Condvar,
    /// Executions done before.
    before: u64,
}

struct Worker {
    calls: AtomicU32,
    /// Raised to stop it in the middle of an execution.
    interrupt: Arc<AtomicBool>,
    executions: AtomicU64,
}

/// What all workers use, one at a time.
struct Common {
    units: Units,
    /// Workers that have asked for work.
    idle: usize,
    /// Why all workers stop.
    stopped: Option<Stopped>,
    /// All workers leave the rest.
    leaving: bool,
    /// The others are at work, or have been.
    joined: bool,
    handles: Vec<JoinHandle<Result<(), Error>>>,
    solver: SolverStats,
    /// All workers are to say where they stand.
    saving: bool,
    failed: Option<Error>,
}

impl Common {
    /// No worker is at work, and nothing is left or is to be done.
    fn is_over(&self) -> bool {
        if self.stopped.is_some() || self.leaving {
            return true;
        }
        let is_done = |s: &Slot| matches!(s.state, State::Done(_));
        self.units.slots.iter().all(is_done)
    }

    fn running(&self) -> impl Iterator<Item = WorkerId> {
        self.units.slots.iter().filter_map(|slot| match slot.state {
            State::Running(worker) => Some(worker),
            _ => None,
        })
    }
}

pub(super) fn explore<D: Divide>(
    program: &Arc<Program>,
    options: &Options,
    sharing: Workers,
    left: Frontier,
    monitor: &mut dyn Monitor,
    start: Instant,
) -> Result<Over, Error> {
    let pool = Arc::new(WorkerPool::new(program, options, sharing, left));
    let worked = pool.work::<D>(WorkerId::FIRST, options, monitor, start);
    pool.dismiss();
    worked?;
    pool.over()
}

impl WorkerPool {
    fn new(
        program: &Arc<Program>,
        options: &Options,
        sharing: Workers,
        left: Frontier,
    ) -> WorkerPool {
        let runs = left.outcome().runs;
        let workers = sharing.count as usize;
        let worker = |_| Worker {
            calls: AtomicU32::new(0),
            interrupt: Arc::default(),
            executions: AtomicU64::new(0),
        };
        WorkerPool {
            program: Arc::clone(program),
            options: options.clone(),
            sharing,
            workers: (0..workers).map(worker).collect(),
            common: Mutex::new(Common {
                units: Units::new(left, workers),
                idle: 0,
                stopped: None,
                leaving: false,
                joined: false,
                handles: Vec::new(),
                solver: SolverStats::default(),
                saving: false,
                failed: None,
            }),
            changed: Condvar::new(),
            before: runs.complete + runs.blocked,
        }
    }

    fn common(&self) -> MutexGuard<'_, Common> {
        // What a worker that panicked left behind is not used: its panic goes on.
        self.common.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn over(&self) -> Result<Over, Error> {
        let mut common = self.common();
        if let Some(why) = common.failed.take() {
            return Err(why);
        }
        let nothing = Units::new(Frontier::default(), 0);
        let units = std::mem::replace(&mut common.units, nothing);
        let solver = std::mem::take(&mut common.solver);
        Ok(assemble(units, common.stopped, self.options.all, solver))
    }

    // ----- work -----

    fn work<D: Divide>(
        self: &Arc<Self>,
        me: WorkerId,
        options: &Options,
        monitor: &mut dyn Monitor,
        start: Instant,
    ) -> Result<(), Error> {
        // One that must start over is good for nothing more, though its work may prove to be void.
        while self.work_with_one_machine::<D>(me, options, &mut *monitor, start)? {}
        Ok(())
    }

    /// Works until all is over; `true`: until it must start over.
    fn work_with_one_machine<D: Divide>(
        self: &Arc<Self>,
        me: WorkerId,
        options: &Options,
        monitor: &mut dyn Monitor,
        start: Instant,
    ) -> Result<bool, Error> {
        let (facts, joined) = {
            let common = self.common();
            (common.units.facts.clone(), common.joined)
        };
        let mut search = D::Search::start(&self.program, options, monitor, &facts)?;
        if joined {
            search.fix_threads(facts.threads.len());
        }
        let mut counted = 0;
        let mut cells = search.cells().version();
        let mut starts_over = false;
        let mut estimating = Estimating::new();
        while !starts_over {
            let taken = self.take(me, &mut *search.walk_mut().monitor);
            let Some((id, unit)) = taken else {
                break;
            };
            let mut assignment = Assignment {
                pool: Arc::clone(self),
                worker: me,
                unit: id,
                joins_at: (me == WorkerId::FIRST && !self.common().joined)
                    .then(|| start + self.sharing.join_after),
                estimating: &mut estimating,
            };
            let mut between =
                |search: &mut D::Search<'_>| assignment.between_executions::<D>(search);
            let restarts = facts.restarts;
            let explored = explore_unit(&mut search, unit, restarts, &mut counted, &mut between)?;
            if search.cells().version() != cells {
                cells = search.cells().version();
                self.common().units.cells[me] = search.cells().groups();
            }
            starts_over = matches!(explored.ending, Ending::StartOver(_));
            if matches!(explored.ending, Ending::Left) {
                let facts = search.facts(restarts);
                self.common().tell_threads(facts);
            }
            self.finish(id, explored);
        }
        self.common().solver += search.walk().feasibility.stats();
        Ok(starts_over)
    }

    /// The next unit; `None`: all is over.
    fn take(&self, me: WorkerId, monitor: &mut dyn Monitor) -> Option<(UnitId, WorkUnit)> {
        let mut common = self.common();
        let mut asked = false;
        loop {
            if common.is_over() {
                self.changed.notify_all();
                return None;
            }
            if let Some(taken) = common.units.take(me) {
                if asked {
                    common.idle -= 1;
                }
                let worker = &self.workers[me];
                worker.calls.fetch_and(!(CUT | CANCEL), Ordering::Relaxed);
                if common.saving {
                    self.call(me, SAVE);
                }
                worker.interrupt.store(false, Ordering::Relaxed);
                return Some(taken);
            }
            if !asked {
                asked = true;
                common.idle += 1;
            }
            self.call_all(&common, CUT);
            common = self
                .changed
                .wait_timeout(common, PAUSE)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            if me == WorkerId::FIRST {
                drop(common);
                self.look_after(monitor);
                common = self.common();
            }
        }
    }

    fn call(&self, worker: WorkerId, call: u32) {
        self.workers[worker].calls.fetch_or(call, Ordering::Relaxed);
    }

    /// Calls all workers that are at work.
    fn call_all(&self, common: &Common, call: u32) {
        common.running().for_each(|worker| self.call(worker, call));
    }

    /// Lets the others join.
    fn join<'a, D: Divide>(self: &Arc<Self>, search: &mut D::Search<'a>) {
        let mut common = self.common();
        common.joined = true;
        common.units.facts = search.facts(common.units.facts.restarts);
        search.fix_threads(common.units.facts.threads.len());
        for me in self.workers.ids().skip(1) {
            let pool = Arc::clone(self);
            let helper = search.walk_mut().monitor.helper();
            let work = move || {
                let guard = Guard(&pool);
                let mut options = pool.options.clone();
                options.interrupt = Arc::clone(&pool.workers[me].interrupt);
                let mut monitor = Helping { helper };
                let worked = pool.work::<D>(me, &options, &mut monitor, Instant::now());
                if let Err(why) = &worked {
                    pool.fail(why);
                }
                std::mem::forget(guard);
                worked
            };
            let thread = std::thread::Builder::new().name(me.to_string());
            match thread.spawn(work) {
                Ok(handle) => common.handles.push(handle),
                // Fewer will do.
                Err(_) => break,
            }
        }
    }

    fn fail(&self, why: &Error) {
        let mut common = self.common();
        common.failed.get_or_insert_with(|| why.clone());
        common.stopped.get_or_insert(Stopped::Interrupted);
        self.interrupt_all(&common);
        self.changed.notify_all();
    }

    fn interrupt_all(&self, common: &Common) {
        common.running().for_each(|worker| self.cancel(worker));
    }

    fn cancel(&self, worker: WorkerId) {
        self.call(worker, CANCEL);
        self.workers[worker]
            .interrupt
            .store(true, Ordering::Relaxed);
    }

    /// Waits until the others are gone.
    fn dismiss(&self) {
        {
            let mut common = self.common();
            if !common.is_over() {
                // The first worker failed.
                common.stopped = Some(Stopped::Interrupted);
            }
            // A worker that is to leave the rest is given the time to.
            while common.leaving
                && common.running().next().is_some()
                && !self.options.interrupt.load(Ordering::Relaxed)
            {
                let waited = self.changed.wait_timeout(common, PAUSE);
                common = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            self.interrupt_all(&common);
            self.changed.notify_all();
        }
        let handles = std::mem::take(&mut self.common().handles);
        for handle in handles {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }

    // ----- units -----

    fn finish(&self, id: UnitId, explored: Explored) {
        let mut common = self.common();
        let Some(at) = common.units.position(id) else {
            // What it did proved to be void.
            self.changed.notify_all();
            return;
        };
        match &explored.ending {
            Ending::Fault | Ending::StartOver(_) => {
                for slot in common.units.slots.drain(at + 1..) {
                    if let State::Running(worker) = slot.state {
                        self.cancel(worker);
                    }
                }
            }
            Ending::Stopped => {
                common.stopped = common.stopped.or(explored.outcome.stopped);
                self.interrupt_all(&common);
            }
            Ending::Left | Ending::Exhausted => {}
        }
        common.units.put(at, explored);
        self.tell_if_saved(&common);
        self.changed.notify_all();
    }

    /// Tells the first worker if all have said where they stand.
    fn tell_if_saved(&self, common: &Common) {
        if common.saving && common.units.all_are_saved() {
            self.call(WorkerId::FIRST, SAVED);
        }
    }

    // ----- the monitor -----

    fn executions(&self) -> u64 {
        let executions = self.workers.iter().map(|w| &w.executions);
        self.before + executions.map(|e| e.load(Ordering::Relaxed)).sum::<u64>()
    }

    /// While the first worker waits for work.
    fn look_after(&self, monitor: &mut dyn Monitor) {
        monitor.elsewhere(self.executions());
        monitor.idle();
        if let Some(stopped) = monitor.tick(&Outcome::default(), 0) {
            let mut common = self.common();
            common.stopped.get_or_insert(stopped);
            self.interrupt_all(&common);
        }
        let calls = monitor.calls();
        let mine = self.workers[WorkerId::FIRST]
            .calls
            .swap(0, Ordering::Relaxed);
        self.serve(Calls(calls.0 | mine), monitor);
    }

    /// What the monitor asked for.
    fn serve(&self, calls: Calls, monitor: &mut dyn Monitor) {
        if calls.has(Calls::LEAVE) {
            let mut common = self.common();
            common.leaving = true;
            common.stopped.get_or_insert(monitor.stop_reason());
            self.call_all(&common, LEAVE);
        } else if calls.has(Calls::CHECKPOINT) {
            let mut common = self.common();
            if !common.saving {
                common.saving = true;
                common.units.slots.iter_mut().for_each(|s| s.saved = None);
                self.call_all(&common, SAVE);
                self.tell_if_saved(&common);
            }
        }
        if calls.has(Calls(SAVED)) {
            let mut common = self.common();
            if common.saving && common.units.all_are_saved() {
                common.saving = false;
                if let Some(frontier) = common.units.frontier() {
                    drop(common);
                    monitor.checkpoint(frontier);
                }
            }
        }
    }
}

impl Common {
    /// A worker that is alone may have found more threads.
    fn tell_threads(&mut self, facts: SearchFacts) {
        if !self.joined {
            self.units.facts.threads = facts.threads;
        }
    }
}

/// A worker that panics must not be waited for.
struct Guard<'a>(&'a WorkerPool);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.fail(&Error::Worker);
    }
}

/// What a worker without a monitor of its own is watched by.
struct Helping {
    helper: Option<Helper>,
}

impl Monitor for Helping {
    fn complete(&mut self, machine: &mut Machine) {
        if let Some(helper) = &mut self.helper {
            helper(machine);
        }
    }
}

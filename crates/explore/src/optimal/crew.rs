//! Several workers search one tree.
//!
//! Each has a machine and a solver of its own and works on a *segment*: an interval of the order in
//! which a single worker would go through the tree. A worker that has nothing to do asks the
//! others; the first of them to finish an execution cuts its segment in two (see `job`) and leaves
//! the later part to whoever asked. Between two executions a worker looks at one flag of its own;
//! the list of segments, behind a lock, is touched only when one is cut or done.
//!
//! What is found is put together in the order of the segments, so it is what a single worker finds:
//! a segment that ends with a fault, when only the first is asked for, makes what comes after it
//! void, and so does one that shows that the search must start over; segments before it are still
//! finished, and may say otherwise.
//!
//! Deviation: a thread that nobody knew when the workers began makes the search start over, since
//! threads are numbered in the order in which they are found. A single worker goes on.

mod pause;
mod pool;
mod whole;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use machine::{Machine, Program};
use smt::SolverStats;

use self::pool::{Ending, Pool, Segment, State};
use self::whole::Over;
use super::job::{Part, Piece};
use super::{Finished, Search};
use crate::outcome::{Calls, Frontier, Helper, Monitor, Outcome, Resumed, Stopped};
use crate::walk::Options;

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    pub count: u32,
    /// Until then one worker is alone: most searches are over sooner than others would be of use.
    pub join_after: Duration,
    /// Cut segments whenever possible. For tests.
    pub always_cut: bool,
}

impl Default for Workers {
    fn default() -> Workers {
        Workers {
            count: 1,
            join_after: Duration::from_millis(100),
            always_cut: false,
        }
    }
}

/// Where a worker is employed.
pub(super) struct Post {
    crew: Arc<Crew>,
    worker: usize,
    segment: u64,
}

/// Bits of a worker's flag, beside those of `Calls`.
const CUT: u32 = 1 << 8;
const CANCEL: u32 = 1 << 9;
const SAVED: u32 = 1 << 10;
const SAVE: u32 = 1 << 11;
const LEAVE: u32 = 1 << 12;

/// The worker that has the monitor.
const FIRST: usize = 0;

/// How often a worker without work looks after the monitor.
const NAP: Duration = Duration::from_millis(10);

struct Crew {
    program: Arc<Program>,
    options: Options,
    workers: Vec<Worker>,
    pool: Mutex<Pool>,
    changed: Condvar,
    /// Executions done before.
    before: u64,
    start: Instant,
}

struct Worker {
    calls: AtomicU32,
    /// Raised to stop it in the middle of an execution.
    interrupt: Arc<AtomicBool>,
    executions: AtomicU64,
}

pub(super) fn search(
    program: &Arc<Program>,
    options: &Options,
    left: Frontier,
    monitor: &mut dyn Monitor,
) -> Result<Resumed, String> {
    let start = Instant::now();
    let is_part = left.is_part;
    let mut left = left;
    loop {
        let crew = Arc::new(Crew::new(program, options, left));
        let worked = crew.work(FIRST, options, monitor, start);
        crew.dismiss();
        worked?;
        match crew.over()? {
            Over::Done(outcome, left) => {
                return Ok(Resumed {
                    outcome: *outcome,
                    left: left.map(|left| Frontier { is_part, ..left }),
                    starts_over: false,
                });
            }
            Over::Again(knowledge) if is_part => {
                return Ok(Resumed {
                    outcome: Outcome {
                        stopped: Some(Stopped::Interrupted),
                        threads: knowledge.threads.len() as u32,
                        restarts: knowledge.restarts,
                        ..Outcome::default()
                    },
                    left: Some(Frontier::after(knowledge)),
                    starts_over: true,
                });
            }
            Over::Void(outcome, knowledge) => {
                return Ok(Resumed {
                    outcome: *outcome,
                    left: Some(Frontier::after(knowledge)),
                    starts_over: true,
                });
            }
            Over::Again(knowledge) => {
                monitor.restart();
                left = Frontier::after(knowledge);
            }
        }
    }
}

impl Crew {
    fn new(program: &Arc<Program>, options: &Options, left: Frontier) -> Crew {
        let outcome = left.outcome();
        let segments = left.parts.into_iter().enumerate();
        let segments: Vec<Segment> = segments
            .map(|(i, part)| Segment {
                id: i as u64,
                state: match part {
                    Part::Left(piece) => State::Waiting(piece),
                    Part::Done(outcome) => State::Done {
                        outcome,
                        ending: Ending::Exhausted,
                        left: Vec::new(),
                    },
                },
                saved: None,
            })
            .collect();
        let worker = |_| Worker {
            calls: AtomicU32::new(0),
            interrupt: Arc::default(),
            executions: AtomicU64::new(0),
        };
        Crew {
            program: Arc::clone(program),
            options: options.clone(),
            workers: (0..options.workers.count.max(1)).map(worker).collect(),
            pool: Mutex::new(Pool {
                knowledge: left.knowledge,
                next: segments.len() as u64,
                segments,
                hungry: 0,
                stopped: None,
                leaving: false,
                joined: false,
                handles: Vec::new(),
                solver: SolverStats::default(),
                footprint: vec![Vec::new(); options.workers.count.max(1) as usize],
                saving: false,
                failed: None,
            }),
            changed: Condvar::new(),
            start: Instant::now(),
            before: outcome.runs.complete + outcome.runs.blocked,
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // What a worker that panicked left behind is not used: its panic goes on.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ----- work -----

    fn work(
        self: &Arc<Self>,
        me: usize,
        options: &Options,
        monitor: &mut dyn Monitor,
        start: Instant,
    ) -> Result<(), String> {
        // One that must start over is good for nothing more, though its work may prove to be void.
        while self.work_with_one_machine(me, options, &mut *monitor, start)? {}
        Ok(())
    }

    /// Works until all is over; `true`: until it must start over.
    fn work_with_one_machine(
        self: &Arc<Self>,
        me: usize,
        options: &Options,
        monitor: &mut dyn Monitor,
        start: Instant,
    ) -> Result<bool, String> {
        let (knowledge, joined) = {
            let pool = self.pool();
            (pool.knowledge.clone(), pool.joined)
        };
        let mut search = Search::start(&self.program, options, monitor, &knowledge)?;
        if joined {
            search.most_threads = knowledge.threads.len();
        }
        let mut counted = 0;
        let mut footprint = search.cells.version();
        let restarts = knowledge.restarts;
        let mut starts_over = false;
        while !starts_over {
            let Some((segment, piece)) = self.take(me, &mut search) else {
                break;
            };
            search.walk.outcome = Outcome {
                restarts,
                ..Outcome::default()
            };
            search.walk.counted = counted;
            search.post = Some(Post {
                crew: Arc::clone(self),
                worker: me,
                segment,
            });
            self.begin(me, &mut search, start);
            let executed = search.load(piece)?;
            let mut finished = search.run(executed);
            let outcome = search.harvest();
            if search.cells.merged && outcome.stopped.is_none() {
                // It showed where nothing was executed after it.
                finished = Finished::StartOver;
            }
            counted += outcome.events;
            if search.cells.version() != footprint {
                footprint = search.cells.version();
                self.pool().footprint[me] = search.cells.groups();
            }
            starts_over = finished == Finished::StartOver;
            if finished == Finished::Left {
                search.tell_threads(&mut self.pool());
            }
            let left = match finished {
                Finished::Left => search.pieces(),
                Finished::Done | Finished::StartOver => Vec::new(),
            };
            let ending = match (finished, outcome.stopped) {
                (Finished::StartOver, _) => {
                    let is_late = outcome.runs.complete > 0;
                    Ending::StartOver(Box::new(search.learnt(restarts + 1, is_late)))
                }
                (Finished::Left, _) => Ending::Left,
                (Finished::Done, Some(Stopped::FirstBug)) if !outcome.found.is_empty() => {
                    Ending::Fault
                }
                (Finished::Done, Some(_)) => Ending::Stopped,
                (Finished::Done, None) => Ending::Exhausted,
            };
            self.finish(segment, outcome, ending, left);
        }
        self.pool().solver += search.walk.feasibility.stats();
        Ok(starts_over)
    }

    /// The next segment; `None`: all is over.
    fn take(&self, me: usize, search: &mut Search) -> Option<(u64, Piece)> {
        let mut pool = self.pool();
        let mut asked = false;
        loop {
            if pool.is_over() {
                self.changed.notify_all();
                return None;
            }
            if let Some(taken) = pool.take(me) {
                if asked {
                    pool.hungry -= 1;
                }
                let worker = &self.workers[me];
                worker.calls.fetch_and(!(CUT | CANCEL), Ordering::Relaxed);
                if pool.saving {
                    self.call(me, SAVE);
                }
                worker.interrupt.store(false, Ordering::Relaxed);
                return Some(taken);
            }
            if !asked {
                asked = true;
                pool.hungry += 1;
            }
            for segment in &pool.segments {
                if let State::Running(worker) = segment.state {
                    self.call(worker, CUT);
                }
            }
            pool = self
                .changed
                .wait_timeout(pool, NAP)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            if me == FIRST {
                drop(pool);
                self.look_after(&mut *search.walk.monitor);
                pool = self.pool();
            }
        }
    }

    fn call(&self, worker: usize, call: u32) {
        self.workers[worker].calls.fetch_or(call, Ordering::Relaxed);
    }

    /// Calls everybody who works.
    fn call_all(&self, pool: &Pool, call: u32) {
        for segment in &pool.segments {
            if let State::Running(worker) = segment.state {
                self.call(worker, call);
            }
        }
    }

    /// Before a segment: may the others join?
    fn begin(&self, me: usize, search: &mut Search, start: Instant) {
        if me == FIRST {
            search.walk.joins_at = (!self.pool().joined && self.workers.len() > 1)
                .then(|| start + self.options.workers.join_after);
        }
    }

    /// Lets the others join.
    fn join(self: &Arc<Self>, search: &mut Search) {
        let mut pool = self.pool();
        pool.joined = true;
        pool.knowledge = search.knowledge(pool.knowledge.restarts);
        search.most_threads = pool.knowledge.threads.len();
        for me in 1..self.workers.len() {
            let crew = Arc::clone(self);
            let helper = search.walk.monitor.helper();
            let work = move || {
                let guard = Guard(&crew);
                let mut options = crew.options.clone();
                options.interrupt = Arc::clone(&crew.workers[me].interrupt);
                let mut monitor = Helping { helper };
                let worked = crew.work(me, &options, &mut monitor, Instant::now());
                if let Err(why) = &worked {
                    crew.fail(why);
                }
                std::mem::forget(guard);
                worked
            };
            let thread = std::thread::Builder::new().name(format!("worker {me}"));
            match thread.spawn(work) {
                Ok(handle) => pool.handles.push(handle),
                // Fewer will do.
                Err(_) => break,
            }
        }
    }

    fn fail(&self, why: &str) {
        let mut pool = self.pool();
        pool.failed.get_or_insert_with(|| why.to_string());
        pool.stopped.get_or_insert(Stopped::Interrupted);
        self.interrupt_all(&pool);
        self.changed.notify_all();
    }

    fn interrupt_all(&self, pool: &Pool) {
        for segment in &pool.segments {
            if let State::Running(worker) = segment.state {
                self.cancel(worker);
            }
        }
    }

    fn cancel(&self, worker: usize) {
        self.call(worker, CANCEL);
        self.workers[worker]
            .interrupt
            .store(true, Ordering::Relaxed);
    }

    /// Waits until the others are gone.
    fn dismiss(&self) {
        {
            let mut pool = self.pool();
            if !pool.is_over() {
                // The first worker failed.
                pool.stopped = Some(Stopped::Interrupted);
            }
            // Who is to leave the rest is given the time to.
            let is_running = |s: &Segment| matches!(s.state, State::Running(_));
            while pool.leaving
                && pool.segments.iter().any(is_running)
                && !self.options.interrupt.load(Ordering::Relaxed)
            {
                let waited = self.changed.wait_timeout(pool, NAP);
                pool = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            self.interrupt_all(&pool);
            self.changed.notify_all();
        }
        let handles = std::mem::take(&mut self.pool().handles);
        for handle in handles {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }

    // ----- segments -----

    fn finish(&self, id: u64, outcome: Outcome, ending: Ending, left: Vec<Piece>) {
        let mut pool = self.pool();
        let Some(at) = pool.position(id) else {
            // What it did proved to be void.
            self.changed.notify_all();
            return;
        };
        match &ending {
            Ending::Fault | Ending::StartOver(_) => {
                for segment in pool.segments.drain(at + 1..) {
                    if let State::Running(worker) = segment.state {
                        self.cancel(worker);
                    }
                }
            }
            Ending::Stopped => {
                pool.stopped = pool.stopped.or(outcome.stopped);
                self.interrupt_all(&pool);
            }
            Ending::Left | Ending::Exhausted => {}
        }
        pool.segments[at].state = State::Done {
            outcome: Box::new(outcome),
            ending,
            left,
        };
        pool.join_done(at);
        self.tell_if_saved(&pool);
        self.changed.notify_all();
    }

    /// Tells the first worker if everybody has said where he stands.
    fn tell_if_saved(&self, pool: &Pool) {
        if pool.saving && pool.all_saved() {
            self.call(FIRST, SAVED);
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
            let mut pool = self.pool();
            pool.stopped.get_or_insert(stopped);
            self.interrupt_all(&pool);
        }
        let calls = monitor.calls();
        let mine = self.workers[FIRST].calls.swap(0, Ordering::Relaxed);
        self.serve(Calls(calls.0 | mine), monitor);
    }

    /// What the monitor asked for.
    fn serve(&self, calls: Calls, monitor: &mut dyn Monitor) {
        if calls.has(Calls::LEAVE) {
            let mut pool = self.pool();
            pool.leaving = true;
            pool.stopped.get_or_insert(monitor.stop_reason());
            self.call_all(&pool, LEAVE);
        } else if calls.has(Calls::CHECKPOINT) {
            let mut pool = self.pool();
            if !pool.saving {
                pool.saving = true;
                for segment in &mut pool.segments {
                    segment.saved = None;
                }
                self.call_all(&pool, SAVE);
                self.tell_if_saved(&pool);
            }
        }
        if calls.has(Calls(SAVED)) {
            let mut pool = self.pool();
            if pool.saving && pool.all_saved() {
                pool.saving = false;
                let starts_over = |s: &Segment| {
                    let State::Done { ending, .. } = &s.state else {
                        return false;
                    };
                    matches!(ending, Ending::StartOver(_))
                };
                if !pool.segments.iter().any(starts_over)
                    && let Some(frontier) = pool.frontier()
                {
                    drop(pool);
                    monitor.checkpoint(frontier);
                }
            }
        }
    }
}

/// A worker that panics must not be waited for.
struct Guard<'a>(&'a Crew);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.fail("a worker failed");
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

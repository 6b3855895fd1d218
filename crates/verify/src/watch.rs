//! Time limit, memory limit and the user's interrupt all raise the machine's flag. One thread looks
//! after the limits, if there are any.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use explore::{
    Calls, Estimate, Frontier, Helper, Outcome, Phase, Stopped, SummaryStatistics, TraceStatistics,
};
use smt::SolverStats;

use crate::known::Known;

/// What a user sees while the search runs.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub phase: Phase,
    pub runs: u64,
    pub depth: usize,
    pub elapsed: Duration,
    /// So many runs are expected in all, as far as one can tell.
    pub expected: Option<f64>,
    /// What there is in the table of summaries, if there is one.
    pub summaries: Option<SummaryStatistics>,
    /// How far the trace engine is, alone or beside a search.
    pub trace: Option<(TraceStatistics, SolverStats)>,
}

/// Told of progress from time to time.
pub trait Watcher {
    fn progress(&mut self, _progress: Progress) {}
    /// Called at every complete execution that ended well.
    fn complete(&mut self, _machine: &mut machine::Machine) {}
    fn restart(&mut self) {}
    /// What another worker calls at every complete execution that ended well.
    fn helper(&mut self) -> Option<Helper> {
        None
    }
    /// Whether to find out how many executions there are, which takes some of the time.
    fn wants_estimate(&self) -> bool {
        false
    }
}

pub struct Quiet;

impl Watcher for Quiet {}

/// Why a check is to stop: what was said first, by whoever raised the flag. Whoever says nothing
/// was asked by the user.
#[derive(Clone, Debug, Default)]
pub struct StopReason(Arc<AtomicU8>);

const TIME: u8 = 1;
const MEMORY: u8 = 2;
const USER: u8 = 3;

impl StopReason {
    pub fn set(&self, stopped: Stopped) {
        let number = match stopped {
            Stopped::TimeLimit => TIME,
            Stopped::MemoryLimit => MEMORY,
            _ => USER,
        };
        // Of several the first is the cause.
        let order = Ordering::Relaxed;
        let _ = self.0.compare_exchange(0, number, order, order);
    }

    pub fn get(&self) -> Stopped {
        match self.0.load(Ordering::Relaxed) {
            TIME => Stopped::TimeLimit,
            MEMORY => Stopped::MemoryLimit,
            _ => Stopped::Interrupted,
        }
    }
}

/// Raises `flag` when a limit is reached, and `halt` if that is not heeded, whoever raised it;
/// stops when dropped.
pub(crate) struct Guardian {
    reason: StopReason,
    end: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// A program may take some hundred megabytes in a second.
const LONGEST_NAP: Duration = Duration::from_millis(20);

/// Time to finish an execution, so that nothing is lost of a search that can be left. A second
/// after a limit all is over.
const GRACE: Duration = Duration::from_millis(300);

impl Guardian {
    pub fn start(
        flag: Arc<AtomicBool>,
        halt: Arc<AtomicBool>,
        reason: StopReason,
        time: Option<Duration>,
        memory_mb: Option<u64>,
    ) -> Guardian {
        let (end, ended) = channel();
        let shared = reason.clone();
        let deadline = time.map(|t| Instant::now() + t);
        let watch = move || {
            let mut raised: Option<Instant> = None;
            loop {
                let next = raised.map(|at| at + GRACE).or(deadline);
                let nap = next.map_or(LONGEST_NAP, |next| {
                    let rest = next.saturating_duration_since(Instant::now());
                    rest.min(LONGEST_NAP)
                });
                match ended.recv_timeout(nap) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => return,
                }
                let now = Instant::now();
                if raised.is_none() && !flag.load(Ordering::Relaxed) {
                    shared.set(if deadline.is_some_and(|d| now >= d) {
                        Stopped::TimeLimit
                    } else if memory_mb.is_some_and(|limit| resident_mb() > limit) {
                        Stopped::MemoryLimit
                    } else {
                        continue;
                    });
                    flag.store(true, Ordering::Relaxed);
                }
                if now >= *raised.get_or_insert(now) + GRACE {
                    halt.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        let has_limit = time.is_some() || memory_mb.is_some();
        Guardian {
            reason,
            end: Some(end),
            thread: has_limit.then(|| std::thread::spawn(watch)),
        }
    }

    /// Raises the flag after so long.
    pub fn alarm(flag: &Arc<AtomicBool>, time: Duration) -> Guardian {
        let (flag, halt) = (Arc::clone(flag), Arc::clone(flag));
        Guardian::start(flag, halt, StopReason::default(), Some(time), None)
    }

    pub fn reason(&self) -> Stopped {
        self.reason.get()
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A clock that is read every millisecond or so: reading it costs as much as a short run.
pub(crate) struct Clock {
    /// The work done so far, in short executions.
    ticks: u64,
    /// When the clock was last read, in ticks and in time, and the tick at which it is to be read
    /// again.
    last_tick: u64,
    last: Duration,
    next: u64,
}

/// Work between two looks at the clock, at most: so many short executions take half a millisecond.
const LONGEST_STRIDE: u64 = 512;

/// Going back in an execution of so many steps counts as one short execution. What a tick stands
/// for may grow by a factor of a thousand from one to the next.
const SHORT: usize = 16;

impl Default for Clock {
    fn default() -> Clock {
        Clock {
            ticks: 0,
            last_tick: 0,
            last: Duration::ZERO,
            next: 1,
        }
    }
}

impl Clock {
    /// After an execution of so many steps: the time since the start, if the clock is read now.
    #[inline]
    pub fn tick(&mut self, start: Instant, depth: usize) -> Option<Duration> {
        self.ticks += 1 + (depth / SHORT) as u64;
        (self.ticks >= self.next).then(|| self.read(start))
    }

    fn read(&mut self, start: Instant) -> Duration {
        let now = start.elapsed();
        // With a new phase it begins anew.
        let stride = self.next.saturating_sub(self.last_tick).max(1);
        let stride = if now - self.last < Duration::from_millis(1) {
            2 * stride
        } else {
            stride.div_ceil(2)
        };
        self.last = now;
        self.last_tick = self.ticks;
        self.next = self.ticks + stride.min(LONGEST_STRIDE);
        now
    }
}

/// Passes the search's calls on to the user's watcher, and time and memory to the search.
pub(crate) struct Monitor<'a> {
    pub watcher: &'a mut dyn Watcher,
    pub guardian: &'a Guardian,
    pub flag: &'a AtomicBool,
    pub start: Instant,
    phase: Phase,
    clock: Clock,
    /// Runs of other workers.
    elsewhere: u64,
    estimate: Option<Estimate>,
    estimated: Duration,
    pub wants_estimate: bool,
    /// What is to be called for when the next execution is over.
    calls: Calls,
    pub leaving: Option<Leaving<'a>>,
    pub saver: Option<Saver<'a>>,
    /// Told how far the search is.
    pub known: Option<Known>,
    /// How far the trace engine is, beside the search.
    beside: Option<(TraceStatistics, SolverStats)>,
}

/// When a search is to be left.
pub(crate) struct Leaving<'a> {
    pub flag: &'a AtomicBool,
    /// After so many executions.
    pub executions: Option<u64>,
}

/// Writes checkpoints.
pub(crate) struct Saver<'a> {
    every: Duration,
    write: Box<dyn FnMut(Frontier) -> io::Result<()> + 'a>,
    /// When it was asked for last.
    asked: Duration,
    written: Option<io::Result<Duration>>,
}

/// Writing takes this part of the time at most.
const WRITING: u32 = 20;

impl<'a> Saver<'a> {
    pub fn new(every: Duration, write: impl FnMut(Frontier) -> io::Result<()> + 'a) -> Saver<'a> {
        Saver {
            every,
            write: Box::new(write),
            asked: Duration::ZERO,
            written: None,
        }
    }

    fn save(&mut self, frontier: Frontier, start: Instant) {
        let before = Instant::now();
        self.written = Some((self.write)(frontier).map(|()| start.elapsed()));
        self.every = self.every.max(before.elapsed() * WRITING);
    }

    /// At the end, if it is known what is left.
    pub fn finish(
        mut self,
        left: Option<&Frontier>,
        start: Instant,
    ) -> Option<io::Result<Duration>> {
        if let Some(left) = left {
            self.save(left.clone(), start);
        }
        self.written
    }
}

/// How often the search is asked how far it is.
const ESTIMATES: Duration = Duration::from_millis(100);

impl<'a> Monitor<'a> {
    pub fn new(
        watcher: &'a mut dyn Watcher,
        guardian: &'a Guardian,
        flag: &'a AtomicBool,
        start: Instant,
    ) -> Self {
        Monitor {
            wants_estimate: watcher.wants_estimate(),
            watcher,
            guardian,
            flag,
            start,
            phase: Phase::default(),
            clock: Clock::default(),
            elsewhere: 0,
            estimate: None,
            estimated: Duration::ZERO,
            calls: Calls::NONE,
            leaving: None,
            saver: None,
            known: None,
            beside: None,
        }
    }
}

impl<'a> Monitor<'a> {
    /// Executions in all, as far as one can tell.
    pub fn expected(&self) -> Option<f64> {
        self.estimate.map(|estimate| estimate.expected)
    }
}

impl explore::Monitor for Monitor<'_> {
    fn complete(&mut self, machine: &mut machine::Machine) {
        self.watcher.complete(machine);
    }

    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        if self.flag.load(Ordering::Relaxed) {
            return Some(self.guardian.reason());
        }
        if let Some(now) = self.clock.tick(self.start, depth) {
            self.watcher.progress(Progress {
                phase: self.phase,
                runs: self.elsewhere + outcome.runs.complete + outcome.runs.blocked,
                depth,
                elapsed: now,
                expected: self.expected(),
                summaries: outcome.summaries,
                trace: match outcome.trace {
                    Some(trace) => Some((trace, outcome.solver)),
                    None => self.beside,
                },
            });
            if let Some(known) = &self.known {
                known.count(outcome, self.elsewhere, self.expected());
            }
            if self.wants_estimate && now >= self.estimated + ESTIMATES {
                self.estimated = now;
                self.calls = self.calls.and(Calls::ESTIMATE);
            }
            if let Some(saver) = &mut self.saver
                && now >= saver.asked + saver.every
            {
                saver.asked = now;
                self.calls = self.calls.and(Calls::CHECKPOINT);
            }
        }
        None
    }

    fn phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    fn beside(&mut self, trace: TraceStatistics, solver: SolverStats) {
        self.beside = Some((trace, solver));
    }

    fn stop_reason(&mut self) -> Stopped {
        self.guardian.reason()
    }

    fn restart(&mut self) {
        self.estimate = None;
        self.elsewhere = 0;
        self.watcher.restart();
    }

    fn calls(&mut self) -> Calls {
        let calls = std::mem::take(&mut self.calls);
        let Some(leaving) = &mut self.leaving else {
            return calls;
        };
        if let Some(left) = &mut leaving.executions {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return calls.and(Calls::LEAVE);
            }
        }
        if leaving.flag.load(Ordering::Relaxed) {
            return calls.and(Calls::LEAVE);
        }
        calls
    }

    fn elsewhere(&mut self, executions: u64) {
        self.elsewhere = executions;
    }

    fn idle(&mut self) {
        self.clock.next = 0;
    }

    fn estimate(&mut self, estimate: Estimate) {
        self.estimate = Some(estimate);
    }

    fn checkpoint(&mut self, frontier: Frontier) {
        if let Some(saver) = &mut self.saver {
            saver.save(frontier, self.start);
        }
    }

    fn helper(&mut self) -> Option<Helper> {
        self.watcher.helper()
    }
}

/// Memory held now.
pub fn resident_mb() -> u64 {
    status_mb("self", "VmRSS:")
}

/// The same of another process; 0 if it is gone.
pub fn resident_mb_of(process: u32) -> u64 {
    status_mb(&process.to_string(), "VmRSS:")
}

/// The most memory ever held.
pub(crate) fn peak_mb() -> u64 {
    status_mb("self", "VmHWM:")
}

fn status_mb(process: &str, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| {
            rest.trim()
                .trim_end_matches(" kB")
                .trim()
                .parse::<u64>()
                .ok()
        })
        .map_or(0, |kb| kb.div_ceil(1024))
}

//! Time limit, memory limit and the user's interrupt all raise the machine's flag. One thread looks after the limits, if there are any.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use explore::{Outcome, Phase, Stopped};

/// What a user sees while the search runs.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub phase: Phase,
    pub runs: u64,
    pub depth: usize,
    pub elapsed: Duration,
}

/// Told of progress from time to time.
pub trait Watcher {
    fn progress(&mut self, _progress: Progress) {}
    /// Called at every complete execution that ended well.
    fn complete(&mut self, _machine: &mut machine::Machine) {}
    fn restart(&mut self) {}
}

pub struct Quiet;

impl Watcher for Quiet {}

/// Raises `flag` when a limit is reached; stops when dropped.
pub(crate) struct Guardian {
    reason: Arc<AtomicU8>,
    end: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

const TIME: u8 = 1;
const MEMORY: u8 = 2;

impl Guardian {
    pub fn start(
        flag: Arc<AtomicBool>,
        time: Option<Duration>,
        memory_mb: Option<u64>,
    ) -> Guardian {
        let reason = Arc::new(AtomicU8::new(0));
        let (end, ended) = channel();
        let shared = Arc::clone(&reason);
        let deadline = time.map(|t| Instant::now() + t);
        let watch = move || {
            loop {
                let nap = deadline.map_or(Duration::from_millis(100), |d| {
                    d.saturating_duration_since(Instant::now())
                        .min(Duration::from_millis(100))
                });
                match ended.recv_timeout(nap) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => return,
                }
                if deadline.is_some_and(|d| Instant::now() >= d) {
                    shared.store(TIME, Ordering::Relaxed);
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
                if memory_mb.is_some_and(|limit| resident_mb() > limit) {
                    shared.store(MEMORY, Ordering::Relaxed);
                    flag.store(true, Ordering::Relaxed);
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

    pub fn reason(&self) -> Stopped {
        match self.reason.load(Ordering::Relaxed) {
            TIME => Stopped::TimeLimit,
            MEMORY => Stopped::MemoryLimit,
            _ => Stopped::Interrupted,
        }
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

/// Passes the search's calls on to the user's watcher, and time and memory to the search.
pub(crate) struct Monitor<'a> {
    pub watcher: &'a mut dyn Watcher,
    pub guardian: &'a Guardian,
    pub flag: &'a AtomicBool,
    pub start: Instant,
    phase: Phase,
    ticks: u64,
    /// When the clock was last read, in ticks and in time, and the tick at which it is to be read again.
    last_tick: u64,
    pub last: Duration,
    next: u64,
}

/// Executions between two looks at the clock, at most.
const LONGEST_STRIDE: u64 = 4096;

impl<'a> Monitor<'a> {
    pub fn new(
        watcher: &'a mut dyn Watcher,
        guardian: &'a Guardian,
        flag: &'a AtomicBool,
        start: Instant,
    ) -> Self {
        Monitor {
            watcher,
            guardian,
            flag,
            start,
            phase: Phase::default(),
            ticks: 0,
            last_tick: 0,
            last: Duration::ZERO,
            next: 1,
        }
    }
}

impl explore::Monitor for Monitor<'_> {
    fn complete(&mut self, machine: &mut machine::Machine) {
        self.watcher.complete(machine);
    }

    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        self.ticks += 1;
        if self.flag.load(Ordering::Relaxed) {
            return Some(self.guardian.reason());
        }
        // Reading the clock costs as much as a short run: do it every millisecond or so.
        if self.ticks >= self.next {
            let now = self.start.elapsed();
            let stride = self.next - self.last_tick;
            let stride = if now - self.last < Duration::from_millis(1) {
                2 * stride
            } else {
                stride.div_ceil(2)
            };
            self.last = now;
            self.last_tick = self.ticks;
            self.next = self.ticks + stride.min(LONGEST_STRIDE);
            self.watcher.progress(Progress {
                phase: self.phase,
                runs: outcome.runs.complete + outcome.runs.blocked,
                depth,
                elapsed: now,
            });
        }
        None
    }

    fn phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    fn stop_reason(&mut self) -> Stopped {
        self.guardian.reason()
    }

    fn restart(&mut self) {
        self.watcher.restart();
    }
}

/// Memory held now.
pub fn resident_mb() -> u64 {
    status_mb("VmRSS:")
}

/// The most memory ever held.
pub(crate) fn peak_mb() -> u64 {
    status_mb("VmHWM:")
}

fn status_mb(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
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

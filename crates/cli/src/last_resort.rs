//! Ends the process in time, whatever the rest of it is doing.
//!
//! A thread of its own watches the clock, the memory and the user. When a limit passes it raises
//! the flag that searches and loading heed, which then report as they always do. Some work looks at
//! no flag, though: an analysis, a library, a replay, giving back gigabytes. Whoever has not
//! reported a moment later is reported for, from what is known by then ([`verify::Known`]), and the
//! process ends as it stands.
//!
//! Invariants: one report is printed, by whoever comes first. A second after a limit the process
//! has ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use verify::{Leash, StopReason, Stopped};

use crate::exit::Exit;
use crate::output;

/// For whoever heeds the flag: enough to finish a run and to write a report, on a busy machine too.
const GRACE: Duration = Duration::from_millis(550);

/// After that, for a report that is being written: whoever reads it may be slow, or may never come
/// to it.
const WRITING: Duration = Duration::from_millis(300);

/// What is given back in no time.
const MUCH_MEMORY_MB: u64 = 300;

/// Between two looks at the memory: a program may take some hundred megabytes in a second.
const NAP: Duration = Duration::from_millis(10);

/// Where nothing but the flag of an interrupt is to be looked at.
const LONG_NAP: Duration = Duration::from_secs(3600);

/// With so much more memory than allowed there is no grace: a quarter, and what a small program
/// takes anyway.
fn far_above(limit_mb: u64) -> u64 {
    limit_mb + limit_mb / 4 + 64
}

/// What shells report for a process ended by ctrl-C.
const ENDED_BY_SIGINT: i32 = 130;

/// Watches over a command.
pub struct Watch(Arc<Shared>);

struct Shared {
    leash: Leash,
    reason: StopReason,
    state: Mutex<State>,
    changed: Condvar,
    /// Reports in place of the command.
    report: Box<dyn Fn(Stopped) -> Exit + Send + Sync>,
}

struct State {
    deadline: Option<Instant>,
    memory_mb: Option<u64>,
    is_interrupted: bool,
    stage: Stage,
}

enum Stage {
    Working,
    /// Somebody writes the report. The process will end with this.
    Reporting(Exit),
    Reported(Exit),
}

impl Watch {
    /// Pulls the leash when it is time to stop, with the reason; `report` says what is known then.
    pub fn start(
        leash: Leash,
        reason: &StopReason,
        report: impl Fn(Stopped) -> Exit + Send + Sync + 'static,
    ) -> Watch {
        let shared = Arc::new(Shared {
            leash,
            reason: reason.clone(),
            state: Mutex::new(State {
                deadline: None,
                memory_mb: None,
                is_interrupted: false,
                stage: Stage::Working,
            }),
            changed: Condvar::new(),
            report: Box::new(report),
        });
        let watching = Arc::clone(&shared);
        // Without it limits still hold where the flag is heeded.
        let thread = std::thread::Builder::new().name("last resort".to_string());
        let _ = thread.spawn(move || watching.watch());
        let told = Arc::clone(&shared);
        // The first ctrl-C ends the work with what there is; the second ends the process.
        let handle = move || {
            let mut state = told.state();
            if state.is_interrupted {
                end(ENDED_BY_SIGINT);
            }
            state.is_interrupted = true;
            told.changed.notify_all();
        };
        // Without a handler ctrl-C still works, only less politely.
        let _ = ctrlc::set_handler(handle);
        Watch(shared)
    }

    /// Watches over a command that has no verdict to give.
    pub fn plain() -> Watch {
        let report = |_| {
            output::error("interrupted");
            Exit::Unknown
        };
        Watch::start(Leash::default(), &StopReason::default(), report)
    }

    /// From now on these limits hold.
    pub fn limit(&self, deadline: Option<Instant>, memory_mb: Option<u64>) {
        let mut state = self.0.state();
        (state.deadline, state.memory_mb) = (deadline, memory_mb);
        self.0.changed.notify_all();
    }

    /// What loading is to heed.
    pub fn leash(&self) -> &Leash {
        &self.0.leash
    }

    /// Whether the work is to stop.
    pub fn is_over(&self) -> bool {
        self.0.leash.stop.load(Ordering::Relaxed)
    }

    /// Writes the report of a command that ends with this. Does not return if it was written
    /// already.
    pub fn report(&self, exit: Exit, write: impl FnOnce()) -> Exit {
        self.0.claim(exit);
        write();
        self.0.state().stage = Stage::Reported(exit);
        if self.is_over() {
            end(exit.code().into());
        }
        exit
    }

    /// Reports what is known: the command has noticed that it is to stop.
    pub fn report_known(&self) -> Exit {
        self.0.claim(Exit::Unknown);
        let exit = (self.0.report)(self.0.reason.get());
        self.0.state().stage = Stage::Reported(exit);
        exit
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right to report; whoever comes too late waits for the end.
    fn claim(&self, exit: Exit) {
        let mut state = self.state();
        if let Stage::Working = state.stage {
            state.stage = Stage::Reporting(exit);
            return;
        }
        drop(state);
        loop {
            std::thread::park();
        }
    }

    fn watch(&self) {
        let mut raised: Option<Instant> = None;
        let mut state = self.state();
        loop {
            let now = Instant::now();
            let used = state.memory_mb.map_or(0, |_| self.used_mb());
            let is_above =
                |limit: fn(u64) -> u64| state.memory_mb.is_some_and(|mb| used > limit(mb));
            if raised.is_none() {
                let cause = if state.is_interrupted {
                    Some(Stopped::Interrupted)
                } else if state.deadline.is_some_and(|deadline| now >= deadline) {
                    Some(Stopped::TimeLimit)
                } else {
                    is_above(|mb| mb).then_some(Stopped::MemoryLimit)
                };
                if let Some(cause) = cause {
                    self.reason.set(cause);
                    self.leash.stop.store(true, Ordering::Relaxed);
                    raised = Some(now);
                }
            }
            if let Some(raised) = raised {
                let is_late = now >= raised + GRACE;
                match state.stage {
                    Stage::Working if is_late || is_above(far_above) => break,
                    Stage::Working => {}
                    // Giving back what the process has takes longer than anybody wants to wait.
                    Stage::Reported(exit) if is_late => end(exit.code().into()),
                    Stage::Reported(_) => {}
                    Stage::Reporting(exit) if now >= raised + GRACE + WRITING => cut_report(exit),
                    Stage::Reporting(_) => {}
                }
            }
            let nap = match (raised, state.memory_mb, state.deadline) {
                (Some(_), ..) | (None, Some(_), _) => NAP,
                (None, None, Some(deadline)) => deadline.saturating_duration_since(now),
                (None, None, None) => LONG_NAP,
            };
            let woken = self.changed.wait_timeout(state, nap);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.stage = Stage::Reporting(Exit::Unknown);
        drop(state);
        let stopped = self.reason.get();
        std::thread::spawn(|| {
            std::thread::sleep(WRITING);
            cut_report(Exit::Unknown);
        });
        output::clear_line();
        let report = catch_unwind(AssertUnwindSafe(|| (self.report)(stopped)));
        end(report.unwrap_or(Exit::Unknown).code().into());
    }

    /// By this process and those that work for it.
    fn used_mb(&self) -> u64 {
        let children = self.leash.children();
        let theirs: u64 = children.into_iter().map(verify::resident_mb_of).sum();
        verify::resident_mb() + theirs
    }
}

/// Whoever cannot see all of a report has not been told that nothing is wrong.
fn cut_report(exit: Exit) -> ! {
    // Whoever reads no report may read no messages either.
    std::thread::spawn(|| output::error("the report was cut short"));
    std::thread::sleep(NAP);
    let exit = match exit {
        Exit::Safe => Exit::Unknown,
        exit => exit,
    };
    end(exit.code().into())
}

/// At once: what the libraries do at the end of a process is not safe while others use them.
fn end(code: i32) -> ! {
    if verify::resident_mb() > MUCH_MEMORY_MB {
        leave_memory_behind();
    }
    unsafe { libc::_exit(code) }
}

/// The kernel gives memory back page by page, some tenths of a second for a gigabyte, and whoever
/// waits for this process waits for that, too. So a second process that shares the memory, and
/// nothing else, does it: it ends when this one has.
fn leave_memory_behind() {
    extern "C" fn outlive(parent: *mut libc::c_void) -> libc::c_int {
        // Only calls of the kernel: what this process holds may be in any state.
        unsafe {
            libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0);
            while libc::getppid() as usize == parent as usize {
                libc::usleep(1000);
            }
        }
        0
    }
    let stack = Box::leak(vec![0u128; 1 << 12].into_boxed_slice());
    let top = stack.as_mut_ptr_range().end.cast();
    // If it cannot be had, the end takes longer.
    unsafe {
        libc::clone(
            outlive,
            top,
            libc::CLONE_VM,
            libc::getpid() as usize as *mut _,
        )
    };
}

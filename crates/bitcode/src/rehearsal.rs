//! Does something in a child process first, to see whether it survives.
//!
//! LLVM's bitcode reader takes its input for granted: a broken file can make it follow wild pointers, recurse without end or ask for all
//! memory there is. None of that can be caught within a process. The child is a fork, so nothing has to be set up or handed over; what
//! it finds out is thrown away but for whether it came to an end.
//!
//! A fork takes only the thread along that asked for it, so a lock that another thread holds stays locked in the child. The C library
//! takes care of its own locks, `malloc`'s above all; [`using_llvm`] takes care of LLVM's: no fork happens while another thread is there.

use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

static FORKING: RwLock<()> = RwLock::new(());

/// Keeps other threads from forking. Whoever holds this must not call [`survives`].
pub fn using_llvm() -> RwLockReadGuard<'static, ()> {
    FORKING.read().unwrap_or_else(PoisonError::into_inner)
}

/// How a child ended that did not end well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    Signal(i32),
    TimedOut,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Signal(number) => write!(f, "ends in signal {number}"),
            Failure::TimedOut => write!(f, "takes too long"),
        }
    }
}

/// Address space that the child may take beyond what this process has. Reading takes a few hundred times the size of the file at
/// worst, files are a few megabytes, and initial contents are at most a gigabyte.
const MEMORY: u64 = 2 << 30;

/// Far more than any file takes that can be verified afterwards.
const CPU_TIME: Duration = Duration::from_secs(20);

/// For a child that waits, or gets little of a busy machine.
const TIME: Duration = Duration::from_secs(60);

/// Whether `action` comes to an end in a child process. If no child can be made it is taken to. So is an `action` that panics: it will
/// here too, where the message can be seen.
pub fn survives(action: impl FnOnce()) -> Result<(), Failure> {
    let memory = address_space().map(|used| used + MEMORY);
    // The child shares nothing that it could spoil, and leaves by `_exit`.
    let child = {
        let _nobody_else_uses_llvm = FORKING.write().unwrap_or_else(PoisonError::into_inner);
        unsafe { libc::fork() }
    };
    match child {
        -1 => Ok(()),
        0 => {
            confine(memory);
            let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(action)).is_err();
            unsafe { libc::_exit(i32::from(unwound)) }
        }
        child => wait(child),
    }
}

/// Limits what the child may take, and keeps it quiet.
fn confine(memory: Option<u64>) {
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(nowhere, libc::STDOUT_FILENO);
        libc::dup2(nowhere, libc::STDERR_FILENO);
        limit(libc::RLIMIT_CORE, 0, 0);
        // Beyond the harder limit the signal would say less.
        limit(libc::RLIMIT_CPU, CPU_TIME.as_secs(), TIME.as_secs());
        if let Some(memory) = memory {
            limit(libc::RLIMIT_AS, memory, memory);
        }
        for signal in [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGABRT,
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGFPE,
            libc::SIGXCPU,
            libc::SIGINT,
            libc::SIGTERM,
        ] {
            libc::signal(signal, libc::SIG_DFL);
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL); // Nobody is left to ask.
    }
}

fn limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) {
    let limit = libc::rlimit {
        rlim_cur: soft,
        rlim_max: hard,
    };
    unsafe { libc::setrlimit(resource, &limit) };
}

/// Bytes that this process maps; much of it may never be touched, as with a sanitizer.
fn address_space() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().next()?.parse().ok()?;
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some(pages * page)
}

fn wait(child: libc::pid_t) -> Result<(), Failure> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        let mut status = 0;
        let ended = unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) };
        if ended == child {
            return match libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)) {
                Some(libc::SIGXCPU) => Err(Failure::TimedOut),
                Some(signal) => Err(Failure::Signal(signal)),
                None => Ok(()),
            };
        }
        if ended == -1 {
            return Ok(()); // Someone else reaped it.
        }
        if start.elapsed() > TIME {
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &mut status, 0);
            }
            return Err(Failure::TimedOut);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_an_end() {
        assert_eq!(survives(|| ()), Ok(()));
    }

    #[test]
    fn a_signal_is_a_failure() {
        let fault = || unsafe {
            libc::raise(libc::SIGSEGV);
        };
        assert_eq!(survives(fault), Err(Failure::Signal(libc::SIGSEGV)));
    }

    #[test]
    fn a_panic_is_not() {
        assert_eq!(survives(|| panic!("seen in the child alone")), Ok(()));
    }

    #[test]
    fn no_fork_while_llvm_is_used() {
        let using = using_llvm();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| survives(|| ()));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!other.is_finished());
            drop(using);
            assert_eq!(other.join().unwrap(), Ok(()));
        });
    }

    #[test]
    fn memory_is_limited() {
        let hungry = || {
            let memory: Vec<u8> = Vec::with_capacity(2 * MEMORY as usize);
            std::hint::black_box(&memory);
        };
        assert_eq!(survives(hungry), Err(Failure::Signal(libc::SIGABRT)));
    }
}

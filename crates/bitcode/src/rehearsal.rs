//! Does something in a child process, which may not survive it.
//!
//! LLVM's bitcode reader trusts its input: a broken file can make it follow wild pointers, recurse
//! without end or ask for all memory there is. None of that can be caught within a process. The
//! child is a fork, so it has all it needs; its result, or its error, comes back as bytes through a
//! pipe. The parent does not repeat what the child survived: the child may have been lucky.
//!
//! A fork copies only the thread that calls it, so a lock that another thread holds stays locked in
//! the child. The C library takes care of its own locks, `malloc`'s above all; [`using_llvm`] takes
//! care of LLVM's: no fork happens while another thread uses LLVM.

use std::any::Any;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use crate::leash::Leash;

static FORKING: RwLock<()> = RwLock::new(());

/// Keeps other threads from forking. The thread that holds the guard must not call [`perform`].
pub fn using_llvm() -> RwLockReadGuard<'static, ()> {
    FORKING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Why a child made nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("ends in signal {0}")]
    Signal(i32),
    #[error("takes too long")]
    TimedOut,
    /// The leash was pulled.
    #[error("was stopped")]
    Stopped,
    /// It ended without a signal, and what it wrote is not whole.
    #[error("comes to no end")]
    Incomplete,
}

/// Address space that the child may take beyond what this process has. Reading takes a few hundred
/// times the size of the file at worst, files are a few megabytes, and initial contents are at most
/// a gigabyte.
const MEMORY: u64 = 2 << 30;

/// Far more than lowering takes for any program that can be verified afterwards.
const CPU_TIME: Duration = Duration::from_secs(20);

/// A limit for a child that waits, or that gets little of a busy machine.
const TIME: Duration = Duration::from_secs(60);

/// The exit status of a child that panicked and has written why.
const PANICKED: i32 = 101;

/// What `action` makes in a child process. `None` if no child could be started: then the caller
/// must do it here. Panics if the child does.
pub fn perform(
    leash: &Leash,
    action: impl FnOnce() -> Vec<u8>,
) -> Result<Option<Vec<u8>>, Failure> {
    let memory = address_space().map(|used| used + MEMORY);
    let start = Instant::now();
    let Some((child, mut result)) = fork(|mut result| {
        confine(memory);
        let (bytes, status) = match catch_unwind(AssertUnwindSafe(action)) {
            Ok(bytes) => (bytes, 0),
            Err(panic) => (message(&*panic).as_bytes().to_vec(), PANICKED),
        };
        match result.write_all(&bytes) {
            Ok(()) => status,
            Err(_) => 1,
        }
    }) else {
        return Ok(None);
    };
    let _held = leash.hold(child as u32);
    let read = read_until(&mut result, start + TIME, leash);
    let bytes = match read {
        Read::All(bytes) => Ok(bytes),
        Read::Late => Err(Failure::TimedOut),
        Read::Stopped => Err(Failure::Stopped),
    };
    if bytes.is_err() {
        unsafe { libc::kill(child, libc::SIGKILL) };
    }
    let mut status = 0;
    if unsafe { libc::waitpid(child, &mut status, 0) } != child {
        // Another part of the process waited for it. Whether all bytes came, `handover` finds out.
        return bytes.map(Some);
    }
    let bytes = bytes?;
    match libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)) {
        Some(libc::SIGXCPU) => Err(Failure::TimedOut),
        Some(signal) => Err(Failure::Signal(signal)),
        None if libc::WEXITSTATUS(status) == PANICKED => {
            panic!("{}", String::from_utf8_lossy(&bytes))
        }
        None => Ok(Some(bytes)),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    let text = panic.downcast_ref::<&str>().copied().or_else(owned);
    text.unwrap_or("a panic in the child")
}

/// Runs `in_child` in a child process, whose exit status is what it returns. Returns the child and
/// the reading end of a pipe from it.
fn fork(in_child: impl FnOnce(File) -> i32) -> Option<(libc::pid_t, File)> {
    // No other child may inherit the writing end: the pipe would stay open as long as that child
    // lives.
    let _nobody_else_uses_llvm = FORKING.write().unwrap_or_else(PoisonError::into_inner);
    let mut ends = [0; 2];
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return None;
    }
    let [reader, writer] = ends.map(|end| unsafe { File::from_raw_fd(end) });
    // The child shares no memory with this process, and leaves by `_exit`.
    match unsafe { libc::fork() } {
        -1 => None,
        0 => {
            let status = in_child(writer);
            unsafe { libc::_exit(status) }
        }
        child => Some((child, reader)),
    }
}

/// How reading from a child ended.
pub enum Read {
    All(Vec<u8>),
    /// The deadline passed.
    Late,
    /// The leash was pulled.
    Stopped,
}

/// How often the leash is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Reads until the other end is closed.
pub fn read_until(pipe: &mut File, deadline: Instant, leash: &Leash) -> Read {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        if leash.is_pulled() {
            return Read::Stopped;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Read::Late;
        }
        let mut ready = libc::pollfd {
            fd: pipe.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let nap = left.min(LOOK).as_millis().max(1) as i32;
        match unsafe { libc::poll(&mut ready, 1, nap) } {
            0 | -1 => continue, // -1: a signal.
            _ => {}
        }
        match io::Read::read(pipe, &mut chunk) {
            Ok(0) => return Read::All(bytes),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Read::All(Vec::new()),
        }
    }
}

/// Limits the memory and time of the child, and silences it.
fn confine(memory: Option<u64>) {
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(nowhere, libc::STDOUT_FILENO);
        libc::dup2(nowhere, libc::STDERR_FILENO);
        limit(libc::RLIMIT_CORE, 0, 0);
        // The soft limit sends SIGXCPU, which is told apart; the hard one would send SIGKILL.
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
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL); // If the parent dies.
    }
}

fn limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) {
    let limit = libc::rlimit {
        rlim_cur: soft,
        rlim_max: hard,
    };
    unsafe { libc::setrlimit(resource, &limit) };
}

/// Bytes that this process maps. Much of it may never be touched, as with a sanitizer.
fn address_space() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().next()?.parse().ok()?;
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some(pages * page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survives(action: impl FnOnce()) -> Result<Option<Vec<u8>>, Failure> {
        perform(&Leash::default(), || {
            action();
            Vec::new()
        })
    }

    #[test]
    fn what_it_makes_comes_back() {
        for size in [0, 1, 100, 1 << 20] {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            let made = perform(&Leash::default(), || bytes.clone());
            assert_eq!(made, Ok(Some(bytes)));
        }
    }

    #[test]
    fn a_signal_is_a_failure() {
        let fault = || unsafe {
            libc::raise(libc::SIGSEGV);
        };
        assert_eq!(survives(fault), Err(Failure::Signal(libc::SIGSEGV)));
    }

    #[test]
    #[should_panic(expected = "said by the child")]
    fn a_panic_is_a_panic() {
        let _ = survives(|| panic!("said by the child"));
    }

    #[test]
    fn no_fork_while_llvm_is_used() {
        let using = using_llvm();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| survives(|| ()));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!other.is_finished());
            drop(using);
            assert_eq!(other.join().unwrap(), Ok(Some(Vec::new())));
        });
    }

    #[test]
    fn it_ends_when_told_to() {
        let leash = Leash::default();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                perform(&leash, || {
                    loop {
                        std::thread::sleep(Duration::from_secs(1));
                    }
                })
            });
            while leash.children().is_empty() {
                std::thread::sleep(Duration::from_millis(1));
            }
            leash.stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(other.join().unwrap(), Err(Failure::Stopped));
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

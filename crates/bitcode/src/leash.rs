//! Child processes on a leash: their memory counts as ours, and they end when loading is to stop.
//!
//! A child leads a process group of its own, so that the processes it starts end with it. It dies
//! with the thread that waits for it.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::rehearsal::{Read, read_until};

/// Tells a thread that loads a program to stop, from another thread.
#[derive(Clone, Debug, Default)]
pub struct Leash {
    /// Raised by the thread that wants loading to stop.
    pub stop: Arc<AtomicBool>,
    children: Arc<Mutex<Vec<u32>>>,
}

/// How a child ended, and what it wrote to standard error.
pub(crate) struct Ended {
    pub status: ExitStatus,
    pub said: Vec<u8>,
}

/// The time between two looks at a child that has closed its output and still runs.
const NAP: Duration = Duration::from_millis(1);

/// A compilation has no limit of its own.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

impl Leash {
    /// The child processes that run now.
    pub fn children(&self) -> Vec<u32> {
        let children = self.children.lock();
        children.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn is_pulled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Lists the child until the result is dropped.
    pub(crate) fn hold(&self, child: u32) -> Held<'_> {
        let mut children = self.children.lock();
        let children = children.as_mut().unwrap_or_else(|e| e.get_mut());
        children.push(child);
        Held { leash: self, child }
    }

    /// Runs a command to its end. `None`: the leash was pulled before.
    pub(crate) fn run(&self, mut command: Command) -> io::Result<Option<Ended>> {
        command.stderr(Stdio::piped()).process_group(0);
        // Between fork and exec nothing but this call happens.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let mut child = command.spawn()?;
        let _held = self.hold(child.id());
        let mut pipe = File::from(OwnedFd::from(child.stderr.take().expect("a pipe")));
        let read = read_until(&mut pipe, Instant::now() + NEVER, self);
        let Read::All(said) = read else {
            end_group(&mut child);
            return Ok(None);
        };
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(Ended { status, said }));
            }
            if self.is_pulled() {
                end_group(&mut child);
                return Ok(None);
            }
            std::thread::sleep(NAP);
        }
    }
}

/// Kills the process group that the child leads.
fn end_group(child: &mut Child) {
    let group = i32::try_from(child.id()).expect("a process id");
    // Nothing has waited for the child yet, so its number cannot mean another process.
    unsafe { libc::kill(-group, libc::SIGKILL) };
    let _ = child.wait();
}

pub(crate) struct Held<'a> {
    leash: &'a Leash,
    child: u32,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut children = self.leash.children.lock();
        let children = children.as_mut().unwrap_or_else(|e| e.get_mut());
        children.retain(|child| *child != self.child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_child_says_comes_back() {
        let leash = Leash::default();
        let ended = leash.run(shell("echo one >&2; exit 3")).unwrap().unwrap();
        assert_eq!(ended.said, b"one\n");
        assert_eq!(ended.status.code(), Some(3));
        assert!(leash.children().is_empty());
    }

    #[test]
    fn a_child_and_its_own_end_when_told_to() {
        let leash = Leash::default();
        let folder = tempfile::tempdir().unwrap();
        let late = folder.path().join("late");
        // The shell waits for another one, which would write a file.
        let script = format!("(sleep 2; touch {}) & wait", late.display());
        let start = Instant::now();
        std::thread::scope(|scope| {
            let running = scope.spawn(|| leash.run(shell(&script)));
            while leash.children().is_empty() {
                std::thread::sleep(NAP);
            }
            leash.stop.store(true, Ordering::Relaxed);
            assert!(running.join().unwrap().unwrap().is_none());
        });
        std::thread::sleep(Duration::from_secs(3).saturating_sub(start.elapsed()));
        assert!(!late.exists());
    }

    #[test]
    fn a_child_that_closes_its_output_is_waited_for() {
        let leash = Leash::default();
        let script = "exec 2>&-; sleep 0.1; exit 4";
        let ended = leash.run(shell(script)).unwrap().unwrap();
        assert_eq!(ended.status.code(), Some(4));
    }
}

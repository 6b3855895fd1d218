//! Exit codes, and how a fault of Sleave itself becomes one of them.

use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// What a script learns from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Safe,
    /// Wrong options, or a file that is no witness.
    Usage,
    /// The program does not compile or load.
    Input,
    Unknown,
    /// Sleave itself is wrong.
    Fault,
    Bug,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Safe => 0,
            Exit::Usage => 1,
            Exit::Input => 2,
            Exit::Unknown => 5,
            Exit::Fault => 6,
            Exit::Bug => 10,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Says what is wrong with the command line; help and version are not wrong.
pub fn usage(error: &clap::Error) -> Exit {
    // Where the terminal is gone there is nobody to tell.
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Safe
    }
}

/// What is wrong with Sleave itself, and what the user is to do about it.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0}\nThis is a fault of Sleave, not of your program. Please report it, with the program that \
     shows it."
)]
pub struct Fault<E: Display>(pub E);

/// What a panic says, and where it was.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Panic(String);

/// Runs `work`, which may panic.
pub fn catch_panics(work: impl FnOnce() -> Exit) -> Result<Exit, Panic> {
    let told = Arc::new(Mutex::new(None));
    let teller = Arc::clone(&told);
    panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or(NO_MESSAGE);
        let place = panic
            .location()
            .map_or(String::new(), |l| format!(" ({l})"));
        // Of several panics the first is the cause.
        if let Ok(mut told) = teller.lock() {
            told.get_or_insert(Panic(format!("{message}{place}")));
        }
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    let _ = panic::take_hook();
    done.map_err(|_| {
        let told = told.lock().ok().and_then(|mut t| t.take());
        told.unwrap_or_else(|| Panic(NO_MESSAGE.to_string()))
    })
}

const NO_MESSAGE: &str = "no message";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_text() {
        let panic = catch_panics(|| panic!("two threads own one lock")).unwrap_err();
        let text = Fault(panic).to_string();
        assert!(text.starts_with("two threads own one lock"), "{text}");
        assert!(text.contains("fault of Sleave"), "{text}");
        assert_eq!(catch_panics(|| Exit::Unknown), Ok(Exit::Unknown));
    }
}

//! Decisions: the currency of the search. With the inputs they determine an execution.

use machine::{Enabled, SharedSet, ThreadId};
use serde::{Deserialize, Serialize};

/// What was decided, apart from the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// This thread performs its visible operation.
    Run(ThreadId),
    /// This thread wakes from a condition wait without a signal.
    Wake(ThreadId),
    /// A modelled choice: which waiter is signalled, whether a time-out strikes.
    Choose(u32),
    /// A thread that spins lets others go on.
    Yield,
}

impl Decision {
    /// To let a thread go on.
    pub fn of(choice: Enabled) -> Decision {
        match choice.spurious {
            true => Decision::Wake(choice.thread),
            false => Decision::Run(choice.thread),
        }
    }
}

/// A whole schedule, and what is needed to follow it: which accesses are scheduling points, and the
/// names of the threads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Every visible operation is a decision, also of a thread that is alone.
    #[serde(default)]
    pub observed: bool,
    /// And so are the beginning and joining of threads.
    #[serde(default)]
    pub observes_joins: bool,
    /// And those of the last thread that is left.
    #[serde(default)]
    pub observes_last: bool,
    pub decisions: Vec<Decision>,
    pub visible: SharedSet,
    /// Parent and index of creation of each thread.
    pub threads: Vec<(ThreadId, u32)>,
}

//! How steps are named. A *step* of an execution is a visible operation of a thread and the local
//! operations after it.

use base::id;
use machine::ThreadId;
use serde::{Deserialize, Serialize};

id!(
    /// A step by its place in the execution: earlier steps have smaller ids. The id after the last
    /// step's is the end of the execution, where the next step will stand.
    StepId, "s"
);

impl StepId {
    /// What the program does before its first event.
    pub const FIRST: StepId = StepId(0);
    /// No step. It is greater than every other id.
    pub const NONE: StepId = StepId(u32::MAX);

    #[inline]
    pub fn is_some(self) -> bool {
        self != StepId::NONE
    }

    #[inline]
    pub fn next(self) -> StepId {
        StepId(self.0 + 1)
    }
}

/// A step by its thread and by its number among the steps of that thread, from 1. Equivalent
/// executions have the same events in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "(ThreadId, u32)", into = "(ThreadId, u32)")]
pub struct EventId {
    pub thread: ThreadId,
    pub index: u32,
}

impl EventId {
    /// Whether a clock, which counts the first events of each thread, counts this one.
    #[inline]
    pub fn is_in(self, clock: &[u32]) -> bool {
        clock[self.thread.index()] >= self.index
    }
}

impl From<(ThreadId, u32)> for EventId {
    fn from((thread, index): (ThreadId, u32)) -> EventId {
        EventId { thread, index }
    }
}

impl From<EventId> for (ThreadId, u32) {
    fn from(event: EventId) -> (ThreadId, u32) {
        (event.thread, event.index)
    }
}

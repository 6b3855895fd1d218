//! The program in execution. The large part of its state ([`State`]) is saved piece by piece on the
//! trail before it changes; the small part ([`Now`]) is copied whole into every mark. Together
//! they are what [`Machine::undo`](super::Machine::undo) restores.

use smt::TermId;

use crate::fault::Question;
use crate::history::Position;
use crate::memory::Memory;
use crate::race::RaceMark;
use crate::sharing::Records;
use crate::thread::{Changes, Frame, Guard, Thread, ThreadId};
use crate::touch::Footprint;
use crate::value::Value;

use super::{Answer, Enabled};

/// The large part of the program's state.
pub struct State {
    pub memory: Memory,
    /// The path condition.
    pub path: Vec<TermId>,
    /// By their ids. `None`: a thread that does not exist on the current path.
    pub(crate) threads: Vec<Option<Thread>>,
    /// Accesses on the current path to bytes that are not known to be visible (see `sharing`).
    pub(crate) records: Records,
}

impl State {
    pub(super) fn new(memory: Memory) -> State {
        State {
            memory,
            path: Vec::new(),
            threads: Vec::new(),
            records: Records::default(),
        }
    }
}

/// The small part of the program's state.
#[derive(Clone, Copy)]
pub(crate) struct Now {
    /// The thread that runs, or ran last.
    pub current: ThreadId,
    /// The current thread may perform a visible operation.
    pub granted: bool,
    /// A thread has exited the process.
    pub exited: bool,
    /// More than one thread is alive, or has ended unjoined: what a thread that was not joined did
    /// is not ordered with what the others do now. Follows from the threads that exist and from
    /// `unjoined`.
    pub concurrent: bool,
    /// Threads that were not joined, `main` included.
    pub unjoined: u32,
    /// Rounds of loops begun and functions entered on the current path (see
    /// [`Machine::asked_at`](super::Machine::asked_at)).
    pub turns: u64,
    /// Visible operations performed on the current path.
    pub visible_events: u64,
    /// Switches away from a thread that could go on, on the current path.
    pub preemptions: u32,
    /// The thread that performed the last visible operation, or was scheduled to.
    pub turn: ThreadId,
    pub changes: Changes,
    pub others_enabled: OthersEnabled,
    /// The set of enabled threads, if it has two members at least and nothing but the end or the
    /// birth of a thread can change it: each member stands before a plain visible access, and all
    /// other threads wait for ends. 0: it is not so simple.
    pub stable_enabled_set: u64,
}

impl Default for Now {
    fn default() -> Now {
        Now {
            current: ThreadId::MAIN,
            granted: false,
            exited: false,
            concurrent: false,
            unjoined: 0,
            turns: 0,
            visible_events: 0,
            preemptions: 0,
            turn: ThreadId::MAIN,
            changes: Changes::default(),
            others_enabled: OthersEnabled::Unclear,
            stable_enabled_set: 0,
        }
    }
}

/// Whether threads other than the running one are enabled, whatever the running one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OthersEnabled {
    /// None of them is before the running thread has ended: each waits for that, or has ended.
    None,
    /// At least one of them is.
    Some,
    Unclear,
}

/// The thread that is being interpreted, and the instruction that it executes.
pub(crate) struct Running {
    /// Frames and registers of the thread. While it runs they are here instead of in its
    /// [`Thread`].
    pub frames: Vec<Frame>,
    pub registers: Vec<Value>,
    /// Answers to the questions that the current instruction has asked.
    pub answers: Vec<Answer>,
    /// How many of them it has used since it was begun again.
    pub answered: usize,
    /// After `Stop::Park`: what the thread waits for, and whether its operation is visible.
    pub block_at: (Guard, bool),
    /// The current instruction performs a visible operation.
    pub visible: bool,
    /// The next jump back to the head of a loop is made even if the round has changed nothing.
    pub goes_round: bool,
    /// The caller has seen `Situation::Join`: the thread goes on.
    pub joining: bool,
}

impl Default for Running {
    fn default() -> Running {
        Running {
            frames: Vec::new(),
            registers: Vec::new(),
            answers: Vec::new(),
            answered: 0,
            block_at: (Guard::Always, false),
            visible: false,
            goes_round: false,
            joining: false,
        }
    }
}

/// The threads that can be scheduled, listed when something must be scheduled.
#[derive(Default)]
pub(super) struct EnabledThreads {
    pub list: Vec<Enabled>,
    /// The stable enabled set that `list` is of; 0: it is of none.
    pub cached: u64,
}

/// A point to return to. Searches make many: what most marks do not need is in a box.
pub struct Mark {
    /// Length of the trail.
    pub(crate) trail: usize,
    /// Number of saved chunks.
    pub(crate) bytes: usize,
    pub(super) depth: u32,
    /// Length of the path condition.
    pub(super) path: usize,
    pub(super) now: Now,
    pub(super) special: Option<Box<SpecialMark>>,
}

/// What a mark needs in the middle of an operation, or where probes keep more than the program's
/// state.
pub(super) struct SpecialMark {
    pub question: Option<Question>,
    pub answers: Box<[Answer]>,
    /// Kept in the middle of an operation only.
    pub footprint: Option<Footprint>,
    pub races: RaceMark,
    pub peek: usize,
    pub position: Position,
}

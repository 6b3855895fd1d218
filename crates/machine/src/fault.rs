//! How an execution can end, and why the machine may give up. A program's fault is a value, never
//! an error of Sleave.

use ir::debug::LocId;
use serde::{Deserialize, Serialize};

use crate::memory::MemoryFault;
use crate::race::Race;
use crate::thread::ThreadId;

/// What the program did wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fault {
    /// With the text of the condition, where the program gives it.
    Assertion(String),
    Abort(String),
    Memory(MemoryFault, u64),
    LockMisuse(Misuse),
    DivisionByZero,
    /// The smallest number divided by -1, which traps like a division by zero.
    DivisionOverflow,
    Unreachable,
    Deadlock,
    Race(Box<Race>),
}

/// A use of a synchronisation object that POSIX leaves undefined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Misuse {
    pub operation: String,
    /// Address of the object; 0 where the problem says it all.
    pub object: u64,
    pub problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problem {
    Uninitialised,
    Destroyed,
    /// Unlocked, or waited with, though no thread holds it.
    NotLocked,
    /// Unlocked by a thread that does not hold it.
    NotHeld,
    HeldByCaller,
    HeldBy(ThreadId),
    /// A condition variable that others wait on with another mutex.
    OtherMutex,
    /// Destroyed while in use.
    InUse,
    JoinedTwice(ThreadId),
    /// Joined or detached though it is detached.
    Detached(ThreadId),
    /// The argument is no handle of a thread.
    NoThread,
}

/// The property a fault violates, as reports name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    Assertion,
    Abort,
    Memory,
    LockMisuse,
    DivisionByZero,
    Unreachable,
    Deadlock,
    Race,
}

impl Property {
    pub fn name(self) -> &'static str {
        match self {
            Property::Assertion => "assertion",
            Property::Abort => "abort",
            Property::Memory => "memory",
            Property::LockMisuse => "lock misuse",
            Property::DivisionByZero => "division by zero",
            Property::Unreachable => "unreachable",
            Property::Deadlock => "deadlock",
            Property::Race => "race",
        }
    }
}

impl Fault {
    pub fn property(&self) -> Property {
        match self {
            Fault::Assertion(_) => Property::Assertion,
            Fault::Abort(_) => Property::Abort,
            Fault::Memory(..) => Property::Memory,
            Fault::LockMisuse(_) => Property::LockMisuse,
            Fault::DivisionByZero | Fault::DivisionOverflow => Property::DivisionByZero,
            Fault::Unreachable => Property::Unreachable,
            Fault::Deadlock => Property::Deadlock,
            Fault::Race(_) => Property::Race,
        }
    }
}

/// Where a fault happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultAt {
    pub fault: Fault,
    pub thread: ThreadId,
    /// The innermost place in the user's own code.
    pub loc: LocId,
}

/// Why nothing more can be said about an execution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cutoff {
    LoopBound,
    RecursionBound,
    UnmodelledFunction(String),
    UnmodelledAssembly(String),
    UnmodelledInstruction(String),
    SymbolicFloat,
    /// A value that must be known (a size, a format, a callee) has too many possibilities.
    SymbolicValue(String),
    OutOfAddresses,
    /// An access to an object that is too large to be held.
    ObjectTooLarge,
    /// The program accesses a variable that is declared and nowhere defined.
    UndefinedVariable(String),
    /// The program reads more of a text from the environment than is modelled.
    InputLength(String),
    TooManyThreads,
    Interrupted,
    Solver,
    /// A fault of a kind that was not asked for.
    OtherFault(String),
}

impl std::fmt::Display for Cutoff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cutoff::LoopBound => write!(f, "loop bound"),
            Cutoff::RecursionBound => write!(f, "recursion bound"),
            Cutoff::UnmodelledFunction(name) => write!(f, "unmodelled function: {name}"),
            Cutoff::UnmodelledAssembly(_) => write!(f, "unmodelled assembly"),
            Cutoff::UnmodelledInstruction(what) => write!(f, "unmodelled instruction: {what}"),
            Cutoff::SymbolicFloat => write!(f, "symbolic float"),
            Cutoff::SymbolicValue(what) => write!(f, "symbolic {what}"),
            Cutoff::OutOfAddresses => write!(f, "address space"),
            Cutoff::ObjectTooLarge => write!(f, "object too large"),
            Cutoff::UndefinedVariable(name) => write!(f, "undefined variable: {name}"),
            Cutoff::InputLength(what) => write!(f, "input length: {what}"),
            Cutoff::TooManyThreads => write!(f, "too many threads"),
            Cutoff::Interrupted => write!(f, "interrupted"),
            Cutoff::Solver => write!(f, "solver"),
            Cutoff::OtherFault(kind) => write!(f, "undefined behaviour: {kind}"),
        }
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every thread finished, or the process exited.
    Normal,
    Fault(FaultAt),
    /// An assumption does not hold: no such execution exists.
    Discarded,
    Cutoff(Cutoff, LocId),
}

/// What stops the interpreter in the middle of an instruction. Details are in `Machine::situation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A visible operation is next and it is not this thread's turn.
    Park,
    /// A question must be answered; the instruction is then executed again.
    Ask,
    /// The execution is over.
    End,
    /// The thread's function has returned.
    Return,
    /// The process exits, wherever the thread stands.
    Exit,
    /// A part of the instruction is done, and its frame says which: execute it again for the rest.
    /// Questions that it asked are asked again.
    Again,
    /// The instruction replaced the frames or the pc itself: do not advance.
    Jumped,
}

pub type Exec<T> = Result<T, Stop>;

/// A question that must be answered before the machine can go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// Is this one-bit term true?
    Branch(smt::TermId),
    /// The term must be true; an execution in which it is not does not count.
    Assume(smt::TermId),
    /// Any value that the term can have; no decision.
    Example(smt::TermId),
    /// Which value does the term have?
    Value(smt::TermId),
    /// One of `0..n`.
    Choice(u32),
}

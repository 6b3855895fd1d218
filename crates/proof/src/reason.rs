//! Why a proof is refused.

/// Why a proof is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be read to its end.
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    #[error(transparent)]
    Refused(#[from] Refusal),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Refusal {
    /// Counted from 1.
    pub line: u64,
    pub reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("a proof begins with the line `s sleave-proof 1`")]
    NoProof,
    #[error("the file ends in the middle of a line")]
    CutOff,
    #[error("there is no such kind of line")]
    UnknownLine,
    #[error("there is no such kind of step")]
    UnknownStep,
    #[error("the line ends too early")]
    TooShort,
    #[error("the line goes on where it should end")]
    TooLong,
    #[error("{expected} should stand at column {column}")]
    Malformed { expected: Expected, column: usize },

    #[error("there is an event {0} already")]
    EventAgain(u32),
    #[error("there is no event {0}")]
    NoEvent(u32),
    #[error("{after} is before {before} already: a cycle")]
    FixedCycle { before: u32, after: u32 },

    #[error("clause {0} is not the first of this number")]
    ClauseAgain(u64),
    #[error("there is no clause {0}, or no longer")]
    NoClause(u64),
    #[error("the clause has a literal twice")]
    LiteralTwice,
    #[error("the clause has a literal and its negation")]
    Tautology,

    #[error("the walk has no steps")]
    EmptyWalk,
    #[error("the step begins at event {found}, but the last one ended at {expected}")]
    Gap { expected: u32, found: u32 },
    #[error("the walk ends at event {found}, not at {expected}")]
    NotThere { expected: u32, found: u32 },
    #[error("the walk ends inside another one, or ends one that has not begun")]
    Nesting,
    #[error("no fixed order has {before} before {after}")]
    NotFixed { before: u32, after: u32 },
    #[error("no line before this one says what step {0} of the walk uses")]
    NoFact(usize),
    #[error("the clause leaves out a literal that step {0} of the walk uses")]
    LeftOut(usize),
    #[error("the event that writes is one of the two that it should not be between")]
    OwnWrite,

    #[error("clause {0} is not unit when it is used")]
    NotUnit(u64),
    #[error("the clause does not follow from those that are named")]
    NoConflict,
    #[error("clauses are named after the one that is false already")]
    AfterConflict,

    #[error("a question has no answer")]
    NoAnswer,
    #[error("an answer without a question")]
    NoQuestion,
    #[error("the formula grows between a question and its answer")]
    FormulaInQuestion,
    #[error("clause {0} has more in it than negations of assumptions")]
    NotTheAnswer(u64),
    #[error("nothing is proved: there is no question")]
    NothingProved,
    #[error("the last question is not proved to be unsatisfiable")]
    LastNotProved,

    #[error("the proof is not complete: it ends without a last line `z`")]
    NotComplete,
    #[error("there were {expected} lines before the last one, and now there are {found}")]
    LinesLost { expected: u64, found: u64 },
    #[error("a line after the last one")]
    AfterEnd,
}

/// What should stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Expected {
    #[error("an event")]
    Event,
    #[error("an atom")]
    Atom,
    #[error("a literal")]
    Literal,
    #[error("a literal or 0")]
    LiteralOrEnd,
    #[error("the number of a clause")]
    Clause,
    #[error("the number of a clause or 0")]
    ClauseOrEnd,
    #[error("the number of lines")]
    Lines,
}

//! Why a search could not be made.

/// Why a search, or the replay of one, could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Start(#[from] machine::StartError),
    #[error("steps that commute may still order others: races need the usual independence")]
    IndependenceForRaces,
    #[error("a summary does not tell which accesses were made: races need a search without")]
    SummariesForRaces,
    #[error("a state does not tell which accesses were made: races need a search without states")]
    StatesForRaces,
    #[error("the job does not fit the program")]
    OtherProgram,
    /// A file says what cannot be.
    #[error("thread {0} has an impossible parent")]
    ImpossibleParent(usize),
    #[error("a cell lies outside the address space")]
    ImpossibleCell,
    #[error("a step of a thread that is not known")]
    UnknownThread,
    #[error("a step at an impossible place")]
    ImpossiblePlace,
    #[error("a worker failed")]
    Worker,
    #[error("at step {step}, {why}")]
    Diverged { step: usize, why: String },
}

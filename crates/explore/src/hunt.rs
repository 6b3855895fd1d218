//! The hunt (P2): executions that are guided to some targets along traces of an abstract system.
//! It finds, and proves nothing.
//!
//! P2 is Rungta, Mercer, Visser, *Efficient testing of concurrent programs with abstraction-guided
//! symbolic execution* (SPIN'09). What guides is in `analysis::abstraction` (section 4): traces,
//! distances, definitions. Here are the rank of successors (`rank`), the guided execution
//! (`execution`, Figure 4), what is known of its way along the traces (`progress`) and the
//! refinement of a set of traces (`refinement`, Figure 5). A [`Trial`] is one set of traces with all
//! that refinements make of it; it works in turns with budgets, so that several can take turns.
//!
//! Deviations from the paper:
//! 1. A refinement does not put the way to a definition in front of the trace, which would have one
//!    thread begin after another has gone there. It becomes a trace of its own, and the thread that
//!    needs the definition waits for it where it reads the variable, or where it takes a lock that
//!    is needed on that way (`traces`). In every second turn it waits before it begins, as in the
//!    paper.
//! 2. Which definition is added is not drawn at random: those come first that would make the branch
//!    go the wanted way, with what they do to the variable (`refinement`).
//! 3. Successors are not generated to be ranked: a thread is ranked by where it stands.
//! 4. A thread that has missed a branch may come back to it, or another may take its place: the set
//!    is refined when no thread can come to a target any more.

mod execution;
mod progress;
mod rank;
mod refinement;
mod traces;
mod trial;

pub use self::execution::Reached;
pub use self::refinement::{Miss, Missing};
pub use self::traces::{GuidingTrace, Purpose, TraceSet};
pub use self::trial::{FoundThere, HuntStatistics, Hunter, Scene, Trial, Turn, Wanted};

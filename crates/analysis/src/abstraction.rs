//! The abstraction that guides a hunt (P2, section 4): which places of a program matter for coming
//! to some targets, on which ways through these a hunt may go, and how far away a place is.
//!
//! P2 is Rungta, Mercer, Visser, *Efficient testing of concurrent programs with abstraction-guided
//! symbolic execution* (SPIN'09). A place that is left out here costs time, never a verdict. What
//! has no trace in the abstract system is in no execution: the call graph and the control flow have
//! all calls and jumps that there can be.

mod conditions;
mod definitions;
mod distance;
mod locking;
mod print;
mod system;
mod traces;

pub use conditions::{Condition, condition_at};
pub use definitions::{Change, Definition};
pub use distance::{Distances, ToPlace};
pub use system::{AbstractSystem, Role, Roles};
pub use traces::{AbstractTrace, AbstractTraces, TraceSets};

use self::locking::Locking;
use crate::definitions::Definitions;
use crate::facts::Facts;
use crate::node::NodeId;

/// Where something may go wrong: a place, and perhaps a call on the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub at: NodeId,
    /// A call that leads there, if not every way counts: an assertion is often the call of a
    /// function in which all assertions fail at one place.
    pub through: Option<NodeId>,
}

impl From<NodeId> for Target {
    fn from(at: NodeId) -> Target {
        Target { at, through: None }
    }
}

/// What the abstraction of a program is made of, whatever the targets.
pub struct Ground<'a> {
    pub facts: &'a Facts<'a>,
    definitions: Definitions,
    locking: Locking,
}

impl<'a> Ground<'a> {
    pub fn of(facts: &'a Facts<'a>) -> Ground<'a> {
        Ground {
            facts,
            definitions: Definitions::of_module(facts.module, facts.nodes),
            locking: Locking::of(facts),
        }
    }

    /// Whether the call returns with a lock that it has taken.
    pub fn takes_lock(&self, node: NodeId) -> bool {
        self.locking.takes(node)
    }

    /// Whether the call gives back a lock.
    pub fn gives_back_lock(&self, node: NodeId) -> bool {
        self.locking.gives_back(node)
    }
}

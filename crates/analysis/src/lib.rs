//! Static facts about a program, each a pure function of the IR and of facts computed before.
//!
//! Everything here errs on the side of *more*: more paths, more aliases, more dependence. A search that leaves out what these
//! facts say cannot matter loses nothing.

pub mod bounds;
pub mod cfg;
pub mod control;
pub mod dominance;
mod edge;
pub mod loops;
mod node;

pub use node::{NodeId, NodeSet, Nodes, Stands};

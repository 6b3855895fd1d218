//! Static facts about a program, each a pure function of the IR and of facts computed before.
//!
//! Everything here errs on the side of *more*: more paths, more aliases, more dependence. A search that leaves out what these
//! facts say cannot matter loses nothing.

mod callgraph;
mod components;
pub mod external;
mod node;
mod points_to;

pub use callgraph::CallGraph;
pub use node::{NodeId, NodeSet, Nodes, Stands};
pub use points_to::{
    Access, AccessKind, Location, Object, ObjectId, ObjectKind, Place, PlaceSet, PointsTo,
};

//! Static facts about a program, each a pure function of the IR and of facts computed before.
//!
//! Everything here errs on the side of *more*: more paths, more aliases, more dependence. A search that leaves out what these
//! facts say cannot matter loses nothing.

pub mod bounds;
mod callgraph;
pub mod cfg;
mod components;
pub mod control;
pub mod dominance;
mod edge;
pub mod essential;
pub mod external;
pub mod facts;
pub mod loops;
mod node;
mod points_to;
pub mod reaching;
pub mod sdg;
pub mod slice;

pub use callgraph::CallGraph;
pub use node::{NodeId, NodeSet, Nodes, Stands};
pub use points_to::{
    Access, AccessKind, Location, Object, ObjectId, ObjectKind, Place, PlaceSet, PointsTo,
};

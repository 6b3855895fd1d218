//! Static facts about a program, each a pure function of the IR and of facts computed before.
//!
//! Everything here errs on the side of *more*: more paths, more aliases, more dependence. A search
//! that leaves out what these facts say cannot matter loses nothing.

pub mod abstraction;
mod address;
mod ahead;
mod arguments;
pub mod bounds;
mod callgraph;
mod calls;
pub mod cfg;
pub mod concurrency;
pub mod control;
mod definitions;
pub mod dominance;
mod edge;
mod elidable;
pub mod essential;
pub mod external;
pub mod facts;
pub mod loops;
mod node;
mod plain;
mod points_to;
mod premises;
pub mod reaching;
pub mod schedule_independence;
pub mod sdg;
pub mod slice;
mod slicer;
mod threads;
mod unique;

pub use address::{Address, Addresses, TermId};
pub use ahead::Ahead;
pub use arguments::for_each_bounds;
pub use callgraph::{CallGraph, call_at};
pub use calls::is_final;
pub use definitions::Definitions;
pub use essential::Properties;
pub use essential::memory::{Part, Whole};
pub use node::{NodeId, NodeSet, Nodes, Stands};
pub use plain::{NotPlain, Plain, Reached};
pub use points_to::{
    Access, AccessKind, Limits, Location, Object, ObjectId, ObjectKind, Place, PlaceSet, PointsTo,
};
pub use premises::Premises;
pub use slicer::{Relevance, Slicer, Statistics};
pub use threads::{
    Argument, ContextId, Element, Program, Situation, Thread, ThreadId, Threads, place,
};

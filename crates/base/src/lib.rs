//! Typed ids, the vectors they index, operators on bit-vectors and intervals of these, and
//! components and dominators of graphs. Knows nothing of programs.

mod components;
mod dominators;
mod id;
mod index_vec;
mod interval;
mod ops;
pub mod semantics;

pub use components::components;
pub use dominators::{Dominators, reverse_postorder};
pub use index_vec::IndexVec;
pub use interval::Interval;
pub use ops::{BinOp, CmpOp};
#[doc(hidden)]
pub use serde;

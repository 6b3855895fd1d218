//! Typed ids, the vectors they index, and components and dominators of graphs. Knows nothing of
//! programs.

mod components;
mod dominators;
mod id;
mod index_vec;

pub use components::components;
pub use dominators::{Dominators, reverse_postorder};
pub use index_vec::IndexVec;
#[doc(hidden)]
pub use serde;

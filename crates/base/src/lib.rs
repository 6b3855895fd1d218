//! Typed ids, the vectors they index, and the components of graphs. Knows nothing of programs.

mod components;
mod id;
mod index_vec;

pub use components::components;
pub use index_vec::IndexVec;
#[doc(hidden)]
pub use serde;

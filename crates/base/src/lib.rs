//! Typed ids and the vectors they index. Knows nothing of programs.

mod id;
mod index_vec;

pub use index_vec::IndexVec;
#[doc(hidden)]
pub use serde;

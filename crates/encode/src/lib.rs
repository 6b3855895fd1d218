//! What threads can do, as a formula (P3).

mod formula;
mod graph;
mod knowledge;
mod memory;
mod path;
mod place;
mod ranges;
mod unroll;
mod walker;

pub use formula::{Asked, Encoding, Model, Order, Question, Step};
pub use graph::*;
pub use knowledge::{KeyId, Knowledge, ThreadIx};
pub use place::{Key, Shape};
pub use unroll::{GivenInput, Options, Outside, TestVector, unroll};
pub use walker::{Walker, Within};

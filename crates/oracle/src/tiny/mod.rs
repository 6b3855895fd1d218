//! A tiny C: programs that wait in loops, take locks of all kinds, pass heap nodes and bytes
//! around, start threads from threads and exit anywhere; and all that can go wrong with each of
//! them, some schedule and some input given.
//!
//! The other half of this crate compares every final state of programs whose runs all end. Here a
//! loop may go round for ever, so what is asked for is less, and the programs may do more: the set
//! of [kinds of failures](Failure) that a program has.
//!
//! - `syntax`: the programs. `render`: their C text. `shrink`: smaller ones.
//! - `lower`, `state`, `steps`, `sync`, `bulk`: the reference. One step is one access to memory or one call
//!   of the library.
//! - `verdicts`: visits every state that can be reached, and says what is stuck for ever.
//!   `knowledge`: what races.
//! - `config`, `generate`: random programs, by family.

mod bulk;
mod config;
mod generate;
mod knowledge;
mod lower;
mod render;
mod shrink;
mod state;
mod steps;
mod sync;
mod syntax;
mod verdicts;

pub use config::{Config, FAMILIES, family};
pub use generate::generate;
pub use render::{HEADER, render};
pub use shrink::shrink;
pub use syntax::*;
pub use verdicts::{Failure, Found, TooLarge, failures};

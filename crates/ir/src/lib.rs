//! Sleave's intermediate representation: what is left of a C program once LLVM's types, versions
//! and habits are normalised away.
//!
//! - Values are scalars: integers of 1 to 128 bits, pointers, floats. Aggregates and vectors are
//!   taken apart by the front end.
//! - Every operand is a [`ValueId`] of its function: constants, parameters, block parameters and
//!   results share one table, constants first.
//! - Phi nodes are block parameters; a jump carries the arguments.
//! - Address arithmetic is explicit ([`Op::PtrAdd`]); types of memory survive only as debug
//!   information ([`debug::DebugType`]).
//!
//! Invariant: this crate does no IO and knows neither LLVM nor how programs are executed.

pub mod binary;
pub mod debug;
mod inst;
pub mod modelled;
mod module;
mod operands;
pub mod text;
mod validate;

pub use inst::*;
pub use module::*;
pub use validate::{Place, Rule, Violation, validate};

//! The solvers that decide: each implements `Solver` by translating terms once and keeping what
//! consecutive questions share.

pub mod bits;
#[cfg(feature = "z3")]
pub mod z3;

//! Bit-vector terms and their solvers.
//!
//! `Terms` is the arena of terms; its constructors simplify. A `Solver` decides whether a list of
//! terms of width 1, a path condition, can be true. This crate knows nothing of programs, threads
//! or memory.
//!
//! ```
//! use std::time::Duration;
//! use smt::{Answer, BinOp, CmpOp, Terms};
//!
//! let mut terms = Terms::new();
//! let x = terms.input("x", 32);
//! let three = terms.constant(32, 3);
//! let product = terms.bin(BinOp::Mul, x, three);
//! let twelve = terms.constant(32, 12);
//! let equal = terms.cmp(CmpOp::Eq, product, twelve);
//! let mut solver = smt::default_solver(Duration::from_secs(10));
//! let Answer::Sat(model) = solver.check(&mut terms, &[equal]) else { panic!() };
//! assert_eq!(terms.eval(x, &model), 4);
//! ```

mod backend;
mod display;
mod eval;
mod known_bits;
mod layer;
mod lower;
mod model;
mod node;
pub mod order;
mod simplify;
mod solver;
mod substitute;
mod support;
mod terms;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use base::semantics;

pub use backend::bits::BitBlaster;
#[cfg(feature = "z3")]
pub use backend::z3::Z3;
pub use eval::Evaluator;
pub use known_bits::KnownBits;
pub use layer::{bounds::Bounds, fold::Fold, independent::Independent, query_cache::QueryCache};
pub use model::Model;
pub use node::{BinOp, CmpOp, InputId, Node, TableId, TermId};
pub use solver::{Answer, Solver, SolverStats, UnknownReason};
pub use substitute::Substitution;
pub use terms::Terms;

/// All layers over the faster backend for small incremental queries. `timeout` is per query.
///
/// CPU microseconds per question under all layers, Z3 4.8.12 against our bit-blasting on CaDiCaL
/// 1.9.5 (`benches/backends.rs`): branches 846 / 405, bytes of a buffer 178 / 58, table loads 8670
/// / 2390, implications 1022 / 711, products 143000 / 34000. 100 questions reach the backend 22 to
/// 47 times.
pub fn default_solver(timeout: Duration) -> Box<dyn Solver> {
    interruptible_solver(timeout, Arc::default())
}

/// Like [`default_solver`]. Once the flag is raised, questions that reach the backend stay
/// unanswered.
pub fn interruptible_solver(timeout: Duration, interrupt: Arc<AtomicBool>) -> Box<dyn Solver> {
    Box::new(layered(BitBlaster::interruptible(timeout, interrupt)))
}

/// All layers over a backend.
pub fn layered<S: Solver>(backend: S) -> impl Solver {
    Fold::new(Independent::new(QueryCache::new(Bounds::new(backend))))
}

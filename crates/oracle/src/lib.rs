//! The oracle of the differential tests: random small multithreaded programs, and all that each of
//! them can do.
//!
//! A test takes a [`Program`] from [`generate`], hands the C text of [`render`] to an explorer, and
//! asks [`difference`] whether what the explorer saw is what [`behaviours`] enumerated. A program
//! on which they differ is made small by [`minimise`] and becomes a test.
//!
//! Invariant: this crate knows nothing of Sleave: no term, no machine, no reduction. A mistake is
//! therefore not made twice. It trades every speed for plainness: inputs are enumerated, states are
//! cloned, every shared access is a step.

mod assertions;
mod behaviours;
pub mod campaign;
mod config;
mod expr;
mod generate;
mod ids;
mod interleavings;
mod lower;
mod minimise;
mod pointers;
mod program;
mod races;
mod random;
mod reference;
mod render;
mod shares;
mod starts;
mod statements;
pub mod tiny;
mod unused;
mod validate;
mod variants;
mod visit;
mod waiting;
mod worlds;

pub use behaviours::{Behaviours, Difference, Failure, Final, difference};
pub use config::{Config, Irrelevant, Weights};
pub use expr::{BinaryOp, Expr};
pub use generate::generate;
pub use ids::*;
pub use interleavings::interleavings;
pub use minimise::minimise;
pub use pointers::pointer_program;
pub use program::{
    Access, Check, Index, Init, InputDecl, Observable, Op, Place, Program, Stmt, Thread, UpdateOp,
};
pub use races::{RacingPair, races};
pub use reference::{Semantics, behaviours};
pub use render::{Rendered, is_read_in_the_end, render};
pub use shares::{FailingShare, failing_share};
pub use validate::Invalid;
pub use variants::{with_memory_orders, without_assertions};
pub use waiting::{Endings, WaitingProgram, waiting_program};

//! The search over schedules and inputs: a walk through the tree of decisions.
//!
//! [`naive::search`] takes every one of them (P1, Algorithm 1). It stays for ever: every reduction is measured against it.
//!
//! Invariant: what is explored never depends on time, hash order or addresses of the host; only when to stop does.

mod decision;
mod feasibility;
pub mod naive;
mod outcome;
mod replay;

pub use decision::{Decision, Schedule};
pub use outcome::{Found, Monitor, Outcome, Properties, Runs, Silent, Stopped};
pub use replay::{Replay, replay};

//! What may go wrong between threads, without running the program: data races, locks taken in
//! different orders or twice, and other waits that may not end.
//!
//! After Eraser (Savage et al. 1997) and RacerX (Engler and Ashcraft 2003), but on facts that err
//! on the safe side. Three things are among the warnings if they can happen in any execution: a
//! data race between two accesses, a deadlock of threads that wait for each other's locks, and a
//! thread that locks a lock that it holds. The exceptions:
//! 1. the address comes from outside the program, and belongs to no object,
//! 2. two accesses through the same field of a record overlap without coinciding: a lock in the
//!    record is believed to protect the field,
//! 3. a thread unlocks a lock that it does not hold, or accesses memory out of bounds or after its
//!    end,
//! 4. a function does it that neither the program defines nor Sleave models: it is believed to
//!    touch only objects whose addresses are its arguments, and to hand nothing to other threads,
//! 5. there are too many pairs to report all (`races/dense_races.rs`,
//!    `deadlocks/dense_deadlocks.rs`): each line is then reported once, with one other, and cycles
//!    of more than two threads are not searched for,
//! 6. a thread holds a lock that it took between a call like `setjmp` and the jump back to it:
//!    behind the jump, only locks taken before the call are known to be held perhaps.
//!
//! A warning says that something is *possible*: the analysis ignores order that comes from
//! conditions, semaphores, barriers, atomics or values.

mod apart;
mod conditions;
mod counts;
mod deadlocks;
mod final_values;
mod fresh;
mod guard;
pub mod locks;
mod order;
mod predicate;
mod races;
mod spins;
#[cfg(test)]
mod tests;
mod waits;
mod warning;

use analysis::{Nodes, PointsTo, Program, Threads};
use ir::Module;

pub use locks::{Locks, Visit};
pub use warning::{
    Does, DoubleLock, Effect, LockOrder, Point, Race, RaceAccess, Stuck, StuckKind, Waiting,
    Warning,
};

/// All facts that warnings are made of.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    pub module: &'a Module,
    pub nodes: &'a Nodes,
    pub points_to: &'a PointsTo,
    pub threads: &'a Threads,
    pub locks: &'a Locks,
}

impl<'a> Facts<'a> {
    fn program(&self) -> Program<'a> {
        Program {
            module: self.module,
            nodes: self.nodes,
            points_to: self.points_to,
        }
    }
}

/// What to report beside what is always reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// All waits for conditions, semaphores and barriers, also those that end if values are right.
    pub waits: bool,
}

/// Above these numbers not all pairs are reported (exception 5).
#[derive(Clone, Copy)]
struct Limits {
    /// Accesses that may touch one object; of more, `races/dense_races.rs` names few pairs.
    accesses: usize,
    /// Locks that may be held where threads wait for others, counted at every place; of more,
    /// `deadlocks/dense_deadlocks.rs` names few cycles.
    held: usize,
}

const LIMITS: Limits = Limits {
    accesses: 1000,
    held: 1000,
};

/// All warnings, in the order of the source; no two of a kind are about the same lines.
pub fn warnings(facts: Facts, options: Options) -> Vec<Warning> {
    warnings_within(facts, options, LIMITS)
}

fn warnings_within(facts: Facts, options: Options, limits: Limits) -> Vec<Warning> {
    let mut all: Vec<Warning> = Vec::new();
    let races = races::races(facts, limits.accesses);
    all.extend(races.into_iter().map(Warning::Race));
    let (cycles, twice) = deadlocks::deadlocks(facts, limits.held);
    all.extend(cycles.into_iter().map(Warning::LockOrder));
    all.extend(twice.into_iter().map(Warning::DoubleLock));
    let stuck = waits::waits(facts, options);
    all.extend(stuck.into_iter().map(Warning::Stuck));
    order::sort(facts, all)
}

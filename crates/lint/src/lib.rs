//! What may go wrong between threads, without running the program: data races, locks taken in
//! different orders or twice, other ways to wait for ever.
//!
//! After Eraser (Savage et al. 1997) and RacerX (Engler and Ashcraft 2003), but on facts that err
//! on the safe side: a data race between two accesses, a deadlock of threads that wait for each
//! other's locks, and locking a lock that one holds is among the warnings if it can happen in any
//! execution, except
//! 1. through addresses that come from outside the program (they are no object's),
//! 2. if two accesses through the same field of a record overlap without coinciding: then a lock in
//!    the record is believed to protect the field,
//! 3. if a lock is unlocked by a thread that does not hold it, or memory is accessed out of bounds
//!    or after its end,
//! 4. by what a function does that the program neither defines nor Sleave knows: it is believed to
//!    touch what it is given the address of, no more, and to hand nothing to other threads,
//! 5. where there are so many that not all pairs are told of (`races/dense_races.rs`,
//!    `deadlocks/dense_deadlocks.rs`): then each line is, once, with one other; and circles of more than two
//!    threads are not looked for,
//! 6. by a thread that holds what it has locked between a call like `setjmp` and the jump back to
//!    it: there, only what was locked before the call is known to be held perhaps.
//!
//! A warning says that something is *possible*: order by conditions, semaphores, barriers, atomics,
//! or values is not looked at.

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

pub use locks::Locks;
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

/// What to warn of, beside what is always told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// All waits for conditions, semaphores and barriers, also those of which only values tell
    /// whether they end.
    pub waits: bool,
}

/// From which numbers on not all pairs are told of (exception 5).
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

/// In the order of the source; no two are about the same lines.
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

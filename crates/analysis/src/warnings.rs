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
//! 5. where there are so many that not all pairs are told of (`races/crowd.rs`,
//!    `deadlocks/crowd.rs`): then each line is, once, with one other; and circles of more than two
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
mod fresh;
mod guard;
mod order;
mod predicate;
mod races;
mod rest;
mod spins;
#[cfg(test)]
mod tests;
mod waits;

use std::rc::Rc;

use ir::Module;

use crate::locks::{Held, Locks, VisitId};
use crate::node::{NodeId, Nodes};
use crate::points_to::{ObjectId, PointsTo};
use crate::threads::{Program, ThreadId, Threads};

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

#[derive(Clone, Debug)]
pub enum Warning {
    Race(Race),
    LockOrder(LockOrder),
    DoubleLock(DoubleLock),
    Stuck(Stuck),
}

/// Two accesses that may happen at the same time.
#[derive(Clone, Debug)]
pub struct Race {
    pub object: ObjectId,
    /// Where in it, if that is one place.
    pub offset: Option<u64>,
    pub accesses: [RaceAccess; 2],
}

#[derive(Clone, Debug)]
pub struct RaceAccess {
    pub at: Point,
    pub effect: Effect,
    pub atomic: bool,
    pub bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    Read,
    Write,
    Update,
    Free,
}

/// A node, how a thread comes there, and what it holds then.
#[derive(Clone, Debug)]
pub struct Point {
    pub thread: ThreadId,
    pub visit: VisitId,
    pub node: NodeId,
    pub held: Rc<Vec<Held>>,
}

/// Threads that may wait for each other: each holds what the one before it waits for.
#[derive(Clone, Debug)]
pub struct LockOrder {
    pub waits: Vec<Waiting>,
}

#[derive(Clone, Debug)]
pub struct Waiting {
    /// Where it waits.
    pub at: Point,
    /// The lock that the one before it waits for; it is among those held at `at`.
    pub holds: Held,
}

#[derive(Clone, Debug)]
pub struct DoubleLock {
    pub at: Point,
    /// How it was locked before.
    pub holds: Held,
}

/// Other ways to wait for ever.
#[derive(Clone, Debug)]
pub struct Stuck {
    pub kind: StuckKind,
    pub steps: Vec<(Point, Does)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StuckKind {
    /// A thread may end while it holds a lock that others wait for.
    KeptLock,
    /// A thread waits for the end of another that may wait for a lock it holds.
    JoinUnderLock,
    /// A condition, semaphore, barrier or variable for which it may wait in vain.
    EndlessWait,
}

#[derive(Clone, Debug)]
pub enum Does {
    WaitsForLock,
    EndsHolding(Held),
    JoinsHolding(Held),
    /// It keeps a lock meanwhile for which somebody waits who would signal.
    WaitsHolding(Held),
    /// Nobody signals or posts.
    WaitsUnanswered,
    /// Nothing is tested again after the wait.
    WaitsUntested,
    /// No other thread changes what is tested.
    WaitsUnchanged,
    /// What is tested is changed and signalled without the mutex.
    WaitsUnguarded,
    /// After a change, there is a way around the signal.
    WaitsSkipped,
    /// Others may wait as well, and only one of them is woken.
    WaitsWithOthers,
    /// All that others do does not suffice.
    WaitsInVain,
    /// Waits for the end of a thread that waits for its end.
    JoinsInCircle,
    /// It depends on values.
    Waits,
    /// Goes round a loop, and nobody else writes what it reads.
    SpinsUnchanged,
    /// Goes round a loop, and what others leave in the variables does not end it.
    SpinsInVain,
    /// Goes round a loop, and updates of the counter that it reads may be lost.
    SpinsOnLost,
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
    /// Accesses that may touch one object: more are a crowd (`races/crowd.rs`).
    accesses: usize,
    /// Locks that may be held where threads wait for others, counted at every place: more are a
    /// crowd (`deadlocks/crowd.rs`).
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

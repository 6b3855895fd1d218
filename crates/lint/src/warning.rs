//! Warnings as data: who does what where, and what it holds there.

use std::rc::Rc;

use analysis::{NodeId, ObjectId, ThreadId};

use crate::locks::{Held, Moment, VisitId};

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

impl Point {
    pub(crate) fn of(moment: &Moment) -> Point {
        Point {
            thread: moment.situation.thread,
            visit: moment.visit,
            node: moment.node,
            held: moment.held.held.clone(),
        }
    }
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

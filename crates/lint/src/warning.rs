//! Warnings as data: what each thread does where, and which locks it holds there.

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
    /// The offset in the object, if there is only one.
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

/// A node, the visit in which a thread comes there, and the locks that it holds then.
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

/// Threads that may wait for each other: each holds the lock for which the one before it waits.
#[derive(Clone, Debug)]
pub struct LockOrder {
    pub waits: Vec<Waiting>,
}

#[derive(Clone, Debug)]
pub struct Waiting {
    /// Where it waits.
    pub at: Point,
    /// The lock for which the thread before it waits; it is among those held at `at`.
    pub holds: Held,
}

#[derive(Clone, Debug)]
pub struct DoubleLock {
    pub at: Point,
    /// The lock as it was locked first.
    pub holds: Held,
}

/// A wait that may not end, other than a deadlock of locks.
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
    /// A thread may wait in vain for a condition, semaphore, barrier or variable.
    EndlessWait,
}

#[derive(Clone, Debug)]
pub enum Does {
    WaitsForLock,
    EndsHolding(Held),
    JoinsHolding(Held),
    /// It keeps a lock while it waits, and the thread that would signal waits for that lock.
    WaitsHolding(Held),
    /// No thread signals or posts.
    WaitsUnanswered,
    /// Nothing is tested again after the wait.
    WaitsUntested,
    /// No other thread changes what is tested.
    WaitsUnchanged,
    /// The tested variable is changed and signalled without the mutex.
    WaitsUnguarded,
    /// After a change, a path leads around the signal.
    WaitsSkipped,
    /// Other threads may wait as well, and a signal wakes only one of them.
    WaitsWithOthers,
    /// All changes, posts or arrivals of other threads together do not suffice.
    WaitsInVain,
    /// It waits for the end of a thread that waits for its end.
    JoinsInCircle,
    /// Whether the wait ends depends on values.
    Waits,
    /// It goes round a loop, and no other thread writes what it reads.
    SpinsUnchanged,
    /// It goes round a loop, and the final values of the variables do not end it.
    SpinsInVain,
    /// It goes round a loop, and updates of the counter that it reads may be lost.
    SpinsOnLost,
}

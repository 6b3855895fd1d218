//! What was unrolled: events, and what happens under which conditions.

use base::{IndexVec, Interval};
use ir::debug::LocId;
use ir::{BlockId, FuncId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::order::{EventId, FixedOrder};
use smt::{TermId, Terms};

use crate::knowledge::{KeyId, ThreadIx};
use crate::place::Key;
use crate::ranges::ReadKey;

base::id!(
    /// A visible operation at an unrolled location.
    EventIx,
    "e"
);
base::id!(
    /// A piece of memory that is read and written as one.
    AtomIx,
    "m"
);

/// All that is known of what the program's threads do.
#[derive(Default)]
pub struct Graph {
    pub threads: Vec<Thread>,
    pub events: IndexVec<EventIx, Event>,
    /// Waits for threads that the waiting thread may leave out on another way. The events of both
    /// ways stand in one row, so that what comes after such a wait in the row may come before the end
    /// of the thread that it waits for.
    pub skippable: FxHashSet<EventIx>,
    pub atoms: IndexVec<AtomIx, Atom>,
    /// Accesses to coarse objects.
    pub coarse_reads: Vec<CoarseRead>,
    pub coarse_writes: Vec<CoarseWrite>,
    /// True in every execution.
    pub required: Vec<TermId>,
    pub faults: Vec<Fault>,
    pub exits: Vec<Exit>,
    /// Where threads may wait for ever in a loop.
    pub waits: Vec<Wait>,
    pub inputs: Vec<Input>,
    /// A thread stops there because of an assumption, or ends the process.
    pub stops: Vec<TermId>,
    /// Phases of barriers that all threads come to that wait at them.
    pub phases: Vec<Phase>,
    /// Waits for signals, and signals.
    pub waiters: Vec<Waiter>,
    pub signals: Vec<Signal>,
    /// Condition variables that are destroyed, and where.
    pub destroys: Vec<(u64, EventIx)>,
    /// An atomic operation or fence that orders less than it could, where there is one.
    pub weak: Option<LocId>,
    /// An operation that tells that it had to give up, or how many others could go on, where there is
    /// one: it finds what another thread did without happening after it.
    pub gives_up: Option<LocId>,
    /// The sides of branches in the user's code.
    pub sides: Vec<Side>,
}

impl Graph {
    /// How many pairs there are of a read and a write that it may read from.
    pub fn sources(&self) -> usize {
        let mut reads = vec![0; self.atoms.len()];
        for read in self.events.iter().flat_map(|event| &event.reads) {
            reads[read.atom.index()] += 1;
        }
        let writes = self.events.iter().flat_map(|event| &event.writes);
        writes.map(|write| reads[write.atom.index()]).sum()
    }
}

impl Graph {
    /// Pairs of events of which the first is before the second in every execution: the order of the
    /// program, creation, join. All pairs of which an event is the second come before those of which
    /// it is the first.
    pub fn always_before(&self) -> Vec<(EventIx, EventIx)> {
        let mut all = self.edges();
        let mut place = vec![0; self.events.len()];
        for (i, event) in self.sorted(&all).iter().enumerate() {
            place[event.index()] = i;
        }
        all.sort_by_key(|(a, b)| (place[b.index()], place[a.index()]));
        all
    }

    fn edges(&self) -> Vec<(EventIx, EventIx)> {
        let mut edges = Vec::new();
        for thread in &self.threads {
            edges.extend(thread.events.windows(2).map(|pair| (pair[0], pair[1])));
            if let Some((_, create)) = thread.parent {
                edges.push((create, thread.first));
            }
        }
        for event in self.events.ids().filter(|e| !self.skippable.contains(e)) {
            edges.extend(self.waited_for(event).map(|last| (last, event)));
        }
        let phases = self.phases.iter().flat_map(|phase| phase.edges());
        edges.extend(phases.filter(|(_, leave)| !self.skippable.contains(leave)));
        edges
    }

    /// The events in an order that agrees with the edges: all of them, if there is one.
    fn sorted(&self, edges: &[(EventIx, EventIx)]) -> Vec<EventIx> {
        let mut after = vec![Vec::new(); self.events.len()];
        let mut open = vec![0u32; self.events.len()];
        for (a, b) in edges {
            after[a.index()].push(*b);
            open[b.index()] += 1;
        }
        let mut ready: Vec<EventIx> = self.events.ids().filter(|e| open[e.index()] == 0).collect();
        let mut sorted: Vec<EventIx> = Vec::new();
        while let Some(event) = ready.pop() {
            sorted.push(event);
            for next in &after[event.index()] {
                open[next.index()] -= 1;
                if open[next.index()] == 0 {
                    ready.push(*next);
                }
            }
        }
        sorted
    }

    /// Whether what always comes before something comes after it, too.
    pub fn has_cycle(&self) -> bool {
        self.sorted(&self.edges()).len() < self.events.len()
    }

    /// Pairs of events of which the first is before the second in every execution in which the
    /// second is done.
    pub fn before_if_done(&self) -> Vec<(EventIx, EventIx)> {
        let mut skippable: Vec<EventIx> = self.skippable.iter().copied().collect();
        skippable.sort_unstable();
        let pairs = skippable.into_iter();
        let pairs = pairs.flat_map(|event| self.waited_for(event).map(move |last| (last, event)));
        let phases = self.phases.iter().flat_map(|phase| phase.edges());
        let phases = phases.filter(|(_, leave)| self.skippable.contains(leave));
        pairs.chain(phases).collect()
    }

    /// The last events of the threads for which the event waits.
    fn waited_for(&self, event: EventIx) -> impl Iterator<Item = EventIx> {
        let kind = self.events[event].kind;
        let waits = matches!(kind, EventKind::Join(_) | EventKind::WaitAlone);
        let threads = self.threads.iter().filter(move |_| waits);
        let over = threads.filter(move |thread| match kind {
            EventKind::Join(joined) => thread.thread == joined,
            _ => thread.parent.is_some(),
        });
        over.map(|thread| thread.last)
    }

    /// Whether every thread comes to an end, whatever the others do: nothing is waited for but
    /// threads, by those that made them.
    pub fn never_stands_still(&self) -> bool {
        let parents: FxHashMap<ThreadIx, ThreadIx> = (self.threads.iter())
            .filter_map(|thread| Some((thread.thread, thread.parent?.0)))
            .collect();
        let made = |by: ThreadIx, mut thread: ThreadIx| loop {
            match parents.get(&thread) {
                Some(parent) if *parent == by => return true,
                Some(parent) => thread = *parent,
                None => return false,
            }
        };
        let mut held_up = self.events.iter().filter(|e| e.enabled.is_some());
        self.waits.is_empty()
            && held_up.all(|e| matches!(e.kind, EventKind::Join(other) if made(e.thread, other)))
    }

    /// The first events of each thread, and what can happen up to there: what a model of that says
    /// can happen can happen.
    pub fn prefix(&self, terms: &mut Terms, most: usize) -> Graph {
        let no = terms.bool(false);
        let mut part = Graph {
            atoms: self.atoms.clone(),
            required: self.required.clone(),
            ..Graph::default()
        };
        let mut numbers: FxHashMap<EventIx, EventIx> = FxHashMap::default();
        // Parents come after their children in the list.
        let mut threads: FxHashMap<ThreadIx, bool> = FxHashMap::default();
        for thread in self.threads.iter().rev() {
            let parent = match thread.parent {
                None => None,
                Some((parent, create)) => match numbers.get(&create) {
                    Some(create) => Some((parent, *create)),
                    None => continue,
                },
            };
            let is_whole = thread.events.len() <= most;
            threads.insert(thread.thread, is_whole);
            let kept = &thread.events[..thread.events.len().min(most)];
            let mut events = Vec::new();
            for event in kept {
                let number = part.events.push(self.events[*event].clone());
                numbers.insert(*event, number);
                events.push(number);
            }
            if !is_whole {
                let last = Event {
                    reached: no,
                    executed: no,
                    ..self.events[thread.last].clone()
                };
                events.push(part.events.push(last));
            }
            part.threads.push(Thread {
                thread: thread.thread,
                function: thread.function,
                parent,
                first: events[0],
                last: events[events.len() - 1],
                events,
            });
        }
        part.threads.reverse();
        let skippable = self.skippable.iter();
        part.skippable = skippable.filter_map(|e| numbers.get(e).copied()).collect();
        let is_whole = |thread: ThreadIx| threads.get(&thread).copied().unwrap_or(false);
        let all_whole = self.threads.iter().all(|thread| is_whole(thread.thread));
        for e in part.events.iter() {
            let can_end = match e.kind {
                EventKind::Join(other) => is_whole(other),
                EventKind::WaitAlone => all_whole,
                _ => true,
            };
            if !can_end {
                part.required.push(terms.not(e.executed));
            }
        }
        let is_in = |thread: ThreadIx, after: usize| threads.contains_key(&thread) && after <= most;
        for fault in self
            .faults
            .iter()
            .filter(|fault| is_in(fault.thread, fault.after))
        {
            part.faults.push(fault.clone());
        }
        let exits = self
            .exits
            .iter()
            .filter(|exit| is_in(exit.thread, exit.after));
        part.exits.extend(exits.cloned());
        part.inputs = self.inputs.clone();
        part.inputs
            .retain(|input| threads.contains_key(&input.thread));
        let number = |event: EventIx| numbers.get(&event).copied();
        for phase in &self.phases {
            let arrivals = phase.arrivals.iter();
            let arrivals: Option<Vec<_>> = arrivals
                .map(|(event, last)| Some((number(*event)?, *last)))
                .collect();
            let leaves: Option<Vec<EventIx>> = phase.leaves.iter().map(|e| number(*e)).collect();
            match arrivals.zip(leaves) {
                Some((arrivals, leaves)) => {
                    part.phases.push(Phase { arrivals, leaves });
                }
                // Not all come so far.
                None => {
                    for leave in phase.leaves.iter().filter_map(|leave| number(*leave)) {
                        part.required.push(terms.not(part.events[leave].executed));
                    }
                }
            }
        }
        for waiter in &self.waiters {
            if let (Some(begin), Some(wake)) = (number(waiter.begin), number(waiter.wake)) {
                let since = waiter.since.iter().filter_map(|event| number(*event));
                part.waiters.push(Waiter {
                    begin,
                    wake,
                    since: since.collect(),
                    ..*waiter
                });
            }
        }
        for signal in &self.signals {
            if let Some(event) = number(signal.event) {
                part.signals.push(Signal { event, ..*signal });
            }
        }
        part
    }

    /// The closure of that.
    pub fn fixed_order(&self) -> FixedOrder {
        let mut order = FixedOrder::default();
        for _ in self.events.iter() {
            order.add_event();
        }
        for (a, b) in self.always_before() {
            order.add(Graph::node(a), Graph::node(b));
        }
        order
    }

    /// The event in the fixed order.
    pub fn node(event: EventIx) -> EventId {
        EventId::from(event.index())
    }
}

/// One phase of a barrier.
pub struct Phase {
    /// That a thread has come, and whether it was the last to come.
    pub arrivals: Vec<(EventIx, TermId)>,
    /// That it goes on, by thread in the same order.
    pub leaves: Vec<EventIx>,
}

impl Phase {
    /// All arrive before any other goes on.
    fn edges(&self) -> impl Iterator<Item = (EventIx, EventIx)> {
        let leaves = self.leaves.iter().enumerate();
        leaves.flat_map(move |(thread, leave)| {
            let arrivals = self.arrivals.iter().enumerate();
            let others = arrivals.filter(move |(other, _)| *other != thread);
            others.map(move |(_, (arrival, _))| (*arrival, *leave))
        })
    }
}

pub struct Thread {
    pub thread: ThreadIx,
    pub function: FuncId,
    pub parent: Option<(ThreadIx, EventIx)>,
    pub first: EventIx,
    /// The last event of the thread; it is executed if the thread ends.
    pub last: EventIx,
    /// In the order of the program, alternatives beside each other.
    pub events: Vec<EventIx>,
}

/// One visible operation, or an atomic section.
#[derive(Clone)]
pub struct Event {
    pub thread: ThreadIx,
    pub key: Key,
    pub place: (FuncId, BlockId, u32),
    pub loc: LocId,
    /// The thread comes here.
    pub reached: TermId,
    /// It is done: a fresh input if it can be held up, `reached` otherwise.
    pub executed: TermId,
    /// What must hold for it to be done, over what it reads.
    pub enabled: Option<TermId>,
    pub reads: Vec<Read>,
    pub writes: Vec<Write>,
    /// What is accessed in the plain way, not by atomic operations or operations on locks.
    pub plain: Vec<AtomIx>,
    /// Where the critical section that the event is comes to its end, and when it comes to that.
    pub ends: Vec<(TermId, Key)>,
    pub kind: EventKind,
}

impl Event {
    /// Whether both touch one piece of memory, one of them writing.
    pub fn conflicts_with(&self, other: &Event) -> bool {
        let touches = |e: &Event, atom| {
            e.reads.iter().any(|r| r.atom == atom) || e.writes.iter().any(|w| w.atom == atom)
        };
        self.writes.iter().any(|w| touches(other, w.atom))
            || other.writes.iter().any(|w| touches(self, w.atom))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    Access,
    /// A section that can be left out as a whole, if an assumption in it fails.
    Section,
    Lock,
    Unlock,
    Synchronise,
    Create(ThreadIx),
    Begin,
    Join(ThreadIx),
    /// Waits for all other threads.
    WaitAlone,
    End,
}

#[derive(Clone, Copy)]
pub struct Read {
    pub atom: AtomIx,
    /// Besides `executed`.
    pub cond: TermId,
    /// An input.
    pub symbol: TermId,
    /// What the event finds: the input, or the only value that it can have.
    pub value: TermId,
    pub key: ReadKey,
}

#[derive(Clone, Copy)]
pub struct Write {
    pub atom: AtomIx,
    pub cond: TermId,
    pub value: TermId,
}

/// Somewhere in an object something is read.
pub struct CoarseRead {
    pub base: u64,
    pub symbol: TermId,
    pub key: ReadKey,
    /// What is there before the start.
    pub initial: Interval,
}

/// Somewhere in an object something is written.
pub struct CoarseWrite {
    pub base: u64,
    pub guard: TermId,
    pub value: TermId,
}

#[derive(Clone)]
pub struct Atom {
    pub address: u64,
    pub bytes: u32,
    /// What is there before the start.
    pub initial: TermId,
    /// It is the first word of a mutex.
    pub is_mutex: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    Assertion,
    Abort,
    Memory,
    LockMisuse,
    DivisionByZero,
    Unreachable,
}

/// Something goes wrong if a thread comes here.
#[derive(Clone)]
pub struct Fault {
    pub kind: FaultKind,
    pub thread: ThreadIx,
    pub loc: LocId,
    pub key: KeyId,
    pub cond: TermId,
    /// So many events its thread makes before, at most.
    pub after: usize,
}

/// An edge that no execution has taken.
#[derive(Clone)]
pub struct Exit {
    pub thread: ThreadIx,
    /// Where it leads.
    pub target: Key,
    pub loc: LocId,
    pub cond: TermId,
    /// The round of a loop, or the depth of a recursion, that it begins.
    pub round: Option<u32>,
    /// So many events its thread makes before, at most.
    pub after: usize,
}

/// A round of a loop that changed nothing.
pub struct Wait {
    pub thread: ThreadIx,
    pub loc: LocId,
    pub cond: TermId,
    /// What the round looked at.
    pub reads: Vec<EventIx>,
    /// The round asked for inputs: the next one may be another.
    pub asks: bool,
}

/// An input that a thread asks for, in the order in which it does.
#[derive(Clone)]
pub struct Input {
    pub thread: ThreadIx,
    pub key: Key,
    pub cond: TermId,
    pub name: String,
    pub term: TermId,
}

/// A wait for a condition variable.
#[derive(Clone)]
pub struct Waiter {
    pub condition: u64,
    pub mutex: u64,
    /// The event that gives the mutex back. It may be a whole critical section, which also ends
    /// without a wait.
    pub begin: EventIx,
    /// The thread begins to wait.
    pub cond: TermId,
    pub wake: EventIx,
    /// Whether its time was up, if it has one.
    pub timed: Option<TermId>,
    /// Rounds in which it stands may be left out, that began after these events: the thread may
    /// have waited before them, too.
    pub since: Vec<EventIx>,
}

#[derive(Clone)]
pub struct Signal {
    pub condition: u64,
    /// It may be the critical section in which the thread signals.
    pub event: EventIx,
    pub cond: TermId,
    pub all: bool,
}

/// One side of an unrolled branch: a thread goes on there.
pub struct Side {
    pub place: (FuncId, BlockId),
    pub target: BlockId,
    pub cond: TermId,
}

/// Why a program is not for this method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    pub loc: LocId,
    pub why: String,
}

//! One execution per Mazurkiewicz trace, none blocked, in space polynomial in the length of an
//! execution.
//!
//! The method is that of TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL'22), carried
//! over from execution graphs to sequences that the machine executes and takes back. The search
//! holds a sequence and extends it by the first thread that can go on; the new step comes after all
//! others. What else it could have done is tried when everything below has been:
//!
//! - A step that only reads can stand before a write that is already there. Nobody else notices, so
//!   all other steps stay.
//! - A step that writes can stand before a step that is already there and depends on it. That one
//!   is *revisited*: it is done anew after the write, and what was added since and is not needed by
//!   the write is taken out. Several sequences become the same one when these steps are taken out.
//!   Only one of them may explore it: the one in which every step taken out stands where it would
//!   have been put last, given the steps that stay (TruSt's maximal extension,
//!   `Search::is_maximal_extension`). This replaces sleep sets.
//! - A step that cannot be done (a taken lock) waits. If it was revisited, it leaves an *attempt*:
//!   the waiting step must later come after the step that revisited it. A step that changes nothing
//!   (an atomic section that cannot be passed) is tried at earlier places when nothing else is
//!   left.
//!
//! Memory: the sequence, and for every revisit in progress the steps that it replaced.
//! Writes are treated as read-modify-writes: two writes of one cell are dependent.

mod backtrack;
mod divide;
mod ends;
mod estimate;
mod execute;
mod follow;
mod inputs;
mod moves;
mod revisits;
mod sequence;
mod track;
mod unit;
mod waiting;

use std::cell::RefCell;
use std::sync::Arc;

use base::{IndexVec, id};
use machine::{End, Mode, Program, ThreadId};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use self::estimate::Probes;
use self::sequence::{Bytes, Counts, InsertionOrder, Origin, Saved, SavedId, Sequence, Step};
use self::track::Track;
pub use self::unit::{Part, WorkUnit};
use self::waiting::{Await, Refused};
use crate::cells::Cells;
use crate::driver::Finished;
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::options::Options;
use crate::outcome::{Frontier, Monitor, Resumed};
use crate::replies::Replies;
use crate::step::{EventId, StepId};
use crate::walk::Walk;
use crate::worker_pool::{self, Between, Workers};

/// Searches what is left of a search, or all.
pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    workers: Workers,
    left: Frontier,
    monitor: &mut dyn Monitor,
) -> Result<Resumed, Error> {
    worker_pool::search::<divide::Optimal>(program, options, workers, left, monitor)
}

/// A revisited step that could not be done: it waits, and must come after the step that revisited
/// it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Attempt {
    thread: ThreadId,
    index: u32,
    insertion_order: InsertionOrder,
    after: EventId,
}

id!(
    /// An open step, by its place on the stack of the search.
    OpenId, "open"
);

impl OpenId {
    const LOWEST: OpenId = OpenId(0);
}

/// Alternatives of a step that was taken out, in the course of being explored.
struct Open {
    /// The sequence has been replaced from here on.
    base: StepId,
    /// What stood there.
    saved: Saved,
    blocked_awaits: Vec<Await>,
    attempts: Vec<Attempt>,
    next_insertion_order: InsertionOrder,
    revisits: Vec<Revisit>,
    /// How many revisits there were at first.
    count: usize,
    /// The step itself; `None`: threads that could not go on at the end of an execution.
    step: Option<Step>,
    /// Of what was saved, what comes after the step in its new place.
    rest: Vec<SavedId>,
    revisited: Option<Revisited>,
}

/// The step that is to follow a moved one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Revisited {
    thread: ThreadId,
    index: u32,
    insertion_order: InsertionOrder,
}

/// Another place for a step (TruSt's revisits).
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Revisit {
    thread: ThreadId,
    insertion_order: InsertionOrder,
    direction: Direction,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Direction {
    /// Before this write and all that depends on it.
    Forward(StepId),
    /// In place of `target`, which then follows it; what was added since and the step does not need
    /// is taken out.
    Backward {
        target: StepId,
        porf_prefix: SmallVec<[u32; 16]>,
    },
    /// At the end, although it will have to wait there: its own other places are then known.
    Insist,
}

/// A step to be executed.
struct Todo {
    thread: ThreadId,
    insertion_order: InsertionOrder,
    origin: Origin,
    replies: Replies,
    finds: Option<Finds>,
}

/// The word that a step is to read, if it is executed after writes that it stands before.
#[derive(Clone, Copy)]
struct Finds {
    at: Bytes,
    word: u64,
}

/// What comes after a moved step that can be done in other ways.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rest {
    steps: Vec<(ThreadId, InsertionOrder, Replies)>,
    revisited: Option<Revisited>,
}

/// How executing a step went.
#[derive(Debug, PartialEq, Eq)]
enum Executed {
    Done,
    /// It cannot be done here.
    Refused,
    /// The path condition does not allow it.
    Infeasible,
    Finished(Finished),
}

pub(crate) struct Search<'a> {
    walk: Walk<'a>,
    cells: Cells,
    sequence: Sequence,
    track: Track,
    /// Turns of the machine when it began the current step, from which questions have their places.
    begun: u64,
    /// What the next step needs and what lies before it.
    base: Counts,
    /// Room for what a step would need elsewhere.
    porf_prefix: RefCell<Counts>,
    open: IndexVec<OpenId, Open>,
    /// Room for what is taken out.
    spare: Vec<Saved>,
    attempts: Vec<Attempt>,
    next_insertion_order: InsertionOrder,
    /// How the execution ended after the last step that the machine executed.
    end: Option<End>,
    blocked_awaits: Vec<Await>,
    /// The last step that was not done, and where it gave up.
    refused: Option<Refused>,
    /// The replies in the last step that the path condition did not allow.
    refuted: Replies,
    observes_joins: bool,
    /// What was known at the start.
    known: SearchFacts,
    /// Executions that come before those of its unit belong to other units.
    is_later_part: bool,
    /// How many threads can be told apart.
    most_threads: usize,
    /// The alternatives of steps before this one belong to other units.
    floor: StepId,
    /// The end of the steps after which a probe has chosen its way (see `estimate`).
    turned: StepId,
    probes: Probes,
}

impl<'a> Search<'a> {
    fn start(
        program: &Arc<Program>,
        options: &'a Options,
        monitor: &'a mut dyn Monitor,
        facts: &SearchFacts,
    ) -> Result<Search<'a>, Error> {
        let mode = Mode {
            observed: true,
            observes_joins: facts.observes_joins,
            ..Mode::default()
        };
        let probes = options.probes(&facts.peeking);
        let walk = Walk::start(program, options, monitor, facts, mode, probes)?;
        let sequence = Sequence::new(facts.threads.len());
        Ok(Search {
            walk,
            cells: facts.cells(),
            most_threads: sequence.width(),
            sequence,
            track: Default::default(),
            begun: 0,
            base: Vec::new(),
            porf_prefix: Default::default(),
            open: IndexVec::new(),
            spare: Vec::new(),
            attempts: Vec::new(),
            next_insertion_order: InsertionOrder::FIRST.next(),
            end: None,
            blocked_awaits: Vec::new(),
            refused: None,
            refuted: Replies::default(),
            observes_joins: facts.observes_joins,
            known: facts.clone(),
            is_later_part: false,
            floor: StepId::FIRST,
            turned: StepId::FIRST,
            probes: Default::default(),
        })
    }

    /// Goes on until nothing is left above the floor.
    fn run(&mut self, mut executed: Executed, between: Between<'_, Self>) -> Finished {
        loop {
            match executed {
                Executed::Finished(finished) => return finished,
                Executed::Done => {
                    if let Some(finished) = self.judge() {
                        return finished;
                    }
                    if let Some(thread) = self.next() {
                        executed = self.execute_fresh(thread);
                        continue;
                    }
                    if let Some(finished) = self.leaf().or_else(|| between(self)) {
                        return finished;
                    }
                    executed = self.backtrack();
                }
                Executed::Refused if self.refused.is_some() => {
                    self.withdraw();
                    executed = Executed::Done;
                }
                Executed::Refused | Executed::Infeasible => executed = self.backtrack(),
            }
        }
    }

    /// Executes the thread's next step, which was never part of the partial order.
    fn execute_fresh(&mut self, thread: ThreadId) -> Executed {
        let insertion_order = self.next_insertion_order;
        self.next_insertion_order = insertion_order.next();
        self.execute(Some(thread), Todo::fresh(thread, insertion_order), None)
    }

    /// The thread to go on: one that waits after a revisit, or the first that can.
    fn next(&self) -> Option<ThreadId> {
        if self.end.is_some() {
            return None;
        }
        let mut enabled = self
            .walk
            .machine
            .enabled()
            .iter()
            .filter(|e| !e.spurious && !self.is_blocked_await(e.thread))
            .map(|e| e.thread);
        let waiting = self
            .attempts
            .iter()
            .filter(|a| self.sequence.count(a.thread) < a.index)
            .map(|a| a.thread)
            .find(|t| enabled.clone().any(|e| e == *t));
        waiting.or_else(|| enabled.next())
    }
}

impl Attempt {
    fn event(&self) -> EventId {
        EventId {
            thread: self.thread,
            index: self.index,
        }
    }
}

impl Revisit {
    fn moved(&self, finds: Option<Finds>) -> Todo {
        Todo {
            origin: Origin::Moved,
            finds,
            ..Todo::fresh(self.thread, self.insertion_order)
        }
    }
}

impl Todo {
    fn fresh(thread: ThreadId, insertion_order: InsertionOrder) -> Todo {
        Todo {
            thread,
            insertion_order,
            origin: Origin::Fresh,
            replies: Replies::default(),
            finds: None,
        }
    }
}

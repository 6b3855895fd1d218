//! A sequence of operations and the partial order it stands for: what the search reasons about,
//! without the machine.
//!
//! Each step has two clocks. The first counts the steps that it *needs*: those before it by program
//! order, creation and join, and for every cell the chain of writes up to the one it follows
//! (TruSt's porf). The second counts the steps that lie *before* it in every equivalent sequence:
//! the same, and reads before the writes that follow them (happens-before). What a step finds in
//! memory depends on the steps that it needs, and not on others that merely lie before it.

use std::num::NonZeroU32;
use std::ops::Range;

use base::{IndexVec, id};
use machine::{ThreadId, Touch};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use thin_vec::ThinVec;

use super::Rest;
use super::track::SlotId;
use crate::cells::CellId;
use crate::decision::Decision;
use crate::replies::Replies;
use crate::step::{EventId, StepId};

id!(
    /// When a step was first added to the partial order (TruSt's insertion order): what was added
    /// later is greater.
    InsertionOrder, "#"
);

impl InsertionOrder {
    pub const FIRST: InsertionOrder = InsertionOrder(0);

    pub fn next(self) -> InsertionOrder {
        InsertionOrder(self.0 + 1)
    }
}

id!(
    /// A step that was taken out, by its place among those that were taken out with it.
    SavedId, "saved"
);

/// How a step came to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// Next in the usual order, after everything else.
    Fresh,
    /// It was there before, and does what it did.
    Kept,
    /// Placed before steps that are older, or did before one that is now to follow it.
    Moved,
    /// Made to follow one that is newer.
    Revisited,
}

#[derive(Clone)]
pub struct Step {
    pub thread: ThreadId,
    /// Among the steps of its thread, from 1.
    pub index: u32,
    pub insertion_order: InsertionOrder,
    pub cell: CellId,
    pub written: bool,
    /// Whether it writes depends on what it finds.
    pub conditional: bool,
    pub origin: Origin,
    /// The thread's own time, counted in creations and joins, and what it knows of the times of
    /// the others, added up.
    pub time: u32,
    pub knowledge: u32,
    pub replies: Replies,
    /// It ended a round of a loop that had no net effect (see `crate::waiting`).
    pub awaits: bool,
    /// With other replies it would have to wait here.
    pub waits: bool,
    /// What was decided after it was scheduled.
    pub decisions: ThinVec<Decision>,
    /// Steps on the same cell: the previous one, the last write before it, the next write after it
    /// (of reads only).
    pub previous: StepId,
    pub last_write: StepId,
    pub next_write: StepId,
    /// How many dependent steps follow it that were added earlier.
    pub overtaken: u32,
    /// What it touched, if that was plain data.
    pub bytes: Option<Bytes>,
    /// The last steps of other threads that creation, joins and signals have put before it since
    /// its thread's previous step.
    pub known_steps: KnownSteps,
    /// Threads to which it gave a signal that they waited for.
    pub woken: SmallVec<[ThreadId; 1]>,
    /// It ended in a fault, after which others went on.
    pub faulty: bool,
    /// Where `Track` keeps what the machine knows of it.
    pub slot: SlotId,
    /// It shares the slot with the step that it is a copy of, which was taken out.
    pub is_copy: bool,
    /// What comes after it in its new place, if it may be done in other ways there.
    pub rest: Option<Box<Rest>>,
    /// The greatest insertion order of the steps on its cell up to this one.
    greatest: InsertionOrder,
}

impl Step {
    pub fn new(thread: ThreadId, insertion_order: InsertionOrder, origin: Origin) -> Step {
        Step {
            thread,
            index: 0,
            insertion_order,
            cell: CellId::NONE,
            written: false,
            conditional: false,
            origin,
            time: 0,
            knowledge: 0,
            replies: Replies::default(),
            awaits: false,
            waits: false,
            decisions: ThinVec::new(),
            previous: StepId::NONE,
            last_write: StepId::NONE,
            next_write: StepId::NONE,
            overtaken: 0,
            bytes: None,
            known_steps: KnownSteps::new(),
            woken: SmallVec::new(),
            faulty: false,
            slot: SlotId::NONE,
            is_copy: false,
            rest: None,
            greatest: InsertionOrder::FIRST,
        }
    }

    #[inline]
    pub fn event(&self) -> EventId {
        EventId {
            thread: self.thread,
            index: self.index,
        }
    }

    /// Whether a clock, which counts the first steps of each thread, counts this one.
    #[inline]
    pub fn is_in(&self, clock: &[u32]) -> bool {
        self.event().is_in(clock)
    }

    /// The same, put into a sequence once more.
    pub fn kept(&self) -> Step {
        Step {
            origin: Origin::Kept,
            replies: self.replies.clone(),
            decisions: self.decisions.clone(),
            known_steps: self.known_steps.clone(),
            woken: self.woken.clone(),
            is_copy: true,
            rest: None,
            ..*self
        }
    }
}

/// A few bytes of memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bytes {
    pub address: u64,
    pub count: NonZeroU32,
}

impl Bytes {
    /// What an operation touched, if it was one access to a word of data.
    pub fn of(touches: &[Touch]) -> Option<Bytes> {
        match *touches {
            [touch] if touch.bytes <= 8 && touch.words.is_none() && !touch.in_section => {
                let count = NonZeroU32::new(touch.bytes as u32)?;
                Some(Bytes {
                    address: touch.address,
                    count,
                })
            }
            _ => None,
        }
    }
}

pub type KnownSteps = SmallVec<[EventId; 1]>;

/// A vector of step counts, one per thread.
pub type Counts = Vec<u32>;

pub struct Sequence {
    pub steps: IndexVec<StepId, Step>,
    /// Four vectors per step: needed and before without the step's own cell, needed, before.
    clocks: Vec<u32>,
    /// Threads in a vector.
    width: usize,
    /// The last step on each cell.
    last: IndexVec<CellId, StepId>,
    /// The steps of each thread.
    pub of_thread: IndexVec<ThreadId, Vec<StepId>>,
    /// How many steps ended in a fault.
    faulty: u32,
}

/// Steps taken out, with their clocks, to be put back later.
#[derive(Default)]
pub struct Saved {
    pub steps: IndexVec<SavedId, Step>,
    clocks: Vec<u32>,
}

impl Sequence {
    pub fn new(threads: usize) -> Sequence {
        let width = threads.max(1).next_multiple_of(4);
        Sequence {
            steps: IndexVec::new(),
            clocks: Vec::new(),
            width,
            last: IndexVec::new(),
            of_thread: (0..width).map(|_| Vec::new()).collect(),
            faulty: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Where the next step will stand.
    #[inline]
    pub fn end(&self) -> StepId {
        // That ids are large enough is known since the last step was added.
        StepId(self.steps.len() as u32)
    }

    /// The last step, of which there is one.
    #[inline]
    pub fn last(&self) -> StepId {
        StepId(self.end().0 - 1)
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Where the clocks of a step begin, from this one of the four on.
    fn at(&self, step: StepId, which: usize) -> usize {
        (step.index() * 4 + which) * self.width
    }

    /// The same for steps that were taken out.
    fn at_saved(&self, step: SavedId, which: usize) -> usize {
        (step.index() * 4 + which) * self.width
    }

    /// What the step needs and what lies before it, without regard to its cell: two vectors.
    #[inline]
    pub fn base(&self, step: StepId) -> &[u32] {
        let at = self.at(step, 0);
        &self.clocks[at..at + 2 * self.width]
    }

    /// What the step needs, itself included.
    #[inline]
    pub fn needed(&self, step: StepId) -> &[u32] {
        let at = self.at(step, 2);
        &self.clocks[at..at + self.width]
    }

    pub fn last_on(&self, cell: CellId) -> StepId {
        self.last.get(cell).copied().unwrap_or(StepId::NONE)
    }

    /// Where the event is, if it is in the sequence.
    pub fn find(&self, event: EventId) -> Option<StepId> {
        let steps = self.of_thread.get(event.thread)?;
        steps.get(event.index as usize - 1).copied()
    }

    /// How many steps the thread has made.
    pub fn count(&self, thread: ThreadId) -> u32 {
        self.of_thread.get(thread).map_or(0, |s| s.len() as u32)
    }

    /// The event that the thread's next step will be.
    pub fn next_event(&self, thread: ThreadId) -> EventId {
        EventId {
            thread,
            index: self.count(thread) + 1,
        }
    }

    /// Whether the sequence goes on after a fault. Such executions do not count; they are followed
    /// for the dependences that they show.
    pub fn is_faulty(&self) -> bool {
        self.faulty > 0
    }

    /// The last step ended in a fault.
    pub fn set_faulty(&mut self) {
        let step = self.steps.last_mut().expect("a step");
        self.faulty += u32::from(!step.faulty);
        step.faulty = true;
    }

    /// What a step needs that will be put at the end, and what lies before it, without regard to
    /// its cell.
    pub fn base_of(&self, step: &Step, base: &mut Counts) {
        base.clear();
        match self.of_thread[step.thread].last() {
            Some(&last) => {
                let at = self.at(last, 2);
                base.extend_from_slice(&self.clocks[at..at + 2 * self.width]);
            }
            None => base.resize(2 * self.width, 0),
        }
        for &event in &step.known_steps {
            let known = self.find(event).expect("a step that is known");
            let at = self.at(known, 2);
            let clocks = &self.clocks[at..at + 2 * self.width];
            for (mine, theirs) in base.iter_mut().zip(clocks) {
                *mine = (*mine).max(*theirs);
            }
        }
    }

    /// Adds a step at the end. `base`: what is needed and what lies before, without regard to its
    /// cell.
    pub fn push(&mut self, mut step: Step, base: &[u32]) {
        let (w, id) = (self.width, self.end());
        debug_assert_eq!(base.len(), 2 * w);
        let at = self.clocks.len();
        self.clocks.extend_from_slice(base);
        self.clocks.extend_from_slice(base);
        let of_thread = &mut self.of_thread[step.thread];
        of_thread.push(id);
        step.index = of_thread.len() as u32;
        let thread = step.thread.index();
        self.clocks[at + 2 * w + thread] = step.index;
        self.clocks[at + 3 * w + thread] = step.index;
        self.faulty += u32::from(step.faulty);
        let has_cell = step.cell != CellId::NONE;
        self.steps.push(step);
        if has_cell {
            self.link(id);
        }
    }

    /// Relates the last step to the others on its cell.
    fn link(&mut self, id: StepId) {
        let (others, rest) = self.steps.as_mut_slice().split_at_mut(id.index());
        let step = &mut rest[0];
        self.last.reach(step.cell, StepId::NONE);
        step.previous = std::mem::replace(&mut self.last[step.cell], id);
        step.next_write = StepId::NONE;
        step.overtaken = 0;
        step.greatest = step.insertion_order;
        step.last_write = StepId::NONE;
        let Some(previous) = others.get(step.previous.index()) else {
            return;
        };
        step.last_write = if previous.written {
            step.previous
        } else {
            previous.last_write
        };
        step.greatest = step.insertion_order.max(previous.greatest);
        if step.greatest > step.insertion_order {
            overtake(others, step, true);
        }
        let (written, last_write) = (step.written, step.last_write);
        let mut at = step.previous;
        while written && at != last_write {
            let read = &mut others[at.index()];
            read.next_write = id;
            join(&mut self.clocks, self.width, [at, id], 3..4);
            at = read.previous;
        }
        if last_write.is_some() {
            join(&mut self.clocks, self.width, [last_write, id], 2..4);
        }
    }

    /// Takes the last step out.
    pub fn pop(&mut self) -> Step {
        let last = self.last();
        self.clocks.truncate(self.at(last, 0));
        self.unlink(last);
        self.steps.pop().expect("a step")
    }

    /// Takes back what adding the last step did to others.
    #[inline]
    fn unlink(&mut self, id: StepId) {
        let (others, rest) = self.steps.as_mut_slice().split_at_mut(id.index());
        let step = &rest[0];
        self.of_thread[step.thread].pop();
        self.faulty -= u32::from(step.faulty);
        if step.cell == CellId::NONE {
            return;
        }
        self.last[step.cell] = step.previous;
        if step.written {
            set_next_write(others, step.previous, StepId::NONE);
        }
        if step.greatest != step.insertion_order {
            overtake(others, step, false);
        }
    }

    /// Takes out everything from `base` on.
    pub fn save(&mut self, base: StepId, saved: &mut Saved) {
        debug_assert!(saved.steps.is_empty());
        let at = self.at(base, 0);
        saved.clocks.clear();
        saved.clocks.extend_from_slice(&self.clocks[at..]);
        self.clocks.truncate(at);
        for i in (base.0..self.end().0).rev() {
            self.unlink(StepId(i));
        }
        saved.steps.extend(self.steps.drain_from(base));
    }

    /// Whether the event lies before a saved step.
    pub fn lay_behind(&self, saved: &Saved, step: SavedId, event: EventId) -> bool {
        saved.clocks[self.at_saved(step, 3) + event.thread.index()] >= event.index
    }

    /// What a saved step needs and what lies before it, without regard to its cell.
    pub fn saved_base<'s>(&self, saved: &'s Saved, step: SavedId) -> &'s [u32] {
        let at = self.at_saved(step, 0);
        &saved.clocks[at..at + 2 * self.width]
    }

    /// Puts everything back that was saved at this length.
    pub fn restore(&mut self, saved: &mut Saved) {
        self.clocks.extend_from_slice(&saved.clocks);
        let base = self.end();
        self.steps.append(&mut saved.steps);
        for i in base.0..self.end().0 {
            self.relink(StepId(i));
        }
    }

    /// Does to others what adding the step did. Its own links are still right.
    #[inline]
    fn relink(&mut self, id: StepId) {
        let (others, rest) = self.steps.as_mut_slice().split_at_mut(id.index());
        let step = &rest[0];
        self.of_thread[step.thread].push(id);
        self.faulty += u32::from(step.faulty);
        if step.cell == CellId::NONE {
            return;
        }
        self.last[step.cell] = id;
        if step.written {
            set_next_write(others, step.previous, id);
        }
        if step.greatest != step.insertion_order {
            overtake(others, step, true);
        }
    }
}

/// Joins some of the four vectors of one step into those of another.
#[inline]
fn join(clocks: &mut [u32], width: usize, [from, to]: [StepId; 2], which: Range<usize>) {
    let (left, right) = clocks.split_at_mut(to.index() * 4 * width);
    let range = which.start * width..which.end * width;
    let source = &left[from.index() * 4 * width..][range.clone()];
    for (mine, theirs) in right[range].iter_mut().zip(source) {
        *mine = (*mine).max(*theirs);
    }
}

/// Sets the next write of the reads between the last write and `from`.
fn set_next_write(steps: &mut [Step], from: StepId, write: StepId) {
    let mut at = from;
    while at.is_some() && !steps[at.index()].written {
        steps[at.index()].next_write = write;
        at = steps[at.index()].previous;
    }
}

/// Counts a step as one that overtakes newer ones before it, or no longer.
fn overtake(steps: &mut [Step], step: &Step, add: bool) {
    let mut at = if step.written {
        step.previous
    } else {
        step.last_write
    };
    while at.is_some() {
        let other = &mut steps[at.index()];
        if other.insertion_order > step.insertion_order {
            if add {
                other.overtaken += 1;
            } else {
                other.overtaken -= 1;
            }
        }
        // Two reads are not dependent.
        at = if step.written {
            other.previous
        } else {
            other.last_write
        };
    }
}

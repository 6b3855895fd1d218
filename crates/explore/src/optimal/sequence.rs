//! A sequence of operations and the partial order it stands for: what the search reasons about,
//! without the machine.
//!
//! Steps stand in the order in which they are executed. Each has two clocks: what it *needs*
//! (program order, creation and join, and for every cell the chain of writes up to the one it
//! follows), and what lies *before* it in every equivalent sequence (the same, and reads before the
//! writes that follow them). A step that is needed by another determines what that one sees; one
//! that merely lies before it does not.

use std::num::NonZeroU32;
use std::ops::Range;

use machine::{ThreadId, Touch};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use thin_vec::ThinVec;

use super::Rest;
use crate::cells::NO_CELL;
use crate::decision::Decision;
use crate::replies::Replies;

pub const NONE: u32 = u32::MAX;

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
    pub thread: u32,
    /// Among the steps of its thread, from 1.
    pub index: u32,
    /// When it was first added to the partial order.
    pub insertion_order: u32,
    pub cell: u32,
    pub written: bool,
    /// Whether it writes depends on what it finds.
    pub conditional: bool,
    pub origin: Origin,
    /// The thread's own time, counted in creations and joins, and what it knows of the others'.
    pub time: u32,
    pub knowledge: u32,
    pub replies: Replies,
    /// It ended a round of a loop that had no net effect (see `crate::waiting`).
    pub awaits: bool,
    /// With other replies it cannot be done here.
    pub waits: bool,
    /// What was decided after it was scheduled.
    pub decisions: ThinVec<Decision>,
    /// Steps on the same cell: the one before, the last write before, the next write after (kept
    /// for reads alone).
    pub previous: u32,
    pub last_write: u32,
    pub next_write: u32,
    /// So many dependent steps follow it that were added earlier.
    pub overtaken: u32,
    /// What it touched, if that was plain data.
    pub bytes: Option<Bytes>,
    /// The last steps of other threads that creation, joins and signals have put before it since
    /// its thread's last step.
    pub known_steps: KnownSteps,
    /// Threads to which it gave a signal that they waited for.
    pub woken: SmallVec<[ThreadId; 1]>,
    /// It ended in a fault, after which others went on.
    pub faulty: bool,
    /// Where `Track` keeps what the machine knows of it.
    pub slot: u32,
    /// Another one, which was taken out, has the same slot.
    pub is_copy: bool,
    /// What comes after it in its new place, if it may be done in other ways there.
    pub rest: Option<Box<Rest>>,
    /// The greatest stamp on the cell up to here.
    greatest: u32,
}

impl Step {
    pub fn new(thread: u32, insertion_order: u32, origin: Origin) -> Step {
        Step {
            thread,
            index: 0,
            insertion_order,
            cell: NO_CELL,
            written: false,
            conditional: false,
            origin,
            time: 0,
            knowledge: 0,
            replies: Replies::default(),
            awaits: false,
            waits: false,
            decisions: ThinVec::new(),
            previous: NONE,
            last_write: NONE,
            next_write: NONE,
            overtaken: 0,
            bytes: None,
            known_steps: KnownSteps::new(),
            woken: SmallVec::new(),
            faulty: false,
            slot: NONE,
            is_copy: false,
            rest: None,
            greatest: 0,
        }
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

/// Steps, by thread and index.
pub type KnownSteps = SmallVec<[(u32, u32); 1]>;

/// A vector of step counts, one per thread.
pub type Counts = Vec<u32>;

pub struct Sequence {
    pub steps: Vec<Step>,
    /// Four vectors per step: needed and before without the step's own cell, needed, before.
    clocks: Vec<u32>,
    /// Threads in a vector.
    width: usize,
    /// The last step on each cell.
    last: Vec<u32>,
    /// The steps of each thread.
    pub of_thread: Vec<Vec<u32>>,
    /// Steps that ended in a fault.
    faulty: u32,
}

/// Steps taken out, with their clocks, to be put back later.
#[derive(Default)]
pub struct Saved {
    pub steps: Vec<Step>,
    clocks: Vec<u32>,
}

impl Sequence {
    pub fn new(threads: usize) -> Sequence {
        let width = threads.max(1).next_multiple_of(4);
        Sequence {
            steps: Vec::new(),
            clocks: Vec::new(),
            width,
            last: Vec::new(),
            of_thread: vec![Vec::new(); width],
            faulty: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn width(&self) -> usize {
        self.width
    }

    fn at(&self, step: usize, which: usize) -> usize {
        (step * 4 + which) * self.width
    }

    /// What the step needs and what lies before it, without regard to its cell: two vectors.
    #[inline]
    pub fn base(&self, step: usize) -> &[u32] {
        let at = self.at(step, 0);
        &self.clocks[at..at + 2 * self.width]
    }

    /// What the step needs, itself included.
    #[inline]
    pub fn needed(&self, step: usize) -> &[u32] {
        let at = self.at(step, 2);
        &self.clocks[at..at + self.width]
    }

    pub fn last_on(&self, cell: u32) -> u32 {
        self.last.get(cell as usize).copied().unwrap_or(NONE)
    }

    /// The step that is the thread's `index`-th, if it is in the sequence.
    pub fn find(&self, thread: u32, index: u32) -> Option<usize> {
        let steps = self.of_thread.get(thread as usize)?;
        steps.get(index as usize - 1).map(|i| *i as usize)
    }

    pub fn count(&self, thread: u32) -> u32 {
        self.of_thread
            .get(thread as usize)
            .map_or(0, |s| s.len() as u32)
    }

    /// Whether something went on after a fault: nothing counts any more but what it shows to be
    /// dependent.
    pub fn is_faulty(&self) -> bool {
        self.faulty > 0
    }

    /// The last step ended in a fault.
    pub fn set_faulty(&mut self) {
        let step = self.steps.last_mut().expect("a step");
        self.faulty += u32::from(!step.faulty);
        step.faulty = true;
    }

    /// What a step needs that is put at the end, and what lies before it, without regard to its
    /// cell.
    pub fn base_of(&self, step: &Step, base: &mut Counts) {
        base.clear();
        match self.of_thread[step.thread as usize].last() {
            Some(&last) => {
                let at = self.at(last as usize, 2);
                base.extend_from_slice(&self.clocks[at..at + 2 * self.width]);
            }
            None => base.resize(2 * self.width, 0),
        }
        for &(thread, index) in &step.known_steps {
            let known = self.find(thread, index).expect("a step that is known");
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
        let (w, i) = (self.width, self.steps.len());
        debug_assert_eq!(base.len(), 2 * w);
        let at = self.clocks.len();
        self.clocks.extend_from_slice(base);
        self.clocks.extend_from_slice(base);
        let thread = step.thread as usize;
        self.of_thread[thread].push(i as u32);
        step.index = self.of_thread[thread].len() as u32;
        self.clocks[at + 2 * w + thread] = step.index;
        self.clocks[at + 3 * w + thread] = step.index;
        self.faulty += u32::from(step.faulty);
        let has_cell = step.cell != NO_CELL;
        self.steps.push(step);
        if has_cell {
            self.link(i);
        }
    }

    /// Relates the last step to the others on its cell.
    fn link(&mut self, i: usize) {
        let (others, rest) = self.steps.split_at_mut(i);
        let step = &mut rest[0];
        let cell = step.cell as usize;
        if self.last.len() <= cell {
            self.last.resize(cell + 1, NONE);
        }
        step.previous = std::mem::replace(&mut self.last[cell], i as u32);
        step.next_write = NONE;
        step.overtaken = 0;
        step.greatest = step.insertion_order;
        step.last_write = NONE;
        let Some(previous) = others.get(step.previous as usize) else {
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
        let mut j = step.previous;
        while written && j != last_write {
            others[j as usize].next_write = i as u32;
            join(&mut self.clocks, self.width, [j as usize, i], 3..4);
            j = others[j as usize].previous;
        }
        if last_write != NONE {
            join(&mut self.clocks, self.width, [last_write as usize, i], 2..4);
        }
    }

    /// Takes the last step out.
    pub fn pop(&mut self) -> Step {
        let i = self.steps.len() - 1;
        self.clocks.truncate(self.at(i, 0));
        self.unlink(i);
        self.steps.pop().expect("a step")
    }

    /// Takes back what adding the last step did to others.
    #[inline]
    fn unlink(&mut self, i: usize) {
        let (others, rest) = self.steps.split_at_mut(i);
        let step = &rest[0];
        self.of_thread[step.thread as usize].pop();
        self.faulty -= u32::from(step.faulty);
        if step.cell == NO_CELL {
            return;
        }
        self.last[step.cell as usize] = step.previous;
        if step.written {
            set_next_write(others, step.previous, NONE);
        }
        if step.greatest != step.insertion_order {
            overtake(others, step, false);
        }
    }

    /// Takes out everything from `base` on.
    pub fn save(&mut self, base: usize, saved: &mut Saved) {
        debug_assert!(saved.steps.is_empty());
        let at = self.at(base, 0);
        saved.clocks.clear();
        saved.clocks.extend_from_slice(&self.clocks[at..]);
        self.clocks.truncate(at);
        for i in (base..self.steps.len()).rev() {
            self.unlink(i);
        }
        saved.steps.extend(self.steps.drain(base..));
    }

    /// Whether a saved step, by its number, lies behind the `index`-th of this thread.
    pub fn lay_behind(&self, saved: &Saved, step: usize, thread: u32, index: u32) -> bool {
        saved.clocks[self.at(step, 3) + thread as usize] >= index
    }

    /// What a saved step, by its number, needs and what lies before it, without regard to its cell.
    pub fn saved_base<'s>(&self, saved: &'s Saved, step: usize) -> &'s [u32] {
        let at = self.at(step, 0);
        &saved.clocks[at..at + 2 * self.width]
    }

    /// Puts everything back that was saved at this length.
    pub fn restore(&mut self, saved: &mut Saved) {
        self.clocks.extend_from_slice(&saved.clocks);
        let base = self.steps.len();
        self.steps.append(&mut saved.steps);
        for i in base..self.steps.len() {
            self.relink(i);
        }
    }

    /// Does to others what adding a step did. Its own links still hold.
    #[inline]
    fn relink(&mut self, i: usize) {
        let (others, rest) = self.steps.split_at_mut(i);
        let step = &rest[0];
        self.of_thread[step.thread as usize].push(i as u32);
        self.faulty += u32::from(step.faulty);
        if step.cell == NO_CELL {
            return;
        }
        self.last[step.cell as usize] = i as u32;
        if step.written {
            set_next_write(others, step.previous, i as u32);
        }
        if step.greatest != step.insertion_order {
            overtake(others, step, true);
        }
    }
}

/// Puts what one step knows before another: some of the four vectors.
#[inline]
fn join(clocks: &mut [u32], width: usize, [from, to]: [usize; 2], which: Range<usize>) {
    let (left, right) = clocks.split_at_mut(to * 4 * width);
    let range = which.start * width..which.end * width;
    let source = &left[from * 4 * width..][range.clone()];
    for (mine, theirs) in right[range].iter_mut().zip(source) {
        *mine = (*mine).max(*theirs);
    }
}

/// Tells the reads up to the last write, from this one back, what the next write is.
fn set_next_write(steps: &mut [Step], from: u32, write: u32) {
    let mut j = from;
    while j != NONE && !steps[j as usize].written {
        steps[j as usize].next_write = write;
        j = steps[j as usize].previous;
    }
}

/// Counts a step as one that overtakes newer ones before it, or no longer.
fn overtake(steps: &mut [Step], step: &Step, add: bool) {
    let mut j = if step.written {
        step.previous
    } else {
        step.last_write
    };
    while j != NONE {
        let other = &mut steps[j as usize];
        if other.insertion_order > step.insertion_order {
            if add {
                other.overtaken += 1;
            } else {
                other.overtaken -= 1;
            }
        }
        // Two reads are not dependent.
        j = if step.written {
            other.previous
        } else {
            other.last_write
        };
    }
}

//! A sequence of operations and the partial order it stands for: what the search reasons about, without the machine.
//!
//! Steps stand in the order in which they are executed. Each has two clocks: what it *needs* (program order, creation and
//! join, and for every cell the chain of writes up to the one it follows), and what lies *before* it in every equivalent
//! sequence (the same, and reads before the writes that follow them). A step that is needed by another determines what that
//! one sees; one that merely lies before it does not.

use serde::{Deserialize, Serialize};

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
    pub stamp: u32,
    pub cell: u32,
    pub written: bool,
    /// Whether it writes depends on what it finds.
    pub conditional: bool,
    pub origin: Origin,
    /// The thread's own time, counted in creations and joins, and what it knows of the others'.
    pub time: u32,
    pub knowledge: u32,
    pub replies: Replies,
    /// With so many steps, itself included, its thread goes round a loop for ever.
    pub awaits: Option<u32>,
    /// With other replies it cannot be done here.
    pub waits: bool,
    /// What was decided after it was scheduled.
    pub decisions: Vec<Decision>,
    /// Steps on the same cell: the one before, the last write before, the next write after (kept for reads alone).
    pub previous: u32,
    pub last_write: u32,
    pub next_write: u32,
    /// So many dependent steps follow it that were added earlier.
    pub overtaken: u32,
    /// What comes after it in its new place, if it may be done in other ways there.
    pub rest: Option<Box<Rest>>,
    /// The greatest stamp on the cell up to here.
    greatest: u32,
}

impl Step {
    pub fn new(thread: u32, stamp: u32, origin: Origin) -> Step {
        Step {
            thread,
            index: 0,
            stamp,
            cell: NO_CELL,
            written: false,
            conditional: false,
            origin,
            time: 0,
            knowledge: 0,
            replies: Replies::default(),
            awaits: None,
            waits: false,
            decisions: Vec::new(),
            previous: NONE,
            last_write: NONE,
            next_write: NONE,
            overtaken: 0,
            rest: None,
            greatest: 0,
        }
    }
}

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

    /// What lies before the step, itself included.
    #[inline]
    pub fn before(&self, step: usize) -> &[u32] {
        let at = self.at(step, 3);
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

    /// Adds a step at the end. `base`: what is needed and what lies before, without regard to its cell.
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
        if step.cell != NO_CELL {
            self.link(&mut step, i);
        }
        self.steps.push(step);
    }

    fn link(&mut self, step: &mut Step, i: usize) {
        let cell = step.cell as usize;
        if self.last.len() <= cell {
            self.last.resize(cell + 1, NONE);
        }
        step.previous = self.last[cell];
        step.next_write = NONE;
        step.overtaken = 0;
        self.last[cell] = i as u32;
        let mut j = step.previous;
        while j != NONE && !self.steps[j as usize].written {
            if step.written {
                self.join(j as usize, 3, i, 3);
                self.steps[j as usize].next_write = i as u32;
            }
            j = self.steps[j as usize].previous;
        }
        step.last_write = j;
        if j != NONE {
            self.join(j as usize, 2, i, 2);
            self.join(j as usize, 3, i, 3);
        }
        step.greatest = step.stamp;
        if step.previous != NONE {
            let greatest = self.steps[step.previous as usize].greatest;
            step.greatest = step.greatest.max(greatest);
            if greatest > step.stamp {
                self.overtake(step, true);
            }
        }
    }

    /// Counts this step as one that overtakes newer ones before it.
    fn overtake(&mut self, step: &Step, add: bool) {
        let mut j = step.previous;
        while j != NONE {
            let other = &mut self.steps[j as usize];
            if other.stamp > step.stamp && (other.written || step.written) {
                if add {
                    other.overtaken += 1;
                } else {
                    other.overtaken -= 1;
                }
            }
            j = other.previous;
        }
    }

    fn join(&mut self, from: usize, from_which: usize, to: usize, to_which: usize) {
        let (from, to) = (self.at(from, from_which), self.at(to, to_which));
        let (left, right) = self.clocks.split_at_mut(to);
        let source = &left[from..from + self.width];
        for (mine, theirs) in right[..self.width].iter_mut().zip(source) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Takes the last step out.
    pub fn pop(&mut self) -> Step {
        let step = self.steps.pop().expect("a step");
        let at = self.at(self.steps.len(), 0);
        self.clocks.truncate(at);
        self.of_thread[step.thread as usize].pop();
        self.unlink(&step);
        step
    }

    fn unlink(&mut self, step: &Step) {
        if step.cell == NO_CELL {
            return;
        }
        self.last[step.cell as usize] = step.previous;
        if step.written {
            let mut j = step.previous;
            while j != NONE && !self.steps[j as usize].written {
                self.steps[j as usize].next_write = NONE;
                j = self.steps[j as usize].previous;
            }
        }
        if step.greatest != step.stamp {
            self.overtake(step, false);
        }
    }

    /// Takes out everything from `base` on.
    pub fn save(&mut self, base: usize, saved: &mut Saved) {
        debug_assert!(saved.steps.is_empty());
        let at = self.at(base, 0);
        saved.clocks.clear();
        saved.clocks.extend_from_slice(&self.clocks[at..]);
        while self.steps.len() > base {
            let step = self.pop();
            debug_assert!(step.overtaken == 0 && step.next_write == NONE);
            saved.steps.push(step);
        }
        saved.steps.reverse();
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
        for step in saved.steps.drain(..) {
            let i = self.steps.len() as u32;
            self.of_thread[step.thread as usize].push(i);
            self.relink(&step, i);
            self.steps.push(step);
        }
    }

    /// What linking a step did to others. Its own links still hold, but for those to later steps.
    fn relink(&mut self, step: &Step, i: u32) {
        if step.cell == NO_CELL {
            return;
        }
        self.last[step.cell as usize] = i;
        if step.written {
            let mut j = step.previous;
            while j != NONE && !self.steps[j as usize].written {
                self.steps[j as usize].next_write = i;
                j = self.steps[j as usize].previous;
            }
        }
        if step.greatest != step.stamp {
            self.overtake(step, true);
        }
    }
}

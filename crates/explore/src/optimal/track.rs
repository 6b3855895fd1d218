//! What the machine has executed: steps of the sequence, not always in its order.
//!
//! The machine undoes what it did last first. A step that stands earlier in the sequence than
//! others need not be executed before them, if it finds what it would have found there. So steps
//! that are put before others are executed last, and taking them out costs nothing.

use machine::Mark;

use super::sequence::NONE;

#[derive(Default)]
pub struct Track {
    /// The machine's states before each step, and which that was; `NONE`: one that is gone for
    /// good.
    executed: Vec<(Mark, u32)>,
    /// What is known of a step, by its slot.
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// So many of those executed are in the sequence for sure.
    sound: usize,
}

struct Slot {
    /// Number of the step among those executed.
    at: u32,
    in_sequence: bool,
}

impl Track {
    /// Steps that the machine has executed, including those that are to be undone.
    pub fn len(&self) -> usize {
        self.executed.len()
    }

    /// When the step was executed, if it is.
    #[inline]
    pub fn at(&self, slot: u32) -> Option<usize> {
        let at = self.slots[slot as usize].at;
        (at != NONE).then_some(at as usize)
    }

    /// The machine's state before a step.
    pub fn mark(&self, at: usize) -> &Mark {
        &self.executed[at].0
    }

    /// A slot for a step that was not there before.
    #[inline]
    pub fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                at: NONE,
                in_sequence: false,
            });
            self.slots.len() as u32 - 1
        })
    }

    /// The step was executed after all others.
    #[inline]
    pub fn executed(&mut self, slot: u32, mark: Mark) {
        self.slots[slot as usize].at = self.executed.len() as u32;
        self.executed.push((mark, slot));
    }

    /// The step is in the sequence now.
    #[inline]
    pub fn enter(&mut self, slot: u32) {
        self.slots[slot as usize].in_sequence = true;
    }

    /// It is no longer, but may come back.
    #[inline]
    pub fn leave(&mut self, slot: u32) {
        let slot = &mut self.slots[slot as usize];
        slot.in_sequence = false;
        if slot.at != NONE {
            self.sound = self.sound.min(slot.at as usize);
        }
    }

    /// It will not come back.
    #[inline]
    pub fn release(&mut self, slot: u32) {
        self.leave(slot);
        let at = &mut self.slots[slot as usize].at;
        if *at != NONE {
            self.executed[*at as usize].1 = NONE;
            *at = NONE;
        }
        self.free.push(slot);
    }

    /// Forgets all about steps, none of which is executed.
    pub fn clear(&mut self) {
        debug_assert!(self.executed.is_empty());
        *self = Track::default();
    }

    /// The first that was executed but is not in the sequence.
    pub fn first_stale(&mut self) -> Option<usize> {
        let is_there = |slot: u32| slot != NONE && self.slots[slot as usize].in_sequence;
        while let Some((_, slot)) = self.executed.get(self.sound) {
            if !is_there(*slot) {
                return Some(self.sound);
            }
            self.sound += 1;
        }
        None
    }

    /// Forgets that a step and those after it were executed. Returns the state before it.
    pub fn forget(&mut self, at: usize) -> Mark {
        self.sound = self.sound.min(at);
        loop {
            let (mark, slot) = self.executed.pop().expect("a step that was executed");
            if slot != NONE {
                self.slots[slot as usize].at = NONE;
            }
            if self.executed.len() == at {
                return mark;
            }
        }
    }
}

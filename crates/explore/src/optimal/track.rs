//! What the machine has executed: steps of the sequence, not always in its order.
//!
//! The machine undoes its steps in the reverse of the order in which it executed them. A step that
//! stands before others in the sequence may be executed after them, if it finds what it would have
//! found in its place. So a step that is put before others is executed last, and to take it out
//! nothing but this step is undone.

use base::{IndexVec, id};
use machine::Mark;

id!(
    /// Where what the machine knows of a step is kept.
    SlotId, "slot"
);

impl SlotId {
    pub const NONE: SlotId = SlotId(u32::MAX);
}

id!(
    /// A step that the machine has executed, by when it did so: what was executed later is greater.
    ExecutedId, "x"
);

impl ExecutedId {
    pub const FIRST: ExecutedId = ExecutedId(0);
    const NONE: ExecutedId = ExecutedId(u32::MAX);
}

#[derive(Default)]
pub struct Track {
    /// The machine's state before each step, and the step's slot; `NONE`: the step is gone for
    /// good.
    executed: IndexVec<ExecutedId, (Mark, SlotId)>,
    slots: IndexVec<SlotId, Slot>,
    free: Vec<SlotId>,
    /// All that was executed before is in the sequence.
    sound: ExecutedId,
}

struct Slot {
    /// `NONE`: the step is not executed.
    at: ExecutedId,
    in_sequence: bool,
}

impl Track {
    /// How many steps the machine has executed, including those that are to be undone.
    pub fn len(&self) -> usize {
        self.executed.len()
    }

    /// When the step was executed, if it is.
    #[inline]
    pub fn at(&self, slot: SlotId) -> Option<ExecutedId> {
        let at = self.slots[slot].at;
        (at != ExecutedId::NONE).then_some(at)
    }

    /// The machine's state before a step.
    pub fn mark(&self, at: ExecutedId) -> &Mark {
        &self.executed[at].0
    }

    /// A slot for a step that was not there before.
    #[inline]
    pub fn allocate(&mut self) -> SlotId {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                at: ExecutedId::NONE,
                in_sequence: false,
            })
        })
    }

    /// The step was executed after all others.
    #[inline]
    pub fn executed(&mut self, slot: SlotId, mark: Mark) {
        self.slots[slot].at = self.executed.push((mark, slot));
    }

    /// The step is in the sequence now.
    #[inline]
    pub fn enter(&mut self, slot: SlotId) {
        self.slots[slot].in_sequence = true;
    }

    /// It is no longer, but may come back.
    #[inline]
    pub fn leave(&mut self, slot: SlotId) {
        let slot = &mut self.slots[slot];
        slot.in_sequence = false;
        // `NONE` is greater than all others.
        self.sound = self.sound.min(slot.at);
    }

    /// It will not come back.
    #[inline]
    pub fn release(&mut self, slot: SlotId) {
        self.leave(slot);
        let at = &mut self.slots[slot].at;
        if *at != ExecutedId::NONE {
            self.executed[*at].1 = SlotId::NONE;
            *at = ExecutedId::NONE;
        }
        self.free.push(slot);
    }

    /// Forgets all about steps, none of which is executed.
    pub fn clear(&mut self) {
        debug_assert!(self.executed.is_empty());
        *self = Track::default();
    }

    /// The first that was executed but is not in the sequence.
    pub fn first_stale(&mut self) -> Option<ExecutedId> {
        let is_there = |slot: SlotId| slot != SlotId::NONE && self.slots[slot].in_sequence;
        while let Some((_, slot)) = self.executed.get(self.sound) {
            if !is_there(*slot) {
                return Some(self.sound);
            }
            self.sound.0 += 1;
        }
        None
    }

    /// Forgets that a step and those after it were executed. Returns the state before it.
    pub fn forget(&mut self, at: ExecutedId) -> Mark {
        self.sound = self.sound.min(at);
        loop {
            let (mark, slot) = self.executed.pop().expect("a step that was executed");
            if slot != SlotId::NONE {
                self.slots[slot].at = ExecutedId::NONE;
            }
            if self.executed.len() == at.index() {
                return mark;
            }
        }
    }
}

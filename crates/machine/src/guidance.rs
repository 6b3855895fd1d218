//! What guides a hunt (P2) in a state: where threads stand, in terms of the IR, whom they wait for,
//! and what a branch that was taken depended on.

use ir::{BlockId, FuncId};
use smt::TermId;

use crate::history::{Position, Step};
use crate::machine::Machine;
use crate::thread::{Guard, Status, ThreadId};

/// An instruction of a function: its block and its place there, past the last for the terminator.
pub type Place = (FuncId, BlockId, u32);

impl Machine {
    /// The calls that the thread is in, the outermost first, and what it executes next.
    pub fn stack(&self, thread: ThreadId) -> Vec<Place> {
        let frames = self.thread(thread).frames.iter();
        let places = frames.filter_map(|frame| {
            let origins = &self.program.function(frame.function).origins;
            let (block, index) = *origins.get(frame.pc as usize)?;
            Some((frame.function, block, index))
        });
        places.collect()
    }

    /// What the thread executes next.
    pub fn stands_at(&self, thread: ThreadId) -> Option<Place> {
        let frame = self.thread(thread).frames.last()?;
        let origins = &self.program.function(frame.function).origins;
        let (block, index) = *origins.get(frame.pc as usize)?;
        Some((frame.function, block, index))
    }

    /// The thread without which this one cannot go on, if it waits for a certain one.
    pub fn awaits(&self, thread: ThreadId) -> Option<ThreadId> {
        let Status::Parked { guard, .. } = self.status(thread) else {
            return None;
        };
        match guard {
            _ if self.guard_holds(thread, &guard) => None,
            Guard::Zero(mutex)
            | Guard::Condition {
                mutex,
                signalled: true,
                ..
            } => ThreadId::of_owner_word(self.word(mutex)),
            Guard::RwLock { address, .. } => ThreadId::of_owner_word(self.word(address + 4)),
            Guard::Ended(other) => Some(other),
            _ => None,
        }
    }

    /// What must hold at `from` for the last branch at this place to go the way it went, given that
    /// everything before it happens as it did; and what must hold for all of that. `None`: that
    /// cannot be said.
    pub fn conditions_of_branch(
        &mut self,
        from: Position,
        thread: ThreadId,
        place: Place,
    ) -> Option<(Vec<TermId>, Vec<TermId>)> {
        let (before, after) = self.around_last(from, thread, place)?;
        let without = self.weakest_precondition(from, before, &[])?;
        let all = self.weakest_precondition(from, after, &[])?;
        let own = all.iter().filter(|condition| !without.contains(condition));
        Some((own.copied().collect(), all))
    }

    /// Before and after the thread executed this for the last time.
    fn around_last(
        &self,
        from: Position,
        thread: ThreadId,
        (function, block, index): Place,
    ) -> Option<(Position, Position)> {
        let history = self.probes.history.as_ref()?;
        let origins = &self.program.function(function).origins;
        let mut contexts = from.contexts;
        let mut is_here = contexts.checked_sub(1).is_some_and(|last| {
            let context = history.contexts[last];
            context.thread == thread && context.function == function
        });
        let mut found = None;
        for (number, entry) in history.entries.iter().enumerate().skip(from.entries) {
            match entry.step() {
                Step::Context => {
                    let context = history.contexts[contexts];
                    contexts += 1;
                    is_here = context.thread == thread && context.function == function;
                }
                Step::Code { pc, .. } if is_here && origins.get(pc) == Some(&(block, index)) => {
                    found = Some(number);
                }
                Step::Code { .. } | Step::Note => {}
            }
        }
        // How many details there are matters only where a pass begins.
        let at = |entries| Position { entries, ..from };
        found.map(|number| (at(number), at(number + 1)))
    }
}

//! Why a thread waits in a loop: the conditions on the state under which its step has no effect
//! again.

use rustc_hash::FxHashSet;
use smt::{CmpOp, TermId};

use super::{Item, Part, Pass, is_constant};
use crate::code::{Code, Edge, Slot};
use crate::history::Position;
use crate::machine::{Machine, Situation};
use crate::thread::ThreadId;

/// The jump that would begin the next round of a loop.
struct Jump {
    depth: u32,
    /// What decides it, if anything does, and how.
    condition: Option<(Slot, bool)>,
    edge: Edge,
}

impl Machine {
    /// What must hold at `from`, where the thread begins a step, for the step to have no effect as
    /// it just had none: it goes the same way up to the jump that it is about to take round a loop,
    /// or up to the assumption that does not hold in an atomic section, and finds the loop's
    /// registers as it would leave them. That it writes nothing follows from going the same way.
    ///
    /// `None`: that cannot be said.
    pub fn conditions_of_wait(&mut self, thread: ThreadId, from: Position) -> Option<Vec<TermId>> {
        let jump = match self.situation {
            Situation::Await { .. } => Some(self.pending_jump(thread)?),
            _ => None,
        };
        let to = self.position();
        self.along(from, to, |pass| {
            let items = pass.items();
            let is_own = |item: &Item| pass.context(item).thread == thread;
            let are_own = items.iter().all(is_own);
            are_own.then(|| pass.run_wait(thread, &items, jump.as_ref()))?
        })
    }

    /// The same for a thread that stands before the jump that begins the next round of its loop,
    /// where the round that ends here began at `from`, and others may have done something
    /// meanwhile, but not to what it looked at. The round changed nothing, and so what its
    /// registers were then they are now, but for what it computes itself.
    pub fn conditions_of_round(&mut self, thread: ThreadId, from: Position) -> Option<Vec<TermId>> {
        let jump = self.pending_jump(thread)?;
        let to = self.position();
        self.along(from, to, |pass| {
            let mut items = pass.items();
            if items.iter().any(|item| item.is_note) {
                return None;
            }
            items.retain(|item| pass.context(item).thread == thread);
            pass.run_wait(thread, &items, Some(&jump))
        })
    }

    fn pending_jump(&self, thread: ThreadId) -> Option<Jump> {
        let hot = self.thread(thread);
        let frame = hot.frames.last()?;
        let (condition, edge) = match self.program.function(frame.function).code[frame.pc as usize]
        {
            Code::Jump(edge) => (None, edge),
            Code::CondBr { cond, then, other } => {
                let value = hot.registers[(frame.base + cond) as usize];
                let taken = value.is_concrete().then_some(value.bits & 1 == 1)?;
                (Some((cond, taken)), if taken { then } else { other })
            }
            _ => return None,
        };
        Some(Jump {
            depth: hot.frames.len() as u32 - 1,
            condition,
            edge,
        })
    }
}

impl Pass<'_> {
    fn run_wait(&mut self, thread: ThreadId, items: &[Item], jump: Option<&Jump>) -> Option<()> {
        if items.iter().any(|item| item.is_note) {
            return None;
        }
        let mut needed = FxHashSet::default();
        let mut moves: &[(Slot, Slot)] = &[];
        let mut f = None;
        if let Some(jump) = jump {
            let frame = self.machine.thread(thread).frames[jump.depth as usize];
            let function = self.program.function(frame.function);
            if jump.edge.moves != 0 {
                moves = &function.moves[jump.edge.moves as usize - 1];
            }
            let slots = moves.iter().flat_map(|&(dst, src)| [dst, src]);
            let slots = slots.chain(jump.condition.map(|(slot, _)| slot));
            let own = slots.filter(|slot| !is_constant(function, *slot));
            needed.extend(own.map(|slot| Part::Register(thread, jump.depth, slot)));
            f = Some(function);
        }
        let marked = self.mark(items, needed)?;
        for (item, marked) in items.iter().zip(marked) {
            if marked {
                self.execute(*item)?;
            }
        }
        let (Some(jump), Some(f)) = (jump, f) else {
            return Some(());
        };
        if let Some((slot, taken)) = jump.condition {
            let condition = self.value_of((thread, jump.depth, slot), f);
            let condition = self.resized(condition, 1);
            let condition = match taken {
                true => condition,
                false => self.machine.terms.not(condition),
            };
            self.require(condition)?;
        }
        for &(dst, src) in moves {
            let old = self.value_of((thread, jump.depth, dst), f);
            let new = self.value_of((thread, jump.depth, src), f);
            let new = self.resized(new, self.machine.terms.width(old));
            let is_same = self.machine.terms.cmp(CmpOp::Eq, old, new);
            self.require(is_same)?;
        }
        Some(())
    }
}

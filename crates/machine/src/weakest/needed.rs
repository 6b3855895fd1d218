//! Backwards: which entries of the history matter to conditions at its end.

use rustc_hash::FxHashSet;
use smt::TermId;

use super::{Item, Location, Part, Pass};
use crate::code::Code;
use crate::history::Detail;

impl Pass<'_> {
    /// The parts of the state that terms mention.
    pub(super) fn needed(&self, terms: &[TermId]) -> FxHashSet<Part> {
        let mut needed = FxHashSet::default();
        for term in terms {
            self.add_needed(*term, &mut needed);
        }
        needed
    }

    fn add_needed(&self, term: TermId, needed: &mut FxHashSet<Part>) {
        for input in self.machine.terms.support(term) {
            match self.machine.location_of(*input) {
                Some(Location::Register {
                    thread,
                    depth,
                    slot,
                    ..
                }) => {
                    needed.insert(Part::Register(thread, depth, slot));
                }
                Some(Location::Cell { address, bytes }) => {
                    let all = address..address + u64::from(bytes);
                    needed.extend(all.map(Part::Byte));
                }
                Some(Location::Result(thread)) => {
                    needed.insert(Part::Result(thread));
                }
                None => {}
            }
        }
    }

    /// Which entries matter. `None`: one of them cannot be described.
    pub(super) fn mark(&self, items: &[Item], mut needed: FxHashSet<Part>) -> Option<Vec<bool>> {
        let mut marked = vec![false; items.len()];
        for (i, item) in items.iter().enumerate().rev() {
            if item.is_note {
                let Detail::Condition(condition) = self.detail(item) else {
                    return None;
                };
                self.add_needed(*condition, &mut needed);
                marked[i] = true;
                continue;
            }
            let effect = self.effect(item)?;
            // The size of an object on the stack decides the addresses of others, in the slice and
            // outside.
            let names = matches!(self.code(item), Code::Alloca { .. });
            let mut matters = effect.always && (names || !self.is_outside(item));
            for part in &effect.defines {
                matters |= needed.remove(part);
            }
            if matters {
                needed.extend(effect.uses);
            }
            marked[i] = matters;
        }
        Some(marked)
    }
}

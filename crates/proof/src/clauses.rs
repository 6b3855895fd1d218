//! The clauses that are in use, and reverse unit propagation with hints (LRAT: Cruz-Filipe, Heule,
//! Hunt, Kaufmann, Schneider-Kamp, *Efficient certified RAT verification*, CADE 2017; without RAT,
//! which preserves satisfiability only and is of no use for formulas that grow).
//!
//! A clause C follows where its negation is refuted: each hint has, under what is known to be true,
//! one literal that is not false, which is then true as well; the last has none. As in other
//! checkers the one literal may be true already: then the hint says nothing new.
//!
//! **Invariant:** no clause has a literal twice, so that two that are not false are two. A clause of
//! the formula may have a literal and its negation. It is never false, and what it says when one
//! literal is left is known already.

use rustc_hash::FxHashMap;

use crate::assignment::{Assignment, Lit};
use crate::reason::Reason;

/// Never 0, which ends a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClauseId(pub u64);

#[derive(Debug, Default)]
pub(crate) struct Clauses {
    live: FxHashMap<ClauseId, Box<[Lit]>>,
    used: UsedIds,
}

impl Clauses {
    /// Adds a clause that has no literal twice.
    pub(crate) fn add(&mut self, id: ClauseId, clause: Vec<Lit>) -> Result<(), Reason> {
        if !self.used.insert(id) {
            return Err(Reason::ClauseAgain(id.0));
        }
        self.live.insert(id, clause.into_boxed_slice());
        Ok(())
    }

    pub(crate) fn get(&self, id: ClauseId) -> Result<&[Lit], Reason> {
        let clause = self.live.get(&id).ok_or(Reason::NoClause(id.0))?;
        Ok(clause)
    }

    pub(crate) fn delete(&mut self, id: ClauseId) -> Result<(), Reason> {
        let clause = self.live.remove(&id);
        clause.map(drop).ok_or(Reason::NoClause(id.0))
    }

    /// Finds a contradiction by the hints in their order, with what is true in `assignment`.
    pub(crate) fn propagate(
        &self,
        assignment: &mut Assignment,
        hints: &[ClauseId],
    ) -> Result<(), Reason> {
        for (position, hint) in hints.iter().enumerate() {
            let clause = self.get(*hint)?;
            let mut open = clause.iter().filter(|lit| !assignment.is_false(**lit));
            match (open.next().copied(), open.next()) {
                (None, _) if position + 1 == hints.len() => return Ok(()),
                (None, _) => return Err(Reason::AfterConflict),
                (Some(lit), None) => assignment.set(lit),
                (Some(_), Some(_)) => return Err(Reason::NotUnit(hint.0)),
            }
        }
        Err(Reason::NoConflict)
    }
}

/// The numbers that clauses have had, deleted ones too: one bit each where they are consecutive.
#[derive(Debug, Default)]
struct UsedIds {
    words: FxHashMap<u64, u64>,
}

impl UsedIds {
    /// Whether it is new.
    fn insert(&mut self, id: ClauseId) -> bool {
        let word = self.words.entry(id.0 / 64).or_default();
        let bit = 1 << (id.0 % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_used_once() {
        let mut used = UsedIds::default();
        for id in [1, 63, 64, 65, 127, 128, u64::MAX] {
            assert!(used.insert(ClauseId(id)), "{id}");
            assert!(!used.insert(ClauseId(id)), "{id}");
        }
    }
}

//! Literals, and which of them are true.

use std::num::NonZeroI32;
use std::ops::Not;

use rustc_hash::FxHashMap;

use crate::reason::Reason;

/// A literal: twice the index of its variable, and one more where it is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lit(u32);

impl Lit {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Numbers variables in the order in which they are met, so that a table of them is as large as
/// what was read and not as the largest number in it.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    indices: FxHashMap<u32, u32>,
}

impl Literals {
    pub(crate) fn lit(&mut self, written: NonZeroI32) -> Lit {
        // Below 2^31, as there are no more variables.
        let next = self.indices.len() as u32;
        let variable = written.get().unsigned_abs();
        let index = *self.indices.entry(variable).or_insert(next);
        Lit(2 * index + u32::from(written.get() < 0))
    }
}

/// The literals that are true, at first none. Both a literal and its negation may be, where
/// assumptions contradict each other.
#[derive(Debug, Default)]
pub(crate) struct Assignment {
    is_true: Vec<bool>,
    /// Those that are true.
    trail: Vec<Lit>,
}

impl Assignment {
    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        self.is_true.get(lit.index()).is_some_and(|value| *value)
    }

    pub(crate) fn is_false(&self, lit: Lit) -> bool {
        self.is_true(!lit)
    }

    pub(crate) fn set(&mut self, lit: Lit) {
        if self.is_true.len() <= lit.index() {
            self.is_true.resize(lit.index() + 1, false);
        }
        if !std::mem::replace(&mut self.is_true[lit.index()], true) {
            self.trail.push(lit);
        }
    }

    /// Starts over with these.
    pub(crate) fn assume(&mut self, lits: &[Lit]) {
        for lit in self.trail.drain(..) {
            self.is_true[lit.index()] = false;
        }
        for lit in lits {
            self.set(*lit);
        }
    }

    /// Starts over with the negation of a clause, which has no variable twice.
    pub(crate) fn deny(&mut self, clause: &[Lit]) -> Result<(), Reason> {
        self.assume(&[]);
        for lit in clause {
            if self.is_true(*lit) {
                return Err(Reason::Tautology);
            }
            if self.is_false(*lit) {
                return Err(Reason::LiteralTwice);
            }
            self.set(!*lit);
        }
        Ok(())
    }

    /// A clause with each literal once.
    pub(crate) fn without_repeated(&mut self, mut clause: Vec<Lit>) -> Vec<Lit> {
        self.assume(&[]);
        clause.retain(|lit| {
            let is_new = !self.is_true(*lit);
            self.set(*lit);
            is_new
        });
        clause
    }
}

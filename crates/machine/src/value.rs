//! Machine words: a concrete number on the fast path, a term as soon as it depends on an input.
//!
//! Invariants: `bits` of a concrete value is zero-extended from its width; a value of more than 64
//! bits is always a term (a constant one if it is concrete); a term that is a constant of at most
//! 64 bits never appears in a value.

use smt::{TermId, Terms};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub bits: u64,
    /// `TermId(0)`: concrete.
    pub term: TermId,
}

pub const CONCRETE: TermId = TermId(0);

impl Value {
    pub const ZERO: Value = Value::concrete(0);

    #[inline(always)]
    pub const fn concrete(bits: u64) -> Value {
        Value {
            bits,
            term: CONCRETE,
        }
    }

    #[inline(always)]
    pub fn is_concrete(self) -> bool {
        self.term.0 == 0
    }

    /// Wraps a term, turning a constant of at most 64 bits into a concrete value.
    pub fn of_term(terms: &Terms, term: TermId) -> Value {
        match terms.as_constant(term) {
            Some(bits) if terms.width(term) <= 64 => Value::concrete(bits as u64),
            _ => Value { bits: 0, term },
        }
    }

    pub fn of_bits(terms: &mut Terms, width: u32, bits: u128) -> Value {
        if width <= 64 {
            Value::concrete((bits & mask128(width)) as u64)
        } else {
            let term = terms.constant(width, bits);
            Value { bits: 0, term }
        }
    }

    pub fn to_term(self, terms: &mut Terms, width: u32) -> TermId {
        if self.is_concrete() {
            terms.constant(width, u128::from(self.bits))
        } else {
            self.term
        }
    }

    /// The number, if it depends on no input.
    pub fn known(self, terms: &Terms) -> Option<u128> {
        if self.is_concrete() {
            Some(u128::from(self.bits))
        } else {
            terms.as_constant(self.term)
        }
    }
}

#[inline(always)]
pub const fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

pub const fn mask128(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

#[inline(always)]
pub const fn sign_extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

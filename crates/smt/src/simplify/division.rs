//! Quotients and remainders. A division is the dearest operation to solve, so it is made unsigned,
//! narrow or a slice where that is possible.

use crate::node::{BinOp, CmpOp, Node, TermId};
use crate::semantics::{mask, sign_bit};
use crate::terms::Terms;

impl Terms {
    pub(super) fn simplify_udiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.divide_bits(a, b);
        }
        match self.as_constant(b) {
            Some(0) => self.constant(width, mask(width)),
            Some(k) if k.is_power_of_two() => {
                let shift = self.constant(width, k.trailing_zeros() as u128);
                self.bin(BinOp::LShr, a, shift)
            }
            Some(k) => match self.narrow(a, k) {
                Some((x, k)) => {
                    let quotient = self.bin(BinOp::UDiv, x, k);
                    self.zext(quotient, width)
                }
                None => self.finish(Node::Bin(BinOp::UDiv, a, b)),
            },
            None => self.finish(Node::Bin(BinOp::UDiv, a, b)),
        }
    }

    pub(super) fn simplify_urem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.remainder_bits(a, b);
        }
        match self.as_constant(b) {
            Some(0) => a,
            Some(1) => self.constant(width, 0),
            Some(k) if k.is_power_of_two() => {
                let low = self.extract(a, 0, k.trailing_zeros());
                self.zext(low, width)
            }
            Some(k) => match self.narrow(a, k) {
                Some((x, k)) => {
                    let remainder = self.bin(BinOp::URem, x, k);
                    self.zext(remainder, width)
                }
                None if self.known_bits(a).max(width) < k => a,
                None => self.finish(Node::Bin(BinOp::URem, a, b)),
            },
            None if a == b => self.constant(width, 0),
            None => self.finish(Node::Bin(BinOp::URem, a, b)),
        }
    }

    pub(super) fn simplify_sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.divide_bits(a, b);
        }
        if self.is_non_negative(a) && self.is_non_negative(b) {
            return self.bin(BinOp::UDiv, a, b);
        }
        match self.as_constant(b) {
            Some(0) => {
                let zero = self.constant(width, 0);
                let negative = self.cmp(CmpOp::Slt, a, zero);
                self.choice_of_constants(negative, width, 1, mask(width))
            }
            Some(1) => a,
            Some(k) if k == mask(width) => self.neg(a),
            _ => self.finish(Node::Bin(BinOp::SDiv, a, b)),
        }
    }

    pub(super) fn simplify_srem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.remainder_bits(a, b);
        }
        if self.is_non_negative(a) && self.is_non_negative(b) {
            return self.bin(BinOp::URem, a, b);
        }
        match self.as_constant(b) {
            Some(0) => a,
            Some(k) if k == 1 || k == mask(width) => self.constant(width, 0),
            None if a == b => self.constant(width, 0),
            _ => self.finish(Node::Bin(BinOp::SRem, a, b)),
        }
    }

    pub(super) fn is_non_negative(&self, term: TermId) -> bool {
        self.known_bits(term).zeros & sign_bit(self.width(term)) != 0
    }

    /// A zero-extended dividend and a divisor that fits its width: divide there.
    fn narrow(&mut self, a: TermId, k: u128) -> Option<(TermId, TermId)> {
        let Node::Zext { term, .. } = *self.node(a) else {
            return None;
        };
        let width = self.width(term);
        if k > mask(width) {
            return None;
        }
        Some((term, self.constant(width, k)))
    }

    /// Width 1: dividing by 1 (or -1) gives `a`, dividing by 0 gives 1.
    fn divide_bits(&mut self, a: TermId, b: TermId) -> TermId {
        let by_zero = self.not(b);
        self.bin(BinOp::Or, a, by_zero)
    }

    /// Width 1: the remainder of a division by 1 is 0, by 0 it is `a`.
    fn remainder_bits(&mut self, a: TermId, b: TermId) -> TermId {
        let by_zero = self.not(b);
        self.bin(BinOp::And, a, by_zero)
    }
}

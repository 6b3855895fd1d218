//! Bitwise operations and shifts.

use crate::node::{BinOp, CmpOp, Node, TermId};
use crate::semantics::{self, mask};
use crate::terms::Terms;

impl Terms {
    pub fn not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        self.nested(Node::Not(a), |terms| match *terms.node(a) {
            Node::Constant { value, .. } => terms.constant(width, semantics::not(width, value)),
            Node::Not(x) => x,
            // !(-x) = x - 1
            Node::Neg(x) => {
                let minus_one = terms.constant(width, mask(width));
                terms.bin(BinOp::Add, x, minus_one)
            }
            _ => match terms.constant_choice(a) {
                Some((c, x, y)) => terms.choice_of_constants(
                    c,
                    width,
                    semantics::not(width, x),
                    semantics::not(width, y),
                ),
                None => terms.finish(Node::Not(a)),
            },
        })
    }

    pub(super) fn simplify_and(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if a == b {
            return a;
        }
        if self.are_complements(a, b) {
            return self.constant(width, 0);
        }
        if let Some(k) = self.as_constant(b) {
            return self.mask_by(a, k);
        }
        for (x, y) in [(a, b), (b, a)] {
            match *self.node(x) {
                // (y & _) & y, (y | _) & y
                Node::Bin(BinOp::And, p, q) if p == y || q == y => return x,
                Node::Bin(BinOp::Or, p, q) if p == y || q == y => return y,
                // (!y & q) & y
                Node::Bin(BinOp::And, p, q)
                    if self.are_complements(p, y) || self.are_complements(q, y) =>
                {
                    return self.constant(width, 0);
                }
                // (!y | q) & y = q & y
                Node::Bin(BinOp::Or, p, q) if self.are_complements(p, y) => return self.and(q, y),
                Node::Bin(BinOp::Or, p, q) if self.are_complements(q, y) => return self.and(p, y),
                _ => {}
            }
        }
        self.finish(Node::Bin(BinOp::And, a, b))
    }

    /// `a & k`. A run of ones in `k` is a slice of `a`.
    fn mask_by(&mut self, a: TermId, k: u128) -> TermId {
        let width = self.width(a);
        // Only bits that may be one in `a` matter.
        let k = k & !self.known_bits(a).zeros;
        if k == 0 {
            return self.constant(width, 0);
        }
        if k == self.known_bits(a).max(width) {
            return a;
        }
        if let Node::Bin(BinOp::And, x, y) = *self.node(a)
            && let Some(inner) = self.as_constant(y)
        {
            return self.mask_by(x, k & inner);
        }
        let low = k.trailing_zeros();
        let run = (k >> low).trailing_ones();
        if k.count_ones() == run {
            let slice = self.extract(a, low, run);
            return self.place(slice, low, width);
        }
        let k = self.constant(width, k);
        self.finish(Node::Bin(BinOp::And, a, k))
    }

    /// `slice` shifted left by `low` in a vector of `width` zeros.
    fn place(&mut self, slice: TermId, low: u32, width: u32) -> TermId {
        let placed = match low {
            0 => slice,
            _ => {
                let zeros = self.constant(low, 0);
                self.concat(slice, zeros)
            }
        };
        self.zext(placed, width)
    }

    pub(super) fn simplify_or(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if a == b {
            return a;
        }
        if self.are_complements(a, b) {
            return self.constant(width, mask(width));
        }
        if let Some(k) = self.as_constant(b) {
            if k & !self.known_bits(a).ones == 0 {
                return a;
            }
            if k == mask(width) {
                return b;
            }
            if let Node::Bin(BinOp::Or, x, y) = *self.node(a)
                && let Some(inner) = self.as_constant(y)
            {
                let both = self.constant(width, k | inner);
                return self.or(x, both);
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            match *self.node(x) {
                // (y | _) | y, (y & _) | y
                Node::Bin(BinOp::Or, p, q) if p == y || q == y => return x,
                Node::Bin(BinOp::And, p, q) if p == y || q == y => return y,
                // (!y | q) | y
                Node::Bin(BinOp::Or, p, q)
                    if self.are_complements(p, y) || self.are_complements(q, y) =>
                {
                    return self.constant(width, mask(width));
                }
                // (!y & q) | y = q | y
                Node::Bin(BinOp::And, p, q) if self.are_complements(p, y) => return self.or(q, y),
                Node::Bin(BinOp::And, p, q) if self.are_complements(q, y) => return self.or(p, y),
                _ => {}
            }
        }
        match self.join_disjoint(a, b) {
            Some(joined) => joined,
            None => self.finish(Node::Bin(BinOp::Or, a, b)),
        }
    }

    pub(super) fn simplify_xor(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            let equal = self.cmp(CmpOp::Eq, a, b);
            return self.not(equal);
        }
        if a == b {
            return self.constant(width, 0);
        }
        if let Some(k) = self.as_constant(b) {
            if k == 0 {
                return a;
            }
            if k == mask(width) {
                return self.not(a);
            }
            if let Node::Bin(BinOp::Xor, x, y) = *self.node(a)
                && let Some(inner) = self.as_constant(y)
            {
                let both = self.constant(width, k ^ inner);
                return self.bin(BinOp::Xor, x, both);
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            match *self.node(x) {
                // !p ^ y = !(p ^ y)
                Node::Not(p) => {
                    let xor = self.bin(BinOp::Xor, p, y);
                    return self.not(xor);
                }
                Node::Bin(BinOp::Xor, p, q) if p == y => return q,
                Node::Bin(BinOp::Xor, p, q) if q == y => return p,
                _ => {}
            }
        }
        match self.join_disjoint(a, b) {
            Some(joined) => joined,
            None => self.finish(Node::Bin(BinOp::Xor, a, b)),
        }
    }

    pub(super) fn simplify_shl(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            let keep = self.not(b);
            return self.and(a, keep);
        }
        match self.as_constant(b) {
            Some(0) => a,
            Some(n) if n >= width as u128 => self.constant(width, 0),
            Some(n) => {
                let kept = self.extract(a, 0, width - n as u32);
                self.place(kept, n as u32, width)
            }
            None => self.finish(Node::Bin(BinOp::Shl, a, b)),
        }
    }

    pub(super) fn simplify_lshr(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            let keep = self.not(b);
            return self.and(a, keep);
        }
        match self.as_constant(b) {
            Some(0) => a,
            Some(n) if n >= width as u128 => self.constant(width, 0),
            Some(n) => {
                let kept = self.extract(a, n as u32, width - n as u32);
                self.zext(kept, width)
            }
            None => self.finish(Node::Bin(BinOp::LShr, a, b)),
        }
    }

    pub(super) fn simplify_ashr(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return a;
        }
        if self.is_non_negative(a) {
            return self.bin(BinOp::LShr, a, b);
        }
        match self.as_constant(b) {
            Some(0) => a,
            Some(n) => {
                let n = n.min(width as u128 - 1) as u32;
                let kept = self.extract(a, n, width - n);
                self.sext(kept, width)
            }
            None => self.finish(Node::Bin(BinOp::AShr, a, b)),
        }
    }

    /// A sum, disjunction or exclusive disjunction whose operands occupy a high and a low part:
    /// their concatenation.
    pub(super) fn join_disjoint(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        for (high, low) in [(a, b), (b, a)] {
            let low_max = self.known_bits(low).max(width);
            let split = 128 - low_max.leading_zeros();
            let is_high =
                split > 0 && split < width && self.known_bits(high).max(width) & mask(split) == 0;
            let is_sliced = |term: TermId| match *self.node(term) {
                Node::Concat { .. } | Node::Zext { .. } | Node::Constant { .. } => true,
                Node::Ite(..) => self.constant_choice(term).is_some(),
                _ => false,
            };
            if is_high && is_sliced(high) && is_sliced(low) {
                let high = self.extract(high, split, width - split);
                let low = self.extract(low, 0, split);
                return Some(self.concat(high, low));
            }
        }
        None
    }

    /// Whether one is the negation of the other.
    pub(super) fn are_complements(&self, a: TermId, b: TermId) -> bool {
        *self.node(a) == Node::Not(b) || *self.node(b) == Node::Not(a)
    }
}

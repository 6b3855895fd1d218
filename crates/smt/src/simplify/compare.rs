//! Comparisons. Everything becomes `Eq`, `Ult` or `Slt`, with a constant on the right, possibly
//! negated.

use crate::node::{BinOp, CmpOp, Node, TermId};
use crate::semantics::{self, mask, sign_bit};
use crate::terms::Terms;

impl Terms {
    /// Of width 1.
    pub fn cmp(&mut self, op: CmpOp, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "{op:?} of different widths");
        self.nested(Node::Cmp(op, a, b), |terms| match op {
            CmpOp::Eq => terms.simplify_eq(a, b),
            CmpOp::Ult | CmpOp::Slt if width == 1 => terms.less_bit(op, a, b),
            CmpOp::Ult => terms.simplify_ult(a, b),
            CmpOp::Slt => terms.simplify_slt(a, b),
            CmpOp::Ugt => terms.cmp(CmpOp::Ult, b, a),
            CmpOp::Sgt => terms.cmp(CmpOp::Slt, b, a),
            CmpOp::Ne | CmpOp::Ule | CmpOp::Uge | CmpOp::Sle | CmpOp::Sge => {
                let opposite = terms.cmp(op.negated(), a, b);
                terms.not(opposite)
            }
        })
    }

    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.cmp(CmpOp::Eq, a, b)
    }

    fn simplify_eq(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.bool(true);
        }
        let swap = (self.as_constant(a).is_some(), a) > (self.as_constant(b).is_some(), b);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        if let Some(k) = self.as_constant(b) {
            return self.eq_constant(a, k);
        }
        if self.are_complements(a, b) {
            return self.bool(false);
        }
        match (*self.node(a), *self.node(b)) {
            (Node::Not(x), Node::Not(y)) | (Node::Neg(x), Node::Neg(y)) => return self.eq(x, y),
            (Node::Zext { term: x, .. }, Node::Zext { term: y, .. }) => {
                let (x, y) = self.widen_both(x, y, Terms::zext);
                return self.eq(x, y);
            }
            (Node::Sext { term: x, .. }, Node::Sext { term: y, .. }) => {
                let (x, y) = self.widen_both(x, y, Terms::sext);
                return self.eq(x, y);
            }
            (Node::Concat { hi: p, lo: q }, Node::Concat { hi: x, lo: y })
                if self.width(p) == self.width(x) =>
            {
                return self.eq_pair((p, x), (q, y));
            }
            (Node::Bin(op, p, q), Node::Bin(op2, x, y)) if op == op2 && is_injective(op) => {
                // p + q == p + y, and so on for every shared operand.
                if p == x {
                    return self.eq(q, y);
                }
                if q == y {
                    return self.eq(p, x);
                }
                if op != BinOp::Sub && p == y {
                    return self.eq(q, x);
                }
                if op != BinOp::Sub && q == x {
                    return self.eq(p, y);
                }
            }
            _ => {}
        }
        for (x, y) in [(a, b), (b, a)] {
            match *self.node(x) {
                // At width 1, !p == y is !(p == y).
                Node::Not(p) if self.width(p) == 1 => {
                    let equal = self.eq(p, y);
                    return self.not(equal);
                }
                // y + q == y
                Node::Bin(BinOp::Add | BinOp::Xor, p, q) if p == y || q == y => {
                    return self.eq_constant(if p == y { q } else { p }, 0);
                }
                Node::Bin(BinOp::Sub, p, q) if p == y => return self.eq_constant(q, 0),
                _ => {}
            }
        }
        match self.cancel_addends(a, b) {
            Some(rest) => rest,
            None => self.finish(Node::Cmp(CmpOp::Eq, a, b)),
        }
    }

    /// `a == k`.
    fn eq_constant(&mut self, a: TermId, k: u128) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return if k == 1 { a } else { self.not(a) };
        }
        if let Some(moved) = self.move_to_constant(a, k) {
            return moved;
        }
        let constant = self.constant(width, k);
        match *self.node(a) {
            Node::Constant { value, .. } => self.bool(value == k),
            Node::Zext { term, .. } => self.eq_narrow(term, k, width, false),
            Node::Sext { term, .. } => self.eq_narrow(term, k, width, true),
            Node::Concat { hi, lo } => {
                let boundary = self.width(lo);
                let high = self.constant(width - boundary, k >> boundary);
                let low = self.constant(boundary, k & mask(boundary));
                self.eq_pair((hi, high), (lo, low))
            }
            Node::Bin(BinOp::Sub, x, y) if k == 0 => self.eq(x, y),
            Node::Bin(BinOp::Xor, x, y) if k == 0 => self.eq(x, y),
            _ => match self.compare_choice(CmpOp::Eq, a, constant) {
                Some(lifted) => lifted,
                None => self.finish(Node::Cmp(CmpOp::Eq, a, constant)),
            },
        }
    }

    /// `f(x) == k` for an invertible `f` is `x == f⁻¹(k)`.
    fn move_to_constant(&mut self, a: TermId, k: u128) -> Option<TermId> {
        let width = self.width(a);
        let (x, value) = match *self.node(a) {
            Node::Not(x) => (x, semantics::not(width, k)),
            Node::Neg(x) => (x, semantics::neg(width, k)),
            Node::Bin(BinOp::Add, x, y) => (x, k.wrapping_sub(self.as_constant(y)?)),
            Node::Bin(BinOp::Xor, x, y) => (x, k ^ self.as_constant(y)?),
            Node::Bin(BinOp::Sub, x, y) => (y, self.as_constant(x)?.wrapping_sub(k)),
            Node::Bin(BinOp::Mul, x, y) => (x, k.wrapping_mul(inverse(self.as_constant(y)?)?)),
            _ => return None,
        };
        Some(self.eq_constant(x, value & mask(width)))
    }

    fn eq_narrow(&mut self, term: TermId, k: u128, width: u32, is_signed: bool) -> TermId {
        match Terms::narrow_constant(k, self.width(term), width, is_signed) {
            Some(low) => self.eq_constant(term, low),
            None => self.bool(false),
        }
    }

    fn eq_pair(&mut self, (a, b): (TermId, TermId), (c, d): (TermId, TermId)) -> TermId {
        let first = self.eq(a, b);
        let second = self.eq(c, d);
        self.and(first, second)
    }

    /// At width 1 the only pairs in order are 0 < 1 unsigned and -1 < 0 signed.
    fn less_bit(&mut self, op: CmpOp, a: TermId, b: TermId) -> TermId {
        let (zero, one) = if op == CmpOp::Ult { (a, b) } else { (b, a) };
        let not = self.not(zero);
        self.and(not, one)
    }

    fn simplify_ult(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if a == b {
            return self.bool(false);
        }
        if let Some(k) = self.as_constant(b) {
            return self.ult_constant(a, k);
        }
        // k < b is !(b < k + 1).
        if let Some(k) = self.as_constant(a) {
            if k == mask(width) {
                return self.bool(false);
            }
            let less = self.ult_constant(b, k + 1);
            return self.not(less);
        }
        match (*self.node(a), *self.node(b)) {
            (Node::Zext { term: x, .. }, Node::Zext { term: y, .. }) => {
                let (x, y) = self.widen_both(x, y, Terms::zext);
                self.cmp(CmpOp::Ult, x, y)
            }
            // Sign extension keeps the unsigned order too.
            (Node::Sext { term: x, .. }, Node::Sext { term: y, .. }) => {
                let (x, y) = self.widen_both(x, y, Terms::sext);
                self.cmp(CmpOp::Ult, x, y)
            }
            (Node::Not(x), Node::Not(y)) => self.cmp(CmpOp::Ult, y, x),
            _ => self.finish(Node::Cmp(CmpOp::Ult, a, b)),
        }
    }

    /// `a < k`, unsigned.
    fn ult_constant(&mut self, a: TermId, k: u128) -> TermId {
        let width = self.width(a);
        if k == 0 {
            return self.bool(false);
        }
        if k == 1 {
            return self.eq_constant(a, 0);
        }
        if k == mask(width) {
            let equal = self.eq_constant(a, k);
            return self.not(equal);
        }
        let constant = self.constant(width, k);
        match *self.node(a) {
            Node::Constant { value, .. } => self.bool(value < k),
            Node::Zext { term, .. } => {
                let inside = self.width(term);
                if k > mask(inside) {
                    return self.bool(true);
                }
                let k = self.constant(inside, k);
                self.cmp(CmpOp::Ult, term, k)
            }
            // !x < k is x > !k.
            Node::Not(x) => {
                let k = self.constant(width, semantics::not(width, k));
                self.cmp(CmpOp::Ugt, x, k)
            }
            // (hi ++ lo) < (k' ++ 0) is hi < k'.
            Node::Concat { hi, lo } if k & mask(self.width(lo)) == 0 => {
                let k = self.constant(self.width(hi), k >> self.width(lo));
                self.cmp(CmpOp::Ult, hi, k)
            }
            _ => match self.compare_choice(CmpOp::Ult, a, constant) {
                Some(lifted) => lifted,
                None => self.finish(Node::Cmp(CmpOp::Ult, a, constant)),
            },
        }
    }

    fn simplify_slt(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if a == b {
            return self.bool(false);
        }
        if self.is_non_negative(a) && self.is_non_negative(b) {
            return self.cmp(CmpOp::Ult, a, b);
        }
        if let Some(k) = self.as_constant(b) {
            return self.slt_constant(a, k);
        }
        // k < b is !(b < k + 1).
        if let Some(k) = self.as_constant(a) {
            if k == sign_bit(width) - 1 {
                return self.bool(false);
            }
            let next = self.constant(width, k.wrapping_add(1));
            let less = self.cmp(CmpOp::Slt, b, next);
            return self.not(less);
        }
        match (*self.node(a), *self.node(b)) {
            (Node::Sext { term: x, .. }, Node::Sext { term: y, .. }) => {
                let (x, y) = self.widen_both(x, y, Terms::sext);
                self.cmp(CmpOp::Slt, x, y)
            }
            (Node::Not(x), Node::Not(y)) => self.cmp(CmpOp::Slt, y, x),
            _ => self.finish(Node::Cmp(CmpOp::Slt, a, b)),
        }
    }

    /// `a < k`, signed.
    fn slt_constant(&mut self, a: TermId, k: u128) -> TermId {
        let width = self.width(a);
        let min = sign_bit(width);
        let constant = self.constant(width, k);
        if k == min {
            return self.bool(false);
        }
        if k == min + 1 {
            return self.eq_constant(a, min);
        }
        if k == min - 1 {
            let equal = self.eq_constant(a, k);
            return self.not(equal);
        }
        match *self.node(a) {
            Node::Constant { value, .. } => self.bool(semantics::cmp(CmpOp::Slt, width, value, k)),
            Node::Sext { term, .. } => {
                let inside = self.width(term);
                match Terms::narrow_constant(k, inside, width, true) {
                    Some(low) => {
                        let low = self.constant(inside, low);
                        self.cmp(CmpOp::Slt, term, low)
                    }
                    // Beyond the inner range on the side of its sign.
                    None => self.bool(k & min == 0),
                }
            }
            Node::Not(x) => {
                let k = self.constant(width, semantics::not(width, k));
                self.cmp(CmpOp::Sgt, x, k)
            }
            Node::Concat { hi, lo } if k & mask(self.width(lo)) == 0 => {
                let k = self.constant(self.width(hi), k >> self.width(lo));
                self.cmp(CmpOp::Slt, hi, k)
            }
            _ => match self.compare_choice(CmpOp::Slt, a, constant) {
                Some(lifted) => lifted,
                None => self.finish(Node::Cmp(CmpOp::Slt, a, constant)),
            },
        }
    }

    /// `ite(c, x, y) op k` with a constant branch is `ite(c, x op k, y op k)`, one of which folds.
    fn compare_choice(&mut self, op: CmpOp, a: TermId, k: TermId) -> Option<TermId> {
        let Node::Ite(c, x, y) = *self.node(a) else {
            return None;
        };
        if self.as_constant(x).is_none() && self.as_constant(y).is_none() {
            return None;
        }
        let then = self.cmp(op, x, k);
        let other = self.cmp(op, y, k);
        Some(self.ite(c, then, other))
    }

    fn widen_both(
        &mut self,
        a: TermId,
        b: TermId,
        extend: fn(&mut Terms, TermId, u32) -> TermId,
    ) -> (TermId, TermId) {
        let width = self.width(a).max(self.width(b));
        (extend(self, a, width), extend(self, b, width))
    }
}

/// Whether the operation, with one operand fixed, is injective in the other.
fn is_injective(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Xor)
}

/// The inverse of an odd number modulo 2^128, hence modulo every smaller power.
fn inverse(odd: u128) -> Option<u128> {
    if odd & 1 == 0 {
        return None;
    }
    // Newton's iteration doubles the number of correct bits; x = odd is correct to 3.
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    Some(x)
}

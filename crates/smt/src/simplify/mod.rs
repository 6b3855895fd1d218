//! The constructors of terms. Each rewrites at the root only, its operands being simplified
//! already.
//!
//! Normal form, so that equal meanings are often equal terms:
//! - constants stand on the right of commutative operations and of comparisons; other operands are
//!   ordered by id;
//! - comparisons are `Eq`, `Ult` and `Slt`; the others are these, swapped or under `Not`;
//! - a term whose bits are all known is a constant;
//! - constants float out of sums: `(x + 1) + y` is `(x + y) + 1`;
//! - masks, shifts and multiplications or divisions by powers of two are `Extract`, `Concat`,
//!   `Zext`, `Sext`;
//! - at width 1 only `And`, `Or`, `Not`, `Eq` and `Ite`-free forms remain: `Xor` is a negated `Eq`,
//!   arithmetic is Boolean.
//!
//! `Extract` moves only through operations that `Concat` undoes, so that a word stored as bytes and
//! loaded again is the same term. Rules recurse into other constructors; `NESTING` bounds that
//! recursion, a term beyond it is kept as it is. Every rule is a line in `tests/rules.rs`, proved
//! there by the solver.

mod arithmetic;
mod bitwise;
mod choice;
mod compare;
mod division;
mod slices;

use crate::node::{BinOp, Node, TermId};
use crate::semantics;
use crate::terms::Terms;

/// Enough for every rule to finish on ordinary terms (slices of a 128-bit concatenation recurse
/// most), and far from the end of a thread's stack.
const NESTING: u32 = 160;

impl Terms {
    pub fn bin(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "{op:?} of different widths");
        // Constants go right, then the older term comes first.
        let swap = op.is_commutative()
            && (self.as_constant(a).is_some(), a) > (self.as_constant(b).is_some(), b);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        self.nested(Node::Bin(op, a, b), |terms| {
            if let (Some(x), Some(y)) = (terms.as_constant(a), terms.as_constant(b)) {
                return terms.constant(width, semantics::bin(op, width, x, y));
            }
            if let Some(lifted) = terms.lift_over_choice(op, a, b) {
                return lifted;
            }
            match op {
                BinOp::Add => terms.simplify_add(a, b),
                BinOp::Sub => terms.simplify_sub(a, b),
                BinOp::Mul => terms.simplify_mul(a, b),
                BinOp::UDiv => terms.simplify_udiv(a, b),
                BinOp::SDiv => terms.simplify_sdiv(a, b),
                BinOp::URem => terms.simplify_urem(a, b),
                BinOp::SRem => terms.simplify_srem(a, b),
                BinOp::Shl => terms.simplify_shl(a, b),
                BinOp::LShr => terms.simplify_lshr(a, b),
                BinOp::AShr => terms.simplify_ashr(a, b),
                BinOp::And => terms.simplify_and(a, b),
                BinOp::Or => terms.simplify_or(a, b),
                BinOp::Xor => terms.simplify_xor(a, b),
            }
        })
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::And, a, b)
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::Or, a, b)
    }

    /// Of width 1.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    pub fn all(&mut self, terms: &[TermId]) -> TermId {
        let start = self.bool(true);
        terms.iter().fold(start, |all, &term| self.and(all, term))
    }

    pub fn any(&mut self, terms: &[TermId]) -> TermId {
        let start = self.bool(false);
        terms.iter().fold(start, |any, &term| self.or(any, term))
    }

    /// Runs a rewrite unless the simplifier is too deep in itself; then `plain` is the answer.
    fn nested(&mut self, plain: Node, rewrite: impl FnOnce(&mut Self) -> TermId) -> TermId {
        if self.nesting >= NESTING {
            return self.intern(plain);
        }
        self.nesting += 1;
        let term = rewrite(self);
        self.nesting -= 1;
        term
    }

    /// The end of a rewrite that found nothing else: a constant if all bits are known, or the node.
    fn finish(&mut self, node: Node) -> TermId {
        let known = self.compute_known_bits(&node);
        let width = match node {
            Node::Cmp(..) => 1,
            Node::Bin(_, a, _) | Node::Not(a) | Node::Neg(a) | Node::Ite(_, a, _) => self.width(a),
            Node::Extract { width, .. } | Node::Zext { width, .. } | Node::Sext { width, .. } => {
                width
            }
            Node::Concat { hi, lo } => self.width(hi) + self.width(lo),
            Node::Select { .. } => 8,
            Node::Constant { .. } | Node::Input(_) => return self.intern(node),
        };
        match known.as_constant(width) {
            Some(value) => self.constant(width, value),
            None => self.intern(node),
        }
    }

    /// `f(ite(c, k1, k2), k3)` is `ite(c, f(k1, k3), f(k2, k3))`.
    fn lift_over_choice(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        if width == 1 {
            return None;
        }
        let (c, then, other) = match (self.constant_choice(a), self.as_constant(b)) {
            (Some((c, x, y)), Some(k)) => (
                c,
                semantics::bin(op, width, x, k),
                semantics::bin(op, width, y, k),
            ),
            _ => match (self.as_constant(a), self.constant_choice(b)) {
                (Some(k), Some((c, x, y))) => (
                    c,
                    semantics::bin(op, width, k, x),
                    semantics::bin(op, width, k, y),
                ),
                _ => return None,
            },
        };
        Some(self.choice_of_constants(c, width, then, other))
    }

    /// Reads `ite(c, k1, k2)`, and the same choice written as an extension of `c` or of such an
    /// `ite`.
    fn constant_choice(&self, term: TermId) -> Option<(TermId, u128, u128)> {
        match *self.node(term) {
            Node::Ite(c, a, b) => Some((c, self.as_constant(a)?, self.as_constant(b)?)),
            Node::Zext { term: c, .. } if self.width(c) == 1 => Some((c, 1, 0)),
            Node::Sext { term: c, width } if self.width(c) == 1 => {
                Some((c, semantics::mask(width), 0))
            }
            _ => None,
        }
    }

    fn choice_of_constants(&mut self, c: TermId, width: u32, then: u128, other: u128) -> TermId {
        let (then, other) = (self.constant(width, then), self.constant(width, other));
        self.ite(c, then, other)
    }
}

//! Sums and products.

use crate::node::{BinOp, Node, TermId};
use crate::semantics::{self, mask};
use crate::terms::Terms;

impl Terms {
    pub fn neg(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return a;
        }
        self.nested(Node::Neg(a), |terms| match *terms.node(a) {
            Node::Constant { value, .. } => terms.constant(width, semantics::neg(width, value)),
            Node::Neg(x) => x,
            Node::Bin(BinOp::Sub, x, y) => terms.bin(BinOp::Sub, y, x),
            Node::Bin(BinOp::Add, x, y) if terms.as_constant(y).is_some() => {
                let minus = terms.neg(y);
                terms.bin(BinOp::Sub, minus, x)
            }
            Node::Not(x) => {
                let one = terms.constant(width, 1);
                terms.bin(BinOp::Add, x, one)
            }
            _ => match terms.constant_choice(a) {
                Some((c, x, y)) => terms.choice_of_constants(
                    c,
                    width,
                    semantics::neg(width, x),
                    semantics::neg(width, y),
                ),
                None => terms.finish(Node::Neg(a)),
            },
        })
    }

    /// `a` is no constant unless `b` is one.
    pub(super) fn simplify_add(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.bin(BinOp::Xor, a, b);
        }
        if let Some(k) = self.as_constant(b) {
            return self.add_constant(a, k);
        }
        if a == b {
            let two = self.constant(width, 2);
            return self.bin(BinOp::Mul, a, two);
        }
        if let Some(joined) = self.join_disjoint(a, b) {
            return joined;
        }
        for (x, y) in [(a, b), (b, a)] {
            match *self.node(x) {
                // (p + k) + y = (p + y) + k
                Node::Bin(BinOp::Add, p, k) if self.as_constant(k).is_some() => {
                    let sum = self.bin(BinOp::Add, p, y);
                    return self.bin(BinOp::Add, sum, k);
                }
                Node::Neg(p) => return self.bin(BinOp::Sub, y, p),
                Node::Bin(BinOp::Sub, p, q) if q == y => return p,
                // (k - p) + y = (y - p) + k
                Node::Bin(BinOp::Sub, k, p) if self.as_constant(k).is_some() => {
                    let difference = self.bin(BinOp::Sub, y, p);
                    return self.bin(BinOp::Add, difference, k);
                }
                _ => {}
            }
        }
        self.finish(Node::Bin(BinOp::Add, a, b))
    }

    fn add_constant(&mut self, a: TermId, k: u128) -> TermId {
        let width = self.width(a);
        if k == 0 {
            return a;
        }
        match *self.node(a) {
            Node::Bin(BinOp::Add, x, y) if self.as_constant(y).is_some() => {
                let k = self.constant(width, k);
                let sum = self.bin(BinOp::Add, y, k);
                self.bin(BinOp::Add, x, sum)
            }
            Node::Bin(BinOp::Sub, x, y) if self.as_constant(x).is_some() => {
                let k = self.constant(width, k);
                let sum = self.bin(BinOp::Add, x, k);
                self.bin(BinOp::Sub, sum, y)
            }
            Node::Not(x) if k == 1 => self.neg(x),
            // k - x
            Node::Neg(x) => {
                let k = self.constant(width, k);
                self.bin(BinOp::Sub, k, x)
            }
            _ => {
                let k = self.constant(width, k);
                match self.join_disjoint(a, k) {
                    Some(joined) => joined,
                    None => self.finish(Node::Bin(BinOp::Add, a, k)),
                }
            }
        }
    }

    pub(super) fn simplify_sub(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.bin(BinOp::Xor, a, b);
        }
        if a == b {
            return self.constant(width, 0);
        }
        if let Some(k) = self.as_constant(b) {
            return self.add_constant(a, semantics::neg(width, k));
        }
        if self.as_constant(a) == Some(0) {
            return self.neg(b);
        }
        match *self.node(b) {
            Node::Neg(y) => return self.bin(BinOp::Add, a, y),
            // a - (a - y) = y
            Node::Bin(BinOp::Sub, x, y) if x == a => return y,
            // a - (k - y) = (a + y) - k
            Node::Bin(BinOp::Sub, k, y) if self.as_constant(k).is_some() => {
                let sum = self.bin(BinOp::Add, a, y);
                return self.bin(BinOp::Sub, sum, k);
            }
            // a - (x + a) = -x
            Node::Bin(BinOp::Add, x, y) if y == a => return self.neg(x),
            Node::Bin(BinOp::Add, x, y) if x == a => return self.neg(y),
            // a - (x + k) = (a - x) - k
            Node::Bin(BinOp::Add, x, k) if self.as_constant(k).is_some() => {
                let difference = self.bin(BinOp::Sub, a, x);
                return self.bin(BinOp::Sub, difference, k);
            }
            _ => {}
        }
        match *self.node(a) {
            Node::Bin(BinOp::Add, x, y) if x == b => return y,
            Node::Bin(BinOp::Add, x, y) if y == b => return x,
            // (x - y) - x = -y
            Node::Bin(BinOp::Sub, x, y) if x == b => return self.neg(y),
            // (x + k) - b = (x - b) + k
            Node::Bin(BinOp::Add, x, k) if self.as_constant(k).is_some() => {
                let difference = self.bin(BinOp::Sub, x, b);
                return self.bin(BinOp::Add, difference, k);
            }
            _ => {}
        }
        self.finish(Node::Bin(BinOp::Sub, a, b))
    }

    pub(super) fn simplify_mul(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.bin(BinOp::And, a, b);
        }
        let Some(k) = self.as_constant(b) else {
            return self.finish(Node::Bin(BinOp::Mul, a, b));
        };
        if k == 0 {
            return b;
        }
        if k.is_power_of_two() {
            let shift = self.constant(width, k.trailing_zeros() as u128);
            return self.bin(BinOp::Shl, a, shift);
        }
        if k == mask(width) {
            return self.neg(a);
        }
        match *self.node(a) {
            // (x * k1) * k2 = x * (k1 * k2)
            Node::Bin(BinOp::Mul, x, y) if self.as_constant(y).is_some() => {
                let product = self.bin(BinOp::Mul, y, b);
                self.bin(BinOp::Mul, x, product)
            }
            Node::Neg(x) => {
                let minus = self.neg(b);
                self.bin(BinOp::Mul, x, minus)
            }
            _ => self.finish(Node::Bin(BinOp::Mul, a, b)),
        }
    }
}

//! Sums and products.

use smallvec::SmallVec;

use crate::node::{BinOp, Node, TermId};
use crate::semantics::{self, mask, sign_bit};
use crate::terms::Terms;

/// Terms, and how many times each is added.
struct Addends {
    all: SmallVec<[(TermId, u128); MOST]>,
    /// How many nodes were visited.
    seen: usize,
    /// How many addends there may be.
    most: usize,
}

/// A sum with more addends is left as it is. So is one that is written with several times as many
/// nodes.
const MOST: usize = 6;
/// Two sums are compared that have more: that is done once, not for every term that is added.
const MOST_COMPARED: usize = 80;

impl Addends {
    fn at_most(most: usize) -> Addends {
        Addends {
            all: SmallVec::new(),
            seen: 0,
            most,
        }
    }

    /// `None`: there are too many addends.
    fn add(&mut self, term: TermId, times: u128, width: u32) -> Option<()> {
        match self.all.iter().position(|(other, _)| *other == term) {
            Some(i) => self.all[i].1 = semantics::bin(BinOp::Add, width, self.all[i].1, times),
            None if self.all.len() < self.most => self.all.push((term, times)),
            None => return None,
        }
        Some(())
    }
}

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
        match self.collected(a, b, 1) {
            Some(sum) => sum,
            None => self.finish(Node::Bin(BinOp::Add, a, b)),
        }
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
        match self.collected(a, b, mask(width)) {
            Some(difference) => difference,
            None => self.finish(Node::Bin(BinOp::Sub, a, b)),
        }
    }

    /// `a + factor * b` with common addends merged; `None` if there are none. So a variable stays
    /// small that is assigned sums of itself again and again.
    fn collected(&mut self, a: TermId, b: TermId, factor: u128) -> Option<TermId> {
        let width = self.width(a);
        let (mut addends, mut others) = (Addends::at_most(MOST), Addends::at_most(MOST));
        self.add_addends(a, 1, &mut addends)?;
        self.add_addends(b, factor, &mut others)?;
        let is_common = |(x, _): &(TermId, u128)| addends.all.iter().any(|(y, _)| x == y);
        if !others.all.iter().any(is_common) {
            return None;
        }
        for (term, times) in others.all {
            addends.add(term, times, width)?;
        }
        addends.all.sort_unstable();
        let mut sum = self.constant(width, 0);
        for (term, times) in addends.all {
            let times = self.constant(width, times);
            let addend = self.bin(BinOp::Mul, term, times);
            sum = self.bin(BinOp::Add, sum, addend);
        }
        Some(sum)
    }

    /// `a == b` without the addends that both have; `None` if there are none. What is taken away
    /// comes to stand on the other side, so that the same numbers added up in another order are equal.
    pub(super) fn cancel_addends(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let is_sum = |terms: &Terms, t: TermId| {
            matches!(terms.node(t), Node::Bin(BinOp::Add | BinOp::Sub, ..))
        };
        let width = self.width(a);
        if width == 1 || !is_sum(self, a) || !is_sum(self, b) {
            return None;
        }
        let mut addends = Addends::at_most(MOST_COMPARED);
        let mut others = Addends::at_most(MOST_COMPARED);
        self.add_addends(a, 1, &mut addends)?;
        self.add_addends(b, 1, &mut others)?;
        let (mut addends, mut others) = (addends.all, others.all);
        addends.sort_unstable();
        others.sort_unstable();
        let is_common = |(term, _): &(TermId, u128)| {
            let has = addends.binary_search_by_key(term, |(other, _)| *other);
            has.is_ok() && self.as_constant(*term).is_none()
        };
        if !others.iter().any(is_common) {
            return None;
        }
        for (term, times) in others {
            let less = semantics::neg(width, times);
            match addends.iter_mut().find(|(other, _)| *other == term) {
                Some((_, times)) => *times = semantics::bin(BinOp::Add, width, *times, less),
                None => addends.push((term, less)),
            }
        }
        let zero = self.constant(width, 0);
        let (mut left, mut right) = (zero, zero);
        for (term, times) in addends {
            let is_negative = times & sign_bit(width) != 0;
            let (side, times) = match is_negative {
                true => (&mut right, semantics::neg(width, times)),
                false => (&mut left, times),
            };
            let times = self.constant(width, times);
            let addend = self.bin(BinOp::Mul, term, times);
            *side = self.bin(BinOp::Add, *side, addend);
        }
        Some(self.eq(left, right))
    }

    /// The terms that are added up, and how many times each, if they are few. Terms and numbers
    /// have the width of the sum.
    pub fn addends(&self, term: TermId) -> Option<Vec<(TermId, u128)>> {
        let mut addends = Addends::at_most(MOST);
        self.add_addends(term, 1, &mut addends)?;
        Some(addends.all.into_vec())
    }

    /// Collects the addends of `factor * term`. `None`: there are too many.
    fn add_addends(&self, term: TermId, factor: u128, addends: &mut Addends) -> Option<()> {
        addends.seen += 1;
        if addends.seen > 4 * addends.most {
            return None;
        }
        let width = self.width(term);
        let times = |k: u128| semantics::bin(BinOp::Mul, width, factor, k);
        match *self.node(term) {
            Node::Bin(BinOp::Add, x, y) => {
                self.add_addends(x, factor, addends)?;
                self.add_addends(y, factor, addends)
            }
            Node::Bin(BinOp::Sub, x, y) => {
                self.add_addends(x, factor, addends)?;
                self.add_addends(y, times(mask(width)), addends)
            }
            Node::Neg(x) => self.add_addends(x, times(mask(width)), addends),
            Node::Bin(BinOp::Mul, x, k) if self.as_constant(k).is_some() => {
                let k = self.as_constant(k)?;
                self.add_addends(x, times(k), addends)
            }
            // x << n
            Node::Concat { hi, lo } if self.as_constant(lo) == Some(0) => match *self.node(hi) {
                Node::Extract { term: x, lo: 0, .. } if self.width(x) == width => {
                    self.add_addends(x, times(1 << self.width(lo)), addends)
                }
                _ => addends.add(term, factor, width),
            },
            _ => addends.add(term, factor, width),
        }
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

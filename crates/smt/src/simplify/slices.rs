//! Extraction, concatenation and extension.

use crate::node::{BinOp, Node, TermId};
use crate::semantics::{self, mask};
use crate::terms::Terms;

impl Terms {
    /// Bits `lo..lo + width`.
    pub fn extract(&mut self, term: TermId, lo: u32, width: u32) -> TermId {
        let whole = self.width(term);
        assert!(
            width >= 1 && lo + width <= whole,
            "bits {lo}..{} of {whole}",
            lo + width
        );
        if width == whole {
            return term;
        }
        let plain = Node::Extract { term, lo, width };
        self.nested(plain, |terms| match *terms.node(term) {
            Node::Constant { value, .. } => {
                terms.constant(width, semantics::extract(value, lo, width))
            }
            Node::Extract {
                term: inner,
                lo: below,
                ..
            } => terms.extract(inner, below + lo, width),
            Node::Concat { hi, lo: low } => terms.extract_of_concat(hi, low, lo, width),
            Node::Zext { term: inner, .. } => {
                let inside = terms.width(inner);
                if lo >= inside {
                    return terms.constant(width, 0);
                }
                let kept = terms.extract(inner, lo, width.min(inside - lo));
                terms.zext(kept, width)
            }
            Node::Sext { term: inner, .. } => {
                let inside = terms.width(inner);
                // Above the inner term every bit is its sign.
                let from = lo.min(inside - 1);
                let kept = terms.extract(inner, from, width.min(inside - from));
                terms.sext(kept, width)
            }
            // The low bits of a sum are the sum of low bits.
            Node::Bin(BinOp::Add, x, y) if lo == 0 && terms.has_constant(x, y) => {
                let (x, y) = (terms.extract(x, 0, width), terms.extract(y, 0, width));
                terms.bin(BinOp::Add, x, y)
            }
            _ => match terms.constant_choice(term) {
                Some((c, x, y)) => {
                    let (x, y) = (
                        semantics::extract(x, lo, width),
                        semantics::extract(y, lo, width),
                    );
                    terms.choice_of_constants(c, width, x, y)
                }
                None => terms.finish(plain),
            },
        })
    }

    fn has_constant(&self, x: TermId, y: TermId) -> bool {
        self.as_constant(x).is_some() || self.as_constant(y).is_some()
    }

    fn extract_of_concat(&mut self, hi: TermId, low: TermId, lo: u32, width: u32) -> TermId {
        let boundary = self.width(low);
        if lo >= boundary {
            return self.extract(hi, lo - boundary, width);
        }
        if lo + width <= boundary {
            return self.extract(low, lo, width);
        }
        let high_part = self.extract(hi, 0, lo + width - boundary);
        let low_part = self.extract(low, lo, boundary - lo);
        self.concat(high_part, low_part)
    }

    /// Nests to the right, with zeros at the top as `Zext`.
    pub fn concat(&mut self, hi: TermId, lo: TermId) -> TermId {
        let (high, low) = (self.width(hi), self.width(lo));
        let width = high + low;
        assert!(width <= 128, "a concatenation of {width} bits");
        self.nested(Node::Concat { hi, lo }, |terms| {
            if let Some(joined) = terms.join_neighbours(hi, lo) {
                return joined;
            }
            match (*terms.node(hi), *terms.node(lo)) {
                (Node::Constant { value: 0, .. }, _) => terms.zext(lo, width),
                (Node::Zext { term, .. }, _) => {
                    let inner = terms.concat(term, lo);
                    terms.zext(inner, width)
                }
                // (a ++ b) ++ lo = a ++ (b ++ lo)
                (Node::Concat { hi: a, lo: b }, _) => {
                    let rest = terms.concat(b, lo);
                    terms.concat(a, rest)
                }
                (_, Node::Concat { hi: a, lo: b }) => match terms.join_neighbours(hi, a) {
                    Some(joined) => terms.concat(joined, b),
                    None => terms.finish(Node::Concat { hi, lo }),
                },
                // k ++ zext(x) = (k ++ 0) ++ x
                (Node::Constant { value, .. }, Node::Zext { term, .. }) => {
                    let zeros = low - terms.width(term);
                    let k = terms.constant(high + zeros, value << zeros);
                    terms.concat(k, term)
                }
                _ if terms.repeats_sign(hi, lo) => terms.sext(lo, width),
                _ => terms.finish(Node::Concat { hi, lo }),
            }
        })
    }

    /// Two parts that are one simpler term together.
    fn join_neighbours(&mut self, hi: TermId, lo: TermId) -> Option<TermId> {
        let (high, low) = (self.width(hi), self.width(lo));
        match (*self.node(hi), *self.node(lo)) {
            (Node::Constant { value: x, .. }, Node::Constant { value: y, .. }) => {
                Some(self.constant(high + low, semantics::concat(x, y, low)))
            }
            (Node::Extract { term: a, lo: i, .. }, Node::Extract { term: b, lo: j, .. })
                if a == b && i == j + low =>
            {
                Some(self.extract(a, j, high + low))
            }
            (_, _) => {
                // Two choices on one condition, or a choice and a constant.
                let (c, (x1, x2), (y1, y2)) =
                    match (self.constant_choice(hi), self.constant_choice(lo)) {
                        (Some((c, x1, x2)), Some((d, y1, y2))) if c == d => (c, (x1, x2), (y1, y2)),
                        (Some((c, x1, x2)), None) => {
                            let y = self.as_constant(lo)?;
                            (c, (x1, x2), (y, y))
                        }
                        (None, Some((c, y1, y2))) => {
                            let x = self.as_constant(hi)?;
                            (c, (x, x), (y1, y2))
                        }
                        _ => return None,
                    };
                let (x, y) = (
                    semantics::concat(x1, y1, low),
                    semantics::concat(x2, y2, low),
                );
                Some(self.choice_of_constants(c, high + low, x, y))
            }
        }
    }

    /// Whether `hi` is nothing but copies of the sign of `lo`.
    fn repeats_sign(&mut self, hi: TermId, lo: TermId) -> bool {
        let sign = match *self.node(hi) {
            Node::Sext { term, .. } if self.width(term) == 1 => term,
            _ if self.width(hi) == 1 => hi,
            _ => return false,
        };
        let top = self.width(lo) - 1;
        self.extract(lo, top, 1) == sign
    }

    pub fn zext(&mut self, term: TermId, width: u32) -> TermId {
        let from = self.width(term);
        assert!(
            from <= width && width <= 128,
            "a zero extension from {from} to {width} bits"
        );
        if from == width {
            return term;
        }
        match *self.node(term) {
            Node::Constant { value, .. } => self.constant(width, value),
            Node::Zext { term, .. } => self.zext(term, width),
            Node::Ite(c, ..) if from > 1 => match self.constant_choice(term) {
                Some((_, x, y)) => self.choice_of_constants(c, width, x, y),
                None => self.finish(Node::Zext { term, width }),
            },
            _ => self.finish(Node::Zext { term, width }),
        }
    }

    pub fn sext(&mut self, term: TermId, width: u32) -> TermId {
        let from = self.width(term);
        assert!(
            from <= width && width <= 128,
            "a sign extension from {from} to {width} bits"
        );
        if from == width {
            return term;
        }
        match *self.node(term) {
            Node::Constant { value, .. } => {
                self.constant(width, semantics::sext(from, value, width))
            }
            Node::Sext { term, .. } => self.sext(term, width),
            Node::Ite(c, ..) if from > 1 && self.constant_choice(term).is_some() => {
                let (_, x, y) = self.constant_choice(term).expect("just seen");
                let (x, y) = (
                    semantics::sext(from, x, width),
                    semantics::sext(from, y, width),
                );
                self.choice_of_constants(c, width, x, y)
            }
            _ if self.is_non_negative(term) => self.zext(term, width),
            _ => self.finish(Node::Sext { term, width }),
        }
    }

    /// The value whose extension, zero or sign, from `from` to `width` bits is `value`, if there is
    /// one.
    pub(super) fn narrow_constant(
        value: u128,
        from: u32,
        width: u32,
        is_signed: bool,
    ) -> Option<u128> {
        let low = value & mask(from);
        let extended = if is_signed {
            semantics::sext(from, low, width)
        } else {
            low
        };
        (extended == value).then_some(low)
    }
}

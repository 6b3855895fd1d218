//! Intervals of bit-vectors, seen as unsigned and as signed numbers at once.
//!
//! Both pairs of bounds together say more than either: between them lie up to two runs of numbers,
//! the non-negative ones up to the signed upper bound and the negative ones from the signed lower
//! bound on. Every set of two such runs is an interval here, so meets and restrictions are exact.
//!
//! Sound: every operation covers all results for members of its operands, where operators mean what
//! `semantics.rs` says. `tests/interval.rs` checks it for all intervals of 3 and of 4 bits, and for
//! random ones up to 128 bits.

use crate::ops::{BinOp, CmpOp};
use crate::semantics::{self, mask, signed};

/// The numbers of `width` bits, at most 128, between both pairs of bounds, inclusive. No bound lies
/// outside of the width's numbers; only the empty set has a lower bound above the upper one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    width: u32,
    low: u128,
    high: u128,
    signed_low: i128,
    signed_high: i128,
}

impl Interval {
    pub fn full(width: u32) -> Interval {
        let signed_high = (mask(width) >> 1) as i128;
        Interval {
            width,
            low: 0,
            high: mask(width),
            signed_low: -1 - signed_high,
            signed_high,
        }
    }

    pub fn empty(width: u32) -> Interval {
        Interval {
            width,
            low: 1,
            high: 0,
            signed_low: 0,
            signed_high: -1,
        }
    }

    /// The value modulo `2^width`.
    pub fn constant(width: u32, value: u128) -> Interval {
        let value = value & mask(width);
        let as_signed = signed(width, value);
        Interval {
            width,
            low: value,
            high: value,
            signed_low: as_signed,
            signed_high: as_signed,
        }
    }

    /// The numbers from `low` to `high`, which are of this width.
    pub fn from_unsigned(width: u32, low: u128, high: u128) -> Interval {
        debug_assert!(low > high || high <= mask(width), "{high} of {width} bits");
        Interval {
            low,
            high,
            ..Interval::full(width)
        }
        .reduced()
    }

    /// The signed numbers from `low` to `high`, which are of this width.
    pub fn from_signed(width: u32, low: i128, high: i128) -> Interval {
        let full = Interval::full(width);
        debug_assert!(
            low > high || full.signed_low <= low && high <= full.signed_high,
            "{low} to {high} of {width} bits"
        );
        Interval {
            signed_low: low,
            signed_high: high,
            ..full
        }
        .reduced()
    }

    /// The numbers `first`, `first + 1`, ..., `first + span`, modulo `2^width`. `None` is too large
    /// a span to be told.
    fn wrapped(width: u32, first: u128, span: Option<u128>) -> Interval {
        let mut result = Interval::full(width);
        if let Some(span) = span.filter(|span| *span <= mask(width)) {
            let (first, last) = (first & mask(width), first.wrapping_add(span) & mask(width));
            if first <= last {
                (result.low, result.high) = (first, last);
            }
            let (first, last) = (signed(width, first), signed(width, last));
            if first <= last {
                (result.signed_low, result.signed_high) = (first, last);
            }
        }
        result
    }

    /// The tightest bounds of the same numbers: each view bounds the non-negative ones, which are
    /// the same in both, and the negative ones.
    fn reduced(self) -> Interval {
        let unsigned = |value: i128| value as u128 & mask(self.width);
        let positive = (
            self.low.max(self.signed_low.max(0) as u128),
            self.high.min(self.signed_high as u128),
        );
        let negative = (
            self.low.max(unsigned(self.signed_low)),
            self.high.min(unsigned(self.signed_high.min(-1))),
        );
        let has_positive = self.signed_high >= 0 && positive.0 <= positive.1;
        let has_negative = self.signed_low < 0 && negative.0 <= negative.1;
        let (least, greatest) = match (has_positive, has_negative) {
            (true, true) => (negative.0, positive.1),
            (true, false) => positive,
            (false, true) => negative,
            (false, false) => return Interval::empty(self.width),
        };
        Interval {
            width: self.width,
            low: if has_positive { positive.0 } else { negative.0 },
            high: if has_negative { negative.1 } else { positive.1 },
            signed_low: signed(self.width, least),
            signed_high: signed(self.width, greatest),
        }
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bounds of the unsigned numbers.
    pub fn unsigned(&self) -> (u128, u128) {
        (self.low, self.high)
    }

    /// The bounds of the signed numbers.
    pub fn signed(&self) -> (i128, i128) {
        (self.signed_low, self.signed_high)
    }

    pub fn is_empty(&self) -> bool {
        self.low > self.high
    }

    pub fn as_constant(&self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    pub fn contains(&self, value: u128) -> bool {
        let as_signed = signed(self.width, value);
        (self.low..=self.high).contains(&value)
            && (self.signed_low..=self.signed_high).contains(&as_signed)
    }

    /// The intersection.
    pub fn meet(self, other: Interval) -> Interval {
        debug_assert_eq!(self.width, other.width);
        Interval {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            signed_low: self.signed_low.max(other.signed_low),
            signed_high: self.signed_high.min(other.signed_high),
        }
        .reduced()
    }

    /// The smallest interval that covers both.
    pub fn join(self, other: Interval) -> Interval {
        debug_assert_eq!(self.width, other.width);
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Interval {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            signed_low: self.signed_low.min(other.signed_low),
            signed_high: self.signed_high.max(other.signed_high),
        }
    }

    /// Bounds that `self` has moved beyond `before` go to the end of the numbers, and stay there:
    /// the views do not tighten each other here.
    pub fn widened(self, before: Interval) -> Interval {
        let mut result = self;
        let full = Interval::full(self.width);
        if self.low < before.low {
            result.low = full.low;
        }
        if self.high > before.high {
            result.high = full.high;
        }
        if self.signed_low < before.signed_low {
            result.signed_low = full.signed_low;
        }
        if self.signed_high > before.signed_high {
            result.signed_high = full.signed_high;
        }
        result
    }

    /// The values `x` for which `x op y` can hold with a `y` of `other`.
    pub fn restricted(self, op: CmpOp, other: Interval) -> Interval {
        debug_assert_eq!(self.width, other.width);
        let full = Interval::full(self.width);
        let is_impossible = match op {
            CmpOp::Ult => other.high == full.low,
            CmpOp::Ugt => other.low == full.high,
            CmpOp::Slt => other.signed_high == full.signed_low,
            CmpOp::Sgt => other.signed_low == full.signed_high,
            _ => false,
        };
        if is_impossible || other.is_empty() {
            return Interval::empty(self.width);
        }
        let mut result = self;
        match op {
            CmpOp::Eq => return self.meet(other),
            CmpOp::Ne => {
                return match other.as_constant() {
                    Some(value) => self.without(value),
                    None => self,
                };
            }
            CmpOp::Ult => result.high = result.high.min(other.high - 1),
            CmpOp::Ule => result.high = result.high.min(other.high),
            CmpOp::Ugt => result.low = result.low.max(other.low + 1),
            CmpOp::Uge => result.low = result.low.max(other.low),
            CmpOp::Slt => result.signed_high = result.signed_high.min(other.signed_high - 1),
            CmpOp::Sle => result.signed_high = result.signed_high.min(other.signed_high),
            CmpOp::Sgt => result.signed_low = result.signed_low.max(other.signed_low + 1),
            CmpOp::Sge => result.signed_low = result.signed_low.max(other.signed_low),
        }
        result.reduced()
    }

    /// Drops a value that stands at an end. Where it is both ends of the signed view only, which
    /// `widened` may leave so, it may stay.
    fn without(self, value: u128) -> Interval {
        if self.is_empty() || self.as_constant() == Some(value) {
            return Interval::empty(self.width);
        }
        let mut result = self;
        let as_signed = signed(self.width, value);
        if self.low == value {
            result.low += 1;
        } else if self.high == value {
            result.high -= 1;
        }
        if self.signed_low == as_signed {
            result.signed_low = result.signed_low.saturating_add(1);
        } else if self.signed_high == as_signed {
            result.signed_high -= 1;
        }
        result.reduced()
    }

    /// What the operator yields.
    pub fn bin(op: BinOp, a: Interval, b: Interval) -> Interval {
        debug_assert_eq!(a.width, b.width);
        let width = a.width;
        if a.is_empty() || b.is_empty() {
            return Interval::empty(width);
        }
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Interval::constant(width, semantics::bin(op, width, x, y));
        }
        match op {
            BinOp::Add => Interval::wrapped(
                width,
                a.low.wrapping_add(b.low),
                a.span().checked_add(b.span()),
            )
            .meet(Interval::wrapped(
                width,
                a.signed_low.wrapping_add(b.signed_low) as u128,
                a.signed_span().checked_add(b.signed_span()),
            )),
            BinOp::Sub => Interval::wrapped(
                width,
                a.low.wrapping_sub(b.high),
                a.span().checked_add(b.span()),
            )
            .meet(Interval::wrapped(
                width,
                a.signed_low.wrapping_sub(b.signed_high) as u128,
                a.signed_span().checked_add(b.signed_span()),
            )),
            BinOp::Mul => {
                let least = a.low.wrapping_mul(b.low);
                let span = a.high.checked_mul(b.high).map(|most| most - least);
                Interval::wrapped(width, least, span).meet(at_ends(a, b, i128::checked_mul))
            }
            // The ends of the divisors give those of the quotients; a zero divisor gives all ones.
            BinOp::UDiv => Interval::from_unsigned(
                width,
                semantics::bin(op, width, a.low, b.high),
                semantics::bin(op, width, a.high, b.low),
            ),
            BinOp::URem if a.high < b.low => a,
            BinOp::URem if b.low > 0 => Interval::from_unsigned(width, 0, a.high.min(b.high - 1)),
            BinOp::URem => Interval::from_unsigned(width, 0, a.high),
            BinOp::SDiv if b.signed_low > 0 || b.signed_high < 0 => {
                at_ends(a, b, i128::checked_div)
            }
            BinOp::SDiv => Interval::full(width),
            // Of the dividend's sign, no further from zero than it, and nearer than the divisor.
            BinOp::SRem => {
                let (least, most) = if b.contains(0) {
                    (i128::MIN, i128::MAX)
                } else {
                    let divisor = b
                        .signed_low
                        .unsigned_abs()
                        .max(b.signed_high.unsigned_abs());
                    let most = (divisor - 1) as i128;
                    (-most, most)
                };
                let low = a.signed_low.min(0).max(least);
                Interval::from_signed(width, low, a.signed_high.max(0).min(most))
            }
            // A product with a power of two.
            BinOp::Shl if b.high < u128::from(width) => {
                let powers = Interval::from_unsigned(width, 1 << b.low, 1 << b.high);
                Interval::bin(BinOp::Mul, a, powers)
            }
            BinOp::Shl => Interval::full(width),
            BinOp::LShr => Interval::from_unsigned(
                width,
                semantics::bin(op, width, a.low, b.high),
                semantics::bin(op, width, a.high, b.low),
            ),
            BinOp::AShr => {
                let most = u128::from(width - 1);
                let amounts = (b.low.min(most), b.high.min(most));
                let low = (a.signed_low >> amounts.0).min(a.signed_low >> amounts.1);
                let high = (a.signed_high >> amounts.0).max(a.signed_high >> amounts.1);
                Interval::from_signed(width, low, high)
            }
            BinOp::And => Interval::from_unsigned(width, 0, a.high.min(b.high)),
            BinOp::Or => {
                Interval::from_unsigned(width, a.low.max(b.low), all_bits_of(a.high | b.high))
            }
            BinOp::Xor => Interval::from_unsigned(width, 0, all_bits_of(a.high | b.high)),
        }
    }

    fn span(&self) -> u128 {
        self.high - self.low
    }

    fn signed_span(&self) -> u128 {
        self.signed_high.abs_diff(self.signed_low)
    }

    /// Whether `a op b` holds for all values, or for none.
    pub fn cmp(op: CmpOp, a: Interval, b: Interval) -> Option<bool> {
        match op {
            CmpOp::Eq if a.meet(b).is_empty() => Some(false),
            CmpOp::Eq if a.as_constant().is_some() && a.as_constant() == b.as_constant() => {
                Some(true)
            }
            CmpOp::Ult if a.high < b.low => Some(true),
            CmpOp::Ult if a.low >= b.high => Some(false),
            CmpOp::Slt if a.signed_high < b.signed_low => Some(true),
            CmpOp::Slt if a.signed_low >= b.signed_high => Some(false),
            CmpOp::Eq | CmpOp::Ult | CmpOp::Slt => None,
            CmpOp::Ugt => Interval::cmp(CmpOp::Ult, b, a),
            CmpOp::Sgt => Interval::cmp(CmpOp::Slt, b, a),
            CmpOp::Ne | CmpOp::Ule | CmpOp::Uge | CmpOp::Sle | CmpOp::Sge => {
                Interval::cmp(op.negated(), a, b).map(|outcome| !outcome)
            }
        }
    }

    pub fn zext(self, width: u32) -> Interval {
        debug_assert!(width >= self.width);
        Interval::from_unsigned(width, self.low, self.high)
    }

    pub fn sext(self, width: u32) -> Interval {
        debug_assert!(width >= self.width);
        Interval::from_signed(width, self.signed_low, self.signed_high)
    }

    /// The low bits.
    pub fn truncated(self, width: u32) -> Interval {
        debug_assert!(width <= self.width);
        if self.is_empty() {
            return Interval::empty(width);
        }
        let signed = Interval::wrapped(width, self.signed_low as u128, Some(self.signed_span()));
        Interval::wrapped(width, self.low, Some(self.span())).meet(signed)
    }

    /// `self` above `lo`.
    pub fn concat(self, lo: Interval) -> Interval {
        let width = self.width + lo.width;
        if self.is_empty() || lo.is_empty() {
            return Interval::empty(width);
        }
        Interval::from_unsigned(
            width,
            semantics::concat(self.low, lo.low, lo.width),
            semantics::concat(self.high, lo.high, lo.width),
        )
    }

    pub fn complement(self) -> Interval {
        Interval {
            width: self.width,
            low: semantics::not(self.width, self.high),
            high: semantics::not(self.width, self.low),
            signed_low: !self.signed_high,
            signed_high: !self.signed_low,
        }
    }
}

/// The results, modulo `2^width`, of a signed operation that grows or falls in each operand while
/// the other stays, so that the extremes are at the ends; `None` is a result beyond 128 bits.
fn at_ends(a: Interval, b: Interval, op: impl Fn(i128, i128) -> Option<i128>) -> Interval {
    let ends = || {
        let low = (
            op(a.signed_low, b.signed_low)?,
            op(a.signed_low, b.signed_high)?,
        );
        let high = (
            op(a.signed_high, b.signed_low)?,
            op(a.signed_high, b.signed_high)?,
        );
        let least = low.0.min(low.1).min(high.0).min(high.1);
        let most = low.0.max(low.1).max(high.0).max(high.1);
        Some((least, most.abs_diff(least)))
    };
    match ends() {
        Some((least, span)) => Interval::wrapped(a.width, least as u128, Some(span)),
        None => Interval::full(a.width),
    }
}

/// The number with all bits set up to the highest one of `value`.
fn all_bits_of(value: u128) -> u128 {
    u128::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

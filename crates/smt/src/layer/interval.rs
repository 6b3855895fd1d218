//! Intervals of bit-vectors, unsigned and signed at once. Sound: every operation covers all
//! results.

use crate::known_bits::KnownBits;
use crate::node::{BinOp, CmpOp};
use crate::semantics::{self, mask, sign_bit, signed};

/// The values between both pairs of bounds, inclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub width: u32,
    pub low: u128,
    pub high: u128,
    pub signed_low: i128,
    pub signed_high: i128,
}

impl Interval {
    pub fn full(width: u32) -> Self {
        let signed_high = (mask(width) >> 1) as i128;
        Interval {
            width,
            low: 0,
            high: mask(width),
            signed_low: -1 - signed_high,
            signed_high,
        }
    }

    pub fn constant(width: u32, value: u128) -> Self {
        let as_signed = signed(width, value);
        Interval {
            width,
            low: value,
            high: value,
            signed_low: as_signed,
            signed_high: as_signed,
        }
    }

    /// The empty interval: what is known of the operands is contradictory.
    pub fn empty(width: u32) -> Self {
        Interval {
            width,
            low: 1,
            high: 0,
            signed_low: 0,
            signed_high: -1,
        }
    }

    pub fn known(width: u32, known: KnownBits) -> Self {
        Interval {
            low: known.min(),
            high: known.max(width),
            ..Interval::full(width)
        }
        .tightened()
    }

    pub fn is_empty(&self) -> bool {
        self.low > self.high || self.signed_low > self.signed_high
    }

    pub fn as_constant(&self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    /// The intersection.
    pub fn meet(self, other: Self) -> Self {
        Interval {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            signed_low: self.signed_low.max(other.signed_low),
            signed_high: self.signed_high.min(other.signed_high),
        }
        .tightened()
    }

    /// The smallest interval that covers both.
    pub fn join(self, other: Self) -> Self {
        Interval {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            signed_low: self.signed_low.min(other.signed_low),
            signed_high: self.signed_high.max(other.signed_high),
        }
    }

    /// The values `x` for which `x op y` can hold with a `y` of `other`.
    pub fn restricted(self, op: CmpOp, other: Self) -> Self {
        let mut result = self;
        match op {
            CmpOp::Eq => return self.meet(other),
            CmpOp::Ne => {
                if let Some(k) = other.as_constant() {
                    return self.without(k);
                }
            }
            CmpOp::Ult if other.high == 0 => return Interval::empty(self.width),
            CmpOp::Ult => result.high = result.high.min(other.high - 1),
            CmpOp::Ule => result.high = result.high.min(other.high),
            CmpOp::Ugt if other.low == u128::MAX => return Interval::empty(self.width),
            CmpOp::Ugt => result.low = result.low.max(other.low + 1),
            CmpOp::Uge => result.low = result.low.max(other.low),
            CmpOp::Slt => {
                result.signed_high = result.signed_high.min(other.signed_high.saturating_sub(1))
            }
            CmpOp::Sle => result.signed_high = result.signed_high.min(other.signed_high),
            CmpOp::Sgt => {
                result.signed_low = result.signed_low.max(other.signed_low.saturating_add(1))
            }
            CmpOp::Sge => result.signed_low = result.signed_low.max(other.signed_low),
        }
        result.tightened()
    }

    /// Drops a value that stands at an end.
    fn without(mut self, k: u128) -> Self {
        if self.is_empty() {
            return self;
        }
        let as_signed = signed(self.width, k);
        if self.as_constant() == Some(k) {
            return Interval::empty(self.width);
        }
        if self.low == k {
            self.low += 1;
        } else if self.high == k {
            self.high -= 1;
        }
        if self.signed_low == as_signed {
            self.signed_low += 1;
        } else if self.signed_high == as_signed {
            self.signed_high -= 1;
        }
        self.tightened()
    }

    /// Lets each pair of bounds improve the other, where all values have one sign.
    fn tightened(mut self) -> Self {
        if self.is_empty() {
            return self;
        }
        let sign = sign_bit(self.width);
        if self.high < sign || self.low >= sign {
            self.signed_low = self.signed_low.max(signed(self.width, self.low));
            self.signed_high = self.signed_high.min(signed(self.width, self.high));
        }
        if self.signed_low >= 0 || self.signed_high < 0 {
            self.low = self.low.max(self.signed_low as u128 & mask(self.width));
            self.high = self.high.min(self.signed_high as u128 & mask(self.width));
        }
        self
    }

    pub fn bin(op: BinOp, a: Self, b: Self) -> Self {
        let width = a.width;
        if a.is_empty() || b.is_empty() {
            return Interval::empty(width);
        }
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Interval::constant(width, semantics::bin(op, width, x, y));
        }
        let full = Interval::full(width);
        let unsigned = |low: u128, high: u128| Interval { low, high, ..full };
        match op {
            BinOp::Add => {
                let mut result = full;
                if let Some(high) = a
                    .high
                    .checked_add(b.high)
                    .filter(|&high| high <= mask(width))
                {
                    (result.low, result.high) = (a.low + b.low, high);
                }
                let low = a
                    .signed_low
                    .checked_add(b.signed_low)
                    .filter(|&low| low >= full.signed_low);
                let high = a
                    .signed_high
                    .checked_add(b.signed_high)
                    .filter(|&high| high <= full.signed_high);
                if let (Some(low), Some(high)) = (low, high) {
                    (result.signed_low, result.signed_high) = (low, high);
                }
                result
            }
            BinOp::Sub => {
                let mut result = full;
                if a.low >= b.high {
                    (result.low, result.high) = (a.low - b.high, a.high - b.low);
                }
                let low = a
                    .signed_low
                    .checked_sub(b.signed_high)
                    .filter(|&low| low >= full.signed_low);
                let high = a
                    .signed_high
                    .checked_sub(b.signed_low)
                    .filter(|&high| high <= full.signed_high);
                if let (Some(low), Some(high)) = (low, high) {
                    (result.signed_low, result.signed_high) = (low, high);
                }
                result
            }
            BinOp::Mul => match a
                .high
                .checked_mul(b.high)
                .filter(|&high| high <= mask(width))
            {
                Some(high) => unsigned(a.low * b.low, high),
                None => full,
            },
            BinOp::UDiv if b.low > 0 => unsigned(a.low / b.high, a.high / b.low),
            BinOp::URem if b.low > 0 => unsigned(0, a.high.min(b.high - 1)),
            BinOp::URem | BinOp::LShr => unsigned(0, a.high),
            BinOp::And => unsigned(0, a.high.min(b.high)),
            BinOp::Or => unsigned(a.low.max(b.low), full.high),
            _ => full,
        }
        .tightened()
    }

    /// Whether `a op b` holds for all values, or for none.
    pub fn cmp(op: CmpOp, a: Self, b: Self) -> Option<bool> {
        match op {
            CmpOp::Eq if a.high < b.low || b.high < a.low => Some(false),
            CmpOp::Eq if a.signed_high < b.signed_low || b.signed_high < a.signed_low => {
                Some(false)
            }
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

    pub fn zext(self, width: u32) -> Self {
        Interval {
            low: self.low,
            high: self.high,
            ..Interval::full(width)
        }
        .tightened()
    }

    pub fn sext(self, width: u32) -> Self {
        let (signed_low, signed_high) = (self.signed_low, self.signed_high);
        Interval {
            signed_low,
            signed_high,
            ..Interval::full(width)
        }
        .tightened()
    }

    pub fn truncated(self, width: u32) -> Self {
        match self.high <= mask(width) {
            true => Interval {
                low: self.low,
                high: self.high,
                ..Interval::full(width)
            }
            .tightened(),
            false => Interval::full(width),
        }
    }

    pub fn concat(self, lo: Self) -> Self {
        let low = semantics::concat(self.low, lo.low, lo.width);
        let high = semantics::concat(self.high, lo.high, lo.width);
        Interval {
            low,
            high,
            ..Interval::full(self.width + lo.width)
        }
        .tightened()
    }

    pub fn complement(self) -> Self {
        Interval {
            width: self.width,
            low: semantics::not(self.width, self.high),
            high: semantics::not(self.width, self.low),
            signed_low: !self.signed_high,
            signed_high: !self.signed_low,
        }
    }

    /// Its values, by decreasing plausibility in a program: the one nearest zero, then the ends. It
    /// must not be empty.
    pub fn samples(self) -> [u128; 3] {
        let nearest = if self.signed_low > 0 {
            self.signed_low
        } else if self.signed_high < 0 {
            self.signed_high
        } else {
            0
        };
        let nearest = (nearest as u128 & mask(self.width)).clamp(self.low, self.high);
        [nearest, self.low, self.high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 3;

    /// Intervals by their unsigned bounds or by their signed ones, the empty ones included.
    fn all() -> Vec<Interval> {
        let full = Interval::full(WIDTH);
        let mut result = Vec::new();
        for low in 0..8 {
            for high in 0..8 {
                result.push(Interval { low, high, ..full }.tightened());
                let (signed_low, signed_high) = (low as i128 - 4, high as i128 - 4);
                result.push(
                    Interval {
                        signed_low,
                        signed_high,
                        ..full
                    }
                    .tightened(),
                );
            }
        }
        result
    }

    fn has(interval: Interval, value: u128) -> bool {
        let as_signed = signed(interval.width, value);
        (interval.low..=interval.high).contains(&value)
            && (interval.signed_low..=interval.signed_high).contains(&as_signed)
    }

    fn values(interval: Interval) -> impl Iterator<Item = u128> {
        (0..8).filter(move |&value| has(interval, value))
    }

    #[test]
    fn operations_cover_all_results() {
        for (a, b) in all()
            .into_iter()
            .flat_map(|a| all().into_iter().map(move |b| (a, b)))
        {
            for op in BinOp::ALL {
                let result = Interval::bin(op, a, b);
                for (x, y) in values(a).flat_map(|x| values(b).map(move |y| (x, y))) {
                    let value = semantics::bin(op, WIDTH, x, y);
                    assert!(has(result, value), "{op:?} of {a:?} and {b:?}: {value}");
                }
            }
            for op in CmpOp::ALL {
                let (outcome, left) = (Interval::cmp(op, a, b), a.restricted(op, b));
                for (x, y) in values(a).flat_map(|x| values(b).map(move |y| (x, y))) {
                    let holds = semantics::cmp(op, WIDTH, x, y);
                    assert!(
                        outcome.is_none_or(|outcome| outcome == holds),
                        "{op:?} of {a:?} and {b:?}"
                    );
                    assert!(!holds || has(left, x), "{a:?} {op:?} {b:?} lost {x}");
                }
            }
        }
    }
}

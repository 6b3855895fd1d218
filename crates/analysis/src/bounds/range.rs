//! Ranges of fixed-width integers, seen as unsigned and as signed numbers at once.
//!
//! The IR's arithmetic wraps silently. A result that may wrap in one view keeps the bounds of the
//! other view; a result that wraps by the same multiple at both ends is exact. The solver's layers
//! have intervals of the same shape (`smt/src/layer/interval.rs`) with another purpose: those are
//! of up to 128 bits, may be empty, and learn from known bits; these are of up to 64 bits, so that
//! no arithmetic on bounds overflows, never empty, and are widened. Neither crate knows the other.

use ir::{BinOp, CmpOp};

/// A set of integers of `bits` bits: those in both intervals. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub bits: u32,
    pub unsigned: (i128, i128),
    pub signed: (i128, i128),
}

type Interval = (i128, i128);

fn unsigned_full(bits: u32) -> Interval {
    (0, (1i128 << bits) - 1)
}

fn signed_full(bits: u32) -> Interval {
    (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
}

/// The interval modulo `2^bits` inside `full`, which becomes the result if the ends wrap
/// differently.
fn wrap(interval: Option<Interval>, full: Interval, bits: u32) -> Interval {
    let Some((low, high)) = interval else {
        return full;
    };
    let modulus = 1i128 << bits;
    let turns = (low - full.0).div_euclid(modulus);
    if turns == (high - full.0).div_euclid(modulus) {
        (low - turns * modulus, high - turns * modulus)
    } else {
        full
    }
}

fn meet(a: Interval, b: Interval) -> Interval {
    (a.0.max(b.0), a.1.min(b.1))
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

impl Range {
    pub fn full(bits: u32) -> Range {
        Range {
            bits,
            unsigned: unsigned_full(bits),
            signed: signed_full(bits),
        }
    }

    pub fn constant(bits: u32, value: u128) -> Range {
        let value = (value & ((1u128 << bits) - 1)) as i128;
        Range::unsigned(bits, (value, value))
    }

    /// All numbers of this unsigned interval, which may wrap.
    fn unsigned(bits: u32, interval: Interval) -> Range {
        Range::new(bits, Some(interval), None)
    }

    fn signed(bits: u32, interval: Interval) -> Range {
        Range::new(bits, None, Some(interval))
    }

    /// Numbers that are, modulo `2^bits`, in both intervals; `None` says nothing.
    fn new(bits: u32, unsigned: Option<Interval>, signed: Option<Interval>) -> Range {
        let unsigned = wrap(unsigned, unsigned_full(bits), bits);
        let signed = wrap(signed, signed_full(bits), bits);
        let range = Range {
            bits,
            unsigned,
            signed,
        };
        // Two views of one non-empty set always meet.
        range.reduced().unwrap_or(Range::full(bits))
    }

    /// What one view knows, the other learns. `None` if nothing is left.
    fn reduced(mut self) -> Option<Range> {
        let half = 1i128 << (self.bits - 1);
        for _ in 0..2 {
            if self.unsigned.1 < half {
                self.signed = meet(self.signed, self.unsigned);
            } else if self.unsigned.0 >= half {
                let moved = (self.unsigned.0 - 2 * half, self.unsigned.1 - 2 * half);
                self.signed = meet(self.signed, moved);
            }
            if self.signed.0 >= 0 {
                self.unsigned = meet(self.unsigned, self.signed);
            } else if self.signed.1 < 0 {
                let moved = (self.signed.0 + 2 * half, self.signed.1 + 2 * half);
                self.unsigned = meet(self.unsigned, moved);
            }
        }
        let some = self.unsigned.0 <= self.unsigned.1 && self.signed.0 <= self.signed.1;
        some.then_some(self)
    }

    pub fn join(self, other: Range) -> Range {
        Range {
            bits: self.bits,
            unsigned: hull(self.unsigned, other.unsigned),
            signed: hull(self.signed, other.signed),
        }
    }

    /// Bounds that `self` has moved beyond `before` go to the end of the type.
    pub fn widened(self, before: Range) -> Range {
        let widen = |new: Interval, old: Interval, full: Interval| {
            let low = if new.0 < old.0 { full.0 } else { new.0 };
            (low, if new.1 > old.1 { full.1 } else { new.1 })
        };
        Range {
            bits: self.bits,
            unsigned: widen(self.unsigned, before.unsigned, unsigned_full(self.bits)),
            signed: widen(self.signed, before.signed, signed_full(self.bits)),
        }
    }

    pub fn is_constant(self) -> bool {
        self.unsigned.0 == self.unsigned.1 || self.signed.0 == self.signed.1
    }

    pub fn contains_zero(self) -> bool {
        self.unsigned.0 == 0 && self.signed.0 <= 0 && self.signed.1 >= 0
    }

    /// The part of `self` that stands in relation `op` to some member of `other`; all of it if
    /// there is none, which is code that is never reached.
    pub fn where_holds(self, op: CmpOp, other: Range) -> Range {
        let mut part = self;
        match op {
            CmpOp::Eq => {
                part.unsigned = meet(part.unsigned, other.unsigned);
                part.signed = meet(part.signed, other.signed);
            }
            CmpOp::Ne => {
                if other.unsigned.0 == other.unsigned.1 {
                    part.unsigned = without(part.unsigned, other.unsigned.0);
                    part.signed = without(part.signed, other.signed.0);
                }
            }
            CmpOp::Ult => part.unsigned.1 = part.unsigned.1.min(other.unsigned.1 - 1),
            CmpOp::Ule => part.unsigned.1 = part.unsigned.1.min(other.unsigned.1),
            CmpOp::Ugt => part.unsigned.0 = part.unsigned.0.max(other.unsigned.0 + 1),
            CmpOp::Uge => part.unsigned.0 = part.unsigned.0.max(other.unsigned.0),
            CmpOp::Slt => part.signed.1 = part.signed.1.min(other.signed.1 - 1),
            CmpOp::Sle => part.signed.1 = part.signed.1.min(other.signed.1),
            CmpOp::Sgt => part.signed.0 = part.signed.0.max(other.signed.0 + 1),
            CmpOp::Sge => part.signed.0 = part.signed.0.max(other.signed.0),
        }
        part.reduced().unwrap_or(self)
    }

    pub fn truncated(self, bits: u32) -> Range {
        Range::new(bits, Some(self.unsigned), Some(self.signed))
    }

    pub fn zero_extended(self, bits: u32) -> Range {
        Range::unsigned(bits, self.unsigned)
    }

    pub fn sign_extended(self, bits: u32) -> Range {
        Range::signed(bits, self.signed)
    }

    /// What the operation may yield on members of both.
    pub fn bin(op: BinOp, a: Range, b: Range) -> Range {
        let bits = a.bits;
        let (au, bu, sa, sb) = (a.unsigned, b.unsigned, a.signed, b.signed);
        match op {
            BinOp::Add => Range::new(
                bits,
                Some((au.0 + bu.0, au.1 + bu.1)),
                Some((sa.0 + sb.0, sa.1 + sb.1)),
            ),
            BinOp::Sub => Range::new(
                bits,
                Some((au.0 - bu.1, au.1 - bu.0)),
                Some((sa.0 - sb.1, sa.1 - sb.0)),
            ),
            BinOp::Mul => Range::new(bits, products(au, bu), products(sa, sb)),
            // A zero divisor is a fault, so the result belongs to the others.
            BinOp::UDiv if bu.1 > 0 => Range::unsigned(bits, (au.0 / bu.1, au.1 / bu.0.max(1))),
            BinOp::URem if au.1 < bu.0 => a,
            BinOp::URem if bu.1 > 0 => Range::unsigned(bits, (0, au.1.min(bu.1 - 1))),
            BinOp::SDiv if sb.0 > 0 => {
                let ends = [sa.0 / sb.0, sa.0 / sb.1, sa.1 / sb.0, sa.1 / sb.1];
                Range::signed(bits, around(ends))
            }
            BinOp::SRem => {
                let most = (sb.0.abs().max(sb.1.abs()) - 1).max(0);
                let low = if sa.0 >= 0 { 0 } else { sa.0.max(-most) };
                let high = if sa.1 <= 0 { 0 } else { sa.1.min(most) };
                Range::signed(bits, (low, high))
            }
            BinOp::Shl if bu.0 == bu.1 && bu.0 < i128::from(bits) => {
                let factor = (1i128 << bu.0, 1i128 << bu.0);
                Range::new(bits, products(au, factor), products(sa, factor))
            }
            BinOp::LShr if bu.0 == bu.1 && bu.0 < i128::from(bits) => {
                Range::unsigned(bits, (au.0 >> bu.0, au.1 >> bu.0))
            }
            // An amount beyond the width yields anything.
            BinOp::LShr if bu.1 < i128::from(bits) => Range::unsigned(bits, (0, au.1)),
            BinOp::AShr if bu.0 == bu.1 && bu.0 < i128::from(bits) => {
                Range::signed(bits, (sa.0 >> bu.0, sa.1 >> bu.0))
            }
            BinOp::And => Range::unsigned(bits, (0, au.1.min(bu.1))),
            BinOp::Or => Range::unsigned(bits, (au.0.max(bu.0), low_bits(au.1.max(bu.1)))),
            BinOp::Xor => Range::unsigned(bits, (0, low_bits(au.1.max(bu.1)))),
            _ => Range::full(bits),
        }
    }
}

fn without(interval: Interval, value: i128) -> Interval {
    (
        interval.0 + i128::from(interval.0 == value),
        interval.1 - i128::from(interval.1 == value),
    )
}

fn products(a: Interval, b: Interval) -> Option<Interval> {
    let product = |x: i128, y: i128| x.checked_mul(y);
    Some(around([
        product(a.0, b.0)?,
        product(a.0, b.1)?,
        product(a.1, b.0)?,
        product(a.1, b.1)?,
    ]))
}

fn around(ends: [i128; 4]) -> Interval {
    let low = ends.iter().min().expect("four");
    (*low, *ends.iter().max().expect("four"))
}

/// The number with all bits set up to the highest one of `value`.
fn low_bits(value: i128) -> i128 {
    (1i128 << (128 - value.leading_zeros())) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(x: i128) -> i128 {
        if x >= 8 { x - 16 } else { x }
    }

    fn member(range: Range, x: i128) -> bool {
        let within = |(low, high): Interval, x| low <= x && x <= high;
        within(range.unsigned, x) && within(range.signed, sign(x))
    }

    /// The operation on 4 bits; `None` where it is a fault or yields anything.
    fn compute(op: BinOp, x: i128, y: i128) -> Option<i128> {
        let (s, t) = (sign(x), sign(y));
        let result = match op {
            BinOp::Add => x + y,
            BinOp::Sub => x - y,
            BinOp::Mul => x * y,
            BinOp::UDiv => x.checked_div(y)?,
            BinOp::URem => x.checked_rem(y)?,
            BinOp::SDiv => s.checked_div(t)?,
            BinOp::SRem => s.checked_rem(t)?,
            BinOp::Shl if y < 4 => x << y,
            BinOp::LShr if y < 4 => x >> y,
            BinOp::AShr if y < 4 => s >> y,
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Xor => x ^ y,
            _ => return None,
        };
        Some(result & 15)
    }

    fn holds(op: CmpOp, x: i128, y: i128) -> bool {
        let (s, t) = (sign(x), sign(y));
        match op {
            CmpOp::Eq => x == y,
            CmpOp::Ne => x != y,
            CmpOp::Ult => x < y,
            CmpOp::Ule => x <= y,
            CmpOp::Ugt => x > y,
            CmpOp::Uge => x >= y,
            CmpOp::Slt => s < t,
            CmpOp::Sle => s <= t,
            CmpOp::Sgt => s > t,
            CmpOp::Sge => s >= t,
        }
    }

    fn samples() -> Vec<Range> {
        let mut ranges = Vec::new();
        for low in 0..16 {
            for high in (low..16).step_by(3) {
                ranges.push(Range::unsigned(4, (low, high)));
                ranges.push(Range::signed(4, (low - 8, high - 8)));
            }
        }
        ranges
    }

    /// Every operation on every pair of members is a member of the result, on 4 bits.
    #[test]
    fn operations_are_sound() {
        for a in samples() {
            for b in samples() {
                let pairs = (0..16).flat_map(|x| (0..16).map(move |y| (x, y)));
                let results = BinOp::ALL.map(|op| (op, Range::bin(op, a, b)));
                let parts = CmpOp::ALL.map(|op| (op, a.where_holds(op, b)));
                let joined = a.join(b);
                for (x, y) in pairs.filter(|(x, y)| member(a, *x) && member(b, *y)) {
                    for (op, range) in results {
                        let Some(result) = compute(op, x, y) else {
                            continue;
                        };
                        assert!(
                            member(range, result),
                            "{op:?} {x} {y}: {a:?} {b:?} {range:?}"
                        );
                    }
                    for (op, part) in parts {
                        assert!(
                            !holds(op, x, y) || member(part, x),
                            "{op:?} {x} {y} {a:?} {b:?}"
                        );
                    }
                    assert!(member(joined, x) && member(joined, y));
                }
            }
        }
    }

    #[test]
    fn casts_are_sound() {
        for a in samples() {
            for x in (0..16).filter(|x| member(a, *x)) {
                let zero = a.zero_extended(8);
                assert!(zero.unsigned.0 <= x && x <= zero.unsigned.1);
                let sign_extended = a.sign_extended(8).signed;
                assert!(sign_extended.0 <= sign(x) && sign(x) <= sign_extended.1);
                let low = a.truncated(2).unsigned;
                assert!(low.0 <= x % 4 && x % 4 <= low.1);
            }
        }
    }

    #[test]
    fn precise_where_it_matters() {
        let index = Range::unsigned(32, (0, 9));
        let one = Range::constant(32, 1);
        assert_eq!(Range::bin(BinOp::Add, index, one).signed, (1, 10));
        let minus = Range::constant(32, u128::from(u32::MAX));
        assert_eq!(Range::bin(BinOp::Add, one, minus), Range::constant(32, 0));
        let any = Range::full(32);
        let residue = Range::bin(BinOp::URem, any, Range::constant(32, 128));
        assert_eq!(residue.signed, (0, 127));
        assert_eq!(
            any.where_holds(CmpOp::Ult, Range::constant(32, 8)).signed,
            (0, 7)
        );
    }
}

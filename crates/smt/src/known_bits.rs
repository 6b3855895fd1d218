//! Bits of a term that are the same for all inputs, computed once per term from the known bits of
//! its operands.
//!
//! Sound in one direction: a bit said to be known is. Most bits that a program's arithmetic fixes
//! come from zero extensions, masks and constant shifts, and these are followed exactly; division
//! and unknown shift amounts keep only leading zeros. `tests/random.rs` checks the claim on random
//! terms.

use crate::node::{BinOp, CmpOp};
use crate::semantics::{mask, sign_bit};

/// No bit is in both sets, and none at or above the width is in either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownBits {
    pub zeros: u128,
    pub ones: u128,
}

impl KnownBits {
    pub const UNKNOWN: KnownBits = KnownBits { zeros: 0, ones: 0 };

    pub fn constant(width: u32, value: u128) -> Self {
        KnownBits {
            zeros: !value & mask(width),
            ones: value,
        }
    }

    pub fn as_constant(self, width: u32) -> Option<u128> {
        (self.zeros | self.ones == mask(width)).then_some(self.ones)
    }

    pub fn min(self) -> u128 {
        self.ones
    }

    pub fn max(self, width: u32) -> u128 {
        mask(width) & !self.zeros
    }

    /// What is known of a value that is one of the two.
    pub fn join(self, other: Self) -> Self {
        KnownBits {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    pub fn complement(self) -> Self {
        KnownBits {
            zeros: self.ones,
            ones: self.zeros,
        }
    }

    pub fn extract(self, lo: u32, width: u32) -> Self {
        self.map(|bits| (bits >> lo) & mask(width))
    }

    pub fn concat(self, lo: Self, lo_width: u32) -> Self {
        KnownBits {
            zeros: (self.zeros << lo_width) | lo.zeros,
            ones: (self.ones << lo_width) | lo.ones,
        }
    }

    pub fn zext(self, from: u32, to: u32) -> Self {
        KnownBits {
            zeros: self.zeros | (mask(to) & !mask(from)),
            ones: self.ones,
        }
    }

    pub fn sext(self, from: u32, to: u32) -> Self {
        self.map(|bits| crate::semantics::sext(from, bits, to))
    }

    pub fn bin(op: BinOp, width: u32, a: Self, b: Self) -> Self {
        match op {
            BinOp::Add => add(width, a, b, false),
            BinOp::Sub => add(width, a, b.complement(), true),
            BinOp::Mul => mul(width, a, b),
            BinOp::UDiv => match a.max(width).checked_div(b.min()) {
                Some(bound) => at_most(width, bound),
                None => KnownBits::UNKNOWN,
            },
            // The remainder is below the divisor, or the dividend itself.
            BinOp::URem if b.min() > 0 => at_most(width, a.max(width).min(b.max(width) - 1)),
            BinOp::URem => at_most(width, a.max(width)),
            BinOp::SDiv | BinOp::SRem => KnownBits::UNKNOWN,
            BinOp::Shl => shl(width, a, b),
            BinOp::LShr => lshr(width, a, b),
            BinOp::AShr => ashr(width, a, b),
            BinOp::And => KnownBits {
                zeros: a.zeros | b.zeros,
                ones: a.ones & b.ones,
            },
            BinOp::Or => KnownBits {
                zeros: a.zeros & b.zeros,
                ones: a.ones | b.ones,
            },
            BinOp::Xor => KnownBits {
                zeros: (a.zeros & b.zeros) | (a.ones & b.ones),
                ones: (a.zeros & b.ones) | (a.ones & b.zeros),
            },
        }
    }

    /// The outcome of a comparison of operands of this width, where the known bits decide it.
    pub fn cmp(op: CmpOp, width: u32, a: Self, b: Self) -> Option<bool> {
        match op {
            CmpOp::Eq if a.zeros & b.ones != 0 || a.ones & b.zeros != 0 => Some(false),
            CmpOp::Eq => match (a.as_constant(width), b.as_constant(width)) {
                (Some(x), Some(y)) => Some(x == y),
                _ => None,
            },
            CmpOp::Ult if a.max(width) < b.min() => Some(true),
            CmpOp::Ult if a.min() >= b.max(width) => Some(false),
            CmpOp::Ult => None,
            // Flipping the sign bits turns the signed order into the unsigned one.
            CmpOp::Slt => KnownBits::cmp(CmpOp::Ult, width, a.flip_sign(width), b.flip_sign(width)),
            CmpOp::Ugt => KnownBits::cmp(CmpOp::Ult, width, b, a),
            CmpOp::Sgt => KnownBits::cmp(CmpOp::Slt, width, b, a),
            CmpOp::Ne | CmpOp::Ule | CmpOp::Uge | CmpOp::Sle | CmpOp::Sge => {
                KnownBits::cmp(op.negated(), width, a, b).map(|outcome| !outcome)
            }
        }
    }

    fn flip_sign(self, width: u32) -> Self {
        let sign = sign_bit(width);
        KnownBits {
            zeros: (self.zeros & !sign) | (self.ones & sign),
            ones: (self.ones & !sign) | (self.zeros & sign),
        }
    }

    fn map(self, f: impl Fn(u128) -> u128) -> Self {
        KnownBits {
            zeros: f(self.zeros),
            ones: f(self.ones),
        }
    }
}

/// A value of at most `bound`: its leading zeros are known.
fn at_most(width: u32, bound: u128) -> KnownBits {
    let significant = 128 - bound.leading_zeros();
    let low = if significant == 0 {
        0
    } else {
        mask(significant)
    };
    KnownBits {
        zeros: mask(width) & !low,
        ones: 0,
    }
}

/// `a + b + carry`. A sum bit is known where both operand bits and the carry into it are; the
/// carries are bracketed by the least and the greatest possible sum.
fn add(width: u32, a: KnownBits, b: KnownBits, carry: bool) -> KnownBits {
    let least = a.ones.wrapping_add(b.ones).wrapping_add(carry as u128);
    let (a_max, b_max) = (a.max(width), b.max(width));
    let greatest = a_max.wrapping_add(b_max).wrapping_add(carry as u128);
    let carry_zero = !(greatest ^ a_max ^ b_max);
    let carry_one = least ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (carry_zero | carry_one) & mask(width);
    KnownBits {
        zeros: !least & known,
        ones: least & known,
    }
}

fn mul(width: u32, a: KnownBits, b: KnownBits) -> KnownBits {
    let trailing = (a.max(width).trailing_zeros() + b.max(width).trailing_zeros()).min(width);
    let low_zeros = if trailing == 0 { 0 } else { mask(trailing) };
    let high = match a.max(width).checked_mul(b.max(width)) {
        Some(bound) if bound <= mask(width) => at_most(width, bound),
        _ => KnownBits::UNKNOWN,
    };
    KnownBits {
        zeros: high.zeros | low_zeros,
        ones: 0,
    }
}

fn shl(width: u32, a: KnownBits, b: KnownBits) -> KnownBits {
    match b.as_constant(width) {
        Some(n) if n >= width as u128 => KnownBits::constant(width, 0),
        Some(0) => a,
        Some(n) => KnownBits {
            zeros: ((a.zeros << n) | mask(n as u32)) & mask(width),
            ones: (a.ones << n) & mask(width),
        },
        None => {
            let trailing = a.max(width).trailing_zeros().min(width);
            KnownBits {
                zeros: if trailing == 0 { 0 } else { mask(trailing) },
                ones: 0,
            }
        }
    }
}

fn lshr(width: u32, a: KnownBits, b: KnownBits) -> KnownBits {
    match b.as_constant(width) {
        Some(n) if n >= width as u128 => KnownBits::constant(width, 0),
        Some(n) => KnownBits {
            zeros: (a.zeros >> n) | (mask(width) & !(mask(width) >> n)),
            ones: a.ones >> n,
        },
        None => at_most(width, a.max(width)),
    }
}

fn ashr(width: u32, a: KnownBits, b: KnownBits) -> KnownBits {
    match b.as_constant(width) {
        Some(n) => a.map(|bits| crate::semantics::bin(BinOp::AShr, width, bits, n)),
        None if a.zeros & sign_bit(width) != 0 => at_most(width, a.max(width)),
        None => KnownBits::UNKNOWN,
    }
}

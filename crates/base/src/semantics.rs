//! What each operation computes on concrete bit-vectors: the reference that the solver's folding,
//! evaluation and backends follow, and intervals.
//!
//! Values are `u128` with no bit set at or above their width. Operations are total, as in SMT-LIB:
//! dividing by zero gives all ones (unsigned) or minus or plus one (signed), the remainder is then
//! the dividend; a shift by the width or more gives 0 or copies of the sign; `MIN / -1` wraps to
//! `MIN`.

use crate::ops::{BinOp, CmpOp};

/// The bits of a vector of this width.
#[inline]
pub fn mask(width: u32) -> u128 {
    debug_assert!((1..=128).contains(&width), "width {width}");
    u128::MAX >> (128 - width)
}

#[inline]
pub fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

/// The two's complement reading of `value`.
#[inline]
pub fn signed(width: u32, value: u128) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

pub fn bin(op: BinOp, width: u32, a: u128, b: u128) -> u128 {
    let full = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv => match (signed(width, a), signed(width, b)) {
            (a, 0) if a < 0 => 1,
            (_, 0) => u128::MAX,
            (a, b) => a.wrapping_div(b) as u128,
        },
        BinOp::SRem => match (signed(width, a), signed(width, b)) {
            (_, 0) => a,
            (a, b) => a.wrapping_rem(b) as u128,
        },
        BinOp::Shl if b >= width as u128 => 0,
        BinOp::Shl => a << b,
        BinOp::LShr if b >= width as u128 => 0,
        BinOp::LShr => a >> b,
        BinOp::AShr => (signed(width, a) >> b.min(width as u128 - 1)) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    full & mask(width)
}

/// `width` is that of the operands.
pub fn cmp(op: CmpOp, width: u32, a: u128, b: u128) -> bool {
    let (x, y) = (signed(width, a), signed(width, b));
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => x < y,
        CmpOp::Sle => x <= y,
        CmpOp::Sgt => x > y,
        CmpOp::Sge => x >= y,
    }
}

#[inline]
pub fn not(width: u32, a: u128) -> u128 {
    !a & mask(width)
}

#[inline]
pub fn neg(width: u32, a: u128) -> u128 {
    a.wrapping_neg() & mask(width)
}

#[inline]
pub fn extract(value: u128, lo: u32, width: u32) -> u128 {
    (value >> lo) & mask(width)
}

#[inline]
pub fn concat(hi: u128, lo: u128, lo_width: u32) -> u128 {
    (hi << lo_width) | lo
}

#[inline]
pub fn sext(from: u32, value: u128, to: u32) -> u128 {
    signed(from, value) as u128 & mask(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_total() {
        assert_eq!(bin(BinOp::UDiv, 8, 7, 0), 255);
        assert_eq!(bin(BinOp::URem, 8, 7, 0), 7);
        assert_eq!(bin(BinOp::SDiv, 8, 7, 0), 255);
        assert_eq!(bin(BinOp::SDiv, 8, 0xf9, 0), 1);
        assert_eq!(bin(BinOp::SRem, 8, 0xf9, 0), 0xf9);
        assert_eq!(bin(BinOp::SDiv, 8, 0x80, 0xff), 0x80);
        assert_eq!(bin(BinOp::SRem, 8, 0x80, 0xff), 0);
        let min = sign_bit(128);
        assert_eq!(bin(BinOp::SDiv, 128, min, u128::MAX), min);
        assert_eq!(bin(BinOp::SRem, 128, min, u128::MAX), 0);
    }

    #[test]
    fn division_truncates_toward_zero() {
        assert_eq!(bin(BinOp::SDiv, 8, 0xf9, 2), 0xfd); // -7 / 2 = -3
        assert_eq!(bin(BinOp::SRem, 8, 0xf9, 2), 0xff); // -7 % 2 = -1
        assert_eq!(bin(BinOp::SRem, 8, 7, 0xfe), 1); //  7 % -2 = 1
    }

    #[test]
    fn wide_shifts() {
        assert_eq!(bin(BinOp::Shl, 8, 1, 8), 0);
        assert_eq!(bin(BinOp::LShr, 128, u128::MAX, 128), 0);
        assert_eq!(bin(BinOp::AShr, 8, 0x80, 200), 0xff);
        assert_eq!(bin(BinOp::AShr, 8, 0x40, 200), 0);
        assert_eq!(bin(BinOp::AShr, 128, sign_bit(128), u128::MAX), u128::MAX);
    }

    #[test]
    fn width_one() {
        assert_eq!(bin(BinOp::Add, 1, 1, 1), 0);
        assert_eq!(bin(BinOp::SDiv, 1, 1, 1), 1); // -1 / -1 wraps to -1
        assert_eq!(bin(BinOp::SDiv, 1, 0, 0), 1);
        assert_eq!(bin(BinOp::AShr, 1, 1, 1), 1);
        assert!(cmp(CmpOp::Slt, 1, 1, 0));
        assert_eq!(sext(1, 1, 128), u128::MAX);
    }
}

//! Circuits of bit-vector operations over gates. Vectors hold the lowest bit first.

use super::gates::{Gates, Lit};
use crate::node::{BinOp, CmpOp};

pub type Bits = Vec<Lit>;

pub fn constant(width: u32, value: u128) -> Bits {
    (0..width)
        .map(|bit| Lit::from_bool(value >> bit & 1 == 1))
        .collect()
}

pub fn bin(gates: &mut Gates, op: BinOp, a: &[Lit], b: &[Lit]) -> Bits {
    match op {
        BinOp::Add => add(gates, a, b, Lit::FALSE).0,
        BinOp::Sub => sub(gates, a, b).0,
        BinOp::Mul => mul(gates, a, b),
        BinOp::UDiv => divide(gates, a, b).0,
        BinOp::URem => divide(gates, a, b).1,
        BinOp::SDiv => signed_divide(gates, a, b).0,
        BinOp::SRem => signed_divide(gates, a, b).1,
        BinOp::Shl => {
            let reversed: Bits = a.iter().rev().copied().collect();
            let shifted = shift_right(gates, &reversed, b, Lit::FALSE);
            shifted.into_iter().rev().collect()
        }
        BinOp::LShr => shift_right(gates, a, b, Lit::FALSE),
        BinOp::AShr => shift_right(gates, a, b, sign(a)),
        BinOp::And => each(a, b, |x, y| gates.and(x, y)),
        BinOp::Or => each(a, b, |x, y| gates.or(x, y)),
        BinOp::Xor => each(a, b, |x, y| gates.xor(x, y)),
    }
}

pub fn cmp(gates: &mut Gates, op: CmpOp, a: &[Lit], b: &[Lit]) -> Lit {
    match op {
        CmpOp::Eq => {
            let differences = each(a, b, |x, y| gates.xor(x, y));
            differences
                .into_iter()
                .fold(Lit::TRUE, |equal, bit| gates.and(equal, !bit))
        }
        CmpOp::Ult => less(gates, a, b),
        CmpOp::Slt => less(gates, &flip_sign(a), &flip_sign(b)),
        CmpOp::Ugt => less(gates, b, a),
        CmpOp::Sgt => less(gates, &flip_sign(b), &flip_sign(a)),
        CmpOp::Ne | CmpOp::Ule | CmpOp::Uge | CmpOp::Sle | CmpOp::Sge => {
            !cmp(gates, op.negated(), a, b)
        }
    }
}

pub fn neg(gates: &mut Gates, a: &[Lit]) -> Bits {
    sub(gates, &constant(a.len() as u32, 0), a).0
}

pub fn mux(gates: &mut Gates, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
    each(a, b, |x, y| gates.mux(c, x, y))
}

fn each(a: &[Lit], b: &[Lit], mut gate: impl FnMut(Lit, Lit) -> Lit) -> Bits {
    a.iter().zip(b).map(|(&x, &y)| gate(x, y)).collect()
}

fn sign(a: &[Lit]) -> Lit {
    *a.last().expect("at least one bit")
}

/// Turns the signed order into the unsigned one.
fn flip_sign(a: &[Lit]) -> Bits {
    let mut flipped = a.to_vec();
    *flipped.last_mut().expect("at least one bit") = !sign(a);
    flipped
}

fn complement(a: &[Lit]) -> Bits {
    a.iter().map(|&bit| !bit).collect()
}

/// Sum and carry out.
fn add(gates: &mut Gates, a: &[Lit], b: &[Lit], carry: Lit) -> (Bits, Lit) {
    let mut carry = carry;
    let sum = each(a, b, |x, y| {
        let (sum, next) = gates.full_adder(x, y, carry);
        carry = next;
        sum
    });
    (sum, carry)
}

/// Difference, and whether `a >= b`: the carry out of `a + !b + 1`.
fn sub(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Bits, Lit) {
    add(gates, a, &complement(b), Lit::TRUE)
}

/// `a < b`: the borrow, without the difference.
fn less(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    a.iter()
        .zip(b)
        .fold(Lit::FALSE, |less, (&x, &y)| gates.majority(!x, y, less))
}

/// Adds shifted copies, of the operand with fewer open bits.
fn mul(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Bits {
    let open = |bits: &[Lit]| bits.iter().filter(|&&bit| bit != Lit::FALSE).count();
    let (a, b) = if open(a) < open(b) { (b, a) } else { (a, b) };
    let mut sum = constant(a.len() as u32, 0);
    for (shift, &factor) in b.iter().enumerate() {
        if factor == Lit::FALSE {
            continue;
        }
        let row: Bits = a[..a.len() - shift]
            .iter()
            .map(|&bit| gates.and(bit, factor))
            .collect();
        let (high, _) = add(gates, &sum[shift..], &row, Lit::FALSE);
        sum.truncate(shift);
        sum.extend(high);
    }
    sum
}

/// Quotient and remainder by restoring division. A divisor of 0 always fits: the quotient is all
/// ones and the remainder the dividend, as SMT-LIB asks.
fn divide(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let width = a.len();
    // One more bit, since the remainder is shifted before it is compared.
    let mut divisor = b.to_vec();
    divisor.push(Lit::FALSE);
    let mut remainder = vec![Lit::FALSE; width + 1];
    let mut quotient = vec![Lit::FALSE; width];
    for at in (0..width).rev() {
        remainder.pop();
        remainder.insert(0, a[at]);
        let (difference, fits) = sub(gates, &remainder, &divisor);
        quotient[at] = fits;
        remainder = mux(gates, fits, &difference, &remainder);
    }
    remainder.pop();
    (quotient, remainder)
}

/// Division of magnitudes; the quotient is negative if the signs differ, the remainder if the
/// dividend is.
fn signed_divide(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let (a_negative, b_negative) = (sign(a), sign(b));
    let (a, b) = (
        negate_if(gates, a_negative, a),
        negate_if(gates, b_negative, b),
    );
    let (quotient, remainder) = divide(gates, &a, &b);
    let differ = gates.xor(a_negative, b_negative);
    (
        negate_if(gates, differ, &quotient),
        negate_if(gates, a_negative, &remainder),
    )
}

fn negate_if(gates: &mut Gates, condition: Lit, a: &[Lit]) -> Bits {
    let negated = neg(gates, a);
    mux(gates, condition, &negated, a)
}

/// A barrel shifter: one stage per bit of the amount that can matter; any higher bit fills the
/// whole vector.
fn shift_right(gates: &mut Gates, a: &[Lit], amount: &[Lit], fill: Lit) -> Bits {
    let width = a.len();
    let mut bits = a.to_vec();
    let mut beyond = Lit::FALSE;
    for (stage, &is_shifted) in amount.iter().enumerate() {
        let Some(by) = 1usize.checked_shl(stage as u32).filter(|&by| by < width) else {
            beyond = gates.or(beyond, is_shifted);
            continue;
        };
        bits = (0..width)
            .map(|at| {
                gates.mux(
                    is_shifted,
                    bits.get(at + by).copied().unwrap_or(fill),
                    bits[at],
                )
            })
            .collect();
    }
    bits.into_iter()
        .map(|bit| gates.mux(beyond, fill, bit))
        .collect()
}

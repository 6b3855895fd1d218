//! Numbers as conversions want them: signs, prefixes, zeros, padding. And how long the text of an
//! unknown integer is.

use smt::{BinOp, CmpOp, TermId};

use super::decimal::{Decimal, Kind, Number, hexadecimal};
use super::spec::Spec;
use crate::machine::Machine;
use crate::value::{mask, sign_extend};

pub(super) fn integer(spec: &Spec, number: u64, bits: u32) -> String {
    let signed = matches!(spec.conversion, b'd' | b'i');
    let value = sign_extend(number, bits);
    let mut digits = match spec.conversion {
        b'd' | b'i' => value.unsigned_abs().to_string(),
        b'u' => number.to_string(),
        b'X' => format!("{number:X}"),
        b'o' => format!("{number:o}"),
        b'b' | b'B' => format!("{number:b}"),
        _ => format!("{number:x}"),
    };
    if let Some(precision) = spec.precision {
        if precision == 0 && number == 0 {
            digits.clear();
        }
        digits = format!(
            "{}{digits}",
            "0".repeat(precision.saturating_sub(digits.len()))
        );
    }
    let prefix = match spec.conversion {
        _ if signed && value < 0 => "-",
        _ if signed && spec.plus => "+",
        _ if signed && spec.space => " ",
        b'p' if spec.plus => "+0x",
        b'p' if spec.space => " 0x",
        b'p' => "0x",
        b'x' if spec.alternate && number != 0 => "0x",
        b'X' if spec.alternate && number != 0 => "0X",
        b'b' if spec.alternate && number != 0 => "0b",
        b'B' if spec.alternate && number != 0 => "0B",
        b'o' if spec.alternate && !digits.starts_with('0') => "0",
        _ => "",
    };
    spec.pad(prefix, &digits, spec.zero && spec.precision.is_none())
}

/// The length of what [`integer`] makes of a number that is not known, as 32 bits.
pub(super) fn integer_length(m: &mut Machine, spec: &Spec, number: TermId, bits: u32) -> TermId {
    let t = &mut m.terms;
    let zero = t.constant(bits, 0);
    let is_zero = t.cmp(CmpOp::Eq, number, zero);
    let [none, one, two] = [0, 1, 2].map(|n| t.constant(32, n));
    let signed = matches!(spec.conversion, b'd' | b'i');
    let sign = if spec.plus || spec.space { one } else { none };
    let (magnitude, mut prefix) = if signed {
        let negative = t.cmp(CmpOp::Slt, number, zero);
        let opposite = t.neg(number);
        let magnitude = t.ite(negative, opposite, number);
        (magnitude, t.ite(negative, one, sign))
    } else {
        (number, none)
    };
    let mut digits = one;
    let base = u128::from(spec.base());
    let mut power = base;
    while power <= u128::from(mask(bits)) {
        let limit = t.constant(bits, power);
        let reaches = t.cmp(CmpOp::Uge, magnitude, limit);
        let more = t.ite(reaches, one, none);
        digits = t.bin(BinOp::Add, digits, more);
        power *= base;
    }
    let shortest = digits;
    if let Some(precision) = spec.precision {
        if precision == 0 {
            digits = t.ite(is_zero, none, digits);
        }
        digits = at_least(t, digits, precision);
    }
    match spec.conversion {
        b'p' => {
            prefix = t.bin(BinOp::Add, sign, two);
        }
        b'x' | b'X' | b'b' | b'B' if spec.alternate => prefix = t.ite(is_zero, none, two),
        b'o' if spec.alternate => {
            // Unless the number starts with a zero anyway.
            let exact = t.cmp(CmpOp::Eq, digits, shortest);
            let nonzero = t.not(is_zero);
            let bare = t.and(exact, nonzero);
            let empty = t.cmp(CmpOp::Eq, digits, none);
            let needed = t.or(bare, empty);
            prefix = t.ite(needed, one, none);
        }
        _ => {}
    }
    let length = t.bin(BinOp::Add, prefix, digits);
    at_least(t, length, spec.width)
}

pub(super) fn pointer_length(m: &mut Machine, spec: &Spec, address: TermId, bits: u32) -> TermId {
    let length = integer_length(m, spec, address, bits);
    let zero = m.terms.constant(bits, 0);
    let null = m.terms.cmp(CmpOp::Eq, address, zero);
    let nil = m.terms.constant(32, spec.width.max(5) as u128);
    m.terms.ite(null, nil, length)
}

fn at_least(t: &mut smt::Terms, length: TermId, least: usize) -> TermId {
    let least = t.constant(32, least as u128);
    let shorter = t.cmp(CmpOp::Ult, length, least);
    t.ite(shorter, least, length)
}

pub(super) fn float(spec: &Spec, number: Number) -> String {
    let mut sign = match number.negative {
        true => "-",
        false if spec.plus => "+",
        false if spec.space => " ",
        false => "",
    }
    .to_string();
    let precision = spec.precision.unwrap_or(6);
    let alternate = spec.alternate;
    let mut digits = match number.kind {
        Kind::Nan => "nan".to_string(),
        Kind::Infinite => "inf".to_string(),
        Kind::Finite {
            mantissa,
            exponent,
            lead,
        } => match spec.conversion.to_ascii_lowercase() {
            b'f' => Decimal::exact(mantissa, exponent).fixed(precision, alternate),
            b'e' => Decimal::exact(mantissa, exponent).scientific(precision, alternate),
            b'g' => Decimal::exact(mantissa, exponent).general(precision, alternate),
            _ => {
                sign.push_str("0x");
                hexadecimal(mantissa, exponent, lead, spec.precision, alternate)
            }
        },
    };
    if spec.conversion.is_ascii_uppercase() {
        digits = digits.to_uppercase();
        sign = sign.to_uppercase();
    }
    let finite = matches!(number.kind, Kind::Finite { .. });
    spec.pad(&sign, &digits, spec.zero && finite)
}

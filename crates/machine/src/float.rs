//! Floating point, concrete only: a symbolic operand ends the execution with
//! `unknown (symbolic float)`.
//!
//! `float` and `double` are the host's; the other formats are computed by `rustc_apfloat` bit by
//! bit.

use ir::{FloatBin, FloatCast, FloatCmp, FloatUnary, Type};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::fault::{Cutoff, Exec};
use crate::machine::Machine;
use crate::value::{Value, mask128};

impl Machine {
    fn float_bits(&mut self, value: Value) -> Exec<u128> {
        match value.known(&self.terms) {
            Some(bits) => Ok(bits),
            None => self.cut_off(Cutoff::SymbolicFloat),
        }
    }

    fn float_result(&mut self, ty: Type, bits: u128) -> Value {
        let width = ty.bits(self.pointer_bits());
        Value::of_bits(&mut self.terms, width, bits)
    }

    pub(crate) fn float_bin(
        &mut self,
        op: FloatBin,
        ty: Type,
        dst: usize,
        a: Value,
        b: Value,
    ) -> Exec<()> {
        self.running.registers[dst] = self.float_bin_value(op, ty, a, b)?;
        Ok(())
    }

    pub(crate) fn float_bin_value(
        &mut self,
        op: FloatBin,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Exec<Value> {
        let (x, y) = (self.float_bits(a)?, self.float_bits(b)?);
        let bits = match ty {
            Type::F32 => u128::from(
                native32(op, f32::from_bits(x as u32), f32::from_bits(y as u32)).to_bits(),
            ),
            Type::F64 => u128::from(
                native64(op, f64::from_bits(x as u64), f64::from_bits(y as u64)).to_bits(),
            ),
            _ if op == FloatBin::Pow => {
                return self.cut_off(Cutoff::UnmodelledInstruction(
                    "pow of this type".to_string(),
                ));
            }
            Type::F16 => soft::<Half>(op, x, y),
            Type::BF16 => soft::<BFloat>(op, x, y),
            Type::F80 => soft::<X87DoubleExtended>(op, x, y),
            _ => soft::<Quad>(op, x, y),
        };
        Ok(self.float_result(ty, bits))
    }

    pub(crate) fn float_cmp(
        &mut self,
        op: FloatCmp,
        ty: Type,
        dst: usize,
        a: Value,
        b: Value,
    ) -> Exec<()> {
        let (x, y) = (self.float_bits(a)?, self.float_bits(b)?);
        let order = match ty {
            Type::F16 => Half::from_bits(x).partial_cmp(&Half::from_bits(y)),
            Type::BF16 => BFloat::from_bits(x).partial_cmp(&BFloat::from_bits(y)),
            Type::F32 => f32::from_bits(x as u32).partial_cmp(&f32::from_bits(y as u32)),
            Type::F64 => f64::from_bits(x as u64).partial_cmp(&f64::from_bits(y as u64)),
            Type::F80 => {
                X87DoubleExtended::from_bits(x).partial_cmp(&X87DoubleExtended::from_bits(y))
            }
            _ => Quad::from_bits(x).partial_cmp(&Quad::from_bits(y)),
        };
        self.running.registers[dst] = Value::concrete(u64::from(compare(op, order)));
        Ok(())
    }

    pub(crate) fn float_unary(
        &mut self,
        op: FloatUnary,
        ty: Type,
        dst: usize,
        src: Value,
    ) -> Exec<()> {
        // Sign operations are on bits and work on symbolic values too.
        let width = ty.bits(self.pointer_bits());
        if matches!(op, FloatUnary::Neg | FloatUnary::Abs) {
            let term = self.term(src, width);
            let sign = self.terms.constant(width, 1 << (width - 1));
            let result = match op {
                FloatUnary::Neg => self.terms.bin(smt::BinOp::Xor, term, sign),
                _ => {
                    let rest = self.terms.not(sign);
                    self.terms.bin(smt::BinOp::And, term, rest)
                }
            };
            self.running.registers[dst] = self.value(result);
            return Ok(());
        }
        let bits = self.float_bits(src)?;
        let result = match ty {
            Type::F32 => u128::from(unary64(op, f64::from(f32::from_bits(bits as u32))).map_or(
                // Rounding once: the square root of a float is exact enough in double; the rest is
                // computed there too.
                0,
                |x| (x as f32).to_bits(),
            )),
            Type::F64 => {
                u128::from(unary64(op, f64::from_bits(bits as u64)).map_or(0, f64::to_bits))
            }
            Type::F80 => match soft_round::<X87DoubleExtended>(op, bits) {
                Some(bits) => bits,
                None => {
                    return self.cut_off(Cutoff::UnmodelledInstruction(format!(
                        "{op:?} of long double"
                    )));
                }
            },
            Type::F128 => match soft_round::<Quad>(op, bits) {
                Some(bits) => bits,
                None => {
                    return self.cut_off(Cutoff::UnmodelledInstruction(format!(
                        "{op:?} of a quad float"
                    )));
                }
            },
            Type::F16 => match soft_round::<Half>(op, bits) {
                Some(bits) => bits,
                None => {
                    return self.cut_off(Cutoff::UnmodelledInstruction(format!(
                        "{op:?} of a half float"
                    )));
                }
            },
            _ => match soft_round::<BFloat>(op, bits) {
                Some(bits) => bits,
                None => {
                    return self
                        .cut_off(Cutoff::UnmodelledInstruction(format!("{op:?} of a bfloat")));
                }
            },
        };
        self.running.registers[dst] = self.float_result(ty, result);
        Ok(())
    }

    pub(crate) fn float_cast(
        &mut self,
        op: FloatCast,
        from: Type,
        to: Type,
        dst: usize,
        src: Value,
    ) -> Exec<()> {
        let bits = self.float_bits(src)?;
        let pointer_bits = self.pointer_bits();
        let to_width = to.bits(pointer_bits);
        let result = match op {
            FloatCast::Convert => convert(from, to, bits),
            FloatCast::ToSigned => (to_integer(from, bits, to_width, true)) & mask128(to_width),
            FloatCast::ToUnsigned => to_integer(from, bits, to_width, false) & mask128(to_width),
            FloatCast::FromSigned => {
                let width = from.bits(pointer_bits);
                let shift = 128 - width;
                from_signed(to, ((bits << shift) as i128) >> shift)
            }
            FloatCast::FromUnsigned => from_unsigned(to, bits),
        };
        self.running.registers[dst] = Value::of_bits(&mut self.terms, to_width, result);
        Ok(())
    }

    pub(crate) fn float_fma(&mut self, ty: Type, [a, b, c]: [Value; 3]) -> Exec<Value> {
        let (a, b, c) = (
            self.float_bits(a)?,
            self.float_bits(b)?,
            self.float_bits(c)?,
        );
        fn fma<F: Float>(a: u128, b: u128, c: u128) -> u128 {
            F::from_bits(a)
                .mul_add(F::from_bits(b), F::from_bits(c))
                .value
                .to_bits()
        }
        let bits = match ty {
            Type::F16 => fma::<Half>(a, b, c),
            Type::BF16 => fma::<BFloat>(a, b, c),
            Type::F32 => fma::<Single>(a, b, c),
            Type::F64 => fma::<Double>(a, b, c),
            Type::F80 => fma::<X87DoubleExtended>(a, b, c),
            _ => fma::<Quad>(a, b, c),
        };
        Ok(self.float_result(ty, bits))
    }

    pub(crate) fn float_is_class(&mut self, ty: Type, value: Value, classes: Value) -> Exec<Value> {
        fn class<F: Float>(bits: u128) -> u64 {
            let x = F::from_bits(bits);
            let negative = x.is_negative();
            let pick = |minus: u32, plus: u32| 1 << if negative { minus } else { plus };
            if x.is_signaling() {
                1
            } else if x.is_nan() {
                2
            } else if x.is_infinite() {
                pick(2, 9)
            } else if x.is_zero() {
                pick(5, 6)
            } else if x.is_denormal() {
                pick(4, 7)
            } else {
                pick(3, 8)
            }
        }
        let bits = self.float_bits(value)?;
        let found = match ty {
            Type::F16 => class::<Half>(bits),
            Type::BF16 => class::<BFloat>(bits),
            Type::F32 => class::<Single>(bits),
            Type::F64 => class::<Double>(bits),
            Type::F80 => class::<X87DoubleExtended>(bits),
            _ => class::<Quad>(bits),
        };
        let classes = self.number(classes)?;
        Ok(Value::concrete(u64::from(found & classes != 0)))
    }
}

fn compare(op: FloatCmp, order: Option<std::cmp::Ordering>) -> bool {
    use FloatCmp::*;
    use std::cmp::Ordering::*;
    match op {
        False => false,
        True => true,
        Ord => order.is_some(),
        Uno => order.is_none(),
        Oeq => order == Some(Equal),
        Ogt => order == Some(Greater),
        Oge => matches!(order, Some(Greater | Equal)),
        Olt => order == Some(Less),
        Ole => matches!(order, Some(Less | Equal)),
        One => matches!(order, Some(Less | Greater)),
        Ueq => matches!(order, None | Some(Equal)),
        Ugt => matches!(order, None | Some(Greater)),
        Uge => matches!(order, None | Some(Greater | Equal)),
        Ult => matches!(order, None | Some(Less)),
        Ule => matches!(order, None | Some(Less | Equal)),
        Une => order != Some(Equal),
    }
}

/// Operations of the host on one of its own types.
macro_rules! native {
    ($name:ident, $float:ident) => {
        fn $name(op: FloatBin, a: $float, b: $float) -> $float {
            match op {
                FloatBin::Add => a + b,
                FloatBin::Sub => a - b,
                FloatBin::Mul => a * b,
                FloatBin::Div => a / b,
                FloatBin::Rem => a % b,
                FloatBin::Minimum | FloatBin::Maximum if a.is_nan() || b.is_nan() => $float::NAN,
                FloatBin::Min | FloatBin::Minimum => a.min(b),
                FloatBin::Max | FloatBin::Maximum => a.max(b),
                FloatBin::CopySign => a.copysign(b),
                FloatBin::Pow => a.powf(b),
            }
        }
    };
}

native!(native32, f32);
native!(native64, f64);

fn soft<F: Float>(op: FloatBin, a: u128, b: u128) -> u128 {
    let (x, y) = (F::from_bits(a), F::from_bits(b));
    let result = match op {
        FloatBin::Add => (x + y).value,
        FloatBin::Sub => (x - y).value,
        FloatBin::Mul => (x * y).value,
        FloatBin::Div => (x / y).value,
        FloatBin::Rem => x.c_fmod(y).value,
        FloatBin::Minimum | FloatBin::Maximum if x.is_nan() || y.is_nan() => F::NAN,
        FloatBin::Min | FloatBin::Minimum => x.min(y),
        FloatBin::Max | FloatBin::Maximum => x.max(y),
        FloatBin::CopySign => x.copy_sign(y),
        FloatBin::Pow => unreachable!("refused before"),
    };
    result.to_bits()
}

fn unary64(op: FloatUnary, x: f64) -> Option<f64> {
    Some(match op {
        FloatUnary::Neg => -x,
        FloatUnary::Abs => x.abs(),
        FloatUnary::Sqrt => x.sqrt(),
        FloatUnary::Floor => x.floor(),
        FloatUnary::Ceil => x.ceil(),
        FloatUnary::Trunc => x.trunc(),
        FloatUnary::Round => x.round(),
        FloatUnary::RoundEven => x.round_ties_even(),
        FloatUnary::Exp => x.exp(),
        FloatUnary::Exp2 => x.exp2(),
        FloatUnary::Log => x.ln(),
        FloatUnary::Log2 => x.log2(),
        FloatUnary::Log10 => x.log10(),
        FloatUnary::Sin => x.sin(),
        FloatUnary::Cos => x.cos(),
    })
}

fn soft_round<F: Float>(op: FloatUnary, bits: u128) -> Option<u128> {
    let x = F::from_bits(bits);
    let round = match op {
        FloatUnary::Floor => Round::TowardNegative,
        FloatUnary::Ceil => Round::TowardPositive,
        FloatUnary::Trunc => Round::TowardZero,
        FloatUnary::Round => Round::NearestTiesToAway,
        FloatUnary::RoundEven => Round::NearestTiesToEven,
        _ => return None,
    };
    Some(x.round_to_integral(round).value.to_bits())
}

/// Calls a generic function with the format that a type denotes.
macro_rules! with_format {
    ($ty:expr, $f:ident, $($arg:expr),*) => {
        match $ty {
            Type::F16 => $f::<Half>($($arg),*),
            Type::BF16 => $f::<BFloat>($($arg),*),
            Type::F32 => $f::<Single>($($arg),*),
            Type::F64 => $f::<Double>($($arg),*),
            Type::F80 => $f::<X87DoubleExtended>($($arg),*),
            _ => $f::<Quad>($($arg),*),
        }
    };
}

fn convert(from: Type, to: Type, bits: u128) -> u128 {
    fn convert_from<F>(to: Type, bits: u128) -> u128
    where
        F: Float
            + FloatConvert<Half>
            + FloatConvert<BFloat>
            + FloatConvert<Single>
            + FloatConvert<Double>
            + FloatConvert<X87DoubleExtended>
            + FloatConvert<Quad>,
    {
        let mut lost = false;
        let x = F::from_bits(bits);
        match to {
            Type::F16 => FloatConvert::<Half>::convert(x, &mut lost).value.to_bits(),
            Type::BF16 => FloatConvert::<BFloat>::convert(x, &mut lost)
                .value
                .to_bits(),
            Type::F32 => FloatConvert::<Single>::convert(x, &mut lost)
                .value
                .to_bits(),
            Type::F64 => FloatConvert::<Double>::convert(x, &mut lost)
                .value
                .to_bits(),
            Type::F80 => FloatConvert::<X87DoubleExtended>::convert(x, &mut lost)
                .value
                .to_bits(),
            _ => FloatConvert::<Quad>::convert(x, &mut lost).value.to_bits(),
        }
    }
    with_format!(from, convert_from, to, bits)
}

fn to_integer(from: Type, bits: u128, width: u32, signed: bool) -> u128 {
    fn convert_to<F: Float>(bits: u128, width: u32, signed: bool) -> u128 {
        let x = F::from_bits(bits);
        if signed {
            x.to_i128(width as usize).value as u128
        } else {
            x.to_u128(width as usize).value
        }
    }
    with_format!(from, convert_to, bits, width, signed)
}

fn from_signed(to: Type, number: i128) -> u128 {
    fn make<F: Float>(number: i128) -> u128 {
        F::from_i128(number).value.to_bits()
    }
    with_format!(to, make, number)
}

fn from_unsigned(to: Type, number: u128) -> u128 {
    fn make<F: Float>(number: u128) -> u128 {
        F::from_u128(number).value.to_bits()
    }
    with_format!(to, make, number)
}

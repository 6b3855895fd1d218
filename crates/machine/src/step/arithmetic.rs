//! Instructions that compute registers from registers. Each has a path for concrete operands, which
//! cannot stop, and one for terms.

use std::hint::black_box;

use ir::{BinOp, Cast, CmpOp};

use super::At;
use crate::code::{Function, Slot};
use crate::fault::{Exec, Fault};
use crate::machine::Machine;
use crate::value::{Value, mask, sign_extend};

impl Machine {
    #[inline(always)]
    pub(super) fn step_bin(
        &mut self,
        at: At,
        op: BinOp,
        bits: u8,
        dst: Slot,
        [a, b]: [Slot; 2],
    ) -> Exec<()> {
        let (x, y) = (self.register(at, a), self.register(at, b));
        if x.is_concrete() && y.is_concrete() && bits <= 64 {
            match concrete_bin(op, u32::from(bits), x.bits, y.bits) {
                Some(result) => self.set_register(at, dst, Value::concrete(result)),
                None if y.bits == 0 => self.slowly(at, |m| m.fault(Fault::DivisionByZero))?,
                None => self.slowly(at, |m| m.fault(Fault::DivisionOverflow))?,
            }
            return Ok(());
        }
        let dst = at.base + dst as usize;
        self.slowly(at, |m| m.symbolic_bin(op, bits, dst, x, y))
    }

    #[inline(always)]
    pub(super) fn step_cmp(&mut self, at: At, op: CmpOp, bits: u8, dst: Slot, [a, b]: [Slot; 2]) {
        let (x, y) = (self.register(at, a), self.register(at, b));
        let result = if x.is_concrete() && y.is_concrete() {
            let holds = concrete_cmp(op, u32::from(bits), x.bits, y.bits);
            Value::concrete(u64::from(holds))
        } else {
            self.symbolic_cmp(op, bits, x, y)
        };
        self.set_register(at, dst, result);
    }

    #[inline(always)]
    pub(super) fn step_cast(
        &mut self,
        at: At,
        op: Cast,
        [from, to]: [u8; 2],
        dst: Slot,
        src: Slot,
    ) {
        let x = self.register(at, src);
        let result = if x.is_concrete() && to <= 64 {
            Value::concrete(match op {
                Cast::Trunc => x.bits & mask(u32::from(to)),
                Cast::ZExt | Cast::Bits => x.bits,
                Cast::SExt => sign_extend(x.bits, u32::from(from)) as u64 & mask(u32::from(to)),
            })
        } else {
            self.symbolic_cast(op, from, to, x)
        };
        self.set_register(at, dst, result);
    }

    #[inline(always)]
    pub(super) fn step_select(
        &mut self,
        at: At,
        bits: u8,
        dst: Slot,
        cond: Slot,
        [a, b]: [Slot; 2],
    ) {
        let c = self.register(at, cond);
        let result = if c.is_concrete() {
            self.register(at, if c.bits & 1 == 1 { a } else { b })
        } else {
            let (x, y) = (self.register(at, a), self.register(at, b));
            self.symbolic_select(bits, c, x, y)
        };
        self.set_register(at, dst, result);
    }

    #[inline(always)]
    pub(super) fn step_add_const(&mut self, at: At, dst: Slot, base: Slot, offset: i64) {
        let x = self.register(at, base);
        let result = if x.is_concrete() {
            Value::concrete(x.bits.wrapping_add_signed(offset) & mask(self.pointer_bits()))
        } else {
            self.symbolic_offset(x, offset, &[])
        };
        self.set_register(at, dst, result);
    }

    /// `index` is the register, its width and the scale.
    #[inline(always)]
    pub(super) fn step_add_index(
        &mut self,
        at: At,
        dst: Slot,
        base: Slot,
        (index, bits, scale): (Slot, u8, i32),
    ) {
        let (x, i) = (self.register(at, base), self.register(at, index));
        let result = if x.is_concrete() && i.is_concrete() {
            let offset = sign_extend(i.bits, u32::from(bits)).wrapping_mul(i64::from(scale));
            Value::concrete(x.bits.wrapping_add_signed(offset) & mask(self.pointer_bits()))
        } else {
            self.symbolic_offset(x, 0, &[(i, bits, i64::from(scale))])
        };
        self.set_register(at, dst, result);
    }

    #[inline(always)]
    pub(super) fn step_add_offsets(
        &mut self,
        f: &Function,
        at: At,
        dst: Slot,
        base: Slot,
        offsets: u32,
    ) {
        let offsets = &black_box(f).offsets[offsets as usize];
        let base = self.register(at, base);
        let mut sum = base.bits.wrapping_add_signed(offsets.constant);
        let mut concrete = base.is_concrete();
        for &(index, bits, scale) in &offsets.indices {
            let i = self.register(at, index);
            concrete &= i.is_concrete();
            let offset = sign_extend(i.bits, u32::from(bits)).wrapping_mul(scale);
            sum = sum.wrapping_add_signed(offset);
        }
        let result = if concrete {
            Value::concrete(sum & mask(self.pointer_bits()))
        } else {
            let indices = offsets.indices.iter();
            let indices: Vec<_> = indices
                .map(|&(index, bits, scale)| (self.register(at, index), bits, scale))
                .collect();
            self.symbolic_offset(base, offsets.constant, &indices)
        };
        self.set_register(at, dst, result);
    }
}

/// `None`: a division by zero, or of the smallest number by -1.
#[inline(always)]
pub fn concrete_bin(op: BinOp, bits: u32, a: u64, b: u64) -> Option<u64> {
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if b >= u64::from(bits) => 0,
        BinOp::Shl => a << b,
        BinOp::LShr if b >= u64::from(bits) => 0,
        BinOp::LShr => a >> b,
        BinOp::AShr => (sign_extend(a, bits) >> b.min(63)) as u64,
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv | BinOp::SRem if b == 0 => return None,
        BinOp::SDiv | BinOp::SRem if b == mask(bits) && a == 1 << (bits - 1) => return None,
        BinOp::SDiv => sign_extend(a, bits).wrapping_div(sign_extend(b, bits)) as u64,
        BinOp::SRem => sign_extend(a, bits).wrapping_rem(sign_extend(b, bits)) as u64,
    };
    Some(result & mask(bits))
}

#[inline(always)]
pub fn concrete_cmp(op: CmpOp, bits: u32, a: u64, b: u64) -> bool {
    use CmpOp::*;
    let (x, y) = (sign_extend(a, bits), sign_extend(b, bits));
    match op {
        Eq => a == b,
        Ne => a != b,
        Ult => a < b,
        Ule => a <= b,
        Ugt => a > b,
        Uge => a >= b,
        Slt => x < y,
        Sle => x <= y,
        Sgt => x > y,
        Sge => x >= y,
    }
}

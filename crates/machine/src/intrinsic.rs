//! LLVM intrinsics.

use ir::Intrinsic;
use smt::{BinOp, CmpOp, TermId};

use crate::code::Operand;
use crate::fault::{Exec, Fault};
use crate::machine::Machine;
use crate::memory::{AccessKind, ObjectId};
use crate::thread::Guard;
use crate::value::Value;

impl Machine {
    pub(crate) fn intrinsic(
        &mut self,
        op: Intrinsic,
        base: usize,
        results: &[Operand],
        args: &[Operand],
    ) -> Exec<()> {
        use Intrinsic::*;
        let arg = |m: &Machine, i: usize| m.running.registers[base + args[i].slot as usize];
        match op {
            Memcpy | Memmove => {
                let to = self.number(arg(self, 0))?;
                let from = self.number(arg(self, 1))?;
                let bytes = self.number(arg(self, 2))?;
                return self.copy_memory(to, from, bytes);
            }
            Memset => {
                let to = self.number(arg(self, 0))?;
                let bytes = self.number(arg(self, 2))?;
                return self.fill_memory(to, arg(self, 1), bytes);
            }
            StackSave => {
                let arena = self.now.current.stack();
                let objects = self
                    .state
                    .memory
                    .arena(arena)
                    .map_or(0, |a| a.objects.len());
                self.running.registers[base + results[0].slot as usize] =
                    Value::concrete(objects as u64);
                return Ok(());
            }
            StackRestore => {
                let first = self.number(arg(self, 0))?;
                self.see_objects_die(first as usize)?;
                self.kill_stack_from(first as usize);
                return Ok(());
            }
            Trap => return self.fault(Fault::Abort("trap".to_string())),
            VaStart => {
                let list = self.number(arg(self, 0))?;
                return self.va_start(list);
            }
            VaEnd => return Ok(()),
            VaCopy => {
                let to = self.number(arg(self, 0))?;
                let from = self.number(arg(self, 1))?;
                let bytes = if self.pointer_bits() == 64 { 24 } else { 4 };
                return self.copy_memory(to, from, bytes);
            }
            ReadCycleCounter => {
                let value = self.input("cycle counter", 64);
                self.running.registers[base + results[0].slot as usize] = value;
                return Ok(());
            }
            EhTypeId => {
                let info = self.number(arg(self, 0))?;
                let selector = Self::selector_of(info);
                self.running.registers[base + results[0].slot as usize] = Value::concrete(selector);
                return Ok(());
            }
            FusedMultiplyAdd => {
                let ty = args[0].ty;
                let value = self.float_fma(ty, [arg(self, 0), arg(self, 1), arg(self, 2)])?;
                self.running.registers[base + results[0].slot as usize] = value;
                return Ok(());
            }
            IsFpClass => {
                let value = self.float_is_class(args[0].ty, arg(self, 0), arg(self, 1))?;
                self.running.registers[base + results[0].slot as usize] = value;
                return Ok(());
            }
            _ => {}
        }
        let width = args[0].ty.bits(self.pointer_bits());
        let mut terms = Vec::with_capacity(3);
        for (i, operand) in args.iter().enumerate() {
            let bits = operand.ty.bits(self.pointer_bits());
            terms.push(self.term(arg(self, i), bits));
        }
        let (first, second) = self.bit_intrinsic(op, width, &terms);
        self.running.registers[base + results[0].slot as usize] = self.value(first);
        if let (Some(second), Some(result)) = (second, results.get(1)) {
            self.running.registers[base + result.slot as usize] = self.value(second);
        }
        Ok(())
    }

    /// Intrinsics that are functions of bits alone, as terms; the simplifier folds them when the
    /// arguments are constant.
    pub(crate) fn bit_intrinsic(
        &mut self,
        op: Intrinsic,
        width: u32,
        args: &[TermId],
    ) -> (TermId, Option<TermId>) {
        use Intrinsic::*;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let t = &mut self.terms;
        match op {
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow
            | UMulOverflow => {
                let (op, signed) = match op {
                    SAddOverflow => (BinOp::Add, true),
                    UAddOverflow => (BinOp::Add, false),
                    SSubOverflow => (BinOp::Sub, true),
                    USubOverflow => (BinOp::Sub, false),
                    SMulOverflow => (BinOp::Mul, true),
                    _ => (BinOp::Mul, false),
                };
                let (result, overflow) = self.with_overflow(op, signed, width, a, b);
                (result, Some(overflow))
            }
            SAddSat | UAddSat | SSubSat | USubSat | SShlSat | UShlSat => {
                (self.saturating(op, width, a, b), None)
            }
            SMin | SMax | UMin | UMax => {
                let keep = match op {
                    SMin => CmpOp::Slt,
                    SMax => CmpOp::Sgt,
                    UMin => CmpOp::Ult,
                    _ => CmpOp::Ugt,
                };
                let keep = t.cmp(keep, a, b);
                (t.ite(keep, a, b), None)
            }
            Abs => {
                let zero = t.constant(width, 0);
                let negative = t.cmp(CmpOp::Slt, a, zero);
                let negated = t.neg(a);
                (t.ite(negative, negated, a), None)
            }
            PopCount => {
                let mut sum = t.constant(width, 0);
                for i in 0..width {
                    let bit = t.extract(a, i, 1);
                    let bit = t.zext(bit, width);
                    sum = t.bin(BinOp::Add, sum, bit);
                }
                (sum, None)
            }
            LeadingZeros | TrailingZeros => {
                let mut result = t.constant(width, u128::from(width));
                for k in 0..width {
                    // The outermost test is of the bit that counts first.
                    let (bit, zeros) = if op == LeadingZeros {
                        (k, width - 1 - k)
                    } else {
                        (width - 1 - k, width - 1 - k)
                    };
                    let set = t.extract(a, bit, 1);
                    let zeros = t.constant(width, u128::from(zeros));
                    result = t.ite(set, zeros, result);
                }
                (result, None)
            }
            ByteSwap => {
                let mut result = t.extract(a, 0, 8);
                for i in 1..width / 8 {
                    let byte = t.extract(a, 8 * i, 8);
                    result = t.concat(result, byte);
                }
                (result, None)
            }
            BitReverse => {
                let mut result = t.extract(a, 0, 1);
                for i in 1..width {
                    let bit = t.extract(a, i, 1);
                    result = t.concat(result, bit);
                }
                (result, None)
            }
            FunnelShiftLeft | FunnelShiftRight => {
                let modulus = t.constant(width, u128::from(width));
                let amount = t.bin(BinOp::URem, args[2], modulus);
                let rest = t.bin(BinOp::Sub, modulus, amount);
                // A shift by the full width gives zero, which is right for amount 0.
                let (high, low) = if op == FunnelShiftLeft {
                    (t.bin(BinOp::Shl, a, amount), t.bin(BinOp::LShr, b, rest))
                } else {
                    (t.bin(BinOp::Shl, a, rest), t.bin(BinOp::LShr, b, amount))
                };
                (t.bin(BinOp::Or, high, low), None)
            }
            _ => unreachable!("handled before: {op:?}"),
        }
    }

    fn with_overflow(
        &mut self,
        op: BinOp,
        signed: bool,
        width: u32,
        a: TermId,
        b: TermId,
    ) -> (TermId, TermId) {
        let t = &mut self.terms;
        let result = t.bin(op, a, b);
        let zero = t.constant(width, 0);
        let overflow = match (op, signed) {
            (BinOp::Add, false) => t.cmp(CmpOp::Ult, result, a),
            (BinOp::Sub, false) => t.cmp(CmpOp::Ult, a, b),
            (BinOp::Add, true) | (BinOp::Sub, true) => {
                // Overflow: the sign of the result differs from what the operands' signs allow.
                let ra = t.bin(BinOp::Xor, result, a);
                let other = if op == BinOp::Add {
                    t.bin(BinOp::Xor, result, b)
                } else {
                    t.bin(BinOp::Xor, a, b)
                };
                let both = t.bin(BinOp::And, ra, other);
                t.cmp(CmpOp::Slt, both, zero)
            }
            _ if width <= 64 => {
                let wide = 2 * width;
                let (x, y) = if signed {
                    (t.sext(a, wide), t.sext(b, wide))
                } else {
                    (t.zext(a, wide), t.zext(b, wide))
                };
                let product = t.bin(BinOp::Mul, x, y);
                let back = if signed {
                    t.sext(result, wide)
                } else {
                    t.zext(result, wide)
                };
                t.cmp(CmpOp::Ne, product, back)
            }
            _ => {
                // 128 bits: divide back, the one case that division misses apart.
                let nonzero = t.cmp(CmpOp::Ne, b, zero);
                let divide = if signed { BinOp::SDiv } else { BinOp::UDiv };
                let back = t.bin(divide, result, b);
                let differs = t.cmp(CmpOp::Ne, back, a);
                let mut overflow = t.and(nonzero, differs);
                if signed {
                    let minus_one = t.constant(width, u128::MAX);
                    let min = t.constant(width, 1 << (width - 1));
                    let b_is = t.cmp(CmpOp::Eq, b, minus_one);
                    let a_is = t.cmp(CmpOp::Eq, a, min);
                    let special = t.and(a_is, b_is);
                    overflow = t.or(overflow, special);
                }
                overflow
            }
        };
        (result, overflow)
    }

    fn saturating(&mut self, op: Intrinsic, width: u32, a: TermId, b: TermId) -> TermId {
        use Intrinsic::*;
        let max_unsigned = self.terms.constant(width, u128::MAX);
        let zero = self.terms.constant(width, 0);
        let min = self.terms.constant(width, 1 << (width - 1));
        let max = self.terms.not(min);
        let (result, overflow, limit) = match op {
            UAddSat => {
                let (r, o) = self.with_overflow(BinOp::Add, false, width, a, b);
                (r, o, max_unsigned)
            }
            USubSat => {
                let (r, o) = self.with_overflow(BinOp::Sub, false, width, a, b);
                (r, o, zero)
            }
            SAddSat | SSubSat => {
                let op = if op == SAddSat {
                    BinOp::Add
                } else {
                    BinOp::Sub
                };
                let (r, o) = self.with_overflow(op, true, width, a, b);
                let negative = self.terms.cmp(CmpOp::Slt, a, zero);
                (r, o, self.terms.ite(negative, min, max))
            }
            _ => {
                let t = &mut self.terms;
                let r = t.bin(BinOp::Shl, a, b);
                let signed = op == SShlSat;
                let back = t.bin(if signed { BinOp::AShr } else { BinOp::LShr }, r, b);
                let o = t.cmp(CmpOp::Ne, back, a);
                let negative = t.cmp(CmpOp::Slt, a, zero);
                let limit = if signed {
                    t.ite(negative, min, max)
                } else {
                    max_unsigned
                };
                (r, o, limit)
            }
        };
        self.terms.ite(overflow, limit, result)
    }

    pub(crate) fn kill_stack_from(&mut self, first: usize) {
        let arena = self.now.current.stack();
        let count = self
            .state
            .memory
            .arena(arena)
            .map_or(0, |a| a.objects.len());
        for index in first..count {
            let id = ObjectId {
                arena,
                index: index as u32,
            };
            if self.state.memory.object(id).live {
                self.check_end_of(id);
                self.state.memory.kill(&mut self.trail, id);
            }
        }
    }

    /// Every argument counts as passed on the stack, so that one area serves all.
    fn va_start(&mut self, list: u64) -> Exec<()> {
        let area = self.running.frames.last().expect("a frame").varargs;
        let bytes = if self.pointer_bits() == 64 { 24 } else { 4 };
        self.check_access(list, bytes, AccessKind::Write)?;
        self.see(list, bytes, AccessKind::Write, Guard::Always)?;
        let pointer = area.to_le_bytes();
        if self.pointer_bits() == 64 {
            let mut image = [0u8; 24];
            // All six integer and all eight vector registers used up.
            image[0..4].copy_from_slice(&48u32.to_le_bytes());
            image[4..8].copy_from_slice(&176u32.to_le_bytes());
            image[8..16].copy_from_slice(&pointer);
            self.state.memory.write_bytes(&mut self.trail, list, &image);
        } else {
            self.state
                .memory
                .write_bytes(&mut self.trail, list, &pointer[..4]);
        }
        Ok(())
    }
}

//! Reading and writing operands, registers, memory and flags.

use ir::{BinOp, Cast, CmpOp, Op, Type, ValueId};

use super::super::template::{Operand, register};
use super::{Assembly, Bound, Location, Register};

impl Assembly<'_, '_, '_> {
    pub(super) fn locate(&mut self, operand: &Operand) -> Option<Location> {
        Some(match operand {
            Operand::Immediate(value) => Location::Immediate(*value),
            Operand::Stack => Location::Stack,
            Operand::Register(name) => Location::Register(Register::Named(register(name)?)),
            Operand::Number(number) => match self.operands.get(*number)? {
                Bound::Register(register, _) => Location::Register(register.clone()),
                Bound::Memory(pointer, _) => Location::Memory(*pointer),
            },
            Operand::Indirect { displacement, base } => {
                let pointer = match self.operands.get(*base)? {
                    Bound::Register(register, _) => *self.registers.get(register)?,
                    Bound::Memory(..) => return None,
                };
                let base = self.code.resize_unsigned(pointer, Type::Ptr);
                let dst = self.code.fresh(Type::Ptr);
                self.code.emit(Op::PtrAdd {
                    dst,
                    base,
                    offset: *displacement,
                    indices: Vec::new(),
                    record: None,
                });
                Location::Memory(dst)
            }
        })
    }

    pub(super) fn read(&mut self, operand: &Operand, width: u8) -> Option<ValueId> {
        let ty = Type::Int(width);
        match self.locate(operand)? {
            Location::Immediate(value) => Some(self.code.bits(ty, value as u128)),
            Location::Register(register) => {
                let value = *self.registers.get(&register)?;
                Some(self.code.resize_unsigned(value, ty))
            }
            Location::Memory(pointer) => Some(self.load(pointer, ty)),
            Location::Stack => None,
        }
    }

    /// A write to part of a register keeps the rest, except that 32 bits clear the upper half.
    pub(super) fn write(&mut self, operand: &Operand, value: ValueId) -> Option<()> {
        match self.locate(operand)? {
            Location::Register(register) => {
                let width = self.code.width(value);
                let old = self.registers.get(&register).copied();
                let merged = match old {
                    Some(old) if width < 32 && self.code.width(old) > width => {
                        self.merge(old, value)
                    }
                    _ => value,
                };
                self.registers.insert(register, merged);
                Some(())
            }
            Location::Memory(pointer) => {
                self.store(pointer, value);
                Some(())
            }
            Location::Immediate(_) | Location::Stack => None,
        }
    }

    fn merge(&mut self, old: ValueId, value: ValueId) -> ValueId {
        let wide = Type::Int(self.code.width(old) as u8);
        let old = self.code.cast(Cast::Bits, old, wide);
        let low = (1u128 << self.code.width(value)) - 1;
        let keep = self.code.bits(wide, !low);
        let kept = self.code.bin(BinOp::And, old, keep);
        let value = self.code.cast(Cast::ZExt, value, wide);
        self.code.bin(BinOp::Or, kept, value)
    }

    pub(super) fn load(&mut self, ptr: ValueId, ty: Type) -> ValueId {
        let dst = self.code.fresh(ty);
        self.code.emit(Op::Load {
            dst,
            ptr,
            atomic: None,
            volatile: true,
        });
        dst
    }

    pub(super) fn store(&mut self, ptr: ValueId, value: ValueId) {
        self.code.emit(Op::Store {
            ptr,
            value,
            atomic: None,
            volatile: true,
        });
    }

    pub(super) fn set_flags(&mut self, result: ValueId) {
        let zero = self.code.bits(self.code.ty(result), 0);
        self.zero = Some(self.code.cmp(CmpOp::Eq, result, zero));
        self.sign = Some(self.code.cmp(CmpOp::Slt, result, zero));
        self.carry = None;
    }

    pub(super) fn set_equal(&mut self, equal: ValueId) {
        (self.zero, self.sign, self.carry) = (Some(equal), None, None);
    }

    pub(super) fn condition(&mut self, name: &str) -> Option<ValueId> {
        match name {
            "e" | "z" => self.zero,
            "s" => self.sign,
            "c" | "b" | "nae" => self.carry,
            _ => {
                let positive = match name {
                    "ne" | "nz" => self.zero?,
                    "ns" => self.sign?,
                    "nc" | "nb" | "ae" => self.carry?,
                    _ => return None,
                };
                let one = self.code.bits(Type::BOOL, 1);
                Some(self.code.bin(BinOp::Xor, positive, one))
            }
        }
    }

    /// The mnemonic without its suffix, and the width in bits: by suffix, else by the operands.
    pub(super) fn split_mnemonic<'n>(
        &self,
        name: &'n str,
        operands: &[Operand],
    ) -> Option<(&'n str, u8)> {
        const KNOWN: [&str; 20] = [
            "mov", "xchg", "xadd", "cmpxchg", "add", "sub", "and", "or", "xor", "inc", "dec",
            "not", "bts", "btr", "btc", "bsf", "bsr", "bswap", "sbb", "test",
        ];
        if KNOWN.contains(&name) || name == "cmp" {
            let mut widths = operands.iter().rev().filter_map(|o| self.operand_width(o));
            return Some((name, widths.next()?));
        }
        let (base, suffix) = name.split_at_checked(name.len().checked_sub(1)?)?;
        let width = match suffix {
            "b" => 8,
            "w" => 16,
            "l" => 32,
            "q" => 64,
            _ => return None,
        };
        Some((base, width))
    }

    fn operand_width(&self, operand: &Operand) -> Option<u8> {
        let Operand::Number(number) = operand else {
            return None;
        };
        let ty = match self.operands.get(*number)? {
            Bound::Register(register, ty) => {
                ty.or_else(|| self.registers.get(register).map(|v| self.code.ty(*v)))
            }
            Bound::Memory(_, ty) => *ty,
        };
        u8::try_from(ty?.bits(self.code.program.out.pointer_bits)).ok()
    }
}

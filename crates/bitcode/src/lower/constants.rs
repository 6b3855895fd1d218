//! Constants: folded to bits or an address where that is possible, to instructions otherwise.

use ir::{Const, Op, Symbol};

use super::function::{FunctionLowering, Slot, Slots};
use super::{Lowered, Program, unmodelled};
use crate::llvm::{Kind, LLVMOpcode, TypeKind, Value};

/// What a scalar constant is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Folded {
    Known(Const),
    Undef,
    /// Known only while the program runs: the address of a thread-local variable, or arithmetic on
    /// addresses.
    Dynamic,
}

const fn bits(bits: u128) -> Folded {
    Folded::Known(Const::Bits(bits))
}

impl<'m> Program<'m> {
    /// Folds a scalar constant.
    pub(super) fn fold(&mut self, value: Value<'m>) -> Lowered<Folded> {
        Ok(match value.kind() {
            Kind::Int => bits(value.int_bits()),
            Kind::Float => bits(value.float_bits()),
            Kind::NullPointer | Kind::ZeroAggregate => bits(0),
            Kind::Undef => Folded::Undef,
            Kind::Function
            | Kind::GlobalVariable
            | Kind::Alias
            | Kind::IFunc
            | Kind::Equivalent => self.fold_global(value)?,
            Kind::BlockAddress => {
                let (function, block) = value.block_address();
                match (self.functions.get(&function), self.blocks.get(&block)) {
                    (Some(&function), Some(&block)) => {
                        Folded::Known(Const::Address(Symbol::Block(function, block), 0))
                    }
                    _ => return unmodelled("the address of a label elsewhere"),
                }
            }
            Kind::Expression => self.fold_expression(value)?,
            _ => return unmodelled(format!("a constant of type {}", value.ty().print())),
        })
    }

    fn fold_global(&mut self, value: Value<'m>) -> Lowered<Folded> {
        let Some(global) = self.resolve(value) else {
            return match value.kind() {
                // An alias of something inside a global.
                Kind::Alias => self.fold(value.aliasee()),
                _ => unmodelled(format!("symbol {}", value.name())),
            };
        };
        if let Some(&id) = self.functions.get(&global) {
            return Ok(Folded::Known(Const::Address(Symbol::Function(id), 0)));
        }
        match self.globals.get(&global) {
            Some(_) if global.is_thread_local() => Ok(Folded::Dynamic),
            // A function that is declared weakly and defined nowhere has the address null.
            Some(_) if global.is_weak_declaration() => Ok(bits(0)),
            Some(&id) => Ok(Folded::Known(Const::Address(Symbol::Global(id), 0))),
            None => unmodelled(format!("the address of {}", global.name())),
        }
    }

    fn fold_expression(&mut self, value: Value<'m>) -> Lowered<Folded> {
        if matches!(
            value.ty().kind(),
            TypeKind::LLVMVectorTypeKind | TypeKind::LLVMScalableVectorTypeKind
        ) {
            return Ok(Folded::Dynamic);
        }
        let width = |ty: ir::Type, program: &Self| ty.bits(program.out.pointer_bits);
        let to = self.layouts.scalar(value.ty())?;
        let to_bits = width(to, self);
        let opcode = value.expression_opcode();
        Ok(match opcode {
            LLVMOpcode::LLVMGetElementPtr => self.fold_gep(value)?,
            LLVMOpcode::LLVMBitCast
            | LLVMOpcode::LLVMAddrSpaceCast
            | LLVMOpcode::LLVMPtrToInt
            | LLVMOpcode::LLVMPtrToAddr
            | LLVMOpcode::LLVMIntToPtr
            | LLVMOpcode::LLVMTrunc => {
                let operand = value.operand(0);
                let Ok(from) = self.layouts.scalar(operand.ty()) else {
                    return Ok(Folded::Dynamic);
                };
                match self.fold(operand)? {
                    Folded::Known(Const::Bits(known)) => bits(mask(known, to_bits)),
                    Folded::Known(Const::Address(..)) if width(from, self) != to_bits => {
                        Folded::Dynamic
                    }
                    same => same,
                }
            }
            LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMXor => {
                let (a, b) = (self.fold(value.operand(0))?, self.fold(value.operand(1))?);
                let (Folded::Known(a), Folded::Known(b)) = (a, b) else {
                    return Ok(Folded::Dynamic);
                };
                fold_arithmetic(opcode, a, b, to_bits)
            }
            _ => Folded::Dynamic,
        })
    }

    fn fold_gep(&mut self, value: Value<'m>) -> Lowered<Folded> {
        let Some(offset) = self.constant_gep_offset(value) else {
            return Ok(Folded::Dynamic);
        };
        Ok(match self.fold(value.operand(0))? {
            Folded::Known(Const::Address(symbol, addend)) => {
                Folded::Known(Const::Address(symbol, addend.wrapping_add(offset)))
            }
            Folded::Known(Const::Bits(base)) => bits(mask(
                base.wrapping_add(offset as u128),
                self.out.pointer_bits,
            )),
            other => other,
        })
    }

    /// The function that an indirect function stands for, if its resolver just returns one.
    pub(super) fn ifunc_target(&self, ifunc: Value<'m>) -> Option<Value<'m>> {
        let resolver = self.resolve(ifunc.ifunc_resolver())?;
        let mut targets = resolver.blocks().into_iter().filter_map(|block| {
            let end = block.terminator();
            (end.opcode() == LLVMOpcode::LLVMRet && end.operand_count() == 1)
                .then(|| end.operand(0))
        });
        let target = targets.next()?;
        let is_global = matches!(target.kind(), Kind::Function | Kind::Alias);
        (is_global && targets.next().is_none()).then_some(target)
    }
}

fn fold_arithmetic(opcode: LLVMOpcode, a: Const, b: Const, width: u32) -> Folded {
    use LLVMOpcode::{LLVMAdd, LLVMSub, LLVMXor};
    match (opcode, a, b) {
        (LLVMAdd, Const::Bits(a), Const::Bits(b)) => bits(mask(a.wrapping_add(b), width)),
        (LLVMSub, Const::Bits(a), Const::Bits(b)) => bits(mask(a.wrapping_sub(b), width)),
        (LLVMXor, Const::Bits(a), Const::Bits(b)) => bits(a ^ b),
        (LLVMAdd, Const::Address(symbol, addend), Const::Bits(n))
        | (LLVMAdd, Const::Bits(n), Const::Address(symbol, addend)) => {
            Folded::Known(Const::Address(symbol, addend.wrapping_add(n as i64)))
        }
        (LLVMSub, Const::Address(symbol, addend), Const::Bits(n)) => {
            Folded::Known(Const::Address(symbol, addend.wrapping_sub(n as i64)))
        }
        (LLVMSub, Const::Address(a, x), Const::Address(b, y)) if a == b => {
            bits(mask(x.wrapping_sub(y) as u128, width))
        }
        _ => Folded::Dynamic,
    }
}

/// The low `width` bits.
pub fn mask(bits: u128, width: u32) -> u128 {
    if width >= 128 {
        bits
    } else {
        bits & ((1 << width) - 1)
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The scalars of a constant; may emit instructions.
    pub(super) fn constant_slots(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let leaves = self.program.layouts.leaves(value.ty())?;
        match value.kind() {
            Kind::Undef => Ok(leaves.iter().map(|leaf| Slot::Undef(leaf.ty)).collect()),
            Kind::ZeroAggregate => Ok(leaves
                .iter()
                .map(|leaf| Slot::Value(self.bits(leaf.ty, 0)))
                .collect()),
            Kind::Aggregate | Kind::Data | Kind::Other => self.constant_elements(value),
            Kind::Expression if leaves.len() != 1 => {
                self.operation(value.expression_opcode(), value)
            }
            _ => {
                let [leaf] = *leaves else {
                    return unmodelled(format!("a constant of type {}", value.ty().print()));
                };
                let slot = self.scalar_constant(value, leaf.ty)?;
                Ok([slot].into_iter().collect())
            }
        }
    }

    fn constant_elements(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let ty = value.ty();
        let count = match ty.kind() {
            TypeKind::LLVMStructTypeKind => u64::from(ty.field_count()),
            TypeKind::LLVMArrayTypeKind => ty.array_length(),
            TypeKind::LLVMVectorTypeKind => u64::from(ty.vector_length()),
            _ => return unmodelled(format!("a constant of type {}", ty.print())),
        };
        let mut slots = Slots::new();
        for index in 0..count {
            let Some(element) = value.constant_element(index as u32) else {
                return unmodelled(format!("a constant of type {}", ty.print()));
            };
            slots.extend(self.constant_slots(element)?);
        }
        Ok(slots)
    }

    fn scalar_constant(&mut self, value: Value<'m>, ty: ir::Type) -> Lowered<Slot> {
        match self.program.fold(value)? {
            Folded::Known(Const::Bits(bits)) => Ok(Slot::Value(self.bits(ty, bits))),
            Folded::Known(address) => {
                let pointer = self.constant(ir::Type::Ptr, address);
                let same = ty == ir::Type::Ptr;
                Ok(Slot::Value(if same {
                    pointer
                } else {
                    self.cast(ir::Cast::Bits, pointer, ty)
                }))
            }
            Folded::Undef => Ok(Slot::Undef(ty)),
            Folded::Dynamic if value.kind() == Kind::Expression => {
                let slots = self.operation(value.expression_opcode(), value)?;
                Ok(slots[0])
            }
            Folded::Dynamic => {
                let resolved = self.program.resolve(value);
                let global = resolved.and_then(|g| self.program.globals.get(&g).copied());
                match global {
                    Some(global) => {
                        let dst = self.fresh(ir::Type::Ptr);
                        self.emit(Op::TlsAddr { dst, global });
                        Ok(Slot::Value(dst))
                    }
                    // An alias of something inside a thread-local variable.
                    None if value.kind() == Kind::Alias => {
                        Ok(self.constant_slots(value.aliasee())?[0])
                    }
                    None => unmodelled(format!("the address of {}", value.name())),
                }
            }
        }
    }
}

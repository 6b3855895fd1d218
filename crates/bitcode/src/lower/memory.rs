//! Memory: allocas, addresses, loads, stores and atomics.

use ir::{MemoryOrder, Op, RmwOp, Type, ValueId};

use super::function::{FunctionLowering, Slot, Slots, one};
use super::{Lowered, Program, unmodelled};
use crate::llvm::{Kind, LLVMAtomicOrdering, LLVMAtomicRMWBinOp, TypeKind, Value};

impl<'m> Program<'m> {
    /// The offset of a `getelementptr` whose indices are all constant.
    pub(super) fn constant_gep_offset(&mut self, gep: Value<'m>) -> Option<i64> {
        let mut offset = 0i64;
        let mut ty = gep.gep_source_type();
        for (position, index) in gep.operands().skip(1).enumerate() {
            if index.kind() != Kind::Int {
                return None;
            }
            let step = index.int_bits();
            if position > 0 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let at = self.module.field_offset(ty, step as u32);
                offset = offset.wrapping_add(at as i64);
                ty = ty.field(step as u32);
                continue;
            }
            if position > 0 {
                ty = ty.element();
            }
            let step = sign_extend(step, index.ty().int_width());
            let stride = self.module.alloc_size(ty) as i64;
            offset = offset.wrapping_add(step.wrapping_mul(stride));
        }
        Some(offset)
    }
}

fn sign_extend(bits: u128, width: u32) -> i64 {
    let unused = 128 - width.clamp(1, 128);
    (((bits << unused) as i128) >> unused) as i64
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn alloca(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let mut size = self.program.module.alloc_size(value.allocated_type());
        let count = self.scalar(value.operand(0))?;
        let count = match self.known_bits(count) {
            Some(known) => {
                size = size.saturating_mul(u64::try_from(known).unwrap_or(u64::MAX));
                None
            }
            None => Some(count),
        };
        let var = self.variable_at(value);
        let dst = self.fresh(Type::Ptr);
        self.emit(Op::Alloca {
            dst,
            size,
            count,
            align: u64::from(value.alignment().max(1)),
            var,
        });
        Ok(one(dst))
    }

    pub(super) fn gep(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let lanes = match value.ty().kind() {
            TypeKind::LLVMVectorTypeKind => value.ty().vector_length() as usize,
            _ => 1,
        };
        let mut operands = Vec::new();
        for operand in value.operands() {
            operands.push((operand, self.values(operand)?));
        }
        let mut slots = Slots::new();
        for lane in 0..lanes {
            // A scalar among vectors counts for every lane.
            let scalars: Vec<(Value<'m>, ValueId)> = operands
                .iter()
                .map(|(operand, values)| (*operand, values[lane.min(values.len() - 1)]))
                .collect();
            slots.push(Slot::Value(self.gep_lane(value, &scalars)?));
        }
        Ok(slots)
    }

    fn gep_lane(&mut self, gep: Value<'m>, operands: &[(Value<'m>, ValueId)]) -> Lowered<ValueId> {
        let source = gep.gep_source_type();
        let (_, base) = operands[0];
        let mut ty = source;
        let mut offset = 0i64;
        let mut indices = Vec::new();
        for (position, &(_, index)) in operands[1..].iter().enumerate() {
            let known = self.known_bits(index);
            if position > 0 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let Some(field) = known else {
                    return unmodelled("a variable field number");
                };
                let at = self.program.module.field_offset(ty, field as u32);
                offset = offset.wrapping_add(at as i64);
                ty = ty.field(field as u32);
                continue;
            }
            if position > 0 {
                ty = ty.element();
            }
            let stride = self.program.module.alloc_size(ty) as i64;
            match known {
                Some(known) => {
                    let step = sign_extend(known, self.width(index));
                    offset = offset.wrapping_add(step.wrapping_mul(stride));
                }
                None => indices.push((index, stride)),
            }
        }
        let record = self.program.debug.record(source);
        if offset == 0 && indices.is_empty() && record.is_none() {
            return Ok(base);
        }
        let dst = self.fresh(Type::Ptr);
        self.emit(Op::PtrAdd {
            dst,
            base,
            offset,
            indices,
            record,
        });
        Ok(dst)
    }

    fn at_offset(&mut self, base: ValueId, offset: u64) -> ValueId {
        if offset == 0 {
            return base;
        }
        let dst = self.fresh(Type::Ptr);
        self.emit(Op::PtrAdd {
            dst,
            base,
            offset: offset as i64,
            indices: Vec::new(),
            record: None,
        });
        dst
    }

    pub(super) fn load(&mut self, value: Value<'m>) -> Lowered<Slots> {
        if self.program.layouts.is_bit_packed(value.ty()) {
            return unmodelled("bit-packed lanes in memory");
        }
        let leaves = self.program.layouts.leaves(value.ty())?;
        let base = self.scalar(value.operand(0))?;
        let mut slots = Slots::new();
        for leaf in leaves.iter() {
            let ptr = self.at_offset(base, leaf.offset);
            let dst = self.fresh(leaf.ty);
            self.emit(Op::Load {
                dst,
                ptr,
                atomic: value.is_atomic().then(|| memory_order(value.ordering())),
                volatile: value.is_volatile(),
            });
            slots.push(Slot::Value(dst));
        }
        Ok(slots)
    }

    pub(super) fn store(&mut self, inst: Value<'m>) -> Lowered<Slots> {
        let stored = inst.operand(0);
        if self.program.layouts.is_bit_packed(stored.ty()) {
            return unmodelled("bit-packed lanes in memory");
        }
        let leaves = self.program.layouts.leaves(stored.ty())?;
        let values = self.values(stored)?;
        let base = self.scalar(inst.operand(1))?;
        for (leaf, value) in leaves.iter().zip(values) {
            let ptr = self.at_offset(base, leaf.offset);
            self.emit(Op::Store {
                ptr,
                value,
                atomic: inst.is_atomic().then(|| memory_order(inst.ordering())),
                volatile: inst.is_volatile(),
            });
        }
        Ok(Slots::new())
    }

    pub(super) fn rmw(&mut self, inst: Value<'m>) -> Lowered<Slots> {
        let Some(op) = rmw_operation(inst.rmw_operation()) else {
            return unmodelled(format!("atomicrmw {:?}", inst.rmw_operation()));
        };
        let ptr = self.scalar(inst.operand(0))?;
        let value = self.scalar(inst.operand(1))?;
        let order = memory_order(inst.ordering());
        Ok(one(self.emit_rmw(op, ptr, value, order)))
    }

    pub(super) fn emit_rmw(
        &mut self,
        op: RmwOp,
        ptr: ValueId,
        value: ValueId,
        order: MemoryOrder,
    ) -> ValueId {
        let dst = self.fresh(self.ty(value));
        self.emit(Op::Rmw {
            op,
            dst,
            ptr,
            value,
            order,
        });
        dst
    }

    pub(super) fn cmpxchg(&mut self, inst: Value<'m>) -> Lowered<Slots> {
        let ptr = self.scalar(inst.operand(0))?;
        let expected = self.scalar(inst.operand(1))?;
        let new = self.scalar(inst.operand(2))?;
        let orders = inst.exchange_orderings().map(memory_order);
        let (old, success) = self.emit_cmpxchg(ptr, [expected, new], inst.is_weak(), orders);
        Ok([old, success].map(Slot::Value).into_iter().collect())
    }

    pub(super) fn emit_cmpxchg(
        &mut self,
        ptr: ValueId,
        [expected, new]: [ValueId; 2],
        weak: bool,
        orders: [MemoryOrder; 2],
    ) -> (ValueId, ValueId) {
        let (old, success) = (self.fresh(self.ty(expected)), self.fresh(Type::BOOL));
        self.emit(Op::CmpXchg {
            old,
            success,
            ptr,
            expected,
            new,
            weak,
            orders,
        });
        (old, success)
    }

    /// A signal fence orders nothing that another thread can see.
    pub(super) fn fence(&mut self, inst: Value<'m>) -> Lowered<Slots> {
        if !inst.is_single_thread() {
            self.emit(Op::Fence(memory_order(inst.ordering())));
        }
        Ok(Slots::new())
    }
}

/// The order of an atomic access. `unordered`, which C cannot express, promises less than
/// `relaxed`; neither says anything about other memory.
fn memory_order(order: LLVMAtomicOrdering) -> MemoryOrder {
    use LLVMAtomicOrdering::*;
    match order {
        LLVMAtomicOrderingNotAtomic | LLVMAtomicOrderingUnordered | LLVMAtomicOrderingMonotonic => {
            MemoryOrder::Relaxed
        }
        LLVMAtomicOrderingAcquire => MemoryOrder::Acquire,
        LLVMAtomicOrderingRelease => MemoryOrder::Release,
        LLVMAtomicOrderingAcquireRelease => MemoryOrder::AcqRel,
        LLVMAtomicOrderingSequentiallyConsistent => MemoryOrder::SeqCst,
    }
}

fn rmw_operation(op: LLVMAtomicRMWBinOp) -> Option<RmwOp> {
    use LLVMAtomicRMWBinOp::*;
    Some(match op {
        LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
        LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        LLVMAtomicRMWBinOpAnd => RmwOp::And,
        LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        LLVMAtomicRMWBinOpOr => RmwOp::Or,
        LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        LLVMAtomicRMWBinOpMax => RmwOp::Max,
        LLVMAtomicRMWBinOpMin => RmwOp::Min,
        LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        LLVMAtomicRMWBinOpFAdd => RmwOp::FAdd,
        LLVMAtomicRMWBinOpFSub => RmwOp::FSub,
        LLVMAtomicRMWBinOpFMax => RmwOp::FMax,
        LLVMAtomicRMWBinOpFMin => RmwOp::FMin,
        LLVMAtomicRMWBinOpUIncWrap => RmwOp::UIncWrap,
        LLVMAtomicRMWBinOpUDecWrap => RmwOp::UDecWrap,
        _ => return None,
    })
}

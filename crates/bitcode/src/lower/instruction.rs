//! The dispatch over opcodes, and arithmetic. Operations on vectors become one operation per lane;
//! a scalar is a vector of one lane.

use ir::{BinOp, Cast, CmpOp, FloatBin, FloatCast, FloatCmp, FloatUnary, Op, Type};

use super::function::{FunctionLowering, Slot, Slots};
use super::{Lowered, unmodelled};
use crate::llvm::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, TypeKind, Value};

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers an instruction that is neither a phi node, a landing pad nor a terminator, or a
    /// constant expression.
    pub(super) fn operation(&mut self, opcode: LLVMOpcode, value: Value<'m>) -> Lowered<Slots> {
        use LLVMOpcode::*;
        match opcode {
            LLVMAdd => self.binary(BinOp::Add, value),
            LLVMSub => self.binary(BinOp::Sub, value),
            LLVMMul => self.binary(BinOp::Mul, value),
            LLVMUDiv => self.binary(BinOp::UDiv, value),
            LLVMSDiv => self.binary(BinOp::SDiv, value),
            LLVMURem => self.binary(BinOp::URem, value),
            LLVMSRem => self.binary(BinOp::SRem, value),
            LLVMShl => self.binary(BinOp::Shl, value),
            LLVMLShr => self.binary(BinOp::LShr, value),
            LLVMAShr => self.binary(BinOp::AShr, value),
            LLVMAnd => self.binary(BinOp::And, value),
            LLVMOr => self.binary(BinOp::Or, value),
            LLVMXor => self.binary(BinOp::Xor, value),
            LLVMFAdd => self.float_binary(FloatBin::Add, value),
            LLVMFSub => self.float_binary(FloatBin::Sub, value),
            LLVMFMul => self.float_binary(FloatBin::Mul, value),
            LLVMFDiv => self.float_binary(FloatBin::Div, value),
            LLVMFRem => self.float_binary(FloatBin::Rem, value),
            LLVMFNeg => self.float_unary(FloatUnary::Neg, value),
            LLVMICmp => self.compare(value),
            LLVMFCmp => self.float_compare(value),
            LLVMTrunc => self.convert(Cast::Trunc, value),
            LLVMZExt => self.convert(Cast::ZExt, value),
            LLVMSExt => self.convert(Cast::SExt, value),
            LLVMFPToUI => self.float_convert(FloatCast::ToUnsigned, value),
            LLVMFPToSI => self.float_convert(FloatCast::ToSigned, value),
            LLVMUIToFP => self.float_convert(FloatCast::FromUnsigned, value),
            LLVMSIToFP => self.float_convert(FloatCast::FromSigned, value),
            LLVMFPTrunc | LLVMFPExt => self.float_convert(FloatCast::Convert, value),
            LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr => self.pointer_convert(value),
            LLVMAddrSpaceCast => self.slots(value.operand(0)),
            LLVMBitCast => self.bitcast(value),
            LLVMSelect => self.select_instruction(value),
            LLVMFreeze => self.freeze(value),
            LLVMExtractValue => self.extract_value(value),
            LLVMInsertValue => self.insert_value(value),
            LLVMExtractElement => self.extract_element(value),
            LLVMInsertElement => self.insert_element(value),
            LLVMShuffleVector => self.shuffle(value),
            LLVMAlloca => self.alloca(value),
            LLVMLoad => self.load(value),
            LLVMStore => self.store(value),
            LLVMGetElementPtr => self.gep(value),
            LLVMAtomicRMW => self.rmw(value),
            LLVMAtomicCmpXchg => self.cmpxchg(value),
            LLVMFence => self.fence(value),
            LLVMCall | LLVMInvoke => self.call(value),
            other => unmodelled(
                format!("{other:?}")
                    .trim_start_matches("LLVM")
                    .to_lowercase(),
            ),
        }
    }

    fn binary(&mut self, op: BinOp, value: Value<'m>) -> Lowered<Slots> {
        let (a, b) = (
            self.values(value.operand(0))?,
            self.values(value.operand(1))?,
        );
        let lanes = a.into_iter().zip(b);
        Ok(lanes
            .map(|(a, b)| Slot::Value(self.bin(op, a, b)))
            .collect())
    }

    fn float_binary(&mut self, op: FloatBin, value: Value<'m>) -> Lowered<Slots> {
        self.float_binary_of(op, value.operand(0), value.operand(1))
    }

    pub(super) fn float_binary_of(
        &mut self,
        op: FloatBin,
        a: Value<'m>,
        b: Value<'m>,
    ) -> Lowered<Slots> {
        let (a, b) = (self.values(a)?, self.values(b)?);
        let lanes = a.into_iter().zip(b);
        Ok(lanes
            .map(|(a, b)| {
                let dst = self.fresh(self.ty(a));
                self.emit(Op::FloatBin { op, dst, a, b });
                Slot::Value(dst)
            })
            .collect())
    }

    pub(super) fn float_unary(&mut self, op: FloatUnary, value: Value<'m>) -> Lowered<Slots> {
        let lanes = self.values(value.operand(0))?;
        Ok(lanes
            .into_iter()
            .map(|src| {
                let dst = self.fresh(self.ty(src));
                self.emit(Op::FloatUnary { op, dst, src });
                Slot::Value(dst)
            })
            .collect())
    }

    fn compare(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let op = compare_operation(value.int_predicate());
        let (a, b) = (
            self.values(value.operand(0))?,
            self.values(value.operand(1))?,
        );
        let lanes = a.into_iter().zip(b);
        Ok(lanes
            .map(|(a, b)| Slot::Value(self.cmp(op, a, b)))
            .collect())
    }

    fn float_compare(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let op = float_compare_operation(value.float_predicate());
        let (a, b) = (
            self.values(value.operand(0))?,
            self.values(value.operand(1))?,
        );
        let lanes = a.into_iter().zip(b);
        Ok(lanes
            .map(|(a, b)| {
                let dst = self.fresh(Type::BOOL);
                self.emit(Op::FloatCmp { op, dst, a, b });
                Slot::Value(dst)
            })
            .collect())
    }

    fn convert(&mut self, op: Cast, value: Value<'m>) -> Lowered<Slots> {
        let types = self.program.layouts.types(value.ty())?;
        let lanes = self.values(value.operand(0))?;
        let lanes = lanes.into_iter().zip(types);
        Ok(lanes
            .map(|(lane, ty)| Slot::Value(self.cast(op, lane, ty)))
            .collect())
    }

    pub(super) fn float_convert(&mut self, op: FloatCast, value: Value<'m>) -> Lowered<Slots> {
        let types = self.program.layouts.types(value.ty())?;
        let lanes = self.values(value.operand(0))?;
        let lanes = lanes.into_iter().zip(types);
        Ok(lanes
            .map(|(src, ty)| {
                let dst = self.fresh(ty);
                self.emit(Op::FloatCast { op, dst, src });
                Slot::Value(dst)
            })
            .collect())
    }

    /// Between pointers and integers, which need not be as wide as a pointer.
    fn pointer_convert(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let types = self.program.layouts.types(value.ty())?;
        let lanes = self.values(value.operand(0))?;
        let lanes = lanes.into_iter().zip(types);
        Ok(lanes
            .map(|(lane, ty)| Slot::Value(self.resize_unsigned(lane, ty)))
            .collect())
    }

    fn select_instruction(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let (a, b) = (self.slots(value.operand(1))?, self.slots(value.operand(2))?);
        let conditions = self.values(value.operand(0))?;
        let is_vector = value.operand(0).ty().kind() == TypeKind::LLVMVectorTypeKind;
        let lanes = a.into_iter().zip(b).enumerate();
        Ok(lanes
            .map(|(index, (a, b))| {
                if a == b {
                    return a;
                }
                let (a, b) = (self.use_slot(a), self.use_slot(b));
                let cond = conditions[if is_vector { index } else { 0 }];
                Slot::Value(self.select(cond, a, b))
            })
            .collect())
    }

    /// `freeze`: from here on an undefined value is the same at every use.
    fn freeze(&mut self, value: Value<'m>) -> Lowered<Slots> {
        let values = self.values(value.operand(0))?;
        Ok(values.into_iter().map(Slot::Value).collect())
    }
}

fn compare_operation(predicate: LLVMIntPredicate) -> CmpOp {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => CmpOp::Eq,
        LLVMIntPredicate::LLVMIntNE => CmpOp::Ne,
        LLVMIntPredicate::LLVMIntUGT => CmpOp::Ugt,
        LLVMIntPredicate::LLVMIntUGE => CmpOp::Uge,
        LLVMIntPredicate::LLVMIntULT => CmpOp::Ult,
        LLVMIntPredicate::LLVMIntULE => CmpOp::Ule,
        LLVMIntPredicate::LLVMIntSGT => CmpOp::Sgt,
        LLVMIntPredicate::LLVMIntSGE => CmpOp::Sge,
        LLVMIntPredicate::LLVMIntSLT => CmpOp::Slt,
        LLVMIntPredicate::LLVMIntSLE => CmpOp::Sle,
    }
}

fn float_compare_operation(predicate: LLVMRealPredicate) -> FloatCmp {
    use LLVMRealPredicate::*;
    match predicate {
        LLVMRealPredicateFalse => FloatCmp::False,
        LLVMRealOEQ => FloatCmp::Oeq,
        LLVMRealOGT => FloatCmp::Ogt,
        LLVMRealOGE => FloatCmp::Oge,
        LLVMRealOLT => FloatCmp::Olt,
        LLVMRealOLE => FloatCmp::Ole,
        LLVMRealONE => FloatCmp::One,
        LLVMRealORD => FloatCmp::Ord,
        LLVMRealUNO => FloatCmp::Uno,
        LLVMRealUEQ => FloatCmp::Ueq,
        LLVMRealUGT => FloatCmp::Ugt,
        LLVMRealUGE => FloatCmp::Uge,
        LLVMRealULT => FloatCmp::Ult,
        LLVMRealULE => FloatCmp::Ule,
        LLVMRealUNE => FloatCmp::Une,
        LLVMRealPredicateTrue => FloatCmp::True,
    }
}

//! Calls of functions. The types of a call need not be those of the function: old C calls without
//! prototypes.

use ir::{Call, Callee, Op, Type, ValueId};

use super::Lowered;
use super::function::{FunctionLowering, Slot, Slots};
use crate::llvm::{Kind, TypeKind, Value};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn call(&mut self, inst: Value<'m>) -> Lowered<Slots> {
        let callee = inst.called_value();
        if callee.kind() == Kind::InlineAssembly {
            return self.assembly(inst);
        }
        if let Some(name) = callee.intrinsic() {
            return self.intrinsic_call(&name, inst);
        }
        let call = self.call_parts(inst)?;
        let results = call.results.clone();
        self.emit(Op::Call(call));
        let expected = self.program.layouts.types(inst.ty())?;
        Ok(expected
            .into_iter()
            .enumerate()
            .map(|(index, ty)| match results.get(index) {
                Some(&result) if self.ty(result) == ty => Slot::Value(result),
                // The caller expects another type and gets the bits of the register that holds the
                // result.
                Some(&result) if !self.ty(result).is_float() && !ty.is_float() => {
                    Slot::Value(self.resize_unsigned(result, ty))
                }
                _ => Slot::Undef(ty),
            })
            .collect())
    }

    /// The call, with the results that its callee has. The caller may expect others.
    pub(super) fn call_parts(&mut self, inst: Value<'m>) -> Lowered<Call> {
        let callee = self.callee(inst.called_value())?;
        let mut args = Vec::new();
        // To LLVM a call without a prototype is variadic too, but it passes arguments as the callee
        // expects them.
        let is_listed = match callee {
            Callee::Direct(function) => self.program.out.functions[function].variadic,
            Callee::Indirect(_) => true,
        };
        for (index, argument) in inst.arguments().into_iter().enumerate() {
            let index = index as u32;
            match inst.variadic_byval_type(index) {
                Some(ty) => {
                    let address = self.scalar(argument)?;
                    let size = self.program.module.alloc_size(ty);
                    let align = inst.argument_alignment(index);
                    args.extend(self.words_at(address, size, u64::from(align)));
                }
                None if is_listed
                    && inst.is_variadic_argument(index)
                    && argument.ty().kind() == TypeKind::LLVMVectorTypeKind =>
                {
                    let lanes = self.values(argument)?;
                    args.extend(self.packed(&lanes));
                }
                None => args.extend(self.values(argument)?),
            }
        }
        let types: Vec<Type> = match callee {
            Callee::Direct(function) => self.program.out.functions[function].results.clone(),
            Callee::Indirect(_) => self.program.layouts.types(inst.ty())?,
        };
        Ok(Call {
            callee,
            args,
            results: types.into_iter().map(|ty| self.fresh(ty)).collect(),
        })
    }

    /// Passes a structure in a variable argument list word by word. The caller aligns a structure
    /// that needs the alignment of two words.
    fn words_at(&mut self, address: ValueId, size: u64, align: u64) -> Vec<ValueId> {
        let word = match u64::from(self.program.out.pointer_bits / 8) {
            8 if align >= 16 => 16,
            word => word,
        };
        (0..size)
            .step_by(word as usize)
            .map(|offset| {
                let ptr = self.fresh(Type::Ptr);
                self.emit(Op::PtrAdd {
                    dst: ptr,
                    base: address,
                    offset: offset as i64,
                    indices: Vec::new(),
                    record: None,
                });
                let bytes = word.min(size - offset);
                let dst = self.fresh(Type::Int(8 * bytes as u8));
                self.emit(Op::Load {
                    dst,
                    ptr,
                    atomic: None,
                    volatile: false,
                });
                dst
            })
            .collect()
    }

    /// Passes a vector in a variable argument list as it lies in memory: two `float`s that share a
    /// register lie side by side.
    fn packed(&mut self, lanes: &[ValueId]) -> Vec<ValueId> {
        let width = self.width(lanes[0]).max(1);
        let lanes_per_piece = (128 / width).max(1) as usize;
        let pieces = lanes.chunks(lanes_per_piece);
        pieces
            .map(|lanes| self.join(lanes, Type::Int((width as usize * lanes.len()) as u8)))
            .collect()
    }

    fn callee(&mut self, callee: Value<'m>) -> Lowered<Callee> {
        let function = self.program.resolve(callee);
        let known = function.and_then(|f| self.program.functions.get(&f).copied());
        Ok(match known {
            Some(function) => Callee::Direct(function),
            None => Callee::Indirect(self.scalar(callee)?),
        })
    }
}

//! Calls of functions. Prototypes need not match: old C calls with whatever it has.

use ir::{Call, Callee, Op, Type, ValueId};

use super::Lowered;
use super::function::{FunctionLowering, Slot, Slots};
use crate::llvm::{Kind, Value};

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
                // The caller believes in another type, and sees the bits of the register that holds the result.
                Some(&result) if !self.ty(result).is_float() && !ty.is_float() => {
                    Slot::Value(self.resize_unsigned(result, ty))
                }
                _ => Slot::Undef(ty),
            })
            .collect())
    }

    /// The call with the results its callee has, which need not be those the caller expects.
    pub(super) fn call_parts(&mut self, inst: Value<'m>) -> Lowered<Call> {
        let callee = self.callee(inst.called_value())?;
        let mut args = Vec::new();
        for (index, argument) in inst.arguments().into_iter().enumerate() {
            match inst.variadic_byval_type(index as u32) {
                Some(ty) => {
                    let address = self.scalar(argument)?;
                    let size = self.program.module.alloc_size(ty);
                    args.extend(self.words_at(address, size));
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

    /// A structure in a variable argument list lies there word by word.
    fn words_at(&mut self, address: ValueId, size: u64) -> Vec<ValueId> {
        let word = u64::from(self.program.out.pointer_bits / 8);
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

    fn callee(&mut self, callee: Value<'m>) -> Lowered<Callee> {
        let function = self.program.resolve(callee);
        let known = function.and_then(|f| self.program.functions.get(&f).copied());
        Ok(match known {
            Some(function) => Callee::Direct(function),
            None => Callee::Indirect(self.scalar(callee)?),
        })
    }
}

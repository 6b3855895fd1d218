//! Calls of functions. Prototypes need not match: old C calls with whatever it has.

use ir::{Call, Callee, Op};

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
        let results = call.results.iter().copied().map(Slot::Value).collect();
        self.emit(Op::Call(call));
        Ok(results)
    }

    pub(super) fn call_parts(&mut self, inst: Value<'m>) -> Lowered<Call> {
        let callee = self.callee(inst.called_value())?;
        let mut args = Vec::new();
        for argument in inst.arguments() {
            args.extend(self.values(argument)?);
        }
        let types = self.program.layouts.types(inst.ty())?;
        Ok(Call {
            callee,
            args,
            results: types.into_iter().map(|ty| self.fresh(ty)).collect(),
        })
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

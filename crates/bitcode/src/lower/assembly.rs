//! Inline assembly.

use ir::Unsupported;

use super::Lowered;
use super::function::{FunctionLowering, Slot, Slots};
use crate::llvm::Value;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn assembly(&mut self, call: Value<'m>) -> Lowered<Slots> {
        let (template, _) = call.called_value().assembly();
        if !template.trim().is_empty() {
            let what = template.chars().take(60).collect();
            self.unsupported(Unsupported::Assembly, what);
        }
        let types = self.program.layouts.types(call.ty())?;
        Ok(types.into_iter().map(Slot::Undef).collect())
    }
}

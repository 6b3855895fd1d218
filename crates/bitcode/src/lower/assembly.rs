//! Inline assembly: the x86 idioms that concurrent code is written with.
//!
//! The template is executed symbolically, instruction by instruction, over the operands:
//! `lock cmpxchg` becomes a compare-and-exchange, `sete` reads the flag it left, an empty template
//! hands its tied inputs on. One unknown instruction makes the whole unsupported.

mod machine;
mod template;

use ir::Unsupported;

use super::Lowered;
use super::function::{FunctionLowering, Slot, Slots};
use crate::llvm::Value;
use machine::Assembly;

/// How much of a template a report shows.
const SHOWN: usize = 60;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn assembly(&mut self, call: Value<'m>) -> Lowered<Slots> {
        let (text, constraints) = call.called_value().assembly();
        let before = self.insts.len();
        let run = || -> Option<Slots> {
            let program = template::parse(&text)?;
            let mut assembly = Assembly::new(self, call, &constraints)?;
            for instruction in &program {
                assembly.execute(instruction)?;
            }
            assembly.results(call)
        };
        if let Some(slots) = { run }() {
            return Ok(slots);
        }
        self.insts.truncate(before);
        self.unsupported(Unsupported::Assembly, text.chars().take(SHOWN).collect());
        let types = self.program.layouts.types(call.ty())?;
        Ok(types.into_iter().map(Slot::Undef).collect())
    }
}

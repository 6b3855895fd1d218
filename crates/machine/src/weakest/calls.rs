//! Forwards: entering functions, returning from them, and what shims did.

use ir::{FuncId, Type};
use smt::TermId;

use super::{Item, Pass};
use crate::code::{Code, Function, Operand, Slot};
use crate::history::{Context, Detail, ShimEffect};
use crate::thread::ThreadId;
use crate::value::Value;

impl Pass<'_> {
    pub(super) fn enter(&mut self, item: &Item, callee: FuncId, args: &[Operand]) -> Option<()> {
        let Context { thread, depth, .. } = self.context(item);
        let g = self.program.function(callee);
        let bits = self.machine.pointer_bits();
        let params = &self.program.module.functions[callee].params;
        for (i, (slot, ty)) in g.params.iter().zip(params).enumerate() {
            let arg = args.get(i)?;
            let value = self.register(item, arg.slot, arg.ty.bits(bits));
            let value = self.resized(value, ty.bits(bits));
            self.registers.insert((thread, depth + 1, *slot), value);
        }
        Some(())
    }

    pub(super) fn ret(
        &mut self,
        item: &Item,
        f: &Function,
        detail: &Detail,
        values: u32,
    ) -> Option<()> {
        let Context { thread, depth, .. } = self.context(item);
        if let Detail::End = detail {
            let bits = self.machine.pointer_bits();
            let value = match f.returns[values as usize].first() {
                Some(slot) => self.register(item, *slot, self.width_of(f, *slot)),
                None => self.machine.terms.constant(bits, 0),
            };
            let value = self.resized(value, bits);
            self.results.insert(thread, value);
            return Some(());
        }
        if let Detail::Stage { params } = detail {
            // What is handed on is one of the values returned, or the same whatever the state.
            for slot in &f.returns[values as usize] {
                let width = self.width_of(f, *slot);
                let term = self.register(item, *slot, width);
                let value = params.first()?.1;
                self.require_equal(term, value)?;
            }
            for (slot, value) in params {
                let width = value.is_concrete().then_some(64);
                let width = width.unwrap_or_else(|| self.machine.terms.width(value.term));
                let value = self.term(*value, width);
                self.registers.insert((thread, depth, *slot), value);
            }
            return Some(());
        }
        let &Detail::Return { function, pc } = detail else {
            return None;
        };
        let g = self.program.function(function);
        let (call, edge) = match g.code[pc] {
            Code::Call { call } => (call, None),
            Code::Invoke { call, normal, .. } => (call, Some(normal)),
            _ => return None,
        };
        let bits = self.machine.pointer_bits();
        let results = &g.calls[call as usize].results;
        for (i, result) in results.iter().enumerate() {
            let width = result.ty.bits(bits);
            let value = match f.returns[values as usize].get(i) {
                Some(slot) => self.register(item, *slot, self.width_of(f, *slot)),
                None => self.machine.terms.constant(width, 0),
            };
            let value = self.resized(value, width);
            self.registers
                .insert((thread, depth - 1, result.slot), value);
        }
        if let Some(edge) = edge
            && edge.moves != 0
        {
            for &(dst, src) in &g.moves[edge.moves as usize - 1] {
                self.copy_register((thread, depth - 1, dst), (thread, depth - 1, src), g);
            }
        }
        Some(())
    }

    pub(super) fn shim(
        &mut self,
        item: &Item,
        detail: &Detail,
        args: &[Operand],
        results: &[Operand],
    ) -> Option<()> {
        let Detail::Shim(effect) = detail else {
            return None;
        };
        let bits = self.machine.pointer_bits();
        match effect.as_ref() {
            ShimEffect::Nothing => {}
            ShimEffect::Output { args: values } => {
                for (arg, value) in args.iter().zip(values) {
                    if arg.ty == Type::Ptr {
                        self.require_address(item, arg.slot, value.bits)?;
                    }
                }
                // What it returns depends on what it prints.
                if let Some(result) = results.first() {
                    let any = self.machine.anything(result.ty.bits(bits));
                    self.set(item, result.slot, any);
                }
            }
            ShimEffect::Input(value) => {
                let result = results.first()?;
                let value = self.term(*value, result.ty.bits(bits));
                self.set(item, result.slot, value);
            }
            ShimEffect::Exits => {
                let arg = args.first()?;
                let value = self.register(item, arg.slot, arg.ty.bits(bits));
                let value = self.resized(value, bits);
                let thread = self.context(item).thread;
                self.results.insert(thread, value);
            }
            ShimEffect::Joins {
                args: values,
                thread,
                to,
                result,
            } => {
                self.require_arguments(item, args, values)?;
                if let (Some(thread), true) = (thread, *to != 0) {
                    let value = self.result(*thread);
                    self.write(*to, bits / 8, value);
                }
                self.set_result(item, results, *result);
            }
            ShimEffect::Requires => {
                let holds = self.is_nonzero(item, args)?;
                self.require(holds)?;
            }
            ShimEffect::Restricts => {
                let holds = self.is_nonzero(item, args)?;
                self.restrictions.push(holds);
            }
            ShimEffect::Fails => {
                let holds = self.is_nonzero(item, args)?;
                let fails = self.machine.terms.not(holds);
                self.require(fails)?;
            }
            ShimEffect::Same {
                args: values,
                found,
                left,
                fresh,
                result,
                started,
            } => {
                self.require_arguments(item, args, values)?;
                self.require_bytes(found)?;
                for (at, byte) in left {
                    let byte = self.machine.terms.constant(8, u128::from(*byte));
                    self.write(*at, 1, byte);
                }
                if let Some((base, size)) = fresh {
                    self.forget(*base, *size);
                }
                self.set_result(item, results, *result);
                if let Some((child, params)) = started {
                    self.start(*child, params)?;
                }
            }
        }
        Some(())
    }

    fn require_arguments(&mut self, item: &Item, args: &[Operand], values: &[Value]) -> Option<()> {
        let bits = self.machine.pointer_bits();
        for (arg, value) in args.iter().zip(values) {
            let term = self.register(item, arg.slot, arg.ty.bits(bits));
            self.require_equal(term, *value)?;
        }
        Some(())
    }

    /// Whether the first argument is not zero.
    fn is_nonzero(&mut self, item: &Item, args: &[Operand]) -> Option<TermId> {
        let arg = args.first()?;
        let width = arg.ty.bits(self.machine.pointer_bits());
        let value = self.register(item, arg.slot, width);
        let zero = self.machine.terms.constant(width, 0);
        Some(self.machine.terms.cmp(smt::CmpOp::Ne, value, zero))
    }

    fn set_result(&mut self, item: &Item, results: &[Operand], value: Option<Value>) {
        if let (Some(value), Some(result)) = (value, results.first()) {
            let value = self.term(value, result.ty.bits(self.machine.pointer_bits()));
            self.set(item, result.slot, value);
        }
    }

    /// A thread begins with these parameters.
    fn start(&mut self, child: ThreadId, params: &[(Slot, Value)]) -> Option<()> {
        let f = self.machine.first_function(child)?;
        for (slot, value) in params {
            let width = self.width_of(self.program.function(f), *slot);
            let value = self.term(*value, width);
            self.registers.insert((child, 0, *slot), value);
        }
        Some(())
    }
}

//! Forwards: instructions with unknown operands. Each computes its results as terms over the state
//! at the beginning, and adds what is required of that state for the instruction to do the same
//! again. `None`: that cannot be said.

use smt::TermId;

use super::{Item, Pass};
use crate::code::{Call, CallTarget, Code, Edge, Function, Slot};
use crate::history::{Context, Detail};
use crate::value::Value;

impl Pass<'_> {
    pub(super) fn execute(&mut self, item: Item) -> Option<()> {
        let item = &item;
        if item.is_note {
            return self.note(item);
        }
        let program = self.program;
        let detail = self.history.details.get(item.detail);
        let f = program.function(self.context(item).function);
        let pointer_bits = self.machine.pointer_bits();
        match self.code(item) {
            Code::Bin {
                op,
                bits,
                dst,
                a,
                b,
            } => self.bin(item, op, bits, dst, [a, b]),
            Code::Cmp {
                op,
                bits,
                dst,
                a,
                b,
            } => self.cmp(item, op, bits, dst, [a, b]),
            Code::Cast {
                op,
                from,
                to,
                dst,
                src,
            } => self.cast(item, op, [from, to], dst, src),
            Code::Select {
                dst,
                cond,
                a,
                b,
                bits,
            } => self.select(item, bits, dst, cond, [a, b]),
            Code::FloatBin { dst, a, b, ty, .. } => {
                let width = ty.bits(pointer_bits);
                self.pure(item, detail?, dst, &[(a, width), (b, width)], width)
            }
            Code::FloatCmp { dst, a, b, ty, .. } => {
                let width = ty.bits(pointer_bits);
                self.pure(item, detail?, dst, &[(a, width), (b, width)], 1)
            }
            Code::FloatUnary { dst, src, ty, .. } => {
                let width = ty.bits(pointer_bits);
                self.pure(item, detail?, dst, &[(src, width)], width)
            }
            Code::FloatCast {
                dst, src, from, to, ..
            } => {
                let (from, to) = (from.bits(pointer_bits), to.bits(pointer_bits));
                self.pure(item, detail?, dst, &[(src, from)], to)
            }
            Code::AddConst { dst, base, offset } => self.add(item, dst, base, offset, &[]),
            Code::AddIndex {
                dst,
                base,
                index,
                bits,
                scale,
            } => self.add(item, dst, base, 0, &[(index, bits, i64::from(scale))]),
            Code::AddOffsets { dst, base, offsets } => {
                let offsets = &f.offsets[offsets as usize];
                self.add(item, dst, base, offsets.constant, &offsets.indices)
            }
            Code::Within { base, .. } => {
                let address = self.address(item)?;
                self.require_address(item, base, address)
            }
            Code::Load { dst, ptr, bits, .. } => self.load(item, dst, ptr, u32::from(bits)),
            Code::Store {
                ptr, value, bits, ..
            } => self.store(item, ptr, value, u32::from(bits)),
            Code::Rmw {
                op,
                ty,
                dst,
                ptr,
                value,
                ..
            } => self.rmw(item, op, ty.bits(pointer_bits), dst, [ptr, value]),
            Code::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                bits,
                ..
            } => self.cmpxchg(item, u32::from(bits), [old, success], [ptr, expected, new]),
            Code::WithinGlobal { .. } | Code::Fence(_) => Some(()),
            Code::Alloca { dst, alloca } => self.alloca(item, f, detail?, dst, alloca),
            Code::TlsAddr { dst, .. } => self.tls_address(item, detail?, dst),
            Code::Undef { dst, bits } => self.undef(item, detail?, dst, u32::from(bits)),
            Code::Intrinsic { intrinsic } => self.intrinsic(item, detail?, intrinsic),
            Code::Jump(edge) => self.moves(item, f, edge),
            Code::CondBr { cond, then, other } => self.branch(item, f, cond, [then, other]),
            Code::Switch { switch } => self.switch(item, f, detail?, switch),
            Code::Ret { values } => self.ret(item, f, detail?, values),
            Code::Call { call } => self.call(item, f, &f.calls[call as usize], None),
            Code::Invoke { call, normal, .. } => {
                self.call(item, f, &f.calls[call as usize], Some(normal))
            }
            Code::IndirectBr { .. }
            | Code::Resume { .. }
            | Code::UnsupportedAssembly { .. }
            | Code::UnsupportedInstruction { .. }
            | Code::Unreachable => None,
        }
    }

    /// A condition on the state that was noted here.
    fn note(&mut self, item: &Item) -> Option<()> {
        let Some(Detail::Condition(condition)) = self.history.details.get(item.detail) else {
            return None;
        };
        let mut substitution = self.substitution(&[*condition])?;
        let condition = substitution.apply(&mut self.machine.terms, *condition);
        self.require(condition)
    }

    /// It goes the same way. Outside the slice it may go another.
    fn branch(
        &mut self,
        item: &Item,
        f: &Function,
        cond: Slot,
        [then, other]: [Edge; 2],
    ) -> Option<()> {
        if !self.is_outside(item) {
            let condition = self.register(item, cond, 1);
            let condition = match item.taken {
                true => condition,
                false => self.machine.terms.not(condition),
            };
            self.require(condition)?;
        }
        self.moves(item, f, if item.taken { then } else { other })
    }

    fn switch(&mut self, item: &Item, f: &Function, detail: &Detail, switch: u32) -> Option<()> {
        let &Detail::Case(case) = detail else {
            return None;
        };
        let switch = &f.switches[switch as usize];
        let width = u32::from(switch.bits);
        let value = self.register(item, switch.value, width);
        for (i, (number, _)) in switch.cases.iter().enumerate() {
            if self.is_outside(item) {
                break;
            }
            let number = self.machine.terms.constant(width, *number);
            let op = match case {
                Some(case) if case as usize == i => smt::CmpOp::Eq,
                Some(_) => continue,
                None => smt::CmpOp::Ne,
            };
            let condition = self.machine.terms.cmp(op, value, number);
            self.require(condition)?;
        }
        let edge = case.map_or(switch.default, |i| switch.cases[i as usize].1);
        self.moves(item, f, edge)
    }

    /// `normal` is the edge of an invoke.
    fn call(&mut self, item: &Item, f: &Function, call: &Call, normal: Option<Edge>) -> Option<()> {
        if item.taken {
            let detail = self.history.details.get(item.detail)?;
            self.shim(item, detail, &call.args, &call.results)?;
            return normal.map_or(Some(()), |edge| self.moves(item, f, edge));
        }
        let callee = self.callee(item)?;
        if let CallTarget::Indirect(slot) = call.target {
            let address = self.program.layout.functions[callee.index()];
            self.require_address(item, slot, address)?;
        }
        self.enter(item, callee, &call.args)
    }

    fn moves(&mut self, item: &Item, f: &Function, edge: Edge) -> Option<()> {
        if edge.moves == 0 {
            return Some(());
        }
        let Context { thread, depth, .. } = self.context(item);
        for &(dst, src) in &f.moves[edge.moves as usize - 1] {
            self.copy_register((thread, depth, dst), (thread, depth, src), f);
        }
        Some(())
    }

    fn intrinsic(&mut self, item: &Item, detail: &Detail, intrinsic: u32) -> Option<()> {
        let f = self.program.function(self.context(item).function);
        let (op, results, args) = &f.intrinsics[intrinsic as usize];
        let bits = self.machine.pointer_bits();
        match detail {
            Detail::Value(value) => {
                for result in results {
                    let value = self.term(*value, result.ty.bits(bits));
                    self.set(item, result.slot, value);
                }
            }
            Detail::Copy { to, from, bytes } => {
                self.require_address(item, args[0].slot, *to)?;
                self.require_address(item, args[1].slot, *from)?;
                let length = self.register(item, args[2].slot, args[2].ty.bits(bits));
                self.require_equal(length, Value::concrete(*bytes))?;
                let copied: Vec<TermId> = (0..*bytes).map(|i| self.cell(from + i, 1)).collect();
                for (i, byte) in copied.into_iter().enumerate() {
                    self.write(to + i as u64, 1, byte);
                }
            }
            Detail::Fill { to, bytes } => {
                self.require_address(item, args[0].slot, *to)?;
                let length = self.register(item, args[2].slot, args[2].ty.bits(bits));
                self.require_equal(length, Value::concrete(*bytes))?;
                let byte = self.register(item, args[1].slot, 8);
                for at in *to..to + bytes {
                    self.write(at, 1, byte);
                }
            }
            Detail::Pure { .. } => {
                let width = args[0].ty.bits(bits);
                let mut terms = Vec::new();
                for arg in args {
                    terms.push(self.register(item, arg.slot, arg.ty.bits(bits)));
                }
                let (first, second) = self.machine.bit_intrinsic(*op, width, &terms);
                self.set(item, results[0].slot, first);
                if let (Some(second), Some(result)) = (second, results.get(1)) {
                    self.set(item, result.slot, second);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

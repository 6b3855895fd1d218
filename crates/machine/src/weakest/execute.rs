//! Forwards: instructions with unknown operands.

use ir::{BinOp, CmpOp};
use smt::TermId;

use super::{Item, Pass, is_division};
use crate::code::{CallTarget, Code, Edge, Function, Slot};
use crate::history::{Context, Detail};
use crate::value::Value;

impl Pass<'_> {
    pub(super) fn execute(&mut self, item: Item) -> Option<()> {
        let item = &item;
        let history = self.history;
        let program = self.program;
        let detail = history.details.get(item.detail);
        if item.is_note {
            let Some(Detail::Condition(condition)) = detail else {
                return None;
            };
            let condition = self
                .substitution(&[*condition])?
                .apply(&mut self.machine.terms, *condition);
            return self.require(condition);
        }
        let f = program.function(self.context(item).function);
        let pointer_bits = self.machine.pointer_bits();
        match self.code(item) {
            Code::Bin {
                op,
                bits,
                dst,
                a,
                b,
            } => {
                let width = u32::from(bits);
                let (x, y) = (self.register(item, a, width), self.register(item, b, width));
                if is_division(op) {
                    self.require_division(op, x, y, width)?;
                }
                let result = self.machine.terms.bin(op, x, y);
                self.set(item, dst, result);
            }
            Code::Cmp {
                op,
                bits,
                dst,
                a,
                b,
            } => {
                let width = u32::from(bits);
                let (x, y) = (self.register(item, a, width), self.register(item, b, width));
                let result = self.machine.terms.cmp(op, x, y);
                self.set(item, dst, result);
            }
            Code::Cast {
                op,
                from,
                to,
                dst,
                src,
            } => {
                let term = self.register(item, src, u32::from(from));
                let value = Value { bits: 0, term };
                let result = self.machine.symbolic_cast(op, from, to, value);
                let result = self.term(result, u32::from(to));
                self.set(item, dst, result);
            }
            Code::Select {
                dst,
                cond,
                a,
                b,
                bits,
            } => {
                let width = u32::from(bits);
                let condition = self.register(item, cond, 1);
                let (x, y) = (self.register(item, a, width), self.register(item, b, width));
                let result = self.machine.terms.ite(condition, x, y);
                self.set(item, dst, result);
            }
            Code::FloatBin { dst, a, b, ty, .. } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(a, ty.bits(pointer_bits)), (b, ty.bits(pointer_bits))],
                    ty.bits(pointer_bits),
                )?;
            }
            Code::FloatCmp { dst, a, b, ty, .. } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(a, ty.bits(pointer_bits)), (b, ty.bits(pointer_bits))],
                    1,
                )?;
            }
            Code::FloatUnary { dst, src, ty, .. } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(src, ty.bits(pointer_bits))],
                    ty.bits(pointer_bits),
                )?;
            }
            Code::FloatCast {
                dst, src, from, to, ..
            } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(src, from.bits(pointer_bits))],
                    to.bits(pointer_bits),
                )?;
            }
            Code::AddConst { dst, base, offset } => {
                let base = self.register(item, base, pointer_bits);
                let base = Value {
                    bits: 0,
                    term: base,
                };
                let sum = self.machine.symbolic_offset(base, offset, &[]);
                let sum = self.term(sum, pointer_bits);
                self.set(item, dst, sum);
            }
            Code::AddIndex {
                dst,
                base,
                index,
                bits,
                scale,
            } => {
                let base = self.register(item, base, pointer_bits);
                let index = self.register(item, index, u32::from(bits));
                let (base, index) = (
                    Value {
                        bits: 0,
                        term: base,
                    },
                    Value {
                        bits: 0,
                        term: index,
                    },
                );
                let indices = [(index, bits, i64::from(scale))];
                let sum = self.machine.symbolic_offset(base, 0, &indices);
                let sum = self.term(sum, pointer_bits);
                self.set(item, dst, sum);
            }
            Code::AddOffsets { dst, base, offsets } => {
                let offsets = &f.offsets[offsets as usize];
                let base = self.register(item, base, pointer_bits);
                let mut indices = Vec::new();
                for &(slot, bits, scale) in &offsets.indices {
                    let term = self.register(item, slot, u32::from(bits));
                    indices.push((Value { bits: 0, term }, bits, scale));
                }
                let base = Value {
                    bits: 0,
                    term: base,
                };
                let sum = self
                    .machine
                    .symbolic_offset(base, offsets.constant, &indices);
                let sum = self.term(sum, pointer_bits);
                self.set(item, dst, sum);
            }
            Code::Within { base, .. } => {
                let address = self.address(item)?;
                self.require_address(item, base, address)?;
            }
            Code::Load { dst, ptr, bits, .. } => {
                let address = self.address(item)?;
                self.require_address(item, ptr, address)?;
                let cell = self.cell(address, u32::from(bits).div_ceil(8));
                let value = self.resized(cell, u32::from(bits));
                self.set(item, dst, value);
            }
            Code::Store {
                ptr, value, bits, ..
            } => {
                let address = self.address(item)?;
                self.require_address(item, ptr, address)?;
                let value = self.register(item, value, u32::from(bits));
                self.write(address, u32::from(bits).div_ceil(8), value);
            }
            Code::Rmw {
                op,
                ty,
                dst,
                ptr,
                value,
                ..
            } => {
                let address = self.address(item)?;
                let width = ty.bits(pointer_bits);
                self.require_address(item, ptr, address)?;
                let old = self.cell(address, width.div_ceil(8));
                let old = self.resized(old, width);
                let operand = self.register(item, value, width);
                let new = self.machine.updated(op, width, old, operand)?;
                self.write(address, width.div_ceil(8), new);
                self.set(item, dst, old);
            }
            Code::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                bits,
                ..
            } => {
                let address = self.address(item)?;
                let width = u32::from(bits);
                self.require_address(item, ptr, address)?;
                let found = self.cell(address, width.div_ceil(8));
                let found = self.resized(found, width);
                let wanted = self.register(item, expected, width);
                let op = match item.taken {
                    true => CmpOp::Eq,
                    false => CmpOp::Ne,
                };
                let condition = self.machine.terms.cmp(op, found, wanted);
                self.require(condition)?;
                if item.taken {
                    let new = self.register(item, new, width);
                    self.write(address, width.div_ceil(8), new);
                }
                self.set(item, old, found);
                let success_term = self.machine.terms.bool(item.taken);
                self.set(item, success, success_term);
            }
            Code::WithinGlobal { .. } | Code::Fence(_) => {}
            Code::Alloca { dst, alloca } => {
                let &Detail::Fresh {
                    address,
                    bytes,
                    value,
                } = detail?
                else {
                    return None;
                };
                if let Some((count, bits)) = f.allocas[alloca as usize].count {
                    // The size of the object is part of what is the same.
                    let term = self.register(item, count, u32::from(bits));
                    let size = f.allocas[alloca as usize].size.max(1);
                    self.require_equal(term, Value::concrete(bytes / size))?;
                }
                self.forget(address, bytes);
                let value = self.term(value, pointer_bits);
                self.set(item, dst, value);
            }
            Code::TlsAddr { dst, .. } => {
                let value = match detail? {
                    Detail::Value(value) => *value,
                    Detail::Begun { address, bytes } => {
                        for (at, byte) in (*address..).zip(bytes) {
                            let byte = self.machine.terms.constant(8, u128::from(*byte));
                            self.write(at, 1, byte);
                        }
                        Value::concrete(*address)
                    }
                    _ => return None,
                };
                let value = self.term(value, pointer_bits);
                self.set(item, dst, value);
            }
            Code::Undef { dst, bits } => {
                let &Detail::Value(value) = detail? else {
                    return None;
                };
                let value = self.term(value, u32::from(bits));
                self.set(item, dst, value);
            }
            Code::Intrinsic { intrinsic } => self.intrinsic(item, detail?, intrinsic)?,
            Code::Jump(edge) => self.moves(item, f, edge),
            Code::CondBr { cond, then, other } => {
                if !self.is_outside(item) {
                    let condition = self.register(item, cond, 1);
                    let condition = match item.taken {
                        true => condition,
                        false => self.machine.terms.not(condition),
                    };
                    self.require(condition)?;
                }
                self.moves(item, f, if item.taken { then } else { other });
            }
            Code::Switch { switch } => {
                let &Detail::Case(case) = detail? else {
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
                self.moves(item, f, edge);
            }
            Code::Ret { values } => self.ret(item, f, detail?, values)?,
            Code::Call { call } | Code::Invoke { call, .. } => {
                let call = &f.calls[call as usize];
                if item.taken {
                    self.shim(item, detail?, &call.args, &call.results)?;
                    if let Code::Invoke { normal, .. } = self.code(item) {
                        self.moves(item, f, normal);
                    }
                } else {
                    let callee = self.callee(item)?;
                    if let CallTarget::Indirect(slot) = call.target {
                        let address = program.layout.functions[callee.index()];
                        self.require_address(item, slot, address)?;
                    }
                    self.enter(item, callee, &call.args)?;
                }
            }
            Code::IndirectBr { .. }
            | Code::Resume { .. }
            | Code::UnsupportedAssembly { .. }
            | Code::UnsupportedInstruction { .. }
            | Code::Unreachable => return None,
        }
        Some(())
    }

    fn require_division(&mut self, op: BinOp, a: TermId, b: TermId, width: u32) -> Option<()> {
        let t = &mut self.machine.terms;
        let zero = t.constant(width, 0);
        let nonzero = t.cmp(smt::CmpOp::Ne, b, zero);
        self.require(nonzero)?;
        if matches!(op, BinOp::SDiv | BinOp::SRem) {
            let t = &mut self.machine.terms;
            let smallest = t.constant(width, 1 << (width - 1));
            let minus_one = t.constant(width, u128::MAX);
            let a = t.cmp(smt::CmpOp::Ne, a, smallest);
            let b = t.cmp(smt::CmpOp::Ne, b, minus_one);
            let fits = t.or(a, b);
            self.require(fits)?;
        }
        Some(())
    }

    pub(super) fn moves(&mut self, item: &Item, f: &Function, edge: Edge) {
        if edge.moves == 0 {
            return;
        }
        let Context { thread, depth, .. } = self.context(item);
        for &(dst, src) in &f.moves[edge.moves as usize - 1] {
            self.copy_register((thread, depth, dst), (thread, depth, src), f);
        }
    }

    fn pure(
        &mut self,
        item: &Item,
        detail: &Detail,
        dst: Slot,
        args: &[(Slot, u32)],
        width: u32,
    ) -> Option<()> {
        let Detail::Pure {
            args: values,
            result,
        } = detail
        else {
            return None;
        };
        for ((slot, width), value) in args.iter().zip(values) {
            let term = self.register(item, *slot, *width);
            self.require_equal(term, *value)?;
        }
        let result = self.term(*result, width);
        self.set(item, dst, result);
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

//! Instructions other than terminators.

use ir::{BlockId, Callee, Op, Terminator, ValueId};

use super::super::{Alloca, Call, CallTarget, Code, Offsets, alloca};
use super::{Compiler, is_atomic};
use crate::shims;

impl Compiler<'_> {
    /// The code of an instruction; `None` if there is nothing to execute.
    pub(super) fn inst(&mut self, op: &Op) -> Option<Code> {
        Some(match op {
            Op::Bin { op, dst, a, b } => Code::Bin {
                op: *op,
                bits: self.bits(*dst),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::Cmp { op, dst, a, b } => Code::Cmp {
                op: *op,
                bits: self.bits(*a),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::Cast { op, dst, src } => Code::Cast {
                op: *op,
                from: self.bits(*src),
                to: self.bits(*dst),
                dst: dst.0,
                src: src.0,
            },
            Op::Select { dst, cond, a, b } => Code::Select {
                dst: dst.0,
                cond: cond.0,
                a: a.0,
                b: b.0,
                bits: self.bits(*dst),
            },
            Op::FloatBin { op, dst, a, b } => Code::FloatBin {
                op: *op,
                ty: self.ty(*dst),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::FloatCmp { op, dst, a, b } => Code::FloatCmp {
                op: *op,
                ty: self.ty(*a),
                dst: dst.0,
                a: a.0,
                b: b.0,
            },
            Op::FloatUnary { op, dst, src } => Code::FloatUnary {
                op: *op,
                ty: self.ty(*dst),
                dst: dst.0,
                src: src.0,
            },
            Op::FloatCast { op, dst, src } => Code::FloatCast {
                op: *op,
                from: self.ty(*src),
                to: self.ty(*dst),
                dst: dst.0,
                src: src.0,
            },
            Op::PtrAdd {
                dst,
                base,
                offset,
                indices,
                ..
            } => self.ptr_add(*dst, *base, *offset, indices),
            Op::Load {
                dst, ptr, atomic, ..
            } => Code::Load {
                dst: dst.0,
                ptr: ptr.0,
                bits: self.bits(*dst),
                atomic: *atomic,
                invisible: false,
                noted: false,
                roams: false,
            },
            Op::Store {
                ptr, value, atomic, ..
            } => Code::Store {
                ptr: ptr.0,
                value: value.0,
                bits: self.bits(*value),
                atomic: *atomic,
                invisible: false,
                noted: false,
                roams: false,
            },
            Op::Rmw {
                op,
                dst,
                ptr,
                value,
                order,
            } => Code::Rmw {
                op: *op,
                ty: self.ty(*dst),
                dst: dst.0,
                ptr: ptr.0,
                value: value.0,
                order: *order,
            },
            Op::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                orders,
                ..
            } => Code::CmpXchg {
                old: old.0,
                success: success.0,
                ptr: ptr.0,
                expected: expected.0,
                new: new.0,
                bits: self.bits(*old),
                orders: *orders,
            },
            Op::Fence(order) => Code::Fence(*order),
            Op::Alloca {
                dst,
                size,
                count,
                align,
                var,
            } => {
                self.f.allocas.push(Alloca {
                    size: *size,
                    count: count.map(|c| (c.0, self.bits(c))),
                    align: *align,
                    var: *var,
                    leaks: alloca::leaks(self.body, *dst),
                    loose: Vec::new(),
                });
                Code::Alloca {
                    dst: dst.0,
                    alloca: self.f.allocas.len() as u32 - 1,
                }
            }
            Op::TlsAddr { dst, global } => Code::TlsAddr {
                dst: dst.0,
                global: *global,
            },
            Op::Call(call) if self.does_nothing(call) => return None,
            Op::Call(call) => Code::Call {
                call: self.call(call),
            },
            Op::Intrinsic { op, results, args } => {
                let entry = (*op, self.operands(results), self.operands(args));
                self.f.intrinsics.push(entry);
                Code::Intrinsic {
                    intrinsic: self.f.intrinsics.len() as u32 - 1,
                }
            }
            Op::Undef { dst } => Code::Undef {
                dst: dst.0,
                bits: self.bits(*dst),
            },
            Op::Unsupported { kind, what } => {
                self.f.texts.push(what.clone());
                let text = self.f.texts.len() as u32 - 1;
                match kind {
                    ir::Unsupported::Assembly => Code::UnsupportedAssembly { text },
                    ir::Unsupported::Instruction => Code::UnsupportedInstruction { text },
                }
            }
        })
    }

    /// Whether the callee is known and has nothing to execute.
    fn does_nothing(&self, call: &ir::Call) -> bool {
        let ir::Callee::Direct(callee) = call.callee else {
            return false;
        };
        let function = &self.module.functions[callee];
        let is_empty = function.body.as_ref().is_some_and(|body| {
            let entry = &body.blocks[BlockId(0)];
            entry.insts.is_empty()
                && matches!(&entry.terminator, Terminator::Ret(values) if values.is_empty())
        });
        is_empty
            && call.results.is_empty()
            && !is_atomic(function)
            && shims::overriding(&function.name).is_none()
    }

    fn ptr_add(
        &mut self,
        dst: ValueId,
        base: ValueId,
        offset: i64,
        indices: &[(ValueId, i64)],
    ) -> Code {
        match indices {
            [] => Code::AddConst {
                dst: dst.0,
                base: base.0,
                offset,
            },
            [(index, scale)] if offset == 0 && i32::try_from(*scale).is_ok() => Code::AddIndex {
                dst: dst.0,
                base: base.0,
                index: index.0,
                bits: self.bits(*index),
                scale: *scale as i32,
            },
            _ => {
                let indices = indices
                    .iter()
                    .map(|(index, scale)| (index.0, self.bits(*index), *scale))
                    .collect();
                self.f.offsets.push(Offsets {
                    constant: offset,
                    indices,
                });
                Code::AddOffsets {
                    dst: dst.0,
                    base: base.0,
                    offsets: self.f.offsets.len() as u32 - 1,
                }
            }
        }
    }

    pub(super) fn call(&mut self, call: &ir::Call) -> u32 {
        let target = match call.callee {
            Callee::Direct(f) => CallTarget::Direct(f),
            Callee::Indirect(v) => CallTarget::Indirect(v.0),
        };
        let args = self.operands(&call.args);
        let results = self.operands(&call.results);
        self.f.calls.push(Call {
            target,
            args,
            results,
        });
        self.f.calls.len() as u32 - 1
    }
}

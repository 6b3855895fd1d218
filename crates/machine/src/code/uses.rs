//! What becomes of a value: nothing, it is returned, or it is used.
//!
//! At `-O0` a result that the program drops still goes through casts, additions and jumps. Only
//! what comes of it in the end counts: memory, calls, branches, operations that can fail.

use ir::{BinOp, Body, Op, Target, Terminator, ValueId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    Nowhere,
    /// Returned to the caller and nothing else.
    Returned,
    Used,
}

/// For each value of a function.
pub fn uses(body: &Body) -> Vec<Use> {
    let mut found = Uses {
        body,
        uses: vec![Use::Nowhere; body.values.len()],
        grew: true,
    };
    while found.grew {
        found.grew = false;
        // Values are mostly used after they are computed.
        for block in body.blocks.iter().rev() {
            found.terminator(&block.terminator);
            for inst in block.insts.iter().rev() {
                found.op(&inst.op);
            }
        }
    }
    found.uses
}

struct Uses<'a> {
    body: &'a Body,
    uses: Vec<Use>,
    grew: bool,
}

impl Uses<'_> {
    fn add(&mut self, value: ValueId, new: Use) {
        let old = &mut self.uses[value.index()];
        if *old < new {
            *old = new;
            self.grew = true;
        }
    }

    fn all(&mut self, values: &[ValueId], new: Use) {
        values.iter().for_each(|v| self.add(*v, new));
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Bin { op, dst, a, b } => {
                let can_fail = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
                self.computes(*dst, &[*a, *b], can_fail);
            }
            Op::Cmp { dst, a, b, .. }
            | Op::FloatBin { dst, a, b, .. }
            | Op::FloatCmp { dst, a, b, .. } => self.computes(*dst, &[*a, *b], false),
            Op::Cast { dst, src, .. }
            | Op::FloatUnary { dst, src, .. }
            | Op::FloatCast { dst, src, .. } => self.computes(*dst, &[*src], false),
            Op::Select { dst, cond, a, b } => self.computes(*dst, &[*cond, *a, *b], false),
            Op::PtrAdd {
                dst, base, indices, ..
            } => {
                self.computes(*dst, &[*base], false);
                for (index, _) in indices {
                    self.computes(*dst, &[*index], false);
                }
            }
            Op::Load { ptr, .. } => self.add(*ptr, Use::Used),
            Op::Store { ptr, value, .. } | Op::Rmw { ptr, value, .. } => {
                self.all(&[*ptr, *value], Use::Used);
            }
            Op::CmpXchg {
                ptr, expected, new, ..
            } => self.all(&[*ptr, *expected, *new], Use::Used),
            Op::Alloca { count, .. } => {
                if let Some(count) = count {
                    self.add(*count, Use::Used);
                }
            }
            Op::Call(call) => self.call(call),
            Op::Intrinsic { args, .. } => self.all(args, Use::Used),
            Op::Fence(_) | Op::TlsAddr { .. } | Op::Undef { .. } | Op::Unsupported { .. } => {}
        }
    }

    fn computes(&mut self, dst: ValueId, from: &[ValueId], can_fail: bool) {
        let becomes = if can_fail {
            Use::Used
        } else {
            self.uses[dst.index()]
        };
        self.all(from, becomes);
    }

    fn call(&mut self, call: &ir::Call) {
        self.all(&call.args, Use::Used);
        if let ir::Callee::Indirect(callee) = call.callee {
            self.add(callee, Use::Used);
        }
    }

    fn target(&mut self, target: &Target) {
        let params = &self.body.blocks[target.block].params;
        for (arg, param) in target.args.iter().zip(params) {
            let becomes = self.uses[param.index()];
            self.add(*arg, becomes);
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Br(target) => self.target(target),
            Terminator::CondBr { cond, then, other } => {
                self.add(*cond, Use::Used);
                self.target(then);
                self.target(other);
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                self.add(*value, Use::Used);
                cases.iter().for_each(|(_, target)| self.target(target));
                self.target(default);
            }
            Terminator::IndirectBr { addr, .. } => self.add(*addr, Use::Used),
            Terminator::Ret(values) => self.all(values, Use::Returned),
            Terminator::Invoke {
                call,
                normal,
                unwind,
            } => {
                self.call(call);
                self.target(normal);
                self.all(&unwind.args, Use::Used);
                self.all(&unwind.catches, Use::Used);
                unwind.filters.iter().for_each(|f| self.all(f, Use::Used));
            }
            Terminator::Resume {
                exception,
                selector,
            } => self.all(&[*exception, *selector], Use::Used),
            Terminator::Unreachable => {}
        }
    }
}

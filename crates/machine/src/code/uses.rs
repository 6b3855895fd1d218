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
        let becomes = match op {
            // These can fail.
            Op::Bin {
                op: BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem,
                ..
            } => Use::Used,
            Op::Bin { dst, .. }
            | Op::Cmp { dst, .. }
            | Op::FloatBin { dst, .. }
            | Op::FloatCmp { dst, .. }
            | Op::Cast { dst, .. }
            | Op::FloatUnary { dst, .. }
            | Op::FloatCast { dst, .. }
            | Op::Select { dst, .. }
            | Op::PtrAdd { dst, .. } => self.uses[dst.index()],
            _ => Use::Used,
        };
        op.for_each_operand(|value| self.add(value, becomes));
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
                call.for_each_operand(|value| self.add(value, Use::Used));
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

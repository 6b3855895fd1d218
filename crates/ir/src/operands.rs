//! What an instruction or terminator assigns, what it reads and where it may go next.

use crate::inst::{Call, Callee, Op, Terminator};
use crate::module::{BlockId, ValueId};

impl Op {
    /// Calls `f` on every value that this instruction assigns, in order.
    pub fn for_each_result(&self, mut f: impl FnMut(ValueId)) {
        match self {
            Op::Bin { dst, .. }
            | Op::Cmp { dst, .. }
            | Op::Cast { dst, .. }
            | Op::Select { dst, .. }
            | Op::FloatBin { dst, .. }
            | Op::FloatCmp { dst, .. }
            | Op::FloatUnary { dst, .. }
            | Op::FloatCast { dst, .. }
            | Op::PtrAdd { dst, .. }
            | Op::Load { dst, .. }
            | Op::Rmw { dst, .. }
            | Op::Alloca { dst, .. }
            | Op::TlsAddr { dst, .. }
            | Op::Undef { dst } => f(*dst),
            Op::CmpXchg { old, success, .. } => {
                f(*old);
                f(*success);
            }
            Op::Call(Call { results, .. }) | Op::Intrinsic { results, .. } => {
                results.iter().copied().for_each(f);
            }
            Op::Store { .. } | Op::Fence(_) | Op::Unsupported { .. } => {}
        }
    }

    /// Calls `f` on every value that this instruction reads, in order.
    pub fn for_each_operand(&self, mut f: impl FnMut(ValueId)) {
        match self {
            Op::Bin { a, b, .. }
            | Op::Cmp { a, b, .. }
            | Op::FloatBin { a, b, .. }
            | Op::FloatCmp { a, b, .. } => {
                f(*a);
                f(*b);
            }
            Op::Cast { src, .. } | Op::FloatUnary { src, .. } | Op::FloatCast { src, .. } => {
                f(*src);
            }
            Op::Select { cond, a, b, .. } => {
                f(*cond);
                f(*a);
                f(*b);
            }
            Op::PtrAdd { base, indices, .. } => {
                f(*base);
                indices.iter().for_each(|(index, _)| f(*index));
            }
            Op::Load { ptr, .. } => f(*ptr),
            Op::Store { ptr, value, .. } => {
                f(*value);
                f(*ptr);
            }
            Op::Rmw { ptr, value, .. } => {
                f(*ptr);
                f(*value);
            }
            Op::CmpXchg {
                ptr, expected, new, ..
            } => {
                f(*ptr);
                f(*expected);
                f(*new);
            }
            Op::Alloca { count, .. } => count.iter().copied().for_each(f),
            Op::Call(call) => call.for_each_operand(f),
            Op::Intrinsic { args, .. } => args.iter().copied().for_each(f),
            Op::Fence(_) | Op::TlsAddr { .. } | Op::Undef { .. } | Op::Unsupported { .. } => {}
        }
    }

    /// Whether `is_meant` holds of a value that this instruction reads.
    pub fn any_operand(&self, mut is_meant: impl FnMut(ValueId) -> bool) -> bool {
        let mut any = false;
        self.for_each_operand(|value| any |= is_meant(value));
        any
    }
}

impl Call {
    /// Calls `f` on the callee, if it is a value, and on every argument.
    pub fn for_each_operand(&self, mut f: impl FnMut(ValueId)) {
        if let Callee::Indirect(callee) = self.callee {
            f(callee);
        }
        self.args.iter().copied().for_each(f);
    }
}

impl Terminator {
    /// The values that this terminator assigns: the results of an invoked call.
    pub fn results(&self) -> &[ValueId] {
        match self {
            Terminator::Invoke { call, .. } => &call.results,
            _ => &[],
        }
    }

    /// Calls `f` on every value that this terminator reads, arguments of its targets included.
    pub fn for_each_operand(&self, mut f: impl FnMut(ValueId)) {
        match self {
            Terminator::Br(target) => target.args.iter().copied().for_each(f),
            Terminator::CondBr { cond, then, other } => {
                f(*cond);
                then.args.iter().chain(&other.args).copied().for_each(f);
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                f(*value);
                let targets = cases.iter().map(|(_, target)| target).chain([default]);
                targets.flat_map(|target| &target.args).copied().for_each(f);
            }
            Terminator::IndirectBr { addr, .. } => f(*addr),
            Terminator::Ret(values) => values.iter().copied().for_each(f),
            Terminator::Invoke {
                call,
                normal,
                unwind,
            } => {
                call.for_each_operand(&mut f);
                let filters = unwind.filters.iter().flatten();
                let infos = unwind.catches.iter().chain(filters);
                let args = normal.args.iter().chain(&unwind.args);
                args.chain(infos).copied().for_each(f);
            }
            Terminator::Resume {
                exception,
                selector,
            } => {
                f(*exception);
                f(*selector);
            }
            Terminator::Unreachable => {}
        }
    }

    /// Whether `is_meant` holds of a value that this terminator reads.
    pub fn any_operand(&self, mut is_meant: impl FnMut(ValueId) -> bool) -> bool {
        let mut any = false;
        self.for_each_operand(|value| any |= is_meant(value));
        any
    }

    /// Calls `f` on every block that may come next, in order; one that is named twice comes twice.
    pub fn for_each_successor(&self, mut f: impl FnMut(BlockId)) {
        match self {
            Terminator::Br(target) => f(target.block),
            Terminator::CondBr { then, other, .. } => {
                f(then.block);
                f(other.block);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| f(target.block));
                f(default.block);
            }
            Terminator::IndirectBr { targets, .. } => targets.iter().copied().for_each(f),
            Terminator::Invoke { normal, unwind, .. } => {
                f(normal.block);
                f(unwind.block);
            }
            Terminator::Ret(_) | Terminator::Resume { .. } | Terminator::Unreachable => {}
        }
    }
}

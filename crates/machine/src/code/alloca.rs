//! Whether the address of a stack object can outlive its frame.
//!
//! Conservative and local: an address that is used only to load, to store *to*, to compute another
//! such address, or as an operand of memcpy, memmove and memset stays inside. Anything else
//! (stored, passed, returned, compared, sent along a jump) counts as a leak.

use ir::{Body, Intrinsic, Op, Terminator, ValueId};

/// The values that hold an address derived from `alloca`, and whether one of them leaks.
pub fn leaks(body: &Body, alloca: ValueId) -> bool {
    let mut derived = vec![alloca];
    let mut next = 0;
    while let Some(&address) = derived.get(next) {
        next += 1;
        for block in body.blocks.iter() {
            for inst in &block.insts {
                match &inst.op {
                    Op::Load { .. } => {}
                    Op::Store { value, .. } if *value == address => return true,
                    Op::Store { .. } => {}
                    Op::PtrAdd {
                        dst, base, indices, ..
                    } => {
                        if indices.iter().any(|(index, _)| *index == address) {
                            return true;
                        }
                        if *base == address {
                            derived.push(*dst);
                        }
                    }
                    Op::Rmw { value, .. } if *value == address => return true,
                    Op::Rmw { .. } => {}
                    Op::CmpXchg { expected, new, .. }
                        if *expected == address || *new == address =>
                    {
                        return true;
                    }
                    Op::CmpXchg { .. } => {}
                    Op::Intrinsic {
                        op: Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset,
                        ..
                    } => {}
                    op => {
                        if uses(op, address) {
                            return true;
                        }
                    }
                }
            }
            if terminator_uses(&block.terminator, address) {
                return true;
            }
        }
    }
    false
}

fn uses(op: &Op, value: ValueId) -> bool {
    match op {
        Op::Bin { a, b, .. } | Op::Cmp { a, b, .. } => *a == value || *b == value,
        Op::FloatBin { a, b, .. } | Op::FloatCmp { a, b, .. } => *a == value || *b == value,
        Op::Cast { src, .. } | Op::FloatUnary { src, .. } | Op::FloatCast { src, .. } => {
            *src == value
        }
        Op::Select { cond, a, b, .. } => [cond, a, b].contains(&&value),
        Op::Alloca { count, .. } => *count == Some(value),
        Op::Call(call) => call_uses(call, value),
        Op::Intrinsic { args, .. } => args.contains(&value),
        _ => false,
    }
}

fn call_uses(call: &ir::Call, value: ValueId) -> bool {
    call.args.contains(&value) || call.callee == ir::Callee::Indirect(value)
}

fn terminator_uses(terminator: &Terminator, value: ValueId) -> bool {
    match terminator {
        Terminator::Br(target) => target.args.contains(&value),
        Terminator::CondBr { cond, then, other } => {
            *cond == value || then.args.contains(&value) || other.args.contains(&value)
        }
        Terminator::Switch {
            value: v,
            cases,
            default,
        } => {
            *v == value
                || default.args.contains(&value)
                || cases.iter().any(|(_, t)| t.args.contains(&value))
        }
        Terminator::IndirectBr { addr, .. } => *addr == value,
        Terminator::Ret(values) => values.contains(&value),
        Terminator::Invoke {
            call,
            normal,
            unwind,
        } => call_uses(call, value) || normal.args.contains(&value) || unwind.args.contains(&value),
        Terminator::Resume {
            exception,
            selector,
        } => *exception == value || *selector == value,
        Terminator::Unreachable => false,
    }
}

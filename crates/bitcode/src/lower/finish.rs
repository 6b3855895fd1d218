//! Removes dead code and puts constants first in the value table.
//!
//! LLVM's own dead code elimination would drop loads whose value is unused, with which another
//! thread may race. This one removes only instructions that access no memory and cannot fail.

use base::IndexVec;
use ir::{BinOp, Body, Call, Callee, Intrinsic, Op, Target, Terminator, ValueId};

/// Removes dead instructions and numbers the value table anew.
pub fn finish(mut body: Body) -> Body {
    remove_dead(&mut body);
    renumber(&mut body);
    body
}

fn remove_dead(body: &mut Body) {
    let mut uses = vec![0u32; body.values.len()];
    let mut definition = vec![None; body.values.len()];
    for (id, block) in body.blocks.enumerate() {
        for (index, inst) in block.insts.iter().enumerate() {
            inst.op.for_each_operand(|v| uses[v.index()] += 1);
            if let Some(dst) = removable_result(&inst.op) {
                definition[dst.index()] = Some((id, index));
            }
        }
        block.terminator.for_each_operand(|v| uses[v.index()] += 1);
    }
    let mut dead: Vec<ValueId> = body
        .values
        .ids()
        .filter(|v| uses[v.index()] == 0 && definition[v.index()].is_some())
        .collect();
    let mut removed: Vec<Vec<usize>> = vec![Vec::new(); body.blocks.len()];
    while let Some(value) = dead.pop() {
        let Some((block, index)) = definition[value.index()].take() else {
            continue;
        };
        removed[block.index()].push(index);
        body.blocks[block].insts[index].op.for_each_operand(|v| {
            uses[v.index()] -= 1;
            if uses[v.index()] == 0 {
                dead.push(v);
            }
        });
    }
    for (block, mut indices) in body.blocks.iter_mut().zip(removed) {
        indices.sort_unstable();
        let mut index = 0;
        block.insts.retain(|_| {
            let keep = indices.binary_search(&index).is_err();
            index += 1;
            keep
        });
    }
}

/// The result of an instruction, if it has no effect but that.
fn removable_result(op: &Op) -> Option<ValueId> {
    match op {
        Op::Bin {
            op: BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem,
            ..
        } => None,
        Op::Bin { dst, .. }
        | Op::Cmp { dst, .. }
        | Op::Cast { dst, .. }
        | Op::Select { dst, .. }
        | Op::FloatBin { dst, .. }
        | Op::FloatCmp { dst, .. }
        | Op::FloatUnary { dst, .. }
        | Op::FloatCast { dst, .. }
        | Op::PtrAdd { dst, .. }
        | Op::Alloca { dst, .. }
        | Op::TlsAddr { dst, .. }
        | Op::Undef { dst } => Some(*dst),
        Op::Intrinsic { op, results, .. } if is_arithmetic(*op) => match results[..] {
            [dst] => Some(dst),
            _ => None,
        },
        _ => None,
    }
}

fn is_arithmetic(op: Intrinsic) -> bool {
    !matches!(
        op,
        Intrinsic::Memcpy
            | Intrinsic::Memmove
            | Intrinsic::Memset
            | Intrinsic::StackSave
            | Intrinsic::StackRestore
            | Intrinsic::Trap
            | Intrinsic::VaStart
            | Intrinsic::VaEnd
            | Intrinsic::VaCopy
            | Intrinsic::ReadCycleCounter
    )
}

/// Numbers the constants first, then the other values in the order of their definitions. Values
/// that are not mentioned get no number.
fn renumber(body: &mut Body) {
    let mut mentioned = vec![false; body.values.len()];
    let mut order = Vec::new();
    let mut mention = |value: &mut ValueId| {
        if !std::mem::replace(&mut mentioned[value.index()], true) {
            order.push(*value);
        }
    };
    visit_body(body, &mut mention);
    let (constants, others): (Vec<ValueId>, Vec<ValueId>) = order
        .into_iter()
        .partition(|&value| body.values[value].constant.is_some());
    let mut renamed = vec![ValueId(0); body.values.len()];
    let mut values = IndexVec::new();
    for old in constants.into_iter().chain(others) {
        renamed[old.index()] = values.push(body.values[old].clone());
    }
    body.values = values;
    visit_body(body, &mut |value| *value = renamed[value.index()]);
}

/// Calls `each` on every mention of a value, operands before results.
fn visit_body(body: &mut Body, each: &mut impl FnMut(&mut ValueId)) {
    body.params.iter_mut().for_each(&mut *each);
    for block in body.blocks.iter_mut() {
        block.params.iter_mut().for_each(&mut *each);
        for inst in &mut block.insts {
            visit(&mut inst.op, each);
        }
        visit_terminator(&mut block.terminator, each);
    }
}

fn visit(op: &mut Op, each: &mut impl FnMut(&mut ValueId)) {
    match op {
        Op::Bin { dst, a, b, .. }
        | Op::Cmp { dst, a, b, .. }
        | Op::FloatBin { dst, a, b, .. }
        | Op::FloatCmp { dst, a, b, .. } => {
            each(a);
            each(b);
            each(dst);
        }
        Op::Cast { dst, src, .. }
        | Op::FloatUnary { dst, src, .. }
        | Op::FloatCast { dst, src, .. } => {
            each(src);
            each(dst);
        }
        Op::Select { dst, cond, a, b } => {
            each(cond);
            each(a);
            each(b);
            each(dst);
        }
        Op::PtrAdd {
            dst, base, indices, ..
        } => {
            each(base);
            indices.iter_mut().for_each(|(index, _)| each(index));
            each(dst);
        }
        Op::Load { dst, ptr, .. } => {
            each(ptr);
            each(dst);
        }
        Op::Store { ptr, value, .. } => {
            each(ptr);
            each(value);
        }
        Op::Rmw {
            dst, ptr, value, ..
        } => {
            each(ptr);
            each(value);
            each(dst);
        }
        Op::CmpXchg {
            old,
            success,
            ptr,
            expected,
            new,
            ..
        } => {
            each(ptr);
            each(expected);
            each(new);
            each(old);
            each(success);
        }
        Op::Alloca { dst, count, .. } => {
            count.iter_mut().for_each(&mut *each);
            each(dst);
        }
        Op::TlsAddr { dst, .. } | Op::Undef { dst } => each(dst),
        Op::Call(call) => visit_call(call, each),
        Op::Intrinsic { results, args, .. } => {
            args.iter_mut().for_each(&mut *each);
            results.iter_mut().for_each(&mut *each);
        }
        Op::Fence(_) | Op::Unsupported { .. } => {}
    }
}

fn visit_call(call: &mut Call, each: &mut impl FnMut(&mut ValueId)) {
    if let Callee::Indirect(callee) = &mut call.callee {
        each(callee);
    }
    call.args.iter_mut().for_each(&mut *each);
    call.results.iter_mut().for_each(&mut *each);
}

fn visit_terminator(terminator: &mut Terminator, each: &mut impl FnMut(&mut ValueId)) {
    let jump = |target: &mut Target, each: &mut dyn FnMut(&mut ValueId)| {
        target.args.iter_mut().for_each(&mut *each);
    };
    match terminator {
        Terminator::Br(target) => jump(target, each),
        Terminator::CondBr { cond, then, other } => {
            each(cond);
            jump(then, each);
            jump(other, each);
        }
        Terminator::Switch {
            value,
            cases,
            default,
        } => {
            each(value);
            cases.iter_mut().for_each(|(_, target)| jump(target, each));
            jump(default, each);
        }
        Terminator::IndirectBr { addr, .. } => each(addr),
        Terminator::Ret(values) => values.iter_mut().for_each(&mut *each),
        Terminator::Invoke {
            call,
            normal,
            unwind,
        } => {
            visit_call(call, each);
            jump(normal, each);
            unwind.args.iter_mut().for_each(&mut *each);
            unwind.catches.iter_mut().for_each(&mut *each);
            let filters = unwind.filters.iter_mut().flatten();
            filters.for_each(&mut *each);
        }
        Terminator::Resume {
            exception,
            selector,
        } => {
            each(exception);
            each(selector);
        }
        Terminator::Unreachable => {}
    }
}

//! Instructions and terminators.

use super::function::BodyNames;
use super::{comma_separated, flags};
use crate::inst::{Call, Callee, LandingPad, MemoryOrder, Op, Target, Terminator};
use crate::module::ValueId;
use crate::text::lexer::quoted;
use crate::text::mnemonic::Mnemonic;

pub fn instruction(body: &BodyNames<'_>, op: &Op) -> String {
    let mut results = Vec::new();
    op.for_each_result(|id| results.push(id));
    format!("{}{}", assignment(body, &results), operation(body, op))
}

/// `%1: i32, %2: i1 = `, or nothing if nothing is assigned.
fn assignment(body: &BodyNames<'_>, results: &[ValueId]) -> String {
    match results {
        [] => String::new(),
        _ => format!("{} = ", body.definitions(results)),
    }
}

fn operation(body: &BodyNames<'_>, op: &Op) -> String {
    let list = |ids: &[ValueId]| body.operands(ids);
    match op {
        Op::Bin { op, a, b, .. } => format!("{} {}", op.mnemonic(), list(&[*a, *b])),
        Op::Cmp { op, a, b, .. } => format!("cmp {} {}", op.mnemonic(), list(&[*a, *b])),
        Op::Cast { op, src, .. } => format!("{} {}", op.mnemonic(), list(&[*src])),
        Op::Select { cond, a, b, .. } => format!("select {}", list(&[*cond, *a, *b])),
        Op::FloatBin { op, a, b, .. } => format!("{} {}", op.mnemonic(), list(&[*a, *b])),
        Op::FloatCmp { op, a, b, .. } => format!("fcmp {} {}", op.mnemonic(), list(&[*a, *b])),
        Op::FloatUnary { op, src, .. } => format!("{} {}", op.mnemonic(), list(&[*src])),
        Op::FloatCast { op, src, .. } => format!("{} {}", op.mnemonic(), list(&[*src])),
        Op::PtrAdd { .. } => pointer_addition(body, op),
        Op::Load {
            ptr,
            atomic,
            volatile,
            ..
        } => format!("load {}{}", list(&[*ptr]), access(*atomic, *volatile)),
        Op::Store {
            ptr,
            value,
            atomic,
            volatile,
        } => {
            let (value, ptr) = (body.operand(*value), body.operand(*ptr));
            format!("store {value} to {ptr}{}", access(*atomic, *volatile))
        }
        Op::Rmw {
            op,
            ptr,
            value,
            order,
            ..
        } => {
            let operands = list(&[*ptr, *value]);
            format!("rmw {} {operands}{}", op.mnemonic(), orders(&[*order]))
        }
        Op::CmpXchg {
            ptr,
            expected,
            new,
            weak,
            orders: both,
            ..
        } => {
            let weak = flags(&[(*weak, "weak")]);
            let operands = list(&[*ptr, *expected, *new]);
            format!("cmpxchg {operands}{weak}{}", orders(both))
        }
        Op::Fence(order) => format!("fence{}", orders(&[*order])),
        Op::Alloca {
            size,
            count,
            align,
            var,
            ..
        } => {
            let count = count.map(|count| format!(" count {}", body.operand(count)));
            let var = var.map(|var| format!(" {var}"));
            let (count, var) = (count.unwrap_or_default(), var.unwrap_or_default());
            format!("alloca {size}{count} align {align}{var}")
        }
        Op::TlsAddr { global, .. } => format!("tls_addr {}", body.names.global(*global)),
        Op::Call(c) => format!("call {}", call(body, c)),
        Op::Intrinsic { op, args, .. } => {
            format!("intrinsic {}({})", op.mnemonic(), list(args))
        }
        Op::Undef { .. } => "undef".to_owned(),
        Op::Unsupported { kind, what } => {
            format!("unsupported {} {}", kind.mnemonic(), quoted(what))
        }
    }
}

/// `ptradd base + offset + index * scale ... record type`
fn pointer_addition(body: &BodyNames<'_>, op: &Op) -> String {
    let Op::PtrAdd {
        base,
        offset,
        indices,
        record,
        ..
    } = op
    else {
        unreachable!("called on address arithmetic only");
    };
    let mut terms = vec![body.operand(*base)];
    if *offset != 0 {
        terms.push(offset.to_string());
    }
    for (index, scale) in indices {
        terms.push(format!("{} * {scale}", body.operand(*index)));
    }
    let record = record.map(|ty| format!(" record {ty}")).unwrap_or_default();
    format!("ptradd {}{record}", terms.join(" + "))
}

fn access(atomic: Option<MemoryOrder>, volatile: bool) -> String {
    let order = atomic.map_or(String::new(), |order| orders(&[order]));
    let atomic = flags(&[(atomic.is_some(), "atomic")]);
    format!("{atomic}{order}{}", flags(&[(volatile, "volatile")]))
}

/// The words for memory orders; none if all are sequentially consistent.
fn orders(orders: &[MemoryOrder]) -> String {
    if orders.iter().all(|o| *o == MemoryOrder::SeqCst) {
        return String::new();
    }
    orders
        .iter()
        .map(|o| format!(" {}", o.mnemonic()))
        .collect()
}

fn call(body: &BodyNames<'_>, call: &Call) -> String {
    let callee = match call.callee {
        Callee::Direct(function) => body.names.function(function),
        Callee::Indirect(value) => body.operand(value),
    };
    format!("{callee}({})", body.operands(&call.args))
}

pub fn terminator(body: &BodyNames<'_>, terminator: &Terminator) -> String {
    match terminator {
        Terminator::Br(to) => format!("br {}", target(body, to)),
        Terminator::CondBr { cond, then, other } => {
            let (then, other) = (target(body, then), target(body, other));
            format!("condbr {}, {then}, {other}", body.operand(*cond))
        }
        Terminator::Switch {
            value,
            cases,
            default,
        } => {
            let cases = cases
                .iter()
                .map(|(case, to)| format!("{case}: {}, ", target(body, to)))
                .collect::<String>();
            let (value, default) = (body.operand(*value), target(body, default));
            format!("switch {value} {{ {cases}default: {default} }}")
        }
        Terminator::IndirectBr { addr, targets } => {
            let targets = comma_separated(targets.iter().map(|block| block.to_string()));
            format!("indirectbr {} to ({targets})", body.operand(*addr))
        }
        Terminator::Ret(values) if values.is_empty() => "ret".to_owned(),
        Terminator::Ret(values) => format!("ret {}", body.operands(values)),
        Terminator::Invoke {
            call: invoked,
            normal,
            unwind,
        } => format!(
            "{}invoke {} to {} unwind {}",
            assignment(body, &invoked.results),
            call(body, invoked),
            target(body, normal),
            landing_pad(body, unwind)
        ),
        Terminator::Resume {
            exception,
            selector,
        } => format!("resume {}", body.operands(&[*exception, *selector])),
        Terminator::Unreachable => "unreachable".to_owned(),
    }
}

fn target(body: &BodyNames<'_>, target: &Target) -> String {
    jump(body, &target.block.to_string(), &target.args)
}

fn landing_pad(body: &BodyNames<'_>, pad: &LandingPad) -> String {
    let mut text = jump(body, &pad.block.to_string(), &pad.args);
    text.push_str(&flags(&[(pad.cleanup, "cleanup")]));
    if !pad.catches.is_empty() {
        text.push_str(&format!(" catch [{}]", body.operands(&pad.catches)));
    }
    for filter in &pad.filters {
        text.push_str(&format!(" filter [{}]", body.operands(filter)));
    }
    text
}

fn jump(body: &BodyNames<'_>, block: &str, args: &[ValueId]) -> String {
    match args {
        [] => block.to_owned(),
        _ => format!("{block}({})", body.operands(args)),
    }
}

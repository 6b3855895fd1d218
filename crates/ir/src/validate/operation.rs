//! The types of what instructions read and assign.

use super::body::BodyChecker;
use super::{Report, Rule, debug};
use crate::inst::{Call, Callee, Cast, FloatCast, Intrinsic, Op, RmwOp};
use crate::module::{Type, ValueId};

impl BodyChecker<'_> {
    /// Checks that the value exists and has this type.
    pub fn expect_type(&self, value: ValueId, expected: Type, report: &mut Report) {
        match self.ty(value) {
            None => report.add(Rule::NoValue(value)),
            Some(found) if found != expected => report.add(Rule::TypeMismatch {
                value,
                found,
                expected,
            }),
            Some(_) => {}
        }
    }

    /// Checks that the value exists and is of this kind.
    pub fn expect_kind(&self, value: ValueId, kind: Kind, report: &mut Report) {
        match self.ty(value) {
            None => report.add(Rule::NoValue(value)),
            Some(found) if !kind.accepts(found) => report.add(Rule::Operand {
                value,
                found,
                expected: kind.name(),
            }),
            Some(_) => {}
        }
    }

    /// Checks that `b` exists and has the type of `a`.
    fn expect_same(&self, a: ValueId, b: ValueId, report: &mut Report) {
        match (self.ty(a), self.ty(b)) {
            (_, None) => report.add(Rule::NoValue(b)),
            (Some(a_type), Some(b_type)) if a_type != b_type => report.add(Rule::SameType {
                a,
                a_type,
                b,
                b_type,
            }),
            _ => {}
        }
    }

    /// Checks that `first` is of this kind and that `others` have its type.
    fn expect_all(&self, kind: Kind, first: ValueId, others: &[ValueId], report: &mut Report) {
        self.expect_kind(first, kind, report);
        for other in others {
            self.expect_same(first, *other, report);
        }
    }
}

#[derive(Clone, Copy)]
pub enum Kind {
    Any,
    Int,
    Ptr,
    Float,
    IntOrPtr,
}

impl Kind {
    fn accepts(self, ty: Type) -> bool {
        match self {
            Kind::Any => true,
            Kind::Int => matches!(ty, Type::Int(_)),
            Kind::Ptr => ty == Type::Ptr,
            Kind::Float => ty.is_float(),
            Kind::IntOrPtr => !ty.is_float(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Any => "anything",
            Kind::Int => "an integer",
            Kind::Ptr => "a pointer",
            Kind::Float => "a float",
            Kind::IntOrPtr => "an integer or a pointer",
        }
    }
}

pub fn check(body: &BodyChecker<'_>, op: &Op, report: &mut Report) {
    match op {
        Op::Bin { dst, a, b, .. } => body.expect_all(Kind::Int, *a, &[*b, *dst], report),
        Op::Cmp { dst, a, b, .. } => {
            body.expect_all(Kind::IntOrPtr, *a, &[*b], report);
            body.expect_type(*dst, Type::BOOL, report);
        }
        Op::Cast { op, dst, src } => check_cast(body, *op, *dst, *src, report),
        Op::Select { dst, cond, a, b } => {
            body.expect_type(*cond, Type::BOOL, report);
            body.expect_all(Kind::Any, *a, &[*b, *dst], report);
        }
        Op::FloatBin { dst, a, b, .. } => body.expect_all(Kind::Float, *a, &[*b, *dst], report),
        Op::FloatCmp { dst, a, b, .. } => {
            body.expect_all(Kind::Float, *a, &[*b], report);
            body.expect_type(*dst, Type::BOOL, report);
        }
        Op::FloatUnary { dst, src, .. } => body.expect_all(Kind::Float, *src, &[*dst], report),
        Op::FloatCast { op, dst, src } => {
            let (from, to) = match op {
                FloatCast::Convert => (Kind::Float, Kind::Float),
                FloatCast::ToSigned | FloatCast::ToUnsigned => (Kind::Float, Kind::Int),
                FloatCast::FromSigned | FloatCast::FromUnsigned => (Kind::Int, Kind::Float),
            };
            body.expect_kind(*src, from, report);
            body.expect_kind(*dst, to, report);
        }
        Op::PtrAdd {
            dst,
            base,
            indices,
            record,
            ..
        } => {
            body.expect_all(Kind::Ptr, *base, &[*dst], report);
            for (index, _) in indices {
                body.expect_kind(*index, Kind::Int, report);
            }
            if let Some(record) = record {
                debug::check_type(body.module, *record, report);
            }
        }
        Op::Load { dst, ptr, .. } => {
            body.expect_kind(*ptr, Kind::Ptr, report);
            body.expect_kind(*dst, Kind::Any, report);
        }
        Op::Store { ptr, value, .. } => {
            body.expect_kind(*value, Kind::Any, report);
            body.expect_kind(*ptr, Kind::Ptr, report);
        }
        Op::Rmw {
            op,
            dst,
            ptr,
            value,
            ..
        } => {
            body.expect_kind(*ptr, Kind::Ptr, report);
            body.expect_all(rmw_kind(*op), *value, &[*dst], report);
        }
        Op::CmpXchg {
            old,
            success,
            ptr,
            expected,
            new,
            ..
        } => {
            body.expect_kind(*ptr, Kind::Ptr, report);
            body.expect_all(Kind::IntOrPtr, *expected, &[*new, *old], report);
            body.expect_type(*success, Type::BOOL, report);
        }
        Op::Alloca {
            dst, count, var, ..
        } => {
            body.expect_kind(*dst, Kind::Ptr, report);
            if let Some(count) = count {
                body.expect_kind(*count, Kind::Int, report);
            }
            if let Some(var) = var {
                debug::check_var(body.module, *var, report);
            }
        }
        Op::TlsAddr { dst, global } => {
            body.expect_kind(*dst, Kind::Ptr, report);
            match body.module.globals.get(*global) {
                None => report.add(Rule::NoGlobal(*global)),
                Some(g) if !g.thread_local => report.add(Rule::NotThreadLocal(*global)),
                Some(_) => {}
            }
        }
        Op::Call(call) => check_call(body, call, report),
        Op::Intrinsic { op, results, args } => check_intrinsic(body, *op, results, args, report),
        Op::Undef { dst } => body.expect_kind(*dst, Kind::Any, report),
        Op::Fence(_) | Op::Unsupported { .. } => {}
    }
}

/// Extensions do not narrow, truncations do not widen, `bits` keeps the width.
fn check_cast(body: &BodyChecker<'_>, op: Cast, dst: ValueId, src: ValueId, report: &mut Report) {
    let kind = match op {
        Cast::Bits => Kind::Any,
        Cast::Trunc | Cast::ZExt | Cast::SExt => Kind::IntOrPtr,
    };
    body.expect_kind(src, kind, report);
    body.expect_kind(dst, kind, report);
    let (Some(from), Some(to)) = (body.ty(src), body.ty(dst)) else {
        return;
    };
    let bits = |ty: Type| ty.bits(body.module.pointer_bits);
    let right = match op {
        Cast::Trunc => bits(to) <= bits(from),
        Cast::ZExt | Cast::SExt => bits(to) >= bits(from),
        Cast::Bits => bits(to) == bits(from),
    };
    if !right {
        report.add(Rule::CastWidth { from, to });
    }
}

fn rmw_kind(op: RmwOp) -> Kind {
    match op {
        RmwOp::Xchg => Kind::Any,
        RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => Kind::Float,
        _ => Kind::Int,
    }
}

/// Checks the number of results if the callee has a body. The number of arguments is not checked: C
/// lets a call disagree with the definition.
pub fn check_call(body: &BodyChecker<'_>, call: &Call, report: &mut Report) {
    for value in call.args.iter().chain(&call.results) {
        body.expect_kind(*value, Kind::Any, report);
    }
    match call.callee {
        Callee::Indirect(callee) => body.expect_kind(callee, Kind::Ptr, report),
        Callee::Direct(id) => match body.module.functions.get(id) {
            None => report.add(Rule::NoFunction(id)),
            Some(callee) if callee.body.is_none() => {}
            Some(callee) if callee.results.len() == call.results.len() => {}
            Some(callee) => report.add(Rule::ResultCount {
                expected: callee.results.len(),
                found: call.results.len(),
            }),
        },
    }
}

fn check_intrinsic(
    body: &BodyChecker<'_>,
    op: Intrinsic,
    results: &[ValueId],
    args: &[ValueId],
    report: &mut Report,
) {
    for value in args.iter().chain(results) {
        body.expect_kind(*value, Kind::Any, report);
    }
    let (arg_count, result_count) = arity(op);
    if args.len() != arg_count {
        report.add(Rule::ArgCount {
            expected: arg_count,
            found: args.len(),
        });
    }
    if results.len() != result_count {
        report.add(Rule::ResultCount {
            expected: result_count,
            found: results.len(),
        });
    }
}

/// How many arguments and results, as listed at [`Intrinsic`].
fn arity(op: Intrinsic) -> (usize, usize) {
    use Intrinsic::*;
    match op {
        Memcpy | Memmove | Memset => (3, 0),
        SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow => {
            (2, 2)
        }
        SAddSat | UAddSat | SSubSat | USubSat | SShlSat | UShlSat => (2, 1),
        SMin | SMax | UMin | UMax => (2, 1),
        Abs | PopCount | LeadingZeros | TrailingZeros | ByteSwap | BitReverse => (1, 1),
        FunnelShiftLeft | FunnelShiftRight | FusedMultiplyAdd => (3, 1),
        IsFpClass => (2, 1),
        StackSave | ReadCycleCounter => (0, 1),
        StackRestore | VaStart | VaEnd => (1, 0),
        Trap => (0, 0),
        VaCopy => (2, 0),
        EhTypeId => (1, 1),
    }
}

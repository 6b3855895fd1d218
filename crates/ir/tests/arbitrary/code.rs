//! Random blocks: every kind of instruction and terminator.

use ir::{
    BinOp, Block, Call, Callee, Cast, CmpOp, FloatBin, FloatCast, FloatCmp, FloatUnary, GlobalId,
    Inst, Intrinsic, LandingPad, MemoryOrder, Op, RmwOp, Target, Terminator, Unsupported, ValueId,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::{block_id, function_id, id, loc_id, offset, type_id, value_id, var_id};

pub fn block() -> impl Strategy<Value = Block> {
    let inst = (op(), loc_id()).prop_map(|(op, loc)| Inst { op, loc });
    (values(), vec(inst, 0..6), terminator(), loc_id()).prop_map(
        |(params, insts, terminator, terminator_loc)| Block {
            params,
            insts,
            terminator,
            terminator_loc,
        },
    )
}

fn values() -> impl Strategy<Value = Vec<ValueId>> + Clone {
    vec(value_id(), 0..4).boxed()
}

fn op() -> impl Strategy<Value = Op> {
    let three = || (value_id(), value_id(), value_id());
    let two = || (value_id(), value_id());
    prop_oneof![
        (select(BIN), three()).prop_map(|(op, (dst, a, b))| Op::Bin { op, dst, a, b }),
        (select(CMP), three()).prop_map(|(op, (dst, a, b))| Op::Cmp { op, dst, a, b }),
        (select(CAST), two()).prop_map(|(op, (dst, src))| Op::Cast { op, dst, src }),
        (value_id(), three()).prop_map(|(cond, (dst, a, b))| Op::Select { dst, cond, a, b }),
        (select(FLOAT_BIN), three()).prop_map(|(op, (dst, a, b))| Op::FloatBin { op, dst, a, b }),
        (select(FLOAT_CMP), three()).prop_map(|(op, (dst, a, b))| Op::FloatCmp { op, dst, a, b }),
        (select(FLOAT_UNARY), two()).prop_map(|(op, (dst, src))| Op::FloatUnary { op, dst, src }),
        (select(FLOAT_CAST), two()).prop_map(|(op, (dst, src))| Op::FloatCast { op, dst, src }),
        memory_op(),
        (call()).prop_map(Op::Call),
        (select(INTRINSIC), values(), values()).prop_map(|(op, results, args)| Op::Intrinsic {
            op,
            results,
            args
        }),
        value_id().prop_map(|dst| Op::Undef { dst }),
        (
            select(&[Unsupported::Instruction, Unsupported::Assembly]),
            any::<String>()
        )
            .prop_map(|(kind, what)| Op::Unsupported { kind, what }),
    ]
}

fn memory_op() -> impl Strategy<Value = Op> {
    let two = || (value_id(), value_id());
    let indices = vec((value_id(), any::<i64>()), 0..3);
    prop_oneof![
        (two(), offset(), indices, of(type_id())).prop_map(
            |((dst, base), offset, indices, record)| Op::PtrAdd {
                dst,
                base,
                offset,
                indices,
                record
            }
        ),
        (two(), of(order()), any::<bool>()).prop_map(|((dst, ptr), atomic, volatile)| Op::Load {
            dst,
            ptr,
            atomic,
            volatile
        }),
        (two(), of(order()), any::<bool>()).prop_map(|((ptr, value), atomic, volatile)| {
            Op::Store {
                ptr,
                value,
                atomic,
                volatile,
            }
        }),
        (select(RMW), value_id(), two(), order()).prop_map(|(op, dst, (ptr, value), order)| {
            Op::Rmw {
                op,
                dst,
                ptr,
                value,
                order,
            }
        }),
        (two(), value_id(), two(), any::<bool>(), (order(), order())).prop_map(
            |((old, success), ptr, (expected, new), weak, orders)| {
                Op::CmpXchg {
                    old,
                    success,
                    ptr,
                    expected,
                    new,
                    weak,
                    orders: orders.into(),
                }
            }
        ),
        order().prop_map(Op::Fence),
        (
            value_id(),
            any::<u64>(),
            of(value_id()),
            any::<u64>(),
            of(var_id())
        )
            .prop_map(|(dst, size, count, align, var)| Op::Alloca {
                dst,
                size,
                count,
                align,
                var
            }),
        (value_id(), id()).prop_map(|(dst, global)| Op::TlsAddr {
            dst,
            global: GlobalId(global)
        }),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let callee = prop_oneof![
        function_id().prop_map(Callee::Direct),
        value_id().prop_map(Callee::Indirect),
    ];
    (callee, values(), values()).prop_map(|(callee, args, results)| Call {
        callee,
        args,
        results,
    })
}

fn target() -> impl Strategy<Value = Target> {
    (block_id(), values()).prop_map(|(block, args)| Target { block, args })
}

fn terminator() -> impl Strategy<Value = Terminator> {
    let filters = vec(values(), 0..3);
    let pad = (target(), any::<bool>(), values(), filters).prop_map(
        |(target, cleanup, catches, filters)| LandingPad {
            block: target.block,
            args: target.args,
            cleanup,
            catches,
            filters,
        },
    );
    let case = (prop_oneof![0..4u128, any::<u128>()], target());
    prop_oneof![
        target().prop_map(Terminator::Br),
        (value_id(), target(), target()).prop_map(|(cond, then, other)| Terminator::CondBr {
            cond,
            then,
            other
        }),
        (value_id(), vec(case, 0..3), target()).prop_map(|(value, cases, default)| {
            Terminator::Switch {
                value,
                cases,
                default,
            }
        }),
        (value_id(), vec(block_id(), 0..3))
            .prop_map(|(addr, targets)| Terminator::IndirectBr { addr, targets }),
        values().prop_map(Terminator::Ret),
        (call(), target(), pad).prop_map(|(call, normal, unwind)| Terminator::Invoke {
            call,
            normal,
            unwind
        }),
        (value_id(), value_id()).prop_map(|(exception, selector)| Terminator::Resume {
            exception,
            selector
        }),
        Just(Terminator::Unreachable),
    ]
}

const BIN: &[BinOp] = &BinOp::ALL;

const CMP: &[CmpOp] = &CmpOp::ALL;

const CAST: &[Cast] = &[Cast::Trunc, Cast::ZExt, Cast::SExt, Cast::Bits];

const FLOAT_BIN: &[FloatBin] = &[
    FloatBin::Add,
    FloatBin::Sub,
    FloatBin::Mul,
    FloatBin::Div,
    FloatBin::Rem,
    FloatBin::Min,
    FloatBin::Max,
    FloatBin::Minimum,
    FloatBin::Maximum,
    FloatBin::CopySign,
    FloatBin::Pow,
];

const FLOAT_CMP: &[FloatCmp] = &[
    FloatCmp::False,
    FloatCmp::Oeq,
    FloatCmp::Ogt,
    FloatCmp::Oge,
    FloatCmp::Olt,
    FloatCmp::Ole,
    FloatCmp::One,
    FloatCmp::Ord,
    FloatCmp::Uno,
    FloatCmp::Ueq,
    FloatCmp::Ugt,
    FloatCmp::Uge,
    FloatCmp::Ult,
    FloatCmp::Ule,
    FloatCmp::Une,
    FloatCmp::True,
];

const FLOAT_UNARY: &[FloatUnary] = &[
    FloatUnary::Neg,
    FloatUnary::Abs,
    FloatUnary::Sqrt,
    FloatUnary::Floor,
    FloatUnary::Ceil,
    FloatUnary::Trunc,
    FloatUnary::Round,
    FloatUnary::RoundEven,
    FloatUnary::Exp,
    FloatUnary::Exp2,
    FloatUnary::Log,
    FloatUnary::Log2,
    FloatUnary::Log10,
    FloatUnary::Sin,
    FloatUnary::Cos,
];

const FLOAT_CAST: &[FloatCast] = &[
    FloatCast::Convert,
    FloatCast::ToSigned,
    FloatCast::ToUnsigned,
    FloatCast::FromSigned,
    FloatCast::FromUnsigned,
];

fn order() -> impl Strategy<Value = MemoryOrder> {
    use MemoryOrder::*;
    select(&[Relaxed, Acquire, Release, AcqRel, SeqCst])
}

const RMW: &[RmwOp] = &[
    RmwOp::Xchg,
    RmwOp::Add,
    RmwOp::Sub,
    RmwOp::And,
    RmwOp::Nand,
    RmwOp::Or,
    RmwOp::Xor,
    RmwOp::Max,
    RmwOp::Min,
    RmwOp::UMax,
    RmwOp::UMin,
    RmwOp::UIncWrap,
    RmwOp::UDecWrap,
    RmwOp::FAdd,
    RmwOp::FSub,
    RmwOp::FMax,
    RmwOp::FMin,
];

const INTRINSIC: &[Intrinsic] = &[
    Intrinsic::Memcpy,
    Intrinsic::Memmove,
    Intrinsic::Memset,
    Intrinsic::SAddOverflow,
    Intrinsic::UAddOverflow,
    Intrinsic::SSubOverflow,
    Intrinsic::USubOverflow,
    Intrinsic::SMulOverflow,
    Intrinsic::UMulOverflow,
    Intrinsic::SAddSat,
    Intrinsic::UAddSat,
    Intrinsic::SSubSat,
    Intrinsic::USubSat,
    Intrinsic::SShlSat,
    Intrinsic::UShlSat,
    Intrinsic::SMin,
    Intrinsic::SMax,
    Intrinsic::UMin,
    Intrinsic::UMax,
    Intrinsic::Abs,
    Intrinsic::PopCount,
    Intrinsic::LeadingZeros,
    Intrinsic::TrailingZeros,
    Intrinsic::ByteSwap,
    Intrinsic::BitReverse,
    Intrinsic::FunnelShiftLeft,
    Intrinsic::FunnelShiftRight,
    Intrinsic::FusedMultiplyAdd,
    Intrinsic::IsFpClass,
    Intrinsic::StackSave,
    Intrinsic::StackRestore,
    Intrinsic::Trap,
    Intrinsic::VaStart,
    Intrinsic::VaEnd,
    Intrinsic::VaCopy,
    Intrinsic::ReadCycleCounter,
    Intrinsic::EhTypeId,
];

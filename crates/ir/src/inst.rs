//! Instructions and terminators.

pub use base::{BinOp, CmpOp};
use serde::{Deserialize, Serialize};

use crate::debug::{LocId, TypeId, VarId};
use crate::module::{BlockId, FuncId, GlobalId, ValueId};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inst {
    pub op: Op,
    pub loc: LocId,
}

/// What an instruction does. Widths come from the types of the operands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// Integer arithmetic, wrapping. Division by zero is a fault of the program.
    Bin {
        op: BinOp,
        dst: ValueId,
        a: ValueId,
        b: ValueId,
    },
    /// Integer or pointer comparison; `dst` has one bit.
    Cmp {
        op: CmpOp,
        dst: ValueId,
        a: ValueId,
        b: ValueId,
    },
    /// Conversions between integers and pointers. `Cast::Bits` keeps the bits and changes the type
    /// (also between a float and an integer of the same width).
    Cast {
        op: Cast,
        dst: ValueId,
        src: ValueId,
    },
    Select {
        dst: ValueId,
        cond: ValueId,
        a: ValueId,
        b: ValueId,
    },
    FloatBin {
        op: FloatBin,
        dst: ValueId,
        a: ValueId,
        b: ValueId,
    },
    FloatCmp {
        op: FloatCmp,
        dst: ValueId,
        a: ValueId,
        b: ValueId,
    },
    /// Operations on one float: negation, rounding, square root, ...
    FloatUnary {
        op: FloatUnary,
        dst: ValueId,
        src: ValueId,
    },
    /// Conversions between floats, or between floats and integers.
    FloatCast {
        op: FloatCast,
        dst: ValueId,
        src: ValueId,
    },
    /// `dst = base + offset + sum of index * scale`; indices are sign-extended or truncated to
    /// pointer width first.
    PtrAdd {
        dst: ValueId,
        base: ValueId,
        offset: i64,
        indices: Vec<(ValueId, i64)>,
        /// The type of record that the source takes `base` to point to: it names heap objects.
        record: Option<TypeId>,
    },
    Load {
        dst: ValueId,
        ptr: ValueId,
        /// `None`: not atomic.
        atomic: Option<MemoryOrder>,
        volatile: bool,
    },
    Store {
        ptr: ValueId,
        value: ValueId,
        atomic: Option<MemoryOrder>,
        volatile: bool,
    },
    /// Atomic read-modify-write; `dst` is the old value.
    Rmw {
        op: RmwOp,
        dst: ValueId,
        ptr: ValueId,
        value: ValueId,
        order: MemoryOrder,
    },
    /// Atomic compare-and-exchange; `old` is the value found, `success` has one bit.
    CmpXchg {
        old: ValueId,
        success: ValueId,
        ptr: ValueId,
        expected: ValueId,
        new: ValueId,
        weak: bool,
        /// The orders of a success and of a failure.
        orders: [MemoryOrder; 2],
    },
    Fence(MemoryOrder),
    /// `size * count` bytes on the stack until the function returns or the stack is restored.
    Alloca {
        dst: ValueId,
        size: u64,
        /// `None`: one.
        count: Option<ValueId>,
        align: u64,
        var: Option<VarId>,
    },
    /// This thread's copy of a thread-local global.
    TlsAddr {
        dst: ValueId,
        global: GlobalId,
    },
    Call(Call),
    /// Results and arguments are listed at [`Intrinsic`].
    Intrinsic {
        op: Intrinsic,
        results: Vec<ValueId>,
        args: Vec<ValueId>,
    },
    /// Any value at all: `undef`, `poison`, or a local that was never assigned.
    Undef {
        dst: ValueId,
    },
    /// Something Sleave does not model; reaching it makes the verdict `unknown`.
    Unsupported {
        kind: Unsupported,
        what: String,
    },
}

/// Memory orders of C11. Execution is sequentially consistent whatever they say; they decide what
/// happens before what, and with it which accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl MemoryOrder {
    pub fn acquires(self) -> bool {
        matches!(
            self,
            MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst
        )
    }

    pub fn releases(self) -> bool {
        matches!(
            self,
            MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst
        )
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub callee: Callee,
    pub args: Vec<ValueId>,
    pub results: Vec<ValueId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    Indirect(ValueId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unsupported {
    Instruction,
    Assembly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cast {
    Trunc,
    ZExt,
    SExt,
    Bits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatBin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// llvm.minnum / llvm.maxnum: a NaN loses against a number.
    Min,
    Max,
    /// llvm.minimum / llvm.maximum: a NaN wins.
    Minimum,
    Maximum,
    CopySign,
    Pow,
}

/// Ordered comparisons are false on NaN, unordered ones true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatCmp {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatUnary {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// To nearest, ties away from zero.
    Round,
    /// To nearest, ties to even (rint, nearbyint, roundeven).
    RoundEven,
    Exp,
    Exp2,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatCast {
    /// fptrunc and fpext.
    Convert,
    ToSigned,
    ToUnsigned,
    FromSigned,
    FromUnsigned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    /// Wraps to zero above the operand.
    UIncWrap,
    UDecWrap,
    FAdd,
    FSub,
    FMax,
    FMin,
}

/// LLVM intrinsics that are not plain arithmetic, with `(arguments) -> results`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Intrinsic {
    /// (to, from, bytes)
    Memcpy,
    /// (to, from, bytes)
    Memmove,
    /// (to, byte, bytes)
    Memset,
    /// (a, b) -> (wrapped, overflowed)
    SAddOverflow,
    UAddOverflow,
    SSubOverflow,
    USubOverflow,
    SMulOverflow,
    UMulOverflow,
    /// (a, b) -> saturated
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    SShlSat,
    UShlSat,
    /// (a, b) -> r
    SMin,
    SMax,
    UMin,
    UMax,
    /// (a) -> |a|
    Abs,
    /// (a) -> r
    PopCount,
    /// (a) -> r; the width for zero.
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
    BitReverse,
    /// (hi, lo, amount) -> r
    FunnelShiftLeft,
    FunnelShiftRight,
    /// (a, b, c) -> a * b + c, rounded once
    FusedMultiplyAdd,
    /// (a) -> in class mask; second argument is the mask of llvm.is.fpclass
    IsFpClass,
    /// () -> token
    StackSave,
    /// (token)
    StackRestore,
    /// llvm.trap, llvm.debugtrap
    Trap,
    /// (va_list)
    VaStart,
    /// (va_list)
    VaEnd,
    /// (to, from)
    VaCopy,
    /// () -> counter, any value
    ReadCycleCounter,
    /// (type info) -> selector number, as a landing pad gives it
    EhTypeId,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    pub block: BlockId,
    pub args: Vec<ValueId>,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub enum Terminator {
    Br(Target),
    CondBr {
        cond: ValueId,
        then: Target,
        other: Target,
    },
    Switch {
        value: ValueId,
        cases: Vec<(u128, Target)>,
        default: Target,
    },
    /// `goto *addr`
    IndirectBr {
        addr: ValueId,
        targets: Vec<BlockId>,
    },
    Ret(Vec<ValueId>),
    /// A call that may throw. The call's results may be used only where `normal` is reached.
    Invoke {
        call: Call,
        normal: Target,
        unwind: LandingPad,
    },
    /// Continues unwinding with the exception and selector that the landing pad was given.
    Resume {
        exception: ValueId,
        selector: ValueId,
    },
    #[default]
    Unreachable,
}

/// Where an exception lands. The block's first two parameters receive the exception pointer and the
/// selector number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LandingPad {
    pub block: BlockId,
    /// Arguments for the block parameters after the first two.
    pub args: Vec<ValueId>,
    pub cleanup: bool,
    /// Type infos caught, in order; a null pointer catches everything.
    pub catches: Vec<ValueId>,
    /// Type infos of exception specifications: an exception that is none of them lands here.
    pub filters: Vec<Vec<ValueId>>,
}

//! Modules and all that is in them, part by part. A field or an alternative that is left out does
//! not compile.

use super::{Binary, Input};
use crate::debug::{
    DebugInfo, DebugType, Encoding, FileId, Loc, LocId, Member, TypeId, VarId, Variable,
};
use crate::inst::*;
use crate::module::*;

macro_rules! ids {
    ($($ty:ident),*) => {$(
        impl Binary for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }

            #[inline]
            fn read(input: &mut Input<'_>) -> Option<Self> {
                u32::read(input).map($ty)
            }
        }
    )*};
}

macro_rules! record {
    ($ty:ident { $($field:ident),* }) => {
        impl Binary for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                let $ty { $($field),* } = self;
                $($field.write(out);)*
            }

            fn read(input: &mut Input<'_>) -> Option<Self> {
                $(let $field = Binary::read(input)?;)*
                Some($ty { $($field),* })
            }
        }
    };
}

macro_rules! alternatives {
    ($ty:ident { $($name:ident $(($($item:ident),*))? $({ $($field:ident),* })?),* }) => {
        impl Binary for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                enum Number { $($name),* }
                match self {
                    $($ty::$name $(($($item),*))? $({ $($field),* })? => {
                        out.push(Number::$name as u8);
                        $($($item.write(out);)*)?
                        $($($field.write(out);)*)?
                    })*
                }
            }

            fn read(input: &mut Input<'_>) -> Option<Self> {
                enum Number { $($name),* }
                let number = input.byte()?;
                $(if number == Number::$name as u8 {
                    $($(let $item = Binary::read(input)?;)*)?
                    $($(let $field = Binary::read(input)?;)*)?
                    return Some($ty::$name $(($($item),*))? $({ $($field),* })?);
                })*
                None
            }
        }
    };
}

ids!(
    FuncId, GlobalId, BlockId, ValueId, FileId, LocId, TypeId, VarId
);

record!(Module {
    pointer_bits,
    functions,
    globals,
    constructors,
    destructors,
    debug
});
record!(Global {
    name,
    size,
    align,
    constant,
    thread_local,
    init,
    var
});
record!(Relocation {
    offset,
    target,
    addend
});
record!(Function {
    name,
    source_name,
    params,
    results,
    variadic,
    weak,
    loc,
    runtime,
    body
});
record!(Body {
    values,
    params,
    blocks
});
record!(Value { ty, constant, name });
record!(Block {
    params,
    insts,
    terminator,
    terminator_loc
});
record!(Inst { op, loc });
record!(Call {
    callee,
    args,
    results
});
record!(Target { block, args });
record!(LandingPad {
    block,
    args,
    cleanup,
    catches,
    filters
});
record!(DebugInfo {
    files,
    locs,
    types,
    vars
});
record!(Loc { file, line, column });
record!(Variable { name, ty, loc });
record!(Member { name, offset, ty });

alternatives!(Symbol { Global(id), Function(id), Block(function, block) });
alternatives!(Const { Bits(bits), Address(symbol, offset) });
alternatives!(Type { Int(bits), Ptr, F16, BF16, F32, F64, F80, F128 });
alternatives!(Op {
    Bin { op, dst, a, b },
    Cmp { op, dst, a, b },
    Cast { op, dst, src },
    Select { dst, cond, a, b },
    FloatBin { op, dst, a, b },
    FloatCmp { op, dst, a, b },
    FloatUnary { op, dst, src },
    FloatCast { op, dst, src },
    PtrAdd { dst, base, offset, indices, record },
    Load { dst, ptr, atomic, volatile },
    Store { ptr, value, atomic, volatile },
    Rmw { op, dst, ptr, value, order },
    CmpXchg { old, success, ptr, expected, new, weak, orders },
    Fence(order),
    Alloca { dst, size, count, align, var },
    TlsAddr { dst, global },
    Call(call),
    Intrinsic { op, results, args },
    Undef { dst },
    Unsupported { kind, what }
});
alternatives!(MemoryOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst
});
alternatives!(Terminator {
    Br(target),
    CondBr { cond, then, other },
    Switch { value, cases, default },
    IndirectBr { addr, targets },
    Ret(values),
    Invoke { call, normal, unwind },
    Resume { exception, selector },
    Unreachable
});
alternatives!(Callee { Direct(function), Indirect(value) });
alternatives!(Unsupported {
    Instruction,
    Assembly
});
alternatives!(BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor
});
alternatives!(CmpOp {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge
});
alternatives!(Cast {
    Trunc,
    ZExt,
    SExt,
    Bits
});
alternatives!(FloatBin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    Minimum,
    Maximum,
    CopySign,
    Pow
});
alternatives!(FloatCmp {
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
    True
});
alternatives!(FloatUnary {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
    Exp,
    Exp2,
    Log,
    Log2,
    Log10,
    Sin,
    Cos
});
alternatives!(FloatCast {
    Convert,
    ToSigned,
    ToUnsigned,
    FromSigned,
    FromUnsigned
});
alternatives!(RmwOp {
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
    UIncWrap,
    UDecWrap,
    FAdd,
    FSub,
    FMax,
    FMin
});
alternatives!(Intrinsic {
    Memcpy,
    Memmove,
    Memset,
    SAddOverflow,
    UAddOverflow,
    SSubOverflow,
    USubOverflow,
    SMulOverflow,
    UMulOverflow,
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    SShlSat,
    UShlSat,
    SMin,
    SMax,
    UMin,
    UMax,
    Abs,
    PopCount,
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
    BitReverse,
    FunnelShiftLeft,
    FunnelShiftRight,
    FusedMultiplyAdd,
    IsFpClass,
    StackSave,
    StackRestore,
    Trap,
    VaStart,
    VaEnd,
    VaCopy,
    ReadCycleCounter,
    EhTypeId
});
alternatives!(DebugType {
    Base { name, bytes, encoding },
    Pointer { to },
    Record { name, bytes, members },
    Array { element, count },
    Enum { name, bytes, variants },
    Opaque { name }
});
alternatives!(Encoding {
    Signed,
    Unsigned,
    Bool,
    Char,
    Float
});

/// Initial contents are mostly zeros at the end, and may be many.
impl Binary for Init {
    fn write(&self, out: &mut Vec<u8>) {
        let Init { bytes, relocations } = self;
        let told = bytes.iter().rposition(|&byte| byte != 0);
        let told = told.map_or(0, |last| last + 1);
        bytes.len().write(out);
        super::write_slice(&bytes[..told], out);
        relocations.write(out);
    }

    fn read(input: &mut Input<'_>) -> Option<Self> {
        let len = usize::read(input).filter(|&len| len <= MOST_INITIAL_BYTES)?;
        let told = input.slice()?;
        let mut bytes = vec![0; len];
        bytes.get_mut(..told.len())?.copy_from_slice(told);
        Some(Init {
            bytes,
            relocations: Binary::read(input)?,
        })
    }
}

/// Far more than the globals of a program under test hold; damaged bytes shall not ask for all
/// memory there is.
const MOST_INITIAL_BYTES: usize = 1 << 32;

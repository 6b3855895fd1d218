//! The words that stand for operations: one table, read in both directions.

use crate::debug::Encoding;
use crate::inst::{
    BinOp, Cast, CmpOp, FloatBin, FloatCast, FloatCmp, FloatUnary, Intrinsic, MemoryOrder, RmwOp,
    Unsupported,
};

pub trait Mnemonic: Sized + 'static {
    fn mnemonic(self) -> &'static str;
    fn from_mnemonic(word: &str) -> Option<Self>;
    #[cfg(test)]
    fn all() -> Vec<Self>;
}

macro_rules! mnemonics {
    ($($name:ident { $($variant:ident = $word:literal),* $(,)? })*) => {$(
        impl Mnemonic for $name {
            fn mnemonic(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            fn from_mnemonic(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }

            #[cfg(test)]
            fn all() -> Vec<Self> {
                vec![$($name::$variant),*]
            }
        }
    )*};
}

// The words of `BinOp`, `Cast`, `FloatBin`, `FloatUnary` and `FloatCast` start an instruction: no
// two of them are equal (test `instruction_words_are_distinct`).
mnemonics! {
    BinOp {
        Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or", Xor = "xor",
    }
    CmpOp {
        Eq = "eq", Ne = "ne", Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge",
        Slt = "slt", Sle = "sle", Sgt = "sgt", Sge = "sge",
    }
    Cast { Trunc = "trunc", ZExt = "zext", SExt = "sext", Bits = "bits" }
    FloatBin {
        Add = "fadd", Sub = "fsub", Mul = "fmul", Div = "fdiv", Rem = "frem", Min = "fmin", Max = "fmax",
        Minimum = "fminimum", Maximum = "fmaximum", CopySign = "fcopysign", Pow = "fpow",
    }
    FloatCmp {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Uno = "uno", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", True = "true",
    }
    FloatUnary {
        Neg = "fneg", Abs = "fabs", Sqrt = "fsqrt", Floor = "ffloor", Ceil = "fceil", Trunc = "ftrunc",
        Round = "fround", RoundEven = "froundeven", Exp = "fexp", Exp2 = "fexp2", Log = "flog", Log2 = "flog2",
        Log10 = "flog10", Sin = "fsin", Cos = "fcos",
    }
    FloatCast {
        Convert = "fconvert", ToSigned = "fptosi", ToUnsigned = "fptoui", FromSigned = "sitofp", FromUnsigned = "uitofp",
    }
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor", Max = "max",
        Min = "min", UMax = "umax", UMin = "umin", UIncWrap = "uinc_wrap", UDecWrap = "udec_wrap",
        FAdd = "fadd", FSub = "fsub", FMax = "fmax", FMin = "fmin",
    }
    MemoryOrder {
        Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel", SeqCst = "seq_cst",
    }
    Intrinsic {
        Memcpy = "memcpy", Memmove = "memmove", Memset = "memset",
        SAddOverflow = "sadd_overflow", UAddOverflow = "uadd_overflow", SSubOverflow = "ssub_overflow",
        USubOverflow = "usub_overflow", SMulOverflow = "smul_overflow", UMulOverflow = "umul_overflow",
        SAddSat = "sadd_sat", UAddSat = "uadd_sat", SSubSat = "ssub_sat", USubSat = "usub_sat",
        SShlSat = "sshl_sat", UShlSat = "ushl_sat",
        SMin = "smin", SMax = "smax", UMin = "umin", UMax = "umax", Abs = "abs",
        PopCount = "popcount", LeadingZeros = "leading_zeros", TrailingZeros = "trailing_zeros",
        ByteSwap = "byte_swap", BitReverse = "bit_reverse",
        FunnelShiftLeft = "funnel_shift_left", FunnelShiftRight = "funnel_shift_right",
        FusedMultiplyAdd = "fused_multiply_add", IsFpClass = "is_fp_class",
        StackSave = "stack_save", StackRestore = "stack_restore", Trap = "trap",
        VaStart = "va_start", VaEnd = "va_end", VaCopy = "va_copy",
        ReadCycleCounter = "read_cycle_counter", EhTypeId = "eh_type_id",
    }
    Unsupported { Instruction = "instruction", Assembly = "assembly" }
    Encoding { Signed = "signed", Unsigned = "unsigned", Bool = "bool", Char = "char", Float = "float" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruction_words_are_distinct() {
        fn words<T: Mnemonic>() -> Vec<&'static str> {
            T::all().into_iter().map(T::mnemonic).collect()
        }
        let mut all = [
            words::<BinOp>(),
            words::<Cast>(),
            words::<FloatBin>(),
            words::<FloatUnary>(),
            words::<FloatCast>(),
        ]
        .concat();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}

//! Modules, globals, functions, blocks and the value table.

use base::{IndexVec, id};
use serde::{Deserialize, Serialize};

use crate::debug::{DebugInfo, LocId, VarId};
use crate::inst::{Inst, Terminator};

id!(
    /// A function of the module, defined or only declared.
    FuncId, "f"
);
id!(
    /// A global variable of the module.
    GlobalId, "g"
);
id!(
    /// A basic block of one function. Block 0 is the entry.
    BlockId, "b"
);
id!(
    /// An entry in a function's value table.
    ValueId, "%"
);

/// A whole program: every source file linked together.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Module {
    pub pointer_bits: u32,
    pub functions: IndexVec<FuncId, Function>,
    pub globals: IndexVec<GlobalId, Global>,
    /// Functions to run before `main`, in order.
    pub constructors: Vec<FuncId>,
    /// Functions to run after `main` or `exit`, in order.
    pub destructors: Vec<FuncId>,
    pub debug: DebugInfo,
}

impl Module {
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions
            .enumerate()
            .find(|(_, f)| f.name == name)
            .map(|(id, _)| id)
    }

    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals
            .enumerate()
            .find(|(_, g)| g.name == name)
            .map(|(id, _)| id)
    }

    pub fn pointer_bytes(&self) -> u64 {
        u64::from(self.pointer_bits / 8)
    }
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub align: u64,
    pub constant: bool,
    pub thread_local: bool,
    /// `None`: declared here, defined nowhere in the program.
    pub init: Option<Init>,
    pub var: Option<VarId>,
}

/// Initial contents of a global: bytes, and the places in them that hold addresses.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Init {
    /// As long as the global; `undef` parts are zero.
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
}

/// `bytes[offset..offset + pointer size] = address of target + addend`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relocation {
    pub offset: u64,
    pub target: Symbol,
    pub addend: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Symbol {
    Global(GlobalId),
    Function(FuncId),
    /// The address of a label, for `goto *p`.
    Block(FuncId, BlockId),
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// The name in the source, demangled, for reports.
    pub source_name: String,
    pub params: Vec<Type>,
    /// An aggregate result is several values.
    pub results: Vec<Type>,
    pub variadic: bool,
    /// Declared weakly: if it is defined nowhere, its address is null.
    pub weak: bool,
    pub loc: Option<LocId>,
    /// Part of Sleave's own C library: its events are shown as the caller's.
    pub runtime: bool,
    /// `None`: declared, and modelled by a shim or not at all.
    pub body: Option<Body>,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Body {
    pub values: IndexVec<ValueId, Value>,
    /// The values that hold the parameters on entry, one per `Function::params`.
    pub params: Vec<ValueId>,
    pub blocks: IndexVec<BlockId, Block>,
}

impl Body {
    pub fn ty(&self, value: ValueId) -> Type {
        self.values[value].ty
    }
}

/// One entry of the value table. Constants come first, so that a frame can start as a copy of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    pub ty: Type,
    /// `Some`: a constant. `None`: assigned by a parameter, a block parameter or an instruction,
    /// exactly once.
    pub constant: Option<Const>,
    /// The source variable that it holds, if debug information says so.
    pub name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Const {
    /// Integers, null pointers, and floats by their bits.
    Bits(u128),
    /// Address of a symbol plus an offset in bytes. Never a thread-local global: see `Op::TlsAddr`.
    Address(Symbol, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// 1 to 128 bits.
    Int(u8),
    Ptr,
    F16,
    BF16,
    F32,
    F64,
    F80,
    F128,
}

impl Type {
    pub const BOOL: Type = Type::Int(1);

    /// Width in bits; pointers are as wide as the target says.
    pub fn bits(self, pointer_bits: u32) -> u32 {
        match self {
            Type::Int(bits) => u32::from(bits),
            Type::Ptr => pointer_bits,
            Type::F16 | Type::BF16 => 16,
            Type::F32 => 32,
            Type::F64 => 64,
            Type::F80 => 80,
            Type::F128 => 128,
        }
    }

    /// Bytes that a load or store of this type touches.
    pub fn bytes(self, pointer_bits: u32) -> u32 {
        self.bits(pointer_bits).div_ceil(8)
    }

    pub fn is_float(self) -> bool {
        !matches!(self, Type::Int(_) | Type::Ptr)
    }
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Block {
    pub params: Vec<ValueId>,
    pub insts: Vec<Inst>,
    pub terminator: Terminator,
    /// Where the terminator stands in the source.
    pub terminator_loc: LocId,
}

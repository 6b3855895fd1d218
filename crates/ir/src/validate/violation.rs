//! What can be wrong with a module, and where.

use std::fmt;
use std::sync::Arc;

use crate::debug::{FileId, LocId, TypeId, VarId};
use crate::module::{BlockId, FuncId, GlobalId, Type, ValueId};

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub place: Place,
    pub rule: Rule,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.rule)
    }
}

/// Where a rule is broken. Functions and globals come with their names, for the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Module,
    Debug,
    Global(GlobalId, Arc<str>),
    Function(FuncId, Arc<str>),
    Value(FuncId, Arc<str>, ValueId),
    Block(FuncId, Arc<str>, BlockId),
    /// Instructions count from 0.
    Inst(FuncId, Arc<str>, BlockId, usize),
    Terminator(FuncId, Arc<str>, BlockId),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Module => write!(f, "module"),
            Place::Debug => write!(f, "debug information"),
            Place::Global(id, name) => write!(f, "global `{name}` ({id})"),
            Place::Function(id, name) => write!(f, "function `{name}` ({id})"),
            Place::Value(id, name, value) => write!(f, "function `{name}` ({id}), {value}"),
            Place::Block(id, name, block) => write!(f, "function `{name}` ({id}), {block}"),
            Place::Inst(id, name, block, index) => {
                write!(f, "function `{name}` ({id}), {block}, instruction {index}")
            }
            Place::Terminator(id, name, block) => {
                write!(f, "function `{name}` ({id}), {block}, terminator")
            }
        }
    }
}

/// A rule and how it is broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    #[error("pointers have 32 or 64 bits, not {0}")]
    PointerBits(u32),
    #[error("there is no function {0}")]
    NoFunction(FuncId),
    #[error("there is no global {0}")]
    NoGlobal(GlobalId),
    #[error("there is no block {0}")]
    NoBlock(BlockId),
    #[error("there is no value {0}")]
    NoValue(ValueId),
    #[error("there is no file {0}")]
    NoFile(FileId),
    #[error("there is no location {0}")]
    NoLoc(LocId),
    #[error("there is no type {0}")]
    NoType(TypeId),
    #[error("there is no variable {0}")]
    NoVar(VarId),
    #[error("location 0 must exist and be unknown (line 0)")]
    UnknownLoc,

    #[error("an initialiser of {init} bytes for a global of {size}")]
    InitSize { init: u64, size: u64 },
    #[error("a relocation at byte {offset} does not fit into an initialiser of {bytes} bytes")]
    RelocationRange { offset: u64, bytes: u64 },
    #[error("thread-local {0} has no address of its own; use `tls_addr`")]
    ThreadLocalAddress(GlobalId),
    #[error("`tls_addr` of {0}, which is not thread-local")]
    NotThreadLocal(GlobalId),

    #[error("integers have 1 to 128 bits, not {0}")]
    Width(u8),
    #[error("constants come first in the value table")]
    ConstantOrder,
    #[error("the constant {bits:#x} does not fit into {width} bits")]
    ConstantRange { bits: u128, width: u32 },
    #[error("an address needs a pointer, or an integer of the same width, not {0}")]
    AddressType(Type),
    #[error("it is a constant and cannot be assigned")]
    ConstantAssigned,
    #[error("it is never assigned")]
    NeverAssigned,
    #[error("it is assigned {0} times")]
    AssignedAgain(u32),
    #[error("{value} is not assigned on every way here")]
    NotDominated { value: ValueId },

    #[error("a body needs an entry block")]
    NoEntry,
    #[error("the entry block cannot have parameters")]
    EntryParams,
    #[error("the body has {values} parameter values for {params} parameters")]
    ParamCount { values: usize, params: usize },

    #[error("{value} has type {found}, expected {expected}")]
    Operand {
        value: ValueId,
        found: Type,
        expected: &'static str,
    },
    #[error("{a} and {b} must have the same type, not {a_type} and {b_type}")]
    SameType {
        a: ValueId,
        a_type: Type,
        b: ValueId,
        b_type: Type,
    },
    #[error("{value} has type {found}, expected {expected}")]
    TypeMismatch {
        value: ValueId,
        found: Type,
        expected: Type,
    },
    #[error("the cast from {from} to {to} goes the wrong way")]
    CastWidth { from: Type, to: Type },
    #[error("expected {expected} argument(s), found {found}")]
    ArgCount { expected: usize, found: usize },
    #[error("expected {expected} result(s), found {found}")]
    ResultCount { expected: usize, found: usize },
    #[error("{block} has {params} parameter(s) but is given {args} argument(s)")]
    TargetArgs {
        block: BlockId,
        params: usize,
        args: usize,
    },
    #[error("{block} is a landing pad and needs at least two parameters, not {params}")]
    LandingPadParams { block: BlockId, params: usize },
    #[error("the case {case} does not fit into {width} bits")]
    CaseRange { case: u128, width: u32 },
}

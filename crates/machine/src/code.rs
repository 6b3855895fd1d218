//! Programs made ready to run: blocks flattened into one array per function, jumps with their
//! register moves, addresses of globals and functions fixed, declared functions bound to shims.

mod alloca;
mod bases;
mod compile;
mod layout;
mod live;
mod loops;
mod uses;

pub use layout::function_size;
pub use live::Live;

use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use ir::debug::LocId;
use ir::{
    BinOp, Cast, CmpOp, FloatBin, FloatCast, FloatCmp, FloatUnary, FuncId, GlobalId, Intrinsic,
    MemoryOrder, Module, RmwOp, Type,
};
use rustc_hash::FxHashMap;

pub use self::uses::{Use, uses};
use crate::premises::{Loose, Premises};
use crate::shims::Shim;

/// Index of a register in its frame.
pub type Slot = u32;

#[derive(Clone)]
pub struct Program {
    pub module: Arc<Module>,
    pub functions: Vec<Function>,
    /// Addresses of globals, functions and labels.
    pub layout: Layout,
    /// `None`: loaded without Sleave's runtime, or without `main`.
    pub entries: Option<Entries>,
    /// Threads may wait on condition variables.
    pub uses_conditions: bool,
    /// If it is known where something that matters lies ahead (see [`Marks`]): whether it does
    /// where threads end. `None`: it may anywhere.
    pub ends: Option<Ends>,
    /// What the marks rest on.
    pub premises: Premises,
}

/// Whether something that matters may be done when this ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    pub process: bool,
    pub thread: bool,
}

/// Functions that the machine itself calls.
#[derive(Clone, Copy)]
pub struct Entries {
    /// Constructors; `None`: there are none.
    pub begin: Option<FuncId>,
    pub main: FuncId,
    pub exit: FuncId,
    /// Address of the word that counts exit handlers; `None`: something must run at every exit.
    pub handlers: Option<u64>,
    /// The program may add one.
    pub adds_handlers: bool,
    /// Address of the byte that says whether there has been one thread only, if the program looks
    /// at it.
    pub single_threaded: Option<u64>,
    pub call_thread: FuncId,
    pub end_thread: FuncId,
    pub main_exited: FuncId,
}

#[derive(Clone, Default)]
pub struct Layout {
    /// There is no room for all globals.
    pub overflows: bool,
    pub globals: Vec<u64>,
    pub functions: Vec<u64>,
    pub labels: FxHashMap<(FuncId, ir::BlockId), u64>,
    /// What an address called or jumped to denotes.
    pub function_at: FxHashMap<u64, FuncId>,
    pub label_at: FxHashMap<u64, (FuncId, ir::BlockId)>,
}

#[derive(Clone)]
pub struct Function {
    pub code: Vec<Code>,
    pub locs: Vec<LocId>,
    /// Which instruction of which block each code is.
    pub origins: Vec<(ir::BlockId, u32)>,
    /// What a slice says of each code. Empty: nothing.
    pub marks: Vec<Marks>,
    /// Constants first, then zeros: what a new frame's registers hold.
    pub constants: Vec<Constant>,
    pub slots: u32,
    /// Of the registers that hold values of the program.
    pub widths: Vec<u8>,
    /// Registers that count the iterations of loops.
    pub counters: Vec<Slot>,
    pub params: Vec<Slot>,
    pub results: u32,
    pub variadic: bool,
    /// `__VERIFIER_atomic_...`: runs without interleaving.
    pub atomic: bool,
    pub runtime: bool,
    /// A slice is made without it: nobody is thought to call it.
    pub absent: bool,
    /// A shim, for a function without a body.
    pub shim: Option<Shim>,
    pub has_body: bool,
    pub moves: Vec<Vec<(Slot, Slot)>>,
    pub offsets: Vec<Offsets>,
    pub calls: Vec<Call>,
    pub intrinsics: Vec<(Intrinsic, Vec<Operand>, Vec<Operand>)>,
    pub switches: Vec<Switch>,
    pub returns: Vec<Vec<Slot>>,
    pub pads: Vec<Pad>,
    pub allocas: Vec<Alloca>,
    pub texts: Vec<String>,
    pub block_starts: Vec<u32>,
    /// What becomes of each value, once somebody has asked.
    pub uses: OnceLock<Vec<Use>>,
}

/// What a slice says of an instruction: see `invisible` and `weakest`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// It only accesses what no other thread needs to know of.
    pub invisible: bool,
    /// It is a jump of which nobody can tell which way it went.
    pub dont_care_branches: bool,
    /// Nothing in the slice depends on what it does.
    pub outside: bool,
    /// Something that matters may be done here or later, in this function or below.
    pub ahead: bool,
    /// The same, once a call that is made here has returned.
    pub ahead_after: bool,
    /// What it reads from memory is in the slice.
    pub reads: bool,
    /// What it writes to memory is in the slice.
    pub writes: bool,
    /// It reads where it writes.
    pub updates: bool,
    /// It is a lock or unlock of which nobody can tell.
    pub elidable: bool,
    /// Where it reads and writes can be told without knowing where pointers point.
    pub certain: bool,
    /// By itself it may do something that matters, whatever depends on it: fail, wait, let others
    /// go on, end something.
    pub acts: bool,
}

#[derive(Clone)]
pub struct Constant {
    pub width: u32,
    pub bits: u128,
}

#[derive(Clone, Copy)]
pub struct Operand {
    pub slot: Slot,
    pub ty: Type,
}

/// `base + constant + sum of index * scale`.
#[derive(Clone)]
pub struct Offsets {
    pub constant: i64,
    pub indices: Vec<(Slot, u8, i64)>,
}

#[derive(Clone)]
pub struct Call {
    pub target: CallTarget,
    pub args: Vec<Operand>,
    pub results: Vec<Operand>,
}

#[derive(Clone)]
pub enum CallTarget {
    Direct(FuncId),
    Indirect(Slot),
}

#[derive(Clone)]
pub struct Switch {
    pub value: Slot,
    pub bits: u8,
    pub cases: Vec<(u128, Edge)>,
    pub default: Edge,
}

#[derive(Clone)]
pub struct Pad {
    pub edge: Edge,
    pub exception: Slot,
    pub selector: Slot,
    pub cleanup: bool,
    pub catches: Vec<Slot>,
    pub filters: Vec<Vec<Slot>>,
}

#[derive(Clone)]
pub struct Alloca {
    pub size: u64,
    pub count: Option<(Slot, u8)>,
    pub align: u64,
    pub var: Option<ir::debug::VarId>,
    /// Its address may outlive the frame.
    pub leaks: bool,
    /// Where something outside the slice may write to it.
    pub loose: Vec<Loose>,
}

/// A jump: copy registers, then go on at `pc`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge {
    pub pc: u32,
    /// Index into `Function::moves` plus one; 0: none.
    pub moves: u32,
    /// For a jump to the head of a loop.
    pub round: Option<Round>,
}

/// How a jump to the head of a loop counts.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// The kind in the two highest bits, the register that counts iterations in the others.
    packed: NonZeroU32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundKind {
    /// It enters the loop.
    Entry,
    /// It goes back to the head, which every way to here has passed.
    Back,
    /// It goes back to a head that can be gone round. What was computed before the loop may have
    /// been computed anew.
    Odd,
}

impl Round {
    pub fn new(kind: RoundKind, counter: u32) -> Round {
        let kind = match kind {
            RoundKind::Entry => 1,
            RoundKind::Back => 2,
            RoundKind::Odd => 3,
        };
        let packed = NonZeroU32::new(kind << 30 | counter).expect("a kind is not zero");
        Round { packed }
    }

    #[inline(always)]
    pub fn kind(self) -> RoundKind {
        match self.packed.get() >> 30 {
            1 => RoundKind::Entry,
            2 => RoundKind::Back,
            _ => RoundKind::Odd,
        }
    }

    #[inline(always)]
    pub fn counter(self) -> usize {
        (self.packed.get() & 0x3fff_ffff) as usize
    }
}

#[derive(Clone, Copy)]
pub enum Code {
    Bin {
        op: BinOp,
        bits: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Cmp {
        op: CmpOp,
        bits: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Cast {
        op: Cast,
        from: u8,
        to: u8,
        dst: Slot,
        src: Slot,
    },
    Select {
        dst: Slot,
        cond: Slot,
        a: Slot,
        b: Slot,
        bits: u8,
    },
    FloatBin {
        op: FloatBin,
        ty: Type,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    FloatCmp {
        op: FloatCmp,
        ty: Type,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    FloatUnary {
        op: FloatUnary,
        ty: Type,
        dst: Slot,
        src: Slot,
    },
    FloatCast {
        op: FloatCast,
        from: Type,
        to: Type,
        dst: Slot,
        src: Slot,
    },
    /// Constant offset only.
    AddConst {
        dst: Slot,
        base: Slot,
        offset: i64,
    },
    /// One index, no constant.
    AddIndex {
        dst: Slot,
        base: Slot,
        index: Slot,
        bits: u8,
        scale: i32,
    },
    AddOffsets {
        dst: Slot,
        base: Slot,
        offsets: u32,
    },
    /// The access that follows goes to the object that `base` points to: see `bases`.
    Within {
        base: Slot,
        ptr: Slot,
        bytes: u32,
    },
    /// The same for an address that is a constant.
    WithinGlobal {
        global: GlobalId,
        ptr: Slot,
    },
    Load {
        dst: Slot,
        ptr: Slot,
        bits: u8,
        atomic: Option<MemoryOrder>,
        invisible: bool,
        /// What it reads is in a slice.
        noted: bool,
        /// It may come to where it is a guest.
        roams: bool,
    },
    Store {
        ptr: Slot,
        value: Slot,
        bits: u8,
        atomic: Option<MemoryOrder>,
        invisible: bool,
        /// What it writes is not in a slice.
        noted: bool,
        /// It may come to where it is a guest.
        roams: bool,
    },
    Rmw {
        op: RmwOp,
        ty: Type,
        dst: Slot,
        ptr: Slot,
        value: Slot,
        order: MemoryOrder,
    },
    CmpXchg {
        old: Slot,
        success: Slot,
        ptr: Slot,
        expected: Slot,
        new: Slot,
        bits: u8,
        orders: [MemoryOrder; 2],
    },
    Fence(MemoryOrder),
    Alloca {
        dst: Slot,
        alloca: u32,
    },
    TlsAddr {
        dst: Slot,
        global: GlobalId,
    },
    Call {
        call: u32,
    },
    Intrinsic {
        intrinsic: u32,
    },
    Undef {
        dst: Slot,
        bits: u8,
    },
    UnsupportedAssembly {
        text: u32,
    },
    UnsupportedInstruction {
        text: u32,
    },
    Jump(Edge),
    CondBr {
        cond: Slot,
        then: Edge,
        other: Edge,
    },
    Switch {
        switch: u32,
    },
    IndirectBr {
        addr: Slot,
    },
    Ret {
        values: u32,
    },
    Invoke {
        call: u32,
        normal: Edge,
        pad: u32,
    },
    Resume {
        exception: Slot,
        selector: Slot,
    },
    Unreachable,
}

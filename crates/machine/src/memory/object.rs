//! Objects: what was allocated, by whom, and whether it is still alive.

use serde::{Deserialize, Serialize};

use ir::debug::{LocId, VarId};
use ir::{FuncId, GlobalId};

use crate::memory::ArenaId;
use crate::thread::ThreadId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId {
    pub arena: ArenaId,
    pub index: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    pub base: u64,
    pub size: u64,
    pub kind: ObjectKind,
    pub live: bool,
    /// How many objects its arena had given out before.
    pub serial: u32,
}

impl Object {
    pub fn contains(&self, address: u64, bytes: u64) -> bool {
        address >= self.base
            && address - self.base <= self.size
            && self.size - (address - self.base) >= bytes
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Global(GlobalId),
    ThreadLocal(GlobalId, ThreadId),
    Function(FuncId),
    Stack {
        function: FuncId,
        var: Option<VarId>,
    },
    Heap {
        thread: ThreadId,
        /// Where it was allocated.
        loc: LocId,
    },
    /// Made by Sleave itself: `argv`, variable arguments, standard streams.
    Internal(&'static str),
}

/// Who may free it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    Heap,
    Other,
}

impl ObjectKind {
    pub fn region(self) -> Region {
        match self {
            ObjectKind::Heap { .. } => Region::Heap,
            _ => Region::Other,
        }
    }
}

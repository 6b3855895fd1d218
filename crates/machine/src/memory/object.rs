//! Objects: what was allocated, in which arena, and whether it is still alive.

use serde::{Deserialize, Serialize};

use ir::debug::{LocId, VarId};
use ir::{FuncId, GlobalId};

use crate::memory::{ArenaId, LARGEST};
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

impl ObjectId {
    /// Of an object that is too large to be held: its index counts those alone.
    pub const FAR: u32 = 1 << 31;

    pub fn far_index(self) -> Option<usize> {
        (self.index >= ObjectId::FAR).then_some((self.index - ObjectId::FAR) as usize)
    }
}

impl Object {
    /// How many of its bytes are held: none if it is far.
    pub fn held_size(&self) -> u64 {
        if self.size > LARGEST { 0 } else { self.size }
    }

    /// Where another one may begin, if it is far.
    pub fn far_end(&self) -> u64 {
        self.base + self.size.next_multiple_of(64) + 64
    }

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
    /// A text from the environment (see `text`).
    Text(&'static str),
    /// A variable that the program declares and does not define.
    Undefined(GlobalId),
}

/// How it was allocated, which decides how it may be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    Heap,
    Other,
}

impl ObjectKind {
    /// Whether it is no plain data.
    pub fn is_special(self) -> bool {
        matches!(
            self,
            ObjectKind::Function(_) | ObjectKind::Text(_) | ObjectKind::Undefined(_)
        )
    }

    pub fn region(self) -> Region {
        match self {
            ObjectKind::Heap { .. } => Region::Heap,
            _ => Region::Other,
        }
    }
}

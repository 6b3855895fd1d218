//! The undo log. One mutable machine; whatever it overwrites is saved here first, once per decision, and restored on backtracking.
//!
//! The *depth* is the number of open decisions. A chunk of memory, a frame or a thread carries the depth at which it was last
//! saved; it is saved again only when written at a greater depth. Undoing restores these stamps too, so nothing is ever
//! stamped deeper than the current depth, and at depth 0 nothing is logged at all.

use crate::memory::{ArenaId, Chunk, Object, ObjectId, SymByte};
use crate::sharing::Record;
use crate::thread::{Frame, ThreadId, ThreadState};
use crate::value::Value;

#[derive(Debug)]
pub enum Undo {
    /// Bytes and page are in [`Saved`].
    Chunk {
        arena: ArenaId,
        index: u32,
        chunk: Chunk,
    },
    Allocate {
        arena: ArenaId,
        len: usize,
        objects: usize,
        serial: u32,
    },
    Shrink {
        arena: ArenaId,
        len: usize,
        objects: Box<[Object]>,
    },
    Object {
        id: ObjectId,
        old: Object,
    },
    /// The frame as it was; its registers are in `Trail::values`.
    Frame {
        thread: ThreadId,
        index: u32,
        frame: Frame,
        registers: u32,
    },
    PushFrame {
        thread: ThreadId,
    },
    /// A frame was left. Its contents are restored by an earlier entry if they matter.
    PopFrame {
        thread: ThreadId,
        frame: Frame,
        registers: u32,
    },
    /// Its state is in [`Saved`].
    Thread {
        thread: ThreadId,
    },
    /// A thread was made.
    Born {
        thread: ThreadId,
    },
    /// An access record was added to a chunk's list, or replaced.
    Record {
        chunk: u64,
        index: u32,
        old: Option<Record>,
    },
}

#[derive(Default)]
pub struct Saved {
    pub bytes: Vec<[u8; 64]>,
    pub pages: Vec<[SymByte; 64]>,
    pub threads: Vec<ThreadState>,
}

#[derive(Default)]
pub struct Trail {
    entries: Vec<Undo>,
    pub saved: Saved,
    pub values: Vec<Value>,
    depth: u32,
}

impl Trail {
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[inline]
    pub fn push(&mut self, undo: Undo) {
        self.entries.push(undo);
    }

    /// Logs unless nothing can be undone anyway.
    #[inline]
    pub fn push_if_deep(&mut self, undo: impl FnOnce() -> Undo) {
        if self.depth > 0 {
            self.entries.push(undo());
        }
    }

    pub fn pop(&mut self) -> Option<Undo> {
        self.entries.pop()
    }

    pub fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
    }
}

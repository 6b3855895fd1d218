//! The undo log. One mutable machine; whatever it overwrites is saved here first, once per
//! decision, and restored on backtracking.
//!
//! The *depth* is the number of open decisions. A chunk of memory, a frame or a thread carries the
//! depth at which it was last saved; it is saved again only when written at a greater depth.
//! Undoing restores these stamps too, so nothing is ever stamped deeper than the current depth, and
//! at depth 0 nothing is logged at all.

use crate::memory::{ArenaId, Chunk, Object, ObjectId, SymByte, Uses};
use crate::sharing::Record;
use crate::thread::{Clock, Frame, HotState, ThreadId, ThreadState};
use crate::value::Value;

#[derive(Clone, Copy, Debug)]
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
    /// An object that is too large to be held.
    AllocateFar {
        arena: ArenaId,
    },
    /// The objects that were given up are in [`Saved`]; `objects` is their number.
    Shrink {
        arena: ArenaId,
        len: usize,
        objects: usize,
    },
    /// The object as it was is in [`Saved`].
    Object {
        id: ObjectId,
    },
    /// The frame as it was, and its registers, are in [`Saved`].
    Frame {
        thread: ThreadId,
        index: u32,
        registers: u32,
    },
    /// A thread was let run: as for a frame and a status together.
    Step {
        thread: ThreadId,
        index: u32,
        registers: u32,
        hot: HotState,
    },
    PushFrame {
        thread: ThreadId,
    },
    /// A frame was left; it is in [`Saved`]. Its registers are restored by an earlier entry if they
    /// matter.
    PopFrame {
        thread: ThreadId,
    },
    HotState {
        thread: ThreadId,
        hot: HotState,
    },
    /// Another thread joined it; `time` is what that thread knew of its clock before.
    Joined {
        thread: ThreadId,
        by: ThreadId,
        time: u32,
    },
    /// Its clock is in [`Saved`].
    Clock {
        thread: ThreadId,
    },
    /// One component of its clock.
    Time {
        thread: ThreadId,
        index: u32,
        time: u32,
    },
    Result {
        thread: ThreadId,
        value: Value,
    },
    /// Its state is in [`Saved`].
    Thread {
        thread: ThreadId,
    },
    /// A thread was made.
    Born {
        thread: ThreadId,
    },
    /// An access record was added to a chunk's list, or replaced; the old one is in [`Saved`].
    Record {
        arena: ArenaId,
        chunk: u32,
        index: u32,
    },
}

/// The larger parts of entries, each kind on its own stack.
#[derive(Default)]
pub struct Saved {
    pub bytes: Vec<[u8; 64]>,
    pub pages: Vec<[SymByte; 64]>,
    pub threads: Vec<ThreadState>,
    pub frames: Vec<Frame>,
    pub registers: Vec<Value>,
    pub clocks: Vec<Clock>,
    pub objects: Vec<Object>,
    pub uses: Vec<Uses>,
    pub records: Vec<Option<Record>>,
}

#[derive(Default)]
pub struct Trail {
    entries: Vec<Undo>,
    pub saved: Saved,
    /// Changes of memory and threads since the running thread was let run, apart from frames and
    /// registers.
    pub effects: u32,
    /// Writes since then that left everything as it was.
    pub silent: u32,
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

    /// Logs where a thread stands, before it changes for the first time at this depth.
    #[inline]
    pub fn save_hot_state(&mut self, thread: ThreadId, hot: &mut HotState) {
        if hot.saved_at != self.depth {
            self.entries.push(Undo::HotState { thread, hot: *hot });
            hot.saved_at = self.depth;
        }
    }

    /// Logs unless there is no decision to go back to.
    #[inline]
    pub fn push_if_deep(&mut self, undo: impl FnOnce() -> Undo) {
        if self.depth > 0 {
            self.entries.push(undo());
        }
    }

    /// The entries after the first `len`.
    pub fn since(&self, len: usize) -> &[Undo] {
        &self.entries[len..]
    }

    /// Hands out all entries, so that the last ones can be undone.
    #[inline]
    pub fn take(&mut self) -> Vec<Undo> {
        std::mem::take(&mut self.entries)
    }

    /// Takes back the entries that are left.
    #[inline]
    pub fn put(&mut self, entries: Vec<Undo>) {
        self.entries = entries;
    }

    pub fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
    }
}

//! Which bytes of memory are *visible*: worth a scheduling point.
//!
//! An access is visible only if another thread may access the same byte at the same time, one of the two writing. Which bytes
//! these are is not guessed from pointers but observed: every access outside the set is recorded with the thread and its
//! position among thread creations and joins. When two recorded accesses of different threads to one byte, at least one of
//! them a write, are not ordered by creation and join, the byte joins the set and the search starts over with the larger set.
//!
//! Soundness: let S be the set of a search that ran to its end without adding to S, and suppose some execution has two such
//! accesses to a byte outside S. Take a shortest one. Up to its last event all accesses outside S are unordered with no
//! conflicting one, hence commute with the other threads' events, and the execution is equivalent to a prefix of one in
//! which every such access directly follows its thread's previous visible event: that one was searched, and the
//! pair was recorded. So there is no such execution, and scheduling points at S alone reach every state that matters.
//! A run that ends early (fault, bound) hides nothing: a fault is reported, and a bound makes the verdict `unknown`.
//! Checked by the differential campaign against the reference interpreter.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::memory::AccessKind;
use crate::thread::ThreadId;

/// Visible bytes: address of a chunk -> mask of its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedSet {
    chunks: std::collections::BTreeMap<u64, u64>,
}

impl SharedSet {
    pub fn mask(&self, chunk: u64) -> u64 {
        self.chunks.get(&chunk).copied().unwrap_or(0)
    }

    pub fn overlaps(&self, address: u64, bytes: u64) -> bool {
        (address..address + bytes).any(|a| self.mask(a - a % 64) >> (a % 64) & 1 == 1)
    }

    pub fn insert(&mut self, chunk: u64, mask: u64) {
        *self.chunks.entry(chunk).or_default() |= mask;
    }

    pub fn bytes(&self) -> u64 {
        self.chunks
            .values()
            .map(|m| u64::from(m.count_ones()))
            .sum()
    }
}

/// A thread's accesses to a chunk between two of its creations, joins or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub thread: ThreadId,
    /// The thread's own component of its clock.
    pub time: u32,
    pub read: u64,
    pub written: u64,
}

/// Accesses to bytes outside the set, on the current path.
#[derive(Default)]
pub struct Records {
    by_chunk: FxHashMap<u64, Vec<Record>>,
}

/// What [`Records::add`] changed, to be undone.
pub struct Change {
    pub index: u32,
    pub old: Option<Record>,
}

impl Records {
    /// Bytes of `mask` that conflict with an access of another thread that `clock` does not know to be over.
    pub fn conflicts(
        &self,
        chunk: u64,
        mask: u64,
        kind: AccessKind,
        thread: ThreadId,
        clock: &[u32],
    ) -> u64 {
        let Some(records) = self.by_chunk.get(&chunk) else {
            return 0;
        };
        let mut found = 0;
        for record in records {
            let known = clock.get(record.thread.index()).copied().unwrap_or(0);
            if record.thread == thread || record.time <= known {
                continue;
            }
            found |= mask
                & match kind {
                    AccessKind::Read => record.written,
                    AccessKind::Write => record.read | record.written,
                };
        }
        found
    }

    /// Remembers an access; `None` if it was known already.
    pub fn add(
        &mut self,
        chunk: u64,
        mask: u64,
        kind: AccessKind,
        thread: ThreadId,
        time: u32,
    ) -> Option<Change> {
        let records = self.by_chunk.entry(chunk).or_default();
        let (read, written) = match kind {
            AccessKind::Read => (mask, 0),
            AccessKind::Write => (0, mask),
        };
        let found = records
            .iter()
            .position(|r| r.thread == thread && r.time == time);
        match found {
            Some(index) => {
                let old = records[index];
                if old.read | read == old.read && old.written | written == old.written {
                    return None;
                }
                records[index].read |= read;
                records[index].written |= written;
                Some(Change {
                    index: index as u32,
                    old: Some(old),
                })
            }
            None => {
                records.push(Record {
                    thread,
                    time,
                    read,
                    written,
                });
                Some(Change {
                    index: records.len() as u32 - 1,
                    old: None,
                })
            }
        }
    }

    pub fn undo(&mut self, chunk: u64, index: u32, old: Option<Record>) {
        let records = self.by_chunk.get_mut(&chunk).expect("a recorded chunk");
        match old {
            Some(record) => records[index as usize] = record,
            None => {
                debug_assert_eq!(records.len(), index as usize + 1);
                records.pop();
            }
        }
    }
}

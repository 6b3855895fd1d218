//! Which bytes of memory are *visible*: worth a scheduling point.
//!
//! An access is visible only if another thread may access the same byte at the same time, one of
//! the two writing. Which bytes these are is not guessed from pointers but observed: every access
//! outside the set is recorded with the thread and its position among thread creations and joins.
//! When two recorded accesses of different threads to one byte, at least one of them a write, are
//! not ordered by creation and join, the byte joins the set and the search starts over with the
//! larger set.
//!
//! Soundness: let S be the set of a search that ran to its end without adding to S, and suppose
//! some execution has two such accesses to a byte outside S. Take a shortest one. Up to its last
//! event all accesses outside S are unordered with no conflicting one, hence commute with the other
//! threads' events, and the execution is equivalent to a prefix of one in which every such access
//! directly follows its thread's previous visible event: that one was searched, and the pair was
//! recorded. So there is no such execution, and scheduling points at S alone reach every state that
//! matters. A run that ends early (fault, bound) hides nothing: a fault is reported, and a bound
//! makes the verdict `unknown`. Checked by the differential campaign against the reference
//! interpreter.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::memory::{AccessKind, ArenaId};
use crate::thread::ThreadId;

/// Visible bytes: a mask of the bytes of each chunk, by its address.
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

    pub fn insert_range(&mut self, address: u64, bytes: u64) {
        for at in address..address + bytes {
            self.insert(at - at % 64, 1 << (at % 64));
        }
    }

    /// The addresses that are not in `other`.
    pub fn beyond(&self, other: &SharedSet) -> Vec<u64> {
        let chunks = self.chunks.iter().map(|(c, m)| (*c, m & !other.mask(*c)));
        chunks
            .flat_map(|(c, m)| (0..64).filter(move |b| m >> b & 1 == 1).map(move |b| c + b))
            .collect()
    }

    pub fn add(&mut self, other: &SharedSet) {
        for (chunk, mask) in &other.chunks {
            self.insert(*chunk, *mask);
        }
    }

    pub fn bytes(&self) -> u64 {
        self.chunks
            .values()
            .map(|m| u64::from(m.count_ones()))
            .sum()
    }
}

/// In what manner bytes are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Read,
    Write,
    /// By a lock that leaves nothing in memory. It conflicts with all but other locks.
    Lock,
}

impl From<AccessKind> for Manner {
    #[inline(always)]
    fn from(kind: AccessKind) -> Manner {
        match kind {
            AccessKind::Read => Manner::Read,
            AccessKind::Write => Manner::Write,
        }
    }
}

/// A thread's accesses to a chunk between two of its creations, joins or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub thread: ThreadId,
    /// The thread's own component of its clock.
    pub time: u32,
    pub read: u64,
    pub written: u64,
    /// See [`Manner::Lock`].
    #[serde(default)]
    pub locked: u64,
    /// The section of the search in which it was last said to be accessed (see
    /// `Machine::log_again`).
    #[serde(skip)]
    pub stamp: u32,
}

impl Record {
    fn covers(&self, mask: u64, manner: Manner) -> bool {
        let known = match manner {
            Manner::Read => self.read,
            Manner::Write => self.written,
            Manner::Lock => self.locked,
        };
        mask & !known == 0
    }

    fn add(&mut self, mask: u64, manner: Manner) {
        match manner {
            Manner::Read => self.read |= mask,
            Manner::Write => self.written |= mask,
            Manner::Lock => self.locked |= mask,
        }
    }

    fn conflicts(&self, mask: u64, manner: Manner) -> u64 {
        mask & match manner {
            Manner::Read => self.written | self.locked,
            Manner::Write => self.read | self.written | self.locked,
            Manner::Lock => self.read | self.written,
        }
    }
}

/// Accesses to bytes outside the set, on the current path: for each arena and each of its chunks,
/// one record per thread and time. Few chunks have more than two.
#[derive(Default)]
pub struct Records {
    arenas: Vec<Vec<SmallVec<[Record; 2]>>>,
}

/// An access to some bytes of one chunk.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub arena: ArenaId,
    pub chunk: usize,
    pub mask: u64,
    pub manner: Manner,
    pub thread: ThreadId,
    pub clock: &'a [u32],
    pub stamp: u32,
}

/// What a thread accessed in a chunk, kept beyond its being undone (see `Machine::record_again`).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Recorded {
    pub(crate) arena: ArenaId,
    pub(crate) chunk: usize,
    pub(crate) record: Record,
}

impl Recorded {
    /// Takes the other's accesses over if they are of the same thread to the same chunk.
    pub fn absorb(&mut self, other: &Recorded) -> bool {
        let key = |r: &Recorded| (r.arena, r.chunk, r.record.thread);
        if key(self) != key(other) {
            return false;
        }
        self.record.read |= other.record.read;
        self.record.written |= other.record.written;
        self.record.locked |= other.record.locked;
        true
    }
}

/// What recording an access changed, to be undone.
pub struct Change {
    pub index: u32,
    pub old: Option<Record>,
}

impl Records {
    /// Remembers an access. The bytes that conflict with an access of another thread that the clock
    /// does not know to be over, and what was changed, if anything was.
    #[inline]
    pub fn add(&mut self, access: Access) -> (u64, Option<Change>) {
        if self.is_known(access) {
            return (0, None);
        }
        self.add_new(access)
    }

    /// What is known of a chunk.
    pub fn of(&self, arena: ArenaId, chunk: usize) -> &[Record] {
        let arena = self.arenas.get(arena.index());
        arena
            .and_then(|arena| arena.get(chunk))
            .map_or(&[], SmallVec::as_slice)
    }

    /// Whether no other thread has accessed the chunk.
    pub fn are_of(&self, thread: ThreadId, arena: ArenaId, chunk: usize) -> bool {
        let arena = self.arenas.get(arena.index());
        let records = arena.and_then(|arena| arena.get(chunk));
        records.is_none_or(|records| records.iter().all(|record| record.thread == thread))
    }

    /// Whether the thread has made the same access before, and no other thread has accessed the
    /// chunk.
    #[inline]
    fn is_known(&self, access: Access) -> bool {
        let Access {
            mask,
            manner,
            thread,
            ..
        } = access;
        let Some([first, others @ ..]) = self
            .arenas
            .get(access.arena.index())
            .and_then(|arena| arena.get(access.chunk))
            .map(SmallVec::as_slice)
        else {
            return false;
        };
        let time = access.clock[thread.index()];
        let is_logged = |r: &Record| r.stamp == access.stamp;
        let same = |r: &Record| {
            r.thread == thread && r.time == time && r.covers(mask, manner) && is_logged(r)
        };
        match others {
            [] => same(first),
            [second] => {
                first.thread == thread && same(second) || second.thread == thread && same(first)
            }
            _ => false,
        }
    }

    fn add_new(&mut self, access: Access) -> (u64, Option<Change>) {
        let Access {
            mask,
            manner,
            thread,
            clock,
            stamp,
            ..
        } = access;
        let records = self.of_chunk(access.arena, access.chunk);
        let time = clock[thread.index()];
        let mut conflicts = 0;
        let mut own = None;
        for (i, record) in records.iter().enumerate() {
            let known = clock.get(record.thread.index()).copied().unwrap_or(0);
            if record.thread == thread {
                if record.time == time {
                    own = Some(i);
                }
            } else if record.time > known {
                conflicts |= record.conflicts(mask, manner);
            }
        }
        let change = match own {
            Some(index) if records[index].covers(mask, manner) && records[index].stamp == stamp => {
                None
            }
            Some(index) => {
                let old = records[index];
                records[index].add(mask, manner);
                records[index].stamp = stamp;
                Some(Change {
                    index: index as u32,
                    old: Some(old),
                })
            }
            None => {
                let mut record = Record {
                    thread,
                    time,
                    read: 0,
                    written: 0,
                    locked: 0,
                    stamp,
                };
                record.add(mask, manner);
                records.push(record);
                Some(Change {
                    index: records.len() as u32 - 1,
                    old: None,
                })
            }
        };
        (conflicts, change)
    }

    #[inline]
    fn of_chunk(&mut self, arena: ArenaId, chunk: usize) -> &mut SmallVec<[Record; 2]> {
        let known = self.arenas.get(arena.index());
        if known.is_none_or(|chunks| chunks.len() <= chunk) {
            self.make_room(arena, chunk);
        }
        &mut self.arenas[arena.index()][chunk]
    }

    #[cold]
    fn make_room(&mut self, arena: ArenaId, chunk: usize) {
        if self.arenas.len() <= arena.index() {
            self.arenas.resize_with(arena.index() + 1, Vec::new);
        }
        let chunks = &mut self.arenas[arena.index()];
        if chunks.len() <= chunk {
            chunks.resize_with(chunk + 1, SmallVec::new);
        }
    }

    pub fn get(&self, arena: ArenaId, chunk: usize, index: u32) -> Record {
        self.arenas[arena.index()][chunk][index as usize]
    }

    pub fn undo(&mut self, arena: ArenaId, chunk: usize, index: u32, old: Option<Record>) {
        let records = self.of_chunk(arena, chunk);
        match old {
            Some(record) => records[index as usize] = record,
            None => {
                debug_assert_eq!(records.len(), index as usize + 1);
                records.pop();
            }
        }
    }
}

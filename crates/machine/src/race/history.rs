//! Accesses to shared memory on the current path that a later access may race with.
//!
//! Of two accesses by one thread from one place in the source, of one kind, to the same bytes, only
//! the later is kept: whatever is not ordered with the earlier is not ordered with the later
//! either. So no pair of places is lost, and the history of a chunk does not grow with the length
//! of the execution.

use ir::FuncId;
use ir::debug::LocId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::thread::{Clock, ThreadId};

/// What a thread did to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    Read,
    Write,
    /// An atomic read-modify-write, or an operation on a lock or the like.
    Update,
    Free,
    Initialise,
    Destroy,
    /// A function returns, and its locals are gone.
    EndOfLife,
}

impl Effect {
    pub fn writes(self) -> bool {
        self != Effect::Read
    }
}

/// One of two accesses that race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceAccess {
    pub thread: ThreadId,
    /// The innermost place in the user's own code.
    pub loc: LocId,
    pub effect: Effect,
    pub atomic: bool,
    pub address: u64,
    pub bytes: u64,
    /// Functions of the user's code and where they stand, innermost first. Only in a replay, like
    /// what follows.
    pub stack: Vec<(FuncId, LocId)>,
    /// Events recorded before.
    pub events: usize,
}

struct Entry {
    /// The thread's own time.
    time: u32,
    mask: u64,
    access: RaceAccess,
}

#[derive(Default)]
pub(super) struct History {
    chunks: FxHashMap<u64, Vec<Entry>>,
    log: Vec<Undo>,
}

enum Undo {
    Added {
        chunk: u64,
    },
    Replaced {
        chunk: u64,
        index: usize,
        old: Entry,
    },
}

impl History {
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    pub fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop().expect("an entry") {
                Undo::Added { chunk } => drop(self.entries(chunk).pop()),
                Undo::Replaced { chunk, index, old } => self.entries(chunk)[index] = old,
            }
        }
    }

    fn entries(&mut self, chunk: u64) -> &mut Vec<Entry> {
        self.chunks.entry(chunk).or_default()
    }

    /// The accesses to bytes of the chunk that an access at the moment `now` of its thread races
    /// with.
    pub fn conflicts<'a>(
        &'a self,
        chunk: u64,
        mask: u64,
        access: &'a RaceAccess,
        now: &'a Clock,
    ) -> impl Iterator<Item = &'a RaceAccess> {
        let entries = self.chunks.get(&chunk).map_or(&[][..], Vec::as_slice);
        let races = move |entry: &&Entry| {
            let other = &entry.access;
            entry.mask & mask != 0
                && other.thread != access.thread
                && (other.effect.writes() || access.effect.writes())
                && !(other.atomic && access.atomic)
                && entry.time > now.get(other.thread.index()).copied().unwrap_or(0)
        };
        entries.iter().filter(races).map(|entry| &entry.access)
    }

    pub fn add(&mut self, chunk: u64, mask: u64, access: RaceAccess, now: &Clock) {
        let time = now[access.thread.index()];
        let entries = self.chunks.entry(chunk).or_default();
        let is_same = |entry: &Entry| {
            let known = &entry.access;
            (
                entry.mask,
                known.thread,
                known.loc,
                known.effect,
                known.atomic,
            ) == (
                mask,
                access.thread,
                access.loc,
                access.effect,
                access.atomic,
            )
        };
        let known = entries.iter().position(is_same);
        let entry = Entry { time, mask, access };
        match known {
            Some(index) if entries[index].time == time => {}
            Some(index) => {
                let old = std::mem::replace(&mut entries[index], entry);
                self.log.push(Undo::Replaced { chunk, index, old });
            }
            None => {
                entries.push(entry);
                self.log.push(Undo::Added { chunk });
            }
        }
    }
}

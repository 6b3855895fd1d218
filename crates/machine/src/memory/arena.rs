//! One arena: bytes, chunks, objects. And the pages that say which term a symbolic byte belongs to.

use smt::TermId;

use crate::memory::Object;
use crate::thread::ThreadId;

/// Bytes in a chunk; one bit of `Chunk::mask` for each.
pub const CHUNK: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
pub struct Chunk {
    /// Bit i: byte i is symbolic or uninitialised.
    pub mask: u64,
    /// The decision depth at which the chunk was last saved or made.
    pub saved_at: u32,
    /// Page with the symbolic bytes; 0: none, and the masked bytes are uninitialised.
    pub sym: u32,
    /// Bytes that may be accessed; 0 for guards and dead objects.
    pub len: u8,
    pub readonly: bool,
    /// Bit i: byte i is visible to other threads.
    pub shared: u64,
}

/// What operations of a slice and others have done to a chunk (see `premises`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// Bit i: something in the slice has read byte i.
    pub matters: u64,
    /// Bit i: something outside the slice may write byte i.
    pub loose: u64,
    /// Bit i: byte i is part of an elidable mutex.
    pub elidable: u64,
    /// The thread that has accessed the chunk without a scheduling point, other than its own locals
    /// (see [`Uses::guest`](Uses::guest())); 0: none.
    pub guest: u16,
}

/// More than one guest.
const MANY: u16 = u16::MAX;

impl Uses {
    /// The number of a thread as a guest.
    #[inline(always)]
    pub fn guest(thread: ThreadId) -> u16 {
        u16::try_from(thread.0 + 1).unwrap_or(MANY)
    }

    /// What both say.
    #[inline(always)]
    pub fn and(self, other: Uses) -> Uses {
        let guest = match (self.guest, other.guest) {
            (guest, 0) | (0, guest) => guest,
            (a, b) if a == b => a,
            _ => MANY,
        };
        Uses {
            matters: self.matters | other.matters,
            loose: self.loose | other.loose,
            elidable: self.elidable | other.elidable,
            guest,
        }
    }

    /// Whether one byte is two of these.
    pub fn contradict(self) -> bool {
        self.matters & (self.loose | self.elidable) | self.loose & self.elidable != 0
    }
}

#[derive(Default)]
pub struct Arena {
    pub bytes: Vec<u8>,
    pub chunks: Vec<Chunk>,
    /// One for each chunk, if uses are noted.
    pub uses: Vec<Uses>,
    /// In the order of their addresses.
    pub objects: Vec<Object>,
    /// Objects allocated so far on this path, dead ones included.
    pub serial: u32,
}

impl Arena {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn footprint(&self) -> usize {
        self.bytes.capacity() + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// Extends to `len` bytes, all of them guard.
    pub fn grow(&mut self, len: usize, depth: u32, notes: bool) {
        self.bytes.resize(len, 0);
        let fresh = Chunk {
            saved_at: depth,
            ..Chunk::default()
        };
        self.chunks.resize(len / CHUNK, fresh);
        if notes {
            self.uses.resize(len / CHUNK, Uses::default());
        }
    }

    pub fn shrink(&mut self, len: usize, objects: usize, pages: &mut SymPages) {
        for chunk in &self.chunks[len / CHUNK..] {
            if chunk.sym != 0 {
                pages.release(chunk.sym);
            }
        }
        self.bytes.truncate(len);
        self.chunks.truncate(len / CHUNK);
        self.uses.truncate(len / CHUNK);
        self.objects.truncate(objects);
    }
}

/// Byte `index` of `term`, counted from the least significant. `term` 0: uninitialised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymByte {
    pub term: TermId,
    pub index: u8,
}

pub type SymPage = [SymByte; CHUNK];

/// Pool of pages. Page 0 is never used.
pub struct SymPages {
    pages: Vec<SymPage>,
    free: Vec<u32>,
}

impl SymPages {
    pub fn new() -> SymPages {
        SymPages {
            pages: vec![[SymByte::default(); CHUNK]],
            free: Vec::new(),
        }
    }

    /// A page of uninitialised bytes.
    pub fn take(&mut self) -> u32 {
        if let Some(page) = self.free.pop() {
            self.pages[page as usize] = [SymByte::default(); CHUNK];
            return page;
        }
        self.pages.push([SymByte::default(); CHUNK]);
        (self.pages.len() - 1) as u32
    }

    pub fn release(&mut self, page: u32) {
        self.free.push(page);
    }

    pub fn get(&self, page: u32) -> &SymPage {
        &self.pages[page as usize]
    }

    pub fn get_mut(&mut self, page: u32) -> &mut SymPage {
        &mut self.pages[page as usize]
    }
}

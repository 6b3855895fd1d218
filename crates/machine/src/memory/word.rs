//! Plain words inside one chunk: the fast paths of reads and writes.

use super::{Arena, ArenaId, CHUNK, Chunk, Memory, Uses};
use crate::trail::Trail;

/// Some bytes inside one chunk that may be accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InChunk {
    pub arena: ArenaId,
    pub chunk: usize,
    start: usize,
    /// Bit i: byte i of the chunk is one of them.
    pub mask: u64,
    /// Those that are visible to other threads.
    pub shared: u64,
}

/// The kind of an access, for the premises of a slice: a use that is not known yet is noted on the
/// general path (see `premises`).
#[derive(Clone, Copy, Default)]
pub struct By {
    /// In the slice, for a load; outside of it, for a store.
    pub noted: bool,
    /// The thread as a guest; 0: it is none.
    pub guest: u16,
}

impl By {
    /// Whether a read of these bytes is a use that is not known yet.
    #[inline(always)]
    fn reads_anew(self, arena: &Arena, chunk: usize, mask: u64) -> bool {
        self.is_new(arena, chunk, |uses| uses.matters, mask)
    }

    #[inline(always)]
    fn writes_anew(self, arena: &Arena, chunk: usize, mask: u64) -> bool {
        self.is_new(arena, chunk, |uses| uses.loose, mask)
    }

    #[inline(always)]
    fn is_new(self, arena: &Arena, chunk: usize, known: fn(&Uses) -> u64, mask: u64) -> bool {
        if !self.noted && self.guest == 0 {
            return false;
        }
        let uses = arena.uses.get(chunk);
        uses.is_some_and(|uses| {
            self.noted && mask & !known(uses) != 0 || self.guest != 0 && self.guest != uses.guest
        })
    }
}

/// The bits of a chunk's mask for `bytes` bytes from `start`.
#[inline(always)]
pub fn byte_mask(start: usize, bytes: usize) -> u64 {
    let ones = if bytes >= 64 {
        u64::MAX
    } else {
        (1 << bytes) - 1
    };
    ones << start
}

impl Memory {
    /// The fast path: `bytes` plain bytes of one chunk that no other thread can see. Not if this is
    /// a `use` that is not known yet.
    #[inline(always)]
    pub fn load_plain(&self, address: u64, bytes: u32, by: By) -> Option<u64> {
        let (arena, offset) = self.space.locate(address)?;
        let a = self.arenas.get(arena.index())?;
        let offset = offset as usize;
        let chunk = a.chunks.get(offset / CHUNK)?;
        let start = offset % CHUNK;
        let bytes = bytes as usize;
        let mask = byte_mask(start, bytes);
        if start + bytes > chunk.len as usize
            || (chunk.mask | chunk.shared) & mask != 0
            || by.reads_anew(a, offset / CHUNK, mask)
        {
            return None;
        }
        Some(read_word(&a.bytes[offset..offset + bytes]))
    }

    /// The fast path of a store. `false`: nothing was done.
    #[inline(always)]
    pub fn store_plain(
        &mut self,
        trail: &mut Trail,
        address: u64,
        bytes: u32,
        bits: u64,
        by: By,
    ) -> bool {
        let Some((arena, offset)) = self.space.locate(address) else {
            return false;
        };
        let offset = offset as usize;
        let bytes = bytes as usize;
        let start = offset % CHUNK;
        let Some(a) = self.arenas.get_mut(arena.index()) else {
            return false;
        };
        let Some(chunk) = a.chunks.get(offset / CHUNK) else {
            return false;
        };
        let mask = byte_mask(start, bytes);
        if start + bytes > chunk.len as usize
            || chunk.shared & mask != 0
            || chunk.readonly
            || by.writes_anew(a, offset / CHUNK, mask)
        {
            return false;
        }
        if chunk.saved_at != trail.depth() {
            self.save_chunk(trail, arena, offset / CHUNK);
        }
        let a = &mut self.arenas[arena.index()];
        a.chunks[offset / CHUNK].mask &= !mask;
        write_word(&mut a.bytes[offset..offset + bytes], bits);
        true
    }

    /// Where `bytes` bytes lie that can be read as they are.
    #[inline(always)]
    pub fn plain_chunk(&self, address: u64, bytes: u32, by: By) -> Option<InChunk> {
        let (place, chunk) = self.inside_chunk(address, bytes)?;
        let arena = &self.arenas[place.arena.index()];
        let is_known = !by.reads_anew(arena, place.chunk, place.mask);
        (chunk.mask & place.mask == 0 && is_known).then_some(place)
    }

    /// Where `bytes` bytes lie that can be written.
    #[inline(always)]
    pub fn writable_chunk(&self, address: u64, bytes: u32, by: By) -> Option<InChunk> {
        let (place, chunk) = self.inside_chunk(address, bytes)?;
        let arena = &self.arenas[place.arena.index()];
        let is_known = !by.writes_anew(arena, place.chunk, place.mask);
        (!chunk.readonly && is_known).then_some(place)
    }

    /// Where `bytes` bytes lie.
    pub fn in_chunk(&self, address: u64, bytes: u32) -> Option<InChunk> {
        self.inside_chunk(address, bytes).map(|(place, _)| place)
    }

    /// What is there, if it can be read as it is and is visible to other threads.
    #[inline(always)]
    pub fn read_visible(&self, place: InChunk, bytes: u32) -> Option<u64> {
        self.read_visible_of(place, bytes, |_| true)
    }

    /// The same, if it can be written, too.
    #[inline(always)]
    pub fn read_writable_visible(&self, place: InChunk, bytes: u32) -> Option<u64> {
        self.read_visible_of(place, bytes, |chunk| !chunk.readonly)
    }

    #[inline(always)]
    fn read_visible_of(
        &self,
        place: InChunk,
        bytes: u32,
        is_right: impl FnOnce(&Chunk) -> bool,
    ) -> Option<u64> {
        let a = self.arenas.get(place.arena.index())?;
        let chunk = a.chunks.get(place.chunk)?;
        let is_visible = chunk.shared & place.mask == place.mask;
        if !is_visible
            || place.start + bytes as usize > chunk.len as usize
            || chunk.mask & place.mask != 0
            || !is_right(chunk)
        {
            return None;
        }
        let offset = place.chunk * CHUNK + place.start;
        Some(read_word(&a.bytes[offset..offset + bytes as usize]))
    }

    /// What is there, if it can be read as it is and no other thread sees it.
    #[inline]
    pub fn read_hidden(&self, place: InChunk, bytes: u32) -> Option<u64> {
        let a = self.arenas.get(place.arena.index())?;
        let chunk = a.chunks.get(place.chunk)?;
        if place.start + bytes as usize > chunk.len as usize
            || (chunk.mask | chunk.shared) & place.mask != 0
        {
            return None;
        }
        Some(self.read_in(place, bytes))
    }

    /// Whether it can be written and is visible to other threads.
    #[inline(always)]
    pub fn is_writable_visible(&self, place: InChunk, bytes: u32) -> bool {
        let arena = self.arenas.get(place.arena.index());
        let chunk = arena.and_then(|a| a.chunks.get(place.chunk));
        chunk.is_some_and(|chunk| {
            chunk.shared & place.mask == place.mask
                && place.start + bytes as usize <= chunk.len as usize
                && !chunk.readonly
        })
    }

    #[inline(always)]
    fn inside_chunk(&self, address: u64, bytes: u32) -> Option<(InChunk, &Chunk)> {
        let (arena, offset) = self.space.locate(address)?;
        let index = offset as usize / CHUNK;
        let chunk = self.arenas.get(arena.index())?.chunks.get(index)?;
        let start = offset as usize % CHUNK;
        let mask = byte_mask(start, bytes as usize);
        let place = InChunk {
            arena,
            chunk: index,
            start,
            mask,
            shared: chunk.shared & mask,
        };
        (start + bytes as usize <= chunk.len as usize).then_some((place, chunk))
    }

    #[inline(always)]
    pub fn read_in(&self, place: InChunk, bytes: u32) -> u64 {
        let offset = place.chunk * CHUNK + place.start;
        read_word(&self.arenas[place.arena.index()].bytes[offset..offset + bytes as usize])
    }

    #[inline(always)]
    pub fn write_in(&mut self, trail: &mut Trail, place: InChunk, bytes: u32, bits: u64) {
        let a = &mut self.arenas[place.arena.index()];
        let chunk = &mut a.chunks[place.chunk];
        let offset = place.chunk * CHUNK + place.start;
        let held = read_word(&a.bytes[offset..offset + bytes as usize]);
        if held == bits && chunk.mask & place.mask == 0 {
            // Nothing changes.
            trail.silent += 1;
            return;
        }
        if chunk.saved_at == trail.depth() {
            trail.effects += 1;
            chunk.mask &= !place.mask;
        } else {
            self.save_chunk(trail, place.arena, place.chunk);
            self.arenas[place.arena.index()].chunks[place.chunk].mask &= !place.mask;
        }
        let a = &mut self.arenas[place.arena.index()];
        write_word(&mut a.bytes[offset..offset + bytes as usize], bits);
    }
}

#[inline(always)]
pub(crate) fn read_word(data: &[u8]) -> u64 {
    match data.len() {
        4 => u64::from(u32::from_le_bytes(data.try_into().expect("four bytes"))),
        8 => u64::from_le_bytes(data.try_into().expect("eight bytes")),
        1 => u64::from(data[0]),
        _ => {
            let mut word = [0; 8];
            word[..data.len()].copy_from_slice(data);
            u64::from_le_bytes(word)
        }
    }
}

#[inline(always)]
fn write_word(data: &mut [u8], bits: u64) {
    match data.len() {
        4 => data.copy_from_slice(&(bits as u32).to_le_bytes()),
        8 => data.copy_from_slice(&bits.to_le_bytes()),
        1 => data[0] = bits as u8,
        n => data.copy_from_slice(&bits.to_le_bytes()[..n]),
    }
}

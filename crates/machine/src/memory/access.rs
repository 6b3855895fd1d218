//! Reads and writes of memory. Nothing here knows of threads: visibility and scheduling are decided
//! before.

use smt::{TermId, Terms};

use crate::memory::{
    AccessKind, Arena, ArenaId, CHUNK, Chunk, Memory, MemoryFault, ObjectKind, Uses,
};
use crate::trail::{Trail, Undo};
use crate::value::Value;

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

/// By what kind of operation memory is accessed: what is new of that is noted on the general path
/// (see `premises`).
#[derive(Clone, Copy, Default)]
pub struct By {
    /// In the slice, for a load; outside of it, for a store.
    pub noted: bool,
    /// The guest that comes; 0: none.
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

    /// Whether `bytes` bytes at `address` may be accessed.
    pub fn check(&self, address: u64, bytes: u64, kind: AccessKind) -> Result<(), MemoryFault> {
        if bytes == 0 || self.is_accessible(address, bytes, kind) {
            return Ok(());
        }
        let Some(id) = self.object_at(address) else {
            return Err(if address < 4096 {
                MemoryFault::Null
            } else {
                MemoryFault::Wild
            });
        };
        let object = self.object(id);
        if !object.live {
            return Err(match object.kind {
                ObjectKind::Stack { .. } => MemoryFault::UseAfterReturn(id),
                _ => MemoryFault::UseAfterFree(id),
            });
        }
        if matches!(object.kind, ObjectKind::Function(_)) {
            return Err(MemoryFault::Function(id));
        }
        match object.kind {
            ObjectKind::Text(_) => return Err(MemoryFault::Text(id)),
            ObjectKind::Undefined(_) => return Err(MemoryFault::Undefined(id)),
            _ if !object.contains(address, bytes) => return Err(MemoryFault::OutOfBounds(id)),
            _ if id.far_index().is_some() => return Err(MemoryFault::TooLarge(id)),
            _ => {}
        }
        if kind == AccessKind::Write && self.chunk_at(address).readonly {
            return Err(MemoryFault::ReadOnly(id));
        }
        Ok(())
    }

    /// The quick answer, for ranges inside one chunk.
    #[inline]
    fn is_accessible(&self, address: u64, bytes: u64, kind: AccessKind) -> bool {
        let Some((arena, offset)) = self.space.locate(address) else {
            return false;
        };
        let chunk = self
            .arenas
            .get(arena.index())
            .and_then(|a| a.chunks.get(offset as usize / CHUNK));
        chunk.is_some_and(|chunk| {
            offset % CHUNK as u64 + bytes <= u64::from(chunk.len)
                && !(kind == AccessKind::Write && chunk.readonly)
        })
    }

    /// A plain word inside one chunk, whoever can see it.
    #[inline]
    pub fn plain_word(&self, address: u64, bytes: u32) -> Option<u64> {
        let (arena, offset) = self.space.locate(address)?;
        let a = self.arenas.get(arena.index())?;
        let (offset, bytes) = (offset as usize, bytes as usize);
        let chunk = a.chunks.get(offset / CHUNK)?;
        let start = offset % CHUNK;
        if bytes > 8
            || start + bytes > chunk.len as usize
            || chunk.mask & byte_mask(start, bytes) != 0
        {
            return None;
        }
        Some(read_word(&a.bytes[offset..offset + bytes]))
    }

    fn place(&self, address: u64) -> (ArenaId, usize) {
        let (arena, offset) = self.space.locate(address).expect("a checked address");
        (arena, offset as usize)
    }

    /// The arena and the index of the chunk of a checked address.
    pub fn chunk_index(&self, address: u64) -> (ArenaId, usize) {
        let (arena, offset) = self.place(address);
        (arena, offset / CHUNK)
    }

    pub fn chunk(&self, arena: ArenaId, index: usize) -> &Chunk {
        &self.arenas[arena.index()].chunks[index]
    }

    pub fn chunk_at(&self, address: u64) -> &Chunk {
        let (arena, index) = self.chunk_index(address);
        self.chunk(arena, index)
    }

    /// Takes note of how bytes of a checked range are used. Whether that contradicts another use of
    /// them.
    pub fn note_use(&mut self, address: u64, bytes: u64, of: impl Fn(u64) -> Uses) -> bool {
        let mut contradicts = false;
        let mut at = address;
        let end = address + bytes;
        while at < end {
            let (arena, offset) = self.place(at);
            let start = offset % CHUNK;
            let n = (CHUNK - start).min((end - at) as usize);
            let uses = &mut self.arenas[arena.index()].uses[offset / CHUNK];
            *uses = uses.and(of(byte_mask(start, n)));
            contradicts |= uses.contradict();
            let uses = *uses;
            if let Some(known) = &mut self.uses {
                let entry = known.entry(at - start as u64).or_default();
                *entry = entry.and(uses);
                contradicts |= entry.contradict();
            }
            at += n as u64;
        }
        contradicts
    }

    /// Whether the byte is known to be part of an elidable mutex.
    pub fn is_elidable(&self, address: u64) -> bool {
        let Some((arena, offset)) = self.space.locate(address) else {
            return false;
        };
        let offset = offset as usize;
        let arena = self.arenas.get(arena.index());
        let uses = arena.and_then(|arena| arena.uses.get(offset / CHUNK));
        uses.is_some_and(|uses| uses.elidable & byte_mask(offset % CHUNK, 1) != 0)
    }

    /// Whether a guest has been in one of these chunks, other than this one.
    pub fn has_other_guest(&self, arena: ArenaId, chunks: std::ops::Range<usize>, by: u16) -> bool {
        // Nobody has been in a far object: it has no bytes.
        let arena = self.arenas.get(arena.index());
        let uses = arena.and_then(|arena| arena.uses.get(chunks));
        let uses = uses.unwrap_or_default().iter();
        let mut guests = uses.map(|uses| uses.guest);
        guests.any(|guest| guest != 0 && guest != by)
    }

    /// Makes bytes of the chunk visible. Whether they were not before.
    pub fn share_in(&mut self, arena: ArenaId, index: usize, mask: u64) -> bool {
        let chunk = &mut self.arenas[arena.index()].chunks[index];
        let grew = mask & !chunk.shared != 0;
        chunk.shared |= mask;
        let address = self.space.address(arena, (index * CHUNK) as u64);
        self.shared.insert(address, mask);
        grew
    }

    /// Offsets (from `address`) of uninitialised bytes in a checked range, as a list of byte
    /// positions.
    pub fn uninitialised(&self, address: u64, bytes: u64) -> Vec<u64> {
        (0..bytes)
            .filter(|&i| {
                let (arena, offset) = self.place(address + i);
                let chunk = &self.arenas[arena.index()].chunks[offset / CHUNK];
                let masked = chunk.mask >> (offset % CHUNK) & 1 == 1;
                masked
                    && (chunk.sym == 0
                        || self.pages.get(chunk.sym)[offset % CHUNK].term == TermId(0))
            })
            .collect()
    }

    pub fn is_plain(&self, address: u64, bytes: u64) -> bool {
        let mut at = address;
        let end = address + bytes;
        while at < end {
            let (arena, offset) = self.place(at);
            let start = offset % CHUNK;
            let n = (CHUNK - start).min((end - at) as usize);
            let chunk = &self.arenas[arena.index()].chunks[offset / CHUNK];
            if chunk.mask & byte_mask(start, n) != 0 {
                return false;
            }
            at += n as u64;
        }
        true
    }

    /// Reads `width` bits from a checked, initialised range.
    pub fn read(&self, terms: &mut Terms, address: u64, width: u32) -> Value {
        let bytes = width.div_ceil(8) as u64;
        if self.is_plain(address, bytes) {
            let (arena, offset) = self.place(address);
            let data = &self.arenas[arena.index()].bytes[offset..offset + bytes as usize];
            let mut word = [0; 16];
            word[..data.len()].copy_from_slice(data);
            return Value::of_bits(terms, width, u128::from_le_bytes(word));
        }
        if let Some(term) = self.whole_term(terms, address, width) {
            return Value { bits: 0, term };
        }
        let mut term = self.read_byte(terms, address);
        for i in 1..bytes {
            let byte = self.read_byte(terms, address + i);
            term = terms.concat(byte, term);
        }
        let term = terms.extract(term, 0, width);
        Value::of_term(terms, term)
    }

    /// The term of exactly `width` bits that was stored here as a whole.
    fn whole_term(&self, terms: &Terms, address: u64, width: u32) -> Option<TermId> {
        let mut whole = TermId(0);
        for i in 0..u64::from(width.div_ceil(8)) {
            let (arena, offset) = self.place(address + i);
            let chunk = &self.arenas[arena.index()].chunks[offset / CHUNK];
            if chunk.mask >> (offset % CHUNK) & 1 == 0 || chunk.sym == 0 {
                return None;
            }
            let byte = self.pages.get(chunk.sym)[offset % CHUNK];
            if byte.index as u64 != i || (i > 0 && byte.term != whole) {
                return None;
            }
            whole = byte.term;
        }
        (whole != TermId(0) && terms.width(whole) == width).then_some(whole)
    }

    /// One byte as a term of eight bits.
    pub fn read_byte(&self, terms: &mut Terms, address: u64) -> TermId {
        let (arena, offset) = self.place(address);
        let a = &self.arenas[arena.index()];
        let chunk = &a.chunks[offset / CHUNK];
        if chunk.mask >> (offset % CHUNK) & 1 == 0 {
            return terms.constant(8, u128::from(a.bytes[offset]));
        }
        assert!(chunk.sym != 0, "an uninitialised byte was read as a term");
        let byte = self.pages.get(chunk.sym)[offset % CHUNK];
        let low = 8 * u32::from(byte.index);
        // The last byte of a term whose width is no multiple of eight was stored zero-extended.
        let width = (terms.width(byte.term) - low).min(8);
        let part = terms.extract(byte.term, low, width);
        terms.zext(part, 8)
    }

    /// The concrete byte, if it is one.
    pub fn plain_byte(&self, address: u64) -> Option<u8> {
        let (arena, offset) = self.place(address);
        let a = &self.arenas[arena.index()];
        (a.chunks[offset / CHUNK].mask >> (offset % CHUNK) & 1 == 0).then(|| a.bytes[offset])
    }

    /// Writes `width` bits to a checked range.
    pub fn write(
        &mut self,
        trail: &mut Trail,
        terms: &Terms,
        address: u64,
        width: u32,
        value: Value,
    ) {
        let bytes = width.div_ceil(8) as u64;
        if let Some(bits) = value.known(terms) {
            self.write_bytes(trail, address, &bits.to_le_bytes()[..bytes as usize]);
            return;
        }
        for i in 0..bytes {
            self.write_symbolic(trail, address + i, value.term, i as u8);
        }
    }

    /// Makes the byte at `address` byte `index` of `term`.
    pub fn write_symbolic(&mut self, trail: &mut Trail, address: u64, term: TermId, index: u8) {
        let (arena, offset) = self.place(address);
        let byte = super::SymByte { term, index };
        if self.is_symbolic_byte(arena, offset, byte) {
            trail.silent += 1;
            return;
        }
        self.save_chunk(trail, arena, offset / CHUNK);
        let chunk = &mut self.arenas[arena.index()].chunks[offset / CHUNK];
        if chunk.sym == 0 {
            chunk.sym = self.pages.take();
        }
        chunk.mask |= 1 << (offset % CHUNK);
        self.pages.get_mut(chunk.sym)[offset % CHUNK] = byte;
    }

    /// A byte of a page.
    pub(crate) fn symbolic_byte(&self, page: u32, byte: usize) -> super::SymByte {
        self.pages.get(page)[byte]
    }

    /// Whether this is what the byte holds.
    fn is_symbolic_byte(&self, arena: ArenaId, offset: usize, byte: super::SymByte) -> bool {
        let chunk = &self.arenas[arena.index()].chunks[offset / CHUNK];
        chunk.sym != 0
            && chunk.mask >> (offset % CHUNK) & 1 == 1
            && self.pages.get(chunk.sym)[offset % CHUNK] == byte
    }

    /// Writes an eight-bit term, as a plain byte if it is constant.
    pub fn write_byte_term(
        &mut self,
        trail: &mut Trail,
        terms: &Terms,
        address: u64,
        term: TermId,
    ) {
        match terms.as_constant(term) {
            Some(byte) => self.write_bytes(trail, address, &[byte as u8]),
            None => self.write_symbolic(trail, address, term, 0),
        }
    }

    /// Writes concrete bytes to a checked range.
    pub fn write_bytes(&mut self, trail: &mut Trail, address: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let (arena, offset) = self.place(address + done as u64);
            let start = offset % CHUNK;
            let n = (CHUNK - start).min(data.len() - done);
            let data = &data[done..done + n];
            done += n;
            let mask = byte_mask(start, n);
            let a = &self.arenas[arena.index()];
            if a.chunks[offset / CHUNK].mask & mask == 0 && a.bytes[offset..offset + n] == *data {
                // Nothing changes.
                trail.silent += 1;
                continue;
            }
            self.save_chunk(trail, arena, offset / CHUNK);
            let a = &mut self.arenas[arena.index()];
            a.chunks[offset / CHUNK].mask &= !mask;
            a.bytes[offset..offset + n].copy_from_slice(data);
        }
    }

    /// Copies a checked range, symbolic and uninitialised bytes included.
    pub fn copy(&mut self, trail: &mut Trail, to: u64, from: u64, bytes: u64) {
        if bytes == 0 || to == from {
            return;
        }
        if self.is_plain(from, bytes) {
            let (arena, offset) = self.place(from);
            let data = self.arenas[arena.index()].bytes[offset..offset + bytes as usize].to_vec();
            self.write_bytes(trail, to, &data);
            return;
        }
        let cells: Vec<_> = (0..bytes).map(|i| self.cell(from + i)).collect();
        for (i, cell) in cells.into_iter().enumerate() {
            let address = to + i as u64;
            match cell {
                Cell::Plain(byte) => self.write_bytes(trail, address, &[byte]),
                Cell::Symbolic(byte) => {
                    self.write_symbolic(trail, address, byte.term, byte.index);
                }
            }
        }
    }

    fn cell(&self, address: u64) -> Cell {
        let (arena, offset) = self.place(address);
        let a = &self.arenas[arena.index()];
        let chunk = &a.chunks[offset / CHUNK];
        if chunk.mask >> (offset % CHUNK) & 1 == 0 {
            Cell::Plain(a.bytes[offset])
        } else if chunk.sym == 0 {
            Cell::Symbolic(super::SymByte::default())
        } else {
            Cell::Symbolic(self.pages.get(chunk.sym)[offset % CHUNK])
        }
    }

    /// Logs a chunk before its first change at this depth.
    #[inline]
    pub(super) fn save_chunk(&mut self, trail: &mut Trail, arena: ArenaId, index: usize) {
        let depth = trail.depth();
        trail.effects += 1;
        let a = &mut self.arenas[arena.index()];
        let chunk = a.chunks[index];
        if chunk.saved_at == depth {
            return;
        }
        let start = index * CHUNK;
        let bytes: &[u8; CHUNK] = a.bytes[start..start + CHUNK]
            .try_into()
            .expect("a whole chunk");
        trail.saved.bytes.push(*bytes);
        if chunk.sym != 0 {
            trail.saved.pages.push(*self.pages.get(chunk.sym));
        }
        trail.push(Undo::Chunk {
            arena,
            index: index as u32,
            chunk,
        });
        a.chunks[index].saved_at = depth;
    }
}

enum Cell {
    Plain(u8),
    Symbolic(super::SymByte),
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

//! Reads and writes of memory. Nothing here knows of threads: visibility and scheduling are decided
//! before.

use smt::{TermId, Terms};

use crate::memory::{
    AccessKind, ArenaId, CHUNK, Chunk, Memory, MemoryFault, ObjectKind, Uses, byte_mask, read_word,
};
use crate::trail::{Trail, Undo};
use crate::value::Value;

impl Memory {
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

    /// A plain word inside one chunk, visible or not.
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

    /// Notes how bytes of a checked range are used. Returns whether that contradicts another use of
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
        // A far object has no bytes, and so no guests.
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

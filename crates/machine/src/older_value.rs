//! Reading an older value: an operation finds what a cell held before a later write, without that
//! write being undone.

use crate::machine::{Machine, Mark};
use crate::memory::{AccessKind, By, CHUNK, InChunk};
use crate::trail::Undo;

/// The present value of the cell, which is put back after the operation.
pub(crate) struct OlderValue {
    place: InChunk,
    bytes: u32,
    word: u64,
}

impl Machine {
    /// What these bytes held before the transition that began at `mark` wrote there. `None`: the
    /// trail does not say.
    pub fn held_before(&self, mark: &Mark, address: u64, bytes: u32) -> Option<u64> {
        let place = self
            .state
            .memory
            .plain_chunk(address, bytes, By::default())?;
        self.state
            .memory
            .check(address, u64::from(bytes), AccessKind::Write)
            .ok()?;
        let mut saved = mark.bytes;
        for entry in self.trail.since(mark.trail) {
            if let Undo::Chunk {
                arena,
                index,
                chunk,
            } = entry
            {
                if (*arena, *index as usize) == (place.arena, place.chunk) {
                    let start = address as usize % CHUNK;
                    let held = &self.trail.saved.bytes[saved][start..start + bytes as usize];
                    return (chunk.mask & place.mask == 0).then(|| crate::memory::read_word(held));
                }
                saved += 1;
            }
        }
        None
    }

    /// Lets the next visible operation find `word` at an address where bytes are plain.
    pub fn read_older_value(&mut self, address: u64, bytes: u32, word: u64) {
        let place = self.state.memory.plain_chunk(address, bytes, By::default());
        let place = place.expect("plain bytes");
        self.probes.older_value = Some(OlderValue {
            place,
            bytes,
            word: self.state.memory.read_in(place, bytes),
        });
        self.state
            .memory
            .write_in(&mut self.trail, place, bytes, word);
    }

    /// The operation is done.
    #[cold]
    pub(crate) fn restore_value(&mut self) {
        let Some(OlderValue { place, bytes, word }) = self.probes.older_value.take() else {
            return;
        };
        // This is no effect of the running thread.
        let effects = self.trail.effects;
        self.state
            .memory
            .write_in(&mut self.trail, place, bytes, word);
        self.trail.effects = effects;
        self.note_attention();
    }
}

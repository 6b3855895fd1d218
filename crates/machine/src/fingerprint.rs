//! A state in 128 bits: two states that differ in anything that decides what can happen next have
//! different fingerprints, but for an accident of one in 2^128 for each pair.
//!
//! A fingerprint covers the control state, the registers that may still be read, the results of
//! threads, memory that differs from what it was at the first mark, the path condition, and which
//! thread has accessed bytes that are not known to be shared: whether more proves to be shared
//! later depends on that (see `sharing`). Left out are the counters of loops, which decide only
//! when a search gives up.

use crate::code::Slot;
use crate::machine::Machine;
use crate::machine::Unread;
use crate::memory::{ArenaId, CHUNK};
use crate::value::Value;

/// What fingerprints are made with.
#[derive(Default)]
pub struct Fingerprints {
    unread: Unread,
    /// Memory as it was at the beginning: bytes and which of them were not plain.
    first: Vec<(Vec<u8>, Vec<u64>)>,
}

impl Fingerprints {
    /// For a machine in this state and those that come after it.
    pub fn new(machine: &Machine) -> Fingerprints {
        let arenas = (0..).map_while(|i| machine.state.memory.arena(ArenaId(i)));
        let first = arenas.map(|arena| {
            let masks = arena.chunks.iter().map(|chunk| chunk.mask).collect();
            (arena.bytes.clone(), masks)
        });
        Fingerprints {
            first: first.collect(),
            unread: Unread::default(),
        }
    }
}

impl Machine {
    /// `None`: where a thread stands depends on inputs.
    pub fn fingerprint(&self, with: &mut Fingerprints) -> Option<u128> {
        let mut mix = Mix(0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344);
        mix.add(self.control_state()?.words());
        for thread in self.thread_ids() {
            mix.word(u64::from(thread.0));
            mix.add(
                self.thread_state(thread)
                    .clock
                    .iter()
                    .map(|time| u64::from(*time)),
            );
            mix.value(self.thread_state(thread).result);
            if !self.status(thread).is_over() {
                self.add_registers(thread, with, &mut mix);
            }
        }
        self.add_memory(with, &mut mix);
        mix.word(self.state.path.len() as u64);
        mix.add(
            self.state
                .path
                .iter()
                .map(|condition| u64::from(condition.0)),
        );
        Some(u128::from(mix.0) << 64 | u128::from(mix.1))
    }

    fn add_registers(&self, thread: crate::ThreadId, with: &mut Fingerprints, mix: &mut Mix) {
        let thread = self.thread(thread);
        for (i, frame) in thread.frames.iter().enumerate() {
            let end = thread.frames.get(i + 1).map(|next| next.base as usize);
            let end = end.unwrap_or(thread.registers.len());
            let registers = &thread.registers[frame.base as usize..end];
            let f = self.program.function(frame.function);
            let unread = with.unread.at(&self.program, frame.function, frame.pc);
            mix.word(i as u64 | 1 << 63);
            for (slot, value) in registers.iter().enumerate() {
                if unread.contains(&(slot as Slot))
                    || is_counter(&f.registers.counters, slot)
                    || self.is_unused(frame.function, slot as Slot)
                {
                    continue;
                }
                mix.word(slot as u64);
                mix.value(*value);
            }
        }
    }

    fn add_memory(&self, with: &Fingerprints, mix: &mut Mix) {
        for i in 0.. {
            let id = ArenaId(i);
            let Some(arena) = self.state.memory.arena(id) else {
                return;
            };
            let first = with.first.get(id.index());
            for (index, chunk) in arena.chunks.iter().enumerate() {
                for record in self.state.records.of(id, index) {
                    mix.word(u64::from(i) << 32 | index as u64 | 1 << 63);
                    mix.word(u64::from(record.thread.0) << 32 | u64::from(record.time));
                    mix.word(record.read);
                    mix.word(record.written);
                }
                if chunk.len == 0 {
                    continue;
                }
                let bytes = &arena.bytes[index * CHUNK..(index + 1) * CHUNK];
                let same = |(old, masks): &(Vec<u8>, Vec<u64>)| {
                    masks.get(index) == Some(&chunk.mask)
                        && old.get(index * CHUNK..(index + 1) * CHUNK) == Some(bytes)
                };
                if chunk.sym == 0 && first.is_some_and(same) {
                    continue;
                }
                mix.word(u64::from(i) << 32 | index as u64);
                mix.word(chunk.mask);
                for (at, word) in bytes.chunks_exact(8).enumerate() {
                    let plain = !(chunk.mask >> (8 * at));
                    let mut word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
                    for byte in 0..8 {
                        if plain >> byte & 1 == 0 {
                            word &= !(0xff << (8 * byte));
                        }
                    }
                    mix.word(word);
                }
                if chunk.sym != 0 {
                    for byte in 0..CHUNK {
                        if chunk.mask >> byte & 1 == 1 {
                            let symbolic = self.state.memory.symbolic_byte(chunk.sym, byte);
                            let term = u64::from(symbolic.term.0);
                            mix.word(term << 8 | u64::from(symbolic.index));
                        }
                    }
                }
            }
        }
    }
}

/// A loop has three: see `code::compile`.
fn is_counter(counters: &[Slot], slot: usize) -> bool {
    let of_loop = |first: &Slot| (*first as usize..*first as usize + 3).contains(&slot);
    counters.iter().any(of_loop)
}

/// Two lanes of multiplications whose halves are folded.
struct Mix(u64, u64);

impl Mix {
    fn word(&mut self, word: u64) {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            (product >> 64) as u64 ^ product as u64
        };
        self.0 = fold(self.0 ^ word, 0x9e37_79b9_7f4a_7c15).wrapping_add(word.rotate_left(23));
        self.1 = fold(
            self.1.wrapping_add(word) ^ 0xa409_3822_299f_31d0,
            0xd6e8_feb8_6659_fd93,
        )
        .rotate_left(29)
            ^ word;
    }

    fn add(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.word(word));
    }

    fn value(&mut self, value: Value) {
        self.word(value.bits);
        self.word(u64::from(value.term.0));
    }
}

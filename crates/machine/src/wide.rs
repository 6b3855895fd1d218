//! Plain accesses that are wider than a word of the processor: `__int128` and `long double`, and
//! `long long` and `double` for 32 bits.
//!
//! The processor makes two steps of them or more, and other threads may act in between: a reader
//! may see one half of what was written. So where other threads may access the bytes, each word is
//! an event of its own, `volatile` or not. Elsewhere the access is one, since no thread can tell
//! its parts apart. Atomic operations of any width stay whole.
//!
//! `Frame::progress` is the number of bytes that are done, `Frame::carried` what was read of them.
//! `weakest` can say nothing about a part of an access: every part is noted as opaque.
//!
//! Tests: `fe_wide_*` of `tests/programs`.

use crate::fault::Exec;
use crate::machine::Machine;
use crate::memory::{AccessKind, CHUNK, byte_mask};
use crate::place::Place;
use crate::record::EventKind;
use crate::thread::Guard;
use crate::touch::Change;
use crate::value::Value;

impl Machine {
    /// Whether a plain access of this width is more than one step of the processor.
    #[inline]
    pub(crate) fn is_wide(&self, bytes: u64) -> bool {
        bytes > self.pointer_bytes() as u64
    }

    /// Whether the wide access at `address` is made in parts.
    pub(crate) fn is_torn(&self, address: u64, bytes: u64) -> bool {
        self.running.frames.last().expect("a frame").progress != 0
            || self.now.concurrent
                && !(self.mode.slices && self.is_invisible())
                && self
                    .state
                    .memory
                    .check(address, bytes, AccessKind::Read)
                    .is_ok()
                && self.shares(address, bytes)
    }

    /// Whether some byte is known to be shared.
    fn shares(&self, address: u64, bytes: u64) -> bool {
        let end = address + bytes;
        let mut at = address;
        while at < end {
            let start = (at % CHUNK as u64) as usize;
            let n = (CHUNK - start).min((end - at) as usize);
            let (arena, chunk) = self.state.memory.chunk_index(at);
            if self.state.memory.chunk(arena, chunk).shared & byte_mask(start, n) != 0 {
                return true;
            }
            at += n as u64;
        }
        false
    }

    pub(crate) fn load_in_parts(&mut self, dst: usize, address: u64, width: u32) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        loop {
            let (done, size) = self.next_part(bytes);
            let bits = 8 * size as u32;
            let at = address + done;
            self.check_access(at, size, AccessKind::Read)?;
            self.see(at, size, AccessKind::Read, Guard::Always)?;
            let part = self.read_place(Place::Fixed(at), bits);
            self.event(|| EventKind::Read {
                address: at,
                bytes: size as u32,
                value: part,
            });
            let carried = self.running.frames.last().expect("a frame").carried;
            let whole = self.joined(carried, part, 8 * done as u32, bits);
            if done + size == bytes {
                let term = self.term(whole, 8 * bytes as u32);
                let term = self.terms.extract(term, 0, width);
                self.running.registers[dst] = self.value(term);
                self.end_parts();
                return Ok(());
            }
            self.end_part(done + size, whole);
        }
    }

    pub(crate) fn store_in_parts(&mut self, address: u64, value: Value, width: u32) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        let term = self.term(value, width);
        let term = self.terms.zext(term, 8 * bytes as u32);
        loop {
            let (done, size) = self.next_part(bytes);
            let bits = 8 * size as u32;
            let at = address + done;
            self.check_access(at, size, AccessKind::Write)?;
            self.see(at, size, AccessKind::Write, Guard::Always)?;
            self.probes.footprint.changes(Change::Replaced);
            self.change();
            let part = self.terms.extract(term, 8 * done as u32, bits);
            let part = self.value(part);
            self.write_place(Place::Fixed(at), part, bits);
            self.event(|| EventKind::Write {
                address: at,
                bytes: size as u32,
                value: part,
            });
            if done + size == bytes {
                self.end_parts();
                return Ok(());
            }
            self.end_part(done + size, Value::ZERO);
        }
    }

    /// How much is done, and how much comes next.
    fn next_part(&self, bytes: u64) -> (u64, u64) {
        let done = u64::from(self.running.frames.last().expect("a frame").progress);
        (done, (bytes - done).min(self.pointer_bytes() as u64))
    }

    /// The bits of `low`, if there are any, and those of `high` above them.
    fn joined(&mut self, low: Value, high: Value, low_bits: u32, high_bits: u32) -> Value {
        if low_bits == 0 {
            return high;
        }
        let (low, high) = (self.term(low, low_bits), self.term(high, high_bits));
        let term = self.terms.concat(high, low);
        self.value(term)
    }

    fn end_part(&mut self, done: u64, carried: Value) {
        let frame = self.running.frames.last_mut().expect("a frame");
        frame.progress = done as u32;
        frame.carried = carried;
        self.note_mystery();
        self.finish_instruction();
    }

    fn end_parts(&mut self) {
        let frame = self.running.frames.last_mut().expect("a frame");
        frame.progress = 0;
        frame.carried = Value::ZERO;
        self.note_mystery();
    }
}

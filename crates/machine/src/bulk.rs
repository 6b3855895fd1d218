//! Copying and filling memory. Bytes that other threads may access are copied word by word, each
//! word an event of its own, since neither `memcpy` nor an assignment of structures is atomic.

use crate::fault::Exec;
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::record::EventKind;
use crate::thread::Guard;
use crate::value::Value;

impl Machine {
    /// `memmove`; `memcpy` is the same where it is defined.
    pub(crate) fn copy_memory(&mut self, to: u64, from: u64, bytes: u64) -> Exec<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.check_access(from, bytes, AccessKind::Read)?;
        self.check_access(to, bytes, AccessKind::Write)?;
        if !self.now.concurrent || self.bulk_is_invisible(to, Some(from), bytes) {
            self.state.memory.copy(&mut self.trail, to, from, bytes);
            return Ok(());
        }
        let backwards = to > from && to < from + bytes;
        while self.copied() < bytes {
            let done = self.copied();
            let size = piece(to, from, done, bytes, backwards);
            let offset = if backwards { bytes - done - size } else { done };
            if !self.carrying() {
                self.see(from + offset, size, AccessKind::Read, Guard::Always)?;
                self.initialise_range(from + offset, size);
                let value = self
                    .state
                    .memory
                    .read(&mut self.terms, from + offset, 8 * size as u32);
                self.event(|| EventKind::Read {
                    address: from + offset,
                    bytes: size as u32,
                    value,
                });
                self.set_progress(done, true, value);
                self.finish_instruction();
            }
            self.see(to + offset, size, AccessKind::Write, Guard::Always)?;
            self.change();
            let value = self.running.frames.last().expect("a frame").carried;
            self.state.memory.write(
                &mut self.trail,
                &self.terms,
                to + offset,
                8 * size as u32,
                value,
            );
            self.event(|| EventKind::Write {
                address: to + offset,
                bytes: size as u32,
                value,
            });
            self.set_progress(done + size, false, Value::ZERO);
            self.finish_instruction();
        }
        self.set_progress(0, false, Value::ZERO);
        Ok(())
    }

    pub(crate) fn fill_memory(&mut self, to: u64, byte: Value, bytes: u64) -> Exec<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.check_access(to, bytes, AccessKind::Write)?;
        let invisible = !self.now.concurrent || self.bulk_is_invisible(to, None, bytes);
        if invisible && byte.is_concrete() {
            let data = vec![byte.bits as u8; bytes as usize];
            self.state.memory.write_bytes(&mut self.trail, to, &data);
            return Ok(());
        }
        let byte = self.term(byte, 8);
        while self.copied() < bytes {
            let done = self.copied();
            let size = piece(to, to, done, bytes, false);
            self.see(to + done, size, AccessKind::Write, Guard::Always)?;
            self.change();
            for i in 0..size {
                self.state.memory.write_byte_term(
                    &mut self.trail,
                    &self.terms,
                    to + done + i,
                    byte,
                );
            }
            let value = self
                .state
                .memory
                .read(&mut self.terms, to + done, 8 * size as u32);
            self.event(|| EventKind::Write {
                address: to + done,
                bytes: size as u32,
                value,
            });
            self.set_progress(done + size, false, Value::ZERO);
            self.finish_instruction();
        }
        self.set_progress(0, false, Value::ZERO);
        Ok(())
    }

    /// Whether nothing of the ranges is visible, at the start of the operation.
    fn bulk_is_invisible(&mut self, to: u64, from: Option<u64>, bytes: u64) -> bool {
        if self.copied() != 0 || self.carrying() {
            return false;
        }
        let read = from.is_some_and(|from| self.is_visible(from, bytes, AccessKind::Read));
        let written = self.is_visible(to, bytes, AccessKind::Write);
        !read && !written
    }

    fn copied(&self) -> u64 {
        u64::from(self.running.frames.last().expect("a frame").progress >> 1)
    }

    fn carrying(&self) -> bool {
        self.running.frames.last().expect("a frame").progress & 1 == 1
    }

    fn set_progress(&mut self, done: u64, carrying: bool, carried: Value) {
        let frame = self.running.frames.last_mut().expect("a frame");
        frame.progress = (done as u32) << 1 | u32::from(carrying);
        frame.carried = carried;
    }
}

/// The next piece: the largest aligned word that fits.
fn piece(to: u64, from: u64, done: u64, bytes: u64, backwards: bool) -> u64 {
    let mut size = 8;
    loop {
        let fits = size <= bytes - done;
        let offset = if backwards { bytes - done } else { done };
        let aligned = (to + offset).is_multiple_of(size) && (from + offset).is_multiple_of(size);
        if fits && aligned || size == 1 {
            return size;
        }
        size /= 2;
    }
}

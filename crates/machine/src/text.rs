//! Texts from the environment: values of `getenv`, arguments of `main`. Each byte is an input, so
//! that a text is any text. Only the first bytes of a text exist (`Config::input_length`), since a
//! program that goes through a text decides something at each of them.
//!
//! Nothing is assumed of the length. An access to byte k is out of bounds if an earlier byte ends
//! the text; the machine asks whether one does. If none does, the text goes on: its bytes exist up
//! to the bound, and an access beyond it ends in `unknown`. So no verdict `safe` rests on the
//! bound: it says that no execution came to it. What the bytes were at first decides, whatever the
//! program writes there.
//!
//! The question is no jump of the program. A weakest precondition (`weakest`) cannot express it, so
//! that none is made across it.

use smt::{CmpOp, TermId};

use crate::fault::{Cutoff, Exec, Fault};
use crate::machine::Machine;
use crate::memory::{Allocation, ArenaId, MemoryFault, ObjectId, ObjectKind};

impl Machine {
    /// A fresh text of these bytes, or a vector of these pointers, which a null pointer ends as a
    /// zero byte ends a text.
    pub(crate) fn allocate_text(
        &mut self,
        arena: ArenaId,
        what: &'static str,
        parts: Box<[TermId]>,
    ) -> Option<u64> {
        let part = match parts.first() {
            Some(first) => u64::from(self.terms.width(*first)) / 8,
            None => 1,
        };
        let request = Allocation {
            arena,
            size: part * parts.len() as u64,
            align: part,
            kind: ObjectKind::Text(what),
            initialised: true,
            readonly: false,
        };
        let address = self.state.memory.allocate(&mut self.trail, request)?;
        for (at, &term) in (address..).step_by(part as usize).zip(&parts) {
            let value = self.value(term);
            self.state
                .memory
                .write(&mut self.trail, &self.terms, at, 8 * part as u32, value);
        }
        // Addresses are given anew only on another path, where this one is not yet, or no longer,
        // there.
        self.texts.insert(address, parts);
        Some(address)
    }

    /// Checks that a text does not end before the bytes that are accessed.
    pub(crate) fn check_text(&mut self, id: ObjectId, address: u64, bytes: u64) -> Exec<()> {
        let object = self.state.memory.object(id);
        let (base, size, kind) = (object.base, object.size, object.kind);
        let Some(last) = (address + bytes - 1).checked_sub(base) else {
            return self.fault(Fault::Memory(MemoryFault::OutOfBounds(id), address));
        };
        let count = self.texts[&base].len() as u64;
        let part = size.checked_div(count).unwrap_or(1);
        let mut ends = self.terms.bool(false);
        for i in 0..(last / part).min(count) {
            let term = self.texts[&base][i as usize];
            let zero = self.terms.constant(8 * part as u32, 0);
            let is_end = self.terms.cmp(CmpOp::Eq, term, zero);
            ends = self.terms.or(ends, is_end);
        }
        if self.terms.as_constant(ends).is_none() {
            let never = self.terms.bool(false);
            self.note_condition(never);
        }
        if self.truth_of(ends)? {
            return self.fault(Fault::Memory(MemoryFault::OutOfBounds(id), address));
        }
        match kind {
            ObjectKind::Text(what) if last >= size => {
                self.cut_off(Cutoff::InputLength(what.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// The inputs that the bytes of a text are.
    pub(crate) fn input_bytes(&mut self, name: &str) -> Box<[TermId]> {
        (0..self.config.surroundings.input_length)
            .map(|i| {
                let byte = self.named_input(&format!("{name}[{i}]"), 0, 8);
                self.term(byte, 8)
            })
            .collect()
    }

    /// A text for a report: up to its end, or all bytes that exist.
    pub(crate) fn shown_text(&self, bytes: &[TermId]) -> String {
        let mut text = Vec::new();
        for byte in bytes {
            match self.terms.as_constant(*byte) {
                Some(0) => break,
                Some(byte) => text.push(byte as u8),
                None => text.push(b'?'),
            }
        }
        format!("\"{}\"", text.escape_ascii())
    }
}

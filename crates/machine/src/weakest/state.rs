//! The state as it is known while the history is gone through forwards: terms over what it was at
//! the beginning, and what is required of that.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use smt::{InputId, Node, Substitution, TermId};

use super::{Item, Location, Pass};
use crate::code::{Function, Slot};
use crate::history::Context;
use crate::thread::ThreadId;
use crate::value::Value;

/// Bytes of a small object.
const FEW: u64 = 256;

impl Pass<'_> {
    pub(super) fn register(&mut self, item: &Item, slot: Slot, width: u32) -> TermId {
        let Context { thread, depth, .. } = self.context(item);
        let f = self.function(item);
        if let Some(constant) = f.registers.constants.get(slot as usize) {
            let bits = constant.bits;
            return self.machine.terms.constant(width, bits);
        }
        self.register_of(thread, depth, slot, width)
    }

    pub(super) fn register_of(
        &mut self,
        thread: ThreadId,
        depth: u32,
        slot: Slot,
        width: u32,
    ) -> TermId {
        match self.registers.get(&(thread, depth, slot)) {
            Some(&term) => self.resized(term, width),
            None => self.machine.location(Location::Register {
                thread,
                depth,
                slot,
                width,
            }),
        }
    }

    pub(super) fn resized(&mut self, term: TermId, width: u32) -> TermId {
        let now = self.machine.terms.width(term);
        match now.cmp(&width) {
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => self.machine.terms.extract(term, 0, width),
            std::cmp::Ordering::Less => self.machine.terms.zext(term, width),
        }
    }

    pub(super) fn set(&mut self, item: &Item, slot: Slot, term: TermId) {
        let Context { thread, depth, .. } = self.context(item);
        self.registers.insert((thread, depth, slot), term);
    }

    pub(super) fn cell(&mut self, address: u64, bytes: u32) -> TermId {
        let all = || address..address + u64::from(bytes);
        self.name_forgotten(address, u64::from(bytes));
        if !all().any(|at| self.bytes.contains_key(&at)) {
            return self.machine.cell(address, bytes);
        }
        let first = self.bytes.get(&address).copied();
        if let Some((term, 0)) = first
            && self.machine.terms.width(term) == 8 * bytes
            && all().all(|at| self.bytes.get(&at) == Some(&(term, (at - address) as u8)))
        {
            return term;
        }
        let mut whole: Option<TermId> = None;
        for at in all() {
            let byte = match self.bytes.get(&at).copied() {
                Some((term, index)) => self.machine.terms.extract(term, 8 * u32::from(index), 8),
                None => self.machine.cell(at, 1),
            };
            whole = Some(match whole {
                Some(low) => self.machine.terms.concat(byte, low),
                None => byte,
            });
        }
        whole.expect("a byte")
    }

    pub(super) fn write(&mut self, address: u64, bytes: u32, term: TermId) {
        let term = self.resized(term, 8 * bytes);
        for i in 0..bytes {
            self.bytes.insert(address + u64::from(i), (term, i as u8));
        }
    }

    /// The condition must hold; `None` if it never does.
    pub(super) fn require(&mut self, condition: TermId) -> Option<()> {
        let mut condition = condition;
        for i in 0..self.restrictions.len() {
            let not = self.machine.terms.not(self.restrictions[i]);
            condition = self.machine.terms.or(not, condition);
        }
        match self.machine.terms.as_constant(condition) {
            Some(1) => {}
            Some(_) => return None,
            None => {
                if self.required.insert(condition) {
                    self.conditions.push(condition);
                }
            }
        }
        Some(())
    }

    pub(super) fn require_equal(&mut self, term: TermId, value: Value) -> Option<()> {
        let width = self.machine.terms.width(term);
        let value = match value.is_concrete() {
            true => self.machine.terms.constant(width, u128::from(value.bits)),
            false => value.term,
        };
        let equal = self.machine.terms.cmp(smt::CmpOp::Eq, term, value);
        self.require(equal)
    }

    pub(super) fn require_address(&mut self, item: &Item, ptr: Slot, address: u64) -> Option<()> {
        let width = self.machine.pointer_bits();
        let pointer = self.register(item, ptr, width);
        self.require_equal(pointer, Value::concrete(address))
    }

    /// Bytes are as they were, compared in groups of four where they lie so.
    pub(super) fn require_bytes(&mut self, bytes: &[(u64, u8)]) -> Option<()> {
        let mut i = 0;
        while i < bytes.len() {
            let (at, _) = bytes[i];
            let is_word = at.is_multiple_of(4)
                && bytes.len() >= i + 4
                && (0..4).all(|k| bytes[i + k].0 == at + k as u64);
            let length = if is_word { 4 } else { 1 };
            let mut number = 0;
            for k in (0..length).rev() {
                number = number << 8 | u64::from(bytes[i + k].1);
            }
            let cell = self.cell(at, length as u32);
            self.require_equal(cell, Value::concrete(number))?;
            i += length;
        }
        Some(())
    }

    pub(super) fn substitution(&mut self, conditions: &[TermId]) -> Option<Substitution> {
        let mut substitution = Substitution::default();
        let mut seen: FxHashSet<InputId> = FxHashSet::default();
        for condition in conditions {
            let inputs: SmallVec<[InputId; 8]> =
                SmallVec::from_slice(self.machine.terms.support(*condition));
            for input in inputs {
                if !seen.insert(input) {
                    continue;
                }
                let value = match self.machine.location_of(input) {
                    Some(Location::Register {
                        thread,
                        depth,
                        slot,
                        width,
                    }) => self.register_of(thread, depth, slot, width),
                    Some(Location::Cell { address, bytes }) => self.cell(address, bytes),
                    Some(Location::Result(thread)) => self.result(thread),
                    None => continue,
                };
                // Most of the state is as it was, and most conditions stay what they are.
                if *self.machine.terms.node(value) != Node::Input(input) {
                    substitution.insert(input, value);
                }
            }
        }
        Some(substitution)
    }

    pub(super) fn term(&mut self, value: Value, width: u32) -> TermId {
        value.to_term(&mut self.machine.terms, width)
    }

    /// The bytes may be anything from here on. Those of a large object, of which few are ever read,
    /// get their terms when they are read.
    pub(super) fn forget(&mut self, address: u64, bytes: u64) {
        let end = address + bytes;
        if bytes <= FEW {
            return (address..end).for_each(|at| self.name_byte(at));
        }
        self.bytes.retain(|at, _| !(address..end).contains(at));
        let before = self.forgotten.range(..=end);
        let met: Vec<(u64, u64)> = before
            .filter(|(_, other)| **other >= address)
            .map(|(start, other)| (*start, *other))
            .collect();
        let (mut from, mut to) = (address, end);
        for (start, other) in met {
            self.forgotten.remove(&start);
            (from, to) = (from.min(start), to.max(other));
        }
        self.forgotten.insert(from, to);
    }

    fn name_byte(&mut self, at: u64) {
        let byte = self.machine.anything(8);
        self.bytes.insert(at, (byte, 0));
    }

    fn name_forgotten(&mut self, address: u64, bytes: u64) {
        if self.forgotten.is_empty() {
            return;
        }
        for at in address..address + bytes {
            let before = self.forgotten.range(..=at).next_back();
            let is_forgotten = before.is_some_and(|(_, end)| at < *end);
            if is_forgotten && !self.bytes.contains_key(&at) {
                self.name_byte(at);
            }
        }
    }

    /// Registers are copied with the width that they have.
    pub(super) fn copy_register(
        &mut self,
        to: (ThreadId, u32, Slot),
        from: (ThreadId, u32, Slot),
        f: &Function,
    ) {
        let term = self.value_of(from, f);
        self.registers.insert(to, term);
    }

    /// With the width that the register has.
    pub(super) fn value_of(&mut self, at: (ThreadId, u32, Slot), f: &Function) -> TermId {
        match (
            f.registers.constants.get(at.2 as usize),
            self.registers.get(&at),
        ) {
            (Some(constant), _) => {
                let (width, bits) = (constant.width, constant.bits);
                self.machine.terms.constant(width, bits)
            }
            (None, Some(&term)) => term,
            (None, None) => {
                let width = self.width_of(f, at.2);
                self.machine.location(Location::Register {
                    thread: at.0,
                    depth: at.1,
                    slot: at.2,
                    width,
                })
            }
        }
    }

    /// The width of a register that is copied.
    pub(super) fn width_of(&self, f: &Function, slot: Slot) -> u32 {
        f.registers
            .widths
            .get(slot as usize)
            .copied()
            .map_or(64, u32::from)
    }

    pub(super) fn result(&mut self, thread: ThreadId) -> TermId {
        match self.results.get(&thread) {
            Some(&term) => term,
            None => self.machine.location(Location::Result(thread)),
        }
    }
}

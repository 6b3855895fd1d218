//! Addresses that depend on inputs: the object that is meant, and reading and writing wherever in
//! it the address may be.

use smt::{BinOp, Node, TermId};

use crate::fault::{Exec, Fault};
use crate::machine::Machine;
use crate::memory::{CHUNK, MemoryFault, ObjectId};
use crate::value::Value;

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Fixed(u64),
    /// Somewhere inside the object, at this offset.
    Within {
        object: ObjectId,
        offset: TermId,
    },
}

/// A pointer that chooses among so many addresses is looked through; a larger choice is like any
/// other term.
const MOST_CHOICES: usize = 64;

/// Larger arrays of pointers are read as tables of bytes.
const MOST_WORDS: u64 = 16;

/// A pointer that is one of several known addresses.
struct Choice {
    term: TermId,
    addresses: Vec<u64>,
}

/// The only number of the list for which `holds` is true.
fn only_one(all: &[u64], holds: impl Fn(&u64) -> bool) -> Option<u64> {
    let mut those = all.iter().copied().filter(|at| holds(at));
    let first = those.next()?;
    those.all(|other| other == first).then_some(first)
}

impl Machine {
    /// Whether an access at `to`, which was computed from `from`, is plain to be one to the same
    /// object, or to the gap behind it: the gap between two objects does not fit between the
    /// addresses, or the object is known.
    #[inline(always)]
    pub(crate) fn is_near(&self, from: u64, to: u64) -> bool {
        const NEAR: u64 = CHUNK as u64 - 1;
        to.wrapping_sub(from).wrapping_add(NEAR) <= 2 * NEAR
            || self.state.memory.are_known_within(from, to)
    }

    /// An access at `to`, which was computed from `from`, is one to the object that `from` points
    /// to, alive or not. The check depends on nothing that other threads can change: the object
    /// existed before its address could be known.
    pub(crate) fn stay_within(&mut self, from: Value, to: Value, bytes: u64) -> Exec<()> {
        let width = self.pointer_bits();
        let Some((id, start, size)) = self.object_meant(from)? else {
            return Ok(());
        };
        let outside = if to.is_concrete() {
            to.bits.wrapping_sub(start) > size
        } else {
            let start = self.terms.constant(width, u128::from(start));
            let choice = self.chosen_address(to.term);
            let term = choice.map_or(to.term, |choice| choice.term);
            let offset = self.terms.bin(BinOp::Sub, term, start);
            let last = self
                .terms
                .constant(width, u128::from(size.saturating_sub(bytes)));
            let outside = self.terms.cmp(smt::CmpOp::Ugt, offset, last);
            self.truth_of(outside)?
        };
        if !outside {
            if from.is_concrete() {
                self.state.memory.know_bounds(from.bits, start, size);
            }
            return Ok(());
        }
        let address = match to.is_concrete() {
            true => to.bits,
            false => self.example(to.term)?,
        };
        self.fault(Fault::Memory(MemoryFault::OutOfBounds(id), address))
    }

    /// The object that a pointer points to, or one past it, with its bounds. `None`: it points to
    /// nothing, or to something without bounds that are known.
    fn object_meant(&mut self, pointer: Value) -> Exec<Option<(ObjectId, u64, u64)>> {
        let width = self.pointer_bits();
        loop {
            let example = match pointer.is_concrete() {
                true => pointer.bits,
                false => self.example(pointer.term)?,
            };
            let found = self.state.memory.bounds_at(example);
            if pointer.is_concrete() {
                return Ok(found);
            }
            let (low, high) = match found {
                Some((_, start, size)) => (start, start + size),
                None => self.state.memory.gap_around(example),
            };
            let low = self.terms.constant(width, u128::from(low));
            let high = self.terms.constant(width, u128::from(high));
            let above = self.terms.cmp(smt::CmpOp::Uge, pointer.term, low);
            let below = self.terms.cmp(smt::CmpOp::Ule, pointer.term, high);
            let is_here = self.terms.and(above, below);
            if self.truth_of(is_here)? {
                return Ok(found);
            }
        }
    }

    /// Decides which object a pointer denotes. Several possible objects are several paths.
    pub(crate) fn resolve(&mut self, ptr: Value, bytes: u64, max_size: u64) -> Exec<Place> {
        if ptr.is_concrete() {
            return Ok(Place::Fixed(ptr.bits));
        }
        let width = self.pointer_bits();
        let choice = self.chosen_address(ptr.term);
        let pointer = choice.as_ref().map_or(ptr.term, |choice| choice.term);
        loop {
            let example = self.example(pointer)?;
            let found = self
                .state
                .memory
                .live_object_at(example)
                .filter(|(_, o)| o.contains(example, bytes))
                .map(|(id, o)| (id, o.base, o.size));
            match found {
                Some((id, base, size)) => {
                    let base_term = self.terms.constant(width, u128::from(base));
                    let offset = self.terms.bin(BinOp::Sub, pointer, base_term);
                    let last = self.terms.constant(width, u128::from(size - bytes));
                    let inside = self.terms.cmp(smt::CmpOp::Ule, offset, last);
                    if !self.truth_of(inside)? {
                        continue;
                    }
                    let within = |at: &u64| at.wrapping_sub(base) <= size - bytes;
                    let only = choice.as_ref().and_then(|c| only_one(&c.addresses, within));
                    if let Some(address) = only {
                        return Ok(Place::Fixed(address));
                    }
                    let is_special = self.state.memory.object(id).kind.is_special();
                    if size <= max_size && !is_special && !self.wants_addresses(base, size) {
                        return Ok(Place::Within { object: id, offset });
                    }
                    return self.number(ptr).map(Place::Fixed);
                }
                None => {
                    // Nothing lives here: every address of the gap is the same fault.
                    let (low, high) = self.state.memory.gap_around(example);
                    let low = self.terms.constant(width, u128::from(low));
                    let high = self.terms.constant(width, u128::from(high));
                    let above = self.terms.cmp(smt::CmpOp::Uge, pointer, low);
                    let below = self.terms.cmp(smt::CmpOp::Ule, pointer, high);
                    let in_gap = self.terms.and(above, below);
                    if !self.in_gap_or_at(in_gap, pointer, example)? {
                        continue;
                    }
                    return Ok(Place::Fixed(example));
                }
            }
        }
    }

    /// What a pointer is that chooses among addresses which are known, a number perhaps added. The
    /// number goes into the choice, so that comparing it with a constant leaves the conditions of
    /// the choice alone.
    fn chosen_address(&mut self, pointer: TermId) -> Option<Choice> {
        let (choice, added) = match *self.terms.node(pointer) {
            Node::Ite(..) => (pointer, None),
            Node::Bin(BinOp::Add, a, b) if self.terms.as_constant(b).is_some() => (a, Some(b)),
            _ => return None,
        };
        let mut addresses = Vec::new();
        let term = self.add_to_choice(choice, added, &mut addresses)?;
        Some(Choice { term, addresses })
    }

    fn add_to_choice(
        &mut self,
        choice: TermId,
        added: Option<TermId>,
        addresses: &mut Vec<u64>,
    ) -> Option<TermId> {
        if self.terms.as_constant(choice).is_some() {
            let sum = match added {
                Some(added) => self.terms.bin(BinOp::Add, choice, added),
                None => choice,
            };
            addresses.push(self.terms.as_constant(sum)? as u64);
            return (addresses.len() <= MOST_CHOICES).then_some(sum);
        }
        let Node::Ite(condition, a, b) = *self.terms.node(choice) else {
            return None;
        };
        let a = self.add_to_choice(a, added, addresses)?;
        let b = self.add_to_choice(b, added, addresses)?;
        Some(self.terms.ite(condition, a, b))
    }

    /// The gap does not cover an address that is inside an object but too near its end: then only
    /// that address is meant.
    fn in_gap_or_at(&mut self, in_gap: TermId, pointer: TermId, example: u64) -> Exec<bool> {
        let inside = self
            .state
            .memory
            .live_object_at(example)
            .is_some_and(|(_, o)| example < o.base + o.size);
        let condition = if inside {
            let here = self
                .terms
                .constant(self.pointer_bits(), u128::from(example));
            self.terms.cmp(smt::CmpOp::Eq, pointer, here)
        } else {
            in_gap
        };
        self.truth_of(condition)
    }

    pub(crate) fn read_place(&mut self, place: Place, width: u32) -> Value {
        let bytes = u64::from(width.div_ceil(8));
        match place {
            Place::Fixed(address) => {
                if let Some(word) = self.state.memory.plain_word(address, bytes as u32) {
                    return Value::concrete(word & crate::value::mask(width));
                }
                self.initialise_range(address, bytes);
                self.state.memory.read(&mut self.terms, address, width)
            }
            Place::Within { object, offset } => {
                let object = self.state.memory.object(object);
                let (base, size) = (object.base, object.size);
                self.initialise_range(base, size);
                if let Some(value) = self.chosen_word(base, size, offset, width) {
                    return value;
                }
                let cells: Vec<_> = (0..size)
                    .map(|i| self.state.memory.read_byte(&mut self.terms, base + i))
                    .collect();
                let table = self.terms.table(&cells);
                let mut result: Option<TermId> = None;
                for i in 0..bytes {
                    let step = self
                        .terms
                        .constant(self.state.memory.space.pointer_bits(), u128::from(i));
                    let index = self.terms.bin(smt::BinOp::Add, offset, step);
                    let byte = self.terms.select(table, index);
                    result = Some(match result {
                        None => byte,
                        Some(low) => self.terms.concat(byte, low),
                    });
                }
                let term = result.expect("at least one byte");
                let term = self.terms.extract(term, 0, width);
                self.value(term)
            }
        }
    }

    /// What is read from an array of words that depend on inputs: a choice among whole words, in
    /// which pointers can be told from each other. `None` if it is no such array: a table of bytes
    /// is smaller.
    fn chosen_word(&mut self, base: u64, size: u64, offset: TermId, width: u32) -> Option<Value> {
        let bytes = u64::from(width) / 8;
        let is_word =
            u64::from(width) == self.pointer_bytes() as u64 * 8 && size.is_multiple_of(bytes);
        let count = size / bytes.max(1);
        if !is_word || !(2..=MOST_WORDS).contains(&count) {
            return None;
        }
        let low = u128::from(bytes - 1);
        if self.terms.known_bits(offset).zeros & low != low {
            return None;
        }
        let word = |m: &mut Machine, i| m.state.memory.read(&mut m.terms, base + i * bytes, width);
        let words: Vec<Value> = (0..count).map(|i| word(self, i)).collect();
        let is_choice = |value: &Value| {
            !value.is_concrete() && matches!(self.terms.node(value.term), Node::Ite(..))
        };
        if !words.iter().any(is_choice) {
            return None;
        }
        // The offset is within the object: what is none of the others is the last.
        let last = words.len() - 1;
        let mut chosen = self.term(words[last], width);
        for (i, word) in words[..last].iter().enumerate().rev() {
            let here = u128::from(i as u64 * bytes);
            let here = self.terms.constant(self.pointer_bits(), here);
            let is_here = self.terms.cmp(smt::CmpOp::Eq, offset, here);
            let word = self.term(*word, width);
            chosen = self.terms.ite(is_here, word, chosen);
        }
        Some(self.value(chosen))
    }

    pub(crate) fn write_place(&mut self, place: Place, value: Value, width: u32) {
        match place {
            Place::Fixed(address) => {
                self.state
                    .memory
                    .write(&mut self.trail, &self.terms, address, width, value);
            }
            Place::Within { object, offset } => {
                let object = self.state.memory.object(object);
                let (base, size) = (object.base, object.size);
                self.initialise_range(base, size);
                let bytes = u64::from(width.div_ceil(8));
                let term = self.term(value, width);
                let term = self.terms.zext(term, 8 * bytes as u32);
                let old: Vec<_> = (0..size)
                    .map(|i| self.state.memory.read_byte(&mut self.terms, base + i))
                    .collect();
                let mut new = old.clone();
                for start in 0..=size - bytes {
                    let here = self
                        .terms
                        .constant(self.state.memory.space.pointer_bits(), u128::from(start));
                    let hit = self.terms.cmp(smt::CmpOp::Eq, offset, here);
                    for i in 0..bytes {
                        let cell = (start + i) as usize;
                        let byte = self.terms.extract(term, 8 * i as u32, 8);
                        new[cell] = self.terms.ite(hit, byte, new[cell]);
                    }
                }
                for (i, (cell, before)) in new.into_iter().zip(old).enumerate() {
                    if cell != before {
                        let address = base + i as u64;
                        self.state.memory.write_byte_term(
                            &mut self.trail,
                            &self.terms,
                            address,
                            cell,
                        );
                    }
                }
            }
        }
    }

    /// Uninitialised bytes become inputs when they are first read, named after their address.
    pub(crate) fn initialise_range(&mut self, address: u64, bytes: u64) {
        if self.state.memory.is_plain(address, bytes) {
            return;
        }
        let open = self.state.memory.uninitialised(address, bytes);
        if open.is_empty() {
            return;
        }
        // The serial number tells objects apart that were given the same stack address one after
        // the other.
        let id = self
            .state
            .memory
            .object_at(address)
            .expect("a checked address");
        let serial = self.state.memory.object(id).serial;
        if open.len() as u64 == bytes && bytes <= 16 {
            let name = format!("uninitialised.{serial}.{address:x}.{bytes}");
            let value = self.named_input(&name, 0, 8 * bytes as u32);
            self.state.memory.write(
                &mut self.trail,
                &self.terms,
                address,
                8 * bytes as u32,
                value,
            );
            return;
        }
        for i in open {
            let name = format!("uninitialised.{serial}.{:x}.1", address + i);
            let value = self.named_input(&name, 0, 8);
            self.state
                .memory
                .write(&mut self.trail, &self.terms, address + i, 8, value);
        }
    }
}

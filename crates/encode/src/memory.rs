//! Memory: objects, and the contents of what is accessed in a fixed order.
//!
//! Memory that two threads access at the same time, one of them writing, is *contended*: its
//! accesses are events. All other accesses are ordered by creations and joins, so what they find is
//! known from the path alone, and a path carries it along.

use std::collections::BTreeMap;

use imbl::{OrdMap, OrdSet};
use rustc_hash::FxHashMap;
use smt::{TermId, Terms};

use crate::knowledge::ThreadIx;

/// What a path knows of the contents of memory: by address, its pieces. They do not overlap.
pub type Contents = OrdMap<u64, Piece>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub bytes: u32,
    pub value: TermId,
}

/// The widest piece.
const WIDEST: u64 = 16;

/// A part of the address space, with what is free of it. Objects lie so far apart that hardly an
/// offset leads from one into another; one that does makes the engine step aside
/// (`Unroller::point_into`).
#[derive(Clone, Copy, Default)]
pub struct Space {
    next: u64,
    end: u64,
    gap: u64,
}

impl Space {
    /// Where static objects and functions lie.
    pub fn of_statics(pointer_bits: u32, count: usize) -> Space {
        let (end, gap) = bounds(pointer_bits);
        // Numbers that programs compute with are hardly addresses.
        let start = end / 16 * 5;
        let room = (end - start) / (2 * count as u64 + 1);
        Space {
            next: start,
            end,
            gap: gap.min(1 << room.ilog2()),
        }
    }

    /// Where the objects lie that the program makes.
    pub fn of_objects(pointer_bits: u32) -> Space {
        let (start, gap) = bounds(pointer_bits);
        Space {
            next: start,
            end: if pointer_bits == 64 {
                1 << 47
            } else {
                u64::from(u32::MAX)
            },
            gap,
        }
    }

    /// `None`: there is no room left.
    pub fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        let base = self.next.checked_next_multiple_of(align.max(self.gap))?;
        self.next = base.checked_add(size)?.checked_add(self.gap)?;
        (self.next <= self.end).then_some(base)
    }
}

/// Where static objects end and others begin, and how far apart they are.
fn bounds(pointer_bits: u32) -> (u64, u64) {
    match pointer_bits {
        64 => (1 << 44, 1 << 31),
        _ => (1 << 30, 1 << 16),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Static,
    Function,
    Stack,
    Heap,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub size: u64,
    pub kind: ObjectKind,
    pub readonly: bool,
    pub initial: Initial,
}

#[derive(Clone, Debug)]
pub enum Initial {
    Zero,
    Bytes(Vec<u8>),
    /// Any value.
    Undefined,
}

#[derive(Default)]
pub struct Objects {
    all: BTreeMap<u64, Object>,
}

impl Objects {
    pub fn insert(&mut self, base: u64, object: Object) {
        self.all.insert(base, object);
    }

    pub fn get(&self, base: u64) -> Option<&Object> {
        self.all.get(&base)
    }

    /// The object around an address, or the one that ends there.
    pub fn around(&self, address: u64) -> Option<(u64, &Object)> {
        let (base, object) = self.all.range(..=address).next_back()?;
        (address <= base + object.size).then_some((*base, object))
    }

    /// The object that holds all these bytes.
    pub fn holding(&self, address: u64, bytes: u64) -> Option<(u64, &Object)> {
        let (base, object) = self.all.range(..=address).next_back()?;
        let offset = address - base;
        let fits = offset <= object.size && bytes <= object.size - offset;
        (fits && object.kind != ObjectKind::Function).then_some((*base, object))
    }
}

/// What bytes that were never written are called begins with this.
pub const UNDEFINED: &str = "undefined@";

/// A byte that the program has not written.
pub fn initial_byte(terms: &mut Terms, objects: &Objects, address: u64) -> TermId {
    let Some((base, object)) = objects.holding(address, 1) else {
        return terms.constant(8, 0);
    };
    match &object.initial {
        Initial::Zero => terms.constant(8, 0),
        Initial::Bytes(bytes) => {
            let byte = bytes.get((address - base) as usize).copied().unwrap_or(0);
            terms.constant(8, u128::from(byte))
        }
        Initial::Undefined => terms.input(&format!("{UNDEFINED}{address:x}"), 8),
    }
}

/// What is at an address, on a path.
pub fn read(
    terms: &mut Terms,
    objects: &Objects,
    contents: &Contents,
    address: u64,
    bytes: u32,
) -> TermId {
    if let Some(piece) = contents.get(&address)
        && piece.bytes == bytes
    {
        return piece.value;
    }
    let mut result: Option<TermId> = None;
    for at in address..address + u64::from(bytes) {
        let byte = byte_of(terms, objects, contents, at);
        result = Some(match result {
            None => byte,
            Some(low) => terms.concat(byte, low),
        });
    }
    result.expect("at least one byte")
}

fn byte_of(terms: &mut Terms, objects: &Objects, contents: &Contents, at: u64) -> TermId {
    let before = contents.range(at.saturating_sub(WIDEST)..=at).next_back();
    if let Some((start, piece)) = before
        && at < start + u64::from(piece.bytes)
    {
        return terms.extract(piece.value, 8 * (at - start) as u32, 8);
    }
    initial_byte(terms, objects, at)
}

/// Writes a value of whole bytes.
pub fn write(terms: &mut Terms, contents: &mut Contents, address: u64, value: TermId) {
    let bytes = terms.width(value) / 8;
    debug_assert!(terms.width(value).is_multiple_of(8));
    if contents.get(&address).is_none_or(|p| p.bytes != bytes) {
        make_room(terms, contents, address, bytes);
    }
    contents.insert(address, Piece { bytes, value });
}

/// What is left of pieces that lie partly in the range becomes single bytes.
fn make_room(terms: &mut Terms, contents: &mut Contents, address: u64, bytes: u32) {
    let end = address + u64::from(bytes);
    let overlapping: Vec<(u64, Piece)> = contents
        .range(address.saturating_sub(WIDEST)..end)
        .filter(|(start, piece)| **start + u64::from(piece.bytes) > address)
        .map(|(start, piece)| (*start, *piece))
        .collect();
    for (start, piece) in overlapping {
        contents.remove(&start);
        for at in start..start + u64::from(piece.bytes) {
            if at < address || at >= end {
                let value = terms.extract(piece.value, 8 * (at - start) as u32, 8);
                contents.insert(at, Piece { bytes: 1, value });
            }
        }
    }
}

/// The addresses at which two states of memory may differ, with sizes.
pub fn differences(a: &Contents, b: &Contents) -> Vec<(u64, u32)> {
    use imbl::ordmap::DiffItem;
    let mut all = Vec::new();
    for item in a.diff(b) {
        match item {
            DiffItem::Add(at, piece) | DiffItem::Remove(at, piece) => all.push((*at, piece.bytes)),
            DiffItem::Update { old, new } => {
                all.push((*old.0, old.1.bytes));
                if old.1.bytes != new.1.bytes {
                    all.push((*new.0, new.1.bytes));
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Where two states of memory differ: pieces of the one lie within pieces of the other, so that no
/// byte is named that only lies in a piece with one that differs.
pub fn changed_cells(
    terms: &mut Terms,
    objects: &Objects,
    a: &Contents,
    b: &Contents,
) -> Vec<(u64, u32)> {
    let end_of_piece = |contents: &Contents, at: u64| {
        let before = contents.range(..=at).next_back();
        match before.map(|(start, piece)| start + u64::from(piece.bytes)) {
            Some(end) if end > at => end,
            _ => at + 1,
        }
    };
    let mut cells = Vec::new();
    let mut done = 0;
    for (start, bytes) in differences(a, b) {
        let end = start + u64::from(bytes);
        let mut at = start.max(done);
        while at < end {
            let next = end_of_piece(a, at).min(end_of_piece(b, at)).min(end);
            let size = (next - at) as u32;
            if read(terms, objects, a, at, size) != read(terms, objects, b, at, size) {
                cells.push((at, size));
            }
            at = next;
        }
        done = done.max(end);
    }
    cells
}

/// Accesses so far, to see which are not ordered.
#[derive(Default)]
pub struct Accesses {
    granules: FxHashMap<u64, Vec<Access>>,
}

/// Accesses that are not ordered with one.
#[derive(Default)]
pub struct Conflicts {
    pub any: bool,
    /// By eight bytes: the mutexes that all hold.
    pub guards: Vec<(u64, Vec<u64>)>,
}

#[derive(Clone)]
struct Access {
    thread: ThreadIx,
    /// The mutexes that the thread holds.
    held: OrdSet<u64>,
    /// The part of the thread between two creations or joins.
    segment: u32,
    read: u8,
    written: u8,
}

impl Accesses {
    /// Notes an access, and says of others to the same bytes, one of them a write, that are not known
    /// to be over.
    pub fn add(
        &mut self,
        (address, bytes): (u64, u64),
        is_write: bool,
        (thread, segment): (ThreadIx, u32),
        held: &OrdSet<u64>,
        is_over: impl Fn(ThreadIx, u32) -> bool,
    ) -> Conflicts {
        let mut conflicts = Conflicts::default();
        let mut at = address;
        while at < address + bytes {
            let granule = at / 8;
            let first = at % 8;
            let last = (address + bytes - granule * 8).min(8);
            let mask = (((1u32 << last) - 1) & !((1u32 << first) - 1)) as u8;
            let (read, written) = if is_write { (0, mask) } else { (mask, 0) };
            let known = self.granules.entry(granule).or_default();
            let mut own = false;
            let mut guards: Option<Vec<u64>> = None;
            for other in known.iter_mut() {
                if other.thread == thread {
                    if other.segment == segment && (other.held.ptr_eq(held) || other.held == *held)
                    {
                        other.read |= read;
                        other.written |= written;
                        own = true;
                    }
                } else {
                    let overlap = mask
                        & if is_write {
                            other.read | other.written
                        } else {
                            other.written
                        };
                    if overlap != 0 && !is_over(other.thread, other.segment) {
                        conflicts.any = true;
                        let both = guards.get_or_insert_with(|| held.iter().copied().collect());
                        both.retain(|mutex| other.held.contains(mutex));
                    }
                }
            }
            if let Some(guards) = guards {
                conflicts.guards.push((granule, guards));
            }
            if !own {
                known.push(Access {
                    thread,
                    held: held.clone(),
                    segment,
                    read,
                    written,
                });
            }
            at = granule * 8 + last;
        }
        conflicts
    }
}

//! Byte-precise memory: arenas of objects, each checked for bounds and liveness on every access.
//!
//! Every thread has two arenas, one for its stack and one for its heap, and the program has one for
//! globals and functions. Addresses follow from the owner and the order of the owner's own
//! allocations alone, so an object has the same address in every interleaving. Freed heap memory is
//! never reused. Stack memory is reused only for objects whose address stays in registers of the
//! frame (see `code::alloca`); a dangling pointer therefore always meets a dead object.
//!
//! An arena is cut into chunks of 64 bytes, and no two objects share one. A chunk says how many of
//! its bytes may be accessed, which of them are not plain concrete bytes (symbolic or
//! uninitialised), and at which decision depth it was last saved on the trail: one look answers the
//! common case.

mod access;
mod address;
mod arena;
mod object;
mod word;

pub use address::{AddressSpace, ArenaId, LARGEST};
pub use arena::{Arena, CHUNK, Chunk, SymByte, SymPages, Uses};
pub use object::{Object, ObjectId, ObjectKind, Region};
pub(crate) use word::read_word;
pub use word::{By, InChunk, byte_mask};

use rustc_hash::FxHashMap;

use crate::sharing::SharedSet;
use crate::trail::{Trail, Undo};

/// Memory of the whole program.
pub struct Memory {
    pub space: AddressSpace,
    arenas: Vec<Arena>,
    /// Objects that are too large to be held, by the arena of their owner.
    far: Vec<Vec<Object>>,
    /// Below this, what lies behind the last static object belongs to it (see
    /// [`Memory::extend_statics`]).
    statics_end: u64,
    pages: SymPages,
    /// Chunks that hold visible bytes, copied into the chunks' flags when they are allocated.
    pub shared: SharedSet,
    /// Uses of chunks by their addresses, if they must outlive the objects in them (see
    /// `premises`).
    pub uses: Option<FxHashMap<u64, Uses>>,
    /// How chunks are used is noted.
    notes: bool,
    bounds: KnownBounds,
}

/// What kind of access is made, for faults and for the sharing analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Read,
    Write,
}

/// Why an access to memory is a fault of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum MemoryFault {
    Null,
    /// The address lies in or next to this object, outside its bounds.
    OutOfBounds(ObjectId),
    UseAfterFree(ObjectId),
    UseAfterReturn(ObjectId),
    ReadOnly(ObjectId),
    /// The address belongs to nothing.
    Wild,
    /// A function's address was read or written as data.
    Function(ObjectId),
    DoubleFree(ObjectId),
    /// `free` of something that `malloc` did not return.
    InvalidFree,
    /// No fault: whether the access is one depends on the text (see `text`).
    Text(ObjectId),
    /// No fault, but the contents are not known.
    Undefined(ObjectId),
    /// No fault, but the object is too large to be held.
    TooLarge(ObjectId),
}

impl Memory {
    pub fn new(pointer_bits: u32, shared: SharedSet) -> Memory {
        Memory {
            space: AddressSpace::new(pointer_bits),
            arenas: Vec::new(),
            far: Vec::new(),
            statics_end: 0,
            pages: SymPages::new(),
            shared,
            uses: None,
            notes: false,
            bounds: KnownBounds::default(),
        }
    }

    /// From now on, notes how memory is used (see `premises`). Uses count even if they are undone,
    /// as long as the object exists: a step that was undone because it had no effect may be made
    /// again.
    pub fn note_uses(&mut self) {
        self.notes = true;
        for arena in &mut self.arenas {
            arena.uses.resize(arena.chunks.len(), Uses::default());
        }
    }

    pub fn arena(&self, id: ArenaId) -> Option<&Arena> {
        self.arenas.get(id.index())
    }

    fn arena_mut(&mut self, id: ArenaId) -> &mut Arena {
        while self.arenas.len() <= id.index() {
            self.arenas.push(Arena::default());
        }
        &mut self.arenas[id.index()]
    }

    /// Bytes held, for the statistics.
    pub fn footprint(&self) -> usize {
        self.arenas.iter().map(Arena::footprint).sum()
    }

    /// Reserves an object. `None`: the arena is full.
    pub fn allocate(&mut self, trail: &mut Trail, request: Allocation) -> Option<u64> {
        let Allocation {
            arena,
            size,
            align,
            kind,
            initialised,
            readonly,
        } = request;
        if size > LARGEST {
            return self.allocate_far(trail, request);
        }
        self.bounds = KnownBounds::default();
        let space = self.space;
        let depth = trail.depth();
        let notes = self.notes;
        let a = self.arena_mut(arena);
        let start = (a.len() as u64).next_multiple_of(align.max(CHUNK as u64));
        // One chunk more than needed keeps a pointer one past the end out of the next object.
        let chunks = (size as usize).div_ceil(CHUNK) + 1;
        let end = start + (chunks * CHUNK) as u64;
        if size > space.arena_size(arena) || end > space.arena_size(arena) {
            return None;
        }
        trail.effects += 1;
        trail.push_if_deep(|| Undo::Allocate {
            arena,
            len: a.len(),
            objects: a.objects.len(),
            serial: a.serial,
        });
        a.grow(end as usize, depth, notes);
        let first = start as usize / CHUNK;
        for i in 0..chunks - 1 {
            let chunk = &mut a.chunks[first + i];
            // Every access to what is no plain data takes the path that says so.
            if !kind.is_special() {
                chunk.len = (size as usize - i * CHUNK).min(CHUNK) as u8;
            }
            chunk.readonly = readonly;
            chunk.mask = if initialised { 0 } else { u64::MAX };
        }
        let base = space.address(arena, start);
        a.objects.push(Object {
            base,
            size,
            kind,
            live: true,
            serial: a.serial,
        });
        a.serial += 1;
        for i in 0..chunks - 1 {
            let key = base + (i * CHUNK) as u64;
            let a = &mut self.arenas[arena.index()];
            a.chunks[first + i].shared = self.shared.mask(key);
            if let Some(uses) = self.uses.as_ref().and_then(|uses| uses.get(&key)) {
                a.uses[first + i] = *uses;
            }
        }
        Some(base)
    }

    /// What the objects of an arena have in size at least: each begins a chunk, and has one behind
    /// it.
    pub fn least_bytes(&self, arena: ArenaId) -> u64 {
        self.arena(arena).map_or(0, |arena| {
            let rounding = arena.objects.len() * (2 * CHUNK - 1);
            (arena.len().saturating_sub(rounding)) as u64
        })
    }

    /// Reserves addresses for an object that is too large to be held.
    fn allocate_far(&mut self, trail: &mut Trail, request: Allocation) -> Option<u64> {
        let room = self.space.far(request.arena)?;
        while self.far.len() <= request.arena.index() {
            self.far.push(Vec::new());
        }
        let objects = &mut self.far[request.arena.index()];
        let start = objects.last().map_or(room.start, |last| last.far_end());
        let base = start.checked_next_multiple_of(request.align.max(CHUNK as u64))?;
        let object = Object {
            base,
            size: request.size,
            kind: request.kind,
            live: true,
            serial: objects.len() as u32,
        };
        if request.size > room.end - room.start || object.far_end() > room.end {
            return None;
        }
        trail.effects += 1;
        trail.push_if_deep(|| Undo::AllocateFar {
            arena: request.arena,
        });
        objects.push(object);
        Some(base)
    }

    /// The last static object is larger than what is held of it: all `bytes` addresses from
    /// `address` on are its own. No static object comes after it.
    pub fn extend_statics(&mut self, address: u64, bytes: u64) {
        self.statics_end = address + bytes;
    }

    fn far_object_at(&self, address: u64) -> Option<ObjectId> {
        let arena = self.space.locate_far(address)?;
        let objects = self.far.get(arena.index())?;
        let next = objects.partition_point(|o| o.base <= address);
        let index = next.checked_sub(1)?;
        (address < objects[index].far_end()).then_some(ObjectId {
            arena,
            index: ObjectId::FAR + index as u32,
        })
    }

    /// The objects of an owner that are too large to be held.
    pub fn far_objects(&self, arena: ArenaId) -> &[Object] {
        self.far.get(arena.index()).map_or(&[], Vec::as_slice)
    }

    fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        match id.far_index() {
            Some(index) => &mut self.far[id.arena.index()][index],
            None => &mut self.arenas[id.arena.index()].objects[id.index as usize],
        }
    }

    /// The object that contains `address`, or whose guard chunk does.
    pub fn object_at(&self, address: u64) -> Option<ObjectId> {
        if let Some(id) = self.far_object_at(address) {
            return Some(id);
        }
        let (arena, offset) = self.space.locate(address)?;
        let a = self.arena(arena)?;
        // No other arena lies as low as the end of the statics.
        if offset as usize >= a.len() && address >= self.statics_end {
            return None;
        }
        let next = a.objects.partition_point(|o| o.base <= address);
        let index = next.checked_sub(1)?;
        Some(ObjectId {
            arena,
            index: index as u32,
        })
    }

    pub fn object(&self, id: ObjectId) -> &Object {
        match id.far_index() {
            Some(index) => &self.far[id.arena.index()][index],
            None => &self.arenas[id.arena.index()].objects[id.index as usize],
        }
    }

    /// The object `address` points into (or one past), if it is alive.
    pub fn live_object_at(&self, address: u64) -> Option<(ObjectId, &Object)> {
        let id = self.object_at(address)?;
        let object = self.object(id);
        (object.live && address <= object.base + object.size).then_some((id, object))
    }

    /// The object `address` points into (or one past), alive or not, with its base and size. `None`
    /// also if it is no plain data, or only a part of it is held.
    pub fn bounds_at(&self, address: u64) -> Option<(ObjectId, u64, u64)> {
        let id = self.object_at(address)?;
        let object = self.object(id);
        let is_meant = object.size <= LARGEST && !object.kind.is_special();
        (is_meant && address - object.base <= object.size).then_some((id, object.base, object.size))
    }

    /// Whether both addresses are known to point into one object, or one past it.
    #[inline(always)]
    pub fn are_known_within(&self, a: u64, b: u64) -> bool {
        let (base, size) = self.bounds.0[KnownBounds::index(a)];
        a.wrapping_sub(base) <= size && b.wrapping_sub(base) <= size && size != 0
    }

    /// Remembers the bounds of an object, for addresses like this.
    pub fn know_bounds(&mut self, address: u64, base: u64, size: u64) {
        self.bounds.0[KnownBounds::index(address)] = (base, size);
    }

    /// Marks an object dead: every later access to it is a fault.
    pub fn kill(&mut self, trail: &mut Trail, id: ObjectId) {
        let object = self.object(id).clone();
        if trail.depth() > 0 {
            trail.saved.objects.push(object.clone());
            trail.push(Undo::Object { id });
        }
        self.object_mut(id).live = false;
        if id.far_index().is_some() {
            return;
        }
        let (_, offset) = self
            .space
            .locate(object.base)
            .expect("an object has an address");
        let first = offset as usize / CHUNK;
        for i in 0..(object.size as usize).div_ceil(CHUNK) {
            self.save_chunk(trail, id.arena, first + i);
            self.arenas[id.arena.index()].chunks[first + i].len = 0;
        }
    }

    /// Gives stack memory above `len` back, for objects whose address cannot have survived.
    pub fn shrink(&mut self, trail: &mut Trail, arena: ArenaId, mark: StackMark) {
        let a = self.arena_mut(arena);
        if a.len() == mark.len {
            return;
        }
        if trail.depth() > 0 {
            let lost = a.objects.len() - mark.objects;
            trail
                .saved
                .objects
                .extend_from_slice(&a.objects[mark.objects..]);
            let first = mark.len / CHUNK;
            let last = a.len() / CHUNK;
            for index in first..last {
                self.save_chunk(trail, arena, index);
            }
            let a = &mut self.arenas[arena.index()];
            if self.notes {
                trail.saved.uses.extend_from_slice(&a.uses[first..last]);
            }
            trail.push(Undo::Shrink {
                arena,
                len: a.len(),
                objects: lost,
            });
        }
        self.bounds = KnownBounds::default();
        self.arenas[arena.index()].shrink(mark.len, mark.objects, &mut self.pages);
    }

    pub fn stack_mark(&self, arena: ArenaId) -> StackMark {
        self.arena(arena)
            .map_or(StackMark::default(), |a| StackMark {
                len: a.len(),
                objects: a.objects.len(),
            })
    }

    /// Live heap objects, for the leak check and for reports.
    pub fn live_objects(&self) -> impl Iterator<Item = &Object> {
        self.arenas
            .iter()
            .flat_map(|a| a.objects.iter())
            .chain(self.far.iter().flatten())
            .filter(|o| o.live)
    }

    /// The widest interval around `address` in which no live object lies, as inclusive bounds.
    pub fn gap_around(&self, address: u64) -> (u64, u64) {
        let limit = if self.space.pointer_bits() == 32 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        let mut low = 0;
        let mut high = limit;
        for object in self.live_objects() {
            let end = object.base + object.size;
            if end <= address {
                low = low.max(end);
            } else if object.base > address {
                high = high.min(object.base - 1);
            }
        }
        if address >= self.statics_end {
            low = low.max(self.statics_end);
        } else {
            high = high.min(self.statics_end - 1);
        }
        (low, high)
    }

    #[inline]
    pub(crate) fn undo_chunk(
        &mut self,
        arena: ArenaId,
        index: u32,
        mut chunk: Chunk,
        saved: &mut crate::trail::Saved,
    ) {
        let a = &mut self.arenas[arena.index()];
        let now = &mut a.chunks[index as usize];
        let start = index as usize * CHUNK;
        a.bytes[start..start + CHUNK].copy_from_slice(&saved.bytes.pop().expect("saved"));
        if chunk.sym | now.sym != 0 {
            if chunk.sym != 0 {
                // The page it had may serve another chunk by now.
                chunk.sym = if now.sym != 0 {
                    now.sym
                } else {
                    self.pages.take()
                };
                *self.pages.get_mut(chunk.sym) = saved.pages.pop().expect("saved page");
            } else {
                self.pages.release(now.sym);
            }
        }
        *now = chunk;
    }

    pub(crate) fn undo(&mut self, undo: Undo, saved: &mut crate::trail::Saved) {
        match undo {
            Undo::Allocate {
                arena,
                len,
                objects,
                serial,
            } => {
                self.bounds = KnownBounds::default();
                let a = &mut self.arenas[arena.index()];
                a.shrink(len, objects, &mut self.pages);
                a.serial = serial;
            }
            Undo::AllocateFar { arena } => {
                self.far[arena.index()].pop();
            }
            Undo::Shrink {
                arena,
                len,
                objects,
            } => {
                let a = &mut self.arenas[arena.index()];
                let chunks = a.chunks.len();
                a.grow(len, 0, self.notes);
                if self.notes {
                    let uses = &mut saved.uses;
                    let first = uses.len() - (a.chunks.len() - chunks);
                    a.uses[chunks..].copy_from_slice(&uses[first..]);
                    uses.truncate(first);
                }
                let first = saved.objects.len() - objects;
                a.objects.extend(saved.objects.drain(first..));
            }
            Undo::Object { id } => {
                let old = saved.objects.pop().expect("a saved object");
                *self.object_mut(id) = old;
            }
            other => unreachable!("not an undo entry of memory: {other:?}"),
        }
    }
}

/// Base and size of the objects that were looked up last, by the address that was looked up.
/// Forgotten whenever objects come or go.
#[derive(Clone, Copy, Default)]
struct KnownBounds([(u64, u64); 8]);

impl KnownBounds {
    #[inline(always)]
    fn index(address: u64) -> usize {
        (address / CHUNK as u64 % 8) as usize
    }
}

/// What [`Memory::allocate`] needs to know.
pub struct Allocation {
    pub arena: ArenaId,
    pub size: u64,
    pub align: u64,
    pub kind: ObjectKind,
    /// `false`: every byte is any value until it is written.
    pub initialised: bool,
    pub readonly: bool,
}

/// The top of a stack arena at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackMark {
    pub len: usize,
    pub objects: usize,
}

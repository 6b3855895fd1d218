//! Memory as threads see it: loads, stores and atomic operations, checked, made visible where other threads may look, and
//! resolved where the address is symbolic.

use ir::{MemoryOrder, RmwOp, Type};
use smt::TermId;

use crate::code::Slot;
use crate::fault::{Exec, Fault, Stop};
use crate::machine::{Machine, Mark};
use crate::memory::{AccessKind, ArenaId, CHUNK, InChunk, ObjectId};
use crate::race::{Deed, How, SECTIONS};
use crate::record::EventKind;
use crate::sharing::{Access, Record, Recorded};
use crate::step::concrete_bin;
use crate::thread::{Clock, Guard, ThreadId};
use crate::touch::{Change, Update};
use crate::trail::Undo;
use crate::value::Value;

/// Symbolic stores to objects up to this size rewrite every byte they may hit; larger ones enumerate the addresses.
const MAX_SYMBOLIC_STORE: u64 = 1024;
/// Symbolic loads read objects up to this size through a table.
const MAX_SYMBOLIC_LOAD: u64 = 1 << 16;

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

/// How far a fast path got.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside<T> {
    Done(T),
    /// It is not the thread's turn.
    Park,
    /// Nothing was done: take the general path.
    Unclear,
}

impl Machine {
    pub(crate) fn load(
        &mut self,
        dst: usize,
        ptr: Value,
        width: u32,
        atomic: Option<MemoryOrder>,
    ) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        let place = self.resolve(ptr, bytes, MAX_SYMBOLIC_LOAD)?;
        self.access(place, bytes, AccessKind::Read)?;
        let value = self.read_place(place, width);
        self.event(|| EventKind::Read {
            address: place_address(place),
            bytes: bytes as u32,
            value,
        });
        self.registers[dst] = value;
        let how = atomic.map_or(How::Plain, How::Load);
        self.note_place(place, bytes, Deed::Read, how)
    }

    pub(crate) fn store(
        &mut self,
        ptr: Value,
        value: Value,
        width: u32,
        atomic: Option<MemoryOrder>,
    ) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        let place = self.resolve(ptr, bytes, MAX_SYMBOLIC_STORE)?;
        self.access(place, bytes, AccessKind::Write)?;
        if matches!(place, Place::Fixed(_)) {
            self.touched.changes(Change::Replaced);
        }
        self.change();
        self.write_place(place, value, width);
        self.event(|| EventKind::Write {
            address: place_address(place),
            bytes: bytes as u32,
            value,
        });
        let how = atomic.map_or(How::Plain, How::Store);
        self.note_place(place, bytes, Deed::Write, how)
    }

    pub(crate) fn rmw(
        &mut self,
        op: RmwOp,
        ty: Type,
        dst: usize,
        ptr: Value,
        operand: Value,
        order: MemoryOrder,
    ) -> Exec<()> {
        let width = ty.bits(self.pointer_bits());
        let bytes = u64::from(width.div_ceil(8));
        let place = self.resolve(ptr, bytes, MAX_SYMBOLIC_STORE)?;
        self.access(place, bytes, AccessKind::Write)?;
        let old = self.read_place(place, width);
        let new = self.rmw_value(op, ty, width, old, operand)?;
        self.change();
        self.write_place(place, new, width);
        self.event(|| EventKind::Update {
            address: place_address(place),
            bytes: bytes as u32,
            old,
            new,
        });
        if self.commuting
            && matches!(place, Place::Fixed(_))
            && let Some(update) = Update::of(op)
        {
            let base = self.frames.last().expect("a frame").base as usize;
            if self.is_dropped((dst - base) as Slot) {
                self.touched.changes(Change::Updated(update));
            }
        }
        self.registers[dst] = old;
        self.note_place(place, bytes, Deed::Update, How::Update(order))
    }

    pub(crate) fn cmpxchg(
        &mut self,
        [old_dst, success_dst]: [usize; 2],
        ptr: Value,
        [expected, new]: [Value; 2],
        width: u32,
        [on_success, on_failure]: [MemoryOrder; 2],
    ) -> Exec<()> {
        let bytes = u64::from(width.div_ceil(8));
        let place = self.resolve(ptr, bytes, MAX_SYMBOLIC_STORE)?;
        self.access(place, bytes, AccessKind::Write)?;
        let old = self.read_place(place, width);
        let equal = if old.is_concrete() && expected.is_concrete() {
            Value::concrete(u64::from(old.bits == expected.bits))
        } else {
            self.symbolic_cmp(ir::CmpOp::Eq, width as u8, old, expected)
        };
        let success = self.truth(equal)?;
        if success {
            self.change();
            self.write_place(place, new, width);
        }
        self.touched.depends(success);
        self.event(|| EventKind::CompareExchange {
            address: place_address(place),
            bytes: bytes as u32,
            old,
            new,
            success,
        });
        self.registers[old_dst] = old;
        self.registers[success_dst] = Value::concrete(u64::from(success));
        let (deed, how) = if success {
            (Deed::Update, How::Update(on_success))
        } else {
            (Deed::Read, How::Load(on_failure))
        };
        self.note_place(place, bytes, deed, how)
    }

    fn rmw_value(
        &mut self,
        op: RmwOp,
        ty: Type,
        width: u32,
        old: Value,
        operand: Value,
    ) -> Exec<Value> {
        if old.is_concrete()
            && operand.is_concrete()
            && let Some(bits) = concrete_rmw(op, width, old.bits, operand.bits)
        {
            return Ok(Value::concrete(bits));
        }
        let float = match op {
            RmwOp::FAdd => Some(ir::FloatBin::Add),
            RmwOp::FSub => Some(ir::FloatBin::Sub),
            RmwOp::FMax => Some(ir::FloatBin::Max),
            RmwOp::FMin => Some(ir::FloatBin::Min),
            _ => None,
        };
        if let Some(op) = float {
            return self.float_bin_value(op, ty, old, operand);
        }
        let (a, b) = (self.term(old, width), self.term(operand, width));
        let term = self.updated(op, width, a, b);
        Ok(self.value(term.expect("not of floats")))
    }

    /// What an update leaves. `None`: it is one of floats.
    pub(crate) fn updated(
        &mut self,
        op: RmwOp,
        width: u32,
        a: TermId,
        b: TermId,
    ) -> Option<TermId> {
        use smt::{BinOp, CmpOp};
        let t = &mut self.terms;
        Some(match op {
            RmwOp::Xchg => b,
            RmwOp::Add => t.bin(BinOp::Add, a, b),
            RmwOp::Sub => t.bin(BinOp::Sub, a, b),
            RmwOp::And => t.bin(BinOp::And, a, b),
            RmwOp::Nand => {
                let and = t.bin(BinOp::And, a, b);
                t.not(and)
            }
            RmwOp::Or => t.bin(BinOp::Or, a, b),
            RmwOp::Xor => t.bin(BinOp::Xor, a, b),
            RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => {
                let keep = match op {
                    RmwOp::Max => CmpOp::Sgt,
                    RmwOp::Min => CmpOp::Slt,
                    RmwOp::UMax => CmpOp::Ugt,
                    _ => CmpOp::Ult,
                };
                let keep = t.cmp(keep, a, b);
                t.ite(keep, a, b)
            }
            RmwOp::UIncWrap => {
                let (zero, one) = (t.constant(width, 0), t.constant(width, 1));
                let wraps = t.cmp(CmpOp::Uge, a, b);
                let next = t.bin(BinOp::Add, a, one);
                t.ite(wraps, zero, next)
            }
            RmwOp::UDecWrap => {
                let (zero, one) = (t.constant(width, 0), t.constant(width, 1));
                let (is_zero, above) = (t.cmp(CmpOp::Eq, a, zero), t.cmp(CmpOp::Ugt, a, b));
                let wraps = t.or(is_zero, above);
                let next = t.bin(BinOp::Sub, a, one);
                t.ite(wraps, b, next)
            }
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => return None,
        })
    }

    /// An address that depends on an input is known where others may look (see `wants_addresses`).
    #[inline]
    fn note_place(&mut self, place: Place, bytes: u64, deed: Deed, how: How) -> Exec<()> {
        match place {
            Place::Fixed(address) => self.note_access(address, bytes, deed, how),
            Place::Within { .. } => Ok(()),
        }
    }

    // ----- visibility -----

    /// The fast path of a load beside other threads.
    pub(crate) fn load_beside(&mut self, address: u64, bytes: u32) -> Beside<u64> {
        let Some(place) = self.memory.plain_chunk(address, bytes) else {
            return Beside::Unclear;
        };
        match self.pass_beside(place, address, bytes, AccessKind::Read) {
            Beside::Done(()) => Beside::Done(self.memory.read_in(place, bytes)),
            Beside::Park => Beside::Park,
            Beside::Unclear => Beside::Unclear,
        }
    }

    /// The fast path of a store beside other threads.
    pub(crate) fn store_beside(&mut self, address: u64, bytes: u32, bits: u64) -> Beside<()> {
        let Some(place) = self.memory.writable_chunk(address, bytes) else {
            return Beside::Unclear;
        };
        let passed = self.pass_beside(place, address, bytes, AccessKind::Write);
        if passed == Beside::Done(()) {
            if place.shared != 0 {
                self.note_change();
            }
            self.memory.write_in(&mut self.trail, place, bytes, bits);
        }
        passed
    }

    /// Takes the turn if the bytes are visible, records the access if they are not. Not if someone wants to know all of it.
    #[inline(always)]
    fn pass_beside(
        &mut self,
        place: InChunk,
        address: u64,
        bytes: u32,
        kind: AccessKind,
    ) -> Beside<()> {
        if self.attended && (place.shared != 0 || self.is_followed()) {
            return Beside::Unclear;
        }
        if place.shared == place.mask {
            if !self.granted && (self.is_learning() || !self.is_alone()) {
                self.park = (Guard::Always, true);
                return Beside::Park;
            }
            self.granted = true;
            if self.observed {
                let in_section = self.state(self.current).atomic > 0;
                self.touched
                    .add(address, u64::from(bytes), kind, in_section);
                if kind == AccessKind::Write {
                    self.touched.changes(Change::Replaced);
                }
            }
            self.forget_answers();
            self.finish_event();
            return Beside::Done(());
        }
        if kind == AccessKind::Read && place.shared == 0 {
            if self.learning {
                self.note_read(place, bytes);
            }
        } else {
            self.local = false;
        }
        if place.shared == 0 && !self.record_access(place.arena, place.chunk, place.mask, kind) {
            return Beside::Done(());
        }
        Beside::Unclear
    }

    /// Whether someone wants to know of every access.
    #[inline]
    fn is_followed(&self) -> bool {
        self.recorder.is_some() || self.lent.is_some() || self.shadow.is_some()
    }

    /// Takes note of whether someone wants to know of visible accesses, or of all.
    #[inline]
    pub(crate) fn note_attention(&mut self) {
        self.attended = self.is_followed() || self.races.is_some() || self.peek.is_some();
    }

    /// Checks an access and waits for the thread's turn if it is visible.
    pub(crate) fn access(&mut self, place: Place, bytes: u64, kind: AccessKind) -> Exec<()> {
        match place {
            Place::Fixed(address) => {
                self.check_access(address, bytes, kind)?;
                self.take_turn(address, bytes, kind, Guard::Always)
            }
            Place::Within { object, .. } => {
                let object = self.memory.object(object);
                let (base, size) = (object.base, object.size);
                self.check_access(base, size, kind)?;
                let visible = self.concurrent && self.is_visible(base, size, kind);
                if visible {
                    // On given inputs the access has one address: it must be a scheduling point whichever that is.
                    self.share(base, size);
                }
                self.pass(visible, Guard::Always)
            }
        }
    }

    /// Makes every byte of the range visible.
    fn share(&mut self, address: u64, bytes: u64) {
        let mut at = address;
        while at < address + bytes {
            let start = (at % CHUNK as u64) as usize;
            let n = (CHUNK - start).min((address + bytes - at) as usize);
            let mask = crate::memory::byte_mask(start, n);
            let (arena, chunk) = self.memory.chunk_index(at);
            self.sharing_grew |= self.memory.share_in(arena, chunk, mask);
            at += n as u64;
        }
    }

    pub(crate) fn check_access(&mut self, address: u64, bytes: u64, kind: AccessKind) -> Exec<()> {
        match self.memory.check(address, bytes, kind) {
            Ok(()) => Ok(()),
            Err(fault) => {
                self.note_use_of_dead(fault, address, bytes, kind);
                self.fault(Fault::Memory(fault, address))
            }
        }
    }

    /// A plain access: it waits for the thread's turn if it is visible, and may be part of a race.
    pub(crate) fn see(
        &mut self,
        address: u64,
        bytes: u64,
        kind: AccessKind,
        guard: Guard,
    ) -> Exec<()> {
        self.take_turn(address, bytes, kind, guard)?;
        self.note_plain(address, bytes, kind)
    }

    /// A visible access waits for the thread's turn, any access for `guard`. See `sharing` for what is visible.
    pub(crate) fn take_turn(
        &mut self,
        address: u64,
        bytes: u64,
        kind: AccessKind,
        guard: Guard,
    ) -> Exec<()> {
        if !self.concurrent {
            return self.pass(false, guard);
        }
        let visible = self.is_visible(address, bytes, kind);
        self.pass(visible, guard)
    }

    /// Whether an access is visible; records it if not.
    pub(crate) fn is_visible(&mut self, address: u64, bytes: u64, kind: AccessKind) -> bool {
        if self.slices && self.is_private() {
            return false;
        }
        if self.shadow.is_some() {
            self.note_for_shadow(address, bytes);
        }
        let mut visible = false;
        let mut at = address;
        let end = address + bytes;
        while at < end {
            let start = (at % CHUNK as u64) as usize;
            let n = (CHUNK - start).min((end - at) as usize);
            let mask = crate::memory::byte_mask(start, n);
            let (arena, chunk) = self.memory.chunk_index(at);
            let shared = self.memory.chunk(arena, chunk).shared;
            visible |= mask & shared != 0;
            if mask & !shared != 0 {
                visible |= self.record_access(arena, chunk, mask & !shared, kind);
            }
            at += n as u64;
        }
        if visible && self.peek.is_some() {
            self.check_protection(address, bytes);
        }
        if visible && self.observed {
            let in_section = self.state(self.current).atomic > 0;
            self.touched.add(address, bytes, kind, in_section);
            if in_section && self.races.is_some() {
                // Which section comes first decides what races.
                self.touched.add(SECTIONS, 1, AccessKind::Write, true);
            }
        }
        visible
    }

    /// Records an access to bytes that are not known to be visible; whether they turn out to be.
    #[inline]
    pub(crate) fn record_access(
        &mut self,
        arena: ArenaId,
        chunk: usize,
        mask: u64,
        kind: AccessKind,
    ) -> bool {
        self.record_access_of(self.current, arena, chunk, mask, kind)
    }

    #[inline]
    fn record_access_of(
        &mut self,
        thread: ThreadId,
        arena: ArenaId,
        chunk: usize,
        mask: u64,
        kind: AccessKind,
    ) -> bool {
        if self.knows_sharing {
            return false;
        }
        let unborn;
        let clock = match self.threads.get(thread.index()).and_then(Option::as_ref) {
            Some(thread) => &thread.state.clock,
            None => {
                unborn = self.clock_of_unborn(thread);
                &unborn
            }
        };
        let (conflicts, change) = self.records.add(Access {
            arena,
            chunk,
            mask,
            kind,
            thread,
            clock,
        });
        if let Some(change) = change
            && self.trail.depth() > 0
        {
            self.trail.saved.records.push(change.old);
            self.trail.push(Undo::Record {
                arena,
                chunk: chunk as u32,
                index: change.index,
            });
        }
        if conflicts != 0 {
            self.sharing_grew |= self.memory.share_in(arena, chunk, conflicts);
        }
        conflicts != 0
    }

    /// What a thread that does not exist yet will know at least: what the one knows that it comes from.
    fn clock_of_unborn(&self, thread: ThreadId) -> Clock {
        let mut known = thread;
        while !self.thread_exists(known) {
            known = self.thread_names()[known.index()].0;
        }
        let mut clock = self.state(known).clock.clone();
        clock.resize(clock.len().max(thread.index() + 1), 0);
        clock[thread.index()] += 1;
        clock
    }

    /// The accesses recorded since `mark`.
    pub fn recorded_since(&self, mark: &Mark) -> Vec<Recorded> {
        self.recorded_from(mark.trail)
    }

    /// The same since the trail had this length.
    pub fn recorded_from(&self, trail: usize) -> Vec<Recorded> {
        let entries = self.trail.since(trail).iter();
        let recorded = entries.filter_map(|entry| match *entry {
            Undo::Record {
                arena,
                chunk,
                index,
            } => Some(Recorded {
                arena,
                chunk: chunk as usize,
                record: self.records.get(arena, chunk as usize, index),
            }),
            _ => None,
        });
        recorded.collect()
    }

    /// Records accesses that were undone. A step that comes to nothing leaves no trace, but what others write where it looked
    /// may let it come to something: such memory is shared.
    pub fn record_again(&mut self, recorded: &[Recorded]) {
        for at in recorded {
            let Record {
                thread,
                read,
                written,
                ..
            } = at.record;
            for (mask, kind) in [(read, AccessKind::Read), (written, AccessKind::Write)] {
                if mask != 0 {
                    self.record_access_of(thread, at.arena, at.chunk, mask, kind);
                }
            }
        }
    }

    /// Goes on if it is the thread's turn (where that matters) and the guard holds; parks otherwise. It is its turn, too, if
    /// no other thread could be given it.
    pub(crate) fn pass(&mut self, visible: bool, guard: Guard) -> Exec<()> {
        let waits = !matches!(guard, Guard::Always);
        if waits {
            self.leave_no_section_open()?;
        }
        if visible && !self.granted {
            if !self.goes_on()
                && (self.is_learning()
                    || !self.is_alone()
                    || !self.guard_holds(self.current, &guard))
            {
                self.park = (guard, true);
                return Err(Stop::Park);
            }
            self.granted = true;
        }
        if waits && !self.guard_holds(self.current, &guard) {
            if self.state(self.current).atomic > 0 {
                let what = "an operation that blocks inside an atomic section".to_string();
                return self.cut_off(crate::fault::Cutoff::UnmodelledInstruction(what));
            }
            self.park = (guard, visible);
            return Err(Stop::Park);
        }
        self.visible |= visible;
        Ok(())
    }

    // ----- symbolic addresses -----

    /// Decides which object a pointer denotes. Several possible objects are several paths.
    pub(crate) fn resolve(&mut self, ptr: Value, bytes: u64, max_size: u64) -> Exec<Place> {
        if ptr.is_concrete() {
            return Ok(Place::Fixed(ptr.bits));
        }
        let width = self.pointer_bits();
        let pointer = ptr.term;
        loop {
            let example = self.example(pointer)?;
            let found = self
                .memory
                .live_object_at(example)
                .filter(|(_, o)| o.contains(example, bytes))
                .map(|(id, o)| (id, o.base, o.size));
            match found {
                Some((id, base, size)) => {
                    let base_term = self.terms.constant(width, u128::from(base));
                    let offset = self.terms.bin(smt::BinOp::Sub, pointer, base_term);
                    let last = self.terms.constant(width, u128::from(size - bytes));
                    let inside = self.terms.cmp(smt::CmpOp::Ule, offset, last);
                    if !self.truth_of(inside)? {
                        continue;
                    }
                    if size <= max_size && !self.wants_addresses(base, size) {
                        return Ok(Place::Within { object: id, offset });
                    }
                    return self.number(ptr).map(Place::Fixed);
                }
                None => {
                    // Nothing lives here: every address of the gap is the same fault.
                    let (low, high) = self.memory.gap_around(example);
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

    /// The gap does not cover an address that is inside an object but too near its end: then only that address is meant.
    fn in_gap_or_at(&mut self, in_gap: TermId, pointer: TermId, example: u64) -> Exec<bool> {
        let inside = self
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
                if let Some(word) = self.memory.plain_word(address, bytes as u32) {
                    return Value::concrete(word & crate::value::mask(width));
                }
                self.initialise_range(address, bytes);
                self.memory.read(&mut self.terms, address, width)
            }
            Place::Within { object, offset } => {
                let object = self.memory.object(object);
                let (base, size) = (object.base, object.size);
                self.initialise_range(base, size);
                let cells: Vec<_> = (0..size)
                    .map(|i| self.memory.read_byte(&mut self.terms, base + i))
                    .collect();
                let table = self.terms.table(&cells);
                let mut result: Option<TermId> = None;
                for i in 0..bytes {
                    let step = self
                        .terms
                        .constant(self.memory.space.pointer_bits(), u128::from(i));
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

    pub(crate) fn write_place(&mut self, place: Place, value: Value, width: u32) {
        match place {
            Place::Fixed(address) => {
                self.memory
                    .write(&mut self.trail, &self.terms, address, width, value);
            }
            Place::Within { object, offset } => {
                let object = self.memory.object(object);
                let (base, size) = (object.base, object.size);
                self.initialise_range(base, size);
                let bytes = u64::from(width.div_ceil(8));
                let term = self.term(value, width);
                let term = self.terms.zext(term, 8 * bytes as u32);
                let old: Vec<_> = (0..size)
                    .map(|i| self.memory.read_byte(&mut self.terms, base + i))
                    .collect();
                let mut new = old.clone();
                for start in 0..=size - bytes {
                    let here = self
                        .terms
                        .constant(self.memory.space.pointer_bits(), u128::from(start));
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
                        self.memory
                            .write_byte_term(&mut self.trail, &self.terms, address, cell);
                    }
                }
            }
        }
    }

    /// Uninitialised bytes become inputs when they are first looked at, named after their address.
    pub(crate) fn initialise_range(&mut self, address: u64, bytes: u64) {
        if self.memory.is_plain(address, bytes) {
            return;
        }
        let open = self.memory.uninitialised(address, bytes);
        if open.is_empty() {
            return;
        }
        // The serial number tells objects apart that were given the same stack address one after the other.
        let id = self.memory.object_at(address).expect("a checked address");
        let serial = self.memory.object(id).serial;
        if open.len() as u64 == bytes && bytes <= 16 {
            let name = format!("uninitialised.{serial}.{address:x}.{bytes}");
            let value = self.named_input(&name, 8 * bytes as u32);
            self.memory.write(
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
            let value = self.named_input(&name, 8);
            self.memory
                .write(&mut self.trail, &self.terms, address + i, 8, value);
        }
    }
}

/// The usual updates, of numbers that depend on no input.
pub(crate) fn concrete_rmw(op: RmwOp, width: u32, old: u64, operand: u64) -> Option<u64> {
    let op = match op {
        RmwOp::Xchg => return Some(operand),
        RmwOp::Add => ir::BinOp::Add,
        RmwOp::Sub => ir::BinOp::Sub,
        RmwOp::And => ir::BinOp::And,
        RmwOp::Or => ir::BinOp::Or,
        RmwOp::Xor => ir::BinOp::Xor,
        _ => return None,
    };
    concrete_bin(op, width, old, operand)
}

/// Where a report says the access went.
fn place_address(place: Place) -> u64 {
    match place {
        Place::Fixed(address) => address,
        Place::Within { .. } => 0,
    }
}

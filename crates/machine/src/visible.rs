//! Which accesses are scheduling points: those that other threads may notice (`sharing`). An access
//! to bytes that are not known to be shared is recorded and is no scheduling point.
//!
//! Plain words have a fast path, which is taken unless a probe needs to see the access.

use crate::fault::{Cutoff, Exec, Fault, Stop};
use crate::machine::{Machine, Mark};
use crate::memory::{AccessKind, ArenaId, CHUNK, InChunk, MemoryFault, ObjectId, ObjectKind};
use crate::place::Place;
use crate::race::SECTIONS;
use crate::sharing::{Access, Manner, Record, Recorded};
use crate::thread::{Clock, Guard, ThreadId};
use crate::touch::Change;
use crate::trail::Undo;

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
    /// The fast path of a load beside other threads.
    pub(crate) fn load_beside(&mut self, address: u64, bytes: u32, noted: bool) -> Beside<u64> {
        let Some(place) = self
            .state
            .memory
            .plain_chunk(address, bytes, self.by(noted, false))
        else {
            return Beside::Unclear;
        };
        match self.pass_beside(place, address, bytes, AccessKind::Read) {
            Beside::Done(()) => Beside::Done(self.state.memory.read_in(place, bytes)),
            Beside::Park => Beside::Park,
            Beside::Unclear => Beside::Unclear,
        }
    }

    /// The fast path of a store beside other threads.
    pub(crate) fn store_beside(
        &mut self,
        address: u64,
        bytes: u32,
        bits: u64,
        noted: bool,
    ) -> Beside<()> {
        let by = self.by(noted, false);
        let Some(place) = self.state.memory.writable_chunk(address, bytes, by) else {
            return Beside::Unclear;
        };
        let passed = self.pass_beside(place, address, bytes, AccessKind::Write);
        if passed == Beside::Done(()) {
            if place.shared != 0 {
                self.note_change();
            }
            self.state
                .memory
                .write_in(&mut self.trail, place, bytes, bits);
        }
        passed
    }

    /// Takes the turn if the bytes are visible, records the access if they are not. A probe that
    /// needs the whole access makes it `Unclear`.
    #[inline(always)]
    fn pass_beside(
        &mut self,
        place: InChunk,
        address: u64,
        bytes: u32,
        kind: AccessKind,
    ) -> Beside<()> {
        if self.probes.attended
            && (place.shared != 0
                || self.is_followed()
                || self.is_own_mutex(address, u64::from(bytes)))
        {
            return Beside::Unclear;
        }
        if place.shared == place.mask {
            if !self.now.granted && (self.is_learning() || !self.is_alone()) {
                self.running.block_at = (Guard::Always, true);
                return Beside::Park;
            }
            self.now.granted = true;
            if self.mode.observed {
                let in_section = self.thread_state(self.now.current).atomic > 0;
                self.probes
                    .footprint
                    .add(address, u64::from(bytes), kind, in_section);
                if kind == AccessKind::Write {
                    self.probes.footprint.changes(Change::Replaced);
                }
            }
            self.forget_answers();
            self.finish_event();
            return Beside::Done(());
        }
        if kind == AccessKind::Read && place.shared == 0 {
            if self.step.is_memoised {
                self.note_read(place, bytes);
            }
        } else {
            self.step.is_local = false;
        }
        if place.shared == 0 && !self.record_access(place.arena, place.chunk, place.mask, kind) {
            return Beside::Done(());
        }
        Beside::Unclear
    }

    /// Whether a probe needs to see every access.
    #[inline]
    fn is_followed(&self) -> bool {
        self.probes.recorder.is_some()
            || self.probes.older_value.is_some()
            || self.probes.shadow.is_some()
            || self.probes.agreement.is_some()
    }

    /// Brings up to date whether a probe needs to see visible accesses, or all.
    #[inline]
    pub(crate) fn note_attention(&mut self) {
        self.probes.attended =
            self.is_followed() || self.probes.races.is_some() || self.probes.peek.is_some();
    }

    /// Checks an access and waits for the thread's turn if it is visible.
    pub(crate) fn access(&mut self, place: Place, bytes: u64, kind: AccessKind) -> Exec<()> {
        match place {
            Place::Fixed(address) => {
                self.check_access(address, bytes, kind)?;
                self.take_turn(address, bytes, kind, Guard::Always)
            }
            Place::Within { object, .. } => {
                let object = self.state.memory.object(object);
                let (base, size) = (object.base, object.size);
                self.check_access(base, size, kind)?;
                let visible = self.now.concurrent && self.is_visible(base, size, kind);
                if visible {
                    // On given inputs the access has one address: it must be a scheduling point
                    // whichever that is.
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
            let (arena, chunk) = self.state.memory.chunk_index(at);
            self.sharing_grew |= self.state.memory.share_in(arena, chunk, mask);
            at += n as u64;
        }
    }

    pub(crate) fn check_access(&mut self, address: u64, bytes: u64, kind: AccessKind) -> Exec<()> {
        match self.state.memory.check(address, bytes, kind) {
            Ok(()) => {
                self.note_use(address, bytes, kind);
                Ok(())
            }
            Err(MemoryFault::Text(id)) => self.check_text(id, address, bytes),
            Err(MemoryFault::TooLarge(_)) => self.cut_off(Cutoff::ObjectTooLarge),
            Err(MemoryFault::Undefined(id)) => {
                let name = self.name_of_undefined(id);
                self.cut_off(Cutoff::UndefinedVariable(name))
            }
            Err(fault) => {
                self.note_use_of_dead(fault, address, bytes, kind);
                self.fault(Fault::Memory(fault, address))
            }
        }
    }

    fn name_of_undefined(&self, id: ObjectId) -> String {
        match self.state.memory.object(id).kind {
            ObjectKind::Undefined(global) => self.program.module.globals[global].name.clone(),
            _ => String::new(),
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

    /// A visible access waits for the thread's turn, any access for `guard`. See `sharing` for what
    /// is visible.
    pub(crate) fn take_turn(
        &mut self,
        address: u64,
        bytes: u64,
        kind: AccessKind,
        guard: Guard,
    ) -> Exec<()> {
        if !self.now.concurrent {
            return self.pass(false, guard);
        }
        let visible = self.is_visible(address, bytes, kind);
        self.pass(visible, guard)
    }

    /// Whether an access is visible; records it if not.
    pub(crate) fn is_visible(&mut self, address: u64, bytes: u64, kind: AccessKind) -> bool {
        self.check_own_mutex(address, bytes);
        if self.mode.slices && self.is_invisible() {
            return false;
        }
        if self.probes.shadow.is_some() {
            self.note_for_shadow(address, bytes);
        }
        let mut visible = false;
        let mut at = address;
        let end = address + bytes;
        while at < end {
            let start = (at % CHUNK as u64) as usize;
            let n = (CHUNK - start).min((end - at) as usize);
            let mask = crate::memory::byte_mask(start, n);
            let (arena, chunk) = self.state.memory.chunk_index(at);
            let shared = self.state.memory.chunk(arena, chunk).shared;
            visible |= mask & shared != 0;
            if mask & !shared != 0 {
                visible |= self.record_access(arena, chunk, mask & !shared, kind);
            }
            at += n as u64;
        }
        if visible && self.probes.peek.is_some() {
            self.check_protection(address, bytes);
        }
        if visible && self.mode.observed {
            let in_section = self.thread_state(self.now.current).atomic > 0;
            self.probes.footprint.add(address, bytes, kind, in_section);
            if in_section && self.probes.races.is_some() {
                // Which section comes first decides what races.
                self.probes
                    .footprint
                    .add(SECTIONS, 1, AccessKind::Write, true);
            }
        }
        visible
    }

    /// A mutex is locked in a way that leaves nothing in memory: whether another operation than a
    /// lock uses its bytes. Reads count, too: a thread that reads them would find something else
    /// there if the mutex were really locked.
    pub(crate) fn is_used_otherwise(&mut self, mutex: u64, bytes: u64) -> bool {
        let mut is_used = false;
        let mut at = mutex;
        while at < mutex + bytes {
            let start = (at % CHUNK as u64) as usize;
            let n = (CHUNK - start).min((mutex + bytes - at) as usize);
            let mask = crate::memory::byte_mask(start, n);
            let (arena, chunk) = self.state.memory.chunk_index(at);
            let shared = self.state.memory.chunk(arena, chunk).shared;
            is_used |= mask & shared != 0
                || self.record_access_of(self.now.current, arena, chunk, mask, Manner::Lock);
            at += n as u64;
        }
        is_used
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
        self.record_access_of(self.now.current, arena, chunk, mask, Manner::from(kind))
    }

    #[inline]
    fn record_access_of(
        &mut self,
        thread: ThreadId,
        arena: ArenaId,
        chunk: usize,
        mask: u64,
        manner: Manner,
    ) -> bool {
        if self.mode.knows_sharing {
            return false;
        }
        let unborn;
        let clock = match self
            .state
            .threads
            .get(thread.index())
            .and_then(Option::as_ref)
        {
            Some(thread) => &thread.state.clock,
            None => {
                unborn = self.clock_of_unborn(thread);
                &unborn
            }
        };
        let (conflicts, change) = self.state.records.add(Access {
            arena,
            chunk,
            mask,
            manner,
            thread,
            clock,
            stamp: self.stamp,
        });
        if change.is_some() {
            self.check_visitor(arena, thread);
        }
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
            self.sharing_grew |= self.state.memory.share_in(arena, chunk, conflicts);
        }
        conflicts != 0
    }

    /// The least clock of a thread that does not exist yet: that of the nearest ancestor that does.
    fn clock_of_unborn(&self, thread: ThreadId) -> Clock {
        let mut known = thread;
        while !self.thread_exists(known) {
            known = self.thread_names()[known.index()].0;
        }
        let mut clock = self.thread_state(known).clock.clone();
        clock.resize(clock.len().max(thread.index() + 1), 0);
        clock[thread.index()] += 1;
        clock
    }

    /// From now on, an access is recorded even if it was recorded before: a search that asks later
    /// for the accesses since now must not miss those that were made earlier as well.
    pub fn log_again(&mut self) {
        self.stamp += 1;
    }

    /// How long the trail is: for `recorded_from`.
    pub fn trail_length(&self) -> usize {
        self.trail.len()
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
                record: self.state.records.get(arena, chunk as usize, index),
            }),
            _ => None,
        });
        recorded.collect()
    }

    /// Records accesses that were undone. A step that changes nothing (a failed compare-exchange in
    /// a retry loop) leaves no trace, but a write of another thread to what it read may change
    /// that: such memory is shared.
    pub fn record_again(&mut self, recorded: &[Recorded]) {
        for at in recorded {
            let Record {
                thread,
                read,
                written,
                locked,
                ..
            } = at.record;
            let manners = [
                (read, Manner::Read),
                (written, Manner::Write),
                (locked, Manner::Lock),
            ];
            for (mask, manner) in manners {
                if mask != 0 {
                    self.record_access_of(thread, at.arena, at.chunk, mask, manner);
                }
            }
        }
    }

    /// Goes on if it is the thread's turn (where that matters) and the guard holds; parks
    /// otherwise. It is its turn, too, if no other thread could be given it.
    pub(crate) fn pass(&mut self, visible: bool, guard: Guard) -> Exec<()> {
        let waits = !matches!(guard, Guard::Always);
        if waits {
            self.leave_no_section_open()?;
        }
        if visible && !self.now.granted {
            if !self.goes_on(&guard)
                && (self.is_learning()
                    || !self.is_alone()
                    || !self.guard_holds(self.now.current, &guard))
            {
                self.running.block_at = (guard, true);
                return Err(Stop::Park);
            }
            self.now.granted = true;
        }
        if waits && !self.guard_holds(self.now.current, &guard) {
            if self.thread_state(self.now.current).atomic > 0 {
                let what = "an operation that blocks inside an atomic section".to_string();
                return self.cut_off(crate::fault::Cutoff::UnmodelledInstruction(what));
            }
            self.running.block_at = (guard, visible);
            return Err(Stop::Park);
        }
        self.running.visible |= visible;
        Ok(())
    }
}

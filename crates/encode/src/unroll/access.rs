//! Accesses to memory: ordered ones are done on the path, contended ones are events.

use ir::RmwOp;
use smallvec::SmallVec;
use smt::{BinOp, CmpOp, TermId};

use super::address::Targets;
use super::{Run, Unroller, Worklist};
use crate::graph::{Atom, AtomIx, EventIx, EventKind, Read, Write};
use crate::memory::{self, ObjectKind};
use crate::path::{Held, Path, Section, UNSET, either};
use crate::ranges::ReadKey;

/// What an event finds: an input, or the only value that it can have.
struct Found {
    symbol: TermId,
    value: TermId,
}

/// Wider pieces of contended memory are several atoms.
const WIDEST_ATOM: u64 = 8;

/// The hidden byte of an object that says that it has ended lies so far from its first byte.
const LIVENESS: u64 = 1 << 56;

impl Unroller<'_> {
    /// Contended memory, cut wherever some access begins or ends.
    pub(super) fn make_atoms(&mut self) {
        let mut bounds: Vec<u64> = Vec::new();
        for (start, end) in &self.known.contended {
            bounds.extend([*start, *end]);
            let word = start.next_multiple_of(WIDEST_ATOM);
            bounds.extend((word..*end).step_by(WIDEST_ATOM as usize));
        }
        bounds.sort_unstable();
        bounds.dedup();
        let mut reach = 0;
        let mut ranges = self.known.contended.iter().peekable();
        for pair in bounds.windows(2) {
            while let Some((_, end)) = ranges.next_if(|(start, _)| *start <= pair[0]) {
                reach = reach.max(*end);
            }
            if pair[0] < reach {
                self.atom_at.insert(pair[0], pair[1]);
            }
        }
    }

    /// The atoms that make up these bytes; `None`: they are not contended.
    fn atoms_of(&mut self, address: u64, bytes: u64) -> Option<SmallVec<[AtomIx; 2]>> {
        if self.coarse_at(address).is_some() {
            return None;
        }
        let end = address + bytes;
        let before = self.atom_at.range(..=address).next_back();
        let overlaps = before.is_some_and(|(_, to)| *to > address)
            || self.atom_at.range(address..end).next().is_some();
        if !overlaps {
            return None;
        }
        let mut atoms = SmallVec::new();
        let mut at = address;
        while at < end {
            match self.atom_at.get(&at) {
                Some(to) if *to <= end => {
                    let to = *to;
                    atoms.push(self.atom(at, to));
                    at = to;
                }
                _ => {
                    // Cut otherwise than it is accessed here.
                    self.grew |= self.known.contended.insert((address, end));
                    return None;
                }
            }
        }
        Some(atoms)
    }

    fn atom(&mut self, from: u64, to: u64) -> AtomIx {
        if let Some(atom) = self.atoms.get(&(from, to)) {
            return *atom;
        }
        let mut initial = None;
        for at in from..to {
            let byte = memory::initial_byte(self.terms, &self.objects, at);
            initial = Some(match initial {
                None => byte,
                Some(low) => self.terms.concat(byte, low),
            });
        }
        let atom = self.graph.atoms.push(Atom {
            address: from,
            bytes: (to - from) as u32,
            initial: initial.expect("an atom has bytes"),
            is_mutex: self.known.mutexes.contains(&from),
        });
        self.atoms.insert((from, to), atom);
        atom
    }

    // ----- events -----

    /// What follows, up to `end_event`, is one event. In an atomic section it is a part of that.
    pub(super) fn begin_event(&mut self, work: &mut Worklist, path: &mut Path, kind: EventKind) {
        self.accesses_plainly = false;
        self.defers = kind == EventKind::Access;
        if path.section.is_some() {
            return;
        }
        let kind = if path.atomic > 0 {
            EventKind::Section
        } else {
            kind
        };
        let event = self.event(work, path, kind);
        path.section = Some(Section {
            event,
            faults_before: self.graph.faults.len(),
            values: imbl::OrdMap::new(),
        });
        if kind == EventKind::Section {
            let key = self.key_id(path);
            if self.known.optional.contains(&(work.thread, key)) {
                let yes = self.terms.bool(true);
                self.hold_up(path, event, yes);
            }
        }
    }

    /// The event is over, unless an atomic section goes on.
    pub(super) fn end_event(&mut self, path: &mut Path) {
        self.accesses_plainly = false;
        self.defers = true;
        if path.atomic > 0 {
            return;
        }
        self.close_section(path);
    }

    pub(super) fn close_section(&mut self, path: &mut Path) {
        let Some(section) = path.section.take() else {
            return;
        };
        let mut acted = self.terms.bool(false);
        for (atom, held) in &section.values {
            if self.terms.as_constant(held.written) == Some(0) {
                continue;
            }
            // What leaves the value as it was does nothing.
            let changed = match held.found {
                UNSET => held.written,
                found => {
                    let same = self.terms.eq(held.value, found);
                    let differs = self.terms.not(same);
                    self.terms.and(held.written, differs)
                }
            };
            acted = either(self.terms, acted, changed);
            // The section may end in several places.
            let executed = self.graph.events[section.event].executed;
            let cond = match path.guard == executed {
                true => held.written,
                false => self.terms.and(path.guard, held.written),
            };
            self.graph.events[section.event].writes.push(Write {
                atom: *atom,
                cond,
                value: held.value,
            });
        }
        path.fresh = None;
        // Whether taking and giving back a mutex counts is said where that is done.
        let kind = self.graph.events[section.event].kind;
        let is_lock = matches!(kind, EventKind::Lock | EventKind::Unlock);
        for head in path.heads_mut() {
            if !is_lock {
                head.acted = either(self.terms, head.acted, acted);
            }
            std::rc::Rc::make_mut(&mut head.reads).push(section.event);
        }
    }

    /// The loops that the thread is in look at what the event finds.
    pub(super) fn note_event(&mut self, path: &mut Path, event: EventIx) {
        for head in path.heads_mut() {
            std::rc::Rc::make_mut(&mut head.reads).push(event);
        }
    }

    /// Something was done that a loop in which the thread is does not do for nothing.
    pub(super) fn act(&mut self, path: &mut Path) {
        let yes = self.terms.bool(true);
        path.fresh = None;
        for head in path.heads_mut() {
            head.acted = yes;
        }
    }

    /// A mutex is given back. That does nothing in a round in which it was taken; if it was held
    /// before, others may have had it meanwhile.
    pub(super) fn act_by_unlocking(&mut self, path: &mut Path, mutex: u64) {
        let yes = self.terms.bool(true);
        for head in path.heads_mut() {
            if head.held.contains(&mutex) {
                head.acted = yes;
            }
        }
    }

    fn event_of(&self, path: &Path) -> EventIx {
        path.section.as_ref().expect("an event was begun").event
    }

    /// The event accesses the atom in the plain way, if that is how the present access is made.
    fn note_plain(&mut self, event: EventIx, atom: AtomIx) {
        let plain = &mut self.graph.events[event].plain;
        if self.accesses_plainly && !plain.contains(&atom) {
            plain.push(atom);
        }
    }

    /// What the event finds in an atom, under a condition.
    fn read_atom(&mut self, path: &mut Path, atom: AtomIx, cond: TermId) -> TermId {
        if let Some(mutex) = self.guard_of(path, atom) {
            return self.read_guarded(path, mutex, atom);
        }
        self.check_deferred(path, atom);
        let event = self.event_of(path);
        self.note_plain(event, atom);
        let known = path
            .section
            .as_ref()
            .and_then(|s| s.values.get(&atom).copied());
        if let Some(held) = known {
            if held.found == held.value {
                let read = self.graph.events[event]
                    .reads
                    .iter()
                    .position(|r| r.atom == atom);
                if let Some(read) = read {
                    let before = self.graph.events[event].reads[read].cond;
                    let cond = either(self.terms, before, cond);
                    self.graph.events[event].reads[read].cond = cond;
                }
            }
            return held.value;
        }
        let found = self.read_by(event, atom, cond);
        let held = Held {
            value: found,
            written: self.terms.bool(false),
            found,
        };
        let section = path.section.as_mut().expect("an event was begun");
        section.values.insert(atom, held);
        found
    }

    /// The event reads the atom, under a condition besides its own.
    pub(super) fn read_by(&mut self, event: EventIx, atom: AtomIx, cond: TermId) -> TermId {
        let (found, key) = self.found_in(event, atom);
        let e = &mut self.graph.events[event];
        // Another path of the section may have looked.
        match e.reads.iter_mut().find(|r| r.atom == atom) {
            Some(read) => read.cond = either(self.terms, read.cond, cond),
            None => e.reads.push(Read {
                atom,
                cond,
                symbol: found.symbol,
                value: found.value,
                key,
            }),
        }
        found.value
    }

    /// What the event finds in an atom: a symbol with a range.
    fn found_in(&mut self, event: EventIx, atom: AtomIx) -> (Found, ReadKey) {
        let e = &self.graph.events[event];
        let location = self.known.key(&e.key);
        let Atom {
            address,
            bytes,
            initial,
            ..
        } = self.graph.atoms[atom];
        let key = (e.thread, location, address, bytes);
        let initial = self.intervals.of(self.terms, initial);
        let range = self.ranges.of(key, initial);
        let (thread, (low, high), (least, most)) = (e.thread, range.unsigned(), range.signed());
        let name = format!(
            "read {thread}@{} {address:x}+{bytes} {low}..{high} {least}..{most}",
            location.0
        );
        let width = 8 * bytes;
        let symbol = self.terms.input(&name, width);
        self.intervals.assume(symbol, range);
        self.symbols.insert(symbol, atom);
        let value = match range.as_constant() {
            Some(value) => self.terms.constant(width, value),
            None => symbol,
        };
        (Found { symbol, value }, key)
    }

    fn write_atom(&mut self, path: &mut Path, atom: AtomIx, cond: TermId, value: TermId) {
        if let Some(mutex) = self.guard_of(path, atom) {
            return self.write_guarded(path, mutex, (atom, cond, value));
        }
        self.check_deferred(path, atom);
        let event = self.event_of(path);
        self.note_plain(event, atom);
        let is_certain = self.terms.as_constant(cond) == Some(1);
        let known = path
            .section
            .as_ref()
            .and_then(|s| s.values.get(&atom).copied());
        let is_first = known.is_none();
        let old = match known {
            Some(held) => held,
            // What stays there if it is not written need not be known in an event of one step.
            None if path.atomic == 0 => Held {
                value,
                written: self.terms.bool(false),
                found: UNSET,
            },
            None => {
                let yes = self.terms.bool(true);
                self.read_atom(path, atom, yes);
                path.section.as_ref().expect("an event was begun").values[&atom]
            }
        };
        let held = Held {
            // The first write need not say what is there if it is not made.
            value: match is_certain || is_first && path.atomic == 0 {
                true => value,
                false => self.terms.ite(cond, value, old.value),
            },
            written: either(self.terms, old.written, cond),
            found: old.found,
        };
        let section = path.section.as_mut().expect("an event was begun");
        section.values.insert(atom, held);
    }

    // ----- accesses at known addresses -----

    /// Whether the bytes are contended; notes the access.
    pub(super) fn touch(
        &mut self,
        work: &Worklist,
        path: &Path,
        (address, bytes): (u64, u64),
        is_write: bool,
    ) -> Option<SmallVec<[AtomIx; 2]>> {
        self.check_barriers(address, bytes);
        if !is_write && self.options.outside.is_some() {
            self.slice.read.insert((address, address + bytes));
        }
        let by = (work.thread, path.segment);
        let conflicts = self.accesses.add(
            (address, bytes),
            is_write,
            by,
            &path.held,
            |thread, segment| path.is_over(thread, segment),
        );
        for (granule, held) in conflicts.guards {
            self.guard(granule, held);
        }
        if let Some(atoms) = self.atoms_of(address, bytes) {
            return Some(atoms);
        }
        if conflicts.any {
            self.grew |= self.known.contended.insert((address, address + bytes));
        }
        None
    }

    /// The bytes are accessed by two threads at the same time, which both hold these mutexes.
    fn guard(&mut self, granule: u64, held: Vec<u64>) {
        match self.known.guards.get_mut(&granule) {
            Some(known) => {
                let count = known.len();
                known.retain(|mutex| held.contains(mutex));
                self.grew |= known.len() < count;
            }
            None => {
                self.known.guards.insert(granule, held);
                self.grew = true;
            }
        }
    }

    /// Within an event: what is at an address, if the condition holds.
    pub(super) fn read_at(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        (address, bytes): (u64, u64),
        cond: TermId,
    ) -> TermId {
        if let Some(base) = self.coarse_at(address) {
            return self.read_coarse(work, path, base, bytes);
        }
        match self.touch(work, path, (address, bytes), false) {
            None => memory::read(
                self.terms,
                &self.objects,
                &path.contents,
                address,
                bytes as u32,
            ),
            Some(atoms) => {
                let mut value = None;
                for atom in atoms {
                    let part = self.read_atom(path, atom, cond);
                    value = Some(match value {
                        None => part,
                        Some(low) => self.terms.concat(part, low),
                    });
                }
                value.expect("an access has bytes")
            }
        }
    }

    /// Within an event: writes whole bytes if the condition holds.
    pub(super) fn write_at(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        address: u64,
        cond: TermId,
        value: TermId,
    ) {
        let bytes = u64::from(self.terms.width(value) / 8);
        if let Some(base) = self.coarse_at(address) {
            self.write_coarse(path, base, cond, value);
            return;
        }
        match self.touch(work, path, (address, bytes), true) {
            None => {
                let value = match self.terms.as_constant(cond) {
                    Some(1) => value,
                    _ => {
                        let old = memory::read(
                            self.terms,
                            &self.objects,
                            &path.contents,
                            address,
                            bytes as u32,
                        );
                        self.terms.ite(cond, value, old)
                    }
                };
                memory::write(self.terms, &mut path.contents, address, value);
            }
            Some(atoms) => {
                let mut lo = 0;
                for atom in atoms {
                    let width = 8 * self.graph.atoms[atom].bytes;
                    let part = self.terms.extract(value, lo, width);
                    lo += width;
                    self.write_atom(path, atom, cond, part);
                }
            }
        }
    }

    /// Whether anything there is contended.
    pub(super) fn is_contended(&mut self, address: u64, bytes: u64) -> bool {
        self.atoms_of(address, bytes).is_some()
    }

    /// Whether an access to one of these is an event of its own.
    pub(super) fn is_event(&mut self, path: &Path, targets: &Targets, bytes: u64) -> bool {
        let mut any = false;
        for (address, _) in &targets.all {
            any |= self.is_seen(path, *address, bytes);
            any |= self
                .liveness_of(*address)
                .is_some_and(|at| self.is_seen(path, at, 1));
        }
        any
    }

    /// Whether others may see that the bytes are accessed now.
    fn is_seen(&mut self, path: &Path, address: u64, bytes: u64) -> bool {
        let atoms = self.atoms_of(address, bytes);
        atoms.is_some_and(|atoms| {
            atoms
                .iter()
                .any(|atom| self.guard_of(path, *atom).is_none())
        })
    }

    /// Whether the object there may end while others use it.
    pub(super) fn may_end(&self, address: u64) -> bool {
        self.liveness_of(address).is_some()
    }

    /// The hidden byte of the object there, if the object may end while others use it.
    fn liveness_of(&self, address: u64) -> Option<u64> {
        let (base, object) = self.objects.around(address)?;
        let may_end = self.known.mortal.contains(&base);
        (may_end && matches!(object.kind, ObjectKind::Heap | ObjectKind::Stack))
            .then_some(base + LIVENESS)
    }

    /// What follows, up to `end_event`, is one event: an operation on a synchronisation object, which
    /// must not have ended.
    pub(super) fn begin_operation(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        kind: EventKind,
        objects: &Targets,
    ) -> Run<()> {
        let ended = self.begin_waiting(work, path, kind, objects);
        self.fail_if(work.thread, path, crate::graph::FaultKind::Memory, ended)
    }

    /// The same for one that may wait. Whether the object has ended, which is nothing to wait for.
    pub(super) fn begin_waiting(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        kind: EventKind,
        objects: &Targets,
    ) -> TermId {
        self.begin_event(work, path, kind);
        self.accesses_plainly = kind == EventKind::Access;
        self.defers = false;
        let mut ended = self.terms.bool(false);
        for (address, cond) in &objects.all {
            self.note_visitor(work, *address);
            let here = self.has_ended(work, path, *address, *cond);
            ended = self.terms.or(ended, here);
        }
        ended
    }

    /// Within an event: the object there must not have ended.
    pub(super) fn check_alive(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        address: u64,
        cond: TermId,
    ) -> Run<()> {
        let wrong = self.has_ended(work, path, address, cond);
        self.fail_if(work.thread, path, crate::graph::FaultKind::Memory, wrong)
    }

    /// Within an event: whether it accesses an object there that has ended.
    fn has_ended(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        address: u64,
        cond: TermId,
    ) -> TermId {
        let Some(at) = self.liveness_of(address) else {
            return self.terms.bool(false);
        };
        let ended = self.read_at(work, path, (at, 1), cond);
        let is_over = self.is(ended, 1);
        self.terms.and(cond, is_over)
    }

    /// Within an event: the object that begins there ends. What it holds is not looked at.
    pub(super) fn end_object(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        base: u64,
        cond: TermId,
        is_free: bool,
    ) -> Run<()> {
        if self.known.mortal.insert(base) {
            self.grew = true;
        }
        if is_free {
            self.check_alive(work, path, base, cond)?;
        }
        let one = self.terms.constant(8, 1);
        self.write_at(work, path, base + LIVENESS, cond, one);
        Ok(())
    }

    // ----- instructions -----

    pub(super) fn load(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        ptr: TermId,
        width: u32,
        is_atomic: bool,
    ) -> Run<TermId> {
        let bytes = u64::from(width.div_ceil(8));
        if self.left_out(work, path, ptr, bytes)?.is_some() {
            return Ok(self.irrelevant(work, path, width));
        }
        let targets = self.resolve_data(work, path, ptr, bytes, false)?;
        let is_torn = !is_atomic && self.is_torn(path, &targets, bytes);
        let mut whole: Option<TermId> = None;
        for (done, size) in self.parts(bytes, is_torn) {
            let part = targets.shifted(done);
            let is_event = self.is_event(path, &part, size);
            if is_event {
                path.frame_mut().part = if is_torn { done as u32 + 1 } else { 0 };
                self.begin_event(work, path, EventKind::Access);
                self.accesses_plainly = !is_atomic;
            }
            let value = self.read_targets(work, path, &part, size)?;
            if is_event {
                self.end_event(path);
                path.frame_mut().part = 0;
            }
            whole = Some(match whole {
                None => value,
                Some(low) => self.terms.concat(value, low),
            });
        }
        let whole = whole.expect("an access has bytes");
        Ok(self.terms.extract(whole, 0, width))
    }

    /// Within an event: what is where the access goes.
    pub(super) fn read_targets(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        targets: &Targets,
        bytes: u64,
    ) -> Run<TermId> {
        let mut value: Option<TermId> = None;
        for (address, cond) in targets.all.iter().rev() {
            self.note_visitor(work, *address);
            self.check_alive(work, path, *address, *cond)?;
            let here = self.read_at(work, path, (*address, bytes), *cond);
            value = Some(match value {
                None => here,
                Some(other) => self.terms.ite(*cond, here, other),
            });
        }
        Ok(value.expect("an access has a target"))
    }

    pub(super) fn store(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        ptr: TermId,
        value: TermId,
        is_atomic: bool,
    ) -> Run<()> {
        let width = self.terms.width(value);
        let bytes = u64::from(width.div_ceil(8));
        let value = self.terms.zext(value, 8 * bytes as u32);
        if let Some(range) = self.left_out(work, path, ptr, bytes)? {
            self.write_loosely(range);
            return Ok(());
        }
        let targets = self.resolve_data(work, path, ptr, bytes, true)?;
        let is_torn = !is_atomic && self.is_torn(path, &targets, bytes);
        for (done, size) in self.parts(bytes, is_torn) {
            let part = targets.shifted(done);
            let value = self.terms.extract(value, 8 * done as u32, 8 * size as u32);
            let is_event = self.is_event(path, &part, size);
            if is_event {
                path.frame_mut().part = if is_torn { done as u32 + 1 } else { 0 };
                self.begin_event(work, path, EventKind::Access);
                self.accesses_plainly = !is_atomic;
            }
            self.write_targets(work, path, &part, value)?;
            if is_event {
                self.end_event(path);
                path.frame_mut().part = 0;
            }
        }
        Ok(())
    }

    /// Within an event: writes where the access goes.
    pub(super) fn write_targets(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        targets: &Targets,
        value: TermId,
    ) -> Run<()> {
        for (address, cond) in &targets.all {
            self.note_visitor(work, *address);
            self.check_alive(work, path, *address, *cond)?;
            self.write_at(work, path, *address, *cond, value);
        }
        Ok(())
    }

    /// Whether an access that is no atomic operation is made in parts: it is wider than a word of
    /// the processor, and others may see it.
    fn is_torn(&mut self, path: &Path, targets: &Targets, bytes: u64) -> bool {
        bytes > self.module.pointer_bytes() && self.is_event(path, targets, bytes)
    }

    /// The parts of an access, in order: how much is done before, and how much comes then.
    fn parts(&self, bytes: u64, is_torn: bool) -> SmallVec<[(u64, u64); 2]> {
        let word = match is_torn {
            true => self.module.pointer_bytes(),
            false => bytes.max(1),
        };
        let starts = (0..bytes).step_by(word as usize);
        starts.map(|done| (done, word.min(bytes - done))).collect()
    }

    /// A local that another thread uses may end while it does.
    pub(super) fn note_visitor(&mut self, work: &Worklist, address: u64) {
        let Some((base, object)) = self.objects.around(address) else {
            return;
        };
        if object.kind == ObjectKind::Stack
            && self
                .known
                .owners
                .get(&base)
                .is_some_and(|owner| *owner != work.thread)
            && self.known.mortal.insert(base)
        {
            self.grew = true;
        }
    }

    /// An atomic read-modify-write. What was there.
    pub(super) fn update(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        ptr: TermId,
        width: u32,
        change: impl Fn(&mut Self, TermId) -> (TermId, TermId),
    ) -> Run<TermId> {
        let bytes = u64::from(width.div_ceil(8));
        if let Some(range) = self.left_out(work, path, ptr, bytes)? {
            self.write_loosely(range);
            return Ok(self.irrelevant(work, path, width));
        }
        let targets = self.resolve_data(work, path, ptr, bytes, true)?;
        let is_event = self.is_event(path, &targets, bytes);
        if is_event {
            self.begin_event(work, path, EventKind::Access);
        }
        let old = self.read_targets(work, path, &targets, bytes)?;
        let old = self.terms.extract(old, 0, width);
        let (written, value) = change(self, old);
        let value = self.terms.zext(value, 8 * bytes as u32);
        for (address, cond) in targets.all {
            let cond = self.terms.and(cond, written);
            if self.terms.as_constant(cond) != Some(0) {
                self.write_at(work, path, address, cond, value);
            }
        }
        if is_event {
            self.end_event(path);
        }
        Ok(old)
    }

    /// The new value of an atomic read-modify-write; `None`: on floats.
    pub(super) fn combine(&mut self, op: RmwOp, old: TermId, operand: TermId) -> Option<TermId> {
        let t = &mut *self.terms;
        let pick = |t: &mut smt::Terms, cmp: CmpOp| {
            let keeps = t.cmp(cmp, old, operand);
            t.ite(keeps, old, operand)
        };
        Some(match op {
            RmwOp::Xchg => operand,
            RmwOp::Add => t.bin(BinOp::Add, old, operand),
            RmwOp::Sub => t.bin(BinOp::Sub, old, operand),
            RmwOp::And => t.bin(BinOp::And, old, operand),
            RmwOp::Nand => {
                let and = t.bin(BinOp::And, old, operand);
                t.not(and)
            }
            RmwOp::Or => t.bin(BinOp::Or, old, operand),
            RmwOp::Xor => t.bin(BinOp::Xor, old, operand),
            RmwOp::Max => pick(t, CmpOp::Sgt),
            RmwOp::Min => pick(t, CmpOp::Slt),
            RmwOp::UMax => pick(t, CmpOp::Ugt),
            RmwOp::UMin => pick(t, CmpOp::Ult),
            RmwOp::UIncWrap => {
                let width = t.width(old);
                let (zero, one) = (t.constant(width, 0), t.constant(width, 1));
                let wraps = t.cmp(CmpOp::Uge, old, operand);
                let more = t.bin(BinOp::Add, old, one);
                t.ite(wraps, zero, more)
            }
            RmwOp::UDecWrap => {
                let width = t.width(old);
                let (zero, one) = (t.constant(width, 0), t.constant(width, 1));
                let is_zero = t.eq(old, zero);
                let above = t.cmp(CmpOp::Ugt, old, operand);
                let wraps = t.or(is_zero, above);
                let less = t.bin(BinOp::Sub, old, one);
                t.ite(wraps, operand, less)
            }
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => return None,
        })
    }
}

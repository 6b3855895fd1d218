//! Mutexes, spin locks and read-write locks.
//!
//! A lock is an event that finds the lock free and leaves it taken: an atomic update that waits.
//! The words are those of the machine: word 0 of a mutex is its owner, word 1 the count of a
//! recursive one.
//!
//! Unlocking looks at who holds the mutex, for that is a fault if it is another thread. It need not
//! look if every thread unlocks only what it certainly holds, and whatever else writes to the mutex is
//! ordered by creation and join with all that lock and unlock it: then, by induction along an
//! execution, the word is the owner's from its lock to its unlock. A mutex with which anything else
//! is done is *odd*.

use ir::modelled::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use smt::TermId;

use super::address::Targets;
use super::call::Called;
use super::sections::Ways;
use super::{Next, Run, Unroller, Worklist};
use crate::graph::{EventIx, EventKind, FaultKind, Graph};
use crate::path::Path;

/// The bytes of a mutex's first word.
const WORD: u64 = 4;
const DESTROYED: u128 = u32::MAX as u128;
pub(super) const RECURSIVE: u64 = 1;
const ERRORCHECK: u64 = 2;
const EPERM: u64 = 1;
const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;
const ETIMEDOUT: u64 = 110;
const CLOCK_MONOTONIC: u64 = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Forever,
    Never,
    Timed,
}

impl Unroller<'_> {
    pub(super) fn mutex(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: Mutex,
        call: &Called,
    ) -> Run<Next> {
        match function {
            Mutex::Lock => self.lock(work, path, call, Wait::Forever, false)?,
            Mutex::TryLock => self.lock(work, path, call, Wait::Never, false)?,
            Mutex::TimedLock | Mutex::ClockLock => {
                self.lock(work, path, call, Wait::Timed, false)?;
            }
            Mutex::Unlock => self.unlock(work, path, call, false)?,
            Mutex::SpinLock => self.lock(work, path, call, Wait::Forever, true)?,
            Mutex::SpinTryLock => self.lock(work, path, call, Wait::Never, true)?,
            Mutex::SpinUnlock => self.unlock(work, path, call, true)?,
            Mutex::Init => {
                let kind = self.mutex_attribute(work, path, call)?;
                let size = if self.module.pointer_bits == 64 {
                    40
                } else {
                    24
                };
                self.clear_words(
                    work,
                    path,
                    call.args[0],
                    size,
                    &[(self.kind_offset(), kind)],
                )?;
                self.result_number(path, call, 0);
            }
            Mutex::SpinInit => {
                self.clear_words(work, path, call.args[0], 4, &[])?;
                self.result_number(path, call, 0);
            }
            Mutex::Destroy => self.destroy_lock(work, path, call, 0)?,
            Mutex::SpinDestroy => self.destroy_lock(work, path, call, 0)?,
        }
        Ok(Next::Go)
    }

    fn kind_offset(&self) -> u64 {
        if self.module.pointer_bits == 64 {
            16
        } else {
            12
        }
    }

    fn mutex_attribute(&mut self, work: &mut Worklist, path: &mut Path, call: &Called) -> Run<u64> {
        match self.need(path, call.args[1], "attributes of a mutex")? {
            0 => Ok(0),
            at => {
                let at = self.pointer(at);
                let word = self.load(work, path, at, 32, false)?;
                let kind = self.terms.extract(word, 0, 2);
                self.need(path, kind, "the kind of a mutex")
            }
        }
    }

    /// What the event finds in a word of a synchronisation object.
    pub(super) fn word(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        objects: &Targets,
        offset: u64,
    ) -> TermId {
        let mut word = None;
        for (address, cond) in objects.all.iter().rev() {
            let here = self.read_at(work, path, (address + offset, 4), *cond);
            word = Some(match word {
                None => here,
                Some(other) => self.terms.ite(*cond, here, other),
            });
        }
        word.expect("a synchronisation object is somewhere")
    }

    pub(super) fn set_word(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        objects: &Targets,
        offset: u64,
        cond: TermId,
        value: TermId,
    ) {
        for (address, is_it) in &objects.all {
            let cond = self.terms.and(cond, *is_it);
            self.write_at(work, path, address + offset, cond, value);
        }
    }

    pub(super) fn word_of(&mut self, number: u128) -> TermId {
        self.terms.constant(32, number)
    }

    /// Where the kind of a mutex is read, which never changes.
    pub(super) fn mutex_kind(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        objects: &Targets,
    ) -> Run<u64> {
        let mut kinds = Vec::new();
        for (address, _) in &objects.all {
            let at = address + self.kind_offset();
            if self.is_contended(at, 4) {
                return self.stop(path, "a mutex that is made while others use it");
            }
            self.touch(work, path, (at, 4), false);
            let kind = crate::memory::read(self.terms, &self.objects, &path.contents, at, 4);
            let kind = self.terms.extract(kind, 0, 2);
            if let smt::Node::Input(_) | smt::Node::Extract { .. } = self.terms.node(kind) {
                // It was never initialised.
                return self.fail(work.thread, path, FaultKind::LockMisuse);
            }
            kinds.push(self.need(path, kind, "the kind of a mutex")?);
        }
        kinds.dedup();
        match kinds.as_slice() {
            [kind] => Ok(*kind),
            _ => self.stop(path, "a mutex of one of several kinds"),
        }
    }

    fn may_be_destroyed(&self, objects: &Targets) -> bool {
        objects
            .all
            .iter()
            .any(|(at, _)| self.known.destroyed.contains(at))
    }

    fn lock(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        wait: Wait,
        is_spin: bool,
    ) -> Run<()> {
        if wait == Wait::Timed {
            self.check_deadline(work, path, call)?;
        }
        let size = if is_spin { 4 } else { self.kind_offset() + 4 };
        let objects = self.resolve(work, path, call.args[0], size, true)?;
        let kind = if is_spin {
            0
        } else {
            self.mutex_kind(work, path, &objects)?
        };
        if wait == Wait::Forever {
            let code = self.take(work, path, &objects, kind, false)?;
            self.result(path, call, code);
            return Ok(());
        }
        self.be_odd(&objects);
        self.begin_operation(work, path, EventKind::Synchronise, &objects)?;
        let owner = self.word(work, path, &objects, 0);
        self.check_initialised(work, path, owner)?;
        let me = self.word_of(work.thread.owner_word());
        if self.may_be_destroyed(&objects) {
            let is_gone = self.is(owner, DESTROYED);
            self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
        }
        let is_free = self.is(owner, 0);
        let is_mine = self.terms.eq(owner, me);
        self.set_word(work, path, &objects, 0, is_free, me);
        let busy = if wait == Wait::Never {
            EBUSY
        } else {
            ETIMEDOUT
        };
        let busy = self.word_of(u128::from(busy));
        let zero = self.word_of(0);
        let mut code = self.terms.ite(is_free, zero, busy);
        if kind == RECURSIVE {
            let one = self.word_of(1);
            let count = self.word(work, path, &objects, 4);
            let more = self.terms.bin(smt::BinOp::Add, count, one);
            self.set_word(work, path, &objects, 4, is_free, one);
            self.set_word(work, path, &objects, 4, is_mine, more);
            code = self.terms.ite(is_mine, zero, code);
        } else if kind == ERRORCHECK && wait == Wait::Timed {
            let would_wait = self.word_of(u128::from(EDEADLK));
            code = self.terms.ite(is_mine, would_wait, code);
        }
        self.end_event(path);
        for (at, _) in &objects.all {
            path.may_hold.insert(*at);
        }
        self.result(path, call, code);
        Ok(())
    }

    fn be_odd(&mut self, objects: &Targets) {
        for (at, _) in &objects.all {
            self.grew |= self.known.odd_mutexes.insert(*at);
        }
    }

    fn check_initialised(&mut self, work: &Worklist, path: &Path, word: TermId) -> Run<()> {
        // A word that was never written is an input of its own, byte by byte.
        let is_undefined = (self.terms.support(word).iter()).any(|input| {
            self.terms
                .input_name(*input)
                .starts_with(crate::memory::UNDEFINED)
        });
        match is_undefined {
            true => self.fail(work.thread, path, FaultKind::LockMisuse),
            false => Ok(()),
        }
    }

    /// Takes a mutex, waiting for it, after a wait for a condition perhaps. The error number.
    pub(super) fn take(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        objects: &Targets,
        kind: u64,
        after_wait: bool,
    ) -> Run<TermId> {
        if path.atomic > 0 {
            return self.stop(path, "an operation that waits inside an atomic section");
        }
        let is_plain = kind == 0 && self.is_plain(objects);
        for (at, _) in &objects.all {
            self.grew |= self.known.mutexes.insert(*at);
        }
        if !is_plain {
            self.act(path);
        }
        for (at, _) in &objects.all {
            if self.is_contended(*at, WORD) {
                self.mutexes.insert(*at);
            }
        }
        let ended = self.begin_waiting(work, path, EventKind::Lock, objects);
        let event = self.event_at(path);
        let owner = self.word(work, path, objects, 0);
        self.check_initialised(work, path, owner)?;
        let me = self.word_of(work.thread.owner_word());
        let is_free = self.is(owner, 0);
        let may_be_mine =
            objects.all.iter().any(|(at, _)| path.may_hold.contains(at)) || objects.all.len() > 1;
        let is_mine = match may_be_mine {
            true => self.terms.eq(owner, me),
            false => self.terms.bool(false),
        };
        let is_gone = match self.may_be_destroyed(objects) {
            true => self.is(owner, DESTROYED),
            false => self.terms.bool(false),
        };
        let enabled = self.terms.any(&[is_free, is_mine, is_gone, ended]);
        match after_wait {
            // It may never be woken.
            true => self.hold_up(path, event, enabled),
            false => self.wait_for(path, event, enabled),
        }
        self.fail_if(work.thread, path, FaultKind::Memory, ended)?;
        self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
        let zero = self.word_of(0);
        let mut code = zero;
        let mut takes = self.terms.bool(true);
        match kind {
            RECURSIVE => {
                self.be_odd(objects);
                let one = self.word_of(1);
                let count = self.word(work, path, objects, 4);
                let more = self.terms.bin(smt::BinOp::Add, count, one);
                let count = self.terms.ite(is_mine, more, one);
                let yes = self.terms.bool(true);
                self.set_word(work, path, objects, 4, yes, count);
            }
            ERRORCHECK => {
                let error = self.word_of(u128::from(EDEADLK));
                code = self.terms.ite(is_mine, error, zero);
                takes = self.terms.not(is_mine);
            }
            _ => self.fail_if(work.thread, path, FaultKind::LockMisuse, is_mine)?,
        }
        let single = match objects.all.as_slice() {
            [(at, _)] if is_plain => Some(*at),
            _ => None,
        };
        match single.and_then(|at| self.word_to_fuse(work, path, at)) {
            Some((at, word)) => self.open_section(path, at, word, me),
            None => {
                self.set_word(work, path, objects, 0, takes, me);
                self.end_event(path);
            }
        }
        if let [(at, _)] = objects.all.as_slice() {
            path.held.insert(*at);
            path.fresh = is_plain.then_some((*at, event));
        }
        for (at, _) in &objects.all {
            path.may_hold.insert(*at);
        }
        Ok(code)
    }

    /// If the section that begins here can be one event: the mutex, and its word.
    fn word_to_fuse(
        &mut self,
        work: &Worklist,
        path: &Path,
        mutex: u64,
    ) -> Option<(u64, crate::graph::AtomIx)> {
        if !self.can_fuse(path, mutex) {
            return None;
        }
        let atoms = self.touch(work, path, (mutex, 4), true)?;
        match atoms.as_slice() {
            [word] => Some((mutex, *word)),
            _ => None,
        }
    }

    /// Mutexes that something else accesses while threads may lock and unlock them. What writes to
    /// them makes them odd; what reads them may see that they are taken in the middle of a section.
    pub(super) fn find_odd_mutexes(&mut self) {
        let mut locks: FxHashMap<u64, Vec<EventIx>> = FxHashMap::default();
        let mut others: Vec<(u64, EventIx, bool)> = Vec::new();
        // By address and end.
        let mut mutexes: Vec<u64> = self.mutexes.iter().copied().collect();
        mutexes.sort_unstable();
        for (event, e) in self.graph.events.enumerate() {
            let is_lock = matches!(e.kind, EventKind::Lock | EventKind::Unlock);
            let written = e.writes.iter().map(|write| (write.atom, true));
            for (atom, writes) in e.reads.iter().map(|read| (read.atom, false)).chain(written) {
                let atom = &self.graph.atoms[atom];
                let (from, to) = (atom.address, atom.address + u64::from(atom.bytes));
                let first = mutexes.partition_point(|mutex| mutex + WORD <= from);
                for mutex in mutexes[first..].iter().take_while(|mutex| **mutex < to) {
                    match is_lock {
                        true => locks.entry(*mutex).or_default().push(event),
                        false => others.push((*mutex, event, writes)),
                    }
                }
            }
        }
        if others.is_empty() {
            return;
        }
        let order = self.graph.fixed_order();
        for (mutex, event, writes) in others {
            let event = Graph::node(event);
            let is_apart = |lock: &EventIx| {
                let lock = Graph::node(*lock);
                order.is_before(event, lock) || order.is_before(lock, event)
            };
            if locks
                .get(&mutex)
                .is_none_or(|locks| locks.iter().all(is_apart))
            {
                continue;
            }
            let kind = match writes {
                true => &mut self.known.odd_mutexes,
                false => &mut self.known.unfused,
            };
            self.grew |= kind.insert(mutex);
        }
    }

    pub(super) fn event_at(&self, path: &Path) -> EventIx {
        path.section.as_ref().expect("an event was begun").event
    }

    /// The event waits for a condition over what it finds. What it finds if nothing is contended is
    /// known, and then it is nothing to wait for.
    pub(super) fn wait_for(&mut self, path: &mut Path, event: EventIx, enabled: TermId) {
        let enabled = self.folded(path, enabled);
        if self.terms.as_constant(enabled) != Some(1) {
            self.hold_up(path, event, enabled);
        }
    }

    fn unlock(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        is_spin: bool,
    ) -> Run<()> {
        let size = if is_spin { 4 } else { self.kind_offset() + 4 };
        let objects = self.resolve(work, path, call.args[0], size, true)?;
        let kind = if is_spin {
            0
        } else {
            self.mutex_kind(work, path, &objects)?
        };
        let (code, _) = self.give_up(work, path, &objects, kind)?;
        self.result(path, call, code);
        Ok(())
    }

    /// Nothing is done with the mutex but to lock and to unlock it.
    fn is_plain(&self, objects: &Targets) -> bool {
        matches!(objects.all.as_slice(), [(at, _)] if !self.known.odd_mutexes.contains(at))
    }

    /// Whether the mutex can be unlocked without a look.
    fn is_certain(&mut self, path: &Path, objects: &Targets) -> bool {
        let [(at, _)] = objects.all.as_slice() else {
            return false;
        };
        path.held.contains(at) && !self.known.odd_mutexes.contains(at)
    }

    /// Unlocks. The error number, and the event: one of several, each with its condition.
    pub(super) fn give_up(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        objects: &Targets,
        kind: u64,
    ) -> Run<(TermId, Ways)> {
        let zero = self.word_of(0);
        let yes = self.terms.bool(true);
        if self.is_certain(path, objects) {
            let at = objects.all[0].0;
            match kind {
                0 => self.act_by_unlocking(path, at),
                _ => self.act(path),
            }
            if self.is_contended(at, 4) {
                self.mutexes.insert(at);
            }
            let ways = match self.close_alone(path, at) {
                Some(ways) => ways,
                None => {
                    self.begin_operation(work, path, EventKind::Unlock, objects)?;
                    let event = self.event_at(path);
                    self.set_word(work, path, objects, 0, yes, zero);
                    self.close_with_event(path, at);
                    self.end_event(path);
                    Ways::from_iter([(event, path.guard)])
                }
            };
            path.held.remove(&at);
            path.may_hold.remove(&at);
            return Ok((zero, ways));
        }
        self.be_odd(objects);
        self.act(path);
        self.begin_operation(work, path, EventKind::Synchronise, objects)?;
        let event = self.event_at(path);
        let owner = self.word(work, path, objects, 0);
        self.check_initialised(work, path, owner)?;
        let me = self.word_of(work.thread.owner_word());
        let is_mine = self.terms.eq(owner, me);
        let is_not = self.terms.not(is_mine);
        let mut code = zero;
        if matches!(kind, RECURSIVE | ERRORCHECK) {
            if self.may_be_destroyed(objects) {
                let is_gone = self.is(owner, DESTROYED);
                self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
            }
            let error = self.word_of(u128::from(EPERM));
            code = self.terms.ite(is_mine, zero, error);
        } else {
            self.fail_if(work.thread, path, FaultKind::LockMisuse, is_not)?;
        }
        let mut last = is_mine;
        if kind == RECURSIVE {
            let count = self.word(work, path, objects, 4);
            let one = self.word_of(1);
            let is_more = self.terms.cmp(smt::CmpOp::Ugt, count, one);
            let stays = self.terms.and(is_mine, is_more);
            let fewer = self.terms.bin(smt::BinOp::Sub, count, one);
            let is_one = self.terms.not(is_more);
            last = self.terms.and(is_mine, is_one);
            self.set_word(work, path, objects, 4, stays, fewer);
        }
        self.set_word(work, path, objects, 0, last, zero);
        self.end_event(path);
        for (at, _) in &objects.all {
            path.held.remove(at);
        }
        Ok((code, Ways::from_iter([(event, path.guard)])))
    }

    /// Sets all words to zero but some.
    pub(super) fn clear_words(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        object: TermId,
        size: u64,
        others: &[(u64, u64)],
    ) -> Run<()> {
        let at = self.need(path, object, "a synchronisation object")?;
        self.need_valid(work, path, at, size, true)?;
        self.act(path);
        let place = Targets::at(self.terms, at);
        self.begin_operation(work, path, EventKind::Access, &place)?;
        let yes = self.terms.bool(true);
        for offset in (0..size).step_by(4) {
            let other = others.iter().find(|(place, _)| *place == offset);
            let value = self.word_of(other.map_or(0, |(_, value)| u128::from(*value)));
            self.write_at(work, path, at + offset, yes, value);
        }
        self.end_event(path);
        Ok(())
    }

    fn destroy_lock(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        offset: u64,
    ) -> Run<()> {
        let objects = self.resolve(work, path, call.args[0], offset + 4, true)?;
        for (at, _) in &objects.all {
            self.grew |= self.known.destroyed.insert(*at);
        }
        self.act(path);
        self.begin_operation(work, path, EventKind::Access, &objects)?;
        let word = self.word(work, path, &objects, offset);
        self.check_initialised(work, path, word)?;
        let mut is_free = self.is(word, 0);
        if offset > 0 {
            // A read-write lock: nobody reads, either.
            let readers = self.word(work, path, &objects, 0);
            let no_reader = self.is(readers, 0);
            is_free = self.terms.and(is_free, no_reader);
        }
        let in_use = self.terms.not(is_free);
        self.fail_if(work.thread, path, FaultKind::LockMisuse, in_use)?;
        let gone = self.word_of(DESTROYED);
        let yes = self.terms.bool(true);
        self.set_word(work, path, &objects, offset, yes, gone);
        self.end_event(path);
        self.result_number(path, call, 0);
        Ok(())
    }

    /// A time must be one; what it is does not matter.
    pub(super) fn check_deadline(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
    ) -> Run<()> {
        let deadline = call.args[call.args.len() - 1];
        if call.name.contains("clock") {
            let clock = call.args[call.args.len() - 2];
            if self.need(path, clock, "a clock")? > CLOCK_MONOTONIC {
                return self.stop(path, "a clock of another kind");
            }
        }
        let word = self.module.pointer_bytes();
        let at = self.pointer(word);
        let at = self.terms.bin(smt::BinOp::Add, deadline, at);
        let nanoseconds = self.load(work, path, at, 8 * word as u32, false)?;
        match self.number(nanoseconds) {
            Some(n) if n < 1_000_000_000 => Ok(()),
            _ => self.stop(path, "a time that is not fixed"),
        }
    }

    pub(super) fn rwlock(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        function: RwLock,
        call: &Called,
    ) -> Run<Next> {
        match function {
            RwLock::ReadLock => self.rwlock_lock(work, path, call, false, Wait::Forever)?,
            RwLock::WriteLock => self.rwlock_lock(work, path, call, true, Wait::Forever)?,
            RwLock::TryReadLock => self.rwlock_lock(work, path, call, false, Wait::Never)?,
            RwLock::TryWriteLock => self.rwlock_lock(work, path, call, true, Wait::Never)?,
            RwLock::TimedReadLock | RwLock::ClockReadLock => {
                self.rwlock_lock(work, path, call, false, Wait::Timed)?;
            }
            RwLock::TimedWriteLock | RwLock::ClockWriteLock => {
                self.rwlock_lock(work, path, call, true, Wait::Timed)?;
            }
            RwLock::Unlock => self.rwlock_unlock(work, path, call)?,
            RwLock::Init => {
                if self.need(path, call.args[1], "attributes of a lock")? != 0 {
                    return self.stop(path, "a read-write lock with attributes");
                }
                let size = if self.module.pointer_bits == 64 {
                    56
                } else {
                    32
                };
                self.clear_words(work, path, call.args[0], size, &[])?;
                self.result_number(path, call, 0);
            }
            RwLock::Destroy => self.destroy_lock(work, path, call, 4)?,
        }
        Ok(Next::Go)
    }

    /// How often the thread holds the lock for reading, and where that is counted.
    fn read_holds(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        objects: &Targets,
    ) -> Run<(u64, TermId)> {
        let thread = u64::from(work.thread.0);
        if thread >= 16 {
            return self.stop(path, "a read-write lock in over 16 threads");
        }
        let offset = 8 + thread;
        let mut holds = None;
        for (address, cond) in objects.all.iter().rev() {
            let here = self.read_at(work, path, (address + offset, 1), *cond);
            holds = Some(match holds {
                None => here,
                Some(other) => self.terms.ite(*cond, here, other),
            });
        }
        Ok((offset, holds.expect("a lock is somewhere")))
    }

    fn rwlock_lock(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        is_write: bool,
        wait: Wait,
    ) -> Run<()> {
        if path.atomic > 0 && wait == Wait::Forever {
            return self.stop(path, "an operation that waits inside an atomic section");
        }
        if wait == Wait::Timed {
            self.check_deadline(work, path, call)?;
        }
        let objects = self.resolve(work, path, call.args[0], 24, true)?;
        self.need_plain_rwlock(work, path, &objects)?;
        self.act(path);
        let ended = self.begin_waiting(work, path, EventKind::Synchronise, &objects);
        let event = self.event_at(path);
        let writer = self.word(work, path, &objects, 4);
        self.check_initialised(work, path, writer)?;
        let me = self.word_of(work.thread.owner_word());
        let is_mine = self.terms.eq(writer, me);
        let is_gone = self.is(writer, DESTROYED);
        let no_writer = self.is(writer, 0);
        let readers = self.word(work, path, &objects, 0);
        let is_free = match is_write {
            false => no_writer,
            true => {
                let no_reader = self.is(readers, 0);
                self.terms.and(no_writer, no_reader)
            }
        };
        if wait == Wait::Forever {
            let enabled = self.terms.any(&[is_free, is_mine, is_gone, ended]);
            self.wait_for(path, event, enabled);
        }
        self.fail_if(work.thread, path, FaultKind::Memory, ended)?;
        if self.may_be_destroyed(&objects) {
            self.fail_if(work.thread, path, FaultKind::LockMisuse, is_gone)?;
        }
        let one = self.word_of(1);
        match is_write {
            true => self.set_word(work, path, &objects, 4, is_free, me),
            false => {
                let more = self.terms.bin(smt::BinOp::Add, readers, one);
                self.set_word(work, path, &objects, 0, is_free, more);
                let (offset, holds) = self.read_holds(work, path, &objects)?;
                let one = self.terms.constant(8, 1);
                let most = self.is(holds, 255);
                if self.terms.as_constant(most) != Some(0)
                    && self.terms.as_constant(holds).is_some()
                {
                    return self.stop(path, "a read lock held 256 times");
                }
                let holds = self.terms.bin(smt::BinOp::Add, holds, one);
                for (address, is_it) in &objects.all {
                    let cond = self.terms.and(is_free, *is_it);
                    self.write_at(work, path, address + offset, cond, holds);
                }
            }
        }
        self.end_event(path);
        let zero = self.word_of(0);
        let busy = self.word_of(u128::from(if wait == Wait::Never {
            EBUSY
        } else {
            ETIMEDOUT
        }));
        let mut code = self.terms.ite(is_free, zero, busy);
        if wait != Wait::Never {
            let error = self.word_of(u128::from(EDEADLK));
            code = self.terms.ite(is_mine, error, code);
        }
        self.result(path, call, code);
        Ok(())
    }

    /// Of the kinds of read-write locks, one is encoded. The kind never changes.
    fn need_plain_rwlock(&mut self, work: &Worklist, path: &mut Path, locks: &Targets) -> Run<()> {
        let offset = if self.module.pointer_bits == 64 {
            48
        } else {
            24
        };
        for (address, _) in &locks.all {
            let at = address + offset;
            if self.objects.holding(at, 4).is_none() {
                continue;
            }
            if self.is_contended(at, 4) {
                return self.stop(path, "a lock that is made while others use it");
            }
            self.touch(work, path, (at, 4), false);
            let kind = crate::memory::read(self.terms, &self.objects, &path.contents, at, 4);
            if self.number(kind) != Some(0) {
                return self.stop(path, "a read-write lock of another kind");
            }
        }
        Ok(())
    }

    fn rwlock_unlock(&mut self, work: &mut Worklist, path: &mut Path, call: &Called) -> Run<()> {
        let objects = self.resolve(work, path, call.args[0], 24, true)?;
        self.act(path);
        self.begin_operation(work, path, EventKind::Synchronise, &objects)?;
        let writer = self.word(work, path, &objects, 4);
        self.check_initialised(work, path, writer)?;
        let readers = self.word(work, path, &objects, 0);
        let (offset, holds) = self.read_holds(work, path, &objects)?;
        let me = self.word_of(work.thread.owner_word());
        let zero = self.word_of(0);
        let is_mine = self.terms.eq(writer, me);
        let no_writer = self.is(writer, 0);
        let reads = self.is(holds, 0);
        let reads = self.terms.not(reads);
        let reads = self.terms.and(no_writer, reads);
        let is_held = self.terms.or(is_mine, reads);
        let wrong = self.terms.not(is_held);
        self.fail_if(work.thread, path, FaultKind::LockMisuse, wrong)?;
        self.set_word(work, path, &objects, 4, is_mine, zero);
        let one = self.word_of(1);
        let fewer = self.terms.bin(smt::BinOp::Sub, readers, one);
        self.set_word(work, path, &objects, 0, reads, fewer);
        let one = self.terms.constant(8, 1);
        let holds = self.terms.bin(smt::BinOp::Sub, holds, one);
        for (address, is_it) in &objects.all {
            let cond = self.terms.and(reads, *is_it);
            self.write_at(work, path, address + offset, cond, holds);
        }
        self.end_event(path);
        self.result_number(path, call, 0);
        Ok(())
    }
}

//! Critical-section peeking (P4, section 5.1): what two critical sections of one mutex do to each
//! other is decided by what they access, not by the mutex.
//!
//! A section that only accesses what its mutex protects, and waits for nothing, runs as one step:
//! the scheduling point is the lock, and the step depends on others by what it accesses. So two
//! sections that access different things, or only read, are independent, and no happens-before edge
//! of the mutex hides anything, because the mutex touches nothing.
//!
//! Soundness is Lipton's reduction: the lock moves right, the unlock left, and an access to a byte
//! that all threads access under this mutex alone moves both ways, because no other thread can
//! access the byte meanwhile. What is protected is assumed and checked on every path, like what is
//! visible (`sharing`): a byte that is accessed both in a section of the mutex and otherwise, by
//! any threads, is *unprotected* from then on; a mutex with a section that accesses an unprotected
//! byte, waits, creates or ends a thread, depends on an input, or spins in a loop, is *opaque*; so
//! is a mutex that is not only locked and unlocked, or that its holder reads or overwrites. After
//! either the search starts over. The argument is that of `sharing`: in a shortest execution that
//! breaks an assumption, everything up to the last event is equivalent to a path with whole
//! sections, where the same two accesses are seen. A mutex whose sections wait for nothing is part
//! of no deadlock. A search for data races needs every section, and so does not peek.
//!
//! Some searches ([`Probes::with_peek_at_waits`](crate::Probes::with_peek_at_waits)) let a section
//! wait on a condition with its mutex. That ends the section: the thread becomes a waiter and gives
//! the mutex back. What follows the wait is another section, which begins once the thread was woken
//! (or its time is up) instead of with a lock. Becoming a waiter is an event on the condition,
//! which any thread may signal at any time, so that it moves neither way; but it comes after all
//! other events of the section and before the mutex is given back, and Lipton's reduction allows
//! for one such event between those that move right and those that move left. A waiter does not
//! hold the mutex, and a thread in a section can end it, so that a deadlock is still a state in
//! which no thread is in a section. A signal in a section is an access like others, to a byte that
//! must be protected.
//!
//! P4 decides for each pair of sections, this file for each mutex. Checked by
//! `verify/tests/predicate.rs`.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::fault::{End, Exec};
use crate::machine::Machine;
use crate::memory::{AccessKind, CHUNK, byte_mask};
use crate::sharing::SharedSet;
use crate::thread::Guard;

/// Assumptions about mutexes and bytes that were found not to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peeking {
    /// Addresses of mutexes whose sections are no single steps.
    pub opaque: BTreeSet<u64>,
    /// Bytes that no mutex protects.
    pub unprotected: SharedSet,
}

impl Peeking {
    pub fn add(&mut self, other: &Peeking) {
        self.opaque.extend(&other.opaque);
        self.unprotected.add(&other.unprotected);
    }
}

/// The mutex in a section of which a byte was accessed; `None`: in no section.
type Under = Option<u64>;

/// Peeking in progress.
#[derive(Default)]
pub struct Peek {
    pub known: Peeking,
    /// Whether a section may wait on a condition.
    pub waits: bool,
    /// A section does that now.
    begins_wait: bool,
    /// Mutexes whose sections were one step.
    mutexes: SharedSet,
    /// On the current path: under what the bytes of each chunk were accessed.
    accessed: FxHashMap<u64, SmallVec<[Bytes; 2]>>,
    /// What `accessed` was before each change: the chunk, the place in its list, and what was
    /// there; without any bytes: nothing.
    undo: Vec<(u64, u32, Bytes)>,
}

/// Bytes of a chunk that were accessed under the same.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    under: Under,
    mask: u64,
    /// As in `sharing::Record`.
    stamp: u32,
}

/// Bytes of a chunk that are accessed under something, kept beyond its being undone (see
/// `Machine::protect_again`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protected {
    chunk: u64,
    under: Under,
    mask: u64,
}

impl Protected {
    /// Takes the other's bytes over if they are of the same chunk and accessed under the same.
    pub fn absorb(&mut self, other: &Protected) -> bool {
        let is_same = (self.chunk, self.under) == (other.chunk, other.under);
        if is_same {
            self.mask |= other.mask;
        }
        is_same
    }
}

impl Peek {
    pub(crate) fn new(known: Peeking) -> Peek {
        Peek {
            known,
            ..Peek::default()
        }
    }

    pub(crate) fn mark(&self) -> usize {
        self.undo.len()
    }

    pub(crate) fn undo(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let (chunk, index, old) = self.undo.pop().expect("an entry");
            let list = self.accessed.get_mut(&chunk).expect("it was changed");
            if old.mask == 0 {
                list.pop();
            } else {
                list[index as usize] = old;
            }
        }
    }

    /// Notes an access; the bytes that were accessed under something else.
    fn note(&mut self, chunk: u64, mask: u64, under: Under, stamp: u32) -> u64 {
        let list = self.accessed.entry(chunk).or_default();
        let otherwise = list.iter().filter(|bytes| bytes.under != under);
        let conflicts = otherwise.fold(0, |all, bytes| all | bytes.mask & mask);
        match list.iter_mut().position(|bytes| bytes.under == under) {
            Some(index) => {
                let known = list[index];
                if mask & !known.mask != 0 || known.stamp != stamp {
                    self.undo.push((chunk, index as u32, known));
                    list[index].mask |= mask;
                    list[index].stamp = stamp;
                }
            }
            None => {
                let (index, nothing) = (list.len() as u32, 0);
                let new = |mask| Bytes { under, mask, stamp };
                self.undo.push((chunk, index, new(nothing)));
                list.push(new(mask));
            }
        }
        conflicts
    }
}

impl Machine {
    /// What was learnt of mutexes and of what they protect.
    pub fn peeked(&self) -> Peeking {
        let peek = self.probes.peek.as_ref();
        peek.map(|peek| peek.known.clone()).unwrap_or_default()
    }

    pub fn peeks(&self) -> bool {
        self.probes.peek.is_some()
    }

    /// Whether the lock of this mutex begins a section that is one step.
    pub(crate) fn peeks_into(&mut self, mutex: u64, bytes: u64) -> Exec<bool> {
        if self.probes.peek.is_none() || !self.now.concurrent {
            return Ok(false);
        }
        let state = self.thread_state(self.now.current);
        if state.section == Some(mutex) {
            return self.spoil(mutex);
        }
        if state.atomic > 0 {
            return Ok(false);
        }
        let peek = self.probes.peek.as_ref().expect("peeking");
        if peek.known.opaque.contains(&mutex) {
            return Ok(false);
        }
        // This finds threads that read it or change it otherwise.
        let is_used = self.is_used_otherwise(mutex, bytes);
        // It may have been locked before there were other threads.
        if is_used || self.lock_owner(mutex).is_some() {
            return self.spoil(mutex);
        }
        Ok(true)
    }

    /// The bytes of mutexes that were locked and touched nothing.
    pub fn peeked_mutexes(&self) -> SharedSet {
        let peek = self.probes.peek.as_ref();
        peek.map(|peek| peek.mutexes.clone()).unwrap_or_default()
    }

    /// Begins a section that is one step.
    pub(crate) fn begin_section(&mut self, mutex: u64, bytes: u64) -> Exec<()> {
        let peek = self.probes.peek.as_mut().expect("peeking");
        if !peek.mutexes.overlaps(mutex, 1) {
            peek.mutexes.insert_range(mutex, bytes);
        }
        self.pass(true, Guard::Always)?;
        let thread = self.now.current;
        let state = self.thread_state_mut(thread);
        state.section = Some(mutex);
        state.atomic += 1;
        self.probes.footprint.begin_section();
        Ok(())
    }

    /// Whether the thread is in a section of this mutex that is one step and can end by waiting on
    /// a condition. A thread is in one section at most.
    pub(crate) fn waits_in_section(&mut self, mutex: u64) -> Exec<bool> {
        let state = self.thread_state(self.now.current);
        let can_wait = state.section == Some(mutex) && state.atomic == 1;
        if can_wait && self.probes.peek.as_ref().is_some_and(|peek| peek.waits) {
            return Ok(true);
        }
        self.leave_no_section_open()?;
        Ok(false)
    }

    /// Whether what follows a wait on a condition is a section that is one step.
    pub(crate) fn resumes_in_section(&mut self, mutex: u64, bytes: u64) -> Exec<bool> {
        let can_wait = self.probes.peek.as_ref().is_some_and(|peek| peek.waits);
        Ok(can_wait && self.peeks_into(mutex, bytes)?)
    }

    /// A section accesses the condition on which it waits. This need not be protected, because it
    /// is the last event of the section.
    pub(crate) fn touch_at_wait(&mut self, condition: u64, bytes: u64) -> bool {
        self.set_begins_wait(true);
        let visible = self.is_visible(condition, bytes, AccessKind::Write);
        self.set_begins_wait(false);
        visible
    }

    fn set_begins_wait(&mut self, begins: bool) {
        self.probes.peek.as_mut().expect("peeking").begins_wait = begins;
    }

    /// Whether the unlock of this mutex ends a section that is one step; if so, it has.
    pub(crate) fn ends_section(&mut self, mutex: u64) -> bool {
        let thread = self.now.current;
        if self.thread_state(thread).section != Some(mutex) {
            return false;
        }
        self.thread_state_mut(thread).section = None;
        self.leave_atomic();
        true
    }

    /// The thread waits, or does what others wait for. In a section that is one step it must not.
    #[inline]
    pub(crate) fn leave_no_section_open(&mut self) -> Exec<()> {
        self.check_nothing_held();
        if self.probes.peek.is_none() {
            return Ok(());
        }
        match self.thread_state(self.now.current).section {
            Some(mutex) => self.spoil(mutex),
            None => Ok(()),
        }
    }

    /// The mutex is opaque after all: what was searched is void.
    fn spoil<T>(&mut self, mutex: u64) -> Exec<T> {
        let peek = self.probes.peek.as_mut().expect("peeking");
        peek.known.opaque.insert(mutex);
        self.sharing_grew = true;
        self.end(End::Discarded)
    }

    /// Whether the thread accesses the mutex whose section it is in. The memory of the mutex does
    /// not say that it is locked.
    #[inline]
    pub(crate) fn is_own_mutex(&self, address: u64, bytes: u64) -> bool {
        let Some(peek) = &self.probes.peek else {
            return false;
        };
        let Some(mutex) = self.thread_state(self.now.current).section else {
            return false;
        };
        let first = address.max(mutex);
        let end = (address + bytes).min(mutex + self.mutex_bytes());
        first < end && peek.mutexes.overlaps(first, end - first)
    }

    /// An access, visible or not: a mutex is not only locked and unlocked if its holder looks at it
    /// or writes over it.
    #[inline]
    pub(crate) fn check_own_mutex(&mut self, address: u64, bytes: u64) {
        if self.is_own_mutex(address, bytes) {
            let mutex = self
                .thread_state(self.now.current)
                .section
                .expect("a section");
            let peek = self.probes.peek.as_mut().expect("peeking");
            self.sharing_grew |= peek.known.opaque.insert(mutex);
        }
    }

    /// A visible access: under its mutex, or not.
    pub(crate) fn check_protection(&mut self, address: u64, bytes: u64) {
        // A thread that is alone needs no protection, even if `observes_last` makes its accesses
        // visible.
        if self.now.unjoined <= 1 {
            return;
        }
        let under = self.thread_state(self.now.current).section;
        let mut at = address;
        while at < address + bytes {
            let start = (at % CHUNK as u64) as usize;
            let n = (CHUNK - start).min((address + bytes - at) as usize);
            let (chunk, mask) = (at - start as u64, byte_mask(start, n));
            self.protect(Protected { chunk, under, mask });
            at += n as u64;
        }
    }

    fn protect(&mut self, accessed: Protected) {
        let Protected { chunk, under, mask } = accessed;
        let peek = self.probes.peek.as_mut().expect("peeking");
        let known = peek.known.unprotected.mask(chunk);
        let conflicts = peek.note(chunk, mask, under, self.stamp) & !known;
        if conflicts != 0 {
            peek.known.unprotected.insert(chunk, conflicts);
            self.sharing_grew = true;
        }
        if let Some(mutex) = under
            && mask & known != 0
            && !peek.begins_wait
        {
            self.sharing_grew |= peek.known.opaque.insert(mutex);
        }
    }

    /// How many changes of what is accessed under which mutex the path has made.
    pub fn protections(&self) -> usize {
        self.probes.peek.as_ref().map_or(0, |peek| peek.mark())
    }

    /// What was accessed under which mutex since `protections` was this number.
    pub fn protected_from(&self, noted: usize) -> Vec<Protected> {
        let Some(peek) = &self.probes.peek else {
            return Vec::new();
        };
        let since = peek.undo[noted..].iter();
        let protected = since.map(|&(chunk, index, _)| {
            let Bytes { under, mask, .. } = peek.accessed[&chunk][index as usize];
            Protected { chunk, under, mask }
        });
        protected.collect()
    }

    /// Notes accesses that are not executed, because a summary covers them. The condition on which
    /// a section waits may be taken for memory like any other: then its mutex is opaque, which is
    /// always sound.
    pub fn protect_again(&mut self, protected: &[Protected]) {
        if self.probes.peek.is_some() && self.now.unjoined > 1 {
            protected
                .iter()
                .for_each(|accessed| self.protect(*accessed));
        }
    }
}

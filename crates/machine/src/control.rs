//! The control state: where every thread stands, and all else that decides what happens next, apart
//! from registers and memory.
//!
//! Two states with the same control state differ in [`crate::Location`]s only. The counters of
//! loops are no part of it. Nor are clocks, statistics and the set of shared bytes, which decide
//! nothing that an execution can show.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::machine::Machine;
use crate::memory::{ArenaId, Region};
use crate::thread::{Guard, Stage, Status, ThreadId, Woken};
use crate::value::Value;

/// Compared as a whole: equal hashes are not enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlState {
    fingerprint: u64,
    words: Box<[u64]>,
}

impl Hash for ControlState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint);
    }
}

impl Machine {
    /// `None`: something in it depends on inputs.
    pub fn control_state(&self) -> Option<ControlState> {
        let mut words = Words(Vec::with_capacity(64));
        words.add(u64::from(self.now.exited) | u64::from(self.now.unjoined) << 1);
        let running = self.thread_ids().any(|t| self.status(t) == Status::Running);
        words.add(if running {
            u64::from(self.now.current.0)
        } else {
            u64::MAX
        });
        for thread in self.thread_ids() {
            self.add_thread(thread, &mut words)?;
        }
        Some(words.0.into_iter().collect())
    }

    fn add_thread(&self, id: ThreadId, words: &mut Words) -> Option<()> {
        let thread = self.thread(id);
        words.add(u64::from(id.0) << 32 | 0x7ead);
        words.status(thread.hot.status);
        if thread.hot.status.is_over() {
            words.add(u64::from(thread.state.joined) | u64::from(thread.state.detached) << 1);
            self.add_objects(id.heap(), words);
            return Some(());
        }
        words.add(thread.frames.len() as u64);
        for frame in &thread.frames {
            words.add(u64::from(frame.function.0) << 32 | u64::from(frame.pc));
            words.add(u64::from(frame.progress) << 32 | u64::from(frame.leaked));
            words.value(frame.carried)?;
            words.add(frame.stack.len as u64);
            words.add(frame.stack.objects as u64);
            words.add(frame.varargs);
        }
        let state = &thread.state;
        words.add(u64::from(state.inputs) << 32 | u64::from(state.children));
        words.add(u64::from(state.atomic) << 32 | u64::from(state.jumps as u32));
        words.add(state.section.map_or(u64::MAX, |mutex| mutex));
        words.add(state.errno);
        let flags = [
            state.detached,
            state.joined,
            state.changed,
            state.woken == Woken::Signal,
            state.woken == Woken::Timeout,
            state.woken == Woken::Destroyed,
            state.stage == Stage::Begin,
            state.stage == Stage::Body,
            match state.spurious_at {
                Some(count) if self.mode.observed => count == 0,
                Some(count) => !self.now.changes.since(count, id),
                None => false,
            },
            state.spurious_at.is_some(),
        ];
        let bits = flags
            .iter()
            .fold(0, |bits, flag| bits << 1 | u64::from(*flag));
        words.add(bits);
        for &(global, address) in state.tls.iter() {
            words.add(u64::from(global.0));
            words.add(address);
        }
        words.add(state.cleanups.len() as u64);
        for &buffer in &state.cleanups {
            words.add(buffer);
        }
        self.add_objects(id.heap(), words);
        self.add_objects(id.stack(), words);
        Some(())
    }

    /// What is allocated, where, of which size, and what is gone.
    fn add_objects(&self, id: ArenaId, words: &mut Words) {
        let far = self.state.memory.far_objects(id);
        words.add(far.len() as u64);
        let mut objects = &[][..];
        if let Some(arena) = self.state.memory.arena(id) {
            words.add(arena.bytes.len() as u64);
            words.add(u64::from(arena.serial) << 32 | arena.objects.len() as u64);
            objects = &arena.objects;
        }
        for object in objects.iter().chain(far) {
            let is_heap = object.kind.region() == Region::Heap;
            let flags = u64::from(is_heap) << 2 | u64::from(object.kind.is_special()) << 1;
            words.add(object.base);
            words.add(object.size << 3 | flags | u64::from(object.live));
        }
    }
}

struct Words(Vec<u64>);

impl Words {
    fn add(&mut self, word: u64) {
        self.0.push(word);
    }

    fn value(&mut self, value: Value) -> Option<()> {
        if !value.is_concrete() {
            return None;
        }
        self.add(value.bits);
        Some(())
    }

    fn status(&mut self, status: Status) {
        match status {
            Status::Running => self.add(1),
            Status::Ended => self.add(2),
            Status::Exited => self.add(3),
            Status::Parked { guard, visible } => {
                self.add(4 | u64::from(visible) << 8);
                self.guard(guard);
            }
        }
    }

    fn guard(&mut self, guard: Guard) {
        match guard {
            Guard::Always => self.add(0),
            Guard::Spin => self.add(1),
            Guard::Zero(address) => self.0.extend([2, address]),
            Guard::Positive(address) => self.0.extend([3, address]),
            Guard::RwLock { address, write } => self.0.extend([4, address, u64::from(write)]),
            Guard::Barrier {
                address,
                generation,
            } => self.0.extend([5, address, u64::from(generation)]),
            Guard::Once(address) => self.0.extend([6, address]),
            Guard::Ended(thread) => self.0.extend([7, u64::from(thread.0)]),
            Guard::Leaving {
                condition,
                mutex,
                signalled,
            } => self.0.extend([8, condition, mutex, u64::from(signalled)]),
            Guard::Condition {
                condition,
                mutex,
                signalled,
                timed,
            } => {
                let flags = u64::from(signalled) << 1 | u64::from(timed);
                self.0.extend([9, condition, mutex, flags]);
            }
            Guard::Alone => self.add(10),
            Guard::Assumption => self.add(11),
            Guard::Await => self.add(12),
        }
    }
}

impl FromIterator<u64> for ControlState {
    fn from_iter<I: IntoIterator<Item = u64>>(words: I) -> ControlState {
        let words: Box<[u64]> = words.into_iter().collect();
        let mut hasher = FxHasher::default();
        words.hash(&mut hasher);
        let fingerprint = hasher.finish();
        ControlState { fingerprint, words }
    }
}

impl ControlState {
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().copied()
    }

    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

//! The step memo: steps that were made before are not interpreted again. A search that goes back
//! makes most steps many times.
//!
//! A thread that stands before a plain access to visible memory does the same whenever it has the
//! same registers and finds the same word: up to its next such access, or up to its end, only its
//! own registers change. The same holds for a thread that joins another.
//!
//! A *place* is where a thread can stand before such an operation, with the contents of all
//! registers that it may read again. Places are compared as a whole once, when a thread comes to
//! one by being interpreted; from then on a thread stands at a numbered place (`Activity::place`),
//! and a remembered step leads from one number to the next. Frame and registers are left as they
//! are, and are brought up to date when the thread is interpreted again (`Frame::place` is the
//! place that they belong to).
//!
//! Exact: a step is remembered only if it consists of one such operation, of operations on concrete
//! registers of one frame, and of reads of plain bytes that no other thread sees
//! (`StepSoFar::is_local`). Only threads at one *epoch* share places: an epoch ends with any other
//! operation. Whatever a step does to others is done anew every time: the access, the count of
//! events, the record of what was read, the join, the end. A remembered step is taken only if all
//! that it reads is as it was. A place does not contain the time at which the counter of a loop was
//! last counted: that time has changed whenever the counter is counted again, since an access lies
//! between (see `Machine::next_iteration`). The memo is no part of any result;
//! `verify/tests/differential.rs` compares the naive search, which uses it, with the reference
//! interpreter.

mod by_word;
mod chain;
mod finale;
mod place;
mod unread;

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use self::by_word::ByWord;
use self::chain::{Effect, OpenChain};
use self::place::{Before, Next, Place, Read, Step, access};
pub(crate) use self::unread::Unread;
use super::Machine;
use super::state::OthersEnabled;
use crate::code::Program;
use crate::fault::Stop;
use crate::memory::{AccessKind, InChunk, Memory};
use crate::thread::{Guard, PlaceId, Stage, Status, Thread, ThreadId};
use crate::value::Value;

/// Places that are remembered at most; what is beyond is interpreted.
const PLACES: usize = 1 << 13;

/// After this many places the memo is used no further unless it has saved steps.
const TRIAL: usize = 1 << 10;

#[derive(Default)]
pub(crate) struct StepMemo {
    /// By their ids.
    places: Vec<Place>,
    by_content: FxHashMap<u64, PlaceId>,
    /// The step that is being made, if it is to be remembered: from where, with which word, and
    /// what it has read.
    making: Option<(PlaceId, u64)>,
    reads: Vec<Read>,
    unread: Unread,
    epochs: u32,
    /// Steps that were not interpreted.
    hits: usize,
}

/// A remembered step, or a chain of them, from the place where a thread stands.
struct KnownStep<'m> {
    /// What the thread finds there.
    word: u64,
    effect: Effect,
    next: Next,
    reads: &'m [Read],
    is_chain: bool,
}

/// What the running thread has done since it was let run. It decides whether the step is
/// remembered.
#[derive(Default)]
pub(crate) struct StepSoFar {
    /// Nothing but visible plain accesses and operations on registers.
    pub is_local: bool,
    /// The step is to be remembered: the thread stops after it even if it is alone.
    pub is_memoised: bool,
    /// Visible operations and joins.
    pub operations: u32,
    /// The current call is a join that does nothing but wait.
    pub only_joins: bool,
    /// It has begun another round of a loop.
    pub went_round: bool,
}

impl Machine {
    /// Whether every step must be interpreted, since a probe or the mode needs more than where it
    /// leads.
    fn must_interpret(&self) -> bool {
        self.probes.attended
            || self.mode.observed
            || self.mode.slices
            || self.probes.history.is_some()
    }

    /// Makes the step of a thread that is given the turn, if it is remembered; of one that is
    /// alone, all those that are. `false`: it is to be interpreted from where it stands then.
    #[inline]
    pub(super) fn step_again(&mut self, thread: ThreadId) -> bool {
        if self.probes.step_memo.is_none() {
            return false;
        }
        self.note_attention();
        self.forget_answers();
        if !self.now.concurrent || self.must_interpret() {
            return false;
        }
        let Some(mut step_memo) = self.probes.step_memo.take() else {
            return false;
        };
        let is_done = self.follow(thread, &mut step_memo);
        self.probes.step_memo = Some(step_memo);
        is_done
    }

    /// Whether steps were made up to where something must be decided, or is left to be interpreted.
    fn follow(&mut self, mut thread: ThreadId, step_memo: &mut StepMemo) -> bool {
        let mut open_chain: Option<OpenChain> = None;
        // The first thread has ended, and what comes after it need not be remembered.
        let mut is_done = false;
        // Where `main` began to join others.
        let mut joined_first: Option<PlaceId> = None;
        loop {
            let t = self.thread(thread);
            let Some(here) = t.hot.activity.place.filter(|_| t.state.idle == 0) else {
                return is_done;
            };
            let place = &step_memo.places[here.index()];
            if let Some(finale) = &place.finale
                && self.end_as_remembered(finale)
            {
                if let Some(first) = joined_first {
                    step_memo.end_with(first);
                }
                return true;
            }
            let Some(known) = self.known_step(place) else {
                return is_done;
            };
            step_memo.hits += known.effect.events as usize;
            self.perform_known(thread, &place.before, &known);
            let joined = matches!(place.before, Before::Join(_));
            if joined {
                joined_first = joined_first.or(Some(here));
            }
            let next = known.next;
            let goes_on = self.arrive(thread, &place.before, next, &step_memo.places);
            if self.now.others_enabled == OthersEnabled::None
                && (goes_on || !known.is_chain || open_chain.is_some())
                && let Before::Access(access) = place.before
            {
                let is_plain = known.reads.is_empty();
                let link = OpenChain::begin(here, known.word, access, known.effect);
                open_chain = step_memo.add_link(open_chain, link, is_plain);
            }
            if !goes_on {
                if let Some(chain) = open_chain.take() {
                    step_memo.end_chain(chain, next);
                }
                if let (Next::Exit, ThreadId::MAIN, Some(first)) = (next, thread, joined_first) {
                    step_memo.end_with(first);
                }
                self.now.granted = false;
                let Some(other) = self.successor(next, joined) else {
                    return true;
                };
                (thread, is_done, joined_first) = (other, true, None);
            }
            if self.interrupted() {
                return is_done;
            }
        }
    }

    /// The step that is remembered for what a thread finds at this place: a chain of steps, if the
    /// thread is alone.
    #[inline(always)]
    fn known_step<'m>(&self, place: &'m Place) -> Option<KnownStep<'m>> {
        let word = match &place.before {
            Before::Access(access) => access.find(&self.state.memory)?,
            Before::Join(other) => self.can_join(*other).then_some(0)?,
        };
        let chain = match &place.before {
            Before::Access(access) if self.now.others_enabled == OthersEnabled::None => {
                place.chain(access, word, &self.state.memory)
            }
            _ => None,
        };
        let (effect, next, reads): (_, _, &[Read]) = match chain {
            Some(chain) => (chain.effect, chain.next, &[]),
            None => {
                let step = place.steps.get(word)?;
                let is_same = step
                    .reads
                    .iter()
                    .all(|read| read.is_same(&self.state.memory));
                is_same.then_some((Effect::one(step.written), step.next, &*step.reads))?
            }
        };
        if matches!(next, Next::Exit) && !self.exits_after(1) {
            return None;
        }
        Some(KnownStep {
            word,
            effect,
            next,
            reads,
            is_chain: chain.is_some(),
        })
    }

    /// Does what a remembered step does to others: the access or the join, and the record of what
    /// it read.
    #[inline(always)]
    fn perform_known(&mut self, thread: ThreadId, before: &Before, known: &KnownStep) {
        let effect = known.effect;
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        self.trail.save_hot_state(thread, &mut t.hot);
        match before {
            Before::Access(access) => {
                self.now.visible_events += u64::from(effect.events);
                self.total_events += u64::from(effect.events);
                if let Some(bits) = effect.written {
                    let effects = &mut t.hot.activity.effects;
                    *effects = effects.wrapping_add(effect.changes);
                    self.now.changes.add_many(thread, effect.changes);
                    let trail = &mut self.trail;
                    self.state
                        .memory
                        .write_in(trail, access.chunk, access.bytes, bits);
                }
            }
            Before::Join(other) => self.join(thread, *other),
        }
        for read in known.reads {
            self.read_again(thread, read);
        }
    }

    /// Puts a thread where a remembered step leads. Whether it goes on at once.
    #[inline(always)]
    fn arrive(&mut self, thread: ThreadId, before: &Before, next: Next, places: &[Place]) -> bool {
        match next {
            Next::Place(next) => {
                let after = &places[next.index()].before;
                self.thread_mut(thread).hot.activity.place = Some(next);
                match (before, after) {
                    (Before::Access(_), Before::Access(_)) => self.is_alone(),
                    // `main` would be the first to be asked.
                    (Before::Join(_), &Before::Join(other)) => {
                        self.set_status(thread, after.status());
                        thread == ThreadId::MAIN && self.has_ended(other)
                    }
                    _ => {
                        self.set_status(thread, after.status());
                        false
                    }
                }
            }
            Next::End(result) => {
                self.thread_mut(thread).hot.activity.place = None;
                self.set_result(thread, result);
                self.set_status(thread, Status::Ended);
                false
            }
            Next::Exit => {
                self.thread_mut(thread).hot.activity.place = None;
                self.now.exited = true;
                self.set_status(thread, Status::Exited);
                false
            }
        }
    }

    /// Records a read of a remembered step. It need not be recorded if no other thread has accessed
    /// these bytes, and none will.
    fn read_again(&mut self, thread: ThreadId, read: &Read) {
        let InChunk {
            arena, chunk, mask, ..
        } = read.chunk;
        if !(self.is_last(thread) && self.state.records.are_of(thread, arena, chunk)) {
            self.record_access(arena, chunk, mask, AccessKind::Read);
        }
    }

    /// Whether all other threads are over. Those made later will know what this one has done.
    fn is_last(&self, thread: ThreadId) -> bool {
        let mut others = self.thread_ids().filter(|other| *other != thread);
        others.all(|other| self.status(other).is_over())
    }

    /// After a step that led to `next`: the thread that goes on with nothing to decide. `None`:
    /// `runnable` finds out.
    #[inline(always)]
    fn successor(&mut self, next: Next, joined: bool) -> Option<ThreadId> {
        match next {
            Next::End(_) if self.main_can_join() => Some(ThreadId::MAIN),
            Next::End(_) => self.lone(),
            Next::Place(_) if joined => self.lone(),
            Next::Place(_) | Next::Exit => None,
        }
    }

    /// Whether `main` was waiting for the end of a thread that has ended. If so, it runs next:
    /// `runnable` looks at it first.
    fn main_can_join(&mut self) -> bool {
        let can = match self.status(ThreadId::MAIN) {
            Status::Parked {
                guard: Guard::Ended(other),
                ..
            } => self.has_ended(other),
            _ => false,
        };
        if can {
            self.forget_enabled();
            self.now.current = ThreadId::MAIN;
        }
        can
    }

    /// Whether a thread that has ended can be joined.
    fn can_join(&self, other: ThreadId) -> bool {
        self.thread_exists(other) && {
            let state = self.thread_state(other);
            !state.detached && !state.joined
        }
    }

    /// As `exits_at_once`, before the last threads are joined.
    fn exits_after(&self, joins: usize) -> bool {
        let handlers = self.program.entries.and_then(|entries| entries.handlers);
        self.now.unjoined as usize <= joins + 1
            && !self.mode.observes_last
            && handlers.is_some_and(|count| self.word(count) == 0)
    }

    /// The running thread reads a word that no other thread sees.
    pub(crate) fn note_read(&mut self, chunk: InChunk, bytes: u32) {
        let word = self.state.memory.read_in(chunk, bytes);
        if let Some(step_memo) = &mut self.probes.step_memo {
            step_memo.reads.push(Read { chunk, bytes, word });
        }
    }

    /// A thread that waits for the end of another can go on: whether the memo made its step.
    #[inline]
    pub(super) fn wait_again(&mut self, thread: ThreadId) -> bool {
        self.probes.step_memo.is_some()
            && self.thread(thread).hot.activity.place.is_some()
            && self.step_again(thread)
    }

    /// A thread is about to be interpreted: brings its frame and registers up to date. The old ones
    /// are saved on the trail.
    #[inline]
    pub(super) fn catch_up(&mut self, thread: ThreadId) {
        let Some(step_memo) = &mut self.probes.step_memo else {
            return;
        };
        step_memo.making = None;
        step_memo.reads.clear();
        (
            self.step.is_memoised,
            self.step.is_local,
            self.step.went_round,
            self.step.operations,
        ) = (false, true, false, 0);
        let activity = &mut self.thread_mut(thread).hot.activity;
        if let Some(place) = activity.place.take() {
            self.save_top_of(thread);
            self.catch_up_with(thread, place);
        }
    }

    fn catch_up_with(&mut self, thread: ThreadId, id: PlaceId) {
        let step_memo = self
            .probes
            .step_memo
            .as_mut()
            .expect("steps are remembered");
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        let place = &step_memo.places[id.index()];
        let found = match place.before {
            Before::Access(access) => access.find(&self.state.memory),
            Before::Join(_) => Some(0),
        };
        step_memo.making = found.map(|word| (id, word));
        self.step.is_memoised = step_memo.making.is_some();
        let frame = t.frames.last_mut().expect("a frame");
        if frame.place != Some(id) {
            frame.pc = place.pc;
            let base = frame.base as usize;
            t.registers[base..].copy_from_slice(&place.registers);
        }
        frame.place = None;
    }

    /// Whether a step that will be remembered is over, since the next visible operation is due.
    #[inline(always)]
    pub(crate) fn is_learning(&self) -> bool {
        self.step.is_memoised && self.step.is_local && self.step.operations > 0
    }

    /// A thread was interpreted and has stopped.
    #[inline]
    pub(super) fn remember(&mut self, thread: ThreadId, stop: Stop) {
        if self.probes.step_memo.is_some() && !self.must_interpret() {
            self.remember_stop(thread, stop);
        }
    }

    fn remember_stop(&mut self, thread: ThreadId, stop: Stop) {
        let step_memo = self
            .probes
            .step_memo
            .as_mut()
            .expect("steps are remembered");
        let t = self.state.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        let making = step_memo.making.take();
        let making = making.filter(|_| self.step.is_local && self.step.operations == 1);
        let next = match stop {
            Stop::Park
                if match self.running.block_at {
                    (Guard::Always, visible) => visible,
                    (Guard::Ended(_), visible) => !visible && self.step.only_joins,
                    _ => false,
                } =>
            {
                if making.is_none() {
                    step_memo.epochs = step_memo.epochs.wrapping_add(1);
                    t.hot.activity.epoch = step_memo.epochs;
                }
                let place = step_memo.place_of(
                    thread,
                    t,
                    &self.program,
                    self.running.block_at.0,
                    &self.state.memory,
                );
                t.hot.activity.place = place;
                t.frames.last_mut().expect("a frame").place = place;
                place.map(Next::Place)
            }
            // Nothing is left to be done but to end.
            Stop::Return if t.frames.len() == 1 && t.state.stage == Stage::Body => {
                let frame = t.top();
                let f = self.program.function(frame.function);
                let ends = thread != ThreadId::MAIN && !frame.leaked && !f.atomic;
                ends.then_some(Next::End(t.state.result))
            }
            Stop::Exit => match making {
                Some((place, _)) => {
                    let place = &step_memo.places[place.index()];
                    matches!(place.before, Before::Join(_)).then_some(Next::Exit)
                }
                None => None,
            },
            _ => None,
        };
        if let (Some((place, word)), Some(next)) = (making, next) {
            let reads = step_memo.reads.as_slice().into();
            let place = &mut step_memo.places[place.index()];
            let written = match place.before {
                Before::Access(access) => access.written(word),
                Before::Join(_) => None,
            };
            let step = Step {
                written,
                reads,
                next,
            };
            place.steps.put(word, step);
        }
    }
}

impl StepMemo {
    /// The place where a thread stands. `None`: it is not remembered.
    fn place_of(
        &mut self,
        thread: ThreadId,
        t: &Thread,
        program: &Program,
        guard: Guard,
        memory: &Memory,
    ) -> Option<PlaceId> {
        let count = self.places.len();
        if t.state.atomic != 0 || count > TRIAL && self.hits < 4 * count {
            return None;
        }
        let frame = t.top();
        let f = program.function(frame.function);
        let mut registers: Box<[Value]> = t.registers[frame.base as usize..].into();
        let before = match guard {
            Guard::Ended(other) => Before::Join(other),
            _ => Before::Access(access(f, frame.pc, &registers, memory)?),
        };
        for slot in self.unread.at(program, frame.function, frame.pc) {
            registers[*slot as usize] = Value::ZERO;
        }
        if registers.iter().any(|r| !r.is_concrete()) {
            return None;
        }
        for counter in &f.registers.counters {
            registers[*counter as usize].bits &= 0xffff_ffff;
        }
        let mut hasher = FxHasher::default();
        (thread.0, t.hot.activity.epoch, frame.pc).hash(&mut hasher);
        for register in &registers {
            register.bits.hash(&mut hasher);
        }
        let hash = hasher.finish();
        if let Some(&id) = self.by_content.get(&hash) {
            let place = &self.places[id.index()];
            let is_same = (place.thread, place.epoch, place.pc)
                == (thread, t.hot.activity.epoch, frame.pc)
                && place.registers == registers;
            return is_same.then_some(id);
        }
        if count >= PLACES {
            return None;
        }
        let id = PlaceId::at(count);
        self.by_content.insert(hash, id);
        self.places.push(Place {
            thread,
            epoch: t.hot.activity.epoch,
            pc: frame.pc,
            registers,
            before,
            steps: ByWord::default(),
            chains: ByWord::default(),
            finale: None,
        });
        Some(id)
    }
}

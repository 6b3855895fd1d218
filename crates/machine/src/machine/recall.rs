//! Steps that were made before. A thread that stands before a plain access to visible memory does the same whenever it has the
//! same registers and finds the same word: up to its next such access, or up to its end, only its own registers change. The same
//! holds for one that joins another. A search that goes back makes most steps many times; those that are remembered are not
//! interpreted again.
//!
//! A *place* is where a thread can stand before such an operation, with all it has in its registers. Places are compared as a whole
//! once, when a thread comes to one by being interpreted; from then on a thread stands at a numbered place (`Activity::place`),
//! and a remembered step leads from one number to the next. Frame and registers are left behind and brought up to date when the
//! thread is interpreted again (`Frame::place` says which place they are of).
//!
//! Exact: a step is remembered only if it consists of one such operation, of operations on concrete registers of one frame, and
//! of reads of plain bytes that no other thread sees (`Machine::local`). Only threads at one *epoch* share places: between two
//! operations of any other kind. Whatever the step does to others is done anew every time: the access, the count of events, the
//! record of what was read, the join, the end. It is taken only if all it reads is as it was. Of the counter of a loop, a place does
//! not have the time at which it was last counted, which is another one by the time it is counted again, since an access lies between
//! (see `Machine::next_iteration`). What is remembered is no part of any result; `verify/tests/differential.rs` compares the
//! naive search, which remembers, with the reference interpreter.

mod place;

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use self::place::{Access, Before, Next, Place, Read, Step, access};
use super::Machine;
use crate::code::Function;
use crate::fault::Stop;
use crate::memory::{AccessKind, InChunk, Memory};
use crate::thread::{Guard, Stage, Status, Thread, ThreadId};
use crate::trail::Undo;
use crate::value::Value;

/// Places that are remembered at most; what is beyond is interpreted.
const PLACES: usize = 1 << 14;

/// After so many places, some should have been useful.
const TRIAL: usize = 1 << 10;

/// Words that are remembered at one place.
const WORDS: usize = 16;

pub(crate) struct Recall {
    /// By their numbers, which begin with 1.
    places: Vec<Place>,
    by_content: FxHashMap<u64, u32>,
    /// The step that is being made, if it is to be remembered: from where, with which word, and what it has read.
    making: Option<(u32, u64)>,
    reads: Vec<Read>,
    epochs: u32,
    /// Steps that were not interpreted.
    hits: usize,
}

impl Machine {
    /// From now on, remembers steps. For a search that goes back often.
    pub fn remember_steps(&mut self) {
        self.recall = Some(Box::new(Recall {
            places: Vec::new(),
            by_content: FxHashMap::default(),
            making: None,
            reads: Vec::new(),
            epochs: 0,
            hits: 0,
        }));
    }

    /// Whether somebody looks at more than what threads do.
    fn looks_closely(&self) -> bool {
        self.attended || self.observed || self.slices || self.history.is_some()
    }

    /// Makes the step of a thread that is given the turn, if it is remembered; of one that is alone, all those that are.
    /// `false`: it is to be interpreted from where it stands then.
    #[inline]
    pub(super) fn step_again(&mut self, thread: ThreadId) -> bool {
        if self.recall.is_none() {
            return false;
        }
        self.note_attention();
        self.forget_answers();
        self.concurrent && !self.looks_closely() && self.follow(thread)
    }

    fn follow(&mut self, thread: ThreadId) -> bool {
        loop {
            let recall = self.recall.as_ref().expect("steps are remembered");
            let t = self.thread(thread);
            if t.activity.place == 0 || t.state.idle != 0 {
                return false;
            }
            let number = t.activity.place as usize - 1;
            let place = &recall.places[number];
            let found = match place.before {
                Before::Access(access) => access.find(&self.memory),
                Before::Join(other) => self.can_join(other).then_some((0, None)),
            };
            let Some((word, written)) = found else {
                return false;
            };
            let Some(index) = place.steps.iter().position(|step| step.word == word) else {
                return false;
            };
            let step = &place.steps[index];
            if !step.reads.iter().all(|read| read.is_same(&self.memory)) {
                return false;
            }
            let (before, next, reads) = (place.before, step.next, step.reads.len());
            if matches!(next, Next::Exit) && !self.exits_after_join() {
                return false;
            }
            let recall = self.recall.as_mut().expect("steps are remembered");
            let t = self.threads[thread.index()]
                .as_mut()
                .expect("a thread that exists");
            recall.hits += 1;
            if t.status_saved_at != self.trail.depth() {
                self.trail.push(Undo::Status {
                    thread,
                    saved_at: t.status_saved_at,
                    status: t.status,
                    activity: t.activity,
                });
                t.status_saved_at = self.trail.depth();
            }
            match before {
                Before::Access(Access { chunk, bytes, .. }) => {
                    self.visible_events += 1;
                    self.total_events += 1;
                    if let Some(bits) = written {
                        t.activity.effects = t.activity.effects.wrapping_add(1);
                        self.changes.add(thread);
                        self.memory.write_in(&mut self.trail, chunk, bytes, bits);
                    }
                }
                Before::Join(other) => self.join(thread, other),
            }
            for read in 0..reads {
                self.read_again(number, index, read);
            }
            match next {
                Next::Place(next) => {
                    let recall = self.recall.as_ref().expect("steps are remembered");
                    let after = recall.places[next as usize - 1].before;
                    self.thread_mut(thread).activity.place = next;
                    match (before, after) {
                        (Before::Access(_), Before::Access(_)) => {
                            if self.is_alone() {
                                if self.interrupted() {
                                    return false;
                                }
                                continue;
                            }
                        }
                        _ => self.set_status(thread, after.status()),
                    }
                }
                Next::End(result) => {
                    self.thread_mut(thread).activity.place = 0;
                    self.set_result(thread, result);
                    self.set_status(thread, Status::Ended);
                }
                Next::Exit => {
                    self.thread_mut(thread).activity.place = 0;
                    self.exited = true;
                    self.set_status(thread, Status::Exited);
                }
            }
            self.granted = false;
            return true;
        }
    }

    /// Records a read that was made before.
    fn read_again(&mut self, place: usize, step: usize, read: usize) {
        let recall = self.recall.as_ref().expect("steps are remembered");
        let InChunk {
            arena, chunk, mask, ..
        } = recall.places[place].steps[step].reads[read].chunk;
        self.record_access(arena, chunk, mask, AccessKind::Read);
    }

    /// Whether a thread that has ended can be joined.
    fn can_join(&self, other: ThreadId) -> bool {
        self.thread_exists(other) && {
            let state = self.state(other);
            !state.detached && !state.joined
        }
    }

    /// As `exits_at_once`, before the last thread is joined.
    fn exits_after_join(&self) -> bool {
        let handlers = self.program.entries.and_then(|entries| entries.handlers);
        self.unjoined <= 2
            && !self.observes_last
            && handlers.is_some_and(|count| self.word(count) == 0)
    }

    /// The running thread reads a word where no other thread looks.
    pub(crate) fn note_read(&mut self, chunk: InChunk, bytes: u32) {
        let word = self.memory.read_in(chunk, bytes);
        if let Some(recall) = &mut self.recall {
            recall.reads.push(Read { chunk, bytes, word });
        }
    }

    /// A thread that waits for the end of another can go on: whether that was done by memory.
    #[inline]
    pub(super) fn wait_again(&mut self, thread: ThreadId) -> bool {
        self.recall.is_some() && self.thread(thread).activity.place != 0 && self.step_again(thread)
    }

    /// A thread is about to be interpreted: brings its frame and registers up to date. What they were is saved.
    #[inline]
    pub(super) fn catch_up(&mut self, thread: ThreadId) {
        let Some(recall) = &mut self.recall else {
            return;
        };
        recall.making = None;
        recall.reads.clear();
        (self.learning, self.local, self.round, self.deeds) = (false, true, false, 0);
        let activity = &mut self.thread_mut(thread).activity;
        let number = std::mem::take(&mut activity.place);
        if number != 0 {
            self.save_top_of(thread);
            self.catch_up_with(thread, number);
        }
    }

    fn catch_up_with(&mut self, thread: ThreadId, number: u32) {
        let recall = self.recall.as_mut().expect("steps are remembered");
        let t = self.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        let place = &recall.places[number as usize - 1];
        let found = match place.before {
            Before::Access(access) => access.find(&self.memory),
            Before::Join(_) => Some((0, None)),
        };
        recall.making = found.map(|(word, _)| (number, word));
        self.learning = recall.making.is_some();
        let frame = t.frames.last_mut().expect("a frame");
        if frame.place != number {
            frame.pc = place.pc;
            let base = frame.base as usize;
            t.registers[base..].copy_from_slice(&place.registers);
        }
        frame.place = 0;
    }

    /// Whether a step that will be remembered is over, since the next visible operation is due.
    #[inline(always)]
    pub(crate) fn is_learning(&self) -> bool {
        self.learning && self.local && self.deeds > 0
    }

    /// A thread was interpreted and has stopped.
    #[inline]
    pub(super) fn remember(&mut self, thread: ThreadId, stop: Stop) {
        if self.recall.is_some() && !self.looks_closely() {
            self.remember_stop(thread, stop);
        }
    }

    fn remember_stop(&mut self, thread: ThreadId, stop: Stop) {
        let recall = self.recall.as_mut().expect("steps are remembered");
        let t = self.threads[thread.index()]
            .as_mut()
            .expect("a thread that exists");
        let making = recall.making.take();
        let making = making.filter(|_| self.local && self.deeds == 1);
        let next = match stop {
            Stop::Park
                if match self.park {
                    (Guard::Always, visible) => visible,
                    (Guard::Ended(_), visible) => !visible && self.only_joins,
                    _ => false,
                } =>
            {
                if making.is_none() {
                    recall.epochs = recall.epochs.wrapping_add(1);
                    t.activity.epoch = recall.epochs;
                }
                let f = self.program.function(t.top().function);
                let place = recall.place_of(thread, t, f, self.park.0, &self.memory);
                t.activity.place = place;
                t.frames.last_mut().expect("a frame").place = place;
                (place != 0).then_some(Next::Place(place))
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
                    let place = &recall.places[place as usize - 1];
                    matches!(place.before, Before::Join(_)).then_some(Next::Exit)
                }
                None => None,
            },
            _ => None,
        };
        if let (Some((place, word)), Some(next)) = (making, next) {
            let steps = &mut recall.places[place as usize - 1].steps;
            let reads = recall.reads.as_slice().into();
            let step = Step { word, reads, next };
            match steps.iter().position(|known| known.word == word) {
                Some(known) => steps[known] = step,
                None if steps.len() < WORDS => steps.push(step),
                None => {}
            }
        }
    }
}

impl Recall {
    /// The number of the place where a thread stands; 0: none.
    fn place_of(
        &mut self,
        thread: ThreadId,
        t: &Thread,
        f: &Function,
        guard: Guard,
        memory: &Memory,
    ) -> u32 {
        let count = self.places.len();
        if t.state.atomic != 0 || count > TRIAL && self.hits < 4 * count {
            return 0;
        }
        let frame = t.top();
        let mut registers: Box<[Value]> = t.registers[frame.base as usize..].into();
        let before = match guard {
            Guard::Ended(other) => Some(Before::Join(other)),
            _ => access(f, frame.pc, &registers, memory).map(Before::Access),
        };
        let Some(before) = before else {
            return 0;
        };
        if registers.iter().any(|r| !r.is_concrete()) {
            return 0;
        }
        for counter in &f.counters {
            registers[*counter as usize].bits &= 0xffff_ffff;
        }
        let mut hasher = FxHasher::default();
        (thread.0, t.activity.epoch, frame.pc).hash(&mut hasher);
        for register in &registers {
            register.bits.hash(&mut hasher);
        }
        let hash = hasher.finish();
        if let Some(&number) = self.by_content.get(&hash) {
            let place = &self.places[number as usize - 1];
            let is_same = (place.thread, place.epoch, place.pc)
                == (thread, t.activity.epoch, frame.pc)
                && place.registers == registers;
            return if is_same { number } else { 0 };
        }
        if count >= PLACES {
            return 0;
        }
        let number = count as u32 + 1;
        self.by_content.insert(hash, number);
        self.places.push(Place {
            thread,
            epoch: t.activity.epoch,
            pc: frame.pc,
            registers,
            before,
            steps: Vec::new(),
        });
        number
    }
}

//! The premises of a slice, and how executions check them, so that a mistake in `analysis` costs
//! time, never a verdict.
//!
//! Let S be a slice. That operations outside S make no difference to S rests on premises: where
//! pointers point, which functions are called and started where, what threads share. An execution
//! in which one of them does not hold *refutes* the slice: whatever was searched with it is void,
//! and the search is made again without it (`verify::check`). For every byte the machine notes, for
//! as long as the byte exists, whichever threads did it and in whatever order,
//! - that it *matters*: an operation in S has read it ([`Marks::reads`]);
//! - that it is *loose*: an operation outside S has written it, or may ([`Marks::writes`]);
//! - that it is *elidable*: part of an elidable mutex, whose locks no thread can notice
//!   (`analysis::elidable`).
//!
//! A byte that is two of these refutes S: operations outside S must not change what S reads, nor
//! hold a mutex that S uses, nor leave in a mutex what its lock would find. S is also refuted if
//! - a thread ends the life of memory in which another thread is a *guest*: that one has accessed
//!   it without a scheduling point, and the access should have been ordered with the end of the
//!   memory. An access of a thread to its own locals makes it no guest;
//! - a function is called, or started as a thread, where the premises do not name it;
//! - the machine asks a question at an instruction outside S;
//! - another thread accesses a local in a program where none was said to be shared: the names of
//!   locals are then not in S;
//! - an elidable mutex is locked while it is held; or it is used otherwise by a thread that is not
//!   ordered with this one by creations and joins; or its holder performs a visible operation,
//!   waits, ends or asks;
//! - an elidable mutex whose address is certain, so that its locks need not be reached in the
//!   executions that are searched, is not free after an event
//!   (`peek_copied_while_held_maybe_locked.c`).
//!
//! # Why this is enough
//!
//! The danger is an execution E that breaks the claim of S (`analysis::slice`) and that the search,
//! relying on S, never comes to. Take a shortest one, and let e be its last event, the one in which
//! S first goes wrong. Up to e all premises of S hold in E, so the search follows an execution E'
//! with the same operations of S as E, with the same values, up to e; each thread does the same in
//! E' as in E, apart from its operations outside S. Those may be others in E': what they find in
//! memory, and so which way they go, depends on an order that was not searched. So it is not enough
//! that a premise is checked where it is *used*; it must be used in E', too. This is so, because
//! - a write outside S whose address is not *certain* (the address of a global, of a local of the
//!   same function or of a thread-local, plus an offset within known bounds) has its address and
//!   its being reached in S, by definition (`analysis::essential`): it is made in E' where it is
//!   made in E, to the same address. The same holds for every call by pointer, and for every lock
//!   of an elidable mutex;
//! - a write outside S whose address is certain makes its bytes loose before anything is executed;
//! - a read in S has its address in S: it is made in E' at the same address;
//! - accesses to memory that another thread may end have their address in S, or are to memory that
//!   ends with their own thread;
//! - creations of threads, throws and jumps are in S themselves.
//!
//! So if e is a read of S that finds what a write outside S has left, then this read is in E', and
//! the byte is loose by then or will be on the same path: the write is in E', or need not be. In
//! which order they come in E' does not matter, since the marks stay. They also stay when a step is
//! undone. With summaries, by which a part of a path is left out that was followed elsewhere, they
//! even outlive the object. If e is a call that the premises do not name, it is made in E'. If e is
//! a don't-care branch, or a place from where nothing is ahead, then it rests on the control flow
//! within functions, which `analysis` reads off the code, and on which functions are called.
//!
//! A reduction follows one execution for many that have the same order of dependent operations. It
//! follows E' or one that is equivalent to it in S, with the same accesses of S by the same
//! threads.
//!
//! This does not check that `analysis` reads the control flow within a function, dominance and
//! intervals right, and that the table of functions without a body knows which of them wait, end
//! something or make an input.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::{FuncId, GlobalId};
use rustc_hash::FxHashMap;

use crate::code::Marks;
use crate::machine::Machine;
use crate::memory::{AccessKind, ArenaId, By, CHUNK, Object, ObjectId, StackMark, Uses, byte_mask};
use crate::sharing::{Access, Manner, Records};
use crate::shims::DESTROYED;
use crate::thread::ThreadId;

/// Bytes of an object that an operation outside the slice may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loose {
    /// Offset of the first of them, and of the first after them.
    pub from: u64,
    pub to: u64,
    /// They are part of an elidable mutex.
    pub elidable: bool,
}

/// The premises that the marks of a program rest on.
#[derive(Clone, Default)]
pub struct Premises {
    /// The functions that a call by pointer, or the creation of a thread, may reach: by function
    /// and code.
    pub callees: FxHashMap<(FuncId, u32), Box<[FuncId]>>,
    /// Bytes of globals that an operation outside the slice may write.
    pub loose: Vec<(GlobalId, Loose)>,
    /// Memory that a thread accesses without a scheduling point is not ended by another thread.
    pub lasting: bool,
    /// Each local is accessed by its own thread alone.
    pub own_locals: bool,
    /// Accesses of the slice that conflict are ordered by creations and joins.
    pub agreed: bool,
    refuted: Arc<AtomicBool>,
}

impl Premises {
    /// Whether one of them is known not to hold.
    pub fn are_refuted(&self) -> bool {
        self.refuted.load(Ordering::Relaxed)
    }

    pub fn refute(&self) {
        self.refuted.store(true, Ordering::Relaxed);
    }
}

impl Machine {
    /// One of the slice's premises does not hold: nothing that was concluded from the slice counts.
    #[cold]
    pub(crate) fn refute(&mut self) {
        if self.mode.slices {
            self.program.premises.refute();
        }
    }

    /// The kind of an access on a fast path.
    #[inline(always)]
    pub(crate) fn by(&self, noted: bool, roams: bool) -> By {
        let guest = if roams {
            Uses::guest(self.now.current)
        } else {
            0
        };
        By { noted, guest }
    }

    /// The marks of the current instruction; `None`: there is no slice.
    fn marks(&self) -> Option<Marks> {
        let frame = self.running.frames.last().filter(|_| self.mode.slices)?;
        let marks = &self.program.function(frame.function).marks;
        marks.get(frame.pc as usize).copied()
    }

    /// The current instruction accesses these bytes, which it may.
    #[inline]
    pub(crate) fn note_use(&mut self, address: u64, bytes: u64, kind: AccessKind) {
        if self.mode.slices && bytes > 0 {
            self.note_marked_use(address, bytes, kind);
        }
    }

    fn note_marked_use(&mut self, address: u64, bytes: u64, kind: AccessKind) {
        let Some(marks) = self.marks() else {
            return;
        };
        let matters = marks.reads && (kind == AccessKind::Read || marks.updates);
        let loose = kind == AccessKind::Write && !marks.writes && !marks.elidable;
        let roams = marks.invisible && !marks.certain;
        if matters || loose || roams || marks.elidable {
            let guest = self.by(false, roams).guest;
            let if_so = |so: bool, mask: u64| if so { mask } else { 0 };
            let of = |mask| Uses {
                matters: if_so(matters, mask),
                loose: if_so(loose, mask),
                elidable: if_so(marks.elidable, mask),
                guest,
            };
            if self.state.memory.note_use(address, bytes, of) {
                self.refute();
            }
        }
        if self.probes.agreement.is_some() && self.now.concurrent && (marks.reads || marks.writes) {
            self.note_agreed(address, bytes, kind);
        }
    }

    /// An operation that makes or ends a synchronisation object also reads it, where other threads
    /// may use it.
    pub(crate) fn note_lifetime(&mut self, address: u64, bytes: u64, ends: bool) {
        let Some(marks) = self.marks() else {
            return;
        };
        if self.now.concurrent && (ends || marks.certain) {
            let of = |mask| Uses {
                matters: mask,
                ..Uses::default()
            };
            if self.state.memory.note_use(address, bytes, of) {
                self.refute();
            }
        }
    }

    /// The current instruction has made this object and filled it.
    pub(crate) fn note_filled(&mut self, marks: Option<Marks>, address: u64, bytes: u64) {
        if marks.is_some_and(|marks| !marks.writes) && bytes > 0 {
            let loose = Loose {
                from: 0,
                to: bytes,
                elidable: false,
            };
            self.make_loose(address, loose);
        }
    }

    /// The marks of the instruction at which the caller of the current function stands.
    pub(crate) fn marks_of_caller(&self) -> Option<Marks> {
        let caller = self
            .running
            .frames
            .len()
            .checked_sub(2)
            .filter(|_| self.mode.slices)?;
        let frame = &self.running.frames[caller];
        let marks = &self.program.function(frame.function).marks;
        marks.get(frame.pc as usize).copied()
    }

    /// Operations outside the slice may write these bytes of an object.
    pub(crate) fn make_loose(&mut self, base: u64, Loose { from, to, elidable }: Loose) {
        let of = |mask| Uses {
            loose: if elidable { 0 } else { mask },
            elidable: if elidable { mask } else { 0 },
            ..Uses::default()
        };
        if !self.mode.slices || from >= to {
            return;
        }
        if elidable && !self.probes.elided_words.contains(&(base + from)) {
            self.probes.elided_words.push(base + from);
        }
        if self.state.memory.note_use(base + from, to - from, of) {
            self.refute();
        }
    }

    /// After an event: no section of an elidable mutex is open, so each of them must be free. What
    /// else is in its word was copied or written there by an operation of the slice, and its lock,
    /// if the search ever came to it, would find that.
    pub(crate) fn check_elided_words(&mut self) {
        let is_held = |word: &u64| {
            self.state.memory.is_elidable(*word)
                && match self.word(*word) {
                    0 => false,
                    DESTROYED => self.now.concurrent,
                    _ => true,
                }
        };
        if self.probes.elided_words.iter().any(is_held) {
            self.refute();
        }
    }

    /// The same for the globals that the premises name, before anything is executed.
    pub(crate) fn make_globals_loose(&mut self) {
        let program = std::rc::Rc::clone(&self.program);
        for &(global, loose) in &program.premises.loose {
            if !program.module.globals[global].thread_local {
                self.make_loose(program.layout.globals[global.index()], loose);
            }
        }
    }

    /// The same for a thread's copy of a thread-local.
    pub(crate) fn make_thread_local_loose(&mut self, global: GlobalId, base: u64) {
        let program = std::rc::Rc::clone(&self.program);
        let all = program.premises.loose.iter();
        for &(_, loose) in all.filter(|(g, _)| *g == global) {
            self.make_loose(base, loose);
        }
    }

    /// The function is called by pointer, or started as a thread, by the current instruction.
    pub(crate) fn check_callee(&mut self, callee: FuncId) {
        if !self.mode.slices {
            return;
        }
        let frame = self.running.frames.last().expect("a frame");
        let expected = (self.program.premises.callees).get(&(frame.function, frame.pc));
        if !expected.is_some_and(|expected| expected.contains(&callee)) {
            self.refute();
        }
    }

    /// The machine asks a question: a slice without the instruction lacks what depends on it.
    pub(crate) fn check_question(&mut self) {
        let is_outside = self.marks().is_some_and(|marks| marks.outside);
        if is_outside || self.mode.slices && self.thread_state(self.now.current).elidable > 0 {
            self.refute();
        }
    }

    /// The running thread ends the life of an object.
    pub(crate) fn check_end_of(&mut self, id: ObjectId) {
        if self.mode.slices && self.program.premises.lasting {
            let Object { base, size, .. } = *self.state.memory.object(id);
            let (arena, first) = self.state.memory.chunk_index(base);
            let chunks = first..first + (size as usize).div_ceil(CHUNK);
            if (self.state.memory).has_other_guest(arena, chunks, Uses::guest(self.now.current)) {
                self.refute();
            }
        }
    }

    /// It ends that of everything on its stack above the mark.
    pub(crate) fn check_end_above(&mut self, arena: ArenaId, mark: StackMark) {
        if self.mode.slices && self.program.premises.lasting {
            let end = self
                .state
                .memory
                .arena(arena)
                .map_or(0, |arena| arena.len());
            let chunks = (mark.len / CHUNK).min(end / CHUNK)..end / CHUNK;
            if !chunks.is_empty()
                && (self.state.memory).has_other_guest(arena, chunks, Uses::guest(self.now.current))
            {
                self.refute();
            }
        }
    }

    /// A thread touches a chunk that it had not touched since it last created or joined one.
    pub(crate) fn check_visitor(&mut self, arena: ArenaId, thread: ThreadId) {
        if self.mode.slices && self.program.premises.own_locals && arena.is_stack_of_other(thread) {
            self.refute();
        }
    }

    /// From now on, checks that accesses of the slice that conflict are ordered by creations and
    /// joins.
    pub(crate) fn watch_agreement(&mut self) {
        let watches = self.mode.slices && self.program.premises.agreed;
        self.probes.agreement = watches.then(|| Box::new(Records::default()));
    }

    fn note_agreed(&mut self, address: u64, bytes: u64, kind: AccessKind) {
        let Some(mut records) = self.probes.agreement.take() else {
            return;
        };
        let mut conflicts = false;
        let mut at = address;
        while at < address + bytes {
            let start = (at % CHUNK as u64) as usize;
            let n = (CHUNK - start).min((address + bytes - at) as usize);
            let (arena, chunk) = self.state.memory.chunk_index(at);
            let (found, _) = records.add(Access {
                arena,
                chunk,
                mask: byte_mask(start, n),
                manner: Manner::from(kind),
                thread: self.now.current,
                clock: &self.thread_state(self.now.current).clock,
                stamp: 0,
            });
            conflicts |= found != 0;
            at += n as u64;
        }
        self.probes.agreement = Some(records);
        if conflicts {
            self.refute();
        }
    }

    // ----- elidable mutexes -----

    /// Locks an elidable mutex: no other thread may hold it, use it otherwise, or read it.
    pub(crate) fn hold_elided(&mut self, mutex: u64, bytes: u64) {
        let is_used = self.now.concurrent && self.is_used_otherwise(mutex, bytes);
        if is_used || self.word(mutex) != 0 {
            self.refute();
        }
        self.set_elided(mutex, self.now.current.owner_word());
        let thread = self.now.current;
        self.thread_state_mut(thread).elidable += 1;
    }

    pub(crate) fn release_elided(&mut self, mutex: u64) {
        let thread = self.now.current;
        let elidable = self.thread_state(thread).elidable;
        if elidable == 0 || self.word(mutex) != thread.owner_word() {
            return self.refute();
        }
        self.set_elided(mutex, 0);
        self.thread_state_mut(thread).elidable = elidable - 1;
    }

    /// This is no effect: a round of a loop that locks and unlocks changes nothing.
    fn set_elided(&mut self, mutex: u64, word: u32) {
        let effects = self.trail.effects;
        self.set_word(mutex, word);
        self.trail.effects = effects;
    }

    /// The thread waits, ends, or does what others wait for.
    #[inline]
    pub(crate) fn check_nothing_held(&mut self) {
        if self.mode.slices && self.thread_state(self.now.current).elidable > 0 {
            self.refute();
        }
    }
}

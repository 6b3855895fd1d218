//! What a slice takes for granted, and how executions check it: then a mistake in `analysis` costs
//! time, never a verdict.
//!
//! Let S be a slice. That what is left out makes no difference to S rests on where pointers point,
//! on who calls and starts whom, on who shares what. Whoever finds that one of these is not so
//! *refutes* the slice: whatever was searched with it is void, and the search is made again without
//! it (`verify::check`). Noted are, for every byte as long as it exists and whoever did it in
//! whatever order,
//! - that it *matters*: something in S has read it ([`Marks::reads`]);
//! - that it is *loose*: something that is not in S has written it, or may ([`Marks::writes`]);
//! - that it is *elidable*: part of a mutex of which nobody can tell that it is locked
//!   (`analysis::elidable`).
//!
//! A byte that is two of these refutes S: what is not in S must not change what S reads, nor hold a
//! mutex that S uses, nor leave in a mutex what its lock would find. Besides,
//! - who accesses memory without a scheduling point, other than its own, is a *guest* there. If
//!   another thread ends the life of that memory, the access should have been ordered with that;
//! - a function is called, or started as a thread, where nobody expected it;
//! - the machine asks something at an instruction outside S;
//! - another thread touches a local in a program where none was said to be shared: what locals are
//!   called is then not in S;
//! - an elidable mutex is held by someone, is used otherwise by a thread that is not ordered with
//!   this one by creations and joins, or something visible is done while it is held, or a thread
//!   waits, ends or asks.
//!
//! # Why this is enough
//!
//! The danger is an execution E that breaks the claim of S (`analysis::slice`) and that the search,
//! relying on S, never comes to. Take a shortest one, and let e be its last event, the one in which
//! S first goes wrong. Up to e all of S's premises hold in E, so the search follows an execution E'
//! with the same operations of S as E, with the same values, up to e; each thread does in E' what
//! it does in E as far as it is in S. The operations outside S may be others in E': what they find
//! in memory, and so which way they go, depends on an order that was not searched. So it is not
//! enough that a premise is checked where it is *used*; it must be used in E', too. This is so,
//! because
//! - a write outside S whose address is not *certain* (the address of a global, of a local of the
//!   same function or of a thread-local, plus an offset within known bounds) has its address and
//!   its being reached in S, by definition (`analysis::essential`): it is made in E' where it is
//!   made in E, to the same address. So has every call by pointer, and every lock that nobody can
//!   tell of;
//! - a write outside S whose address is certain makes its bytes loose before anything is executed;
//! - a read in S has its address in S: it is made in E' at the same address;
//! - accesses that the end of something may go wrong with have their address in S, or are to what
//!   ends with their own thread;
//! - creations of threads, throws and jumps are in S themselves.
//!
//! So if e is a read of S that finds what a write outside S has left, then this read is in E', and
//! the byte is loose by then or will be on the same path: the write is in E', or need not be. In
//! which order they come in E' does not matter, since the marks stay. They also stay where a step
//! is taken back, and with summaries, by which a part of a path is left out that was followed
//! elsewhere, they stay when the object does not. If e is a call that nobody expected, it is made
//! in E'. If e is a don't-care branch, or a place from where nothing is ahead, then what that
//! rests on is the control flow within functions, which is plain to see, and who calls whom.
//!
//! A reduction follows one execution for many that have the same order of dependent operations. It
//! has E' or one that is equivalent to it in S, with the same accesses of S by the same threads.
//!
//! What this does not check: that `analysis` reads the control flow within a function, dominance
//! and intervals right, and that the table of functions without a body knows which of them wait,
//! end something or make an input.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::{FuncId, GlobalId};
use rustc_hash::FxHashMap;

use crate::code::Marks;
use crate::machine::Machine;
use crate::memory::{AccessKind, ArenaId, By, CHUNK, Object, ObjectId, StackMark, Uses, byte_mask};
use crate::sharing::{Access, Manner, Records};
use crate::thread::ThreadId;

/// Where something outside the slice may write to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loose {
    /// From this offset up to that.
    pub from: u64,
    pub to: u64,
    /// As part of a mutex of which nobody can tell that it is locked.
    pub elidable: bool,
}

/// What the marks of a program rest on.
#[derive(Clone, Default)]
pub struct Premises {
    /// Whom a call by pointer, or the creation of a thread, may reach: by function and code.
    pub callees: FxHashMap<(FuncId, u32), Box<[FuncId]>>,
    /// Where something outside the slice may write to a global.
    pub loose: Vec<(GlobalId, Loose)>,
    /// What is accessed without a scheduling point does not end by another thread's doing.
    pub lasting: bool,
    /// Locals are touched by their own threads alone.
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
    /// One of the slice's premises does not hold: nothing that is concluded from it counts.
    #[cold]
    pub(crate) fn refute(&mut self) {
        if self.mode.slices {
            self.program.premises.refute();
        }
    }

    /// By whom memory is accessed on a fast path.
    #[inline(always)]
    pub(crate) fn by(&self, noted: bool, roams: bool) -> By {
        let guest = if roams {
            Uses::guest(self.now.current)
        } else {
            0
        };
        By { noted, guest }
    }

    /// What the slice says of the current instruction; `None`: there is no slice.
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

    /// An operation that makes or ends a synchronisation object looks at it, too, where others may
    /// use it.
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

    /// What the slice says of the instruction that a thread stands at in the function that called
    /// the current one.
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

    /// Something outside the slice may write to these bytes of an object.
    pub(crate) fn make_loose(&mut self, base: u64, Loose { from, to, elidable }: Loose) {
        let of = |mask| Uses {
            loose: if elidable { 0 } else { mask },
            elidable: if elidable { mask } else { 0 },
            ..Uses::default()
        };
        if self.mode.slices && from < to && self.state.memory.note_use(base + from, to - from, of) {
            self.refute();
        }
    }

    /// The same for all globals of which it is known, before anything is executed.
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

    /// A question is asked: a slice without the instruction does not know that others depend on it.
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

    // ----- mutexes of which nobody can tell that they were locked -----

    /// The lock of one: nobody else may hold it, use it otherwise, or look at it.
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

    /// A round of a loop that locks and unlocks has done nothing.
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

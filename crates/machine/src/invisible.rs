//! Invisible accesses and don't-care branches: accesses that are no scheduling points (P4), and
//! branches on which nothing depends that is asked of the program (P1, section 6.1, "Type B").
//! `analysis` marks them before the search. And the shadow: how a machine that leaves nothing out
//! follows a search that does.
//!
//! A don't-care branch is no question: it goes where it would if all inputs were zero, and the path
//! condition does not say so. Let S be the slice. Whatever is executed then outside S, in S the
//! same is done with the same values, for every input that satisfies the path condition: S is
//! closed under dependence; what names objects, inputs and threads is in it; and code outside S
//! comes to the next member of S, since all that decides how long it runs is in S too
//! (`analysis::essential`). So
//! - nothing is lost: a failure is a member of S, and every input leads to the same members;
//! - what is found is real: a failure is followed once more with concrete inputs, and every branch
//!   then goes as they say;
//! - several such branches agree with each other, but need not agree with the path condition. An
//!   execution can then go wrong outside S in a way that no input does. If such errors were not
//!   asked for, the execution is given up there, and the search must be made again without this
//!   (`verify::check`).
//!
//! Where a branch on inputs would be a question, but no thread can come to a member of S any more
//! ("Type A"), the execution ends as if the process did. P1 asks only that no assertion can be
//! reached. That is not enough for a search that learns from executions: what another thread would
//! still write may be what an assertion has read before, and neither a reduction nor `sharing`
//! would come to know of it. Accesses that matter to no assertion are outside S, so that nothing is
//! lost with them.
//!
//! Which way a don't-care branch goes does not depend on the schedule or on earlier answers, so
//! that a step that a reduction moves elsewhere does the same there.

use ir::{BlockId, FuncId};
use smallvec::{SmallVec, smallvec};
use smt::Model;

use crate::code::{AccessMarks, CallTarget, Code, Ends, Function, Marks, Program};
use crate::machine::Machine;
use crate::peek::Peeking;
use crate::premises::{Loose, Premises};
use crate::sharing::SharedSet;
use crate::thread::{Frame, Guard, Stage, Status, ThreadId};
use crate::value::Value;

impl Program {
    /// The same program with instructions marked: by function, block and place in the block.
    pub fn with_marks(
        &self,
        marks: impl Fn(FuncId, BlockId, u32) -> Marks,
        ends: Option<Ends>,
        premises: Premises,
    ) -> Program {
        let mut program = self.clone();
        program.ends = ends;
        program.premises = premises;
        for (id, f) in program.functions.iter_mut().enumerate() {
            let id = FuncId::from(id);
            let origins = f.origins.iter();
            f.marks = origins
                .map(|(block, index)| marks(id, *block, *index))
                .collect();
            for (code, marks) in f.code.iter_mut().zip(&mut f.marks) {
                match code {
                    Code::Load { marks: access, .. } => *access = marks.of_access(marks.reads),
                    Code::Store { marks: access, .. } => *access = marks.of_access(!marks.writes),
                    // The access itself comes after it.
                    Code::Within { .. } | Code::WithinGlobal { .. } => {
                        marks.ahead_after = marks.ahead;
                    }
                    _ => {}
                }
            }
        }
        program
    }
}

impl Program {
    /// Whether nothing that acts by itself ([`Marks::acts`]) was left out, and all of it lies ahead
    /// of what comes before it.
    pub fn keeps_what_acts(&self) -> bool {
        let is_kept = |f: &Function| f.marks.iter().all(|marks| !(marks.acts && marks.outside));
        let mut entered = self.functions.iter().filter(|f| f.has_body && !f.absent);
        entered.all(is_kept) && self.ahead_is_sound()
    }

    /// Whether what is said to lie ahead lies ahead of all that comes before it: of each
    /// instruction, if it does of one that can be next, or of a function that is called. What a
    /// slice reads and writes does, and so does what acts.
    fn ahead_is_sound(&self) -> bool {
        let begins_ahead = |id: &FuncId| {
            let marks = &self.function(*id).marks;
            marks.first().is_some_and(|marks| marks.ahead)
        };
        let is_sound = |(id, f): (usize, &Function)| {
            let id = FuncId::from(id);
            (f.code.iter().zip(&f.marks).enumerate()).all(|(pc, (code, marks))| {
                let later = f.next(pc).iter().any(|next| f.marks[*next as usize].ahead);
                let called: &[FuncId] = match code {
                    Code::Call { call } | Code::Invoke { call, .. } => {
                        match &f.calls[*call as usize].target {
                            CallTarget::Direct(callee) => std::slice::from_ref(callee),
                            CallTarget::Indirect(_) => {
                                let callees = self.premises.callees.get(&(id, pc as u32));
                                callees.map_or(&[], |callees| callees)
                            }
                        }
                    }
                    _ => &[],
                };
                let is_access = matches!(code, Code::Load { .. } | Code::Store { .. });
                let here = is_access && (marks.reads || marks.writes)
                    || marks.acts
                    || called.iter().any(begins_ahead);
                (marks.ahead || !later && !here) && (marks.ahead_after || !later)
            })
        };
        let entered = self.functions.iter().enumerate();
        let mut entered = entered.filter(|(_, f)| f.has_body && !f.absent);
        self.ends.is_none() || entered.all(is_sound)
    }
}

impl Marks {
    fn of_access(&self, noted: bool) -> AccessMarks {
        AccessMarks {
            invisible: self.invisible,
            noted,
            roams: self.invisible && !self.certain,
        }
    }
}

impl Function {
    /// The instructions that can follow this one in the same function.
    fn next(&self, pc: usize) -> SmallVec<[u32; 4]> {
        match &self.code[pc] {
            Code::Jump(edge) => smallvec![edge.pc],
            Code::CondBr { then, other, .. } => smallvec![then.pc, other.pc],
            Code::Switch { switch } => {
                let switch = &self.switches[*switch as usize];
                let cases = switch.cases.iter().map(|(_, edge)| edge.pc);
                cases.chain([switch.default.pc]).collect()
            }
            Code::Invoke { normal, pad, .. } => {
                smallvec![normal.pc, self.pads[*pad as usize].edge.pc]
            }
            // `analysis` knows where it leads; what is ahead of one of its targets is ahead of its
            // function.
            Code::IndirectBr { .. } | Code::Ret { .. } => SmallVec::new(),
            Code::Resume { .. } | Code::Unreachable => SmallVec::new(),
            _ => smallvec![pc as u32 + 1],
        }
    }

    /// Says where something outside the slice may write to its locals, by the code that makes them.
    pub fn make_loose(&mut self, parts: impl Fn(usize) -> Vec<Loose>) {
        for (pc, code) in self.code.iter().enumerate() {
            if let Code::Alloca { alloca, .. } = code {
                self.allocas[*alloca as usize].loose = parts(pc);
            }
        }
    }
}

/// The shadow of a search that leaves scheduling points out, kept by a machine that leaves none
/// out: the machine stops where the search would, and notes which threads go on where others could
/// have.
pub struct Shadow {
    /// What is visible to the search.
    visible: SharedSet,
    peeking: Option<Peeking>,
    /// The current instruction is a scheduling point of the search.
    stops: bool,
    /// It accesses memory in a way that is invisible to the search.
    unseen: bool,
    /// The thread that the search has scheduled, as long as it has performed no visible operation
    /// of the search since.
    turn: Option<ThreadId>,
    /// Threads that went on since `Machine::went_on` was called.
    went_on: Vec<ThreadId>,
    /// Threads that would have gone on, had other threads not just begun.
    held_up: Vec<ThreadId>,
}

impl Shadow {
    pub(crate) fn of(visible: SharedSet, peeking: Option<Peeking>) -> Shadow {
        Shadow {
            visible,
            peeking,
            stops: false,
            unseen: false,
            turn: None,
            went_on: Vec::new(),
            held_up: Vec::new(),
        }
    }
}

impl Machine {
    /// Whether the current instruction is invisible.
    #[inline]
    pub(crate) fn is_invisible(&self) -> bool {
        if !self.may_be_invisible() {
            return false;
        }
        let frame = self.running.frames.last().expect("a frame");
        let marks = &self.program.function(frame.function).marks;
        marks.get(frame.pc as usize).is_some_and(|m| m.invisible)
    }

    /// The condition of a jump; made concrete if it is a don't-care branch.
    pub(crate) fn dont_care_branches(&mut self, f: &Function, pc: usize, value: Value) -> Value {
        let is_marked = self.mode.slices && f.marks.get(pc).is_some_and(|m| m.dont_care_branches);
        if value.is_concrete() || !is_marked {
            return value;
        }
        if f.marks.get(pc).is_some_and(|m| !m.outside) {
            // A member of the slice depends on it.
            self.refute();
        }
        let bits = self.terms.eval(value.term, &Model::new());
        let width = self.terms.width(value.term);
        Value::of_bits(&mut self.terms, width, bits)
    }

    /// Nothing is invisible in an atomic section: the section happens where the first of its
    /// accesses does, so that it matters which threads may act between the first access and another
    /// one, whatever the first one is. A critical section that is one step happens where it is
    /// entered.
    #[inline]
    pub(crate) fn may_be_invisible(&self) -> bool {
        let state = self.thread_state(self.now.current);
        state.atomic == 0 || state.section.is_some()
    }

    /// Whether no thread can come to anything that matters any more ("Type A").
    pub(crate) fn nothing_ahead(&self) -> bool {
        let Some(ends) = self.program.ends.filter(|_| self.mode.slices) else {
            return false;
        };
        let is_ahead = |frames: &[Frame]| {
            let last = frames.len().wrapping_sub(1);
            frames.iter().enumerate().any(|(i, frame)| {
                let marks = &self.program.function(frame.function).marks;
                let marks = marks.get(frame.pc as usize);
                marks.is_none_or(|m| if i == last { m.ahead } else { m.ahead_after })
            })
        };
        let leads_on = |thread: ThreadId| {
            let is_current = thread == self.now.current;
            let state = self.thread_state(thread);
            let ends = state.stage != Stage::End && thread != ThreadId::MAIN && ends.thread;
            let frames = match is_current {
                true => &self.running.frames,
                false => &self.thread(thread).frames,
            };
            ends || state.stage == Stage::Begin || state.section.is_some() || is_ahead(frames)
        };
        let mut threads = self.thread_ids().filter(|t| !self.status(*t).is_over());
        !ends.process && !threads.any(leads_on)
    }

    /// The threads that went on where the search has no scheduling point, since the last call.
    pub fn went_on(&mut self) -> Vec<ThreadId> {
        let shadow = self.probes.shadow.as_mut();
        shadow.map_or(Vec::new(), |s| std::mem::take(&mut s.went_on))
    }

    /// At a choice of thread: an enabled thread that stands where the search has no scheduling
    /// point. It goes on before anything else is decided.
    pub fn held_up(&mut self) -> Option<ThreadId> {
        let shadow = self.probes.shadow.as_mut()?;
        let held_up = std::mem::take(&mut shadow.held_up);
        let is_enabled = |t: &&ThreadId| self.enabled().iter().any(|e| e.thread == **t);
        let next = held_up.iter().find(is_enabled).copied();
        let rest = held_up.into_iter().filter(|t| Some(*t) != next).collect();
        self.probes.shadow.as_mut()?.held_up = rest;
        next
    }

    /// An access to these bytes: whether it is a scheduling point of the search that is followed.
    pub(crate) fn note_for_shadow(&mut self, address: u64, bytes: u64) {
        let is_in_section = self.thread_state(self.now.current).section.is_some();
        let is_invisible = self.is_invisible();
        if let Some(shadow) = &mut self.probes.shadow
            && !is_in_section
        {
            let is_seen = !is_invisible && shadow.visible.overlaps(address, bytes);
            shadow.stops |= is_seen;
            shadow.unseen |= !is_seen;
        }
    }

    /// Something else that is a scheduling point of every search, if it is one.
    pub(crate) fn stop_in_shadow(&mut self, stops: bool) {
        if let Some(shadow) = &mut self.probes.shadow {
            shadow.stops |= stops;
        }
    }

    /// The lock of a mutex: whether the search takes its section for one step.
    pub(crate) fn note_lock_for_shadow(&mut self, mutex: u64) -> bool {
        let is_free = self.thread_state(self.now.current).atomic == 0;
        let concurrent = self.now.concurrent;
        let is_invisible = self.is_invisible();
        let Some(shadow) = &mut self.probes.shadow else {
            return false;
        };
        if is_invisible {
            return true;
        }
        let is_section = concurrent
            && is_free
            && (shadow.peeking.as_ref()).is_some_and(|p| !p.opaque.contains(&mutex));
        shadow.stops |= is_section;
        is_section
    }

    /// A wait has begun: whether the search that is followed has no scheduling point before the
    /// mutex is given back.
    pub(crate) fn leaves_in_shadow(&mut self, mutex: u64) -> bool {
        let thread = self.now.current;
        let is_in_section = self.thread_state(thread).section == Some(mutex);
        if self.probes.shadow.is_none() {
            return false;
        }
        if is_in_section {
            self.note_going_on(thread);
            self.thread_state_mut(thread).section = None;
        }
        is_in_section
    }

    /// At a scheduling point: whether the search that is followed has none here. A machine that
    /// leaves nothing out stops here. Before a thread can go on from there, threads that have just
    /// begun come to their first scheduling point, and may ask on the way: these questions come
    /// before this thread goes on (`slice_beginning_thread_asks.c`).
    ///
    /// The search has none, either, where the thread still has its turn
    /// (`slice_turn_is_used_later.c`).
    pub(crate) fn goes_on(&mut self, guard: &Guard) -> bool {
        let thread = self.now.current;
        let Some(shadow) = &mut self.probes.shadow else {
            return false;
        };
        if shadow.stops {
            let has_turn = shadow.turn.take() == Some(thread) && self.guard_holds(thread, guard);
            if has_turn {
                self.note_going_on(thread);
            }
            return has_turn;
        }
        let has_begun = |t: ThreadId| t != thread && self.status(t) == Status::Running;
        let waits = self.thread_ids().any(has_begun);
        if !waits {
            self.note_going_on(thread);
        } else if let Some(shadow) = &mut self.probes.shadow {
            shadow.held_up.push(thread);
        }
        !waits
    }

    /// The thread goes on where a machine that leaves nothing out stops. Where no other thread can
    /// do anything, such a machine has no choice either, and does not stop.
    fn note_going_on(&mut self, thread: ThreadId) {
        if self.is_alone() {
            return;
        }
        if let Some(shadow) = &mut self.probes.shadow {
            shadow.went_on.push(thread);
        }
    }

    /// The thread goes on, so that it is held up no longer.
    pub(crate) fn forget_held_up(&mut self, thread: ThreadId) {
        if let Some(shadow) = &mut self.probes.shadow {
            shadow.held_up.retain(|t| *t != thread);
        }
    }

    /// The search gives the thread its turn.
    pub fn give_turn_in_shadow(&mut self, thread: ThreadId) {
        let spins = self.is_spinning(thread);
        if let Some(shadow) = &mut self.probes.shadow {
            shadow.turn = (!spins).then_some(thread);
        }
    }

    /// The instruction is done, or the thread cannot go on with it.
    pub(crate) fn forget_stop(&mut self) {
        let visible = self.running.visible;
        if let Some(shadow) = &mut self.probes.shadow {
            if shadow.stops || visible && !shadow.unseen {
                shadow.turn = None;
            }
            (shadow.stops, shadow.unseen) = (false, false);
        }
    }
}

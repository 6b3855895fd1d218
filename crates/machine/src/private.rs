//! Accesses that are no scheduling points, because nothing that is asked of the program depends on them (P4): which ones they
//! are is decided outside, before the search (`analysis`). And how to find the way of such a search on a machine that leaves
//! nothing out.

use ir::{BlockId, FuncId};

use crate::code::{Code, Program};
use crate::machine::Machine;
use crate::peek::Peeking;
use crate::sharing::SharedSet;
use crate::thread::{Status, ThreadId};

impl Program {
    /// The same program, with these instructions private: by function, block and place in the block.
    pub fn with_private(&self, is_private: impl Fn(FuncId, BlockId, u32) -> bool) -> Program {
        let mut program = self.clone();
        for (id, f) in program.functions.iter_mut().enumerate() {
            let id = FuncId::from(id);
            let origins = f.origins.iter();
            f.private = origins
                .map(|(block, index)| is_private(id, *block, *index))
                .collect();
            for (code, is_private) in f.code.iter_mut().zip(&f.private) {
                if let Code::Load { private, .. } | Code::Store { private, .. } = code {
                    *private = *is_private;
                }
            }
        }
        program
    }
}

/// A machine that leaves nothing out, on the way of a search that does. It stops where the search would, and notes which
/// threads go on where others could have.
pub struct Shadow {
    /// What is visible to the search.
    visible: SharedSet,
    peeking: Option<Peeking>,
    /// The current instruction is a scheduling point of the search.
    stops: bool,
    /// Threads that went on since somebody asked.
    went_on: Vec<ThreadId>,
    /// Threads that would have, had not others just begun.
    held_up: Vec<ThreadId>,
}

impl Machine {
    /// Whether the current instruction is private.
    #[inline]
    pub(crate) fn is_private(&self) -> bool {
        if !self.may_be_private() {
            return false;
        }
        let frame = self.frames.last().expect("a frame");
        let private = &self.program.function(frame.function).private;
        private.get(frame.pc as usize) == Some(&true)
    }

    /// Nothing is private in an atomic section: that happens where the first of its accesses does, so who may come between that and
    /// another one matters whatever the first one is. A critical section that is one step happens where it is entered.
    #[inline]
    pub(crate) fn may_be_private(&self) -> bool {
        let state = self.state(self.current);
        state.atomic == 0 || state.section.is_some()
    }

    /// From now on, follows a search to which this is visible.
    pub fn shadow(&mut self, visible: SharedSet, peeking: Option<Peeking>) {
        self.shadow = Some(Box::new(Shadow {
            visible,
            peeking,
            stops: false,
            went_on: Vec::new(),
            held_up: Vec::new(),
        }));
    }

    /// The threads that went on where the search sees no choice, since this was asked last.
    pub fn went_on(&mut self) -> Vec<ThreadId> {
        let shadow = self.shadow.as_mut();
        shadow.map_or(Vec::new(), |s| std::mem::take(&mut s.went_on))
    }

    /// At a choice of thread: one that stands where the search sees no choice, and could go on. It does so before anything else
    /// is decided.
    pub fn held_up(&mut self) -> Option<ThreadId> {
        let shadow = self.shadow.as_mut()?;
        let held_up = std::mem::take(&mut shadow.held_up);
        let is_enabled = |t: &&ThreadId| self.enabled().iter().any(|e| e.thread == **t);
        let next = held_up.iter().find(is_enabled).copied();
        let rest = held_up.into_iter().filter(|t| Some(*t) != next).collect();
        self.shadow.as_mut()?.held_up = rest;
        next
    }

    /// An access to these bytes: whether it is a scheduling point of the search that is followed.
    pub(crate) fn note_for_shadow(&mut self, address: u64, bytes: u64) {
        let is_in_section = self.state(self.current).section.is_some();
        let is_private = self.is_private();
        if let Some(shadow) = &mut self.shadow
            && !is_in_section
            && !is_private
        {
            shadow.stops |= shadow.visible.overlaps(address, bytes);
        }
    }

    /// Something else that is a scheduling point of every search, if it is one.
    pub(crate) fn stop_in_shadow(&mut self, stops: bool) {
        if let Some(shadow) = &mut self.shadow {
            shadow.stops |= stops;
        }
    }

    /// The lock of a mutex: whether the search takes its section for one step.
    pub(crate) fn note_lock_for_shadow(&mut self, mutex: u64) -> bool {
        let is_free = self.state(self.current).atomic == 0;
        let concurrent = self.concurrent;
        let is_private = self.is_private();
        let Some(shadow) = &mut self.shadow else {
            return false;
        };
        if is_private {
            return true;
        }
        let is_section = concurrent
            && is_free
            && (shadow.peeking.as_ref()).is_some_and(|p| !p.opaque.contains(&mutex));
        shadow.stops |= is_section;
        is_section
    }

    /// A wait has begun: whether the search that is followed has no scheduling point before the mutex is given back.
    pub(crate) fn leaves_in_shadow(&mut self, mutex: u64) -> bool {
        let thread = self.current;
        let is_in_section = self.state(thread).section == Some(mutex);
        let Some(shadow) = &mut self.shadow else {
            return false;
        };
        if is_in_section {
            shadow.went_on.push(thread);
            self.state_mut(thread).section = None;
        }
        is_in_section
    }

    /// At a scheduling point: whether the search that is followed has none here. A machine that leaves nothing out stops here. Before
    /// anyone can go on from there, threads that have just begun come to their first scheduling point, and may ask on the way:
    /// these questions come before this thread goes on (`slice_beginning_thread_asks.c`).
    pub(crate) fn goes_on(&mut self) -> bool {
        let thread = self.current;
        if self.shadow.as_ref().is_none_or(|shadow| shadow.stops) {
            return false;
        }
        let has_begun = |t: ThreadId| t != thread && self.status(t) == Status::Running;
        let waits = self.thread_ids().any(has_begun);
        let Some(shadow) = &mut self.shadow else {
            return false;
        };
        if waits {
            shadow.held_up.push(thread);
        } else {
            shadow.went_on.push(thread);
        }
        !waits
    }

    /// The thread goes on, whoever decided that.
    pub(crate) fn forget_held_up(&mut self, thread: ThreadId) {
        if let Some(shadow) = &mut self.shadow {
            shadow.held_up.retain(|t| *t != thread);
        }
    }

    pub(crate) fn forget_stop(&mut self) {
        if let Some(shadow) = &mut self.shadow {
            shadow.stops = false;
        }
    }
}

//! The footprint of a transition: what its visible operation accessed. Dependence between
//! operations is computed from footprints.

use ir::{FuncId, RmwOp};
use smallvec::SmallVec;

use crate::code::{Code, Slot, Use, uses};
use crate::machine::Machine;
use crate::memory::AccessKind;
use crate::thread::{Guard, Status, ThreadId};

/// Some bytes that a visible operation looked at or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub address: u64,
    pub bytes: u64,
    /// It may have changed them. A lock that was not taken was only read.
    pub written: bool,
    /// Whether it changed them depended on what it found. So it may in an atomic section, which can
    /// have branches.
    pub conditional: bool,
    pub in_section: bool,
    pub change: Change,
    /// The first words of a synchronisation object, before the operation: whether one that waits
    /// for it could have gone on.
    pub words: Option<[u32; 2]>,
}

/// What an operation did to the bytes: it decides which other operations it commutes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// Nothing, or nothing that could be said in general.
    #[default]
    Other,
    /// They were replaced, all of them, whatever they were.
    Replaced,
    /// They were combined with an operand, and what they were is not used.
    Updated(Update),
}

/// Updates of one kind can be done in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Update {
    /// Adds or subtracts.
    Add,
    And,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    /// Takes or releases a lock that several threads may hold at the same time.
    Share,
    /// Adds a waiter.
    Wait,
}

impl Update {
    /// Addition of floats depends on the order.
    pub(crate) fn of(op: RmwOp) -> Option<Update> {
        Some(match op {
            RmwOp::Add | RmwOp::Sub => Update::Add,
            RmwOp::And => Update::And,
            RmwOp::Or => Update::Or,
            RmwOp::Xor => Update::Xor,
            RmwOp::Max => Update::Max,
            RmwOp::Min => Update::Min,
            RmwOp::UMax => Update::UMax,
            RmwOp::UMin => Update::UMin,
            RmwOp::Xchg | RmwOp::Nand | RmwOp::UIncWrap | RmwOp::UDecWrap => return None,
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => return None,
        })
    }
}

/// The touches of a transition, in order. Those of an instruction count once it is finished.
#[derive(Clone, Default)]
pub struct Footprint {
    touches: SmallVec<[Touch; 4]>,
    finished: usize,
    /// All of them are made in a critical section that is one step.
    in_section: bool,
    woken: SmallVec<[ThreadId; 2]>,
}

impl Footprint {
    #[inline]
    pub(crate) fn add(&mut self, address: u64, bytes: u64, kind: AccessKind, in_section: bool) {
        self.touches.push(Touch {
            address,
            bytes,
            written: kind == AccessKind::Write,
            conditional: in_section,
            in_section,
            change: Change::Other,
            words: None,
        });
    }

    /// The current instruction is an operation on a synchronisation object that begins with these
    /// words.
    pub(crate) fn begins_with(&mut self, address: u64, words: [u32; 2]) {
        for touch in &mut self.touches[self.finished..] {
            if touch.address == address {
                touch.words = Some(words);
            }
        }
    }

    /// Whether the current instruction changes anything depended on what it found.
    pub(crate) fn depends(&mut self, written: bool) {
        for touch in &mut self.touches[self.finished..] {
            touch.written = written;
            touch.conditional = true;
        }
    }

    /// What the current instruction does to the bytes it touches.
    #[inline]
    pub(crate) fn changes(&mut self, change: Change) {
        for touch in &mut self.touches[self.finished..] {
            touch.change = change;
        }
    }

    /// Signals these waiting threads.
    pub(crate) fn wakes(&mut self, threads: &[ThreadId]) {
        self.woken.extend_from_slice(threads);
    }

    /// The step is a critical section (see `peek`).
    pub(crate) fn begin_section(&mut self) {
        self.in_section = self.touches.is_empty();
    }

    #[inline]
    pub(crate) fn finish(&mut self) {
        self.finished = self.touches.len();
    }

    #[inline]
    pub(crate) fn forget_unfinished(&mut self) {
        self.touches.truncate(self.finished);
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.touches.clear();
        self.finished = 0;
        self.in_section = false;
        self.woken.clear();
    }
}

impl Machine {
    /// Whether a register of the current frame is never used; if it is returned, whether the
    /// callers do not use it either.
    pub(crate) fn is_dropped(&self, slot: Slot) -> bool {
        let mut slot = slot;
        for (i, frame) in self.running.frames.iter().enumerate().rev() {
            let f = self.program.function(frame.function);
            let body = self.program.module.functions[frame.function].body.as_ref();
            let Some(body) = body else {
                return false;
            };
            match f.uses.get_or_init(|| uses(body))[slot as usize] {
                Use::Nowhere => return true,
                Use::Used => return false,
                Use::Returned if i == 0 => return false,
                Use::Returned => {
                    let caller = &self.running.frames[i - 1];
                    let g = self.program.function(caller.function);
                    let call = match g.code[caller.pc as usize] {
                        Code::Call { call } | Code::Invoke { call, .. } => call,
                        _ => return false,
                    };
                    match g.calls[call as usize].results.as_slice() {
                        [] => return true,
                        [only] => slot = only.slot,
                        _ => return false,
                    }
                }
            }
        }
        false
    }

    /// Whether a register of this function is used for nothing but such registers.
    pub(crate) fn is_unused(&self, function: FuncId, slot: Slot) -> bool {
        let body = self.program.module.functions[function].body.as_ref();
        let f = self.program.function(function);
        let uses = body.map(|body| f.uses.get_or_init(|| uses(body)));
        uses.and_then(|uses| uses.get(slot as usize)) == Some(&Use::Nowhere)
    }

    /// What the last scheduled operation touched.
    pub fn footprint(&self) -> &[Touch] {
        &self.probes.footprint.touches
    }

    /// Whether it was a critical section that is one step.
    pub fn footprint_is_section(&self) -> bool {
        self.probes.footprint.in_section
    }

    /// The threads that it signalled.
    pub fn woken(&self) -> &[ThreadId] {
        &self.probes.footprint.woken
    }

    /// Whether the thread goes on because it was given a signal.
    pub fn is_woken(&self, thread: ThreadId) -> bool {
        let signalled = |guard| {
            matches!(
                guard,
                Guard::Condition {
                    signalled: true,
                    ..
                }
            )
        };
        matches!(self.status(thread), Status::Parked { guard, .. } if signalled(guard))
    }

    /// The whole footprint, to be restored after a look ahead.
    pub fn footprint_so_far(&self) -> Footprint {
        self.probes.footprint.clone()
    }

    pub fn set_footprint(&mut self, footprint: Footprint) {
        self.probes.footprint = footprint;
    }
}

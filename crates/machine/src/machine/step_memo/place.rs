//! The remembered steps: where a step begins, what it depends on, where it leads.

use ir::{RmwOp, Type};

use super::by_word::ByWord;
use super::chain::Chain;
use super::finale::Finale;
use crate::access::concrete_rmw;
use crate::code::{Code, Function, Slot};
use crate::memory::{InChunk, Memory};
use crate::thread::{Guard, PlaceId, Status, ThreadId};
use crate::value::{Value, mask};

pub(super) struct Place {
    pub thread: ThreadId,
    pub epoch: u32,
    pub pc: u32,
    /// Of the frame. Counters of loops are without time.
    pub registers: Box<[Value]>,
    pub before: Before,
    /// By what the access reads; 0 if it reads nothing.
    pub steps: ByWord<Step>,
    /// What a thread does from here that is alone.
    pub chains: ByWord<Chain>,
    /// What `main` does from here when all others are over.
    pub finale: Option<Finale>,
}

/// What stands at a place.
#[derive(Clone, Copy)]
pub(super) enum Before {
    Access(Access),
    /// `pthread_join` of a thread, without an interest in its result.
    Join(ThreadId),
}

impl Before {
    pub fn status(self) -> Status {
        match self {
            Before::Access(_) => Status::Parked {
                guard: Guard::Always,
                visible: true,
            },
            Before::Join(thread) => Status::Parked {
                guard: Guard::Ended(thread),
                visible: false,
            },
        }
    }
}

pub(super) struct Step {
    /// What the access writes.
    pub written: Option<u64>,
    /// What is read afterwards where no other thread looks.
    pub reads: Box<[Read]>,
    pub next: Next,
}

#[derive(Clone, Copy)]
pub(super) struct Read {
    pub chunk: InChunk,
    pub bytes: u32,
    pub word: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Access {
    pub chunk: InChunk,
    pub bytes: u32,
    pub operation: Operation,
}

#[derive(Clone, Copy)]
pub(super) enum Operation {
    Load,
    Store { bits: u64 },
    Update { op: RmwOp, width: u32, operand: u64 },
}

impl Read {
    /// Whether it would read the same.
    pub fn is_same(&self, memory: &Memory) -> bool {
        memory.read_hidden(self.chunk, self.bytes) == Some(self.word)
    }
}

impl Access {
    /// The word that is read, 0 for a store. `None`: it is not plain, or not visible.
    #[inline(always)]
    pub fn find(&self, memory: &Memory) -> Option<u64> {
        let Access {
            chunk,
            bytes,
            operation,
        } = *self;
        match operation {
            Operation::Load => memory.read_visible(chunk, bytes),
            Operation::Store { .. } => memory.is_writable_visible(chunk, bytes).then_some(0),
            Operation::Update { .. } => memory.read_writable_visible(chunk, bytes),
        }
    }

    /// What is to be written where this word was found.
    pub fn written(&self, word: u64) -> Option<u64> {
        match self.operation {
            Operation::Load => None,
            Operation::Store { bits } => Some(bits),
            Operation::Update { op, width, operand } => {
                let new = concrete_rmw(op, width, word & mask(width), operand);
                Some(new.expect("what can be done to any word"))
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Next {
    Place(PlaceId),
    /// The thread ends with this result.
    End(Value),
    /// The process exits, with nothing left to do.
    Exit,
}

/// The plain access that stands there.
pub(super) fn access(
    f: &Function,
    pc: u32,
    registers: &[Value],
    memory: &Memory,
) -> Option<Access> {
    let bits_of = |slot: Slot| registers[slot as usize].bits;
    let (ptr, width, operation) = match f.code[pc as usize] {
        Code::Load { ptr, bits, .. } => (ptr, u32::from(bits), Operation::Load),
        Code::Store {
            ptr, value, bits, ..
        } => {
            let operation = Operation::Store {
                bits: bits_of(value),
            };
            (ptr, u32::from(bits), operation)
        }
        Code::Rmw {
            op,
            ty: Type::Int(width),
            ptr,
            value,
            ..
        } => {
            let (width, operand) = (u32::from(width), bits_of(value));
            concrete_rmw(op, width, 0, operand)?;
            (ptr, width, Operation::Update { op, width, operand })
        }
        _ => return None,
    };
    let bytes = width.div_ceil(8);
    if bytes > 8 {
        return None;
    }
    let chunk = memory.in_chunk(bits_of(ptr), bytes)?;
    Some(Access {
        chunk,
        bytes,
        operation,
    })
}

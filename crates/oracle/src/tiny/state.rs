//! What a program is at one moment: bytes, and where its threads stand.
//!
//! Locks, semaphores and barriers live in the bytes, so that whoever copies a structure copies the
//! mutex in it, held or not. Who waits for a condition variable is told by the threads.

use super::knowledge::Knowledge;
use super::syntax::*;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub objects: Vec<Object>,
    pub threads: Vec<Thread>,
    /// Where races are looked for.
    pub knowledge: Option<Box<Knowledge>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Object {
    pub bytes: Vec<u8>,
    pub state: Life,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Life {
    Global,
    Heap,
    Freed,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Thread {
    pub position: usize,
    pub variables: Vec<i64>,
    pub stack: Vec<i64>,
    pub status: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Nobody has created it.
    Unborn,
    Running,
    /// In a wait for the condition at the first address, with the mutex at the second.
    Waiting {
        condition: i64,
        mutex: i64,
        timed: bool,
    },
    /// Woken from it; what the wait will return.
    Waking {
        mutex: i64,
        result: i64,
    },
    /// Not the last to come to the barrier at this address.
    AtBarrier {
        barrier: i64,
        generation: u8,
    },
}

/// An access to memory that is not there, or not there any more.
#[derive(Debug)]
pub struct Invalid;

/// Objects lie this far apart. Address 0 belongs to none.
const APART: i64 = 1 << 12;

impl State {
    pub fn new(program: &Program, inputs: &[i64], variables: &[usize]) -> State {
        let mut state = State {
            objects: Vec::new(),
            threads: Vec::new(),
            knowledge: None,
        };
        for shape in &program.globals {
            let bytes = vec![0; shape.size()];
            state.objects.push(Object {
                bytes,
                state: Life::Global,
            });
        }
        for (number, shape) in program.globals.iter().enumerate() {
            let at = State::address(GlobalId(number));
            let mut set = |offset: i64, ty: Type, value: i64| {
                state
                    .write(at + offset, ty, value)
                    .expect("it fits the global");
            };
            match shape {
                Shape::Scalar(ty, value) => set(0, *ty, *value),
                Shape::FromInput(input) => set(0, Type::I32, inputs[input.0]),
                Shape::PointerTo(Some(to)) => set(0, Type::I64, State::address(*to)),
                Shape::Array(values) => {
                    for (index, value) in values.iter().enumerate() {
                        set(4 * index as i64, Type::I32, *value);
                    }
                }
                Shape::Pair(a, b) => {
                    set(0, Type::I64, *a);
                    set(8, Type::I64, *b);
                }
                Shape::Word(whole) => set(0, Type::U32, i64::from(*whole)),
                Shape::Mutex(kind) => set(super::sync::KIND, Type::U8, *kind as i64),
                Shape::Semaphore(value) | Shape::Barrier(value) => {
                    set(0, Type::U32, i64::from(*value));
                }
                Shape::PointerTo(None)
                | Shape::ToNode
                | Shape::Account
                | Shape::RwLock
                | Shape::Condition => {}
            }
        }
        for (number, count) in variables.iter().enumerate() {
            state.threads.push(Thread {
                position: 0,
                variables: vec![0; *count],
                stack: Vec::new(),
                status: match number {
                    0 => Status::Running,
                    _ => Status::Unborn,
                },
            });
        }
        state
    }

    pub fn address(global: GlobalId) -> i64 {
        (global.0 as i64 + 1) * APART
    }

    /// The object and the offset that an address means, if so many bytes are there.
    pub fn locate(&self, address: i64, size: usize) -> Result<(usize, usize), Invalid> {
        let object = (address / APART).checked_sub(1).ok_or(Invalid)?;
        let offset = usize::try_from(address % APART).map_err(|_| Invalid)?;
        let object = usize::try_from(object).map_err(|_| Invalid)?;
        let found = self.objects.get(object).ok_or(Invalid)?;
        if found.state == Life::Freed || offset + size > found.bytes.len() {
            return Err(Invalid);
        }
        Ok((object, offset))
    }

    pub fn read(&self, address: i64, ty: Type) -> Result<i64, Invalid> {
        let (object, offset) = self.locate(address, ty.size())?;
        let mut bytes = [0; 8];
        let from = &self.objects[object].bytes[offset..offset + ty.size()];
        bytes[..ty.size()].copy_from_slice(from);
        Ok(ty.cut(i64::from_le_bytes(bytes)))
    }

    pub fn write(&mut self, address: i64, ty: Type, value: i64) -> Result<(), Invalid> {
        let (object, offset) = self.locate(address, ty.size())?;
        let bytes = &value.to_le_bytes()[..ty.size()];
        self.objects[object].bytes[offset..offset + ty.size()].copy_from_slice(bytes);
        Ok(())
    }

    /// The address of a new node of so many bytes.
    pub fn allocate(&mut self, size: usize) -> i64 {
        self.objects.push(Object {
            bytes: vec![0; size],
            state: Life::Heap,
        });
        self.objects.len() as i64 * APART
    }

    /// Freed objects keep their addresses, which nobody gets again.
    pub fn free(&mut self, address: i64) -> Result<(), Invalid> {
        if address == 0 {
            return Ok(());
        }
        let (object, offset) = self.locate(address, 0)?;
        if offset != 0 || self.objects[object].state != Life::Heap {
            return Err(Invalid);
        }
        self.objects[object].state = Life::Freed;
        self.objects[object].bytes.clear();
        Ok(())
    }
}

//! What a program is at one moment: bytes, and where its threads stand.
//!
//! Locks, semaphores and barriers live in the bytes, so that whoever copies a structure copies the
//! mutex in it, held or not. Who waits for a condition variable is told by the threads.

use super::knowledge::Knowledge;
use super::steps::Stop;
use super::syntax::*;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub objects: Vec<Object>,
    pub threads: Vec<Thread>,
    /// The thread in an atomic section.
    pub atomic: Option<usize>,
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
    /// It has come to a call that may wait for something, which was there then.
    pub has_come: bool,
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
    /// From a barrier that was destroyed since.
    LetGo,
}

/// Of those that are there from the beginning: the globals, then what threads have for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectId(pub usize);

impl ObjectId {
    /// What a global is for a thread.
    pub fn of(program: &Program, thread: usize, global: GlobalId) -> ObjectId {
        match program.globals[global.0] {
            Shape::ThreadLocal => ObjectId(program.globals.len() * (thread + 1) + global.0),
            _ => ObjectId(global.0),
        }
    }
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
            atomic: None,
            knowledge: None,
        };
        for (number, shape) in program.globals.iter().enumerate() {
            let bytes = vec![0; shape.size()];
            state.objects.push(Object {
                bytes,
                state: match program.heap.contains(&GlobalId(number)) {
                    true => Life::Heap,
                    false => Life::Global,
                },
            });
        }
        if program.globals.contains(&Shape::ThreadLocal) {
            for _ in 0..program.threads.len() {
                state.objects.extend(program.globals.iter().map(|shape| {
                    let is_own = *shape == Shape::ThreadLocal;
                    Object {
                        bytes: vec![0; if is_own { shape.size() } else { 0 }],
                        state: Life::Global,
                    }
                }));
            }
        }
        for (number, shape) in program.globals.iter().enumerate() {
            let at = State::address(ObjectId(number));
            let mut set = |offset: i64, ty: Type, value: i64| {
                state
                    .write(at + offset, ty, value)
                    .expect("it fits the global");
            };
            match shape {
                Shape::Scalar(ty, value) => set(0, *ty, *value),
                Shape::FromInput(input) => set(0, Type::I32, inputs[input.0]),
                Shape::PointerTo(Some(to)) => set(0, Type::I64, State::address(ObjectId(to.0))),
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
                | Shape::Buffer(_)
                | Shape::ThreadLocal
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
                has_come: false,
                status: match number {
                    0 => Status::Running,
                    _ => Status::Unborn,
                },
            });
        }
        state
    }

    pub fn address(object: ObjectId) -> i64 {
        (object.0 as i64 + 1) * APART
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

    /// Whether what lies there was freed. It stays as it was then: who waits for it goes on waiting.
    pub fn is_freed(&self, address: i64) -> bool {
        let object = (address / APART).checked_sub(1);
        let object = object.and_then(|object| self.objects.get(usize::try_from(object).ok()?));
        object.is_some_and(|object| object.state == Life::Freed)
    }

    /// A byte that is there, or was.
    pub fn byte(&self, address: i64) -> i64 {
        let object = &self.objects[(address / APART - 1) as usize];
        i64::from(object.bytes[(address % APART) as usize])
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

    /// What a thread has for itself ends with it.
    pub fn end_thread(&mut self, program: &Program, thread: usize) -> Result<(), Stop> {
        for (number, shape) in program.globals.iter().enumerate() {
            if *shape == Shape::ThreadLocal {
                let own = ObjectId::of(program, thread, GlobalId(number));
                let at = State::address(own);
                self.note_write(thread, at, shape.size(), Access::Plain)?;
                let ObjectId(own) = own;
                self.objects[own].state = Life::Freed;
                self.objects[own].bytes.clear();
            }
        }
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
        Ok(())
    }
}

//! A replayed execution as data for a report: who did what, where, with which values, and where each value read came from.

use std::collections::HashMap;
use std::sync::Arc;

use ir::debug::LocId;
use machine::{End, Event, EventKind, Fault, Guard, Machine, MemoryFault, ObjectId, Status, ThreadId};

use crate::names::Names;

#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// One sentence: what went wrong.
    pub message: String,
    /// Names of the threads, by column.
    pub threads: Vec<String>,
    pub lines: Vec<Line>,
    /// Who waits for what at a deadlock.
    pub waiting: Vec<Waiting>,
}

/// One event.
#[derive(Clone, Debug)]
pub struct Line {
    /// Column.
    pub thread: usize,
    pub file: String,
    /// 0: unknown.
    pub line: u32,
    pub function: String,
    pub kind: LineKind,
    /// `counter = 1`, `lock(m)`, ...
    pub text: String,
    /// The line of the trace that wrote the value read here.
    pub from: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Read,
    Write,
    Sync,
    Thread,
    Input,
    Output,
    Fault,
}

/// A thread that is stuck.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub thread: usize,
    pub file: String,
    pub line: u32,
    /// `waits for mutex b, held by T2`
    pub text: String,
    /// Mutexes it holds.
    pub holds: Vec<String>,
}

impl Trace {
    pub fn new(machine: &mut Machine, end: &End) -> Trace {
        let events = machine
            .recorder
            .take()
            .map(|r| r.events)
            .unwrap_or_default();
        let program = Arc::clone(&machine.program);
        let names = Names::new(&program);
        let builder = Builder {
            machine,
            names: &names,
            writers: HashMap::new(),
            mutexes: Vec::new(),
            trace: Trace::default(),
        };
        builder.build(&events, end)
    }
}

struct Builder<'a> {
    machine: &'a Machine,
    names: &'a Names<'a>,
    /// Last line of the trace that wrote each byte.
    writers: HashMap<u64, usize>,
    mutexes: Vec<u64>,
    trace: Trace,
}

impl Builder<'_> {
    fn build(mut self, events: &[Event], end: &End) -> Trace {
        let count = self.machine.thread_ids().map(|t| t.index() + 1).max().unwrap_or(1);
        self.trace.threads = (0..count)
            .map(|i| self.names.thread(ThreadId::from(i)))
            .collect();
        for event in events {
            self.event(event);
        }
        self.end(end);
        self.trace
    }

    fn event(&mut self, event: &Event) {
        let (kind, text, from) = match &event.kind {
            EventKind::Read {
                address,
                bytes,
                value,
            } if event.visible => {
                let text = format!("{} is {}", self.name(*address, *bytes), self.value(*address, *bytes, *value));
                (LineKind::Read, text, self.writer(*address, *bytes))
            }
            EventKind::Write {
                address,
                bytes,
                value,
            } if event.visible => {
                let text = format!("{} = {}", self.name(*address, *bytes), self.value(*address, *bytes, *value));
                self.wrote(*address, *bytes);
                (LineKind::Write, text, None)
            }
            // A write that was private then may be read by others later.
            EventKind::Write { .. } | EventKind::Read { .. } => return,
            EventKind::Update {
                address,
                bytes,
                old,
                new,
            } => {
                if !event.visible {
                    return;
                }
                let text = format!(
                    "{}: {} becomes {}",
                    self.name(*address, *bytes),
                    self.value(*address, *bytes, *old),
                    self.value(*address, *bytes, *new)
                );
                let from = self.writer(*address, *bytes);
                self.wrote(*address, *bytes);
                (LineKind::Write, text, from)
            }
            EventKind::CompareExchange {
                address,
                bytes,
                old,
                new,
                success,
            } => {
                if !event.visible {
                    return;
                }
                let name = self.name(*address, *bytes);
                let old = self.value(*address, *bytes, *old);
                let from = self.writer(*address, *bytes);
                let text = if *success {
                    let new = self.value(*address, *bytes, *new);
                    self.wrote(*address, *bytes);
                    format!("{name}: {old} becomes {new} (compare-exchange)")
                } else {
                    format!("{name} is {old}: compare-exchange fails")
                };
                (LineKind::Write, text, from)
            }
            EventKind::Sync {
                operation,
                address,
                note,
            } => {
                if operation.contains("mutex") && !self.mutexes.contains(address) {
                    self.mutexes.push(*address);
                }
                let name = self.name(*address, 1);
                let text = if note.is_empty() {
                    format!("{operation}({name})")
                } else {
                    format!("{operation}({name}): {note}")
                };
                (LineKind::Sync, text, None)
            }
            EventKind::Create(child) => {
                (LineKind::Thread, format!("starts {}", self.names.thread(*child)), None)
            }
            EventKind::Join(child) => {
                (LineKind::Thread, format!("joins {}", self.names.thread(*child)), None)
            }
            EventKind::EndThread => (LineKind::Thread, "ends".to_string(), None),
            EventKind::Free { address } => {
                (LineKind::Sync, format!("free({})", self.name(*address, 1)), None)
            }
            EventKind::Input { name, value } => {
                let text = match value.known(&self.machine.terms) {
                    Some(bits) => format!("input {name} = {}", signed(bits)),
                    None => format!("input {name}"),
                };
                (LineKind::Input, text, None)
            }
            EventKind::Output(text) => (LineKind::Output, format!("prints {text:?}"), None),
            EventKind::Call { what } => (LineKind::Sync, (*what).to_string(), None),
        };
        self.push(event.thread, event.loc, event.function, kind, text, from);
    }

    fn push(&mut self, thread: ThreadId, loc: LocId, function: ir::FuncId, kind: LineKind, text: String, from: Option<usize>) {
        let (file, line) = self.names.file_and_line(loc).unwrap_or(("", 0));
        self.trace.lines.push(Line {
            thread: thread.index(),
            file: file.to_string(),
            line,
            function: self.names.function(function).to_string(),
            kind,
            text,
            from,
        });
    }

    fn end(&mut self, end: &End) {
        match end {
            End::Fault(at) => {
                if at.fault == Fault::Deadlock {
                    self.deadlock();
                }
                self.trace.message = self.describe(&at.fault);
                let message = self.trace.message.clone();
                let function = self
                    .machine
                    .thread(at.thread)
                    .frames
                    .iter()
                    .rev()
                    .map(|f| f.function)
                    .find(|f| !self.machine.program.function(*f).runtime)
                    .unwrap_or(ir::FuncId(0));
                self.push(at.thread, at.loc, function, LineKind::Fault, message, None);
            }
            End::Normal => self.trace.message = "the execution ends normally".to_string(),
            End::Discarded => self.trace.message = "an assumption does not hold".to_string(),
            End::Cutoff(cutoff, _) => self.trace.message = format!("given up: {cutoff}"),
        }
    }

    fn describe(&self, fault: &Fault) -> String {
        match fault {
            Fault::Assertion(text) if text.is_empty() => "assertion fails".to_string(),
            Fault::Assertion(text) if text.ends_with("is reached") => text.clone(),
            Fault::Assertion(text) => format!("assertion `{text}` fails"),
            Fault::Abort(what) => format!("the program aborts: {what}"),
            Fault::LockMisuse(what) => what.clone(),
            Fault::DivisionByZero => "division by zero".to_string(),
            Fault::Unreachable => "code that the compiler takes to be unreachable is reached".to_string(),
            Fault::Deadlock => "deadlock: no thread can go on".to_string(),
            Fault::Memory(fault, address) => self.describe_memory(*fault, *address),
        }
    }

    fn describe_memory(&self, fault: MemoryFault, address: u64) -> String {
        let object = |id: ObjectId| {
            let object = self.machine.memory.object(id);
            let (name, _) = self.names.object(object);
            (name, object.base, object.size)
        };
        match fault {
            MemoryFault::Null if address == 0 => "null pointer is dereferenced".to_string(),
            MemoryFault::Null => format!("null pointer is dereferenced (plus {address} bytes)"),
            MemoryFault::OutOfBounds(id) => {
                let (name, base, size) = object(id);
                format!("access out of bounds: offset {} of {name}, which has {size} bytes", address - base)
            }
            MemoryFault::UseAfterFree(id) => format!("use after free of {}", object(id).0),
            MemoryFault::UseAfterReturn(id) => {
                format!("use of {} after its function has returned", object(id).0)
            }
            MemoryFault::ReadOnly(id) => format!("write to {}, which is constant", object(id).0),
            MemoryFault::Wild => format!("access to address {address:#x}, where nothing is"),
            MemoryFault::Function(id) => format!("access to the code of {}", object(id).0),
            MemoryFault::DoubleFree(id) => format!("double free of {}", object(id).0),
            MemoryFault::InvalidFree => format!("free of {}, which is no heap block", self.name(address, 1)),
        }
    }

    fn deadlock(&mut self) {
        for thread in self.machine.unfinished() {
            let Status::Parked { guard, .. } = self.machine.state(thread).status else {
                continue;
            };
            let loc = self.machine.user_loc(thread);
            let (file, line) = self.names.file_and_line(loc).unwrap_or(("", 0));
            let holds = self
                .mutexes
                .iter()
                .filter(|a| self.machine.lock_owner(**a) == Some(thread))
                .map(|a| self.name(*a, 1))
                .collect();
            let text = self.waits_for(guard);
            self.trace.waiting.push(Waiting {
                thread: thread.index(),
                file: file.to_string(),
                line,
                text,
                holds,
            });
        }
    }

    fn waits_for(&self, guard: Guard) -> String {
        let owner = |address: u64| match self.machine.lock_owner(address) {
            Some(owner) => format!(", held by {}", self.names.thread(owner)),
            None => String::new(),
        };
        match guard {
            Guard::Zero(a) => format!("waits for mutex {}{}", self.name(a, 1), owner(a)),
            Guard::Positive(a) => format!("waits for semaphore {}, which is 0", self.name(a, 1)),
            Guard::RwLock { address, write } => {
                let how = if write { "write" } else { "read" };
                format!("waits to {how}-lock {}", self.name(address, 1))
            }
            Guard::Barrier { address, .. } => format!("waits at barrier {}", self.name(address, 1)),
            Guard::Once(a) => format!("waits for the routine of {}", self.name(a, 1)),
            Guard::Ended(t) => format!("waits for {} to end", self.names.thread(t)),
            Guard::Condition {
                condition,
                signalled: false,
                ..
            } => format!("waits for a signal on {}", self.name(condition, 1)),
            Guard::Condition { mutex, .. } => {
                format!("was signalled and waits for mutex {}{}", self.name(mutex, 1), owner(mutex))
            }
            Guard::Alone => "waits for the other threads to end".to_string(),
            Guard::Assumption => "is stopped by an assumption".to_string(),
            Guard::Always => "can go on".to_string(),
        }
    }

    fn name(&self, address: u64, bytes: u32) -> String {
        self.names.memory(self.machine, address, u64::from(bytes))
    }

    fn value(&self, address: u64, bytes: u32, value: machine::Value) -> String {
        self.names.value(self.machine, address, bytes, value)
    }

    fn writer(&self, address: u64, bytes: u32) -> Option<usize> {
        (0..u64::from(bytes))
            .filter_map(|i| self.writers.get(&(address + i)).copied())
            .max()
    }

    /// The line about to be pushed writes these bytes.
    fn wrote(&mut self, address: u64, bytes: u32) {
        let line = self.trace.lines.len();
        for i in 0..u64::from(bytes) {
            self.writers.insert(address + i, line);
        }
    }
}

fn signed(bits: u128) -> String {
    // Inputs are mostly ints: show small negatives as such.
    if (1 << 31..1 << 32).contains(&bits) {
        return (bits as u32 as i32).to_string();
    }
    bits.to_string()
}

//! The history: the instructions that were executed since the execution began, kept so that they
//! can be executed again with the state as unknowns (`weakest`).
//!
//! An entry is written when its instruction is done. A [`Detail`] holds what the instruction alone
//! does not tell: which way a jump went, the address of an access, the effect of a shim. Going back
//! in the execution takes the entries back, too.
//!
//! A machine has a history only if it was made with one (`Probes::with_history`).

mod executed;
mod shims;

use std::sync::Arc;

use ir::{FuncId, Intrinsic};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use smt::{CmpOp, TermId};

pub use self::executed::Executed;
pub(crate) use self::shims::ShimEffect;
use crate::code::{Code, Edge, Entries, Function, Operand, Slot, Switch};
use crate::machine::Machine;
use crate::thread::ThreadId;
use crate::value::Value;

#[derive(Default)]
pub struct History {
    pub(crate) entries: Vec<Entry>,
    pub(crate) contexts: Vec<Context>,
    pub(crate) details: Vec<Detail>,
    /// Jumps that are questions even if it is known which way they go.
    shown: Arc<Shown>,
    /// An execution with more entries than these is given up; `None`: there may be any number.
    pub(crate) most: Option<usize>,
}

impl History {
    pub(crate) fn showing(shown: Arc<Shown>) -> History {
        History {
            shown,
            ..History::default()
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.entries.len() >= most)
    }
}

/// Jumps, by their functions and places in the code.
pub type Shown = FxHashSet<(FuncId, u32)>;

/// A point in the history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    pub(crate) entries: usize,
    pub(crate) contexts: usize,
    pub(crate) details: usize,
}

/// An instruction that was done, or a change of context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(u32);

pub(crate) enum Step {
    /// From here on instructions are those of the next context.
    Context,
    /// A condition on the state here is a detail.
    Note,
    Code {
        pc: usize,
        /// A conditional jump was taken.
        taken: bool,
    },
}

impl Entry {
    const CONTEXT: Entry = Entry(1 << 31);
    const NOTE: Entry = Entry(1 << 31 | 1);
    const TAKEN: u32 = 1 << 30;

    fn code(pc: usize, taken: bool) -> Entry {
        Entry(pc as u32 | if taken { Entry::TAKEN } else { 0 })
    }

    pub fn step(self) -> Step {
        match self {
            Entry::CONTEXT => Step::Context,
            Entry::NOTE => Step::Note,
            Entry(code) => Step::Code {
                pc: (code & (Entry::TAKEN - 1)) as usize,
                taken: code & Entry::TAKEN != 0,
            },
        }
    }
}

/// Whose instructions follow. A frame is known by how many are below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    pub thread: ThreadId,
    pub depth: u32,
    pub function: FuncId,
}

pub(crate) enum Detail {
    /// Of an access.
    Address(u64),
    /// Which case of a switch; `None`: the default.
    Case(Option<u32>),
    /// What came out, whatever the state: an input, or an address that the control state
    /// determines.
    Value(Value),
    /// A new object whose bytes may be anything.
    Fresh {
        address: u64,
        bytes: u64,
        value: Value,
    },
    /// The first use of a thread-local variable, which begins like this.
    Begun {
        address: u64,
        bytes: Box<[u8]>,
    },
    /// Arguments and result of something that is only known to give the same result for the same
    /// arguments.
    Pure {
        args: SmallVec<[Value; 3]>,
        result: Value,
    },
    Copy {
        to: u64,
        from: u64,
        bytes: u64,
    },
    Fill {
        to: u64,
        bytes: u64,
    },
    /// The call that a function returned to.
    Return {
        function: FuncId,
        pc: usize,
    },
    /// The outermost function returned, and another one was entered with these parameters.
    Stage {
        params: Vec<(Slot, Value)>,
    },
    /// The outermost function of a thread returned: its result.
    End,
    Shim(Box<ShimEffect>),
    Condition(TermId),
    /// Nothing can be said about it.
    Opaque,
}

impl Detail {
    pub fn address(pointer: Value) -> Detail {
        match pointer.is_concrete() {
            true => Detail::Address(pointer.bits),
            false => Detail::Opaque,
        }
    }

    pub fn pure(args: &[Value], result: Value) -> Detail {
        Detail::Pure {
            args: SmallVec::from_slice(args),
            result,
        }
    }

    /// Several cases may lead the same way: then it must be known which one it was.
    pub fn case(switch: &Switch, value: Value, edge: Edge) -> Detail {
        let same = |other: &Edge| (other.pc, other.moves) == (edge.pc, edge.moves);
        let is_it = |number: u128| !value.is_concrete() || number == u128::from(value.bits);
        let cases = switch.cases.iter().enumerate();
        let mut fitting = cases.filter(|(_, (number, other))| same(other) && is_it(*number));
        match (fitting.next(), fitting.next()) {
            (None, _) => Detail::Case(None),
            (Some(_), None) if !value.is_concrete() && same(&switch.default) => Detail::Opaque,
            (Some((i, _)), None) => Detail::Case(Some(i as u32)),
            (Some(_), Some(_)) => Detail::Opaque,
        }
    }
}

/// Where an intrinsic began.
pub(crate) struct Before {
    args: SmallVec<[Value; 3]>,
    is_new: bool,
}

impl Machine {
    /// Whether there is a history.
    pub fn keeps_history(&self) -> bool {
        self.probes.history.is_some()
    }

    /// Whether the execution is longer than what was to be kept of it.
    pub fn is_history_full(&self) -> bool {
        let history = self.probes.history.as_ref();
        history.is_some_and(|history| history.is_full())
    }

    /// Takes no note of anything for a while: no summaries are made. What is noted after
    /// `resume_history` is about what begins then: positions from before mean nothing any more, and
    /// going back to them leaves a history that begins with what does not matter.
    pub fn pause_history(&mut self) {
        self.probes.history = None;
    }

    /// After `pause_history`: takes note of what is executed again.
    pub fn resume_history(&mut self) {
        self.probes.history = Some(Box::default());
        if self.mode.slices {
            // What is left to a summary is not executed again.
            self.state.memory.uses.get_or_insert_default();
        }
    }

    pub(crate) fn shows_jump(&self, pc: usize) -> bool {
        let function = self.running.frames.last().map(|f| f.function);
        let history = self.probes.history.as_ref().filter(|h| !h.shown.is_empty());
        history
            .zip(function)
            .is_some_and(|(h, f)| h.shown.contains(&(f, pc as u32)))
    }

    pub fn position(&self) -> Position {
        self.probes
            .history
            .as_ref()
            .map_or_else(Position::default, |history| Position {
                entries: history.entries.len(),
                contexts: history.contexts.len(),
                details: history.details.len(),
            })
    }

    pub(crate) fn forget_history_since(&mut self, position: Position) {
        if let Some(history) = &mut self.probes.history {
            history.entries.truncate(position.entries);
            history.contexts.truncate(position.contexts);
            history.details.truncate(position.details);
        }
    }

    /// What follows happens only if the condition holds here.
    pub fn note_condition(&mut self, condition: TermId) {
        if let Some(history) = &mut self.probes.history {
            history.entries.push(Entry::NOTE);
            history.details.push(Detail::Condition(condition));
        }
    }

    /// What is executed next belongs to the top frame of the current thread.
    pub(crate) fn note_context(&mut self) {
        let depth = self.running.frames.len() as u32 - 1;
        let context = Context {
            thread: self.now.current,
            depth,
            function: self.running.frames[depth as usize].function,
        };
        if let Some(history) = &mut self.probes.history
            && history.contexts.last() != Some(&context)
        {
            history.entries.push(Entry::CONTEXT);
            history.contexts.push(context);
        }
    }

    #[inline]
    pub(crate) fn note_code(&mut self, pc: usize, taken: bool) {
        if let Some(history) = &mut self.probes.history {
            history.entries.push(Entry::code(pc, taken));
        }
    }

    #[inline]
    pub(crate) fn note_detail(&mut self, detail: impl FnOnce() -> Detail) {
        if let Some(history) = &mut self.probes.history {
            history.details.push(detail());
        }
    }

    /// Before the top frame is left for its caller.
    pub(crate) fn note_return(&mut self) {
        if self.probes.history.is_some() {
            let [.., caller, top] = self.running.frames.as_slice() else {
                return;
            };
            let (pc, caller) = (top.pc as usize, *caller);
            self.note_code(pc, false);
            self.note_detail(|| Detail::Return {
                function: caller.function,
                pc: caller.pc as usize,
            });
        }
    }

    /// Before the outermost frame of a thread is left for good.
    pub(crate) fn note_end(&mut self) {
        if self.probes.history.is_some() {
            let top = self.running.frames[0];
            let pc = top.pc as usize;
            let code = self.program.function(top.function).code[pc];
            if matches!(code, Code::Ret { .. }) {
                self.note_code(pc, false);
                self.note_detail(|| Detail::End);
            }
        }
    }

    /// Before the outermost frame is left for another.
    pub(crate) fn note_stage(&mut self, f: &Function, args: &[Value]) {
        if self.probes.history.is_some() {
            let top = self.running.frames[0];
            let pc = top.pc as usize;
            let code = self.program.function(top.function).code[pc];
            if !matches!(code, Code::Ret { .. }) {
                // The thread exits in the middle, and nothing is handed on.
                return;
            }
            let params = f.params.iter().copied().zip(args.iter().copied());
            let params = params.collect();
            self.note_code(pc, false);
            self.note_detail(|| Detail::Stage { params });
        }
    }

    /// The process exits at once, because there are no exit handlers.
    pub(crate) fn note_no_handlers(&mut self, entries: Entries) {
        if let Some(count) = entries.handlers.filter(|_| entries.adds_handlers)
            && self.probes.history.is_some()
        {
            let count = self.cell(count, 4);
            let none = self.terms.constant(32, 0);
            let condition = self.terms.cmp(CmpOp::Eq, count, none);
            self.note_condition(condition);
        }
    }

    pub(crate) fn note_new_object(&mut self, pointer: Value) {
        let object = self.state.memory.live_object_at(pointer.bits);
        let detail = match object {
            Some((_, object)) if pointer.is_concrete() => Detail::Fresh {
                address: object.base,
                bytes: object.held_size(),
                value: pointer,
            },
            _ => Detail::Opaque,
        };
        self.note_detail(|| detail);
    }

    /// Of a thread-local variable at this address, which may be `new`.
    pub(crate) fn thread_local_detail(&mut self, pointer: Value, new: bool) -> Detail {
        if !new {
            return Detail::Value(pointer);
        }
        let Some((_, object)) = self.state.memory.live_object_at(pointer.bits) else {
            return Detail::Opaque;
        };
        let all = object.base..object.base + object.size;
        let mut bytes = Vec::with_capacity(object.size as usize);
        for at in all {
            let byte = self.state.memory.read(&mut self.terms, at, 8);
            if !byte.is_concrete() {
                return Detail::Opaque;
            }
            bytes.push(byte.bits as u8);
        }
        Detail::Begun {
            address: pointer.bits,
            bytes: bytes.into_boxed_slice(),
        }
    }

    pub(crate) fn before_intrinsic(&self, op: Intrinsic, base: usize, args: &[Operand]) -> Before {
        let copies = matches!(
            op,
            Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset
        );
        let values = args.iter().filter(|_| copies);
        Before {
            args: values
                .map(|a| self.running.registers[base + a.slot as usize])
                .collect(),
            is_new: self.running.frames.last().is_some_and(|f| f.progress == 0),
        }
    }

    pub(crate) fn note_intrinsic(&mut self, op: Intrinsic, before: Before, result: Option<Value>) {
        use Intrinsic::*;
        let args = &before.args;
        let is_plain = before.is_new && args.iter().all(|a| a.is_concrete());
        let detail = match op {
            Memcpy | Memmove if is_plain => Detail::Copy {
                to: args[0].bits,
                from: args[1].bits,
                bytes: args[2].bits,
            },
            Memset if before.is_new && args[0].is_concrete() && args[2].is_concrete() => {
                Detail::Fill {
                    to: args[0].bits,
                    bytes: args[2].bits,
                }
            }
            Memcpy | Memmove | Memset => Detail::Opaque,
            VaStart | VaCopy | EhTypeId | FusedMultiplyAdd | IsFpClass => Detail::Opaque,
            StackSave | StackRestore | VaEnd | ReadCycleCounter => {
                Detail::Value(result.unwrap_or(Value::ZERO))
            }
            _ => Detail::pure(&[], Value::ZERO),
        };
        self.note_detail(|| detail);
    }

    /// Notes an operation of which a weakest precondition can say nothing.
    pub(crate) fn note_mystery(&mut self) {
        if let Some(history) = &mut self.probes.history {
            history.entries.push(Entry::NOTE);
            history.details.push(Detail::Opaque);
        }
    }

    pub(crate) fn first_function(&self, thread: ThreadId) -> Option<FuncId> {
        let thread = self.state.threads.get(thread.index())?.as_ref()?;
        thread.frames.first().map(|frame| frame.function)
    }
}

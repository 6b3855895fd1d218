//! Weakest preconditions along the history (P1, section 4): what the state at an earlier point must
//! be like for the same to happen from there on, and for given conditions to hold in the end.
//!
//! The state consists of [`Location`]s: registers of live frames and cells of memory,
//! synchronisation objects included. Each is an input of a term of its own. Everything else that
//! decides what happens is control state (`control`) and the same wherever a precondition is used.
//!
//! The history between the two points is gone through backwards once, to find the instructions
//! whose results are mentioned, and then forwards, to compute these with unknown locations. That
//! gives the same as substituting backwards, and costs nothing for instructions that do not matter.
//!
//! What is required is more than P1 asks for: every jump goes the same way, every access has the
//! same address, every synchronisation object is found as it was. Then every step touches the same,
//! so whatever a partial order reduction left out it could leave out again. Requiring more is
//! always sound: fewer states satisfy it.
//!
//! Where a slice is in force (see `invisible`), nothing is required of what is outside: jumps there
//! may go other ways, accesses have other addresses. Let s be a state that satisfies what is
//! required, and t the one that was explored. Both stand at the same places. As long as the members
//! of the slice do the same from s as they did from t, the next one is the same, wherever its
//! thread stands: that follows from what its thread did in the slice, whatever it does outside
//! (`analysis::slice`). What is required says that this one goes the same way and has the same
//! address. So every execution from s has the steps in the slice of one from t, and fails if and
//! only if that does. A reduction decides by what steps touch; outside the slice that is invisible
//! and no part of a step, or lies in an atomic section, where it may be left out: nothing depends
//! on the order of an access outside the slice with any other.
//!
//! Inputs that are made between the two points stay what they are, and so do bytes that were never
//! written: a search that uses the precondition must show it for all their values.

mod accesses;
mod arithmetic;
mod calls;
mod effect;
mod execute;
mod needed;
mod state;
mod waiting;

use ir::BinOp;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{InputId, TermId};

use crate::code::{Code, Function, Program, Slot};
use crate::history::{Context, Detail, Position, Step};
use crate::machine::Machine;
use crate::thread::ThreadId;
use crate::value::Value;

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// Of the frame with `depth` frames below it.
    Register {
        thread: ThreadId,
        depth: u32,
        slot: Slot,
        width: u32,
    },
    Cell {
        address: u64,
        bytes: u32,
    },
    /// What a thread that has ended leaves to the one that joins it.
    Result(ThreadId),
}

/// The inputs that stand for locations.
#[derive(Default)]
pub struct Locations {
    terms: FxHashMap<Location, TermId>,
    of: FxHashMap<InputId, Location>,
    fresh: u32,
}

impl Machine {
    fn location(&mut self, location: Location) -> TermId {
        if let Some(&term) = self.locations.terms.get(&location) {
            return term;
        }
        let (name, width) = match location {
            Location::Register {
                thread,
                depth,
                slot,
                width,
            } => (format!("@{thread}.{depth}.{slot}"), width),
            Location::Cell { address, bytes } => (format!("@{address:#x}"), 8 * bytes),
            Location::Result(thread) => (format!("@{thread}"), self.pointer_bits()),
        };
        let term = self.terms.input(&name, width);
        self.locations.terms.insert(location, term);
        let input = self.terms.support(term)[0];
        self.locations.of.insert(input, location);
        term
    }

    /// The cell of memory as an unknown.
    pub fn cell(&mut self, address: u64, bytes: u32) -> TermId {
        self.location(Location::Cell { address, bytes })
    }

    /// The register as an unknown.
    pub fn register_term(
        &mut self,
        thread: ThreadId,
        depth: u32,
        slot: Slot,
        width: u32,
    ) -> TermId {
        self.location(Location::Register {
            thread,
            depth,
            slot,
            width,
        })
    }

    /// Something that may have any value.
    fn anything(&mut self, width: u32) -> TermId {
        self.locations.fresh += 1;
        let name = format!("@anything {}", self.locations.fresh);
        self.terms.input(&name, width)
    }

    /// The location that the input stands for, if it does.
    pub fn location_of(&self, input: InputId) -> Option<Location> {
        self.locations.of.get(&input).copied()
    }

    /// What is there now. `None`: nothing, or nothing that was ever written.
    pub fn value_at(&mut self, location: Location) -> Option<Value> {
        match location {
            Location::Register {
                thread,
                depth,
                slot,
                ..
            } => {
                let thread = self.state.threads.get(thread.index())?.as_ref()?;
                let frame = thread.frames.get(depth as usize)?;
                let value = thread.registers.get((frame.base + slot) as usize)?;
                Some(*value)
            }
            Location::Result(thread) => {
                let thread = self.state.threads.get(thread.index())?.as_ref()?;
                Some(thread.state.result)
            }
            Location::Cell { address, bytes } => {
                let (_, object) = self.state.memory.live_object_at(address)?;
                let is_inside = address + u64::from(bytes) <= object.base + object.size;
                let is_written = self
                    .state
                    .memory
                    .uninitialised(address, u64::from(bytes))
                    .is_empty();
                (is_inside && is_written)
                    .then(|| self.state.memory.read(&mut self.terms, address, 8 * bytes))
            }
        }
    }

    /// What must hold at `from` for what was executed until `to` to happen again, with `conditions`
    /// true there. `None`: that cannot be said.
    pub fn weakest_precondition(
        &mut self,
        from: Position,
        to: Position,
        conditions: &[TermId],
    ) -> Option<Vec<TermId>> {
        self.along(from, to, |pass| pass.run(conditions))
    }

    fn along(
        &mut self,
        from: Position,
        to: Position,
        go: impl FnOnce(&mut Pass) -> Option<()>,
    ) -> Option<Vec<TermId>> {
        let history = self.probes.history.take()?;
        let program = std::rc::Rc::clone(&self.program);
        let mut pass = Pass {
            machine: self,
            program: &program,
            history: &history,
            from,
            to,
            registers: FxHashMap::default(),
            bytes: FxHashMap::default(),
            forgotten: BTreeMap::new(),
            results: FxHashMap::default(),
            conditions: Vec::new(),
            required: FxHashSet::default(),
            restrictions: Vec::new(),
        };
        let done = go(&mut pass);
        let found = done.map(|()| std::mem::take(&mut pass.conditions));
        self.probes.history = Some(history);
        found
    }
}

/// A register of some frame, or a byte of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Register(ThreadId, u32, Slot),
    Byte(u64),
    Result(ThreadId),
}

struct Pass<'a> {
    machine: &'a mut Machine,
    program: &'a Program,
    history: &'a crate::history::History,
    from: Position,
    to: Position,
    registers: FxHashMap<(ThreadId, u32, Slot), TermId>,
    /// Which byte of which term.
    bytes: FxHashMap<u64, (TermId, u8)>,
    /// From where up to where bytes may be anything that have no terms yet.
    forgotten: BTreeMap<u64, u64>,
    results: FxHashMap<ThreadId, TermId>,
    conditions: Vec<TermId>,
    /// The same as a set.
    required: FxHashSet<TermId>,
    /// What is required holds only for inputs of which these are true.
    restrictions: Vec<TermId>,
}

/// An entry of the history with what belongs to it.
#[derive(Clone, Copy)]
struct Item {
    context: usize,
    detail: usize,
    pc: usize,
    taken: bool,
    is_note: bool,
}

impl Pass<'_> {
    fn run(&mut self, conditions: &[TermId]) -> Option<()> {
        let items = self.items();
        let needed = self.needed(conditions);
        let marked = self.mark(&items, needed)?;
        for (item, marked) in items.iter().zip(marked) {
            if marked {
                self.execute(*item)?;
            }
        }
        let mut substitution = self.substitution(conditions)?;
        for condition in conditions {
            let condition = substitution.apply(&mut self.machine.terms, *condition);
            self.require(condition)?;
        }
        Some(())
    }

    fn items(&self) -> Vec<Item> {
        let mut context = self.from.contexts.wrapping_sub(1);
        let mut detail = self.from.details;
        let mut items = Vec::new();
        for entry in &self.history.entries[self.from.entries..self.to.entries] {
            match entry.step() {
                Step::Context => context = context.wrapping_add(1),
                Step::Note => {
                    items.push(Item {
                        context,
                        detail,
                        pc: 0,
                        taken: false,
                        is_note: true,
                    });
                    detail += 1;
                }
                Step::Code { pc, taken } => {
                    let item = Item {
                        context,
                        detail,
                        pc,
                        taken,
                        is_note: false,
                    };
                    detail += usize::from(self.has_detail(&item));
                    items.push(item);
                }
            }
        }
        items
    }

    fn context(&self, item: &Item) -> Context {
        self.history.contexts[item.context]
    }

    fn function(&self, item: &Item) -> &Function {
        self.program.function(self.context(item).function)
    }

    fn code(&self, item: &Item) -> Code {
        self.function(item).code[item.pc]
    }

    fn has_detail(&self, item: &Item) -> bool {
        match self.code(item) {
            Code::Within { .. }
            | Code::Load { .. }
            | Code::Store { .. }
            | Code::Rmw { .. }
            | Code::CmpXchg { .. }
            | Code::Switch { .. }
            | Code::IndirectBr { .. }
            | Code::Alloca { .. }
            | Code::TlsAddr { .. }
            | Code::Undef { .. }
            | Code::FloatBin { .. }
            | Code::FloatCmp { .. }
            | Code::FloatUnary { .. }
            | Code::FloatCast { .. }
            | Code::Intrinsic { .. }
            | Code::Ret { .. }
            | Code::Resume { .. } => true,
            // One that entered a function has none.
            Code::Call { .. } | Code::Invoke { .. } => item.taken,
            _ => false,
        }
    }

    fn detail(&self, item: &Item) -> &Detail {
        &self.history.details[item.detail]
    }

    /// Whether the instruction is outside the slice.
    fn is_outside(&self, item: &Item) -> bool {
        let marks = &self.function(item).marks;
        self.machine.mode.slices && marks.get(item.pc).is_some_and(|m| m.outside)
    }

    /// Of an access; `None` if it depends on inputs.
    fn address(&self, item: &Item) -> Option<u64> {
        match self.detail(item) {
            Detail::Address(address) => Some(*address),
            _ => None,
        }
    }
}

fn is_division(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
}

fn is_constant(f: &Function, slot: Slot) -> bool {
    (slot as usize) < f.registers.constants.len()
}

//! Weakest preconditions along what was executed (P1, section 4): what the state at an earlier point must be like for the same to
//! happen from there on, and for given conditions to hold in the end.
//!
//! The state consists of [`Location`]s: registers of live frames and cells of memory, synchronisation objects included. Each is an input
//! of a term of its own. Everything else that decides what happens is control state (`control`) and the same wherever a
//! precondition is used.
//!
//! The history between the two points is gone through backwards once, to find the instructions whose results are mentioned, and
//! then forwards, to compute these with unknown locations. That gives the same as substituting backwards, and costs nothing for
//! instructions that do not matter.
//!
//! What is required is more than P1 asks for: every jump goes the same way, every access has the same address, every
//! synchronisation object is found as it was. Then every step touches the same, so whatever a partial order reduction left out it
//! could leave out again (DESIGN, section 4, items 2 and 3). Requiring more is always sound: fewer states satisfy it.
//!
//! Inputs that are made up between the two points stay what they are: whoever uses the precondition must show it for all their
//! values. So do bytes that were never written.

use ir::{BinOp, CmpOp, FuncId, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{InputId, Substitution, TermId};

use crate::code::{CallTarget, Code, Edge, Function, Operand, Program, Slot};
use crate::history::{Context, Deed, Detail, Position, Step};
use crate::machine::Machine;
use crate::symbolic::{bin_op, cmp_op};
use crate::thread::ThreadId;
use crate::value::Value;

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// Of the frame with so many below it.
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
                let thread = self.threads.get(thread.index())?.as_ref()?;
                let frame = thread.frames.get(depth as usize)?;
                let value = thread.registers.get((frame.base + slot) as usize)?;
                Some(*value)
            }
            Location::Result(thread) => {
                let thread = self.threads.get(thread.index())?.as_ref()?;
                Some(thread.state.result)
            }
            Location::Cell { address, bytes } => {
                let (_, object) = self.memory.live_object_at(address)?;
                let is_inside = address + u64::from(bytes) <= object.base + object.size;
                let is_written = self
                    .memory
                    .uninitialised(address, u64::from(bytes))
                    .is_empty();
                (is_inside && is_written)
                    .then(|| self.memory.read(&mut self.terms, address, 8 * bytes))
            }
        }
    }

    /// What must hold at `from` for what was executed until `to` to happen again, with `conditions` true there.
    /// `None`: that cannot be said.
    pub fn weakest_precondition(
        &mut self,
        from: Position,
        to: Position,
        conditions: &[TermId],
    ) -> Option<Vec<TermId>> {
        let history = self.history.take()?;
        let program = std::rc::Rc::clone(&self.program);
        let mut pass = Pass {
            machine: self,
            program: &program,
            history: &history,
            from,
            to,
            registers: FxHashMap::default(),
            bytes: FxHashMap::default(),
            results: FxHashMap::default(),
            conditions: Vec::new(),
            restrictions: Vec::new(),
        };
        let done = pass.run(conditions);
        let found = done.map(|()| std::mem::take(&mut pass.conditions));
        self.history = Some(history);
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
    results: FxHashMap<ThreadId, TermId>,
    conditions: Vec<TermId>,
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
            Code::Load { .. }
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

    // ----- backwards -----

    /// The parts of the state that terms mention.
    fn needed(&self, terms: &[TermId]) -> FxHashSet<Part> {
        let mut needed = FxHashSet::default();
        for term in terms {
            self.add_needed(*term, &mut needed);
        }
        needed
    }

    fn add_needed(&self, term: TermId, needed: &mut FxHashSet<Part>) {
        for input in self.machine.terms.support(term) {
            match self.machine.location_of(*input) {
                Some(Location::Register {
                    thread,
                    depth,
                    slot,
                    ..
                }) => {
                    needed.insert(Part::Register(thread, depth, slot));
                }
                Some(Location::Cell { address, bytes }) => {
                    let all = address..address + u64::from(bytes);
                    needed.extend(all.map(Part::Byte));
                }
                Some(Location::Result(thread)) => {
                    needed.insert(Part::Result(thread));
                }
                None => {}
            }
        }
    }

    /// Which entries matter. `None`: one of them cannot be described.
    fn mark(&self, items: &[Item], mut needed: FxHashSet<Part>) -> Option<Vec<bool>> {
        let mut marked = vec![false; items.len()];
        for (i, item) in items.iter().enumerate().rev() {
            if item.is_note {
                let Detail::Condition(condition) = self.detail(item) else {
                    return None;
                };
                self.add_needed(*condition, &mut needed);
                marked[i] = true;
                continue;
            }
            let effect = self.effect(item)?;
            let mut matters = effect.always;
            for part in &effect.defines {
                matters |= needed.remove(part);
            }
            if matters {
                needed.extend(effect.uses);
            }
            marked[i] = matters;
        }
        Some(marked)
    }

    fn effect(&self, item: &Item) -> Option<Effect> {
        let Context { thread, depth, .. } = self.context(item);
        let f = self.function(item);
        let mut effect = Effect::default();
        let register = |slot: Slot| Part::Register(thread, depth, slot);
        let mut uses: Vec<Slot> = Vec::new();
        let bytes_of = |bits: u32| u64::from(bits.div_ceil(8));
        match self.code(item) {
            Code::Bin { op, dst, a, b, .. } => {
                effect.defines.push(register(dst));
                uses.extend([a, b]);
                effect.always = is_division(op);
            }
            Code::Cmp { dst, a, b, .. } => {
                effect.defines.push(register(dst));
                uses.extend([a, b]);
            }
            Code::Cast { dst, src, .. } => {
                effect.defines.push(register(dst));
                uses.push(src);
            }
            Code::Select {
                dst, cond, a, b, ..
            } => {
                effect.defines.push(register(dst));
                uses.extend([cond, a, b]);
            }
            Code::FloatBin { dst, a, b, .. } | Code::FloatCmp { dst, a, b, .. } => {
                effect.defines.push(register(dst));
                uses.extend([a, b]);
            }
            Code::FloatUnary { dst, src, .. } | Code::FloatCast { dst, src, .. } => {
                effect.defines.push(register(dst));
                uses.push(src);
            }
            Code::AddConst { dst, base, .. } => {
                effect.defines.push(register(dst));
                uses.push(base);
            }
            Code::AddIndex {
                dst, base, index, ..
            } => {
                effect.defines.push(register(dst));
                uses.extend([base, index]);
            }
            Code::AddOffsets { dst, base, offsets } => {
                effect.defines.push(register(dst));
                uses.push(base);
                uses.extend(f.offsets[offsets as usize].indices.iter().map(|i| i.0));
            }
            Code::Load { dst, ptr, bits, .. } => {
                let &Detail::Address(address) = self.detail(item) else {
                    return None;
                };
                effect.always = !is_constant(f, ptr);
                effect.defines.push(register(dst));
                uses.push(ptr);
                let all = address..address + bytes_of(u32::from(bits));
                effect.uses.extend(all.map(Part::Byte));
            }
            Code::Store {
                ptr, value, bits, ..
            } => {
                let &Detail::Address(address) = self.detail(item) else {
                    return None;
                };
                effect.always = !is_constant(f, ptr);
                let all = address..address + bytes_of(u32::from(bits));
                effect.defines.extend(all.map(Part::Byte));
                uses.extend([ptr, value]);
            }
            Code::Rmw {
                ty,
                dst,
                ptr,
                value,
                ..
            } => {
                let &Detail::Address(address) = self.detail(item) else {
                    return None;
                };
                let bits = ty.bits(self.machine.pointer_bits());
                let all = address..address + bytes_of(bits);
                effect.always = !is_constant(f, ptr);
                effect.defines.push(register(dst));
                effect.defines.extend(all.clone().map(Part::Byte));
                effect.uses.extend(all.map(Part::Byte));
                uses.extend([ptr, value]);
            }
            Code::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                bits,
                ..
            } => {
                let &Detail::Address(address) = self.detail(item) else {
                    return None;
                };
                let all = address..address + bytes_of(u32::from(bits));
                effect.always = true;
                effect.defines.extend([register(old), register(success)]);
                if item.taken {
                    effect.defines.extend(all.clone().map(Part::Byte));
                }
                effect.uses.extend(all.map(Part::Byte));
                uses.extend([ptr, expected, new]);
            }
            Code::Fence(_) => {}
            Code::Alloca { dst, alloca } => {
                let &Detail::Fresh { address, bytes, .. } = self.detail(item) else {
                    return None;
                };
                effect.defines.push(register(dst));
                effect
                    .defines
                    .extend((address..address + bytes).map(Part::Byte));
                if let Some((count, _)) = f.allocas[alloca as usize].count {
                    uses.push(count);
                    effect.always = true;
                }
            }
            Code::TlsAddr { dst, .. } | Code::Undef { dst, .. } => {
                effect.defines.push(register(dst));
            }
            Code::Intrinsic { intrinsic } => {
                let (_, results, args) = &f.intrinsics[intrinsic as usize];
                effect
                    .defines
                    .extend(results.iter().map(|r| register(r.slot)));
                uses.extend(args.iter().map(|a| a.slot));
                match self.detail(item) {
                    Detail::Value(_) => {}
                    Detail::Copy { to, from, bytes } => {
                        effect.always = true;
                        effect.defines.extend((*to..to + bytes).map(Part::Byte));
                        effect.uses.extend((*from..from + bytes).map(Part::Byte));
                    }
                    Detail::Fill { to, bytes } => {
                        effect.always = true;
                        effect.defines.extend((*to..to + bytes).map(Part::Byte));
                    }
                    Detail::Pure { .. } => {}
                    _ => return None,
                }
            }
            Code::Jump(edge) => moves(f, edge, &mut effect, &mut uses, register),
            Code::CondBr { cond, then, other } => {
                let edge = if item.taken { then } else { other };
                moves(f, edge, &mut effect, &mut uses, register);
                effect.always = true;
                uses.push(cond);
            }
            Code::Switch { switch } => {
                let &Detail::Case(case) = self.detail(item) else {
                    return None;
                };
                let switch = &f.switches[switch as usize];
                let edge = case.map_or(switch.default, |i| switch.cases[i as usize].1);
                moves(f, edge, &mut effect, &mut uses, register);
                effect.always = true;
                uses.push(switch.value);
            }
            Code::Ret { values } if matches!(self.detail(item), Detail::End) => {
                effect.defines.push(Part::Result(thread));
                uses.extend(&f.returns[values as usize]);
            }
            Code::Ret { values } => {
                if let Detail::Stage { params } = self.detail(item) {
                    effect.defines.extend(params.iter().map(|p| register(p.0)));
                    uses.extend(&f.returns[values as usize]);
                    let own = uses.into_iter().filter(|slot| !is_constant(f, *slot));
                    effect.uses.extend(own.map(register));
                    return Some(effect);
                }
                let &Detail::Return { function, pc } = self.detail(item) else {
                    return None;
                };
                let g = self.program.function(function);
                let caller = |slot: Slot| Part::Register(thread, depth - 1, slot);
                let (call, edge) = match g.code[pc] {
                    Code::Call { call } => (call, None),
                    Code::Invoke { call, normal, .. } => (call, Some(normal)),
                    _ => return None,
                };
                let results = &g.calls[call as usize].results;
                effect
                    .defines
                    .extend(results.iter().map(|r| caller(r.slot)));
                uses.extend(&f.returns[values as usize]);
                if let Some(edge) = edge
                    && edge.moves != 0
                {
                    // Rare: the moves of an edge that an exception could have taken instead.
                    for &(dst, src) in &g.moves[edge.moves as usize - 1] {
                        effect.defines.push(caller(dst));
                        effect.uses.push(caller(src));
                    }
                }
            }
            Code::Call { call } | Code::Invoke { call, .. } => {
                let call = &f.calls[call as usize];
                if let CallTarget::Indirect(slot) = call.target {
                    uses.push(slot);
                    effect.always = true;
                }
                if !item.taken {
                    let callee = self.callee(item)?;
                    let g = self.program.function(callee);
                    let inner = |slot: Slot| Part::Register(thread, depth + 1, slot);
                    effect.defines.extend(g.params.iter().map(|s| inner(*s)));
                    uses.extend(call.args.iter().map(|a| a.slot));
                    if g.variadic && call.args.len() > g.params.len() {
                        return None;
                    }
                } else {
                    self.shim_effect(item, &call.args, &call.results, &mut effect, &mut uses)?;
                    if let Code::Invoke { normal, .. } = self.code(item) {
                        moves(f, normal, &mut effect, &mut uses, register);
                    }
                }
            }
            Code::IndirectBr { .. }
            | Code::Resume { .. }
            | Code::UnsupportedAssembly { .. }
            | Code::UnsupportedInstruction { .. }
            | Code::Unreachable => return None,
        }
        let own = uses.into_iter().filter(|slot| !is_constant(f, *slot));
        effect.uses.extend(own.map(register));
        Some(effect)
    }

    /// The function that a call entered: the next context's.
    fn callee(&self, item: &Item) -> Option<FuncId> {
        let next = self.history.contexts.get(item.context + 1)?;
        let here = self.context(item);
        (next.thread == here.thread && next.depth == here.depth + 1).then_some(next.function)
    }

    fn shim_effect(
        &self,
        item: &Item,
        args: &[Operand],
        results: &[Operand],
        effect: &mut Effect,
        uses: &mut Vec<Slot>,
    ) -> Option<()> {
        let Detail::Shim(deed) = self.detail(item) else {
            return None;
        };
        let Context { thread, depth, .. } = self.context(item);
        let results = results
            .iter()
            .map(|r| Part::Register(thread, depth, r.slot));
        effect.defines.extend(results);
        match deed.as_ref() {
            Deed::Nothing | Deed::Input(_) => {}
            Deed::Output { .. } => {
                effect.always = true;
                let pointers = args.iter().filter(|a| a.ty == Type::Ptr);
                uses.extend(pointers.map(|a| a.slot));
            }
            Deed::Exits => {
                effect.defines.push(Part::Result(thread));
                uses.extend(args.first().map(|a| a.slot));
            }
            Deed::Joins {
                thread: joined, to, ..
            } => {
                effect.always = true;
                uses.extend(args.iter().map(|a| a.slot));
                if *to != 0 {
                    let bytes = u64::from(self.machine.pointer_bits() / 8);
                    effect.defines.extend((*to..to + bytes).map(Part::Byte));
                    effect.uses.extend(joined.map(Part::Result));
                }
            }
            Deed::Requires | Deed::Restricts | Deed::Fails => {
                effect.always = true;
                uses.extend(args.first().map(|a| a.slot));
            }
            Deed::Same {
                found,
                left,
                fresh,
                started,
                ..
            } => {
                effect.always = true;
                uses.extend(args.iter().map(|a| a.slot));
                effect
                    .uses
                    .extend(found.iter().map(|(at, _)| Part::Byte(*at)));
                effect
                    .defines
                    .extend(left.iter().map(|(at, _)| Part::Byte(*at)));
                if let Some((base, size)) = fresh {
                    effect.defines.extend((*base..base + size).map(Part::Byte));
                }
                if let Some((child, params)) = started {
                    let params = params.iter().map(|(slot, _)| *slot);
                    effect
                        .defines
                        .extend(params.map(|slot| Part::Register(*child, 0, slot)));
                }
            }
        }
        Some(())
    }

    // ----- forwards -----

    fn register(&mut self, item: &Item, slot: Slot, width: u32) -> TermId {
        let Context { thread, depth, .. } = self.context(item);
        let f = self.function(item);
        if let Some(constant) = f.constants.get(slot as usize) {
            let bits = constant.bits;
            return self.machine.terms.constant(width, bits);
        }
        self.register_of(thread, depth, slot, width)
    }

    fn register_of(&mut self, thread: ThreadId, depth: u32, slot: Slot, width: u32) -> TermId {
        match self.registers.get(&(thread, depth, slot)) {
            Some(&term) => self.resized(term, width),
            None => self.machine.location(Location::Register {
                thread,
                depth,
                slot,
                width,
            }),
        }
    }

    fn resized(&mut self, term: TermId, width: u32) -> TermId {
        let now = self.machine.terms.width(term);
        match now.cmp(&width) {
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => self.machine.terms.extract(term, 0, width),
            std::cmp::Ordering::Less => self.machine.terms.zext(term, width),
        }
    }

    fn set(&mut self, item: &Item, slot: Slot, term: TermId) {
        let Context { thread, depth, .. } = self.context(item);
        self.registers.insert((thread, depth, slot), term);
    }

    fn cell(&mut self, address: u64, bytes: u32) -> TermId {
        let all = || address..address + u64::from(bytes);
        if !all().any(|at| self.bytes.contains_key(&at)) {
            return self.machine.cell(address, bytes);
        }
        let first = self.bytes.get(&address).copied();
        if let Some((term, 0)) = first
            && self.machine.terms.width(term) == 8 * bytes
            && all().all(|at| self.bytes.get(&at) == Some(&(term, (at - address) as u8)))
        {
            return term;
        }
        let mut whole: Option<TermId> = None;
        for at in all() {
            let byte = match self.bytes.get(&at).copied() {
                Some((term, index)) => self.machine.terms.extract(term, 8 * u32::from(index), 8),
                None => self.machine.cell(at, 1),
            };
            whole = Some(match whole {
                Some(low) => self.machine.terms.concat(byte, low),
                None => byte,
            });
        }
        whole.expect("a byte")
    }

    fn write(&mut self, address: u64, bytes: u32, term: TermId) {
        let term = self.resized(term, 8 * bytes);
        for i in 0..bytes {
            self.bytes.insert(address + u64::from(i), (term, i as u8));
        }
    }

    /// The condition must hold; `None` if it never does.
    fn require(&mut self, condition: TermId) -> Option<()> {
        let mut condition = condition;
        for i in 0..self.restrictions.len() {
            let not = self.machine.terms.not(self.restrictions[i]);
            condition = self.machine.terms.or(not, condition);
        }
        match self.machine.terms.as_constant(condition) {
            Some(1) => {}
            Some(_) => return None,
            None => {
                if !self.conditions.contains(&condition) {
                    self.conditions.push(condition);
                }
            }
        }
        Some(())
    }

    fn require_equal(&mut self, term: TermId, value: Value) -> Option<()> {
        let width = self.machine.terms.width(term);
        let value = match value.is_concrete() {
            true => self.machine.terms.constant(width, u128::from(value.bits)),
            false => value.term,
        };
        let equal = self.machine.terms.cmp(smt::CmpOp::Eq, term, value);
        self.require(equal)
    }

    fn require_address(&mut self, item: &Item, ptr: Slot, address: u64) -> Option<()> {
        let width = self.machine.pointer_bits();
        let pointer = self.register(item, ptr, width);
        self.require_equal(pointer, Value::concrete(address))
    }

    fn substitution(&mut self, conditions: &[TermId]) -> Option<Substitution> {
        let mut substitution = Substitution::default();
        for condition in conditions {
            let inputs: Vec<InputId> = self.machine.terms.support(*condition).to_vec();
            for input in inputs {
                if substitution.contains(input) {
                    continue;
                }
                let value = match self.machine.location_of(input) {
                    Some(Location::Register {
                        thread,
                        depth,
                        slot,
                        width,
                    }) => self.register_of(thread, depth, slot, width),
                    Some(Location::Cell { address, bytes }) => self.cell(address, bytes),
                    Some(Location::Result(thread)) => self.result(thread),
                    None => continue,
                };
                substitution.insert(input, value);
            }
        }
        Some(substitution)
    }

    fn term(&mut self, value: Value, width: u32) -> TermId {
        value.to_term(&mut self.machine.terms, width)
    }

    fn execute(&mut self, item: Item) -> Option<()> {
        let item = &item;
        let history = self.history;
        let program = self.program;
        let detail = history.details.get(item.detail);
        if item.is_note {
            let Some(Detail::Condition(condition)) = detail else {
                return None;
            };
            let condition = self
                .substitution(&[*condition])?
                .apply(&mut self.machine.terms, *condition);
            return self.require(condition);
        }
        let f = program.function(self.context(item).function);
        let pointer_bits = self.machine.pointer_bits();
        match self.code(item) {
            Code::Bin {
                op,
                bits,
                dst,
                a,
                b,
            } => {
                let width = u32::from(bits);
                let (x, y) = (self.register(item, a, width), self.register(item, b, width));
                if is_division(op) {
                    self.require_division(op, x, y, width)?;
                }
                let result = self.machine.terms.bin(bin_op(op), x, y);
                self.set(item, dst, result);
            }
            Code::Cmp {
                op,
                bits,
                dst,
                a,
                b,
            } => {
                let width = u32::from(bits);
                let (x, y) = (self.register(item, a, width), self.register(item, b, width));
                let result = self.machine.terms.cmp(cmp_op(op), x, y);
                self.set(item, dst, result);
            }
            Code::Cast {
                op,
                from,
                to,
                dst,
                src,
            } => {
                let term = self.register(item, src, u32::from(from));
                let value = Value { bits: 0, term };
                let result = self.machine.symbolic_cast(op, from, to, value);
                let result = self.term(result, u32::from(to));
                self.set(item, dst, result);
            }
            Code::Select {
                dst,
                cond,
                a,
                b,
                bits,
            } => {
                let width = u32::from(bits);
                let condition = self.register(item, cond, 1);
                let (x, y) = (self.register(item, a, width), self.register(item, b, width));
                let result = self.machine.terms.ite(condition, x, y);
                self.set(item, dst, result);
            }
            Code::FloatBin { dst, a, b, ty, .. } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(a, ty.bits(pointer_bits)), (b, ty.bits(pointer_bits))],
                    ty.bits(pointer_bits),
                )?;
            }
            Code::FloatCmp { dst, a, b, ty, .. } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(a, ty.bits(pointer_bits)), (b, ty.bits(pointer_bits))],
                    1,
                )?;
            }
            Code::FloatUnary { dst, src, ty, .. } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(src, ty.bits(pointer_bits))],
                    ty.bits(pointer_bits),
                )?;
            }
            Code::FloatCast {
                dst, src, from, to, ..
            } => {
                self.pure(
                    item,
                    detail?,
                    dst,
                    &[(src, from.bits(pointer_bits))],
                    to.bits(pointer_bits),
                )?;
            }
            Code::AddConst { dst, base, offset } => {
                let base = self.register(item, base, pointer_bits);
                let base = Value {
                    bits: 0,
                    term: base,
                };
                let sum = self.machine.symbolic_offset(base, offset, &[]);
                let sum = self.term(sum, pointer_bits);
                self.set(item, dst, sum);
            }
            Code::AddIndex {
                dst,
                base,
                index,
                bits,
                scale,
            } => {
                let base = self.register(item, base, pointer_bits);
                let index = self.register(item, index, u32::from(bits));
                let (base, index) = (
                    Value {
                        bits: 0,
                        term: base,
                    },
                    Value {
                        bits: 0,
                        term: index,
                    },
                );
                let indices = [(index, bits, i64::from(scale))];
                let sum = self.machine.symbolic_offset(base, 0, &indices);
                let sum = self.term(sum, pointer_bits);
                self.set(item, dst, sum);
            }
            Code::AddOffsets { dst, base, offsets } => {
                let offsets = &f.offsets[offsets as usize];
                let base = self.register(item, base, pointer_bits);
                let mut indices = Vec::new();
                for &(slot, bits, scale) in &offsets.indices {
                    let term = self.register(item, slot, u32::from(bits));
                    indices.push((Value { bits: 0, term }, bits, scale));
                }
                let base = Value {
                    bits: 0,
                    term: base,
                };
                let sum = self
                    .machine
                    .symbolic_offset(base, offsets.constant, &indices);
                let sum = self.term(sum, pointer_bits);
                self.set(item, dst, sum);
            }
            Code::Load { dst, ptr, bits, .. } => {
                let &Detail::Address(address) = detail? else {
                    return None;
                };
                self.require_address(item, ptr, address)?;
                let cell = self.cell(address, u32::from(bits).div_ceil(8));
                let value = self.resized(cell, u32::from(bits));
                self.set(item, dst, value);
            }
            Code::Store {
                ptr, value, bits, ..
            } => {
                let &Detail::Address(address) = detail? else {
                    return None;
                };
                self.require_address(item, ptr, address)?;
                let value = self.register(item, value, u32::from(bits));
                self.write(address, u32::from(bits).div_ceil(8), value);
            }
            Code::Rmw {
                op,
                ty,
                dst,
                ptr,
                value,
                ..
            } => {
                let &Detail::Address(address) = detail? else {
                    return None;
                };
                let width = ty.bits(pointer_bits);
                self.require_address(item, ptr, address)?;
                let old = self.cell(address, width.div_ceil(8));
                let old = self.resized(old, width);
                let operand = self.register(item, value, width);
                let new = self.machine.updated(op, width, old, operand)?;
                self.write(address, width.div_ceil(8), new);
                self.set(item, dst, old);
            }
            Code::CmpXchg {
                old,
                success,
                ptr,
                expected,
                new,
                bits,
                ..
            } => {
                let &Detail::Address(address) = detail? else {
                    return None;
                };
                let width = u32::from(bits);
                self.require_address(item, ptr, address)?;
                let found = self.cell(address, width.div_ceil(8));
                let found = self.resized(found, width);
                let wanted = self.register(item, expected, width);
                let op = match item.taken {
                    true => CmpOp::Eq,
                    false => CmpOp::Ne,
                };
                let condition = self.machine.terms.cmp(cmp_op(op), found, wanted);
                self.require(condition)?;
                if item.taken {
                    let new = self.register(item, new, width);
                    self.write(address, width.div_ceil(8), new);
                }
                self.set(item, old, found);
                let success_term = self.machine.terms.bool(item.taken);
                self.set(item, success, success_term);
            }
            Code::Fence(_) => {}
            Code::Alloca { dst, alloca } => {
                let &Detail::Fresh {
                    address,
                    bytes,
                    value,
                } = detail?
                else {
                    return None;
                };
                if let Some((count, bits)) = f.allocas[alloca as usize].count {
                    // The size of the object is part of what is the same.
                    let term = self.register(item, count, u32::from(bits));
                    let size = f.allocas[alloca as usize].size.max(1);
                    self.require_equal(term, Value::concrete(bytes / size))?;
                }
                self.forget(address, bytes);
                let value = self.term(value, pointer_bits);
                self.set(item, dst, value);
            }
            Code::TlsAddr { dst, .. } => {
                let &Detail::Value(value) = detail? else {
                    return None;
                };
                let value = self.term(value, pointer_bits);
                self.set(item, dst, value);
            }
            Code::Undef { dst, bits } => {
                let &Detail::Value(value) = detail? else {
                    return None;
                };
                let value = self.term(value, u32::from(bits));
                self.set(item, dst, value);
            }
            Code::Intrinsic { intrinsic } => self.intrinsic(item, detail?, intrinsic)?,
            Code::Jump(edge) => self.moves(item, f, edge),
            Code::CondBr { cond, then, other } => {
                let condition = self.register(item, cond, 1);
                let condition = match item.taken {
                    true => condition,
                    false => self.machine.terms.not(condition),
                };
                self.require(condition)?;
                self.moves(item, f, if item.taken { then } else { other });
            }
            Code::Switch { switch } => {
                let &Detail::Case(case) = detail? else {
                    return None;
                };
                let switch = &f.switches[switch as usize];
                let width = u32::from(switch.bits);
                let value = self.register(item, switch.value, width);
                for (i, (number, _)) in switch.cases.iter().enumerate() {
                    let number = self.machine.terms.constant(width, *number);
                    let op = match case {
                        Some(case) if case as usize == i => smt::CmpOp::Eq,
                        Some(_) => continue,
                        None => smt::CmpOp::Ne,
                    };
                    let condition = self.machine.terms.cmp(op, value, number);
                    self.require(condition)?;
                }
                let edge = case.map_or(switch.default, |i| switch.cases[i as usize].1);
                self.moves(item, f, edge);
            }
            Code::Ret { values } => self.ret(item, f, detail?, values)?,
            Code::Call { call } | Code::Invoke { call, .. } => {
                let call = &f.calls[call as usize];
                if item.taken {
                    self.shim(item, detail?, &call.args, &call.results)?;
                    if let Code::Invoke { normal, .. } = self.code(item) {
                        self.moves(item, f, normal);
                    }
                } else {
                    let callee = self.callee(item)?;
                    if let CallTarget::Indirect(slot) = call.target {
                        let address = program.layout.functions[callee.index()];
                        self.require_address(item, slot, address)?;
                    }
                    self.enter(item, callee, &call.args)?;
                }
            }
            Code::IndirectBr { .. }
            | Code::Resume { .. }
            | Code::UnsupportedAssembly { .. }
            | Code::UnsupportedInstruction { .. }
            | Code::Unreachable => return None,
        }
        Some(())
    }

    fn require_division(&mut self, op: BinOp, a: TermId, b: TermId, width: u32) -> Option<()> {
        let t = &mut self.machine.terms;
        let zero = t.constant(width, 0);
        let nonzero = t.cmp(smt::CmpOp::Ne, b, zero);
        self.require(nonzero)?;
        if matches!(op, BinOp::SDiv | BinOp::SRem) {
            let t = &mut self.machine.terms;
            let smallest = t.constant(width, 1 << (width - 1));
            let minus_one = t.constant(width, u128::MAX);
            let a = t.cmp(smt::CmpOp::Ne, a, smallest);
            let b = t.cmp(smt::CmpOp::Ne, b, minus_one);
            let fits = t.or(a, b);
            self.require(fits)?;
        }
        Some(())
    }

    /// The bytes may be anything from here on.
    fn forget(&mut self, address: u64, bytes: u64) {
        for at in address..address + bytes {
            let byte = self.machine.anything(8);
            self.bytes.insert(at, (byte, 0));
        }
    }

    fn moves(&mut self, item: &Item, f: &Function, edge: Edge) {
        if edge.moves == 0 {
            return;
        }
        let Context { thread, depth, .. } = self.context(item);
        for &(dst, src) in &f.moves[edge.moves as usize - 1] {
            self.copy_register((thread, depth, dst), (thread, depth, src), f);
        }
    }

    /// Registers are copied with the width that they have.
    fn copy_register(
        &mut self,
        to: (ThreadId, u32, Slot),
        from: (ThreadId, u32, Slot),
        f: &Function,
    ) {
        let term = match (f.constants.get(from.2 as usize), self.registers.get(&from)) {
            (Some(constant), _) => {
                let (width, bits) = (constant.width, constant.bits);
                self.machine.terms.constant(width, bits)
            }
            (None, Some(&term)) => term,
            (None, None) => {
                let width = self.width_of(f, from.2);
                self.machine.location(Location::Register {
                    thread: from.0,
                    depth: from.1,
                    slot: from.2,
                    width,
                })
            }
        };
        self.registers.insert(to, term);
    }

    /// The width of a register that is copied.
    fn width_of(&self, f: &Function, slot: Slot) -> u32 {
        f.widths.get(slot as usize).copied().map_or(64, u32::from)
    }

    fn pure(
        &mut self,
        item: &Item,
        detail: &Detail,
        dst: Slot,
        args: &[(Slot, u32)],
        width: u32,
    ) -> Option<()> {
        let Detail::Pure {
            args: values,
            result,
        } = detail
        else {
            return None;
        };
        for ((slot, width), value) in args.iter().zip(values) {
            let term = self.register(item, *slot, *width);
            self.require_equal(term, *value)?;
        }
        let result = self.term(*result, width);
        self.set(item, dst, result);
        Some(())
    }

    fn intrinsic(&mut self, item: &Item, detail: &Detail, intrinsic: u32) -> Option<()> {
        let f = self.program.function(self.context(item).function);
        let (op, results, args) = &f.intrinsics[intrinsic as usize];
        let bits = self.machine.pointer_bits();
        match detail {
            Detail::Value(value) => {
                for result in results {
                    let value = self.term(*value, result.ty.bits(bits));
                    self.set(item, result.slot, value);
                }
            }
            Detail::Copy { to, from, bytes } => {
                self.require_address(item, args[0].slot, *to)?;
                self.require_address(item, args[1].slot, *from)?;
                let length = self.register(item, args[2].slot, args[2].ty.bits(bits));
                self.require_equal(length, Value::concrete(*bytes))?;
                let copied: Vec<TermId> = (0..*bytes).map(|i| self.cell(from + i, 1)).collect();
                for (i, byte) in copied.into_iter().enumerate() {
                    self.write(to + i as u64, 1, byte);
                }
            }
            Detail::Fill { to, bytes } => {
                self.require_address(item, args[0].slot, *to)?;
                let length = self.register(item, args[2].slot, args[2].ty.bits(bits));
                self.require_equal(length, Value::concrete(*bytes))?;
                let byte = self.register(item, args[1].slot, 8);
                for at in *to..to + bytes {
                    self.write(at, 1, byte);
                }
            }
            Detail::Pure { .. } => {
                let width = args[0].ty.bits(bits);
                let mut terms = Vec::new();
                for arg in args {
                    terms.push(self.register(item, arg.slot, arg.ty.bits(bits)));
                }
                let (first, second) = self.machine.bit_intrinsic(*op, width, &terms);
                self.set(item, results[0].slot, first);
                if let (Some(second), Some(result)) = (second, results.get(1)) {
                    self.set(item, result.slot, second);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn enter(&mut self, item: &Item, callee: FuncId, args: &[Operand]) -> Option<()> {
        let Context { thread, depth, .. } = self.context(item);
        let g = self.program.function(callee);
        let bits = self.machine.pointer_bits();
        let params = &self.program.module.functions[callee].params;
        for (i, (slot, ty)) in g.params.iter().zip(params).enumerate() {
            let arg = args.get(i)?;
            let value = self.register(item, arg.slot, arg.ty.bits(bits));
            let value = self.resized(value, ty.bits(bits));
            self.registers.insert((thread, depth + 1, *slot), value);
        }
        Some(())
    }

    fn result(&mut self, thread: ThreadId) -> TermId {
        match self.results.get(&thread) {
            Some(&term) => term,
            None => self.machine.location(Location::Result(thread)),
        }
    }

    fn ret(&mut self, item: &Item, f: &Function, detail: &Detail, values: u32) -> Option<()> {
        let Context { thread, depth, .. } = self.context(item);
        if let Detail::End = detail {
            let bits = self.machine.pointer_bits();
            let value = match f.returns[values as usize].first() {
                Some(slot) => self.register(item, *slot, self.width_of(f, *slot)),
                None => self.machine.terms.constant(bits, 0),
            };
            let value = self.resized(value, bits);
            self.results.insert(thread, value);
            return Some(());
        }
        if let Detail::Stage { params } = detail {
            // What is handed on is one of the values returned, or the same whatever the state.
            for slot in &f.returns[values as usize] {
                let width = self.width_of(f, *slot);
                let term = self.register(item, *slot, width);
                let value = params.first()?.1;
                self.require_equal(term, value)?;
            }
            for (slot, value) in params {
                let width = value.is_concrete().then_some(64);
                let width = width.unwrap_or_else(|| self.machine.terms.width(value.term));
                let value = self.term(*value, width);
                self.registers.insert((thread, depth, *slot), value);
            }
            return Some(());
        }
        let &Detail::Return { function, pc } = detail else {
            return None;
        };
        let g = self.program.function(function);
        let (call, edge) = match g.code[pc] {
            Code::Call { call } => (call, None),
            Code::Invoke { call, normal, .. } => (call, Some(normal)),
            _ => return None,
        };
        let bits = self.machine.pointer_bits();
        let results = &g.calls[call as usize].results;
        for (i, result) in results.iter().enumerate() {
            let width = result.ty.bits(bits);
            let value = match f.returns[values as usize].get(i) {
                Some(slot) => self.register(item, *slot, self.width_of(f, *slot)),
                None => self.machine.terms.constant(width, 0),
            };
            let value = self.resized(value, width);
            self.registers
                .insert((thread, depth - 1, result.slot), value);
        }
        if let Some(edge) = edge
            && edge.moves != 0
        {
            for &(dst, src) in &g.moves[edge.moves as usize - 1] {
                self.copy_register((thread, depth - 1, dst), (thread, depth - 1, src), g);
            }
        }
        Some(())
    }

    fn shim(
        &mut self,
        item: &Item,
        detail: &Detail,
        args: &[Operand],
        results: &[Operand],
    ) -> Option<()> {
        let Detail::Shim(deed) = detail else {
            return None;
        };
        let bits = self.machine.pointer_bits();
        match deed.as_ref() {
            Deed::Nothing => {}
            Deed::Output { args: values } => {
                for (arg, value) in args.iter().zip(values) {
                    if arg.ty == Type::Ptr {
                        self.require_address(item, arg.slot, value.bits)?;
                    }
                }
                // What it returns depends on what it prints.
                if let Some(result) = results.first() {
                    let any = self.machine.anything(result.ty.bits(bits));
                    self.set(item, result.slot, any);
                }
            }
            Deed::Input(value) => {
                let result = results.first()?;
                let value = self.term(*value, result.ty.bits(bits));
                self.set(item, result.slot, value);
            }
            Deed::Exits => {
                let arg = args.first()?;
                let value = self.register(item, arg.slot, arg.ty.bits(bits));
                let value = self.resized(value, bits);
                let thread = self.context(item).thread;
                self.results.insert(thread, value);
            }
            Deed::Joins {
                args: values,
                thread,
                to,
                result,
            } => {
                for (arg, value) in args.iter().zip(values) {
                    let term = self.register(item, arg.slot, arg.ty.bits(bits));
                    self.require_equal(term, *value)?;
                }
                if let (Some(thread), true) = (thread, *to != 0) {
                    let value = self.result(*thread);
                    self.write(*to, bits / 8, value);
                }
                if let (Some(value), Some(result)) = (result, results.first()) {
                    let value = self.term(*value, result.ty.bits(bits));
                    self.set(item, result.slot, value);
                }
            }
            Deed::Requires | Deed::Restricts | Deed::Fails => {
                let arg = args.first()?;
                let width = arg.ty.bits(bits);
                let value = self.register(item, arg.slot, width);
                let zero = self.machine.terms.constant(width, 0);
                let holds = self.machine.terms.cmp(smt::CmpOp::Ne, value, zero);
                match deed.as_ref() {
                    Deed::Requires => self.require(holds)?,
                    Deed::Restricts => self.restrictions.push(holds),
                    _ => {
                        let fails = self.machine.terms.not(holds);
                        self.require(fails)?;
                    }
                }
            }
            Deed::Same {
                args: values,
                found,
                left,
                fresh,
                result,
                started,
            } => {
                for (arg, value) in args.iter().zip(values) {
                    let term = self.register(item, arg.slot, arg.ty.bits(bits));
                    self.require_equal(term, *value)?;
                }
                self.require_bytes(found)?;
                for (at, byte) in left {
                    let byte = self.machine.terms.constant(8, u128::from(*byte));
                    self.write(*at, 1, byte);
                }
                if let Some((base, size)) = fresh {
                    self.forget(*base, *size);
                }
                if let (Some(value), Some(result)) = (result, results.first()) {
                    let value = self.term(*value, result.ty.bits(bits));
                    self.set(item, result.slot, value);
                }
                if let Some((child, params)) = started {
                    let f = self.machine.first_function(*child)?;
                    for (slot, value) in params {
                        let width = self.width_of(self.program.function(f), *slot);
                        let value = self.term(*value, width);
                        self.registers.insert((*child, 0, *slot), value);
                    }
                }
            }
        }
        Some(())
    }

    /// Bytes are as they were, compared in groups of four where they lie so.
    fn require_bytes(&mut self, bytes: &[(u64, u8)]) -> Option<()> {
        let mut i = 0;
        while i < bytes.len() {
            let (at, _) = bytes[i];
            let is_word = at.is_multiple_of(4)
                && bytes.len() >= i + 4
                && (0..4).all(|k| bytes[i + k].0 == at + k as u64);
            let length = if is_word { 4 } else { 1 };
            let mut number = 0;
            for k in (0..length).rev() {
                number = number << 8 | u64::from(bytes[i + k].1);
            }
            let cell = self.cell(at, length as u32);
            self.require_equal(cell, Value::concrete(number))?;
            i += length;
        }
        Some(())
    }
}

#[derive(Default)]
struct Effect {
    defines: Vec<Part>,
    uses: Vec<Part>,
    /// It matters whether or not anybody asks for what it defines.
    always: bool,
}

fn moves(
    f: &Function,
    edge: Edge,
    effect: &mut Effect,
    uses: &mut Vec<Slot>,
    register: impl Fn(Slot) -> Part,
) {
    if edge.moves != 0 {
        for &(dst, src) in &f.moves[edge.moves as usize - 1] {
            effect.defines.push(register(dst));
            uses.push(src);
        }
    }
}

fn is_division(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
}

fn is_constant(f: &Function, slot: Slot) -> bool {
    (slot as usize) < f.constants.len()
}

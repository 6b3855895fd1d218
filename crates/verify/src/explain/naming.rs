//! What the source calls the parts of a state: registers, cells of memory, synchronisation objects.
//!
//! A register has a name where debug information says which variable it holds. Where it holds none,
//! it is named by what was read or called and the line where that was: `x@13` is what `x` was at
//! line 13.

use std::collections::BTreeMap;

use ir::debug::{DebugType, Encoding, LocId, TypeId};
use ir::{Body, Callee, Const, FuncId, Op, Symbol, ValueId};
use machine::{
    Guard, Location, Machine, Object, ObjectKind, Program, StateSnapshot, Status, ThreadId,
};

use smt::InputId;

use super::definitions::assignment;
use crate::names::Names;

/// What threads wait for at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    Lock,
    Semaphore,
    RwLock,
    Barrier,
    Once,
    Condition,
}

/// What is known of synchronisation objects, from threads that use them.
#[derive(Default)]
pub struct Syncs(BTreeMap<u64, Sync>);

impl Syncs {
    pub fn note(&mut self, snapshot: &StateSnapshot) {
        for stand in &snapshot.threads {
            let Status::Parked { guard, .. } = stand.status else {
                continue;
            };
            let (address, sync) = match guard {
                Guard::Zero(address) => (address, Sync::Lock),
                Guard::Positive(address) => (address, Sync::Semaphore),
                Guard::RwLock { address, .. } => (address, Sync::RwLock),
                Guard::Barrier { address, .. } => (address, Sync::Barrier),
                Guard::Once(address) => (address, Sync::Once),
                Guard::Leaving {
                    condition, mutex, ..
                }
                | Guard::Condition {
                    condition, mutex, ..
                } => {
                    self.0.insert(mutex, Sync::Lock);
                    (condition, Sync::Condition)
                }
                _ => continue,
            };
            self.0.insert(address, sync);
        }
    }

    /// The last one that begins there or before.
    fn before(&self, address: u64) -> Option<(Sync, u64)> {
        let (start, sync) = self.0.range(..=address).next_back()?;
        Some((*sync, *start))
    }
}

/// A part of the state.
pub enum Leaf<'a> {
    /// Something that the source names.
    Named {
        name: String,
        ty: Option<&'a DebugType>,
    },
    /// A word of a synchronisation object.
    Sync {
        sync: Sync,
        name: String,
        offset: u64,
    },
    /// What a thread leaves to the one that joins it.
    Result(String),
    /// Whatever it is: the condition is about all its values.
    Any(String),
}

/// A state at which threads stand so.
pub struct Scene<'a> {
    pub program: &'a Program,
    pub names: Names<'a>,
    pub machine: &'a Machine,
    pub snapshot: &'a StateSnapshot,
    pub syncs: &'a Syncs,
}

impl<'a> Scene<'a> {
    pub fn leaf(&self, input: InputId) -> Leaf<'a> {
        match self.machine.location_of(input) {
            Some(Location::Register {
                thread,
                depth,
                slot,
                ..
            }) => Leaf::Named {
                name: self.register(thread, depth, ValueId(slot)),
                ty: None,
            },
            Some(Location::Cell { address, bytes }) => self.cell(address, u64::from(bytes)),
            Some(Location::Result(thread)) => Leaf::Result(self.names.thread(thread)),
            None => Leaf::Any(self.input(input)),
        }
    }

    /// `T1.0.nondet_int`: the first input of T1.
    fn input(&self, input: InputId) -> String {
        let name = self.machine.terms.input_name(input);
        let mut parts = name.splitn(3, '.');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(thread), Some(index), Some(what)) => {
                let thread = if thread == "T0" { "main" } else { thread };
                let number = index.parse::<u32>().map_or(0, |index| index + 1);
                format!("{what}#{number}@{thread}")
            }
            _ => "anything".to_string(),
        }
    }

    // ----- memory -----

    fn cell(&self, address: u64, bytes: u64) -> Leaf<'a> {
        let seen = self.syncs.before(address);
        let seen = seen.filter(|(_, start)| self.is_part_of(address, *start));
        if let Some((sync, start)) = seen.or_else(|| self.declared(address)) {
            return Leaf::Sync {
                sync,
                name: self.sync_object(start),
                offset: address - start,
            };
        }
        let ty = self.snapshot.object_at(address).and_then(|object| {
            let (_, ty) = self.names.object(object);
            let scalar = self.names.scalar(ty?, address - object.base)?;
            (self.size(scalar) == Some(bytes)).then_some(scalar)
        });
        let name = self.memory(address, bytes);
        // A part of something, or several at once.
        let is_whole = ty.is_some() || self.is_untyped(address);
        let name = match is_whole {
            true => name,
            false => format!("*({} *)&{name}", c_type(8 * bytes as u32, true)),
        };
        Leaf::Named { name, ty }
    }

    /// Whether it lies in the synchronisation object that begins there: what the system's headers
    /// put into one has names that programs do not use.
    fn is_part_of(&self, address: u64, start: u64) -> bool {
        if address == start {
            return true;
        }
        let name = self.memory(address, 1);
        let is_inside = self.sync_object(address) == self.sync_object(start);
        is_inside && name.contains(".__")
    }

    /// The synchronisation object around the address, by what the system's headers call its inside.
    fn declared(&self, address: u64) -> Option<(Sync, u64)> {
        let object = self.snapshot.object_at(address)?;
        let debug = &self.program.module.debug;
        let mut ty = self.names.object(object).1?;
        let mut start = object.base;
        loop {
            match &debug.types[ty] {
                DebugType::Record { members, .. } => {
                    let inside = members.iter().find(|m| m.name == "__data");
                    if let Some(DebugType::Record { name, .. }) = inside.map(|m| &debug.types[m.ty])
                    {
                        return match name.as_str() {
                            "__pthread_mutex_s" => Some((Sync::Lock, start)),
                            "__pthread_cond_s" => Some((Sync::Condition, start)),
                            "__pthread_rwlock_arch_t" => Some((Sync::RwLock, start)),
                            _ => None,
                        };
                    }
                    let offset = address - start;
                    let member = members.iter().rev().find(|m| {
                        m.offset <= offset && offset < m.offset + self.names.size(m.ty)
                    })?;
                    start += member.offset;
                    ty = member.ty;
                }
                DebugType::Array { element, .. } => {
                    let size = self.names.size(*element).max(1);
                    start += (address - start) / size * size;
                    ty = *element;
                }
                _ => return None,
            }
        }
    }

    fn is_untyped(&self, address: u64) -> bool {
        let object = self.snapshot.object_at(address);
        object.is_none_or(|object| self.names.object(object).1.is_none())
    }

    fn size(&self, ty: &DebugType) -> Option<u64> {
        match ty {
            DebugType::Base { bytes, .. } | DebugType::Enum { bytes, .. } => Some(*bytes),
            DebugType::Pointer { .. } => Some(self.program.module.pointer_bytes()),
            _ => None,
        }
    }

    /// What the source calls the bytes there.
    pub fn memory(&self, address: u64, bytes: u64) -> String {
        let Some(object) = self.snapshot.object_at(address) else {
            return format!("address {address:#x}");
        };
        let offset = address - object.base;
        let (name, ty) = self.names.object(object);
        let is_ambiguous = match object.kind {
            ObjectKind::Stack { .. } => self.is_ambiguous(&name),
            ObjectKind::Heap { .. } => {
                let same = |o: &&Object| self.names.object(o).0 == name;
                self.snapshot.objects.iter().filter(same).count() > 1
            }
            _ => false,
        };
        let name = match self.owner(address) {
            Some(thread) if is_ambiguous => format!("{}:{name}", self.names.thread(thread)),
            _ => name,
        };
        match ty {
            Some(ty) => format!("{name}{}", self.names.path(ty, offset, bytes)),
            None if offset == 0 => name,
            None => format!("{name}+{offset}"),
        }
    }

    pub fn is_object(&self, address: u64) -> bool {
        self.snapshot.object_at(address).is_some()
    }

    /// Without what the system's headers put inside it: `m`, not `m.__data.__lock`.
    pub fn sync_object(&self, address: u64) -> String {
        let mut name = self.memory(address, 1);
        while let Some(dot) = name.rfind('.')
            && name[dot + 1..].starts_with("__")
        {
            name.truncate(dot);
        }
        name
    }

    /// The thread on whose stack or heap it lies.
    fn owner(&self, address: u64) -> Option<ThreadId> {
        let (arena, _) = self.machine.state.memory.space.locate(address)?;
        let mut threads = self.snapshot.threads.iter().map(|s| s.thread);
        threads.find(|thread| thread.stack() == arena || thread.heap() == arena)
    }

    // ----- registers -----

    fn register(&self, thread: ThreadId, depth: u32, value: ValueId) -> String {
        let who = self.names.thread(thread);
        let unknown = || format!("a value of {who}");
        let stand = self.snapshot.threads.iter().find(|s| s.thread == thread);
        let frame = stand.and_then(|s| s.frames.get(depth as usize));
        let Some(&(function, pc)) = frame else {
            return match stand {
                Some(_) => unknown(),
                None => format!("the argument of {who}"),
            };
        };
        let Some(body) = &self.program.module.functions[function].body else {
            return unknown();
        };
        let Some(entry) = body.values.get(value) else {
            return format!("iterations of a loop of {who}");
        };
        let (name, is_ambiguous) = match &entry.name {
            Some(name) if self.is_latest(function, body, value, pc) => {
                (name.clone(), self.is_ambiguous(name))
            }
            Some(name) => (self.dated(name, body, value), self.is_ambiguous(name)),
            None => (self.unnamed(body, value), self.is_twice(function)),
        };
        if !is_ambiguous {
            return name;
        }
        let frames = stand.map_or(&[][..], |s| s.frames.as_slice());
        let again = frames.iter().filter(|f| f.0 == function).count() > 1;
        match again {
            true => format!("{who}:{}#{depth}:{name}", self.names.function(function)),
            false => format!("{who}:{name}"),
        }
    }

    /// More than one frame, or a frame and the program, have a variable of that name.
    fn is_ambiguous(&self, name: &str) -> bool {
        let frames = self.snapshot.threads.iter().flat_map(|s| &s.frames);
        let holders = frames.filter(|(function, _)| self.has_local(*function, name));
        let globals = self.program.module.globals.iter();
        let global = globals.filter(|g| g.var.is_some_and(|v| self.variable(v) == name));
        holders.count() + global.count() > 1
    }

    fn variable(&self, var: ir::debug::VarId) -> &str {
        &self.program.module.debug.vars[var].name
    }

    fn has_local(&self, function: FuncId, name: &str) -> bool {
        let Some(body) = &self.program.module.functions[function].body else {
            return false;
        };
        let is_named = |value: &ir::Value| value.name.as_deref() == Some(name);
        let is_here = |op: &Op| match op {
            Op::Alloca { var: Some(var), .. } => self.variable(*var) == name,
            _ => false,
        };
        let mut insts = body.blocks.iter().flat_map(|b| &b.insts);
        body.values.iter().any(is_named) || insts.any(|i| is_here(&i.op))
    }

    fn is_twice(&self, function: FuncId) -> bool {
        let frames = self.snapshot.threads.iter().flat_map(|s| &s.frames);
        frames.filter(|f| f.0 == function).count() > 1
    }

    /// Whether the variable has been given no other value since, as far as the block tells.
    fn is_latest(&self, function: FuncId, body: &Body, value: ValueId, pc: u32) -> bool {
        let name = &body.values[value].name;
        let code = self.program.function(function);
        let Some(&(block, index)) = code.origins.get(pc as usize) else {
            return true;
        };
        let block = &body.blocks[block];
        let before = block.insts.iter().take(index as usize).rev();
        for inst in before {
            let mut last = None;
            inst.op.for_each_result(|result| {
                if body.values[result].name == *name {
                    last = Some(result);
                }
            });
            if let Some(last) = last {
                return last == value;
            }
        }
        let mut params = block.params.iter();
        params
            .find(|p| body.values[**p].name == *name)
            .is_none_or(|p| *p == value)
    }

    fn dated(&self, name: &str, body: &Body, value: ValueId) -> String {
        match self.names.file_and_line(defined_at(body, value)) {
            Some((_, line)) => format!("{name}@{line}"),
            None => name.to_string(),
        }
    }

    fn unnamed(&self, body: &Body, value: ValueId) -> String {
        if let Some(what) = self.source_of(body, value) {
            return self.dated(&what, body, value);
        }
        let line = |value| self.names.file_and_line(defined_at(body, value));
        let nameless = |v: &ValueId| {
            let entry = &body.values[*v];
            entry.name.is_none() && entry.constant.is_none() && line(*v) == line(value)
        };
        let alike = body.values.ids().filter(nameless);
        let alike: Vec<ValueId> = alike
            .filter(|v| self.source_of(body, *v).is_none())
            .collect();
        let name = self.dated("value", body, value);
        match alike.iter().position(|v| *v == value) {
            Some(index) if alike.len() > 1 => format!("{name}#{}", index + 1),
            _ => name,
        }
    }

    /// What was read or called to get the value.
    fn source_of(&self, body: &Body, value: ValueId) -> Option<String> {
        match assignment(body, value)? {
            Op::Load { ptr, .. } | Op::Rmw { ptr, .. } | Op::CmpXchg { ptr, .. } => {
                self.pointed_at(body, *ptr)
            }
            Op::Call(call) => match call.callee {
                Callee::Direct(f) => Some(format!("{}()", self.names.function(f))),
                Callee::Indirect(_) => None,
            },
            _ => None,
        }
    }

    /// What lies where the pointer points to, if that is plain.
    pub fn pointed_at(&self, body: &Body, pointer: ValueId) -> Option<String> {
        let entry = &body.values[pointer];
        if let Some(Const::Address(Symbol::Global(global), offset)) = entry.constant {
            return Some(self.in_global(global, offset));
        }
        if let Some(name) = &entry.name {
            return Some(format!("*{name}"));
        }
        match assignment(body, pointer)? {
            Op::Alloca { var: Some(var), .. } => Some(self.variable(*var).to_string()),
            Op::PtrAdd {
                base,
                offset,
                indices,
                record,
                ..
            } => self.at_offset(body, *base, *offset, indices, *record),
            _ => None,
        }
    }

    fn in_global(&self, global: ir::GlobalId, offset: i64) -> String {
        let global = &self.program.module.globals[global];
        let path = global.var.and_then(|var| {
            let var = &self.program.module.debug.vars[var];
            let path = self.names.path(var.ty?, u64::try_from(offset).ok()?, 1);
            Some(format!("{}{path}", var.name))
        });
        path.unwrap_or_else(|| global.name.clone())
    }

    /// `p->next`, `slot[i]`
    fn at_offset(
        &self,
        body: &Body,
        base: ValueId,
        offset: i64,
        indices: &[(ValueId, i64)],
        record: Option<TypeId>,
    ) -> Option<String> {
        let entry = &body.values[base];
        let offset = u64::try_from(offset).ok()?;
        match (indices, &entry.name, entry.constant, record) {
            ([], Some(name), _, Some(record)) => {
                let path = self.names.path(record, offset, 1);
                Some(format!("{name}->{}", path.trim_start_matches('.')))
            }
            ([(index, _)], _, Some(Const::Address(Symbol::Global(global), 0)), _)
                if offset == 0 =>
            {
                let var = self.program.module.globals[global].var?;
                let index = named_through_casts(body, *index);
                let index = index.unwrap_or("...");
                Some(format!("{}[{index}]", self.variable(var)))
            }
            ([(index, _)], Some(name), _, _) if offset == 0 => {
                let index = named_through_casts(body, *index);
                Some(format!("{name}[{}]", index.unwrap_or("...")))
            }
            _ => None,
        }
    }
}

fn named_through_casts(body: &Body, value: ValueId) -> Option<&str> {
    match (&body.values[value].name, assignment(body, value)) {
        (Some(name), _) => Some(name),
        (None, Some(Op::Cast { src, .. })) => named_through_casts(body, *src),
        _ => None,
    }
}

fn defined_at(body: &Body, value: ValueId) -> LocId {
    for block in &body.blocks {
        for inst in &block.insts {
            let mut found = false;
            inst.op.for_each_result(|result| found |= result == value);
            if found {
                return inst.loc;
            }
        }
        if block.params.contains(&value) {
            return block.insts.first().map_or(block.terminator_loc, |i| i.loc);
        }
    }
    LocId(0)
}

/// The type of so many bits.
pub fn c_type(width: u32, signed: bool) -> String {
    let name = match width {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long",
        _ => "_BitInt",
    };
    let name = match name {
        "_BitInt" => format!("_BitInt({width})"),
        name => name.to_string(),
    };
    match (signed, width) {
        (true, 8) => "signed char".to_string(),
        (true, _) => name,
        (false, _) => format!("unsigned {name}"),
    }
}

/// `None`: either, or neither.
pub fn is_signed(ty: &DebugType) -> Option<bool> {
    match ty {
        DebugType::Base { encoding, .. } => match encoding {
            Encoding::Signed => Some(true),
            Encoding::Unsigned | Encoding::Bool => Some(false),
            // Debug information here does not tell the two kinds of characters apart.
            Encoding::Char | Encoding::Float => None,
        },
        DebugType::Pointer { .. } => Some(false),
        DebugType::Enum { variants, .. } => Some(variants.iter().any(|(_, v)| *v < 0)),
        _ => None,
    }
}

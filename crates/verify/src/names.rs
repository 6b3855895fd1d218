//! Names for a report: places, threads, and memory as the source calls it (`queue.items[3].next`).

use ir::debug::{DebugType, Encoding, LocId, TypeId};
use machine::{Machine, Object, ObjectKind, Program, ThreadId, Value};

use crate::harness::shapes::{KnownField, KnownObject};

pub struct Names<'a> {
    program: &'a Program,
    /// Objects of a driver.
    known: Vec<KnownObject>,
}

impl<'a> Names<'a> {
    pub fn new(program: &'a Program) -> Names<'a> {
        Names::with(program, Vec::new())
    }

    pub(crate) fn with(program: &'a Program, known: Vec<KnownObject>) -> Names<'a> {
        Names { program, known }
    }

    /// `file:line:column`; `None` where it is unknown.
    pub fn location(&self, loc: LocId) -> Option<String> {
        let debug = &self.program.module.debug;
        let loc = debug.locs[loc];
        loc.is_known()
            .then(|| format!("{}:{}:{}", debug.files[loc.file], loc.line, loc.column))
    }

    pub fn file_and_line(&self, loc: LocId) -> Option<(&'a str, u32)> {
        let debug = &self.program.module.debug;
        let place = debug.locs[loc];
        place
            .is_known()
            .then(|| (debug.files[place.file].as_str(), place.line))
    }

    pub fn thread(&self, thread: ThreadId) -> String {
        if thread == ThreadId::MAIN {
            "main".to_string()
        } else {
            thread.to_string()
        }
    }

    pub fn function(&self, function: ir::FuncId) -> &'a str {
        let f = &self.program.module.functions[function];
        if f.source_name.is_empty() {
            &f.name
        } else {
            &f.source_name
        }
    }

    /// What the source calls `bytes` bytes at `address`.
    pub fn memory(&self, machine: &Machine, address: u64, bytes: u64) -> String {
        if let Some(name) = self.in_known_object(address) {
            return name;
        }
        let Some(id) = machine.state.memory.object_at(address) else {
            return format!("address {address:#x}");
        };
        let object = machine.state.memory.object(id);
        let offset = address - object.base;
        let (name, ty) = self.object(object);
        match ty {
            Some(ty) => format!("{name}{}", self.path(ty, offset, bytes)),
            None if offset == 0 => name,
            None => format!("{name}+{offset}"),
        }
    }

    fn known_object(&self, address: u64) -> Option<&KnownObject> {
        let is_here = |o: &&KnownObject| address.wrapping_sub(o.base) < o.bytes;
        self.known.iter().find(is_here)
    }

    fn known_field(&self, address: u64) -> Option<&KnownField> {
        let object = self.known_object(address)?;
        let offset = address - object.base;
        let is_here = |f: &&KnownField| offset.wrapping_sub(f.offset) < f.bytes;
        object.fields.iter().find(is_here)
    }

    /// `q->head`, in an object of a driver.
    fn in_known_object(&self, address: u64) -> Option<String> {
        let object = self.known_object(address)?;
        let name = &object.name;
        Some(match self.known_field(address) {
            Some(field) if field.name.is_empty() => format!("*{name}"),
            Some(field) => format!("{name}->{}", field.name),
            None => format!("{name}+{}", address - object.base),
        })
    }

    /// What a driver calls the block of memory that begins here.
    pub fn known_block(&self, address: u64) -> Option<&str> {
        let mut known = self.known.iter();
        let object = known.find(|object| object.base == address)?;
        Some(&object.name)
    }

    /// A mutex, condition or the like, without what the system's headers put inside it (`m`, not
    /// `m.__data.__lock`).
    pub fn sync_object(&self, machine: &Machine, address: u64) -> String {
        let mut name = self.memory(machine, address, 1);
        while let Some(dot) = name.rfind('.')
            && name[dot + 1..].starts_with('_')
        {
            name.truncate(dot);
        }
        name
    }

    /// The object's name, and its type where the source declares one.
    pub fn object(&self, object: &Object) -> (String, Option<TypeId>) {
        let module = &self.program.module;
        let variable = |var: Option<ir::debug::VarId>, fallback: &str| match var {
            Some(var) => (
                module.debug.vars[var].name.clone(),
                module.debug.vars[var].ty,
            ),
            None => (fallback.to_string(), None),
        };
        match object.kind {
            ObjectKind::Global(id) | ObjectKind::ThreadLocal(id, _) => {
                let global = &module.globals[id];
                variable(global.var, &global.name)
            }
            ObjectKind::Stack { function, var } => {
                variable(var, &format!("a local of {}", self.function(function)))
            }
            ObjectKind::Function(function) => (self.function(function).to_string(), None),
            ObjectKind::Heap { loc, thread } => {
                let place = self
                    .file_and_line(loc)
                    .map_or(String::new(), |(_, line)| format!("@{line}"));
                // Every thread counts its own.
                let whose = match thread {
                    ThreadId::MAIN => String::new(),
                    thread => format!("{thread}."),
                };
                (format!("heap{place}#{whose}{}", object.serial), None)
            }
            ObjectKind::Internal(what) | ObjectKind::Text(what) => (what.to_string(), None),
            ObjectKind::Undefined(id) => (module.globals[id].name.clone(), None),
        }
    }

    /// `.items[3].next` for an offset into a value of type `ty`.
    pub fn path(&self, ty: TypeId, offset: u64, bytes: u64) -> String {
        let debug = &self.program.module.debug;
        let mut path = String::new();
        let (mut ty, mut offset) = (ty, offset);
        loop {
            match &debug.types[ty] {
                DebugType::Record { members, .. } => {
                    let size = |t: TypeId| self.size(t);
                    let member = members
                        .iter()
                        .rev()
                        .find(|m| m.offset <= offset && offset < m.offset + size(m.ty).max(1));
                    let Some(member) = member else { break };
                    if !member.name.is_empty() {
                        path.push('.');
                        path.push_str(&member.name);
                    }
                    offset -= member.offset;
                    ty = member.ty;
                }
                DebugType::Array { element, .. } => {
                    let size = self.size(*element);
                    if size == 0 || (offset == 0 && bytes > size) {
                        break;
                    }
                    path.push_str(&format!("[{}]", offset / size));
                    offset %= size;
                    ty = *element;
                }
                _ => break,
            }
        }
        if offset != 0 {
            path.push_str(&format!("+{offset}"));
        }
        path
    }

    pub fn size(&self, ty: TypeId) -> u64 {
        match &self.program.module.debug.types[ty] {
            DebugType::Base { bytes, .. }
            | DebugType::Record { bytes, .. }
            | DebugType::Enum { bytes, .. } => *bytes,
            DebugType::Pointer { .. } => self.program.module.pointer_bytes(),
            DebugType::Array { element, count } => self.size(*element) * count,
            DebugType::Opaque { .. } => 0,
        }
    }

    /// The scalar type at an offset, for showing values.
    pub fn scalar(&self, ty: TypeId, offset: u64) -> Option<&'a DebugType> {
        let debug = &self.program.module.debug;
        let (mut ty, mut offset) = (ty, offset);
        loop {
            match &debug.types[ty] {
                DebugType::Record { members, .. } => {
                    let member = members.iter().rev().find(|m| {
                        m.offset <= offset && offset < m.offset + self.size(m.ty).max(1)
                    })?;
                    offset -= member.offset;
                    ty = member.ty;
                }
                DebugType::Array { element, .. } => {
                    let size = self.size(*element);
                    if size == 0 {
                        return None;
                    }
                    offset %= size;
                    ty = *element;
                }
                scalar => return Some(scalar),
            }
        }
    }

    /// A value as the source would write it, given where it lies in memory.
    pub fn value(&self, machine: &Machine, address: u64, bytes: u32, value: Value) -> String {
        let Some(bits) = value.known(&machine.terms) else {
            return "?".to_string();
        };
        let width = 8 * bytes;
        let ty = machine.state.memory.object_at(address).and_then(|id| {
            let object = machine.state.memory.object(id);
            let (_, ty) = self.object(object);
            self.scalar(ty?, address - object.base)
        });
        let signed = || {
            let shift = 128 - width.clamp(1, 128);
            ((bits << shift) as i128) >> shift
        };
        let field = self.known_field(address);
        if field.is_some_and(|field| field.is_pointer) {
            return self.pointer(machine, bits as u64);
        }
        let encoding = match ty {
            Some(DebugType::Base { encoding, .. }) => Some(*encoding),
            _ => field.and_then(|field| field.encoding),
        };
        if let Some(encoding) = encoding {
            return match encoding {
                Encoding::Signed => signed().to_string(),
                Encoding::Unsigned => bits.to_string(),
                Encoding::Bool => (bits != 0).to_string(),
                Encoding::Char if (32..127).contains(&bits) => format!("'{}'", bits as u8 as char),
                Encoding::Char => signed().to_string(),
                Encoding::Float if bytes == 4 => f32::from_bits(bits as u32).to_string(),
                Encoding::Float if bytes == 8 => f64::from_bits(bits as u64).to_string(),
                Encoding::Float => format!("{bits:#x}"),
            };
        }
        match ty {
            Some(DebugType::Enum { variants, .. }) => variants
                .iter()
                .find(|(_, v)| *v == signed())
                .map_or_else(|| signed().to_string(), |(name, _)| name.clone()),
            Some(DebugType::Pointer { .. }) => self.pointer(machine, bits as u64),
            _ if bytes == self.program.module.pointer_bytes() as u32
                && machine.state.memory.object_at(bits as u64).is_some() =>
            {
                self.pointer(machine, bits as u64)
            }
            _ => signed().to_string(),
        }
    }

    fn pointer(&self, machine: &Machine, address: u64) -> String {
        if address == 0 {
            return "NULL".to_string();
        }
        if let Some(block) = self.known_block(address) {
            return block.to_owned();
        }
        match machine.state.memory.object_at(address) {
            Some(_) => format!("&{}", self.memory(machine, address, 1)),
            None => format!("{address:#x}"),
        }
    }
}

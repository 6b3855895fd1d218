//! The structures that the inputs of an execution are, as text: `q -> {head -> A, tail -> A}`. Only
//! what the program looked at is shown: the rest may be anything.

use std::collections::{BTreeSet, HashSet};

use ir::debug::Encoding;
use machine::{Event, EventKind, Machine};

use super::structure::{Part, Slot, What};
use super::{Made, is_set_up, text};

/// So many bytes of a pointer tell on every target whether it was looked at: it is read whole.
const POINTER: u64 = 4;

/// The structures of one execution.
pub(crate) struct Shapes<'a> {
    made: &'a Made,
    /// Which target each slot has chosen, from 1; 0 is null.
    choices: Vec<usize>,
    /// Of each object the bytes of its parts, where these are inputs.
    data: Vec<Vec<Vec<u8>>>,
    /// Where the objects are.
    bases: Vec<u64>,
    /// What they are called: `q` is what the input `q` points to.
    names: Vec<Option<String>>,
    /// Bytes that were read before they were written: object and offset.
    looked_at: HashSet<(usize, u64)>,
}

/// An object that the driver has made, for the names in a report.
pub(crate) struct KnownObject {
    pub base: u64,
    pub bytes: u64,
    pub name: String,
    pub fields: Vec<KnownField>,
}

/// A part of such an object.
pub(crate) struct KnownField {
    pub offset: u64,
    pub bytes: u64,
    pub name: String,
    /// `None`: a pointer, or what is no value.
    pub encoding: Option<Encoding>,
    pub is_pointer: bool,
}

impl<'a> Shapes<'a> {
    /// `None` if the execution ended before there were any.
    pub fn of(made: &'a Made, machine: &Machine, events: &[Event]) -> Option<Shapes<'a>> {
        let module = &machine.program.module;
        let is_driver = |event: &&Event| is_set_up(&module.functions[event.function].name);
        let mut inputs = events.iter().filter(is_driver).filter_map(|event| {
            let EventKind::Input { value, .. } = &event.kind else {
                return None;
            };
            value.known(&machine.terms)
        });
        let structure = &made.structure;
        let mut choices = Vec::new();
        for _ in &structure.slots {
            choices.push(inputs.next()? as usize);
        }
        let mut data = Vec::new();
        for object in &structure.objects {
            let mut parts = Vec::new();
            for part in &object.parts {
                let mut bytes = Vec::new();
                if let Part::Data { bytes: wanted, .. } = part {
                    for piece in pieces(*wanted) {
                        let value = inputs.next()?;
                        bytes.extend(&value.to_le_bytes()[..piece as usize]);
                    }
                }
                parts.push(bytes);
            }
            data.push(parts);
        }
        let mut shapes = Shapes {
            made,
            choices,
            data,
            bases: bases(machine, structure.objects.len())?,
            names: vec![None; structure.objects.len()],
            looked_at: HashSet::new(),
        };
        shapes.name();
        let rest = events.iter().filter(|event| !is_driver(event));
        shapes.look(rest);
        Some(shapes)
    }

    fn target(&self, slot: usize) -> Option<(usize, u64)> {
        let target = self.made.structure.target(slot, &self.choices)?;
        Some((target.object, target.offset))
    }

    fn slots_of(&self, object: usize) -> impl Iterator<Item = usize> + '_ {
        let parts = self.made.structure.objects[object].parts.iter();
        parts.filter_map(|part| match part {
            Part::Slot(slot) => Some(*slot),
            _ => None,
        })
    }

    /// What an input points to is called as the input; other objects are A, B, ... in the order in
    /// which they are come to.
    fn name(&mut self) {
        let objects = &self.made.structure.objects;
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut order = Vec::new();
        for (i, object) in objects.iter().enumerate() {
            let What::Input { symbol } = &object.what else {
                continue;
            };
            taken.insert(symbol.clone());
            order.push(i);
            let parts = &object.parts;
            if let [Part::Slot(slot)] = parts.as_slice()
                && self.made.structure.slots[*slot].label == *symbol
                && let Some((to, 0)) = self.target(*slot)
                && objects[to].what == What::New
                && self.names[to].is_none()
            {
                self.names[to] = Some(symbol.clone());
            }
        }
        let mut letters = (0..).map(|n: u32| {
            let letter = char::from(b'A' + (n % 26) as u8);
            match n / 26 {
                0 => letter.to_string(),
                round => format!("{letter}{round}"),
            }
        });
        let mut seen: BTreeSet<usize> = order.iter().copied().collect();
        let mut next = 0;
        while let Some(&object) = order.get(next) {
            next += 1;
            let targets: Vec<usize> = self
                .slots_of(object)
                .filter_map(|slot| Some(self.target(slot)?.0))
                .collect();
            for to in targets {
                if !seen.insert(to) {
                    continue;
                }
                order.push(to);
                if self.names[to].is_none() {
                    self.names[to] = letters.find(|letter| !taken.contains(letter));
                }
            }
        }
    }

    fn look<'e>(&mut self, events: impl Iterator<Item = &'e Event>) {
        let mut written: HashSet<u64> = HashSet::new();
        for event in events {
            let (address, bytes, reads, writes) = match event.kind {
                EventKind::Read { address, bytes, .. } => (address, bytes, true, false),
                EventKind::Write { address, bytes, .. } => (address, bytes, false, true),
                EventKind::Update { address, bytes, .. }
                | EventKind::CompareExchange { address, bytes, .. } => (address, bytes, true, true),
                _ => continue,
            };
            for at in address..address + u64::from(bytes) {
                if reads
                    && !written.contains(&at)
                    && let Some(place) = self.place(at)
                {
                    self.looked_at.insert(place);
                }
                if writes {
                    written.insert(at);
                }
            }
        }
    }

    fn place(&self, address: u64) -> Option<(usize, u64)> {
        let objects = self.made.structure.objects.iter();
        let mut all = objects.zip(&self.bases).enumerate();
        all.find_map(|(i, (object, base))| {
            let offset = address.wrapping_sub(*base);
            (offset < object.bytes).then_some((i, offset))
        })
    }

    fn is_looked_at(&self, object: usize, offset: u64, bytes: u64) -> bool {
        (offset..offset + bytes).any(|at| self.looked_at.contains(&(object, at)))
    }

    /// One line for each input, and for each object that a pointer leads to which was looked at.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut open = Vec::new();
        for (i, object) in self.made.structure.objects.iter().enumerate() {
            let What::Input { symbol } = &object.what else {
                break;
            };
            if !self.is_looked_at(i, 0, object.bytes) {
                continue;
            }
            match object.parts.as_slice() {
                [Part::Slot(slot)] if self.made.structure.slots[*slot].label == *symbol => {
                    match self.target(*slot) {
                        Some((to, 0)) if self.names[to].as_ref() == Some(symbol) => open.push(to),
                        _ => lines.push(self.pointer(symbol, *slot)),
                    }
                }
                [part @ Part::Data { field, .. }] if field == symbol => {
                    lines.push(format!("{symbol}: {}", self.value(i, 0, part)));
                }
                _ => lines.push(format!("{symbol}: {}", self.fields(i))),
            }
            open.extend(self.looked_at_targets(i));
        }
        let mut seen = BTreeSet::new();
        let mut next = 0;
        while let Some(&object) = open.get(next) {
            next += 1;
            let is_input = matches!(self.made.structure.objects[object].what, What::Input { .. });
            if is_input || !seen.insert(object) {
                continue;
            }
            let name = self.names[object].as_deref().unwrap_or("?");
            lines.push(format!("{name} -> {}", self.fields(object)));
            open.extend(self.looked_at_targets(object));
        }
        lines
    }

    fn looked_at_targets(&self, object: usize) -> Vec<usize> {
        let slots = self.slots_of(object).filter(|slot| {
            let offset = self.made.structure.slots[*slot].offset;
            self.is_looked_at(object, offset, POINTER)
        });
        slots
            .filter_map(|slot| Some(self.target(slot)?.0))
            .collect()
    }

    fn fields(&self, object: usize) -> String {
        let parts = &self.made.structure.objects[object].parts;
        let own = |field: &str| {
            let name = match &self.made.structure.objects[object].what {
                What::Input { symbol } => field.strip_prefix(symbol.as_str()).unwrap_or(field),
                What::New => field,
            };
            name.trim_start_matches('.').to_owned()
        };
        let mut shown = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            match part {
                Part::Slot(slot) => {
                    let Slot { offset, field, .. } = &self.made.structure.slots[*slot];
                    if self.is_looked_at(object, *offset, POINTER) {
                        shown.push(self.pointer(&own(field), *slot));
                    }
                }
                Part::Data {
                    offset,
                    bytes,
                    field,
                    ..
                } if self.is_looked_at(object, *offset, *bytes) => {
                    let value = self.value(object, index, part);
                    shown.push(match own(field) {
                        field if field.is_empty() => value,
                        field => format!("{field}: {value}"),
                    });
                }
                _ => {}
            }
        }
        match shown.is_empty() {
            true => "{...}".to_owned(),
            false => format!("{{{}}}", shown.join(", ")),
        }
    }

    fn pointer(&self, name: &str, slot: usize) -> String {
        let to = match self.target(slot) {
            None => return format!("{name}: null"),
            Some((object, offset)) => self.address(object, offset),
        };
        match name {
            "" => format!("-> {to}"),
            name => format!("{name} -> {to}"),
        }
    }

    fn address(&self, object: usize, offset: u64) -> String {
        let structure = &self.made.structure;
        let name = match &structure.objects[object].what {
            What::Input { symbol } => format!("&{symbol}"),
            What::New => self.names[object].clone().unwrap_or_default(),
        };
        if offset == 0 {
            return name;
        }
        let fields = fields_of(self.made, object);
        let exact = fields.iter().find(|field| field.offset == offset);
        let around = fields
            .iter()
            .find(|field| offset.wrapping_sub(field.offset) < field.bytes);
        let field = match (exact, around) {
            // A struct is called by its first member.
            (Some(field), _) => {
                let outer = field.name.rsplit_once('.');
                outer
                    .map_or(field.name.as_str(), |(outer, _)| outer)
                    .to_owned()
            }
            (None, Some(field)) => format!("{}+{}", field.name, offset - field.offset),
            (None, None) => format!("+{offset}"),
        };
        match &structure.objects[object].what {
            What::Input { .. } => format!("{name}.{field}"),
            What::New => format!("&{name}->{field}"),
        }
    }

    fn value(&self, object: usize, part: usize, what: &Part) -> String {
        let bytes = &self.data[object][part];
        let Part::Data { encoding, .. } = what else {
            return String::new();
        };
        if bytes.len() > 16 || *encoding == Encoding::Char && bytes.len() > 1 {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            return format!("{:?}", String::from_utf8_lossy(&bytes[..end]));
        }
        let mut wide = [0; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u128::from_le_bytes(wide);
        let shift = 128 - 8 * bytes.len().clamp(1, 16);
        let signed = ((bits << shift) as i128) >> shift;
        match (encoding, bytes.len()) {
            (Encoding::Unsigned, _) => bits.to_string(),
            (Encoding::Bool, _) => (bits != 0).to_string(),
            (Encoding::Char, _) if (32..127).contains(&bits) => {
                format!("'{}'", char::from(bits as u8))
            }
            (Encoding::Float, 4) => f32::from_bits(bits as u32).to_string(),
            (Encoding::Float, 8) => f64::from_bits(bits as u64).to_string(),
            _ => signed.to_string(),
        }
    }

    /// Objects that are not called by variables.
    pub fn known_objects(&self) -> Vec<KnownObject> {
        let objects = self.made.structure.objects.iter().enumerate();
        let new = objects.filter(|(_, object)| object.what == What::New);
        new.filter_map(|(i, object)| {
            Some(KnownObject {
                base: self.bases[i],
                bytes: object.bytes,
                name: self.names[i].clone()?,
                fields: fields_of(self.made, i),
            })
        })
        .collect()
    }
}

fn fields_of(made: &Made, object: usize) -> Vec<KnownField> {
    let parts = &made.structure.objects[object].parts;
    let field = |offset: u64, bytes: u64, name: &str, encoding| KnownField {
        offset,
        bytes,
        name: name.to_owned(),
        encoding,
        is_pointer: false,
    };
    let each = parts.iter().filter_map(|part| match part {
        Part::Data {
            offset,
            bytes,
            field: name,
            encoding,
            ..
        } => Some(field(*offset, *bytes, name, Some(*encoding))),
        Part::Zero {
            offset,
            bytes,
            field: name,
        } => Some(field(*offset, *bytes, name, None)),
        Part::Slot(slot) => {
            let slot = &made.structure.slots[*slot];
            Some(KnownField {
                is_pointer: true,
                ..field(slot.offset, POINTER, &slot.field, None)
            })
        }
        Part::Vtable { .. } => None,
    });
    each.collect()
}

/// The inputs that `__sleave_make_symbolic` makes of so many bytes.
fn pieces(bytes: u64) -> Vec<u64> {
    if matches!(bytes, 1 | 2 | 4 | 8 | 16) {
        return vec![bytes];
    }
    let (mut left, mut all) = (bytes, Vec::new());
    while left > 0 {
        let size = left.min(4);
        let size = if size.is_power_of_two() { size } else { 1 };
        all.push(size);
        left -= size;
    }
    all
}

/// Where the objects are, as the driver has noted.
fn bases(machine: &Machine, count: usize) -> Option<Vec<u64>> {
    let program = &machine.program;
    let mut globals = program.module.globals.enumerate();
    let (id, _) = globals.find(|(_, global)| global.name == text::OBJECTS)?;
    let list = program.layout.globals[id.index()];
    let word = u64::from(program.module.pointer_bits / 8);
    let base = |i| {
        let at = list + i as u64 * word;
        machine.state.memory.plain_word(at, word as u32)
    };
    (0..count).map(base).collect()
}

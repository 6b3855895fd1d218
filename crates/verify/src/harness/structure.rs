//! Which objects there are at the start, which of their bytes are inputs, and what their pointers
//! may point to.

use std::collections::{BTreeSet, VecDeque};

use bitcode::layout::{Field, Layout, LayoutId, LayoutKind, Layouts};
use ir::debug::Encoding;

use super::HarnessError;

/// More objects make more choices than anybody waits for.
const MOST_OBJECTS: usize = 48;
/// Of an array of pointers or structs so many elements are made up.
const MOST_ELEMENTS: u64 = 16;
/// Bytes of a text, its end included.
const TEXT_BYTES: u64 = 8;
/// Bytes behind a `void *`.
const BLOCK_BYTES: u64 = 8;
/// As a semaphore's value, so many more posts than waits.
const MOST_PERMITS: u64 = 2;

/// What an object of these types is like when it has just been initialised: all bytes are zero.
const ZEROED: [&str; 12] = [
    "pthread_mutex_t",
    "pthread_cond_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "pthread_once_t",
    "pthread_barrier_t",
    "pthread_key_t",
    "pthread_t",
    "pthread_attr_t",
    "mtx_t",
    "cnd_t",
    "once_flag",
];

/// Of the C++ library these have members that can be made up; of others the members belong together.
const OPEN: [&str; 15] = [
    "std::atomic",
    "std::__atomic",
    "std::pair",
    "std::array",
    "std::mutex",
    "std::__mutex",
    "std::recursive_mutex",
    "std::__recursive_mutex",
    "std::timed_mutex",
    "std::shared_mutex",
    "std::__shared_mutex",
    "std::condition_variable",
    "std::__condvar",
    "std::once_flag",
    "std::chrono",
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Structure {
    pub objects: Vec<Object>,
    pub slots: Vec<Slot>,
    /// What is not made up, in words.
    pub narrowed: BTreeSet<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub what: What,
    /// The choice that makes it be there: a slot, and which of its targets.
    pub from: Option<(usize, usize)>,
    pub bytes: u64,
    pub parts: Vec<Part>,
    depth: u32,
    /// `None`: bytes of no type.
    ty: Option<LayoutId>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// A variable.
    Input {
        symbol: String,
    },
    New,
}

/// A part of an object.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Inputs.
    Data {
        offset: u64,
        bytes: u64,
        label: String,
        field: String,
        /// Larger values it does not have.
        most: Option<u64>,
        encoding: Encoding,
    },
    Zero {
        offset: u64,
        bytes: u64,
        field: String,
    },
    Vtable {
        offset: u64,
        symbol: String,
    },
    /// A pointer, by its number.
    Slot(usize),
}

/// A pointer that chooses: 0 is null, others are targets, counted from 1.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub object: usize,
    pub offset: u64,
    /// What it is called from the inputs on: `q->head`.
    pub label: String,
    /// What it is called in its object.
    pub field: String,
    pub targets: Vec<Target>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    pub object: usize,
    pub offset: u64,
    /// The slot's own object, which nothing before it points to.
    pub is_new: bool,
}

impl Structure {
    pub fn of(layouts: &Layouts, inputs: &[&str], depth: u32) -> Result<Structure, HarnessError> {
        let mut builder = Builder {
            layouts,
            depth,
            structure: Structure::default(),
            pointed_to_by_inputs: BTreeSet::new(),
        };
        for name in inputs {
            let Some(&ty) = layouts.globals.get(*name) else {
                continue; // A function.
            };
            let bytes = layouts.types[ty].bytes;
            let bytes = match &layouts.types[ty].kind {
                LayoutKind::Array { element, count } => layouts.types[*element].bytes * count,
                _ => bytes,
            };
            if bytes == 0 {
                let name = (*name).to_owned();
                return Err(HarnessError::Incomplete { name });
            }
            if let LayoutKind::Pointer { to: Some(to) } = layouts.types[ty].kind {
                let identity = layouts.types[to].identity;
                builder.pointed_to_by_inputs.insert(identity);
            }
            builder.structure.objects.push(Object {
                what: What::Input {
                    symbol: (*name).to_owned(),
                },
                from: None,
                bytes,
                parts: Vec::new(),
                depth: 0,
                ty: Some(ty),
            });
        }
        builder.fill();
        Ok(builder.structure)
    }

    pub fn has_pointers(&self) -> bool {
        !self.slots.is_empty()
    }

    /// What a slot points to, if all slots choose so: from 1, and 0 or what is not there is null.
    pub fn target(&self, slot: usize, choices: &[usize]) -> Option<Target> {
        let target = *self.slots[slot]
            .targets
            .get(choices[slot].checked_sub(1)?)?;
        let mut at = target.object;
        while !target.is_new
            && let Some((slot, choice)) = self.objects[at].from
        {
            if choices[slot] != choice + 1 {
                return None;
            }
            at = self.slots[slot].object;
        }
        Some(target)
    }

    pub fn vtables(&self) -> BTreeSet<&str> {
        let parts = self.objects.iter().flat_map(|object| &object.parts);
        let symbols = parts.filter_map(|part| match part {
            Part::Vtable { symbol, .. } => Some(symbol.as_str()),
            _ => None,
        });
        symbols.collect()
    }
}

struct Builder<'a> {
    layouts: &'a Layouts,
    depth: u32,
    structure: Structure,
    pointed_to_by_inputs: BTreeSet<u32>,
}

/// A place in an object that is being looked at.
#[derive(Clone)]
struct At {
    object: usize,
    offset: u64,
    label: String,
    field: String,
}

impl At {
    fn member(&self, name: &str, offset: u64) -> At {
        let (label, field) = match name {
            "" => (self.label.clone(), self.field.clone()),
            _ => {
                let dot = |text: &str| match text {
                    "" => name.to_owned(),
                    text if text.ends_with("->") => format!("{text}{name}"),
                    text => format!("{text}.{name}"),
                };
                (dot(&self.label), dot(&self.field))
            }
        };
        At {
            offset: self.offset + offset,
            label,
            field,
            ..*self
        }
    }

    fn element(&self, index: u64, bytes: u64) -> At {
        let base = |text: &str| text.trim_end_matches("->").to_owned();
        At {
            offset: self.offset + index * bytes,
            label: format!("{}[{index}]", base(&self.label)),
            field: format!("{}[{index}]", base(&self.field)),
            ..*self
        }
    }
}

impl Builder<'_> {
    /// Breadth first: an object's pointers are looked at when all objects nearer to the inputs have
    /// been.
    fn fill(&mut self) {
        let mut open: VecDeque<(usize, String)> = VecDeque::new();
        for (i, object) in self.structure.objects.iter().enumerate() {
            if let What::Input { symbol } = &object.what {
                open.push_back((i, symbol.clone()));
            }
        }
        while let Some((object, label)) = open.pop_front() {
            let ty = self.structure.objects[object].ty;
            let known = self.structure.objects.len();
            let field = match self.structure.objects[object].what {
                What::Input { .. } => label.clone(),
                What::New => String::new(),
            };
            let at = At {
                object,
                offset: 0,
                label,
                field,
            };
            match ty {
                Some(ty) if self.is_text(ty, object) => self.text(&at),
                Some(ty) => self.walk(ty, &at),
                None => self.data(&at, BLOCK_BYTES, Encoding::Unsigned, None),
            }
            for new in known..self.structure.objects.len() {
                let (slot, _) = self.structure.objects[new].from.expect("a new object");
                let label = format!("{}->", self.structure.slots[slot].label);
                open.push_back((new, label));
            }
        }
    }

    /// A new object behind a pointer to characters has several of them.
    fn is_text(&self, ty: LayoutId, object: usize) -> bool {
        let object = &self.structure.objects[object];
        let is_scalar = matches!(self.layouts.types[ty].kind, LayoutKind::Scalar { .. });
        object.what == What::New && is_scalar && object.bytes > size(self.layouts, ty)
    }

    /// The last byte ends it.
    fn text(&mut self, at: &At) {
        for index in 0..TEXT_BYTES - 1 {
            self.data(&at.element(index, 1), 1, Encoding::Char, None);
        }
        self.zero(&at.element(TEXT_BYTES - 1, 1), 1);
    }

    fn add(&mut self, at: &At, part: Part) {
        self.structure.objects[at.object].parts.push(part);
    }

    fn zero(&mut self, at: &At, bytes: u64) {
        let is_input = matches!(self.structure.objects[at.object].what, What::Input { .. });
        // A variable begins so, or as its constructor made it.
        if !is_input && bytes > 0 {
            let part = Part::Zero {
                offset: at.offset,
                bytes,
                field: at.field.clone(),
            };
            self.add(at, part);
        }
    }

    fn data(&mut self, at: &At, bytes: u64, encoding: Encoding, most: Option<u64>) {
        let label = at.label.trim_end_matches("->");
        let label = match at.label.ends_with("->") {
            true => format!("*{label}"),
            false => label.to_owned(),
        };
        let part = Part::Data {
            offset: at.offset,
            bytes,
            label,
            field: at.field.clone(),
            most,
            encoding,
        };
        self.add(at, part);
    }

    fn walk(&mut self, ty: LayoutId, at: &At) {
        let layouts = self.layouts;
        let layout = &layouts.types[ty];
        if layout.aliases.iter().any(|a| ZEROED.contains(&a.as_str())) {
            return self.zero(at, size(layouts, ty));
        }
        if layout.name == "sem_t" || layout.aliases.iter().any(|a| a == "sem_t") {
            self.zero(at, layout.bytes);
            return self.data(at, 4, Encoding::Unsigned, Some(MOST_PERMITS));
        }
        match &layout.kind {
            LayoutKind::Scalar { encoding } => {
                let most = (*encoding == Encoding::Bool).then_some(1);
                self.data(at, layout.bytes, *encoding, most);
            }
            LayoutKind::Pointer { to } => self.pointer(at, *to),
            LayoutKind::Record { is_union, fields } => {
                if is_closed(layout) {
                    self.structure
                        .narrowed
                        .insert(format!("`{}` is empty", layout.name));
                    return self.zero(at, layout.bytes);
                }
                match is_union {
                    true => self.union(layout, fields, at),
                    false => self.record(layout, fields, at),
                }
            }
            LayoutKind::Array { element, count } => self.array(*element, *count, at),
            LayoutKind::Function | LayoutKind::Other => self.zero(at, layout.bytes),
        }
    }

    fn record(&mut self, layout: &Layout, fields: &[Field], at: &At) {
        let mut bits_end = 0;
        for field in fields {
            let name = if field.is_base { "" } else { &field.name };
            let here = at.member(name, field.offset);
            if let Some(bytes) = field.bit_field {
                self.bits(at, field, bytes, &mut bits_end);
            } else if field.name.starts_with("_vptr") {
                self.vtable(layout, &here);
            } else {
                self.walk(field.ty, &here);
            }
        }
    }

    /// Bit-fields share bytes, which are then called by all their names.
    fn bits(&mut self, at: &At, field: &Field, bytes: u64, bits_end: &mut u64) {
        let here = at.member(&field.name, field.offset);
        let parts = &mut self.structure.objects[at.object].parts;
        if field.offset < *bits_end
            && let Some(Part::Data { field: name, .. }) = parts.last_mut()
        {
            *name = format!("{name}+{}", field.name);
        }
        let end = field.offset + bytes;
        for byte in field.offset.max(*bits_end)..end {
            let here = At {
                offset: at.offset + byte,
                ..here.clone()
            };
            self.data(&here, 1, Encoding::Unsigned, None);
        }
        *bits_end = end.max(*bits_end);
    }

    /// Of an input the constructor has set it.
    fn vtable(&mut self, layout: &Layout, at: &At) {
        let object = &self.structure.objects[at.object];
        if object.what != What::New {
            return;
        }
        let whole = object.ty.map(|ty| &self.layouts.types[ty].name);
        let name = whole.filter(|_| at.offset == 0).unwrap_or(&layout.name);
        if let Some(symbol) = self.layouts.vtables.get(name) {
            let part = Part::Vtable {
                offset: at.offset,
                symbol: symbol.clone(),
            };
            self.add(at, part);
        }
    }

    /// Either a pointer, if it may be one, or bytes.
    fn union(&mut self, layout: &Layout, fields: &[Field], at: &At) {
        let pointer = fields.iter().find(|f| self.has_pointer(f.ty, 8));
        match pointer {
            Some(field) => {
                let text = format!("a union with a pointer is what `{}` says", field.name);
                self.structure.narrowed.insert(text);
                self.zero(at, layout.bytes);
                self.walk(field.ty, &at.member(&field.name, field.offset));
            }
            None => {
                // A union without a name is called as its first member.
                let is_named = !at.field.is_empty() && !at.label.ends_with("->");
                let first = fields.first().filter(|_| !is_named);
                let at = first.map_or(at.clone(), |field| at.member(&field.name, 0));
                self.data(&at, layout.bytes, Encoding::Unsigned, None);
            }
        }
    }

    fn has_pointer(&self, ty: LayoutId, layers: u32) -> bool {
        let Some(layers) = layers.checked_sub(1) else {
            return true;
        };
        match &self.layouts.types[ty].kind {
            LayoutKind::Pointer { .. } => true,
            LayoutKind::Record { fields, .. } => {
                fields.iter().any(|f| self.has_pointer(f.ty, layers))
            }
            LayoutKind::Array { element, .. } => self.has_pointer(*element, layers),
            _ => false,
        }
    }

    fn array(&mut self, element: LayoutId, count: u64, at: &At) {
        let bytes = size(self.layouts, element);
        if let LayoutKind::Scalar { encoding } = self.layouts.types[element].kind
            && (count > MOST_ELEMENTS || encoding == Encoding::Char)
        {
            return self.data(at, bytes * count, encoding, None);
        }
        let made = count.min(MOST_ELEMENTS);
        for index in 0..made {
            self.walk(element, &at.element(index, bytes));
        }
        if made < count {
            self.structure.narrowed.insert(format!(
                "elements of arrays from the {}th on are zero",
                made + 1
            ));
            self.zero(&at.element(made, bytes), (count - made) * bytes);
        }
    }

    fn pointer(&mut self, at: &At, to: Option<LayoutId>) {
        let slot = self.structure.slots.len();
        let label = at.label.trim_end_matches("->");
        let label = match at.label.ends_with("->") {
            true => format!("*{label}"),
            false => label.to_owned(),
        };
        self.structure.slots.push(Slot {
            object: at.object,
            offset: at.offset,
            label,
            field: at.field.clone(),
            targets: Vec::new(),
        });
        self.add(at, Part::Slot(slot));
        let mut targets = Vec::new();
        if let Some(to) = to {
            for object in 0..self.structure.objects.len() {
                let Some(ty) = self.structure.objects[object].ty else {
                    continue;
                };
                let mut offsets = BTreeSet::new();
                self.places_of(self.layouts.types[to].identity, ty, 0, &mut offsets);
                targets.extend(offsets.into_iter().map(|offset| Target {
                    object,
                    offset,
                    is_new: false,
                }));
            }
        }
        let depth = self.structure.objects[at.object].depth;
        for (ty, bytes, offset) in self.new_objects(to) {
            if depth >= self.depth {
                break;
            }
            if self.structure.objects.len() >= MOST_OBJECTS {
                self.structure
                    .narrowed
                    .insert(format!("at most {MOST_OBJECTS} objects"));
                break;
            }
            let object = self.structure.objects.len();
            self.structure.objects.push(Object {
                what: What::New,
                from: Some((slot, targets.len())),
                bytes,
                parts: Vec::new(),
                depth: depth + 1,
                ty,
            });
            targets.push(Target {
                object,
                offset,
                is_new: true,
            });
        }
        self.structure.slots[slot].targets = targets;
    }

    /// Where in a value of type `ty` there is one of the type that is looked for.
    fn places_of(&self, wanted: u32, ty: LayoutId, offset: u64, found: &mut BTreeSet<u64>) {
        let layout = &self.layouts.types[ty];
        if layout.identity == wanted && layout.bytes > 0 {
            found.insert(offset);
            return;
        }
        match &layout.kind {
            LayoutKind::Record { fields, .. } if !is_closed(layout) => {
                for field in fields.iter().filter(|f| f.bit_field.is_none()) {
                    self.places_of(wanted, field.ty, offset + field.offset, found);
                }
            }
            LayoutKind::Array { element, count } => {
                let bytes = size(self.layouts, *element);
                for index in 0..(*count).min(MOST_ELEMENTS) {
                    self.places_of(wanted, *element, offset + index * bytes, found);
                }
            }
            _ => {}
        }
    }

    /// What a new object behind a pointer may be: its type, its size, and where in it the pointer
    /// points.
    fn new_objects(&mut self, to: Option<LayoutId>) -> Vec<(Option<LayoutId>, u64, u64)> {
        let Some(to) = to else {
            self.structure
                .narrowed
                .insert(format!("a `void *` points to {BLOCK_BYTES} bytes"));
            return vec![(None, BLOCK_BYTES, 0)];
        };
        let layout = &self.layouts.types[to];
        let bytes = size(self.layouts, to);
        match &layout.kind {
            LayoutKind::Scalar { encoding } if *encoding == Encoding::Char || bytes == 1 => {
                self.structure
                    .narrowed
                    .insert(format!("a text has at most {} characters", TEXT_BYTES - 1));
                vec![(Some(to), TEXT_BYTES, 0)]
            }
            LayoutKind::Scalar { .. } => {
                self.structure
                    .narrowed
                    .insert("a pointer to numbers points to one".to_owned());
                vec![(Some(to), bytes, 0)]
            }
            LayoutKind::Function => {
                self.structure
                    .narrowed
                    .insert("pointers to functions are null".to_owned());
                Vec::new()
            }
            LayoutKind::Record { .. } if bytes > 0 => {
                let around = self.around(to);
                match around.is_empty() {
                    true if self.can_be_made(to) => vec![(Some(to), bytes, 0)],
                    true => Vec::new(),
                    false => around,
                }
            }
            _ if bytes == 0 => {
                let name = match (layout.aliases.first(), layout.name.as_str()) {
                    (Some(alias), _) => alias.clone(),
                    (None, name) => name.to_owned(),
                };
                self.structure
                    .narrowed
                    .insert(format!("pointers to `{name}`, of unknown size, are null"));
                Vec::new()
            }
            _ => vec![(Some(to), bytes, 0)],
        }
    }

    /// Structs that have one of this type among their members: what links into a list is mostly
    /// inside of what is listed. Not those that inputs point to, which are the lists.
    fn around(&self, inner: LayoutId) -> Vec<(Option<LayoutId>, u64, u64)> {
        let identity = self.layouts.types[inner].identity;
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([identity]);
        for &record in &self.layouts.records {
            let layout = &self.layouts.types[record];
            let LayoutKind::Record { fields, .. } = &layout.kind else {
                continue;
            };
            let derives = fields.iter().any(|f| f.is_base);
            if self.pointed_to_by_inputs.contains(&layout.identity) && !derives
                || !seen.insert(layout.identity)
            {
                continue;
            }
            let mut offsets = BTreeSet::new();
            self.places_of(identity, record, 0, &mut offsets);
            if self.can_be_made(record) {
                found.extend(
                    offsets
                        .into_iter()
                        .map(|at| (Some(record), layout.bytes, at)),
                );
            }
        }
        let is_base = |(record, _, _): &(Option<LayoutId>, u64, u64)| {
            let layout = record.map(|record| &self.layouts.types[record].kind);
            let Some(LayoutKind::Record { fields, .. }) = layout else {
                return false;
            };
            let is_it = |f: &Field| f.is_base && self.layouts.types[f.ty].identity == identity;
            fields.iter().any(is_it)
        };
        // An object of a class is one of its own or of a class that derives from it.
        if !found.is_empty() && found.iter().all(is_base) && self.can_be_made(inner) {
            let bytes = self.layouts.types[inner].bytes;
            found.insert(0, (Some(inner), bytes, 0));
        }
        found
    }

    /// Whether its virtual functions are known, if it has any.
    fn can_be_made(&self, record: LayoutId) -> bool {
        let layout = &self.layouts.types[record];
        !self.is_virtual(record, 8) || self.layouts.vtables.contains_key(&layout.name)
    }

    fn is_virtual(&self, record: LayoutId, layers: u32) -> bool {
        let Some(layers) = layers.checked_sub(1) else {
            return false;
        };
        match &self.layouts.types[record].kind {
            LayoutKind::Record { fields, .. } => fields
                .iter()
                .any(|f| f.name.starts_with("_vptr") || f.is_base && self.is_virtual(f.ty, layers)),
            _ => false,
        }
    }
}

fn is_closed(layout: &Layout) -> bool {
    layout.name.starts_with("std::") && !OPEN.iter().any(|open| layout.name.starts_with(open))
}

fn size(layouts: &Layouts, ty: LayoutId) -> u64 {
    let layout = &layouts.types[ty];
    match layout.kind {
        LayoutKind::Array { element, count } => {
            let bytes = layouts.types[element].bytes;
            bytes * count
        }
        _ => layout.bytes,
    }
}

#[cfg(test)]
#[path = "structure_tests.rs"]
mod tests;

//! How the compiler lays out the types of global variables, with the names of typedefs: what is
//! needed to make up values of them. [`ir::debug`] has types without typedefs, for reports.

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, id};
use ir::debug::Encoding;
use rustc_hash::FxHashMap;

use crate::llvm::{self, Metadata, Module, Value};
use crate::lower::debug::{encoding, tag};

id!(
    /// A type, with the typedefs by which it was reached.
    LayoutId, "layout"
);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layouts {
    pub types: IndexVec<LayoutId, Layout>,
    /// Global variables by name.
    pub globals: BTreeMap<String, LayoutId>,
    /// Every struct, class and union that has a name.
    pub records: Vec<LayoutId>,
    pub pointer_bytes: u64,
    /// Tables of virtual functions by the class they are of, which is not abstract: their symbols.
    pub vtables: BTreeMap<String, String>,
    /// Functions that are defined.
    pub functions: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The tag, with namespaces; empty where there is none.
    pub name: String,
    /// Typedefs, outermost first.
    pub aliases: Vec<String>,
    /// Equal for equal types, whatever typedefs and qualifiers.
    pub identity: u32,
    pub bytes: u64,
    pub kind: LayoutKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LayoutKind {
    /// Enumerations too.
    Scalar {
        encoding: Encoding,
    },
    Pointer {
        to: Option<LayoutId>,
    },
    Record {
        is_union: bool,
        fields: Vec<Field>,
    },
    Array {
        element: LayoutId,
        count: u64,
    },
    Function,
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub offset: u64,
    pub ty: LayoutId,
    /// Of a bit-field: how many bytes, from `offset` on, have bits of it.
    pub bit_field: Option<u64>,
    pub is_base: bool,
}

pub fn of(module: &Module) -> Layouts {
    let records = module.debug_record_types();
    let mut reader = Reader {
        definitions: FxHashMap::default(),
        names: FxHashMap::default(),
        layouts: Layouts {
            pointer_bytes: u64::from(module.pointer_bits() / 8),
            ..Layouts::default()
        },
        known: FxHashMap::default(),
        identities: FxHashMap::default(),
        pending: Vec::new(),
    };
    for (name, ty) in &records {
        reader.definitions.entry(name.clone()).or_insert(*ty);
        reader.names.insert(*ty, name.clone());
    }
    for global in module.globals() {
        if let Some(class) = vtable(&global.name())
            && let Some(table) = global.initializer()
            && !is_abstract(table, 3)
        {
            reader.layouts.vtables.insert(class, global.name());
        }
        let variable = global.debug_of_global().and_then(Metadata::as_variable);
        if let Some(ty) = variable.and_then(|variable| variable.ty) {
            let id = reader.id(ty);
            reader.layouts.globals.insert(global.name(), id);
        }
    }
    for (_, ty) in records {
        let id = reader.id(ty);
        reader.layouts.records.push(id);
    }
    for function in module.functions().filter(|f| !f.is_declaration()) {
        reader.layouts.functions.insert(function.name());
    }
    reader.describe_pending();
    reader.layouts
}

/// The class whose table of virtual functions a symbol names.
fn vtable(symbol: &str) -> Option<String> {
    let name = symbol.starts_with("_ZTV").then(|| llvm::demangle(symbol))?;
    name.strip_prefix("vtable for ").map(str::to_owned)
}

/// Whether a table of virtual functions has an entry for one without a body.
fn is_abstract(table: Value, layers: u32) -> bool {
    let Some(layers) = layers.checked_sub(1) else {
        return false;
    };
    let mut entries = table.operands();
    entries.any(|entry| entry.name() == "__cxa_pure_virtual" || is_abstract(entry, layers))
}

struct Reader<'m> {
    definitions: FxHashMap<String, Metadata<'m>>,
    /// With namespaces.
    names: FxHashMap<Metadata<'m>, String>,
    layouts: Layouts,
    known: FxHashMap<Metadata<'m>, LayoutId>,
    identities: FxHashMap<Metadata<'m>, u32>,
    /// A worklist instead of recursion: chains of types can be long.
    pending: Vec<(Metadata<'m>, LayoutId)>,
}

impl<'m> Reader<'m> {
    fn id(&mut self, ty: Metadata<'m>) -> LayoutId {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let id = self.layouts.types.push(Layout {
            name: String::new(),
            aliases: Vec::new(),
            identity: 0,
            bytes: 0,
            kind: LayoutKind::Other,
        });
        self.known.insert(ty, id);
        self.pending.push((ty, id));
        id
    }

    fn describe_pending(&mut self) {
        while let Some((ty, id)) = self.pending.pop() {
            if let Some(layout) = self.describe(ty) {
                self.layouts.types[id] = layout;
            }
        }
    }

    fn describe(&mut self, ty: Metadata<'m>) -> Option<Layout> {
        const MOST_LAYERS: usize = 1000;
        let (mut plain, mut aliases) = (ty, Vec::new());
        let mut raw = plain.as_type()?;
        for _ in 0..MOST_LAYERS {
            match raw.tag {
                tag::TYPEDEF => aliases.push(raw.name.clone()),
                tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {}
                _ => break,
            }
            plain = raw.base?;
            raw = plain.as_type()?;
        }
        if raw.is_declaration
            && let Some(definition) = self.definitions.get(&raw.name)
        {
            plain = *definition;
            raw = plain.as_type()?;
        }
        let next = self.identities.len() as u32 + 1;
        let identity = *self.identities.entry(plain).or_insert(next);
        let bytes = match raw.tag {
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => self.layouts.pointer_bytes,
            _ => raw.size_bits.div_ceil(8),
        };
        let name = self.names.get(&plain).unwrap_or(&raw.name).clone();
        let kind = match raw.tag {
            tag::BASE => LayoutKind::Scalar {
                encoding: encoding(raw.encoding),
            },
            tag::ENUMERATION => LayoutKind::Scalar {
                encoding: Encoding::Signed,
            },
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => LayoutKind::Pointer {
                to: raw.base.map(|base| self.id(base)),
            },
            tag::STRUCTURE | tag::CLASS | tag::UNION if !raw.is_declaration => LayoutKind::Record {
                is_union: raw.tag == tag::UNION,
                fields: self.fields(&raw),
            },
            tag::ARRAY => self.array(&raw),
            tag::SUBROUTINE => LayoutKind::Function,
            _ => LayoutKind::Other,
        };
        Some(Layout {
            name,
            aliases,
            identity,
            bytes,
            kind,
        })
    }

    fn fields(&mut self, raw: &llvm::DebugType<'m>) -> Vec<Field> {
        let mut fields = Vec::new();
        for member in raw.elements.iter().filter_map(|e| e.as_type()) {
            let is_data = matches!(member.tag, tag::MEMBER | tag::INHERITANCE) && !member.is_static;
            let Some(base) = member.base.filter(|_| is_data) else {
                continue;
            };
            let whole = size_bits(base);
            let is_base = member.tag == tag::INHERITANCE;
            let is_bits = !is_base
                && (!member.offset_bits.is_multiple_of(8)
                    || whole.is_some_and(|w| w != member.size_bits));
            let offset = member.offset_bits / 8;
            let end = (member.offset_bits + member.size_bits).div_ceil(8);
            fields.push(Field {
                name: member.name,
                offset,
                ty: self.id(base),
                bit_field: is_bits.then(|| end - offset),
                is_base,
            });
        }
        fields
    }

    /// An array of several dimensions counts as one of all its elements.
    fn array(&mut self, raw: &llvm::DebugType<'m>) -> LayoutKind {
        let dimensions = raw.elements.iter().map(|e| e.as_array_dimension());
        match raw.base {
            Some(element) => LayoutKind::Array {
                element: self.id(element),
                // An array without a length has no elements that could be made up.
                count: dimensions.map(Option::unwrap_or_default).product(),
            },
            None => LayoutKind::Other,
        }
    }
}

/// Of a type, looking through typedefs and qualifiers; `None` for pointers, whose size is not always
/// said.
fn size_bits(ty: Metadata) -> Option<u64> {
    const MOST_LAYERS: usize = 1000;
    let mut raw = ty.as_type()?;
    for _ in 0..MOST_LAYERS {
        match raw.tag {
            tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {
                raw = raw.base?.as_type()?;
            }
            tag::BASE | tag::ENUMERATION => return Some(raw.size_bits),
            _ => return None,
        }
    }
    None
}

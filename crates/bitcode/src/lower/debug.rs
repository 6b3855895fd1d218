//! Debug information: places, variables, types.

use ir::debug::{
    DebugInfo, DebugType, Encoding, FileId, Loc, LocId, Member, TypeId, VarId, Variable,
};
use rustc_hash::FxHashMap;

use crate::llvm::{self, Metadata, Module};

/// DWARF's numbers for what a type description is.
pub mod tag {
    pub const ARRAY: u32 = 0x01;
    pub const CLASS: u32 = 0x02;
    pub const ENUMERATION: u32 = 0x04;
    pub const MEMBER: u32 = 0x0d;
    pub const POINTER: u32 = 0x0f;
    pub const REFERENCE: u32 = 0x10;
    pub const STRUCTURE: u32 = 0x13;
    pub const SUBROUTINE: u32 = 0x15;
    pub const TYPEDEF: u32 = 0x16;
    pub const UNION: u32 = 0x17;
    pub const INHERITANCE: u32 = 0x1c;
    pub const BASE: u32 = 0x24;
    pub const CONST: u32 = 0x26;
    pub const VOLATILE: u32 = 0x35;
    pub const RESTRICT: u32 = 0x37;
    pub const RVALUE_REFERENCE: u32 = 0x42;
    pub const ATOMIC: u32 = 0x47;
}

pub struct Debug<'m> {
    info: DebugInfo,
    files: FxHashMap<String, FileId>,
    locs: FxHashMap<Loc, LocId>,
    vars: FxHashMap<Metadata<'m>, VarId>,
    types: FxHashMap<Metadata<'m>, TypeId>,
    /// Types that have an id but no description yet. A worklist instead of recursion: chains of
    /// types that refer to each other can be long.
    pending: Vec<(Metadata<'m>, TypeId)>,
    records: FxHashMap<String, Metadata<'m>>,
    record_of: FxHashMap<llvm::Type<'m>, Option<TypeId>>,
}

impl<'m> Debug<'m> {
    pub fn new(module: &'m Module<'m>) -> Self {
        let mut records = FxHashMap::default();
        for (name, ty) in module.debug_record_types() {
            records.entry(name).or_insert(ty);
        }
        Debug {
            info: DebugInfo::default(),
            files: FxHashMap::default(),
            locs: FxHashMap::default(),
            vars: FxHashMap::default(),
            types: FxHashMap::default(),
            pending: Vec::new(),
            records,
            record_of: FxHashMap::default(),
        }
    }

    pub fn finish(&mut self) -> DebugInfo {
        self.describe_pending();
        std::mem::take(&mut self.info)
    }

    pub fn loc(&mut self, line: u32, column: u32, file: Option<Metadata<'m>>) -> LocId {
        let (Some(file), true) = (file, line != 0) else {
            return LocId(0);
        };
        let name = file.file_name();
        let file = *self
            .files
            .entry(name)
            .or_insert_with_key(|name| self.info.files.push(name.clone()));
        let loc = Loc { file, line, column };
        *self
            .locs
            .entry(loc)
            .or_insert_with(|| self.info.locs.push(loc))
    }

    pub fn variable(&mut self, variable: Metadata<'m>) -> Option<VarId> {
        if let Some(&known) = self.vars.get(&variable) {
            return Some(known);
        }
        let found = variable.as_variable().filter(|v| !v.name.is_empty())?;
        let ty = found.ty.and_then(|ty| self.type_id(ty));
        let loc = self.loc(found.line, 0, found.file);
        let id = self.info.vars.push(Variable {
            name: found.name,
            ty,
            loc,
        });
        self.vars.insert(variable, id);
        Some(id)
    }

    /// The source's description of an LLVM struct, found by its name.
    pub fn record(&mut self, ty: llvm::Type<'m>) -> Option<TypeId> {
        if let Some(&known) = self.record_of.get(&ty) {
            return known;
        }
        let found = ty.struct_name().and_then(|name| {
            // `struct.node`, `class.std::thread`, `union.u.3`: the number tells namesakes apart.
            let (_, name) = name.split_once('.')?;
            let plain = match name.rsplit_once('.') {
                Some((plain, number)) if number.bytes().all(|b| b.is_ascii_digit()) => plain,
                _ => name,
            };
            self.records.get(plain).copied()
        });
        let id = found.and_then(|ty| self.type_id(ty));
        self.record_of.insert(ty, id);
        id
    }

    /// The id of a type, without typedefs and qualifiers; `None` for `void`.
    fn type_id(&mut self, ty: Metadata<'m>) -> Option<TypeId> {
        let ty = strip(ty)?;
        if let Some(&known) = self.types.get(&ty) {
            return Some(known);
        }
        let id = self.info.types.push(DebugType::Opaque {
            name: String::new(),
        });
        self.types.insert(ty, id);
        self.pending.push((ty, id));
        Some(id)
    }

    fn describe_pending(&mut self) {
        while let Some((ty, id)) = self.pending.pop() {
            let described = self.describe(ty);
            self.info.types[id] = described;
        }
    }

    fn describe(&mut self, ty: Metadata<'m>) -> DebugType {
        let Some(raw) = ty.as_type() else {
            return DebugType::Opaque {
                name: String::new(),
            };
        };
        let bytes = raw.size_bits.div_ceil(8);
        match raw.tag {
            tag::BASE => DebugType::Base {
                encoding: encoding(raw.encoding),
                name: raw.name,
                bytes,
            },
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => DebugType::Pointer {
                to: raw.base.and_then(|base| self.type_id(base)),
            },
            // A declaration in one file may be defined in another.
            tag::STRUCTURE | tag::CLASS | tag::UNION => {
                let whole = self.definition(&raw).unwrap_or(raw);
                self.describe_record(whole)
            }
            tag::ARRAY => self.describe_array(raw),
            tag::ENUMERATION => DebugType::Enum {
                variants: raw
                    .elements
                    .iter()
                    .filter_map(|e| e.as_enumerator())
                    .map(|e| (e.name, e.value))
                    .collect(),
                name: raw.name,
                bytes,
            },
            _ => DebugType::Opaque { name: raw.name },
        }
    }

    fn definition(&self, raw: &llvm::DebugType<'m>) -> Option<llvm::DebugType<'m>> {
        if !raw.is_declaration {
            return None;
        }
        self.records.get(&raw.name)?.as_type()
    }

    fn describe_record(&mut self, raw: llvm::DebugType<'m>) -> DebugType {
        let mut members = Vec::new();
        for element in &raw.elements {
            let Some(member) = element.as_type() else {
                continue; // A member function.
            };
            let named = matches!(member.tag, tag::MEMBER | tag::INHERITANCE);
            let (true, false, Some(base)) = (named, member.is_static, member.base) else {
                continue;
            };
            let name = if member.tag == tag::INHERITANCE {
                strip(base).and_then(|b| b.as_type()).map(|b| b.name)
            } else {
                Some(member.name)
            };
            members.push(Member {
                name: name.unwrap_or_default(),
                offset: member.offset_bits / 8,
                ty: self.element_type(Some(base)),
            });
        }
        DebugType::Record {
            name: raw.name,
            bytes: raw.size_bits.div_ceil(8),
            members,
        }
    }

    /// An array of several dimensions is an array of arrays.
    fn describe_array(&mut self, raw: llvm::DebugType<'m>) -> DebugType {
        let mut element = self.element_type(raw.base);
        let counts: Vec<u64> = raw
            .elements
            .iter()
            .filter_map(|e| e.as_array_dimension())
            .collect();
        let Some((&outer, inner)) = counts.split_first() else {
            return DebugType::Array { element, count: 0 };
        };
        for &count in inner.iter().rev() {
            element = self.info.types.push(DebugType::Array { element, count });
        }
        DebugType::Array {
            element,
            count: outer,
        }
    }

    fn element_type(&mut self, ty: Option<Metadata<'m>>) -> TypeId {
        ty.and_then(|ty| self.type_id(ty)).unwrap_or_else(|| {
            self.info.types.push(DebugType::Opaque {
                name: "void".to_owned(),
            })
        })
    }
}

/// Looks through typedefs and qualifiers. `None` for `void`, and for a typedef of itself.
fn strip(ty: Metadata<'_>) -> Option<Metadata<'_>> {
    const MOST_LAYERS: usize = 1000;
    let mut ty = ty;
    for _ in 0..MOST_LAYERS {
        let raw = ty.as_type()?;
        match raw.tag {
            tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {
                ty = raw.base?;
            }
            _ => return Some(ty),
        }
    }
    None
}

/// DWARF's base type encodings.
pub fn encoding(number: u32) -> Encoding {
    match number {
        0x02 => Encoding::Bool,
        0x04 => Encoding::Float,
        0x05 => Encoding::Signed,
        0x06 | 0x08 | 0x10 => Encoding::Char,
        _ => Encoding::Unsigned,
    }
}

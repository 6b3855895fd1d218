//! Sleave's own C library, lowered when Sleave is built, in a form from which single functions are read.
//!
//! A program needs a few of its thousand functions and globals. Lowering all of them takes a hundred times as long as most programs
//! take to be verified; even reading them all would take longer than that. So every symbol stands on its own: its name, how it
//! links, and its binary form ([`ir::binary`]), whose ids are those of the library.

use base::IndexVec;
use ir::binary::{Binary, Input, write_slice};
use ir::debug::DebugInfo;
use ir::{FuncId, GlobalId, Symbol};
use rustc_hash::FxHashMap;

use crate::link::{Linkage, Unlinked};
use crate::{LoadError, parse_and_lower};

/// A library, opened.
pub struct Library<'a> {
    pub functions: IndexVec<FuncId, Entry<'a>>,
    pub globals: IndexVec<GlobalId, Entry<'a>>,
    debug: &'a [u8],
    /// What programs may refer to.
    exported: FxHashMap<&'a str, Symbol>,
}

/// A function or global of a library.
pub struct Entry<'a> {
    pub name: &'a str,
    pub linkage: Linkage,
    bytes: &'a [u8],
}

const INTACT: &str = "the library is what `compile_library` made";

/// Lowers a library that is linked already, for [`crate::Options::libraries`]. It may have no aliases, constructors and destructors.
pub fn compile_library(bitcode: &[u8]) -> Result<Vec<u8>, LoadError> {
    let unlinked = parse_and_lower(bitcode, "library".as_ref(), None)?;
    let module = &unlinked.module;
    if !(unlinked.aliases.is_empty()
        && module.constructors.is_empty()
        && module.destructors.is_empty())
    {
        return Err(LoadError::BadBitcode {
            path: "library".into(),
            reason: "it has aliases, constructors or destructors".to_owned(),
        });
    }
    Ok(write(&unlinked))
}

fn write(unlinked: &Unlinked) -> Vec<u8> {
    let module = &unlinked.module;
    let mut out = Vec::new();
    module.pointer_bits.write(&mut out);
    write_slice(&ir::binary::write(&module.debug), &mut out);
    module.functions.len().write(&mut out);
    for (id, function) in module.functions.enumerate() {
        write_entry(&function.name, unlinked.functions[id], function, &mut out);
    }
    module.globals.len().write(&mut out);
    for (id, global) in module.globals.enumerate() {
        write_entry(&global.name, unlinked.globals[id], global, &mut out);
    }
    out
}

fn write_entry(name: &str, linkage: Linkage, item: &impl Binary, out: &mut Vec<u8>) {
    write_slice(name.as_bytes(), out);
    linkage.write(out);
    write_slice(&ir::binary::write(item), out);
}

impl<'a> Library<'a> {
    /// The library in `bytes` if it is for pointers of this size.
    pub fn open(bytes: &'a [u8], pointer_bits: u32) -> Option<Library<'a>> {
        let mut input = Input::new(bytes);
        if u32::read(&mut input).expect(INTACT) != pointer_bits {
            return None;
        }
        let debug = input.slice().expect(INTACT);
        let functions = read_entries(&mut input).expect(INTACT);
        let globals = read_entries(&mut input).expect(INTACT);
        let mut library = Library {
            functions,
            globals,
            debug,
            exported: FxHashMap::default(),
        };
        for (id, entry) in library.functions.enumerate() {
            if entry.linkage == Linkage::Defined {
                library.exported.insert(entry.name, Symbol::Function(id));
            }
        }
        for (id, entry) in library.globals.enumerate() {
            if entry.linkage == Linkage::Defined {
                library.exported.insert(entry.name, Symbol::Global(id));
            }
        }
        Some(library)
    }

    /// The function of this name that programs may call.
    pub fn exported_function(&self, name: &str) -> Option<FuncId> {
        match self.exported.get(name) {
            Some(&Symbol::Function(id)) => Some(id),
            _ => None,
        }
    }

    pub fn exported_global(&self, name: &str) -> Option<GlobalId> {
        match self.exported.get(name) {
            Some(&Symbol::Global(id)) => Some(id),
            _ => None,
        }
    }

    /// Its ids are those of the library.
    pub fn function(&self, id: FuncId) -> ir::Function {
        ir::binary::read(self.functions[id].bytes).expect(INTACT)
    }

    pub fn global(&self, id: GlobalId) -> ir::Global {
        ir::binary::read(self.globals[id].bytes).expect(INTACT)
    }

    pub fn debug(&self) -> DebugInfo {
        ir::binary::read(self.debug).expect(INTACT)
    }
}

fn read_entries<'a, I: From<usize>>(input: &mut Input<'a>) -> Option<IndexVec<I, Entry<'a>>> {
    let count = usize::read(input)?;
    let entries = std::iter::repeat_with(|| {
        Some(Entry {
            name: std::str::from_utf8(input.slice()?).ok()?,
            linkage: Linkage::read(input)?,
            bytes: input.slice()?,
        })
    });
    entries.take(count).collect()
}

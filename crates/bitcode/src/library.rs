//! Sleave's own C library, lowered when Sleave is built, in a form from which single functions are
//! read.
//!
//! A program needs a few of its thousand functions and globals. Lowering all of them takes a
//! hundred times as long as verifying most programs does; even reading them all takes longer than
//! that. So every symbol has an entry of its own: its name, how it links, and its binary form
//! ([`ir::binary`]), whose ids are those of the library. Tables of offsets lead to the entries, by
//! id and by name:
//!
//! ```text
//! size of pointers, numbers of functions, globals and exported symbols        u32 each
//! offsets of the functions, of the globals, of the exported symbols by name   u32 each
//! offset of the debug information                                             u32
//! symbols: kind and id, name, linkage, binary form
//! debug information
//! ```

use std::cmp::Ordering;

use ir::debug::DebugInfo;
use ir::{FuncId, GlobalId, Symbol};
use serde::{Deserialize, Serialize};

use crate::link::{Linkage, Unlinked};
use crate::{LoadError, parse_and_lower};

/// A library whose header has been read.
#[derive(Clone, Copy)]
pub struct Library<'a> {
    bytes: &'a [u8],
    functions: u32,
    globals: u32,
    exported: u32,
}

/// A function or global of a library.
#[derive(Serialize, Deserialize)]
pub struct Entry<'a> {
    symbol: Symbol,
    pub name: &'a str,
    pub linkage: Linkage,
    /// Its binary form.
    bytes: &'a [u8],
}

/// How many numbers the header has.
const HEADER: u32 = 4;

const INTACT: &str = "the library is what `compile_library` made";

/// Lowers a library that is linked already, for [`crate::Options::libraries`]. It may have no
/// aliases, constructors and destructors.
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
    let mut symbols = Vec::new();
    for (id, function) in module.functions.enumerate() {
        symbols.push((
            Symbol::Function(id),
            &function.name,
            unlinked.functions[id],
            ir::binary::write(function),
        ));
    }
    for (id, global) in module.globals.enumerate() {
        symbols.push((
            Symbol::Global(id),
            &global.name,
            unlinked.globals[id],
            ir::binary::write(global),
        ));
    }
    let mut exported: Vec<usize> = (0..symbols.len()).collect();
    exported.retain(|&index| symbols[index].2 == Linkage::Defined);
    exported.sort_by_key(|&index| symbols[index].1);

    let tables = HEADER as usize + symbols.len() + exported.len() + 1;
    let mut contents = Vec::new();
    let mut offsets = Vec::new();
    for &(symbol, name, linkage, ref bytes) in &symbols {
        offsets.push(4 * tables + contents.len());
        let entry = Entry {
            symbol,
            name,
            linkage,
            bytes,
        };
        ir::binary::append(&entry, &mut contents);
    }
    let debug = 4 * tables + contents.len();
    ir::binary::append(&module.debug, &mut contents);

    let header = [
        module.pointer_bits as usize,
        module.functions.len(),
        module.globals.len(),
        exported.len(),
    ];
    let exported = exported.iter().map(|&index| offsets[index]);
    let numbers = header.into_iter().chain(offsets.iter().copied());
    let numbers = numbers.chain(exported).chain([debug]);
    let mut out: Vec<u8> = numbers
        .flat_map(|number| u32::try_from(number).expect(SMALL).to_le_bytes())
        .collect();
    out.extend(contents);
    out
}

const SMALL: &str = "a library has less than 4 GB";

impl<'a> Library<'a> {
    /// The library in `bytes` if it is for pointers of this size.
    pub fn open(bytes: &'a [u8], pointer_bits: u32) -> Option<Library<'a>> {
        let library = Library {
            bytes,
            functions: number(bytes, 1),
            globals: number(bytes, 2),
            exported: number(bytes, 3),
        };
        (number(bytes, 0) == pointer_bits).then_some(library)
    }

    pub fn function_count(&self) -> usize {
        self.functions as usize
    }

    pub fn global_count(&self) -> usize {
        self.globals as usize
    }

    pub fn function_entry(&self, id: FuncId) -> Entry<'a> {
        self.entry(HEADER + id.0)
    }

    pub fn global_entry(&self, id: GlobalId) -> Entry<'a> {
        self.entry(HEADER + self.functions + id.0)
    }

    /// The function of this name that programs may call.
    pub fn exported_function(&self, name: &str) -> Option<FuncId> {
        match self.exported(name)? {
            Symbol::Function(id) => Some(id),
            _ => None,
        }
    }

    pub fn exported_global(&self, name: &str) -> Option<GlobalId> {
        match self.exported(name)? {
            Symbol::Global(id) => Some(id),
            _ => None,
        }
    }

    /// The function; the ids in it are those of the library.
    pub fn function(&self, id: FuncId) -> ir::Function {
        ir::binary::read(self.function_entry(id).bytes).expect(INTACT)
    }

    pub fn global(&self, id: GlobalId) -> ir::Global {
        ir::binary::read(self.global_entry(id).bytes).expect(INTACT)
    }

    pub fn debug(&self) -> DebugInfo {
        let offset = number(self.bytes, self.first_exported() + self.exported);
        ir::binary::read(&self.bytes[offset as usize..]).expect(INTACT)
    }

    fn first_exported(&self) -> u32 {
        HEADER + self.functions + self.globals
    }

    fn exported(&self, name: &str) -> Option<Symbol> {
        let (mut low, mut high) = (0, self.exported);
        while low < high {
            let middle = low.midpoint(high);
            let entry = self.entry(self.first_exported() + middle);
            match entry.name.cmp(name) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(entry.symbol),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The symbol whose offset is the number at `index`.
    fn entry(&self, index: u32) -> Entry<'a> {
        let offset = number(self.bytes, index) as usize;
        ir::binary::read_first(&self.bytes[offset..]).expect(INTACT)
    }
}

fn number(bytes: &[u8], index: u32) -> u32 {
    let place = 4 * index as usize;
    let bytes = bytes[place..place + 4].try_into();
    u32::from_le_bytes(bytes.expect(INTACT))
}

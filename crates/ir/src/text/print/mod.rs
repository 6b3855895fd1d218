//! A module to its textual form.

mod debug;
mod function;
mod global;
mod inst;

use std::collections::HashMap;

use super::lexer::{is_plain_symbol, quoted};
use super::symbols::Symbols;
use crate::debug::{FileId, Loc, LocId};
use crate::module::{Const, FuncId, GlobalId, Module, Symbol, Type};

/// Appends formatted text to a `String`.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        use std::fmt::Write as _;
        write!($out, $($arg)*).expect("a String can always be written to")
    }};
}
use put;

pub fn module(module: &Module) -> String {
    let names = Names::new(module);
    let mut out = String::new();
    put!(out, "pointer_bits {}\n", module.pointer_bits);
    debug::tables(&mut out, &names);
    global::globals(&mut out, &names);
    for (word, functions) in [
        ("constructors", &module.constructors),
        ("destructors", &module.destructors),
    ] {
        if !functions.is_empty() {
            let list = comma_separated(functions.iter().map(|f| names.function(*f)));
            put!(out, "\n{word} {list}\n");
        }
    }
    for function in &module.functions {
        out.push('\n');
        function::function(&mut out, &names, function);
    }
    out
}

/// How symbols and locations of the module are written.
struct Names<'m> {
    module: &'m Module,
    symbols: Symbols,
    first_loc: HashMap<Loc, LocId>,
    first_file: HashMap<&'m str, FileId>,
}

impl<'m> Names<'m> {
    fn new(module: &'m Module) -> Self {
        let symbols = Symbols::new(
            module.functions.iter().map(|f| f.name.as_str()),
            module.globals.iter().map(|g| g.name.as_str()),
        );
        let mut first_loc = HashMap::new();
        for (id, loc) in module.debug.locs.enumerate() {
            first_loc.entry(*loc).or_insert(id);
        }
        let mut first_file = HashMap::new();
        for (id, file) in module.debug.files.enumerate() {
            first_file.entry(file.as_str()).or_insert(id);
        }
        Names {
            module,
            symbols,
            first_loc,
            first_file,
        }
    }

    fn function(&self, id: FuncId) -> String {
        match self.module.functions.get(id) {
            Some(f) if self.symbols.is_unique(&f.name) => symbol_name(&f.name),
            _ => format!("func#{}", id.0),
        }
    }

    fn global(&self, id: GlobalId) -> String {
        match self.module.globals.get(id) {
            Some(g) if self.symbols.is_unique(&g.name) => symbol_name(&g.name),
            _ => format!("global#{}", id.0),
        }
    }

    fn symbol(&self, symbol: Symbol) -> String {
        match symbol {
            Symbol::Global(id) => self.global(id),
            Symbol::Function(id) => self.function(id),
            Symbol::Block(function, block) => format!("{}:{block}", self.function(function)),
        }
    }

    /// `@name[offset]`, without the brackets for offset 0.
    fn address(&self, symbol: Symbol, offset: i64) -> String {
        match offset {
            0 => self.symbol(symbol),
            _ => format!("{}[{offset}]", self.symbol(symbol)),
        }
    }

    /// Type and value.
    fn constant(&self, ty: Type, constant: Const) -> String {
        match constant {
            Const::Address(symbol, offset) => {
                format!("{ty} {}", self.address(symbol, offset))
            }
            Const::Bits(0) if ty == Type::Ptr => "ptr null".to_owned(),
            Const::Bits(bits) => match ty {
                Type::Int(width) => format!("{ty} {}", integer(bits, width)),
                _ => format!("{ty} {bits:#x}"),
            },
        }
    }

    /// ` at ...`, or nothing for the unknown location.
    fn location_suffix(&self, loc: LocId) -> String {
        match loc {
            LocId(0) => String::new(),
            _ => format!(" at {}", self.location(loc)),
        }
    }

    fn location(&self, id: LocId) -> String {
        self.location_in_words(id).unwrap_or_else(|| id.to_string())
    }

    /// `"file":line:column` if the parser will find exactly this entry again.
    fn location_in_words(&self, id: LocId) -> Option<String> {
        let loc = self.module.debug.locs.get(id)?;
        let file = self.module.debug.files.get(loc.file)?;
        let found_again = loc.is_known()
            && self.first_loc.get(loc) == Some(&id)
            && self.first_file.get(file.as_str()) == Some(&loc.file);
        found_again.then(|| format!("{}:{}:{}", quoted(file), loc.line, loc.column))
    }
}

fn symbol_name(name: &str) -> String {
    if is_plain_symbol(name) {
        format!("@{name}")
    } else {
        format!("@{}", quoted(name))
    }
}

/// A constant as a signed number, as C programs mean most of them. One bit is 0 or 1, and bits
/// beyond the width are printed unchanged.
fn integer(bits: u128, width: u8) -> String {
    let fits = match width {
        2..=127 => bits >> width == 0,
        128 => true,
        _ => false,
    };
    if fits && bits >> (width - 1) == 1 {
        // 2^width - bits, which fits since bits >= 2^(width - 1) > 0.
        let magnitude = (u128::MAX >> (128 - u32::from(width))) - bits + 1;
        format!("-{magnitude}")
    } else {
        bits.to_string()
    }
}

fn comma_separated(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// The flags that are set, each behind a space.
fn flags(all: &[(bool, &str)]) -> String {
    let set = all.iter().filter(|(set, _)| *set);
    set.map(|(_, word)| format!(" {word}")).collect()
}

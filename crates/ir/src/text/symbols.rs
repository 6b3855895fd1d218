//! Functions and globals by name. A name that several share denotes none of them.

use std::collections::HashMap;

use crate::module::{FuncId, GlobalId, Symbol};

#[derive(Default)]
pub struct Symbols {
    /// `None`: shared by several.
    by_name: HashMap<String, Option<Symbol>>,
}

impl Symbols {
    pub fn new<'a>(
        functions: impl Iterator<Item = &'a str>,
        globals: impl Iterator<Item = &'a str>,
    ) -> Symbols {
        let mut symbols = Symbols::default();
        for (index, name) in functions.enumerate() {
            symbols.add(name, Symbol::Function(FuncId::from(index)));
        }
        for (index, name) in globals.enumerate() {
            symbols.add(name, Symbol::Global(GlobalId::from(index)));
        }
        symbols
    }

    fn add(&mut self, name: &str, symbol: Symbol) {
        self.by_name
            .entry(name.to_owned())
            .and_modify(|known| *known = None)
            .or_insert(Some(symbol));
    }

    /// `None`: unknown. `Some(None)`: shared by several.
    pub fn get(&self, name: &str) -> Option<Option<Symbol>> {
        self.by_name.get(name).copied()
    }

    pub fn is_unique(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Some(_)))
    }
}

//! From a verified LLVM module to [`ir::Module`].
//!
//! Order: every function and global gets its id, then initial contents, then bodies. What cannot be
//! expressed becomes [`ir::Op::Unsupported`] at the place where the program would run into it, so
//! lowering itself never fails.

mod aggregate;
mod assembly;
mod call;
mod constants;
pub mod debug;
mod edges;
mod finish;
mod function;
mod globals;
mod instruction;
mod intrinsic;
mod memory;
mod types;

use base::IndexVec;
use ir::{BlockId, FuncId, GlobalId, Symbol};
use rustc_hash::FxHashMap;

use crate::library::Library;
use crate::link::{Linkage, Unlinked};
use crate::llvm::{Block, Kind, Module, Value};
use debug::Debug;
use types::Layouts;

/// Lowers a module that is to be linked with `library`.
pub fn lower<'m>(module: &'m Module<'m>, library: Option<&'m Library<'m>>) -> Unlinked {
    let mut program = Program::new(module, library);
    program.declare();
    program.lower_globals();
    program.lower_functions();
    program.out.debug = program.debug.finish();
    Unlinked {
        aliases: program.aliases(),
        functions: program.function_linkages,
        globals: program.global_linkages,
        module: program.out,
    }
}

/// Something that has no counterpart in the intermediate representation; the text says what.
#[derive(Debug, Clone, PartialEq)]
struct Unmodelled(String);

type Lowered<T> = Result<T, Unmodelled>;

fn unmodelled<T>(what: impl Into<String>) -> Lowered<T> {
    Err(Unmodelled(what.into()))
}

/// The whole program while it is lowered.
struct Program<'m> {
    module: &'m Module<'m>,
    library: Option<&'m Library<'m>>,
    layouts: Layouts<'m>,
    functions: FxHashMap<Value<'m>, FuncId>,
    globals: FxHashMap<Value<'m>, GlobalId>,
    /// Blocks are numbered in the order in which LLVM lists them.
    blocks: FxHashMap<Block<'m>, BlockId>,
    debug: Debug<'m>,
    /// How many more bytes the initial contents of globals may take.
    initial_bytes_left: u64,
    function_linkages: IndexVec<FuncId, Linkage>,
    global_linkages: IndexVec<GlobalId, Linkage>,
    out: ir::Module,
}

/// A limit on the initial contents of all globals, which are held byte by byte: far more than a
/// program that can be verified has.
const MOST_INITIAL_BYTES: u64 = 1 << 30;

impl<'m> Program<'m> {
    fn new(module: &'m Module<'m>, library: Option<&'m Library<'m>>) -> Self {
        Program {
            module,
            library,
            layouts: Layouts::new(module),
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            blocks: FxHashMap::default(),
            debug: Debug::new(module),
            initial_bytes_left: MOST_INITIAL_BYTES,
            function_linkages: IndexVec::new(),
            global_linkages: IndexVec::new(),
            out: ir::Module {
                pointer_bits: module.pointer_bits(),
                ..ir::Module::default()
            },
        }
    }

    /// Gives an id to everything that others may refer to.
    fn declare(&mut self) {
        for function in self.module.functions() {
            if function.intrinsic().is_some() {
                continue;
            }
            let lowered = self.declare_function(function);
            let id = self.out.functions.push(lowered);
            self.function_linkages.push(function.linkage());
            self.functions.insert(function, id);
            for (index, block) in function.blocks().into_iter().enumerate() {
                self.blocks.insert(block, BlockId::from(index));
            }
        }
        for global in self.module.globals() {
            if global.has_appending_linkage() || global.section() == "llvm.metadata" {
                continue;
            }
            let lowered = self.declare_global(global);
            let id = self.out.globals.push(lowered);
            self.global_linkages.push(global.linkage());
            self.globals.insert(global, id);
        }
    }

    fn declare_function(&mut self, function: Value<'m>) -> ir::Function {
        let name = function.name();
        let (source_name, loc) = match function.subprogram() {
            Some(subprogram) => {
                let (source, line, file) = subprogram.subprogram();
                let source = if source.is_empty() {
                    crate::llvm::demangle(&name)
                } else {
                    source
                };
                (source, Some(self.debug.loc(line, 0, file)))
            }
            None => (crate::llvm::demangle(&name), None),
        };
        let ty = function.value_type();
        // A type that cannot be expressed is reported where a value of it is used.
        let flat = |types: Lowered<_>| -> Vec<ir::Type> { types.unwrap_or_default() };
        let mut params = Vec::new();
        for param in ty.param_types() {
            params.extend(flat(self.layouts.types(param)));
        }
        let mut declared = ir::Function {
            source_name,
            params,
            results: flat(self.layouts.types(ty.return_type())),
            variadic: ty.is_variadic(),
            weak: function.is_weak_declaration(),
            loc,
            runtime: false,
            body: None,
            name,
        };
        if function.linkage() == Linkage::Declared
            && let Some(library) = self.library
            && let Some(id) = library.exported_function(&declared.name)
        {
            // Calls are lowered by the type that the library gives the callee, not by the
            // program's.
            let defined = library.function(id);
            declared.params = defined.params;
            declared.results = defined.results;
            declared.variadic = defined.variadic;
        }
        declared
    }

    /// Other names under which functions and globals are known to other files.
    fn aliases(&self) -> Vec<(String, Symbol)> {
        let exported = |alias: &Value<'m>| alias.linkage() != Linkage::Local;
        let named = |alias: Value<'m>| {
            let target = self.resolve(alias)?;
            let function = self.functions.get(&target).map(|&id| Symbol::Function(id));
            let global = || self.globals.get(&target).map(|&id| Symbol::Global(id));
            Some((alias.name(), function.or_else(global)?))
        };
        let aliases = self.module.aliases().filter(exported);
        aliases.filter_map(named).collect()
    }

    fn lower_functions(&mut self) {
        for function in self.module.functions() {
            if function.is_declaration() {
                continue;
            }
            let Some(&id) = self.functions.get(&function) else {
                continue;
            };
            let body = function::lower_body(self, function);
            self.out.functions[id].body = Some(body);
        }
    }

    /// The global variable or function behind aliases and equivalents; `None` if that is an
    /// expression.
    fn resolve(&self, value: Value<'m>) -> Option<Value<'m>> {
        const MOST_STEPS: usize = 1000;
        let mut value = value;
        // An alias of itself does not pass LLVM's verifier, but one of an indirect function that
        // stands for it does.
        for _ in 0..MOST_STEPS {
            value = match value.kind() {
                Kind::Alias => value.aliasee(),
                Kind::IFunc => self.ifunc_target(value)?,
                Kind::Equivalent => value.equivalent(),
                Kind::Function | Kind::GlobalVariable => return Some(value),
                _ => return None,
            };
        }
        None
    }
}

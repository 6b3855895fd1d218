//! Links a lowered program with what it needs of Sleave's own C library.
//!
//! A program needs the functions and globals that it declares and does not define, the roots that
//! are asked for, and whatever these refer to. The program's own definitions win. As for any
//! linker, a `static` function or variable belongs to its file alone, whatever its name.

use std::cmp::Ordering;

use base::IndexVec;
use ir::debug::{DebugInfo, DebugType, FileId, LocId, TypeId, VarId};
use ir::{
    BlockId, Body, Call, Callee, Cast, Const, FuncId, GlobalId, Inst, Op, Symbol, Terminator, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::library::Library;

/// A program without its library.
#[derive(Serialize, Deserialize)]
pub struct Unlinked {
    pub module: ir::Module,
    pub functions: IndexVec<FuncId, Linkage>,
    pub globals: IndexVec<GlobalId, Linkage>,
    /// Other names of functions and globals.
    pub aliases: Vec<(String, Symbol)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Linkage {
    /// Visible in its own file only.
    Local,
    Declared,
    Defined,
}

/// Links `program` with what it needs of `library`.
pub fn link(program: Unlinked, library: &Library, roots: &[&str]) -> ir::Module {
    let mut linker = Linker::new(program, library);
    linker.link_needed(roots);
    linker.module
}

struct Linker<'l> {
    module: ir::Module,
    library: &'l Library<'l>,
    /// The functions and globals of the program that the library can refer to, by name.
    symbols: FxHashMap<String, Symbol>,
    /// All names in use: no two functions or globals may have the same.
    names: FxHashSet<String>,
    /// The ids in the module of those functions and globals of the library that are needed.
    functions: IndexVec<FuncId, Option<FuncId>>,
    globals: IndexVec<GlobalId, Option<GlobalId>>,
    pending: Vec<Pending>,
    /// Whether a function of the program stays as it is. Those that the program declares and the
    /// library defines do not.
    own: IndexVec<FuncId, bool>,
    debug: DebugBase,
}

/// A function or global of the library that has an id in the module, but no contents yet.
enum Pending {
    Function { from: FuncId, to: FuncId },
    Global { from: GlobalId, to: GlobalId },
}

impl<'l> Linker<'l> {
    fn new(program: Unlinked, library: &'l Library<'l>) -> Self {
        let Unlinked {
            mut module,
            functions,
            globals,
            aliases,
        } = program;
        let mut symbols: FxHashMap<String, Symbol> = aliases.into_iter().collect();
        let mut names: FxHashSet<String> = symbols.keys().cloned().collect();
        for (id, function) in module.functions.enumerate() {
            names.insert(function.name.clone());
            if functions[id] != Linkage::Local {
                symbols.insert(function.name.clone(), Symbol::Function(id));
            }
        }
        for (id, global) in module.globals.enumerate() {
            names.insert(global.name.clone());
            if globals[id] != Linkage::Local {
                symbols.insert(global.name.clone(), Symbol::Global(id));
            }
        }
        let mut linker = Linker {
            library,
            symbols,
            names,
            functions: vec![None; library.function_count()].into_iter().collect(),
            globals: vec![None; library.global_count()].into_iter().collect(),
            pending: Vec::new(),
            own: functions.iter().map(|_| true).collect(),
            debug: DebugBase::append(&mut module.debug, library.debug()),
            module,
        };
        linker.place_declared(&functions, &globals);
        linker
    }

    /// Gives what the program declares and the library defines the id of the declaration.
    fn place_declared(
        &mut self,
        functions: &IndexVec<FuncId, Linkage>,
        globals: &IndexVec<GlobalId, Linkage>,
    ) {
        let declared = |linkage: Linkage| linkage == Linkage::Declared;
        for to in functions.ids().filter(|&id| declared(functions[id])) {
            let name = &self.module.functions[to].name;
            if let Some(from) = self.library.exported_function(name) {
                self.functions[from] = Some(to);
                self.own[to] = false;
                self.pending.push(Pending::Function { from, to });
            }
        }
        for to in globals.ids().filter(|&id| declared(globals[id])) {
            let global = &self.module.globals[to];
            if let Some(from) = self.library.exported_global(&global.name)
                // Code that accesses a plain variable cannot access a thread-local one.
                && self.library.global(from).thread_local == global.thread_local
            {
                self.globals[from] = Some(to);
                self.pending.push(Pending::Global { from, to });
            }
        }
    }

    fn link_needed(&mut self, roots: &[&str]) {
        for root in roots {
            if let Some(id) = self.library.exported_function(root) {
                self.function(id);
            }
        }
        // Moving one may append others: the order is that in which they were needed.
        let mut next = 0;
        while next < self.pending.len() {
            match self.pending[next] {
                Pending::Function { from, to } => self.move_function(from, to),
                Pending::Global { from, to } => self.move_global(from, to),
            }
            next += 1;
        }
    }

    /// The id in the module of a function of the library.
    fn function(&mut self, from: FuncId) -> FuncId {
        if let Some(known) = self.functions[from] {
            return known;
        }
        let entry = self.library.function_entry(from);
        let own = match self.symbols.get(entry.name) {
            Some(&Symbol::Function(id)) if entry.linkage != Linkage::Local => Some(id),
            _ => None,
        };
        let to = own.unwrap_or_else(|| {
            let name = self.give_name(entry.name, entry.linkage);
            let to = self.module.functions.push(ir::Function {
                name,
                ..ir::Function::default()
            });
            self.pending.push(Pending::Function { from, to });
            to
        });
        self.functions[from] = Some(to);
        to
    }

    fn global(&mut self, from: GlobalId) -> GlobalId {
        if let Some(known) = self.globals[from] {
            return known;
        }
        let entry = self.library.global_entry(from);
        let own = match self.symbols.get(entry.name) {
            Some(&Symbol::Global(id)) if entry.linkage != Linkage::Local => {
                let same_kind =
                    self.module.globals[id].thread_local == self.library.global(from).thread_local;
                same_kind.then_some(id)
            }
            _ => None,
        };
        let to = own.unwrap_or_else(|| {
            let name = self.give_name(entry.name, entry.linkage);
            let to = self.module.globals.push(ir::Global {
                name,
                ..ir::Global::default()
            });
            self.pending.push(Pending::Global { from, to });
            to
        });
        self.globals[from] = Some(to);
        to
    }

    /// A name for a new function or global, `name` if possible. If that is in use, the one of the
    /// two that is local to its file is called otherwise.
    fn give_name(&mut self, name: &str, linkage: Linkage) -> String {
        if self.names.insert(name.to_owned()) {
            return name.to_owned();
        }
        let other = (1..)
            .map(|number| format!("{name}.{number}"))
            .find(|other| !self.names.contains(other))
            .expect("there are more numbers than names");
        self.names.insert(other.clone());
        if linkage == Linkage::Local || self.symbols.contains_key(name) {
            return other;
        }
        let functions = self.module.functions.iter_mut().map(|f| &mut f.name);
        let globals = self.module.globals.iter_mut().map(|g| &mut g.name);
        for taken in functions.chain(globals).filter(|taken| *taken == name) {
            taken.clone_from(&other);
        }
        name.to_owned()
    }

    fn move_function(&mut self, from: FuncId, to: FuncId) {
        let mut function = self.library.function(from);
        function.name = std::mem::take(&mut self.module.functions[to].name);
        function.loc = function.loc.map(|loc| self.debug.loc(loc));
        if let Some(body) = &mut function.body {
            function.runtime = true;
            self.relink(body);
        }
        self.module.functions[to] = function;
    }

    fn move_global(&mut self, from: GlobalId, to: GlobalId) {
        let mut global = self.library.global(from);
        global.name = std::mem::take(&mut self.module.globals[to].name);
        global.var = global.var.map(|var| self.debug.var(var));
        for relocation in global.init.iter_mut().flat_map(|i| &mut i.relocations) {
            relocation.target = self.symbol(relocation.target);
        }
        self.module.globals[to] = global;
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Global(id) => Symbol::Global(self.global(id)),
            Symbol::Function(id) => Symbol::Function(self.function(id)),
            Symbol::Block(id, block) => Symbol::Block(self.function(id), block),
        }
    }

    /// Turns the library's ids into those of the module.
    fn relink(&mut self, body: &mut Body) {
        for value in body.values.iter_mut() {
            if let Some(Const::Address(symbol, _)) = &mut value.constant {
                *symbol = self.symbol(*symbol);
            }
        }
        let mut mismatches = Vec::new();
        for (id, block) in body.blocks.iter_mut().enumerate() {
            for (index, inst) in block.insts.iter_mut().enumerate() {
                inst.loc = self.debug.loc(inst.loc);
                match &mut inst.op {
                    Op::PtrAdd { record, .. } => *record = record.map(|ty| self.debug.ty(ty)),
                    Op::Alloca { var, .. } => *var = var.map(|var| self.debug.var(var)),
                    Op::TlsAddr { global, .. } => *global = self.global(*global),
                    Op::Call(call) => {
                        let has = self.relink_call(call);
                        let expected = call.results.iter().map(|&result| body.values[result].ty);
                        if has.is_some_and(|has| !expected.eq(has.iter().copied())) {
                            mismatches.push((BlockId::from(id), index));
                        }
                    }
                    _ => {}
                }
            }
            block.terminator_loc = self.debug.loc(block.terminator_loc);
            if let Terminator::Invoke { call, .. } = &mut block.terminator {
                self.relink_call(call); // No mismatch: C does not catch exceptions.
            }
        }
        for (block, index) in mismatches.into_iter().rev() {
            self.adapt_results(body, block, index);
        }
    }

    /// Turns the callee into that of the module, and says what results it has.
    fn relink_call(&mut self, call: &mut Call) -> Option<&[Type]> {
        let Callee::Direct(callee) = &mut call.callee else {
            return None;
        };
        *callee = self.function(*callee);
        let is_own = self.own.get(*callee) == Some(&true);
        // Calls within the library have the types that they expect.
        is_own.then(|| self.module.functions[*callee].results.as_slice())
    }

    /// Adapts a call from the library to a function of the program that has other results than the
    /// library expects. What it expects becomes the bits of the register that holds the result, as
    /// where a program calls with the wrong prototype.
    fn adapt_results(&self, body: &mut Body, block: BlockId, index: usize) {
        let pointer_bits = self.module.pointer_bits;
        let insts = &mut body.blocks[block].insts;
        let Inst {
            op:
                Op::Call(Call {
                    callee: Callee::Direct(callee),
                    results,
                    ..
                }),
            loc,
        } = &mut insts[index]
        else {
            return;
        };
        let mut fresh = |ty| {
            body.values.push(ir::Value {
                ty,
                constant: None,
                name: None,
            })
        };
        let types = &self.module.functions[*callee].results;
        let actual = types.iter().map(|&ty| fresh(ty)).collect();
        let expected = std::mem::replace(results, actual);
        let (results, loc) = (results.clone(), *loc);
        let mut adapted = Vec::new();
        for (position, dst) in expected.into_iter().enumerate() {
            let ty = body.values[dst].ty;
            let source = results.get(position).map(|&src| (src, body.values[src].ty));
            let op = match source {
                Some((src, from)) if !from.is_float() && !ty.is_float() => {
                    let op = match ty.bits(pointer_bits).cmp(&from.bits(pointer_bits)) {
                        Ordering::Less => Cast::Trunc,
                        Ordering::Equal => Cast::Bits,
                        Ordering::Greater => Cast::ZExt,
                    };
                    Op::Cast { op, dst, src }
                }
                _ => Op::Undef { dst },
            };
            adapted.push(Inst { op, loc });
        }
        insts.splice(index + 1..index + 1, adapted);
    }
}

/// Where the library's debug information begins in that of the module.
struct DebugBase {
    locs: usize,
    types: usize,
    vars: usize,
}

impl DebugBase {
    /// Appends the library's debug information to the program's.
    fn append(debug: &mut DebugInfo, library: DebugInfo) -> DebugBase {
        let files = debug.files.len();
        let base = DebugBase {
            locs: debug.locs.len() - 1, // Both begin with the unknown place.
            types: debug.types.len(),
            vars: debug.vars.len(),
        };
        for file in library.files {
            debug.files.push(file);
        }
        for mut loc in library.locs.into_iter().skip(1) {
            loc.file = FileId::from(loc.file.index() + files);
            debug.locs.push(loc);
        }
        for mut ty in library.types {
            base.relink(&mut ty);
            debug.types.push(ty);
        }
        for mut variable in library.vars {
            variable.ty = variable.ty.map(|ty| base.ty(ty));
            variable.loc = base.loc(variable.loc);
            debug.vars.push(variable);
        }
        base
    }

    fn loc(&self, loc: LocId) -> LocId {
        match loc.index() {
            0 => loc,
            index => LocId::from(index + self.locs),
        }
    }

    fn ty(&self, ty: TypeId) -> TypeId {
        TypeId::from(ty.index() + self.types)
    }

    fn var(&self, var: VarId) -> VarId {
        VarId::from(var.index() + self.vars)
    }

    fn relink(&self, ty: &mut DebugType) {
        match ty {
            DebugType::Pointer { to } => *to = to.map(|to| self.ty(to)),
            DebugType::Array { element, .. } => *element = self.ty(*element),
            DebugType::Record { members, .. } => {
                for member in members {
                    member.ty = self.ty(member.ty);
                }
            }
            DebugType::Base { .. } | DebugType::Enum { .. } | DebugType::Opaque { .. } => {}
        }
    }
}

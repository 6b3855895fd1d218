//! What flows where: the constraints of a program.
//!
//! Functions are generated once, and once more for each direct call of those that `clones` chooses.

use base::IndexVec;
use ir::{Const, FuncId, GlobalId, Module, Symbol, ValueId};
use rustc_hash::FxHashMap;

use super::place::{ObjectId, ObjectKind, Place, Places};
use super::pools::Pools;
use super::receivers::{Methods, Receiver};
use super::solver::{Program, Rule, Solver};
use super::{AccessKind, clones};
use crate::callgraph;
use crate::external::{self, External};
use crate::node::{NodeId, Nodes};

/// A function, or its copy for one call.
pub(super) struct Instance {
    pub function: FuncId,
    /// The call that it is a copy for.
    pub caller: Option<NodeId>,
    /// The nodes of its values.
    pub values: Vec<u32>,
    /// The nodes of what it returns.
    pub results: Vec<u32>,
    /// The arguments of that call that are constants.
    pub given: Vec<Option<u64>>,
}

/// A call, in one instance of its function.
pub(super) struct Site {
    pub node: NodeId,
    pub instance: u32,
    pub args: Vec<u32>,
    /// Those arguments that are constants.
    pub constants: Vec<Option<u64>>,
    /// The same, and those that are parameters of a copy that is given constants.
    pub given: Vec<Option<u64>>,
    pub results: Vec<u32>,
    /// Sorted.
    pub callees: Vec<FuncId>,
    /// The argument that is passed place by place.
    pub receiver: Option<Receiver>,
}

/// What is between calls that may all reach the same functions, and these functions.
#[derive(Clone)]
pub(super) struct Exchange {
    pub params: Vec<u32>,
    pub results: Vec<u32>,
}

/// An access that an instruction makes, through what a node holds.
pub(super) struct Touch {
    pub node: NodeId,
    pub kind: AccessKind,
    pub through: u32,
    pub bytes: Option<u64>,
}

pub(super) struct Flow<'m> {
    pub module: &'m Module,
    pub nodes: &'m Nodes,
    /// Unmodelled functions are believed to keep no address and to follow none.
    pub trusting: bool,
    pub instances: Vec<Instance>,
    pub sites: Vec<Site>,
    pub touches: Vec<Touch>,
    /// Formats of calls that would write through their arguments if there is a `%n` in them.
    pub formats: Vec<Format>,
    /// Nodes whose objects are freed, and the calls that free them.
    pub frees: Vec<(NodeId, u32)>,
    pub functions: IndexVec<FuncId, ObjectId>,
    pub globals: IndexVec<GlobalId, ObjectId>,
    /// For functions that are not entered, what they do.
    pub externals: IndexVec<FuncId, Option<External>>,
    /// The instance for calls that have none of their own.
    pub shared: IndexVec<FuncId, Option<u32>>,
    pub cloned: IndexVec<FuncId, bool>,
    pub(super) ungenerated: Vec<u32>,
    addresses: FxHashMap<(Symbol, i64), u32>,
    pub(super) variable_arguments: FxHashMap<FuncId, ObjectId>,
    pub(super) heap: FxHashMap<(NodeId, u32), ObjectId>,
    pub(super) exchanges: FxHashMap<Vec<FuncId>, Exchange>,
    pub(super) methods: Methods,
    pub(super) pools: &'m Pools,
    pub(super) pooled: FxHashMap<u32, ObjectId>,
    /// How large allocated objects probably are.
    pub(super) sizes: FxHashMap<ObjectId, u64>,
    pub special: Special,
}

/// Nodes of which there is one each.
pub(super) struct Special {
    /// Never holds anything.
    pub nothing: u32,
    /// Exceptions on their way.
    pub thrown: u32,
    /// What threads return.
    pub thread_results: u32,
    /// What `longjmp` hands over.
    pub jumped: u32,
    /// Buffers of cleanup handlers.
    pub cleanups: u32,
    pub errno: u32,
    pub anything: u32,
}

/// A call that formats, and the nodes of its format and of what the format can make it write to.
pub(super) struct Format {
    pub node: NodeId,
    pub format: u32,
    pub written: Vec<u32>,
}

/// The constraints of a module, and the program that their rules refer to.
pub(super) fn constraints<'m>(
    module: &'m Module,
    nodes: &'m Nodes,
    pools: &'m Pools,
    trusting: bool,
) -> (Solver, Flow<'m>) {
    let mut places = Places::new(module.pointer_bytes(), pools.place_limit());
    let anything = places.add_object(ObjectKind::Anything, None);
    let functions = add_functions(module, &mut places);
    let globals = add_globals(module, &mut places);
    let errno = places.add_object(ObjectKind::Errno, Some(4));
    let mut solver = Solver::new(places);
    let mut node_of = |place: Option<Place>| {
        let node = solver.add_node();
        if let Some(place) = place {
            solver.add_target(node, place);
        }
        node
    };
    let mut flow = Flow {
        module,
        nodes,
        trusting,
        instances: Vec::new(),
        sites: Vec::new(),
        touches: Vec::new(),
        formats: Vec::new(),
        frees: Vec::new(),
        functions,
        globals,
        externals: module.functions.iter().map(external::of).collect(),
        shared: module.functions.iter().map(|_| None).collect(),
        cloned: clones::chosen(module, trusting),
        ungenerated: Vec::new(),
        addresses: FxHashMap::default(),
        variable_arguments: FxHashMap::default(),
        heap: FxHashMap::default(),
        exchanges: FxHashMap::default(),
        methods: Methods::default(),
        pools,
        pooled: FxHashMap::default(),
        sizes: FxHashMap::default(),
        special: Special {
            nothing: node_of(None),
            thrown: node_of(None),
            thread_results: node_of(None),
            jumped: node_of(None),
            cleanups: node_of(None),
            errno: node_of(Some(Place::start(errno))),
            anything: node_of(Some(Place::anywhere(anything))),
        },
    };
    flow.start(&mut solver);
    (solver, flow)
}

fn add_functions(module: &Module, places: &mut Places) -> IndexVec<FuncId, ObjectId> {
    let ids = module.functions.ids();
    ids.map(|id| places.add_object(ObjectKind::Function(id), None))
        .collect()
}

fn add_globals(module: &Module, places: &mut Places) -> IndexVec<GlobalId, ObjectId> {
    let globals = module.globals.enumerate().map(|(id, global)| {
        // What is only declared may be declared without its size.
        let size = global.init.as_ref().map(|_| global.size);
        let object = places.add_object(ObjectKind::Global(id), size);
        places.objects[object].constant = global.constant;
        object
    });
    globals.collect()
}

impl Flow<'_> {
    fn start(&mut self, solver: &mut Solver) {
        let outside = solver.outside;
        solver.add_copy(self.special.anything, outside);
        solver.add_rule(outside, Rule::Escape);
        self.initialise_globals(solver);
        let roots = callgraph::roots(self.module);
        for function in self.module.functions.ids() {
            // Of those with copies, the shared one is made when something needs it.
            let needed = !self.cloned[function] || roots.contains(&function);
            if self.externals[function].is_none() && needed {
                self.shared_instance(solver, function);
            }
        }
        self.generate_pending(solver);
        self.give_arguments(solver);
        self.handle_exceptions(solver);
    }

    fn initialise_globals(&mut self, solver: &mut Solver) {
        let word = self.module.pointer_bytes();
        for (id, global) in self.module.globals.enumerate() {
            let object = self.globals[id];
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                let from = self.address(solver, relocation.target, relocation.addend);
                let place = Place {
                    object,
                    offset: relocation.offset as i64,
                    stride: 0,
                };
                for key in solver.places.keys(place, Some(word)) {
                    let cell = solver.written_cell(object, key);
                    solver.add_copy(from, cell);
                }
            }
        }
        for name in ["stdin", "stdout", "stderr"] {
            let Some(global) = self.module.global_named(name) else {
                continue;
            };
            if self.module.globals[global].init.is_none() {
                let stream = solver.places.add_object(ObjectKind::Stream, Some(8));
                self.put(solver, self.globals[global], Place::start(stream));
            }
        }
    }

    /// Somewhere in `object` there is an address.
    fn put(&mut self, solver: &mut Solver, object: ObjectId, place: Place) {
        for key in solver.places.keys(Place::anywhere(object), None) {
            let cell = solver.written_cell(object, key);
            solver.add_target(cell, place);
        }
    }

    fn give_arguments(&mut self, solver: &mut Solver) {
        let main = self.module.function_named("main");
        let Some(instance) = main.and_then(|main| self.shared[main]) else {
            return;
        };
        let function = self.instances[instance as usize].function;
        let Some(body) = &self.module.functions[function].body else {
            return;
        };
        // The arguments, and the environment.
        let vectors = body.params.get(1..).unwrap_or_default();
        if vectors.is_empty() {
            return;
        }
        let array = solver.places.add_object(ObjectKind::ArgumentVector, None);
        let text = solver.places.add_object(ObjectKind::ArgumentText, None);
        self.put(solver, array, Place::start(text));
        for vector in vectors {
            let parameter = self.instances[instance as usize].values[vector.index()];
            solver.add_target(parameter, Place::start(array));
        }
    }

    /// The machine writes into an exception what its handler is to see: the object that was thrown
    /// or a base of it, or, if that is a pointer, its value or a base of what it points to.
    fn handle_exceptions(&mut self, solver: &mut Solver) {
        let word = self.module.pointer_bytes();
        let whole = Rule::Load {
            to: 0,
            bytes: Some(word),
        };
        let object = self.derived(solver, self.special.thrown, whole);
        let value = self.derived(solver, object, whole);
        let seen = solver.add_node();
        let anywhere = |to| Rule::Shift {
            to,
            by: 0,
            stride: 1,
        };
        solver.add_rule(object, anywhere(seen));
        solver.add_rule(value, anywhere(seen));
        let place = solver.add_node();
        let second = Rule::Shift {
            to: place,
            by: word as i64,
            stride: 0,
        };
        solver.add_rule(self.special.thrown, second);
        let store = Rule::Store {
            from: seen,
            bytes: Some(word),
        };
        solver.add_rule(place, store);
    }

    /// A new node for what is loaded through another.
    pub(super) fn derived(&mut self, solver: &mut Solver, node: u32, load: Rule) -> u32 {
        let to = solver.add_node();
        if let Rule::Load { bytes, .. } = load {
            solver.add_rule(node, Rule::Load { to, bytes });
        }
        to
    }

    /// The node that holds the address of a symbol.
    fn address(&mut self, solver: &mut Solver, symbol: Symbol, addend: i64) -> u32 {
        if let Some(&node) = self.addresses.get(&(symbol, addend)) {
            return node;
        }
        let (object, offset) = match symbol {
            Symbol::Global(global) => (self.globals[global], 0),
            Symbol::Function(function) => {
                if external::is_absent(&self.module.functions[function]) {
                    return self.special.nothing;
                }
                (self.functions[function], 0)
            }
            // Labels follow the function, a byte each.
            Symbol::Block(function, block) => (self.functions[function], 1 + i64::from(block.0)),
        };
        let node = solver.add_node();
        let place = Place {
            object,
            offset: offset + addend,
            stride: 0,
        };
        solver.add_target(node, place);
        self.addresses.insert((symbol, addend), node);
        node
    }

    /// The instance of a function that indirect calls enter.
    pub(super) fn shared_instance(&mut self, solver: &mut Solver, function: FuncId) -> u32 {
        if let Some(instance) = self.shared[function] {
            return instance;
        }
        let instance = self.add_instance(solver, function, None, Vec::new());
        self.shared[function] = Some(instance);
        instance
    }

    pub(super) fn add_instance(
        &mut self,
        solver: &mut Solver,
        function: FuncId,
        caller: Option<NodeId>,
        given: Vec<Option<u64>>,
    ) -> u32 {
        let f = &self.module.functions[function];
        let body = f.body.as_ref().expect("a function that is entered");
        let mut values = Vec::with_capacity(body.values.len());
        for value in &body.values {
            values.push(match value.constant {
                Some(Const::Bits(_)) => self.special.nothing,
                Some(Const::Address(symbol, addend)) => self.address(solver, symbol, addend),
                None => solver.add_node(),
            });
        }
        let results = f.results.iter().map(|_| solver.add_node()).collect();
        let instance = self.instances.len() as u32;
        self.instances.push(Instance {
            function,
            caller,
            values,
            results,
            given,
        });
        self.ungenerated.push(instance);
        instance
    }

    pub(super) fn generate_pending(&mut self, solver: &mut Solver) {
        while let Some(instance) = self.ungenerated.pop() {
            self.generate(solver, instance);
        }
    }

    pub(super) fn value(&self, instance: u32, value: ValueId) -> u32 {
        self.instances[instance as usize].values[value.index()]
    }

    pub(super) fn copy(&self, solver: &mut Solver, from: u32, to: u32) {
        if from != self.special.nothing && to != self.special.nothing {
            solver.add_copy(from, to);
        }
    }

    pub(super) fn rule(&self, solver: &mut Solver, node: u32, rule: Rule) {
        let idle = matches!(rule, Rule::Store { from, .. } if from == self.special.nothing);
        if node != self.special.nothing && !idle {
            solver.add_rule(node, rule);
        }
    }

    pub(super) fn touch(
        &mut self,
        node: NodeId,
        kind: AccessKind,
        through: u32,
        bytes: Option<u64>,
    ) {
        if through != self.special.nothing {
            self.touches.push(Touch {
                node,
                kind,
                through,
                bytes,
            });
        }
    }
}

impl Program for Flow<'_> {
    fn called(&mut self, solver: &mut Solver, site: u32, places: &[Place]) {
        let functions = places.iter().filter_map(|p| self.function_at(solver, *p));
        let mut functions: Vec<FuncId> = functions.collect();
        functions.sort_unstable();
        functions.dedup();
        self.connect_all(solver, site, functions);
        self.generate_pending(solver);
    }

    fn received(&mut self, solver: &mut Solver, site: u32, places: &[Place]) {
        self.receive(solver, site, places);
        self.generate_pending(solver);
    }

    fn dispatched(&mut self, solver: &mut Solver, dispatch: u32, places: &[Place]) {
        self.dispatch(solver, dispatch, places);
        self.generate_pending(solver);
    }

    fn started(&mut self, solver: &mut Solver, site: u32, place: Place) {
        if let Some(function) = self.function_at(solver, place) {
            self.start_thread(solver, site, function);
            self.generate_pending(solver);
        }
    }

    fn escaped(&mut self, solver: &mut Solver, place: Place) {
        let object = &solver.places.objects[place.object];
        match object.kind {
            ObjectKind::Anything => {}
            ObjectKind::Function(function) => {
                if self.externals[function].is_none() {
                    self.call_from_outside(solver, function);
                    self.generate_pending(solver);
                }
            }
            _ if self.trusting => {}
            _ => {
                let (constant, outside) = (object.constant, solver.outside);
                for key in solver.places.keys(Place::anywhere(place.object), None) {
                    let read = solver.read_cell(place.object, key);
                    solver.add_copy(read, outside);
                    if !constant {
                        let written = solver.written_cell(place.object, key);
                        solver.add_copy(outside, written);
                    }
                }
            }
        }
    }
}

impl Flow<'_> {
    fn call_from_outside(&mut self, solver: &mut Solver, function: FuncId) {
        let outside = solver.outside;
        let instance = self.shared_instance(solver, function);
        let f = &self.module.functions[function];
        let body = f.body.as_ref().expect("a function that is entered");
        for &param in &body.params {
            solver.add_copy(outside, self.value(instance, param));
        }
        for &result in &self.instances[instance as usize].results {
            solver.add_copy(result, outside);
        }
        if f.variadic {
            self.pass_variable(solver, function, outside);
        }
    }

    /// The function that begins at a place.
    pub(super) fn function_at(&self, solver: &Solver, place: Place) -> Option<FuncId> {
        match solver.places.objects[place.object].kind {
            ObjectKind::Function(function) if place.may_be(0) => Some(function),
            _ => None,
        }
    }
}

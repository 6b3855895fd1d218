//! The constraints of calls: parameters, results, threads, and what functions without a body do.

use ir::FuncId;

use super::AccessKind::{Read, Write};
use super::flow::{Exchange, Flow, Format};
use super::generate::list_bytes;
use super::place::{ObjectId, ObjectKind, Place};
use super::solver::{Rule, Solver};
use crate::external::{self, Class, Effect, Extent};
use crate::node::NodeId;

/// As many functions that a call may reach get an exchange.
const EXCHANGE: usize = 6;

impl Flow<'_> {
    /// The call may reach the function; `instance`: a copy made for it.
    pub(super) fn connect(
        &mut self,
        solver: &mut Solver,
        site: u32,
        function: FuncId,
        instance: Option<u32>,
    ) {
        let callees = &mut self.sites[site as usize].callees;
        let Err(index) = callees.binary_search(&function) else {
            return;
        };
        callees.insert(index, function);
        if self.externals[function].is_some() {
            return self.connect_external(solver, site, function);
        }
        let instance = match instance {
            Some(instance) => instance,
            None => self.shared_instance(solver, function),
        };
        let f = &self.module.functions[function];
        let body = f.body.as_ref().expect("a function that is entered");
        let args = self.sites[site as usize].args.clone();
        let receiver = &self.sites[site as usize].receiver;
        let received = receiver.as_ref().map(|receiver| receiver.argument);
        for (index, (&param, &arg)) in body.params.iter().zip(&args).enumerate() {
            if received != Some(index) {
                self.copy(solver, arg, self.value(instance, param));
            }
        }
        if f.variadic {
            let node = self.sites[site as usize].node;
            if args.len() > body.params.len() {
                let area = self.variable_area(solver, function);
                let through = solver.add_node();
                solver.add_target(through, Place::anywhere(area));
                self.touch(node, Write, through, None);
            }
            for &arg in args.iter().skip(body.params.len()) {
                if arg != self.special.nothing {
                    self.pass_variable(solver, function, arg);
                }
            }
        }
        let results = self.sites[site as usize].results.clone();
        for (&to, &from) in results
            .iter()
            .zip(&self.instances[instance as usize].results)
        {
            self.copy(solver, from, to);
        }
    }

    /// An indirect call may reach the functions. Many are connected to what all calls share that
    /// may reach these.
    pub(super) fn connect_all(&mut self, solver: &mut Solver, site: u32, functions: Vec<FuncId>) {
        let known = &self.sites[site as usize].callees;
        let is_new = |function: &FuncId| known.binary_search(function).is_err();
        let is_plain = |function: &FuncId| {
            self.externals[*function].is_none() && !self.module.functions[*function].variadic
        };
        let (plain, others): (Vec<_>, Vec<_>) =
            functions.into_iter().filter(is_new).partition(is_plain);
        if plain.len() < EXCHANGE {
            for function in plain.into_iter().chain(others) {
                self.connect(solver, site, function, None);
            }
            return;
        }
        for function in others {
            self.connect(solver, site, function, None);
        }
        let callees = &mut self.sites[site as usize].callees;
        callees.extend(&plain);
        callees.sort_unstable();
        let exchange = self.exchange(solver, plain);
        let site = &self.sites[site as usize];
        for (&arg, &param) in site.args.iter().zip(&exchange.params) {
            self.copy(solver, arg, param);
        }
        for (&to, &from) in site.results.iter().zip(&exchange.results) {
            self.copy(solver, from, to);
        }
    }

    fn exchange(&mut self, solver: &mut Solver, functions: Vec<FuncId>) -> Exchange {
        if let Some(known) = self.exchanges.get(&functions) {
            return known.clone();
        }
        let mut exchange = Exchange {
            params: Vec::new(),
            results: Vec::new(),
        };
        for &function in &functions {
            let instance = self.shared_instance(solver, function);
            let body = self.module.functions[function].body.as_ref();
            let body = body.expect("a function that is entered");
            for (index, &param) in body.params.iter().enumerate() {
                if index == exchange.params.len() {
                    exchange.params.push(solver.add_node());
                }
                self.copy(solver, exchange.params[index], self.value(instance, param));
            }
            let results = &self.instances[instance as usize].results;
            for (index, &result) in results.iter().enumerate() {
                if index == exchange.results.len() {
                    exchange.results.push(solver.add_node());
                }
                self.copy(solver, result, exchange.results[index]);
            }
        }
        self.exchanges.insert(functions, exchange.clone());
        exchange
    }

    /// A copy of the function for the call, if it is one of those that get one.
    pub(super) fn clone_for(
        &mut self,
        solver: &mut Solver,
        site: u32,
        function: FuncId,
    ) -> Option<u32> {
        if !self.cloned[function] || self.externals[function].is_some() {
            return None;
        }
        let site = &self.sites[site as usize];
        let (caller, given) = (site.node, site.given.clone());
        Some(self.add_instance(solver, function, Some(caller), given))
    }

    /// What is passed behind the parameters lies in one object per function.
    pub(super) fn pass_variable(&mut self, solver: &mut Solver, function: FuncId, arg: u32) {
        let area = self.variable_area(solver, function);
        for key in solver.places.keys(Place::anywhere(area), None) {
            let cell = solver.written_cell(area, key);
            solver.add_copy(arg, cell);
        }
    }

    fn variable_area(&mut self, solver: &mut Solver, function: FuncId) -> ObjectId {
        let kind = ObjectKind::VariableArguments(function);
        let known = self.variable_arguments.entry(function);
        *known.or_insert_with(|| solver.places.add_object(kind, None))
    }

    /// `va_start`: the list points to the area.
    pub(super) fn start_list(
        &mut self,
        solver: &mut Solver,
        node: NodeId,
        instance: u32,
        list: u32,
    ) {
        let function = self.instances[instance as usize].function;
        let area = self.variable_area(solver, function);
        let from = solver.add_node();
        solver.add_target(from, Place::start(area));
        let bytes = Some(list_bytes(self.module.pointer_bits));
        self.touch(node, Write, list, bytes);
        self.rule(solver, list, Rule::Store { from, bytes });
    }

    pub(super) fn copy_memory(
        &mut self,
        solver: &mut Solver,
        node: NodeId,
        to: u32,
        from: u32,
        bytes: Option<u64>,
    ) {
        self.touch(node, Read, from, bytes);
        self.touch(node, Write, to, bytes);
        let between = solver.places.add_object(ObjectKind::Copying(node), bytes);
        self.rule(solver, from, Rule::CopyFrom(between));
        self.rule(solver, to, Rule::CopyTo(between));
    }

    pub(super) fn fill_memory(
        &mut self,
        solver: &mut Solver,
        node: NodeId,
        to: u32,
        byte: u32,
        bytes: Option<u64>,
    ) {
        self.touch(node, Write, to, bytes);
        let store = Rule::Store {
            from: byte,
            bytes: None,
        };
        self.rule(solver, to, store);
    }

    /// An exception is on its way: the machine reads it and its object, and writes to it.
    pub(super) fn throw(&mut self, solver: &mut Solver, node: NodeId, exception: u32) {
        let word = self.module.pointer_bytes();
        self.copy(solver, exception, self.special.thrown);
        let load = Rule::Load {
            to: 0,
            bytes: Some(word),
        };
        let object = self.derived(solver, exception, load);
        self.touch(node, Read, exception, Some(4 * word));
        self.touch(node, Write, exception, Some(4 * word));
        self.touch(node, Read, object, None);
    }

    pub(super) fn start_thread(&mut self, solver: &mut Solver, site: u32, function: FuncId) {
        let f = &self.module.functions[function];
        let args = &self.sites[site as usize].args;
        let argument = args.get(3).copied().unwrap_or(self.special.nothing);
        if external::is_entered(f) && f.params.len() <= 1 && !f.variadic {
            let body = f.body.as_ref().expect("a function that is entered");
            let instance = self.shared_instance(solver, function);
            if let Some(&param) = body.params.first() {
                self.copy(solver, argument, self.value(instance, param));
            }
            if let Some(&result) = self.instances[instance as usize].results.first() {
                self.copy(solver, result, self.special.thread_results);
            }
            return;
        }
        // The machine starts this one instead.
        let caller = self.module.function_named("__sleave_call_thread");
        let Some(caller) = caller.filter(|caller| *caller != function) else {
            return;
        };
        let instance = self.shared_instance(solver, caller);
        let body = self.module.functions[caller].body.as_ref();
        let Some([callee, parameter]) = body.map(|body| body.params.as_slice()) else {
            return;
        };
        let object = self.functions[function];
        solver.add_target(self.value(instance, *callee), Place::start(object));
        self.copy(solver, argument, self.value(instance, *parameter));
        if let Some(&result) = self.instances[instance as usize].results.first() {
            self.copy(solver, result, self.special.thread_results);
        }
    }

    fn connect_external(&mut self, solver: &mut Solver, site: u32, function: FuncId) {
        let external = self.externals[function].expect("a function that is not entered");
        if external.class == Class::Unmodelled {
            if self.trusting {
                self.take_input(solver, site, function);
            }
            return self.connect_unmodelled(solver, site);
        }
        if external.class == Class::Input {
            self.take_input(solver, site, function);
        }
        for effect in external.effects {
            self.effect(solver, site, *effect);
        }
    }

    /// An input that is a pointer leads anywhere. Other inputs are numbers: a program that makes an
    /// address of one guesses it.
    fn take_input(&mut self, solver: &mut Solver, site: u32, function: FuncId) {
        let f = &self.module.functions[function];
        let result = self.sites[site as usize].results.first();
        if let (Some(ir::Type::Ptr), Some(&result)) = (f.results.first(), result) {
            self.copy(solver, self.special.anything, result);
        }
    }

    fn connect_unmodelled(&mut self, solver: &mut Solver, site: u32) {
        let site = &self.sites[site as usize];
        let (node, outside) = (site.node, solver.outside);
        let (args, results) = (site.args.clone(), site.results.clone());
        for &arg in &args {
            self.copy(solver, arg, outside);
        }
        if self.trusting {
            for &arg in &args {
                self.touch(node, Read, arg, None);
                self.touch(node, Write, arg, None);
            }
            return;
        }
        for &result in &results {
            self.copy(solver, outside, result);
        }
        if args.iter().any(|arg| *arg != self.special.nothing) {
            self.touch(node, Read, outside, None);
            self.touch(node, Write, outside, None);
        }
    }

    fn effect(&mut self, solver: &mut Solver, site: u32, effect: Effect) {
        let call = &self.sites[site as usize];
        let node = call.node;
        let arg = |index: usize| {
            call.args
                .get(index)
                .copied()
                .unwrap_or(self.special.nothing)
        };
        let result = call
            .results
            .first()
            .copied()
            .unwrap_or(self.special.nothing);
        let word = self.module.pointer_bytes();
        let bytes = |extent: Extent| bytes_of(extent, word, &call.constants);
        match effect {
            Effect::Reads(pointer, extent) => {
                let (pointer, bytes) = (arg(pointer), bytes(extent));
                self.touch(node, Read, pointer, bytes);
            }
            Effect::Writes(pointer, extent) => {
                let (pointer, bytes) = (arg(pointer), bytes(extent));
                self.touch(node, Write, pointer, bytes);
            }
            Effect::Copies { to, from, bytes: b } => {
                let (to, from, bytes) = (arg(to), arg(from), bytes(b));
                self.copy_memory(solver, node, to, from, bytes);
            }
            Effect::Fills { to, byte, bytes: b } => {
                let (to, byte, bytes) = (arg(to), arg(byte), bytes(b));
                self.fill_memory(solver, node, to, byte, bytes);
            }
            Effect::Returns(index) => {
                let from = arg(index);
                self.copy(solver, from, result);
            }
            Effect::ReturnsNew { bytes: b } => {
                let object = self.allocated(solver, site, b);
                if result != self.special.nothing {
                    solver.add_target(result, Place::start(object));
                }
            }
            Effect::StoresNew { to, bytes: b } => {
                let to = arg(to);
                let object = self.allocated(solver, site, b);
                let from = solver.add_node();
                solver.add_target(from, Place::start(object));
                self.touch(node, Write, to, Some(word));
                let bytes = Some(word);
                self.rule(solver, to, Rule::Store { from, bytes });
            }
            Effect::Reallocates { old, bytes: b } => {
                let old = arg(old);
                let object = self.allocated(solver, site, b);
                self.touch(node, Read, old, None);
                if result != self.special.nothing {
                    solver.add_target(result, Place::start(object));
                    self.touch(node, Write, result, None);
                }
                self.rule(solver, old, Rule::CopyFrom(object));
                self.free(node, old);
            }
            Effect::Frees(index) => {
                let old = arg(index);
                self.free(node, old);
            }
            Effect::Formats { format, first } => {
                let (format, listed) = (arg(format), call.args.get(first..).unwrap_or(&[]));
                let listed = listed.to_vec();
                self.touch(node, Read, format, None);
                for &pointer in &listed {
                    self.touch(node, Read, pointer, None);
                }
                self.formats.push(Format {
                    node,
                    format,
                    written: listed,
                });
            }
            Effect::FormatsList { format, list } => {
                let (format, list) = (arg(format), arg(list));
                self.format_list(solver, node, format, list);
            }
            Effect::StartsThread { function, .. } => {
                let function = arg(function);
                self.rule(solver, function, Rule::Start(site));
            }
            Effect::EndsThread(index) => {
                let value = arg(index);
                self.copy(solver, value, self.special.thread_results);
            }
            Effect::StoresThreadResult(index) => {
                let to = arg(index);
                let (from, bytes) = (self.special.thread_results, Some(word));
                self.touch(node, Write, to, bytes);
                self.rule(solver, to, Rule::Store { from, bytes });
            }
            Effect::Throws(index) => {
                let exception = arg(index);
                self.throw(solver, node, exception);
            }
            Effect::JumpsWith(index) => {
                let value = arg(index);
                self.copy(solver, value, self.special.jumped);
            }
            Effect::ReturnsJumped => self.copy(solver, self.special.jumped, result),
            Effect::KeepsCleanup(index) => {
                let buffer = arg(index);
                self.copy(solver, buffer, self.special.cleanups);
            }
            Effect::ReadsCleanup => self.touch(node, Read, self.special.cleanups, Some(16)),
            Effect::ReturnsErrno => self.copy(solver, self.special.errno, result),
            Effect::WritesErrno => self.touch(node, Write, self.special.errno, Some(4)),
        }
    }

    /// The object that an allocating call makes.
    fn allocated(&mut self, solver: &mut Solver, site: u32, extent: Extent) -> ObjectId {
        let site = &self.sites[site as usize];
        let kind = ObjectKind::Heap {
            site: site.node,
            caller: self.instances[site.instance as usize].caller,
        };
        let key = (site.node, site.instance);
        if let Some(&known) = self.heap.get(&key) {
            return known;
        }
        let word = self.module.pointer_bytes();
        let bytes = bytes_of(extent, word, &site.constants);
        let object = match self.pools.of(kind) {
            Some(pool) => *self.pooled.entry(pool).or_insert_with(|| {
                // What else will be in it is not known yet, nor how large that is.
                solver.places.add_object(ObjectKind::Pool(pool), None)
            }),
            None => solver.places.add_object(kind, bytes),
        };
        if let Some(size) = bytes_of(extent, word, &site.given) {
            self.sizes.insert(object, size);
        }
        self.heap.insert(key, object);
        object
    }

    fn free(&mut self, node: NodeId, pointer: u32) {
        self.touch(node, Read, pointer, None);
        self.touch(node, Write, pointer, None);
        if pointer != self.special.nothing {
            self.frees.push((node, pointer));
        }
    }

    /// The list, the area that it points to, and the texts that the arguments there point to.
    fn format_list(&mut self, solver: &mut Solver, node: NodeId, format: u32, list: u32) {
        if list == self.special.nothing {
            return;
        }
        let all = Rule::Load { to: 0, bytes: None };
        let area = self.derived(solver, list, all);
        let text = self.derived(solver, area, all);
        for pointer in [format, list, area, text] {
            self.touch(node, Read, pointer, None);
        }
        // Where the list is a pointer itself, it points to the area.
        self.formats.push(Format {
            node,
            format,
            written: vec![area, text],
        });
    }
}

/// How many bytes an effect is about, if the constant arguments say it.
fn bytes_of(extent: Extent, word: u64, constants: &[Option<u64>]) -> Option<u64> {
    let constant = |index: usize| constants.get(index).copied().flatten();
    match extent {
        Extent::Bytes(bytes) => Some(bytes),
        Extent::Pointer => Some(word),
        Extent::Argument(index) => constant(index),
        Extent::Product(a, b) => constant(a)?.checked_mul(constant(b)?),
        Extent::Any => None,
    }
}

//! Thread escape: objects that more than one thread may reach.
//!
//! From globals, from what is handed to a new thread or left behind by one, along all addresses
//! that are ever stored. An object that is not found this way is reached only by the thread that
//! made it. Unmodelled functions are taken to hand on nothing: a search ends where one is called,
//! and warnings assume it.
//!
//! What is stored where is kept by sets of places, as many instructions have the same. An object is
//! *open* if what is stored in it escapes: it escapes itself, or an open one gets its contents.

use fixedbitset::FixedBitSet;
use ir::{Const, FuncId, Module, Op, Symbol, Terminator, ValueId};
use rustc_hash::FxHashMap;

use super::tree::{Program, Tree};
use crate::callgraph::call_at;
use crate::external::{Class, Effect};
use crate::node::{NodeId, Stands};
use crate::points_to::{AccessKind, ObjectId, ObjectKind, PlaceSet, PointsTo};

/// The objects that escape.
pub fn escaping(program: Program, tree: &Tree) -> FixedBitSet {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let mut graph = Graph {
        points_to,
        areas: variable_arguments(points_to),
        contents: Vec::new(),
        copies: Vec::new(),
        roots: Vec::new(),
    };
    graph.add_initial(module);
    for function in module.functions.ids() {
        for node in nodes.of_function(function) {
            graph.add_node(program, function, node);
        }
    }
    for thread in tree.threads.iter().filter(|thread| thread.at.is_some()) {
        for &entry in &thread.entries {
            graph.add_results(module, entry);
        }
    }
    graph.close()
}

/// Some objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Objects {
    One(ObjectId),
    /// Those of a set of places.
    Of(PlaceSet),
}

struct Graph<'a> {
    points_to: &'a PointsTo,
    /// The variable arguments of functions.
    areas: FxHashMap<FuncId, ObjectId>,
    /// Addresses of the second objects are stored in the first.
    contents: Vec<(Objects, Objects)>,
    /// Contents of the second objects are copied to the first.
    copies: Vec<(Objects, Objects)>,
    roots: Vec<Objects>,
}

fn variable_arguments(points_to: &PointsTo) -> FxHashMap<FuncId, ObjectId> {
    let objects = points_to.objects().enumerate();
    let areas = objects.filter_map(|(id, object)| match object.kind {
        ObjectKind::VariableArguments(function) => Some((function, id)),
        _ => None,
    });
    areas.collect()
}

impl Graph<'_> {
    fn targets(&self, function: FuncId, value: ValueId) -> Option<Objects> {
        let set = self.points_to.set_of(function, value);
        let places = self.points_to.places(set);
        (!places.is_empty()).then_some(Objects::Of(set))
    }

    fn add_initial(&mut self, module: &Module) {
        let mut globals = FxHashMap::default();
        let mut functions = FxHashMap::default();
        for (id, object) in self.points_to.objects().enumerate() {
            match object.kind {
                ObjectKind::Global(global) => {
                    globals.insert(global, id);
                    if !module.globals[global].thread_local {
                        self.roots.push(Objects::One(id));
                    }
                }
                ObjectKind::Function(function) => {
                    functions.insert(function, id);
                }
                ObjectKind::Anything
                | ObjectKind::Stream
                | ObjectKind::ArgumentVector
                | ObjectKind::ArgumentText => self.roots.push(Objects::One(id)),
                _ => {}
            }
        }
        for (global, g) in module.globals.enumerate() {
            let relocations = g.init.iter().flat_map(|init| &init.relocations);
            for relocation in relocations {
                let target = match relocation.target {
                    Symbol::Global(target) => globals.get(&target),
                    Symbol::Function(target) | Symbol::Block(target, _) => functions.get(&target),
                };
                if let (Some(holder), Some(target)) = (globals.get(&global), target) {
                    let pair = (Objects::One(*holder), Objects::One(*target));
                    self.contents.push(pair);
                }
            }
        }
    }

    fn add_node(&mut self, program: Program, function: FuncId, node: NodeId) {
        let Program {
            module,
            nodes,
            points_to,
        } = program;
        let touched = |kind: AccessKind| {
            let accesses = points_to.accesses(node).iter();
            let accesses = accesses.filter(move |access| access.kind == kind);
            let sets = accesses.map(|access| Objects::Of(access.locations));
            sets.collect::<Vec<Objects>>()
        };
        let stored = match nodes.stands_for(module, node) {
            Stands::Inst(inst) => match &inst.op {
                Op::Store { value, .. } | Op::Rmw { value, .. } => Some(*value),
                Op::CmpXchg { new, .. } => Some(*new),
                Op::Load { .. } => return,
                _ => None,
            },
            Stands::Terminator(_) => None,
        };
        if let Some(value) = stored {
            if let Some(targets) = self.targets(function, value) {
                let holders = touched(AccessKind::Write).into_iter();
                self.contents
                    .extend(holders.map(|holder| (holder, targets)));
            }
            return;
        }
        let (read, written) = (touched(AccessKind::Read), touched(AccessKind::Write));
        if let Some(call) = call_at(module, nodes, node) {
            self.add_call(program, function, node, &call.args, &written);
        }
        for &to in &written {
            self.copies.extend(read.iter().map(|from| (to, *from)));
        }
    }

    fn add_call(
        &mut self,
        program: Program,
        function: FuncId,
        node: NodeId,
        args: &[ValueId],
        written: &[Objects],
    ) {
        let Program {
            module, points_to, ..
        } = program;
        for external in points_to.externals(node) {
            let given = |position: usize| args.get(position).copied();
            let handed: Vec<ValueId> = match external.class {
                Class::Creates { argument, .. } => given(argument).into_iter().collect(),
                _ => Vec::new(),
            };
            let left = external.effects.iter().filter_map(|effect| match effect {
                Effect::EndsThread(value) => given(*value),
                _ => None,
            });
            for value in handed.into_iter().chain(left) {
                let targets = self.targets(function, value);
                self.roots.extend(targets);
            }
            if external.class == Class::Allocates && !written.is_empty() {
                let made = points_to.allocated(node);
                for &holder in written {
                    let made = made.iter().map(|object| (holder, Objects::One(*object)));
                    self.contents.extend(made);
                }
            }
        }
        for callee in points_to.entered(node) {
            let f = &module.functions[callee];
            if !f.variadic {
                continue;
            }
            if let Some(&area) = self.areas.get(&callee) {
                for &value in args.iter().skip(f.params.len()) {
                    let targets = self.targets(function, value).into_iter();
                    self.contents
                        .extend(targets.map(|targets| (Objects::One(area), targets)));
                }
            }
        }
    }

    /// What a thread returns is known to the thread that joins it.
    fn add_results(&mut self, module: &Module, entry: FuncId) {
        let Some(body) = &module.functions[entry].body else {
            return;
        };
        for block in &body.blocks {
            let Terminator::Ret(values) = &block.terminator else {
                continue;
            };
            for &value in values {
                if !matches!(body.values[value].constant, Some(Const::Bits(_))) {
                    let targets = self.targets(entry, value);
                    self.roots.extend(targets);
                }
            }
        }
    }

    fn for_each(&self, objects: Objects, mut f: impl FnMut(ObjectId)) {
        match objects {
            Objects::One(object) => f(object),
            Objects::Of(set) => {
                let places = self.points_to.places(set);
                let same = places.chunk_by(|a, b| a.object == b.object);
                same.for_each(|same| f(same[0].object));
            }
        }
    }

    fn close(mut self) -> FixedBitSet {
        self.contents.sort_unstable();
        self.contents.dedup();
        self.copies.sort_unstable();
        self.copies.dedup();
        let mut holders: Vec<Objects> = self.contents.iter().map(|pair| pair.0).collect();
        holders.extend(self.copies.iter().map(|pair| pair.0));
        holders.sort_unstable();
        holders.dedup();
        let count = self.points_to.objects().len();
        // The holders that an object is one of.
        let mut holding: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (number, &holder) in holders.iter().enumerate() {
            self.for_each(holder, |object| holding[object.index()].push(number as u32));
        }
        let mut escaping = FixedBitSet::with_capacity(count);
        let mut open = FixedBitSet::with_capacity(count);
        let mut done = FixedBitSet::with_capacity(holders.len());
        let mut pending = Vec::new();
        let mut escape = |objects: Objects, open: &mut FixedBitSet, pending: &mut Vec<ObjectId>| {
            self.for_each(objects, |object| {
                escaping.insert(object.index());
                if !open.put(object.index()) {
                    pending.push(object);
                }
            });
        };
        for &root in &self.roots {
            escape(root, &mut open, &mut pending);
        }
        while let Some(object) = pending.pop() {
            for &holder in &holding[object.index()] {
                if done.put(holder as usize) {
                    continue;
                }
                let holder = holders[holder as usize];
                for &(_, held) in of_holder(&self.contents, holder) {
                    escape(held, &mut open, &mut pending);
                }
                for &(_, from) in of_holder(&self.copies, holder) {
                    self.for_each(from, |object| {
                        if !open.put(object.index()) {
                            pending.push(object);
                        }
                    });
                }
            }
        }
        // An address of anything at all leads everywhere.
        escaping
    }
}

/// The pairs that begin with the holder. They are sorted.
fn of_holder(pairs: &[(Objects, Objects)], holder: Objects) -> &[(Objects, Objects)] {
    let start = pairs.partition_point(|pair| pair.0 < holder);
    let end = pairs.partition_point(|pair| pair.0 <= holder);
    &pairs[start..end]
}

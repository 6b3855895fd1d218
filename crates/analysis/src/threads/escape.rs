//! Thread escape: objects that more than one thread may reach.
//!
//! From globals, from what is handed to a new thread or left behind by one, and from what functions are given that nobody models, along
//! all addresses that are ever stored. An object that is not found this way is reached only by the thread that made it.

use fixedbitset::FixedBitSet;
use ir::{Const, FuncId, Module, Op, Symbol, Terminator, ValueId};
use rustc_hash::FxHashMap;

use super::tree::{Program, Tree};
use crate::callgraph::call_at;
use crate::calls::{entered, externals};
use crate::external::{Class, Effect};
use crate::node::{NodeId, Stands};
use crate::points_to::{AccessKind, ObjectId, ObjectKind, PointsTo};

/// The objects that escape.
pub fn escaping(program: Program, tree: &Tree) -> FixedBitSet {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let mut graph = Graph {
        points_to,
        contents: FxHashMap::default(),
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

struct Graph<'a> {
    points_to: &'a PointsTo,
    /// The objects whose addresses are stored in an object.
    contents: FxHashMap<ObjectId, Vec<ObjectId>>,
    /// Contents of the first objects are copied to the second.
    copies: Vec<(Vec<ObjectId>, Vec<ObjectId>)>,
    roots: Vec<ObjectId>,
}

impl Graph<'_> {
    fn targets(&self, function: FuncId, value: ValueId) -> Vec<ObjectId> {
        let targets = self.points_to.targets(function, value);
        let mut objects: Vec<ObjectId> = targets.map(|target| target.object).collect();
        objects.dedup();
        objects
    }

    fn add_initial(&mut self, module: &Module) {
        let mut globals = FxHashMap::default();
        let mut functions = FxHashMap::default();
        for (id, object) in self.points_to.objects().enumerate() {
            match object.kind {
                ObjectKind::Global(global) => {
                    globals.insert(global, id);
                    if !module.globals[global].thread_local {
                        self.roots.push(id);
                    }
                }
                ObjectKind::Function(function) => {
                    functions.insert(function, id);
                }
                ObjectKind::Anything
                | ObjectKind::Stream
                | ObjectKind::ArgumentVector
                | ObjectKind::ArgumentText => self.roots.push(id),
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
                    self.contents.entry(*holder).or_default().push(*target);
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
            let objects = accesses.flat_map(|access| points_to.objects_of(access));
            objects.collect::<Vec<ObjectId>>()
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
            let targets = self.targets(function, value);
            if !targets.is_empty() {
                for holder in touched(AccessKind::Write) {
                    self.contents.entry(holder).or_default().extend(&targets);
                }
            }
            return;
        }
        let (read, written) = (touched(AccessKind::Read), touched(AccessKind::Write));
        if let Some(call) = call_at(module, nodes, node) {
            self.add_call(program, function, node, &call.args, &written);
        }
        if !read.is_empty() && !written.is_empty() {
            self.copies.push((read, written));
        }
    }

    fn add_call(
        &mut self,
        program: Program,
        function: FuncId,
        node: NodeId,
        args: &[ValueId],
        written: &[ObjectId],
    ) {
        let Program {
            module, points_to, ..
        } = program;
        for external in externals(module, points_to, node) {
            let given = |position: usize| args.get(position).copied();
            let handed: Vec<ValueId> = match external.class {
                Class::Unmodelled => args.to_vec(),
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
                let objects = points_to.objects().enumerate();
                let made = objects.filter(|(_, object)| object.kind.site() == Some(node));
                let made: Vec<ObjectId> = made.map(|(id, _)| id).collect();
                for holder in written {
                    self.contents.entry(*holder).or_default().extend(&made);
                }
            }
        }
        for callee in entered(module, points_to, node) {
            let f = &module.functions[callee];
            if !f.variadic {
                continue;
            }
            let objects = points_to.objects().enumerate();
            let mut areas =
                objects.filter(|(_, o)| o.kind == ObjectKind::VariableArguments(callee));
            if let Some((area, _)) = areas.next() {
                for &value in args.iter().skip(f.params.len()) {
                    let targets = self.targets(function, value);
                    self.contents.entry(area).or_default().extend(targets);
                }
            }
        }
    }

    /// What a thread returns is for whoever joins it.
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

    fn close(mut self) -> FixedBitSet {
        // Copies move contents between objects until nothing is new.
        for list in self.contents.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        loop {
            let mut changed = false;
            for (from, to) in &self.copies {
                let lists = from.iter().filter_map(|object| self.contents.get(object));
                let mut moved: Vec<ObjectId> = lists.flatten().copied().collect();
                moved.sort_unstable();
                moved.dedup();
                for holder in to.iter().filter(|_| !moved.is_empty()) {
                    let list = self.contents.entry(*holder).or_default();
                    let before = list.len();
                    list.extend(&moved);
                    list.sort_unstable();
                    list.dedup();
                    changed |= list.len() > before;
                }
            }
            if !changed {
                break;
            }
        }
        let mut escaping = FixedBitSet::with_capacity(self.points_to.objects().len());
        let mut stack = self.roots;
        while let Some(object) = stack.pop() {
            if !escaping.put(object.index())
                && let Some(list) = self.contents.get(&object)
            {
                stack.extend(list);
            }
        }
        // An address of anything at all leads everywhere.
        escaping
    }
}

//! What there is only one of: nodes that are executed at most once in an execution, and objects
//! that exist once.
//!
//! Errs on the side of *less*: what is not seen to happen once may happen often.

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{BlockId, FuncId, GlobalId, Module};

use crate::callgraph::call_at;
use crate::calls::thread_functions;
use crate::cfg::Cfg;
use crate::external::{self, Class};
use crate::node::{NodeId, Nodes};
use crate::points_to::{ObjectId, ObjectKind, PointsTo};

pub struct Unique {
    /// For every function with a body, the blocks that may be executed again before it returns.
    cycles: IndexVec<FuncId, FixedBitSet>,
    /// Functions that are called at most once.
    once: FixedBitSet,
    objects: FixedBitSet,
    globals: IndexVec<GlobalId, ObjectId>,
}

impl Unique {
    pub fn of(module: &Module, nodes: &Nodes, points_to: &PointsTo) -> Unique {
        let cycles = module.functions.enumerate().map(|(id, f)| match &f.body {
            Some(body) => {
                let mut found = blocks_in_cycles(&Cfg::of(body));
                // Where `setjmp` returns again, everything may happen again.
                let saves = |node| points_to.externals(node).any(|e| e.class == Class::Saves);
                if nodes.of_function(id).any(saves) {
                    found.insert_range(..);
                }
                found
            }
            None => FixedBitSet::new(),
        });
        let mut unique = Unique {
            cycles: cycles.collect(),
            once: FixedBitSet::with_capacity(module.functions.len()),
            objects: FixedBitSet::with_capacity(points_to.objects().len()),
            globals: module.globals.iter().map(|_| ObjectId(0)).collect(),
        };
        unique.find_functions(module, nodes, points_to);
        for (id, object) in points_to.objects().enumerate() {
            if let ObjectKind::Global(global) = object.kind {
                unique.globals[global] = id;
            }
            let once = |node| unique.is_executed_once(nodes, node);
            let is_one = match object.kind {
                ObjectKind::Global(global) => !module.globals[global].thread_local,
                ObjectKind::Local(site) | ObjectKind::Heap { site, caller: None } => once(site),
                ObjectKind::Heap {
                    site,
                    caller: Some(call),
                } => {
                    let function = nodes.function(site);
                    once(call) && !unique.is_in_cycle(function, nodes.block(site))
                }
                _ => false,
            };
            unique.objects.set(id.index(), is_one);
        }
        unique
    }

    pub fn is_unique(&self, object: ObjectId) -> bool {
        self.objects.contains(object.index())
    }

    /// The object that a global is.
    pub fn object_of(&self, global: GlobalId) -> ObjectId {
        self.globals[global]
    }

    pub fn is_executed_once(&self, nodes: &Nodes, node: NodeId) -> bool {
        let function = nodes.function(node);
        self.once.contains(function.index()) && !self.is_in_cycle(function, nodes.block(node))
    }

    /// Whether the block may be executed again before the function returns.
    pub fn is_in_cycle(&self, function: FuncId, block: BlockId) -> bool {
        self.cycles[function].contains(block.index())
    }

    /// A function is called once if it has one call site and that is executed once. Found from the
    /// roots downwards, so that functions that only call each other are not among them.
    fn find_functions(&mut self, module: &Module, nodes: &Nodes, points_to: &PointsTo) {
        let mut sites: IndexVec<FuncId, Vec<Option<NodeId>>> =
            module.functions.iter().map(|_| Vec::new()).collect();
        for name in ROOTS {
            if let Some(root) = module.function_named(name) {
                sites[root].push(None);
            }
        }
        for name in ROOTS_OF_THREADS {
            if let Some(root) = module.function_named(name) {
                sites[root].extend([None, None]);
            }
        }
        for function in module.functions.ids() {
            for node in nodes.of_function(function) {
                let Some(call) = call_at(module, nodes, node) else {
                    continue;
                };
                for &callee in points_to.callees(node) {
                    if external::is_entered(&module.functions[callee]) {
                        sites[callee].push(Some(node));
                    }
                }
                for entry in thread_functions(module, nodes, points_to, node, call) {
                    sites[entry].push(Some(node));
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (function, sites) in sites.enumerate() {
                let is_once = match sites.as_slice() {
                    [None] => true,
                    [Some(site)] => self.is_executed_once(nodes, *site),
                    _ => false,
                };
                if is_once && !self.once.put(function.index()) {
                    changed = true;
                }
            }
        }
    }
}

/// What the machine itself calls, once in an execution.
pub const ROOTS: [&str; 2] = ["__sleave_begin", "main"];
/// What it may call for every thread.
pub const ROOTS_OF_THREADS: [&str; 4] = [
    "exit",
    "__sleave_main_exited",
    "__sleave_end_thread",
    "__sleave_call_thread",
];

/// Blocks from which there is a way back to them.
fn blocks_in_cycles(cfg: &Cfg) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(cfg.len());
    let backward = |from: BlockId, to: BlockId| match (cfg.place(from), cfg.place(to)) {
        (Some(from), Some(to)) => to <= from,
        _ => false,
    };
    // Every cycle has an edge back to a block that comes no later in the order; its blocks are
    // reached from there and reach it.
    for &from in cfg.order() {
        for &to in cfg.successors(from) {
            if backward(from, to) {
                let after = reach(cfg, to, |b| cfg.successors(b));
                let before = reach(cfg, from, |b| cfg.predecessors(b));
                if after.contains(from.index()) {
                    found.union_with(&(&after & &before));
                }
            }
        }
    }
    found
}

fn reach<'a>(cfg: &Cfg, start: BlockId, next: impl Fn(BlockId) -> &'a [BlockId]) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(cfg.len());
    let mut stack = vec![start];
    while let Some(block) = stack.pop() {
        if !seen.put(block.index()) {
            stack.extend(next(block));
        }
    }
    seen
}

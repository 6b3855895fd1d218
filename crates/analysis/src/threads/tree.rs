//! The tree of threads: the calls of every thread that lead to a creation or a join, and the
//! threads that are started there.
//!
//! Functions that create or join, directly or through what they call, are taken apart by call path,
//! so that a wrapper around `pthread_create` is as good as the function itself. All others are the
//! same wherever they are called. A recursion leads back to the context that it came from; a thread
//! that is started by one of its own kind is that kind again.

use base::{IndexVec, id};
use fixedbitset::FixedBitSet;
use ir::{Const, FuncId, Module, Symbol, ValueId};
use rustc_hash::FxHashMap;

use super::ThreadId;
use crate::callgraph::call_at;
use crate::calls::{entry_for, functions_at, is_about_threads, thread_functions};
use crate::external::{self, Class};
use crate::node::{NodeId, Nodes};
use crate::points_to::PointsTo;
use crate::unique::{ROOTS, ROOTS_OF_THREADS};

id!(
    /// A function, called by one path of calls of one thread.
    ContextId, "context"
);

pub struct Context {
    pub thread: ThreadId,
    pub function: FuncId,
    /// `None`: the thread starts here.
    pub caller: Option<(ContextId, NodeId)>,
    /// Something that it calls calls it again.
    pub is_recursive: bool,
    /// The contexts that its calls lead to, by node and function.
    pub callees: FxHashMap<(NodeId, FuncId), ContextId>,
    /// The threads that it starts, by node.
    pub starts: FxHashMap<NodeId, ThreadId>,
}

pub struct Started {
    /// `None`: main.
    pub at: Option<(ContextId, NodeId)>,
    pub entries: Vec<FuncId>,
    /// Executed one after the other.
    pub roots: Vec<ContextId>,
    /// Started by itself, by way of others perhaps.
    pub is_recursive: bool,
}

#[derive(Default)]
pub struct Tree {
    pub contexts: IndexVec<ContextId, Context>,
    pub threads: IndexVec<ThreadId, Started>,
    /// Functions that are taken apart.
    pub relevant: FixedBitSet,
}

/// More call paths than any program of tests needs. Beyond it nothing is said about order.
const MOST_CONTEXTS: usize = 4096;
const MOST_THREADS: usize = 512;

/// What trees are made from.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    pub module: &'a Module,
    pub nodes: &'a Nodes,
    pub points_to: &'a PointsTo,
}

impl Tree {
    /// `None` if there are too many paths.
    pub fn of(program: Program) -> Option<Tree> {
        let mut tree = Tree {
            relevant: relevant(program),
            ..Tree::default()
        };
        let main = tree.threads.push(Started {
            at: None,
            entries: Vec::new(),
            roots: Vec::new(),
            is_recursive: false,
        });
        let names = ROOTS.iter().chain(&["exit", "__sleave_main_exited"]);
        let roots = names.filter_map(|name| program.module.function_named(name));
        for root in roots.collect::<Vec<_>>() {
            if root_is_main(program.module, root) {
                tree.threads[main].entries.push(root);
            }
            tree.add_root(program, main, root)?;
        }
        let mut thread = 1;
        while thread < tree.threads.len() {
            let id = ThreadId::from(thread);
            let mut entries = tree.threads[id].entries.clone();
            let ends = ["__sleave_end_thread"].iter();
            entries.extend(ends.filter_map(|name| program.module.function_named(name)));
            for entry in entries {
                if external::is_entered(&program.module.functions[entry]) {
                    tree.add_root(program, id, entry)?;
                }
            }
            thread += 1;
        }
        Some(tree)
    }

    /// Without any order: every creation is a thread of its own, it is not known by which thread it
    /// is started, and no calls are taken apart.
    pub fn flat(program: Program) -> Tree {
        let Program {
            module,
            nodes,
            points_to,
        } = program;
        let mut tree = Tree {
            relevant: FixedBitSet::with_capacity(module.functions.len()),
            ..Tree::default()
        };
        let mut add = |at: Option<NodeId>, entries: Vec<FuncId>| {
            let thread = tree.threads.next_id();
            let contexts = &mut tree.contexts;
            let mut context = |function: FuncId, caller| {
                contexts.push(Context {
                    thread,
                    function,
                    caller,
                    is_recursive: false,
                    callees: FxHashMap::default(),
                    starts: FxHashMap::default(),
                })
            };
            // A context for the creation, so that there is one.
            let at = at.map(|node| (context(nodes.function(node), None), node));
            let entered = entries.iter().copied();
            let entered = entered.filter(|f| external::is_entered(&module.functions[*f]));
            let roots = entered.map(|f| context(f, None)).collect();
            tree.threads.push(Started {
                at,
                entries,
                roots,
                is_recursive: at.is_some(),
            });
        };
        let roots = ROOTS.iter().chain(&ROOTS_OF_THREADS);
        let roots = roots.filter_map(|name| module.function_named(name));
        add(None, roots.collect());
        for function in module.functions.ids() {
            for node in nodes.of_function(function) {
                let Some(call) = call_at(module, nodes, node) else {
                    continue;
                };
                let creates = |e: external::External| matches!(e.class, Class::Creates { .. });
                if points_to.externals(node).any(creates) {
                    let mut entries = thread_functions(module, nodes, points_to, node, call);
                    entries.extend(module.function_named("__sleave_end_thread"));
                    add(Some(node), entries);
                }
            }
        }
        tree
    }

    /// The calls that lead to a thread's creation, the outermost first.
    pub fn path_to(&self, thread: ThreadId) -> Vec<NodeId> {
        let Some((mut context, node)) = self.threads[thread].at else {
            return Vec::new();
        };
        let mut path = vec![node];
        while let Some((caller, node)) = self.contexts[context].caller {
            path.push(node);
            context = caller;
        }
        path.reverse();
        path
    }

    fn add_root(&mut self, program: Program, thread: ThreadId, function: FuncId) -> Option<()> {
        let root = self.expand(program, thread, function, None)?;
        self.threads[thread].roots.push(root);
        Some(())
    }

    fn expand(
        &mut self,
        program: Program,
        thread: ThreadId,
        function: FuncId,
        caller: Option<(ContextId, NodeId)>,
    ) -> Option<ContextId> {
        if self.contexts.len() == MOST_CONTEXTS {
            return None;
        }
        let context = self.contexts.push(Context {
            thread,
            function,
            caller,
            is_recursive: false,
            callees: FxHashMap::default(),
            starts: FxHashMap::default(),
        });
        if !self.relevant.contains(function.index()) {
            return Some(context);
        }
        for node in program.nodes.of_function(function) {
            if call_at(program.module, program.nodes, node).is_none() {
                continue;
            }
            for external in program.points_to.externals(node) {
                if let Class::Creates { function, .. } = external.class {
                    let started = self.start(program, context, node, function)?;
                    self.contexts[context].starts.insert(node, started);
                }
            }
            let callees: Vec<FuncId> = program.points_to.entered(node).collect();
            for callee in callees {
                if !self.relevant.contains(callee.index()) {
                    continue;
                }
                let again = |c: &ContextId| self.contexts[*c].function == callee;
                let again = self.callers(context).find(again);
                let called = match again {
                    Some(again) => {
                        self.contexts[again].is_recursive = true;
                        again
                    }
                    None => self.expand(program, thread, callee, Some((context, node)))?,
                };
                self.contexts[context]
                    .callees
                    .insert((node, callee), called);
            }
        }
        Some(context)
    }

    /// The context and those that it is called from.
    pub fn callers(&self, context: ContextId) -> impl Iterator<Item = ContextId> + '_ {
        std::iter::successors(Some(context), |c| self.contexts[*c].caller.map(|(c, _)| c))
    }

    fn start(
        &mut self,
        program: Program,
        context: ContextId,
        node: NodeId,
        function: usize,
    ) -> Option<ThreadId> {
        let call = call_at(program.module, program.nodes, node).expect("a call");
        let parent = self.contexts[context].thread;
        let again = self.ancestors(parent).find(|thread| {
            let at = self.threads[*thread].at;
            at.is_some_and(|(_, at)| at == node)
        });
        if let Some(again) = again {
            self.threads[again].is_recursive = true;
            return Some(again);
        }
        if self.threads.len() == MOST_THREADS {
            return None;
        }
        let entries = call.args.get(function).map_or(Vec::new(), |value| {
            let (context, value) = self.origin(program.module, program.nodes, context, *value);
            let in_function = self.contexts[context].function;
            let body = program.module.functions[in_function].body.as_ref();
            match body.expect("a body").values[value].constant {
                Some(Const::Address(Symbol::Function(entry), 0)) => {
                    vec![entry_for(program.module, entry)]
                }
                _ => functions_at(program.module, program.points_to, in_function, value),
            }
        });
        Some(self.threads.push(Started {
            at: Some((context, node)),
            entries,
            roots: Vec::new(),
            is_recursive: false,
        }))
    }

    /// The thread and those that it was started by.
    pub fn ancestors(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> + '_ {
        std::iter::successors(Some(thread), |thread| self.parent(*thread))
    }

    /// The thread that starts it; `None` for main, and where that is not known (see
    /// [`Tree::flat`]).
    pub fn parent(&self, thread: ThreadId) -> Option<ThreadId> {
        let (context, _) = self.threads[thread].at?;
        let parent = self.contexts[context].thread;
        // In a flat tree the context of a creation is there for its own sake.
        (parent != thread).then_some(parent)
    }

    /// Where a value comes from that was passed down as a parameter.
    pub fn origin(
        &self,
        module: &Module,
        nodes: &Nodes,
        mut context: ContextId,
        mut value: ValueId,
    ) -> (ContextId, ValueId) {
        while let Context {
            function,
            caller: Some((caller, node)),
            is_recursive: false,
            ..
        } = &self.contexts[context]
        {
            let body = module.functions[*function].body.as_ref().expect("a body");
            let call = call_at(module, nodes, *node).expect("a call");
            let position = body.params.iter().position(|param| *param == value);
            match position.and_then(|position| call.args.get(position)) {
                Some(arg) => (context, value) = (*caller, *arg),
                None => break,
            }
        }
        (context, value)
    }
}

fn root_is_main(module: &Module, function: FuncId) -> bool {
    module.functions[function].name == "main"
}

/// What may create or join.
fn relevant(program: Program) -> FixedBitSet {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let mut relevant = FixedBitSet::with_capacity(module.functions.len());
    let mut callers: IndexVec<FuncId, Vec<FuncId>> =
        module.functions.iter().map(|_| Vec::new()).collect();
    let mut stack = Vec::new();
    for function in module.functions.ids() {
        for node in nodes.of_function(function) {
            if call_at(module, nodes, node).is_none() {
                continue;
            }
            for callee in points_to.entered(node) {
                callers[callee].push(function);
            }
            let mut operations = points_to.externals(node);
            if operations.any(|external| is_about_threads(external.class)) {
                stack.push(function);
            }
        }
    }
    while let Some(function) = stack.pop() {
        if !relevant.put(function.index()) {
            stack.extend(&callers[function]);
        }
    }
    relevant
}

/// The functions that each thread may execute.
pub fn executed(program: Program, tree: &Tree) -> IndexVec<ThreadId, FixedBitSet> {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let callees = |function: FuncId| {
        let mut found = Vec::new();
        for node in nodes.of_function(function) {
            if call_at(module, nodes, node).is_some() {
                found.extend(points_to.entered(node));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    };
    let callees: IndexVec<FuncId, Vec<FuncId>> = module.functions.ids().map(callees).collect();
    let reached = |thread: &Started| {
        let mut reached = FixedBitSet::with_capacity(module.functions.len());
        let mut stack: Vec<FuncId> = Vec::new();
        stack.extend(
            thread
                .roots
                .iter()
                .map(|root| tree.contexts[*root].function),
        );
        let ends = ROOTS_OF_THREADS.iter().filter(|_| thread.at.is_some());
        let ends = ends.filter(|name| name.ends_with("end_thread"));
        stack.extend(ends.filter_map(|name| module.function_named(name)));
        while let Some(function) = stack.pop() {
            if !reached.put(function.index()) {
                stack.extend(&callees[function]);
            }
        }
        reached
    };
    tree.threads.iter().map(reached).collect()
}

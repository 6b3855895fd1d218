//! The call graph: which functions each function may call, and which it may start as threads.

use std::fmt::Write;

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{FuncId, Function, Module, Op, Terminator};
use rustc_hash::FxHashMap;

use crate::external::{self, Class};
use crate::node::{NodeId, Nodes, Stands};
use crate::points_to::{ObjectKind, PointsTo, function_name, place_name, quoted};
use base::components;

/// The call graph: functions, and the calls between them. Functions without a body are in it; what
/// they call (threads they start) is in `created`.
pub struct CallGraph {
    calls: IndexVec<FuncId, Vec<NodeId>>,
    callers: IndexVec<FuncId, Vec<NodeId>>,
    callees: IndexVec<FuncId, Vec<FuncId>>,
    component: IndexVec<FuncId, u32>,
    recursive: IndexVec<FuncId, bool>,
    /// For every component, its functions and the components that they call.
    below: Vec<(Vec<FuncId>, Vec<u32>)>,
    /// Functions with the same callers have the same number.
    caller_groups: IndexVec<FuncId, u32>,
    created: Vec<(NodeId, Vec<FuncId>)>,
    roots: Vec<FuncId>,
    reachable: IndexVec<FuncId, bool>,
}

/// What the machine calls by itself, if it is there: before `main`, in its place, after it, and
/// when a thread ends.
const ENTRIES: [&str; 5] = [
    "__sleave_begin",
    "main",
    "exit",
    "__sleave_end_thread",
    "__sleave_main_exited",
];

impl CallGraph {
    pub fn of(module: &Module, nodes: &Nodes, points_to: &PointsTo) -> CallGraph {
        let empty = || -> IndexVec<FuncId, Vec<NodeId>> {
            module.functions.iter().map(|_| Vec::new()).collect()
        };
        let (mut calls, mut callers) = (empty(), empty());
        let mut callees: IndexVec<FuncId, Vec<FuncId>> =
            module.functions.iter().map(|_| Vec::new()).collect();
        let mut created = Vec::new();
        for (function, f) in module.functions.enumerate() {
            if !external::is_entered(f) {
                continue;
            }
            for node in nodes.of_function(function) {
                let Some(call) = call_at(module, nodes, node) else {
                    continue;
                };
                calls[function].push(node);
                for &callee in points_to.callees(node) {
                    callers[callee].push(node);
                    callees[function].push(callee);
                    let external = points_to.external(callee);
                    if let Some(Class::Creates { function: at, .. }) = external.map(|e| e.class) {
                        let started = started(module, nodes, points_to, node, call.args.get(at));
                        created.push((node, started));
                    }
                }
            }
            callees[function].sort_unstable();
            callees[function].dedup();
        }
        let component: IndexVec<FuncId, u32> = components(module.functions.len(), |f| {
            callees[FuncId::from(f)].iter().map(|callee| callee.index())
        })
        .into_iter()
        .collect();
        let mut sizes = vec![0; module.functions.len()];
        component.iter().for_each(|c| sizes[*c as usize] += 1);
        let recursive = component
            .enumerate()
            .map(|(function, c)| sizes[*c as usize] > 1 || callees[function].contains(&function));
        let recursive = recursive.collect();
        let below = below(&component, &callees);
        let caller_groups = {
            let mut numbers: FxHashMap<&[NodeId], u32> = FxHashMap::default();
            let groups = callers.iter().map(|callers| {
                let next = numbers.len() as u32;
                *numbers.entry(callers.as_slice()).or_insert(next)
            });
            groups.collect()
        };
        let roots = roots(module);
        let mut graph = CallGraph {
            calls,
            callers,
            callees,
            component,
            recursive,
            below,
            caller_groups,
            created,
            reachable: IndexVec::new(),
            roots,
        };
        graph.reachable = graph.reachable_from(&graph.roots, module, true);
        graph
    }

    /// The calls in a function's body.
    pub fn calls(&self, function: FuncId) -> &[NodeId] {
        &self.calls[function]
    }

    /// The calls that may reach a function. Not those that start it as a thread.
    pub fn callers(&self, function: FuncId) -> &[NodeId] {
        &self.callers[function]
    }

    /// A number that functions have in common which the same calls may reach.
    pub fn caller_group(&self, function: FuncId) -> u32 {
        self.caller_groups[function]
    }

    /// The functions that a function may call, sorted.
    pub fn callees(&self, function: FuncId) -> &[FuncId] {
        &self.callees[function]
    }

    /// Functions that call each other are in one component. A callee's number is not larger than
    /// its caller's.
    pub fn component(&self, function: FuncId) -> u32 {
        self.component[function]
    }

    /// Whether it may call itself, by way of others too.
    pub fn is_recursive(&self, function: FuncId) -> bool {
        self.recursive[function]
    }

    /// Calls that start threads, and with which functions. In the order of the nodes.
    pub fn created(&self) -> &[(NodeId, Vec<FuncId>)] {
        &self.created
    }

    /// What runs without being called: `main`, constructors and destructors, and what the machine
    /// calls when threads and the process end.
    pub fn roots(&self) -> &[FuncId] {
        &self.roots
    }

    /// Whether it may run at all.
    pub fn is_reachable(&self, function: FuncId) -> bool {
        self.reachable[function]
    }

    /// What may run when these functions do; if `threads`, also in threads that are started there.
    pub fn reachable_from(
        &self,
        functions: &[FuncId],
        module: &Module,
        threads: bool,
    ) -> IndexVec<FuncId, bool> {
        let mut reachable: IndexVec<FuncId, bool> =
            module.functions.iter().map(|_| false).collect();
        let mut seen = FixedBitSet::with_capacity(self.below.len());
        let mut pending: Vec<u32> = functions.iter().map(|f| self.component[*f]).collect();
        while let Some(component) = pending.pop() {
            if seen.put(component as usize) {
                continue;
            }
            let (members, below) = &self.below[component as usize];
            pending.extend(below);
            for &function in members {
                reachable[function] = true;
                for (node, started) in self.created.iter().filter(|_| threads) {
                    if self.calls[function].binary_search(node).is_ok() {
                        pending.extend(started.iter().map(|f| self.component[*f]));
                    }
                }
            }
        }
        reachable
    }
}

impl CallGraph {
    /// For every function of the program that may run, the functions that it calls and starts. The
    /// C library is left out.
    pub fn to_text(&self, module: &Module, nodes: &Nodes) -> String {
        let mut text = String::new();
        for (function, f) in self.shown(module) {
            let _ = writeln!(text, "{}:", function_name(f));
            for callee in &self.callees[function] {
                let callee = function_name(&module.functions[*callee]);
                let _ = writeln!(text, "  calls {callee}");
            }
            for (node, started) in self.created_in(function) {
                for thread in started {
                    let thread = function_name(&module.functions[*thread]);
                    let place = place_name(module, nodes, *node);
                    let _ = writeln!(text, "  starts {thread} at {place}");
                }
            }
        }
        text
    }

    /// The same as a graph for Graphviz; starting a thread is a dashed edge.
    pub fn to_dot(&self, module: &Module) -> String {
        let mut text = String::from("digraph calls {\n  node [shape=box];\n");
        for (function, f) in self.shown(module) {
            let name = quoted(function_name(f));
            let style = if self.roots.contains(&function) {
                ", style=bold"
            } else {
                ""
            };
            let _ = writeln!(text, "  {function} [label={name}{style}];");
            for callee in &self.callees[function] {
                let f = &module.functions[*callee];
                if f.runtime || f.body.is_none() {
                    let name = quoted(function_name(f));
                    let _ = writeln!(text, "  {callee} [label={name}, style=dotted];");
                }
                let _ = writeln!(text, "  {function} -> {callee};");
            }
            for (_, started) in self.created_in(function) {
                for thread in started {
                    let _ = writeln!(text, "  {function} -> {thread} [style=dashed];");
                }
            }
        }
        text.push_str("}\n");
        text
    }

    fn shown<'m>(&self, module: &'m Module) -> impl Iterator<Item = (FuncId, &'m Function)> {
        let all = module.functions.enumerate();
        all.filter(|(function, f)| self.reachable[*function] && f.body.is_some() && !f.runtime)
    }

    fn created_in(&self, function: FuncId) -> impl Iterator<Item = &(NodeId, Vec<FuncId>)> {
        let calls = &self.calls[function];
        let created = self.created.iter();
        created.filter(|(node, _)| calls.binary_search(node).is_ok())
    }
}

/// The call that a node makes.
pub fn call_at<'m>(module: &'m Module, nodes: &Nodes, node: NodeId) -> Option<&'m ir::Call> {
    match nodes.stands_for(module, node) {
        Stands::Inst(inst) => match &inst.op {
            Op::Call(call) => Some(call),
            _ => None,
        },
        Stands::Terminator(Terminator::Invoke { call, .. }) => Some(call),
        Stands::Terminator(_) => None,
    }
}

/// The functions that an argument may point to, and the one that the machine starts in place of
/// those that it cannot start as they are.
fn started(
    module: &Module,
    nodes: &Nodes,
    points_to: &PointsTo,
    node: NodeId,
    argument: Option<&ir::ValueId>,
) -> Vec<FuncId> {
    let Some(&argument) = argument else {
        return Vec::new();
    };
    let set = points_to.set_of(nodes.function(node), argument);
    let mut started = Vec::new();
    for place in points_to.places(set) {
        let ObjectKind::Function(function) = points_to.objects()[place.object].kind else {
            continue;
        };
        if !place.may_be(0) {
            continue;
        }
        let f = &module.functions[function];
        if external::is_entered(f) && f.params.len() <= 1 && !f.variadic {
            started.push(function);
        } else {
            started.extend(module.function_named("__sleave_call_thread"));
        }
    }
    started.sort_unstable();
    started.dedup();
    started
}

/// For every component, its functions and the other components that they call.
fn below(
    component: &IndexVec<FuncId, u32>,
    callees: &IndexVec<FuncId, Vec<FuncId>>,
) -> Vec<(Vec<FuncId>, Vec<u32>)> {
    let mut below = vec![(Vec::new(), Vec::new()); component.len()];
    for (function, &c) in component.enumerate() {
        let (members, others) = &mut below[c as usize];
        members.push(function);
        let called = callees[function].iter().map(|callee| component[*callee]);
        others.extend(called.filter(|other| *other != c));
    }
    for (_, others) in &mut below {
        others.sort_unstable();
        others.dedup();
    }
    below
}

/// What runs without being called, sorted.
pub(crate) fn roots(module: &Module) -> Vec<FuncId> {
    let entries = ENTRIES
        .iter()
        .filter_map(|name| module.function_named(name));
    let listed = module.constructors.iter().chain(&module.destructors);
    let mut roots: Vec<FuncId> = entries.chain(listed.copied()).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "pointer_bits 64
        global @hook size 8 align 8 = { zero 8 } relocations { 0: @even }
        func @pthread_create(ptr, ptr, ptr, ptr) -> (i32)
        func @even(i32 %0) -> (i32) { b0: %1: i32 = call @odd(%0) ret %1 }
        func @odd(i32 %0) -> (i32) { b0: %1: i32 = call @even(%0) ret %1 }
        func @unused() { b0: ret }
        func @run(ptr %0) -> (ptr) { b0: call @leaf() ret ptr null }
        func @leaf() { b0: ret }
        func @main() -> (i32) { b0:
          %0: ptr = load ptr @hook
          %1: i32 = call %0(i32 1)
          %2: i32 = call @pthread_create(ptr null, ptr null, ptr @run, ptr null)
          ret %1 }";

    fn with_graph(check: impl Fn(&Module, &CallGraph, &dyn Fn(&str) -> FuncId)) {
        let module = ir::text::parse(TEXT).expect("a module");
        let nodes = Nodes::of(&module);
        let points_to = PointsTo::of(&module, &nodes);
        let graph = CallGraph::of(&module, &nodes, &points_to);
        let named = |name: &str| module.function_named(name).expect("a function");
        check(&module, &graph, &named);
    }

    #[test]
    fn calls_through_pointers_and_threads() {
        with_graph(|_, graph, named| {
            let (main, even) = (named("main"), named("even"));
            assert_eq!(graph.callees(main), [named("pthread_create"), even]);
            assert_eq!(graph.callers(even).len(), 2);
            let [(_, started)] = graph.created() else {
                panic!("one thread is created");
            };
            assert_eq!(*started, [named("run")]);
            assert!(graph.callers(named("run")).is_empty());
        });
    }

    #[test]
    fn cycles_and_reachability() {
        with_graph(|_, graph, named| {
            let (even, odd) = (named("even"), named("odd"));
            assert_eq!(graph.component(even), graph.component(odd));
            assert!(graph.component(even) < graph.component(named("main")));
            assert!(graph.is_recursive(even) && !graph.is_recursive(named("main")));
            assert!(graph.is_reachable(named("leaf")) && !graph.is_reachable(named("unused")));
            assert_eq!(graph.roots(), [named("main")]);
        });
    }

    #[test]
    fn as_text_and_as_a_graph() {
        with_graph(|module, graph, _| {
            let nodes = Nodes::of(module);
            let text = graph.to_text(module, &nodes);
            let (_, main) = text.split_once("main:\n").expect("main is shown");
            let expected = "  calls pthread_create\n  calls even\n  starts run at n10\n";
            assert_eq!(main, expected, "{text}");
            let dot = graph.to_dot(module);
            assert!(dot.contains("f6 -> f4 [style=dashed];"), "{dot}");
            assert!(!dot.contains("unused"));
        });
    }
}

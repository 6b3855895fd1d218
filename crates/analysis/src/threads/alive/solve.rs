//! The fixed point: contexts are followed until nothing changes and every join that still counts is
//! certain.

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{BlockId, FuncId, Terminator, ValueId};
use rustc_hash::FxHashMap;

use super::super::ThreadId;
use super::super::handles::{After, Handle, Handles, Join};
use super::super::returns::{Arrival, Reader, Returned};
use super::super::tree::{ContextId, Program};
use super::super::writers::Writers;
use super::{Alive, descendants, grow, grow_exit};
use crate::callgraph::call_at;
use crate::calls::{is_about_threads, is_final};
use crate::external::{Class, Sync};
use crate::node::NodeId;

pub struct Solver<'a> {
    pub handles: Handles<'a>,
    pub executed: &'a IndexVec<ThreadId, FixedBitSet>,
    /// By thread.
    pub handle_of: Vec<Handle>,
    pub(super) joins: Vec<Join>,
    /// For every join, whether it counts.
    pub(super) counts: Vec<bool>,
    /// For every join, the nodes that may write to the place it reads.
    pub(super) writers_of_handles: Vec<Vec<NodeId>>,
    /// Threads that may end elsewhere than at the end of their function.
    pub(super) may_exit: FixedBitSet,
}

/// What is alive after the calls of a block.
struct Executed {
    here: Arrival,
    /// Control comes to the end of the block.
    goes_on: bool,
    /// Where the last call throws.
    unwinding: Option<FixedBitSet>,
}

impl<'a> Solver<'a> {
    pub fn new(
        handles: Handles<'a>,
        executed: &'a IndexVec<ThreadId, FixedBitSet>,
        detached: &FixedBitSet,
        writers: &Writers,
    ) -> Solver<'a> {
        let threads = handles.tree.threads.ids();
        let handle_of: Vec<Handle> = threads.map(|thread| handles.of_thread(thread)).collect();
        let joins = handles.joins(&handle_of, detached);
        let writers_of_handles = joins
            .iter()
            .map(|join| writers.of(handles.program, join.reads).collect());
        let may_exit = may_exit(handles.program, executed);
        Solver {
            may_exit,
            writers_of_handles: writers_of_handles.collect(),
            counts: vec![true; joins.len()],
            joins,
            handle_of,
            handles,
            executed,
        }
    }

    pub fn solve(&mut self) -> Alive {
        let tree = self.handles.tree;
        let none = || FixedBitSet::with_capacity(tree.threads.len());
        let mut alive = Alive {
            blocks: tree.contexts.iter().map(|_| Vec::new()).collect(),
            after: tree.contexts.iter().map(|_| FxHashMap::default()).collect(),
            entries: tree.contexts.iter().map(|_| none()).collect(),
            exits: tree.contexts.iter().map(|_| None).collect(),
            returned: tree.contexts.iter().map(|_| Returned::new()).collect(),
            anywhere: tree.contexts.iter().map(|_| none()).collect(),
            below: tree.threads.iter().map(|_| FxHashMap::default()).collect(),
            at_creation: tree.threads.iter().map(|_| none()).collect(),
            left: tree.threads.iter().map(|_| none()).collect(),
            descendants: descendants(tree),
            changed: true,
        };
        while alive.changed {
            alive.changed = false;
            for thread in tree.threads.ids() {
                self.begin(&mut alive, thread);
            }
            for context in tree.contexts.ids() {
                self.pass(&mut alive, context);
            }
            for thread in tree.threads.ids() {
                self.end(&mut alive, thread);
            }
            self.sink(&mut alive);
            self.judge(&mut alive);
        }
        alive
    }

    /// A thread begins with what earlier ones of its kind have left behind; its roots follow each
    /// other.
    fn begin(&self, alive: &mut Alive, thread: ThreadId) {
        let tree = self.handles.tree;
        let mut state = alive.at_creation[thread].clone();
        state.intersect_with(&alive.descendants[thread]);
        for &root in &tree.threads[thread].roots {
            grow(&mut alive.entries[root], &state, &mut alive.changed);
            // It may be left by the end of the thread.
            state.union_with(&alive.anywhere_if_it_may_end(self, root));
            if let Some(exit) = &alive.exits[root] {
                state.union_with(exit);
            }
        }
    }

    fn end(&self, alive: &mut Alive, thread: ThreadId) {
        let tree = self.handles.tree;
        let mut left = FixedBitSet::with_capacity(tree.threads.len());
        for &root in &tree.threads[thread].roots {
            if self.may_exit.contains(thread.index()) {
                left.union_with(&alive.anywhere[root]);
            } else if let Some(exit) = &alive.exits[root] {
                left.union_with(exit);
            }
        }
        left.intersect_with(&alive.descendants[thread]);
        grow(&mut alive.left[thread], &left, &mut alive.changed);
    }

    /// One function, from its entry.
    fn pass(&self, alive: &mut Alive, context: ContextId) {
        let Program { module, nodes, .. } = self.handles.program;
        let tree = self.handles.tree;
        let function = tree.contexts[context].function;
        let entry = alive.entries[context].clone();
        if !tree.relevant.contains(function.index()) {
            let thread = tree.contexts[context].thread;
            alive.sink_into(thread, function, &entry);
            grow_exit(&mut alive.exits[context], &entry, &mut alive.changed);
            grow(&mut alive.anywhere[context], &entry, &mut alive.changed);
            return;
        }
        let body = module.functions[function].body.as_ref().expect("a body");
        let reader = self.reader();
        let mut states: Vec<Option<Arrival>> = vec![None; body.blocks.len()];
        states[0] = Some(Arrival::of(entry));
        let returns_again = nodes.of_function(function).any(|node| self.saves(node));
        let mut stack = vec![BlockId(0)];
        while let Some(block) = stack.pop() {
            let arrival = states[block.index()].clone().expect("it was reached");
            let Arrival {
                alive: mut state,
                mut told,
            } = arrival;
            if returns_again {
                state.union_with(&alive.anywhere[context]);
                told = None;
            }
            grow(&mut alive.anywhere[context], &state, &mut alive.changed);
            let Executed {
                here,
                goes_on,
                unwinding,
            } = self.execute(alive, context, block, Arrival { alive: state, told });
            let terminator = &body.blocks[block].terminator;
            if let Terminator::Ret(values) = terminator
                && goes_on
            {
                grow_exit(&mut alive.exits[context], &here.alive, &mut alive.changed);
                if reader.returned_parameter(function, block).is_none() {
                    alive.give_back(&reader, context, function, values.first().copied(), &here);
                }
            }
            let pad = match terminator {
                Terminator::Invoke { unwind, .. } => Some(unwind.block),
                _ => None,
            };
            for (next, mut arriving) in reader.edges(function, terminator, &here) {
                if Some(next) == pad {
                    arriving = Arrival::of(unwinding.clone().unwrap_or(arriving.alive));
                } else if !goes_on {
                    continue;
                }
                let before = arriving.alive.clone();
                self.leave_loop(alive, context, block, next, &mut arriving.alive);
                if arriving.alive != before {
                    arriving.told = None;
                }
                if let Some(values) = reader.returned_by_edge(function, terminator, next) {
                    for value in values {
                        alive.give_back(&reader, context, function, Some(value), &arriving);
                    }
                } else if reader.returned_parameter(function, next).is_some() {
                    alive.give_back(&reader, context, function, None, &arriving);
                }
                let known = &mut states[next.index()];
                let is_more = match known {
                    Some(known) => known.merge(&arriving),
                    None => {
                        *known = Some(arriving);
                        true
                    }
                };
                if is_more {
                    stack.push(next);
                }
            }
        }
        let states = states.into_iter();
        alive.blocks[context] = states.map(|s| s.map(|s| s.alive)).collect();
    }

    /// Follows the calls of a block.
    fn execute(
        &self,
        alive: &mut Alive,
        context: ContextId,
        block: BlockId,
        arrival: Arrival,
    ) -> Executed {
        let Arrival {
            alive: mut state,
            mut told,
        } = arrival;
        let Program { module, nodes, .. } = self.handles.program;
        let function = self.handles.tree.contexts[context].function;
        let mut goes_on = true;
        let mut unwinding = None;
        for node in nodes.of_block(function, block) {
            if call_at(module, nodes, node).is_none() {
                continue;
            }
            let before = state.clone();
            let (after, thrown) = self.call(alive, context, node, state);
            unwinding = Some(thrown);
            let Some(after) = after else {
                goes_on = false;
                state = FixedBitSet::new();
                break;
            };
            if after != before {
                let noted = alive.after[context].entry(node);
                let noted = noted.or_insert_with(|| after.clone());
                grow(noted, &after, &mut alive.changed);
            } else if let Some(noted) = alive.after[context].get_mut(&node) {
                grow(noted, &after, &mut alive.changed);
            }
            grow(&mut alive.anywhere[context], &after, &mut alive.changed);
            if self.is_about_threads(context, node) {
                told = self.told(alive, context, node);
            }
            state = after;
        }
        Executed {
            here: Arrival { alive: state, told },
            goes_on,
            unwinding,
        }
    }

    fn reader(&self) -> Reader<'a> {
        Reader {
            program: self.handles.program,
            addresses: self.handles.addresses,
            definitions: self.handles.definitions,
        }
    }

    /// Whether the call may change which threads are alive.
    fn is_about_threads(&self, context: ContextId, node: NodeId) -> bool {
        let Program { points_to, .. } = self.handles.program;
        let context = &self.handles.tree.contexts[context];
        let mut called = points_to.entered(node);
        called.any(|callee| context.callees.contains_key(&(node, callee)))
            || points_to.externals(node).any(|e| is_about_threads(e.class))
    }

    /// What the result of the call tells, if it can only be one function's.
    fn told(&self, alive: &Alive, context: ContextId, node: NodeId) -> Option<(ValueId, Returned)> {
        let Program {
            module,
            nodes,
            points_to,
        } = self.handles.program;
        let result = *call_at(module, nodes, node)?.results.first()?;
        let [callee] = points_to.callees(node) else {
            return None;
        };
        let called = self.handles.tree.contexts[context]
            .callees
            .get(&(node, *callee))?;
        Some((result, alive.returned[*called].clone()))
    }

    fn saves(&self, node: NodeId) -> bool {
        let Program {
            module,
            nodes,
            points_to,
        } = self.handles.program;
        call_at(module, nodes, node).is_some()
            && points_to.externals(node).any(|e| e.class == Class::Saves)
    }

    /// What is alive after the call, unless it does not return, and what where it throws.
    fn call(
        &self,
        alive: &mut Alive,
        context: ContextId,
        node: NodeId,
        state: FixedBitSet,
    ) -> (Option<FixedBitSet>, FixedBitSet) {
        let Program { points_to, .. } = self.handles.program;
        let tree = self.handles.tree;
        let mut after: Option<FixedBitSet> = None;
        let mut thrown = state.clone();
        let mut join = |state: &FixedBitSet| match &mut after {
            Some(after) => after.union_with(state),
            None => after = Some(state.clone()),
        };
        for external in points_to.externals(node) {
            if is_final(external.class) {
                continue;
            }
            let mut state = state.clone();
            match external.class {
                Class::Creates { .. } => {
                    let thread = tree.contexts[context].starts[&node];
                    grow(&mut alive.at_creation[thread], &state, &mut alive.changed);
                    state.insert(thread.index());
                    state.union_with(&alive.descendants[thread]);
                }
                Class::Joins { .. } => self.over(alive, context, After::Node(node), &mut state),
                Class::Synchronises(Sync::WaitAlone) => state.clear(),
                _ => {}
            }
            join(&state);
        }
        for callee in points_to.entered(node) {
            match tree.contexts[context].callees.get(&(node, callee)) {
                Some(&called) => {
                    grow(&mut alive.entries[called], &state, &mut alive.changed);
                    thrown.union_with(&alive.anywhere[called]);
                    let inside = alive.anywhere[called].clone();
                    grow(&mut alive.anywhere[context], &inside, &mut alive.changed);
                    if let Some(exit) = &alive.exits[called] {
                        join(exit);
                    }
                }
                None => {
                    let thread = tree.contexts[context].thread;
                    alive.sink_into(thread, callee, &state);
                    join(&state);
                }
            }
        }
        if points_to.callees(node).is_empty() {
            join(&state);
        }
        (after, thrown)
    }

    fn leave_loop(
        &self,
        alive: &Alive,
        context: ContextId,
        from: BlockId,
        to: BlockId,
        state: &mut FixedBitSet,
    ) {
        self.over(alive, context, After::Edge(from, to), state);
    }

    /// Takes away those that a join has waited for.
    fn over(&self, alive: &Alive, context: ContextId, after: After, state: &mut FixedBitSet) {
        for (join, counts) in self.joins.iter().zip(&self.counts) {
            if !counts || join.context != context || join.after != after {
                continue;
            }
            for thread in join.threads.ones().map(ThreadId::from) {
                let mut over = alive.descendants[thread].clone();
                over.difference_with(&alive.left[thread]);
                over.insert(thread.index());
                state.difference_with(&over);
            }
        }
    }

    /// Functions that are not taken apart pass on what is alive to those that they call.
    fn sink(&self, alive: &mut Alive) {
        let Program {
            module,
            nodes,
            points_to,
        } = self.handles.program;
        for thread in self.handles.tree.threads.ids() {
            let mut stack: Vec<FuncId> = alive.below[thread].keys().copied().collect();
            stack.sort_unstable();
            while let Some(function) = stack.pop() {
                let state = alive.below[thread][&function].clone();
                for node in nodes.of_function(function) {
                    if call_at(module, nodes, node).is_none() {
                        continue;
                    }
                    for callee in points_to.entered(node) {
                        if alive.sink_into(thread, callee, &state) {
                            stack.push(callee);
                        }
                    }
                }
            }
        }
    }
}

fn may_exit(program: Program, executed: &IndexVec<ThreadId, FixedBitSet>) -> FixedBitSet {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let exits = |function: &FuncId| {
        nodes.of_function(*function).any(|node| {
            call_at(module, nodes, node).is_some()
                && points_to
                    .externals(node)
                    .any(|e| e.class == Class::ExitsThread)
        })
    };
    let exiting: Vec<FuncId> = module.functions.ids().filter(exits).collect();
    let mut found = FixedBitSet::with_capacity(executed.len());
    for (thread, executed) in executed.enumerate() {
        let exits = exiting.iter().any(|f| executed.contains(f.index()));
        found.set(thread.index(), exits);
    }
    found
}

//! Which other threads may be alive where a thread is: started by it or by those it started, and not certainly over.
//!
//! A forward analysis of every context of the tree. Creating a thread adds it and all that it may start; a join takes away those that it
//! has certainly waited for, and what they had certainly waited for themselves. A join counts only as long as no write to the
//! place of the handle finds one of its threads alive: then the place holds the handle of the thread that was started last, and the others
//! are over. Since a join that no longer counts makes more threads alive, all this is computed together, from below.

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{BlockId, FuncId, Op, Terminator, ValueId};
use rustc_hash::FxHashMap;

use super::ThreadId;
use super::handles::{After, Elements, Handle, Handles, Join, are_apart};
use super::loops::Loops;
use super::returns::{Arrival, Reader, Returned, add};
use super::tree::{ContextId, Program, Tree};
use super::writers::Writers;
use crate::callgraph::call_at;
use crate::calls::{entered, externals, is_about_threads, is_final};
use crate::external::{Class, Sync};
use crate::node::{NodeId, Stands};

pub struct Alive {
    /// Before every block of a relevant context; `None` where it is not reached.
    blocks: IndexVec<ContextId, Vec<Option<FixedBitSet>>>,
    /// After every node of a context that changes something.
    after: IndexVec<ContextId, FxHashMap<NodeId, FixedBitSet>>,
    entries: IndexVec<ContextId, FixedBitSet>,
    exits: IndexVec<ContextId, Option<FixedBitSet>>,
    /// The same by what is returned.
    returned: IndexVec<ContextId, Returned>,
    /// At any point of the context or of those it calls.
    anywhere: IndexVec<ContextId, FixedBitSet>,
    /// In functions that are not taken apart, for each thread.
    pub below: IndexVec<ThreadId, FxHashMap<FuncId, FixedBitSet>>,
    /// Before each thread is created.
    pub at_creation: IndexVec<ThreadId, FixedBitSet>,
    /// Those that a thread may leave behind.
    left: IndexVec<ThreadId, FixedBitSet>,
    /// Threads that each one may have started, by way of others perhaps.
    pub descendants: IndexVec<ThreadId, FixedBitSet>,
    changed: bool,
}

pub struct Solver<'a> {
    pub handles: Handles<'a>,
    pub executed: &'a IndexVec<ThreadId, FixedBitSet>,
    /// By thread.
    pub handle_of: Vec<Handle>,
    joins: Vec<Join>,
    /// For every join, whether it counts.
    counts: Vec<bool>,
    /// For every join, the nodes that may write to the place it reads.
    rivals: Vec<Vec<NodeId>>,
    /// Threads that may end elsewhere than at the end of their function.
    may_exit: FixedBitSet,
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
        let rivals = joins
            .iter()
            .map(|join| writers.of(handles.program, join.reads).collect());
        let may_exit = may_exit(handles.program, executed);
        Solver {
            may_exit,
            rivals: rivals.collect(),
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

    /// A thread begins with what earlier ones of its kind have left behind; its roots follow each other.
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
            let terminator = &body.blocks[block].terminator;
            let here = Arrival { alive: state, told };
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

    fn reader(&self) -> Reader<'a> {
        Reader {
            program: self.handles.program,
            addresses: self.handles.addresses,
            definitions: self.handles.definitions,
        }
    }

    /// Whether the call may change who is alive.
    fn is_about_threads(&self, context: ContextId, node: NodeId) -> bool {
        let Program {
            module, points_to, ..
        } = self.handles.program;
        let context = &self.handles.tree.contexts[context];
        let mut called = entered(module, points_to, node);
        called.any(|callee| context.callees.contains_key(&(node, callee)))
            || externals(module, points_to, node).any(|e| is_about_threads(e.class))
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
            && externals(module, points_to, node).any(|e| e.class == Class::Saves)
    }

    /// What is alive after the call, unless it does not return, and what where it throws.
    fn call(
        &self,
        alive: &mut Alive,
        context: ContextId,
        node: NodeId,
        state: FixedBitSet,
    ) -> (Option<FixedBitSet>, FixedBitSet) {
        let Program {
            module, points_to, ..
        } = self.handles.program;
        let tree = self.handles.tree;
        let mut after: Option<FixedBitSet> = None;
        let mut thrown = state.clone();
        let mut join = |state: &FixedBitSet| match &mut after {
            Some(after) => after.union_with(state),
            None => after = Some(state.clone()),
        };
        for external in externals(module, points_to, node) {
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
        for callee in entered(module, points_to, node) {
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
                    for callee in entered(module, points_to, node) {
                        if alive.sink_into(thread, callee, &state) {
                            stack.push(callee);
                        }
                    }
                }
            }
        }
    }

    /// A join no longer counts if the place of its handle is written while one of its threads is alive.
    fn judge(&mut self, alive: &mut Alive) {
        for index in 0..self.joins.len() {
            if self.counts[index] && !self.is_certain(alive, index) {
                self.counts[index] = false;
                alive.changed = true;
            }
        }
    }

    fn is_certain(&self, alive: &Alive, index: usize) -> bool {
        let join = &self.joins[index];
        let tree = self.handles.tree;
        let thread = tree.contexts[join.context].thread;
        let is_clear = |state: &FixedBitSet| state.is_disjoint(&join.threads);
        // What earlier threads of this kind have left behind is not joined here.
        let roots = &tree.threads[thread].roots;
        if !roots
            .first()
            .is_none_or(|root| is_clear(&alive.entries[*root]))
        {
            return false;
        }
        // A place that belongs to one call of a function: earlier calls had another one.
        if let Some(context) = join.spot.context
            && !is_clear(&alive.entries[context])
        {
            return false;
        }
        self.rivals[index].iter().all(|writer| {
            let function = self.handles.program.nodes.function(*writer);
            let executing = tree.threads.ids();
            let mut executing =
                executing.filter(|thread| self.executed[*thread].contains(function.index()));
            executing.all(|executing| {
                executing == thread && self.is_harmless(alive, join, executing, *writer)
            })
        })
    }

    /// Whether the node, wherever the thread executes it, writes elsewhere or at a time when none of the join's threads is alive.
    fn is_harmless(&self, alive: &Alive, join: &Join, thread: ThreadId, writer: NodeId) -> bool {
        let nodes = self.handles.program.nodes;
        let tree = self.handles.tree;
        let function = nodes.function(writer);
        if let Some(state) = alive.below[thread].get(&function)
            && !state.is_disjoint(&join.threads)
        {
            return false;
        }
        let mut here = tree.contexts.enumerate();
        here.all(|(context, c)| {
            if c.thread != thread
                || c.function != function
                || !tree.relevant.contains(function.index())
            {
                return true;
            }
            if self.is_elsewhere(context, writer, join) {
                return true;
            }
            if let Some(started) = c.starts.get(&writer)
                && join.threads.contains(started.index())
            {
                let others = self.sharing_place(*started, join);
                if let Handle::Among(elements) = &self.handle_of[started.index()] {
                    return self.fills_once(alive, context, writer, elements, &others);
                }
                let state = alive.at(self.handles.program, tree, context, writer);
                return state.is_none_or(|state| state.is_disjoint(&others));
            }
            alive
                .at(self.handles.program, tree, context, writer)
                .is_none_or(|state| state.is_disjoint(&join.threads))
        })
    }

    /// Those of a join's threads whose handles may lie where the creation of this one writes its own.
    fn sharing_place(&self, thread: ThreadId, join: &Join) -> FixedBitSet {
        let bytes = self.handles.program.module.pointer_bytes() as i64;
        let own = &self.handle_of[thread.index()];
        let mut found = join.threads.clone();
        for other in join.threads.ones() {
            if are_apart(own, &self.handle_of[other], bytes) {
                found.set(other, false);
            }
        }
        found
    }

    fn is_elsewhere(&self, context: ContextId, writer: NodeId, join: &Join) -> bool {
        if matches!(join.after, After::Edge(..)) {
            return false;
        }
        let Program { module, nodes, .. } = self.handles.program;
        let pointer = match nodes.stands_for(module, writer) {
            Stands::Inst(inst) => match &inst.op {
                Op::Store { ptr, .. } => Some(*ptr),
                _ => None,
            },
            Stands::Terminator(_) => None,
        };
        let starts = self.handles.tree.contexts[context]
            .starts
            .contains_key(&writer);
        let pointer = pointer.or_else(|| {
            let call = call_at(module, nodes, writer)?;
            starts.then(|| call.args.first().copied()).flatten()
        });
        let Some(pointer) = pointer else {
            return false;
        };
        let address = self.handles.addresses.get(nodes.function(writer), pointer);
        let Some(spot) = self.handles.spot(context, address.clone()) else {
            return false;
        };
        let apart = spot.distance(&join.spot);
        let bytes = module.pointer_bytes() as i64;
        let both_fixed = spot.context.is_none() && join.spot.context.is_none();
        match apart {
            Some(distance) => distance.abs() >= bytes,
            None => both_fixed && spot.address.anchor != join.spot.address.anchor,
        }
    }

    /// Whether a loop that creates writes to every element once while one of these threads is alive.
    fn fills_once(
        &self,
        alive: &Alive,
        context: ContextId,
        writer: NodeId,
        elements: &Elements,
        others: &FixedBitSet,
    ) -> bool {
        let bytes = self.handles.program.module.pointer_bytes() as i64;
        elements.scale.abs() >= bytes
            && alive.is_once_an_element(&self.handles, elements, context, writer, others)
    }
}

impl Alive {
    /// A context returns the value.
    fn give_back(
        &mut self,
        reader: &Reader,
        context: ContextId,
        function: FuncId,
        value: Option<ValueId>,
        here: &Arrival,
    ) {
        let returned = &mut self.returned[context];
        match (value, &here.told) {
            (Some(value), Some((told, by_number))) if value == *told => {
                for (number, alive) in by_number {
                    self.changed |= add(returned, *number, alive);
                }
            }
            (value, _) => {
                let number = value.and_then(|value| reader.number(function, value));
                self.changed |= add(returned, number, &here.alive);
            }
        }
    }

    /// Where the context begins.
    pub fn entry(&self, context: ContextId) -> &FixedBitSet {
        &self.entries[context]
    }

    /// Before the node, in a context that was taken apart. `None`: it is not reached.
    pub fn at(
        &self,
        program: Program,
        tree: &Tree,
        context: ContextId,
        node: NodeId,
    ) -> Option<FixedBitSet> {
        let function = tree.contexts[context].function;
        if !tree.relevant.contains(function.index()) {
            return Some(self.entries[context].clone());
        }
        let block = program.nodes.block(node);
        let mut state = self.blocks[context].get(block.index())?.clone()?;
        for earlier in program.nodes.of_block(function, block) {
            if earlier == node {
                break;
            }
            if let Some(after) = self.after[context].get(&earlier) {
                state = after.clone();
            }
        }
        Some(state)
    }

    /// Whether a node is executed at most once for every element that the loop goes through, as long as one of the threads is alive.
    pub fn is_once_an_element(
        &self,
        handles: &Handles,
        elements: &Elements,
        context: ContextId,
        node: NodeId,
        threads: &FixedBitSet,
    ) -> bool {
        let Some(round) = handles.once_in(elements.context, context, node) else {
            return false;
        };
        let block = handles.program.nodes.block(round);
        // Nobody is alive when the loop begins.
        handles.loops.is_once_a_round(&elements.counting, block)
            && self
                .entering(handles.program, elements, handles.loops)
                .is_some_and(|entering| entering.is_disjoint(threads))
    }

    /// What is alive where a loop is entered from outside.
    fn entering(
        &self,
        program: Program,
        elements: &Elements,
        loops: &Loops,
    ) -> Option<FixedBitSet> {
        let counting = &elements.counting;
        let body = program.module.functions[counting.function].body.as_ref()?;
        let states = &self.blocks[elements.context];
        let mut found: Option<FixedBitSet> = None;
        for (block, b) in body.blocks.enumerate() {
            let mut enters = false;
            b.terminator
                .for_each_successor(|next| enters |= next == counting.header);
            if !enters || loops.is_inside(counting, block) {
                continue;
            }
            let Some(mut state) = states.get(block.index())?.clone() else {
                continue;
            };
            for node in program.nodes.of_block(counting.function, block) {
                if let Some(after) = self.after[elements.context].get(&node) {
                    state = after.clone();
                }
            }
            match &mut found {
                Some(found) => found.union_with(&state),
                None => found = Some(state),
            }
        }
        found
    }

    fn anywhere_if_it_may_end(&self, solver: &Solver, root: ContextId) -> FixedBitSet {
        let thread = solver.handles.tree.contexts[root].thread;
        if solver.may_exit.contains(thread.index()) || self.exits[root].is_none() {
            return self.anywhere[root].clone();
        }
        FixedBitSet::with_capacity(self.left.len())
    }

    /// Whether that is new.
    fn sink_into(&mut self, thread: ThreadId, function: FuncId, state: &FixedBitSet) -> bool {
        match self.below[thread].get_mut(&function) {
            Some(known) => {
                let mut changed = false;
                grow(known, state, &mut changed);
                self.changed |= changed;
                changed
            }
            None => {
                self.below[thread].insert(function, state.clone());
                self.changed = true;
                true
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
                && externals(module, points_to, node).any(|e| e.class == Class::ExitsThread)
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

fn descendants(tree: &Tree) -> IndexVec<ThreadId, FixedBitSet> {
    let none = || FixedBitSet::with_capacity(tree.threads.len());
    let mut found: IndexVec<ThreadId, FixedBitSet> = tree.threads.iter().map(|_| none()).collect();
    for thread in tree.threads.ids() {
        for ancestor in tree.ancestors(thread).skip(1) {
            found[ancestor].insert(thread.index());
        }
        if tree.threads[thread].is_recursive {
            found[thread].insert(thread.index());
        }
    }
    // What starts a kind of thread again may have all that this kind may have.
    for thread in tree.threads.ids() {
        let again: Vec<ThreadId> = tree
            .ancestors(thread)
            .filter(|ancestor| tree.threads[*ancestor].is_recursive)
            .collect();
        for ancestor in again {
            let mut more = found[ancestor].clone();
            more.insert(ancestor.index());
            found[thread].union_with(&more);
        }
    }
    found
}

fn grow(known: &mut FixedBitSet, more: &FixedBitSet, changed: &mut bool) {
    if !more.is_subset(known) {
        known.union_with(more);
        *changed = true;
    }
}

fn grow_exit(known: &mut Option<FixedBitSet>, more: &FixedBitSet, changed: &mut bool) {
    match known {
        Some(known) => grow(known, more, changed),
        None => {
            *known = Some(more.clone());
            *changed = true;
        }
    }
}

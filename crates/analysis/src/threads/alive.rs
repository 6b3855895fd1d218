//! Which other threads may be alive where a thread is: started by it or by those it started, and
//! not certainly over.
//!
//! A forward analysis of every context of the tree. Creating a thread adds it and all that it may
//! start; a join takes away those that it has certainly waited for, and what they had certainly
//! waited for themselves. A join counts only as long as no write to the place of the handle finds
//! one of its threads alive: then the place holds the handle of the thread that was started last,
//! and the others are over. Since a join that no longer counts makes more threads alive, all this
//! is computed together, from below.

mod certain;
mod solve;

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{FuncId, ValueId};
use rustc_hash::FxHashMap;

use super::ThreadId;
use super::handles::{Elements, Handles};
use super::loops::Loops;
use super::returns::{Arrival, Reader, Returned, add};
use super::tree::{ContextId, Program, Tree};
use crate::node::NodeId;
pub use solve::Solver;

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

    /// Whether a node is executed at most once for every element that the loop goes through, as
    /// long as one of the threads is alive.
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
        // None of the threads is alive when the loop begins.
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

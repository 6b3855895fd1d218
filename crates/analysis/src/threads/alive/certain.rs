//! Which joins count: those after which the threads they name are certainly over.

use fixedbitset::FixedBitSet;
use ir::Op;

use super::super::ThreadId;
use super::super::handles::{After, Elements, Handle, Join, are_apart};
use super::super::tree::{ContextId, Program};
use super::{Alive, Solver};
use crate::callgraph::call_at;
use crate::node::{NodeId, Stands};

impl Solver<'_> {
    /// A join no longer counts if the place of its handle is written while one of its threads is
    /// alive.
    pub(super) fn judge(&mut self, alive: &mut Alive) {
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
        // A place, or a number of rounds, that belongs to one call of a function: earlier calls had
        // another one.
        let mut calls = [join.spot.context, join.counts_in].into_iter().flatten();
        if calls.any(|context| !is_clear(&alive.entries[context])) {
            return false;
        }
        self.writers_of_handles[index].iter().all(|writer| {
            let function = self.handles.program.nodes.function(*writer);
            let executing = tree.threads.ids();
            let mut executing =
                executing.filter(|thread| self.executed[*thread].contains(function.index()));
            executing.all(|executing| {
                executing == thread && self.is_harmless(alive, join, executing, *writer)
            })
        })
    }

    /// Whether the node, wherever the thread executes it, writes elsewhere or at a time when none
    /// of the join's threads is alive.
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

    /// Those of a join's threads whose handles may lie where the creation of this one writes its
    /// own.
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

    /// Whether a loop that creates writes to every element once while one of these threads is
    /// alive.
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

//! Functions told apart by the calls that lead to them, for analyses that follow calls themselves.

use fixedbitset::FixedBitSet;
use ir::FuncId;

use super::tree::{ContextId, Program};
use super::{Situation, ThreadId, Threads};
use crate::node::NodeId;

impl Threads {
    /// What a thread executes, one after the other.
    pub fn roots(&self, thread: ThreadId) -> &[ContextId] {
        &self.tree.threads[thread].roots
    }

    /// The function of a context.
    pub fn function_of(&self, context: ContextId) -> FuncId {
        self.tree.contexts[context].function
    }

    /// Whether a function is told apart by the calls that lead to it: it creates or joins threads,
    /// or something that it calls does.
    pub fn is_told_apart(&self, function: FuncId) -> bool {
        self.tree.relevant.contains(function.index())
    }

    /// The context that a call enters, if the callee is told apart.
    pub fn called_from(
        &self,
        context: ContextId,
        call: NodeId,
        callee: FuncId,
    ) -> Option<ContextId> {
        let callees = &self.tree.contexts[context].callees;
        callees.get(&(call, callee)).copied()
    }

    /// The threads that may be alive where the context begins.
    pub fn alive_at_entry(&self, context: ContextId) -> FixedBitSet {
        match &self.alive {
            Some(alive) => alive.entry(context).clone(),
            None => self.all(),
        }
    }

    /// The situation before a node of a context that is told apart. `None`: it is not reached.
    pub fn situation_in(
        &self,
        program: Program,
        context: ContextId,
        node: NodeId,
    ) -> Option<Situation> {
        let alive = self.alive.as_ref().expect("contexts are told apart");
        Some(Situation {
            thread: self.tree.contexts[context].thread,
            alive: alive.at(program, &self.tree, context, node)?,
        })
    }
}

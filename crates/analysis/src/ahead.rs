//! From where certain nodes can still be reached: from a function that is entered, and from a node
//! in the middle of one.
//!
//! A thread has one frame for each function that it has entered. A node may lie ahead of it in the
//! innermost frame, after the next node, and in every other frame, after the call that the frame
//! waits for. Jumps out of a function (`longjmp`) are not followed: callers put them among the
//! nodes themselves. Errs on the side of more.

use base::IndexVec;
use ir::FuncId;

use crate::facts::Facts;
use crate::node::{NodeId, NodeSet};

/// Where something lies ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// At the node, below it or after it.
    pub at: NodeSet,
    /// After it.
    pub after: NodeSet,
    /// In the function or below it.
    pub below: IndexVec<FuncId, bool>,
}

impl Ahead {
    pub fn of(facts: &Facts, members: &NodeSet) -> Ahead {
        let functions = facts.module.functions.enumerate();
        let mut ahead = Ahead {
            at: facts.nodes.none(),
            after: facts.nodes.none(),
            below: functions.map(|_| false).collect(),
        };
        let mut pending: Vec<FuncId> = Vec::new();
        for (function, _, flow) in facts.entered() {
            let mut blocks = flow.cfg.order().iter();
            if blocks.any(|block| {
                let mut nodes = facts.nodes.of_block(function, *block);
                nodes.any(|node| members.contains(node))
            }) {
                ahead.below[function] = true;
                pending.push(function);
            }
        }
        while let Some(callee) = pending.pop() {
            for &call in facts.calls.callers(callee) {
                let caller = facts.nodes.function(call);
                if facts.flow(caller).is_some() && !ahead.below[caller] {
                    ahead.below[caller] = true;
                    pending.push(caller);
                }
            }
        }
        for (function, _, flow) in facts.entered() {
            if ahead.below[function] {
                ahead.function(facts, members, function, &flow.cfg);
            }
        }
        ahead
    }

    /// Backwards, until nothing changes.
    fn function(
        &mut self,
        facts: &Facts,
        members: &NodeSet,
        function: FuncId,
        cfg: &crate::cfg::Cfg,
    ) {
        let mut starts = vec![false; cfg.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in cfg.order().iter().rev() {
                let next = cfg.successors(block).iter();
                let mut later = next.copied().any(|next| starts[next.index()]);
                let nodes: Vec<NodeId> = facts.nodes.of_block(function, block).collect();
                for node in nodes.into_iter().rev() {
                    if later {
                        self.after.insert(node);
                    }
                    let enters = facts.entered_by(node).any(|callee| self.below[callee]);
                    later |= members.contains(node) || enters;
                    if later {
                        self.at.insert(node);
                    }
                }
                changed |= later && !std::mem::replace(&mut starts[block.index()], true);
            }
        }
    }
}

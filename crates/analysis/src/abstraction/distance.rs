//! How far a thread is from a place, on the interprocedural control flow graph (P2, section 5: the
//! second tier of the rank).
//!
//! Calls and returns match: what a thread may return to is its call stack. A call may be stepped
//! over at the cost of its shortest way through. Threads that are created count like calls: the one
//! that comes to the place may be the new one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use base::IndexVec;
use ir::{FuncId, Terminator};
use rustc_hash::FxHashMap;

use super::Ground;
use super::system::entry;
use crate::facts::Facts;
use crate::node::{NodeId, Stands};

/// There is no way.
const NEVER: u32 = u32::MAX;

/// Distances that are kept, four bytes each.
const MOST_KNOWN: usize = 64 << 20;

/// Instructions on the shortest ways.
pub struct Distances<'a> {
    facts: &'a Facts<'a>,
    /// From before a node to after the return from its function.
    exits: IndexVec<NodeId, u32>,
    known: FxHashMap<NodeId, Arc<ToPlace>>,
}

/// How far each node is from one place, if the thread does not return from the function.
pub struct ToPlace(IndexVec<NodeId, u32>);

impl<'a> Distances<'a> {
    pub fn of(ground: &Ground<'a>) -> Distances<'a> {
        let facts = ground.facts;
        let mut distances = Distances {
            facts,
            exits: (0..facts.nodes.len()).map(|_| NEVER).collect(),
            known: FxHashMap::default(),
        };
        distances.find_exits();
        distances
    }

    /// To the place from everywhere.
    pub fn to(&mut self, place: NodeId) -> Arc<ToPlace> {
        if let Some(known) = self.known.get(&place) {
            return Arc::clone(known);
        }
        if self.known.len() * self.facts.nodes.len() > MOST_KNOWN {
            self.known.clear();
        }
        let found = Arc::new(self.find(place));
        self.known.insert(place, Arc::clone(&found));
        found
    }

    /// How far a thread is that stands there: the node it comes to next, and in the frames below
    /// the calls that it is in, the outermost first.
    pub fn from_stack(&self, place: &ToPlace, stack: &[NodeId]) -> Option<u32> {
        let (top, callers) = stack.split_last()?;
        let mut best = place.0[*top];
        let mut out = self.exits[*top];
        for &call in callers.iter().rev() {
            if out == NEVER {
                break;
            }
            let mut further = NEVER;
            let mut exit = NEVER;
            for next in self.after(call) {
                further = further.min(place.0[next]);
                exit = exit.min(self.exits[next]);
            }
            best = best.min(out.saturating_add(further));
            out = out.saturating_add(exit);
        }
        (best != NEVER).then_some(best)
    }

    /// The nodes that may come after this one in its function.
    fn after(&self, node: NodeId) -> Vec<NodeId> {
        let facts = self.facts;
        let nodes = facts.nodes;
        let (function, block) = (nodes.function(node), nodes.block(node));
        match nodes.stands_for(facts.module, node) {
            Stands::Inst(_) => vec![nodes.at(function, block, nodes.index(node) + 1)],
            Stands::Terminator(terminator) => {
                let mut next = Vec::new();
                terminator.for_each_successor(|block| next.push(nodes.at(function, block, 0)));
                next
            }
        }
    }

    fn find_exits(&mut self) {
        let facts = self.facts;
        let functions: Vec<FuncId> = facts.entered().map(|(function, ..)| function).collect();
        // From callees to callers, until nothing gets shorter: recursion takes more rounds.
        loop {
            let mut changed = false;
            for &function in &functions {
                let mut queue = BinaryHeap::new();
                for &end in facts.returns(function) {
                    queue.push(Reverse((1, end)));
                }
                changed |= self.relax(function, queue);
            }
            if !changed {
                return;
            }
        }
    }

    /// Distances to the ends in the queue, within one function. Whether some got shorter.
    fn relax(&mut self, function: FuncId, mut queue: BinaryHeap<Reverse<(u32, NodeId)>>) -> bool {
        let facts = self.facts;
        let mut changed = false;
        let mut local: FxHashMap<NodeId, u32> = FxHashMap::default();
        while let Some(Reverse((distance, node))) = queue.pop() {
            if local.get(&node).is_some_and(|known| *known <= distance) {
                continue;
            }
            local.insert(node, distance);
            if distance < self.exits[node] {
                self.exits[node] = distance;
                changed = true;
            }
            for previous in before(facts, function, node) {
                let cost = self.cost(previous);
                if cost != NEVER {
                    queue.push(Reverse((distance.saturating_add(cost), previous)));
                }
            }
        }
        changed
    }

    /// Of executing a node and coming to the next one in its function.
    fn cost(&self, node: NodeId) -> u32 {
        let facts = self.facts;
        if facts.call(node).is_none() {
            return 1;
        }
        let mut through = NEVER;
        let mut enters = false;
        for callee in facts.entered_by(node) {
            enters = true;
            through = through.min(self.exits[entry(facts, callee)]);
        }
        match enters {
            false => 1,
            true if facts.externals(node).next().is_some() => 1,
            true => through.saturating_add(1),
        }
    }

    fn find(&self, place: NodeId) -> ToPlace {
        let facts = self.facts;
        let mut found: IndexVec<NodeId, u32> = (0..facts.nodes.len()).map(|_| NEVER).collect();
        let mut queue = BinaryHeap::from([Reverse((0, place))]);
        while let Some(Reverse((distance, node))) = queue.pop() {
            if found[node] <= distance {
                continue;
            }
            found[node] = distance;
            let function = facts.nodes.function(node);
            for previous in before(facts, function, node) {
                let cost = self.cost(previous);
                if cost != NEVER {
                    queue.push(Reverse((distance.saturating_add(cost), previous)));
                }
            }
            if node == entry(facts, function) {
                let calls = facts.calls.callers(function).iter();
                for site in calls.chain(facts.starts(function)) {
                    queue.push(Reverse((distance.saturating_add(1), *site)));
                }
            }
        }
        ToPlace(found)
    }
}

impl ToPlace {
    /// From before the node, without returning.
    pub fn from(&self, node: NodeId) -> Option<u32> {
        let distance = self.0[node];
        (distance != NEVER).then_some(distance)
    }
}

/// The nodes after which this one may come in its function.
fn before(facts: &Facts, function: FuncId, node: NodeId) -> Vec<NodeId> {
    let nodes = facts.nodes;
    let (block, index) = (nodes.block(node), nodes.index(node));
    if index > 0 {
        return vec![nodes.at(function, block, index - 1)];
    }
    let Some(flow) = facts.flow(function) else {
        return Vec::new();
    };
    let previous = flow.cfg.predecessors(block).iter();
    let ends = previous.map(|previous| nodes.terminator(function, *previous));
    ends.filter(|end| {
        let terminator = nodes.stands_for(facts.module, *end);
        !matches!(terminator, Stands::Terminator(Terminator::Ret(_)))
    })
    .collect()
}

//! The abstract system (P2, section 4.2): the places that matter for coming to the targets, and
//! which of them may come next.
//!
//! Beginnings of threads and targets are in it, and what Equations 1 to 4 add until nothing
//! changes: calls on the way from a beginning to a target, branches on which something in the
//! system is control dependent, with the beginning of the side that it needs, definitions that reach
//! such branches inside their function, locks taken before something and given back after it. Edges
//! are those of Equations 5 and 6.
//!
//! Deviations: what is on the way to a definition that a refinement has added counts like a target;
//! locks are also taken by calls of functions that lock and do not unlock (`std::mutex::lock`).

use std::collections::{BTreeMap, BTreeSet};

use ir::{BlockId, FuncId, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Ground, Target};
use crate::dominance::DominatorTree;
use crate::facts::Facts;
use crate::node::{NodeId, Stands};

/// Why a place is in the system. It may be there for several reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Where `main` or a thread begins.
    Start,
    Target,
    /// It calls what leads to a target.
    Call,
    /// Where such a function begins.
    Entry,
    Branch,
    /// Where a side of a branch begins.
    Side,
    Definition,
    Lock,
    Unlock,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Start => "start",
            Role::Target => "target",
            Role::Call => "call",
            Role::Entry => "entry",
            Role::Branch => "branch",
            Role::Side => "side",
            Role::Definition => "definition",
            Role::Lock => "lock",
            Role::Unlock => "unlock",
        }
    }
}

pub type Roles = BTreeSet<Role>;

pub struct AbstractSystem {
    pub targets: Vec<Target>,
    /// Definitions that were added by refinements.
    pub added: Vec<NodeId>,
    places: BTreeMap<NodeId, Roles>,
    edges: BTreeMap<NodeId, Vec<NodeId>>,
    starts: Vec<NodeId>,
}

impl AbstractSystem {
    /// With what is on the way to these definitions, too.
    pub fn of(ground: &Ground, targets: &[Target], added: &[NodeId]) -> AbstractSystem {
        let facts = ground.facts;
        let mut builder = Builder {
            ground,
            facts,
            post_dominators: FxHashMap::default(),
            places: BTreeMap::new(),
            work: Vec::new(),
            before: FxHashMap::default(),
        };
        let starts = starts(facts);
        for start in &starts {
            builder.add(*start, Role::Start);
        }
        for target in targets {
            builder.add(target.at, Role::Target);
            if let Some(call) = target.through {
                builder.add(call, Role::Call);
            }
        }
        for definition in added {
            builder.add(*definition, Role::Definition);
        }
        let ends = targets.iter().map(|target| target.at);
        builder.add_calls(ends.chain(added.iter().copied()));
        builder.close();
        let edges = builder.edges();
        AbstractSystem {
            targets: targets.to_vec(),
            added: added.to_vec(),
            places: builder.places,
            edges,
            starts,
        }
    }

    pub fn places(&self) -> impl Iterator<Item = (NodeId, &Roles)> {
        self.places.iter().map(|(node, roles)| (*node, roles))
    }

    pub fn roles(&self, node: NodeId) -> Option<&Roles> {
        self.places.get(&node)
    }

    pub fn is(&self, node: NodeId, role: Role) -> bool {
        self.roles(node).is_some_and(|roles| roles.contains(&role))
    }

    /// The places that may come next.
    pub fn next(&self, node: NodeId) -> &[NodeId] {
        self.edges.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Whether any calls and jumps lead to all targets.
    pub fn leads_to_targets(&self) -> bool {
        let mut seen: BTreeSet<NodeId> = self.starts.iter().copied().collect();
        let mut work = self.starts.clone();
        while let Some(place) = work.pop() {
            for next in self.next(place) {
                if seen.insert(*next) {
                    work.push(*next);
                }
            }
        }
        self.targets.iter().all(|target| seen.contains(&target.at))
    }

    /// Where `main` and the threads begin.
    pub fn starts(&self) -> &[NodeId] {
        &self.starts
    }
}

/// Where `main`, the functions of threads, and what runs at the ends of both begin.
fn starts(facts: &Facts) -> Vec<NodeId> {
    let roots = facts.calls.roots().iter().copied();
    let functions = roots.chain(facts.thread_functions());
    let functions = functions.filter(|function| facts.flow(*function).is_some());
    let mut starts: Vec<NodeId> = functions.map(|f| entry(facts, f)).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

pub(super) fn entry(facts: &Facts, function: FuncId) -> NodeId {
    facts.nodes.at(function, BlockId(0), 0)
}

struct Builder<'a> {
    ground: &'a Ground<'a>,
    facts: &'a Facts<'a>,
    post_dominators: FxHashMap<FuncId, DominatorTree>,
    places: BTreeMap<NodeId, Roles>,
    /// Places that were added and not looked at.
    work: Vec<NodeId>,
    /// By block, the blocks from which it can be reached; itself only if it lies in a loop.
    before: FxHashMap<(FuncId, BlockId), FxHashSet<BlockId>>,
}

impl Builder<'_> {
    fn add(&mut self, node: NodeId, role: Role) {
        let is_new = !self.places.contains_key(&node);
        if self.places.entry(node).or_default().insert(role) && is_new {
            self.work.push(node);
        }
    }

    /// Equation 1: the calls of all sequences of calls that lead to an end, and where the functions
    /// begin that they call.
    fn add_calls(&mut self, ends: impl Iterator<Item = NodeId>) {
        let facts = self.facts;
        let mut functions: Vec<FuncId> = ends.map(|end| facts.nodes.function(end)).collect();
        let mut seen = FxHashSet::default();
        while let Some(function) = functions.pop() {
            if !seen.insert(function) || !facts.calls.is_reachable(function) {
                continue;
            }
            for &site in facts.calls.callers(function) {
                let caller = facts.nodes.function(site);
                if !facts.calls.is_reachable(caller) {
                    continue;
                }
                self.add(site, Role::Call);
                self.add(entry(facts, function), Role::Entry);
                functions.push(caller);
            }
        }
    }

    /// Equations 2 to 4, until nothing changes.
    fn close(&mut self) {
        while let Some(node) = self.work.pop() {
            self.add_branches(node);
            self.add_locks(node);
        }
    }

    /// Equation 2, and 3 for the branches that it adds.
    fn add_branches(&mut self, node: NodeId) {
        let facts = self.facts;
        let function = facts.nodes.function(node);
        let Some(flow) = facts.flow(function) else {
            return;
        };
        let block = facts.nodes.block(node);
        for &on in flow.control.of_block(block) {
            let branch = facts.nodes.terminator(function, on);
            if matches!(
                facts.nodes.stands_for(facts.module, branch),
                Stands::Terminator(Terminator::Invoke { .. })
            ) {
                continue;
            }
            let is_new = !self
                .places
                .get(&branch)
                .is_some_and(|roles| roles.contains(&Role::Branch));
            self.add(branch, Role::Branch);
            for side in flow.cfg.successors(on) {
                let after = self
                    .post_dominators
                    .entry(function)
                    .or_insert_with(|| DominatorTree::post_dominators(&flow.cfg));
                if *side != flow.cfg.exit() && after.dominates(block, *side) {
                    self.add(facts.nodes.at(function, *side, 0), Role::Side);
                }
            }
            if is_new {
                for definition in self.ground.reach_condition(branch) {
                    self.add(definition, Role::Definition);
                }
            }
        }
    }

    /// Equation 4: locks taken before this place in its function, and given back after they were.
    fn add_locks(&mut self, node: NodeId) {
        let facts = self.facts;
        let function = facts.nodes.function(node);
        if facts.flow(function).is_none() {
            return;
        }
        let is_lock = self.ground.takes_lock(node);
        let is_unlock = self.ground.gives_back_lock(node);
        if is_unlock && !is_lock {
            return;
        }
        for &call in facts.calls.calls(function) {
            if self.ground.takes_lock(call) && self.comes_before(call, node) {
                self.add(call, Role::Lock);
            }
            if is_lock && self.ground.gives_back_lock(call) && self.comes_before(node, call) {
                self.add(call, Role::Unlock);
            }
        }
        if is_lock {
            self.add(node, Role::Lock);
        }
    }

    /// Whether a path in their function leads from the one to the other.
    fn comes_before(&mut self, first: NodeId, second: NodeId) -> bool {
        let facts = self.facts;
        let function = facts.nodes.function(first);
        let (from, to) = (facts.nodes.block(first), facts.nodes.block(second));
        if from == to && facts.nodes.index(first) < facts.nodes.index(second) {
            return true;
        }
        let flow = facts.flow(function).expect("an entered function");
        let before = self.before.entry((function, to)).or_insert_with(|| {
            let mut before = FxHashSet::default();
            let mut work = vec![to];
            while let Some(block) = work.pop() {
                for previous in flow.cfg.predecessors(block) {
                    if before.insert(*previous) {
                        work.push(*previous);
                    }
                }
            }
            before
        });
        before.contains(&from)
    }

    /// Equations 5 and 6.
    fn edges(&self) -> BTreeMap<NodeId, Vec<NodeId>> {
        let facts = self.facts;
        let mut edges = BTreeMap::new();
        for &node in self.places.keys() {
            let mut next = self.next_in_function(node);
            if facts.call(node).is_some() {
                for callee in facts.entered_by(node) {
                    let entry = entry(facts, callee);
                    if self.places.contains_key(&entry) {
                        next.insert(entry);
                    }
                }
            }
            edges.insert(node, next.into_iter().collect());
        }
        edges
    }

    /// The places that can be reached in the function without passing others.
    fn next_in_function(&self, node: NodeId) -> BTreeSet<NodeId> {
        let facts = self.facts;
        let function = facts.nodes.function(node);
        let mut next = BTreeSet::new();
        let Some(flow) = facts.flow(function) else {
            return next;
        };
        let mut seen = FxHashSet::default();
        let mut work = Vec::new();
        let mut enter = |block: BlockId, after: Option<usize>, work: &mut Vec<BlockId>| {
            let mut nodes = facts.nodes.of_block(function, block);
            let found = nodes.find(|other| {
                after.is_none_or(|after| facts.nodes.index(*other) > after)
                    && self.places.contains_key(other)
            });
            match found {
                Some(found) => {
                    next.insert(found);
                }
                None => work.extend(
                    (flow.cfg.successors(block).iter()).filter(|next| **next != flow.cfg.exit()),
                ),
            }
        };
        let (block, index) = (facts.nodes.block(node), facts.nodes.index(node));
        enter(block, Some(index), &mut work);
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                enter(block, None, &mut work);
            }
        }
        next
    }
}

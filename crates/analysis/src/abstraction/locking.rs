//! Which calls take a lock and which give one back, seen from their caller.

use fixedbitset::FixedBitSet;
use ir::FuncId;
use rustc_hash::FxHashSet;

use super::Ground;
use crate::external::{Class, Sync};
use crate::facts::Facts;
use crate::node::NodeId;

pub(super) struct Locking {
    takes: FxHashSet<NodeId>,
    gives_back: FxHashSet<NodeId>,
}

impl Locking {
    /// A function that locks and does not unlock, itself or in what it calls, is taken for one that
    /// returns with the lock. That is so for the functions of guards and wrappers; what is taken
    /// wrongly costs time.
    pub fn of(facts: &Facts) -> Locking {
        let count = facts.module.functions.len();
        let (mut locks, mut unlocks) = (
            FixedBitSet::with_capacity(count),
            FixedBitSet::with_capacity(count),
        );
        let mut functions: Vec<FuncId> = facts.entered().map(|(f, ..)| f).collect();
        // Callees first: their components have smaller numbers.
        functions.sort_by_key(|f| facts.calls.component(*f));
        let mut locking = Locking {
            takes: FxHashSet::default(),
            gives_back: FxHashSet::default(),
        };
        for function in functions {
            for &call in facts.calls.calls(function) {
                let (mut takes, mut gives_back) = (false, false);
                for external in facts.externals(call) {
                    match external.class {
                        Class::Synchronises(Sync::Lock { .. }) => takes = true,
                        Class::Synchronises(Sync::Unlock { .. }) => gives_back = true,
                        _ => {}
                    }
                }
                for callee in facts.entered_by(call) {
                    let (locks, unlocks) = (locks[callee.index()], unlocks[callee.index()]);
                    takes |= locks && !unlocks;
                    gives_back |= unlocks && !locks;
                }
                if takes && !gives_back {
                    locking.takes.insert(call);
                    locks.insert(function.index());
                }
                if gives_back && !takes {
                    locking.gives_back.insert(call);
                    unlocks.insert(function.index());
                }
            }
        }
        locking
    }

    pub fn takes(&self, node: NodeId) -> bool {
        self.takes.contains(&node)
    }

    pub fn gives_back(&self, node: NodeId) -> bool {
        self.gives_back.contains(&node)
    }
}

impl Ground<'_> {
    /// Whether both calls may take the same lock: what they are given first may point to one
    /// object.
    pub fn may_be_same_lock(&self, a: NodeId, b: NodeId) -> bool {
        let facts = self.facts;
        let set = |node| {
            let lock = *facts.call(node)?.args.first()?;
            Some(facts.points_to.set_of(facts.nodes.function(node), lock))
        };
        let (Some(a), Some(b)) = (set(a), set(b)) else {
            return false;
        };
        let places = |set| facts.points_to.places(set).iter();
        places(a).any(|a| places(b).any(|b| a.may_overlap(Some(1), *b, Some(1))))
    }

    /// The call in the function of a place that gives back, after it, a lock that one of these
    /// calls in the same function has taken.
    pub fn gives_back_after(&self, place: NodeId, way: &[NodeId]) -> Option<NodeId> {
        let facts = self.facts;
        let function = facts.nodes.function(place);
        let is_own = |other: &&NodeId| facts.nodes.function(**other) == function;
        way.iter()
            .filter(is_own)
            .find(|other| self.takes_lock(**other))?;
        let cfg = &facts.flow(function)?.cfg;
        let order = |node| {
            let block = cfg.place(facts.nodes.block(node))?;
            Some((block, facts.nodes.index(node)))
        };
        let calls = facts.calls.calls(function).iter().copied();
        let later = calls.filter(|call| self.gives_back_lock(*call) && order(*call) > order(place));
        later.min_by_key(|call| order(*call))
    }
}

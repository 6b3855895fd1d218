//! Abstract traces (P2, section 4.3): ways through the abstract system from where a thread begins
//! to a target, without a place twice (Equation 7), and sets of them, one for each target.
//!
//! There may be exponentially many. They are made one after the other as they are asked for: those
//! with the fewest calls first, of those the shortest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use super::{AbstractSystem, Role, Target};
use crate::node::NodeId;

/// A way from where a thread begins to a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbstractTrace(pub Vec<NodeId>);

/// The beginnings of ways that are kept at the same time: of more, the longest are given up.
const MOST_BEGUN: usize = 50_000;

/// The traces to one place, in their order.
pub struct AbstractTraces {
    system: Arc<AbstractSystem>,
    target: Target,
    /// How far the target is from where it can be reached.
    left: BTreeMap<NodeId, Cost>,
    /// By what the whole trace costs at least (A*).
    begun: BinaryHeap<Reverse<Begun>>,
    made: u64,
}

/// Calls, then places.
type Cost = (usize, usize);

/// What the whole costs at least, what the way so far does, how many were made before, and the way.
type Begun = (Cost, Cost, u64, Arc<Way>);

/// A place, and the way to it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    at: NodeId,
    before: Option<Arc<Way>>,
}

impl Way {
    fn places(&self) -> impl Iterator<Item = NodeId> + '_ {
        let ways = std::iter::successors(Some(self), |way| way.before.as_deref());
        ways.map(|way| way.at)
    }
}

impl AbstractTraces {
    pub fn to(system: &Arc<AbstractSystem>, target: Target) -> AbstractTraces {
        let mut traces = AbstractTraces {
            system: Arc::clone(system),
            target,
            left: left(system, target.at),
            begun: BinaryHeap::new(),
            made: 0,
        };
        for start in system.starts() {
            traces.begin((0, 1), *start, None);
        }
        traces
    }

    fn begin(&mut self, cost: Cost, at: NodeId, before: Option<Arc<Way>>) {
        let Some(left) = self.left.get(&at) else {
            return;
        };
        if self.begun.len() < MOST_BEGUN {
            self.made += 1;
            let whole = (cost.0 + left.0, cost.1 + left.1);
            let way = Arc::new(Way { at, before });
            self.begun.push(Reverse((whole, cost, self.made, way)));
        }
    }
}

/// How far the place is from all from which it can be reached.
fn left(system: &AbstractSystem, place: NodeId) -> BTreeMap<NodeId, Cost> {
    let mut before: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for (place, _) in system.places() {
        for next in system.next(place) {
            before.entry(*next).or_default().push(place);
        }
    }
    let mut left = BTreeMap::new();
    let mut queue = BinaryHeap::from([Reverse(((0, 0), place))]);
    while let Some(Reverse((cost, place))) = queue.pop() {
        if left.contains_key(&place) {
            continue;
        }
        left.insert(place, cost);
        for &previous in before.get(&place).into_iter().flatten() {
            let calls = cost.0 + usize::from(enters(system, previous, place));
            queue.push(Reverse(((calls, cost.1 + 1), previous)));
        }
    }
    left
}

/// Whether the step from one place to the other enters a function.
fn enters(system: &AbstractSystem, from: NodeId, to: NodeId) -> bool {
    system.is(from, Role::Call) && system.is(to, Role::Entry)
}

impl Iterator for AbstractTraces {
    type Item = AbstractTrace;

    fn next(&mut self) -> Option<AbstractTrace> {
        while let Some(Reverse((_, cost, _, way))) = self.begun.pop() {
            if way.at == self.target.at {
                let through = self.target.through;
                if through.is_none_or(|call| way.places().any(|place| place == call)) {
                    let mut places: Vec<NodeId> = way.places().collect();
                    places.reverse();
                    return Some(AbstractTrace(places));
                }
                continue;
            }
            let system = Arc::clone(&self.system);
            for &next in system.next(way.at) {
                if way.places().any(|place| place == next) {
                    continue;
                }
                let calls = cost.0 + usize::from(enters(&system, way.at, next));
                self.begin((calls, cost.1 + 1), next, Some(Arc::clone(&way)));
            }
        }
        None
    }
}

/// Sets with one trace for each target, in the order of their places in the lists of traces.
pub struct TraceSets {
    /// For every target, what was made of its traces, and the rest.
    targets: Vec<(Vec<AbstractTrace>, AbstractTraces)>,
    /// Sums of places, and which trace of each target.
    next: BinaryHeap<Reverse<(usize, Vec<usize>)>>,
    seen: BTreeSet<Vec<usize>>,
}

impl TraceSets {
    pub fn of(system: &Arc<AbstractSystem>) -> TraceSets {
        let traces = |target: &Target| (Vec::new(), AbstractTraces::to(system, *target));
        let first = vec![0; system.targets.len()];
        TraceSets {
            targets: system.targets.iter().map(traces).collect(),
            next: BinaryHeap::from([Reverse((0, first.clone()))]),
            seen: BTreeSet::from([first]),
        }
    }

    fn trace(&mut self, target: usize, index: usize) -> Option<AbstractTrace> {
        let (made, rest) = &mut self.targets[target];
        while made.len() <= index {
            made.push(rest.next()?);
        }
        Some(made[index].clone())
    }
}

impl Iterator for TraceSets {
    type Item = Vec<AbstractTrace>;

    fn next(&mut self) -> Option<Vec<AbstractTrace>> {
        loop {
            let Reverse((sum, places)) = self.next.pop()?;
            let mut set = Vec::with_capacity(places.len());
            for (target, index) in places.iter().enumerate() {
                set.extend(self.trace(target, *index));
            }
            if set.len() < places.len() {
                continue;
            }
            for target in 0..places.len() {
                let mut more = places.clone();
                more[target] += 1;
                if self.seen.insert(more.clone()) {
                    self.next.push(Reverse((sum + 1, more)));
                }
            }
            return Some(set);
        }
    }
}

//! Locks that threads may wait for while they hold others.
//!
//! A *wait* is a moment at which a thread may hold one lock and waits for another. A cycle of
//! waits, each for what the next one holds, may be a deadlock if different threads may be at all of
//! them at the same time and no lock that two of them hold (a *gate*) prevents that.

mod dense_deadlocks;

use analysis::external::{Class, Mode, Sync, Wait};
use analysis::{Address, NodeId, ObjectKind, PlaceSet, call_at};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::guard::may_coincide;
use crate::locks::{Held, Lock, Moment, locked_by, may_be_at, sets_meet};
use crate::order::{Line, line};
use crate::{DoubleLock, Facts, LockOrder, Point, Waiting};
use ir::{Callee, Const, FuncId, ValueId};

/// Cycles of more threads are not looked for.
const LONGEST_CYCLE: usize = 6;
/// How long cycles of more than two threads are looked for from one wait, in steps. Small programs
/// have far fewer.
const MOST_STEPS: usize = 20_000;

/// What is known of a lock: its address, and the places where it may be.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Which {
    address: Option<Address>,
    places: PlaceSet,
}

impl Which {
    /// What the value points to.
    pub fn of(facts: Facts, function: FuncId, value: ValueId) -> Which {
        Which {
            address: Some(facts.threads.addresses.get(function, value).clone()),
            places: facts.points_to.set_of(function, value),
        }
    }

    /// The address that means the same everywhere, if it has one.
    fn fixed(&self) -> Option<&Address> {
        self.address
            .as_ref()
            .filter(|address| address.is_absolute())
    }
}

/// A lock that is held.
pub fn held_which(facts: Facts, held: &Held) -> Which {
    let address = match &held.lock {
        Lock::At(address) => Some(address.clone()),
        Lock::Sections | Lock::Nameless => None,
    };
    let places = locked_by(facts.program(), held)
        .map_or_else(PlaceSet::default, |(f, v)| facts.points_to.set_of(f, v));
    Which { address, places }
}

/// A thread holds one lock and waits for another.
struct Edge<'a> {
    moment: &'a Moment,
    held: &'a Held,
    holds: Which,
    waits: Which,
    waits_shared: bool,
}

impl Edge<'_> {
    fn waiting(&self) -> Waiting {
        Waiting {
            at: Point::of(self.moment),
            holds: self.held.clone(),
        }
    }
}

/// Cycles, and locks taken twice. If threads may hold more than `most` locks where they wait for
/// others, counted at every place, few cycles are reported: see [`dense_deadlocks`].
pub fn deadlocks(facts: Facts, most: usize) -> (Vec<LockOrder>, Vec<DoubleLock>) {
    let waits = facts.locks.moments.iter();
    let waits = waits.filter(|moment| waited_for(facts, moment.node).is_some());
    let waits: Vec<&Moment> = waits.collect();
    if waits
        .iter()
        .map(|moment| moment.held.held.len())
        .sum::<usize>()
        > most
    {
        return dense_deadlocks::deadlocks(facts, &waits);
    }
    let mut edges: Vec<Edge> = Vec::new();
    for moment in &facts.locks.moments {
        add_edges(facts, moment, &mut edges);
    }
    let (same, edges): (Vec<Edge>, Vec<Edge>) = edges
        .into_iter()
        .partition(|edge| is_surely_same(facts, edge));
    let edges = one_of_a_kind(edges);
    let cycles = cycles(facts, &edges);
    let mut twice: FxHashMap<Line, DoubleLock> = FxHashMap::default();
    let mut reported: Vec<(Line, Line)> = Vec::new();
    for cycle in &cycles {
        let lines = cycle
            .waits
            .iter()
            .map(|w| (line(facts, w.at.node), lock_line(facts, &w.holds)));
        reported.extend(lines);
    }
    let maybe = edges.iter().filter(|edge| {
        let lines = (line(facts, edge.moment.node), lock_line(facts, edge.held));
        let function = facts.nodes.function(edge.moment.node);
        may_be_same(facts, function, &edge.holds, &edge.waits) && !reported.contains(&lines)
    });
    let recursive = Recursive::of(facts);
    for edge in same.iter().chain(maybe) {
        if recursive.is_allowed(facts, edge) {
            continue;
        }
        let at = line(facts, edge.moment.node);
        twice.entry(at).or_insert_with(|| DoubleLock {
            at: Point::of(edge.moment),
            holds: edge.held.clone(),
        });
    }
    let mut twice: Vec<_> = twice.into_iter().collect();
    twice.sort_by_key(|(line, _)| *line);
    (cycles, twice.into_iter().map(|(_, twice)| twice).collect())
}

fn lock_line(facts: Facts, held: &Held) -> Line {
    held.path.last().map_or((0, 0), |node| line(facts, *node))
}

/// The lock for which the node waits; whether only for reading; whether the node gives the lock
/// back first, as a wait for a condition does.
pub fn waited_for(facts: Facts, node: NodeId) -> Option<(ValueId, bool, bool)> {
    let call = call_at(facts.module, facts.nodes, node)?;
    facts
        .points_to
        .externals(node)
        .find_map(|external| match external.class {
            Class::Synchronises(Sync::Lock {
                lock,
                mode,
                wait: Wait::Forever,
            }) => Some((*call.args.get(lock)?, mode == Mode::Shared, false)),
            // It gives the mutex back and waits for it again.
            Class::Synchronises(Sync::WaitCondition { mutex, .. }) => {
                Some((*call.args.get(mutex)?, false, true))
            }
            _ => None,
        })
}

fn add_edges<'a>(facts: Facts, moment: &'a Moment, edges: &mut Vec<Edge<'a>>) {
    let Some((operand, waits_shared, gives_back)) = waited_for(facts, moment.node) else {
        return;
    };
    let function = facts.nodes.function(moment.node);
    let waits = Which::of(facts, function, operand);
    for held in moment.held.held.iter() {
        if held.lock == Lock::Sections {
            continue;
        }
        let holds = held_which(facts, held);
        if gives_back && holds.address == waits.address {
            continue;
        }
        edges.push(Edge {
            moment,
            held,
            holds,
            waits: waits.clone(),
            waits_shared,
        });
    }
}

fn is_surely_same(facts: Facts, edge: &Edge) -> bool {
    match (&edge.holds.address, &edge.waits.address) {
        (Some(a), Some(b)) => a == b,
        _ => {
            let function = facts.nodes.function(edge.moment.node);
            let one = is_one(facts, &edge.holds) && is_one(facts, &edge.waits);
            one && may_be_same(facts, function, &edge.holds, &edge.waits)
        }
    }
}

/// Whether it can be only one lock.
fn is_one(facts: Facts, which: &Which) -> bool {
    which.address.as_ref().is_some_and(Address::is_absolute)
        || matches!(facts.points_to.places(which.places), [place] if place.stride == 0 && facts.threads.is_unique(place.object))
}

/// Whether two locks may be the same, both in terms of the same function.
fn may_be_same(facts: Facts, function: FuncId, a: &Which, b: &Which) -> bool {
    if let (Some(a), Some(b)) = (&a.address, &b.address) {
        if let Some(distance) = a.distance(b) {
            return distance == 0;
        }
        if facts.threads.addresses.are_different(function, a, b) {
            return false;
        }
    }
    may_meet(facts, a, b)
}

/// Whether two locks of different functions may be the same: addresses in terms of values cannot be
/// compared.
pub fn may_meet(facts: Facts, a: &Which, b: &Which) -> bool {
    match (a.fixed(), b.fixed()) {
        (Some(a), Some(b)) => a == b,
        (Some(a), None) => may_be_at(facts.points_to, b.places, a),
        (None, Some(b)) => may_be_at(facts.points_to, a.places, b),
        (None, None) => sets_meet(facts.points_to, a.places, b.places),
    }
}

/// Leaves one of the edges that are alike.
fn one_of_a_kind(edges: Vec<Edge>) -> Vec<Edge> {
    let mut seen: FxHashSet<_> = FxHashSet::default();
    let mut kept: Vec<Edge> = Vec::new();
    for edge in edges {
        let certain = edge.moment.held.held.iter().filter(|held| held.certain);
        let certain = certain.filter(|held| held.lock != Lock::Nameless);
        let certain: Vec<(Lock, bool)> = certain.map(|h| (h.lock.clone(), h.shared)).collect();
        let key = (
            (edge.moment.node, edge.held.path.last().copied()),
            (edge.holds.clone(), edge.waits.clone()),
            edge.moment.situation.clone(),
            certain,
        );
        if seen.insert(key) {
            kept.push(edge);
        }
    }
    kept
}

fn cycles(facts: Facts, edges: &[Edge]) -> Vec<LockOrder> {
    let count = edges.len();
    let compatible = |a: &Edge, b: &Edge| may_coincide(facts, a.moment, b.moment);
    // `next[i]`: edges that hold what edge i waits for, in order.
    let blocks = |a: &Edge, b: &Edge| {
        may_meet(facts, &a.waits, &b.holds) && !(a.waits_shared && b.held.shared)
    };
    let next: Vec<Vec<usize>> = (0..count)
        .map(|i| {
            let others = (0..count).filter(|j| blocks(&edges[i], &edges[*j]));
            others
                .filter(|j| compatible(&edges[i], &edges[*j]))
                .collect()
        })
        .collect();
    let mut found: FxHashMap<Vec<(Line, Line)>, LockOrder> = FxHashMap::default();
    for start in 0..count {
        let mut path = vec![start];
        let mut steps = MOST_STEPS;
        search(&next, &mut path, &mut steps, &mut |path| {
            let pairwise = path.iter().enumerate().all(|(i, a)| {
                let mut rest = path[i + 1..].iter();
                rest.all(|b| compatible(&edges[*a], &edges[*b]))
            });
            if !pairwise {
                return;
            }
            let mut key: Vec<(Line, Line)> = path
                .iter()
                .map(|e| {
                    let edge = &edges[*e];
                    (lock_line(facts, edge.held), line(facts, edge.moment.node))
                })
                .collect();
            key.sort_unstable();
            // Cycles through the same lines are reported once, with as few threads as possible.
            key.dedup();
            if found
                .get(&key)
                .is_some_and(|known| known.waits.len() <= path.len())
            {
                return;
            }
            let waits = path.iter().map(|e| edges[*e].waiting());
            let waits = waits.collect();
            found.insert(key, LockOrder { waits });
        });
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, cycle)| cycle).collect()
}

/// All simple cycles from the first edge of the path whose other edges come later; one edge may
/// meet its own kind. Those of two edges come first.
fn search(
    next: &[Vec<usize>],
    path: &mut Vec<usize>,
    steps: &mut usize,
    report: &mut impl FnMut(&[usize]),
) {
    let (first, last) = (path[0], path[path.len() - 1]);
    if path.len() == 1 {
        for &edge in next[first].iter().filter(|edge| **edge >= first) {
            if next[edge].binary_search(&first).is_ok() {
                report(&[first, edge]);
            }
        }
    } else if path.len() > 2 && next[last].binary_search(&first).is_ok() {
        report(path);
    }
    if path.len() == LONGEST_CYCLE {
        return;
    }
    let later = next[last].partition_point(|edge| *edge <= first);
    for &edge in &next[last][later..] {
        if *steps == 0 {
            return;
        }
        if !path.contains(&edge) {
            *steps -= 1;
            path.push(edge);
            search(next, path, steps, report);
            path.pop();
        }
    }
}

/// Mutexes that may be locked again by the thread that holds them.
struct Recursive {
    /// Every call that sets the kind of mutex attributes sets one with which a thread does not wait
    /// for itself.
    kinds: bool,
}

const KIND_RECURSIVE: u128 = 1;
const KIND_ERROR_CHECK: u128 = 2;

impl Recursive {
    /// Whether the lock may be taken again.
    fn is_allowed(&self, facts: Facts, edge: &Edge) -> bool {
        edge.held.shared && edge.waits_shared || self.is_certain(facts, &edge.waits)
    }

    fn of(facts: Facts) -> Recursive {
        let mut any = false;
        let mut all = true;
        for (function, f) in facts.module.functions.enumerate() {
            let Some(body) = &f.body else { continue };
            for node in facts.nodes.of_function(function) {
                let Some(call) = call_at(facts.module, facts.nodes, node) else {
                    continue;
                };
                let Callee::Direct(callee) = call.callee else {
                    continue;
                };
                if facts.module.functions[callee].name == "pthread_mutexattr_settype" {
                    any = true;
                    let kind = call
                        .args
                        .get(1)
                        .and_then(|kind| body.values[*kind].constant);
                    all &= matches!(kind, Some(Const::Bits(KIND_RECURSIVE | KIND_ERROR_CHECK)));
                }
            }
        }
        Recursive { kinds: any && all }
    }

    fn is_certain(&self, facts: Facts, which: &Which) -> bool {
        let objects: Vec<_> = match &which.address {
            Some(Address {
                anchor: Some(object),
                ..
            }) => vec![(*object, which.address.as_ref().map_or(0, |a| a.offset))],
            _ => {
                let places = facts.points_to.places(which.places).iter();
                places.map(|place| (place.object, place.offset)).collect()
            }
        };
        !objects.is_empty()
            && objects
                .iter()
                .all(|(object, offset)| self.is_recursive(facts, *object, *offset))
    }

    fn is_recursive(&self, facts: Facts, object: analysis::ObjectId, offset: i64) -> bool {
        let mut initialised = false;
        for (node, _) in facts.points_to.touching(object) {
            let Some(call) = call_at(facts.module, facts.nodes, node) else {
                continue;
            };
            let initialises =
                |class: Class| matches!(class, Class::Synchronises(Sync::Initialise { .. }));
            let mut classes = facts.points_to.externals(node).map(|e| e.class);
            if classes.any(initialises) {
                initialised = true;
                let body = facts.module.functions[facts.nodes.function(node)]
                    .body
                    .as_ref();
                let attributes = call.args.get(1).map(|a| &body.expect("a body").values[*a]);
                let plain = attributes.is_none_or(|a| a.constant == Some(Const::Bits(0)));
                if plain || !self.kinds {
                    return false;
                }
            }
        }
        if initialised {
            return true;
        }
        let ObjectKind::Global(global) = facts.points_to.objects()[object].kind else {
            return false;
        };
        // The offset of the kind in a mutex of glibc.
        let at = if facts.module.pointer_bits == 64 {
            16
        } else {
            12
        };
        let init = facts.module.globals[global].init.as_ref();
        let kind = usize::try_from(offset + at).ok();
        let kind = init.zip(kind).and_then(|(init, at)| init.bytes.get(at));
        kind.is_some_and(|kind| [KIND_RECURSIVE, KIND_ERROR_CHECK].contains(&u128::from(*kind)))
    }
}

//! Deadlocks of programs in which nearly every lock may be held where any other is waited for.
//!
//! There are more cycles than a reader can use. Each line that waits is reported once, in a cycle
//! of two threads; longer cycles are not searched for.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Edge, Recursive, Which, add_edges, is_surely_same, may_be_same, may_meet};
use crate::guard::may_coincide;
use crate::locks::{Held, Moment};
use crate::order::{Line, line};
use crate::{DoubleLock, Facts, LockOrder, Point};

/// A place that waits for a lock.
struct Wait<'a> {
    moment: &'a Moment,
    line: Line,
    /// The number of the lock, among different ones.
    lock: usize,
    is_shared: bool,
}

pub fn deadlocks(facts: Facts, waits: &[&Moment]) -> (Vec<LockOrder>, Vec<DoubleLock>) {
    let mut numbers: FxHashMap<Which, usize> = FxHashMap::default();
    let mut locks: Vec<Which> = Vec::new();
    let mut all: Vec<Wait> = Vec::new();
    let mut twice: Vec<(Line, DoubleLock)> = Vec::new();
    let mut maybe: Vec<(Line, DoubleLock)> = Vec::new();
    let recursive = Recursive::of(facts);
    for &moment in waits {
        let mut edges: Vec<Edge> = Vec::new();
        add_edges(facts, moment, &mut edges);
        let Some(first) = edges.first() else { continue };
        let line = line(facts, moment.node);
        let number = *numbers.entry(first.waits.clone()).or_insert(locks.len());
        if number == locks.len() {
            locks.push(first.waits.clone());
        }
        all.push(Wait {
            moment,
            line,
            lock: number,
            is_shared: first.waits_shared,
        });
        let again = |edge: &Edge| DoubleLock {
            at: Point::of(moment),
            holds: edge.held.clone(),
        };
        let mut allowed = edges
            .iter()
            .filter(|edge| !recursive.is_allowed(facts, edge));
        if let Some(edge) = allowed.clone().find(|edge| is_surely_same(facts, edge)) {
            twice.push((line, again(edge)));
        }
        let function = facts.nodes.function(moment.node);
        if let Some(edge) =
            allowed.find(|edge| may_be_same(facts, function, &edge.holds, &edge.waits))
        {
            maybe.push((line, again(edge)));
        }
    }
    let mut blocking = Blocking {
        facts,
        locks: &locks,
        known: FxHashMap::default(),
    };
    let mut cycles: Vec<(Line, LockOrder)> = Vec::new();
    let mut named: FxHashSet<Line> = FxHashSet::default();
    for (i, one) in all.iter().enumerate() {
        if named.contains(&one.line) {
            continue;
        }
        let mut others = all[i..].iter().chain(&all[..i]);
        let found = others.find_map(|other| {
            let mine = blocking.held_for(one.moment, other)?;
            let theirs = blocking.held_for(other.moment, one)?;
            may_coincide(facts, one.moment, other.moment).then_some((other, mine, theirs))
        });
        if let Some((other, mine, theirs)) = found {
            named.extend([one.line, other.line]);
            let waits = [(one, mine), (other, theirs)].map(|(wait, holds)| super::Waiting {
                at: Point::of(wait.moment),
                holds,
            });
            let waits = waits.to_vec();
            cycles.push((one.line, LockOrder { waits }));
        }
    }
    // A wait for what may be the same lock is reported only where there is no cycle.
    twice.extend(maybe.into_iter().filter(|(line, _)| !named.contains(line)));
    twice.sort_by_key(|(line, _)| *line);
    twice.dedup_by_key(|(line, _)| *line);
    cycles.sort_by_key(|(line, _)| *line);
    (
        cycles.into_iter().map(|(_, cycle)| cycle).collect(),
        twice.into_iter().map(|(_, twice)| twice).collect(),
    )
}

/// Which of the held locks blocks a wait. Moments share their lists of held locks, so answers are
/// remembered by list.
struct Blocking<'a> {
    facts: Facts<'a>,
    locks: &'a [Which],
    known: FxHashMap<(*const Vec<Held>, usize, bool), Option<usize>>,
}

impl Blocking<'_> {
    fn held_for(&mut self, moment: &Moment, wait: &Wait) -> Option<Held> {
        let held = &moment.held.held;
        let key = (Rc::as_ptr(held), wait.lock, wait.is_shared);
        let waits = &self.locks[wait.lock];
        let find = || {
            held.iter().position(|held| {
                held.lock != crate::locks::Lock::Sections
                    && !(held.shared && wait.is_shared)
                    && may_meet(self.facts, waits, &super::held_which(self.facts, held))
            })
        };
        let found = *self.known.entry(key).or_insert_with(find);
        found.map(|index| held[index].clone())
    }
}

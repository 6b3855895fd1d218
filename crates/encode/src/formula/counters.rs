//! Atoms to which all writes only add: what a read finds is a sum.
//!
//! If every event that writes an atom reads it as well, and leaves what it found and something more,
//! then what an event finds is what was there first and all that the events before it added. This
//! says the same as that it reads from the last of them, which leaves what it found and so on; but
//! a solver would have to go through the orders of all that add to find that the sum is always the
//! same.

use rustc_hash::FxHashMap;
use smt::order::Lit;
use smt::{BinOp, Node, TermId, Terms};

use super::Encoding;
use crate::graph::{AtomIx, EventIx, Graph};

/// With fewer writes it does not pay.
const FEWEST: usize = 3;

/// An atom to which events add.
pub(super) struct Counter {
    base: TermId,
    /// By event: a condition, and what is added under it.
    added: Vec<(EventIx, TermId, TermId)>,
}

impl Counter {
    /// By atom.
    pub(super) fn all(graph: &Graph, terms: &mut Terms) -> Vec<Option<Counter>> {
        let mut writes: Vec<Vec<(EventIx, TermId, TermId)>> = vec![Vec::new(); graph.atoms.len()];
        let mut found: FxHashMap<(EventIx, AtomIx), TermId> = FxHashMap::default();
        for (event, e) in graph.events.enumerate() {
            for write in &e.writes {
                writes[write.atom.index()].push((event, write.cond, write.value));
            }
            found.extend(e.reads.iter().map(|read| ((event, read.atom), read.value)));
        }
        let order = graph.fixed_order();
        let before = |a: EventIx, b: EventIx| order.is_before(Graph::node(a), Graph::node(b));
        let mut all = Vec::new();
        for (atom, a) in graph.atoms.enumerate() {
            let mut added = Vec::new();
            let mut set: Vec<(EventIx, TermId, TermId)> = Vec::new();
            for (event, cond, value) in &writes[atom.index()] {
                let more = found.get(&(*event, atom));
                match more.and_then(|found| more_than(terms, *value, *found)) {
                    Some(more) => added.push((*event, *cond, more)),
                    None => set.push((*event, *cond, *value)),
                }
            }
            if added.len() < FEWEST {
                all.push(None);
                continue;
            }
            // What sets the atom to a value comes before all that add to it.
            let is_last = |event: EventIx| set.iter().all(|(e, ..)| *e == event || before(*e, event));
            let base = match set.is_empty() {
                true => Some((None, a.initial)),
                false => (set.iter())
                    .find(|(event, cond, _)| {
                        let executed = graph.events[*event].executed;
                        let is_certain = [*cond, executed]
                            .iter()
                            .all(|term| terms.as_constant(*term) == Some(1));
                        is_certain && is_last(*event)
                    })
                    .map(|(event, _, value)| (Some(*event), *value)),
            };
            let counter = base.filter(|(event, _)| {
                let reads = found.keys().filter(|(_, read)| *read == atom);
                event.is_none_or(|event| {
                    added.iter().all(|(add, ..)| before(event, *add))
                        && reads.clone().all(|(read, _)| before(event, *read))
                })
            });
            all.push(counter.map(|(_, base)| Counter { base, added }));
        }
        all
    }
}

/// What the value is more than another one.
fn more_than(terms: &mut Terms, value: TermId, found: TermId) -> Option<TermId> {
    let width = terms.width(value);
    if value == found {
        return Some(terms.constant(width, 0));
    }
    if terms.as_constant(value).is_some() && terms.as_constant(found).is_some() {
        return Some(terms.bin(BinOp::Sub, value, found));
    }
    let without = |terms: &Terms, more: TermId| match *terms.node(found) {
        Node::Input(input) => !terms.support(more).contains(&input),
        _ => false,
    };
    match *terms.node(value) {
        Node::Bin(BinOp::Add, a, b) if a == found => without(terms, b).then_some(b),
        Node::Bin(BinOp::Add, a, b) if b == found => without(terms, a).then_some(a),
        Node::Bin(BinOp::Sub, a, b) if a == found && without(terms, b) => Some(terms.neg(b)),
        Node::Ite(cond, a, b) => {
            let a = more_than(terms, a, found)?;
            let b = more_than(terms, b, found)?;
            Some(terms.ite(cond, a, b))
        }
        _ => None,
    }
}

impl Encoding<'_> {
    /// While `reads`, the event finds the sum of what was added before it. `event` is `None` at the
    /// end.
    pub(super) fn read_sum(
        &mut self,
        terms: &mut Terms,
        reads: Lit,
        event: Option<EventIx>,
        (atom, symbol): (AtomIx, TermId),
    ) {
        let counter = self.counters[atom.index()].as_ref().expect("a counter");
        let (base, added) = (counter.base, counter.added.clone());
        let width = terms.width(symbol);
        let zero = terms.constant(width, 0);
        // By what is added: how often.
        let mut often: Vec<(TermId, Vec<TermId>)> = Vec::new();
        let mut parts = vec![base];
        for (other, cond, more) in added {
            if Some(other) == event {
                continue;
            }
            let before = match event {
                None => Lit::TRUE,
                Some(event) => self.formula.before(self.events[other], self.events[event]),
            };
            if before == Lit::FALSE {
                continue;
            }
            let executed = self.graph.events[other].executed;
            let mut counts = terms.and(cond, executed);
            if before != Lit::TRUE {
                let name = format!("added by {other} before {event:?} to {atom}");
                let input = terms.input(&name, 1);
                let lit = self.formula.literal(terms, input);
                self.formula.clause(&[!lit, before]);
                self.formula.clause(&[lit, !before]);
                counts = terms.and(counts, input);
            }
            if terms.as_constant(more).is_none() {
                parts.push(terms.ite(counts, more, zero));
                continue;
            }
            match often.iter_mut().find(|(other, _)| *other == more) {
                Some((_, all)) => all.push(counts),
                None => often.push((more, vec![counts])),
            }
        }
        for (more, counts) in often {
            let count = number_of(terms, &counts);
            let count = resized(terms, count, width);
            parts.push(terms.bin(BinOp::Mul, count, more));
        }
        let mut sum = zero;
        for part in parts {
            sum = terms.bin(BinOp::Add, sum, part);
        }
        let found = self.formula.bits(terms, symbol);
        let sum = self.formula.bits(terms, sum);
        for (a, b) in found.iter().zip(sum) {
            self.formula.clause(&[!reads, !*a, b]);
            self.formula.clause(&[!reads, *a, !b]);
        }
    }
}

/// How many of the conditions hold, as wide as needed.
fn number_of(terms: &mut Terms, conditions: &[TermId]) -> TermId {
    match conditions {
        [] => terms.constant(1, 0),
        [one] => *one,
        all => {
            let (first, rest) = all.split_at(all.len() / 2);
            let (a, b) = (number_of(terms, first), number_of(terms, rest));
            let width = all.len().ilog2() + 1;
            let (a, b) = (resized(terms, a, width), resized(terms, b, width));
            terms.bin(BinOp::Add, a, b)
        }
    }
}

fn resized(terms: &mut Terms, term: TermId, width: u32) -> TermId {
    match terms.width(term) > width {
        true => terms.extract(term, 0, width),
        false => terms.zext(term, width),
    }
}

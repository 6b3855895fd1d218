//! Atoms to which all writes only add: what a read finds is a sum.
//!
//! If every event that writes an atom reads it as well, and leaves what it found and something more,
//! then what an event finds is what was there first and all that the events before it added. This
//! says the same as that it reads from the last of them, which leaves what it found and so on; but
//! a solver would have to go through the orders of all that add to find that the sum is always the
//! same. Where all that is added comes before the read, its value is known as a term
//! ([`super::Encoding::settled`]): the same numbers added up in another order are the same term.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::order::Lit;
use smt::{BinOp, Node, Substitution, TermId, Terms};

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
            let is_last =
                |event: EventIx| set.iter().all(|(e, ..)| *e == event || before(*e, event));
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
    /// end. `certain` holds while `reads`.
    pub(super) fn read_sum(
        &mut self,
        terms: &mut Terms,
        reads: Lit,
        event: Option<EventIx>,
        (atom, symbol): (AtomIx, TermId),
        certain: &FxHashSet<TermId>,
    ) {
        let counter = self.counters[atom.index()].as_ref().expect("a counter");
        let (base, added) = (counter.base, counter.added.clone());
        let width = terms.width(symbol);
        let zero = terms.constant(width, 0);
        // By what is added: how often.
        let mut often: Vec<(TermId, Vec<TermId>)> = Vec::new();
        let mut parts = vec![base];
        let mut is_settled = event.is_some();
        let yes = terms.bool(true);
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
            let mut counts = match certain.contains(&executed) {
                true => cond,
                false => terms.and(cond, executed),
            };
            if certain.contains(&counts) {
                counts = yes;
            }
            is_settled &= before == Lit::TRUE;
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
        if is_settled {
            self.settle(terms, symbol, sum);
        }
        let found = self.formula.bits(terms, symbol);
        let sum = self.formula.bits(terms, sum);
        for (a, b) in found.iter().zip(sum) {
            self.formula.clause(&[!reads, !*a, b]);
            self.formula.clause(&[!reads, *a, !b]);
        }
    }
}

/// So many reads are replaced by what they find, at most.
const MOST_SETTLED: usize = 64;

impl Encoding<'_> {
    /// The read finds the value in every execution in which it is made. The value is a term over what
    /// comes always before it, so that no replacement leads back to where it began.
    fn settle(&mut self, terms: &mut Terms, symbol: TermId, value: TermId) {
        let Node::Input(input) = *terms.node(symbol) else {
            return;
        };
        if self.settled.len() < MOST_SETTLED {
            let value = self.with_settled(terms, value);
            self.settled.push((input, value));
        }
    }

    /// The term, with settled reads replaced. A condition may be so, whether or not the reads are
    /// made: if it holds it does not depend on what is not read, which may then be anything, and so
    /// what it is replaced by.
    pub(super) fn with_settled(&self, terms: &mut Terms, term: TermId) -> TermId {
        if self.settled.is_empty() {
            return term;
        }
        let mut with = Substitution::default();
        for (input, value) in &self.settled {
            with.insert(*input, *value);
        }
        with.apply(terms, term)
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

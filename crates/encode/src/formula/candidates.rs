//! Which writes a read may find: what is left out here never becomes a literal.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::order::EventId;
use smt::{BinOp, Node, Substitution, TermId, Terms};

use super::{Encoding, Writer};
use crate::graph::{AtomIx, EventIx, Graph};

/// What holds whenever something else does.
pub(super) struct Implied {
    /// By the input that says that an event was done: what that requires.
    requires: FxHashMap<TermId, [TermId; 2]>,
    known: FxHashMap<TermId, FxHashSet<TermId>>,
}

impl Implied {
    pub(super) fn of(graph: &Graph) -> Implied {
        let held_up = graph.events.iter().filter_map(|e| Some((e, e.enabled?)));
        Implied {
            requires: held_up
                .map(|(e, enabled)| (e.executed, [e.reached, enabled]))
                .collect(),
            known: FxHashMap::default(),
        }
    }

    /// Terms that are true whenever this one is.
    pub(super) fn by(&mut self, terms: &Terms, term: TermId) -> &FxHashSet<TermId> {
        if !self.known.contains_key(&term) {
            let mut all = FxHashSet::default();
            let mut work = vec![term];
            while let Some(next) = work.pop() {
                if !all.insert(next) {
                    continue;
                }
                if let Node::Bin(BinOp::And, a, b) = *terms.node(next) {
                    work.extend([a, b]);
                }
                work.extend(self.requires.get(&next).into_iter().flatten());
            }
            self.known.insert(term, all);
        }
        &self.known[&term]
    }
}

impl Encoding<'_> {
    /// The writes that the event may read the atom from. Left out are writes that come after it,
    /// those that another write surely hides, and values with which it would not be done.
    pub(super) fn candidates(
        &mut self,
        terms: &mut Terms,
        node: EventId,
        event: Option<EventIx>,
        atom: AtomIx,
        (symbol, allowed): (TermId, Option<TermId>),
        certain: &FxHashSet<TermId>,
    ) -> Vec<Writer> {
        let before: Vec<Writer> = (self.writers[atom].iter().copied())
            .filter(|w| w.event.is_none() || w.event != event)
            .filter(|w| !self.formula.is_before(node, w.node))
            .collect();
        let mut hiding: Vec<EventId> = Vec::new();
        for w in &before {
            let Some(event) = w.event else { continue };
            let executed = self.graph.events[event].executed;
            let is_certain = terms.as_constant(w.cond) == Some(1)
                && (terms.as_constant(executed) == Some(1) || certain.contains(&executed));
            if is_certain && self.formula.is_before(w.node, node) {
                hiding.push(w.node);
            }
        }
        let seen = before.into_iter();
        let seen: Vec<Writer> = seen
            .filter(|w| !hiding.iter().any(|h| self.formula.is_before(w.node, *h)))
            .collect();
        let (Some(allowed), Node::Input(input)) = (allowed, *terms.node(symbol)) else {
            return seen;
        };
        let mut is_allowed = |w: &Writer| {
            if terms.as_constant(w.value).is_none() {
                return true;
            }
            let mut with = Substitution::default();
            with.insert(input, w.value);
            let then = with.apply(terms, allowed);
            terms.as_constant(then) != Some(0)
        };
        seen.into_iter().filter(|w| is_allowed(w)).collect()
    }
}

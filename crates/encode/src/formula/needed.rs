//! Which reads matter: those on whose values some condition depends, at last. What the others find
//! need not be known, and they do not become part of the formula (a sum that nobody looks at).

use rustc_hash::FxHashSet;
use smt::{InputId, Node, TermId, Terms};

use crate::graph::{AtomIx, Graph};

/// The inputs of reads that matter.
pub(super) struct Needed(FxHashSet<InputId>);

impl Needed {
    pub(super) fn of(graph: &Graph, terms: &Terms) -> Needed {
        let mut values: Vec<Vec<TermId>> = vec![Vec::new(); graph.atoms.len()];
        let mut conditions: Vec<TermId> = graph.required.clone();
        conditions.extend(graph.faults.iter().map(|fault| fault.cond));
        conditions.extend(graph.exits.iter().map(|exit| exit.cond));
        conditions.extend(graph.waits.iter().map(|wait| wait.cond));
        conditions.extend(graph.stops.iter().copied());
        let mut atom_of: rustc_hash::FxHashMap<InputId, AtomIx> = Default::default();
        for e in graph.events.iter() {
            conditions.extend([e.reached, e.executed]);
            conditions.extend(e.enabled);
            conditions.extend(e.reads.iter().map(|read| read.cond));
            conditions.extend(e.writes.iter().map(|write| write.cond));
            for read in &e.reads {
                if let Node::Input(input) = *terms.node(read.symbol) {
                    atom_of.insert(input, read.atom);
                }
            }
            for write in &e.writes {
                values[write.atom.index()].push(write.value);
            }
        }
        let mut needed = Needed(FxHashSet::default());
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        while let Some(term) = conditions.pop() {
            if !seen.insert(term) {
                continue;
            }
            for input in terms.support(term) {
                if needed.0.insert(*input)
                    && let Some(atom) = atom_of.get(input)
                {
                    conditions.append(&mut values[atom.index()]);
                }
            }
        }
        needed
    }

    pub(super) fn contains(&self, terms: &Terms, symbol: TermId) -> bool {
        matches!(*terms.node(symbol), Node::Input(input) if self.0.contains(&input))
    }
}

//! The order in which a backend translates terms: operands first, each once, without recursion; and
//! loads from tables written as balanced if-then-else on the bits of the index.
//!
//! A solver's array theory was 80 times slower on such loads than the bits of a multiplexer. Equal
//! halves of a table share one subterm, so a table with long runs of one byte stays small.

use rustc_hash::FxHashMap;

use crate::node::{Node, TableId, TermId};
use crate::terms::Terms;

#[derive(Default)]
pub struct Lowering {
    selects: FxHashMap<TermId, TermId>,
}

impl Lowering {
    /// The terms that `root` needs and that are not `done`, every one after those it is made of.
    /// What a `Select` is made of is its lowered form, which `lowered` names.
    pub fn order(
        &mut self,
        terms: &mut Terms,
        root: TermId,
        done: impl Fn(TermId) -> bool,
    ) -> Vec<TermId> {
        let mut order = Vec::new();
        let mut finished = rustc_hash::FxHashSet::default();
        let mut stack = vec![(root, false)];
        while let Some((term, are_operands_ordered)) = stack.pop() {
            if done(term) || finished.contains(&term) {
                continue;
            }
            if are_operands_ordered {
                finished.insert(term);
                order.push(term);
                continue;
            }
            stack.push((term, true));
            match *terms.node(term) {
                Node::Select { table, index } => {
                    let lowered = *self
                        .selects
                        .entry(term)
                        .or_insert_with(|| lower_select(terms, table, index));
                    stack.push((lowered, false));
                }
                node => stack.extend(node.operands().map(|operand| (operand, false))),
            }
        }
        order
    }

    /// The term without tables that equals this `Select`, which `order` has met.
    pub fn lowered(&self, select: TermId) -> TermId {
        self.selects[&select]
    }
}

/// A multiplexer over the bits of the index that the table needs; 0 if a higher bit is set.
pub fn lower_select(terms: &mut Terms, table: TableId, index: TermId) -> TermId {
    let width = terms.width(index);
    let mut level: Vec<TermId> = terms.table_bytes(table).to_vec();
    let zero = terms.constant(8, 0);
    let mut bit = 0;
    // Halve the number of candidates with each bit, from the lowest.
    while level.len() > 1 && bit < width {
        let is_odd = terms.extract(index, bit, 1);
        level = level
            .chunks(2)
            .map(|pair| terms.ite(is_odd, pair.get(1).copied().unwrap_or(zero), pair[0]))
            .collect();
        bit += 1;
    }
    let inside = level.first().copied().unwrap_or(zero);
    if bit == width {
        return inside;
    }
    let rest = terms.extract(index, bit, width - bit);
    let none = terms.constant(width - bit, 0);
    let is_inside = terms.eq(rest, none);
    terms.ite(is_inside, inside, zero)
}

//! The value of a term under a model.
//!
//! Small terms (as trees) are evaluated by plain recursion, which their size bounds; larger ones by
//! an explicit stack with a memo, so that neither a chain of 100,000 nodes nor a shared graph of
//! exponential tree size is a problem (`tests/deep.rs`).

use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::node::{Node, TermId};
use crate::semantics;
use crate::terms::Terms;

/// Up to this tree size a memo costs more than evaluating twice. It also bounds the recursion.
const SMALL: u32 = 48;

impl Terms {
    /// Inputs that the model does not mention are 0.
    pub fn eval(&self, term: TermId, model: &Model) -> u128 {
        Evaluator::new(self, model).eval(term)
    }
}

/// Evaluates several terms under one model, sharing the work.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a Model,
    values: FxHashMap<TermId, u128>,
}

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Evaluator {
            terms,
            model,
            values: FxHashMap::default(),
        }
    }

    pub fn eval(&mut self, term: TermId) -> u128 {
        if self.terms.tree_size(term) <= SMALL {
            return self.apply(term);
        }
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.values.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.push_missing(top, &mut stack);
            if stack.len() == before {
                let value = self.apply(top);
                self.values.insert(top, value);
                stack.pop();
            }
        }
        self.values[&term]
    }

    /// Pushes what has to be evaluated before `term`: of an `ite` or a table only what the model
    /// chooses.
    fn push_missing(&self, term: TermId, stack: &mut Vec<TermId>) {
        let mut need = |operand: TermId| -> bool {
            let missing =
                self.terms.tree_size(operand) > SMALL && !self.values.contains_key(&operand);
            if missing {
                stack.push(operand);
            }
            missing
        };
        match *self.terms.node(term) {
            Node::Ite(c, a, b) => {
                if !need(c) {
                    need(if self.value(c) != 0 { a } else { b });
                }
            }
            Node::Select { table, index } => {
                if !need(index)
                    && let Some(&byte) = self
                        .terms
                        .table_bytes(table)
                        .get(in_table(self.value(index)))
                {
                    need(byte);
                }
            }
            node => {
                for operand in node.operands() {
                    need(operand);
                }
            }
        }
    }

    /// The value of an operand that is small or already evaluated.
    fn value(&self, term: TermId) -> u128 {
        match *self.terms.node(term) {
            Node::Constant { value, .. } => value,
            Node::Input(input) => {
                self.model.get(input).unwrap_or(0) & semantics::mask(self.terms.width(term))
            }
            _ => match self.terms.tree_size(term) <= SMALL {
                true => self.apply(term),
                false => self.values[&term],
            },
        }
    }

    fn apply(&self, term: TermId) -> u128 {
        match *self.terms.node(term) {
            Node::Constant { .. } | Node::Input(_) => self.value(term),
            Node::Bin(op, a, b) => {
                semantics::bin(op, self.terms.width(a), self.value(a), self.value(b))
            }
            Node::Cmp(op, a, b) => {
                semantics::cmp(op, self.terms.width(a), self.value(a), self.value(b)) as u128
            }
            Node::Not(a) => semantics::not(self.terms.width(a), self.value(a)),
            Node::Neg(a) => semantics::neg(self.terms.width(a), self.value(a)),
            Node::Ite(c, a, b) => self.value(if self.value(c) != 0 { a } else { b }),
            Node::Extract { term, lo, width } => semantics::extract(self.value(term), lo, width),
            Node::Concat { hi, lo } => {
                semantics::concat(self.value(hi), self.value(lo), self.terms.width(lo))
            }
            Node::Zext { term, .. } => self.value(term),
            Node::Sext { term, width } => {
                semantics::sext(self.terms.width(term), self.value(term), width)
            }
            Node::Select { table, index } => match self
                .terms
                .table_bytes(table)
                .get(in_table(self.value(index)))
            {
                Some(&byte) => self.value(byte),
                None => 0,
            },
        }
    }
}

/// An index as a position; too large ones become a position that no table has.
fn in_table(index: u128) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

//! Constant folding: conjunctions become several assertions, true ones and repetitions go, a false
//! one or a contradiction decides.

use rustc_hash::FxHashSet;

use crate::model::Model;
use crate::node::{BinOp, Node, TermId};
use crate::solver::{Answer, Solver, SolverStats};
use crate::terms::Terms;

pub struct Fold<S> {
    inner: S,
    asked: u64,
    folded: u64,
}

impl<S: Solver> Fold<S> {
    pub fn new(inner: S) -> Self {
        Fold {
            inner,
            asked: 0,
            folded: 0,
        }
    }
}

impl<S: Solver> Solver for Fold<S> {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        self.asked += 1;
        match flatten(terms, assertions) {
            None => {
                self.folded += 1;
                Answer::Unsat
            }
            Some(conjuncts) if conjuncts.is_empty() => {
                self.folded += 1;
                Answer::Sat(Model::new())
            }
            Some(conjuncts) => self.inner.check(terms, &conjuncts),
        }
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            asked: self.asked,
            folded: inner.folded + self.folded,
            ..inner
        }
    }
}

/// The conjuncts in order, without constants and repetitions; `None` if they contradict each other
/// at sight.
fn flatten(terms: &mut Terms, assertions: &[TermId]) -> Option<Vec<TermId>> {
    let mut conjuncts = Vec::with_capacity(assertions.len());
    let mut seen = FxHashSet::default();
    let mut stack: Vec<TermId> = assertions.iter().rev().copied().collect();
    while let Some(term) = stack.pop() {
        debug_assert_eq!(terms.width(term), 1, "an assertion");
        match *terms.node(term) {
            Node::Constant { value: 1, .. } => continue,
            Node::Constant { .. } => return None,
            Node::Bin(BinOp::And, a, b) => {
                stack.extend([b, a]);
                continue;
            }
            // !(a | b) is !a and !b.
            Node::Not(inner) => {
                if let Node::Bin(BinOp::Or, a, b) = *terms.node(inner) {
                    let (not_a, not_b) = (terms.not(a), terms.not(b));
                    stack.extend([not_b, not_a]);
                    continue;
                }
            }
            _ => {}
        }
        if seen.insert(term) {
            let opposite = terms.not(term);
            if seen.contains(&opposite) {
                return None;
            }
            conjuncts.push(term);
        }
    }
    Some(conjuncts)
}

//! Independent parts: assertions that share no input, even through others, are decided apart.
//!
//! A branch condition then brings only its own part to the solver; the others were decided before
//! and `query_cache` knows them. The part of the newest assertion is asked first, since it is the
//! one that may have become unsatisfiable.

use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::node::{InputId, TermId};
use crate::solver::{Answer, Solver, SolverStats, UnknownReason};
use crate::terms::Terms;

pub struct Independent<S> {
    inner: S,
    asked: u64,
    parts: u64,
}

impl<S: Solver> Independent<S> {
    pub fn new(inner: S) -> Self {
        Independent {
            inner,
            asked: 0,
            parts: 0,
        }
    }
}

impl<S: Solver> Solver for Independent<S> {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        self.asked += 1;
        let parts = split(terms, assertions);
        self.parts += parts.len() as u64;
        let mut model = Model::new();
        let mut unknown: Option<UnknownReason> = None;
        for part in parts.iter().rev() {
            match self.inner.check(terms, part) {
                Answer::Unsat => return Answer::Unsat,
                // Another part may still refute the whole.
                Answer::Unknown(reason) => unknown = Some(reason),
                Answer::Sat(found) => merge(terms, part, &found, &mut model),
            }
        }
        match unknown {
            Some(reason) => Answer::Unknown(reason),
            None => Answer::Sat(model),
        }
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            asked: self.asked,
            parts: inner.parts + self.parts,
            ..inner
        }
    }
}

/// Takes over the values of the inputs of `part`: the model may mention others, which belong to
/// other parts.
fn merge(terms: &Terms, part: &[TermId], found: &Model, model: &mut Model) {
    let mut inputs: Vec<InputId> = part
        .iter()
        .flat_map(|&term| terms.support(term))
        .copied()
        .collect();
    inputs.sort_unstable();
    inputs.dedup();
    for input in inputs {
        if let Some(value) = found.get(input) {
            model.set(input, value);
        }
    }
}

/// The parts, ordered by their last assertion; inside a part the order of `assertions` is kept.
fn split(terms: &Terms, assertions: &[TermId]) -> Vec<Vec<TermId>> {
    // Union-find over the positions of assertions; an input points to an assertion that mentions
    // it.
    let mut parent: Vec<usize> = (0..assertions.len()).collect();
    let mut mentioned: FxHashMap<InputId, usize> = FxHashMap::default();
    for (at, &assertion) in assertions.iter().enumerate() {
        for &input in terms.support(assertion) {
            let earlier = *mentioned.entry(input).or_insert(at);
            // The later position is the root, so a root is the last assertion of its part.
            let root = find(&mut parent, earlier);
            parent[root] = at;
        }
    }
    let mut parts: Vec<Vec<TermId>> = vec![Vec::new(); assertions.len()];
    for (at, &assertion) in assertions.iter().enumerate() {
        let root = find(&mut parent, at);
        parts[root].push(assertion);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn find(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::CmpOp;

    #[test]
    fn parts_share_no_input_and_keep_their_order() {
        let mut terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| terms.input(name, 8));
        let ab = terms.cmp(CmpOp::Ult, a, b);
        let cd = terms.cmp(CmpOp::Ult, c, d);
        let zero = terms.constant(8, 0);
        let d0 = terms.cmp(CmpOp::Ne, d, zero);
        let a0 = terms.cmp(CmpOp::Ne, a, zero);
        assert_eq!(
            split(&terms, &[ab, cd, d0, a0]),
            [vec![cd, d0], vec![ab, a0]]
        );
        let bc = terms.cmp(CmpOp::Ult, b, c);
        assert_eq!(
            split(&terms, &[ab, cd, d0, a0, bc]),
            [vec![ab, cd, d0, a0, bc]]
        );
    }
}

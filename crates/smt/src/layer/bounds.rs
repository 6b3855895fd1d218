//! Intervals: what the assertions say about single terms, and what follows for the others without
//! solving.
//!
//! Assertions that compare a term with a bounded one restrict it (`x <s 10`, `i != n`, a Boolean
//! that must be true). Under these restrictions each assertion is evaluated over intervals: one
//! that cannot be true refutes the whole. Otherwise a few values from the intervals of the inputs
//! are tried as a model. What is left goes to the backend.
//!
//! Sound both ways: restrictions follow from the assertions, and models are evaluated.

use base::Interval;
use base::semantics::mask;
use rustc_hash::FxHashMap;

use crate::eval::Evaluator;
use crate::known_bits::KnownBits;
use crate::model::Model;
use crate::node::{InputId, Node, TermId};
use crate::solver::{Answer, Solver, SolverStats};
use crate::terms::Terms;

/// Larger terms are bounded by their known bits only: it keeps the work small and the recursion
/// shallow.
const LARGEST_TERM: u32 = 200;

/// Restrictions feed each other (`i < n`, `n < 8`); a second round catches what a first one missed.
const ROUNDS: usize = 2;

pub struct Bounds<S> {
    inner: S,
    /// Whether the last answer came from `inner`.
    is_passed_on: bool,
    asked: u64,
    bounded: u64,
}

impl<S: Solver> Bounds<S> {
    pub fn new(inner: S) -> Self {
        Bounds {
            inner,
            is_passed_on: false,
            asked: 0,
            bounded: 0,
        }
    }
}

impl<S: Solver> Solver for Bounds<S> {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        self.asked += 1;
        let decided = decide(terms, assertions);
        self.is_passed_on = decided.is_none();
        match decided {
            Some(answer) => {
                self.bounded += 1;
                answer
            }
            None => self.inner.check(terms, assertions),
        }
    }

    fn unsat_core(&self) -> Option<&[TermId]> {
        self.inner.unsat_core().filter(|_| self.is_passed_on)
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            asked: self.asked,
            bounded: inner.bounded + self.bounded,
            ..inner
        }
    }
}

fn decide(terms: &Terms, assertions: &[TermId]) -> Option<Answer> {
    let mut facts = Facts {
        terms,
        restrictions: FxHashMap::default(),
        memo: FxHashMap::default(),
        is_contradictory: false,
    };
    for _ in 0..ROUNDS {
        for &assertion in assertions {
            if !facts.learn(assertion, true) {
                return Some(Answer::Unsat);
            }
        }
    }
    let is_refuted = assertions
        .iter()
        .any(|&assertion| facts.computed(assertion).as_constant() == Some(0));
    if is_refuted || facts.is_contradictory {
        return Some(Answer::Unsat);
    }
    facts.try_samples(assertions).map(Answer::Sat)
}

struct Facts<'a> {
    terms: &'a Terms,
    /// What the assertions say about a term.
    restrictions: FxHashMap<TermId, Interval>,
    /// Intervals computed under the restrictions; emptied when these change.
    memo: FxHashMap<TermId, Interval>,
    /// Some term can have no value: the assertions cannot all hold.
    is_contradictory: bool,
}

impl Facts<'_> {
    /// Records that `term` has this truth value; false if that is impossible.
    fn learn(&mut self, term: TermId, value: bool) -> bool {
        let is_possible = match *self.terms.node(term) {
            Node::Not(inner) => return self.learn(inner, !value),
            Node::Cmp(op, a, b) => {
                let op = if value { op } else { op.negated() };
                let (x, y) = (self.interval(a), self.interval(b));
                self.restrict(a, x.restricted(op, y))
                    && self.restrict(b, y.restricted(op.swapped(), x))
            }
            _ => true,
        };
        is_possible && self.restrict(term, Interval::constant(1, value as u128))
    }

    fn restrict(&mut self, term: TermId, to: Interval) -> bool {
        if let Some(value) = self.terms.as_constant(term) {
            return !to.meet(Interval::constant(to.width(), value)).is_empty();
        }
        let before = self.restrictions.get(&term).copied();
        let now = before.map_or(to, |before| before.meet(to));
        if before != Some(now) {
            self.restrictions.insert(term, now);
            self.memo.clear();
        }
        !now.is_empty()
    }

    /// The interval of the term, restrictions included.
    fn interval(&mut self, term: TermId) -> Interval {
        if let Some(&known) = self.memo.get(&term) {
            return known;
        }
        let computed = self.computed(term);
        let interval = match self.restrictions.get(&term) {
            Some(&restriction) => computed.meet(restriction),
            None => computed,
        };
        self.is_contradictory |= interval.is_empty();
        self.memo.insert(term, interval);
        interval
    }

    /// The interval that follows from those of the operands.
    fn computed(&mut self, term: TermId) -> Interval {
        let width = self.terms.width(term);
        let known = of_known_bits(width, self.terms.known_bits(term));
        if self.terms.tree_size(term) > LARGEST_TERM {
            return known;
        }
        let computed = match *self.terms.node(term) {
            Node::Constant { value, .. } => return Interval::constant(width, value),
            Node::Input(_) | Node::Neg(_) | Node::Select { .. } => return known,
            Node::Bin(op, a, b) => Interval::bin(op, self.interval(a), self.interval(b)),
            Node::Cmp(op, a, b) => match Interval::cmp(op, self.interval(a), self.interval(b)) {
                Some(outcome) => Interval::constant(1, outcome as u128),
                None => return known,
            },
            Node::Not(a) => self.interval(a).complement(),
            Node::Ite(c, a, b) => match self.interval(c).as_constant() {
                Some(0) => self.interval(b),
                Some(_) => self.interval(a),
                None => self.interval(a).join(self.interval(b)),
            },
            Node::Extract { term, lo: 0, width } => self.interval(term).truncated(width),
            Node::Extract { .. } => return known,
            Node::Concat { hi, lo } => self.interval(hi).concat(self.interval(lo)),
            Node::Zext { term, width } => self.interval(term).zext(width),
            Node::Sext { term, width } => self.interval(term).sext(width),
        };
        known.meet(computed)
    }

    /// A model that gives every input the same kind of sample of its interval.
    fn try_samples(&mut self, assertions: &[TermId]) -> Option<Model> {
        let mut inputs: Vec<InputId> = assertions
            .iter()
            .flat_map(|&a| self.terms.support(a))
            .copied()
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let samples: Vec<[u128; 3]> = inputs
            .iter()
            .map(|&input| samples(self.interval(self.terms.input_term(input))))
            .collect();
        (0..3).find_map(|kind| {
            let model: Model = inputs
                .iter()
                .zip(&samples)
                .map(|(&input, sample)| (input, sample[kind]))
                .collect();
            let mut evaluator = Evaluator::new(self.terms, &model);
            let holds = assertions
                .iter()
                .rev()
                .all(|&assertion| evaluator.eval(assertion) == 1);
            holds.then_some(model)
        })
    }
}

fn of_known_bits(width: u32, known: KnownBits) -> Interval {
    Interval::from_unsigned(width, known.min(), known.max(width))
}

/// Values of an interval, by decreasing plausibility in a program: the one nearest zero, then the
/// ends. It must not be empty.
fn samples(interval: Interval) -> [u128; 3] {
    let (low, high) = interval.unsigned();
    let (signed_low, signed_high) = interval.signed();
    let nearest = if signed_low > 0 {
        signed_low
    } else if signed_high < 0 {
        signed_high
    } else {
        0
    };
    let nearest = (nearest as u128 & mask(interval.width())).clamp(low, high);
    [nearest, low, high]
}

//! What a solver is: backends and the layers in front of them implement one trait and answer one
//! question.

use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use crate::eval::Evaluator;
use crate::model::Model;
use crate::node::TermId;
use crate::terms::{Identity, Terms};

/// Decides whether terms of width 1 can all be true.
///
/// A solver keeps what it learnt by term id, so it serves one `Terms` only and panics when given a
/// second one.
pub trait Solver: Send {
    /// The conjunction of `assertions`, usually the list of the last call with something appended
    /// or removed at its end.
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer;

    /// After `Unsat`: assertions of that question that cannot be true together, if the solver can
    /// name them.
    fn unsat_core(&self) -> Option<&[TermId]> {
        None
    }

    /// Totals since the solver was made, of this layer and those below.
    fn stats(&self) -> SolverStats;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        (**self).check(terms, assertions)
    }

    fn unsat_core(&self) -> Option<&[TermId]> {
        (**self).unsat_core()
    }

    fn stats(&self) -> SolverStats {
        (**self).stats()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The model makes every assertion true: it has been evaluated.
    Sat(Model),
    Unsat,
    /// Nothing is known: neither a model nor its absence.
    Unknown(UnknownReason),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    Timeout,
    /// The backend gave up, in its own words.
    Incomplete(String),
}

/// How many questions were asked, and which layers answered them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SolverStats {
    /// Questions put to the outermost layer.
    pub asked: u64,
    /// Questions that reached the backend. One question may become several, one per independent
    /// part.
    pub queries: u64,
    /// Parts answered from memory: the same set of assertions, a refuted subset, or a recent model
    /// that satisfies them.
    pub cache_hits: u64,
    /// Cache hits by evaluating a recent model.
    pub model_hits: u64,
    /// Cache hits by a refuted subset.
    pub core_hits: u64,
    /// Questions decided by constant folding.
    pub folded: u64,
    /// Parts decided by intervals.
    pub bounded: u64,
    /// Independent parts that the questions fell into.
    pub parts: u64,
    /// Backend answers that were `Unknown(Timeout)`.
    pub timeouts: u64,
    /// The time spent in the backend, translation included.
    pub time: Duration,
}

impl AddAssign for SolverStats {
    fn add_assign(&mut self, other: Self) {
        self.asked += other.asked;
        self.queries += other.queries;
        self.cache_hits += other.cache_hits;
        self.model_hits += other.model_hits;
        self.core_hits += other.core_hits;
        self.folded += other.folded;
        self.bounded += other.bounded;
        self.parts += other.parts;
        self.timeouts += other.timeouts;
        self.time += other.time;
    }
}

/// Remembers the one `Terms` that a solver serves.
#[derive(Default)]
pub struct ServedTerms(Option<Identity>);

impl ServedTerms {
    pub fn require(&mut self, terms: &Terms) {
        let served = self.0.get_or_insert_with(|| terms.identity().clone());
        assert!(
            Arc::ptr_eq(served, terms.identity()),
            "a solver was given the terms of a second arena"
        );
    }
}

/// Panics if the model does not make every assertion true: `backend` or its translation is wrong.
///
/// Always on, because a wrong model becomes a wrong verdict and evaluation is cheap beside solving.
pub fn validate(terms: &Terms, assertions: &[TermId], model: &Model, backend: &str) {
    let mut evaluator = Evaluator::new(terms, model);
    for &assertion in assertions {
        if evaluator.eval(assertion) != 1 {
            let values: Vec<String> = model
                .iter()
                .map(|(input, value)| format!("{}={value:#x}", terms.input_name(input)))
                .collect();
            panic!(
                "{backend} gave a model that makes {} false: {}",
                terms.display(assertion),
                values.join(" ")
            );
        }
    }
}

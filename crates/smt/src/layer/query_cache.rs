//! Remembered answers: the same set of assertions asked again, a set that contains a refuted one,
//! or a recent model that happens to satisfy the new ones.
//!
//! Inputs have canonical names, so different schedules of one program ask the same sets, in
//! different orders: the key is the sorted set. `Unknown` is not remembered: asked again, the
//! backend may find an answer.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::eval::Evaluator;
use crate::model::Model;
use crate::node::TermId;
use crate::solver::{Answer, ServedTerms, Solver, SolverStats};
use crate::terms::Terms;

/// Trying a model costs about a microsecond, asking a backend a hundred or more; older models
/// rarely fit.
const RECENT_MODELS: usize = 16;

/// A bound on memory, about 50 MB with path conditions of 100 assertions. All are forgotten at
/// once: simple, and rare.
const REMEMBERED_ANSWERS: usize = 1 << 17;

/// Enough for the few reasons for which one condition is impossible; more would only be searched in
/// vain.
const CORES_PER_TERM: usize = 16;

pub struct QueryCache<S> {
    inner: S,
    served: ServedTerms,
    answers: FxHashMap<Box<[TermId]>, Answer>,
    /// Refuted sets, sorted, by their last member.
    cores: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    /// Most recently useful first.
    models: VecDeque<Model>,
    asked: u64,
    same_set: u64,
    model_hits: u64,
    core_hits: u64,
}

impl<S: Solver> QueryCache<S> {
    pub fn new(inner: S) -> Self {
        QueryCache {
            inner,
            served: ServedTerms::default(),
            answers: FxHashMap::default(),
            cores: FxHashMap::default(),
            models: VecDeque::new(),
            asked: 0,
            same_set: 0,
            model_hits: 0,
            core_hits: 0,
        }
    }

    fn try_models(&mut self, terms: &Terms, assertions: &[TermId]) -> Option<Model> {
        let fits = self.models.iter().position(|model| {
            let mut evaluator = Evaluator::new(terms, model);
            // The newest assertion is the likeliest to fail.
            assertions
                .iter()
                .rev()
                .all(|&assertion| evaluator.eval(assertion) == 1)
        })?;
        let model = self.models.remove(fits).expect("position is inside");
        self.models.push_front(model.clone());
        Some(model)
    }

    /// Whether the sorted set `key` contains a refuted one.
    fn contains_core(&self, key: &[TermId]) -> bool {
        let refuted = key.iter().filter_map(|last| self.cores.get(last)).flatten();
        refuted
            .into_iter()
            .any(|core| core.iter().all(|term| key.binary_search(term).is_ok()))
    }

    fn remember_core(&mut self, assertions: &[TermId]) {
        let mut core: Box<[TermId]> = self.inner.unsat_core().unwrap_or(assertions).into();
        core.sort_unstable();
        let Some(&last) = core.last() else {
            return; // Only a backend without an assertion could refute nothing.
        };
        let cores = self.cores.entry(last).or_default();
        if cores.len() < CORES_PER_TERM {
            cores.push(core);
        }
    }

    fn remember(&mut self, key: Box<[TermId]>, answer: &Answer) {
        if self.answers.len() >= REMEMBERED_ANSWERS {
            self.answers.clear();
            self.cores.clear();
        }
        self.answers.insert(key, answer.clone());
    }
}

impl<S: Solver> Solver for QueryCache<S> {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        self.served.require(terms);
        self.asked += 1;
        let mut key: Box<[TermId]> = assertions.into();
        key.sort_unstable();
        if let Some(answer) = self.answers.get(&key) {
            self.same_set += 1;
            return answer.clone();
        }
        if self.contains_core(&key) {
            self.core_hits += 1;
            self.remember(key, &Answer::Unsat);
            return Answer::Unsat;
        }
        if let Some(model) = self.try_models(terms, assertions) {
            self.model_hits += 1;
            let answer = Answer::Sat(model);
            self.remember(key, &answer);
            return answer;
        }
        let answer = self.inner.check(terms, assertions);
        match &answer {
            Answer::Sat(model) => {
                self.models.truncate(RECENT_MODELS - 1);
                self.models.push_front(model.clone());
                self.remember(key, &answer);
            }
            Answer::Unsat => {
                self.remember_core(assertions);
                self.remember(key, &answer);
            }
            Answer::Unknown(_) => {}
        }
        answer
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            asked: self.asked,
            cache_hits: inner.cache_hits + self.same_set + self.model_hits + self.core_hits,
            core_hits: inner.core_hits + self.core_hits,
            model_hits: inner.model_hits + self.model_hits,
            ..inner
        }
    }
}

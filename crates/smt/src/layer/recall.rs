//! Remembered answers: the same set of assertions asked again, or a recent model that happens to satisfy the new ones.
//!
//! Inputs have canonical names, so different schedules of one program ask the same sets, in different orders: the key is the
//! sorted set. `Unknown` is not remembered; a later question may have more luck.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::eval::Evaluator;
use crate::model::Model;
use crate::node::TermId;
use crate::solver::{Answer, ServedTerms, Solver, SolverStats};
use crate::terms::Terms;

/// Trying a model costs about a microsecond, asking a backend a hundred or more; older models rarely fit.
const RECENT_MODELS: usize = 16;

/// A bound on memory, about 50 MB with path conditions of 100 assertions. All are forgotten at once: simple, and rare.
const REMEMBERED_ANSWERS: usize = 1 << 17;

pub struct Recall<S> {
    inner: S,
    served: ServedTerms,
    answers: FxHashMap<Box<[TermId]>, Answer>,
    /// Most recently useful first.
    models: VecDeque<Model>,
    asked: u64,
    same_set: u64,
    model_hits: u64,
}

impl<S: Solver> Recall<S> {
    pub fn new(inner: S) -> Self {
        Recall {
            inner,
            served: ServedTerms::default(),
            answers: FxHashMap::default(),
            models: VecDeque::new(),
            asked: 0,
            same_set: 0,
            model_hits: 0,
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

    fn remember(&mut self, key: Box<[TermId]>, answer: &Answer) {
        if self.answers.len() >= REMEMBERED_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert(key, answer.clone());
    }
}

impl<S: Solver> Solver for Recall<S> {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        self.served.require(terms);
        self.asked += 1;
        let mut key: Box<[TermId]> = assertions.into();
        key.sort_unstable();
        if let Some(answer) = self.answers.get(&key) {
            self.same_set += 1;
            return answer.clone();
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
            Answer::Unsat => self.remember(key, &answer),
            Answer::Unknown(_) => {}
        }
        answer
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            asked: self.asked,
            cache_hits: inner.cache_hits + self.same_set + self.model_hits,
            model_hits: inner.model_hits + self.model_hits,
            ..inner
        }
    }
}

//! Our own bit-blasting onto CaDiCaL: every bit of a term is a literal, every operation a circuit,
//! assertions are assumptions.
//!
//! Clauses only define literals, so they hold for every later question and are kept. But a SAT
//! solver assigns all its variables, so definitions that a question does not need cost time. Past a
//! limit a new solver takes over, with the definitions that the question at hand needs.

pub mod circuits;
pub mod gates;
pub mod sat;
pub mod translation;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use self::gates::Lit;
use self::sat::{Limit, SatSolver};
use self::translation::Translation;
use crate::model::Model;
use crate::node::{InputId, TermId};
use crate::solver::{Answer, Solver, SolverStats, UnknownReason, validate};
use crate::terms::Terms;

/// The solver is replaced when it has this many times the variables that one question needed.
const GROWTH: i32 = 4;
/// With fewer variables a new solver does not pay (`benches/backends.rs`).
const FEW_VARIABLES: i32 = 4000;

pub struct BitBlaster {
    /// `None` until it is needed: the layers answer all questions of most programs.
    sat: Option<SatSolver>,
    translation: Translation,
    /// The unsatisfiable core of the last unsatisfiable question.
    core: Vec<TermId>,
    /// The number of variables at which the solver is replaced.
    limit: i32,
    timeout: Duration,
    interrupt: Arc<AtomicBool>,
    stats: SolverStats,
}

impl BitBlaster {
    pub fn new(timeout: Duration) -> Self {
        BitBlaster::interruptible(timeout, Arc::default())
    }

    /// Answers `Unknown` to the question at hand and to all later ones once the flag is raised.
    pub fn interruptible(timeout: Duration, interrupt: Arc<AtomicBool>) -> Self {
        BitBlaster {
            interrupt,
            sat: None,
            translation: Translation::new(),
            core: Vec::new(),
            limit: FEW_VARIABLES,
            timeout,
            stats: SolverStats::default(),
        }
    }

    fn assumptions(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Vec<Lit> {
        assertions
            .iter()
            .map(|&assertion| self.translation.bits(terms, assertion)[0])
            .collect()
    }

    fn start_anew(&mut self) {
        self.sat = None;
        self.translation.forget();
    }

    fn read_model(&self, sat: &mut SatSolver, terms: &Terms, assertions: &[TermId]) -> Model {
        let mut inputs: Vec<InputId> = assertions
            .iter()
            .flat_map(|&a| terms.support(a))
            .copied()
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let mut model = Model::new();
        for input in inputs {
            let value = self.translation.value(sat, terms.input_term(input));
            model.set(input, value.unwrap_or(0));
        }
        model
    }
}

impl Solver for BitBlaster {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        let start = Instant::now();
        let mut assumptions = self.assumptions(terms, assertions);
        if self.translation.gates.variables() > self.limit {
            self.start_anew();
            assumptions = self.assumptions(terms, assertions);
            self.limit =
                FEW_VARIABLES.max(GROWTH.saturating_mul(self.translation.gates.variables()));
        }
        let mut sat = self.sat.take().unwrap_or_else(SatSolver::new);
        sat.add_clauses(&self.translation.gates.take_clauses());
        let limit = Limit::from_now(self.timeout, &self.interrupt);
        let answer = match sat.solve(&assumptions, limit) {
            Some(true) => Answer::Sat(self.read_model(&mut sat, terms, assertions)),
            Some(false) => {
                let pairs = assertions.iter().zip(&assumptions);
                let failed = pairs.filter(|(_, lit)| sat.is_in_core(**lit));
                self.core = failed.map(|(&assertion, _)| assertion).collect();
                Answer::Unsat
            }
            None => Answer::Unknown(UnknownReason::Timeout),
        };
        self.sat = Some(sat);
        self.stats.asked += 1;
        self.stats.queries += 1;
        self.stats.timeouts += matches!(answer, Answer::Unknown(_)) as u64;
        self.stats.time += start.elapsed();
        if let Answer::Sat(model) = &answer {
            validate(terms, assertions, model, "the bit-blaster");
        }
        answer
    }

    fn unsat_core(&self) -> Option<&[TermId]> {
        Some(&self.core)
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}

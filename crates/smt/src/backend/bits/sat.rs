//! CaDiCaL as the bit-blaster needs it: clauses, assumptions, a limit on each question.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cadical_sys::{CaDiCal, ExternalPropagator, ProofTracer, Status, Terminator};

use super::gates::Lit;

pub struct SatSolver {
    cadical: CaDiCal,
}

// SAFETY: the binding holds raw pointers, so it is not `Send` by itself. CaDiCaL keeps all state of
// a solver behind that pointer, none in thread-local variables, and its static variables are
// constants or belong to the command-line program. All callbacks are `Send`. Nothing
// is shared: a `SatSolver` cannot be cloned and every use takes `&mut self`.
unsafe impl Send for SatSolver {}

/// When CaDiCaL has to give up on a question: so long after it was asked, or when the flag is
/// raised.
pub struct Limit {
    asked: Instant,
    timeout: Duration,
    interrupt: Arc<AtomicBool>,
}

impl Limit {
    pub fn from_now(timeout: Duration, interrupt: &Arc<AtomicBool>) -> Self {
        Limit {
            asked: Instant::now(),
            timeout,
            interrupt: Arc::clone(interrupt),
        }
    }
}

impl Terminator for Limit {
    fn terminated(&mut self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.asked.elapsed() >= self.timeout
    }
}

impl SatSolver {
    /// Without preprocessing, which does not pay for questions of milliseconds, and without looking
    /// for lucky phases under assumptions, which propagates every assumption once more and took 7 %
    /// of the time on questions recorded from the test programs.
    pub fn new() -> Self {
        let mut cadical = CaDiCal::new();
        let is_known = cadical.configure("plain") && cadical.set("luckyassumptions", 0);
        assert!(is_known, "CaDiCaL knows its options");
        SatSolver { cadical }
    }

    /// For long questions, and for a theory: without what its propagator does not need to know of.
    /// Everything is derived by unit propagation, and literals are undone from the top of the trail
    /// only.
    pub fn with_theory() -> Self {
        let mut solver = SatSolver::new();
        for (option, value) in [("chrono", 0), ("lucky", 0), ("walk", 0)] {
            assert!(solver.cadical.set(option, value), "CaDiCaL knows {option}");
        }
        solver
    }

    /// Before the first clause.
    pub fn connect_propagator(&mut self, propagator: impl ExternalPropagator + Send + 'static) {
        self.cadical.connect_external_propagator(propagator);
    }

    /// Before the first clause.
    pub fn connect_tracer(&mut self, tracer: impl ProofTracer + Send + 'static) {
        self.cadical.connect_proof_tracer1(tracer, true, false);
    }

    /// The propagator is told of this variable.
    pub fn observe(&mut self, variable: i32) {
        self.cadical.add_observed_var(variable);
    }

    /// Tells the tracer which clause refuted the last question.
    pub fn conclude(&mut self) {
        self.cadical.conclude();
    }

    /// Adds clauses in the form of DIMACS: each is ended by 0.
    pub fn add_clauses(&mut self, clauses: &[i32]) {
        for clause in clauses.split_inclusive(|&lit| lit == 0) {
            self.cadical.clause6(&clause[..clause.len() - 1]);
        }
    }

    /// Whether all clauses and assumptions can be true together; `None` if the limit came first.
    pub fn solve(&mut self, assumptions: &[Lit], limit: Limit) -> Option<bool> {
        for assumption in assumptions {
            self.cadical.assume(assumption.dimacs());
        }
        self.cadical.connect_terminator(limit);
        match self.cadical.solve() {
            Status::SATISFIABLE => Some(true),
            Status::UNSATISFIABLE => Some(false),
            Status::UNKNOWN => None,
        }
    }

    /// The value of `lit` in the assignment that the last `solve` found.
    pub fn value(&mut self, lit: Lit) -> bool {
        self.cadical.val(lit.dimacs()) == lit.dimacs()
    }

    /// Whether the last `solve` used this assumption to refute the question.
    pub fn is_in_core(&mut self, assumption: Lit) -> bool {
        self.cadical.failed(assumption.dimacs())
    }

    /// One of CaDiCaL's counters.
    pub fn statistic(&self, name: &str) -> u64 {
        self.cadical.get_statistic_value(name).max(0) as u64
    }
}

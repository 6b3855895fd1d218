//! Our own bit-blasting onto CaDiCaL: every bit of a term is a literal, every operation a circuit,
//! assertions are assumptions.
//!
//! Clauses only define literals, so they hold for every later question and are kept. But a SAT
//! solver assigns all its variables, so definitions that a question does not need cost time. Past a
//! limit a new solver takes over, with the definitions that the question at hand needs.

mod circuits;
mod gates;
mod sat;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use self::circuits::Bits;
use self::gates::{Gates, Lit};
use self::sat::{Limit, SatSolver};
use crate::lower::Lowering;
use crate::model::Model;
use crate::node::{InputId, Node, TermId};
use crate::solver::{Answer, ServedTerms, Solver, SolverStats, UnknownReason, validate};
use crate::terms::Terms;

/// The solver is replaced when it has this many times the variables that one question needed.
const GROWTH: i32 = 4;
/// With fewer variables a new solver does not pay (`benches/backends.rs`).
const FEW_VARIABLES: i32 = 4000;

pub struct BitBlaster {
    /// `None` until it is needed: the layers answer all questions of most programs.
    sat: Option<SatSolver>,
    gates: Gates,
    served: ServedTerms,
    lowering: Lowering,
    /// The literals of the terms that this solver knows. A map, because they are a small part of
    /// all terms.
    bits: FxHashMap<TermId, Bits>,
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
            gates: Gates::new(),
            served: ServedTerms::default(),
            lowering: Lowering::default(),
            bits: FxHashMap::default(),
            core: Vec::new(),
            limit: FEW_VARIABLES,
            timeout,
            stats: SolverStats::default(),
        }
    }

    fn assumptions(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Vec<Lit> {
        assertions
            .iter()
            .map(|&assertion| self.translate(terms, assertion)[0])
            .collect()
    }

    fn start_anew(&mut self) {
        self.sat = None;
        self.gates = Gates::new();
        self.bits = FxHashMap::default();
    }

    fn translate(&mut self, terms: &mut Terms, root: TermId) -> &Bits {
        let order = self
            .lowering
            .order(terms, root, |term| self.bits.contains_key(&term));
        for term in order {
            let bits = self.translate_node(terms, term);
            self.bits.insert(term, bits);
        }
        &self.bits[&root]
    }

    fn translate_node(&mut self, terms: &Terms, term: TermId) -> Bits {
        let width = terms.width(term);
        let bits = |term: TermId| &self.bits[&term];
        let gates = &mut self.gates;
        match *terms.node(term) {
            Node::Constant { value, .. } => circuits::constant(width, value),
            Node::Input(_) => (0..width).map(|_| gates.fresh()).collect(),
            Node::Bin(op, a, b) => circuits::bin(gates, op, bits(a), bits(b)),
            Node::Cmp(op, a, b) => vec![circuits::cmp(gates, op, bits(a), bits(b))],
            Node::Not(a) => bits(a).iter().map(|&bit| !bit).collect(),
            Node::Neg(a) => circuits::neg(gates, bits(a)),
            Node::Ite(c, a, b) => circuits::mux(gates, bits(c)[0], bits(a), bits(b)),
            Node::Extract { term, lo, width } => {
                bits(term)[lo as usize..(lo + width) as usize].to_vec()
            }
            Node::Concat { hi, lo } => [bits(lo).as_slice(), bits(hi)].concat(),
            Node::Zext { term, .. } => extended(bits(term), width, Lit::FALSE),
            Node::Sext { term, .. } => extended(
                bits(term),
                width,
                bits(term)[terms.width(term) as usize - 1],
            ),
            Node::Select { .. } => bits(self.lowering.lowered(term)).clone(),
        }
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
            let bits = self
                .bits
                .get(&terms.input_term(input))
                .map_or(&[][..], |bits| bits);
            let value = bits.iter().enumerate().fold(0u128, |value, (at, bit)| {
                value | (sat.value(*bit) as u128) << at
            });
            model.set(input, value);
        }
        model
    }
}

impl Solver for BitBlaster {
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Answer {
        self.served.require(terms);
        let start = Instant::now();
        let mut assumptions = self.assumptions(terms, assertions);
        if self.gates.variables() > self.limit {
            self.start_anew();
            assumptions = self.assumptions(terms, assertions);
            self.limit = FEW_VARIABLES.max(GROWTH.saturating_mul(self.gates.variables()));
        }
        let mut sat = self.sat.take().unwrap_or_else(SatSolver::new);
        sat.add_clauses(&self.gates.take_clauses());
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

fn extended(bits: &[Lit], width: u32, fill: Lit) -> Bits {
    let mut extended = bits.to_vec();
    extended.resize(width as usize, fill);
    extended
}

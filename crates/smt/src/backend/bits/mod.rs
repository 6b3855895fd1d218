//! Our own bit-blasting onto CaDiCaL: every bit of a term is a literal, every operation a circuit,
//! assertions are assumptions.
//!
//! Clauses only define literals, so they are never wrong for another question and stay. But a SAT
//! solver assigns every variable it has, so definitions that the question does not need cost time
//! in each call: past a limit the solver is made anew and only what the question at hand needs is
//! defined again.

mod circuits;
mod gates;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use self::circuits::Bits;
use self::gates::{Gates, Lit};
use crate::lower::Lowering;
use crate::model::Model;
use crate::node::{InputId, Node, TermId};
use crate::solver::{Answer, ServedTerms, Solver, SolverStats, UnknownReason, validate};
use crate::terms::Terms;

/// Start anew when there are this many times the variables that one question needed.
const GROWTH: i32 = 4;
/// Below this number of variables starting anew does not pay (`benches/backends.rs`).
const FEW_VARIABLES: i32 = 4000;

pub struct BitBlaster {
    /// Made when it is first needed: most programs ask no question that comes this far.
    sat: Option<cadical::Solver<Patience>>,
    gates: Gates,
    served: ServedTerms,
    lowering: Lowering,
    /// Of the terms translated since the last start. A map, because that is a small part of all
    /// terms.
    bits: FxHashMap<TermId, Bits>,
    /// Of the last unsatisfiable question.
    core: Vec<TermId>,
    /// The number of variables at which to start anew.
    limit: i32,
    timeout: Duration,
    interrupt: Arc<AtomicBool>,
    stats: SolverStats,
}

/// How long one question may take: so long, or until somebody raises the flag.
struct Patience {
    timeout: Duration,
    started: Instant,
    interrupt: Arc<AtomicBool>,
}

impl cadical::Callbacks for Patience {
    fn max_length(&self) -> i32 {
        0
    }

    fn started(&mut self) {
        self.started = Instant::now();
    }

    fn terminate(&mut self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.started.elapsed() >= self.timeout
    }
}

impl BitBlaster {
    pub fn new(timeout: Duration) -> Self {
        BitBlaster::interruptible(timeout, Arc::default())
    }

    /// Gives up on the question at hand, and on all that come later, when the flag is raised.
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

    fn read_model(
        &self,
        sat: &cadical::Solver<Patience>,
        terms: &Terms,
        assertions: &[TermId],
    ) -> Model {
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
                let is_set = sat.value(bit.dimacs()) == Some(true);
                value | (is_set as u128) << at
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
        let sat = self.sat.take();
        let mut sat = sat.unwrap_or_else(|| new_sat_solver(self.timeout, &self.interrupt));
        for clause in self.gates.take_clauses().split_inclusive(|&lit| lit == 0) {
            sat.add_clause(clause[..clause.len() - 1].iter().copied());
        }
        let answer = match sat.solve_with(assumptions.iter().map(|lit| lit.dimacs())) {
            Some(true) => Answer::Sat(self.read_model(&sat, terms, assertions)),
            Some(false) => {
                let pairs = assertions.iter().zip(&assumptions);
                let failed = pairs.filter(|(_, lit)| sat.failed(lit.dimacs()));
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

/// Without CaDiCaL's preprocessing, which does not pay for questions of milliseconds.
fn new_sat_solver(timeout: Duration, interrupt: &Arc<AtomicBool>) -> cadical::Solver<Patience> {
    let mut sat = cadical::Solver::with_config("plain").expect("CaDiCaL knows its configuration");
    sat.set_callbacks(Some(Patience {
        timeout,
        started: Instant::now(),
        interrupt: Arc::clone(interrupt),
    }));
    sat
}

fn extended(bits: &[Lit], width: u32, fill: Lit) -> Bits {
    let mut extended = bits.to_vec();
    extended.resize(width as usize, fill);
    extended
}

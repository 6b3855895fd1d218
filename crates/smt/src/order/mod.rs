//! Formulas over bit-vector terms and an order of events, under sequential consistency.
//!
//! An execution is a total order of events. A formula speaks of it by literals: one event is before
//! another; an event reads an atom from a write, so that no other write of the atom stands between.
//! Everything else, values and conditions, is bit-blasted as in `backend::bits`.
//!
//! ```
//! use smt::order::{Formula, OrderKind};
//!
//! let mut formula = Formula::new(OrderKind::Theory, None);
//! let (a, b, c) = (formula.event(), formula.event(), formula.event());
//! formula.always_before(a, b);
//! let c_first = formula.before(c, a);
//! let c_last = formula.before(b, c);
//! formula.clause(&[c_last]);
//! let forever = std::time::Duration::MAX;
//! assert_eq!(formula.solve(&[c_first], forever, &Default::default()), Some(false));
//! assert_eq!(formula.solve(&[], forever, &Default::default()), Some(true));
//! assert_eq!(formula.order(), [a, b, c]);
//! ```

mod clocks;
mod facts;
mod fixed;
mod graph;
mod proof;
mod propagator;
mod theory;
mod walk;

use std::io::Write as Output;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use self::clocks::Clocks;
use self::proof::SharedProof;
use self::propagator::TheoryOrder;
use crate::backend::bits::gates::Gates;
use crate::backend::bits::sat::{Limit, SatSolver};
use crate::backend::bits::translation::Translation;
use crate::node::TermId;
use crate::terms::Terms;

pub use self::fixed::FixedOrder;
pub use crate::backend::bits::gates::Lit;

base::id!(
    /// An event of one `Formula`.
    EventId,
    "v"
);
base::id!(
    /// What is read and written as one: a variable, a byte, a mutex.
    AtomId,
    "a"
);

/// What decides the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderKind {
    /// A graph inside the SAT solver.
    Theory,
    /// A number for each event.
    Clocks,
}

/// What solving took so far.
#[derive(Clone, Copy, Default, Debug)]
pub struct OrderStats {
    pub conflicts: u64,
    pub decisions: u64,
    /// Clauses that the theory of order contributed.
    pub lemmas: u64,
    pub variables: u64,
    /// Clauses of the formula, without what was learned.
    pub clauses: u64,
    /// The time spent in `solve`.
    pub time: Duration,
}

pub struct Formula {
    sat: SatSolver,
    translation: Translation,
    fixed: FixedOrder,
    atoms: usize,
    order: Box<dyn Order + Send>,
    proof: Option<SharedProof>,
    clauses: u64,
    time: Duration,
}

/// `reader` reads `atom` from `source` while `lit` is true.
#[derive(Clone, Copy)]
struct Read {
    lit: Lit,
    source: EventId,
    reader: EventId,
    atom: AtomId,
}

/// `event` writes `atom` while `lit` is true.
#[derive(Clone, Copy)]
struct Write {
    lit: Lit,
    event: EventId,
    atom: AtomId,
}

/// How the facts about the order reach the SAT solver.
trait Order {
    fn event(&mut self, gates: &mut Gates, event: EventId);
    fn always_before(&mut self, gates: &mut Gates, a: EventId, b: EventId);
    fn before(&mut self, gates: &mut Gates, fixed: &FixedOrder, a: EventId, b: EventId) -> Lit;
    fn reads_from(&mut self, gates: &mut Gates, fixed: &FixedOrder, read: Read);
    fn writes(&mut self, gates: &mut Gates, fixed: &FixedOrder, write: Write);
    /// Called before every `solve`, before the clauses are handed over.
    fn prepare(&mut self, sat: &mut SatSolver, gates: &mut Gates, fixed: &FixedOrder);
    fn order(&mut self, sat: &mut SatSolver, fixed: &FixedOrder) -> Vec<EventId>;
    fn lemmas(&self) -> u64;
}

/// The literal of each pair of events that has one.
#[derive(Default)]
struct Pairs(FxHashMap<(EventId, EventId), Lit>);

impl Pairs {
    fn get(&self, fixed: &FixedOrder, a: EventId, b: EventId) -> Option<Lit> {
        if fixed.is_before(a, b) {
            return Some(Lit::TRUE);
        }
        if a == b || fixed.is_before(b, a) {
            return Some(Lit::FALSE);
        }
        if a < b {
            self.0.get(&(a, b)).copied()
        } else {
            self.0.get(&(b, a)).map(|&lit| !lit)
        }
    }

    fn insert(&mut self, a: EventId, b: EventId, lit: Lit) {
        if a < b {
            self.0.insert((a, b), lit);
        } else {
            self.0.insert((b, a), !lit);
        }
    }
}

impl Formula {
    /// With `proof`, which only a `Theory` can give, every answer comes with a proof.
    pub fn new(kind: OrderKind, proof: Option<Box<dyn Output + Send>>) -> Formula {
        let mut sat = SatSolver::with_theory();
        let proof = proof.map(SharedProof::new);
        if let Some(proof) = &proof {
            assert_eq!(kind, OrderKind::Theory, "only a theory can give a proof");
            sat.connect_tracer(proof.clone());
        }
        let order: Box<dyn Order + Send> = match kind {
            OrderKind::Clocks => Box::new(Clocks::default()),
            OrderKind::Theory => Box::new(TheoryOrder::new(&mut sat, proof.clone())),
        };
        Formula {
            sat,
            translation: Translation::new(),
            fixed: FixedOrder::default(),
            atoms: 0,
            order,
            proof,
            clauses: 0,
            time: Duration::ZERO,
        }
    }

    /// The literal of a term of width 1.
    pub fn literal(&mut self, terms: &mut Terms, term: TermId) -> Lit {
        assert_eq!(terms.width(term), 1, "a literal is one bit");
        self.translation.bits(terms, term)[0]
    }

    /// The bits of a term, the lowest first.
    pub fn bits(&mut self, terms: &mut Terms, term: TermId) -> Vec<Lit> {
        self.translation.bits(terms, term).clone()
    }

    pub fn fresh(&mut self) -> Lit {
        self.translation.gates.fresh()
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.translation.gates.and(a, b)
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.translation.gates.or(a, b)
    }

    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.translation.gates.xor(a, b)
    }

    pub fn and_all(&mut self, lits: &[Lit]) -> Lit {
        self.translation.gates.and_all(lits)
    }

    pub fn or_all(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
        !self.translation.gates.and_all(&negated)
    }

    /// One of the literals is true.
    pub fn clause(&mut self, lits: &[Lit]) {
        self.translation.gates.clause(lits);
    }

    pub fn event(&mut self) -> EventId {
        let event = self.fixed.add_event();
        self.order.event(&mut self.translation.gates, event);
        event
    }

    pub fn atom(&mut self) -> AtomId {
        self.atoms += 1;
        AtomId::from(self.atoms - 1)
    }

    /// `a` is before `b` in every execution. All that concerns two events comes before anything else
    /// is said of them.
    pub fn always_before(&mut self, a: EventId, b: EventId) {
        self.fixed.add(a, b);
        self.order.always_before(&mut self.translation.gates, a, b);
    }

    /// Whether `a` is before `b` by what is always so.
    pub fn is_before(&self, a: EventId, b: EventId) -> bool {
        self.fixed.is_before(a, b)
    }

    /// Whether `a` is before `b` in the order. One literal for each pair: that of `b` before `a` is
    /// its negation.
    pub fn before(&mut self, a: EventId, b: EventId) -> Lit {
        self.order
            .before(&mut self.translation.gates, &self.fixed, a, b)
    }

    /// While `lit` is true, `reader` reads `atom` from `source`: `source` is before `reader`, and no
    /// other event that writes the atom stands between them. `reader` may write the atom itself, right
    /// after reading.
    pub fn reads_from(&mut self, lit: Lit, source: EventId, reader: EventId, atom: AtomId) {
        let read = Read {
            lit,
            source,
            reader,
            atom,
        };
        if lit != Lit::FALSE {
            let gates = &mut self.translation.gates;
            self.order.reads_from(gates, &self.fixed, read);
        }
    }

    /// While `lit` is true, `event` writes `atom`.
    pub fn writes(&mut self, lit: Lit, event: EventId, atom: AtomId) {
        if lit != Lit::FALSE {
            let write = Write { lit, event, atom };
            let gates = &mut self.translation.gates;
            self.order.writes(gates, &self.fixed, write);
        }
    }

    /// Whether everything said so far can be true together with the assumptions; `None` if the limit
    /// came first.
    pub fn solve(
        &mut self,
        assumptions: &[Lit],
        timeout: Duration,
        interrupt: &Arc<AtomicBool>,
    ) -> Option<bool> {
        let start = Instant::now();
        let gates = &mut self.translation.gates;
        self.order.prepare(&mut self.sat, gates, &self.fixed);
        let clauses = gates.take_clauses();
        self.clauses += clauses.iter().filter(|&&lit| lit == 0).count() as u64;
        self.sat.add_clauses(&clauses);
        if let Some(proof) = &self.proof {
            proof.lock().question(assumptions);
        }
        let limit = Limit::from_now(timeout, interrupt);
        let answer = self.sat.solve(assumptions, limit);
        if let Some(proof) = &self.proof {
            if answer == Some(false) {
                self.sat.conclude();
            }
            proof.lock().answer(answer);
        }
        self.time += start.elapsed();
        answer
    }

    /// The value of a literal, after an answer `Some(true)`.
    pub fn value(&mut self, lit: Lit) -> bool {
        self.sat.value(lit)
    }

    /// Whether the assumption was used, after an answer `Some(false)`: those that were are
    /// unsatisfiable together.
    pub fn is_in_core(&mut self, lit: Lit) -> bool {
        self.sat.is_in_core(lit)
    }

    /// The value of an input after an answer `Some(true)`; `None` if the formula does not mention it.
    pub fn input_value(&mut self, terms: &Terms, input: TermId) -> Option<u128> {
        debug_assert!(matches!(terms.node(input), crate::node::Node::Input(_)));
        self.translation.value(&mut self.sat, input)
    }

    /// After an answer `Some(true)`: all events in an order in which everything is as the literals
    /// say.
    pub fn order(&mut self) -> Vec<EventId> {
        self.order.order(&mut self.sat, &self.fixed)
    }

    /// Writes the last line of the proof: all that rests on it has been asked.
    pub fn complete_proof(&mut self) {
        if let Some(proof) = &self.proof {
            proof.lock().complete();
        }
    }

    /// The first failure to write the proof, which is then worthless.
    pub fn take_proof_failure(&mut self) -> Option<std::io::Error> {
        self.proof.as_ref()?.lock().take_failure()
    }

    pub fn stats(&self) -> OrderStats {
        OrderStats {
            conflicts: self.sat.statistic("conflicts"),
            decisions: self.sat.statistic("decisions"),
            lemmas: self.order.lemmas(),
            variables: self.translation.gates.variables() as u64,
            clauses: self.clauses,
            time: self.time,
        }
    }
}

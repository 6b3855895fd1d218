//! The theory as CaDiCaL's external propagator (Fazekas et al., "IPASIR-UP: user propagators for
//! CDCL", SAT 2023), and what the formula tells it.

use std::sync::{Arc, Mutex, MutexGuard};

use cadical_sys::ExternalPropagator;

use super::fixed::FixedOrder;
use super::proof::SharedProof;
use super::theory::{Clause, Theory};
use super::{AtomId, EventId, Order, Pairs, Read, Write};
use crate::backend::bits::gates::{Gates, Lit};
use crate::backend::bits::sat::SatSolver;

/// The formula's half.
pub struct TheoryOrder {
    shared: Arc<Mutex<Shared>>,
    proof: Option<SharedProof>,
    pairs: Pairs,
    atoms: Vec<Atom>,
    /// Facts or events were added since the last question.
    is_changed: bool,
}

/// Events that may write an atom, and that may be read from, each once.
#[derive(Default)]
struct Atom {
    writers: Vec<EventId>,
    sources: Vec<EventId>,
}

/// CaDiCaL's half.
struct Propagator(Arc<Mutex<Shared>>);

struct Shared {
    theory: Theory,
    proof: Option<SharedProof>,
    /// The clause that CaDiCaL is reading, in reverse, and its walk.
    outgoing: Option<Clause>,
    lemmas: u64,
    order: Vec<EventId>,
}

impl TheoryOrder {
    /// `sat` has no clauses yet.
    pub fn new(sat: &mut SatSolver, proof: Option<SharedProof>) -> TheoryOrder {
        let shared = Arc::new(Mutex::new(Shared {
            theory: Theory::new(proof.is_some()),
            proof: proof.clone(),
            outgoing: None,
            lemmas: 0,
            order: Vec::new(),
        }));
        sat.connect_propagator(Propagator(Arc::clone(&shared)));
        TheoryOrder {
            shared,
            proof,
            pairs: Pairs::default(),
            atoms: Vec::new(),
            is_changed: true,
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared
            .lock()
            .expect("a panic in a callback ends the process")
    }

    fn note(&self, letter: &str, numbers: &[i64]) {
        if let Some(proof) = &self.proof {
            proof.lock().item(letter, numbers.iter().copied());
        }
    }

    fn atom(&mut self, atom: AtomId) -> &mut Atom {
        if self.atoms.len() <= atom.index() {
            self.atoms.resize_with(atom.index() + 1, Atom::default);
        }
        &mut self.atoms[atom.index()]
    }
}

impl Order for TheoryOrder {
    fn event(&mut self, _gates: &mut Gates, event: EventId) {
        self.is_changed = true;
        self.note("n", &[i64::from(event.0)]);
    }

    fn always_before(&mut self, _gates: &mut Gates, a: EventId, b: EventId) {
        self.is_changed = true;
        self.note("p", &[i64::from(a.0), i64::from(b.0)]);
    }

    fn before(&mut self, gates: &mut Gates, fixed: &FixedOrder, a: EventId, b: EventId) -> Lit {
        if let Some(known) = self.pairs.get(fixed, a, b) {
            return known;
        }
        // The solver tries the positive literal first: the order in which events were made.
        let (first, second) = (a.min(b), a.max(b));
        let lit = gates.fresh();
        self.pairs.insert(first, second, lit);
        let (number, first_id, second_id) = (
            i64::from(lit.dimacs()),
            i64::from(first.0),
            i64::from(second.0),
        );
        self.note("e", &[number, first_id, second_id]);
        self.note("e", &[-number, second_id, first_id]);
        self.shared().theory.facts.pairs.push((first, second, lit));
        self.is_changed = true;
        if first == a { lit } else { !lit }
    }

    fn reads_from(&mut self, gates: &mut Gates, fixed: &FixedOrder, read: Read) {
        let numbers = [read.source.0, read.reader.0, read.atom.0].map(i64::from);
        let lit = i64::from(read.lit.dimacs());
        self.note("r", &[lit, numbers[0], numbers[1], numbers[2]]);
        self.shared().theory.facts.reads.push(read);
        self.is_changed = true;
        let atom = self.atom(read.atom);
        if !atom.sources.contains(&read.source) {
            atom.sources.push(read.source);
            if !atom.writers.contains(&read.source) {
                for writer in atom.writers.clone() {
                    self.before(gates, fixed, read.source, writer);
                }
            }
        }
    }

    fn writes(&mut self, gates: &mut Gates, fixed: &FixedOrder, write: Write) {
        let numbers = [write.event.0, write.atom.0].map(i64::from);
        self.note(
            "w",
            &[i64::from(write.lit.dimacs()), numbers[0], numbers[1]],
        );
        self.shared().theory.facts.writes.push(write);
        self.is_changed = true;
        let atom = self.atom(write.atom);
        if !atom.writers.contains(&write.event) {
            let others: Vec<EventId> = atom.writers.iter().chain(&atom.sources).copied().collect();
            atom.writers.push(write.event);
            for other in others {
                self.before(gates, fixed, other, write.event);
            }
        }
    }

    fn prepare(&mut self, sat: &mut SatSolver, _gates: &mut Gates, fixed: &FixedOrder) {
        self.shared().theory.restart_decisions();
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        let variables = {
            let mut shared = self.shared();
            shared.theory.rebuild(fixed);
            shared.theory.variables().to_vec()
        };
        // Observing calls back, so nothing may be locked.
        for variable in variables {
            sat.observe(variable);
        }
    }

    fn order(&mut self, _sat: &mut SatSolver, _fixed: &FixedOrder) -> Vec<EventId> {
        self.shared().order.clone()
    }

    fn lemmas(&self) -> u64 {
        self.shared().lemmas
    }
}

impl Propagator {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0
            .lock()
            .expect("a panic in a callback ends the process")
    }
}

impl Shared {
    fn send(&mut self, clause: Clause) {
        self.lemmas += 1;
        self.outgoing = Some(clause);
    }

    /// The next literal of the clause, 0 at its end.
    fn next_lit(&mut self) -> i32 {
        let (lits, steps) = self.outgoing.as_mut().expect("a clause was announced");
        if let Some(lit) = lits.pop() {
            return lit;
        }
        if let (Some(proof), Some(steps)) = (&self.proof, steps.take()) {
            proof.lock().announce(steps);
        }
        self.outgoing = None;
        0
    }
}

impl ExternalPropagator for Propagator {
    /// Reasons are kept like learned clauses: while they are of use.
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        self.lock().theory.assign(lits);
    }

    fn notify_new_decision_level(&mut self) {
        self.lock().theory.new_level();
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        self.lock().theory.backtrack(new_level);
    }

    fn cb_check_found_model(&mut self, _model: &[i32]) -> bool {
        let mut shared = self.lock();
        let is_consistent = shared.theory.process();
        if is_consistent {
            shared.order = shared.theory.linear();
        }
        is_consistent
    }

    fn cb_decide(&mut self) -> i32 {
        self.lock().theory.decide().unwrap_or(0)
    }

    fn cb_propagate(&mut self) -> i32 {
        self.lock().theory.next_propagation().unwrap_or(0)
    }

    fn cb_add_reason_clause_lit(&mut self, propagated_lit: i32) -> i32 {
        let mut shared = self.lock();
        if shared.outgoing.is_none() {
            let clause = shared.theory.explain(propagated_lit);
            shared.send(clause);
        }
        shared.next_lit()
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        let mut shared = self.lock();
        *is_forgettable = true;
        let conflict = shared.theory.take_conflict();
        match conflict {
            Some(clause) => {
                shared.send(clause);
                true
            }
            None => false,
        }
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.lock().next_lit()
    }
}

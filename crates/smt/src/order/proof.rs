//! The proof of every answer `unsatisfiable`, as text that another program checks.
//!
//! CaDiCaL reports its clauses with LRAT hints. A clause that arrives while a lemma of the theory is
//! announced is that lemma and carries the walk that shows it; every other clause that is not derived
//! is part of the formula. The solver is configured so that every derived clause follows by unit
//! propagation (`SatSolver::new`).
//!
//! One item per line, integers separated by blanks:
//!
//! ```text
//! s sleave-proof 1         first line
//! n A                      event A exists
//! p A B                    A is always before B
//! e LIT A B                while LIT, A is before B
//! r LIT W R X              while LIT, R reads atom X from W
//! w LIT W X                while LIT, W writes atom X
//! i ID LITS 0              a clause of the formula
//! t ID LITS 0 STEPS 0      a lemma: STEPS is a closed walk whose literals' negations are in LITS
//! a ID LITS 0 HINTS 0      a clause that follows by unit propagation from the clauses HINTS
//! d IDS 0                  clauses deleted
//! q LITS 0                 a question: the assumptions
//! u ID                     its answer: unsatisfiable by clause ID, of negated assumptions
//! m                        its answer: satisfiable
//! x                        its answer: unknown
//! z LINES                  last line: all is said, in so many lines before this one
//!
//! P A B                    a step by the fixed order
//! E LIT A B                a step by an `e` line
//! R LIT W R X              a step by an `r` line, from W to R
//! F RLIT W R X WLIT V STEPS .
//!                          a step from R to V: R reads X from W, V writes X and STEPS lead from W to V
//! ```

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard};

use cadical_sys::ProofTracer;

use crate::backend::bits::gates::Lit;

pub struct Proof {
    output: std::io::BufWriter<Box<dyn Write + Send>>,
    /// The walk of the lemma that CaDiCaL is about to be given.
    announced: Option<String>,
    /// The clauses that answer the latest question.
    conclusion: Vec<i64>,
    /// Clauses made only for the latest answer.
    transient: Vec<i64>,
    /// The first failure to write: then the rest of the proof is worthless.
    failure: Option<std::io::Error>,
    line: String,
    /// How many lines there are.
    lines: u64,
    /// The last line is written: what the solver says of its end is no part of the proof.
    is_complete: bool,
}

/// The writer, shared by the formula, the theory and CaDiCaL's tracer.
#[derive(Clone)]
pub struct SharedProof(Arc<Mutex<Proof>>);

impl SharedProof {
    pub fn new(output: Box<dyn Write + Send>) -> SharedProof {
        let mut proof = Proof {
            output: std::io::BufWriter::new(output),
            announced: None,
            conclusion: Vec::new(),
            transient: Vec::new(),
            failure: None,
            line: String::new(),
            lines: 0,
            is_complete: false,
        };
        proof.item("s sleave-proof", [1]);
        SharedProof(Arc::new(Mutex::new(proof)))
    }

    pub fn lock(&self) -> MutexGuard<'_, Proof> {
        self.0.lock().expect("no panic while a proof is written")
    }
}

impl Proof {
    /// A line that is a letter and numbers.
    pub fn item(&mut self, letter: &str, numbers: impl IntoIterator<Item = i64>) {
        self.line.clear();
        self.line.push_str(letter);
        for number in numbers {
            write!(self.line, " {number}").expect("strings take all text");
        }
        self.end_line();
    }

    fn end_line(&mut self) {
        if self.is_complete {
            return;
        }
        self.line.push('\n');
        self.lines += 1;
        if let Err(error) = self.output.write_all(self.line.as_bytes()) {
            self.failure.get_or_insert(error);
        }
    }

    /// The next clause is a lemma with this walk.
    pub fn announce(&mut self, steps: String) {
        debug_assert!(self.announced.is_none(), "every lemma arrives");
        self.announced = Some(steps);
    }

    pub fn question(&mut self, assumptions: &[Lit]) {
        let lits = assumptions.iter().map(|lit| i64::from(lit.dimacs()));
        self.item("q", lits.chain([0]));
        self.conclusion.clear();
    }

    /// The answer to the latest question, once CaDiCaL has concluded it.
    pub fn answer(&mut self, answer: Option<bool>) {
        match answer {
            Some(true) => self.item("m", []),
            None => self.item("x", []),
            Some(false) => {
                let clause = *self.conclusion.last().expect("CaDiCaL concluded");
                self.item("u", [clause]);
                let transient = std::mem::take(&mut self.transient);
                if !transient.is_empty() {
                    self.item("d", transient.into_iter().chain([0]));
                }
            }
        }
        self.flush();
    }

    /// Nothing more is asked.
    pub fn complete(&mut self) {
        let lines = self.lines as i64;
        self.item("z", [lines]);
        self.is_complete = true;
        self.flush();
    }

    fn flush(&mut self) {
        if let Err(error) = self.output.flush() {
            self.failure.get_or_insert(error);
        }
    }

    pub fn take_failure(&mut self) -> Option<std::io::Error> {
        self.failure.take()
    }

    fn derived(&mut self, id: i64, clause: &[i32], hints: &[i64]) {
        let lits = clause.iter().map(|&lit| i64::from(lit));
        let hints = hints.iter().copied();
        self.item(
            "a",
            [id].into_iter()
                .chain(lits)
                .chain([0])
                .chain(hints)
                .chain([0]),
        );
    }
}

impl ProofTracer for SharedProof {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], _restored: bool) {
        let mut proof = self.lock();
        let lits = clause.iter().map(|&lit| i64::from(lit));
        let numbers = [id].into_iter().chain(lits).chain([0]);
        match proof.announced.take() {
            None => proof.item("i", numbers),
            Some(steps) => {
                let mut letter_and_numbers = String::from("t");
                for number in numbers {
                    write!(letter_and_numbers, " {number}").expect("strings take all text");
                }
                proof.line = letter_and_numbers + &steps + " 0";
                proof.end_line();
            }
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _redundant: bool,
        witness: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        assert_eq!(witness, 0, "CaDiCaL derives by unit propagation only");
        self.lock().derived(id, clause, antecedents);
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        self.lock().item("d", [id, 0]);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        let mut proof = self.lock();
        proof.derived(id, clause, antecedents);
        proof.transient.push(id);
    }

    fn conclude_unsat(&mut self, _conclusion_type: i32, clause_ids: &[i64]) {
        self.lock().conclusion = clause_ids.to_vec();
    }

    fn weaken_minus(&mut self, _id: i64, _clause: &[i32]) {}
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _lit: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _conclusion_type: i32, _model: &[i32]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}

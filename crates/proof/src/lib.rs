//! Checks proofs of the trace engine, sharing nothing with what made them: no code, no data, no
//! search. A proof is a text of one item on each line, read once from its beginning.
//!
//! # The formula
//! These lines state a formula about literals and about one total order of events:
//!
//! | line | what it states |
//! |---|---|
//! | `n A` | there is an event A; no two of these are the same |
//! | `p A B` | A is before B |
//! | `e LIT A B` | while LIT is true, A is before B |
//! | `r LIT W R X` | while LIT is true, R reads atom X from W: W is before R, and none of the other events that write X is between them |
//! | `w LIT W X` | while LIT is true, W writes X |
//! | `i ID LITS 0` | one of LITS is true |
//!
//! A model gives every literal a value and puts the events in a total order such that all of this
//! holds. A line from an event to itself states that its literal is false; a cycle of `p` lines is
//! refused, because then there is no order and anything would follow.
//!
//! # The proof
//! `q LITS 0` asks for a model in which LITS are true, of all lines before it; the answer comes
//! before any other line of the formula: `u ID` (there is none), `m` (there is one) or `x`
//! (unknown). Only `u` is checked. Clause ID must have nothing but negations of LITS in it, and
//! every clause holds in all models:
//! - `t ID LITS 0 STEPS 0`: see [`walk`], which has the argument for each kind of step;
//! - `a ID LITS 0 HINTS 0`: by reverse unit propagation, see [`clauses`]; or without hints, because
//!   it has a literal and its negation, which is how assumptions that contradict each other are
//!   answered.
//!
//! What a solver is given may have a literal twice, which is read as once, or a literal and its
//! negation. Of what it makes itself neither is accepted, but for the one case above.
//!
//! `d IDS 0` says that clauses are no longer used. What an `i` line states is part of the formula
//! nevertheless. Lines of the formula may follow an answer. They only take models away, so that
//! what was derived before still holds; a lemma can use none that stand after it, because those
//! have not been read.
//!
//! `z LINES` is the last line: so many stand before it. Its maker writes it once all questions are
//! answered on which a verdict rests. Without it they are perhaps not, or lines were lost.
//!
//! # What a proof that is accepted says
//! That for each `u` the formula up to its question has no model in which the assumptions are true;
//! there is at least one, and the last question is answered so. It does *not* say that the formula
//! says what the program does, nor that the questions are the right ones: the encoder is trusted in
//! both. Nor does it say anything about `m` and `x`.
//!
//! **Direction:** what is in doubt is refused, with its line. **Invariant:** memory is taken for
//! what is read and still in use, never by the size of a number. `tests/truth.rs` compares what is
//! accepted with all models of small formulas.

mod assignment;
mod clauses;
mod facts;
mod fixed;
mod parse;
mod reason;
mod walk;

use std::io::BufRead;

use assignment::{Assignment, Lit};
use clauses::{ClauseId, Clauses};
use facts::Facts;
use parse::{HEADER, Item, Parser};

pub use reason::{Error, Reason, Refusal};

/// What a proof that was accepted consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    pub questions: u64,
    /// Questions that have no model.
    pub unsatisfiable: u64,
    /// Clauses of the formula.
    pub inputs: u64,
    /// Lemmas of order.
    pub lemmas: u64,
    /// Clauses by unit propagation.
    pub derived: u64,
}

/// Reads a proof to its end.
pub fn check(mut proof: impl BufRead) -> Result<Accepted, Error> {
    let mut checker = Checker::default();
    let mut parser = Parser::default();
    let mut bytes = Vec::new();
    let mut line = 0;
    loop {
        bytes.clear();
        if proof.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        line += 1;
        let done = match (bytes.split_last(), line) {
            (Some((b'\n', HEADER)), 1) => Ok(()),
            (Some((b'\n', _)), 1) | (_, 1) => Err(Reason::NoProof),
            (Some((b'\n', text)), _) => {
                let item = parser.item(text);
                item.and_then(|item| checker.take(item, line))
            }
            _ => Err(Reason::CutOff),
        };
        done.map_err(|reason| Refusal { line, reason })?;
    }
    let last = line.max(1);
    let end = match line {
        0 => Err(Reason::NoProof),
        _ => checker.end(),
    };
    Ok(end.map_err(|reason| Refusal { line: last, reason })?)
}

/// The latest question.
#[derive(Debug, Default)]
enum Question {
    #[default]
    None,
    Open {
        assumptions: Vec<Lit>,
    },
    Answered {
        unsatisfiable: bool,
    },
}

#[derive(Debug, Default)]
struct Checker {
    facts: Facts,
    clauses: Clauses,
    assignment: Assignment,
    question: Question,
    counts: Accepted,
    is_complete: bool,
}

impl Checker {
    fn take(&mut self, item: Item, line: u64) -> Result<(), Reason> {
        if self.is_complete {
            return Err(Reason::AfterEnd);
        }
        if item.is_of_formula() && matches!(self.question, Question::Open { .. }) {
            return Err(Reason::FormulaInQuestion);
        }
        match item {
            Item::Event(event) => self.facts.add_event(event),
            Item::Fixed(before, after) => self.facts.add_fixed(before, after),
            Item::Edge(edge) => self.facts.add_edge(edge),
            Item::Reads(reads) => self.facts.add_reads(reads),
            Item::Writes(writes) => self.facts.add_writes(writes),
            Item::Input(id, clause) => {
                self.counts.inputs += 1;
                let clause = self.assignment.without_repeated(clause);
                self.clauses.add(id, clause)
            }
            Item::Lemma(id, clause, steps) => {
                self.assignment.deny(&clause)?;
                walk::check(&steps, &mut self.facts, &self.assignment)?;
                self.counts.lemmas += 1;
                self.clauses.add(id, clause)
            }
            Item::Derived(id, clause, hints) => {
                match self.assignment.deny(&clause) {
                    Err(Reason::Tautology) if hints.is_empty() => {}
                    denied => {
                        denied?;
                        self.clauses.propagate(&mut self.assignment, &hints)?;
                    }
                }
                self.counts.derived += 1;
                self.clauses.add(id, clause)
            }
            Item::Delete(ids) => ids.into_iter().try_for_each(|id| self.clauses.delete(id)),
            Item::Question(assumptions) => self.ask(assumptions),
            Item::Unsatisfiable(id) => self.answer(Some(id)),
            Item::Satisfiable | Item::Unknown => self.answer(None),
            Item::End(lines) => self.complete(lines, line - 1),
        }
    }

    fn ask(&mut self, assumptions: Vec<Lit>) -> Result<(), Reason> {
        if let Question::Open { .. } = self.question {
            return Err(Reason::NoAnswer);
        }
        self.question = Question::Open { assumptions };
        self.counts.questions += 1;
        Ok(())
    }

    /// Takes the answer to the latest question; with a clause, that it has no model.
    fn answer(&mut self, clause: Option<ClauseId>) -> Result<(), Reason> {
        let Question::Open { assumptions } = &self.question else {
            return Err(Reason::NoQuestion);
        };
        if let Some(id) = clause {
            self.assignment.assume(assumptions);
            let clause = self.clauses.get(id)?;
            if !clause.iter().all(|lit| self.assignment.is_false(*lit)) {
                return Err(Reason::NotTheAnswer(id.0));
            }
            self.counts.unsatisfiable += 1;
        }
        self.question = Question::Answered {
            unsatisfiable: clause.is_some(),
        };
        Ok(())
    }

    /// The last line, which says that so many stand before it.
    fn complete(&mut self, expected: u64, found: u64) -> Result<(), Reason> {
        if expected != found {
            return Err(Reason::LinesLost { expected, found });
        }
        match self.question {
            Question::None => Err(Reason::NothingProved),
            Question::Open { .. } => Err(Reason::NoAnswer),
            Question::Answered {
                unsatisfiable: false,
            } => Err(Reason::LastNotProved),
            Question::Answered {
                unsatisfiable: true,
            } => {
                self.is_complete = true;
                Ok(())
            }
        }
    }

    fn end(self) -> Result<Accepted, Reason> {
        match self.is_complete {
            true => Ok(self.counts),
            false => Err(Reason::NotComplete),
        }
    }
}

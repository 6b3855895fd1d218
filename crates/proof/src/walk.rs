//! Lemmas of order. The clause of a lemma holds in every model because a closed walk of
//! before-relations cannot be: each step goes from an event to a later one.
//!
//! Suppose that a model makes the clause false. Then each literal whose negation is in the clause
//! is true, and these are all that the steps use. Let `<` be the total order of that model. Each
//! step goes up in it:
//!
//! | step | from, to | why |
//! |---|---|---|
//! | `P A B` | A, B | `p` lines lead from A to B, and `<` is transitive |
//! | `E LIT A B` | A, B | its line, and LIT is true |
//! | `R LIT W R X` | W, R | its line, and LIT is true |
//! | `F RLIT W R X WLIT V STEPS .` | R, V | R reads X from W, V writes X and is neither of them: not W < V < R. STEPS go up from W to V, so W < V. Hence not V < R; V and R are different, so R < V |
//! | `B RLIT W R X WLIT V STEPS .` | V, W | again not W < V < R. STEPS go up from V to R, so V < R. Hence not W < V; V and W are different, so V < W |
//!
//! A walk of at least one step that ends where it began is then an event before itself, which no
//! order has: no model makes the clause false. Induction over the nesting carries F and B, as the
//! nested steps stand in the same model. The order is total, which both need; were it partial,
//! neither would follow.
//!
//! Nesting is followed without recursion: a file may nest as deep as it likes.

use crate::assignment::{Assignment, Lit};
use crate::facts::{Edge, Event, Facts, Reads, Writes};
use crate::reason::Reason;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Fixed {
        before: Event,
        after: Event,
    },
    Edge(Edge),
    Reads(Reads),
    /// From the reader to another writer, which is after the one that is read from: the steps up to
    /// the matching [`Step::End`] show it.
    FromRead(Between),
    /// From another writer, which is before the reader, to the one that is read from.
    Before(Between),
    /// Ends nested steps.
    End,
}

/// A read, and another event that writes the atom that is read while `lit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Between {
    pub reads: Reads,
    pub lit: Lit,
    pub other: Event,
}

/// A walk that waits for nested steps.
struct Outer {
    /// Where it began and has come to; nothing before its first step.
    ends: Option<(Event, Event)>,
    /// Where the nested steps have to end.
    goal: Event,
    /// What its step is when they do.
    step: (Event, Event),
}

/// That the steps close, and use only what is stated and true in `assignment`.
pub(crate) fn check(
    steps: &[Step],
    facts: &mut Facts,
    assignment: &Assignment,
) -> Result<(), Reason> {
    let mut outers: Vec<Outer> = Vec::new();
    let mut ends = None;
    for (number, step) in (1..).zip(steps) {
        let truth = Truth { assignment, number };
        match *step {
            Step::Fixed { before, after } => {
                if !facts.is_fixed(before, after) {
                    let (before, after) = (before.0, after.0);
                    return Err(Reason::NotFixed { before, after });
                }
                ends = Some(extended(ends, (before, after))?);
            }
            Step::Edge(edge) => {
                truth.expect(facts.has_edge(&edge), edge.lit)?;
                ends = Some(extended(ends, (edge.before, edge.after))?);
            }
            Step::Reads(reads) => {
                truth.expect(facts.has_reads(&reads), reads.lit)?;
                ends = Some(extended(ends, (reads.writer, reads.reader))?);
            }
            Step::FromRead(between) => {
                truth.expect_other_write(facts, &between)?;
                let Between { reads, other, .. } = between;
                outers.push(Outer {
                    ends,
                    goal: other,
                    step: (reads.reader, other),
                });
                ends = Some((reads.writer, reads.writer));
            }
            Step::Before(between) => {
                truth.expect_other_write(facts, &between)?;
                let Between { reads, other, .. } = between;
                outers.push(Outer {
                    ends,
                    goal: reads.reader,
                    step: (other, reads.writer),
                });
                ends = Some((other, other));
            }
            Step::End => {
                let (outer, (_, there)) = outers.pop().zip(ends).ok_or(Reason::Nesting)?;
                expect_at(outer.goal, there)?;
                ends = Some(extended(outer.ends, outer.step)?);
            }
        }
    }
    let (start, end) = ends.ok_or(Reason::EmptyWalk)?;
    match outers.is_empty() {
        true => expect_at(start, end),
        false => Err(Reason::Nesting),
    }
}

/// A walk with one more step, which begins where it has come to.
fn extended(
    ends: Option<(Event, Event)>,
    (from, to): (Event, Event),
) -> Result<(Event, Event), Reason> {
    let (start, end) = ends.unwrap_or((from, from));
    match end == from {
        true => Ok((start, to)),
        false => Err(Reason::Gap {
            expected: end.0,
            found: from.0,
        }),
    }
}

fn expect_at(goal: Event, there: Event) -> Result<(), Reason> {
    match goal == there {
        true => Ok(()),
        false => Err(Reason::NotThere {
            expected: goal.0,
            found: there.0,
        }),
    }
}

/// What step `number` may use.
struct Truth<'a> {
    assignment: &'a Assignment,
    number: usize,
}

impl Truth<'_> {
    /// A line states it, and its literal is true.
    fn expect(&self, is_stated: bool, lit: Lit) -> Result<(), Reason> {
        if !is_stated {
            return Err(Reason::NoFact(self.number));
        }
        match self.assignment.is_true(lit) {
            true => Ok(()),
            false => Err(Reason::LeftOut(self.number)),
        }
    }

    /// The other event writes what is read, and is neither of the two that read and are read from.
    fn expect_other_write(&self, facts: &Facts, between: &Between) -> Result<(), Reason> {
        let Between { reads, lit, other } = *between;
        let writes = Writes {
            lit,
            writer: other,
            atom: reads.atom,
        };
        self.expect(facts.has_reads(&reads), reads.lit)?;
        self.expect(facts.has_writes(&writes), lit)?;
        match other == reads.writer || other == reads.reader {
            true => Err(Reason::OwnWrite),
            false => Ok(()),
        }
    }
}

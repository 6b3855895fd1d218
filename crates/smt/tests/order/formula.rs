//! The formula of threads that each lock a mutex, increment a counter and unlock.

use smt::order::{AtomId, EventId, Formula, Lit};
use smt::{CmpOp, TermId, Terms};

/// The counter after all threads have ended, as a term, and the formula of all executions.
pub struct Counter {
    pub terms: Terms,
    pub formula: Formula,
    pub total: TermId,
    locks: Vec<EventId>,
}

/// An access: by which event, of which value.
type Access = (EventId, TermId);

impl Counter {
    pub fn new(mut formula: Formula, threads: usize, is_locked: bool) -> Counter {
        let mut terms = Terms::new();
        let (mutex, counter) = (formula.atom(), formula.atom());
        let zero = terms.constant(8, 0);
        let one = terms.constant(8, 1);
        let start = formula.event();
        let end = formula.event();
        let mut mutex_writes: Vec<Access> = vec![(start, zero)];
        let mut counter_writes: Vec<Access> = vec![(start, zero)];
        let mut locks = Vec::new();
        let mut reads = Vec::new();
        for thread in 0..threads {
            let events: Vec<EventId> = (0..4).map(|_| formula.event()).collect();
            let [lock, read, write, unlock] = events[..] else {
                unreachable!()
            };
            formula.always_before(start, lock);
            for pair in events.windows(2) {
                formula.always_before(pair[0], pair[1]);
            }
            formula.always_before(unlock, end);
            let value = terms.input(&format!("x{thread}"), 8);
            let next = terms.bin(smt::BinOp::Add, value, one);
            reads.push((read, value));
            counter_writes.push((write, next));
            if is_locked {
                locks.push((lock, zero));
                mutex_writes.push((lock, one));
                mutex_writes.push((unlock, zero));
            }
        }
        let total = terms.input("total", 8);
        reads.push((end, total));
        read_all(&mut formula, &mut terms, mutex, &mutex_writes, &locks);
        read_all(&mut formula, &mut terms, counter, &counter_writes, &reads);
        Counter {
            terms,
            formula,
            total,
            locks: locks.into_iter().map(|(event, _)| event).collect(),
        }
    }

    /// The threads lock one after the other, as may be asked of threads that are all alike.
    pub fn lock_in_turn(&mut self) {
        for pair in self.locks.windows(2) {
            let before = self.formula.before(pair[0], pair[1]);
            self.formula.clause(&[before]);
        }
    }

    pub fn total_is_not(&mut self, value: usize) -> Lit {
        let value = self.terms.constant(8, value as u128);
        let differs = self.terms.cmp(CmpOp::Ne, self.total, value);
        self.formula.literal(&mut self.terms, differs)
    }
}

/// Every read reads from exactly one write, whose value it has.
fn read_all(
    formula: &mut Formula,
    terms: &mut Terms,
    atom: AtomId,
    writes: &[Access],
    reads: &[Access],
) {
    for &(write, _) in writes {
        formula.writes(Lit::TRUE, write, atom);
    }
    for &(read, value) in reads {
        let mut sources = Vec::new();
        let value = formula.bits(terms, value);
        for &(write, written) in writes {
            if write == read || formula.is_before(read, write) {
                continue;
            }
            let lit = formula.fresh();
            formula.reads_from(lit, write, read, atom);
            sources.push(lit);
            let written = formula.bits(terms, written);
            for (&a, &b) in value.iter().zip(&written) {
                let equal = formula.equal(a, b);
                formula.clause(&[!lit, equal]);
            }
        }
        formula.clause(&sources);
    }
}

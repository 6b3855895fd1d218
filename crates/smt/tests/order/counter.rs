//! Threads that each lock a mutex, increment a counter and unlock.

use smt::order::{AtomId, EventId, Formula, Lit, OrderKind};
use smt::{CmpOp, TermId, Terms};

use crate::checker::{Checked, check};
use crate::{Buffer, solve};

/// The counter after all threads have ended, as a term, and the formula of all executions.
pub struct Counter {
    pub terms: Terms,
    pub formula: Formula,
    pub total: TermId,
}

/// A write: while which literal, by which event, of which value.
type Written = (EventId, TermId);

impl Counter {
    pub fn new(kind: OrderKind, proof: Option<Buffer>, threads: usize, is_locked: bool) -> Counter {
        let proof = proof.map(|buffer| Box::new(buffer) as Box<dyn std::io::Write + Send>);
        let mut terms = Terms::new();
        let mut formula = Formula::new(kind, proof);
        let (mutex, counter) = (formula.atom(), formula.atom());
        let zero = terms.constant(8, 0);
        let one = terms.constant(8, 1);
        let start = formula.event();
        let end = formula.event();
        let mut mutex_writes: Vec<Written> = vec![(start, zero)];
        let mut counter_writes: Vec<Written> = vec![(start, zero)];
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
    writes: &[Written],
    reads: &[Written],
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

fn is_total_certain(kind: OrderKind, threads: usize, is_locked: bool) -> bool {
    let mut counter = Counter::new(kind, None, threads, is_locked);
    let wrong = counter.total_is_not(threads);
    assert!(solve(&mut counter.formula, &[]), "some execution ends");
    !solve(&mut counter.formula, &[wrong])
}

#[test]
fn locked_increments_are_not_lost() {
    for threads in 1..=4 {
        assert!(is_total_certain(OrderKind::Theory, threads, true));
    }
    for threads in 1..=2 {
        assert!(is_total_certain(OrderKind::Clocks, threads, true));
    }
}

#[test]
fn increments_without_a_lock_are_lost() {
    for kind in [OrderKind::Theory, OrderKind::Clocks] {
        assert!(is_total_certain(kind, 1, false));
        for threads in 2..=8 {
            assert!(!is_total_certain(kind, threads, false));
        }
    }
}

#[test]
fn totals_without_a_lock_are_those_that_exist() {
    let mut counter = Counter::new(OrderKind::Theory, None, 3, false);
    for total in 0..8 {
        let differs = counter.total_is_not(total);
        assert_eq!(
            solve(&mut counter.formula, &[!differs]),
            (1..=3).contains(&total)
        );
        if (1..=3).contains(&total) {
            let input = counter.total;
            let value = counter.formula.input_value(&counter.terms, input);
            assert_eq!(value, Some(total as u128));
        }
    }
}

#[test]
fn the_proof_of_the_locked_counter_is_accepted() {
    let proof = Buffer::default();
    let mut counter = Counter::new(OrderKind::Theory, Some(proof.clone()), 4, true);
    let wrong = counter.total_is_not(4);
    assert!(solve(&mut counter.formula, &[!wrong]));
    assert!(!solve(&mut counter.formula, &[wrong]));
    let expected = Checked {
        satisfiable: 1,
        unsatisfiable: 1,
        unknown: 0,
    };
    assert_eq!(check(&proof.text()), expected);
}

//! What is known of threads that each increment a counter.

use smt::order::{Formula, OrderKind};

use crate::checker::{Checked, check};
use crate::formula::Counter;
use crate::{Buffer, solve};

fn is_total_certain(kind: OrderKind, threads: usize, is_locked: bool) -> bool {
    let mut counter = Counter::new(Formula::new(kind, None), threads, is_locked);
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
    let mut counter = Counter::new(Formula::new(OrderKind::Theory, None), 3, false);
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
    let formula = Formula::new(OrderKind::Theory, Some(Box::new(proof.clone())));
    let mut counter = Counter::new(formula, 4, true);
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

#[test]
fn threads_that_lock_in_turn_are_counted_without_search() {
    let mut counter = Counter::new(Formula::new(OrderKind::Theory, None), 64, true);
    counter.lock_in_turn();
    let wrong = counter.total_is_not(64);
    assert!(!solve(&mut counter.formula, &[wrong]));
    assert!(solve(&mut counter.formula, &[!wrong]));
    assert_eq!(counter.formula.stats().conflicts, 0);
}

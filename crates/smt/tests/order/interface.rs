//! What the interface promises, one small case each.

use smt::Terms;
use smt::order::{Formula, Lit, OrderKind};

use crate::solve;

const KINDS: [OrderKind; 2] = [OrderKind::Theory, OrderKind::Clocks];

#[test]
fn fixed_edges_are_transitive_in_any_order_of_arrival() {
    let mut formula = Formula::new(OrderKind::Theory, None);
    let events: Vec<_> = (0..200).map(|_| formula.event()).collect();
    for at in (0..199).rev() {
        formula.always_before(events[at], events[at + 1]);
    }
    for a in 0..200 {
        for b in 0..200 {
            assert_eq!(formula.is_before(events[a], events[b]), a < b);
        }
    }
    assert_eq!(formula.before(events[3], events[77]), Lit::TRUE);
    assert_eq!(formula.before(events[77], events[3]), Lit::FALSE);
    assert_eq!(formula.before(events[5], events[5]), Lit::FALSE);
    assert!(solve(&mut formula, &[]));
    assert_eq!(formula.order(), events);
}

#[test]
fn before_is_a_total_order() {
    for kind in KINDS {
        let mut formula = Formula::new(kind, None);
        let (a, b, c) = (formula.event(), formula.event(), formula.event());
        let ab = formula.before(a, b);
        assert_eq!(formula.before(b, a), !ab);
        assert_eq!(formula.before(a, b), ab);
        let (bc, ca) = (formula.before(b, c), formula.before(c, a));
        assert!(!solve(&mut formula, &[ab, bc, ca]));
        assert!(solve(&mut formula, &[!ab, bc, !ca]));
        assert_eq!(formula.order(), [b, a, c]);
    }
}

#[test]
fn a_cycle_of_fixed_edges_refutes_everything() {
    for kind in KINDS {
        let mut formula = Formula::new(kind, None);
        let (a, b) = (formula.event(), formula.event());
        assert!(solve(&mut formula, &[]));
        formula.always_before(a, b);
        formula.always_before(b, a);
        assert!(!solve(&mut formula, &[]));
    }
}

#[test]
fn two_read_modify_writes_do_not_read_from_one_write() {
    for kind in KINDS {
        let mut formula = Formula::new(kind, None);
        let (w, r1, r2) = (formula.event(), formula.event(), formula.event());
        let atom = formula.atom();
        for event in [w, r1, r2] {
            formula.writes(Lit::TRUE, event, atom);
        }
        let (first, second) = (formula.fresh(), formula.fresh());
        formula.reads_from(first, w, r1, atom);
        formula.reads_from(second, w, r2, atom);
        assert!(solve(&mut formula, &[first]));
        assert!(solve(&mut formula, &[second]));
        assert!(!solve(&mut formula, &[first, second]));
        assert!(formula.is_in_core(first) && formula.is_in_core(second));
    }
}

#[test]
fn inputs_have_values_once_they_are_mentioned() {
    for kind in KINDS {
        let mut terms = Terms::new();
        let mut formula = Formula::new(kind, None);
        let (x, y) = (terms.input("x", 32), terms.input("y", 32));
        let value = terms.constant(32, 0xdead_beef);
        let equal = terms.eq(x, value);
        let lit = formula.literal(&mut terms, equal);
        assert!(solve(&mut formula, &[lit]));
        assert_eq!(formula.input_value(&terms, x), Some(0xdead_beef));
        assert_eq!(formula.input_value(&terms, y), None);
    }
}

#[test]
fn nothing_is_answered_once_interrupted() {
    for kind in KINDS {
        let mut formula = Formula::new(kind, None);
        let events: Vec<_> = (0..40).map(|_| formula.event()).collect();
        // More pigeons than holes: far too long to be answered first.
        let mut holes: Vec<Vec<Lit>> = vec![Vec::new(); 39];
        for _ in &events {
            let places: Vec<Lit> = (0..39).map(|_| formula.fresh()).collect();
            formula.clause(&places);
            for (hole, &lit) in holes.iter_mut().zip(&places) {
                for &other in hole.iter() {
                    formula.clause(&[!lit, !other]);
                }
                hole.push(lit);
            }
        }
        let interrupt = std::sync::Arc::new(true.into());
        let answer = formula.solve(&[], std::time::Duration::MAX, &interrupt);
        assert_eq!(answer, None);
    }
}

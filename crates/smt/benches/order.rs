//! Both ways of deciding an order, on threads that each increment a counter under a lock.
//!
//! `cargo bench -p smt --bench order` prints what it takes to find one execution and to refute that the
//! total differs from the number of threads. Without more knowledge the second needs about all orders
//! of the threads: the total of a set of threads is no literal that a clause could speak of. Threads
//! that are all alike may be asked to lock in turn; then nothing is left to search.

#[path = "../tests/order/formula.rs"]
mod formula;

use std::sync::Arc;
use std::time::Duration;

use smt::order::{Formula, OrderKind};

use self::formula::Counter;

const TIMEOUT: Duration = Duration::from_secs(20);

fn main() {
    println!(
        "{:8} {:8} {:>7} {:>12} {:>10} {:>9} {:>9} {:>9} {:>9}",
        "kind",
        "locks",
        "threads",
        "question",
        "answer",
        "conflicts",
        "lemmas",
        "clauses",
        "seconds"
    );
    for kind in [OrderKind::Theory, OrderKind::Clocks] {
        for threads in [4, 6, 8] {
            measure(kind, threads, false);
        }
        for threads in [8, 16, 32, 64] {
            // So many comparisons of clocks are no comparison any more.
            if kind == OrderKind::Theory || threads <= 16 {
                measure(kind, threads, true);
            }
        }
    }
}

fn measure(kind: OrderKind, threads: usize, is_in_turn: bool) {
    let mut counter = Counter::new(Formula::new(kind, None), threads, true);
    if is_in_turn {
        counter.lock_in_turn();
    }
    let wrong = counter.total_is_not(threads);
    for (question, assumptions) in [("execution", vec![]), ("other total", vec![wrong])] {
        let before = counter.formula.stats();
        let answer = counter
            .formula
            .solve(&assumptions, TIMEOUT, &Arc::default());
        let after = counter.formula.stats();
        println!(
            "{:8} {:8} {threads:7} {question:>12} {:>10} {:9} {:9} {:9} {:9.3}",
            format!("{kind:?}"),
            if is_in_turn { "in turn" } else { "free" },
            match answer {
                Some(true) => "sat",
                Some(false) => "unsat",
                None => "timeout",
            },
            after.conflicts - before.conflicts,
            after.lemmas - before.lemmas,
            after.clauses,
            (after.time - before.time).as_secs_f64(),
        );
    }
}

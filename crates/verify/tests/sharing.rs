//! Memory that proves to be shared late must not make the search start over again and again, nor
//! make it forget the threads it has seen.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use verify::{Config, Loaded, Properties, Search};

fn sigma(n: u32) -> Loaded {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/por/sigma.c");
    verify::load(&[file], &[format!("-DN={n}")]).expect("it loads")
}

fn options() -> explore::Options {
    explore::Options {
        machine: Config::default(),
        search: Search::optimal(),
        properties: Properties::all(),
        all: true,
        slices: false,
        solver_timeout: Duration::from_secs(30),
        interrupt: Arc::default(),
        shared: Default::default(),
    }
}

#[test]
fn an_array_that_is_shared_cell_by_cell_is_shared_soon() {
    let mut restarts = Vec::new();
    for n in [3, 4, 5] {
        let outcome = explore::search(&sigma(n).program, &options(), &mut explore::Silent);
        restarts.push(outcome.expect("it starts").restarts);
    }
    assert_eq!(restarts, [restarts[0]; 3], "as often, however many cells");
}

/// Stops the search as soon as it starts over.
struct Impatient(Arc<AtomicBool>);

impl explore::Monitor for Impatient {
    fn restart(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_search_that_is_stopped_when_it_starts_over_has_seen_threads() {
    let options = options();
    let mut monitor = Impatient(Arc::clone(&options.interrupt));
    let outcome = explore::search(&sigma(3).program, &options, &mut monitor);
    let outcome = outcome.expect("it starts");
    assert_eq!((outcome.restarts, outcome.runs.complete), (1, 0));
    assert!(outcome.threads > 1, "{} threads", outcome.threads);
}

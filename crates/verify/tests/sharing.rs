//! Memory that proves to be shared late must not make the search start over again and again.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use verify::{Config, Independence, Properties, Reduction, Workers};

#[test]
fn an_array_that_is_shared_cell_by_cell_is_shared_soon() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/por/sigma.c");
    let mut restarts = Vec::new();
    for n in [3, 4, 5] {
        let define = format!("-DN={n}");
        let loaded = verify::load(std::slice::from_ref(&file), &[define]).expect("it loads");
        let options = explore::Options {
            machine: Config::default(),
            reduction: Reduction::Optimal,
            independence: Independence::default(),
            properties: Properties::all(),
            all: true,
            slices: false,
            peek: false,
            summaries: None,
            solver_timeout: Duration::from_secs(30),
            interrupt: Arc::default(),
            workers: Workers::default(),
        };
        let outcome = explore::search(&loaded.program, &options, &mut explore::Silent);
        restarts.push(outcome.expect("it starts").restarts);
    }
    assert_eq!(restarts, [restarts[0]; 3], "as often, however many cells");
}

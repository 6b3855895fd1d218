//! The optimal search follows every Mazurkiewicz trace once: known numbers, and none of the executions blocked.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn runs(program: &str, clang: &[String]) -> Value {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_sleave"))
        .args(["check", "--por", "optimal", "--all", "--format", "json"])
        .arg("--no-witness")
        .arg(root.join(program))
        .arg("--")
        .args(clang)
        .output()
        .expect("sleave runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    report["runs"].clone()
}

/// With N = `first`, `first` + 1, ...
fn expect(program: &str, first: usize, traces: &[u64]) {
    for (n, &traces) in (first..).zip(traces) {
        let runs = runs(program, &[format!("-DN={n}")]);
        assert_eq!(runs["complete"], traces, "{program} with N = {n}");
        assert_eq!(runs["blocked"], 0, "{program} with N = {n}");
    }
}

#[test]
fn two_threads_that_add() {
    expect("tests/programs/traces/two_threads_add.c", 1, &[3, 19, 141]);
    expect("benches/por/fib.c", 1, &[11, 140, 1_698, 19_605, 218_243]);
}

#[test]
fn readers_and_writers() {
    expect(
        "tests/programs/traces/writers.c",
        1,
        &[1, 2, 6, 24, 120, 720, 5_040],
    );
    expect(
        "tests/programs/traces/readers_of_many.c",
        1,
        &[2, 4, 8, 16, 32, 64, 128],
    );
    expect("benches/por/readers.c", 9, &[512, 1_024]);
}

#[test]
fn last_zero() {
    expect("benches/por/lastzero.c", 10, &[3_328]);
    expect("benches/por/lastzero.c", 12, &[15_360]);
}

#[test]
fn indexer_and_file_system() {
    expect("benches/por/indexer.c", 12, &[8, 64, 512, 4_096]);
    expect("benches/por/filesystem.c", 20, &[128]);
    expect("benches/por/filesystem.c", 22, &[512]);
}

#[test]
fn figures_of_the_papers() {
    for k in 1..=5 {
        let program = format!("tests/programs/counts/p1_figure3_k{k}.c");
        expect(&program, 0, &[1 << k]);
    }
    expect("tests/programs/counts/p1_figure4.c", 0, &[36]);
    expect("tests/programs/traces/p4_figure7.c", 0, &[3]);
    expect("tests/programs/traces/p4_figure8.c", 0, &[12_870]);
    expect("tests/programs/traces/p4_figure9.c", 0, &[6]);
}

/// With real waiting loops: as many as there are with loops that only an exit leaves.
#[test]
fn mutual_exclusion() {
    for (program, traces) in [("dekker", 803), ("lamport", 1_906), ("szymanski", 1_522)] {
        let program = format!("benches/por/{program}.c");
        let runs = runs(&program, &["-DROUNDS=2".to_string()]);
        assert_eq!(runs["complete"], traces, "{program}");
        assert_eq!(runs["blocked"], 0, "{program}");
    }
}

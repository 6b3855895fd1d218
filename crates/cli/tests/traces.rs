//! The optimal search follows every Mazurkiewicz trace once: known numbers, and none of the
//! executions blocked. With a finer notion of independence there are fewer traces: known numbers,
//! too. With summaries the runs of P1's examples are as few as it says.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn runs(program: &str, clang: &[String]) -> Value {
    runs_with(&["--por", "optimal"], program, clang)
}

fn runs_with(flags: &[&str], program: &str, clang: &[String]) -> Value {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_sleave"))
        .args(["check", "--all", "--format", "json", "--no-witness"])
        .args(flags)
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

/// With real waiting loops: as many are complete as there are with loops that only an exit leaves.
/// In others a thread looked too early, and its round ends there.
#[test]
fn mutual_exclusion() {
    for (program, traces) in [("dekker", 803), ("lamport", 1_906), ("szymanski", 1_522)] {
        let program = format!("benches/por/{program}.c");
        let runs = runs(&program, &["-DROUNDS=2".to_string()]);
        assert_eq!(runs["complete"], traces, "{program}");
        assert_ne!(runs["blocked"], 0, "{program}");
    }
}

/// So many are left with these flags for N = 1, 2, ...
fn expect_finer(flags: &[&str], program: &str, define: &str, traces: &[u64]) {
    for (n, &traces) in (1..).zip(traces) {
        let clang = [format!("-DN={n}"), format!("-D{define}")];
        let runs = runs_with(flags, program, &clang);
        assert_eq!(runs["complete"], traces, "{program} {flags:?} {clang:?}");
    }
}

/// All the ways in which C and C++ write an update whose result is dropped.
#[test]
fn updates_that_commute() {
    let commute = ["--por", "source", "--commute"];
    for form in 0..=11 {
        let form = format!("FORM={form}");
        let traces = [1, 1, 1, 1];
        expect_finer(&commute, "tests/programs/traces/updates.c", &form, &traces);
    }
    let by_dpor = ["--por", "dpor", "--commute"];
    let program = "tests/programs/traces/updates.c";
    expect_finer(&by_dpor, program, "FORM=0", &[1, 1, 1, 1]);
    for form in 0..=4 {
        let program = "tests/programs/traces/updates.cpp";
        expect_finer(&commute, program, &format!("FORM={form}"), &[1, 1, 1]);
    }
}

/// The old value is used, two kinds are mixed, or it is no update but an exchange.
#[test]
fn updates_that_do_not_commute() {
    let commute = ["--por", "source", "--commute"];
    let program = "tests/programs/traces/updates.c";
    for form in [20, 21, 23] {
        expect_finer(&commute, program, &format!("FORM={form}"), &[1, 2, 6, 24]);
    }
    expect_finer(&commute, program, "FORM=22", &[1, 2, 4]);
}

/// The order of writes counts only up to who is read: one class if nobody reads, one per last
/// writer if somebody does in the end. A reader in between sees nothing yet, or one of the N,
/// before which any of the others came.
#[test]
fn writes_that_are_observed() {
    let program = "tests/programs/traces/last_writer.c";
    for flags in [
        &["--por", "source", "--observers"][..],
        &["--por", "source", "--observers", "--commute"],
    ] {
        expect_finer(flags, program, "READER=0", &[1, 1, 1, 1, 1, 1]);
        expect_finer(flags, program, "READER=1", &[1, 2, 3, 4, 5, 6]);
        expect_finer(flags, program, "READER=2", &[2, 5, 13, 33, 81, 193]);
    }
}

/// Readers take and give back a read-write lock in any order: two writers in two orders, and each
/// of two readers before, between or after them.
#[test]
fn readers_do_not_order_each_other() {
    let program = "benchmarks/p4/read_write_lock.c";
    let finest = runs_with(
        &["--por", "source", "--observers", "--commute"],
        program,
        &[],
    );
    assert_eq!(finest["complete"], 18);
}

/// Programs in which everything is read have no fewer.
#[test]
fn finer_independence_leaves_what_counts() {
    let flags = ["--por", "source", "--observers", "--commute"];
    for (program, n, traces) in [
        ("benches/por/fib.c", 2, 140),
        ("benches/por/lastzero.c", 8, 704),
        ("benches/por/indexer.c", 13, 64),
        ("benches/por/readers.c", 8, 256),
        // Of the six orders of the writes two are left: who was last.
        ("tests/programs/traces/p4_figure9.c", 0, 2),
        ("tests/programs/traces/p4_figure7.c", 0, 3),
    ] {
        let runs = runs_with(&flags, program, &[format!("-DN={n}")]);
        assert_eq!(runs["complete"], traces, "{program}");
    }
}

/// P4's own examples: what its dependence and its two optimisations leave (section 5, Figures 1, 8
/// and 9).
#[test]
fn predicate_dependence_of_the_paper() {
    let finest = ["--dependence", "predicate", "--peek", "--observers"];
    let figure8 = "tests/programs/traces/p4_figure8.c";
    assert_eq!(runs(figure8, &[])["complete"], 12_870);
    let peeking = runs_with(&["--por", "optimal", "--peek"], figure8, &[]);
    assert_eq!(peeking["complete"], 1);
    assert_eq!(runs_with(&finest, figure8, &[])["complete"], 1);
    let figure9 = "tests/programs/traces/p4_figure9.c";
    assert_eq!(runs(figure9, &[])["complete"], 6);
    assert_eq!(runs_with(&finest, figure9, &[])["complete"], 2);
    let program = "benchmarks/p4/indexer.c";
    for (n, traces) in [(12, 8), (13, 64), (14, 512), (15, 4_096)] {
        for swap in ["-DLOCKS", "-DATOMIC"] {
            let clang = [format!("-DN={n}"), swap.to_string()];
            assert_eq!(runs(program, &clang)["complete"], traces, "{clang:?}");
            // Whether a free slot is ever found depends on all of them; whether the assertion holds
            // does not.
            let assertion = [&finest[..], &["--property", "assertion"]].concat();
            let fewer = runs_with(&assertion, program, &clang);
            assert_eq!(fewer["complete"], 1, "{clang:?}");
        }
    }
}

/// Critical sections depend on each other by single variables, not by all that they touch together.
#[test]
fn sections_with_several_variables() {
    let program = "tests/programs/traces/sections.c";
    let peeking = ["--por", "source", "--peek"];
    expect_finer(&peeking, program, "PEEK", &[3, 9, 27]);
}

/// Sections that wait on a condition: those that only look before are in no order, and with
/// commuting steps neither are those who become waiters.
#[test]
fn sections_that_wait() {
    let program = "tests/programs/traces/waits.c";
    let peeking = ["--no-spurious", "--por", "source", "--peek"];
    expect_finer(&peeking, program, "PEEK", &[2, 5, 16, 65]);
    let commuting = ["--no-spurious", "--por", "source", "--peek", "--commute"];
    expect_finer(&commuting, program, "PEEK", &[2, 4, 8, 16]);
}

/// With summaries: the complete executions, and those that were left where the rest was known.
fn pruned_runs(por: &str, program: &str) -> (u64, u64) {
    let flags = ["--no-spurious", "--por", por, "--prune", "summaries"];
    let runs = runs_with(&flags, program, &[]);
    let count = |kind: &str| runs[kind].as_u64().expect("a count");
    assert_eq!(count("blocked"), 0, "{program} {por}");
    (count("complete"), count("pruned"))
}

/// P1, Figure 2: one complete run and four partial ones. Figure 4: at most 18 runs by summaries
/// alone, at most 13 with a reduction (Table 1); so many are left.
#[test]
fn summaries_prune_what_is_known() {
    for por in ["none", "dpor", "source"] {
        let runs = pruned_runs(por, "tests/programs/counts/p1_figure2.c");
        assert_eq!(runs, (1, 4), "{por}");
    }
    for (por, most, runs) in [("none", 18, (1, 14)), ("source", 13, (1, 9))] {
        let (complete, pruned) = pruned_runs(por, "tests/programs/counts/p1_figure4.c");
        assert!(complete + pruned <= most, "{por}: {complete} and {pruned}");
        assert_eq!((complete, pruned), runs, "{por}");
    }
}

/// P1, Figure 3: each segment costs one run more, instead of twice as many.
#[test]
fn segments_cost_one_run_each() {
    for k in 1..=5 {
        let program = format!("tests/programs/counts/p1_figure3_k{k}.c");
        assert_eq!(pruned_runs("source", &program), (1, k), "{program}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for k in 1..=12 {
        let program = folder.path().join(format!("segments_{k}.c"));
        std::fs::write(&program, segments(k)).expect("the file is written");
        let program = program.to_string_lossy();
        assert_eq!(pruned_runs("source", &program), (1, k), "k = {k}");
    }
}

/// So many reads by one thread, and writes by another, each pair of a variable of its own.
fn segments(k: u64) -> String {
    let lines = |line: &dyn Fn(u64) -> String| (1..=k).map(line).collect::<String>();
    let variables = lines(&|i| format!("static int x{i};\n"));
    let reads = lines(&|i| format!("    int a{i} = x{i};\n"));
    let writes = lines(&|i| format!("    x{i} = 10;\n"));
    format!(
        "#include <pthread.h>

{variables}
static void *reader(void *arg)
{{
{reads}    return NULL;
}}

static void *writer(void *arg)
{{
{writes}    return NULL;
}}

int main(void)
{{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, reader, NULL);
    pthread_create(&t2, NULL, writer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}}
"
    )
}

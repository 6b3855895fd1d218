//! `sleave lint` and `sleave analyze` on programs: what is wrong in them is among the warnings, and
//! what is right is mostly not.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sleave(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sleave"))
        .args(args)
        .current_dir(root())
        .env_remove("COLUMNS")
        .output()
        .expect("sleave runs")
}

fn text(args: &[&str]) -> String {
    let output = sleave(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn warnings(program: &str) -> Vec<Value> {
    let flags: &[&str] = &["lint", "--format=json", program];
    let report: Value = serde_json::from_str(&text(flags)).expect("JSON");
    report["warnings"].as_array().expect("a list").clone()
}

/// The lines at which the threads of a warning are.
fn lines(warning: &Value) -> Vec<u64> {
    let steps = warning["steps"].as_array().expect("a list");
    let line = |step: &Value| {
        let place = step["stack"][0]["location"].as_str().unwrap_or_default();
        place.split(':').nth(1).and_then(|line| line.parse().ok())
    };
    steps.iter().filter_map(line).collect()
}

/// The programs of a folder in which a line is marked, with the number of that line.
fn marked(folder: &str, marker: &str) -> Vec<(String, u64)> {
    let folder = format!("tests/programs/{folder}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string();
        let path = format!("{folder}/{}", name.expect("a name"));
        if !path.ends_with(".c") {
            continue;
        }
        let source = std::fs::read_to_string(root().join(&path)).expect("a file");
        let marked = source.lines().position(|line| line.contains(marker));
        found.extend(marked.map(|line| (path, line as u64 + 1)));
    }
    found.sort();
    found
}

#[test]
fn every_race_is_among_the_warnings() {
    let programs = marked("bug", "//~ BUG(race)");
    assert!(programs.len() > 10, "{programs:?}");
    for (program, line) in programs {
        let found = warnings(&program);
        let mut races = found.iter().filter(|w| w["kind"] == "race");
        assert!(
            races.any(|w| lines(w).contains(&line)),
            "{program}:{line}: {found:?}"
        );
    }
}

#[test]
fn deadlocks_of_locks_are_among_the_warnings() {
    for (name, kind) in [
        ("deadlock_abba", "lock order"),
        ("deadlock_input_dependent", "lock order"),
        ("deadlock_philosophers_3", "lock order"),
        ("rwlock_deadlock_crossed", "lock order"),
        ("c11_deadlock", "lock order"),
        ("deadlock_join_under_lock", "join under lock"),
        ("deadlock_thread_keeps_lock", "kept lock"),
        ("deadlock_read_then_write", "double lock"),
        ("lock_relock", "double lock"),
        ("lock_forgotten_on_error_path", "double lock"),
        ("cond_no_predicate", "endless wait"),
        ("cond_never_signalled", "endless wait"),
        ("cond_signal_one_of_two", "endless wait"),
        ("cond_lost_wakeup", "endless wait"),
        ("deadlock_waits_with_lock", "endless wait"),
        ("deadlock_join_each_other", "endless wait"),
        ("deadlock_semaphore_never_posted", "endless wait"),
        ("barrier_too_few", "endless wait"),
    ] {
        let found = warnings(&format!("tests/programs/bug/{name}.c"));
        assert!(found.iter().any(|w| w["kind"] == kind), "{name}: {found:?}");
    }
}

/// In the programs of `lint/`, a line is marked with `//~ WARN(kind)` if and only if a thread
/// stands there in a warning of that kind.
#[test]
fn warnings_are_where_they_are_marked() {
    let folder = "tests/programs/lint";
    let mut programs = 0;
    for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string();
        let path = format!("{folder}/{}", name.expect("a name"));
        let source = std::fs::read_to_string(root().join(&path)).expect("a file");
        let mut marked: Vec<(u64, String)> = Vec::new();
        for (index, line) in source.lines().enumerate() {
            if let Some((_, kind)) = line.split_once("//~ WARN(") {
                marked.push((index as u64 + 1, kind.trim_end_matches(')').to_string()));
            }
        }
        let mut found: Vec<(u64, String)> = Vec::new();
        for warning in warnings(&path) {
            let kind = warning["kind"].as_str().expect("a kind");
            found.extend(
                lines(&warning)
                    .into_iter()
                    .map(|line| (line, kind.to_string())),
            );
        }
        found.sort();
        found.dedup();
        assert_eq!(found, marked, "{path}");
        programs += 1;
    }
    assert!(programs > 10);
}

#[test]
fn several_threads_at_the_same_lines_are_one_warning() {
    assert_eq!(warnings("tests/programs/lint/philosophers.c").len(), 1);
}

#[test]
fn what_locks_or_threads_order_is_not() {
    for name in [
        "race_mutex",
        "race_rwlock",
        "race_sections",
        "race_try_lock",
        "race_readers",
        "race_neighbours",
        "race_memcpy_beside",
    ] {
        let found = warnings(&format!("tests/programs/safe/{name}.c"));
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn a_report_shows_both_sides() {
    let report = text(&["lint", "examples/lost_update.c"]);
    let expected = "examples/lost_update.c:13:16: possible data race on counter

  worker() started at lost_update.c:23 reads counter
      13 | int seen = counter;
    in worker() (lost_update.c:13)
    holding no lock

  worker() started at lost_update.c:24 writes counter
      15 | counter = next;
    in worker() (lost_update.c:15)
    holding no lock
";
    assert!(report.starts_with(expected), "{report}");
    assert!(
        report.ends_with("sleave check says whether they happen.\n"),
        "{report}"
    );
}

#[test]
fn sarif() {
    let log = text(&["lint", "--format=sarif", "examples/lost_update.c"]);
    let log: Value = serde_json::from_str(&log).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["level"], "warning");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "examples/lost_update.c");
        assert!(place["region"]["startLine"].as_u64().is_some());
        assert_eq!(result["stacks"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn exit_codes() {
    assert_eq!(sleave(&["lint"]).status.code(), Some(1));
    assert_eq!(sleave(&["lint", "nowhere.c"]).status.code(), Some(2));
    assert_eq!(
        sleave(&["analyze", "examples/deadlock.c"]).status.code(),
        Some(1)
    );
    let missing = [
        "analyze",
        "examples/deadlock.c",
        "--show=cfg",
        "--function=nobody",
    ];
    assert_eq!(sleave(&missing).status.code(), Some(1));
}

#[test]
fn facts_are_shown() {
    let show = |facts: &str, more: &[&str]| {
        let facts = format!("--show={facts}");
        let mut args = vec!["analyze", "examples/lost_update.c", facts.as_str()];
        args.extend(more);
        text(&args)
    };
    assert!(show("callgraph", &[]).contains("main starts worker\n"));
    assert!(show("escape", &[]).contains("\n  counter\n"));
    assert!(show("escape", &[]).contains("thread1 and thread2"));
    assert!(
        show("locks", &["--function=worker"]).contains("lost_update.c:13 thread1: holds nothing")
    );
    assert!(show("slice", &[]).contains("worker: lines 13"));
    for facts in ["cfg", "callgraph", "points-to", "escape", "sdg"] {
        assert!(!show(facts, &[]).is_empty(), "{facts}");
        assert!(show(facts, &["--dot"]).starts_with("digraph"), "{facts}");
    }
}

//! What reports say of races and deadlocks, as text, as JSON and in a replay.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/bug")
}

/// Standard output.
fn sleave(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sleave"));
    let output = command.current_dir(programs()).args(args).output();
    let output = output.expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

fn json(program: &str, more: &[&str]) -> Value {
    let args = ["check", "--format=json", "--no-witness", program];
    let text = sleave(&[&args, more].concat());
    serde_json::from_str(&text).expect("one object")
}

const RACE: &[&str] = &["--property", "race"];

#[test]
fn a_race_names_both_accesses_and_their_locks() {
    let text = sleave(&[&["check", "--no-witness", "race_two_locks.c"], RACE].concat());
    assert!(text.contains("data race on counter: "), "{text}");
    assert!(
        text.contains("it holds a (locked at race_two_locks.c:11)"),
        "{text}"
    );
    assert!(
        text.contains("it holds b (locked at race_two_locks.c:21)"),
        "{text}"
    );
    assert!(text.contains("not the same one"), "{text}");
    assert!(text.ends_with("verdict: bug (race)\n"), "{text}");
}

#[test]
fn a_race_has_stacks() {
    let race = &json("race_counter.c", RACE)["race"];
    assert_eq!(race["variable"], "counter");
    for access in race["accesses"].as_array().expect("two") {
        let functions: Vec<&str> = access["stack"]
            .as_array()
            .expect("a stack")
            .iter()
            .map(|caller| caller["function"].as_str().expect("a name"))
            .collect();
        assert_eq!(functions, ["add", "worker"]);
        assert_eq!(access["locks"], Value::Array(vec![]));
    }
}

/// One race does not hide another: the flag and the data that it publishes, and the check inside
/// the lock.
#[test]
fn all_races_are_found_in_every_search() {
    for por in ["none", "dpor", "source", "optimal"] {
        let por = format!("--por={por}");
        let report = json("race_double_checked.c", &[RACE, &["--all", &por]].concat());
        let bugs = report["bugs"].as_array().expect("a list");
        let mut variables: Vec<&str> = bugs
            .iter()
            .map(|bug| bug["race"]["variable"].as_str().expect("a name"))
            .collect();
        variables.sort_unstable();
        assert_eq!(variables, ["storage.value", "thing"], "{por}");
    }
}

#[test]
fn races_are_found_at_random_and_with_few_preemptions() {
    for how in [&["--random", "--runs=50"][..], &["--preemptions=1"]] {
        let report = json("race_two_locks.c", &[RACE, how].concat());
        assert_eq!(report["property"], "race", "{how:?}");
    }
}

#[test]
fn races_are_looked_for_only_if_asked_for() {
    assert_eq!(json("race_counter.c", &[])["verdict"], "safe");
    assert_eq!(
        json("race_counter.c", &["--property", "all"])["property"],
        "race"
    );
    assert_eq!(
        json("race_counter.c", &["--property", "assertion,race"])["property"],
        "race"
    );
}

#[test]
fn a_race_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let witness = folder.path().join("witness.json");
    let witness = witness.to_str().expect("text");
    sleave(&[&["check", "race_free.c", "--witness", witness], RACE].concat());
    let text = sleave(&["replay", witness]);
    assert!(text.contains("T1 reads it, main frees it"), "{text}");
    assert!(text.contains("Nothing orders these two:"), "{text}");
    let report: Value =
        serde_json::from_str(&sleave(&["replay", "--format=json", witness])).expect("one object");
    assert_eq!(report["race"]["accesses"][1]["access"], "frees");
}

#[test]
fn a_circle_is_named() {
    let report = json("deadlock_philosophers_3.c", &[]);
    let deadlock = &report["deadlock"];
    assert_eq!(deadlock["cause"], "circle");
    assert_eq!(deadlock["circle"], serde_json::json!(["T1", "T2", "T3"]));
    assert_eq!(deadlock["waiting"][1]["holds"][0]["name"], "fork_[0]");
    let message = deadlock["message"].as_str().expect("a sentence");
    let expected = "deadlock: T1 waits for mutex fork_[1] (deadlock_philosophers_3.c:11), held by T2, which waits for";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn deadlocks_say_what_kind_they_are() {
    let cases = [
        ("deadlock_join_under_lock.c", "circle", "the end of T1"),
        ("deadlock_join_each_other.c", "circle", "the end of T2"),
        (
            "deadlock_read_then_write.c",
            "circle",
            "held by main itself",
        ),
        (
            "rwlock_deadlock_crossed.c",
            "circle",
            "read-write lock second",
        ),
        (
            "cond_lost_wakeup.c",
            "lost wake-up",
            "main waits on condition c at cond_lost_wakeup.c:21; the last signal of it was at cond_lost_wakeup.c:11, before the wait began",
        ),
        (
            "cond_never_signalled.c",
            "lost wake-up",
            "it is never signalled",
        ),
        ("cond_signal_one_of_two.c", "lost wake-up", "wakes T1"),
        (
            "deadlock_semaphore_never_posted.c",
            "semaphore",
            "nobody is left to post it",
        ),
        ("barrier_too_few.c", "barrier", "only 2 of 3 threads arrive"),
        (
            "deadlock_thread_keeps_lock.c",
            "abandoned lock",
            "T1 has ended without unlocking it",
        ),
        (
            "loop_nobody_writes.c",
            "loop",
            "goes round a loop at loop_nobody_writes.c:9",
        ),
    ];
    for (program, cause, part) in cases {
        let deadlock = &json(program, &[])["deadlock"];
        assert_eq!(deadlock["cause"], cause, "{program}");
        let message = deadlock["message"].as_str().expect("a sentence");
        assert!(message.contains(part), "{program}: {message}");
    }
}

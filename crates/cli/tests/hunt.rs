//! `sleave hunt`: what it prints, its exit codes, and what it reads of `sleave lint` and other tools.

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

/// Without witnesses.
fn hunt(args: &[&str]) -> Output {
    sleave(&[&["hunt", "--no-witness"], args].concat())
}

fn json(args: &[&str]) -> Value {
    let output = hunt(&[&["--format=json"], args].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn text(args: &[&str]) -> String {
    String::from_utf8(hunt(args).stdout).expect("text")
}

/// What came of each target, in their order.
fn statuses(report: &Value) -> Vec<&str> {
    let targets = report["targets"].as_array().expect("targets").iter();
    targets
        .map(|t| t["status"].as_str().expect("a status"))
        .collect()
}

/// A program in a folder of its own.
struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn new(name: &str, source: &str) -> (Scratch, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let scratch = Scratch { folder };
        let path = scratch.write(name, source);
        (scratch, path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("a name").to_string()
    }
}

/// The assertion fails, unless it is left out (`-DHOLDS`); one line is reached, another one is not.
const STATUSES: &str = "\
#include <assert.h>
#include <pthread.h>
static int x, y;
static void never(void) { y = 7; }
static void *one(void *arg)
{
    x = 1;
    y = 2; /* reached */
    return arg;
}
static void *other(void *arg)
{
#ifndef HOLDS
    if (x == 1)
        assert(y == 2); /* confirmed */
#endif
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x == 2)
        never(); /* no run */
    return 0;
}
";

fn line(source: &str, mark: &str) -> usize {
    source
        .lines()
        .position(|line| line.contains(mark))
        .expect("a marked line")
        + 1
}

fn target(name: &str, mark: &str) -> String {
    format!("--target={name}:{}", line(STATUSES, mark))
}

#[test]
fn statuses_and_exit_codes() {
    let (_scratch, program) = Scratch::new("four.c", STATUSES);
    let run = |mark: &str, more: &[&str]| {
        let target = target("four.c", mark);
        let args = [&[&*program, &*target, "--time-limit=5"], more].concat();
        let report = json(&args);
        let status = statuses(&report).join(", ");
        (status, hunt(&args).status.code())
    };
    assert_eq!(run("confirmed", &[]), ("confirmed".to_string(), Some(10)));
    let holds = ["--", "-DHOLDS"];
    assert_eq!(run("reached */", &holds), ("reached".to_string(), Some(5)));
    // That something goes wrong elsewhere does not bring a thread there.
    for more in [&[][..], &holds] {
        let (status, _) = run("no run", more);
        assert!(["open", "refuted"].contains(&&*status), "{status}");
    }
    assert_eq!(run("no run", &holds).1, Some(5));
}

/// An assertion that holds is not confirmed by another one that fails.
#[test]
fn another_failure_confirms_nothing() {
    let source = "\
#include <assert.h>
#include <pthread.h>
static int x;
static void *one(void *arg) { x = 1; return arg; }
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, one, 0);
    assert(x == 0);
    pthread_join(a, 0);
    assert(x == 1);
    return 0;
}
";
    let (_scratch, program) = Scratch::new("two.c", source);
    let report = json(&[&program, "--time-limit=5"]);
    let [fails, holds] = report["targets"].as_array().expect("targets").as_slice() else {
        panic!("{report}");
    };
    assert_eq!(fails["status"], "confirmed", "{report}");
    let location = fails["bug"]["location"].as_str().expect("a place");
    assert!(location.ends_with("two.c:9:5"), "{report}");
    assert_ne!(holds["status"], "confirmed", "{report}");
}

/// The default is every assertion; the report shows the run and how to replay it.
#[test]
fn assertions_by_default() {
    let (scratch, program) = Scratch::new("four.c", STATUSES);
    let witness = scratch.folder.path().join("four.witness.json");
    let output = sleave(&[
        "hunt",
        &program,
        "--witness",
        witness.to_str().expect("a name"),
    ]);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let title = format!(
        "confirmed: assertion at four.c:{}",
        line(STATUSES, "confirmed")
    );
    assert!(text.starts_with(&title), "{text}");
    assert!(text.contains("replay it: sleave replay"), "{text}");
    assert!(
        text.contains("1 target: 1 confirmed, 0 reached, 0 refuted, 0 open"),
        "{text}"
    );
    let replayed = sleave(&["replay", witness.to_str().expect("a name")]);
    assert_eq!(replayed.status.code(), Some(10), "{replayed:?}");
}

#[test]
fn a_line_without_code() {
    let (_scratch, program) = Scratch::new("four.c", STATUSES);
    for wrong in ["four.c:1", "four.c:9999", "elsewhere.c:8"] {
        let output = hunt(&[&program, "--target", wrong]);
        assert_eq!(output.status.code(), Some(1), "{wrong}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(wrong), "{message}");
        assert!(
            message.contains("name a line with a statement"),
            "{message}"
        );
        assert!(output.stdout.is_empty());
    }
    for wrong in ["four.c", "four.c:", "four.c:x", ":8"] {
        let output = hunt(&[&program, "--target", wrong]);
        assert_eq!(output.status.code(), Some(1), "{wrong}");
    }
    assert_eq!(hunt(&["nowhere.c"]).status.code(), Some(2));
}

/// JSON has all that Table 2 of the paper has, and where the bug is.
#[test]
fn json_of_a_hunt() {
    let report = json(&["benchmarks/p2/reorder.c"]);
    let target = &report["targets"][0];
    assert_eq!(target["status"], "confirmed");
    assert_eq!(target["bug"]["property"], "assertion");
    let place = target["places"][0].as_str().expect("a place");
    let location = target["bug"]["location"].as_str().expect("a place");
    assert!(location.starts_with(place), "{location}, {place}");
    for key in ["states", "executions", "refinements", "trace_length"] {
        assert!(target[key].as_u64() > Some(0), "{key}: {target}");
    }
    assert!(report["time_s"].as_f64().is_some() && report["memory_mb"].as_u64().is_some());
    assert_eq!(report["stopped"], false);
}

/// What was confirmed is an error, what was reached is `open`.
#[test]
fn sarif_of_a_hunt() {
    let (_scratch, program) = Scratch::new("four.c", STATUSES);
    let log = |mark: &str, more: &[&str]| -> Value {
        let target = target("four.c", mark);
        let args = [&*program, &*target, "--format=sarif", "--time-limit=5"];
        serde_json::from_str(&text(&[&args, more].concat())).expect("JSON")
    };
    for (mark, more, level, kind) in [
        ("confirmed", &[][..], "error", "fail"),
        ("reached */", &["--", "-DHOLDS"], "none", "open"),
    ] {
        let log = log(mark, more);
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let results = run["results"].as_array().expect("results");
        let [result] = results.as_slice() else {
            panic!("{results:?}");
        };
        assert_eq!(result["level"], level);
        assert_eq!(result["kind"], kind);
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(
            region["startLine"].as_u64(),
            Some(line(STATUSES, mark) as u64)
        );
    }
}

/// What `lint` writes is read again: the race that it warns of is confirmed, as a race.
#[test]
fn warnings_as_sarif_are_hunted() {
    let (scratch, program) = Scratch::new("four.c", STATUSES);
    let lint = sleave(&["lint", "--format=sarif", &program]);
    let warnings: Value = serde_json::from_slice(&lint.stdout).expect("SARIF");
    let results = warnings["runs"][0]["results"].as_array().expect("results");
    assert!(!results.is_empty());
    let file = scratch.write("lint.sarif", &String::from_utf8_lossy(&lint.stdout));
    let args = [&*program, "--sarif", &file];
    let report = json(&args);
    let targets = report["targets"].as_array().expect("targets");
    assert_eq!(targets.len(), results.len());
    for (target, result) in targets.iter().zip(results) {
        assert_eq!(target["status"], "confirmed", "{target}");
        assert_eq!(target["bug"]["property"], "race", "{target}");
        assert_eq!(target["message"], result["message"]["text"]);
    }
    assert_eq!(hunt(&args).status.code(), Some(10));

    let broken = scratch.write("broken.sarif", "{");
    let output = hunt(&[&program, "--sarif", &broken]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is no SARIF"));
}

/// The same from the program itself: each warning is a target of its kind.
#[test]
fn warnings_are_hunted() {
    let report = json(&["examples/lost_update.c", "--warnings"]);
    let targets = report["targets"].as_array().expect("targets");
    let races: Vec<&Value> = targets.iter().filter(|t| t["kind"] == "race").collect();
    assert!(!races.is_empty());
    for race in races {
        assert_eq!(race["status"], "confirmed", "{race}");
        assert_eq!(race["bug"]["property"], "race", "{race}");
    }
    let report = json(&["examples/deadlock.c", "--warnings"]);
    let targets = report["targets"].as_array().expect("targets");
    let cycle = targets.iter().find(|target| target["kind"] == "lock order");
    let cycle = cycle.expect("the cycle of locks");
    assert_eq!(cycle["bug"]["property"], "deadlock", "{cycle}");
}

#[test]
fn what_guides_is_shown() {
    let show = |what: &str, more: &[&str]| {
        let program = "benchmarks/p2/element.cpp";
        let source = std::fs::read_to_string(root().join(program)).expect("a program");
        let target = format!("--target=element.cpp:{}", line(&source, "the target"));
        let args = [&[program, &*target, "--show", what], more].concat();
        let output = hunt(&args);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let system = show("abstract", &[]);
    for role in [
        "start", "lock", "call", "entry", "branch", "target", "unlock",
    ] {
        assert!(system.contains(role), "{role}: {system}");
    }
    assert!(show("abstract", &["--dot"]).starts_with("digraph"));
    let traces = show("traces", &[]);
    assert!(
        traces.contains("set 1\n") && !traces.contains("set 2\n"),
        "{traces}"
    );
    let ranks = show("ranks", &[]);
    assert!(ranks.contains("state 1") && ranks.contains("T1"), "{ranks}");
}

/// Trials on two cores come to the same statuses as on one.
#[test]
fn jobs() {
    let programs = [
        "examples/lost_update.c",
        "examples/deadlock.c",
        "benchmarks/p2/reorder.c",
    ];
    for program in programs {
        let [one, two] = ["--jobs=1", "--jobs=2"].map(|jobs| {
            let report = json(&[program, "--warnings", "--assertions", jobs]);
            statuses(&report).join(", ")
        });
        assert!(!one.is_empty());
        assert_eq!(one, two, "{program}");
    }
}

/// The same seed gives the same report, but for time and memory.
#[test]
fn seeds() {
    let report = |seed: &str| {
        let mut report = json(&["benchmarks/p2/airline.c", seed]);
        for key in ["time_s", "memory_mb"] {
            report[key] = Value::Null;
        }
        report
    };
    for seed in ["--seed=0", "--seed=3"] {
        assert_eq!(report(seed), report(seed));
    }
}

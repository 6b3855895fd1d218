//! The command as a user or a script meets it: exit codes, output, files.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder with programs, in which `sleave` runs.
struct Bench {
    folder: tempfile::TempDir,
}

const SAFE: &str = "int main(void) { return 0; }\n";

const LOST_UPDATE: &str = "#include <assert.h>
#include <pthread.h>
int counter;
void *worker(void *unused) { int seen = counter; counter = seen + 1; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
}
";

/// Far more schedules than anyone can try.
const HUGE: &str = "#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *unused) { for (int i = 0; i < 40; i++) x++; return 0; }
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    assert(x > 0);
}
";

/// Threads without end.
const CROWD: &str = "#include <assert.h>
#include <pthread.h>
int inside;
void *enter(void *unused) { inside++; assert(CONDITION); return 0; }
int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, enter, 0);
}
";

const SPIN: &str = "#include <pthread.h>
volatile int stop;
int main(void) { while (!stop); return 0; }
";

impl Bench {
    fn new(files: &[(&str, &str)]) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        Bench { folder }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sleave"))
            .args(line.split_whitespace())
            .current_dir(self.folder.path())
            .env_remove("COLUMNS")
            .output()
            .expect("sleave runs")
    }

    /// Runs and expects an exit code; gives standard output and standard error.
    fn expect(&self, line: &str, code: i32) -> (String, String) {
        let output = self.run(line);
        let out = String::from_utf8(output.stdout).expect("text");
        let err = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{line}\n{out}\n{err}");
        (out, err)
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|e| {
                e.expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or("")
}

#[test]
fn safe() {
    let bench = Bench::new(&[("a.c", SAFE)]);
    let (out, err) = bench.expect("check a.c", 0);
    assert_eq!(last_line(&out), "verdict: safe");
    assert_eq!(err, "", "nothing on standard error in a pipe");
    let (out, _) = bench.expect("check --quiet a.c", 0);
    assert_eq!(out, "verdict: safe\n");
    bench.expect("check --prune summaries --peek a.c", 0);
    bench.expect("check a.c --explain --peek", 0);
    assert_eq!(bench.files(), ["a.c"]);
}

#[test]
fn bug() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE)]);
    let (out, err) = bench.expect("check count.c", 10);
    assert_eq!(last_line(&out), "verdict: bug (assertion)");
    assert!(
        out.starts_with("count.c:11:5: assertion `counter == 2` fails\n"),
        "{out}"
    );
    assert!(
        out.contains("replay it: sleave replay count.witness.json\n"),
        "{out}"
    );
    assert!(!out.contains('\x1b'), "no colours in a pipe");
    assert_eq!(err, "");
    assert_eq!(bench.files(), ["count.c", "count.witness.json"]);
}

#[test]
fn unknown() {
    let bench = Bench::new(&[("spin.c", SPIN)]);
    let (out, _) = bench.expect("check --unwind 5 spin.c", 5);
    assert_eq!(last_line(&out), "verdict: unknown (loop bound)");
    assert!(out.contains("spin.c:3:"), "{out}");
    assert!(out.contains("Raise --unwind"), "{out}");
}

#[test]
fn usage_errors() {
    let bench = Bench::new(&[("a.c", SAFE)]);
    for line in [
        "",
        "check",
        "frobnicate a.c",
        "check --frobnicate a.c",
        "check --unwind many a.c",
        "check --por some a.c",
        "check --por optimal --observers a.c",
        "check --por none --commute a.c",
        "check --property race --observers a.c",
        "check --por dpor --observers a.c",
        "check --prune everything a.c",
        "check --prune summaries --por optimal a.c",
        "check --prune summaries --observers a.c",
        "check --prune summaries --property race a.c",
        "check --summary-size 100 a.c",
        "check a.c --explain --prune none",
        "check a.c --explain --por optimal",
        "check a.c --explain --random",
        "check a.c --explain --preemptions 1",
        "check a.c --explain --property race",
        "check a.c --explain first",
        "check a.c --explain 0",
        "check --explain a.c",
        "check --jobs 0 a.c",
        "check --por none --checkpoint c.json a.c",
        "check --job a.c a.c",
        "check --resume missing.json a.c",
        "explore-job missing.json a.c",
        "check --property speed a.c",
        "check --args 'open a.c",
        "check --preemptions 1 --random a.c",
        "check --preemptions many a.c",
        "check --runs 5 a.c",
        "check --witness a.c a.c",
        "replay",
        "replay missing.witness.json",
        "check-proof",
        "check-proof missing.proof",
    ] {
        let (out, err) = bench.expect(line, 1);
        assert_eq!(out, "", "{line}");
        assert_ne!(err, "", "{line}");
    }
    let (_, err) = bench.expect("check --engine hunt a.c", 1);
    assert!(err.contains("portfolio, explore, static"), "{err}");
    let (_, err) = bench.expect("check --property speed a.c", 1);
    assert!(err.contains("lock-misuse"), "{err}");
}

#[test]
fn help_and_version() {
    let bench = Bench::new(&[]);
    let (out, _) = bench.expect("--help", 0);
    assert!(out.contains("check"), "{out}");
    assert!(bench.expect("check --help", 0).0.contains("--unwind"));
    assert!(bench.expect("--version", 0).0.starts_with("sleave "));
}

#[test]
fn programs_that_do_not_load() {
    let bench = Bench::new(&[
        ("broken.c", "int main(void) { retrun 0; }\n"),
        ("nomain.c", "int f(void) { return 0; }\n"),
        ("notes.txt", "hello"),
    ]);
    let (out, err) = bench.expect("check broken.c", 2);
    assert_eq!(out, "");
    assert!(
        err.starts_with("broken.c:1:18: error:"),
        "clang's own message and nothing else: {err}"
    );
    assert!(!err.contains("sleave"), "{err}");
    let (out, err) = bench.expect("check nomain.c", 2);
    assert_eq!(out, "");
    assert_eq!(err, "sleave: the program does not define main\n");
    let (_, err) = bench.expect("check missing.c", 2);
    assert!(err.starts_with("sleave: missing.c: No such file"), "{err}");
    bench.expect("check notes.txt", 2);
    bench.expect("check --format json broken.c", 2);
}

#[test]
fn warnings_are_shown_only_on_demand() {
    let bench = Bench::new(&[(
        "a.c",
        "int main(void) { int x = undeclared(1); return 0; }\nint undeclared(int a) { return a; }\n",
    )]);
    assert_eq!(bench.expect("check a.c", 0).1, "");
    assert!(bench.expect("check --verbose a.c", 0).1.contains("warning"));
}

#[test]
fn json() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE), ("a.c", SAFE), ("spin.c", SPIN)]);
    let (out, err) = bench.expect("check --format json count.c", 10);
    assert_eq!(err, "");
    let report: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(report["verdict"], "bug");
    assert_eq!(report["property"], "assertion");
    assert_eq!(report["reason"], Value::Null);
    assert_eq!(report["location"], "count.c:11:5");
    assert_eq!(report["engine"], "explore");
    assert_eq!(report["threads"], 3);
    assert_eq!(report["witness"], "count.witness.json");
    assert_eq!(report["bounds"], serde_json::json!([]));
    for key in ["complete", "pruned", "blocked", "infeasible"] {
        assert!(report["runs"][key].is_u64(), "{key}");
    }
    for number in [
        &report["events"],
        &report["time_s"],
        &report["memory_mb"],
        &report["solver"]["queries"],
        &report["solver"]["time_s"],
    ] {
        assert!(number.is_number());
    }
    assert!(report.get("bugs").is_none());
    let keys: Vec<&str> = out
        .trim_matches(['{', '}', '\n'])
        .split(',')
        .filter_map(|f| f.split('"').nth(1))
        .collect();
    assert_eq!(
        keys[..5],
        ["verdict", "property", "reason", "location", "engine"]
    );

    let (out, _) = bench.expect("check --all --format json count.c", 10);
    let report: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(report["runs"]["complete"], 4);
    assert_eq!(report["failing"], 2);
    assert_eq!(report["bugs"].as_array().map(Vec::len), Some(1));

    let (out, _) = bench.expect("check --format json a.c", 0);
    let report: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(
        (&report["verdict"], &report["witness"]),
        (&"safe".into(), &Value::Null)
    );

    let (out, _) = bench.expect("check --format json --unwind 3 spin.c", 5);
    let report: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["reason"], "loop bound");
    assert!(
        report["location"]
            .as_str()
            .is_some_and(|l| l.starts_with("spin.c:3:")),
        "{report}"
    );
}

#[test]
fn witnesses_replay() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE)]);
    bench.expect("check count.c", 10);
    let (out, _) = bench.expect("replay count.witness.json", 10);
    assert!(out.contains("\nreplayed: the bug is confirmed\n"), "{out}");
    assert_eq!(last_line(&out), "verdict: bug (assertion)");
    assert!(
        out.contains("int seen = counter;"),
        "the trace is shown: {out}"
    );
    bench.expect("replay count.witness.json count.c", 10);
    let (out, _) = bench.expect("replay --format json count.witness.json", 10);
    let report: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(report["verdict"], "bug");
}

#[test]
fn witnesses_may_have_other_names_or_none() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE)]);
    let (out, _) = bench.expect("check count.c --no-witness", 10);
    assert!(!out.contains("replay it"), "{out}");
    assert_eq!(bench.files(), ["count.c"]);
    bench.expect("check count.c --witness other.json", 10);
    assert_eq!(bench.files(), ["count.c", "other.json"]);
    let (out, err) = bench.expect("check count.c --witness nowhere/w.json", 10);
    assert!(err.contains("cannot be written"), "{err}");
    assert_eq!(last_line(&out), "verdict: bug (assertion)");
}

#[test]
fn a_witness_remembers_flags_and_arguments() {
    let program = "#include <assert.h>\n#include <stdlib.h>\nint main(int argc, char **argv) { assert(argc < 2 || atoi(argv[1]) != LIMIT); }\n";
    let bench = Bench::new(&[("a.c", program)]);
    bench.expect("check a.c --args 7 -- -DLIMIT=7", 10);
    bench.expect("replay a.witness.json", 10);
    bench.expect("check a.c --args 8 -- -DLIMIT=7", 0);
}

#[test]
fn a_witness_remembers_the_surroundings() {
    let program = r#"#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *mode = getenv("MODE"), line[32];
    if (mode && strcmp(mode, "a-rather-long-mode") == 0 && getenv("OTHER") && fgets(line, sizeof line, stdin))
        assert(strcmp(line, "a line of the file\n") != 0);
}
"#;
    let bench = Bench::new(&[("a.c", program), ("input", "a line of the file\nrest")]);
    let mode = "--env MODE=a-rather-long-mode";
    let (text, _) = bench.expect(&format!("check a.c {mode} --stdin input"), 10);
    assert!(text.contains("getenv(\"OTHER\") = \"\""), "{text}");
    std::fs::remove_file(bench.folder.path().join("input")).expect("removed");
    bench.expect("replay a.witness.json", 10);
    // Nobody gets to the assertion.
    bench.expect(&format!("check a.c {mode} --env OTHER"), 0);
    bench.expect(&format!("check a.c {mode} --only-env"), 0);
    bench.expect("check a.c --env MODE=short", 0);
    // Its text is longer than what is made up, and so is the line.
    bench.expect("check a.c", 5);
    bench.expect(&format!("check a.c {mode}"), 5);
    bench.expect(&format!("check a.c {mode} --input-length 20"), 10);
    bench.expect("replay a.witness.json", 10);
}

#[test]
fn what_is_said_of_the_surroundings_must_make_sense() {
    let bench = Bench::new(&[("a.c", "int main(void) { return 0; }\n")]);
    let (_, err) = bench.expect("check a.c --env =value", 1);
    assert!(err.contains("names no variable"), "{err}");
    let (_, err) = bench.expect("check a.c --stdin nowhere", 1);
    assert!(err.contains("nowhere"), "{err}");
    bench.expect("check a.c --input-length 70000", 1);
}

#[test]
fn made_up_arguments_are_shown() {
    let program = "#include <assert.h>\nint main(int argc, char **argv) { assert(argc != 3 || argv[2][0] != 'k'); }\n";
    let bench = Bench::new(&[("a.c", program)]);
    let (text, _) = bench.expect("check a.c", 10);
    assert!(text.contains("argc = 3, arguments {\"\", \"k\"}"), "{text}");
    bench.expect("replay a.witness.json", 10);
    bench.expect("check a.c --args x", 0);
}

#[test]
fn several_bugs_have_several_witnesses() {
    let program = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int x = __VERIFIER_nondet_int();\n    if (x == 1)\n        assert(x == 2);\n    assert(x != 3);\n}\n";
    let bench = Bench::new(&[("a.c", program)]);
    bench.expect("check --all a.c", 10);
    assert_eq!(bench.files(), ["a.2.witness.json", "a.c", "a.witness.json"]);
    bench.expect("replay a.2.witness.json", 10);
    bench.expect("replay a.witness.json", 10);
}

#[test]
fn bugs_that_may_not_be_all_say_so() {
    let fails = HUGE.replace("x > 0", "x == 160");
    let bench = Bench::new(&[("huge.c", &fails)]);
    let (out, _) = bench.expect("check --all --time-limit 3 huge.c", 10);
    assert!(
        out.contains("There may be other bugs: time limit."),
        "{out}"
    );
    let (out, _) = bench.expect("check --all --time-limit 3 --format json huge.c", 10);
    let report: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(report["reason"], "time limit");
}

#[test]
fn a_witness_of_another_program_is_refused() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE), ("a.c", SAFE)]);
    bench.expect("check count.c", 10);
    let (out, err) = bench.expect("replay count.witness.json a.c", 1);
    assert_eq!(out, "");
    assert!(err.contains("another program"), "{err}");
    std::fs::write(bench.path("count.c"), LOST_UPDATE.replace("== 2", "== 1")).expect("a file");
    bench.expect("replay count.witness.json", 1);
    std::fs::remove_file(bench.path("count.c")).expect("a file");
    let (_, err) = bench.expect("replay count.witness.json", 1);
    assert!(err.contains("count.c, which is not here"), "{err}");
}

#[test]
fn a_witness_can_be_written_to_what_is_no_file() {
    use std::os::unix::fs::FileTypeExt;
    let bench = Bench::new(&[("count.c", LOST_UPDATE)]);
    let path = bench.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo").success());
    let reader = std::thread::spawn({
        let path = path.clone();
        move || std::fs::read_to_string(path).expect("what was written")
    });
    bench.expect("check count.c --witness pipe", 10);
    assert!(reader.join().expect("a reader").starts_with('{'));
    let what = std::fs::metadata(path).expect("the pipe");
    assert!(what.file_type().is_fifo(), "it was replaced by a file");
}

#[test]
fn a_truncated_witness_is_refused() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE)]);
    bench.expect("check count.c", 10);
    let whole = std::fs::read(bench.path("count.witness.json")).expect("a witness");
    // The last byte is a newline, the one before it the closing brace.
    for length in (0..whole.len() - 1).step_by(7) {
        std::fs::write(bench.path("cut.json"), &whole[..length]).expect("a file");
        let (_, err) = bench.expect("replay cut.json", 1);
        assert!(err.contains("not a witness of Sleave"), "{length}: {err}");
    }
}

#[test]
fn an_altered_witness_never_breaks_sleave() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE)]);
    bench.expect("check count.c", 10);
    let text = std::fs::read_to_string(bench.path("count.witness.json")).expect("a witness");
    let whole: Value = serde_json::from_str(&text).expect("an object");
    let altered = |change: &dyn Fn(&mut Value)| {
        let mut value = whole.clone();
        change(&mut value);
        let path = bench.path("altered.json");
        std::fs::write(&path, value.to_string()).expect("a file");
        let output = bench.run("replay altered.json");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code();
        assert!(matches!(code, Some(1 | 5)), "{code:?} {err}\n{value}");
    };
    let huge = Value::from(u32::MAX);
    let odd = [
        Value::Null,
        huge.clone(),
        Value::from(-1),
        Value::from("x"),
        serde_json::json!([]),
        serde_json::json!({}),
    ];
    for key in [
        "format",
        "program",
        "files",
        "expected",
        "clang_flags",
        "args",
        "inputs",
        "schedule",
    ] {
        altered(&|w| drop(w.as_object_mut().expect("an object").remove(key)));
    }
    for key in ["format", "program", "expected", "schedule"] {
        for value in &odd {
            altered(&|w| w[key] = value.clone());
        }
    }
    altered(&|w| w["schedule"]["decisions"] = serde_json::json!([]));
    altered(&|w| w["schedule"]["decisions"][0] = serde_json::json!({ "run": huge }));
    altered(&|w| w["schedule"]["decisions"][0] = serde_json::json!({ "wake": 0 }));
    altered(&|w| w["schedule"]["decisions"][1] = serde_json::json!({ "choose": huge }));
    altered(&|w| w["schedule"]["threads"][0] = serde_json::json!([7, 7]));
    altered(&|w| w["schedule"]["threads"][1] = serde_json::json!([huge, huge]));
    altered(&|w| w["schedule"]["threads"] = serde_json::json!([[0, 0], [0, 0], [0, 0]]));
    altered(&|w| {
        w["schedule"]["threads"] = serde_json::json!([[0, 0], [0, 5], [0, 6], [1, 0], [2, 0]])
    });
    altered(&|w| w["schedule"]["visible"] = serde_json::json!({ "chunks": {} }));
    altered(&|w| w["schedule"]["visible"] = serde_json::json!({ "chunks": { "x": 1 } }));
    altered(&|w| w["inputs"] = serde_json::json!({ "T0.0.x": "many" }));
    altered(&|w| w["args"] = serde_json::json!(["x".repeat(1 << 20)]));
    altered(&|w| w["files"] = serde_json::json!([]));
    altered(&|w| w["files"] = serde_json::json!(["/dev/zero"]));
    altered(&|w| w["clang_flags"] = serde_json::json!(["-fplugin=evil.so"]));
    altered(&|w| w["expected"]["location"] = Value::from("count.c:1:1"));
    altered(&|w| w["expected"]["property"] = Value::from("deadlock"));
    for junk in [&b"\0\xff\xfe"[..], b"{", b"[[[[[[[[", b"\"\"", b"1e999"] {
        std::fs::write(bench.path("junk.json"), junk).expect("a file");
        bench.expect("replay junk.json", 1);
    }
    std::fs::write(bench.path("deep.json"), "[".repeat(1 << 20)).expect("a file");
    bench.expect("replay deep.json", 1);
    bench.expect("replay .", 1);
}

#[test]
fn limits_end_the_search() {
    let bench = Bench::new(&[("huge.c", HUGE)]);
    let start = Instant::now();
    let (out, err) = bench.expect("check --time-limit 1 huge.c", 5);
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(last_line(&out), "verdict: unknown (time limit)");
    assert!(out.contains("Searched "), "what was covered is said: {out}");
    assert_eq!(err, "", "no progress line in a pipe");
    let (out, _) = bench.expect("check --time-limit 0.2 --format json huge.c", 5);
    let report: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(report["reason"], "time limit");
    let (out, _) = bench.expect("check --memory-limit 1 huge.c", 5);
    assert_eq!(last_line(&out), "verdict: unknown (memory limit)");
}

#[test]
fn searches_of_a_part_find_bugs_but_never_say_safe() {
    let bench = Bench::new(&[("a.c", SAFE), ("count.c", LOST_UPDATE), ("huge.c", HUGE)]);
    for (options, reason, bounds) in [
        ("--preemptions 2", "preemption bound", "preemptions 2"),
        ("--random --runs 10", "random search", "random runs 10"),
        ("--random", "random search", "random"),
    ] {
        let (out, _) = bench.expect(&format!("check {options} a.c"), 5);
        assert_eq!(last_line(&out), format!("verdict: unknown ({reason})"));
        let (out, _) = bench.expect(&format!("check {options} --format json a.c"), 5);
        let report: Value = serde_json::from_str(&out).expect("one object");
        assert_eq!(report["reason"], reason);
        assert_eq!(report["bounds"], serde_json::json!([bounds]));
        bench.expect(&format!("check {options} count.c"), 10);
        bench.expect("replay count.witness.json", 10);
    }
    let (out, _) = bench.expect("check --preemptions 0 count.c", 5);
    assert!(out.contains("raise --preemptions"), "{out}");
    assert!(out.contains("at most 0 preemptions"), "{out}");
    let (out, _) = bench.expect("check --random --runs 7 huge.c", 5);
    assert!(out.contains("in 7 runs taken at random"), "{out}");
    let (out, _) = bench.expect("check --random --time-limit 3 huge.c", 5);
    assert_eq!(last_line(&out), "verdict: unknown (random search)");
    let (out, _) = bench.expect("check --preemptions 3 --time-limit 3 huge.c", 5);
    assert_eq!(last_line(&out), "verdict: unknown (time limit)");
    assert!(
        out.contains("nothing went wrong in any schedule with at most "),
        "{out}"
    );
}

#[test]
fn of_threads_without_end_the_first_few_are_searched() {
    let fails = CROWD.replace("CONDITION", "inside == 1");
    let holds = CROWD.replace("CONDITION", "inside >= 1");
    let bench = Bench::new(&[("fails.c", &fails), ("holds.c", &holds)]);
    bench.expect("check fails.c", 10);
    let (out, _) = bench.expect("replay fails.witness.json", 10);
    assert!(out.contains("the bug is confirmed"), "{out}");
    let (out, _) = bench.expect("check --time-limit 2 holds.c", 5);
    assert_eq!(last_line(&out), "verdict: unknown (too many threads)");
    assert!(out.contains("Nothing went wrong"), "{out}");
}

#[test]
fn a_long_search_goes_on_after_an_attack() {
    let bench = Bench::new(&[("huge.c", HUGE)]);
    let runs = |options: &str| {
        let line = format!("check --por optimal --time-limit 1 --format json {options} huge.c");
        let (out, _) = bench.expect(&line, 5);
        let report: Value = serde_json::from_str(&out).expect("one object");
        assert_eq!(report["reason"], "time limit");
        assert_eq!(report["bounds"], serde_json::json!([]));
        report["runs"]["complete"].as_u64()
    };
    assert!(runs("") > Some(1));
    assert!(runs("--engine=explore") > Some(1));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_with_what_it_has() {
    let bench = Bench::new(&[("huge.c", HUGE)]);
    let child = Command::new(env!("CARGO_BIN_EXE_sleave"))
        .args(["check", "huge.c"])
        .current_dir(bench.folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("sleave runs");
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("an end");
    let out = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(5), "{out}");
    assert_eq!(last_line(&out), "verdict: unknown (interrupted)");
}

#[test]
fn properties_and_options_reach_the_search() {
    let misuse = "#include <pthread.h>\npthread_mutex_t m;\nint main(void) { pthread_mutex_unlock(&m); return 0; }\n";
    let fails = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(malloc(4)); }\n";
    let bench = Bench::new(&[("misuse.c", misuse), ("fails.c", fails)]);
    let (out, _) = bench.expect("check --property lock-misuse misuse.c", 10);
    assert_eq!(last_line(&out), "verdict: bug (lock misuse)");
    bench.expect("check --property assertion,deadlock misuse.c", 5);
    bench.expect("check fails.c", 0);
    bench.expect("check --malloc-may-fail fails.c", 10);
    bench.expect("replay fails.witness.json", 10);
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let bench = Bench::new(&[("count.c", LOST_UPDATE)]);
    let script = format!(
        "{} check count.c | true; echo ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_sleave")
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(bench.folder.path())
        .output()
        .expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "10\n");
    assert!(Path::new(env!("CARGO_BIN_EXE_sleave")).is_file());
}

#[test]
fn proofs_are_checked() {
    let proof =
        "s sleave-proof 1\nn 0\nn 1\np 0 1\ne 1 1 0\nq 1 0\nt 1 -1 0 E 1 1 0 P 0 1 0\nu 1\nz 8\n";
    let wrong = proof.replace("t 1 -1 0", "t 1 2 0");
    let bench = Bench::new(&[("a.proof", proof), ("b.proof", &wrong)]);
    let (out, err) = bench.expect("check-proof a.proof", 0);
    assert_eq!(
        out,
        "proof accepted: 1 question, 1 unsatisfiable, 0 input clauses, 1 lemma of order, 0 derived \
         clauses\n"
    );
    assert_eq!(err, "");
    let (out, err) = bench.expect("check-proof b.proof", 5);
    assert_eq!(
        out,
        "proof refused: line 7: the clause leaves out a literal that step 1 of the walk uses\n"
    );
    assert_eq!(err, "");
    // A folder opens, but cannot be read.
    bench.expect("check-proof .", 1);
}

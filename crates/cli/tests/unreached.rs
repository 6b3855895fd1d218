//! `--explain` where the trace engine proves a program safe: sides of branches that no execution
//! takes, and lines that are dead under every schedule.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Standard output of a check that says `safe`.
fn safe(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sleave"));
    command.current_dir(folder).arg("check").args(args);
    let output = command.output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0), "{text}");
    text
}

fn explained(source: &str, more: &[&str]) -> Value {
    let folder = folder(source);
    let args = ["p.c", "--engine", "trace", "--format", "json"];
    let text = safe(folder.path(), &[&args, more].concat());
    let report: Value = serde_json::from_str(&text).expect("one object");
    report["explanation"].clone()
}

fn folder(source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), source).expect("a file");
    folder
}

/// Line, condition, what it never is.
fn sides(explanation: &Value) -> Vec<(u64, String, bool)> {
    let sides = explanation["sides"].as_array().expect("a list");
    let side = |side: &Value| {
        let condition = side["condition"].as_str().expect("a condition");
        let never = side["never"].as_bool().expect("what it never is");
        (
            side["line"].as_u64().expect("a line"),
            condition.to_string(),
            never,
        )
    };
    sides.iter().map(side).collect()
}

fn side(line: u64, condition: &str, never: bool) -> (u64, String, bool) {
    (line, condition.to_string(), never)
}

/// The flag is set after the value.
const PUBLISH: &str = r#"#include <assert.h>
#include <pthread.h>
static int ready, value, late;
static void *producer(void *unused)
{
    value = 42;
    ready = 1;
    return unused;
}
static void repair(void)
{
    value = 42;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    if (ready) {
        if (value != 42) {
            late = 1;
            repair();
        }
        assert(value == 42);
    }
    pthread_join(t, NULL);
    while (ready && late)
        late = 0;
    assert(!late);
}
"#;

#[test]
fn what_is_dead_under_every_schedule_is_told() {
    let folder = folder(PUBLISH);
    let text = safe(folder.path(), &["p.c", "--engine", "trace", "--explain"]);
    let (_, text) = text.split_once("\n\n").expect("paragraphs");
    let (text, _) = text.split_once("\nUnrolled ").expect("what was unrolled");
    let expected = "\
No execution does this, under any schedule and input (line numbers of p.c):

  19  `value != 42` is never true: lines 20-22 are dead under every schedule
  23  `value == 42` is never false
  26  `ready && late` is never true: line 27 is dead under every schedule
  28  `late` is never true
  10  repair is never called

Dead under every schedule, lines of p.c: 12-13, 20-22, 27.

Executed, lines of p.c: 6-8, 17-19, 23-26, 28.
";
    assert_eq!(text, expected);
}

#[test]
fn json_has_the_same() {
    let explanation = explained(PUBLISH, &["--explain"]);
    let first = json!({
        "file": "p.c", "line": 19, "condition": "value != 42", "never": true, "dead": [20, 21, 22]
    });
    assert_eq!(explanation["sides"][0], first);
    let uncalled = json!([{"function": "repair", "file": "p.c", "line": 10}]);
    assert_eq!(explanation["uncalled"], uncalled);
    let dead = json!([{"file": "p.c", "lines": [[12, 13], [20, 22], [27, 27]]}]);
    assert_eq!(explanation["dead"], dead);
    assert_eq!(explanation["nothing_at"], json!([]));
}

#[test]
fn lines_can_be_chosen() {
    let explanation = explained(PUBLISH, &["--explain", "20,p.c:6,1"]);
    assert_eq!(sides(&explanation), [side(19, "value != 42", true)]);
    assert_eq!(
        explanation["dead"],
        json!([{"file": "p.c", "lines": [[20, 20]]}])
    );
    assert_eq!(
        explanation["executed"],
        json!([{"file": "p.c", "lines": [[6, 6]]}])
    );
    assert_eq!(explanation["nothing_at"], json!(["line 1"]));
}

/// A side is dead only if it is in every thread, for every input and in every round.
#[test]
fn what_some_thread_or_round_or_input_does_is_not_dead() {
    let source = r#"#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int x, seen;
static void *worker(void *first)
{
    for (int i = 0; i < 3; i++) {
        if (i == 2 && first)
            x = 1;
        if (i == 3)
            x = 7;
    }
    return first;
}
int main(void)
{
    pthread_t t, u;
    int input = __VERIFIER_nondet_int();
    pthread_create(&t, NULL, worker, &x);
    pthread_create(&u, NULL, worker, NULL);
    if (x)
        seen = 1;
    if (input == 123456)
        seen = 2;
    if (input > 5 && input < 5)
        seen = 3;
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 1 && seen < 3);
}
"#;
    let explanation = explained(source, &["--explain"]);
    let found = sides(&explanation);
    assert!(found.contains(&side(10, "i == 3", true)), "{found:?}");
    assert!(found.contains(&side(25, "input < 5", true)), "{found:?}");
    assert!(
        found.iter().all(|(line, ..)| [10, 25, 29].contains(line)),
        "{found:?}"
    );
    assert_eq!(
        explanation["dead"],
        json!([{"file": "p.c", "lines": [[11, 11], [26, 26]]}])
    );
}

/// Nothing that is checked depends on the branch: only one way of it is looked at.
#[test]
fn what_was_not_looked_at_is_not_dead() {
    let source = r#"#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int x, log_level;
static void *worker(void *unused)
{
    if (__VERIFIER_nondet_int())
        log_level = 3;
    else
        log_level = 4;
    x = 1;
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(x == 1);
}
"#;
    let flags = ["--property", "assertion", "--explain"];
    let explanation = explained(source, &flags);
    assert_eq!(sides(&explanation), [side(19, "x == 1", false)]);
    assert_eq!(explanation["dead"], json!([]));
    let chosen = explained(source, &[&flags[..2], &["--explain", "8,10"]].concat());
    assert_eq!(
        chosen["nothing_at"].as_array().map(Vec::len),
        Some(1),
        "one was executed"
    );
}

#[test]
fn cases_that_never_come() {
    let source = r#"#include <assert.h>
#include <pthread.h>
static int state, result;
static void *worker(void *unused)
{
    state = 2;
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    switch (state) {
    case 0: result = 1; break;
    case 1: result = 2; break;
    case 2: result = 3; break;
    default: result = 4;
    }
    assert(result == 1 || result == 3);
    pthread_join(t, NULL);
}
"#;
    let explanation = explained(source, &["--explain"]);
    let cases: Vec<&Value> = (explanation["sides"].as_array().expect("a list").iter())
        .filter(|side| side["line"] == 13)
        .map(|side| &side["case"])
        .collect();
    assert_eq!(cases, [&json!(1), &json!(null)]);
    assert_eq!(
        explanation["dead"],
        json!([{"file": "p.c", "lines": [[15, 15], [17, 18]]}])
    );
}

/// Its own proof is explained in its own way if it is the first of the portfolio.
#[test]
fn the_portfolio_explains_what_its_member_has_proved() {
    let folder = folder(COUNTERS);
    let args = [
        "p.c",
        "--explain",
        "--format",
        "json",
        "--time-limit",
        "120",
    ];
    let text = safe(folder.path(), &args);
    let report: Value = serde_json::from_str(&text).expect("one object");
    let explanation = &report["explanation"];
    match report["engine"].as_str() {
        Some("trace") => assert!(explanation["sides"].is_array(), "{text}"),
        _ => assert!(explanation["places"].is_array(), "{text}"),
    }
}

const COUNTERS: &str = r#"#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        counter += 1 + i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(counter == 18);
}
"#;

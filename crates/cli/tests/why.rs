//! `--explain`: why a program is safe, as text and as JSON.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Exit code and standard output.
fn sleave(folder: &Path, args: &str) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sleave"));
    let args = args.split_whitespace();
    let output = command.current_dir(folder).args(args).output();
    let output = output.expect("it runs");
    let code = output.status.code().expect("a code");
    let text = match code {
        1 => output.stderr,
        _ => output.stdout,
    };
    (code, String::from_utf8(text).expect("text"))
}

/// What stands between the first and the last paragraphs, which tell times.
fn explained(folder: &Path, args: &str) -> String {
    let (code, text) = sleave(folder, &format!("check --no-witness {args}"));
    assert_eq!(code, 0, "{text}");
    let (_, text) = text.split_once("\n\n").expect("paragraphs");
    let (text, _) = text.split_once("\nSearched ").expect("what was searched");
    text.to_string()
}

fn counts() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/counts")
}

fn folder(name: &str, source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(name), source).expect("a file");
    folder
}

/// P1, Figure 2. The nodes n5, n7 and n9: `a` is read, then the other thread has ended, too, then
/// `b` is read.
#[test]
fn figure_2() {
    let text = explained(&counts(), "p1_figure2.c --explain 21,22");
    for (threads, condition) in [
        (
            [
                "T1    14  is about to write x",
                "T2    21  is about to read x",
            ],
            "a <= 20 && a <= x",
        ),
        (
            ["T1        has ended", "T2    21  is about to read x"],
            "a <= x",
        ),
        (
            [
                "T1        has ended",
                "T2    22  is about to check the assertion",
            ],
            "a <= b",
        ),
    ] {
        let [first, second] = threads;
        let place = format!("  {first}\n  {second}\n  if {condition}\n");
        assert!(text.contains(&place), "{place} in\n{text}");
    }
}

const QUEUE: &str = "#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
extern int __VERIFIER_nondet_int(void);
enum state { EMPTY, FULL };
struct item { int key; enum state state; };
static struct { struct item items[2]; unsigned count; bool closed; } queue;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *producer(void *arg) {
    int key = __VERIFIER_nondet_int();
    if (key < 0)
        key = 0;
    pthread_mutex_lock(&m);
    queue.items[queue.count].key = key;
    queue.items[queue.count].state = FULL;
    queue.count++;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *closer(void *arg) {
    pthread_mutex_lock(&m);
    if (queue.count > 0)
        queue.closed = true;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, producer, 0);
    pthread_create(&t[1], 0, closer, 0);
    pthread_mutex_lock(&m);
    if (queue.closed)
        assert(queue.items[0].key >= 0 && queue.items[0].state == FULL);
    pthread_mutex_unlock(&m);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
}
";

#[test]
fn records_arrays_and_locks() {
    let folder = folder("queue.c", QUEUE);
    let text = explained(folder.path(), "queue.c --explain");
    let expected = "\
No failure is reachable from here (line numbers of queue.c):

  main  31  is about to lock m
  T1    11  is about to branch
  T2    21  is about to call pthread_mutex_lock()
  if queue.count == 0 && !queue.closed && m is free

  main  33  is about to read queue.items[0].key
  T1        has ended
  T2        has ended
  if queue.items[0].key >= 0 && queue.items[0].state == FULL && m is held by main

  main  33  is about to check the assertion
  T1        has ended
  T2        has ended
  if queue.items[0].key@33 >= 0 && queue.items[0].state == FULL && m is held by main

  main  33  is about to read queue.items[0].state
  T1        has ended
  T2        has ended
  if queue.items[0].state == FULL && m is held by main

  main  33  is about to check the assertion
  T1        has ended
  T2        has ended
  if queue.items[0].state@33 == 1 && m is held by main

Left out: that locks and conditions are otherwise as they were initialised, and that handles are of
the threads they were made for.
";
    assert_eq!(text, expected);
}

/// The example of the README.
#[test]
fn locks() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = explained(&examples, "spinlock_ok.c --explain spinlock_ok.c:12");
    let expected = "\
No failure is reachable from here (line numbers of spinlock_ok.c):

  main  25  waits for T1 to end
  T1    11  is about to lock lock
  T2    12  is about to read counter
  if counter == 0 && lock is held by T2

  main  25  waits for T1 to end
  T1    12  is about to read counter
  T2        has ended
  if counter == 1 && lock is held by T1

  main  25  waits for T1 to end
  T1    12  is about to read counter
  T2    11  is about to lock lock
  if counter == 0 && lock is held by T1

  main  26  waits for T2 to end
  T1        has ended
  T2    12  is about to read counter
  if counter == 1 && lock is held by T2

Left out: that locks and conditions are otherwise as they were initialised, and that handles are of
the threads they were made for.
";
    assert_eq!(text, expected);
}

/// Nobody stands in the middle of a critical section that is one step.
#[test]
fn sections_that_are_one_step() {
    const SECTIONS: &str = "#include <assert.h>
#include <pthread.h>
static int first, second;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *up(void *arg) {
    pthread_mutex_lock(&m);
    first++;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *down(void *arg) {
    pthread_mutex_lock(&m);
    second--;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, up, 0);
    pthread_create(&t[1], 0, down, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(first + second == 0);
}
";
    let folder = folder("sections.c", SECTIONS);
    let inside = "T2    14  is about to call pthread_mutex_unlock()\n  if first + second == -1 && m is held by T2\n";
    let text = explained(folder.path(), "sections.c --explain 6,14");
    assert!(text.contains(inside), "{text}");
    let text = explained(folder.path(), "sections.c --explain 6,14 --peek");
    let expected = "\
No failure is reachable from here (line numbers of sections.c):

  main  21  waits for T1 to end
  T1     6  is about to call pthread_mutex_lock()
  T2    12  is about to call pthread_mutex_lock()
  if first + second == 0 && m is free

No summary was kept at line 14: no thread can be interrupted there, or nothing that holds in general
was found out.

Left out: that locks and conditions are otherwise as they were initialised, and that handles are of
the threads they were made for.
";
    assert_eq!(text, expected);
}

#[test]
fn json() {
    let folder = folder("queue.c", QUEUE);
    let check = "check queue.c --no-witness --format json";
    let (_, text) = sleave(folder.path(), &format!("{check} --explain 32,99"));
    let report: Value = serde_json::from_str(&text).expect("one object");
    assert_eq!(report["verdict"], "safe");
    assert!(report["summaries"]["kept"].is_u64());
    let explanation = &report["explanation"];
    assert_eq!(explanation["nothing_at"], serde_json::json!(["line 99"]));
    let places = explanation["places"].as_array().expect("places");
    let both_ended = places.iter().find(|place| {
        let state = |i: usize| &place["threads"][i]["state"];
        state(0) == "is about to read queue.closed"
            && state(1) == "has ended"
            && state(2) == "has ended"
    });
    let place = both_ended.expect("the place after both threads");
    assert_eq!(place["threads"][0]["line"], 32);
    assert_eq!(place["threads"][0]["file"], "queue.c");
    assert_eq!(place["threads"][1]["line"], Value::Null);
    assert_eq!(
        place["condition"],
        "m is held by main && (!queue.closed || (queue.items[0].key >= 0 && queue.items[0].state == FULL))"
    );
    assert_eq!(place["complete"], true);
    assert_eq!(place["except"], serde_json::json!([]));
    let (_, text) = sleave(folder.path(), check);
    let report: Value = serde_json::from_str(&text).expect("one object");
    assert!(report.get("explanation").is_none());
}

#[test]
fn products_are_products() {
    const SUM: &str = r#"
#include <assert.h>
#include <pthread.h>
static int x, y;
static void *first(void *arg) { x = 3; return arg; }
static void *second(void *arg) { y = 5; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(x + 4 * y <= 100);
}
"#;
    let folder = folder("sum.c", SUM);
    let text = explained(folder.path(), "sum.c --explain 14");
    assert!(text.contains("x@14 + y@14 * 4 <= 100"), "{text}");
}

#[test]
fn what_is_not_safe_has_no_explanation() {
    const FAILS: &str =
        "#include <assert.h>\nint main(int argc, char **argv) { assert(argc > 1); }\n";
    let folder = folder("fails.c", FAILS);
    let (code, text) = sleave(folder.path(), "check fails.c --no-witness --explain");
    assert_eq!(code, 10);
    assert!(text.contains("There is nothing to explain"), "{text}");
    let json = "check fails.c --no-witness --explain --format json";
    let report: Value = serde_json::from_str(&sleave(folder.path(), json).1).expect("one object");
    assert_eq!(report["explanation"], Value::Null);
}

#[test]
fn contradictions_are_told() {
    let folder = folder("queue.c", QUEUE);
    for (flags, told) in [
        ("--prune none", "--explain needs --prune summaries"),
        ("--por optimal", "--explain does not go with --por optimal"),
        ("--random", "--explain does not go with --random"),
        ("--observers", "--explain does not go with --observers"),
    ] {
        let (code, text) = sleave(folder.path(), &format!("check queue.c --explain {flags}"));
        assert_eq!(code, 1, "{text}");
        assert!(text.contains(told), "{text}");
    }
    let (code, text) = sleave(folder.path(), "check --explain queue.c");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("is no line"), "{text}");
}

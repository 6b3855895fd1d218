//! Programs in which no schedule makes a difference to the assertions, and such in which one does.

use analysis::{CallGraph, Nodes, PointsTo, Properties, Slicer, Threads};

#[track_caller]
fn check(source: &str, independent: bool) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("program.c");
    std::fs::write(&path, source).expect("a file");
    let loaded = bitcode::load(&[path], &bitcode::Options::default()).expect("a program");
    let module = &loaded.module;
    let nodes = Nodes::of(module);
    let points_to = PointsTo::of(module, &nodes);
    let calls = CallGraph::of(module, &nodes, &points_to);
    let threads = Threads::of(module, &nodes, &points_to);
    let slicer = Slicer::new(module, &nodes, &points_to, &calls, &threads);
    let properties = Properties {
        assertions: true,
        ..Properties::default()
    };
    assert_eq!(
        slicer.schedule_independence(properties).is_some(),
        independent
    );
    let deadlocks = Properties {
        deadlocks: true,
        ..properties
    };
    assert!(slicer.schedule_independence(deadlocks).is_none());
}

/// P4, Figure 1, with a compare-and-swap that is made of locks, and indices that are seen to lie
/// within the tables. `last` stands at the end of `main`.
fn indexer(last: &str, assertion: &str) -> String {
    format!(
        "#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <stdint.h>
int table[128], x, y;
pthread_mutex_t locks[128];
int cas(unsigned h, int old, int new) {{
  int done = 0;
  pthread_mutex_lock(&locks[h]);
  if (table[h] == old) {{ table[h] = new; done = 1; }}
  pthread_mutex_unlock(&locks[h]);
  return done;
}}
void look(void) {{ if (table[0] == 77) abort(); }}
void *worker(void *arg) {{
  int tid = (int)(intptr_t)arg;
  for (int m = 1; m <= 4; m++) {{
    unsigned w = m * 11 + tid, h = w * 7 % 128;
    {assertion}
    while (!cas(h, 0, w)) h = (h + 1) % 128;
  }}
  return 0;
}}
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int main() {{
  pthread_t threads[12];
  y = __VERIFIER_nondet_int();
  __VERIFIER_assume(y > 3);
  for (int k = 0; k < 12; k++) pthread_create(&threads[k], 0, worker, (void *)(intptr_t)k);
  {last}
}}
"
    )
}

const JOIN: &str = "for (int k = 0; k < 12; k++) pthread_join(threads[k], 0);";

#[test]
fn what_no_thread_can_change() {
    check(&indexer(JOIN, "assert(h < 128);"), true);
    check(&indexer(JOIN, "assert(h + y != 0);"), true);
}

/// What is not seen to lie within a table may be anywhere else: where it lies is then part of the
/// outcome, and depends on the others.
#[test]
fn where_a_lock_lies() {
    let source = indexer(JOIN, "assert(y > 3);").replace("w * 7 % 128", "w * 7 / 128");
    check(&source, false);
}

/// An abort that nobody asked for ends one schedule, and that one did not bring every thread to its
/// end.
#[test]
fn what_is_not_asked_for() {
    check(&indexer(JOIN, "look(); assert(h < 128);"), true);
}

#[test]
fn what_threads_change_in_any_order() {
    check(&indexer(JOIN, "x = h; assert(table[0] == 0);"), false);
    // The writes are not parallel to the read, but to each other.
    check(
        &indexer(&format!("{JOIN} assert(x != 5);"), "x = h;"),
        false,
    );
    // Whether the lock was free.
    check(
        &indexer(JOIN, "if (pthread_mutex_trylock(&locks[h])) assert(0);"),
        false,
    );
}

/// The process may end before an assertion is reached, or an execution be given up.
#[test]
fn who_comes_first() {
    check(&indexer("", "assert(h < 128);"), false);
    check(
        &indexer(
            &format!("__VERIFIER_assume(table[3] == 0); {JOIN}"),
            "assert(h < 128);",
        ),
        false,
    );
}

/// What an object is called depends on what was allocated before.
#[test]
fn addresses_as_numbers() {
    let allocating = |condition: &str| {
        let assertion = format!(
            "if (table[0]) malloc(1); char *p = malloc(1), *q = malloc(1); assert({condition});"
        );
        indexer(JOIN, &assertion)
    };
    check(&allocating("p != q && p != 0"), true);
    check(&allocating("p < q"), false);
    check(&allocating("(uintptr_t)p % 256 != 0"), false);
}

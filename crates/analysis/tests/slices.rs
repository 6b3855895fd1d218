//! Slices of C programs, by the lines they keep.

use std::collections::BTreeSet;

use analysis::{
    CallGraph, NodeId, NodeSet, Nodes, PointsTo, Properties, Relevance, Slicer, Stands, Threads,
};
use ir::Module;

fn compile(source: &str) -> Module {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("program.c");
    std::fs::write(&path, source).expect("a file");
    let options = bitcode::Options::default();
    bitcode::load(&[path], &options).expect("a program").module
}

fn relevance(module: &Module, nodes: &Nodes, properties: Properties) -> Relevance {
    let points_to = PointsTo::of(module, nodes);
    let calls = CallGraph::of(module, nodes, &points_to);
    let threads = Threads::of(module, nodes, &points_to);
    let slicer = Slicer::new(module, nodes, &points_to, &calls, &threads);
    slicer.relevant(properties)
}

const ASSERTIONS: Properties = Properties {
    assertions: true,
    aborts: false,
    unreachable: false,
    deadlocks: false,
    memory: false,
    division: false,
    locks: false,
    peeks: false,
    dont_care_branches: false,
};

const ALL: Properties = Properties {
    assertions: true,
    aborts: true,
    unreachable: true,
    deadlocks: true,
    memory: true,
    division: true,
    locks: true,
    peeks: false,
    dont_care_branches: false,
};

/// The lines of some nodes. Locals stand where the first statement does; they are left out.
fn lines(module: &Module, nodes: &Nodes, set: &NodeSet) -> BTreeSet<u32> {
    let line = |node| module.debug.locs[nodes.loc(module, node)].line;
    let is_local = |node: &NodeId| matches!(nodes.stands_for(module, *node), Stands::Inst(inst) if matches!(inst.op, ir::Op::Alloca { .. }));
    let others = set.iter().filter(|node| !is_local(node));
    others.map(line).filter(|line| *line != 0).collect()
}

/// A write to a global that the slice reads is in it even where no read can see it: no execution
/// could check that. So is the address of a write through a pointer, but not what it writes
/// (`analysis::premises`).
///
/// The lines that contain one of the marks `// in` and `// out` are those in the slice and those
/// not in it, and the same for scheduling points with `// point` and `// free`.
#[track_caller]
fn check(source: &str, properties: Properties) {
    let module = compile(source);
    let nodes = Nodes::of(&module);
    let relevance = relevance(&module, &nodes, properties);
    let slice = lines(&module, &nodes, &relevance.slice);
    let scheduling = lines(&module, &nodes, &relevance.scheduling);
    for (number, line) in source.lines().enumerate() {
        let number = number as u32 + 1;
        let expect = |set: &BTreeSet<u32>, yes: &str, no: &str| {
            if line.contains(yes) {
                assert!(set.contains(&number), "missing ({yes}): {line}");
            }
            if line.contains(no) {
                assert!(!set.contains(&number), "too much ({no}): {line}");
            }
        };
        expect(&slice, "// in", "// out");
        expect(&scheduling, "// point", "// free");
    }
    assert_eq!(
        relevance.statistics.scheduling_points,
        relevance.scheduling.len()
    );
    assert_eq!(
        relevance.statistics.statements_in_slice,
        relevance.slice.len()
    );
}

/// P4, Figure 7: all four statements of the threads, and nothing of `main` but its thread
/// operations.
#[test]
fn p4_figure_7() {
    let source = "#include <pthread.h>
#include <assert.h>
int a;
void *thread1(void *p) {
  a = 0; // point in
  return 0;
}
void *thread2(void *p) {
  a = 1; // point in
  if (a != 1) // point in
    assert(0); // in
  return 0;
}
int b;
int main() {
  pthread_t t, u;
  b = 1; // out free
  pthread_create(&t, 0, thread1, 0); // in
  pthread_create(&u, 0, thread2, 0); // in
  b = 2; // out free
  return b; // out free
}
";
    check(source, ASSERTIONS);
    let module = compile(source);
    let nodes = Nodes::of(&module);
    let relevance = relevance(&module, &nodes, ASSERTIONS);
    let in_threads: Vec<u32> = lines(&module, &nodes, &relevance.slice)
        .into_iter()
        .filter(|line| (4..=12).contains(line))
        .collect();
    assert_eq!(in_threads, [5, 8 + 1, 9 + 1, 10 + 1]);
}

/// P4, Figure 1: whether the key is negative has nothing to do with the table.
#[test]
fn p4_figure_1() {
    let source = "#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#define SIZE 128
#define MAX 4
_Atomic int table[SIZE];
void *thread_routine(void *arg) {
  int tid = (int)(intptr_t)arg;
  int m = 0, w, h;
  while (1) {
    if (m < MAX) { // in
      w = (++m) * 11 + tid; // in
    } else {
      pthread_exit(0); // in
    }
    h = (w * 7) % SIZE; // in
    if (h < 0) // in
      assert(0); // in
    int zero = 0;
    while (!atomic_compare_exchange_strong(&table[h], &zero, w)) { // out free
      h = (h + 1) % SIZE; // out
      zero = 0;
    }
  }
}
int main() {
  for (int i = 0; i < 12; ++i) { // in
    pthread_t t;
    pthread_create(&t, 0, thread_routine, (void *)(intptr_t)i); // in
  }
}
";
    check(source, ASSERTIONS);
    // The key stays inside the table, so that even memory errors have nothing to do with it.
    let no_deadlocks = Properties {
        deadlocks: false,
        ..ALL
    };
    check(source, no_deadlocks);
    // In a full table a thread looks for a free place for ever, and never ends.
    let source = source
        .replace("// out free", "// in point")
        .replace("// out", "// in");
    check(&source, ALL);
}

/// Slices that grow from observed aliases miss this.
#[test]
fn a_condition_of_a_write_matters_before_it_was_ever_true() {
    check(
        "#include <pthread.h>
#include <assert.h>
int x, y, z;
void *t1(void *p) {
  if (y == 1) // point in
    x = 1; // point in
  z = 1; // free out
  return 0;
}
void *t2(void *p) {
  y = 1; // point in
  z = 2; // free out
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, t1, 0);
  pthread_create(&b, 0, t2, 0);
  pthread_join(a, 0); // in
  pthread_join(b, 0); // in
  assert(x == 0); // point in
}
",
        ASSERTIONS,
    );
}

#[test]
fn through_pointers_calls_and_records() {
    check(
        "#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
struct pair { int used; int unused; } *shared;
int flag, noise;
void set(int *p, int v) { *p = v; } // point in
int twice(int v) { return 2 * v; } // in
void *worker(void *p) {
  struct pair *mine = p;
  set(&mine->used, twice(flag)); // point in
  mine->unused = twice(noise); // free out
  return 0;
}
int main() {
  pthread_t t;
  shared = malloc(sizeof *shared);
  shared->used = 0; // point in
  shared->unused = 0; // point in
  pthread_create(&t, 0, worker, shared); // point in
  flag = 1; // point in
  noise = 1; // free out
  pthread_join(t, 0);
  assert(shared->used != 2); // point in
}
",
        ASSERTIONS,
    );
}

/// A function that only computes is followed for the result that matters, not for all its calls.
#[test]
fn summaries_keep_contexts_apart() {
    check(
        "#include <pthread.h>
#include <assert.h>
int x, y, z;
int add(int a, int b) { return a + b; } // in
void *worker(void *p) {
  x = add(y, 1); // point in
  z = add(z, 2); // free out
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  y = 1; // point in
  z = 1; // free out
  assert(x != 2); // point in
}
",
        ASSERTIONS,
    );
}

/// A store that is certainly overwritten before it is read does not matter in the only thread that
/// could read it.
#[test]
fn strong_updates() {
    check(
        "#include <pthread.h>
#include <assert.h>
int x, y, z;
void reset(void) { x = 0; } // point in
void *worker(void *p) {
  z = 1; // free out
  return 0;
}
int main() {
  pthread_t t;
  x = y; // point in
  reset(); // in
  pthread_create(&t, 0, worker, 0);
  assert(x == 0); // point in
}
",
        ASSERTIONS,
    );
}

/// A thread that waits must get on, whatever is asked for; one that counts does by itself.
#[test]
fn waiting_loops_are_essential() {
    check(
        "#include <pthread.h>
#include <stdatomic.h>
_Atomic int ready, data, sum;
void *worker(void *p) {
  while (!ready) ; // point in
  for (int i = 0; i < 3; i++) // out
    sum += data; // free out
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  data = 1; // free out
  ready = 1; // point in
}
",
        ASSERTIONS,
    );
}

/// What an input decides is asked of a solver.
#[test]
fn branches_on_inputs_are_essential() {
    check(
        "#include <pthread.h>
int __VERIFIER_nondet_int(void);
int x, y;
void *worker(void *p) {
  if (x > 3) // point in
    y = 1; // free out
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  x = __VERIFIER_nondet_int(); // point in
  y = 2; // free out
}
",
        ASSERTIONS,
    );
}

#[test]
fn addresses_that_may_be_bad_are_essential_to_memory_errors() {
    let memory = Properties {
        memory: true,
        ..ASSERTIONS
    };
    check(
        "#include <pthread.h>
#include <stdlib.h>
int table[8], at, other;
int *gone;
void *worker(void *p) {
  table[at] = other; // in
  at = 3; // point in
  other = 3; // free out
  for (int i = 0; i < 8; i++) // out
    table[i] = 1; // free out
  *gone = 2; // point in
  return 0;
}
int main() {
  pthread_t t;
  gone = malloc(4); // point in
  pthread_create(&t, 0, worker, 0);
  at = 12; // point in
  other = 4; // free out
  free(gone); // in
}
",
        memory,
    );
}

#[test]
fn divisors_that_may_be_zero_are_essential_to_division() {
    let division = Properties {
        division: true,
        ..ASSERTIONS
    };
    check(
        "#include <pthread.h>
int x, y, z;
void *worker(void *p) {
  y = 8 / x; // in
  z = y / 3; // free out
  x = 1; // point in
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  x = 2; // point in
  y = 3; // free out
}
",
        division,
    );
}

/// What a thread returns reaches who joins it.
#[test]
fn results_of_threads() {
    check(
        "#include <pthread.h>
#include <assert.h>
int x, y;
void *worker(void *p) {
  y = 1; // free out
  return x ? p : 0; // point in
}
int main() {
  pthread_t t;
  void *result;
  pthread_create(&t, 0, worker, &x);
  x = 1; // point in
  pthread_join(t, &result); // in
  assert(result == 0); // in
}
",
        ASSERTIONS,
    );
}

/// Values that go through variable arguments, copies of memory, and growing blocks.
#[test]
fn roundabout_ways_through_memory() {
    check(
        "#include <pthread.h>
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
struct pair { int first, second; } from, to;
int x, y;
int pick(int n, ...) {
  va_list list;
  va_start(list, n); // in
  int value = va_arg(list, int); // in
  va_end(list);
  return value;
}
void *worker(void *p) {
  int *block = malloc(4);
  block[0] = x; // point in
  block = realloc(block, 400); // in
  from.first = pick(1, block[0]); // point in
  memcpy(&to, &from, sizeof to); // point in
  y = 1; // free out
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  x = 1; // point in
  pthread_join(t, 0);
  assert(to.first == 0); // point in
}
",
        ASSERTIONS,
    );
}

#[test]
fn jumps_and_callbacks() {
    check(
        "#include <pthread.h>
#include <assert.h>
#include <setjmp.h>
int x, y, z;
jmp_buf buffer;
void leave(int v) { if (v == x) longjmp(buffer, v); } // point in
void note(int v) { z = v; } // free out
void (*handlers[2])(int) = { leave, note };
int choice;
void *worker(void *p) {
  if (setjmp(buffer) == 0) { // in
    y = 0; // point in
    handlers[choice](3); // point in
    y = 1; // point in
  }
  assert(y == 0); // point in
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  x = 3; // point in
  choice = 1; // point in
  pthread_join(t, 0);
}
",
        ASSERTIONS,
    );
}

/// How many objects there were names the next one.
#[test]
fn allocations_are_essential() {
    check(
        "#include <pthread.h>
#include <stdlib.h>
int x, y;
int *shared;
void *worker(void *p) {
  if (x) // point in
    shared = malloc(4); // free in
  y = 1; // free out
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  x = 1; // point in
  y = 2; // free out
}
",
        ASSERTIONS,
    );
}

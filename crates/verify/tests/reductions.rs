//! What the classic reductions, `dpor` and `source`, must not leave out: each program once was a
//! difference from another search, or is one that a finer notion of independence could get wrong.

use std::collections::BTreeSet;

use verify::{Besides, Options, Quiet, Search, Verdict};

fn finest() -> Search {
    Search::Source {
        commute: true,
        peek: false,
        besides: Besides::Observers,
    }
}

/// Complete executions, and the lines of the bugs found in them, of a program whose threads run
/// `one`, `two` and, if it is there, `three`.
fn search(search: Search, program: &str) -> (u64, BTreeSet<String>) {
    let mut source =
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
        extern void __VERIFIER_assume(int);\nextern int __VERIFIER_nondet_int(void);\n\
        extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n"
            .to_string();
    let mut main = String::new();
    for line in program.lines() {
        // `name: body` is a thread, anything else stands for itself.
        match line.trim().split_once(": ") {
            Some(("main", body)) => main.push_str(body),
            Some((name, body)) => source.push_str(&format!(
                "static void *{name}(void *a) {{ {body} return a; }}"
            )),
            None => source.push_str(line),
        }
        source.push('\n');
    }
    let threads: Vec<&str> = ["one", "two", "three"]
        .into_iter()
        .filter(|name| source.contains(&format!("*{name}(")))
        .collect();
    source.push_str(&format!("int main(void) {{ pthread_t t[3]; {main}\n"));
    for (i, name) in threads.iter().enumerate() {
        source.push_str(&format!("pthread_create(&t[{i}], 0, {name}, 0);\n"));
    }
    for i in 0..threads.len() {
        source.push_str(&format!("pthread_join(t[{i}], 0);\n"));
    }
    source.push_str("return 0; }\n");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, &source).expect("the file is written");
    let loaded = verify::load(&[file], &[]).expect("a program that compiles");
    let options = Options {
        all: true,
        ..Options::with(search)
    };
    let checked = verify::check(&loaded, &options, &mut Quiet).expect("it is checked");
    let coverage = &checked.coverage;
    assert!(coverage.is_complete(), "{coverage:?}");
    let mut found = BTreeSet::new();
    if let Verdict::Bug(bugs) = &checked.verdict {
        let lines: Vec<&str> = source.lines().collect();
        for bug in bugs {
            let place = bug.location.rsplit(':').nth(1).expect("a line");
            let line: usize = place.parse().expect("a number");
            let name = lines[line - 1].split(['*', '(']).nth(1).unwrap_or_default();
            found.insert(format!("{} in {name}", bug.property.name()));
        }
    }
    (checked.counts.runs.complete, found)
}

/// With both: so many traces, all of them complete, and these bugs.
fn check(program: &str, traces: u64, bugs: &[&str]) {
    let wanted: BTreeSet<String> = bugs.iter().map(ToString::to_string).collect();
    let (complete, found) = search(Search::source(), program);
    assert_eq!((complete, &found), (traces, &wanted), "source sets");
    let (complete, found) = search(Search::dpor(), program);
    assert_eq!(found, wanted, "classic");
    assert!(complete >= traces, "classic: {complete} of {traces}");
    let (complete, found) = search(finest(), program);
    assert_eq!(found, wanted, "finest");
    assert!(complete <= traces, "finest: {complete} of {traces}");
}

/// The bugs alone: where faults cut executions short, how many there are depends on the order of
/// the search.
fn check_bugs(program: &str, bugs: &[&str]) {
    let wanted: BTreeSet<String> = bugs.iter().map(ToString::to_string).collect();
    for one in [Search::source(), Search::dpor(), finest()] {
        let name = format!("{one:?}");
        assert_eq!(search(one, program).1, wanted, "{name}");
    }
}

/// With observers and updates that commute: so many traces are left, and these bugs.
fn check_finest(program: &str, traces: u64, bugs: &[&str]) {
    let wanted: BTreeSet<String> = bugs.iter().map(ToString::to_string).collect();
    let (complete, found) = search(finest(), program);
    assert_eq!((complete, &found), (traces, &wanted));
}

#[test]
fn a_thread_that_is_tried_because_of_a_race_may_have_to_wait() {
    // The first thread cannot begin before the second; the third is before, after, or between lock
    // and unlock of it, or it of the third.
    let program = "static volatile int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        one: while (x != 1) ; if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m);
        two: x = 1;
        three: if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m);";
    check(program, 4, &[]);
}

#[test]
fn a_loop_of_one_look_is_no_event() {
    let program = "static volatile int x;
        one: while (x == 0) ;
        two: x = 1; x = 2;";
    check(program, 2, &[]);
}

#[test]
fn a_loop_may_look_at_what_is_not_known_to_be_shared() {
    let program = "static volatile int x, y, z;
        one: while (x == 0 && y == 0) ; assert(z != 1);
        two: z = 1; y = 1; z = 2; x = 1;";
    check_bugs(program, &["assertion in one"]);
}

#[test]
fn a_section_may_look_at_what_is_not_known_to_be_shared() {
    let program = "static int x, y;
        one: __VERIFIER_atomic_begin(); int v = x; __VERIFIER_assume(y == 1); __VERIFIER_atomic_end(); assert(v == 1);
        two: y = 1;
        three: x = 1;";
    check_bugs(program, &["assertion in one"]);
}

#[test]
fn a_section_that_waits_for_some_inputs_does_not_stop_others() {
    let program = "static int x;
        main: x = __VERIFIER_nondet_int();
        one: __VERIFIER_atomic_begin(); __VERIFIER_assume(x > 0); __VERIFIER_atomic_end();
        two: int v = x; assert(v > 0);
        three: if (x == 7) x = 8;";
    check_bugs(program, &["assertion in two"]);
}

#[test]
fn a_section_is_tried_before_what_closes_it_again() {
    let program = "static int x;
        one: __VERIFIER_atomic_begin(); __VERIFIER_assume(x != 1); int v = x; __VERIFIER_atomic_end(); assert(v != 0);
        two: x = 1; x = 2;";
    check_bugs(program, &["assertion in one"]);
}

#[test]
fn endless_waiting_is_a_deadlock() {
    let program = "static volatile int x, y;
        one: while (x == y) ;
        two: x = y;";
    check_bugs(program, &["deadlock in one"]);
}

#[test]
fn endless_waiting_is_none_once_the_process_exits() {
    let program = "static volatile int x;
        one: while (x == 0) ;
        two: x = 0; exit(0);";
    // The round is executed: it reads before the write or after it.
    check(program, 2, &[]);
}

#[test]
fn a_fault_hides_no_other_that_could_come_before() {
    let program = "static int x, y;
        one: int v = x; assert(v != 0);
        two: int v = y; assert(v != 0);
        three: x = 0; y = 0;";
    check_bugs(program, &["assertion in one", "assertion in two"]);
}

#[test]
fn what_is_freed_is_used_before_as_well() {
    let program = "static int *p, x;
        main: p = malloc(sizeof *p); *p = 0;
        one: x = 1; *p = 1; assert(x != 1);
        two: *p = 3;
        three: free(p);";
    check_bugs(
        program,
        &["assertion in one", "memory in one", "memory in two"],
    );
}

#[test]
fn a_lock_is_taken_before_it_was_taken() {
    // Not before it was given back: that is no place for it.
    let program = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int x;
        one: pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);
        two: int v = 1; pthread_mutex_lock(&m); v = x; pthread_mutex_unlock(&m); assert(v == 1);";
    check_bugs(program, &["assertion in two"]);
}

#[test]
fn readers_of_a_lock_exclude_writers() {
    // Readers count themselves, so they depend on each other: each of the two sections of readers
    // opens and closes in six orders; the writer comes before, after, or between them where there
    // is a between.
    let program = "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        one: pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        two: pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        three: pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);";
    check(program, 6 + 6 + 2, &[]);
}

#[test]
fn once_is_done_by_either() {
    let program =
        "static pthread_once_t o = PTHREAD_ONCE_INIT; static int x; static void f(void) { x++; }
        one: pthread_once(&o, f);
        two: pthread_once(&o, f);";
    check(program, 2, &[]);
}

#[test]
fn a_barrier_opens_when_the_last_comes() {
    // Two orders of arriving; who does not open it leaves by itself.
    let program = "static pthread_barrier_t b;
        main: pthread_barrier_init(&b, 0, 2);
        one: pthread_barrier_wait(&b);
        two: pthread_barrier_wait(&b);";
    check(program, 2, &[]);
}

#[test]
fn what_is_read_at_last_was_written_by_either() {
    // Two writes that nobody overwrites: Theorems 2 and 3 of P4 would leave one order out.
    let program = "static int x;
        one: x = 1;
        two: x = 2;
        three: int v = x; assert(v != 1);";
    check_bugs(program, &["assertion in three"]);
}

#[test]
fn who_waits_for_ever_sees_the_last_write() {
    let program = "static volatile int x;
        one: while (x != 1) ;
        two: x = 1;
        three: x = 2;";
    check_bugs(program, &["deadlock in one"]);
    let program = "static int x;
        one: __VERIFIER_atomic_begin(); __VERIFIER_assume(x == 1); __VERIFIER_atomic_end(); assert(0);
        two: x = 2;
        three: x = 1;";
    check_bugs(program, &["assertion in one"]);
}

#[test]
fn writes_that_overlap_in_part_are_in_order() {
    let program = "static union { int whole; char byte; } x;
        one: x.whole = 1;
        two: x.byte = 2;";
    check_finest(program, 2, &[]);
}

#[test]
fn writes_that_depend_on_what_was_there_are_in_order() {
    let program = "static atomic_int x;
        one: int v = 0; atomic_compare_exchange_strong(&x, &v, 1);
        two: x = 2;
        three: int v = x; assert(v != 1);";
    check_bugs(program, &["assertion in three"]);
    let program = "static int x;
        one: __VERIFIER_atomic_begin(); if (x == 0) x = 1; __VERIFIER_atomic_end();
        two: x = 2;
        three: int v = x; assert(v != 1);";
    check_bugs(program, &["assertion in three"]);
}

#[test]
fn what_is_freed_has_been_written_before() {
    let program = "static int *p;
        main: p = malloc(sizeof *p);
        one: *p = 1;
        two: *p = 2;
        three: free(p);";
    check_bugs(program, &["memory in one", "memory in two"]);
}

#[test]
fn a_write_may_be_seen_through_another() {
    // The order of the writes to x follows from what is read of y, and the other way round.
    let program = "static int x, y;
        one: x = 1; y = 1;
        two: y = 2; x = 2;
        three: int v = x, w = y; assert(!(v == 1 && w == 2)); assert(!(v == 2 && w == 1));";
    check_bugs(program, &["assertion in three"]);
}

#[test]
fn updates_are_seen_before_and_after() {
    // The reader sees none, one of the two, or both.
    let program = "static atomic_int x;
        one: x++;
        two: x++;
        three: int v = x; assert(v != 1);";
    check_finest(program, 4, &["assertion in three"]);
}

#[test]
fn who_waits_could_have_been_first_where_the_others_sleep() {
    // The mutex is never given back: who comes second waits for ever. Some executions are cut short
    // before that is all there is left, and the wait is reversed all the same.
    let program = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int x, y;
        one: x = 0; pthread_mutex_lock(&m); y = 0;
        two: int v = x; v = y;
        three: x = 0; pthread_mutex_lock(&m);";
    check(program, 18, &["deadlock in one", "deadlock in three"]);
}

/// Readers of a read-write lock commute with each other; a writer sees how many there are.
#[test]
fn readers_commute_but_not_with_a_writer() {
    let lock = "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; static int x;";
    let program = format!(
        "{lock}
        one: pthread_rwlock_rdlock(&l); assert(x == 0); pthread_rwlock_unlock(&l);
        two: pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        three: pthread_rwlock_wrlock(&l); x = 1; pthread_rwlock_unlock(&l);"
    );
    check_bugs(&program, &["assertion in one"]);
    let program = format!(
        "{lock}
        one: pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        two: pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        three: if (pthread_rwlock_trywrlock(&l)) x = 1; else pthread_rwlock_unlock(&l); assert(x == 0);"
    );
    check_bugs(&program, &["assertion in three"]);
    // One reader never gives it back.
    let program = format!(
        "{lock}
        one: pthread_rwlock_rdlock(&l);
        two: pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        three: pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);"
    );
    check_bugs(&program, &["deadlock in three"]);
    // Each gives back what it took itself.
    let program = format!(
        "{lock}
        one: pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        two: pthread_rwlock_unlock(&l);"
    );
    check_bugs(&program, &["lock misuse in two"]);
}

/// The naive search remembers steps by where a thread stands and what is in its registers; two
/// functions can look alike there.
#[test]
fn steps_of_functions_that_look_alike_are_told_apart() {
    let program = "static volatile int x = 2, y;
        static void keeps(void) { int a = x; y = a & 1; }
        static void adds(void) { int a = x; y = a | 1; }
        one: keeps(); adds(); assert(y == 3 || y == 7);
        two: x = 6; y = 7;";
    let (_, found) = search(Search::naive(), program);
    assert_eq!(found, BTreeSet::new());
}

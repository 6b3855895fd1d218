//! A search that would take for ever takes turns with others, and one of these comes to an end.

use std::fmt::Write;
use std::time::Duration;

use verify::{
    Checked, EngineOptions, Explore, Loaded, Members, Options, Portfolio, Properties, Property,
    Search, Verdict, Workers,
};

fn load(source: &str) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, source).expect("the file is written");
    verify::load(&[file], &[]).expect("a program that compiles")
}

/// What is searched by default, by one worker, and given up after a minute, or sooner if no others
/// join the main search.
fn options(members: Members, trace: bool) -> Options {
    let main = Explore::predicate(Search::Optimal {
        peek: true,
        workers: Workers::default(),
    });
    let seconds = match (members, trace) {
        (Members::BugHunt, false) => 2,
        _ => 60,
    };
    let portfolio = Portfolio {
        main,
        members,
        trace,
        seed: 0,
    };
    Options {
        time_limit: Some(Duration::from_secs(seconds)),
        ..Options::with(EngineOptions::Portfolio(portfolio))
    }
}

fn check(source: &str, options: &Options) -> Checked {
    let checked = verify::check(&load(source), options, &mut verify::Quiet);
    checked.expect("no fault of Sleave")
}

/// Which of the members is the first depends on the machine.
fn is_decided_by_a_member(checked: &Checked) -> bool {
    let searches = ["explore:states", "explore:summaries", "explore:observers"];
    searches.contains(&checked.engine) || checked.engine == "trace"
}

/// With all members, by one of them, and without the trace engine by another. The main search and a
/// bug hunt alone do not prove it.
fn is_proved_by_a_member(source: &str) {
    for trace in [true, false] {
        let checked = check(source, &options(Members::All, trace));
        assert!(matches!(checked.verdict, Verdict::Safe));
        assert!(is_decided_by_a_member(&checked), "{}", checked.engine);
    }
    let checked = check(source, &options(Members::BugHunt, false));
    assert!(matches!(checked.verdict, Verdict::Unknown(_)));
}

/// No search proves it in a second or two.
fn is_proved_by_the_trace_engine_alone(source: &str, property: Property) {
    let mut options = options(Members::All, true);
    options.properties = Properties([property].into());
    let checked = check(source, &options);
    assert!(matches!(checked.verdict, Verdict::Safe));
    assert_eq!(checked.engine, "trace");
    let unrolled = checked.counts.trace.expect("what was unrolled");
    assert_eq!(unrolled.open_exits, 0, "{unrolled:?}");
}

/// A thread that reads what another one writes, variable by variable.
fn reader_and_writer(variables: usize, reading: impl Fn(usize) -> String, end: &str) -> String {
    let mut source = "#include <assert.h>\n#include <pthread.h>\n".to_string();
    let (mut reads, mut writes) = (String::new(), String::new());
    for i in 0..variables {
        let _ = writeln!(source, "int v{i};");
        reads += &reading(i);
        let _ = write!(writes, " v{i} = 10;");
    }
    let _ = write!(
        source,
        "void *reader(void *unused) {{ int right = 1; {reads} {end} return 0; }}
void *writer(void *unused) {{ {writes} return 0; }}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}}
"
    );
    source
}

#[test]
fn what_has_a_billion_traces_is_proved() {
    let source = reader_and_writer(30, |i| format!(" assert(v{i} <= 10);"), "");
    is_proved_by_a_member(&source);
}

#[test]
fn a_bug_in_one_of_many_traces_is_found() {
    let expected = |i| if i % 2 == 0 { 10 } else { 0 };
    let reading = |i| format!(" if (v{i} != {}) right = 0;", expected(i));
    let source = reader_and_writer(28, reading, "assert(!right);");
    let checked = check(&source, &options(Members::All, true));
    assert!(is_decided_by_a_member(&checked), "{}", checked.engine);
    let Verdict::Bug(bugs) = checked.verdict else {
        panic!("the reader and the writer may go in step");
    };
    assert_eq!(bugs.len(), 1);
}

#[test]
fn what_writers_leave_is_proved() {
    let source = "#include <assert.h>
#include <pthread.h>
int x;
void *writer(void *value) { x = (int)(long)value; return 0; }
int main(void) {
    pthread_t t[14];
    for (long i = 0; i < 14; i++) pthread_create(&t[i], 0, writer, (void *)(i + 1));
    for (int i = 0; i < 14; i++) pthread_join(t[i], 0);
    assert(x > 0);
}
";
    is_proved_by_a_member(source);
}

/// One schedule stands for all, but has a million ways through its branches: the main search tries
/// it first, and what a member decides meanwhile counts.
#[test]
fn what_is_decided_while_one_schedule_is_tried_counts() {
    let source = "#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int counted;
void *count(void *unused) { counted++; return 0; }
void *sum(void *unused) {
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        if (__VERIFIER_nondet_int() > 5) sum++;
        assert(sum <= 20);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sum, 0);
    pthread_create(&b, 0, count, 0);
    counted++;
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";
    let mut options = options(Members::All, false);
    options.properties = Properties([Property::Assertion].into());
    let checked = check(source, &options);
    assert!(matches!(checked.verdict, Verdict::Safe));
    assert!(is_decided_by_a_member(&checked), "{}", checked.engine);
}

/// Each thread reads the counter and writes one more: lost updates and all, it never gets greater
/// than there are threads.
fn counter(threads: usize, before: &str, after: &str) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;
void *count(void *unused) {{ {before} int seen = counter; counter = seen + 1; {after} return 0; }}
int main(void) {{
    pthread_t t[{threads}];
    for (int i = 0; i < {threads}; i++) pthread_create(&t[i], 0, count, 0);
    assert(counter <= {threads});
    for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);
    assert(counter <= {threads});
}}
"
    )
}

#[test]
fn what_no_search_comes_to_the_end_of_is_proved_by_the_trace_engine() {
    is_proved_by_the_trace_engine_alone(&counter(40, "", ""), Property::Assertion);
}

/// Threads that spin on more than others change make both give up: the reason is that of the main
/// search.
#[test]
fn an_obstacle_is_no_reason() {
    let source = "#include <pthread.h>
int x, y;
void *worker(void *unused) {
    for (;;) { x = x * 3 + 1; y = x; if (y == 7 && x == 8) return 0; }
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_join(t, 0);
}
";
    let mut options = options(Members::All, true);
    options.time_limit = Some(Duration::from_secs(4));
    let checked = check(source, &options);
    let Verdict::Unknown(reason) = checked.verdict else {
        panic!("loops without end");
    };
    assert_eq!(checked.engine, "explore");
    let reasons = ["loop bound", "time limit"];
    assert!(reasons.contains(&reason.name.as_str()), "{}", reason.name);
}

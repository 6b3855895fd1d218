//! A search that would take for ever takes turns with others, and one of these comes to an end.

use std::fmt::Write;
use std::time::Duration;

use verify::{
    EngineOptions, Explore, Loaded, Members, Options, Portfolio, Search, Verdict, Workers,
};

fn load(source: &str) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, source).expect("the file is written");
    verify::load(&[file], &[]).expect("a program that compiles")
}

/// What is searched by default, by one worker, and given up after a minute, or sooner if no others
/// join the main search.
fn check(source: &str, members: Members) -> Verdict {
    let main = Explore::predicate(Search::Optimal {
        peek: true,
        workers: Workers::default(),
    });
    let seconds = match members {
        Members::All => 60,
        Members::BugHunt => 2,
    };
    let portfolio = Portfolio {
        main,
        members,
        seed: 0,
    };
    let options = Options {
        time_limit: Some(Duration::from_secs(seconds)),
        ..Options::with(EngineOptions::Portfolio(portfolio))
    };
    let checked = verify::check(&load(source), &options, &mut verify::Quiet);
    checked.expect("no fault of Sleave").verdict
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
fn summaries_prove_what_has_a_billion_traces() {
    let source = reader_and_writer(30, |i| format!(" assert(v{i} <= 10);"), "");
    assert!(matches!(check(&source, Members::All), Verdict::Safe));
    assert!(matches!(
        check(&source, Members::BugHunt),
        Verdict::Unknown(_)
    ));
}

#[test]
fn summaries_find_a_bug_in_one_of_many_traces() {
    let expected = |i| if i % 2 == 0 { 10 } else { 0 };
    let reading = |i| format!(" if (v{i} != {}) right = 0;", expected(i));
    let source = reader_and_writer(28, reading, "assert(!right);");
    let Verdict::Bug(bugs) = check(&source, Members::All) else {
        panic!("the reader and the writer may go in step");
    };
    assert_eq!(bugs.len(), 1);
}

#[test]
fn observers_prove_what_writers_leave() {
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
    assert!(matches!(check(source, Members::All), Verdict::Safe));
    assert!(matches!(
        check(source, Members::BugHunt),
        Verdict::Unknown(_)
    ));
}

//! Threads that wait for each other in loops, for numbers that are inputs or not: every search
//! against the reference of the `oracle` crate on random programs, and programs that once were a
//! difference.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds instead of the usual ones.

use oracle::{Endings, waiting_program};
use verify::{
    Besides, Explore, Loaded, Options, Properties, Property, Quiet, Search, Summarise, Verdict,
};

const HEADER: &str = "#include <assert.h>\n#include <pthread.h>\n\
    extern void __VERIFIER_assume(int);\nextern int __VERIFIER_nondet_int(void);\n";

/// Programs compiled together.
const BATCH: u64 = 20;

fn load(source: &str) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{HEADER}{source}")).expect("the file is written");
    verify::load(&[file], &[]).expect("a program that compiles")
}

fn modes() -> impl Iterator<Item = (&'static str, Options)> {
    let source = |commute, besides| Search::Source {
        commute,
        peek: false,
        besides,
    };
    let summaries = || Besides::Summaries(Summarise::default());
    let dpor = Search::Dpor {
        commute: false,
        peek: false,
        summaries: Some(Summarise::default()),
    };
    let predicate = Explore::predicate(Search::Source {
        commute: false,
        peek: true,
        besides: summaries(),
    });
    [
        ("optimal", Explore::of(Search::optimal())),
        ("source", Explore::of(Search::source())),
        ("finest", Explore::of(source(true, Besides::Observers))),
        ("dpor", Explore::of(Search::dpor())),
        (
            "source and summaries",
            Explore::of(source(false, summaries())),
        ),
        ("dpor and summaries", Explore::of(dpor)),
        ("predicate and summaries", predicate),
    ]
    .map(|(name, explore)| (name, Options::with(explore)))
    .into_iter()
}

/// What a search finds, all of which replays.
fn search(loaded: &Loaded, options: &Options) -> Result<Endings, String> {
    let checked = verify::check(loaded, options, &mut Quiet).map_err(|e| e.to_string())?;
    let mut endings = Endings::default();
    match &checked.verdict {
        Verdict::Bug(bugs) => {
            for bug in bugs {
                match bug.property {
                    Property::Assertion => endings.assertion = true,
                    Property::Deadlock => endings.deadlock = true,
                    other => return Err(other.name().to_string()),
                }
            }
        }
        Verdict::Safe => {}
        other => return Err(format!("{other:?}")),
    }
    Ok(endings)
}

/// What stops an execution hides what would come after it: something is found if there is
/// something, and nothing else.
fn agrees(found: Endings, wanted: Endings) -> bool {
    let is_something = found != Endings::default();
    let is_true = wanted.assertion >= found.assertion && wanted.deadlock >= found.deadlock;
    is_true && is_something == (wanted != Endings::default())
}

#[test]
fn every_search_sees_what_the_reference_sees() {
    let seeds = match std::env::var("SLEAVE_CAMPAIGN") {
        Ok(text) => {
            let (first, last) = text.split_once("..").expect("FIRST..LAST");
            first.parse().expect("a seed")..last.parse().expect("a seed")
        }
        Err(_) => 0..200,
    };
    let mut differences = Vec::new();
    let mut first: u64 = seeds.start;
    while first < seeds.end {
        let batch = first..(first + BATCH).min(seeds.end);
        first = batch.end;
        let mut source = String::new();
        let mut cases = String::new();
        for seed in batch.clone() {
            let letter = letter(seed - batch.start);
            source.push_str(&waiting_program(seed).source(&format!("{letter}_")));
            cases.push_str(&format!("case '{letter}': return {letter}_main();\n"));
        }
        source.push_str(&format!(
            "int main(int argc, char **argv) {{ switch (argv[1][0]) {{ {cases} }} return 1; }}"
        ));
        let loaded = load(&source);
        for seed in batch.clone() {
            let wanted = waiting_program(seed).endings();
            for (name, mut options) in modes() {
                options.all = seed % 2 == 0;
                options.machine.args = vec![letter(seed - batch.start).to_string()];
                let mut differs = |asked: &str, found: Result<Endings, String>| {
                    let source = waiting_program(seed).source("");
                    differences.push(format!(
                        "seed {seed}, {name}, {asked}: {found:?} instead of {wanted:?}\n{source}"
                    ));
                };
                let found = search(&loaded, &options);
                if !found.as_ref().is_ok_and(|found| agrees(*found, wanted)) {
                    differs("all", found);
                }
                options.properties = Properties([Property::Assertion].into());
                let found = search(&loaded, &options);
                let assertions = Endings {
                    deadlock: false,
                    ..wanted
                };
                if found != Ok(assertions) {
                    differs("assertions", found);
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The argument that means a program of a batch.
fn letter(index: u64) -> char {
    char::from(b'a' + index as u8)
}

fn check(source: &str, wanted: Endings) {
    let loaded = load(source);
    for (name, options) in modes() {
        assert_eq!(search(&loaded, &options), Ok(wanted), "{name}");
    }
}

/// Dijkstra's "Cooperating sequential processes" has it. Who looks first at the turn, which is an
/// input, may have to wait.
#[test]
fn dekker_begins_with_any_turn() {
    let source = "static int wants[2], turn, owner;
        static void *enter(void *arg) {
            int me = arg != 0, other = 1 - me;
            wants[me] = 1;
            while (wants[other]) {
                if (turn != me) {
                    wants[me] = 0;
                    while (turn != me) ;
                    wants[me] = 1;
                }
            }
            owner = me;
            assert(owner == me);
            turn = other;
            wants[me] = 0;
            return 0;
        }
        int main(void) {
            pthread_t t, u;
            turn = __VERIFIER_nondet_int();
            __VERIFIER_assume(turn == 0 || turn == 1);
            pthread_create(&t, 0, enter, 0);
            pthread_create(&u, 0, enter, (void *)1);
            pthread_join(t, 0);
            pthread_join(u, 0);
        }";
    check(source, Endings::default());
}

/// With some inputs nobody waits for ever, but then an assertion fails.
#[test]
fn a_wait_for_some_inputs_hides_no_others() {
    let source = "static int turn, passed;
        static void *first(void *a) { while (turn == 7) ; passed = 1; return a; }
        static void *second(void *a) { while (!passed) ; assert(turn != 5); turn = 9; return a; }
        int main(void) {
            pthread_t t, u;
            turn = __VERIFIER_nondet_int();
            pthread_create(&t, 0, first, 0);
            pthread_create(&u, 0, second, 0);
        }";
    let wanted = Endings {
        assertion: true,
        deadlock: false,
    };
    check(source, wanted);
}

/// There is no assertion, and so one schedule would stand for all, if it came to an end.
#[test]
fn a_schedule_without_end_stands_for_no_other() {
    let source = "static int number, gate;
        static void *count(void *arg) { number++; return arg; }
        static void *wait(void *arg) {
            while (!__sync_bool_compare_and_swap(&gate, 1, 2)) ;
            return arg;
        }
        int main(void) {
            pthread_t t, u;
            pthread_create(&t, 0, count, 0);
            pthread_create(&u, 0, wait, 0);
            pthread_join(t, 0);
            pthread_join(u, 0);
            return 0;
        }";
    let loaded = load(source);
    let options = Options {
        properties: Properties([Property::Assertion].into()),
        ..Options::with(Explore::predicate(Search::optimal()))
    };
    assert_eq!(search(&loaded, &options), Ok(Endings::default()));
}

//! The search with a bound on preemptions sees what the naive search sees in schedules within the
//! bound, no less and no more.

use std::collections::{BTreeMap, BTreeSet};

use ir::Symbol;
use machine::Machine;
use oracle::{Config, Program};
use verify::{
    Checked, EngineOptions, Explore, Loaded, Members, Options, Phase, Portfolio, Progress,
    Sampling, Search, Verdict, Watcher,
};

fn load(source: &str) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, source).expect("the file is written");
    verify::load(&[file], &[]).expect("a program that compiles")
}

fn check(loaded: &Loaded, options: &Options) -> Checked {
    verify::check(loaded, options, &mut verify::Quiet).expect("no fault of Sleave")
}

/// So many runs at random.
fn random(runs: u64) -> Search {
    Search::Random(Sampling {
        seed: 0,
        runs: Some(runs),
    })
}

fn reason(checked: &Checked) -> &str {
    match &checked.verdict {
        Verdict::Unknown(reason) => &reason.name,
        Verdict::Safe => "safe",
        Verdict::Bug(_) => "bug",
    }
}

/// One thread reads what the other one has just written, `reads` times. After each write but the
/// last, and after each read but the last, the thread could go on.
fn alternating(writes: u32, reads: u32) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
volatile int x;
void *writer(void *unused) {{ for (int i = 1; i <= {writes}; i++) x = i; return 0; }}
void *reader(void *unused) {{
    int right = 0;
    for (int i = 1; i <= {reads}; i++) right += x == i;
    assert(right != {reads});
    return 0;
}}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}}
"
    )
}

#[test]
fn a_bug_is_found_with_the_preemptions_it_needs_and_not_with_fewer() {
    for (writes, reads, needed) in [(1, 1, 0), (2, 1, 1), (2, 2, 2), (3, 2, 3), (3, 3, 4)] {
        let loaded = load(&alternating(writes, reads));
        for bound in 0..=5 {
            for all in [false, true] {
                let options = Options {
                    all,
                    ..Options::with(Search::Preemptions { bound })
                };
                let checked = check(&loaded, &options);
                let expected = if bound < needed {
                    "preemption bound"
                } else {
                    "bug"
                };
                assert_eq!(
                    reason(&checked),
                    expected,
                    "{writes} writes, {reads} reads, {bound} preemptions"
                );
                assert_eq!(checked.bounds, [format!("preemptions {bound}")]);
            }
        }
    }
}

/// Waiting, ending and being signalled are no preemptions; a time-out is waited for.
#[test]
fn giving_the_turn_away_is_free() {
    let handshake = "#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
sem_t ping, pong;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
volatile int x, timed_out;
void *left(void *unused) {
    for (int i = 0; i < 3; i++) { sem_wait(&ping); x++; sem_post(&pong); }
    return 0;
}
void *right(void *unused) {
    struct timespec soon = {0};
    pthread_mutex_lock(&m);
    timed_out = pthread_cond_timedwait(&c, &m, &soon) != 0;
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3; i++) { sem_post(&ping); sem_wait(&pong); x++; }
    return 0;
}
int main(void) {
    pthread_t a, b;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x != 6);
}
";
    let options = Options::with(Search::Preemptions { bound: 0 });
    assert_eq!(reason(&check(&load(handshake), &options)), "bug");
}

#[test]
fn without_anything_left_out_it_is_still_not_safe() {
    let loaded = load("int main(void) { return 0; }\n");
    for (search, expected) in [
        (Search::Preemptions { bound: 3 }, "preemption bound"),
        (random(9), "random search"),
    ] {
        let checked = check(&loaded, &Options::with(search));
        assert_eq!(reason(&checked), expected);
        // One run is all there is.
        assert_eq!(checked.counts.runs.complete, 1);
    }
}

/// Final states with the fewest preemptions that lead to them.
struct Collector<'a> {
    program: &'a Program,
    finals: BTreeMap<Vec<u64>, u32>,
}

impl Watcher for Collector<'_> {
    fn complete(&mut self, machine: &mut Machine) {
        let observables = self.program.observables();
        let values = observables.iter().map(|o| {
            let global = machine.program.module.global_named(&o.global);
            let symbol = Symbol::Global(global.expect("an observable"));
            let address = machine.program.address_of(symbol) + 4 * o.index as u64;
            let value = machine.state.memory.read(&mut machine.terms, address, 32);
            assert!(value.is_concrete(), "there are no inputs");
            value.bits
        });
        let values = values.collect();
        let preemptions = machine.preemptions();
        let fewest = self.finals.entry(values).or_insert(preemptions);
        *fewest = preemptions.min(*fewest);
    }

    fn restart(&mut self) {
        self.finals.clear();
    }
}

fn finals(
    program: &Program,
    loaded: &Loaded,
    search: Search,
) -> (BTreeMap<Vec<u64>, u32>, Checked) {
    let options = Options {
        all: true,
        ..Options::with(search)
    };
    let mut collector = Collector {
        program,
        finals: BTreeMap::new(),
    };
    let checked = verify::check(loaded, &options, &mut collector).expect("no fault of Sleave");
    (collector.finals, checked)
}

#[test]
fn final_states_are_those_of_the_naive_search_within_the_bound() {
    let mut cut = 0;
    for seed in 0..60 {
        let config = Config {
            inputs: 0..=0,
            conditions: if seed % 2 == 0 { 0..=0 } else { 1..=1 },
            mutexes: 1..=2,
            ..Config::default()
        };
        let program = oracle::generate(&config, seed);
        let loaded = load(&oracle::render(&program).source);
        let (all, naive) = finals(&program, &loaded, Search::naive());
        for bound in 0..=3 {
            let (found, checked) = finals(&program, &loaded, Search::Preemptions { bound });
            let within: BTreeSet<_> = all.iter().filter(|(_, n)| **n <= bound).collect();
            assert_eq!(
                found.iter().collect::<BTreeSet<_>>(),
                within,
                "seed {seed}, at most {bound} preemptions"
            );
            cut += usize::from(within.len() < all.len());
            let is_bug = matches!(checked.verdict, Verdict::Bug(_));
            assert!(!is_bug || matches!(naive.verdict, Verdict::Bug(_)));
        }
        let unbounded = Search::Preemptions { bound: u32::MAX };
        let (found, checked) = finals(&program, &loaded, unbounded);
        assert_eq!(found, all);
        assert_eq!(checked.counts.runs, naive.counts.runs);
        assert_eq!(checked.counts.failing, naive.counts.failing);
    }
    assert!(cut > 20, "the bound makes a difference: {cut}");
}

/// Random runs end as the naive search says they can, and after many of them in all of those ways.
#[test]
fn random_runs_end_as_they_may() {
    for seed in 0..30 {
        let config = Config {
            inputs: 0..=0,
            conditions: if seed % 2 == 0 { 0..=0 } else { 1..=1 },
            mutexes: 1..=2,
            max_interleavings: 300,
            ..Config::default()
        };
        let program = oracle::generate(&config, seed);
        let loaded = load(&oracle::render(&program).source);
        let (all, naive) = finals(&program, &loaded, Search::naive());
        let (found, checked) = finals(&program, &loaded, random(20_000));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            all.keys().collect::<Vec<_>>(),
            "seed {seed}"
        );
        assert_eq!(
            matches!(checked.verdict, Verdict::Bug(_)),
            matches!(naive.verdict, Verdict::Bug(_)),
            "seed {seed}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_runs() {
    let loaded = load(&alternating(9, 9));
    let events = |seed| {
        let runs = Some(100);
        let options = Options::with(Search::Random(Sampling { seed, runs }));
        let checked = check(&loaded, &options);
        (checked.counts.runs, checked.counts.deepest)
    };
    assert_eq!(events(1), events(1));
    assert_eq!(events(1).0.complete, 100);
}

#[test]
fn inputs_are_drawn_from_what_is_possible() {
    let source = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int table[4] = {1, 1, 0, 1};
int main(void) {
    int i = __VERIFIER_nondet_int(), rare = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 4);
    if (rare == 123456) assert(table[i]);
}
";
    let options = Options::with(random(200));
    assert_eq!(reason(&check(&load(source), &options)), "bug");
}

/// Remembers which phases there were.
#[derive(Default)]
struct Phases(Vec<Phase>);

impl Watcher for Phases {
    fn progress(&mut self, progress: Progress) {
        if self.0.last() != Some(&progress.phase) {
            self.0.push(progress.phase);
        }
    }
}

/// The search lets the first thread look first, and comes to what the second one does at its
/// beginning after all that the others do later.
#[test]
fn a_bug_hunt_finds_what_the_search_of_everything_comes_to_late() {
    let source = "#include <assert.h>
#include <pthread.h>
volatile int x, y, begun;
void *look(void *unused) { assert(!begun); return 0; }
void *work(void *unused) { for (int i = 0; i < 30; i++) { x++; y++; } return 0; }
void *begin(void *unused) { begun = 1; return work(0); }
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, look, 0);
    pthread_create(&b, 0, begin, 0);
    pthread_create(&c, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
}
";
    let loaded = load(source);
    let hunting = Portfolio {
        main: Explore::of(Search::optimal()),
        members: Members::BugHunt,
        trace: false,
        seed: 0,
    };
    let options = Options {
        time_limit: Some(std::time::Duration::from_secs(100)),
        ..Options::with(EngineOptions::Portfolio(hunting))
    };
    let mut phases = Phases::default();
    let checked = verify::check(&loaded, &options, &mut phases).expect("no fault of Sleave");
    assert_eq!(reason(&checked), "bug");
    assert_eq!(phases.0, [Phase::Exhaustive, Phase::Random]);
    assert!(checked.bounds.is_empty(), "{:?}", checked.bounds);
}

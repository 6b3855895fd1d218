use oracle::*;

#[test]
fn the_seed_decides() {
    let config = Config::default();
    let first: Vec<_> = (0..100).map(|seed| generate(&config, seed)).collect();
    let again: Vec<_> = (0..100).map(|seed| generate(&config, seed)).collect();
    assert_eq!(first, again);
    let mut different = first.iter().map(|p| format!("{p:?}")).collect::<Vec<_>>();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), first.len());
}

#[test]
fn programs_are_valid_and_small() {
    let config = with_everything();
    for seed in 0..300 {
        let program = generate(&config, seed);
        assert_eq!(program.validate(), Ok(()), "seed {seed}");
        assert!(
            interleavings(&program) <= config.max_interleavings,
            "seed {seed}"
        );
    }
}

#[test]
fn a_narrow_bound_is_met() {
    let config = Config {
        max_interleavings: 1,
        ..Config::default()
    };
    assert!((0..20).all(|seed| interleavings(&generate(&config, seed)) == 1));
}

/// Unless asked for, only assertions fail.
#[test]
fn locks_and_indices_are_right_by_default() {
    let config = Config::default();
    for seed in 0..300 {
        let found = behaviours(&generate(&config, seed), Semantics::default());
        let wrong = [Failure::LockMisuse, Failure::OutOfBounds];
        assert!(
            wrong
                .iter()
                .all(|failure| !found.failures.contains(failure)),
            "seed {seed}"
        );
    }
}

#[test]
fn all_kinds_of_ends_are_frequent() {
    let config = Config::default();
    let total = 500;
    let all: Vec<_> = (0..total)
        .map(|seed| behaviours(&generate(&config, seed), Semantics::default()))
        .collect();
    let percent = |holds: &dyn Fn(&Behaviours) -> bool| {
        100 * all.iter().filter(|found| holds(found)).count() / all.len()
    };
    let failing = percent(&|found| found.can_fail());
    let sometimes = percent(&|found| found.can_fail() && !found.finals.is_empty());
    let deadlock = percent(&|found| found.deadlock);
    let several = percent(&|found| found.final_values().len() > 1);
    println!(
        "failing {failing} %, in some runs only {sometimes} %, deadlock {deadlock} %, several final states {several} %"
    );
    assert!((30..=70).contains(&failing));
    assert!(sometimes >= 30);
    assert!((5..=30).contains(&deadlock));
    assert!(several >= 65);
}

/// About half of the programs with everything in them fail, and many of these on few schedules and
/// inputs only.
#[test]
fn failures_are_frequent_but_rare_in_each() {
    let config = Config::everything();
    let programs: Vec<_> = (0..400).map(|seed| generate(&config, seed)).collect();
    let percent = |count: usize, of: usize| 100 * count / of;
    let failing: Vec<FailingShare> = programs
        .iter()
        .map(|program| failing_share(program, Semantics::default()))
        .filter(|share| share.runs > 0.0)
        .collect();
    let below = |bound: f64| {
        percent(
            failing.iter().filter(|s| s.runs < bound).count(),
            failing.len(),
        )
    };
    let inputs = percent(
        failing.iter().filter(|s| s.inputs < 1.0).count(),
        failing.len(),
    );
    let share = percent(failing.len(), programs.len());
    println!(
        "{share} % fail; of these {} % on less than 10 % of all schedules and inputs, {} % on less than 1 %, {inputs} % not for all inputs",
        below(0.1),
        below(0.01)
    );
    assert!((40..=60).contains(&share));
    assert!(below(0.1) >= 40);
    assert!(below(0.01) >= 5);
    assert!(inputs >= 40);
}

/// Each feature is in many of the programs that have everything.
#[test]
fn everything_is_frequent() {
    let sources: Vec<String> = (0..400)
        .map(|seed| render(&generate(&Config::everything(), seed)).source)
        .collect();
    let features = [
        ("inputs", "__VERIFIER_nondet_int()"),
        ("an index that depends on values", "[l"),
        ("an index that depends on inputs", "[in"),
        ("pointers", "*q0"),
        ("shared pointers", "= p0"),
        ("locks", "pthread_mutex_lock"),
        ("semaphores", "sem_wait"),
        ("conditions", "pthread_cond_wait"),
        ("loops", "for ("),
        ("loops that are left early", "break;"),
        ("atomics", "__atomic_"),
        ("assumptions of threads", "    __VERIFIER_assume(l"),
        ("assertions", " assert("),
        ("assertions of verifiers", "    __VERIFIER_assert("),
        ("errors to reach", "    if (!"),
        ("threads started by threads", "pthread_create(&h"),
    ];
    for (name, text) in features {
        let count = sources
            .iter()
            .filter(|source| source.contains(text))
            .count();
        println!("{name}: {} %", 100 * count / sources.len());
        assert!(count >= sources.len() / 20, "{name}: {count}");
    }
}

/// The default with everything that it leaves out.
pub fn with_everything() -> Config {
    let mut config = Config {
        conditions: 0..=1,
        ..Config::default()
    };
    config.weights.raw_index = 1;
    config.weights.lock_misuse = 1;
    config
}

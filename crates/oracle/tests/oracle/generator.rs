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

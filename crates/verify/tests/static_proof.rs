//! What static facts prove, against the reference: random programs of the tiny C, each compiled
//! alone, so that it may be plain.
//!
//! `SLEAVE_CAMPAIGN=FIRST..LAST` runs those seeds of each family instead of the usual ones.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Mutex;

use oracle::campaign;
use oracle::tiny::{self, Failure, Program};
use verify::{EngineOptions, Loaded, Options, Properties, Property, Quiet, Verdict};

#[test]
fn sections_are_proved_where_nothing_goes_wrong() {
    let asked = [
        Property::Assertion,
        Property::Memory,
        Property::LockMisuse,
        Property::Deadlock,
    ];
    let proved = compare("sections", 0..150, &asked);
    for property in asked {
        let count = proved.get(&property).copied().unwrap_or_default();
        assert!(count > 3, "{proved:?}");
    }
}

#[test]
fn sections_have_no_race_where_that_is_proved() {
    let proved = compare("section-races", 0..150, &[Property::Race]);
    assert!(proved.values().sum::<usize>() > 10, "{proved:?}");
}

#[test]
fn other_programs_are_proved_only_where_nothing_goes_wrong() {
    compare("races", 0..60, &[Property::Race]);
    let asked = [
        Property::Memory,
        Property::LockMisuse,
        Property::Deadlock,
        Property::Assertion,
    ];
    for family in ["waiting", "locks", "heap", "bytes", "trees", "mixed"] {
        compare(family, 0..20, &asked);
    }
}

/// How often each property was proved. Panics if one was that can be violated.
fn compare(family: &str, usual: Range<u64>, asked: &[Property]) -> BTreeMap<Property, usize> {
    let config = tiny::family(family).expect("a family");
    let proved = Mutex::new(BTreeMap::new());
    let obstacles = Mutex::new(BTreeMap::<String, usize>::new());
    campaign::compare(campaign::seeds(usual), |seeds| {
        let wrong = seeds.flat_map(|seed| {
            let (program, found) = tiny::generate(&config, seed);
            let loaded = load(&program);
            let proofs = asked.iter().filter_map(|property| {
                match prove(&loaded, *property) {
                    Ok(()) => {
                        *proved
                            .lock()
                            .expect("no panic")
                            .entry(*property)
                            .or_default() += 1
                    }
                    Err(why) => {
                        *obstacles.lock().expect("no panic").entry(why).or_default() += 1;
                        return None;
                    }
                }
                let can = can(&found.failures).contains(property);
                can.then(|| {
                    let name = property.name();
                    let source = tiny::render(&program, "");
                    format!("{family}, seed {seed}: no {name} in\n{source}")
                })
            });
            proofs.collect::<Vec<_>>()
        });
        wrong.collect()
    });
    let (proved, obstacles) = (proved.into_inner(), obstacles.into_inner());
    let proved = proved.expect("no panic");
    eprintln!("{family}: {proved:?}; {:?}", obstacles.expect("no panic"));
    proved
}

fn load(program: &Program) -> Loaded {
    let source = [tiny::HEADER, &tiny::render(program, "")].concat();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, source).expect("the file is written");
    verify::load(&[file], &[]).expect("a program that compiles")
}

/// Or why not.
fn prove(loaded: &Loaded, property: Property) -> Result<(), String> {
    let options = Options {
        properties: Properties([property].into()),
        ..Options::with(EngineOptions::Static)
    };
    let checked = verify::check(loaded, &options, &mut Quiet).expect("it is asked");
    match checked.verdict {
        Verdict::Safe => Ok(()),
        Verdict::Unknown(reason) => Err(reason.advice),
        Verdict::Bug(_) => panic!("static facts find no bugs"),
    }
}

fn can(failures: &BTreeSet<Failure>) -> BTreeSet<Property> {
    let property = |failure: &Failure| match failure {
        Failure::Assertion => Property::Assertion,
        Failure::Memory => Property::Memory,
        Failure::LockMisuse => Property::LockMisuse,
        Failure::Stuck => Property::Deadlock,
        Failure::Race => Property::Race,
    };
    failures.iter().map(property).collect()
}

//! Random programs of all kinds that the `oracle` crate has, in one form: C text, and what can go
//! wrong.

use std::collections::BTreeSet;

use oracle::tiny::{self, Failure};
use oracle::{Behaviours, Semantics, waiting_program};
use verify::Property;

use crate::batch::Batch;

/// A random program.
pub trait Subject: Sized {
    /// Several in one file. The function `p0_main` runs the first of them, and so on; nobody calls
    /// `main`.
    fn file(programs: &[Self]) -> String;

    /// What can go wrong; `None` if there are too many states.
    fn possible(&self) -> Option<BTreeSet<Property>>;

    /// One that is as small as can be and differs, too.
    fn smallest(self, differs: impl Fn(&Self) -> bool) -> Self;
}

/// Statements of which each comes to an end.
#[derive(Clone)]
pub struct Statements {
    pub program: oracle::Program,
    pub spurious_wakeups: bool,
    pub races: bool,
}

/// Steps of all executions of a program, above which races are not looked for.
const MOST_STEPS: usize = 100_000;

impl Subject for Statements {
    fn file(programs: &[Self]) -> String {
        let programs: Vec<_> = programs.iter().map(|s| s.program.clone()).collect();
        Batch::new(&programs).source
    }

    fn possible(&self) -> Option<BTreeSet<Property>> {
        let semantics = Semantics {
            spurious_wakeups: self.spurious_wakeups,
        };
        let Behaviours {
            failures, deadlock, ..
        } = oracle::behaviours(&self.program, semantics);
        let property = |failure: &oracle::Failure| match failure {
            oracle::Failure::Assertion(_) => Property::Assertion,
            oracle::Failure::OutOfBounds => Property::Memory,
            oracle::Failure::LockMisuse => Property::LockMisuse,
        };
        let mut possible: BTreeSet<Property> = failures.iter().map(property).collect();
        possible.extend(deadlock.then_some(Property::Deadlock));
        if self.races {
            let races = oracle::races(&self.program, semantics, MOST_STEPS)?;
            possible.extend((!races.is_empty()).then_some(Property::Race));
        }
        Some(possible)
    }

    fn smallest(self, differs: impl Fn(&Self) -> bool) -> Self {
        let with = |program: &oracle::Program| Statements {
            program: program.clone(),
            ..self
        };
        let small = oracle::minimise(&self.program, |program| differs(&with(program)));
        with(&small)
    }
}

/// Threads that wait for each other in loops.
pub struct Waiting {
    pub seed: u64,
}

impl Subject for Waiting {
    fn file(programs: &[Self]) -> String {
        let header = "#include <assert.h>\n#include <pthread.h>\n\
            extern void __VERIFIER_assume(int);\nextern int __VERIFIER_nondet_int(void);\n";
        let programs = programs.iter().enumerate();
        let text = programs.map(|(i, s)| waiting_program(s.seed).source(&format!("p{i}_")));
        with_main(header, text.collect())
    }

    fn possible(&self) -> Option<BTreeSet<Property>> {
        let endings = waiting_program(self.seed).endings();
        let assertion = endings.assertion.then_some(Property::Assertion);
        let deadlock = endings.deadlock.then_some(Property::Deadlock);
        Some(assertion.into_iter().chain(deadlock).collect())
    }

    fn smallest(self, _: impl Fn(&Self) -> bool) -> Self {
        self
    }
}

/// Programs of the tiny C.
#[derive(Clone)]
pub struct Tiny {
    pub program: tiny::Program,
    pub races: bool,
    pub most_states: usize,
}

impl Subject for Tiny {
    fn file(programs: &[Self]) -> String {
        let programs = programs.iter().enumerate();
        let text = programs.map(|(i, tiny)| tiny::render(&tiny.program, &format!("p{i}_")));
        with_main(tiny::HEADER, text.collect())
    }

    fn possible(&self) -> Option<BTreeSet<Property>> {
        let found = tiny::failures(&self.program, self.races, self.most_states).ok()?;
        let property = |failure: &Failure| match failure {
            Failure::Assertion => Property::Assertion,
            Failure::Memory => Property::Memory,
            Failure::LockMisuse => Property::LockMisuse,
            Failure::Stuck => Property::Deadlock,
            Failure::Race => Property::Race,
        };
        Some(found.failures.iter().map(property).collect())
    }

    fn smallest(self, differs: impl Fn(&Self) -> bool) -> Self {
        let with = |program: &tiny::Program| Tiny {
            program: program.clone(),
            ..self
        };
        let small = tiny::shrink(&self.program, |program| differs(&with(program)));
        with(&small)
    }
}

/// A `main` that mentions all programs, so that they are kept.
fn with_main(header: &str, programs: Vec<String>) -> String {
    let calls: Vec<String> = (0..programs.len())
        .map(|index| format!("p{index}_main()"))
        .collect();
    let main = format!("int main(void) {{ return {}; }}\n", calls.join(" + "));
    [header, &programs.concat(), &main].concat()
}

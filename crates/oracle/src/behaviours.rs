//! All that a program can do, and how two accounts of it are compared.

use std::collections::BTreeSet;
use std::fmt;

use crate::ids::AssertId;
use crate::program::Program;

/// The union over all schedules and all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviours {
    /// How the runs end in which every thread finishes.
    pub finals: BTreeSet<Final>,
    /// How the runs end that go wrong.
    pub failures: BTreeSet<Failure>,
    /// Whether a run can end with no thread enabled and not all finished.
    pub deadlock: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Final {
    /// The values of the inputs, in the order of [`Program::inputs`].
    pub inputs: Vec<i64>,
    /// The final values, in the order of [`Program::observables`].
    pub values: Vec<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    Assertion(AssertId),
    /// An access beyond an array.
    OutOfBounds,
    /// Unlocking a mutex of another thread or of none, locking one's own again, waiting without
    /// holding the mutex.
    LockMisuse,
}

impl Behaviours {
    pub fn can_fail(&self) -> bool {
        !self.failures.is_empty()
    }

    pub fn failing_assertions(&self) -> BTreeSet<AssertId> {
        let assertion = |failure: &Failure| match failure {
            Failure::Assertion(id) => Some(*id),
            Failure::OutOfBounds | Failure::LockMisuse => None,
        };
        self.failures.iter().filter_map(assertion).collect()
    }

    /// The final values without the inputs they belong to.
    pub fn final_values(&self) -> BTreeSet<Vec<i64>> {
        self.finals.iter().map(|end| end.values.clone()).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The program can end like this, the explorer never did.
    MissingFinal(Final),
    /// The explorer ended like this, the program cannot.
    ImpossibleFinal(Final),
    /// The program can fail, the explorer found no failure at all.
    MissedFailures(BTreeSet<Failure>),
    /// The explorer reports a failure that cannot happen.
    ImpossibleFailure(Failure),
    MissedDeadlock,
    ImpossibleDeadlock,
}

/// The first difference between the reference's account of a program and an explorer's.
///
/// Of several failures the explorer need not find each. A transition is a visible operation with
/// the local ones after it, so in `x = 1; assert(0)` no other thread comes between the two, and a
/// failure elsewhere that needs `x == 1` stays behind the first one. Here every assertion is a step
/// of its own and both are found. For the verdict the first failure is as good as the second.
///
/// No such licence exists for `x = 1; assume(0)`: the other thread must see `x == 1`. An explorer
/// with such transitions therefore has to block the thread whose assumption is false, not to
/// discard the run (`assume_hides_nothing` in `tests/oracle/reference.rs`).
pub fn difference(expected: &Behaviours, found: &Behaviours) -> Option<Difference> {
    if let Some(end) = expected.finals.difference(&found.finals).next() {
        return Some(Difference::MissingFinal(end.clone()));
    }
    if let Some(end) = found.finals.difference(&expected.finals).next() {
        return Some(Difference::ImpossibleFinal(end.clone()));
    }
    if let Some(failure) = found.failures.difference(&expected.failures).next() {
        return Some(Difference::ImpossibleFailure(*failure));
    }
    if expected.can_fail() && !found.can_fail() {
        return Some(Difference::MissedFailures(expected.failures.clone()));
    }
    match (expected.deadlock, found.deadlock) {
        (true, false) => Some(Difference::MissedDeadlock),
        (false, true) => Some(Difference::ImpossibleDeadlock),
        (true, true) | (false, false) => None,
    }
}

impl Difference {
    /// A sentence with the names of the rendered program.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Difference::MissingFinal(end) => {
                format!("final state not found: {}", end.show(program))
            }
            Difference::ImpossibleFinal(end) => {
                format!("impossible final state: {}", end.show(program))
            }
            Difference::MissedFailures(failures) => {
                let failures: Vec<_> = failures.iter().map(Failure::to_string).collect();
                format!("no failure found, possible are: {}", failures.join(", "))
            }
            Difference::ImpossibleFailure(failure) => format!("impossible failure: {failure}"),
            Difference::MissedDeadlock => "deadlock not found".to_owned(),
            Difference::ImpossibleDeadlock => "impossible deadlock".to_owned(),
        }
    }
}

impl Final {
    /// `in0=1 | g0=2 a0[1]=3 t0_l0=0`
    pub fn show(&self, program: &Program) -> String {
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(input, value)| format!("in{input}={value}"));
        let values = program.observables().into_iter().zip(&self.values);
        let values = values.map(|(observable, value)| format!("{observable}={value}"));
        let separator = (!self.inputs.is_empty()).then(|| "|".to_owned());
        let words: Vec<String> = inputs.chain(separator).chain(values).collect();
        words.join(" ")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Assertion(id) => write!(f, "{id}"),
            Failure::OutOfBounds => f.write_str("access out of bounds"),
            Failure::LockMisuse => f.write_str("lock misuse"),
        }
    }
}

//! Verdicts of searches against those of the reference interpreter, on random programs: a failing
//! assertion, a deadlock; now and then a misused lock, where threads wait for a condition with
//! different mutexes.
//!
//! Final states are not compared, and not every assertion that can fail need be found: what comes
//! after a failure is not always looked at. Each batch of programs is compiled once, and checked by
//! every search.
//!
//! `SLEAVE_CONFIGURATION=NAME` restricts a campaign to the search of that name.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use machine::Cutoff;
use oracle::{Behaviours, Failure, Program, Semantics};
use verify::{Checked, Internal, Loaded, Options, Properties, Property, Quiet, Verdict};

use crate::batch::{Batch, letter};
use crate::campaign;

pub struct Campaign {
    pub configurations: Vec<Configuration>,
    /// Of a seed.
    pub program: fn(u64) -> Program,
    /// What was seen on the way.
    pub counts: Counts,
    /// So many programs are compiled together.
    pub together: u64,
}

/// A search, and what it is asked for, each time anew.
pub struct Configuration {
    pub name: &'static str,
    pub options: Options,
    pub asked: Vec<Properties>,
}

#[derive(Default)]
pub struct Counts {
    pub programs: AtomicU64,
    pub failing: AtomicU64,
    pub deadlocks: AtomicU64,
    pub pruned: AtomicU64,
    pub one_schedule: AtomicU64,
    /// Jumps on inputs that went one way.
    pub dont_care_branches: AtomicU64,
}

/// One of the programs of a batch.
pub struct Subject<'a> {
    pub loaded: &'a Loaded,
    pub batch: &'a Batch<'a>,
    pub index: usize,
}

pub fn only(property: Property) -> Properties {
    Properties([property].into())
}

impl Campaign {
    /// Panics with all that differs.
    pub fn run(mut self, usual: Range<u64>) -> Counts {
        if let Ok(wanted) = std::env::var("SLEAVE_CONFIGURATION") {
            self.configurations.retain(|c| c.name == wanted);
            assert!(!self.configurations.is_empty(), "no search called {wanted}");
        }
        campaign::compare(campaign::seeds(usual), |seeds| {
            let starts = seeds.clone().step_by(self.together as usize);
            let batches = starts.map(|first| first..(first + self.together).min(seeds.end));
            batches.flat_map(|seeds| self.differences(seeds)).collect()
        });
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        eprintln!(
            "{} programs, of which {} fail and {} have a deadlock; {} runs were pruned; one schedule was enough {} times; {} jumps went one way",
            count(&self.counts.programs),
            count(&self.counts.failing),
            count(&self.counts.deadlocks),
            count(&self.counts.pruned),
            count(&self.counts.one_schedule),
            count(&self.counts.dont_care_branches),
        );
        self.counts
    }

    fn differences(&self, seeds: Range<u64>) -> Vec<String> {
        let programs: Vec<Program> = seeds.clone().map(self.program).collect();
        let expected: Vec<Behaviours> = programs.iter().map(|p| self.behaviours(p)).collect();
        for expected in &expected {
            let add = |to: &AtomicU64, holds: bool| to.fetch_add(holds.into(), Ordering::Relaxed);
            add(&self.counts.programs, true);
            add(&self.counts.failing, expected.can_fail());
            add(&self.counts.deadlocks, expected.deadlock);
        }
        let (loaded, batch) = campaign::load(&programs);
        let mut reports = Vec::new();
        for (index, seed) in seeds.enumerate() {
            let subject = Subject {
                loaded: &loaded,
                batch: &batch,
                index,
            };
            for configuration in &self.configurations {
                let Some(why) = self.differs(configuration, &subject, &expected[index]) else {
                    continue;
                };
                let report = format!("{}, seed {seed}: {why}", configuration.name);
                eprintln!("{report}");
                if campaign::only_first() {
                    return vec![report];
                }
                let small = oracle::minimise(&batch.programs[index], |program| {
                    let smaller = self.differs_alone(configuration, program);
                    smaller.is_some_and(|smaller| kind(&smaller) == kind(&why))
                });
                reports.push(format!("{report}\n{}", oracle::render(&small).source));
            }
        }
        reports
    }

    /// Threads wake for nothing in all searches of a campaign or in none.
    fn behaviours(&self, program: &Program) -> Behaviours {
        let machine = &self.configurations[0].options.machine;
        let semantics = Semantics {
            spurious_wakeups: machine.spurious_wakeups,
        };
        oracle::behaviours(program, semantics)
    }

    fn differs_alone(&self, configuration: &Configuration, program: &Program) -> Option<String> {
        let (loaded, batch) = campaign::load(std::slice::from_ref(program));
        let subject = Subject {
            loaded: &loaded,
            batch: &batch,
            index: 0,
        };
        self.differs(configuration, &subject, &self.behaviours(program))
    }

    fn differs(
        &self,
        configuration: &Configuration,
        subject: &Subject<'_>,
        expected: &Behaviours,
    ) -> Option<String> {
        configuration.asked.iter().find_map(|asked| {
            let checked = match subject.check(&configuration.options, asked) {
                Ok(checked) => checked,
                Err(fault) => return Some(fault.to_string()),
            };
            let add = |to: &AtomicU64, number| to.fetch_add(number, Ordering::Relaxed);
            add(&self.counts.pruned, checked.counts.runs.pruned);
            let one_schedule = checked.coverage.one_schedule;
            add(&self.counts.one_schedule, one_schedule.into());
            let dont_care_branches = checked.slice.map_or(0, |slice| slice.dont_care_branches);
            add(&self.counts.dont_care_branches, dont_care_branches as u64);
            subject.verdict_differs(&checked, asked, expected)
        })
    }
}

fn property(failure: &Failure) -> Property {
    match failure {
        Failure::Assertion(_) => Property::Assertion,
        Failure::OutOfBounds => Property::Memory,
        Failure::LockMisuse => Property::LockMisuse,
    }
}

/// The first word of a difference: while a program is made small it must not become another.
fn kind(difference: &str) -> Option<&str> {
    difference.split(' ').next()
}

impl Subject<'_> {
    fn check(&self, options: &Options, asked: &Properties) -> Result<Checked, Internal> {
        let mut options = Options {
            all: true,
            properties: asked.clone(),
            ..options.clone()
        };
        options.machine.args = vec![letter(self.index).to_string()];
        verify::check(self.loaded, &options, &mut Quiet)
    }

    fn verdict_differs(
        &self,
        checked: &Checked,
        asked: &Properties,
        expected: &Behaviours,
    ) -> Option<String> {
        // Runs that end in a fault that is not asked for hide nothing here: the fault ends them for
        // the reference, too.
        let coverage = &checked.coverage;
        let is_asked = |failure: &Failure| asked.contains(property(failure));
        let others = !expected.failures.iter().all(is_asked);
        let ends = |cutoff: &Cutoff| matches!(cutoff, Cutoff::OtherFault(_));
        if coverage.stopped.is_some() || !coverage.cut_off.keys().all(|(c, _)| others && ends(c)) {
            return Some(format!("not complete: {coverage:?}"));
        }
        let bugs = match &checked.verdict {
            Verdict::Bug(bugs) => bugs.as_slice(),
            Verdict::Safe | Verdict::Unknown(_) => &[],
        };
        let found = |property| bugs.iter().any(|bug| bug.property == property);
        let fails = !expected.failing_assertions().is_empty();
        for (property, possible) in [
            (Property::Assertion, fails),
            (Property::Deadlock, expected.deadlock),
        ] {
            if asked.contains(property) && found(property) != possible {
                let what = if possible { "missed" } else { "impossible" };
                let (name, asked) = (property.name(), &asked.0);
                return Some(format!("{what}: {name}, asked for {asked:?}"));
            }
        }
        // What an assertion ends may have been about to misuse a lock.
        let misused = expected.failures.contains(&Failure::LockMisuse);
        if misused && asked.contains(Property::LockMisuse) && bugs.is_empty() {
            return Some(format!("missed: {}", Failure::LockMisuse));
        }
        for bug in bugs {
            let failure = match bug.property {
                Property::Deadlock => continue,
                Property::LockMisuse => Failure::LockMisuse,
                _ => match campaign::assertion(self.batch, self.index, &bug.location) {
                    Ok(id) => Failure::Assertion(id),
                    Err(why) => return Some(why),
                },
            };
            if !expected.failures.contains(&failure) || !asked.contains(bug.property) {
                return Some(format!("impossible: {failure} at {}", bug.location));
            }
        }
        None
    }
}

//! The hunt (P2) as an engine: assertions and warnings are hunted in turns, each along traces of its
//! own abstract system. It finds, and never says that a program is safe.

pub(crate) mod campaign;
mod targets;

use explore::{Monitor, Phase, Stopped};
use machine::Property;

pub(crate) use self::campaign::{Campaign, Pursued, Pursuit, is_meant};
pub(crate) use self::targets::{Aim, TargetSet, assertions, at_lines, facts_of, place, warnings};
use crate::Internal;
use crate::engine::{Answer, Candidate, Counts, Coverage, Engine, Task};

pub(crate) const HUNT: &str = "hunt";

/// Of more warnings, the best are hunted beside other engines.
const MOST_WARNINGS: usize = 100;

/// Warnings of a larger program take too long to find beside other engines.
const MOST_INSTRUCTIONS: usize = 5_000;

/// Of the functions that the program itself has.
fn instructions(task: &Task) -> usize {
    let functions = task.loaded.program.module.functions.iter();
    let own = functions
        .filter(|f| !f.runtime)
        .filter_map(|f| f.body.as_ref());
    own.flat_map(|body| &body.blocks)
        .map(|block| block.insts.len())
        .sum()
}

/// A member of the portfolio: what is asked for is hunted until its time is over.
pub(crate) struct HuntEngine {
    pub seed: u64,
}

impl Engine for HuntEngine {
    fn name(&self) -> &'static str {
        HUNT
    }

    fn run(&self, task: &Task, monitor: &mut dyn Monitor) -> Result<Answer, Internal> {
        monitor.phase(Phase::Hunt);
        let facts = task.analysed.facts();
        let mut sets = assertions(&task.loaded.program.module, facts);
        let wants = |aim: Aim| {
            let mut properties = aim.properties().iter();
            properties.any(|property| task.properties.contains(*property))
        };
        if instructions(task) <= MOST_INSTRUCTIONS {
            let (warned, _) = warnings(task.loaded, MOST_WARNINGS);
            sets.extend(warned.into_iter().filter(|set| wants(set.aim)));
        }
        let found = campaign::with(task, facts, sets, self.seed, |campaign| {
            campaign.until_found(monitor)
        })?;
        let mut answer = Answer::unknown(HUNT, task);
        answer.coverage = Coverage {
            stopped: Some(Stopped::NotDecided),
            ..Coverage::default()
        };
        answer.counts = Counts::of(&found.outcome);
        answer.candidates = (found.found.into_iter())
            .filter(|found| task.properties.contains(found.fault.fault.property()))
            .map(|found| Candidate {
                found,
                program: std::sync::Arc::clone(&task.loaded.program),
            })
            .collect();
        Ok(answer)
    }
}

impl Aim {
    /// What is violated where it is right. None: anything may be.
    pub fn properties(self) -> &'static [Property] {
        match self {
            Aim::Assertion => &[Property::Assertion],
            Aim::Race => &[Property::Race],
            // A thread that locks a lock that it holds.
            Aim::Deadlock => &[Property::Deadlock, Property::LockMisuse],
            Aim::Lines => &[],
        }
    }
}

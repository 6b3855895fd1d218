//! What the units gave, put together in their order.

use smt::SolverStats;

use super::units::{Ending, State, Units};
use crate::facts::SearchFacts;
use crate::optimal::Part;
use crate::outcome::{Frontier, Outcome, Stopped};

/// How a search came to its end.
pub(super) enum Over {
    /// With what is left, if no worker was stopped in the middle.
    Done(Box<Outcome>, Option<Frontier>),
    /// It must start over.
    Again(SearchFacts),
    /// The same, but it was stopped.
    Void(Box<Outcome>, SearchFacts),
}

/// Puts everything together. `stopped`: why all workers stopped; `all`: more than the first fault
/// is asked for.
pub(super) fn assemble(
    units: Units,
    stopped: Option<Stopped>,
    all: bool,
    solver: SolverStats,
) -> Over {
    let Units {
        mut facts, slots, ..
    } = units;
    let mut cells = facts.cells();
    for groups in &units.cells {
        cells.add(groups);
    }
    let restarts = facts.restarts + 1;
    let mut whole = Outcome::default();
    let mut parts = Vec::new();
    let mut is_torn = false;
    for slot in slots {
        let explored = match slot.state {
            State::Waiting(unit) => {
                parts.push(Part::Left(unit));
                continue;
            }
            State::Running(_) => unreachable!("all workers are gone"),
            State::Done(explored) => *explored,
        };
        if let Ending::StartOver(mut facts) = explored.ending {
            cells.add(&facts.cells);
            facts.cells = cells.groups();
            facts.restarts = restarts;
            return Over::Again(*facts);
        }
        let is_last = matches!(explored.ending, Ending::Fault);
        is_torn |= matches!(explored.ending, Ending::Stopped);
        whole.append(explored.outcome.clone());
        parts.push(Part::Done(Box::new(explored.outcome)));
        let left = explored.left.into_iter();
        parts.extend(left.map(|unit| Part::Left(Box::new(unit))));
        if is_last {
            break;
        }
    }
    let is_left = parts.iter().any(|part| matches!(part, Part::Left(_)));
    if whole.found.is_empty() || all {
        // A worker that was called off says no more than that.
        whole.stopped = stopped.or(whole.stopped);
        if is_left {
            whole.stopped.get_or_insert(Stopped::Interrupted);
        }
    }
    whole.shared = facts.shared.clone();
    facts.cells = cells.groups();
    if whole.stopped.is_some_and(|why| why != Stopped::FirstBug) {
        // What came before it started over has shown more threads than it had the time to.
        whole.threads = whole.threads.max(facts.threads.len() as u32);
    }
    // A first fault is one, whatever it was found with.
    let is_void = cells.merged && (whole.found.is_empty() || all);
    if is_void {
        facts.restarts = restarts;
        if whole.stopped.is_none() {
            return Over::Again(facts);
        }
    }
    whole.solver = solver;
    if is_void {
        return Over::Void(Box::new(whole), facts);
    }
    let left = (!is_torn).then_some(Frontier {
        facts,
        parts,
        is_part: false,
    });
    Over::Done(Box::new(whole), left)
}

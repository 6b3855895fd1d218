//! One worker explores the units in their order. No lock, no other thread.

use std::cell::RefCell;
use std::sync::Arc;

use machine::Program;

use super::assemble::{Over, assemble};
use super::estimate::Estimating;
use super::units::{Ending, State, UnitId, Units};
use super::{Divide, Divisible, WorkerId, Workers, explore_unit, found_so_far};
use crate::driver::Finished;
use crate::error::Error;
use crate::options::Options;
use crate::outcome::{Calls, Frontier, Monitor, Stopped};

pub(super) fn explore<D: Divide>(
    program: &Arc<Program>,
    options: &Options,
    workers: Workers,
    left: Frontier,
    monitor: &mut dyn Monitor,
) -> Result<Over, Error> {
    let before = left.outcome().runs;
    let restarts = left.facts.restarts;
    let mut search = D::Search::start(program, options, monitor, &left.facts)?;
    let alone = RefCell::new(Alone {
        units: Units::new(left, 1),
        always_cuts: workers.always_cut,
        executions: before.complete + before.blocked,
        stopped: None,
        estimating: Estimating::new(),
    });
    let mut counted = 0;
    loop {
        let taken = alone.borrow_mut().units.take(WorkerId::FIRST);
        let Some((id, unit)) = taken else { break };
        let mut between = |search: &mut D::Search<'_>| {
            let mut alone = alone.borrow_mut();
            alone.between_executions(search, program, id)
        };
        let explored = explore_unit(&mut search, unit, restarts, &mut counted, &mut between)?;
        let mut alone = alone.borrow_mut();
        alone.units.cells[WorkerId::FIRST] = search.cells().groups();
        let is_over = match &explored.ending {
            Ending::Fault | Ending::StartOver(_) => true,
            Ending::Stopped => {
                alone.stopped = alone.stopped.or(explored.outcome.stopped);
                true
            }
            Ending::Left => {
                alone.units.facts.threads = search.facts(restarts).threads;
                true
            }
            Ending::Exhausted => false,
        };
        let at = alone.units.position(id).expect("the unit");
        if matches!(explored.ending, Ending::Fault | Ending::StartOver(_)) {
            alone.units.slots.truncate(at + 1);
        }
        alone.units.put(at, explored);
        if is_over {
            break;
        }
    }
    let solver = search.walk().feasibility.stats();
    let alone = alone.into_inner();
    Ok(assemble(alone.units, alone.stopped, options.all, solver))
}

struct Alone {
    units: Units,
    always_cuts: bool,
    executions: u64,
    /// Why it stopped in the middle.
    stopped: Option<Stopped>,
    estimating: Estimating,
}

/// The most units that wait where units are cut whenever possible.
pub(super) const MOST_WAITING: usize = 8;

impl Alone {
    fn between_executions<'a>(
        &mut self,
        search: &mut impl Divisible<'a>,
        program: &Arc<Program>,
        id: UnitId,
    ) -> Option<Finished> {
        self.executions += 1;
        let calls = search.walk_mut().monitor.calls();
        if calls == Calls::NONE && !self.always_cuts {
            return None;
        }
        let runs = search.walk().outcome.runs;
        let here = runs.complete + runs.blocked;
        let elsewhere = self.executions.saturating_sub(here);
        search.walk_mut().monitor.elsewhere(elsewhere);
        if calls.has(Calls::LEAVE) {
            self.stopped = Some(search.walk_mut().monitor.stop_reason());
            return Some(Finished::Left);
        }
        self.estimating
            .heed(calls, search, program, self.executions);
        if calls.has(Calls::CHECKPOINT) {
            self.save(search, id);
        }
        if self.always_cuts {
            self.cut(search, id);
        }
        None
    }

    fn save<'a>(&mut self, search: &mut impl Divisible<'a>, id: UnitId) {
        let restarts = self.units.facts.restarts;
        self.units.cells[WorkerId::FIRST] = search.cells().groups();
        self.units.facts.threads = search.facts(restarts).threads;
        let at = self.units.position(id).expect("the unit");
        self.units.slots[at].saved = Some((found_so_far(search), search.left()));
        if let Some(frontier) = self.units.frontier() {
            search.walk_mut().monitor.checkpoint(frontier);
        }
    }

    /// Leaves the later part of the unit for later. For tests.
    fn cut<'a>(&mut self, search: &mut impl Divisible<'a>, id: UnitId) {
        let is_waiting = |state: &State| matches!(state, State::Waiting(_));
        let waiting = self.units.slots.iter().filter(|s| is_waiting(&s.state));
        if waiting.count() >= MOST_WAITING {
            return;
        }
        let at = self.units.position(id).expect("the unit");
        // A part with nothing in it is of no use.
        while let Some(unit) = search.cut() {
            let is_enough = unit.ways() > 0;
            // The lowest was cut first and comes last.
            self.units.insert(at + 1, State::Waiting(Box::new(unit)));
            if is_enough {
                break;
            }
        }
    }
}

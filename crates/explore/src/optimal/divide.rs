//! The optimal search as one whose work can be divided.

use std::sync::Arc;
use std::time::Duration;

use machine::Program;

use super::Search;
use super::unit::WorkUnit;
use crate::cells::Cells;
use crate::driver::Finished;
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::options::Options;
use crate::outcome::Monitor;
use crate::sharing;
use crate::walk::Walk;
use crate::worker_pool::{Between, Divide, Divisible, Probed};

pub(crate) struct Optimal;

impl Divide for Optimal {
    type Search<'a> = Search<'a>;
}

impl<'a> Divisible<'a> for Search<'a> {
    fn start(
        program: &Arc<Program>,
        options: &'a Options,
        monitor: &'a mut dyn Monitor,
        facts: &SearchFacts,
    ) -> Result<Search<'a>, Error> {
        Search::start(program, options, monitor, facts)
    }

    fn walk(&self) -> &Walk<'a> {
        &self.walk
    }

    fn walk_mut(&mut self) -> &mut Walk<'a> {
        &mut self.walk
    }

    fn explore(&mut self, unit: WorkUnit, between: Between<'_, Self>) -> Result<Finished, Error> {
        let executed = self.load(unit)?;
        Ok(self.run(executed, between))
    }

    fn cut(&mut self) -> Option<WorkUnit> {
        self.cut_unit()
    }

    fn left(&mut self) -> Vec<WorkUnit> {
        self.units()
    }

    /// What is known now.
    fn facts(&self, restarts: u32) -> SearchFacts {
        SearchFacts {
            shared: self.walk.machine.state.memory.shared.clone(),
            partly_shared: self.known.partly_shared.clone(),
            threads: self.walk.machine.thread_names().to_vec(),
            cells: self.cells.groups(),
            observes_joins: self.observes_joins,
            peeking: self.walk.machine.peeked(),
            restarts,
        }
    }

    /// What is known when it must start over. An object that turns out to be shared part by part,
    /// and late or in many parts, is taken to be shared as a whole: its other parts would be found
    /// later still, at the cost of starting over. That makes more events, but no more executions.
    fn facts_to_start_over(&self, restarts: u32, is_late: bool) -> SearchFacts {
        let mut facts = self.facts(restarts);
        let is_late = is_late || self.is_later_part;
        let known = &self.known.shared;
        for object in sharing::found_in_parts(&self.walk.machine, known) {
            let is_again = !facts.partly_shared.insert(object.base);
            if is_again && is_late || object.has_many_parts_in(known) {
                object.add_to(&mut facts.shared);
            }
        }
        facts
    }

    fn cells(&self) -> &Cells {
        &self.cells
    }

    fn fix_threads(&mut self, count: usize) {
        self.most_threads = count;
    }

    fn probe(&mut self, program: &Arc<Program>, time: Duration) -> Probed {
        let facts = self.facts(0);
        self.probes.go_on(program, self.walk.options, &facts, time);
        Probed {
            count: self.probes.count,
            mean: self.probes.mean(),
            error: self.probes.error(),
            time: self.probes.time,
        }
    }
}

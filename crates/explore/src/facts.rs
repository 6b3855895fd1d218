//! What a search has learnt of the program, and keeps when it starts over.

use std::collections::BTreeSet;

use machine::{Machine, Peeking, SharedSet, ThreadId};
use serde::{Deserialize, Serialize};

use crate::cells::Cells;
use crate::error::Error;
use crate::sharing;

/// What a search has learnt of the program. Units that were made with fewer facts are void.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFacts {
    /// Memory that proved to be shared.
    pub shared: SharedSet,
    /// Addresses of objects parts of which proved to be shared.
    #[serde(default)]
    pub partly_shared: BTreeSet<u64>,
    /// Parent and index of creation of each thread.
    pub threads: Vec<(ThreadId, u32)>,
    /// Address and length of the ranges of each cell.
    pub cells: Vec<Vec<(u64, u64)>>,
    /// Beginnings and joins of threads are events.
    pub observes_joins: bool,
    /// Which critical sections cannot be single steps.
    #[serde(default)]
    pub peeking: Peeking,
    /// How often the search has started over.
    pub restarts: u32,
}

impl SearchFacts {
    /// What is known when a search begins.
    pub fn at_first(shared: &SharedSet) -> SearchFacts {
        SearchFacts {
            shared: shared.clone(),
            ..SearchFacts::default()
        }
    }

    /// What the machine has shown, for a search that must start over.
    pub(crate) fn learn(&mut self, machine: &Machine) {
        self.restarts += 1;
        self.threads = machine.thread_names().to_vec();
        self.shared = machine.state.memory.shared.clone();
        self.peeking = machine.peeked();
    }

    /// The same, for searches to which more events do not mean more executions.
    pub(crate) fn learn_generously(&mut self, machine: &Machine) {
        let known = std::mem::take(&mut self.shared);
        self.learn(machine);
        for object in sharing::found_in_parts(machine, &known) {
            if object.has_many_parts_in(&known) {
                object.add_to(&mut self.shared);
            }
        }
    }

    /// Adds what is known elsewhere of the same search. `false`: the two do not go together, and it
    /// must start over with what is known then.
    pub fn join(&mut self, other: &SearchFacts) -> bool {
        let mut cells = self.cells();
        cells.add(&other.cells);
        self.cells = cells.groups();
        let is_finer = !cells.merged && self.observes_joins == other.observes_joins;
        self.observes_joins |= other.observes_joins;
        let is_same_memory = self.shared == other.shared && self.peeking == other.peeking;
        self.peeking.add(&other.peeking);
        self.shared.add(&other.shared);
        self.partly_shared.extend(&other.partly_shared);
        let common = self.threads.len().min(other.threads.len());
        let is_same_threads = self.threads[..common] == other.threads[..common];
        for name in &other.threads {
            if !self.threads.contains(name) {
                self.threads.push(*name);
            }
        }
        let goes_together = is_finer && is_same_memory && is_same_threads;
        self.restarts = self.restarts.max(other.restarts) + u32::from(!goes_together);
        goes_together
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        for (index, (parent, child)) in self.threads.iter().enumerate() {
            let is_possible = match index {
                0 => (*parent, *child) == (ThreadId::MAIN, 0),
                _ => parent.index() < index,
            };
            // The first thread has no parent, so its first child is named as it is.
            let earlier = self.threads.get(1..index).unwrap_or_default();
            if !is_possible || earlier.contains(&(*parent, *child)) {
                return Err(Error::ImpossibleParent(index));
            }
        }
        let mut ranges = self.cells.iter().flatten();
        if ranges.any(|(start, bytes)| start.checked_add(*bytes).is_none()) {
            return Err(Error::ImpossibleCell);
        }
        Ok(())
    }

    pub(crate) fn cells(&self) -> Cells {
        let mut cells = Cells::default();
        cells.add(&self.cells);
        cells.merged = false;
        cells
    }
}

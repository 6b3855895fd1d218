//! The units of a search, in the order in which a single worker would explore them.

use base::IndexVec;

use super::{Explored, WorkerId};
use crate::facts::SearchFacts;
use crate::optimal::{Part, WorkUnit};
use crate::outcome::{Frontier, Outcome};

/// A unit, numbered in the order in which they were cut. There can be more than 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitId(u64);

pub(super) struct Units {
    pub facts: SearchFacts,
    /// In the order of a single worker.
    pub slots: Vec<Slot>,
    next: UnitId,
    /// The cells that each worker has found and told.
    pub cells: IndexVec<WorkerId, Vec<Vec<(u64, u64)>>>,
}

/// A unit and what became of it.
pub(super) struct Slot {
    pub id: UnitId,
    pub state: State,
    /// What was found and what was left when its worker was asked.
    pub saved: Option<(Outcome, Vec<WorkUnit>)>,
}

pub(super) enum State {
    Waiting(Box<WorkUnit>),
    /// By this worker.
    Running(WorkerId),
    Done(Box<Explored>),
}

/// How a unit came to its end.
pub(super) enum Ending {
    Exhausted,
    /// At a fault, and only the first is asked for.
    Fault,
    StartOver(Box<SearchFacts>),
    /// Where it was to be left.
    Left,
    /// In the middle.
    Stopped,
}

impl Units {
    pub fn new(left: Frontier, workers: usize) -> Units {
        let mut units = Units {
            facts: left.facts,
            slots: Vec::new(),
            next: UnitId(0),
            cells: (0..workers).map(|_| Vec::new()).collect(),
        };
        for part in left.parts {
            let state = match part {
                Part::Left(unit) => State::Waiting(unit),
                Part::Done(outcome) => State::Done(Box::new(Explored {
                    outcome: *outcome,
                    ending: Ending::Exhausted,
                    left: Vec::new(),
                })),
            };
            units.insert(units.slots.len(), state);
        }
        units
    }

    pub fn insert(&mut self, at: usize, state: State) {
        let slot = Slot {
            id: self.next,
            state,
            saved: None,
        };
        self.next.0 += 1;
        self.slots.insert(at, slot);
    }

    pub fn position(&self, id: UnitId) -> Option<usize> {
        self.slots.iter().position(|slot| slot.id == id)
    }

    /// The first unit that waits, for this worker.
    pub fn take(&mut self, worker: WorkerId) -> Option<(UnitId, WorkUnit)> {
        let is_waiting = |s: &&mut Slot| matches!(s.state, State::Waiting(_));
        let slot = self.slots.iter_mut().find(is_waiting)?;
        match std::mem::replace(&mut slot.state, State::Running(worker)) {
            State::Waiting(unit) => Some((slot.id, *unit)),
            _ => unreachable!("it waits"),
        }
    }

    /// Puts what a unit came to in its place, and together with its neighbours that are done.
    pub fn put(&mut self, at: usize, explored: Explored) {
        self.slots[at].state = State::Done(Box::new(explored));
        let mut at = at;
        while at + 1 < self.slots.len() && self.is_plain(at) && self.is_plain(at + 1) {
            self.join_next(at);
        }
        while at > 0 && self.is_plain(at - 1) && self.is_plain(at) {
            at -= 1;
            self.join_next(at);
        }
    }

    fn is_plain(&self, at: usize) -> bool {
        let State::Done(explored) = &self.slots[at].state else {
            return false;
        };
        matches!(explored.ending, Ending::Exhausted) && explored.left.is_empty()
    }

    fn join_next(&mut self, at: usize) {
        let next = self.slots.remove(at + 1);
        if let (State::Done(explored), State::Done(later)) = (&mut self.slots[at].state, next.state)
        {
            explored.outcome.append(later.outcome);
        }
    }

    pub fn all_are_saved(&self) -> bool {
        let is_saved = |s: &Slot| s.saved.is_some() || !matches!(s.state, State::Running(_));
        self.slots.iter().all(is_saved)
    }

    /// Where the search stands, or stood when all workers said so. `None`: it must start over.
    pub fn frontier(&mut self) -> Option<Frontier> {
        let mut cells = self.facts.cells();
        for groups in &self.cells {
            cells.add(groups);
        }
        if cells.merged {
            return None;
        }
        let mut parts = Vec::new();
        let mut push = |outcome: Outcome, left: Vec<WorkUnit>| {
            parts.push(Part::Done(Box::new(outcome)));
            parts.extend(left.into_iter().map(|unit| Part::Left(Box::new(unit))));
        };
        for slot in &mut self.slots {
            match &slot.state {
                State::Waiting(unit) => push(Outcome::default(), vec![(**unit).clone()]),
                State::Done(explored) if matches!(explored.ending, Ending::StartOver(_)) => {
                    return None;
                }
                State::Done(explored) => push(explored.outcome.clone(), explored.left.clone()),
                State::Running(_) => {
                    let (outcome, left) = slot.saved.take().expect("where it stands");
                    push(outcome, left);
                }
            }
        }
        Some(Frontier {
            facts: SearchFacts {
                cells: cells.groups(),
                ..self.facts.clone()
            },
            is_part: false,
            parts,
        })
    }
}

//! The board: what the engines of a check tell each other.
//!
//! **Memory that proved to be shared.** Whoever saw two threads access it at the same time says so,
//! and searches and runs that begin later need not find out again, each time at the cost of
//! beginning anew. There may be too much of it, if threads are numbered otherwise elsewhere: then
//! there are more scheduling points, and no execution is lost (`machine::sharing`).
//!
//! **Properties that no execution violates.** What a search of schedules has seen so far proves
//! nothing before it is done. Nor does the trace engine know that an assertion holds, or that a
//! branch goes one way, as long as any exit of its graphs is open: that *phi* has no model says that
//! nothing fails *along known edges*, and an execution that takes an unknown edge elsewhere, in
//! another thread perhaps, may write what the assertion reads. An exit that has no model may have
//! one in the next graph, for the same reason. There are no facts about single assertions or
//! branches, then, before *psi* as a whole is refuted. Once it is, every execution is in the graph
//! (the first departure would be a model), and all of this holds at once: what *phi* has asked for
//! happens in no execution, and sides of branches that are in no execution of the graph are in none.
//! That may be long before the verdict: deadlocks and races are asked for afterwards, in queries of
//! their own, and may be hard or an obstacle. So from then on the rest of the question is one for
//! others, too ([`Board::left_of`]).
//!
//! That a branch goes one way is not told: an explorer never takes a side that no execution takes,
//! for its inputs have no values there. It would save it a question to the solver.
//!
//! A bug needs no board: the first that is found ends the check.
//!
//! Invariant: what stands here holds for all executions of the task's program and configuration,
//! without a bound.

use std::sync::{Mutex, MutexGuard, PoisonError};

use explore::Properties;
use machine::SharedSet;

#[derive(Debug, Default)]
pub(crate) struct Board(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    shared: SharedSet,
    proved: Vec<Proved>,
}

/// No execution violates any of these properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proved {
    pub by: &'static str,
    pub properties: Properties,
}

impl Board {
    /// Whoever asks holds this for a moment only, and does nothing meanwhile that could fail.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn shared(&self) -> SharedSet {
        self.state().shared.clone()
    }

    pub fn share(&self, memory: &SharedSet) {
        self.state().shared.add(memory);
    }

    pub fn prove(&self, proved: Proved) {
        let known = &mut self.state().proved;
        if !known.contains(&proved) {
            known.push(proved);
        }
    }

    /// What is still to be proved of these properties, and by whom the others were.
    pub fn left_of(&self, properties: &Properties) -> (Properties, Vec<&'static str>) {
        let mut left = properties.clone();
        let mut by = Vec::new();
        for proved in &self.state().proved {
            let before = left.0.len();
            left.0
                .retain(|property| !proved.properties.contains(*property));
            if left.0.len() < before {
                by.push(proved.by);
            }
        }
        (left, by)
    }
}

#[cfg(test)]
mod tests {
    use machine::Property;

    use super::*;

    #[test]
    fn what_is_proved_is_not_left() {
        let board = Board::default();
        let asked = Properties([Property::Assertion, Property::Deadlock].into());
        assert_eq!(board.left_of(&asked), (asked.clone(), vec![]));
        let properties = Properties([Property::Assertion, Property::Memory].into());
        board.prove(Proved {
            by: "trace",
            properties,
        });
        let left = Properties([Property::Deadlock].into());
        assert_eq!(board.left_of(&asked), (left, vec!["trace"]));
    }

    #[test]
    fn shared_memory_adds_up() {
        let (board, mut memory) = (Board::default(), SharedSet::default());
        memory.insert_range(64, 4);
        board.share(&memory);
        board.share(&SharedSet::default());
        assert_eq!(board.shared(), memory);
    }
}

//! The segments of a search, in the order in which a single worker would do them.

use std::thread::JoinHandle;

use smt::SolverStats;

use super::super::job::{Part, Piece};
use super::super::knowledge::Knowledge;
use crate::outcome::{Frontier, Outcome, Stopped};

pub(super) struct Pool {
    pub(super) knowledge: Knowledge,
    /// In the order of a single worker.
    pub(super) segments: Vec<Segment>,
    pub(super) next: u64,
    /// Workers that have asked for work.
    pub(super) hungry: usize,
    /// Why everybody stops.
    pub(super) stopped: Option<Stopped>,
    /// Everybody leaves the rest.
    pub(super) leaving: bool,
    /// The others are at work, or have been.
    pub(super) joined: bool,
    pub(super) handles: Vec<JoinHandle<Result<(), String>>>,
    pub(super) solver: SolverStats,
    /// The cells of each worker, as far as he told.
    pub(super) footprint: Vec<Vec<Vec<(u64, u64)>>>,
    /// Everybody is to say where he stands.
    pub(super) saving: bool,
    pub(super) failed: Option<String>,
}

pub(super) struct Segment {
    pub(super) id: u64,
    pub(super) state: State,
    /// What was found and what was left when everybody was asked.
    pub(super) saved: Option<(Outcome, Vec<Piece>)>,
}

pub(super) enum State {
    Waiting(Box<Piece>),
    Running(usize),
    Done {
        outcome: Box<Outcome>,
        ending: Ending,
        left: Vec<Piece>,
    },
}

/// How a segment came to its end.
pub(super) enum Ending {
    Exhausted,
    /// At a fault, and only the first is asked for.
    Fault,
    StartOver(Box<Knowledge>),
    /// Where it was to be left.
    Left,
    /// In the middle.
    Stopped,
}

impl Pool {
    pub(super) fn position(&self, id: u64) -> Option<usize> {
        self.segments.iter().position(|segment| segment.id == id)
    }

    pub(super) fn take(&mut self, me: usize) -> Option<(u64, Piece)> {
        let is_waiting = |s: &&mut Segment| matches!(s.state, State::Waiting(_));
        let segment = self.segments.iter_mut().find(is_waiting)?;
        match std::mem::replace(&mut segment.state, State::Running(me)) {
            State::Waiting(piece) => Some((segment.id, *piece)),
            _ => unreachable!("it waits"),
        }
    }

    /// Nobody works, and nothing is left or is to be done.
    pub(super) fn is_over(&self) -> bool {
        if self.stopped.is_some() || self.leaving {
            return true;
        }
        let is_done = |s: &Segment| matches!(s.state, State::Done { .. });
        self.segments.iter().all(is_done)
    }

    /// Puts a segment that is done together with its neighbours that are.
    pub(super) fn join_done(&mut self, at: usize) {
        let mut at = at;
        while at + 1 < self.segments.len() && self.is_plain(at) && self.is_plain(at + 1) {
            self.join_next(at);
        }
        while at > 0 && self.is_plain(at - 1) && self.is_plain(at) {
            at -= 1;
            self.join_next(at);
        }
    }

    fn is_plain(&self, at: usize) -> bool {
        let segment = &self.segments[at];
        matches!(
            &segment.state,
            State::Done { ending: Ending::Exhausted, left, .. } if left.is_empty()
        )
    }

    fn join_next(&mut self, at: usize) {
        let next = self.segments.remove(at + 1);
        if let (State::Done { outcome, .. }, State::Done { outcome: later, .. }) =
            (&mut self.segments[at].state, next.state)
        {
            outcome.append(*later);
        }
    }

    pub(super) fn all_saved(&self) -> bool {
        let is_saved = |s: &Segment| s.saved.is_some() || !matches!(s.state, State::Running(_));
        self.segments.iter().all(is_saved)
    }

    /// Where the search stands, or stood when everybody said so. `None`: it must start over.
    pub(super) fn frontier(&mut self) -> Option<Frontier> {
        let mut cells = self.knowledge.cells();
        for groups in &self.footprint {
            cells.add(groups);
        }
        if cells.merged {
            return None;
        }
        let mut parts = Vec::new();
        let mut push = |outcome: Outcome, left: Vec<Piece>| {
            parts.push(Part::Done(Box::new(outcome)));
            parts.extend(left.into_iter().map(|piece| Part::Left(Box::new(piece))));
        };
        for segment in &mut self.segments {
            match &segment.state {
                State::Waiting(piece) => push(Outcome::default(), vec![(**piece).clone()]),
                State::Done { outcome, left, .. } => push((**outcome).clone(), left.clone()),
                State::Running(_) => {
                    let (outcome, left) = segment.saved.take().expect("where it stands");
                    push(outcome, left);
                }
            }
        }
        Some(Frontier {
            knowledge: Knowledge {
                cells: cells.groups(),
                ..self.knowledge.clone()
            },
            is_part: false,
            parts,
        })
    }
}

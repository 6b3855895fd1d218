//! What the segments gave, put together in their order.

use super::super::job::Part;
use super::super::knowledge::Knowledge;
use super::Crew;
use super::pool::{Ending, State};
use crate::outcome::{Frontier, Outcome, Stopped};

/// How a search came to its end.
pub(super) enum Over {
    /// With what is left, if nobody was stopped in the middle.
    Done(Box<Outcome>, Option<Frontier>),
    /// It must start over.
    Again(Knowledge),
    /// The same, but it was stopped.
    Void(Box<Outcome>, Knowledge),
}

impl Crew {
    /// Puts everything together.
    pub(super) fn over(&self) -> Result<Over, String> {
        let mut pool = self.pool();
        if let Some(why) = pool.failed.take() {
            return Err(why);
        }
        let mut cells = pool.knowledge.cells();
        for groups in &pool.footprint {
            cells.add(groups);
        }
        let restarts = pool.knowledge.restarts + 1;
        let mut whole = Outcome::default();
        let mut parts = Vec::new();
        let mut is_torn = false;
        for segment in std::mem::take(&mut pool.segments) {
            let (outcome, ending, left) = match segment.state {
                State::Waiting(piece) => {
                    parts.push(Part::Left(piece));
                    continue;
                }
                State::Running(_) => unreachable!("everybody is gone"),
                State::Done {
                    outcome,
                    ending,
                    left,
                } => (outcome, ending, left),
            };
            if let Ending::StartOver(mut knowledge) = ending {
                cells.add(&knowledge.cells);
                knowledge.cells = cells.groups();
                knowledge.restarts = restarts;
                return Ok(Over::Again(*knowledge));
            }
            let is_last = matches!(ending, Ending::Fault);
            is_torn |= matches!(ending, Ending::Stopped);
            whole.append((*outcome).clone());
            parts.push(Part::Done(outcome));
            parts.extend(left.into_iter().map(|piece| Part::Left(Box::new(piece))));
            if is_last {
                break;
            }
        }
        let is_left = parts.iter().any(|part| matches!(part, Part::Left(_)));
        if whole.found.is_empty() || self.options.all {
            // Whoever was called off says no more than that.
            whole.stopped = pool.stopped.or(whole.stopped);
            if is_left {
                whole.stopped.get_or_insert(Stopped::Interrupted);
            }
        }
        let mut knowledge = pool.knowledge.clone();
        knowledge.cells = cells.groups();
        if whole.stopped.is_some_and(|why| why != Stopped::FirstBug) {
            // What came before it started over has shown more threads than it had the time to.
            whole.threads = whole.threads.max(knowledge.threads.len() as u32);
        }
        // A first fault is one, whatever it was found with.
        let is_void = cells.merged && (whole.found.is_empty() || self.options.all);
        if is_void && whole.stopped.is_none() {
            knowledge.restarts = restarts;
            return Ok(Over::Again(knowledge));
        }
        whole.solver = std::mem::take(&mut pool.solver);
        whole.shared = pool.knowledge.shared.clone();
        if is_void {
            knowledge.restarts = restarts;
            return Ok(Over::Void(Box::new(whole), knowledge));
        }
        let left = (!is_torn).then_some(Frontier {
            knowledge,
            parts,
            is_part: false,
        });
        Ok(Over::Done(Box::new(whole), left))
    }
}

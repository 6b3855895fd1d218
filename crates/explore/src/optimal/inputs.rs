//! The inputs of a fault do not depend on what the solver was asked before, nor on which worker
//! found the fault.

use super::sequence::Origin;
use super::unit::Placed;
use super::{Executed, Search, Todo};
use crate::feasibility::Feasible;
use crate::options::Options;
use crate::outcome::Found;
use crate::worker_pool::Divisible;

impl Search<'_> {
    /// The inputs of faults that were just found: those that a fresh solver gives, whatever this
    /// one has seen before.
    pub(super) fn renew_inputs(&mut self, first: usize) {
        let mut new = self.walk.outcome.found.split_off(first);
        for found in &mut new {
            self.fresh_inputs(found);
        }
        self.walk.outcome.found.append(&mut new);
    }

    fn fresh_inputs(&self, found: &mut Found) {
        if found.inputs.is_empty() {
            return;
        }
        let options: &Options = self.walk.options;
        let facts = self.facts(0);
        let program = (*self.walk.machine.program).clone();
        let mut silent = crate::Silent;
        let Ok(mut fresh) = Search::start(&program, options, &mut silent, &facts) else {
            return;
        };
        let mut steps: Vec<Placed> = self.sequence.steps.iter().map(Placed::of).collect();
        let Some(last) = steps.pop() else { return };
        let is_waiting = self.sequence.steps.last().is_some_and(|s| s.awaits);
        let thread = (!steps.is_empty()).then_some(last.thread);
        if fresh.place_again(steps, Vec::new()) != Executed::Done {
            return;
        }
        let todo = Todo {
            // Stops at the fault.
            origin: if is_waiting {
                Origin::Kept
            } else {
                Origin::Fresh
            },
            replies: last.replies,
            ..Todo::fresh(last.thread, last.insertion_order)
        };
        if fresh.execute_once(thread, todo, None) != Executed::Done {
            return;
        }
        if let Feasible::Yes(model) = fresh.walk.check(&[]) {
            let terms = &fresh.walk.machine.terms;
            found.inputs = terms
                .inputs()
                .map(|i| (terms.input_name(i).to_string(), model.get(i).unwrap_or(0)))
                .collect();
        }
    }
}

//! Putting a step in another place, and what comes after it there.

use super::sequence::{Origin, Saved, SavedId, Step};
use super::{Attempt, Direction, Executed, Rest, Revisit, Revisited, Search, Todo};
use crate::ends::ends_step;
use crate::feasibility::Feasible;
use crate::replies::{Next, Others};
use crate::step::StepId;

impl Search<'_> {
    /// Puts the steps of a revisit in place. `Done`: go on from there.
    pub(super) fn take(&mut self, revisit: Revisit) -> Executed {
        match revisit.direction {
            Direction::Insist => self.insist(revisit.thread),
            Direction::Forward(write) => self.take_before(&revisit, write),
            Direction::Backward {
                target,
                ref porf_prefix,
            } => self.take_revisit(&revisit, target, porf_prefix),
        }
    }

    /// Puts a step that reads before a write.
    fn take_before(&mut self, revisit: &Revisit, write: StepId) -> Executed {
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        let open = self.open.last().expect("an open step");
        let bytes = open.step.as_ref().and_then(|step| step.bytes);
        let finds = self.finds_before(bytes, write);
        let event = self.sequence.steps[write].event();
        let saved = self.replace_from(write);
        self.next_insertion_order = revisit.insertion_order.next();
        let open = self.open.last_mut().expect("an open step");
        let mut rest = std::mem::take(&mut open.rest);
        rest.clear();
        for (id, step) in saved.steps.enumerate() {
            if self.sequence.lay_behind(&saved, id, event) {
                rest.push(id);
            } else {
                self.keep(step);
            }
        }
        self.set_rest(saved, rest, None);
        match finds {
            Some(_) => self.place(revisit.moved(finds), None, None),
            None => self.place_in_order(revisit.moved(None)),
        }
    }

    /// Places a step after undoing what is to come after it.
    fn place_in_order(&mut self, moved: Todo) -> Executed {
        let open = self.open.last().expect("an open step");
        if let Some(at) = self.track.at(open.saved.steps[SavedId(0)].slot) {
            self.rewind_to(at);
        }
        match self.catch_up() {
            Executed::Done => self.place(moved, None, None),
            other => other,
        }
    }

    /// Puts a step that writes before a step that depends on it.
    fn take_revisit(&mut self, revisit: &Revisit, target: StepId, porf_prefix: &[u32]) -> Executed {
        let steps = &self.sequence.steps;
        let target = &steps[target];
        let revisited = Revisited {
            thread: target.thread,
            index: target.index,
            insertion_order: target.insertion_order,
        };
        let insertion_order = target.insertion_order;
        let stays = |s: &Step| s.insertion_order < insertion_order || s.is_in(porf_prefix);
        let base = steps.iter().position(|s| !stays(s)).expect("the target");
        let saved = self.replace_from(StepId::from(base));
        self.next_insertion_order = revisit.insertion_order.next();
        self.attempts
            .retain(|a| a.insertion_order < insertion_order || a.event().is_in(porf_prefix));
        for step in saved.steps.iter().filter(|s| stays(s)) {
            self.keep(step);
        }
        self.set_rest(saved, Vec::new(), Some(revisited));
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        self.place(revisit.moved(None), None, None)
    }

    /// Takes out everything from `base` on, to be put back when the revisit is done.
    fn replace_from(&mut self, base: StepId) -> Saved {
        let open = self.open.last_mut().expect("an open step");
        open.base = base;
        let mut saved = std::mem::take(&mut open.saved);
        self.sequence.save(base, &mut saved);
        for step in &saved.steps {
            self.track.leave(step.slot);
        }
        let awake = self
            .blocked_awaits
            .partition_point(|blocked_await| blocked_await.since <= base);
        self.open.last_mut().expect("an open step").blocked_awaits =
            self.blocked_awaits.split_off(awake);
        self.forget_later();
        saved
    }

    fn set_rest(&mut self, saved: Saved, rest: Vec<SavedId>, revisited: Option<Revisited>) {
        let open = self.open.last_mut().expect("an open step");
        (open.saved, open.rest, open.revisited) = (saved, rest, revisited);
    }

    /// Puts a step that was there before at the end. It does what it did.
    fn keep(&mut self, step: &Step) {
        let step = step.kept();
        self.sequence.base_of(&step, &mut self.base);
        self.track.enter(step.slot);
        self.sequence.push(step, &self.base);
    }

    /// Executes a step in its new place, and what comes after it there. `told`: that, if it is not
    /// what the last open step has at hand.
    pub(super) fn place(
        &mut self,
        moved: Todo,
        next: Option<Next>,
        told: Option<Rest>,
    ) -> Executed {
        let (thread, insertion_order) = (moved.thread, moved.insertion_order);
        if !self.can_go_on(thread) {
            return Executed::Refused;
        }
        let finds = moved.finds;
        let before = (
            self.walk.outcome.runs.infeasible,
            self.walk.machine.total_events,
        );
        let executed = self.execute(Some(thread), moved, next);
        self.refused = None;
        match executed {
            Executed::Done => {}
            other => return other,
        }
        if finds.is_some() && self.end.as_ref().is_some_and(ends_step) {
            // What comes after it may have freed what is not known to be shared: it must be seen in
            // order, and counts then.
            self.remove();
            self.walk.outcome.runs.infeasible = before.0;
            self.walk.repeated += self.walk.machine.total_events - before.1;
            return self.place_in_order(Todo {
                origin: Origin::Moved,
                ..Todo::fresh(thread, insertion_order)
            });
        }
        if let Some(finished) = self.judge() {
            return Executed::Finished(finished);
        }
        let revisited = match &told {
            Some(rest) => rest.revisited,
            None => self.open.last().expect("an open step").revisited,
        };
        let step = self.sequence.steps.last().expect("the step");
        let event = step.event();
        let written = step.written;
        let assumes = step.replies.0.iter().any(|r| r.assumed.is_some());
        if step.replies.0.iter().any(|r| r.others != Others::None) {
            let rest = told.clone().unwrap_or_else(|| self.rest_at_hand());
            let step = self.sequence.steps.last_mut().expect("the step");
            step.rest = Some(Box::new(rest));
        }
        // Only a read can stand before others unnoticed, only a write can be seen by another.
        if written != revisited.is_some() {
            return Executed::Refused;
        }
        let Some(revisited) = revisited else {
            // What it assumes here need not go together with what those behind it assumed.
            return match told {
                Some(rest) => self.execute_rest(rest, assumes),
                None => self.put_rest(assumes),
            };
        };
        if self.can_go_on(revisited.thread) {
            let todo = Todo {
                origin: Origin::Revisited,
                ..Todo::fresh(revisited.thread, revisited.insertion_order)
            };
            // If it must wait, an attempt is left of it.
            return self.execute(Some(revisited.thread), todo, None);
        }
        debug_assert!(insertion_order > revisited.insertion_order);
        self.attempts.push(Attempt {
            thread: revisited.thread,
            index: revisited.index,
            insertion_order: revisited.insertion_order,
            after: event,
        });
        Executed::Done
    }

    /// What the last open step has at hand to come after the moved one, as data.
    fn rest_at_hand(&self) -> Rest {
        let open = self.open.last().expect("an open step");
        let steps = open.rest.iter().map(|id| &open.saved.steps[*id]);
        Rest {
            steps: steps
                .map(|s| (s.thread, s.insertion_order, s.replies.clone()))
                .collect(),
            revisited: open.revisited,
        }
    }

    /// Executes what comes after a step that was put before a write.
    fn execute_rest(&mut self, rest: Rest, check: bool) -> Executed {
        let check = check && !rest.steps.is_empty();
        for (thread, insertion_order, replies) in rest.steps {
            let todo = Todo {
                origin: Origin::Kept,
                replies,
                ..Todo::fresh(thread, insertion_order)
            };
            let executed = self.execute(Some(thread), todo, None);
            if executed != Executed::Done {
                return executed;
            }
        }
        if check && matches!(self.walk.check(&[]), Feasible::No) {
            return Executed::Infeasible;
        }
        Executed::Done
    }

    /// Puts back what comes after a step that was put before a write.
    fn put_rest(&mut self, check: bool) -> Executed {
        let open = self.open.last_mut().expect("an open step");
        let (saved, rest) = (
            std::mem::take(&mut open.saved),
            std::mem::take(&mut open.rest),
        );
        for id in &rest {
            self.keep(&saved.steps[*id]);
        }
        let check = check && !rest.is_empty();
        self.set_rest(saved, rest, None);
        let executed = self.catch_up();
        if executed == Executed::Done && check && matches!(self.walk.check(&[]), Feasible::No) {
            return Executed::Infeasible;
        }
        executed
    }
}

//! Going back: what else the latest step could have done, in other places or with other replies, is
//! taken up.

use ir::debug::LocId;

use super::sequence::{Counts, Origin, Step};
use super::waiting::Refused;
use super::{Executed, Finished, Open, Revisit, Search, Todo};

impl Search<'_> {
    pub(super) fn open(&mut self, step: Option<Step>, revisits: Vec<Revisit>) {
        self.open.push(Open {
            base: self.sequence.end(),
            saved: self.spare.pop().unwrap_or_default(),
            blocked_awaits: Vec::new(),
            attempts: self.attempts.clone(),
            next_insertion_order: self.next_insertion_order,
            count: revisits.len(),
            revisits,
            step,
            rest: Vec::new(),
            revisited: None,
        });
    }

    /// Takes the next alternative of the latest step that has one.
    pub(super) fn backtrack(&mut self) -> Executed {
        loop {
            let base = self.open.last().map_or(self.floor, |open| open.base);
            let executed = if self.sequence.end() > base {
                self.leave_last()
            } else if let Some(open) = self.open.last_mut() {
                self.attempts.clone_from(&open.attempts);
                self.next_insertion_order = open.next_insertion_order;
                if !open.saved.steps.is_empty() {
                    self.put_back_saved();
                }
                let open = self.open.last_mut().expect("an open step");
                match open.revisits.pop() {
                    Some(revisit) => self.take(revisit),
                    None => {
                        let open = self.open.pop().expect("an open step");
                        self.spare.push(open.saved);
                        match open.step {
                            Some(step) => self.reply_otherwise(step),
                            None => continue,
                        }
                    }
                }
            } else {
                // The last execution may have shown that more is shared.
                return Executed::Finished(match self.walk.machine.sharing_grew {
                    true => Finished::StartOver,
                    false => Finished::Done,
                });
            };
            match executed {
                Executed::Refused if self.refused.is_some() => return executed,
                Executed::Refused | Executed::Infeasible => {}
                done => return done,
            }
            // The way back over a long sequence takes long.
            if let Some(stopped) = self.walk.tick_at_question(self.sequence.len()) {
                self.walk.outcome.stopped = Some(stopped);
                return Executed::Finished(Finished::Done);
            }
        }
    }

    /// Puts back what the last open step has replaced. What replaced it is gone.
    pub(super) fn put_back_saved(&mut self) {
        let open = self.open.last_mut().expect("an open step");
        self.blocked_awaits.append(&mut open.blocked_awaits);
        for step in &open.saved.steps {
            self.track.enter(step.slot);
        }
        self.sequence.restore(&mut open.saved);
        open.base = self.sequence.end();
    }

    /// Takes the last step out; if it could do something else, takes that up.
    fn leave_last(&mut self) -> Executed {
        let last = self.sequence.last();
        let step = &self.sequence.steps[last];
        match step.origin {
            Origin::Kept => {
                self.remove();
                return Executed::Refused;
            }
            Origin::Fresh => {
                self.next_insertion_order = step.insertion_order;
                if step.replies.all_first() {
                    let mut revisits = self.revisits(step, self.sequence.base(last), last);
                    if let Some(finished) = self.interrupted() {
                        return Executed::Finished(finished);
                    }
                    if !revisits.is_empty() {
                        self.leave_unusual_replies_out(&mut revisits, last);
                    }
                    if !revisits.is_empty() {
                        let step = self.remove();
                        self.open(Some(step), revisits);
                        return Executed::Refused;
                    }
                }
            }
            Origin::Moved | Origin::Revisited => {}
        }
        let step = self.remove();
        self.reply_otherwise(step)
    }

    /// Executes a step again where it was, with the next possible replies.
    pub(super) fn reply_otherwise(&mut self, mut step: Step) -> Executed {
        let waits = step.waits && step.origin != Origin::Moved;
        let next = std::mem::take(&mut step.replies).next();
        if next.is_none() && !waits {
            return Executed::Refused;
        }
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        let executed = match next {
            None => Executed::Infeasible,
            Some((replies, next)) => {
                let todo = Todo {
                    origin: step.origin,
                    replies,
                    ..Todo::fresh(step.thread, step.insertion_order)
                };
                if step.origin == Origin::Moved {
                    let rest = step.rest.map(|rest| *rest);
                    return self.place(todo, Some(next), rest);
                }
                self.next_insertion_order =
                    self.next_insertion_order.max(step.insertion_order.next());
                let thread = (!self.sequence.steps.is_empty()).then_some(step.thread);
                self.execute(thread, todo, Some(next))
            }
        };
        match executed {
            Executed::Done => self.sequence.steps.last_mut().expect("the step").waits |= waits,
            // All replies were tried; with some of them it waits.
            Executed::Refused => {
                if let Some(refused) = &mut self.refused {
                    refused.is_partial = true;
                }
            }
            Executed::Infeasible if waits => {
                self.refused = Some(Refused {
                    step,
                    base: Counts::new(),
                    is_partial: true,
                    recorded: Vec::new(),
                    loc: LocId(0),
                });
                return Executed::Refused;
            }
            _ => {}
        }
        executed
    }

    /// Takes the last step out.
    pub(super) fn remove(&mut self) -> Step {
        let step = self.sequence.pop();
        if step.is_copy {
            self.track.leave(step.slot);
        } else {
            self.track.release(step.slot);
        }
        self.forget_later();
        step
    }

    /// Forgets what held for a longer sequence.
    pub(super) fn forget_later(&mut self) {
        let end = self.sequence.end();
        while self
            .blocked_awaits
            .last()
            .is_some_and(|blocked_await| blocked_await.since > end)
        {
            self.blocked_awaits.pop();
        }
    }
}

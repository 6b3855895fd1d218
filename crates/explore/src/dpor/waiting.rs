//! Threads that wait: in a loop, or before an atomic section that they cannot pass.

use machine::ThreadId;
use smallvec::SmallVec;
use smt::TermId;

use super::races::Could;
use super::trace::{Step, Trace};
use super::{Kind, Search};
use crate::cells::CellId;
use crate::decision::Decision;
use crate::dependence::Access;
use crate::driver::Round;
use crate::step::{EventId, StepId};
use crate::summaries::{self, Visible};

/// A thread that could not pass the atomic section in its next step, and cannot before one of the
/// cells that it looked at is written.
pub(super) struct Await {
    pub event: EventId,
    pub cells: SmallVec<[CellId; 1]>,
    /// Where the execution ended when it began to look, and when it gave up.
    pub since: StepId,
    pub until: StepId,
    /// Under which conditions on the state it cannot pass, if that can be said. They are about
    /// where the thread stands and about the cells, so they stay true while it lasts.
    pub conditions: Option<Vec<TermId>>,
    /// How it looks at the cells.
    pub looks: Vec<Visible>,
}

impl Await {
    /// Whether none of the cells has been written before `place`.
    pub fn lasts(&self, trace: &Trace, place: StepId) -> bool {
        let is_written = |cell: &CellId| trace.is_written(*cell, self.since..place);
        self.since <= place && !self.cells.iter().any(is_written)
    }
}

impl Search<'_, '_> {
    /// If the thread is known to be unable to go on now.
    pub(super) fn blocked_await_of(&self, thread: ThreadId) -> Option<&Await> {
        let now = self.trace.end();
        let lasts = |blocked_await: &&Await| {
            blocked_await.event.thread == thread && blocked_await.lasts(&self.trace, now)
        };
        self.blocked_awaits.iter().find(lasts)
    }

    /// A thread has made a pure round of a loop, and goes no further (see `crate::waiting`).
    /// With summaries, that it does is a condition on the state: it leaves the registers of the
    /// loop as it found them. If it stored what was there already, that these values are the same
    /// would be another; then nothing is said.
    pub(super) fn wait(&mut self, step: &mut Step, round: Round) {
        let machine = &mut self.walk.machine;
        let thread = machine.current_thread();
        if machine.thread_state(thread).atomic > 0 {
            // No other thread can write anything meanwhile.
            machine.spin_on();
            return;
        }
        if let Some(summaries) = &mut self.summaries {
            let here = machine.position();
            let conditions = match round.silent {
                true => None,
                false => machine.conditions_of_round(thread, here),
            };
            match conditions {
                Some(conditions) => {
                    summaries.open(machine, summaries::Kind::All, None, conditions);
                }
                None => summaries.spoil(),
            }
        }
        step.decisions.push(Decision::Yield);
        step.round = round.events;
        self.walk.machine.block_in_loop();
    }

    /// The step cannot be done here: it does not pass its atomic section.
    pub(super) fn refuse(&mut self, step: &mut Step) {
        step.effects = self.effects();
        (step.effects.iter_mut()).for_each(|effect| effect.access = Access::Read);
        let conditions = self.summarise_refusal(step);
        self.observe(step);
        self.reverse_races(step, Could::No);
        self.trace.forget_observations(self.trace.end());
        let node = self.nodes.last_mut().expect("the state before the step");
        let recorded = self.walk.machine.recorded_since(&node.mark);
        node.recorded.extend(recorded);
        if step.chosen {
            node.add_all_to_backtrack_set();
            return;
        }
        node.enabled.retain(|t| *t != step.thread);
        if self.kind == Kind::Classic && node.is_for_a_race() {
            // Another cause of the race could have been tried.
            node.add_all_to_backtrack_set();
        }
        self.blocked_awaits.push(Await {
            event: step.event(),
            cells: step.effects.iter().map(|effect| effect.cell).collect(),
            looks: step.accesses().collect(),
            since: self.trace.end(),
            until: self.trace.end(),
            conditions,
        });
    }
}

//! Threads that go round a loop, and steps that come to nothing because they cannot get through an
//! atomic section.

use smallvec::SmallVec;
use smt::TermId;

use super::races::Could;
use super::trace::{Step, Trace};
use super::{Kind, Search};
use crate::decision::Decision;
use crate::dependence::Access;
use crate::driver::Round;
use crate::summaries::{self, Visible};

/// A thread whose next step came to nothing, and would again before something is written where it
/// looked.
pub(super) struct Await {
    pub thread: u32,
    pub index: u32,
    pub cells: SmallVec<[u32; 1]>,
    /// Steps there were when it began to look, and when it gave up.
    pub since: usize,
    pub until: usize,
    /// Under which conditions on the state it comes to nothing, if that can be said. They are about
    /// where the thread stands and about the cells, so they stay true while it lasts.
    pub conditions: Option<Vec<TermId>>,
    /// How it looks at the cells.
    pub looks: Vec<Visible>,
}

impl Await {
    /// Whether nothing has been written there before `place`.
    pub fn lasts(&self, trace: &Trace, place: usize) -> bool {
        let is_written = |cell: &u32| trace.is_written(*cell, self.since..place);
        self.since <= place && !self.cells.iter().any(is_written)
    }
}

impl Search<'_, '_> {
    /// If the thread's next step is known to come to nothing now.
    pub(super) fn blocked_await_of(&self, thread: u32) -> Option<&Await> {
        let now = self.trace.len();
        let lasts = |blocked_await: &&Await| {
            blocked_await.thread == thread && blocked_await.lasts(&self.trace, now)
        };
        self.blocked_awaits.iter().find(lasts)
    }

    /// A thread has gone round a loop to no effect, and goes no further (see `crate::waiting`).
    /// With summaries, that it does is a condition on the state: it leaves the registers of the
    /// loop as it found them. If it stored what was there already, that these values are the same
    /// would be another; then nothing is said.
    pub(super) fn wait(&mut self, step: &mut Step, round: Round) {
        let machine = &mut self.walk.machine;
        let thread = machine.current_thread();
        if machine.thread_state(thread).atomic > 0 {
            // Nobody can write anything meanwhile.
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

    /// The step comes to nothing here.
    pub(super) fn refuse(&mut self, step: &mut Step) {
        step.effects = self.effects();
        (step.effects.iter_mut()).for_each(|effect| effect.access = Access::Read);
        let conditions = self.summarise_refusal(step);
        self.observe(step);
        self.reverse_races(step, Could::No);
        self.trace.forget_observations(self.trace.len());
        let node = self.nodes.last_mut().expect("the state before the step");
        let recorded = self.walk.machine.recorded_since(&node.mark);
        node.recorded.extend(recorded);
        if step.chosen {
            node.add_all_to_backtrack_set();
            return;
        }
        node.enabled.retain(|t| *t != step.thread);
        if self.kind == Kind::Classic && node.is_for_a_race() {
            // Another cause of the race could have been taken.
            node.add_all_to_backtrack_set();
        }
        self.blocked_awaits.push(Await {
            thread: step.thread,
            index: step.index,
            cells: step.effects.iter().map(|effect| effect.cell).collect(),
            looks: step.accesses().collect(),
            since: self.trace.len(),
            until: self.trace.len(),
            conditions,
        });
    }
}

//! Steps that come to nothing: of threads that go round a loop, or cannot get through an atomic section.

use ir::debug::LocId;
use machine::ThreadId;
use smallvec::SmallVec;
use smt::TermId;

use super::races::Could;
use super::trace::{Step, Trace};
use super::{Kind, Search};
use crate::decision::Decision;
use crate::dependence::Access;
use crate::summaries::Visible;

/// A thread whose next step came to nothing, and would again before something is written where it looked.
pub(super) struct Nap {
    pub thread: u32,
    pub index: u32,
    pub cells: SmallVec<[u32; 1]>,
    /// Steps there were when it began to look, and when it gave up.
    pub since: usize,
    pub until: usize,
    /// It would go round a loop, rather than never get through an atomic section.
    pub is_loop: bool,
    pub loc: LocId,
    /// Under which conditions on the state it comes to nothing, if that can be said. They are about where the thread stands and about the
    /// cells, so they stay true while it lasts.
    pub conditions: Option<Vec<TermId>>,
    /// How it looks at the cells.
    pub looks: Vec<Visible>,
}

impl Nap {
    /// Whether nothing has been written there before `place`.
    pub fn lasts(&self, trace: &Trace, place: usize) -> bool {
        let is_written = |cell: &u32| trace.is_written(*cell, self.since..place);
        self.since <= place && !self.cells.iter().any(is_written)
    }
}

impl Search<'_, '_> {
    /// If the thread's next step is known to come to nothing now.
    pub(super) fn nap_of(&self, thread: u32) -> Option<&Nap> {
        let now = self.trace.len();
        let lasts = |nap: &&Nap| nap.thread == thread && nap.lasts(&self.trace, now);
        self.naps.iter().find(lasts)
    }

    /// A thread has gone round a loop. Whether the step comes to nothing, being all of it. With some replies only, it stays:
    /// the thread waits for ever on paths on which these hold.
    pub(super) fn wait(&mut self, step: &mut Step, events: u32) -> bool {
        let machine = &mut self.walk.machine;
        let thread = machine.current_thread();
        if machine.state(thread).atomic > 0 {
            // Nobody can write anything meanwhile.
            machine.spin_on();
        } else if events == 0 {
            step.waiting.push(thread.0);
            step.decisions.push(Decision::Yield);
            machine.survive_fault();
        } else if thread.0 != step.thread {
            machine.spin_on();
        } else if machine.visible_events - step.events_before >= u64::from(events) && !step.chosen {
            return true;
        } else {
            step.round = Some(events);
            step.decisions.push(Decision::Yield);
            machine.yield_spinning();
        }
        false
    }

    /// The last step went round a loop, and steps before it: the thread waits until something is written where they looked.
    pub(super) fn nap(&mut self, events: u32) {
        let last = self.trace.steps.last().expect("the last step");
        let (thread, index) = (last.thread, last.index + 1);
        let round: Vec<usize> = self.trace.latest(thread, events).collect();
        let since = *round.last().expect("a step");
        let conditions = self.summarise_round(ThreadId(thread), since);
        let steps = || round.iter().map(|i| &self.trace.steps[*i]);
        let effects = steps().flat_map(|step| &step.effects);
        self.naps.push(Nap {
            thread,
            index,
            cells: effects.map(|effect| effect.cell).collect(),
            looks: steps().flat_map(Step::accesses).collect(),
            since,
            until: self.trace.len(),
            is_loop: true,
            loc: self.walk.machine.user_loc(ThreadId(thread)),
            conditions,
        });
    }

    /// The cell whose being written lets a thread begin another round, if this is what the step does.
    pub(super) fn woken_by(&self, step: &Step) -> Option<u32> {
        let own = |nap: &&Nap| (nap.thread, nap.index) == (step.thread, step.index);
        let nap = self.naps.iter().find(own)?;
        let since = nap.since..self.trace.len();
        let is_written = |cell: &u32| self.trace.is_written(*cell, since.clone());
        (step.effects.is_empty()).then(|| nap.cells.iter().copied().find(is_written))?
    }

    /// The step comes to nothing here.
    pub(super) fn refuse(&mut self, step: &mut Step, is_loop: bool) {
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
            node.try_all();
            return;
        }
        node.enabled.retain(|t| *t != step.thread);
        if self.kind == Kind::Classic && node.is_for_a_race() {
            // Another cause of the race could have been taken.
            node.try_all();
        }
        self.naps.push(Nap {
            thread: step.thread,
            index: step.index,
            cells: step.effects.iter().map(|effect| effect.cell).collect(),
            looks: step.accesses().collect(),
            since: self.trace.len(),
            until: self.trace.len(),
            is_loop,
            loc: self.walk.machine.user_loc(ThreadId(step.thread)),
            conditions,
        });
    }
}

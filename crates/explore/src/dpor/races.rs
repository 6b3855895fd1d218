//! Races: which earlier steps a step could have come before, and which threads can begin an
//! execution in which it does.

use base::IndexVec;
use machine::{Guard, ThreadId};
use smallvec::SmallVec;

use super::node::{Node, Threads};
use super::trace::{Object, Step, Trace};
use super::{Await, Kind};
use crate::cells::CellId;
use crate::dependence::Access;
use crate::step::{EventId, StepId};

/// The execution up to now.
pub struct History<'a> {
    pub trace: &'a Trace,
    pub nodes: &'a IndexVec<StepId, Node>,
    pub blocked_awaits: &'a [Await],
    /// Steps from here on do not count.
    pub end: StepId,
}

/// Races of one step.
#[derive(Default)]
struct Found {
    races: SmallVec<[StepId; 4]>,
    /// Those before which it could be done for sure.
    certain: SmallVec<[StepId; 4]>,
}

/// Whether an operation could be done at an earlier place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Could {
    Yes,
    No,
    Unclear,
}

impl From<bool> for Could {
    fn from(could: bool) -> Could {
        if could { Could::Yes } else { Could::No }
    }
}

impl History<'_> {
    /// The steps that race with `step`, which comes after the whole history or could not be done
    /// there: those that depend on it, do not happen before its thread's turn came, and before
    /// which it could be done.
    ///
    /// An operation that has to wait is often not possible directly before the last dependent step
    /// (a lock is not free before it is given back). The search goes on to the last place at which
    /// it is: what happens in between must come after it, for all these steps are dependent.
    ///
    /// Source sets need the immediate races alone. The classic algorithm looks at the thread's next
    /// step in every state, so it finds a race with every dependent step since the thread's last
    /// one, and the latest before.
    pub fn races(&self, kind: Kind, step: &Step, now: Could) -> SmallVec<[StepId; 4]> {
        let mut found = Found::default();
        for effect in &step.effects {
            self.races_on(effect.cell, kind, step, now, &mut found);
        }
        let Found { mut races, certain } = found;
        if step.effects.len() > 1 {
            races.sort_unstable_by(|a, b| b.cmp(a));
            races.dedup();
            if kind == Kind::Source {
                // A race on one cell may turn out to be followed by one on another.
                races.retain(|place| !self.is_before(*place, &certain));
            }
        }
        races
    }

    /// The races that come of one cell.
    fn races_on(&self, cell: CellId, kind: Kind, step: &Step, now: Could, found: &mut Found) {
        let steps = &self.trace.steps;
        let Found { races, certain } = found;
        let arrived = self.trace.find(EventId {
            index: step.index - 1,
            ..step.event()
        });
        let mut could = now;
        let mut next = self.last_on(cell);
        while next.is_some() {
            let place = next;
            let other = &steps[place];
            next = other.previous_on(cell);
            could = self.could(step, place, could);
            if other.happens_before(&step.base) {
                if other.is_barrier_on(cell) {
                    break;
                }
                continue;
            }
            if !step.depends_on(other) || could == Could::No || self.would_be_unseen(step, place) {
                continue;
            }
            if kind == Kind::Source && self.is_before(place, certain) {
                continue;
            }
            races.push(place);
            if could == Could::Yes {
                certain.push(place);
            }
            let is_last = match kind {
                Kind::Source => other.is_barrier_on(cell),
                Kind::Classic => arrived.is_some_and(|a| place < a),
            };
            if is_last && could == Could::Yes {
                break;
            }
        }
    }

    /// The steps after the one at `place`.
    fn after(&self, place: StepId) -> &[Step] {
        &self.trace.steps.as_slice()[place.index() + 1..self.end.index()]
    }

    /// Whether the step at `place` happens before another one of these.
    fn is_before(&self, place: StepId, others: &[StepId]) -> bool {
        let steps = &self.trace.steps;
        let comes_after = |other: &StepId| steps[place].happens_before(&steps[*other].clock);
        others.iter().any(|o| *o != place && comes_after(o))
    }

    /// The last step on a cell.
    fn last_on(&self, cell: CellId) -> StepId {
        let mut last = self.trace.last_on(cell);
        while last.is_some() && last >= self.end {
            last = self.trace.steps[last].previous_on(cell);
        }
        last
    }

    /// Whether `step` could be done before the one at `place`, given whether it could be done after
    /// that.
    fn could(&self, step: &Step, place: StepId, after: Could) -> Could {
        match step.guard {
            // It has been waiting at all places that come into question.
            Guard::Barrier { .. }
            | Guard::Condition {
                signalled: false, ..
            } => self.nodes[place].enabled.contains(&step.thread).into(),
            guard => match guard.object() {
                Some(address) => match self.trace.steps[place].object(address) {
                    // What the object was like before this step is known, but not what it would
                    // have been like if others had come before.
                    Object::BeginsWith(_) if self.could_be_overtaken(place) => Could::Unclear,
                    Object::BeginsWith(words) => guard.holds_on(words).into(),
                    Object::Same => after,
                    Object::Unclear => Could::Unclear,
                },
                None => (!self.is_blocked_await(step, place)).into(),
            },
        }
    }

    /// Whether a later step changes a cell that the one at `place` changes, and could have done so
    /// before: threads that share a lock come and go in any order (`por_reader_gives_way.c`).
    fn could_be_overtaken(&self, place: StepId) -> bool {
        let steps = &self.trace.steps;
        let writes = |step: &Step, cell| step.access_to(cell).is_some_and(Access::writes);
        let mut changed = steps[place].effects.iter().filter(|e| e.access.writes());
        changed.any(|effect| {
            let mut at = self.last_on(effect.cell);
            while at.is_some() && at > place {
                let other = &steps[at];
                if writes(other, effect.cell) && !steps[place].happens_before(&other.clock) {
                    return true;
                }
                at = other.previous_on(effect.cell);
            }
            false
        })
    }

    /// Whether the step is known to wait at `place` (see `Await`).
    fn is_blocked_await(&self, step: &Step, place: StepId) -> bool {
        self.blocked_awaits
            .iter()
            .filter(|blocked_await| blocked_await.event == step.event())
            .any(|blocked_await| blocked_await.lasts(self.trace, place))
    }

    /// The initials of a source set: the threads that can begin an execution in which `step` comes
    /// before the one at `place`: of those steps that do not happen after that one, and of `step`
    /// itself, the threads whose first is preceded by none of them.
    pub fn initials(&self, step: &Step, place: StepId) -> Threads {
        let steps = &self.trace.steps;
        let reversed = &steps[place];
        let mut first: SmallVec<[u32; 8]> = SmallVec::from_elem(u32::MAX, self.trace.width());
        let mut initials = Threads::new();
        let is_first = |first: &[u32], thread: ThreadId, clock: &[u32]| {
            let mut others = first.iter().zip(clock).enumerate();
            others.all(|(t, (first, known))| t == thread.index() || known < first)
        };
        for other in self.after(place) {
            if reversed.happens_before(&other.clock) || first[other.thread.index()] != u32::MAX {
                continue;
            }
            if is_first(&first, other.thread, &other.clock) {
                initials.push(other.thread);
            }
            first[other.thread.index()] = other.index;
        }
        if first[step.thread.index()] == u32::MAX
            && is_first(&first, step.thread, &step.base)
            && !self.follows_another(step, place)
        {
            initials.push(step.thread);
        }
        initials
    }

    /// Whether a step after `place` that does not happen after the one there is one on which `step`
    /// depends.
    ///
    /// If the step that sees `step` comes after the one at `place` in any case, it will see that
    /// one instead: then `step` does not come after the steps that it replaces.
    fn follows_another(&self, step: &Step, place: StepId) -> bool {
        let steps = &self.trace.steps;
        if self.is_seen_instead(step, place) {
            return false;
        }
        step.effects.iter().any(|effect| {
            let mut at = self.last_on(effect.cell);
            while at.is_some() && at > place {
                let other = &steps[at];
                if step.depends_on(other) && !steps[place].happens_before(&other.clock) {
                    return true;
                }
                at = other.previous_on(effect.cell);
            }
            false
        })
    }

    /// Whether the step that sees `step` would see the one at `place` if the two changed places,
    /// since it comes after that one in any case.
    fn is_seen_instead(&self, step: &Step, place: StepId) -> bool {
        let other = &self.trace.steps[place];
        step.seen && other.effects == step.effects && other.happens_before(&step.seen_after)
    }

    /// Whether nothing new would come of `step` before the one at `place`: it must be seen and
    /// would not.
    fn would_be_unseen(&self, step: &Step, place: StepId) -> bool {
        step.must_be_observed
            && self.nodes[place].must_be_observed(step.thread)
            && self.is_seen_instead(step, place)
    }

    /// The threads of which one must be in the backtrack set at `place` in the classic algorithm:
    /// the step's own, or one with a step since then that happens before it.
    pub fn causes(&self, step: &Step, place: StepId) -> Threads {
        let since = self.after(place);
        let is_cause = |thread: ThreadId| {
            thread == step.thread
                || since
                    .iter()
                    .any(|s| s.thread == thread && s.happens_before(&step.base))
        };
        let enabled = &self.nodes[place].enabled;
        enabled.iter().copied().filter(|t| is_cause(*t)).collect()
    }
}

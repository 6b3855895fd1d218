//! The current execution as a partial order: its steps, each with the clock vector of what happens
//! before it.
//!
//! Happens-before is the smallest order that contains program order, creation and join of threads,
//! and the order of dependent steps (`dependence.rs`). The steps on each cell form a list: a step
//! names, for each cell that it touches, the previous one ([`Step::previous_on`]).
//!
//! With observers it grows: a step that sees what another wrote makes that one come after those
//! that it replaced ([`Trace::observe`]). When the step is taken out, that is taken back.

use std::ops::Range;

use base::IndexVec;
use machine::{Guard, Machine, Mark, Status, ThreadId, Touch};
use smallvec::{SmallVec, smallvec};

use crate::cells::CellId;
use crate::decision::Decision;
use crate::dependence::{Access, Effect, Effects};
use crate::replies::Others;
use crate::step::{EventId, StepId};
use crate::summaries::{PointId, Visible};

/// Step counts, one per thread: the threads' steps up to there.
pub type Clock = SmallVec<[u32; 8]>;

/// A visible operation and the local ones after it.
pub struct Step {
    pub thread: ThreadId,
    /// Among the steps of its thread, from 1.
    pub index: u32,
    /// What its thread waited for.
    pub guard: Guard,
    pub effects: Effects,
    /// It replaced its only cell, and a later step sees it.
    pub seen: bool,
    /// What happens before the first step that sees it without regard to what that touches.
    pub seen_after: Clock,
    /// An equivalent execution has been followed already, unless a later step sees what this one
    /// writes.
    pub must_be_observed: bool,
    pub touches: SmallVec<[Touch; 1]>,
    /// What happens before it without regard to what it touches.
    pub base: Clock,
    /// What happens before it, itself included.
    pub clock: Clock,
    /// For each effect, the step before it on the same cell.
    previous: SmallVec<[StepId; 1]>,
    /// Threads to which it gave a signal that they waited for.
    pub woken: SmallVec<[ThreadId; 1]>,
    /// What was decided after it was scheduled.
    pub decisions: Vec<Decision>,
    /// Questions to which there are other replies.
    pub asked: Vec<Asked>,
    /// A reply was chosen among several.
    pub chosen: bool,
    /// The execution ended in the middle of it, and went on without the thread concerned.
    pub ended: bool,
    /// Likewise of a step before it.
    after_end: bool,
    /// Visible operations in it, and before it.
    pub events: u32,
    pub events_before: u64,
    /// The thread's own time, counted in creations and joins, and what it knows of the times of
    /// the others, added up.
    time: u32,
    knowledge: u32,
    /// If its thread has come to the end of a pure round, and goes no further: how many steps the
    /// round had; otherwise 0.
    pub round: u32,
}

/// A question within a step, and the state in which it was asked.
pub struct Asked {
    pub mark: Mark,
    pub point: PointId,
    pub others: Others,
    /// How many decisions the step had before the reply.
    pub decisions: usize,
    /// Whether the execution had ended in the step before.
    pub ended: bool,
}

/// What is known of a synchronisation object at some place of the execution.
pub enum Object {
    BeginsWith([u32; 2]),
    /// As it was after that place.
    Same,
    Unclear,
}

impl Step {
    #[inline]
    pub fn event(&self) -> EventId {
        EventId {
            thread: self.thread,
            index: self.index,
        }
    }

    #[inline]
    pub fn happens_before(&self, clock: &[u32]) -> bool {
        self.event().is_in(clock)
    }

    pub fn accesses(&self) -> impl Iterator<Item = Visible> {
        self.effects.iter().map(|effect| Visible {
            thread: self.thread,
            effect: *effect,
            guard: self.guard,
        })
    }

    /// What it does to the cell, if it touches it.
    pub fn access_to(&self, cell: CellId) -> Option<Access> {
        let effect = self.effects.iter().find(|e| e.cell == cell)?;
        Some(effect.access)
    }

    /// The step before it on a cell that it touches.
    pub fn previous_on(&self, cell: CellId) -> StepId {
        let mut effects = self.effects.iter().zip(&self.previous);
        let (_, previous) = effects.find(|(e, _)| e.cell == cell).expect("its own cell");
        *previous
    }

    /// Whether it comes after the other step, which is earlier in the execution, because of what
    /// they touch.
    pub fn depends_on(&self, earlier: &Step) -> bool {
        self.effects.iter().any(|effect| {
            let other = earlier.access_to(effect.cell);
            other.is_some_and(|other| self.seen || !effect.access.commutes_with(other))
        })
    }

    /// Whether it comes after every earlier step on this cell, which it touches, and before every
    /// later one.
    pub fn is_barrier_on(&self, cell: CellId) -> bool {
        self.seen || self.access_to(cell) == Some(Access::Write)
    }

    /// The synchronisation object at an address, before this step.
    pub fn object(&self, address: u64) -> Object {
        // Of an atomic section the first operation on it counts.
        let touch = self
            .touches
            .iter()
            .find(|t| t.address <= address && address < t.address + t.bytes);
        match touch {
            None => Object::Same,
            Some(touch) if touch.address == address => {
                touch.words.map_or(Object::Unclear, Object::BeginsWith)
            }
            Some(_) => Object::Unclear,
        }
    }
}

pub struct Trace {
    pub steps: IndexVec<StepId, Step>,
    /// Threads in a clock.
    width: usize,
    /// The last step on each cell.
    last: IndexVec<CellId, StepId>,
    /// The steps of each thread.
    of_thread: IndexVec<ThreadId, Vec<StepId>>,
    observations: Vec<Observation>,
}

/// A step was seen by another.
struct Observation {
    step: StepId,
    by: StepId,
    /// Steps whose clocks have changed, with what they were: base and clock.
    before: Vec<(StepId, Clock, Clock)>,
}

impl Trace {
    pub fn new(threads: usize) -> Trace {
        let width = threads.max(1).next_multiple_of(4);
        Trace {
            steps: IndexVec::new(),
            width,
            last: IndexVec::new(),
            of_thread: (0..width).map(|_| Vec::new()).collect(),
            observations: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Where the next step will stand.
    #[inline]
    pub fn end(&self) -> StepId {
        // That ids are large enough is known since the last step was added.
        StepId(self.steps.len() as u32)
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether the execution ended in the middle of a step, and went on.
    pub fn has_ended(&self) -> bool {
        let last = self.steps.last();
        last.is_some_and(|step| step.ended || step.after_end)
    }

    pub fn last_on(&self, cell: CellId) -> StepId {
        self.last.get(cell).copied().unwrap_or(StepId::NONE)
    }

    /// Whether one of these steps writes the cell.
    pub fn is_written(&self, cell: CellId, places: Range<StepId>) -> bool {
        let mut at = self.last_on(cell);
        while at.is_some() && at >= places.start {
            let step = &self.steps[at];
            let writes = step.access_to(cell).is_some_and(Access::writes);
            if writes && places.contains(&at) {
                return true;
            }
            at = step.previous_on(cell);
        }
        false
    }

    /// For each thread that goes no further after a pure round, the steps of that round: at least
    /// one.
    pub fn last_rounds(&self) -> impl Iterator<Item = Vec<&Step>> {
        self.of_thread.iter().filter_map(|steps| {
            let last = &self.steps[*steps.last()?];
            let count = (last.round > 0).then_some(last.round as usize)?;
            let first = steps.len().saturating_sub(count);
            let round = steps[first..].iter().map(|id| &self.steps[*id]);
            Some(round.collect())
        })
    }

    /// Where the event is, if it is in the execution.
    pub fn find(&self, event: EventId) -> Option<StepId> {
        let number = (event.index as usize).checked_sub(1)?;
        self.of_thread[event.thread].get(number).copied()
    }

    /// The next step of a thread, of which nothing is known yet but what happens before.
    pub fn next_step(&self, machine: &Machine, thread: ThreadId) -> Step {
        let of_thread = &self.of_thread[thread];
        let mut step = Step {
            thread,
            index: of_thread.len() as u32 + 1,
            guard: Guard::Always,
            effects: Effects::new(),
            seen: false,
            seen_after: SmallVec::new(),
            must_be_observed: false,
            touches: SmallVec::new(),
            base: smallvec![0; self.width],
            clock: SmallVec::new(),
            previous: SmallVec::new(),
            woken: SmallVec::new(),
            decisions: Vec::new(),
            asked: Vec::new(),
            chosen: false,
            ended: false,
            after_end: false,
            events: 0,
            events_before: machine.visible_events(),
            time: 0,
            knowledge: 0,
            round: 0,
        };
        if let Status::Parked { guard, .. } = machine.status(thread) {
            step.guard = guard;
        }
        let last = of_thread.last().map(|id| &self.steps[*id]);
        if let Some(last) = last {
            step.base.clone_from(&last.clock);
        }
        if machine.is_woken(thread) {
            let wakes = |s: &&Step| s.woken.contains(&thread);
            let signal = self.steps.iter().rev().find(wakes);
            join(&mut step.base, &signal.expect("it was woken").clock);
        }
        let known = &machine.thread_state(thread).clock;
        step.time = known.get(thread.index()).copied().unwrap_or(0);
        step.knowledge = known.iter().sum::<u32>() - step.time;
        if last.is_some_and(|last| last.knowledge == step.knowledge) {
            return step;
        }
        for (other, &time) in known.iter().enumerate() {
            let other = ThreadId(other as u32);
            // What the other did before the creation or join that made it known.
            let steps = self.of_thread[other].iter().rev();
            let mut steps = steps.map(|id| &self.steps[*id]);
            if other != thread
                && let Some(last) = steps.find(|s| s.time <= time)
            {
                join(&mut step.base, &last.clock);
            }
        }
        step
    }

    /// What happens before an operation that has this effect after all steps.
    pub fn add_before(&self, clock: &mut Clock, effect: Effect) {
        let mut at = self.last_on(effect.cell);
        while at.is_some() {
            let other = &self.steps[at];
            let access = other.access_to(effect.cell);
            if access.is_some_and(|access| !effect.access.commutes_with(access)) {
                join(clock, &other.clock);
            }
            if other.is_barrier_on(effect.cell) {
                break;
            }
            at = other.previous_on(effect.cell);
        }
    }

    /// Adds a step at the end.
    pub fn push(&mut self, mut step: Step) {
        let id = self.end();
        step.after_end = self.has_ended();
        step.clock.clone_from(&step.base);
        step.clock[step.thread.index()] = step.index;
        self.of_thread[step.thread].push(id);
        step.previous.clear();
        for k in 0..step.effects.len() {
            let cell = step.effects[k].cell;
            self.last.reach(cell, StepId::NONE);
            let previous = std::mem::replace(&mut self.last[cell], id);
            step.previous.push(previous);
            let mut before = previous;
            while before.is_some() {
                let other = &self.steps[before];
                if step.depends_on(other) {
                    join(&mut step.clock, &other.clock);
                }
                if other.is_barrier_on(cell) {
                    break;
                }
                before = other.previous_on(cell);
            }
        }
        self.steps.push(step);
    }

    /// Takes the last step out.
    pub fn pop(&mut self) -> Option<Step> {
        let last = self.end().0.checked_sub(1)?;
        self.forget_observations(StepId(last));
        let step = self.steps.pop()?;
        self.of_thread[step.thread].pop();
        for (effect, previous) in step.effects.iter().zip(&step.previous) {
            self.last[effect.cell] = *previous;
        }
        Some(step)
    }

    /// A step about to be added sees what the last steps on its cells wrote. From now on these
    /// happen after the steps that they replaced, and so does all that happens after them. Returns
    /// the first of those that are seen, if happens-before has grown.
    pub fn observe(&mut self, step: &mut Step) -> Option<StepId> {
        let places = (0..step.effects.len()).filter_map(|k| self.observe_cell(step, k));
        places.min()
    }

    fn observe_cell(&mut self, step: &mut Step, effect: usize) -> Option<StepId> {
        let Effect { cell, access: own } = step.effects[effect];
        let place = self.last_on(cell);
        let seen = self.steps.get(place)?;
        let access = seen.access_to(cell)?;
        if !access.replaces() || seen.seen || access == own {
            return None;
        }
        let mut clock = seen.clock.clone();
        let mut at = seen.previous_on(cell);
        while at.is_some() && self.steps[at].access_to(cell) == Some(access) {
            join(&mut clock, &self.steps[at].clock);
            at = self.steps[at].previous_on(cell);
        }
        let grew = clock != seen.clock;
        let event = seen.event();
        let mut before = Vec::new();
        let by = self.end();
        self.steps[place].seen = true;
        self.steps[place].seen_after = step.base.clone();
        if grew {
            let later = &mut self.steps.as_mut_slice()[place.index()..];
            let later = (place.0..).map(StepId).zip(later);
            for (id, other) in later.chain([(by, step)]) {
                // The step that sees it has no clock yet.
                let (after_base, after) = [&other.base, &other.clock]
                    .map(|known| known.get(event.thread.index()))
                    .map(|known| known.is_some_and(|count| *count >= event.index))
                    .into();
                if after_base || after {
                    before.push((id, other.base.clone(), other.clock.clone()));
                }
                if after_base {
                    join(&mut other.base, &clock);
                }
                if after {
                    join(&mut other.clock, &clock);
                }
            }
        }
        self.observations.push(Observation {
            step: place,
            by,
            before,
        });
        grew.then_some(place)
    }

    /// Takes back what was seen by the step at `place`, which may not be part of the execution yet,
    /// and by later ones.
    pub fn forget_observations(&mut self, place: StepId) {
        while let Some(last) = self.observations.pop_if(|o| o.by >= place) {
            self.steps[last.step].seen = false;
            for (id, base, clock) in last.before {
                if let Some(step) = self.steps.get_mut(id) {
                    (step.base, step.clock) = (base, clock);
                }
            }
        }
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

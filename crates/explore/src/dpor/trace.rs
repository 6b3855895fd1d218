//! The current execution as a partial order: its steps, each with the clock vector of what happens
//! before it.
//!
//! Happens-before is the smallest order that contains program order, creation and join of threads,
//! and the order of dependent steps (`dependence.rs`). A step is in a list of its own for each cell
//! it touches.
//!
//! With observers it grows: a step that sees what another left behind makes that one come after
//! those it replaced ([`Trace::observe`]). Taking the step out takes that back.

use std::ops::Range;

use machine::{Guard, Machine, Mark, Status, ThreadId, Touch};
use smallvec::{SmallVec, smallvec};

use crate::decision::Decision;
use crate::dependence::{Access, Effect, Effects};
use crate::replies::Others;
use crate::summaries::Visible;

pub const NONE: u32 = u32::MAX;

/// Step counts, one per thread: the threads' steps up to there.
pub type Clock = SmallVec<[u32; 8]>;

/// A visible operation and the local ones after it.
pub struct Step {
    pub thread: u32,
    /// Among the steps of its thread, from 1.
    pub index: u32,
    /// What its thread waited for.
    pub guard: Guard,
    pub effects: Effects,
    /// It replaced its only cell, and a later step sees it.
    pub seen: bool,
    /// What happens before the first step that sees it without regard to what that touches.
    pub seen_after: Clock,
    /// An execution in which nobody sees it has been followed already, but for the order of what it
    /// replaces.
    pub must_be_observed: bool,
    pub touches: SmallVec<[Touch; 1]>,
    /// What happens before it without regard to what it touches.
    pub base: Clock,
    /// What happens before it, itself included.
    pub clock: Clock,
    /// For each effect, the step before it on the same cell.
    previous: SmallVec<[u32; 1]>,
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
    /// The thread's own time, counted in creations and joins, and what it knows of the others'.
    time: u32,
    knowledge: u32,
    /// Its thread has come to the end of a pure round with so many events, and goes no further.
    pub round: u32,
}

/// A question within a step, and the state in which it was asked.
pub struct Asked {
    pub mark: Mark,
    /// See `Summaries`.
    pub point: usize,
    pub others: Others,
    /// Of the step, before the reply.
    pub decisions: usize,
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
    pub fn happens_before(&self, clock: &[u32]) -> bool {
        clock[self.thread as usize] >= self.index
    }

    pub fn accesses(&self) -> impl Iterator<Item = Visible> {
        self.effects.iter().map(|effect| Visible {
            thread: self.thread,
            effect: *effect,
            guard: self.guard,
        })
    }

    /// What it does to the cell, if it touches it.
    pub fn access_to(&self, cell: u32) -> Option<Access> {
        let effect = self.effects.iter().find(|e| e.cell == cell)?;
        Some(effect.access)
    }

    /// The step before it on a cell that it touches.
    pub fn previous_on(&self, cell: u32) -> u32 {
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

    /// Whether it comes after every step before it on this cell of its own, and before every later
    /// one.
    pub fn is_barrier_on(&self, cell: u32) -> bool {
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
    pub steps: Vec<Step>,
    /// Threads in a clock.
    width: usize,
    /// The last step on each cell.
    last: Vec<u32>,
    of_thread: Vec<Vec<u32>>,
    observations: Vec<Observation>,
}

/// A step was seen.
struct Observation {
    step: u32,
    /// By the step at this place.
    by: u32,
    /// Steps whose clocks have changed, and these before: base and clock.
    before: Vec<(u32, Clock, Clock)>,
}

impl Trace {
    pub fn new(threads: usize) -> Trace {
        let width = threads.max(1).next_multiple_of(4);
        Trace {
            steps: Vec::new(),
            width,
            last: Vec::new(),
            of_thread: vec![Vec::new(); width],
            observations: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether the execution ended in the middle of a step, and went on.
    pub fn has_ended(&self) -> bool {
        let last = self.steps.last();
        last.is_some_and(|step| step.ended || step.after_end)
    }

    pub fn last_on(&self, cell: u32) -> u32 {
        self.last.get(cell as usize).copied().unwrap_or(NONE)
    }

    /// Whether one of these steps writes the cell.
    pub fn is_written(&self, cell: u32, places: Range<usize>) -> bool {
        let mut i = self.last_on(cell);
        while i != NONE && i as usize >= places.start {
            let step = &self.steps[i as usize];
            let writes = step.access_to(cell).is_some_and(Access::writes);
            if writes && places.contains(&(i as usize)) {
                return true;
            }
            i = step.previous_on(cell);
        }
        false
    }

    /// The steps of the rounds at whose end threads go no further, of which there is one at least
    /// each.
    pub fn last_rounds(&self) -> impl Iterator<Item = Vec<&Step>> {
        self.of_thread.iter().filter_map(|steps| {
            let last = &self.steps[*steps.last()? as usize];
            let count = (last.round > 0).then_some(last.round as usize)?;
            let first = steps.len().saturating_sub(count);
            let round = steps[first..].iter().map(|i| &self.steps[*i as usize]);
            Some(round.collect())
        })
    }

    /// Where the thread's `index`-th step is.
    pub fn find(&self, thread: u32, index: u32) -> Option<usize> {
        let place = (index as usize).checked_sub(1)?;
        let steps = &self.of_thread[thread as usize];
        steps.get(place).map(|i| *i as usize)
    }

    /// The next step of a thread, of which nothing is known yet but what happens before.
    pub fn next_step(&self, machine: &Machine, thread: u32) -> Step {
        let of_thread = &self.of_thread[thread as usize];
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
        if let Status::Parked { guard, .. } = machine.status(ThreadId(thread)) {
            step.guard = guard;
        }
        let last = of_thread.last().map(|i| &self.steps[*i as usize]);
        if let Some(last) = last {
            step.base.clone_from(&last.clock);
        }
        if machine.is_woken(ThreadId(thread)) {
            let wakes = |s: &&Step| s.woken.contains(&ThreadId(thread));
            let signal = self.steps.iter().rev().find(wakes);
            join(&mut step.base, &signal.expect("it was woken").clock);
        }
        let known = &machine.thread_state(ThreadId(thread)).clock;
        step.time = known.get(thread as usize).copied().unwrap_or(0);
        step.knowledge = known.iter().sum::<u32>() - step.time;
        if last.is_some_and(|last| last.knowledge == step.knowledge) {
            return step;
        }
        for (other, &time) in known.iter().enumerate() {
            // What the other did before the creation or join that made it known.
            let mut steps = self.of_thread[other].iter().rev();
            if other != thread as usize
                && let Some(&last) = steps.find(|i| self.steps[**i as usize].time <= time)
            {
                join(&mut step.base, &self.steps[last as usize].clock);
            }
        }
        step
    }

    /// What happens before an operation that has this effect after all steps.
    pub fn add_before(&self, clock: &mut Clock, effect: Effect) {
        let mut i = self.last_on(effect.cell);
        while i != NONE {
            let other = &self.steps[i as usize];
            let access = other.access_to(effect.cell);
            if access.is_some_and(|access| !effect.access.commutes_with(access)) {
                join(clock, &other.clock);
            }
            if other.is_barrier_on(effect.cell) {
                break;
            }
            i = other.previous_on(effect.cell);
        }
    }

    /// Adds a step at the end.
    pub fn push(&mut self, mut step: Step) {
        let i = self.steps.len() as u32;
        step.after_end = self.has_ended();
        step.clock.clone_from(&step.base);
        step.clock[step.thread as usize] = step.index;
        self.of_thread[step.thread as usize].push(i);
        step.previous.clear();
        for k in 0..step.effects.len() {
            let cell = step.effects[k].cell;
            if self.last.len() <= cell as usize {
                self.last.resize(cell as usize + 1, NONE);
            }
            let previous = std::mem::replace(&mut self.last[cell as usize], i);
            step.previous.push(previous);
            let mut before = previous;
            while before != NONE {
                let other = &self.steps[before as usize];
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
        let last = self.steps.len().checked_sub(1)?;
        self.forget_observations(last);
        let step = self.steps.pop()?;
        self.of_thread[step.thread as usize].pop();
        for (effect, previous) in step.effects.iter().zip(&step.previous) {
            self.last[effect.cell as usize] = *previous;
        }
        Some(step)
    }

    /// A step about to be added sees what the last ones on its cells left there: these come after
    /// those which they replaced, hence so does all that comes after them. Returns the first place
    /// of such a one.
    pub fn observe(&mut self, step: &mut Step) -> Option<usize> {
        let places = (0..step.effects.len()).filter_map(|k| self.observe_cell(step, k));
        places.min()
    }

    fn observe_cell(&mut self, step: &mut Step, effect: usize) -> Option<usize> {
        let Effect { cell, access: own } = step.effects[effect];
        let place = self.last_on(cell);
        let seen = self.steps.get(place as usize)?;
        let access = seen.access_to(cell)?;
        if !access.replaces() || seen.seen || access == own {
            return None;
        }
        let mut clock = seen.clock.clone();
        let mut i = seen.previous_on(cell);
        while i != NONE && self.steps[i as usize].access_to(cell) == Some(access) {
            join(&mut clock, &self.steps[i as usize].clock);
            i = self.steps[i as usize].previous_on(cell);
        }
        let grew = clock != seen.clock;
        let (thread, index) = (seen.thread as usize, seen.index);
        let mut before = Vec::new();
        let by = self.steps.len() as u32;
        self.steps[place as usize].seen = true;
        self.steps[place as usize].seen_after = step.base.clone();
        if grew {
            let later = (place..).zip(&mut self.steps[place as usize..]);
            for (i, other) in later.chain([(by, step)]) {
                let (after_base, after) = [&other.base, &other.clock]
                    .map(|known| known.get(thread).is_some_and(|k| *k >= index))
                    .into();
                if after_base || after {
                    before.push((i, other.base.clone(), other.clock.clone()));
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
        grew.then_some(place as usize)
    }

    /// Takes back what was seen by the step at `place`, which may not be part of the execution yet,
    /// and by later ones.
    pub fn forget_observations(&mut self, place: usize) {
        while let Some(last) = self.observations.pop_if(|o| o.by as usize >= place) {
            self.steps[last.step as usize].seen = false;
            for (i, base, clock) in last.before {
                if let Some(step) = self.steps.get_mut(i as usize) {
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

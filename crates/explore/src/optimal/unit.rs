//! The search as data: what is left to do, cut into units that can be done apart, stored, and
//! shipped.
//!
//! What the search does after an execution follows from the sequence and from the alternatives that
//! are open. The tree is walked in post-order, so the executions still to come form one interval of
//! it, and every open step cuts that interval in two: what is done before its current alternative
//! is left (the *head*), and what comes after (the *tail*: its other alternatives, and those of the
//! steps below it, which are found when they are left). A [`WorkUnit`] is such an interval, with at
//! most one open step: the sequence to begin from, the alternatives there, and the *floor*, the
//! first step whose alternatives belong to it. Its worker executes the sequence once and goes back
//! from there.
//!
//! Invariant: the units of a search, done in their order by one worker or by several, give the
//! executions, counts and faults of the whole (`crates/verify/tests/differential.rs`). For this to
//! hold, the search comes back to an open step with the state in which it opened the step; and
//! where two cells of one worker are a single cell of another, all start over with what both know.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use machine::{Recorded, ThreadId};
use serde::{Deserialize, Serialize};

use ir::debug::LocId;

use super::sequence::{Bytes, InsertionOrder, Origin, Saved, Sequence, Step};
use super::track::ExecutedId;
use super::waiting::Await;
use super::{Attempt, Direction, Executed, Open, OpenId, Rest, Revisit, Search, Todo};
use crate::cells::CellId;
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::outcome::{Frontier, Outcome};
use crate::replies::{Others, Replies, Reply};
use crate::step::StepId;

/// A part of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Part {
    /// What was found in it.
    Done(Box<Outcome>),
    Left(Box<WorkUnit>),
}

impl Frontier {
    /// Nothing is known and nothing is done.
    pub fn whole() -> Frontier {
        Frontier::after(SearchFacts::default())
    }

    /// Nothing is done.
    pub fn after(facts: SearchFacts) -> Frontier {
        Frontier {
            facts,
            parts: vec![Part::Left(Box::new(WorkUnit::whole()))],
            is_part: false,
        }
    }

    pub fn units(&self) -> impl Iterator<Item = &WorkUnit> {
        self.parts.iter().filter_map(|part| match part {
            Part::Left(unit) => Some(&**unit),
            Part::Done(_) => None,
        })
    }

    /// What was found in the parts that are done.
    pub fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for part in &self.parts {
            if let Part::Done(done) = part {
                outcome.append((**done).clone());
            }
        }
        outcome
    }

    /// What is left, in parts that can be searched apart from each other, in the order in which one
    /// worker does it.
    pub fn split(self) -> Vec<Frontier> {
        let left = self.parts.into_iter();
        left.filter(|part| matches!(part, Part::Left(_)))
            .map(|part| Frontier {
                facts: self.facts.clone(),
                parts: vec![part],
                is_part: true,
            })
            .collect()
    }

    /// What a file may get wrong and the search takes for granted. The rest shows when the steps
    /// are executed.
    pub fn validate(&self) -> Result<(), Error> {
        self.facts.validate()?;
        let mut units = self.units();
        units.try_for_each(|unit| unit.validate(self.facts.threads.len()))
    }

    /// Nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.units().next().is_none()
    }
}

/// Work that can be done apart from the rest of the search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkUnit {
    /// Empty: the search begins.
    steps: Vec<Placed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Alternatives>,
    /// The alternatives of steps before this one belong to other units.
    floor: StepId,
    attempts: Vec<Attempt>,
    next_insertion_order: InsertionOrder,
    blocked_awaits: Vec<SavedAwait>,
    /// Other places and replies that are known to be left.
    ways: usize,
}

/// A step, by what must be told to do it again. The rest follows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Placed {
    pub(super) thread: ThreadId,
    pub(super) insertion_order: InsertionOrder,
    origin: Origin,
    #[serde(default, skip_serializing_if = "Replies::is_empty")]
    pub(super) replies: Replies,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    waits: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rest: Option<Box<Rest>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Alternatives {
    revisits: Vec<Revisit>,
    /// How many revisits there were at first.
    count: usize,
    step: Option<Placed>,
    /// A range of the step's cell.
    cell: Option<(u64, u64)>,
    /// What it touched, if that was plain data.
    bytes: Option<Bytes>,
}

/// An [`Await`], with a range of each cell in place of its id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedAwait {
    thread: ThreadId,
    cells: Vec<(u64, u64)>,
    since: StepId,
    is_partial: bool,
    loc: LocId,
    recorded: Vec<Recorded>,
}

impl WorkUnit {
    /// The whole search.
    pub fn whole() -> WorkUnit {
        WorkUnit {
            steps: Vec::new(),
            open: None,
            floor: StepId::FIRST,
            attempts: Vec::new(),
            next_insertion_order: InsertionOrder::FIRST.next(),
            blocked_awaits: Vec::new(),
            ways: 1,
        }
    }

    fn validate(&self, threads: usize) -> Result<(), Error> {
        let end = StepId::from(self.steps.len());
        let mut all = self.steps.iter().map(|s| s.thread);
        let step = self.open.iter().filter_map(|open| open.step.as_ref());
        let mut others = step
            .map(|s| s.thread)
            .chain(
                self.attempts
                    .iter()
                    .flat_map(|a| [a.thread, a.after.thread]),
            )
            .chain(
                self.blocked_awaits
                    .iter()
                    .map(|blocked_await| blocked_await.thread),
            );
        let is_known = |thread: ThreadId| thread.index() < threads;
        let are_known = all.all(is_known) && others.all(is_known);
        if !are_known && !self.steps.is_empty() {
            return Err(Error::UnknownThread);
        }
        let revisits = self.open.iter().flat_map(|open| &open.revisits);
        let mut places = revisits.map(|revisit| match &revisit.direction {
            _ if !is_known(revisit.thread) => false,
            Direction::Forward(write) => *write < end,
            Direction::Backward {
                target,
                porf_prefix,
            } => *target < end && porf_prefix.len() >= threads,
            Direction::Insist => true,
        });
        let has_index = |a: &Attempt| a.index > 0 && a.after.index > 0;
        let is_numbered = self.attempts.iter().all(has_index);
        let bytes = self.open.iter().filter_map(|open| open.bytes);
        let are_words = bytes.into_iter().all(|bytes| bytes.count.get() <= 8);
        if !places.all(|fits| fits) || self.floor > end || !is_numbered || !are_words {
            return Err(Error::ImpossiblePlace);
        }
        Ok(())
    }

    /// How many subtrees are known to be left in it. With none, there may still be some where a
    /// step waits.
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// Which thread goes on at each step of the sequence that it begins from.
    pub fn prefix(&self) -> impl Iterator<Item = ThreadId> {
        self.steps.iter().map(|step| step.thread)
    }
}

impl Placed {
    pub(super) fn of(step: &Step) -> Placed {
        Placed {
            thread: step.thread,
            insertion_order: step.insertion_order,
            origin: step.origin,
            replies: step.replies.portable(),
            waits: step.waits,
            rest: step.rest.as_ref().map(|rest| {
                let mut rest = rest.clone();
                for (_, _, replies) in &mut rest.steps {
                    *replies = replies.portable();
                }
                rest
            }),
        }
    }
}

/// A level of the search: the sequence at an open step, or at the end.
struct Level<'s> {
    steps: Vec<(&'s Step, &'s [u32])>,
    blocked_awaits: Vec<&'s Await>,
}

impl Search<'_> {
    // ----- taking a unit up -----

    /// Puts a unit in place of what there was. `run` goes on from there.
    pub(super) fn load(&mut self, unit: WorkUnit) -> Result<Executed, Error> {
        while self.sequence.len() > 0 {
            self.sequence.pop();
        }
        self.blocked_awaits.clear();
        self.open.clear();
        self.refused = None;
        if self.track.len() > 0 {
            self.rewind_to(ExecutedId::FIRST);
        }
        self.track.clear();
        self.attempts = unit.attempts;
        self.next_insertion_order = unit.next_insertion_order;
        self.floor = unit.floor;
        self.is_later_part = !unit.steps.is_empty();
        self.turned = StepId::FIRST;
        if unit.steps.is_empty() {
            // What the program does before its first event is a step, too.
            let todo = Todo::fresh(ThreadId::MAIN, InsertionOrder::FIRST);
            return Ok(self.execute(None, todo, None));
        }
        let events = self.walk.machine.total_events;
        let executed = self.place_again(unit.steps, unit.blocked_awaits);
        self.walk.repeated += self.walk.machine.total_events - events;
        match executed {
            Executed::Done => {}
            Executed::Finished(_) => return Ok(executed),
            _ => return Err(Error::OtherProgram),
        }
        let base = self.sequence.end();
        let width = self.sequence.width();
        if let Some(mut alternatives) = unit.open {
            for revisit in &mut alternatives.revisits {
                revisit.widen(width);
            }
            let step = alternatives.step.map(|placed| {
                let mut step = Step::new(placed.thread, placed.insertion_order, placed.origin);
                step.replies = placed.replies;
                step.waits = placed.waits;
                step.rest = placed.rest;
                step.bytes = alternatives.bytes;
                step.cell = alternatives.cell.map_or(CellId::NONE, |(address, bytes)| {
                    self.cells.at(address, bytes)
                });
                step
            });
            self.open.push(Open {
                base,
                saved: Saved::default(),
                blocked_awaits: Vec::new(),
                attempts: self.attempts.clone(),
                next_insertion_order: self.next_insertion_order,
                revisits: alternatives.revisits,
                count: alternatives.count,
                step,
                rest: Vec::new(),
                revisited: None,
            });
        }
        // As after an execution: go back.
        Ok(Executed::Infeasible)
    }

    pub(super) fn place_again(
        &mut self,
        steps: Vec<Placed>,
        saved_awaits: Vec<SavedAwait>,
    ) -> Executed {
        let mut saved_awaits = saved_awaits.into_iter().peekable();
        for placed in steps {
            let is_first = self.sequence.len() == 0;
            if !is_first && !self.can_be_scheduled(placed.thread) {
                return Executed::Refused;
            }
            let todo = Todo {
                origin: Origin::Kept,
                replies: placed.replies,
                ..Todo::fresh(placed.thread, placed.insertion_order)
            };
            let thread = (!is_first).then_some(placed.thread);
            let executed = self.execute_once(thread, todo, None);
            if executed != Executed::Done {
                return executed;
            }
            let step = self.sequence.steps.last_mut().expect("the step");
            step.origin = placed.origin;
            step.waits = placed.waits;
            step.rest = placed.rest;
            let end = self.sequence.end();
            while let Some(saved) = saved_awaits.next_if(|saved| saved.since <= end) {
                let cells = saved.cells.iter();
                let cells = cells.map(|(address, bytes)| self.cells.at(*address, *bytes));
                self.blocked_awaits.push(Await {
                    thread: saved.thread,
                    cells: cells.collect(),
                    since: saved.since,
                    is_partial: saved.is_partial,
                    loc: saved.loc,
                    recorded: saved.recorded,
                });
            }
        }
        for blocked_await in &self.blocked_awaits {
            self.walk.machine.record_again(&blocked_await.recorded);
        }
        Executed::Done
    }

    fn can_be_scheduled(&self, thread: ThreadId) -> bool {
        let mut enabled = self.walk.machine.enabled().iter();
        enabled.any(|e| e.thread == thread && !e.spurious)
    }

    // ----- cutting -----

    /// Gives the tail away: all that comes after the current alternative of the lowest open step,
    /// or, if there is none, of the lowest step with other replies. `None`: that would be
    /// everything, or nothing.
    pub(super) fn cut_unit(&mut self) -> Option<WorkUnit> {
        let Some(lowest) = self.open.get(OpenId::LOWEST) else {
            return self.cut_replies();
        };
        if self.open.len() == 1 && self.sequence.end() == lowest.base {
            return None;
        }
        let unit = self.unit(OpenId::LOWEST, self.floor);
        let lowest = self.open.remove(OpenId::LOWEST);
        self.floor = lowest.base;
        Some(unit)
    }

    fn cut_replies(&mut self) -> Option<WorkUnit> {
        let steps = self.sequence.steps.as_slice();
        let has_others = |s: &Step| {
            s.origin != Origin::Kept && s.replies.0.iter().any(|r| r.others != Others::None)
        };
        let floor = self.floor.index();
        let lowest = (floor..steps.len()).find(|i| has_others(&steps[*i]))?;
        let n = lowest + 1;
        let end = StepId::from(n);
        let later = steps[n..].iter().find(|s| s.origin == Origin::Fresh);
        let unit = WorkUnit {
            steps: steps[..n].iter().map(Placed::of).collect(),
            open: None,
            floor: self.floor,
            attempts: self.attempts.clone(),
            next_insertion_order: later.map_or(self.next_insertion_order, |s| s.insertion_order),
            blocked_awaits: self.saved_awaits(
                self.blocked_awaits
                    .iter()
                    .filter(|blocked_await| blocked_await.since <= end),
            ),
            ways: steps[floor..n].iter().map(other_replies).sum(),
        };
        self.floor = end;
        Some(unit)
    }

    /// Everything that is left, in the order in which it would be done.
    pub(super) fn units(&mut self) -> Vec<WorkUnit> {
        let mut units = Vec::new();
        let mut floor = self.floor;
        for id in self.open.ids() {
            units.push(self.unit(id, floor));
            floor = self.open[id].base;
        }
        if self.is_above_all_open() {
            units.push(self.unit(self.open.next_id(), floor));
        }
        units.reverse();
        units
    }

    /// There are steps above the last open step.
    fn is_above_all_open(&self) -> bool {
        let base = self.open.last().map_or(self.floor, |open| open.base);
        self.sequence.end() > base
    }

    /// The sequence at an open step; after the last of them, the one that there is.
    fn level(&self, at: OpenId) -> Level<'_> {
        let sequence = &self.sequence;
        let steps = sequence.steps.enumerate();
        let mut level = Level {
            steps: steps.map(|(id, step)| (step, sequence.base(id))).collect(),
            blocked_awaits: self.blocked_awaits.iter().collect(),
        };
        for open in self.open.as_slice()[at.index()..].iter().rev() {
            level.steps.truncate(open.base.index());
            let saved = open.saved.steps.enumerate();
            level
                .steps
                .extend(saved.map(|(id, step)| (step, sequence.saved_base(&open.saved, id))));
            level
                .blocked_awaits
                .retain(|blocked_await| blocked_await.since <= open.base);
            level.blocked_awaits.extend(&open.blocked_awaits);
        }
        level
    }

    /// What comes after the current alternative of an open step; after the last of them, of the
    /// last step.
    fn unit(&mut self, at: OpenId, floor: StepId) -> WorkUnit {
        let lower = self.other_ways(at, floor);
        let level = self.level(at);
        let open = self.open.get(at);
        WorkUnit {
            steps: level
                .steps
                .iter()
                .map(|(step, _)| Placed::of(step))
                .collect(),
            open: open.map(|open| Alternatives {
                revisits: open.revisits.clone(),
                count: open.count,
                cell: open
                    .step
                    .as_ref()
                    .and_then(|s| self.cells.some_range(s.cell)),
                bytes: open.step.as_ref().and_then(|s| s.bytes),
                step: open.step.as_ref().map(Placed::of),
            }),
            floor,
            attempts: open.map_or(&self.attempts, |open| &open.attempts).clone(),
            next_insertion_order: open
                .map_or(self.next_insertion_order, |open| open.next_insertion_order),
            blocked_awaits: self.saved_awaits(level.blocked_awaits.iter().copied()),
            ways: lower
                + open.map_or(0, |open| {
                    open.revisits.len() + open.step.as_ref().map_or(0, other_replies)
                }),
        }
    }

    fn saved_awaits<'n>(&self, blocked_awaits: impl Iterator<Item = &'n Await>) -> Vec<SavedAwait> {
        blocked_awaits
            .map(|blocked_await| SavedAwait {
                thread: blocked_await.thread,
                cells: blocked_await
                    .cells
                    .iter()
                    .filter_map(|cell| self.cells.some_range(*cell))
                    .collect(),
                since: blocked_await.since,
                is_partial: blocked_await.is_partial,
                loc: blocked_await.loc,
                recorded: blocked_await.recorded.clone(),
            })
            .collect()
    }

    /// The other places and replies of the steps below an open one, down to the floor.
    fn other_ways(&mut self, at: OpenId, floor: StepId) -> usize {
        let mut sequence = Sequence::new(self.sequence.width());
        for (step, base) in self.level(at).steps {
            sequence.push(step.clone(), base);
        }
        let open = self.open.get(at);
        let mut attempts = open.map_or(&self.attempts, |open| &open.attempts).clone();
        std::mem::swap(&mut self.sequence, &mut sequence);
        std::mem::swap(&mut self.attempts, &mut attempts);
        let mut ways = 0;
        // The units of a search that is interrupted are not used.
        let interrupt = Arc::clone(&self.walk.options.interrupt);
        while self.sequence.end() > floor && !interrupt.load(Ordering::Relaxed) {
            let last = self.sequence.last();
            let step = &self.sequence.steps[last];
            ways += other_replies(step);
            if step.origin == Origin::Fresh && step.replies.all_first() {
                ways += self.revisits(step, self.sequence.base(last), last).len();
            }
            self.sequence.pop();
        }
        std::mem::swap(&mut self.sequence, &mut sequence);
        std::mem::swap(&mut self.attempts, &mut attempts);
        ways
    }
}

/// How many replies of a step leave others to try.
fn other_replies(step: &Step) -> usize {
    if step.origin == Origin::Kept {
        return 0;
    }
    let has_others = |reply: &&Reply| reply.others != Others::None;
    step.replies.0.iter().filter(has_others).count()
}

impl Revisit {
    /// Makes room for threads that were not known where it was made.
    fn widen(&mut self, width: usize) {
        if let Direction::Backward { porf_prefix, .. } = &mut self.direction {
            porf_prefix.resize(width, 0);
        }
    }
}

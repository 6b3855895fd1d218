//! One execution per Mazurkiewicz trace, none blocked, in space polynomial in the length of an execution.
//!
//! The method is that of TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL'22), carried over from execution graphs
//! to sequences that the machine executes and takes back. The search holds a sequence and extends it by the first thread that
//! can go on; the new step comes after all others. What else it could have done is tried when everything below has been:
//!
//! - A step that only reads can stand before a write that is already there. Nobody else notices, so all other steps stay.
//! - A step that writes can stand before a step that is already there and depends on it. That one is *revisited*: it is done
//!   anew after the write, and what was added since and is not needed by the write is taken out. The sequence without those
//!   steps could come from many; it is explored from one of them alone, the one in which every step taken out stands where it
//!   would have been put had the needed ones been there all along (`Search::can_revisit`). This replaces sleep sets.
//! - A step that cannot be done (a taken lock) waits. If it was revisited, it leaves an *attempt*: it must come after the step
//!   that revisited it. A step that can be done to no end is tried at earlier places when nothing else is left.
//!
//! Memory: the sequence, and for every revisit in progress the steps that it replaced.
//! Writes are treated as read-modify-writes: two writes of one cell are dependent.

mod sequence;

use std::sync::Arc;

use machine::{
    Answer, Cutoff, Enabled, End, Guard, Machine, Program, Property, Situation, Status, ThreadId,
};

use self::sequence::{Counts, NONE, Origin, Removed, Sequence, Step};
use crate::cells::{Cells, NO_CELL};
use crate::decision::Decision;
use crate::outcome::{Monitor, Outcome};
use crate::replies::{Others, Replies};
use crate::walk::{Known, Options, Seen, Walk};

/// So often a thread that spins goes on if the others have nothing to do with it: its loop may just be long.
const PATIENT_SPINS: u32 = 6;

pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, String> {
    let mut known = Known::default();
    let mut cells = Cells::default();
    let mut observes_joins = false;
    loop {
        cells.merged = false;
        let mut walk = Walk::start(program, options, monitor, &known)?;
        walk.machine.observed = true;
        walk.machine.observes_joins = observes_joins;
        walk.machine.start()?;
        let mut search = Search {
            walk,
            cells: &mut cells,
            sequence: Sequence::new(known.threads()),
            reached: 0,
            open: Vec::new(),
            attempts: Vec::new(),
            next_stamp: 1,
            end: None,
            aftermath: None,
            naps: Vec::new(),
            observes_joins,
        };
        let finished = search.run();
        observes_joins = search.observes_joins;
        if finished == Finished::Done {
            return Ok(search.walk.finish());
        }
        known.learn(&search.walk.machine);
        search.walk.monitor.restart();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finished {
    Done,
    /// What was explored is void: more is shared, cells are coarser, or local steps need events of their own.
    StartOver,
}

/// A revisited step that could not be done: it waits, and must come after the step that revisited it.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    thread: u32,
    index: u32,
    stamp: u32,
    /// Thread and index.
    after: (u32, u32),
}

/// Alternatives of a step that was taken out, in the course of being explored.
struct Open {
    /// The sequence has been replaced from here on.
    base: usize,
    /// What stood there.
    saved: Vec<Removed>,
    attempts: Vec<Attempt>,
    next_stamp: u32,
    plans: Vec<Plan>,
    /// The step itself; `None`: threads that could not go on at the end of an execution.
    step: Option<Removed>,
}

/// Another place for a step.
struct Plan {
    thread: u32,
    stamp: u32,
    place: Place,
}

enum Place {
    /// Before this write and all that depends on it.
    Before(usize),
    /// Instead of this step, which follows it, and of all that was added since and is not needed.
    Revisit { target: usize, needs: Counts },
}

/// A step to be executed.
#[derive(Clone)]
struct Todo {
    thread: u32,
    stamp: u32,
    origin: Origin,
    replies: Replies,
}

/// What comes after a step in its new place.
#[derive(Clone)]
pub struct Rest {
    todos: Vec<Todo>,
    /// Thread, index and stamp of the step that is to follow it.
    revisited: Option<(u32, u32, u32)>,
}

/// A thread whose next operation came to nothing: it is not tried again before something is written where it looked.
struct Nap {
    thread: u32,
    cell: u32,
    /// Steps there were.
    since: usize,
}

/// How executing a step went.
#[derive(Debug, PartialEq, Eq)]
enum Executed {
    Done,
    /// It cannot be done here.
    Refused,
    /// The path condition does not allow it.
    Infeasible,
    Finished(Finished),
}

struct Search<'a, 'b> {
    walk: Walk<'a>,
    cells: &'b mut Cells,
    sequence: Sequence,
    /// So many steps of the sequence has the machine executed.
    reached: usize,
    open: Vec<Open>,
    attempts: Vec<Attempt>,
    next_stamp: u32,
    /// How the execution ended after the last step that the machine executed.
    end: Option<End>,
    /// Steps before the fault after which the current path goes on: nothing on it counts but what it shows to be dependent.
    aftermath: Option<usize>,
    naps: Vec<Nap>,
    observes_joins: bool,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Finished {
        // What the program does before its first event is a step, too.
        let mut executed = self.execute(None, Todo::fresh(0, 0), None);
        loop {
            match executed {
                Executed::Finished(finished) => return finished,
                Executed::Done => {
                    if let Some(finished) = self.judge() {
                        return finished;
                    }
                    if let Some(thread) = self.next() {
                        let stamp = self.next_stamp;
                        self.next_stamp += 1;
                        executed = self.execute(Some(thread), Todo::fresh(thread, stamp), None);
                        if executed == Executed::Refused {
                            // It takes a nap; another one may go on.
                            self.next_stamp = stamp;
                            executed = Executed::Done;
                        }
                        continue;
                    }
                    if let Some(finished) = self.leaf() {
                        return finished;
                    }
                    executed = self.backtrack();
                }
                Executed::Refused | Executed::Infeasible => executed = self.backtrack(),
            }
        }
    }

    // ----- extending -----

    /// The thread to go on: one that waits after a revisit, or the first that can.
    fn next(&self) -> Option<u32> {
        if self.end.is_some() {
            return None;
        }
        let mut enabled = self
            .walk
            .machine
            .enabled()
            .iter()
            .filter(|e| !e.spurious && !self.naps(e.thread.0))
            .map(|e| e.thread.0);
        let waiting = self
            .attempts
            .iter()
            .filter(|a| self.sequence.count(a.thread) < a.index)
            .map(|a| a.thread)
            .find(|t| enabled.clone().any(|e| e == *t));
        waiting.or_else(|| enabled.next())
    }

    /// Whether the thread's next operation is known to come to nothing.
    fn naps(&self, thread: u32) -> bool {
        let Some(nap) = self.naps.iter().rev().find(|nap| nap.thread == thread) else {
            return false;
        };
        let mut i = self.sequence.last_on(nap.cell);
        while i != NONE && i as usize >= nap.since {
            let step = &self.sequence.steps[i as usize];
            if step.written {
                return false;
            }
            i = step.previous;
        }
        true
    }

    fn can_go_on(&self, thread: u32) -> bool {
        self.end.is_none()
            && self
                .walk
                .machine
                .enabled()
                .iter()
                .any(|e| e.thread.0 == thread && !e.spurious)
    }

    /// Executes a step at the end of the sequence. `None`: what comes before the first event.
    fn execute(&mut self, thread: Option<u32>, todo: Todo, next: Option<Others>) -> Executed {
        debug_assert_eq!(self.reached, self.sequence.len());
        let machine = &mut self.walk.machine;
        let mut step = Step::new(todo.thread, todo.stamp, todo.origin);
        let base = base_clocks(machine, &self.sequence, &mut step);
        step.mark = Some(machine.mark());
        if let Some(thread) = thread {
            machine.schedule(Enabled {
                thread: ThreadId(thread),
                spurious: false,
            });
        }
        let executed = self.advance(&mut step, todo.replies, next);
        if executed != Executed::Done {
            if executed == Executed::Refused {
                let cell = self.cells.of(self.walk.machine.touched());
                let since = self.sequence.len();
                self.naps.push(Nap {
                    thread: step.thread,
                    cell,
                    since,
                });
            }
            let mark = step.mark.take().expect("a mark");
            self.walk.machine.discard(mark);
            // Who can go on is known after a look around.
            self.walk.machine.advance();
            self.end = None;
            return executed;
        }
        if thread.is_some() {
            let touches = self.walk.machine.touched();
            step.written = touches.iter().any(|t| t.written);
            step.conditional = touches.iter().any(|t| t.conditional);
            step.cell = self.cells.of(touches);
        }
        if self.cells.merged || self.walk.machine.sharing_grew {
            return Executed::Finished(Finished::StartOver);
        }
        if self.walk.machine.thread_names().len() > self.sequence.width() {
            return Executed::Finished(Finished::StartOver);
        }
        self.sequence.push(step, &base);
        self.reached += 1;
        Executed::Done
    }

    /// Runs the machine to its next scheduling point, replying to its questions.
    fn advance(&mut self, step: &mut Step, given: Replies, mut next: Option<Others>) -> Executed {
        let mut given = given.0.into_iter();
        self.end = None;
        loop {
            let situation = match self.walk.machine.advance() {
                Situation::Schedule => return Executed::Done,
                other => other.clone(),
            };
            match situation {
                Situation::Schedule => unreachable!("handled above"),
                Situation::Spin => match self.walk.look_ahead() {
                    Seen::Sharing => return Executed::Finished(Finished::StartOver),
                    Seen::Nothing if self.walk.machine.spins() < PATIENT_SPINS => {
                        self.walk.machine.spin_on();
                    }
                    Seen::Nothing | Seen::Fault => {
                        step.decisions.push(Decision::Yield);
                        self.walk.machine.yield_spinning();
                    }
                },
                Situation::Ask(question) => {
                    let asker = self.walk.machine.current_thread().0;
                    if asker != step.thread && !self.observes_joins {
                        self.observes_joins = true;
                        return Executed::Finished(Finished::StartOver);
                    }
                    let reply = match given.next() {
                        Some(reply) => Some(reply),
                        None => match next.take() {
                            Some(others) => self.walk.other_reply(others),
                            None => self.walk.reply(question),
                        },
                    };
                    let Some(reply) = reply else {
                        return Executed::Infeasible;
                    };
                    if let Some(condition) = reply.assumed {
                        self.walk.machine.assume(condition);
                    }
                    if let (true, Answer::Number(choice)) = (reply.is_choice, reply.answer) {
                        step.decisions.push(Decision::Choose(choice as u32));
                    }
                    self.walk.machine.answer(reply.answer);
                    step.replies.0.push(reply);
                }
                Situation::End(End::Cutoff(Cutoff::Interrupted, _)) => {
                    self.walk.outcome.stopped = Some(self.walk.monitor.stop_reason());
                    return Executed::Finished(Finished::Done);
                }
                Situation::End(end) => {
                    if self.walk.machine.sharing_grew {
                        return Executed::Finished(Finished::StartOver);
                    }
                    let thread = ThreadId(step.thread);
                    if end == End::Discarded
                        && self.walk.machine.status(thread) == Status::Running
                        && self.walk.machine.is_concurrent()
                    {
                        // An atomic section that cannot be gone through now.
                        return Executed::Refused;
                    }
                    if step.origin == Origin::Kept
                        && ends_step(&end)
                        && self.walk.machine.survive_fault()
                    {
                        // Known, and gone on after.
                        self.aftermath.get_or_insert(self.sequence.len() + 1);
                        continue;
                    }
                    self.end = Some(end);
                    return Executed::Done;
                }
            }
        }
    }

    /// After a step: whether the execution ended in the middle of it.
    fn judge(&mut self) -> Option<Finished> {
        while let Some(end) = self.end.clone() {
            if !ends_step(&end) {
                return None;
            }
            if self.aftermath.is_none()
                && let Some(finished) = self.book(end)
            {
                return Some(finished);
            }
            // The others could have gone on before it.
            if !self.walk.machine.survive_fault() {
                return None;
            }
            self.aftermath.get_or_insert(self.sequence.len());
            let mut step = self.sequence.steps.pop().expect("the step that ended");
            let executed = self.advance(&mut step, Replies::default(), None);
            self.sequence.steps.push(step);
            if let Executed::Finished(finished) = executed {
                return Some(finished);
            }
        }
        None
    }

    fn book(&mut self, end: End) -> Option<Finished> {
        let steps = &self.sequence.steps;
        let mut decisions = || {
            steps
                .iter()
                .enumerate()
                .flat_map(|(i, step)| {
                    let run = (i > 0).then_some(Decision::Run(step.thread));
                    run.into_iter().chain(step.decisions.iter().copied())
                })
                .collect()
        };
        let stopped = self.walk.end(end, &mut decisions, steps.len())?;
        self.walk.outcome.stopped = Some(stopped);
        Some(Finished::Done)
    }

    // ----- ends -----

    /// Nobody can go on.
    fn leaf(&mut self) -> Option<Finished> {
        let end = match &self.end {
            Some(end) => end.clone(),
            // Only threads that would come to nothing are left.
            None => End::Discarded,
        };
        if self.aftermath.is_none()
            && !ends_step(&end)
            && let Some(finished) = self.book(end)
        {
            return Some(finished);
        }
        let plans = self.plans_of_the_stuck();
        if !plans.is_empty() {
            self.open(None, plans);
        }
        None
    }

    /// Earlier places for what could not be done.
    fn plans_of_the_stuck(&mut self) -> Vec<Plan> {
        let machine = &self.walk.machine;
        let mut stuck: Vec<(ThreadId, u32, bool)> = Vec::new();
        for thread in machine.thread_ids() {
            let Status::Parked { guard, .. } = machine.status(thread) else {
                continue;
            };
            let address = match guard {
                Guard::Zero(address)
                | Guard::Positive(address)
                | Guard::Once(address)
                | Guard::RwLock { address, .. } => address,
                Guard::Condition {
                    mutex, signalled, ..
                } if signalled => mutex,
                _ => continue,
            };
            stuck.push((thread, self.cells.at(address, 4), false));
        }
        stuck.extend(self.naps.iter().map(|n| (ThreadId(n.thread), n.cell, true)));
        let mut plans = Vec::new();
        for (thread, cell, conditional) in stuck {
            let mut step = Step::new(thread.0, self.next_stamp, Origin::Fresh);
            let base = base_clocks(&self.walk.machine, &self.sequence, &mut step);
            step.cell = cell;
            step.written = true;
            step.conditional = conditional;
            plans.extend(self.plans(&Removed { step, base }));
        }
        plans
    }

    // ----- other places -----

    /// Other places for a step that was taken from the end of the sequence, or could not be added there.
    fn plans(&self, removed: &Removed) -> Vec<Plan> {
        let Removed { step, base } = removed;
        let mut plans = Vec::new();
        if step.cell == NO_CELL {
            return plans;
        }
        let width = self.sequence.width();
        let (needed, before) = base.split_at(width);
        let steps = &self.sequence.steps;
        // An attempt must stay behind the step that revisited it.
        let index = self.sequence.count(step.thread) + 1;
        let bound = self
            .attempts
            .iter()
            .filter(|a| (a.thread, a.index) == (step.thread, index))
            .filter_map(|a| self.sequence.find(a.after.0, a.after.1))
            .max();
        let mut plan = |place| {
            plans.push(Plan {
                thread: step.thread,
                stamp: step.stamp,
                place,
            });
        };
        if !step.written || step.conditional {
            let mut i = self.sequence.last_on(step.cell);
            while i != NONE && bound.is_none_or(|b| i as usize > b) {
                let other = &steps[i as usize];
                if other.written {
                    if before[other.thread as usize] >= other.index {
                        break;
                    }
                    plan(Place::Before(i as usize));
                }
                i = other.previous;
            }
        }
        if step.written || step.conditional {
            let mut i = self.sequence.last_on(step.cell);
            while i != NONE && bound.is_none_or(|b| i as usize > b) {
                let other = &steps[i as usize];
                if needed[other.thread as usize] < other.index {
                    let target = i as usize;
                    let needs = self.needed_before(target, needed);
                    if self.can_revisit(target, &needs) {
                        plan(Place::Revisit { target, needs });
                    }
                } else if other.written {
                    break;
                }
                i = other.previous;
            }
        }
        plans.reverse();
        plans
    }

    /// What a step needs that is put before `revisited`: what its thread needs, and the writes before that place.
    fn needed_before(&self, revisited: usize, needed: &[u32]) -> Counts {
        let mut needs = needed.to_vec();
        let write = self.sequence.steps[revisited].last_write;
        if write != NONE {
            for (mine, theirs) in needs.iter_mut().zip(self.sequence.needed(write as usize)) {
                *mine = (*mine).max(*theirs);
            }
        }
        needs
    }

    /// Whether this is the sequence from which the one with `target` behind a step with such needs is explored: every step
    /// that would be taken out stands where it would be put last, given the older steps and those that are needed.
    fn can_revisit(&self, target: usize, needs: &[u32]) -> bool {
        let steps = &self.sequence.steps;
        let target = &steps[target];
        let is_needed = |s: &Step| needs[s.thread as usize] >= s.index;
        if is_needed(target) {
            return false;
        }
        for step in steps {
            if step.stamp < target.stamp || is_needed(step) {
                continue;
            }
            let at = |i: u32| &steps[i as usize];
            if step.overtaken > 0
                || step.last_write != NONE
                    && at(step.last_write).stamp > step.stamp
                    && !is_needed(at(step.last_write))
                || step.next_write != NONE && is_needed(at(step.next_write))
            {
                return false;
            }
            let is_anchor = |a: &Attempt| {
                a.after == (step.thread, step.index)
                    && (a.stamp <= step.stamp || needs[a.thread as usize] >= a.index)
            };
            if self.attempts.iter().any(is_anchor) {
                return false;
            }
        }
        self.attempts.iter().all(|a| {
            a.stamp < target.stamp
                || needs[a.thread as usize] >= a.index
                || self.attempt_is_usual(a, needs)
        })
    }

    /// Whether an attempt that would be taken out would have been made, or done, given the older steps and those needed.
    fn attempt_is_usual(&self, attempt: &Attempt, needs: &[u32]) -> bool {
        let steps = &self.sequence.steps;
        let find = |(thread, index)| self.sequence.find(thread, index);
        let after = find(attempt.after).expect("the step that revisited it");
        let is_there = |i: usize| {
            steps[i].stamp <= attempt.stamp || needs[steps[i].thread as usize] >= steps[i].index
        };
        if !is_there(after) {
            return false;
        }
        // Of the writes on the cell, those that are there come first, all of them before the attempt was carried out.
        let done = find((attempt.thread, attempt.index)).unwrap_or(usize::MAX);
        let mut seen = false;
        let mut i = self.sequence.last_on(steps[after].cell) as usize;
        while i != after {
            if steps[i].written {
                let there = i != done && is_there(i);
                if seen && !there || there && i > done {
                    return false;
                }
                seen |= there;
            }
            i = steps[i].previous as usize;
        }
        true
    }

    fn open(&mut self, step: Option<Removed>, plans: Vec<Plan>) {
        self.open.push(Open {
            base: self.sequence.len(),
            saved: Vec::new(),
            attempts: self.attempts.clone(),
            next_stamp: self.next_stamp,
            plans,
            step,
        });
    }

    /// Puts the steps of a plan in place. `Done`: go on from there.
    fn take(&mut self, plan: Plan) -> Executed {
        let steps = &self.sequence.steps;
        let mut attempts = self.attempts.clone();
        let (base, stays, revisited): (usize, Vec<bool>, _) = match plan.place {
            Place::Before(write) => {
                let (thread, index) = (steps[write].thread as usize, steps[write].index);
                let stays = (write..steps.len()).map(|i| self.sequence.before(i)[thread] < index);
                (write, stays.collect(), None)
            }
            Place::Revisit { target, ref needs } => {
                let target = &steps[target];
                let stays =
                    |s: &Step| s.stamp < target.stamp || needs[s.thread as usize] >= s.index;
                let base = steps.iter().position(|s| !stays(s)).expect("the target");
                attempts.retain(|a| a.stamp < target.stamp || needs[a.thread as usize] >= a.index);
                let stays = steps[base..].iter().map(stays).collect();
                (
                    base,
                    stays,
                    Some((target.thread, target.index, target.stamp)),
                )
            }
        };
        let mut saved = Vec::new();
        while self.sequence.len() > base {
            saved.push(self.remove());
        }
        saved.reverse();
        let kept = |wanted: bool| -> Vec<Todo> {
            let steps = saved.iter().zip(&stays);
            steps
                .filter(|(_, stays)| **stays == wanted)
                .map(|(removed, _)| Todo {
                    thread: removed.step.thread,
                    stamp: removed.step.stamp,
                    origin: Origin::Kept,
                    replies: removed.step.replies.clone(),
                })
                .collect()
        };
        let first = kept(true);
        let rest = Rest {
            todos: if revisited.is_some() {
                Vec::new()
            } else {
                kept(false)
            },
            revisited,
        };
        let open = self.open.last_mut().expect("an open step");
        open.base = base;
        open.saved = saved;
        self.attempts = attempts;
        self.next_stamp = plan.stamp + 1;
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        for todo in first {
            let executed = self.execute(Some(todo.thread), todo, None);
            if executed != Executed::Done {
                return executed;
            }
        }
        let moved = Todo {
            thread: plan.thread,
            stamp: plan.stamp,
            origin: Origin::Moved,
            replies: Replies::default(),
        };
        self.place(moved, None, rest)
    }

    /// Executes a step in its new place, and what comes after it there.
    fn place(&mut self, moved: Todo, next: Option<Others>, rest: Rest) -> Executed {
        let (thread, stamp) = (moved.thread, moved.stamp);
        if !self.can_go_on(thread) {
            return Executed::Refused;
        }
        let executed = self.execute(Some(thread), moved, next);
        if executed != Executed::Done {
            return executed;
        }
        if let Some(finished) = self.judge() {
            return Executed::Finished(finished);
        }
        let step = self.sequence.steps.last_mut().expect("the step");
        let index = step.index;
        // Only a read can stand before others unnoticed, only a write can be seen by another.
        let fits = step.written == rest.revisited.is_some();
        if step
            .replies
            .0
            .iter()
            .any(|r| !matches!(r.others, Others::None))
        {
            step.rest = Some(Box::new(rest.clone()));
        }
        if !fits {
            return Executed::Refused;
        }
        for todo in rest.todos {
            let executed = self.execute(Some(todo.thread), todo, None);
            if executed != Executed::Done {
                return executed;
            }
        }
        let Some((revisited, its_index, its_stamp)) = rest.revisited else {
            return Executed::Done;
        };
        if self.can_go_on(revisited) {
            let todo = Todo {
                thread: revisited,
                stamp: its_stamp,
                origin: Origin::Revisited,
                replies: Replies::default(),
            };
            let executed = self.execute(Some(revisited), todo, None);
            if executed != Executed::Refused {
                return executed;
            }
        }
        debug_assert!(stamp > its_stamp);
        self.attempts.push(Attempt {
            thread: revisited,
            index: its_index,
            stamp: its_stamp,
            after: (thread, index),
        });
        Executed::Done
    }

    // ----- going back -----

    /// Takes the next alternative of the latest step that has one.
    fn backtrack(&mut self) -> Executed {
        loop {
            let base = self.open.last().map_or(0, |open| open.base);
            if self.sequence.len() > base {
                let removed = self.remove();
                let executed = match removed.step.origin {
                    Origin::Kept => continue,
                    Origin::Fresh if removed.step.replies.all_first() => {
                        self.next_stamp = removed.step.stamp;
                        let plans = self.plans(&removed);
                        if !plans.is_empty() {
                            self.open(Some(removed), plans);
                            continue;
                        }
                        self.reply_otherwise(removed)
                    }
                    Origin::Fresh => {
                        self.next_stamp = removed.step.stamp;
                        self.reply_otherwise(removed)
                    }
                    Origin::Moved | Origin::Revisited => self.reply_otherwise(removed),
                };
                match executed {
                    Executed::Refused | Executed::Infeasible => continue,
                    done => return done,
                }
            }
            let Some(open) = self.open.last_mut() else {
                return Executed::Finished(Finished::Done);
            };
            for removed in open.saved.drain(..) {
                self.sequence.push(removed.step, &removed.base);
            }
            open.base = self.sequence.len();
            self.attempts.clone_from(&open.attempts);
            self.next_stamp = open.next_stamp;
            let executed = match open.plans.pop() {
                Some(plan) => self.take(plan),
                None => {
                    let open = self.open.pop().expect("an open step");
                    match open.step {
                        Some(removed) => self.reply_otherwise(removed),
                        None => continue,
                    }
                }
            };
            match executed {
                Executed::Refused | Executed::Infeasible => {}
                done => return done,
            }
        }
    }

    /// Executes a step again where it was, with the next possible replies.
    fn reply_otherwise(&mut self, removed: Removed) -> Executed {
        let step = removed.step;
        let Some((replies, others)) = step.replies.next() else {
            return Executed::Refused;
        };
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        let todo = Todo {
            thread: step.thread,
            stamp: step.stamp,
            origin: step.origin,
            replies,
        };
        match step.origin {
            Origin::Moved => {
                let rest = step.rest.expect("what comes after it");
                self.place(todo, Some(others), *rest)
            }
            Origin::Fresh | Origin::Revisited => {
                self.next_stamp = self.next_stamp.max(step.stamp + 1);
                let thread = (!self.sequence.steps.is_empty()).then_some(step.thread);
                self.execute(thread, todo, Some(others))
            }
            Origin::Kept => unreachable!("it does what it did"),
        }
    }

    /// Takes the last step out, and back if the machine has executed it.
    fn remove(&mut self) -> Removed {
        let mut removed = self.sequence.pop();
        let n = self.sequence.len();
        if self.reached > n {
            let mark = removed.step.mark.take().expect("the machine was here");
            self.walk.machine.discard(mark);
            self.reached = n;
            self.end = None;
        }
        if self.aftermath.is_some_and(|a| a > n) {
            self.aftermath = None;
        }
        while self.naps.last().is_some_and(|nap| nap.since > n) {
            self.naps.pop();
        }
        removed
    }

    /// Lets the machine execute what stands in the sequence already.
    fn catch_up(&mut self) -> Executed {
        while self.reached < self.sequence.len() {
            let i = self.reached;
            let mut step =
                std::mem::replace(&mut self.sequence.steps[i], Step::new(0, 0, Origin::Kept));
            step.mark = Some(self.walk.machine.mark());
            if i > 0 {
                self.walk.machine.schedule(Enabled {
                    thread: ThreadId(step.thread),
                    spurious: false,
                });
            }
            let (replies, decisions, origin) = (
                std::mem::take(&mut step.replies),
                std::mem::take(&mut step.decisions),
                step.origin,
            );
            step.origin = Origin::Kept;
            let executed = self.advance(&mut step, replies, None);
            step.origin = origin;
            debug_assert_eq!(step.decisions, decisions);
            self.sequence.steps[i] = step;
            if executed != Executed::Done {
                return executed;
            }
            self.reached += 1;
        }
        // Who can go on is known after a look around.
        match self.walk.machine.advance() {
            Situation::Schedule => Executed::Done,
            _ => {
                self.end = None;
                Executed::Done
            }
        }
    }
}

impl Todo {
    fn fresh(thread: u32, stamp: u32) -> Todo {
        Todo {
            thread,
            stamp,
            origin: Origin::Fresh,
            replies: Replies::default(),
        }
    }
}

/// The execution ended in the middle of a step, not because nobody can go on.
fn ends_step(end: &End) -> bool {
    match end {
        End::Fault(at) => at.fault.property() != Property::Deadlock,
        End::Cutoff(..) => true,
        End::Normal | End::Discarded => false,
    }
}

/// What the next step of a thread needs and what lies before it, without regard to what it touches.
fn base_clocks(machine: &Machine, sequence: &Sequence, step: &mut Step) -> Counts {
    let width = sequence.width();
    let thread = step.thread as usize;
    let mut base = vec![0; 2 * width];
    let last = sequence.of_thread[thread].last().map(|i| *i as usize);
    if let Some(last) = last {
        base[..width].copy_from_slice(sequence.needed(last));
        base[width..].copy_from_slice(sequence.before(last));
    }
    if !machine.thread_exists(ThreadId(step.thread)) {
        return base;
    }
    let clock = &machine.state(ThreadId(step.thread)).clock;
    step.time = clock.get(thread).copied().unwrap_or(0);
    step.knowledge = clock.iter().sum::<u32>() - step.time;
    if last.is_some_and(|l| sequence.steps[l].knowledge == step.knowledge) {
        return base;
    }
    for (other, &known) in clock.iter().enumerate() {
        if other == thread {
            continue;
        }
        // What it did before the creation or join that made it known.
        let steps = sequence.of_thread[other].iter().rev();
        let Some(&last) = steps
            .clone()
            .find(|i| sequence.steps[**i as usize].time <= known)
        else {
            continue;
        };
        for (mine, theirs) in base[..width].iter_mut().zip(sequence.needed(last as usize)) {
            *mine = (*mine).max(*theirs);
        }
        for (mine, theirs) in base[width..].iter_mut().zip(sequence.before(last as usize)) {
            *mine = (*mine).max(*theirs);
        }
    }
    base
}

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

mod crew;
mod estimate;
mod follow;
mod job;
mod moves;
mod plans;
mod sequence;
mod track;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ir::debug::LocId;
use machine::{
    Answer, Cutoff, Enabled, End, Fault, FaultAt, Guard, Machine, Mark, Program, Property,
    Recorded, Situation, Status, ThreadId,
};
use serde::{Deserialize, Serialize};

use smallvec::SmallVec;
use smt::TermId;

use self::crew::Post;
pub use self::crew::Workers;
use self::estimate::Probes;
pub use self::job::{Knowledge, Part, Piece};
use self::sequence::{Bytes, Counts, Learnt, NONE, Origin, Saved, Sequence, Step};
use self::track::Track;
use crate::cells::Cells;
use crate::decision::Decision;
use crate::feasibility::Feasible;
use crate::outcome::{Frontier, Monitor, Resumed};
use crate::replies::{Others, Replies};
use crate::walk::{Options, Seen, Walk};

/// So often a thread that spins goes on if the others have nothing to do with it: its loop may just be long.
const PATIENT_SPINS: u32 = 6;

/// Searches what is left of a search, or all.
pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    left: Frontier,
    monitor: &mut dyn Monitor,
) -> Result<Resumed, String> {
    crew::search(program, options, left, monitor)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finished {
    Done,
    /// What was explored is void: more is shared, cells are coarser, or local steps need events of their own.
    StartOver,
    /// It was asked to leave the rest to others.
    Left,
}

/// A revisited step that could not be done: it waits, and must come after the step that revisited it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
    saved: Saved,
    naps: Vec<Nap>,
    attempts: Vec<Attempt>,
    next_stamp: u32,
    plans: Vec<Plan>,
    /// So many there were.
    count: usize,
    /// The step itself; `None`: threads that could not go on at the end of an execution.
    step: Option<Step>,
    /// Of what was saved, what comes after the step in its new place.
    rest: Vec<usize>,
    revisited: Option<Revisited>,
}

/// The step that is to follow a moved one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Revisited {
    thread: u32,
    index: u32,
    stamp: u32,
}

/// Another place for a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plan {
    thread: u32,
    stamp: u32,
    place: Place,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Place {
    /// Before this write and all that depends on it.
    Before(usize),
    /// Instead of this step, which follows it, and of all that was added since and is not needed.
    Revisit {
        target: usize,
        needs: SmallVec<[u32; 16]>,
    },
    /// At the end, although it will come to nothing there.
    Insist,
}

/// A step to be executed.
struct Todo {
    thread: u32,
    stamp: u32,
    origin: Origin,
    replies: Replies,
    finds: Option<Finds>,
}

/// What a step finds that is executed after writes before which it stands.
#[derive(Clone, Copy)]
struct Finds {
    at: Bytes,
    word: u64,
}

/// What comes after a moved step that can be done in other ways.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rest {
    steps: Vec<(u32, u32, Replies)>,
    revisited: Option<Revisited>,
}

/// A thread whose next steps came to nothing: they are not tried again before something is written where they looked.
#[derive(Clone)]
struct Nap {
    thread: u32,
    cells: Vec<u32>,
    /// Steps there were.
    since: usize,
    /// It would go round a loop, rather than never get through an atomic section.
    is_loop: bool,
    /// It can get through with other replies, which were tried.
    is_partial: bool,
    loc: LocId,
    /// What they accessed that is not known to be shared.
    recorded: Vec<Recorded>,
}

/// A step that was not done.
struct Refused {
    step: Step,
    base: Counts,
    /// It can be done with other replies.
    is_partial: bool,
    /// What it accessed that is not known to be shared.
    recorded: Vec<Recorded>,
    /// Where it gave up.
    loc: LocId,
}

/// How executing a step went.
#[derive(Debug, PartialEq, Eq)]
enum Executed {
    Done,
    /// It cannot be done here.
    Refused,
    /// With so many steps before it, it goes round a loop to no end.
    Awaits(usize),
    /// The path condition does not allow it.
    Infeasible,
    Finished(Finished),
}

struct Search<'a> {
    walk: Walk<'a>,
    cells: Cells,
    sequence: Sequence,
    track: Track,
    /// What the next step needs and what lies before it.
    base: Counts,
    /// Room for what a step would need elsewhere.
    needs: RefCell<Counts>,
    open: Vec<Open>,
    /// Room for what is taken out.
    spare: Vec<Saved>,
    attempts: Vec<Attempt>,
    next_stamp: u32,
    /// How the execution ended after the last step that the machine executed.
    end: Option<End>,
    naps: Vec<Nap>,
    /// The last step that was not done, and where it gave up.
    refused: Option<Refused>,
    /// The replies in the last step that the path condition did not allow.
    refuted: Replies,
    observes_joins: bool,
    /// What was known at the start.
    known: Knowledge,
    /// Executions that come before are not its own.
    is_later_part: bool,
    /// Threads that can be told apart.
    most_threads: usize,
    /// Steps below are left by others.
    floor: usize,
    /// The steps after which a probe has chosen its way (see `estimate`).
    turned: usize,
    probes: Probes,
    post: Option<Post>,
}

impl Search<'_> {
    /// Goes on until nothing is left above the floor.
    fn run(&mut self, mut executed: Executed) -> Finished {
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
                        continue;
                    }
                    if let Some(finished) = self.leaf().or_else(|| self.rest()) {
                        return finished;
                    }
                    executed = self.backtrack();
                }
                Executed::Refused if self.refused.is_some() => {
                    self.withdraw(0, false);
                    executed = Executed::Done;
                }
                Executed::Awaits(earlier) => {
                    self.withdraw(earlier, true);
                    executed = Executed::Done;
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
        nap.cells.iter().all(|cell| {
            let mut i = self.sequence.last_on(*cell);
            while i != NONE && i as usize >= nap.since {
                let step = &self.sequence.steps[i as usize];
                if step.written {
                    return false;
                }
                i = step.previous;
            }
            true
        })
    }

    /// What to do with a thread that has gone round a loop with so many steps, the current one included. `None`: it waits.
    fn awaits(&mut self, step: &Step, events: u32) -> Option<Executed> {
        match step.origin {
            Origin::Kept => return None,
            // It looked at what is out of date; it could as well have come later.
            Origin::Moved if events > 0 => return Some(Executed::Infeasible),
            Origin::Fresh | Origin::Moved | Origin::Revisited => {}
        }
        if events == 0 {
            return None;
        }
        // Steps that stand at the end, none of them out of date, can be withdrawn.
        let earlier = events as usize - 1;
        let steps = &self.sequence.steps[self.sequence.len() - earlier..];
        let mut origins = steps.iter().map(|s| s.origin).chain([step.origin]);
        let first = origins.next().expect("the step itself");
        let is_last = steps.iter().all(|s| s.thread == step.thread)
            && matches!(first, Origin::Fresh | Origin::Revisited)
            && origins.all(|o| o == Origin::Fresh);
        (is_last && !self.waits_for_some(step, earlier)).then_some(Executed::Awaits(earlier))
    }

    /// Whether the iteration that ends with this step and so many before it goes round the loop with some replies only: what
    /// came before does not imply them. It stays, with its replies: others lead elsewhere, and it waits for ever only on
    /// paths on which these hold.
    fn waits_for_some(&mut self, step: &Step, earlier: usize) -> bool {
        let assumed = |step: &Step| -> Vec<TermId> {
            let replies = step.replies.0.iter();
            replies.filter_map(|r| r.assumed).collect()
        };
        let (before, iteration) = self.sequence.steps.split_at(self.sequence.len() - earlier);
        let iteration = || iteration.iter().chain([step]);
        if iteration().any(|s| s.replies.0.iter().any(|r| r.is_choice)) {
            return true;
        }
        let conditions: Vec<TermId> = iteration().flat_map(assumed).collect();
        if conditions.is_empty() {
            return false;
        }
        let mut given: Vec<TermId> = before.iter().flat_map(assumed).collect();
        let all = self.walk.machine.terms.all(&conditions);
        given.push(self.walk.machine.terms.not(all));
        !matches!(self.walk.check_alone(&given), Feasible::No)
    }

    /// Withdraws the steps of an iteration that came to nothing. The thread waits until something is written where it looked.
    fn withdraw(&mut self, earlier: usize, is_loop: bool) {
        let Refused {
            step,
            is_partial,
            mut recorded,
            loc,
            ..
        } = self.refused.take().expect("a step that was not done");
        let mut cells = vec![step.cell];
        let mut first = (step.origin, step.stamp);
        for _ in 0..earlier {
            let step = self.remove();
            cells.push(step.cell);
            first = (step.origin, step.stamp);
        }
        let thread = step.thread;
        let n = self.sequence.len();
        if first.0 == Origin::Revisited {
            let after = &self.sequence.steps[n - 1];
            self.attempts.push(Attempt {
                thread,
                index: self.sequence.count(thread) + 1,
                stamp: first.1,
                after: (after.thread, after.index),
            });
        } else {
            self.next_stamp = first.1;
        }
        cells.sort_unstable();
        cells.dedup();
        if earlier > 0 {
            let first = self.track.mark(self.track.len() - earlier);
            recorded.extend(self.walk.machine.recorded_since(first));
        }
        self.rewind();
        // What others write where it looked may let it come to something.
        self.walk.machine.record_again(&recorded);
        self.naps.push(Nap {
            thread,
            cells,
            since: n,
            is_loop,
            is_partial,
            loc,
            recorded,
        });
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
        let is_first = next.is_none();
        let (stamp, origin, owner, finds) = (todo.stamp, todo.origin, todo.thread, todo.finds);
        let mut executed = self.execute_once(thread, todo, next);
        let mut refused = None;
        // A reply that an assumption refutes later in the step leaves the others to try: the first that is possible is one
        // of them.
        loop {
            let replies = match executed {
                Executed::Infeasible => std::mem::take(&mut self.refuted),
                Executed::Refused => {
                    let last = self.refused.take().expect("the step");
                    let replies = last.step.replies.clone();
                    refused = Some(last);
                    replies
                }
                _ => break,
            };
            let Some((replies, others)) = replies.next() else {
                break;
            };
            let changed = replies.0.len();
            let is_first = is_first && replies.all_first();
            let todo = Todo {
                thread: owner,
                stamp,
                origin,
                replies,
                finds,
            };
            executed = self.execute_once(thread, todo, Some(others));
            if executed == Executed::Done {
                let step = self.sequence.steps.last_mut().expect("the step");
                step.replies.0[changed].is_first = is_first;
                // With some replies it must wait.
                step.waits |= refused.is_some();
            }
        }
        match executed {
            Executed::Infeasible | Executed::Refused if refused.is_some() => {
                self.refused = refused;
                Executed::Refused
            }
            executed => executed,
        }
    }

    fn execute_once(&mut self, thread: Option<u32>, todo: Todo, next: Option<Others>) -> Executed {
        if self.walk.options.interrupt.load(Ordering::Relaxed) {
            self.walk.outcome.stopped = Some(self.walk.monitor.stop_reason());
            return Executed::Finished(Finished::Done);
        }
        let machine = &mut self.walk.machine;
        let mut step = Step::new(todo.thread, todo.stamp, todo.origin);
        base_clocks(machine, &self.sequence, &mut step, &mut self.base);
        let mark = schedule(machine, thread, todo.finds);
        let executed = self.advance(&mut step, todo.replies, next);
        if executed != Executed::Done {
            return self.not_done(step, mark, executed);
        }
        if thread.is_some() {
            let touches = self.walk.machine.touched();
            step.written = touches.iter().any(|t| t.written);
            step.conditional = touches.iter().any(|t| t.conditional);
            step.woken = SmallVec::from_slice(self.walk.machine.woken());
            step.bytes = Bytes::of(touches);
            step.cell = self.cells.of(touches);
        }
        if self.cells.merged
            || self.walk.machine.sharing_grew
            || self.walk.machine.thread_names().len() > self.most_threads
        {
            return Executed::Finished(Finished::StartOver);
        }
        step.slot = self.track.allocate();
        self.track.executed(step.slot, mark);
        self.track.enter(step.slot);
        self.sequence.push(step, &self.base);
        Executed::Done
    }

    /// Undoes a step that could not be completed.
    fn not_done(&mut self, mut step: Step, mark: Mark, executed: Executed) -> Executed {
        match executed {
            Executed::Infeasible => self.refuted = step.replies,
            Executed::Refused | Executed::Awaits(_) => {
                step.cell = self.cells.of(self.walk.machine.touched());
                step.written = true;
                step.conditional = true;
                if self.cells.merged {
                    return Executed::Finished(Finished::StartOver);
                }
                self.refused = Some(Refused {
                    loc: self.walk.machine.user_loc(ThreadId(step.thread)),
                    base: self.base.clone(),
                    is_partial: false,
                    recorded: self.walk.machine.recorded_since(&mark),
                    step,
                });
            }
            Executed::Done | Executed::Finished(_) => {}
        }
        self.return_to(mark);
        executed
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
                Situation::Await { events } => {
                    let waiter = self.walk.machine.current_thread().0;
                    if waiter != step.thread && !self.observes_joins {
                        // It is to have a step of its own, which says that it waits.
                        self.observes_joins = true;
                        return Executed::Finished(Finished::StartOver);
                    }
                    if let Some(executed) = self.awaits(step, events) {
                        return executed;
                    }
                    // It waits for ever here. Where what it looked at is written, it is revisited.
                    step.awaits = Some(events);
                    self.walk.machine.survive_fault();
                }
                Situation::Ask(question) => {
                    let asker = self.walk.machine.current_thread().0;
                    if asker != step.thread && !self.observes_joins {
                        self.observes_joins = true;
                        return Executed::Finished(Finished::StartOver);
                    }
                    let reply = match given.next() {
                        Some(mut reply) => {
                            if reply.assumed.is_none() {
                                reply.assumed = self.walk.assumption(question, reply.answer);
                            }
                            Some(reply)
                        }
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
                    let by_another = self.walk.machine.current_thread().0 != step.thread;
                    if ends_step(&end) && by_another && !self.observes_joins {
                        // It would be taken for a fault of this step, which may be known not to have any.
                        self.observes_joins = true;
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
                        step.faulty = true;
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
            if !self.sequence.is_faulty()
                && let Some(finished) = self.book(end)
            {
                return Some(finished);
            }
            // The others could have gone on before it.
            if !self.walk.machine.survive_fault() {
                return None;
            }
            self.sequence.set_faulty();
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
        let before = self.walk.outcome.found.len();
        let stopped = self.walk.end(end, &mut decisions, steps.len());
        if self.walk.outcome.found.len() > before {
            self.renew_inputs(before);
        }
        self.walk.outcome.stopped = Some(stopped?);
        Some(Finished::Done)
    }

    // ----- ends -----

    /// Nobody can go on.
    fn leaf(&mut self) -> Option<Finished> {
        if self.walk.machine.sharing_grew {
            return Some(Finished::StartOver);
        }
        let end = match &self.end {
            Some(end) => end.clone(),
            // Only threads that would come to nothing are left.
            None => End::Discarded,
        };
        let end = match end {
            End::Discarded => self.end_in_loops().unwrap_or(End::Discarded),
            end => end,
        };
        if !self.sequence.is_faulty()
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
        let mut stuck: Vec<(ThreadId, u32)> = Vec::new();
        for thread in machine.thread_ids() {
            let Status::Parked { guard, .. } = machine.status(thread) else {
                continue;
            };
            let Some(address) = guard.object() else {
                continue;
            };
            stuck.push((thread, self.cells.at(address, 4)));
        }
        let mut plans = Vec::new();
        for (thread, cell) in stuck {
            let mut step = Step::new(thread.0, self.next_stamp, Origin::Fresh);
            base_clocks(
                &self.walk.machine,
                &self.sequence,
                &mut step,
                &mut self.base,
            );
            step.cell = cell;
            step.written = true;
            step.index = self.sequence.count(thread.0) + 1;
            step.previous = self.sequence.last_on(cell);
            plans.extend(self.plans(&step, &self.base, self.sequence.len()));
        }
        self.leave_unusual_replies_out(&mut plans, self.sequence.len());
        if self.end.is_none() {
            let is_partial = |thread| {
                let nap = self.naps.iter().rev().find(|nap| nap.thread == thread);
                nap.is_some_and(|nap| nap.is_partial)
            };
            let enabled = self.walk.machine.enabled().iter();
            let enabled = enabled.filter(|e| !e.spurious && !is_partial(e.thread.0));
            plans.extend(enabled.map(|e| Plan {
                thread: e.thread.0,
                stamp: self.next_stamp,
                place: Place::Insist,
            }));
        }
        plans
    }

    /// If every thread that is left goes round a loop and looks at what is up to date, that is a deadlock, unless one has
    /// exited the process.
    fn end_in_loops(&self) -> Option<End> {
        let machine = &self.walk.machine;
        let has_exited = |t| machine.status(t) == Status::Exited;
        if machine.thread_ids().any(has_exited) {
            return Some(End::Normal);
        }
        let mut waiting = None;
        for thread in machine.thread_ids() {
            let Status::Parked { guard, .. } = machine.status(thread) else {
                continue;
            };
            let can_go_on = machine.enabled().iter().any(|e| e.thread == thread);
            let loc = if guard == Guard::Assumption {
                let steps = self.sequence.of_thread[thread.index()].iter().rev();
                let steps = steps.map(|i| &self.sequence.steps[*i as usize]);
                let awaits = steps.clone().next()?.awaits?;
                if steps.take(awaits as usize).any(|s| s.next_write != NONE) {
                    return None;
                }
                machine.user_loc(thread)
            } else if can_go_on {
                let nap = self.naps.iter().rev().find(|nap| nap.thread == thread.0)?;
                if !nap.is_loop {
                    return None;
                }
                nap.loc
            } else {
                continue;
            };
            waiting = waiting.or(Some((thread, loc)));
        }
        let (thread, loc) = waiting?;
        Some(End::Fault(FaultAt {
            fault: Fault::Deadlock,
            thread,
            loc,
        }))
    }

    /// Lets a thread that would come to nothing try nevertheless, for what its steps can do in other places.
    fn insist(&mut self, thread: u32) -> Executed {
        let executed = self.catch_up();
        if executed != Executed::Done {
            return executed;
        }
        loop {
            let stamp = self.next_stamp;
            self.next_stamp += 1;
            match self.execute(Some(thread), Todo::fresh(thread, stamp), None) {
                Executed::Done if self.can_go_on(thread) => {}
                // It can be done with other replies.
                Executed::Done => return Executed::Done,
                Executed::Refused | Executed::Awaits(_) => break,
                other => return other,
            }
        }
        let Refused { mut step, base, .. } = self.refused.take().expect("a step not done");
        self.next_stamp = step.stamp;
        step.index = self.sequence.count(thread) + 1;
        step.previous = self.sequence.last_on(step.cell);
        let mut plans = self.plans(&step, &base, self.sequence.len());
        self.leave_unusual_replies_out(&mut plans, self.sequence.len());
        if !plans.is_empty() {
            self.open(None, plans);
        }
        Executed::Refused
    }

    fn open(&mut self, step: Option<Step>, plans: Vec<Plan>) {
        self.open.push(Open {
            base: self.sequence.len(),
            saved: self.spare.pop().unwrap_or_default(),
            naps: Vec::new(),
            attempts: self.attempts.clone(),
            next_stamp: self.next_stamp,
            count: plans.len(),
            plans,
            step,
            rest: Vec::new(),
            revisited: None,
        });
    }

    // ----- going back -----

    /// Takes the next alternative of the latest step that has one.
    fn backtrack(&mut self) -> Executed {
        loop {
            let base = self.open.last().map_or(self.floor, |open| open.base);
            let executed = if self.sequence.len() > base {
                self.leave_last()
            } else if let Some(open) = self.open.last_mut() {
                self.attempts.clone_from(&open.attempts);
                self.next_stamp = open.next_stamp;
                if !open.saved.steps.is_empty() {
                    self.put_back_saved();
                }
                let open = self.open.last_mut().expect("an open step");
                match open.plans.pop() {
                    Some(plan) => self.take(plan),
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
                // What was executed last may have shown it.
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
        }
    }

    /// Puts back what the last open step has replaced. What replaced it is gone.
    fn put_back_saved(&mut self) {
        let open = self.open.last_mut().expect("an open step");
        self.naps.append(&mut open.naps);
        for step in &open.saved.steps {
            self.track.enter(step.slot);
        }
        self.sequence.restore(&mut open.saved);
        open.base = self.sequence.len();
    }

    /// Takes the last step out, or what else it can do up.
    fn leave_last(&mut self) -> Executed {
        let n = self.sequence.len() - 1;
        let step = &self.sequence.steps[n];
        match step.origin {
            Origin::Kept => {
                self.remove();
                return Executed::Refused;
            }
            Origin::Fresh => {
                self.next_stamp = step.stamp;
                if step.replies.all_first() {
                    let mut plans = self.plans(step, self.sequence.base(n), n);
                    if !plans.is_empty() {
                        self.leave_unusual_replies_out(&mut plans, n);
                    }
                    if !plans.is_empty() {
                        let step = self.remove();
                        self.open(Some(step), plans);
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
    fn reply_otherwise(&mut self, mut step: Step) -> Executed {
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
            Some((replies, others)) => {
                let todo = Todo {
                    origin: step.origin,
                    replies,
                    ..Todo::fresh(step.thread, step.stamp)
                };
                if step.origin == Origin::Moved {
                    let rest = step.rest.map(|rest| *rest);
                    return self.place(todo, Some(others), rest);
                }
                self.next_stamp = self.next_stamp.max(step.stamp + 1);
                let thread = (!self.sequence.steps.is_empty()).then_some(step.thread);
                self.execute(thread, todo, Some(others))
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
    fn remove(&mut self) -> Step {
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
    fn forget_later(&mut self) {
        let n = self.sequence.len();
        while self.naps.last().is_some_and(|nap| nap.since > n) {
            self.naps.pop();
        }
    }
}

impl Plan {
    fn moved(&self, finds: Option<Finds>) -> Todo {
        Todo {
            origin: Origin::Moved,
            finds,
            ..Todo::fresh(self.thread, self.stamp)
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
            finds: None,
        }
    }
}

/// Lets the machine begin a step; returns the state before it. `None`: what comes before the first event.
fn schedule(machine: &mut Machine, thread: Option<u32>, finds: Option<Finds>) -> Mark {
    let mark = machine.mark();
    if let Some(Finds { at, word }) = finds {
        machine.lend(at.address, at.count.get(), word);
    }
    if let Some(thread) = thread {
        machine.schedule(Enabled {
            thread: ThreadId(thread),
            spurious: false,
        });
    }
    mark
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
fn base_clocks(machine: &Machine, sequence: &Sequence, step: &mut Step, base: &mut Counts) {
    let thread = step.thread as usize;
    if machine.thread_exists(ThreadId(step.thread)) {
        let clock = &machine.state(ThreadId(step.thread)).clock;
        step.time = clock.get(thread).copied().unwrap_or(0);
        step.knowledge = clock.iter().sum::<u32>() - step.time;
        let last = sequence.of_thread[thread].last().map(|i| *i as usize);
        let is_known = last.is_some_and(|l| sequence.steps[l].knowledge == step.knowledge);
        let status = machine.status(ThreadId(step.thread));
        let is_join = matches!(
            status,
            Status::Parked {
                guard: Guard::Ended(_) | Guard::Alone,
                ..
            }
        );
        if !is_known || is_join || machine.is_woken(ThreadId(step.thread)) {
            step.learnt = learnt(machine, sequence, step, is_known);
        }
    }
    sequence.base_of(step, base);
}

/// The last steps of other threads that a step knows of through creation, joins and signals.
fn learnt(machine: &Machine, sequence: &Sequence, step: &Step, is_known: bool) -> Learnt {
    let mut learnt = Learnt::new();
    // A join that is an event comes after all that the other thread did, which its own clock does not know yet.
    if let Status::Parked {
        guard: guard @ (Guard::Ended(_) | Guard::Alone),
        ..
    } = machine.status(ThreadId(step.thread))
    {
        for other in 0..sequence.width() {
            let is_joined = guard == Guard::Alone || guard == Guard::Ended(ThreadId::from(other));
            let count = sequence.count(other as u32);
            if is_joined && count > 0 {
                learnt.push((other as u32, count));
            }
        }
    }
    if machine.is_woken(ThreadId(step.thread)) {
        let mut steps = sequence.steps.iter().rev();
        let signal = steps.find(|s| s.woken.contains(&ThreadId(step.thread)));
        let signal = signal.expect("it was woken");
        learnt.push((signal.thread, signal.index));
    }
    if !is_known {
        let clock = &machine.state(ThreadId(step.thread)).clock;
        for (other, &known) in clock.iter().enumerate() {
            if other == step.thread as usize {
                continue;
            }
            // What it did before the creation or join that made it known.
            let mut steps = sequence.of_thread[other].iter().rev();
            let last = steps.find(|i| sequence.steps[**i as usize].time <= known);
            if let Some(&last) = last {
                learnt.push((other as u32, sequence.steps[last as usize].index));
            }
        }
    }
    learnt
}

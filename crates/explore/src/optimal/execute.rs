//! A step is executed at the end of the sequence: the machine goes to its next scheduling point,
//! and its questions are answered.

use std::sync::atomic::Ordering;

use machine::{AskedAt, Enabled, End, Guard, Machine, Mark, Question, Status, ThreadId};
use smallvec::SmallVec;

use super::sequence::{Bytes, Counts, KnownSteps, Origin, Sequence, Step};
use super::track::Track;
use super::waiting::Refused;
use super::{Executed, Finds, Finished, Search, Todo};
use crate::decision::Decision;
use crate::driver::{Flow, Policy, Round, Spun, drive};
use crate::ends::ends_step;
use crate::replies::{Next, Others, Replies, Reply};
use crate::step::EventId;

impl Search<'_> {
    pub(super) fn can_go_on(&self, thread: ThreadId) -> bool {
        self.end.is_none()
            && self
                .walk
                .machine
                .enabled()
                .iter()
                .any(|e| e.thread == thread && !e.spurious)
    }

    /// Executes a step at the end of the sequence. `None`: what comes before the first event.
    pub(super) fn execute(
        &mut self,
        thread: Option<ThreadId>,
        todo: Todo,
        next: Option<Next>,
    ) -> Executed {
        let is_first = next.is_none();
        let (insertion_order, origin, owner, finds) =
            (todo.insertion_order, todo.origin, todo.thread, todo.finds);
        let mut executed = self.execute_once(thread, todo, next);
        let mut refused = None;
        // A reply that an assumption refutes later in the step leaves the others to try: the first
        // that is possible is one of them.
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
            let Some((replies, next)) = replies.next() else {
                break;
            };
            let changed = next.at;
            let is_first = is_first && replies.all_first();
            let todo = Todo {
                thread: owner,
                insertion_order,
                origin,
                replies,
                finds,
            };
            executed = self.execute_once(thread, todo, Some(next));
            if executed == Executed::Done {
                let step = self.sequence.steps.last_mut().expect("the step");
                let mut replies = step.replies.0.iter_mut();
                let changed = replies.find(|reply| reply.at == changed);
                changed.expect("the reply").is_first = is_first;
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

    pub(super) fn execute_once(
        &mut self,
        thread: Option<ThreadId>,
        todo: Todo,
        next: Option<Next>,
    ) -> Executed {
        if self.walk.options.interrupt.load(Ordering::Relaxed) {
            self.walk.outcome.stopped = Some(self.walk.monitor.stop_reason());
            return Executed::Finished(Finished::Done);
        }
        let machine = &mut self.walk.machine;
        let mut step = Step::new(todo.thread, todo.insertion_order, todo.origin);
        base_clocks(machine, &self.sequence, &mut step, &mut self.base);
        self.begun = begun(machine, &self.track);
        let mark = schedule(machine, thread, todo.finds);
        let executed = self.advance(&mut step, todo.replies, next);
        if executed != Executed::Done {
            return self.not_done(step, mark, executed);
        }
        if thread.is_some() {
            let touches = self.walk.machine.footprint();
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
    pub(super) fn not_done(&mut self, mut step: Step, mark: Mark, executed: Executed) -> Executed {
        match executed {
            Executed::Infeasible => self.refuted = step.replies,
            Executed::Refused => {
                step.cell = self.cells.of(self.walk.machine.footprint());
                step.written = true;
                step.conditional = true;
                if self.cells.merged {
                    return Executed::Finished(Finished::StartOver);
                }
                self.refused = Some(Refused {
                    loc: self.walk.machine.user_loc(step.thread),
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
    pub(super) fn advance(
        &mut self,
        step: &mut Step,
        given: Replies,
        next: Option<Next>,
    ) -> Executed {
        self.end = None;
        drive(&mut Stepping {
            search: self,
            step,
            given,
            next,
        })
    }

    /// Within a step another thread did something. The search starts over with that as a step of
    /// its own, which can say that its thread waits, asks or fails.
    fn give_own_step(&mut self) -> Executed {
        self.observes_joins = true;
        Executed::Finished(Finished::StartOver)
    }
}

/// The execution of one step, up to the next scheduling point.
struct Stepping<'s, 'a> {
    search: &'s mut Search<'a>,
    step: &'s mut Step,
    /// Replies that are known.
    given: Replies,
    /// What is to be replied after them.
    next: Option<Next>,
}

impl Stepping<'_, '_> {
    /// Whether a thread that is not the step's own does something that only a step of its own could
    /// say.
    fn is_of_another(&self) -> bool {
        let thread = self.search.walk.machine.current_thread();
        thread != self.step.thread && !self.search.observes_joins
    }

    fn reply(&mut self, question: Question, at: AskedAt) -> Option<Reply> {
        let walk = &mut self.search.walk;
        if let Some(mut reply) = self.given.take(at) {
            if reply.assumed.is_none() {
                reply.assumed = walk.assumption(question, reply.answer);
            }
            return Some(reply);
        }
        if let Some(next) = self.next.take_if(|next| next.at == at) {
            return walk.other_reply(next.others);
        }
        let reply = walk.reply(question);
        // Only the first time are there several answers to what is asked here.
        let is_open = |r: &Reply| r.others != Others::None;
        let is_new = self.given.is_empty() && self.next.is_none();
        assert!(is_new || !reply.as_ref().is_some_and(is_open));
        reply
    }
}

impl Policy for Stepping<'_, '_> {
    type Stop = Executed;

    fn machine(&mut self) -> &mut Machine {
        &mut self.search.walk.machine
    }

    fn schedule(&mut self) -> Flow<Executed> {
        Flow::Break(Executed::Done)
    }

    fn ask(&mut self, question: Question) -> Flow<Executed> {
        if self.is_of_another() {
            return Flow::Break(self.search.give_own_step());
        }
        let depth = self.search.sequence.len();
        if let Some(stopped) = self.search.walk.tick_at_question(depth) {
            self.search.walk.outcome.stopped = Some(stopped);
            return Flow::Break(Executed::Finished(Finished::Done));
        }
        let at = self.search.walk.machine.asked_at(self.search.begun);
        let Some(mut reply) = self.reply(question, at) else {
            return Flow::Break(Executed::Infeasible);
        };
        reply.at = at;
        self.search.walk.give(&reply, &mut self.step.decisions);
        self.step.replies.0.push(reply);
        Flow::Continue(())
    }

    fn wait(&mut self, _: Round) -> Flow<Executed> {
        if self.is_of_another() {
            return Flow::Break(self.search.give_own_step());
        }
        self.step.awaits = true;
        self.step.decisions.push(Decision::Yield);
        self.search.walk.machine.block_in_loop();
        Flow::Continue(())
    }

    fn spin(&mut self) -> Flow<Executed> {
        match self.search.walk.spin() {
            Spun::StartOver => return Flow::Break(Executed::Finished(Finished::StartOver)),
            Spun::GoesOn => {}
            Spun::Yields { .. } => {
                self.step.decisions.push(Decision::Yield);
                self.search.walk.machine.yield_spinning();
            }
        }
        Flow::Continue(())
    }

    fn end(&mut self, end: End) -> Flow<Executed> {
        if let Err(finished) = self.search.walk.end_of_run(&end) {
            return Flow::Break(Executed::Finished(finished));
        }
        if ends_step(&end) && self.is_of_another() {
            // It would be taken for a fault of this step, which may be known not to have any.
            return Flow::Break(self.search.give_own_step());
        }
        let walk = &mut self.search.walk;
        if walk.is_refused(&end, self.step.thread) {
            return Flow::Break(Executed::Refused);
        }
        if self.step.origin == Origin::Kept && ends_step(&end) && walk.machine.survive_fault() {
            // Known, and gone on after.
            self.step.faulty = true;
            return Flow::Continue(());
        }
        self.search.end = Some(end);
        Flow::Break(Executed::Done)
    }
}

/// Turns of the machine when its next step begins. It may have come to questions of the first one
/// already.
pub(super) fn begun(machine: &Machine, track: &Track) -> u64 {
    match track.len() {
        0 => 0,
        _ => machine.turns(),
    }
}

/// Lets the machine begin a step; returns the state before it. `None`: what comes before the first
/// event.
pub(super) fn schedule(
    machine: &mut Machine,
    thread: Option<ThreadId>,
    finds: Option<Finds>,
) -> Mark {
    let mark = machine.mark();
    if let Some(Finds { at, word }) = finds {
        machine.read_older_value(at.address, at.count.get(), word);
    }
    if let Some(thread) = thread {
        machine.schedule(Enabled {
            thread,
            spurious: false,
        });
    }
    mark
}

/// What the next step of a thread needs and what lies before it, without regard to what it touches.
pub(super) fn base_clocks(
    machine: &Machine,
    sequence: &Sequence,
    step: &mut Step,
    base: &mut Counts,
) {
    let thread = step.thread;
    if machine.thread_exists(thread) {
        let clock = &machine.thread_state(thread).clock;
        step.time = clock.get(thread.index()).copied().unwrap_or(0);
        step.knowledge = clock.iter().sum::<u32>() - step.time;
        let last = sequence.of_thread[thread].last();
        let is_known = last.is_some_and(|l| sequence.steps[*l].knowledge == step.knowledge);
        let status = machine.status(thread);
        let is_join = matches!(
            status,
            Status::Parked {
                guard: Guard::Ended(_) | Guard::Alone,
                ..
            }
        );
        if !is_known || is_join || machine.is_woken(thread) {
            step.known_steps = known_steps(machine, sequence, step, is_known);
        }
    }
    sequence.base_of(step, base);
}

/// The last steps of other threads that a step knows of through creation, joins and signals.
fn known_steps(machine: &Machine, sequence: &Sequence, step: &Step, is_known: bool) -> KnownSteps {
    let mut known_steps = KnownSteps::new();
    // A join that is an event comes after all that the other thread did, which its own clock does
    // not know yet.
    if let Status::Parked {
        guard: guard @ (Guard::Ended(_) | Guard::Alone),
        ..
    } = machine.status(step.thread)
    {
        for thread in sequence.of_thread.ids() {
            let is_joined = guard == Guard::Alone || guard == Guard::Ended(thread);
            let index = sequence.count(thread);
            if is_joined && index > 0 {
                known_steps.push(EventId { thread, index });
            }
        }
    }
    if machine.is_woken(step.thread) {
        let mut steps = sequence.steps.iter().rev();
        let signal = steps.find(|s| s.woken.contains(&step.thread));
        let signal = signal.expect("it was woken");
        known_steps.push(signal.event());
    }
    if !is_known {
        let clock = &machine.thread_state(step.thread).clock;
        for (other, &known) in clock.iter().enumerate() {
            let other = ThreadId(other as u32);
            if other == step.thread {
                continue;
            }
            // What it did before the creation or join that made it known.
            let steps = sequence.of_thread[other].iter().rev();
            let mut steps = steps.map(|id| &sequence.steps[*id]);
            if let Some(last) = steps.find(|s| s.time <= known) {
                known_steps.push(last.event());
            }
        }
    }
    known_steps
}

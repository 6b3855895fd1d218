//! Dynamic partial order reduction: a depth-first search that goes back only to where two steps
//! race.
//!
//! Two algorithms, which differ in what they add to the backtrack set of such a state ([`Kind`]):
//!
//! - *Classic*: Flanagan and Godefroid (POPL'05) with clock vectors, the baseline of P1 and P4 (P4,
//!   Algorithm 1). It adds the thread of the later step, or one that leads to it, or all. No sleep
//!   sets: equivalent executions are followed more than once. An operation that writes only if it
//!   finds what it expects counts as a write.
//! - *Source*: source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas, POPL'14, Algorithm
//!   1). Of the threads that can begin the reversed execution it adds one, unless one is there
//!   already or asleep. No execution is completed twice; one in which all threads that can go on
//!   are asleep is cut short.
//!
//! What a step touches is known once it is done, so races are looked for then, and not while it is
//! pending as Algorithm 1 has it. Every pending step is done later, or its thread is stuck at the
//! end and its operation is looked at there. Where P4 asks which steps may be co-enabled, the state
//! of the lock tells whether the operation could be done at that place (`races.rs`).
//!
//! Questions of the machine (symbolic branches, modelled choices) belong to the step in which they
//! are asked: a step has several outcomes, and a thread sleeps only when all have been explored.
//!
//! Two things end an execution in the middle of a step, with other threads alive, and must not hide
//! what these do:
//! - A fault, or giving up. The others go on without the thread, for what they do could have come
//!   before. No end that they come to counts. If they come to a fault that need not come after the
//!   first end, all threads are added to the backtrack set where the step ended.
//! - An atomic section that cannot be passed. The thread cannot go on until its cell is written
//!   (`Await`). Having looked, it is a reader of the cell. If the section can be passed on other
//!   inputs, all threads are added to the backtrack set there.
//!
//! With observers (`dependence.rs`) whether two writes race is known only when one of them is seen.
//! Then happens-before has grown, and races are looked for once more from there on
//! (`Search::observe`). A sleeping thread wakes up when another writes what its own step would
//! replace. If no later step sees what the own step writes, the execution is not new: it is
//! followed for the sake of its races, and does not count.
//!
//! Memory: the execution, and the sleep sets of its states.
//!
//! Invariant: `nodes[id]` is the state before `trace.steps[id]`; at the end of an execution there
//! are as many nodes as steps. Checked against the reference interpreter by
//! `verify/tests/differential.rs` (`SLEAVE_POR`), against the number of traces by
//! `cli/tests/programs.rs`.

mod ends;
mod node;
mod pruning;
mod races;
mod reversals;
mod trace;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::IndexVec;
use machine::{Enabled, End, Machine, Mode, Program, Question, ThreadId};
use smallvec::SmallVec;

use self::node::{Node, Threads};
use self::races::Could;
use self::trace::{Asked, Step, Trace};
use self::waiting::Await;
use crate::cells::Cells;
use crate::decision::Decision;
use crate::dependence::{Access, Effect, Effects};
use crate::driver::{Finished, Flow, Policy, Round, Spun, drive};
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::options::{self, Options};
use crate::outcome::{Monitor, Outcome};
use crate::replies::Others;
use crate::step::StepId;
use crate::summaries::{self, Covering, PointId, Summaries, Summary, Visible};
use crate::walk::Walk;

pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Error> {
    let mut known = SearchFacts::at_first(&options.shared);
    let mut cells = Cells::default();
    loop {
        cells.merged = false;
        let mode = Mode {
            observed: true,
            commuting: options.search.independence().commute,
            observes_last: options.search.independence().observers,
            ..Mode::default()
        };
        let mut probes = options.probes(&known.peeking);
        if matches!(options.search, options::Search::Source { .. }) {
            probes = probes.with_peek_at_waits();
        }
        if let Some(summarise) = options.search.summaries() {
            probes = probes.with_history(summarise.explains.clone().unwrap_or_default());
        }
        let walk = Walk::start(program, options, monitor, &known, mode, probes)?;
        let mut search = Search {
            walk,
            kind: match options.search {
                options::Search::Source { .. } => Kind::Source,
                _ => Kind::Classic,
            },
            cells: &mut cells,
            trace: Trace::new(known.threads.len()),
            nodes: IndexVec::new(),
            blocked_awaits: Vec::new(),
            end: None,
            summaries: options.search.summaries().map(Summaries::new),
            pruned_inside: None,
            left_inside: Vec::new(),
        };
        if search.run() == Finished::Done {
            let summaries = search.summaries.as_ref();
            search.walk.outcome.summaries = summaries.map(Summaries::statistics);
            if let Some(published) = summaries.and_then(Summaries::published) {
                let walk = &mut search.walk;
                walk.monitor.summaries(&mut walk.machine, published);
            }
            return Ok(search.walk.finish());
        }
        known.learn_generously(&search.walk.machine);
        search.walk.monitor.restart();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Classic,
    Source,
}

/// How executing a step went.
enum Executed {
    Done,
    /// It could not be finished; perhaps with other replies.
    Not(Box<Step>),
    Finished(Finished),
}

/// How the machine came to a halt within a step.
enum Halt {
    Scheduling,
    /// The step cannot pass its atomic section here.
    Refused,
    Infeasible,
    Finished(Finished),
}

struct Search<'a, 'b> {
    walk: Walk<'a>,
    kind: Kind,
    cells: &'b mut Cells,
    trace: Trace,
    nodes: IndexVec<StepId, Node>,
    blocked_awaits: Vec<Await>,
    /// How the execution ended after the last step.
    end: Option<End>,
    summaries: Option<Summaries>,
    /// The last step was left in the middle, because a summary holds there.
    pruned_inside: Option<Summary>,
    /// What the step that is being executed would have led to with inputs that were left out,
    /// because a summary holds for them.
    left_inside: Vec<Visible>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Finished {
        // What the program does before its first event is a step, too.
        let mut executed = self.open(
            Threads::from_slice(&[ThreadId::MAIN]),
            ThreadId::MAIN,
            Vec::new(),
        );
        loop {
            executed = match executed {
                Executed::Done => self.descend(),
                Executed::Not(step) => self.reply_otherwise(*step),
                Executed::Finished(finished) => return finished,
            };
        }
    }

    // ----- going on -----

    /// From the state after the last step: lets a thread go on, or goes back if none can or need.
    fn descend(&mut self) -> Executed {
        self.reverse_left_inside();
        if let Some(known) = self.pruned_inside.take() {
            return self.leave_to(known);
        }
        if let Some(finished) = self.judge() {
            return Executed::Finished(finished);
        }
        let parent = self.nodes.last().expect("the state before the last step");
        let last = self.trace.steps.last().expect("the last step");
        let sleep_set = match self.kind {
            Kind::Classic => Vec::new(),
            Kind::Source => parent.asleep_after(last),
        };
        let mut enabled = Threads::new();
        if self.end.is_none() {
            let can_go_on = self.walk.machine.enabled().iter();
            enabled.extend(
                can_go_on
                    .map(|e| e.thread)
                    .filter(|t| self.blocked_await_of(*t).is_none()),
            );
        }
        if enabled.is_empty() {
            if let Some(finished) = self.leaf() {
                return Executed::Finished(finished);
            }
            return self.back();
        }
        let is_awake = |t: &ThreadId| sleep_set.iter().all(|s| s.thread != *t);
        let awake = self.preferred(enabled.iter().copied().filter(is_awake));
        let could_be_seen = |t: &ThreadId| {
            sleep_set
                .iter()
                .all(|s| s.thread != *t || s.must_be_observed)
        };
        let drowsy = || self.preferred(enabled.iter().copied().filter(could_be_seen));
        let Some(first) = awake.or_else(drowsy) else {
            // All that follows has been explored from other states. But steps of threads that wait
            // race with earlier ones all the same.
            self.look_once_more();
            let finished = self.book(&End::Discarded);
            if let Some(finished) = finished.or_else(|| self.reverse_waits()) {
                return Executed::Finished(finished);
            }
            self.summarise_end(Some(Vec::new()));
            return self.back();
        };
        match self.covered(&sleep_set) {
            Covering::All(known) => self.leave_to(known),
            Covering::AllBut { missing, known } => {
                self.explore_rest(known, missing, enabled, first, sleep_set)
            }
            Covering::Inputs { .. } if self.is_void() => Executed::Finished(Finished::StartOver),
            Covering::Inputs { .. } | Covering::Nothing => self.open(enabled, first, sleep_set),
        }
    }

    /// The thread that ran last comes first: schedules with few switches are tried, and shown,
    /// before others. One that spins comes last. With summaries threads are always taken in the
    /// same order, so that others come to where the first one was.
    fn preferred(&self, threads: impl Iterator<Item = ThreadId>) -> Option<ThreadId> {
        let machine = &self.walk.machine;
        let current = machine.current_thread();
        if self.summaries.is_some() {
            return threads.min_by_key(|t| (machine.is_spinning(*t), *t));
        }
        threads.min_by_key(|t| (machine.is_spinning(*t), *t != current, *t))
    }

    /// Makes a node of the present state, at which `first` is tried first.
    fn open(
        &mut self,
        enabled: Threads,
        first: ThreadId,
        sleep_set: Vec<node::Sleeper>,
    ) -> Executed {
        let point = self.open_point(&sleep_set);
        let mark = self.walk.machine.mark();
        self.enter(Node::new(mark, enabled, first, sleep_set, point))
    }

    fn enter(&mut self, node: Node) -> Executed {
        self.nodes.push(node);
        self.walk.outcome.deepest = self.walk.outcome.deepest.max(self.nodes.len());
        self.next_thread()
    }

    /// Executes the thread's next step. What comes before the first event needs no scheduling.
    fn execute(&mut self, thread: ThreadId) -> Executed {
        if self.walk.options.interrupt.load(Ordering::Relaxed) {
            self.walk.outcome.stopped = Some(self.walk.monitor.stop_reason());
            return Executed::Finished(Finished::Done);
        }
        let mut step = self.trace.next_step(&self.walk.machine, thread);
        step.must_be_observed = self.nodes.last().expect("a node").must_be_observed(thread);
        if self.trace.len() > 0 {
            self.walk.machine.schedule(Enabled {
                thread,
                spurious: false,
            });
        }
        self.finish(step)
    }

    /// Executes what is left of a step and adds it to the execution.
    fn finish(&mut self, mut step: Step) -> Executed {
        let halt = self.advance(&mut step);
        if !matches!(halt, Halt::Scheduling) && !std::mem::take(&mut self.left_inside).is_empty() {
            // What it would have raced with is known of finished steps only.
            self.nodes
                .iter_mut()
                .for_each(Node::add_all_to_backtrack_set);
        }
        match halt {
            Halt::Finished(finished) => return Executed::Finished(finished),
            Halt::Infeasible => {
                self.spoil();
                self.nodes.last_mut().expect("a node").left = true;
                return Executed::Not(Box::new(step));
            }
            Halt::Refused => {
                self.refuse(&mut step);
                return if self.is_void() {
                    Executed::Finished(Finished::StartOver)
                } else {
                    Executed::Not(Box::new(step))
                };
            }
            Halt::Scheduling => {}
        }
        if self.trace.len() > 0 {
            step.effects = self.effects();
            let touches = self.walk.machine.footprint();
            if self.kind == Kind::Classic && touches.iter().any(|t| t.conditional) {
                (step.effects.iter_mut()).for_each(|effect| effect.access = Access::Write);
            }
            step.touches = SmallVec::from_slice(touches);
            step.woken = SmallVec::from_slice(self.walk.machine.woken());
        }
        if self.is_void() {
            return Executed::Finished(Finished::StartOver);
        }
        step.events = (self.walk.machine.visible_events() - step.events_before) as u32;
        self.observe(&mut step);
        self.reverse_races(&step, Could::Yes);
        let node = self.nodes.last_mut().expect("the state before the step");
        node.left_by(&step);
        if let Some(summaries) = &mut self.summaries {
            (step.accesses()).for_each(|access| summaries.note_access(access));
        }
        self.trace.push(step);
        Executed::Done
    }

    /// What the machine's last step does to cells. The classic search knows only steps with one.
    fn effects(&mut self) -> Effects {
        let machine = &self.walk.machine;
        let is_section = self.kind == Kind::Source && machine.footprint_is_section();
        let independence = self.walk.options.search.independence();
        Effect::all(self.cells, machine.footprint(), is_section, independence)
    }

    /// Whether the search must start over.
    fn is_void(&self) -> bool {
        let machine = &self.walk.machine;
        self.cells.merged
            || machine.sharing_grew
            || machine.thread_names().len() > self.trace.width()
    }

    /// Runs the machine to its next scheduling point, replying to its questions.
    fn advance(&mut self, step: &mut Step) -> Halt {
        self.end = None;
        drive(&mut Stepping { search: self, step })
    }

    // ----- going back -----

    /// Takes the last step back.
    fn back(&mut self) -> Executed {
        let Some(step) = self.trace.pop() else {
            return Executed::Finished(Finished::Done);
        };
        let now = self.trace.end();
        self.blocked_awaits
            .retain(|blocked_await| blocked_await.until <= now);
        Executed::Not(Box::new(step))
    }

    /// Finishes a step that was taken back with the next possible replies; if there are none, tries
    /// another thread.
    fn reply_otherwise(&mut self, mut step: Step) -> Executed {
        if let Some(finished) = self.rest_on_the_way_back() {
            return Executed::Finished(finished);
        }
        while let Some(mut asked) = step.asked.pop() {
            self.close_points(asked.point.next());
            self.walk.machine.undo(&asked.mark);
            step.decisions.truncate(asked.decisions);
            step.ended = asked.ended;
            let reply = self.walk.other_reply(asked.others);
            let Some(mut reply) = reply else {
                self.walk.machine.discard(asked.mark);
                continue;
            };
            asked.others = std::mem::replace(&mut reply.others, Others::None);
            if matches!(asked.others, Others::None) {
                self.walk.machine.discard(asked.mark);
            } else {
                step.asked.push(asked);
            }
            self.walk.give(&reply, &mut step.decisions);
            return self.finish(step);
        }
        let point = self.nodes.last().expect("the state before the step").point;
        self.close_points(point.next());
        let node = self.nodes.last_mut().expect("the state before the step");
        self.walk.machine.undo(&node.mark);
        if self.kind == Kind::Source {
            node.compare_with_expected(step.thread);
            node.add_to_sleep_set(step.thread);
        }
        self.next_thread()
    }

    /// Tries the next thread at the last node, or goes back further.
    fn next_thread(&mut self) -> Executed {
        let node = self.nodes.last_mut().expect("a node");
        if !node.left {
            // No thread that was tried could go on.
            node.add_another_to_backtrack_set();
        }
        if let Some(thread) = node.next() {
            self.walk.machine.record_again(&node.recorded);
            return self.execute(thread);
        }
        if !node.left {
            self.end = None;
            // Then it is known which threads can go on.
            self.walk.machine.advance();
            if let Some(finished) = self.leaf() {
                return Executed::Finished(finished);
            }
        }
        let node = self.nodes.pop().expect("a node");
        self.close_point_after_step(node.point);
        self.walk.machine.discard(node.mark);
        self.back()
    }
}

/// The execution of one step, up to the next scheduling point.
struct Stepping<'s, 'a, 'b> {
    search: &'s mut Search<'a, 'b>,
    step: &'s mut Step,
}

impl Policy for Stepping<'_, '_, '_> {
    type Stop = Halt;

    fn machine(&mut self) -> &mut Machine {
        &mut self.search.walk.machine
    }

    fn schedule(&mut self) -> Flow<Halt> {
        Flow::Break(Halt::Scheduling)
    }

    fn ask(&mut self, question: Question) -> Flow<Halt> {
        let Stepping { search, step } = self;
        let key = search.branch_key();
        if let Some(key) = &key
            && search.is_known_inside(step, key)
        {
            return Flow::Break(Halt::Scheduling);
        }
        let Some(mut reply) = search.walk.reply(question) else {
            return Flow::Break(Halt::Infeasible);
        };
        let others = std::mem::replace(&mut reply.others, Others::None);
        let is_choice = others != Others::None;
        // Explanations also need branches of which this path takes only one side.
        let explains = search.summaries.as_ref().is_some_and(Summaries::explains);
        let is_shown = explains && key.is_some();
        if is_choice || is_shown {
            let kind = match others {
                Others::Choice { .. } => summaries::Kind::All,
                _ => summaries::Kind::Any,
            };
            let machine = &mut search.walk.machine;
            let point = search.summaries.as_mut();
            let point = point.map_or(PointId::FIRST, |s| s.open(machine, kind, key, Vec::new()));
            step.asked.push(Asked {
                point,
                mark: machine.mark(),
                others,
                decisions: step.decisions.len(),
                ended: step.ended,
            });
            step.chosen |= is_choice;
        }
        search.walk.give(&reply, &mut step.decisions);
        Flow::Continue(())
    }

    fn join(&mut self) -> Flow<Halt> {
        match self.search.pass_join(self.step) {
            true => Flow::Break(Halt::Scheduling),
            false => Flow::Continue(()),
        }
    }

    fn wait(&mut self, round: Round) -> Flow<Halt> {
        self.search.wait(self.step, round);
        Flow::Continue(())
    }

    fn spin(&mut self) -> Flow<Halt> {
        match self.search.walk.spin() {
            Spun::StartOver => return Flow::Break(Halt::Finished(Finished::StartOver)),
            Spun::GoesOn => {}
            Spun::Yields { .. } => {
                self.search.spoil();
                self.step.decisions.push(Decision::Yield);
                self.search.walk.machine.yield_spinning();
            }
        }
        Flow::Continue(())
    }

    fn end(&mut self, end: End) -> Flow<Halt> {
        let walk = &mut self.search.walk;
        Flow::Break(match walk.end_of_run(&end) {
            Err(finished) => Halt::Finished(finished),
            Ok(()) if walk.is_refused(&end, self.step.thread) => Halt::Refused,
            Ok(()) => {
                self.search.end = Some(end);
                Halt::Scheduling
            }
        })
    }
}

//! Runs taken at random: for bugs in programs that are too large to exhaust. It proves nothing.
//!
//! Two ways to choose whose turn it is take turns themselves, run by run (`samplers.rs`): random
//! priorities with a few changes (PCT), which finds bugs that need few orderings whatever the
//! length of the program, and a walk that makes all interleavings about equally likely, which finds
//! those that many interleavings show. What else must be decided (a branch on an input, which
//! waiter is woken) is drawn evenly from what is possible.
//!
//! Every run draws from a generator of its own, made of the seed and the run's number. The machine
//! is taken back to the first decision after each, so what comes before is executed once.

mod generator;
mod samplers;

use std::sync::Arc;

use machine::{Enabled, End, Machine, Mark, Mode, Probes, Program, Property, Question, Situation};
use smallvec::SmallVec;

pub(crate) use self::generator::Generator;
use self::samplers::{History, Priorities, Sampler, Uniform};
use crate::decision::Decision;
use crate::driver::{Finished, Flow, Policy, Round, Spun, drive};
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::options::Options;
use crate::outcome::{Monitor, Outcome, Phase, Stopped};
use crate::walk::Walk;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampling {
    pub seed: u64,
    /// So many runs; `None`: until it is told to stop.
    pub runs: Option<u64>,
}

/// Runs until a fault is found (unless all are asked for) or it is told to stop. The outcome is
/// never complete.
pub(crate) fn search(
    program: &Arc<Program>,
    options: &Options,
    sampling: Sampling,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Error> {
    monitor.phase(Phase::Random);
    let mut known = SearchFacts::at_first(&options.shared);
    let mut history = History::default();
    let mut before = Outcome::default();
    let mut number = 0;
    loop {
        let (mode, probes) = (Mode::default(), Probes::default());
        let mut walk = Walk::start(program, options, monitor, &known, mode, probes)?;
        before.restarts = walk.outcome.restarts;
        walk.outcome = std::mem::take(&mut before);
        let start = first_decision(&mut walk);
        let mut search = Search {
            walk,
            history: &mut history,
            decisions: Vec::new(),
        };
        let finished = search.runs(&start, sampling, &mut number);
        let outcome = &mut search.walk.outcome;
        if finished == Finished::Done {
            outcome.stopped = match outcome.stopped.take() {
                None | Some(Stopped::TimeLimit) => Some(Stopped::RandomSearch),
                stopped => stopped,
            };
            return Ok(search.walk.finish());
        }
        before = std::mem::take(outcome);
        known.learn_generously(&search.walk.machine);
        search.walk.monitor.restart();
    }
}

/// In one of this many runs threads wake without a signal. If they did so in all runs, a thread of
/// high priority would hardly ever wait.
const RARE_WAKING: usize = 4;

fn first_decision(walk: &mut Walk) -> Mark {
    let start = walk.machine.mark();
    match walk.machine.advance() {
        Situation::Schedule | Situation::Ask(_) | Situation::Join => walk.machine.mark(),
        Situation::Spin | Situation::Await { .. } | Situation::End(_) => {
            walk.machine.undo(&start);
            start
        }
    }
}

struct Search<'a, 'b> {
    walk: Walk<'a>,
    history: &'b mut History,
    decisions: Vec<Decision>,
}

/// What one run has for itself.
struct Run {
    random: Generator,
    sampler: Sampler,
    /// Threads may wake from condition waits without a signal.
    wakes: bool,
    /// It goes on after a fault: nothing counts but what memory proves to be shared.
    aftermath: bool,
}

impl Search<'_, '_> {
    fn runs(&mut self, start: &Mark, sampling: Sampling, number: &mut u64) -> Finished {
        while sampling.runs.is_none_or(|runs| *number < runs) {
            let mut run = self.new_run(sampling.seed, *number);
            let ended = drive(&mut OneRun {
                search: self,
                run: &mut run,
            });
            if let Err(finished) = ended {
                return finished;
            }
            *number += 1;
            if !run.random.was_used() {
                // Nothing was to be decided: every run is this one.
                break;
            }
            run.sampler.report(self.history);
            self.walk.machine.undo(start);
            self.decisions.clear();
        }
        Finished::Done
    }

    fn new_run(&self, seed: u64, number: u64) -> Run {
        let mut random = Generator::of_run(seed, number);
        let sampler = if number.is_multiple_of(2) {
            let depth = 1 + (number / 2 % u64::from(samplers::DEEPEST)) as u32;
            Sampler::Priorities(Priorities::new(depth, self.history, &mut random))
        } else {
            Sampler::Uniform(Uniform::new(self.history))
        };
        let wakes = random.below(RARE_WAKING) == 0;
        random.forget_use();
        Run {
            random,
            sampler,
            wakes,
            aftermath: false,
        }
    }
}

/// One run, to its end; `Err`: no more.
struct OneRun<'r, 's, 'a, 'b> {
    search: &'s mut Search<'a, 'b>,
    run: &'r mut Run,
}

impl Policy for OneRun<'_, '_, '_, '_> {
    type Stop = Result<(), Finished>;

    fn machine(&mut self) -> &mut Machine {
        &mut self.search.walk.machine
    }

    fn schedule(&mut self) -> Flow<Self::Stop> {
        let machine = &mut self.search.walk.machine;
        let mut enabled: SmallVec<[Enabled; 4]> = SmallVec::from_slice(machine.enabled());
        if !self.run.wakes && enabled.iter().any(|e| !e.spurious) {
            enabled.retain(|e| !e.spurious);
        }
        if enabled.iter().any(|e| !machine.is_spinning(e.thread)) {
            enabled.retain(|e| !machine.is_spinning(e.thread));
        }
        let choice = self.run.sampler.choose(&enabled, &mut self.run.random);
        self.search.decisions.push(Decision::of(choice));
        machine.schedule(choice);
        Flow::Continue(())
    }

    fn ask(&mut self, question: Question) -> Flow<Self::Stop> {
        let Search {
            walk, decisions, ..
        } = &mut *self.search;
        match walk.random_reply(question, &mut self.run.random) {
            Some(reply) => {
                walk.give(&reply, decisions);
                Flow::Continue(())
            }
            // The run ends in the middle.
            None => Flow::Break(match walk.monitor.tick(&walk.outcome, decisions.len()) {
                Some(stopped) => self.search.stop(stopped),
                None => Ok(()),
            }),
        }
    }

    fn wait(&mut self, _: Round) -> Flow<Self::Stop> {
        unreachable!("not every event is a decision")
    }

    fn spin(&mut self) -> Flow<Self::Stop> {
        match self.search.walk.spin() {
            Spun::StartOver => return Flow::Break(Err(Finished::StartOver)),
            Spun::GoesOn => {}
            Spun::Yields { .. } => {
                self.search.decisions.push(Decision::Yield);
                self.search.walk.machine.yield_spinning();
            }
        }
        Flow::Continue(())
    }

    fn end(&mut self, end: End) -> Flow<Self::Stop> {
        if let Err(finished) = self.search.walk.end_of_run(&end) {
            return Flow::Break(Err(finished));
        }
        let fault = match &end {
            End::Fault(at) => Some(at.fault.property()),
            _ => None,
        };
        if !self.run.aftermath
            && let Some(stopped) = self.search.book(&end)
        {
            return Flow::Break(self.search.stop(stopped));
        }
        let machine = &mut self.search.walk.machine;
        match fault {
            None | Some(Property::Deadlock) if machine.survive_standstill() => self.schedule(),
            Some(property)
                if property != Property::Deadlock
                    && self.search.walk.options.all
                    && machine.survive_fault() =>
            {
                self.run.aftermath = true;
                Flow::Continue(())
            }
            _ => Flow::Break(Ok(())),
        }
    }
}

impl Search<'_, '_> {
    fn book(&mut self, end: &End) -> Option<Stopped> {
        let depth = self.decisions.len();
        self.walk.outcome.deepest = self.walk.outcome.deepest.max(depth);
        self.walk.end(end, &mut || self.decisions.clone(), depth)
    }

    fn stop(&mut self, stopped: Stopped) -> Result<(), Finished> {
        self.walk.outcome.stopped = Some(stopped);
        Err(Finished::Done)
    }
}

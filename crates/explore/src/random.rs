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

use machine::{
    Answer, Cutoff, Enabled, End, Mark, Mode, Probes, Program, Property, Question, Situation,
};
use smallvec::SmallVec;
use smt::TermId;

pub(crate) use self::generator::Generator;
use self::samplers::{History, Priorities, Sampler, Uniform};
use crate::decision::Decision;
use crate::feasibility::Feasible;
use crate::outcome::{Monitor, Outcome, Phase, Stopped};
use crate::walk::{Known, Options, Seen, Walk};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampling {
    pub seed: u64,
    /// So many runs; `None`: until it is told to stop.
    pub runs: Option<u64>,
}

/// Runs until a fault is found (unless all are asked for) or it is told to stop. The outcome is
/// never complete.
pub fn search_random(
    program: &Arc<Program>,
    options: &Options,
    sampling: Sampling,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, String> {
    monitor.phase(Phase::Random);
    let mut known = Known::default();
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
        match search.runs(&start, sampling, &mut number) {
            Finished::Stopped(stopped) => {
                search.walk.outcome.stopped = Some(match stopped {
                    Stopped::TimeLimit => Stopped::RandomSearch,
                    other => other,
                });
                return Ok(search.walk.finish());
            }
            Finished::SharingGrew => {
                known.learn_generously(&search.walk.machine);
                before = std::mem::take(&mut search.walk.outcome);
                search.walk.monitor.restart();
            }
        }
    }
}

/// So often a thread that spins goes on if the others have nothing to do with it: its loop may just
/// be long.
const PATIENT_SPINS: u32 = 6;

/// Threads wake without a signal in one of so many runs. In all of them, a thread of high priority
/// would hardly ever wait.
const RARE_WAKING: usize = 4;

/// How many values an input has that must be fixed, at most: the later ones are less and less
/// likely.
const MOST_VALUES: usize = 16;

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

enum Finished {
    Stopped(Stopped),
    /// What was taken for local is shared: runs need more scheduling points.
    SharingGrew,
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
        loop {
            if sampling.runs.is_some_and(|runs| *number >= runs) {
                return Finished::Stopped(Stopped::RandomSearch);
            }
            let mut run = self.new_run(sampling.seed, *number);
            if let Some(finished) = self.run(&mut run) {
                return finished;
            }
            *number += 1;
            if !run.random.was_used() {
                // Nothing was to be decided: every run is this one.
                return Finished::Stopped(Stopped::RandomSearch);
            }
            run.sampler.report(self.history);
            self.walk.machine.undo(start);
            self.decisions.clear();
        }
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

    /// One run, to its end; `Some`: no more.
    fn run(&mut self, run: &mut Run) -> Option<Finished> {
        loop {
            match self.walk.machine.advance().clone() {
                Situation::Schedule => self.schedule(run),
                Situation::Join => self.walk.machine.join_on(),
                Situation::Await { .. } => unreachable!("not every event is a decision"),
                Situation::Spin => match self.walk.look_ahead() {
                    Seen::Sharing => return Some(Finished::SharingGrew),
                    Seen::Nothing if self.walk.machine.spins() < PATIENT_SPINS => {
                        self.walk.machine.spin_on()
                    }
                    Seen::Nothing | Seen::Fault => {
                        self.decisions.push(Decision::Yield);
                        self.walk.machine.yield_spinning();
                    }
                },
                Situation::Ask(question) => {
                    if !self.answer(question, run) {
                        return self.tick();
                    }
                }
                Situation::End(End::Cutoff(Cutoff::Interrupted, _)) => {
                    let reason = self.walk.monitor.stop_reason();
                    return Some(Finished::Stopped(reason));
                }
                Situation::End(_) if self.walk.machine.sharing_grew => {
                    return Some(Finished::SharingGrew);
                }
                Situation::End(end) => {
                    let fault = match &end {
                        End::Fault(at) => Some(at.fault.property()),
                        _ => None,
                    };
                    if !run.aftermath
                        && let Some(finished) = self.end(end)
                    {
                        return Some(finished);
                    }
                    match fault {
                        None | Some(Property::Deadlock) => {
                            if !self.walk.machine.survive_standstill() {
                                return None;
                            }
                            self.schedule(run);
                        }
                        Some(_) if self.walk.options.all && self.walk.machine.survive_fault() => {
                            run.aftermath = true;
                        }
                        Some(_) => return None,
                    }
                }
            }
        }
    }

    fn end(&mut self, end: End) -> Option<Finished> {
        let depth = self.decisions.len();
        self.walk.outcome.deepest = self.walk.outcome.deepest.max(depth);
        self.walk
            .end(end, &mut || self.decisions.clone(), depth)
            .map(Finished::Stopped)
    }

    /// A run ended in the middle.
    fn tick(&mut self) -> Option<Finished> {
        self.walk
            .monitor
            .tick(&self.walk.outcome, self.decisions.len())
            .map(Finished::Stopped)
    }

    // ----- decisions -----

    fn schedule(&mut self, run: &mut Run) {
        let machine = &self.walk.machine;
        let mut enabled: SmallVec<[Enabled; 4]> = SmallVec::from_slice(machine.enabled());
        if !run.wakes && enabled.iter().any(|e| !e.spurious) {
            enabled.retain(|e| !e.spurious);
        }
        if enabled.iter().any(|e| !machine.is_spinning(e.thread)) {
            enabled.retain(|e| !machine.is_spinning(e.thread));
        }
        let choice = enabled[run.sampler.choose(&enabled, &mut run.random)];
        let thread = choice.thread.0;
        self.decisions.push(if choice.spurious {
            Decision::Wake(thread)
        } else {
            Decision::Run(thread)
        });
        self.walk.machine.schedule(choice);
    }

    /// Answers a question of the machine; `false`: this run cannot go on.
    fn answer(&mut self, question: Question, run: &mut Run) -> bool {
        let answer = match question {
            Question::Branch(condition) => match self.side(condition, run) {
                Some(holds) => Answer::Truth(holds),
                None => return self.walk.give_up(),
            },
            Question::Assume(condition) => match self.walk.check(&[condition]) {
                Feasible::Yes(_) => {
                    self.walk.machine.assume(condition);
                    Answer::Truth(true)
                }
                Feasible::No => {
                    self.walk.outcome.runs.blocked += 1;
                    return false;
                }
                Feasible::Unknown => return self.walk.give_up(),
            },
            Question::Example(term) => match self.walk.check(&[]) {
                Feasible::Yes(model) => Answer::Number(self.walk.machine.terms.eval(term, &model)),
                Feasible::No => unreachable!("the path condition can be satisfied"),
                Feasible::Unknown => return self.walk.give_up(),
            },
            Question::Value(term) => match self.value(term, run) {
                Some(value) => Answer::Number(value),
                None => return self.walk.give_up(),
            },
            Question::Choice(count) => {
                let choice = run.random.below(count as usize) as u32;
                self.decisions.push(Decision::Choose(choice));
                Answer::Number(u128::from(choice))
            }
        };
        self.walk.machine.answer(answer);
        true
    }

    /// A possible side of a branch; `None`: the solver cannot tell.
    fn side(&mut self, condition: TermId, run: &mut Run) -> Option<bool> {
        let negated = self.walk.machine.terms.not(condition);
        let first = run.random.below(2) == 0;
        for holds in [first, !first] {
            let side = if holds { condition } else { negated };
            if let Feasible::Yes(_) = self.walk.check(&[side]) {
                // A loop with decisions in it is bounded; the machine knows decisions by their
                // depth.
                self.walk.machine.mark();
                self.walk.machine.assume(side);
                return Some(holds);
            }
        }
        None
    }

    /// A possible value; `None`: the solver cannot tell. Each is half as likely as the one that the
    /// solver gives before it.
    fn value(&mut self, term: TermId, run: &mut Run) -> Option<u128> {
        let mut excluded = Vec::new();
        let mut last = None;
        while let Feasible::Yes(model) = self.walk.check(&excluded) {
            let value = self.walk.machine.terms.eval(term, &model);
            let equal = self.walk.equals(term, value);
            last = Some((value, equal));
            if excluded.len() + 1 == MOST_VALUES || run.random.below(2) == 0 {
                break;
            }
            excluded.push(self.walk.machine.terms.not(equal));
        }
        let (value, equal) = last?;
        self.walk.machine.mark();
        self.walk.machine.assume(equal);
        Some(value)
    }
}

//! How a program is searched: every schedule, few preemptions, at random, or several of these.
//!
//! An *attack* looks for bugs that a search of everything would come to late: in programs with many
//! schedules its first ones are much alike. It is made in the middle of that search, once it has
//! proved to be long, and takes little time. The search then goes on where it was, and may take
//! turns with others (`rivals`). One of a program that makes too many threads is left for searches
//! with few (`crowd`).

mod crowd;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use explore::{
    Calls, Estimate, Frontier, Helper, Outcome, Phase, Published, Reduction, Sampling, Stopped,
};

use machine::{Program, Property};

use crate::Internal;
use crate::check::Options;
use crate::explain::shown_jumps;
use crate::load::Loaded;
use crate::relevance::Subject;
use crate::rivals::{Decided, Rivals, by_states, is_decisive};
use crate::watch::{Guardian, Monitor, Progress, Watcher};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Every schedule and every input.
    #[default]
    Exhaustive,
    /// Likewise, with an attack on the way if it takes long.
    Attack,
    /// Schedules with at most so many preemptions.
    Preemptions(u32),
    /// Runs at random, so many or until the time is up.
    Random { runs: Option<u64> },
}

impl Strategy {
    /// What a report says of it among the bounds.
    pub(crate) fn bound(self) -> Option<String> {
        match self {
            Strategy::Exhaustive | Strategy::Attack => None,
            Strategy::Preemptions(bound) => Some(format!("preemptions {bound}")),
            Strategy::Random { runs: Some(runs) } => Some(format!("random runs {runs}")),
            Strategy::Random { runs: None } => Some("random".to_string()),
        }
    }
}

/// A search of everything that ends by itself within this time needs no attack.
const HEAD_START: Duration = Duration::from_millis(200);

/// What an attack may take: this part of the time limit, and never longer than that. The first half
/// is for random runs.
const SHARE: f64 = 0.02;
const LONGEST: Duration = Duration::from_secs(1);

/// The bound of the second half: the next one is rarely exhausted in so little time.
const PREEMPTIONS: u32 = 2;

/// Rivals analyse the program once more: so many times that long the main search is alone.
const PATIENCE: u32 = 10;

pub(crate) fn search(
    loaded: &Loaded,
    subject: &Subject,
    options: &Options,
    halt: &Arc<AtomicBool>,
    monitor: &mut Monitor,
) -> Result<Searched, Internal> {
    let program = &subject.program;
    let search = explore_options(subject, options, halt);
    if let Some(agreed) = &subject.agreed
        && matches!(options.strategy, Strategy::Exhaustive | Strategy::Attack)
        && options.resume.is_none()
        && let Some(outcome) =
            explore::search_one_schedule(agreed, &search, monitor).map_err(Internal::from)?
        && !agreed.premises.are_refuted()
    {
        return Ok(Searched::of(outcome));
    }
    let outcome = match options.strategy {
        Strategy::Exhaustive => return search_all(program, options, &search, monitor),
        Strategy::Preemptions(most) => explore::search_preemptions(program, &search, most, monitor),
        Strategy::Random { runs } => {
            let seed = options.seed;
            explore::search_random(program, &search, Sampling { seed, runs }, monitor)
        }
        Strategy::Attack => {
            return std::thread::scope(|scope| {
                let begin = HEAD_START.max(PATIENCE * subject.took);
                let rivals = || Rivals::new(scope, loaded, options, halt, program, begin);
                let mut attacking = Attacking {
                    rivals: options.rivals.then(rivals),
                    monitor,
                    loaded,
                    subject,
                    options,
                    halt,
                    attack: Attack::Due,
                };
                let mut searched = search_all(program, options, &search, &mut attacking)?;
                if attacking.is_crowded(&searched.outcome) {
                    attacking.attack = Attack::Done;
                    searched.outcome.covered_threads = attacking.attack_with_few_threads();
                    // What the search that was left did before is nothing to those with few
                    // threads.
                    if let Attack::Decided(decided) = attacking.attack {
                        return Ok(Searched::by(*decided));
                    }
                }
                match attacking.attack {
                    Attack::Due | Attack::Done | Attack::Left => {
                        let mut searched = searched;
                        let decided = attacking.try_states(&mut searched.outcome)?;
                        Ok(decided.map_or(searched, Searched::by))
                    }
                    Attack::Found(found) => Ok(Searched::of(combined(*found, &searched.outcome))),
                    Attack::Decided(decided) => {
                        let outcome = combined(decided.outcome, &searched.outcome);
                        Ok(Searched::by(Decided {
                            outcome,
                            ..*decided
                        }))
                    }
                    Attack::Failed(why) => Err(why),
                }
            });
        }
    };
    outcome.map(Searched::of).map_err(Internal::from)
}

/// What a search found, and what it left, if it can tell.
pub(crate) struct Searched {
    pub outcome: Outcome,
    pub left: Option<Frontier>,
    pub starts_over: bool,
    /// By whom it was found, if not by the main search.
    pub decided: Option<(Subject, Options)>,
}

impl Searched {
    fn of(outcome: Outcome) -> Searched {
        Searched {
            outcome,
            left: None,
            starts_over: false,
            decided: None,
        }
    }

    fn by(decided: Decided) -> Searched {
        Searched {
            decided: Some((decided.subject, decided.options)),
            ..Searched::of(decided.outcome)
        }
    }
}

/// Searches everything, or what is left of it.
fn search_all(
    program: &Arc<Program>,
    options: &Options,
    search: &explore::Options,
    monitor: &mut dyn explore::Monitor,
) -> Result<Searched, Internal> {
    if search.reduction != Reduction::Optimal {
        let searched = explore::search(program, search, monitor);
        return searched.map(Searched::of).map_err(Internal::from);
    }
    let left = options.resume.as_deref().cloned();
    let left = left.unwrap_or_else(Frontier::whole);
    let resumed = explore::resume(program, search, left, monitor).map_err(Internal::from)?;
    Ok(Searched {
        outcome: resumed.outcome,
        left: resumed.left,
        starts_over: resumed.starts_over,
        decided: None,
    })
}

pub(crate) fn explore_options(
    subject: &Subject,
    options: &Options,
    interrupt: &Arc<AtomicBool>,
) -> explore::Options {
    explore::Options {
        reduction: options.reduction,
        independence: options.independence,
        slices: options.slices(),
        peek: subject.peeks,
        summaries: options.summaries.filter(|_| options.prunes()),
        states: options.states,
        explains: options
            .explain
            .as_ref()
            .map(|lines| Arc::new(shown_jumps(&subject.program, lines))),
        machine: options.machine.clone(),
        properties: options.properties.clone(),
        all: options.all,
        solver_timeout: options.solver_timeout,
        interrupt: Arc::clone(interrupt),
        workers: options.workers,
    }
}

/// What an attack found, with the costs of the search that it interrupted.
fn combined(mut found: Outcome, searched: &Outcome) -> Outcome {
    found.runs.complete += searched.runs.complete;
    found.runs.pruned += searched.runs.pruned;
    found.runs.blocked += searched.runs.blocked;
    found.runs.infeasible += searched.runs.infeasible;
    found.events += searched.events;
    found.threads = found.threads.max(searched.threads);
    found
}

/// The monitor of a search that is interrupted for an attack.
struct Attacking<'a, 'm> {
    monitor: &'a mut Monitor<'m>,
    loaded: &'a Loaded,
    subject: &'a Subject,
    options: &'a Options,
    halt: &'a Arc<AtomicBool>,
    attack: Attack,
    rivals: Option<Rivals<'a>>,
}

enum Attack {
    Due,
    /// In vain, or not needed.
    Done,
    /// The search is left: there are too many threads.
    Left,
    Found(Box<Outcome>),
    /// By a rival.
    Decided(Box<Decided>),
    Failed(Internal),
}

impl explore::Monitor for Attacking<'_, '_> {
    fn complete(&mut self, machine: &mut machine::Machine) {
        self.monitor.complete(machine);
    }

    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        let stopped = self.monitor.tick(outcome, depth);
        if stopped.is_none() && self.is_crowded(outcome) {
            self.attack = Attack::Left;
            return Some(Stopped::Interrupted);
        }
        if stopped.is_some() || self.monitor.last < HEAD_START {
            return stopped;
        }
        match self.attack {
            Attack::Due => {
                self.attack = Attack::Done;
                if outcome.threads > 1 {
                    self.attack();
                }
            }
            Attack::Done => self.let_rivals_run(),
            _ => {}
        }
        let is_over = !matches!(self.attack, Attack::Due | Attack::Done);
        is_over.then_some(Stopped::FirstBug)
    }

    fn phase(&mut self, phase: Phase) {
        self.monitor.phase(phase);
    }

    fn stop_reason(&mut self) -> Stopped {
        self.monitor.stop_reason()
    }

    fn restart(&mut self) {
        self.monitor.restart();
    }

    fn summaries(&mut self, machine: &mut machine::Machine, summaries: Vec<Published>) {
        self.monitor.summaries(machine, summaries);
    }

    fn calls(&mut self) -> Calls {
        self.monitor.calls()
    }

    fn elsewhere(&mut self, executions: u64) {
        self.monitor.elsewhere(executions);
    }

    fn idle(&mut self) {
        self.monitor.idle();
    }

    fn estimate(&mut self, estimate: Estimate) {
        self.monitor.estimate(estimate);
    }

    fn checkpoint(&mut self, frontier: Frontier) {
        self.monitor.checkpoint(frontier);
    }

    fn helper(&mut self) -> Option<Helper> {
        self.monitor.helper()
    }
}

impl Attacking<'_, '_> {
    fn attack(&mut self) {
        let limit = self.options.time_limit;
        let time = limit.map_or(LONGEST, |limit| limit.mul_f64(SHARE).min(LONGEST));
        match self.attack_on(self.options, time) {
            Ok(None) => {}
            Ok(Some(found)) => self.attack = Attack::Found(Box::new(found)),
            Err(why) => self.attack = Attack::Failed(why),
        }
    }

    /// Once the search has given up because of a loop that it does not understand: whether there
    /// are few states. A limit that passes meanwhile is one of the reasons why nothing is known.
    fn try_states(&mut self, outcome: &mut Outcome) -> Result<Option<Decided>, Internal> {
        let is_loop = |cutoff: &machine::Cutoff| *cutoff == machine::Cutoff::LoopBound;
        if !outcome.found.is_empty()
            || outcome.stopped.is_some()
            || !self.options.rivals
            || self.options.properties.contains(Property::Race)
            || !outcome.cut_off.keys().any(|(cutoff, _)| is_loop(cutoff))
        {
            return Ok(None);
        }
        let options = by_states(self.options);
        let subject = Subject::of(self.loaded, &options);
        let search = explore_options(&subject, &options, self.halt);
        let by_states = explore::search(&subject.program, &search, self.monitor);
        let by_states = by_states.map_err(Internal::from)?;
        outcome.stopped = by_states.stopped;
        Ok(is_decisive(&by_states).then_some(Decided {
            outcome: by_states,
            subject,
            options,
        }))
    }

    /// Runs at random and schedules with few preemptions, for so long. What was found, if something
    /// was.
    fn attack_on(
        &mut self,
        options: &Options,
        time: Duration,
    ) -> Result<Option<Outcome>, Internal> {
        let seed = self.options.seed;
        let sampling = Sampling { seed, runs: None };
        let random = self.within(options, time / 2, &mut |program, options, monitor| {
            explore::search_random(program, options, sampling, monitor)
        })?;
        if !random.found.is_empty() {
            return Ok(Some(random));
        }
        let bounded = self.within(options, time / 2, &mut |program, options, monitor| {
            explore::search_preemptions(program, options, PREEMPTIONS, monitor)
        })?;
        Ok(Some(bounded).filter(|bounded| !bounded.found.is_empty()))
    }

    /// Whether threads stood still, though nobody said how many there may be.
    fn is_crowded(&self, outcome: &Outcome) -> bool {
        !outcome.crowded.is_empty()
            && outcome.found.is_empty()
            && self.options.machine.threads.is_none()
    }

    fn is_interrupted(&self) -> bool {
        self.options.interrupt.load(Ordering::Relaxed)
    }

    fn let_rivals_run(&mut self) {
        let Some(rivals) = &mut self.rivals else {
            return;
        };
        match rivals.take_turn(self.monitor.start) {
            None => {}
            Some(Ok(decided)) => self.attack = Attack::Decided(Box::new(decided)),
            Some(Err(why)) => self.attack = Attack::Failed(why),
        }
    }

    /// Searches for so long, with an alarm clock of its own.
    fn within(
        &mut self,
        options: &Options,
        slice: Duration,
        search: &mut SearchOnce,
    ) -> Result<Outcome, Internal> {
        let alarm = Arc::new(AtomicBool::new(false));
        let guardian = Guardian::alarm(&alarm, slice);
        let options = explore_options(self.subject, options, &alarm);
        let mut shown = OnlyProgress(&mut *self.monitor.watcher);
        let mut monitor = Interruptible {
            monitor: Monitor::new(&mut shown, &guardian, &alarm, self.monitor.start),
            outer: &self.options.interrupt,
        };
        search(&self.subject.program, &options, &mut monitor).map_err(Internal::from)
    }
}

type SearchOnce<'a> = dyn FnMut(
        &Arc<Program>,
        &explore::Options,
        &mut dyn explore::Monitor,
    ) -> Result<Outcome, explore::Error>
    + 'a;

/// Final states are those of the search that was interrupted.
struct OnlyProgress<'a>(&'a mut dyn Watcher);

impl Watcher for OnlyProgress<'_> {
    fn progress(&mut self, progress: Progress) {
        self.0.progress(progress);
    }
}

/// Stops also when the search that was interrupted is to stop.
struct Interruptible<'a> {
    monitor: Monitor<'a>,
    outer: &'a AtomicBool,
}

impl explore::Monitor for Interruptible<'_> {
    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        if self.outer.load(Ordering::Relaxed) {
            return Some(Stopped::Interrupted);
        }
        self.monitor.tick(outcome, depth)
    }

    fn phase(&mut self, phase: Phase) {
        self.monitor.phase(phase);
    }

    fn stop_reason(&mut self) -> Stopped {
        self.monitor.stop_reason()
    }
}

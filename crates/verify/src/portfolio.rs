//! The portfolio: engines that take turns on one question. The first that decides ends it.
//!
//! No engine is the best for every program. Static facts answer at once or not at all, so they are
//! asked first. Then comes the main search. If that is long and its end is not near (`forecast`), it
//! is interrupted for short bug hunts (`bug_hunt`), which find what a search of everything would
//! come to late: in programs with many schedules its first ones are much alike. Then the main search
//! goes on, and other searches get a part of its time (`turns`). One of a program that makes too
//! many threads is left for searches with few (`thread_bound`).
//!
//! Invariant: what is `safe` or a bug for one member is so for all (see [`members`]).

mod bug_hunt;
mod forecast;
mod thread_bound;
mod turns;

use std::time::{Duration, Instant};

use explore::{
    Besides, Calls, Estimate, Monitor, Outcome, Properties, Prune, Search, Stopped, Summarise,
    Workers,
};
use machine::{Cutoff, Property};

use self::bug_hunt::Hunts;
use self::forecast::Forecast;
use self::turns::{Share, Turns};
use crate::Internal;
use crate::engine::{Answer, Doubt, Engine, Task};
use crate::engines::explore::Explorer;
use crate::engines::hunt::HuntEngine;
use crate::engines::static_proof::StaticProof;
use crate::engines::trace::TraceEngine;
use crate::options::{Dependence, Explore, Members, Portfolio, Trace};
use crate::watch::Clock;

/// What the trace engine gets before anything else: of the programs that it decides at all, it
/// decides most in less.
const FIRST_LOOK: Duration = Duration::from_millis(100);

type Member = (Box<dyn Engine>, Share);

/// The trace engine, for races, too.
fn trace(main: &Explore) -> Member {
    let options = Trace {
        unsliced: main.dependence == Dependence::Conflict,
        explain: main.explain.clone(),
        ..Trace::default()
    };
    let engine = TraceEngine::beside_others(options);
    (Box::new(engine), Share::one_in(4).and_at_first(FIRST_LOOK))
}

/// The searches that take turns with the main one, and their shares of the time. A member leaves
/// out nothing that a property which is asked for needs: none of these does for races.
fn members(main: &Explore, task: &Task) -> Vec<Member> {
    if task.properties.contains(Property::Race) {
        return Vec::new();
    }
    let (commute, peek) = (false, main.search.peeks());
    let other = |name, search| Explorer::new(main.clone()).instead(name, search);
    let besides = Besides::Summaries(Summarise::default());
    let summaries = Search::Source {
        commute,
        peek,
        besides,
    };
    let observers = Search::Source {
        commute: true,
        peek,
        besides: Besides::Observers,
    };
    vec![
        // States are few where they help, and then it is soon done.
        (Box::new(states(main)), Share::one_in(2)),
        // Where summaries prune they save far more than that.
        (
            Box::new(other("explore:summaries", summaries)),
            Share::one_in(2),
        ),
        (
            Box::new(other("explore:observers", observers)),
            Share::one_in(8),
        ),
    ]
}

/// The search that explores no state twice, which comes to an end in loops that others do not
/// understand.
fn states(main: &Explore) -> Explorer {
    let main = Explore {
        dependence: Dependence::Conflict,
        ..main.clone()
    };
    Explorer::new(main).instead("explore:states", Search::Naive(Prune::States))
}

/// A program with more instructions takes more than a second to analyse.
const LARGE: usize = 100_000;

/// Whether static facts are asked before the search, which needs most of them anyway, unless it is
/// for races: then they come in addition.
fn asks_static_facts(task: &Task) -> bool {
    let functions = task.loaded.program.module.functions.iter();
    let blocks = functions
        .filter_map(|f| f.body.as_ref())
        .flat_map(|body| &body.blocks);
    let instructions: usize = blocks.map(|block| block.insts.len()).sum();
    !task.properties.contains(Property::Race) || instructions < LARGE
}

impl Engine for Portfolio {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn run(&self, task: &Task, monitor: &mut dyn Monitor) -> Result<Answer, Internal> {
        let main = Explorer::new(self.main.clone());
        // Counts of all executions are those of one search.
        if task.all {
            return main.run(task, monitor);
        }
        // Only the main search can be left and taken up.
        let has_all = self.members == Members::All && self.main.pieces.is_none();
        if has_all && asks_static_facts(task) {
            let answer = StaticProof.run(task, monitor)?;
            if answer.is_decisive() {
                return Ok(answer);
            }
        }
        let others = Task {
            known: None,
            ..task.clone()
        };
        let mut members = match has_all {
            true => members(&self.main, task),
            false => Vec::new(),
        };
        if self.trace && self.main.pieces.is_none() {
            members.insert(0, trace(&self.main));
        }
        if has_all {
            let hunt = HuntEngine { seed: self.seed };
            members.push((Box::new(hunt), Share::one_in(8)));
        }
        std::thread::scope(|scope| {
            let mut table = Table {
                inner: monitor,
                task: &others,
                portfolio: self,
                start: Instant::now(),
                clock: Clock::default(),
                beside: Duration::ZERO,
                forecast: Forecast::new(),
                turns: Turns::new(scope, &others, members),
                hunts: Hunts::of(self, task),
                has_looked: false,
                has_asked_for_the_rest: false,
                decided: None,
            };
            let main = main.run(task, &mut table)?;
            table.conclude(main, has_all)
        })
    }

    fn assume_less(&self, doubt: Doubt) -> Option<Box<dyn Engine>> {
        let main = self.main.assume_less(doubt);
        // What was found and cannot be followed may be the trace engine's.
        let trace = self.trace && doubt != Doubt::Unconfirmed;
        let is_less = main.is_some() || trace != self.trace;
        is_less.then(|| -> Box<dyn Engine> {
            Box::new(Portfolio {
                main: main.unwrap_or_else(|| self.main.clone()),
                trace,
                ..self.clone()
            })
        })
    }
}

/// Searches for violations of these properties only: there are none of the others.
struct Rest {
    engine: Explorer,
    properties: Properties,
}

impl Engine for Rest {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&self, task: &Task, monitor: &mut dyn Monitor) -> Result<Answer, Internal> {
        let task = Task {
            properties: self.properties.clone(),
            ..task.clone()
        };
        self.engine.run(&task, monitor)
    }
}

/// The monitor of the main search, which lets the other members have their turns.
struct Table<'scope, 'env, 'm> {
    inner: &'m mut dyn Monitor,
    /// As the other members see it.
    task: &'env Task<'env>,
    portfolio: &'env Portfolio,
    start: Instant,
    clock: Clock,
    /// What others have had of the time.
    beside: Duration,
    forecast: Forecast,
    turns: Turns<'scope, 'env>,
    hunts: Hunts,
    /// Each member has had what it gets before anything else.
    has_looked: bool,
    has_asked_for_the_rest: bool,
    /// By another member.
    decided: Option<Result<Answer, Internal>>,
}

impl Monitor for Table<'_, '_, '_> {
    fn inner(&mut self) -> Option<&mut dyn Monitor> {
        Some(self.inner)
    }

    fn tick(&mut self, outcome: &Outcome, depth: usize) -> Option<Stopped> {
        let stopped = self.inner.tick(outcome, depth);
        if stopped.is_some() {
            return stopped;
        }
        if self.decided.is_some() {
            // One schedule was being tried, and now the search that follows it has begun.
            return Some(Stopped::FirstBug);
        }
        let is_crowded = !outcome.crowded.is_empty() && outcome.found.is_empty();
        if is_crowded && self.task.machine.threads.is_none() {
            // There are too many threads for a search of everything.
            return Some(Stopped::Interrupted);
        }
        let now = self.clock.tick(self.start, depth)?;
        let had = now.saturating_sub(self.beside);
        if !self.forecast.lets_others(had, self.beside) {
            return None;
        }
        self.task.board.share(&outcome.shared);
        self.let_others(had, outcome.threads);
        self.beside += self.start.elapsed().saturating_sub(now);
        self.decided.is_some().then_some(Stopped::FirstBug)
    }

    fn calls(&mut self) -> Calls {
        let calls = self.inner.calls();
        match self.forecast.take_wish() {
            true => calls.and(Calls::ROUGH_ESTIMATE),
            false => calls,
        }
    }

    fn estimate(&mut self, estimate: Estimate) {
        let had = self.start.elapsed().saturating_sub(self.beside);
        self.forecast.set(estimate, had);
        self.inner.estimate(estimate);
    }

    fn restart(&mut self) {
        self.forecast.forget();
        self.inner.restart();
    }
}

impl<'env> Table<'_, 'env, '_> {
    /// The others have their turns, now that the main search, with so many threads, has had so long.
    fn let_others(&mut self, had: Duration, threads: u32) {
        if !self.has_looked {
            self.has_looked = true;
            self.decided = self.turns.take_first(self.inner);
        } else if threads > 1 && self.hunts.are_due(had) {
            let times = (had, self.forecast.longest_hunt(had));
            let found = self
                .hunts
                .hunt(self.portfolio, self.task, times, self.inner);
            self.decided = found.transpose();
        } else if self.forecast.lets_others_stay(had) {
            self.decided = self.turns.take(had, self.inner);
            self.ask_for_the_rest();
        }
    }

    /// Some of the properties are proved: what is left may be much easier than all of them together.
    fn ask_for_the_rest(&mut self) {
        let (properties, by) = self.task.board.left_of(&self.task.properties);
        if self.has_asked_for_the_rest || by.is_empty() || properties.0.is_empty() {
            return;
        }
        self.has_asked_for_the_rest = true;
        let search = Search::Optimal {
            peek: self.portfolio.main.search.peeks(),
            workers: Workers::default(),
        };
        let engine = Explorer::new(self.portfolio.main.clone()).instead("explore:rest", search);
        self.turns
            .add(Box::new(Rest { engine, properties }), Share::one_in(2));
    }

    /// What the portfolio answers, now that the main search has ended.
    fn conclude(mut self, mut main: Answer, has_all: bool) -> Result<Answer, Internal> {
        if let Some(decided) = self.decided.take() {
            let mut answer = decided?;
            answer.counts.add_runs(&main.counts);
            return Ok(answer);
        }
        if self.is_crowded(&main) {
            match self.search_with_few_threads()? {
                // What the search that was left did before is nothing to those with few threads.
                thread_bound::Found::Bug(answer) => return Ok(*answer),
                thread_bound::Found::Nothing { covered } => main.coverage.threads = covered,
            }
        }
        if has_all && self.may_help_states(&main) {
            let answer = states(&self.portfolio.main).run(self.task, self.inner)?;
            if answer.is_decisive() {
                return Ok(answer);
            }
            // A limit that passes meanwhile is one of the reasons why nothing is known.
            main.coverage.stopped = answer.coverage.stopped;
        }
        Ok(main)
    }

    /// Threads stood still, though nobody said how many there may be.
    fn is_crowded(&self, main: &Answer) -> bool {
        !main.coverage.crowded.is_empty()
            && main.candidates.is_empty()
            && self.task.machine.threads.is_none()
    }

    /// The search has given up because of a loop that it does not understand, and there may be few
    /// states.
    fn may_help_states(&self, main: &Answer) -> bool {
        let mut cut_off = main.coverage.cut_off.keys();
        main.candidates.is_empty()
            && main.coverage.stopped.is_none()
            && !self.task.properties.contains(Property::Race)
            && cut_off.any(|(cutoff, _)| *cutoff == Cutoff::LoopBound)
    }
}

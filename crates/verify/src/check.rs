//! Checking a program: search, confirm by replay, judge.
//!
//! Where jumps go one way because nothing depends on them, an execution may go wrong outside the slice in a way that no input does
//! (see `machine::private`). What comes of that is never taken for a verdict: a search that gave up because of an error that nobody
//! asked for, or found what cannot be followed on concrete inputs, is made again without such jumps.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use analysis::Statistics;
use explore::{
    Found, Frontier, Independence, Limits, Outcome, Properties, Reduction, Stopped, Workers,
};
use ir::debug::LocId;
use machine::{Config, Cutoff, Property};

use crate::Internal;
use crate::explain::{Lines, Why};
use crate::job::{Checkpoint, Job};
use crate::load::Loaded;
use crate::names::Names;
use crate::relevance::{Dependence, Subject};
use crate::shorten::shorten;
use crate::strategy::{Searched, Strategy, search};
use crate::verdict::{Bug, Reason, Verdict};
use crate::watch::{Guardian, Leaving, Monitor, Saver, Watcher, peak_mb};
use crate::witness::{Replayed, Witness, replay};

#[derive(Clone, Debug)]
pub struct Options {
    pub machine: Config,
    pub strategy: Strategy,
    pub reduction: Reduction,
    /// What the reduction takes to be independent, besides reads.
    pub independence: Independence,
    /// Which accesses are scheduling points.
    pub dependence: Dependence,
    /// Jumps on inputs on which nothing depends go one way (P1). Where unimportant accesses are no scheduling points.
    pub one_way: bool,
    /// Critical sections are looked into: those that do not access the same are independent. For searches that look at what
    /// steps touch.
    pub peek: bool,
    /// A long search takes turns with others that preserve the same. For the optimal reduction, with [`Strategy::Attack`].
    pub rivals: bool,
    /// States are pruned from which nothing can fail (P1). For searches that go depth first: not the optimal one.
    pub summaries: Option<Limits>,
    /// Of a program that proves to be safe, say why, at these lines. Needs summaries.
    pub explain: Option<Lines>,
    pub properties: Properties,
    /// Go on after a bug, and count every execution.
    pub all: bool,
    pub time_limit: Option<Duration>,
    pub memory_limit_mb: Option<u64>,
    pub solver_timeout: Duration,
    /// Where random choices start.
    pub seed: u64,
    /// Who searches. Only the optimal reduction can share its work.
    pub workers: Workers,
    /// Go on with what is left of a search (see [`crate::Job`]). Optimal reduction only, as what follows.
    pub resume: Option<Arc<Frontier>>,
    pub checkpoint: Option<Checkpoint>,
    /// Leave the rest after so many executions.
    pub executions: Option<u64>,
    /// Raised from outside to stop early.
    pub interrupt: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            machine: Config::default(),
            strategy: Strategy::Exhaustive,
            reduction: Reduction::None,
            independence: Independence::default(),
            dependence: Dependence::Conflict,
            one_way: true,
            peek: false,
            rivals: false,
            summaries: None,
            explain: None,
            properties: Properties::all(),
            all: false,
            time_limit: None,
            memory_limit_mb: None,
            solver_timeout: Duration::from_secs(30),
            seed: 0,
            workers: Workers::default(),
            resume: None,
            checkpoint: None,
            executions: None,
            interrupt: Arc::new(AtomicBool::new(false)),
        }
    }
}

impl Options {
    /// The search is one that can be left and taken up again, and somebody may want that.
    fn can_leave(&self) -> bool {
        let is_asked = self.checkpoint.is_some() || self.executions.is_some();
        (is_asked || self.resume.is_some()) && self.is_optimal()
    }

    fn is_optimal(&self) -> bool {
        self.reduction == Reduction::Optimal
            && matches!(self.strategy, Strategy::Exhaustive | Strategy::Attack)
    }
}

/// A verdict and what it cost.
#[derive(Debug)]
pub struct Checked {
    pub verdict: Verdict,
    pub outcome: Outcome,
    pub time: Duration,
    pub memory_mb: u64,
    /// If accesses on which nothing depends were no scheduling points: how many were left.
    pub slice: Option<Statistics>,
    /// Of a bug where all were asked for: why there may be others.
    pub left_out: Option<Reason>,
    /// Why it is safe, if that was asked for.
    pub why: Option<Why>,
    /// Bounds that were in force.
    pub bounds: Vec<String>,
    /// Every place where executions were given up, the most telling first.
    pub cut_offs: Vec<CutOff>,
    /// Executions there are in all, as far as a search that was stopped can tell.
    pub expected: Option<f64>,
    /// What is left to do, if the search can tell.
    pub left: Option<Frontier>,
    /// What was left is void (see [`explore::Resumed`]).
    pub starts_over: bool,
    /// When the checkpoint was written last, or why it was not.
    pub checkpoint: Option<Result<Duration, String>>,
}

/// Executions that were given up at one place for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct CutOff {
    pub reason: Reason,
    pub count: u64,
}

pub fn check(
    loaded: &Loaded,
    options: &Options,
    watcher: &mut dyn Watcher,
) -> Result<Checked, Internal> {
    let start = Instant::now();
    let subject = Subject::of(loaded, options);
    // In case that this must be done again.
    let every_way;
    let both_ways = Options {
        one_way: false,
        ..options.clone()
    };
    let can_leave = options.can_leave();
    // What can be left is stopped in the middle only if that is not heeded in time.
    let halt = if can_leave {
        Arc::default()
    } else {
        Arc::clone(&options.interrupt)
    };
    let guardian = Guardian::start(
        Arc::clone(&options.interrupt),
        Arc::clone(&halt),
        options.time_limit,
        options.memory_limit_mb,
    );
    let mut monitor = Monitor::new(watcher, &guardian, &halt, start);
    // Whoever sets a limit wants to know what it was too small for.
    monitor.wants_estimate |= options.time_limit.is_some();
    if can_leave {
        monitor.leaving = Some(Leaving {
            flag: &options.interrupt,
            executions: options.executions,
        });
    }
    monitor.saver = options.checkpoint.as_ref().map(|checkpoint| {
        let write = |frontier| {
            let job = Job::with(loaded, options, frontier);
            job.write(&checkpoint.path).map_err(|e| e.to_string())
        };
        Saver::new(checkpoint.every, write)
    });
    monitor.explain(&subject.program, options.explain.as_ref());
    let mut searched = search(loaded, &subject, options, &halt, &mut monitor)?;
    let mut verdict = judge_all(loaded, &subject, options, &searched);
    let (mut subject, mut options) = (&subject, options);
    if subject.goes_one_way && is_spoilt(&searched.outcome, &verdict) {
        options = &both_ways;
        every_way = Subject::of(loaded, options);
        subject = &every_way;
        explore::Monitor::restart(&mut monitor);
        monitor.explain(&subject.program, options.explain.as_ref());
        searched = search(loaded, subject, options, &halt, &mut monitor)?;
        verdict = judge_all(loaded, subject, options, &searched);
    }
    let verdict = verdict?;
    let Searched {
        outcome,
        left,
        starts_over,
        decided,
    } = searched;
    let expected = monitor.expected().filter(|_| outcome.stopped.is_some());
    let explaining = monitor.explaining;
    let checkpoint = monitor
        .saver
        .and_then(|saver| saver.finish(left.as_ref(), start));
    let (subject, options) = match &decided {
        Some((subject, options)) => (subject, options),
        None => (subject, options),
    };
    let mut bounds = Vec::new();
    if let Some(unwind) = options.machine.unwind {
        bounds.push(format!("unwind {unwind}"));
    }
    if let Some(threads) = options.machine.threads {
        bounds.push(format!("threads {threads}"));
    }
    bounds.extend(options.strategy.bound());
    let may_have_others =
        options.all && matches!(verdict, Verdict::Bug(_)) && !outcome.is_complete();
    Ok(Checked {
        left_out: may_have_others.then(|| reason(loaded, options, &outcome)),
        why: explaining.map(|explaining| match verdict {
            Verdict::Safe => explaining
                .explanation
                .map_or(Why::NoSummaries, Why::Explained),
            _ => Why::NotSafe,
        }),
        verdict,
        slice: subject.slice,
        cut_offs: cut_offs(loaded, options, &outcome),
        expected,
        left,
        starts_over,
        checkpoint,
        outcome,
        time: start.elapsed(),
        memory_mb: peak_mb(),
        bounds,
    })
}

/// Whether the search gave up, or found something, where no input leads: perhaps, because jumps went one way.
fn is_spoilt(outcome: &Outcome, verdict: &Result<Verdict, Internal>) -> bool {
    let may_be_outside = |cutoff: &Cutoff| {
        matches!(
            cutoff,
            Cutoff::OtherFault(_) | Cutoff::SymbolicFloat | Cutoff::SymbolicValue(_)
        )
    };
    match verdict {
        Err(_) => true,
        Ok(Verdict::Unknown(_)) => outcome.cut_off.keys().any(|(c, _)| may_be_outside(c)),
        Ok(Verdict::Safe | Verdict::Bug(_)) => false,
    }
}

/// What a search says, by whomever it was made.
fn judge_all(
    loaded: &Loaded,
    subject: &Subject,
    options: &Options,
    searched: &Searched,
) -> Result<Verdict, Internal> {
    let (subject, options) = match &searched.decided {
        Some((subject, options)) => (subject, options),
        None => (subject, options),
    };
    judge(loaded, subject, options, &searched.outcome)
}

fn judge(
    loaded: &Loaded,
    subject: &Subject,
    options: &Options,
    outcome: &Outcome,
) -> Result<Verdict, Internal> {
    if !outcome.found.is_empty() {
        let bugs: Result<Vec<Bug>, Internal> = outcome
            .found
            .iter()
            .map(|found| confirm(loaded, subject, options, found, outcome.found.len()))
            .collect();
        return bugs.map(Verdict::Bug);
    }
    if outcome.is_complete() {
        return Ok(Verdict::Safe);
    }
    Ok(Verdict::Unknown(reason(loaded, options, outcome)))
}

/// A fault, one of so many, becomes a bug only when a fresh concrete machine shows it too.
fn confirm(
    loaded: &Loaded,
    subject: &Subject,
    options: &Options,
    found: &Found,
    bugs: usize,
) -> Result<Bug, Internal> {
    let found = &with_all_points(subject, options, found)?;
    let mut witness = Witness::new(loaded, &options.machine, found);
    shorten(loaded, &mut witness, bugs);
    match replay(loaded, &witness) {
        Ok(Replayed {
            confirmed: true,
            trace,
        }) => Ok(Bug {
            property: found.fault.fault.property(),
            location: witness.expected.location.clone(),
            message: trace.message.clone(),
            witness,
            trace,
        }),
        Ok(Replayed { trace, .. }) => Err(Internal(format!(
            "a {} at {} was found but its replay ended otherwise: {}",
            found.fault.fault.property().name(),
            witness.expected.location,
            trace.message
        ))),
        Err(error) => Err(Internal(format!(
            "a {} at {} was found but cannot be replayed: {error}",
            found.fault.fault.property().name(),
            witness.expected.location
        ))),
    }
}

/// The same fault, with the scheduling points that the search left out.
fn with_all_points(subject: &Subject, options: &Options, found: &Found) -> Result<Found, Internal> {
    let mut found = found.clone();
    if found.reduced.is_some() {
        found.schedule =
            explore::expand(&subject.program, &options.machine, &found).map_err(|why| {
                let what = found.fault.fault.property().name();
                Internal(format!("a {what} was found but cannot be followed: {why}"))
            })?;
        found.events = found.events.max(found.schedule.decisions.len() as u64);
        found.reduced = None;
    }
    Ok(found)
}

/// The most telling reason: what the user can do something about comes first. A search that cannot say more even if it gets
/// all it wants is such a reason, unless it got nowhere.
fn reason(loaded: &Loaded, options: &Options, outcome: &Outcome) -> Reason {
    let stopped = outcome.stopped.map(|stopped| Reason {
        name: stopped_name(stopped).to_string(),
        location: None,
        advice: stopped_advice(stopped, options.strategy, outcome),
    });
    let cut = cut_offs(loaded, options, outcome)
        .into_iter()
        .next()
        .map(|c| c.reason);
    let is_limited = matches!(
        outcome.stopped,
        Some(Stopped::PreemptionBound { .. } | Stopped::RandomSearch)
    );
    let reason = if is_limited && outcome.runs.complete > 0 {
        stopped
    } else {
        cut.or(stopped)
    };
    reason.expect("something was left out")
}

fn stopped_name(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::TimeLimit => "time limit",
        Stopped::MemoryLimit => "memory limit",
        Stopped::Interrupted => "interrupted",
        Stopped::PreemptionBound { .. } => "preemption bound",
        Stopped::RandomSearch => "random search",
        Stopped::FirstBug => unreachable!("a bug was found"),
    }
}

fn stopped_advice(stopped: Stopped, strategy: Strategy, outcome: &Outcome) -> String {
    match stopped {
        Stopped::TimeLimit if matches!(strategy, Strategy::Preemptions(_)) => {
            "Raise --time-limit, lower --preemptions, or make the test smaller.".to_string()
        }
        Stopped::TimeLimit => "Raise --time-limit, make the test smaller, or only look for bugs, with --preemptions 2 or --random.".to_string(),
        Stopped::MemoryLimit => "Raise --memory-limit, or make the test smaller.".to_string(),
        Stopped::Interrupted => "The search was stopped before it was done.".to_string(),
        Stopped::PreemptionBound { bound, cut } => {
            let plural = if bound == 1 { "" } else { "s" };
            let tried = format!(
                "Nothing goes wrong in any schedule with at most {bound} preemption{plural} (switches away from a thread that could go on)."
            );
            if cut {
                format!("{tried} Others were left out: raise --preemptions, or search without it.")
            } else {
                format!(
                    "{tried} No schedule has more: search without --preemptions to have that proved."
                )
            }
        }
        Stopped::RandomSearch => {
            let runs = outcome.runs.complete + outcome.runs.blocked;
            let plural = if runs == 1 { "" } else { "s" };
            format!(
                "Nothing went wrong in {runs} run{plural} taken at random, which proves nothing. Try more runs or another --seed, --preemptions, or a search without --random."
            )
        }
        Stopped::FirstBug => unreachable!("a bug was found"),
    }
}

fn cut_offs(loaded: &Loaded, options: &Options, outcome: &Outcome) -> Vec<CutOff> {
    let names = Names::new(&loaded.program);
    let ended = (outcome.cut_off.iter()).map(|((cutoff, loc), count)| (cutoff, *loc, *count));
    // Runs went on where threads stood still.
    let crowded = outcome.crowded.iter();
    let crowded = crowded.map(|loc| (&Cutoff::TooManyThreads, *loc, 0));
    let mut causes: Vec<(&Cutoff, LocId, u64)> = ended.chain(crowded).collect();
    causes.sort_by_key(|(cutoff, loc, _)| (rank(cutoff), *loc));
    causes
        .into_iter()
        .map(|(cutoff, loc, count)| CutOff {
            reason: Reason {
                name: cutoff.to_string(),
                location: names.location(loc),
                advice: advice(cutoff, options, outcome),
            },
            count,
        })
        .collect()
}

fn rank(cutoff: &Cutoff) -> u32 {
    match cutoff {
        Cutoff::UnmodelledFunction(_) => 0,
        Cutoff::UnmodelledAssembly(_) | Cutoff::UnmodelledInstruction(_) => 1,
        Cutoff::OtherFault(_) => 2,
        Cutoff::SymbolicFloat | Cutoff::SymbolicValue(_) => 3,
        Cutoff::Solver => 4,
        Cutoff::TooManyThreads | Cutoff::OutOfAddresses => 5,
        Cutoff::RecursionBound => 6,
        Cutoff::LoopBound => 7,
        Cutoff::Interrupted => 8,
    }
}

fn advice(cutoff: &Cutoff, options: &Options, outcome: &Outcome) -> String {
    match cutoff {
        Cutoff::LoopBound => "A loop may run longer than the bound, perhaps for ever. Raise --unwind, or bound the loop in the test.".to_string(),
        Cutoff::RecursionBound => "A function may call itself deeper than --unwind allows, or than a stack of 8 MiB holds.".to_string(),
        Cutoff::UnmodelledFunction(name) => {
            format!("Sleave has no model of {name}. Give the program a definition of it: add a .c file to the command line.")
        }
        Cutoff::UnmodelledAssembly(text) => {
            format!("This inline assembly is not modelled: `{text}`. Replace it by C atomics for the test.")
        }
        Cutoff::UnmodelledInstruction(what) => format!("Not modelled: {what}."),
        Cutoff::SymbolicFloat => "Arithmetic on a floating-point input is not supported. Give the input a fixed value.".to_string(),
        Cutoff::SymbolicValue(what) => format!("The {what} depends on an input. Give that input a fixed value."),
        Cutoff::OutOfAddresses => "The program allocates more memory than Sleave's address space has.".to_string(),
        Cutoff::TooManyThreads => crowd_advice(options, outcome),
        Cutoff::Interrupted => "The search was stopped before it was done.".to_string(),
        Cutoff::Solver => "The solver could not decide a condition in time. Narrow the inputs with assumptions.".to_string(),
        Cutoff::OtherFault(kind) => format!("An execution runs into another fault ({kind}), which was not asked for."),
    }
}

fn crowd_advice(options: &Options, outcome: &Outcome) -> String {
    let rest = "Make fewer in the test, if it is to be proved.";
    match (options.machine.threads, outcome.covered_threads) {
        (Some(most), _) => {
            format!("The program makes more threads than the {most} that --threads allows. {rest}")
        }
        (None, Some(covered)) => format!(
            "The program makes more threads than there is room for, perhaps without end. Nothing went wrong in a search with up to {covered}. {rest}"
        ),
        (None, None) => format!(
            "The program makes more threads than there is room for, perhaps without end. Try --threads 3 to look for bugs with few. {rest}"
        ),
    }
}

/// Properties by name, as the command line gives them.
pub fn parse_properties(names: &[String]) -> Result<Properties, String> {
    let mut all = Properties::all().0;
    all.insert(Property::Race);
    let mut chosen = BTreeSet::new();
    for name in names {
        if name == "all" {
            chosen.extend(&all);
            continue;
        }
        let found = all
            .iter()
            .find(|p| p.name().replace(' ', "-") == *name || p.name() == name);
        match found {
            Some(property) => {
                chosen.insert(*property);
            }
            None => {
                let known: Vec<_> = all.iter().map(|p| p.name().replace(' ', "-")).collect();
                return Err(format!(
                    "unknown property {name}; there are {}, and all",
                    known.join(", ")
                ));
            }
        }
    }
    Ok(Properties(chosen))
}

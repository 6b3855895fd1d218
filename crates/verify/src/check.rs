//! Checking a program: search, confirm by replay, judge.
//!
//! At a don't-care branch, an execution may go wrong outside the
//! slice in a way that no input does (see `machine::invisible`). What comes of that is never taken
//! for a verdict: a search that gave up because of an error that nobody asked for, or found what
//! cannot be followed on concrete inputs, is made again without such jumps.
//!
//! What a slice rests on is checked by every execution (see `machine::premises`). If it proves to
//! be wrong, nothing counts but a bug that was confirmed, and the search is made again without a
//! slice. So it is, and without sections that are one step, if what it found cannot be followed
//! where nothing is left out.

use std::cell::OnceCell;
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
use crate::known::{Doing, Known};
use crate::load::Loaded;
use crate::minimise::minimise_context_switches;
use crate::names::Names;
use crate::relevance::{Dependence, Subject};
use crate::strategy::{Searched, Strategy, search};
use crate::trace::Trace;
use crate::verdict::{Bug, Reason, Verdict};
use crate::watch::{Guardian, Leaving, Monitor, Saver, StopReason, Watcher, peak_mb};
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
    /// Jumps on inputs on which nothing depends are don't-care branches (P1). Where unimportant
    /// accesses are no scheduling points.
    pub dont_care_branches: bool,
    /// Critical sections are looked into: those that do not access the same are independent. For
    /// searches that look at what steps touch.
    pub peek: bool,
    /// A long search takes turns with others that preserve the same. For the optimal reduction,
    /// with [`Strategy::Attack`].
    pub rivals: bool,
    /// States are pruned from which nothing can fail (P1). For searches that go depth first: not
    /// the optimal one.
    pub summaries: Option<Limits>,
    /// No state is explored twice. For the search of all interleavings, and not if races are looked
    /// for.
    pub states: bool,
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
    /// Go on with what is left of a search (see [`crate::Job`]). Optimal reduction only, as what
    /// follows.
    pub resume: Option<Arc<Frontier>>,
    pub checkpoint: Option<Checkpoint>,
    /// Leave the rest after so many executions.
    pub executions: Option<u64>,
    /// Raised from outside to stop early.
    pub interrupt: Arc<AtomicBool>,
    /// Why it was raised.
    pub reason: StopReason,
    /// Kept up to date, for whoever must report in place of the check.
    pub known: Known,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            machine: Config::default(),
            strategy: Strategy::Exhaustive,
            reduction: Reduction::None,
            independence: Independence::default(),
            dependence: Dependence::Conflict,
            dont_care_branches: true,
            peek: false,
            rivals: false,
            summaries: None,
            states: false,
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
            reason: StopReason::default(),
            known: Known::default(),
        }
    }
}

impl Options {
    /// The search is one that can be left and taken up again, and somebody may want that.
    fn can_leave(&self) -> bool {
        let is_asked = self.checkpoint.is_some() || self.executions.is_some();
        (is_asked || self.resume.is_some()) && self.is_optimal()
    }

    /// Bounds that are in force.
    pub(crate) fn bounds(&self) -> Vec<String> {
        let mut bounds = Vec::new();
        if let Some(unwind) = self.machine.unwind {
            bounds.push(format!("unwind {unwind}"));
        }
        if let Some(threads) = self.machine.threads {
            bounds.push(format!("threads {threads}"));
        }
        bounds.extend(self.strategy.bound());
        bounds
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
    options.known.begin(options);
    // In case that this must be done again.
    let attempts: [OnceCell<(Subject, Options)>; 3] = Default::default();
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
        options.reason.clone(),
        options.time_limit,
        options.memory_limit_mb,
    );
    let subject = Subject::of(loaded, options);
    options.known.search(subject.slice);
    let mut monitor = Monitor::new(watcher, &guardian, &halt, start);
    monitor.known = Some(options.known.clone());
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
    let (mut subject, mut options) = (&subject, options);
    let mut attempts = attempts.iter();
    let (searched, verdict) = loop {
        monitor.explain(&subject.program, options.explain.as_ref());
        monitor.searched = Some(Arc::clone(&subject.program));
        let searched = search(loaded, subject, options, &halt, &mut monitor);
        let without_slice = || Options {
            dependence: Dependence::Conflict,
            ..options.clone()
        };
        let next = match searched {
            Err(_) if subject.is_refuted() && !can_leave => without_slice(),
            Err(why) => return Err(why),
            Ok(searched) => {
                let verdict = judge_all(loaded, subject, options, &searched);
                let is_answer = matches!(verdict, Ok(Verdict::Bug(_))) && !options.all;
                if subject.is_refuted() && !is_answer {
                    if can_leave {
                        break (searched, Ok(Verdict::Unknown(refuted_reason())));
                    }
                    without_slice()
                } else if subject.has_dont_care_branches && is_spoilt(&searched.outcome, &verdict) {
                    Options {
                        dont_care_branches: false,
                        ..options.clone()
                    }
                } else if verdict.is_err() && options.leaves_out() && !can_leave {
                    // What leaves less out finds it in a way that can be followed, or not at all.
                    Options {
                        peek: false,
                        ..without_slice()
                    }
                } else {
                    break (searched, verdict);
                }
            }
        };
        let attempt = attempts.next().expect("there is less to assume every time");
        options.known.now(Doing::Analysing);
        let attempt = attempt.get_or_init(|| (Subject::of(loaded, &next), next));
        (subject, options) = (&attempt.0, &attempt.1);
        options.known.search(subject.slice);
        explore::Monitor::restart(&mut monitor);
    };
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
        bounds: options.bounds(),
    })
}

/// A search that can be left is one and the same to its end.
fn refuted_reason() -> Reason {
    Reason {
        name: "slice".to_string(),
        location: None,
        advice: "What the properties depend on was misjudged, and a search that can be left and taken up again is not made anew. Start over with --no-slice.".to_string(),
    }
}

/// Whether the search gave up, or found something, where no input leads: perhaps, because jumps
/// went one way.
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
    let property = found.fault.fault.property();
    let place = Names::new(&loaded.program).location(found.fault.loc);
    let place = place.map_or(String::new(), |place| format!(" at {place}"));
    let what = format!("A possible bug ({}{place})", property.name());
    options.known.now(Doing::Confirming(what));
    let found = &with_all_points(subject, options, found)?;
    let mut witness = Witness::new(loaded, &options.machine, found);
    let bug = |witness: Witness, trace: Trace| Bug {
        property,
        location: witness.expected.location.clone(),
        message: trace.message.clone(),
        witness,
        trace,
    };
    // Making it short takes a while: what is known by now must not be lost meanwhile.
    if let Ok(Replayed {
        confirmed: true,
        trace,
    }) = replay(loaded, &witness)
    {
        options.known.confirm(bug(witness.clone(), trace));
    }
    minimise_context_switches(loaded, &mut witness, bugs, &options.interrupt);
    match replay(loaded, &witness) {
        Ok(Replayed {
            confirmed: true,
            trace,
        }) => Ok(bug(witness, trace)),
        Ok(Replayed { trace, .. }) => Err(Internal::EndedOtherwise {
            property: property.name(),
            location: witness.expected.location,
            message: trace.message,
        }),
        Err(why) => Err(Internal::NotReplayed {
            property: property.name(),
            location: witness.expected.location,
            why,
        }),
    }
}

/// The same fault, with the scheduling points that the search left out.
fn with_all_points(subject: &Subject, options: &Options, found: &Found) -> Result<Found, Internal> {
    let mut found = found.clone();
    if found.reduced.is_some() {
        found.schedule =
            explore::expand(&subject.program, &options.machine, &found).map_err(|why| {
                let property = found.fault.fault.property().name();
                Internal::NotFollowed { property, why }
            })?;
        found.events = found.events.max(found.schedule.decisions.len() as u64);
        found.reduced = None;
    }
    Ok(found)
}

/// The most telling reason: what the user can do something about comes first. A search that cannot
/// say more even if it gets all it wants is such a reason, unless it got nowhere.
fn reason(loaded: &Loaded, options: &Options, outcome: &Outcome) -> Reason {
    let stopped = outcome.stopped.map(|stopped| Reason {
        name: stopped_name(stopped).to_string(),
        location: None,
        advice: stopped_advice(stopped, options.strategy, outcome),
    });
    let cut = cut_offs(loaded, options, outcome);
    let cut = cut.into_iter().map(|c| c.reason).next();
    let is_limited = matches!(
        outcome.stopped,
        Some(Stopped::PreemptionBound { .. } | Stopped::RandomSearch)
    );
    let reason = match (cut, stopped) {
        (Some(mut cut), Some(stopped)) if !is_limited => {
            cut.advice += &format!(" Besides, the search was not done ({}).", stopped.name);
            Some(cut)
        }
        (cut, stopped) if is_limited && outcome.runs.complete > 0 => stopped.or(cut),
        (cut, stopped) => cut.or(stopped),
    };
    reason.expect("something was left out")
}

pub(crate) fn stopped_name(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::TimeLimit => "time limit",
        Stopped::MemoryLimit => "memory limit",
        Stopped::Interrupted => "interrupted",
        Stopped::PreemptionBound { .. } => "preemption bound",
        Stopped::RandomSearch => "random search",
        Stopped::FirstBug => unreachable!("a bug was found"),
    }
}

pub(crate) fn stopped_advice(stopped: Stopped, strategy: Strategy, outcome: &Outcome) -> String {
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
    // An execution that was interrupted is no reason of its own: the search was stopped.
    let is_stopped = outcome.stopped.is_some();
    let ended = ended.filter(|(cutoff, ..)| !is_stopped || **cutoff != Cutoff::Interrupted);
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
        Cutoff::UnmodelledFunction(_) | Cutoff::UndefinedVariable(_) => 0,
        Cutoff::UnmodelledAssembly(_) | Cutoff::UnmodelledInstruction(_) => 1,
        Cutoff::OtherFault(_) => 2,
        Cutoff::SymbolicFloat | Cutoff::SymbolicValue(_) => 3,
        Cutoff::Solver => 4,
        Cutoff::TooManyThreads | Cutoff::OutOfAddresses | Cutoff::ObjectTooLarge => 5,
        Cutoff::InputLength(_) => 6,
        Cutoff::RecursionBound => 7,
        Cutoff::LoopBound => 8,
        Cutoff::Interrupted => 9,
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
        Cutoff::ObjectTooLarge => "An object of more than 128 MiB is accessed, of which Sleave keeps no contents. Make it smaller in the test.".to_string(),
        Cutoff::UndefinedVariable(name) => format!(
            "The program declares the variable {name} and nobody defines it, or it begins with something that Sleave cannot express. Add the file that defines it to the command line."
        ),
        Cutoff::InputLength(what) => input_length_advice(what, options),
        Cutoff::TooManyThreads => crowd_advice(options, outcome),
        Cutoff::Interrupted => "The search was stopped before it was done.".to_string(),
        Cutoff::Solver => "The solver could not decide a condition in time. Narrow the inputs with assumptions.".to_string(),
        Cutoff::OtherFault(kind) => format!("An execution runs into another fault ({kind}), which was not asked for."),
    }
}

fn input_length_advice(what: &str, options: &Options) -> String {
    let made_up = options.machine.surroundings.input_length;
    let fix = match what {
        "environ" => return "The program looks through its whole environment, which may be any. Say with --env what is in it, and with --only-env that this is all.".to_string(),
        "value of a variable of the environment" => "--env NAME=VALUE",
        "stdin" => "--stdin FILE",
        "arguments of main" => return "The program looks at its fifth argument or a later one. Say with --args what they are.".to_string(),
        "argument of main" => "--args",
        _ => "a file of the test's own",
    };
    format!(
        "The program may look at more than {made_up} bytes of this, and nothing went wrong where it did not. Raise --input-length, or say what is there: {fix}."
    )
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

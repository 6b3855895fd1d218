//! Checking a program: ask an engine, confirm by replay, judge.
//!
//! An answer that is in doubt counts for nothing: the engine that gave it is asked again and may
//! take less for granted (see [`Doubt`]).

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::Statistics;
use explore::Frontier;
use machine::{Config, Cutoff, SharedSet};

use crate::Internal;
use crate::engine::{Analysed, Answer, Candidate, Counts, Coverage, Doubt, Engine, Task, bounds};
use crate::engines::explore::Explorer;
use crate::engines::static_proof::StaticProof;
use crate::engines::trace::TraceEngine;
use crate::explain::Why;
use crate::job::Job;
use crate::known::Doing;
use crate::load::Loaded;
use crate::minimise::minimise_context_switches;
use crate::names::Names;
use crate::options::{EngineOptions, Options};
use crate::reasons::{self, CutOff};
use crate::trace::Trace;
use crate::verdict::{Bug, Reason, Verdict};
use crate::watch::{Guardian, Leaving, Monitor, Saver, Watcher, peak_mb};
use crate::witness::{Replayed, Witness, replay};

/// A verdict and what it cost.
#[derive(Debug)]
pub struct Checked {
    pub verdict: Verdict,
    /// Which engine decided.
    pub engine: &'static str,
    pub counts: Counts,
    pub coverage: Coverage,
    pub time: Duration,
    pub memory_mb: u64,
    /// If accesses on which nothing depends were no scheduling points: how many were left.
    pub slice: Option<Statistics>,
    /// Memory that proved to be shared.
    pub shared: SharedSet,
    /// Of a bug where all were asked for: why there may be others.
    pub left_out: Option<Reason>,
    /// Why it is safe, if that was asked for.
    pub why: Option<Why>,
    /// Bounds that were in force.
    pub bounds: Vec<String>,
    /// Those among them that narrow what the environment may give to a driver.
    pub made_up: Vec<String>,
    /// Every place where executions were given up, the most telling first.
    pub cut_offs: Vec<CutOff>,
    /// Executions there are in all, as far as a search that was stopped can tell.
    pub expected: Option<f64>,
    /// What is left to do, if the search can tell.
    pub left: Option<Frontier>,
    /// What was left is void (see [`explore::Resumed`]).
    pub starts_over: bool,
    /// When the checkpoint was written last, or why it was not.
    pub checkpoint: Option<io::Result<Duration>>,
}

pub fn check(
    loaded: &Loaded,
    options: &Options,
    watcher: &mut dyn Watcher,
) -> Result<Checked, Internal> {
    let start = Instant::now();
    options.validate()?;
    let bounds = all_bounds(loaded, bounds(&options.machine));
    options.known.begin(options, bounds);
    let pieces = options.pieces();
    // A search that can be left is asked to leave first, and halted only if it does not.
    let halt = match pieces {
        Some(_) => Arc::default(),
        None => Arc::clone(&options.interrupt),
    };
    let guardian = Guardian::start(
        Arc::clone(&options.interrupt),
        Arc::clone(&halt),
        options.reason.clone(),
        options.time_limit,
        options.memory_limit_mb,
    );
    let mut monitor = Monitor::new(watcher, &guardian, &halt, start);
    monitor.known = Some(options.known.clone());
    // Whoever sets a limit wants to know what it was too small for.
    monitor.wants_estimate |= options.time_limit.is_some();
    monitor.leaving = pieces.map(|pieces| Leaving {
        flag: &options.interrupt,
        executions: pieces.executions,
    });
    let checkpoint = pieces.and_then(|pieces| pieces.checkpoint.as_ref());
    monitor.saver = checkpoint.map(|checkpoint| {
        let write = |frontier| Job::with(loaded, options, frontier).write(&checkpoint.path);
        Saver::new(checkpoint.every, write)
    });
    let analysed = Analysed::new(loaded);
    let task = Task::new(loaded, options, &halt, &analysed);
    let (answer, verdict) = ask(&task, options, &mut monitor)?;
    let expected = monitor.expected();
    let saver = monitor.saver;
    let may_have_others =
        options.all && matches!(verdict, Verdict::Bug(_)) && !answer.coverage.is_complete();
    Ok(Checked {
        left_out: may_have_others.then(|| reasons::reason(loaded, &answer)),
        cut_offs: reasons::cut_offs(loaded, &answer),
        why: options.explains().then(|| match verdict {
            Verdict::Safe => answer.why.unwrap_or(Why::NoSummaries),
            _ => Why::NotSafe,
        }),
        verdict,
        expected: expected.filter(|_| answer.coverage.stopped.is_some()),
        checkpoint: saver.and_then(|saver| saver.finish(answer.left.as_ref(), start)),
        engine: answer.engine,
        counts: answer.counts,
        coverage: answer.coverage,
        slice: answer.slice,
        shared: answer.shared,
        left: answer.left,
        starts_over: answer.starts_over,
        time: start.elapsed(),
        memory_mb: peak_mb(),
        bounds: all_bounds(loaded, answer.bounds),
        made_up: loaded
            .made
            .as_ref()
            .map_or(Vec::new(), |made| made.bounds.clone()),
    })
}

/// Those of the driver first: they say what was checked.
fn all_bounds(loaded: &Loaded, bounds: Vec<String>) -> Vec<String> {
    let made = loaded.made.iter().flat_map(|made| made.bounds.clone());
    made.chain(bounds).collect()
}

fn engine(options: &Options) -> Box<dyn Engine> {
    match &options.engine {
        EngineOptions::Portfolio(portfolio) => Box::new(portfolio.clone()),
        EngineOptions::Explore(explore) => Box::new(Explorer::new(explore.clone())),
        EngineOptions::Static => Box::new(StaticProof),
        EngineOptions::Trace(options) => Box::new(TraceEngine::new(options.clone())),
    }
}

/// The answer that counts, and the verdict.
fn ask(
    task: &Task,
    options: &Options,
    monitor: &mut Monitor,
) -> Result<(Answer, Verdict), Internal> {
    let mut engine = engine(options);
    loop {
        let answer = engine.run(task, monitor)?;
        let verdict = judge(task.loaded, options, &answer);
        let Some(doubt) = doubt(&answer, &verdict, options.all) else {
            return verdict.map(|verdict| (answer, verdict));
        };
        match engine.assume_less(doubt) {
            Some(other) => engine = other,
            None if doubt == Doubt::Refuted => {
                return Ok((answer, Verdict::Unknown(reasons::refuted())));
            }
            None => return verdict.map(|verdict| (answer, verdict)),
        }
        explore::Monitor::restart(monitor);
    }
}

/// Why an answer does not count, if it does not.
fn doubt(answer: &Answer, verdict: &Result<Verdict, Internal>, all: bool) -> Option<Doubt> {
    let is_answer = matches!(verdict, Ok(Verdict::Bug(_))) && !all;
    if answer.is_refuted && !is_answer {
        return Some(Doubt::Refuted);
    }
    let may_be_outside = |cutoff: &Cutoff| {
        matches!(
            cutoff,
            Cutoff::OtherFault(_) | Cutoff::SymbolicFloat | Cutoff::SymbolicValue(_)
        )
    };
    let mut cut_off = answer.coverage.cut_off.keys();
    let is_spoilt = match verdict {
        Err(_) => true,
        Ok(Verdict::Unknown(_)) => cut_off.any(|(cutoff, _)| may_be_outside(cutoff)),
        Ok(Verdict::Safe | Verdict::Bug(_)) => false,
    };
    if answer.has_dont_care_branches && is_spoilt {
        return Some(Doubt::Spoilt);
    }
    verdict.is_err().then_some(Doubt::Unconfirmed)
}

fn judge(loaded: &Loaded, options: &Options, answer: &Answer) -> Result<Verdict, Internal> {
    let candidates = &answer.candidates;
    if !candidates.is_empty() {
        let bugs = candidates.iter();
        let count = candidates.len();
        let bugs = bugs.map(|found| confirm(loaded, options, &answer.machine, found, count));
        return bugs.collect::<Result<_, _>>().map(Verdict::Bug);
    }
    if answer.coverage.is_complete() {
        return Ok(Verdict::Safe);
    }
    Ok(Verdict::Unknown(reasons::reason(loaded, answer)))
}

/// A candidate becomes a bug only when a fresh concrete machine shows it too. `bugs`: how many share
/// the time that it takes to make witnesses short.
pub(crate) fn confirm(
    loaded: &Loaded,
    options: &Options,
    machine: &Config,
    candidate: &Candidate,
    bugs: usize,
) -> Result<Bug, Internal> {
    let fault = &candidate.found.fault;
    let property = fault.fault.property();
    let place = Names::new(&loaded.program).location(fault.loc);
    let place = place.map_or(String::new(), |place| format!(" at {place}"));
    let what = format!("A possible bug ({}{place})", property.name());
    options.known.now(Doing::Confirming(what));
    let found = candidate.with_all_points(machine)?;
    let mut witness = Witness::new(loaded, machine, &found);
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

//! The report that programs read: one object, always with the same keys in the same order.

use std::path::PathBuf;

use super::{ReplayOutcome, deadlock, explain, race};
use serde::Serialize;
use verify::{
    Checked, Runs, Statistics, SummaryStatistics, Trace, TraceStatistics, Verdict, Witness,
};

#[derive(Serialize)]
struct Report<'a> {
    verdict: &'static str,
    property: Option<&'static str>,
    reason: Option<&'a str>,
    location: Option<&'a str>,
    engine: &'static str,
    runs: Runs,
    threads: u32,
    events: u64,
    solver: Solver,
    time_s: f64,
    memory_mb: u64,
    witness: Option<String>,
    bounds: &'a [String],
    /// What the properties depend on, if the rest was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<Slice>,
    /// Where states were pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    summaries: Option<SummaryStatistics>,
    /// What was unrolled, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceStatistics>,
    /// With `--explain` only; null if there is nothing to explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Option<explain::Json<'a>>>,
    /// Where the search was stopped, and can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_runs: Option<u64>,
    /// With `--all` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bugs: Option<Vec<Found<'a>>>,
    /// With `--run` only: the structures that the inputs of the bug are.
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<race::Json<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlock: Option<deadlock::Json<'a>>,
}

/// Numbers of the whole program, and of what was left of it.
#[derive(Serialize)]
struct Slice {
    statements: [usize; 2],
    accesses: [usize; 2],
    locks: [usize; 2],
    /// Jumps on inputs.
    branches: [usize; 2],
}

impl Slice {
    fn of(statistics: &Statistics) -> Slice {
        let s = statistics;
        Slice {
            statements: [s.statements, s.statements_in_slice],
            accesses: [s.accesses, s.scheduling_points],
            locks: [s.locks, s.locks - s.elidable_locks],
            branches: [s.branches, s.branches - s.dont_care_branches],
        }
    }
}

#[derive(Serialize)]
struct Solver {
    queries: u64,
    time_s: f64,
}

#[derive(Serialize)]
struct Found<'a> {
    property: &'static str,
    location: &'a str,
    message: &'a str,
    witness: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<race::Json<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlock: Option<deadlock::Json<'a>>,
}

/// The structures that inputs are, if there are some.
fn shapes(trace: &Trace) -> Option<&[String]> {
    (!trace.shapes.is_empty()).then_some(trace.shapes.as_slice())
}

pub fn check(checked: &Checked, witnesses: &[Option<PathBuf>], all: bool) -> String {
    let counts = &checked.counts;
    let witness = |i: usize| {
        let path = witnesses.get(i).and_then(Option::as_ref);
        path.map(|p| p.display().to_string())
    };
    let mut report = Report {
        verdict: "safe",
        property: None,
        reason: None,
        location: None,
        engine: checked.engine,
        runs: counts.runs,
        threads: counts.threads,
        events: counts.events,
        solver: Solver {
            queries: counts.solver.queries,
            time_s: rounded(counts.solver.time.as_secs_f64()),
        },
        time_s: rounded(checked.time.as_secs_f64()),
        memory_mb: checked.memory_mb,
        witness: witness(0),
        bounds: &checked.bounds,
        slice: checked.slice.as_ref().map(Slice::of),
        summaries: counts.summaries,
        trace: counts.trace,
        explanation: checked.why.as_ref().map(explain::json),
        expected_runs: checked.expected.map(|expected| expected as u64),
        failing: all.then_some(counts.failing),
        bugs: all.then(Vec::new),
        shapes: None,
        race: None,
        deadlock: None,
    };
    match &checked.verdict {
        Verdict::Safe => {}
        Verdict::Bug(bugs) => {
            report.verdict = "bug";
            report.reason = checked.left_out.as_ref().map(|r| r.name.as_str());
            report.property = Some(bugs[0].property.name());
            report.location = Some(&bugs[0].location);
            report.shapes = shapes(&bugs[0].trace);
            report.race = race::json(&bugs[0].trace);
            report.deadlock = deadlock::json(&bugs[0].trace);
            if let Some(list) = &mut report.bugs {
                list.extend(bugs.iter().enumerate().map(|(i, bug)| Found {
                    property: bug.property.name(),
                    location: &bug.location,
                    message: &bug.message,
                    witness: witness(i),
                    shapes: shapes(&bug.trace),
                    race: race::json(&bug.trace),
                    deadlock: deadlock::json(&bug.trace),
                }));
            }
        }
        Verdict::Unknown(reason) => {
            report.verdict = "unknown";
            report.reason = Some(&reason.name);
            report.location = reason.location.as_deref();
        }
    }
    to_line(&report)
}

#[derive(Serialize)]
struct ReplayReport<'a> {
    verdict: &'static str,
    property: Option<&'static str>,
    reason: Option<&'static str>,
    location: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<race::Json<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlock: Option<deadlock::Json<'a>>,
}

pub fn replay(witness: &Witness, outcome: &ReplayOutcome) -> String {
    let confirmed = outcome.is_confirmed();
    let (message, trace) = match outcome {
        ReplayOutcome::Replayed(replayed) => {
            (replayed.trace.message.clone(), Some(&replayed.trace))
        }
        ReplayOutcome::Diverged(diverged) => (diverged.to_string(), None),
    };
    to_line(&ReplayReport {
        verdict: if confirmed { "bug" } else { "unknown" },
        property: confirmed.then(|| witness.expected.property.name()),
        reason: (!confirmed).then_some("not reproduced"),
        location: confirmed.then_some(&witness.expected.location),
        message: &message,
        shapes: trace.and_then(shapes),
        race: trace.and_then(race::json),
        deadlock: trace.and_then(deadlock::json),
    })
}

pub fn replay_interrupted() -> String {
    to_line(&ReplayReport {
        verdict: "unknown",
        property: None,
        reason: Some("interrupted"),
        location: None,
        message: "The replay was stopped before it came to its end.",
        shapes: None,
        race: None,
        deadlock: None,
    })
}

fn to_line(report: &impl Serialize) -> String {
    let mut text = serde_json::to_string(report).expect("a report is plain data");
    text.push('\n');
    text
}

/// Microseconds are enough.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

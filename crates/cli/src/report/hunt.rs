//! What came of a hunt: in words, as JSON, and as SARIF.

use std::path::PathBuf;

use serde::Serialize;
use verify::{Branch, Bug, Hunted, HuntedSet, InTheWay, SourcePlace, Status};

use super::style::{Role, Style};
use super::table::wrap;
use super::text::{paragraph, seconds, show_bug, show_trace};
use crate::source::Sources;

/// A run to where nothing went wrong is shown by its end.
const MOST_ROWS: usize = 40;

pub fn text(hunted: &Hunted, witnesses: &[Option<PathBuf>], quiet: bool, style: &Style) -> String {
    let mut out = String::new();
    let mut sources = Sources::default();
    let mut witnesses = witnesses.iter();
    for set in &hunted.sets {
        let role = match set.status {
            Status::Confirmed(_) => Role::Bad,
            Status::Refuted(_) => Role::Good,
            Status::Reached(_) | Status::Open(_) => Role::Heading,
        };
        let title = format!("{}: {}", set.status.name(), title(set));
        out.push_str(&style.paint(role, &title));
        out.push('\n');
        let witness = match set.status {
            Status::Confirmed(_) => witnesses.next(),
            _ => None,
        };
        if !quiet {
            details(&mut out, set, &mut sources, style);
            replay_it(&mut out, witness);
        }
    }
    for (bug, witness) in hunted.besides.iter().zip(witnesses) {
        let title = format!("found on the way: {}: {}", bug.location, bug.message);
        out.push_str(&style.paint(Role::Bad, &title));
        out.push('\n');
        if !quiet {
            out.push_str(&show_bug(bug, style));
            replay_it(&mut out, Some(witness));
        }
    }
    if hunted.sets.is_empty() {
        let text = "Nothing to hunt: no such assertion or warning. Name a line with --target, or try --warnings or --assertions.";
        paragraph(&mut out, &wrap(text, style.width, "").join("\n"));
    }
    if hunted.left_out > 0 {
        let text = format!(
            "{} more warnings were not hunted: there are too many.",
            hunted.left_out
        );
        paragraph(&mut out, &text);
    }
    out.push_str(&summary(hunted));
    out
}

fn replay_it(out: &mut String, witness: Option<&Option<PathBuf>>) {
    if let Some(Some(witness)) = witness {
        out.push_str(&format!(
            "replay it: sleave replay {}\n\n",
            witness.display()
        ));
    }
}

/// `a.c:7: possible data race on counter`
fn title(set: &HuntedSet) -> String {
    let places: Vec<String> = set.places.iter().map(short).collect();
    format!("{} ({})", set.message, places.join(", "))
}

fn short(place: &SourcePlace) -> String {
    match place.line {
        0 => "an unknown place".to_string(),
        line => format!("{}:{line}", place.file),
    }
}

fn details(out: &mut String, set: &HuntedSet, sources: &mut Sources, style: &Style) {
    match &set.status {
        Status::Confirmed(bug) => out.push_str(&show_bug(bug, style)),
        Status::Reached(run) => {
            let text = "Threads were there at the same time, and nothing went wrong.";
            paragraph(out, text);
            if let Some(run) = run {
                let title = "The run up to there:";
                out.push_str(&show_trace(title, run, MOST_ROWS, sources, style));
            }
        }
        Status::Refuted(why) => paragraph(out, &format!("It cannot happen: {why}.")),
        Status::Open(way) => {
            let text = in_the_way(way, sources);
            paragraph(out, &wrap(&text, style.width, "").join("\n"));
        }
    }
}

/// ``No run came there: a.c:88 (`if (count >= 20)`) did not go on at line 89. Of 4 writes ...``
fn in_the_way(way: &InTheWay, sources: &mut Sources) -> String {
    let mut text = match &way.branch {
        Some(branch) => missed(branch, sources),
        None => "No run came there within the limits.".to_string(),
    };
    if let Some((why, place)) = &way.given_up {
        text += &format!(" Runs were given up at {}: {why}.", short(place));
    }
    text
}

fn missed(branch: &Branch, sources: &mut Sources) -> String {
    let line = sources.line(&branch.place.file, branch.place.line);
    let source = match line.trim() {
        "" => String::new(),
        line => format!(" (`{line}`)"),
    };
    let wanted = match &branch.wanted {
        Some(wanted) if wanted.line != 0 => format!("go on at line {}", wanted.line),
        _ => "go the other way".to_string(),
    };
    format!(
        "No run came there: {}{source} did not {wanted}. Of {} writes to what it reads, {} may help and were tried.",
        short(&branch.place),
        branch.definitions,
        branch.tried
    )
}

fn summary(hunted: &Hunted) -> String {
    let count = |name: &str| {
        let sets = hunted.sets.iter();
        sets.filter(|set| set.status.name() == name).count()
    };
    let states: u64 = hunted.sets.iter().map(|set| set.statistics.states).sum();
    let stopped = match hunted.is_stopped {
        true => " (stopped by a limit)",
        false => "",
    };
    format!(
        "{} {}: {} confirmed, {} reached, {} refuted, {} open; {states} states in {}{stopped}\n",
        hunted.sets.len(),
        if hunted.sets.len() == 1 {
            "target"
        } else {
            "targets"
        },
        count("confirmed"),
        count("reached"),
        count("refuted"),
        count("open"),
        seconds(hunted.time.as_secs_f64()),
    )
}

#[derive(Serialize)]
struct Report<'a> {
    targets: Vec<Target<'a>>,
    besides: Vec<Found<'a>>,
    time_s: f64,
    memory_mb: u64,
    stopped: bool,
    not_hunted: usize,
}

#[derive(Serialize)]
struct Target<'a> {
    status: &'static str,
    message: &'a str,
    kind: Option<&'static str>,
    places: Vec<String>,
    states: u64,
    executions: u64,
    refinements: u64,
    trace_length: usize,
    bug: Option<Found<'a>>,
    reason: Option<&'a str>,
    in_the_way: Option<Way>,
}

#[derive(Serialize)]
struct Found<'a> {
    property: &'static str,
    location: &'a str,
    message: &'a str,
    witness: Option<String>,
}

#[derive(Serialize)]
struct Way {
    branch: Option<Missed>,
    given_up: Option<String>,
}

#[derive(Serialize)]
struct Missed {
    place: String,
    wanted: Option<String>,
    definitions: usize,
    tried: usize,
}

pub fn json(hunted: &Hunted, witnesses: &[Option<PathBuf>]) -> String {
    let mut witnesses = witnesses.iter();
    let mut witness = || {
        let path = witnesses.next()?.as_ref()?;
        Some(path.display().to_string())
    };
    let mut targets = Vec::new();
    for set in &hunted.sets {
        let bug = match &set.status {
            Status::Confirmed(bug) => Some(of_bug(bug, witness())),
            _ => None,
        };
        targets.push(Target {
            status: set.status.name(),
            message: &set.message,
            kind: set.warning.as_ref().map(|warning| warning.kind.name()),
            places: set.places.iter().map(short).collect(),
            states: set.statistics.states,
            executions: set.statistics.executions,
            refinements: set.statistics.refinements,
            trace_length: set.statistics.length,
            bug,
            reason: match &set.status {
                Status::Refuted(why) => Some(why),
                _ => None,
            },
            in_the_way: match &set.status {
                Status::Open(way) => Some(Way {
                    branch: way.branch.as_ref().map(|branch| Missed {
                        place: short(&branch.place),
                        wanted: branch.wanted.as_ref().map(short),
                        definitions: branch.definitions,
                        tried: branch.tried,
                    }),
                    given_up: (way.given_up.as_ref())
                        .map(|(why, place)| format!("{}: {why}", short(place))),
                }),
                _ => None,
            },
        });
    }
    let besides = hunted.besides.iter().map(|bug| of_bug(bug, witness()));
    let report = Report {
        besides: besides.collect(),
        targets,
        time_s: (hunted.time.as_secs_f64() * 1000.0).round() / 1000.0,
        memory_mb: hunted.memory_mb,
        stopped: hunted.is_stopped,
        not_hunted: hunted.left_out,
    };
    let mut text = serde_json::to_string(&report).expect("a report is plain data");
    text.push('\n');
    text
}

fn of_bug(bug: &Bug, witness: Option<String>) -> Found<'_> {
    Found {
        property: bug.property.name(),
        location: &bug.location,
        message: &bug.message,
        witness,
    }
}

//! The report that people read. It needs no knowledge of the papers: what goes wrong, with which
//! inputs, in which order, and what to do next.

use std::path::PathBuf;

use verify::{
    Bug, Checked, CutOff, GIVEN_INPUTS, LineKind, Reason, Stopped, Trace, TraceStatistics, Verdict,
    Witness,
};

use super::rows::{Row, place, rows, switches};
use super::style::{Role, Style};
use super::table::{table, wrap};
use super::{ReplayOutcome, deadlock, explain, race};
use crate::progress::about;
use crate::source::Sources;

/// A longer trace is shown by its end; `replay` shows all of it.
const MOST_ROWS: usize = 120;

pub fn check(checked: &Checked, witnesses: &[Option<PathBuf>], style: &Style) -> String {
    let mut out = String::new();
    match &checked.verdict {
        Verdict::Safe => {
            let text = match checked.engine {
                "static" => "Nothing goes wrong, for any number of threads.",
                _ if checked.bounds.iter().any(|bound| bound == GIVEN_INPUTS) => {
                    "Every schedule was tried with the given inputs, and nothing goes wrong."
                }
                _ => "Every schedule and every input was tried, and nothing goes wrong.",
            };
            paragraph(&mut out, &style.paint(Role::Good, text));
            if !checked.made_up.is_empty() {
                let text = format!("Inputs that were tried: {}.", checked.made_up.join("; "));
                paragraph(&mut out, &wrap(&text, style.width, "").join("\n"));
            }
        }
        Verdict::Bug(bugs) => {
            for (bug, witness) in bugs.iter().zip(witnesses) {
                out.push_str(&show_bug(bug, style));
                if let Some(witness) = witness {
                    out.push_str(&format!(
                        "replay it: sleave replay {}\n\n",
                        witness.display()
                    ));
                }
            }
        }
        Verdict::Unknown(reason) => out.push_str(&show_unknown(reason, &checked.cut_offs, style)),
    }
    if let Some(why) = &checked.why {
        out.push_str(&explain::text(why, style));
    }
    paragraph(&mut out, &covered(checked));
    if let Some(reason) = &checked.left_out {
        let text = format!(
            "There may be other bugs: {}. {}",
            one_line(&reason.name),
            reason.advice
        );
        paragraph(&mut out, &wrap(&text, style.width, "").join("\n"));
    }
    out.push_str(&verdict_line(&checked.verdict));
    out
}

pub fn replay(witness: &Witness, outcome: &ReplayOutcome, quiet: bool, style: &Style) -> String {
    let mut out = String::new();
    let expected = witness.expected.property.name();
    match outcome {
        ReplayOutcome::Replayed(replayed) => {
            if !quiet {
                let title = if replayed.confirmed {
                    format!("{}: ", witness.expected.location)
                } else {
                    String::new()
                };
                let title = format!("{title}{}", replayed.trace.message);
                out.push_str(&show_trace(
                    &title,
                    &replayed.trace,
                    usize::MAX,
                    &mut Sources::default(),
                    style,
                ));
            }
            if replayed.confirmed {
                out.push_str("replayed: the bug is confirmed\n");
                out.push_str(&format!("verdict: bug ({expected})\n"));
                return out;
            }
            out.push_str(&format!(
                "replayed: not as the witness says, which was {expected} at {}\n",
                witness.expected.location
            ));
        }
        ReplayOutcome::Diverged(diverged) => out.push_str(&format!("{diverged}\n")),
    }
    out.push_str("verdict: unknown (not reproduced)\n");
    out
}

pub fn replay_interrupted() -> String {
    "The replay was stopped before it came to its end.\nverdict: unknown (interrupted)\n"
        .to_string()
}

/// The last line of every report.
pub fn verdict_line(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe => "verdict: safe\n".to_string(),
        Verdict::Bug(bugs) => format!("verdict: bug ({})\n", bugs[0].property.name()),
        Verdict::Unknown(reason) => format!("verdict: unknown ({})\n", one_line(&reason.name)),
    }
}

pub(super) fn show_bug(bug: &Bug, style: &Style) -> String {
    let title = format!("{}: {}", bug.location, bug.message);
    show_trace(
        &title,
        &bug.trace,
        MOST_ROWS,
        &mut Sources::default(),
        style,
    )
}

pub(super) fn show_trace(
    title: &str,
    trace: &Trace,
    most_rows: usize,
    sources: &mut Sources,
    style: &Style,
) -> String {
    let mut out = String::new();
    paragraph(&mut out, &style.paint(Role::Bad, &one_line(title)));
    inputs(&mut out, trace, style);
    let rows = rows(trace, sources);
    if !rows.is_empty() {
        interleaving(&mut out, trace, &rows, most_rows, style);
    }
    if let Some(deadlock) = &trace.deadlock {
        out.push_str(&deadlock::text(deadlock, trace, style));
    }
    if let Some(race) = &trace.race {
        out.push_str(&race::text(race, trace, style));
    }
    out
}

fn inputs(out: &mut String, trace: &Trace, style: &Style) {
    let lines = trace.lines.iter().filter(|l| l.kind == LineKind::Input);
    let mut listed = Vec::new();
    for line in lines {
        let text = line
            .text
            .strip_prefix("input ")
            .unwrap_or(&line.text)
            .to_string();
        listed.push((
            one_line(&text),
            format!(
                "{}, {}",
                place(&line.file, line.line),
                trace.threads[line.thread]
            ),
        ));
    }
    if listed.is_empty() && trace.shapes.is_empty() {
        return;
    }
    out.push_str(&style.paint(Role::Heading, "With these inputs:"));
    out.push('\n');
    for shape in &trace.shapes {
        out.push_str(&format!("  {}\n", one_line(shape)));
    }
    let width = listed
        .iter()
        .map(|(text, _)| text.chars().count())
        .max()
        .unwrap_or(0);
    for (text, place) in listed {
        out.push_str(&format!("  {text:<width$}  ({place})\n"));
    }
    out.push('\n');
}

fn interleaving(out: &mut String, trace: &Trace, rows: &[Row], most_rows: usize, style: &Style) {
    let first = rows.len().saturating_sub(most_rows);
    let who = if switches(rows) == 0 {
        "What happens"
    } else {
        "What the threads do"
    };
    out.push_str(&style.paint(Role::Heading, &format!("{who}, from top to bottom:")));
    out.push('\n');
    if trace.left_out > 0 {
        let count = trace.left_out;
        out.push_str(&format!(
            "({count} earlier events are left out: there was no time to show them)\n"
        ));
    } else if first > 0 {
        out.push_str(&format!(
            "({first} earlier rows are left out; sleave replay shows them)\n"
        ));
    }
    out.push('\n');
    out.push_str(&table(trace, &rows[first..], style));
    out.push('\n');
}

/// Wraps what comes after the first `head` characters, below itself.
pub(super) fn wrap_keeping_head(text: &str, head: usize, width: usize) -> Vec<String> {
    let (start, rest) = text.split_at(head.min(text.len()));
    let room = width.saturating_sub(head).max(20);
    let lines = wrap(rest, room, "");
    let indent = " ".repeat(head);
    let prefix = |i: usize| if i == 0 { start } else { &indent };
    lines
        .iter()
        .enumerate()
        .map(|(i, line)| format!("{}{line}", prefix(i)))
        .collect()
}

fn show_unknown(reason: &Reason, cut_offs: &[CutOff], style: &Style) -> String {
    let mut out = String::new();
    let place = reason
        .location
        .as_ref()
        .map_or(String::new(), |l| format!("{l}: "));
    let title = format!("{place}{}", one_line(&reason.name));
    out.push_str(&style.paint(Role::Heading, &title));
    out.push('\n');
    paragraph(&mut out, &wrap(&reason.advice, style.width, "").join("\n"));
    let others: Vec<&CutOff> = cut_offs.iter().filter(|c| c.reason != *reason).collect();
    if !others.is_empty() {
        out.push_str("Runs were also given up here:\n");
        for cut in others {
            let place = cut
                .reason
                .location
                .as_ref()
                .map_or(String::new(), |l| format!("{l}: "));
            out.push_str(&format!(
                "  {place}{} ({})\n",
                one_line(&cut.reason.name),
                times(cut.count, "run")
            ));
        }
        out.push('\n');
    }
    out
}

/// `1 run was`, `2 runs were`.
fn were(count: u64, what: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", times(count, what))
}

/// What the search went through, in one or two sentences.
fn covered(checked: &Checked) -> String {
    let (counts, coverage) = (&checked.counts, &checked.coverage);
    let runs = counts.runs;
    if checked.engine == "static" {
        let time = seconds(checked.time.as_secs_f64());
        return format!("Static facts were asked, in {time}; nothing was searched.");
    }
    if let Some(trace) = &counts.trace {
        return unrolled(checked, trace);
    }
    let mut text = format!(
        "Searched {} of {} to the end in {}.",
        times(runs.complete, "run"),
        times(u64::from(counts.threads.max(1)), "thread"),
        seconds(checked.time.as_secs_f64())
    );
    if coverage.one_schedule && counts.threads > 1 {
        text.push_str(" What was checked does not depend on the schedule: one was enough.");
    } else if let Some(slice) = &checked.slice {
        text.push_str(&format!(
            " What was checked depends on {} of {}, {} of {} and {} of {}.",
            slice.statements_in_slice,
            times(slice.statements as u64, "statement"),
            slice.scheduling_points,
            times(slice.accesses as u64, "memory operation"),
            slice.locks - slice.elidable_locks,
            times(slice.locks as u64, "lock"),
        ));
        if slice.dont_care_branches > 0 {
            text.push_str(&format!(
                " {} of {} on inputs went one way: nothing depends on them.",
                slice.dont_care_branches,
                times(slice.branches as u64, "jump"),
            ));
        }
    }
    if let (Some(expected), Verdict::Unknown(_)) = (checked.expected, &checked.verdict) {
        text.push_str(&format!(
            " There are about {}, by an estimate.",
            about(expected)
        ));
    }
    if counts.failing > 1 {
        text.push_str(&format!(" {} of them fail.", counts.failing));
    }
    if runs.pruned > 0 {
        text.push_str(&format!(
            " Of {} the rest was known to be safe.",
            times(runs.pruned, "more run")
        ));
    }
    if runs.blocked > 0 {
        text.push_str(&format!(
            " {} cut short: an assumption excludes what follows, {}or it was searched before.",
            were(runs.blocked, "more run"),
            if coverage.crowded.is_empty() {
                ""
            } else {
                "a thread stands still, "
            }
        ));
    }
    if let Some(bound) = coverage.preemptions
        && !matches!(coverage.stopped, Some(Stopped::PreemptionBound { .. }))
    {
        text.push_str(&format!(
            " Before that, nothing went wrong in any schedule with at most {}.",
            times(u64::from(bound), "preemption")
        ));
    }
    let given_up: u64 = checked.cut_offs.iter().map(|c| c.count).sum();
    if given_up > 0 {
        text.push_str(&format!(" {} given up.", were(given_up, "run")));
    }
    if matches!(checked.verdict, Verdict::Safe) && runs.complete == 0 {
        text.push_str(
            " No run reaches the end of the program: do the assumptions exclude too much?",
        );
    }
    text
}

/// What the trace engine has made of the program.
fn unrolled(checked: &Checked, trace: &TraceStatistics) -> String {
    let counts = &checked.counts;
    let mut text = format!(
        "Unrolled {} and {} of {}, shown by {}; the solver answered {} about all their orders in {}, of {} in all.",
        times(trace.edges as u64, "edge"),
        times(trace.events as u64, "visible operation"),
        times(u64::from(counts.threads.max(1)), "thread"),
        times(counts.runs.complete, "run"),
        times(counts.solver.queries, "question"),
        seconds(counts.solver.time.as_secs_f64()),
        seconds(checked.time.as_secs_f64())
    );
    if trace.open_exits > 0 && matches!(checked.verdict, Verdict::Unknown(_)) {
        text.push_str(&format!(
            " {} still to be looked at.",
            were_left(trace.open_exits as u64, "edge")
        ));
    }
    text
}

/// `1 edge is`, `2 edges are`.
fn were_left(count: u64, what: &str) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb}", times(count, what))
}

fn times(count: u64, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

pub(super) fn seconds(seconds: f64) -> String {
    if seconds < 0.01 {
        "less than 0.01 s".to_string()
    } else {
        format!("{seconds:.2} s")
    }
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

pub(super) fn paragraph(out: &mut String, text: &str) {
    out.push_str(text);
    out.push_str("\n\n");
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

//! Warnings of `sleave lint`, in words and as JSON.

use std::collections::HashMap;

use serde::Serialize;
use verify::{Frame, HeldLock, SourcePlace, Step, Warning};

use super::rows::place;
use super::style::{Role, Style};
use super::table::wrap;
use crate::source::Sources;

/// Of warnings with the same message so many are shown.
const MOST_ALIKE: usize = 10;

pub fn text(warnings: &[Warning], quiet: bool, style: &Style) -> String {
    let mut out = String::new();
    let mut sources = Sources::default();
    let mut alike: HashMap<&str, usize> = HashMap::new();
    for warning in warnings {
        let count = alike.entry(&warning.message).or_default();
        *count += 1;
        if *count > MOST_ALIKE {
            continue;
        }
        out.push_str(&style.paint(Role::Heading, &title(warning)));
        out.push('\n');
        if !quiet {
            details(&mut out, warning, &mut sources, style);
        }
    }
    let left: usize = alike
        .values()
        .map(|count| count.saturating_sub(MOST_ALIKE))
        .sum();
    if left > 0 {
        out.push_str(&format!(
            "{left} more of the same at other lines; --format json has all of them.\n"
        ));
    }
    out.push_str(&summary(warnings));
    out
}

/// `a.c:7:3: possible data race on counter`
fn title(warning: &Warning) -> String {
    match first_place(warning) {
        Some(at) => format!("{}:{}:{}: {}", at.file, at.line, at.column, warning.message),
        None => warning.message.clone(),
    }
}

/// Where the warning is shown: the innermost place of the program's own.
pub(super) fn first_place(warning: &Warning) -> Option<&SourcePlace> {
    let frames = warning.steps.iter().flat_map(|step| &step.stack);
    let mut places = frames.map(|frame| &frame.place);
    places.find(|place| place.line != 0)
}

fn details(out: &mut String, warning: &Warning, sources: &mut Sources, style: &Style) {
    for step in &warning.steps {
        out.push('\n');
        paragraph(
            out,
            &format!("  {} {}", step.thread, step.effect),
            "    ",
            style,
        );
        if let Some(frame) = step.stack.first() {
            let source = sources.line(&frame.place.file, frame.place.line);
            let line = frame.place.line;
            if !source.is_empty() {
                let number = style.paint(Role::Faint, &format!("{line:>6} |"));
                out.push_str(&format!("  {number} {source}\n"));
            }
        }
        if let Some(stack) = stack(&step.stack) {
            paragraph(out, &format!("    in {stack}"), "      ", style);
        }
        paragraph(out, &format!("    {}", locks(step)), "      ", style);
    }
    out.push('\n');
    paragraph(out, &format!("  {}", warning.hint), "  ", style);
    out.push('\n');
}

fn paragraph(out: &mut String, text: &str, indent: &str, style: &Style) {
    for line in wrap(text, style.width, indent) {
        out.push_str(&line);
        out.push('\n');
    }
}

/// `add() (a.c:7), called from worker() (a.c:13)`
fn stack(frames: &[Frame]) -> Option<String> {
    let words: Vec<String> = frames.iter().map(frame).collect();
    match words.split_first()? {
        (innermost, []) => Some(innermost.clone()),
        (innermost, outer) => Some(format!(
            "{innermost}, called from {}",
            outer.join(", from ")
        )),
    }
}

fn frame(frame: &Frame) -> String {
    match place(&frame.place.file, frame.place.line) {
        place if place.is_empty() => format!("{}()", frame.function),
        place => format!("{}() ({place})", frame.function),
    }
}

fn locks(step: &Step) -> String {
    if step.locks.is_empty() {
        return "holding no lock".to_string();
    }
    let words: Vec<String> = step.locks.iter().map(lock).collect();
    format!("holding {}", words.join(", "))
}

/// `m (locked at a.c:6, called from worker() (a.c:20))`
fn lock(lock: &HeldLock) -> String {
    let how = if lock.shared { "for reading, " } else { "" };
    let perhaps = if lock.certain { "" } else { "perhaps " };
    let at = lock.stack.first().map_or(String::new(), |frame| {
        place(&frame.place.file, frame.place.line)
    });
    let callers: Vec<String> = lock.stack.iter().skip(1).map(frame).collect();
    let callers = if callers.is_empty() {
        String::new()
    } else {
        format!(", called from {}", callers.join(", from "))
    };
    format!("{perhaps}{} ({how}locked at {at}{callers})", lock.name)
}

fn summary(warnings: &[Warning]) -> String {
    match warnings.len() {
        0 => "No warnings. Only sleave check can prove that nothing goes wrong.\n".to_string(),
        1 => "1 warning. It is possible as far as the program text tells; sleave check says whether it happens.\n".to_string(),
        n => format!("{n} warnings. They are possible as far as the program text tells; sleave check says whether they happen.\n"),
    }
}

#[derive(Serialize)]
struct Report<'a> {
    warnings: Vec<JsonWarning<'a>>,
}

#[derive(Serialize)]
struct JsonWarning<'a> {
    kind: &'static str,
    location: Option<String>,
    message: &'a str,
    steps: Vec<JsonStep<'a>>,
    hint: &'a str,
}

#[derive(Serialize)]
struct JsonStep<'a> {
    thread: &'a str,
    does: &'a str,
    stack: Vec<JsonFrame<'a>>,
    locks: Vec<JsonLock<'a>>,
}

#[derive(Serialize)]
struct JsonFrame<'a> {
    function: &'a str,
    location: Option<String>,
}

#[derive(Serialize)]
struct JsonLock<'a> {
    name: &'a str,
    shared: bool,
    certain: bool,
    locked_at: Vec<JsonFrame<'a>>,
}

pub fn json(warnings: &[Warning]) -> String {
    let report = Report {
        warnings: warnings.iter().map(json_warning).collect(),
    };
    let mut text = serde_json::to_string(&report).expect("a report is plain data");
    text.push('\n');
    text
}

fn json_warning(warning: &Warning) -> JsonWarning<'_> {
    let step = |step| -> JsonStep<'_> {
        let step: &Step = step;
        JsonStep {
            thread: &step.thread,
            does: &step.effect,
            stack: step.stack.iter().map(json_frame).collect(),
            locks: step
                .locks
                .iter()
                .map(|lock| JsonLock {
                    name: &lock.name,
                    shared: lock.shared,
                    certain: lock.certain,
                    locked_at: lock.stack.iter().map(json_frame).collect(),
                })
                .collect(),
        }
    };
    JsonWarning {
        kind: warning.kind.name(),
        location: first_place(warning).map(location),
        message: &warning.message,
        steps: warning.steps.iter().map(step).collect(),
        hint: &warning.hint,
    }
}

fn json_frame(frame: &Frame) -> JsonFrame<'_> {
    JsonFrame {
        function: &frame.function,
        location: (frame.place.line != 0).then(|| location(&frame.place)),
    }
}

fn location(place: &SourcePlace) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

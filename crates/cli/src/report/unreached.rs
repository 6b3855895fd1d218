//! What no execution does, by a proof of the trace engine: sides of branches that are never taken,
//! with their conditions, and lines that are dead under every schedule.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use verify::{Condition, DeadSide, Unreached};

use super::condition;
use super::style::{Role, Style};
use super::table::wrap;
use super::text::wrap_keeping_head;
use crate::source::Sources;

/// More are left out; lines choose, and JSON has all.
const MOST: usize = 40;

pub fn text(unreached: &Unreached, style: &Style) -> String {
    let mut sources = Sources::default();
    let file = only_file(unreached);
    let at = |file_of: &str, line: u32| match file {
        Some(_) => line.to_string(),
        None => format!("{file_of}:{line}"),
    };
    let sides = unreached.sides.iter().map(|side| {
        let (file, line) = &side.place;
        (at(file, *line), never(side, &mut sources))
    });
    let mut rows: Vec<(String, String)> = sides.collect();
    for (function, (file, line)) in &unreached.uncalled {
        rows.push((at(file, *line), format!("{function} is never called")));
    }
    let mut out = String::new();
    if !rows.is_empty() {
        let of = file.map_or(String::new(), |file| format!(" (line numbers of {file})"));
        let heading = format!("No execution does this, under any schedule and input{of}:");
        out.push_str(&style.paint(Role::Heading, &heading));
        out.push_str("\n\n");
    }
    let width = rows.iter().map(|(place, _)| place.len()).max().unwrap_or(0);
    for (place, what) in rows.iter().take(MOST) {
        let row = format!("  {place:>width$}  {what}");
        for line in wrap_keeping_head(&row, width + 4, style.width) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    if !rows.is_empty() {
        out.push('\n');
    }
    for note in notes(unreached, rows.len()) {
        out.push_str(&wrap(&note, style.width, "").join("\n"));
        out.push_str("\n\n");
    }
    out
}

fn notes(unreached: &Unreached, rows: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(more @ 1..) = rows.checked_sub(MOST) {
        notes.push(format!(
            "{more} more are left out: choose some with --explain LINE, or see all with --format json."
        ));
    }
    let of_files = |what: &str, lines: &BTreeMap<String, BTreeSet<u32>>| {
        let file = |(file, lines): (&String, &BTreeSet<u32>)| {
            format!("{what}, lines of {file}: {}.", in_words(&ranges(lines)))
        };
        lines.iter().map(file).collect::<Vec<String>>()
    };
    notes.extend(of_files("Dead under every schedule", &unreached.dead));
    notes.extend(of_files("Executed", &unreached.executed));
    for line in &unreached.nothing_at {
        notes.push(format!(
            "Nothing is said of {line}: nothing was compiled from it, or nothing that is checked depends on whether it is executed."
        ));
    }
    notes
}

/// What is never so, and what is dead because of that.
fn never(side: &DeadSide, sources: &mut Sources) -> String {
    let what = match (shown(side, sources), &side.condition) {
        (Some((text, never)), _) => format!("`{text}` is never {never}"),
        (None, Condition::Case(Some(case))) => format!("case {case} never comes"),
        (None, Condition::Case(None)) => "the default never comes".to_string(),
        (None, _) => "one way of this branch is never taken".to_string(),
    };
    let dead: BTreeSet<u32> = side.dead.iter().copied().collect();
    match dead.len() {
        0 => what,
        1 => format!("{what}: line {} is dead under every schedule", side.dead[0]),
        _ => format!(
            "{what}: lines {} are dead under every schedule",
            in_words(&ranges(&dead))
        ),
    }
}

/// The condition as the source has it, and what it never is.
fn shown(side: &DeadSide, sources: &mut Sources) -> Option<(String, bool)> {
    let file = &side.place.0;
    match side.condition {
        Condition::Compares {
            line,
            column,
            operator,
            never,
        } => {
            let text = sources.whole_line(file, line);
            let (text, is_negated) = condition::around(text, column, operator)?;
            Some((text, never != is_negated))
        }
        Condition::Whole {
            line,
            column,
            never,
        } => {
            let text = sources.whole_line(file, line);
            Some((condition::of_statement(text, column)?, never))
        }
        Condition::Case(_) => None,
    }
}

/// If everything is in the same one.
fn only_file(unreached: &Unreached) -> Option<&str> {
    let sides = unreached.sides.iter().map(|side| side.place.0.as_str());
    let functions = unreached.uncalled.iter().map(|(_, place)| place.0.as_str());
    let mut files = sides.chain(functions);
    let first = files.next()?;
    files.all(|file| file == first).then_some(first)
}

fn ranges(lines: &BTreeSet<u32>) -> Vec<[u32; 2]> {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == *line => *last = *line,
            _ => ranges.push([*line, *line]),
        }
    }
    ranges
}

fn in_words(ranges: &[[u32; 2]]) -> String {
    let range = |[first, last]: &[u32; 2]| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let all: Vec<String> = ranges.iter().map(range).collect();
    all.join(", ")
}

#[derive(Serialize)]
pub struct Json<'a> {
    sides: Vec<JsonSide<'a>>,
    uncalled: Vec<JsonFunction<'a>>,
    dead: Vec<JsonLines<'a>>,
    executed: Vec<JsonLines<'a>>,
    nothing_at: Vec<String>,
}

#[derive(Serialize)]
struct JsonSide<'a> {
    file: &'a str,
    line: u32,
    /// As the source has it; null if it cannot be told.
    condition: Option<String>,
    /// What the condition never is.
    never: Option<bool>,
    /// Of a `switch`: the case that never comes; null, too, if it is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<Option<u64>>,
    /// Lines that are dead because of that.
    dead: &'a [u32],
}

#[derive(Serialize)]
struct JsonFunction<'a> {
    function: &'a str,
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct JsonLines<'a> {
    file: &'a str,
    /// First and last.
    lines: Vec<[u32; 2]>,
}

pub fn json(unreached: &Unreached) -> Json<'_> {
    let mut sources = Sources::default();
    let sides = unreached.sides.iter().map(|side| {
        let (condition, never) = shown(side, &mut sources).unzip();
        JsonSide {
            file: &side.place.0,
            line: side.place.1,
            condition,
            never,
            case: match side.condition {
                Condition::Case(case) => Some(case.map(|case| case as u64)),
                _ => None,
            },
            dead: &side.dead,
        }
    });
    Json {
        sides: sides.collect(),
        uncalled: (unreached.uncalled.iter())
            .map(|(function, (file, line))| JsonFunction {
                function,
                file,
                line: *line,
            })
            .collect(),
        dead: json_lines(&unreached.dead),
        executed: json_lines(&unreached.executed),
        nothing_at: unreached
            .nothing_at
            .iter()
            .map(ToString::to_string)
            .collect(),
    }
}

fn json_lines(lines: &BTreeMap<String, BTreeSet<u32>>) -> Vec<JsonLines<'_>> {
    let of_file = |(file, lines)| JsonLines {
        file,
        lines: ranges(lines),
    };
    lines
        .iter()
        .map(|(file, lines): (&'_ String, _)| of_file((file.as_str(), lines)))
        .collect()
}

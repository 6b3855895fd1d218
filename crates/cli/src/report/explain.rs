//! Why a program is safe: where threads stand, and under which condition no failure is reachable
//! from there.

use serde::Serialize;
use verify::{Explained, Explanation, Stands, Why};

use super::style::{Role, Style};
use super::table::wrap;
use super::text::wrap_keeping_head;
use super::unreached;

/// More are left out; lines choose, and JSON has all.
const MOST: usize = 20;

pub fn text(why: &Why, style: &Style) -> String {
    let explanation = match why {
        Why::NotSafe => {
            return "There is nothing to explain: it is not known to be safe.\n\n".to_string();
        }
        Why::NoSummaries => {
            return "There is nothing to explain: the search made no summaries. A thread that waits in a loop prevents that with --por none.\n\n"
                .to_string();
        }
        Why::Explained(explanation) => explanation,
        Why::Unreached(unreached) => return unreached::text(unreached, style),
    };
    let mut out = String::new();
    if !explanation.explained.is_empty() {
        let file = only_file(explanation);
        let of = file.map_or(String::new(), |file| format!(" (line numbers of {file})"));
        let heading = format!("No failure is reachable from here{of}:");
        out.push_str(&style.paint(Role::Heading, &heading));
        out.push_str("\n\n");
        for explained in explanation.explained.iter().take(MOST) {
            out.push_str(&place(explained, file.is_some(), style));
            out.push('\n');
        }
    }
    let mut notes = Vec::new();
    if let Some(more @ 1..) = explanation.explained.len().checked_sub(MOST) {
        notes.push(format!(
            "{more} more are left out: choose some with --explain LINE, or see all with --format json."
        ));
    }
    if explanation.explained.is_empty() && explanation.nothing_at.is_empty() {
        notes.push(
            "No summary was kept where threads run beside each other or check something. Choose lines with --explain LINE."
                .to_string(),
        );
    }
    for line in &explanation.nothing_at {
        notes.push(format!(
            "No summary was kept at {line}: no thread can be interrupted there, or nothing that holds in general was found out."
        ));
    }
    if explanation.leaves_out_routine {
        notes.push(
            "Left out: that locks and conditions are otherwise as they were initialised, and that handles are of the threads they were made for.".to_string(),
        );
    }
    for note in notes {
        out.push_str(&wrap(&note, style.width, "").join("\n"));
        out.push_str("\n\n");
    }
    out
}

fn place(explained: &Explained, short: bool, style: &Style) -> String {
    let at = |stands: &Stands| match &stands.place {
        Some((_, line)) if short => line.to_string(),
        Some((file, line)) => format!("{file}:{line}"),
        None => String::new(),
    };
    let threads = &explained.threads;
    let names = threads.iter().map(|s| s.thread.len()).max().unwrap_or(0);
    let places = threads.iter().map(|s| at(s).len()).max().unwrap_or(0);
    let mut out = String::new();
    for stands in threads {
        let (name, place) = (&stands.thread, at(stands));
        out.push_str(&format!(
            "  {name:<names$}  {place:>places$}  {}\n",
            stands.doing
        ));
    }
    let condition = match &explained.condition {
        Some(condition) => format!("  if {condition}"),
        None => "  whatever the values are".to_string(),
    };
    let head = if explained.condition.is_some() { 5 } else { 2 };
    for line in wrap_keeping_head(&condition, head, style.width) {
        out.push_str(&line);
        out.push('\n');
    }
    if !explained.except.is_empty() {
        out.push_str(&format!(
            "  except in executions that {} can begin: they were covered before\n",
            explained.except.join(" or ")
        ));
    }
    out
}

/// If all threads are in the same one everywhere.
fn only_file(explanation: &Explanation) -> Option<&str> {
    let threads = explanation.explained.iter().flat_map(|e| &e.threads);
    let mut files = threads
        .filter_map(|s| s.place.as_ref())
        .map(|(file, _)| file);
    let first = files.next()?;
    files.all(|file| file == first).then_some(first)
}

#[derive(Serialize)]
#[serde(untagged)]
pub enum Json<'a> {
    Summaries {
        places: Vec<JsonPlace<'a>>,
        nothing_at: Vec<String>,
    },
    Unreached(unreached::Json<'a>),
}

#[derive(Serialize)]
pub struct JsonPlace<'a> {
    threads: Vec<JsonStands<'a>>,
    condition: &'a str,
    complete: bool,
    except: &'a [String],
}

#[derive(Serialize)]
struct JsonStands<'a> {
    thread: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    state: &'a str,
}

pub fn json(why: &Why) -> Option<Json<'_>> {
    let explanation = match why {
        Why::NotSafe | Why::NoSummaries => return None,
        Why::Unreached(unreached) => return Some(Json::Unreached(unreached::json(unreached))),
        Why::Explained(explanation) => explanation,
    };
    let places = explanation.explained.iter().map(|explained| JsonPlace {
        threads: explained.threads.iter().map(json_stands).collect(),
        condition: explained.condition.as_deref().unwrap_or("true"),
        complete: explained.is_complete,
        except: &explained.except,
    });
    Some(Json::Summaries {
        places: places.collect(),
        nothing_at: explanation
            .nothing_at
            .iter()
            .map(ToString::to_string)
            .collect(),
    })
}

fn json_stands(stands: &Stands) -> JsonStands<'_> {
    JsonStands {
        thread: &stands.thread,
        file: stands.place.as_ref().map(|(file, _)| file.as_str()),
        line: stands.place.as_ref().map(|(_, line)| *line),
        state: &stands.doing,
    }
}

//! A data race: the two accesses, in words and as JSON.

use serde::Serialize;
use verify::{Access, Caller, Held, RaceReport, Trace};

use super::rows::place;
use super::style::{Role, Style};
use super::table::wrap;
use super::text::wrap_keeping_head;

pub fn text(race: &RaceReport, trace: &Trace, style: &Style) -> String {
    let mut out = style.paint(Role::Heading, "Nothing orders these two:");
    out.push('\n');
    let names = race.accesses.each_ref().map(|a| &trace.threads[a.thread]);
    let width = names.iter().map(|n| n.len()).max().unwrap_or(0);
    for (access, name) in race.accesses.iter().zip(names) {
        let text = format!("  {name:<width$}  {}", sentence(access, &race.variable));
        for line in wrap_keeping_head(&text, width + 4, style.width) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    for line in wrap(&race.hint, style.width, "") {
        out.push_str(&line);
        out.push('\n');
    }
    out.push('\n');
    out
}

/// `writes counter in add() (a.c:7), called from worker() (a.c:13); it holds m (locked at a.c:6)`
fn sentence(access: &Access, variable: &str) -> String {
    let atomic = if access.atomic { " (atomic)" } else { "" };
    let callers: Vec<String> = access.stack.iter().map(caller).collect();
    let stack = match callers.split_first() {
        Some((innermost, [])) => format!(" in {innermost}"),
        Some((innermost, outer)) => {
            format!(" in {innermost}, called from {}", outer.join(", from "))
        }
        None => String::new(),
    };
    let locks = if access.locks.is_empty() {
        "no lock".to_string()
    } else {
        let locks: Vec<String> = access.locks.iter().map(held).collect();
        locks.join(", ")
    };
    format!(
        "{}{atomic} {variable}{stack}; it holds {locks}",
        access.effect
    )
}

fn caller(caller: &Caller) -> String {
    let place = place(&caller.file, caller.line);
    if place.is_empty() {
        format!("{}()", caller.function)
    } else {
        format!("{}() ({place})", caller.function)
    }
}

pub(super) fn held(lock: &Held) -> String {
    let place = place(&lock.file, lock.line);
    let how = if lock.shared { "for reading, " } else { "" };
    format!("{} ({how}locked at {place})", lock.name)
}

#[derive(Serialize)]
pub struct Json<'a> {
    variable: &'a str,
    accesses: [JsonAccess<'a>; 2],
    hint: &'a str,
}

#[derive(Serialize)]
struct JsonAccess<'a> {
    thread: &'a str,
    access: &'a str,
    atomic: bool,
    bytes: u64,
    stack: Vec<JsonCaller<'a>>,
    locks: Vec<JsonLock<'a>>,
}

#[derive(Serialize)]
struct JsonCaller<'a> {
    function: &'a str,
    location: String,
}

#[derive(Serialize)]
pub(super) struct JsonLock<'a> {
    name: &'a str,
    shared: bool,
    locked_at: String,
}

pub fn json(trace: &Trace) -> Option<Json<'_>> {
    let race = trace.race.as_ref()?;
    Some(Json {
        variable: &race.variable,
        accesses: race.accesses.each_ref().map(|access| JsonAccess {
            thread: &trace.threads[access.thread],
            access: access.effect,
            atomic: access.atomic,
            bytes: access.bytes,
            stack: access
                .stack
                .iter()
                .map(|caller| JsonCaller {
                    function: &caller.function,
                    location: place(&caller.file, caller.line),
                })
                .collect(),
            locks: access.locks.iter().map(JsonLock::new).collect(),
        }),
        hint: &race.hint,
    })
}

impl JsonLock<'_> {
    pub(super) fn new(lock: &Held) -> JsonLock<'_> {
        JsonLock {
            name: &lock.name,
            shared: lock.shared,
            locked_at: place(&lock.file, lock.line),
        }
    }
}

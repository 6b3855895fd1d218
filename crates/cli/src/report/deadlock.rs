//! A deadlock: who waits for whom, in words and as JSON.

use serde::Serialize;
use verify::{Deadlock, Trace, Waiting};

use super::race::{JsonLock, held};
use super::rows::place;
use super::style::{Role, Style};
use super::text::wrap_keeping_head;

pub fn text(deadlock: &Deadlock, trace: &Trace, style: &Style) -> String {
    let mut out = style.paint(Role::Heading, "Now every thread waits:");
    out.push('\n');
    let names = deadlock.waiting.iter().map(|w| &trace.threads[w.thread]);
    let width = names.map(|n| n.len()).max().unwrap_or(0);
    for stuck in &deadlock.waiting {
        let name = &trace.threads[stuck.thread];
        let text = format!("  {name:<width$}  {}", sentence(stuck));
        for line in wrap_keeping_head(&text, width + 4, style.width) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out.push('\n');
    out
}

/// `waits for mutex b, held by T2 (a.c:10); it holds a (locked at a.c:9)`
fn sentence(stuck: &Waiting) -> String {
    let place = match place(&stuck.file, stuck.line) {
        place if place.is_empty() => place,
        place => format!(" ({place})"),
    };
    let holds: Vec<String> = stuck.holds.iter().map(held).collect();
    let holds = match holds.as_slice() {
        [] => String::new(),
        holds => format!("; it holds {}", holds.join(", ")),
    };
    format!("{}{place}{holds}", stuck.text)
}

#[derive(Serialize)]
pub struct Json<'a> {
    cause: &'static str,
    message: &'a str,
    /// The threads that wait for each other.
    circle: Vec<&'a str>,
    waiting: Vec<JsonWaiting<'a>>,
}

#[derive(Serialize)]
struct JsonWaiting<'a> {
    thread: &'a str,
    waits: &'a str,
    location: String,
    holds: Vec<JsonLock<'a>>,
}

pub fn json(trace: &Trace) -> Option<Json<'_>> {
    let deadlock = trace.deadlock.as_ref()?;
    let waiting = deadlock.waiting.iter().map(|stuck| JsonWaiting {
        thread: &trace.threads[stuck.thread],
        waits: &stuck.text,
        location: place(&stuck.file, stuck.line),
        holds: stuck.holds.iter().map(JsonLock::new).collect(),
    });
    let thread = |column: &usize| trace.threads[*column].as_str();
    Some(Json {
        cause: deadlock.cause.name(),
        message: &deadlock.message,
        circle: deadlock.circle.iter().map(thread).collect(),
        waiting: waiting.collect(),
    })
}

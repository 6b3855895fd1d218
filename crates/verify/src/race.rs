//! A data race as data for a report: both accesses, how the threads came there, what they held, and
//! what may be done about it.

use ir::debug::LocId;
use machine::{Effect, Event, EventKind, Machine, Race, RaceAccess, ThreadId};

use crate::names::Names;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RaceReport {
    /// What both access.
    pub variable: String,
    /// The earlier one first.
    pub accesses: [Access; 2],
    /// One sentence: what is wrong, or what to do.
    pub hint: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Access {
    /// Column of the trace.
    pub thread: usize,
    /// `reads`, `writes`, `frees`, ...
    pub effect: &'static str,
    pub atomic: bool,
    pub bytes: u64,
    /// Innermost first.
    pub stack: Vec<Caller>,
    pub locks: Vec<Held>,
}

/// A function in execution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caller {
    pub function: String,
    pub file: String,
    /// 0: unknown.
    pub line: u32,
}

/// A lock that a thread holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Held {
    pub address: u64,
    /// A mutex or a spin lock.
    pub is_mutex: bool,
    pub name: String,
    /// Others may hold it, too: a read-write lock that was locked for reading.
    pub shared: bool,
    pub file: String,
    pub line: u32,
}

impl RaceReport {
    pub fn new(machine: &Machine, names: &Names, race: &Race, events: &[Event]) -> RaceReport {
        let ends = [&race.first, &race.second].map(|a| a.address + a.bytes);
        let bytes = ends[0].min(ends[1]).saturating_sub(race.address);
        let accesses = [&race.first, &race.second].map(|a| access(machine, names, a, events));
        RaceReport {
            variable: names.memory(machine, race.address, bytes),
            hint: hint(&accesses),
            accesses,
        }
    }

    /// One sentence.
    pub fn message(&self, threads: impl Fn(usize) -> String) -> String {
        let [first, second] = &self.accesses;
        format!(
            "data race on {}: {} {} it, {} {} it, and nothing orders the two",
            self.variable,
            threads(first.thread),
            first.effect,
            threads(second.thread),
            second.effect
        )
    }
}

fn access(machine: &Machine, names: &Names, access: &RaceAccess, events: &[Event]) -> Access {
    let callers = access.stack.iter().map(|&(function, loc)| {
        let (file, line) = place(names, loc);
        Caller {
            function: names.function(function).to_string(),
            file,
            line,
        }
    });
    let events = &events[..access.events.min(events.len())];
    Access {
        thread: access.thread.index(),
        effect: verb(access.effect),
        atomic: access.atomic,
        bytes: access.bytes,
        stack: callers.collect(),
        locks: locks(machine, names, access.thread, events),
    }
}

fn verb(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads",
        Effect::Write => "writes",
        Effect::Update => "changes",
        Effect::Free => "frees",
        Effect::Initialise => "initialises",
        Effect::Destroy => "destroys",
        Effect::EndOfLife => "returns from the function of",
    }
}

fn place(names: &Names, loc: LocId) -> (String, u32) {
    let (file, line) = names.file_and_line(loc).unwrap_or(("", 0));
    (file.to_string(), line)
}

/// What the thread holds after these events, and since when.
pub(crate) fn locks(
    machine: &Machine,
    names: &Names,
    thread: ThreadId,
    events: &[Event],
) -> Vec<Held> {
    let mut held: Vec<(u64, &str, LocId)> = Vec::new();
    for event in events.iter().filter(|e| e.thread == thread) {
        let EventKind::Sync {
            operation,
            address,
            note,
        } = &event.kind
        else {
            continue;
        };
        if operation.ends_with("unlock") {
            if let Some(last) = held.iter().rposition(|(a, ..)| a == address) {
                held.remove(last);
            }
        } else if operation.ends_with("lock") && note.is_empty() {
            held.push((*address, operation, event.loc));
        }
    }
    // A lock taken twice is held since the first time.
    let mut listed: Vec<u64> = Vec::new();
    held.retain(|(address, ..)| {
        let is_new = !listed.contains(address);
        listed.push(*address);
        is_new
    });
    let show = |(address, operation, loc): (u64, &str, LocId)| {
        let (file, line) = place(names, loc);
        Held {
            address,
            is_mutex: !operation.contains("rwlock"),
            name: names.sync_object(machine, address),
            shared: operation.ends_with("rdlock"),
            file,
            line,
        }
    };
    held.into_iter().map(show).collect()
}

fn hint([first, second]: &[Access; 2]) -> String {
    let writes = |a: &Access| a.effect != "reads";
    if first.atomic != second.atomic {
        let lock = |a: &Access| a.atomic && a.effect == "changes" && a.bytes > 8;
        if lock(first) || lock(second) {
            return "An object must not be used before it is initialised, nor after it is destroyed.".to_string();
        }
        return "One access is atomic and the other is not: make both atomic.".to_string();
    }
    if [first, second].iter().any(|a| a.effect == "frees") {
        return "Whoever frees memory must know that the others are done with it: join them, or count references.".to_string();
    }
    let common = first
        .locks
        .iter()
        .find(|a| second.locks.iter().any(|b| b.name == a.name));
    if let Some(lock) = common {
        return format!(
            "Both hold {}, but for reading only: a thread that writes must lock it for writing.",
            lock.name
        );
    }
    match (first.locks.is_empty(), second.locks.is_empty()) {
        (true, true) if writes(first) && writes(second) => {
            "No lock is held at either: protect both by the same mutex, or make the variable atomic.".to_string()
        }
        (true, true) => {
            "No lock is held at either: protect both by the same mutex, or publish with release and acquire.".to_string()
        }
        (false, false) => {
            "Each thread holds a lock, but not the same one: agree on one for this variable.".to_string()
        }
        _ => "Only one of the two holds a lock: both must hold it.".to_string(),
    }
}

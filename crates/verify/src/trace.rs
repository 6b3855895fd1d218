//! A replayed execution as data for a report: who did what, where, with which values, and where
//! each value read came from.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ir::debug::LocId;
use machine::{End, Event, EventKind, Fault, Machine, Problem, ThreadId};

use crate::deadlock::{Deadlock, short};
use crate::harness::shapes::Shapes;
use crate::harness::{Made, is_set_up};
use crate::names::Names;
use crate::race::{RaceReport, locks};
use crate::{ending, phrases};

/// Accesses that nobody could interfere with are shown only next to the end: as many as one looks
/// back over.
const LAST_PRIVATE_READS: usize = 12;

#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// One sentence: what went wrong.
    pub message: String,
    /// Names of the threads, by column.
    pub threads: Vec<String>,
    /// The function that each thread runs, by column; empty where it is not known.
    pub functions: Vec<String>,
    pub lines: Vec<Line>,
    /// Events before these that there was no time to show.
    pub left_out: usize,
    /// Who waits for whom at a deadlock.
    pub deadlock: Option<Deadlock>,
    /// The two accesses of a data race.
    pub race: Option<RaceReport>,
    /// The structures that the inputs are, a line for each that was looked at.
    pub shapes: Vec<String>,
}

/// One event.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Column.
    pub thread: usize,
    pub file: String,
    /// 0: unknown.
    pub line: u32,
    pub function: String,
    pub kind: LineKind,
    /// `writes counter = 1`, `locks m`, ...
    pub text: String,
    /// The line of the trace that wrote the value read here; for a [`LineKind::Read`] or
    /// [`LineKind::Update`] without one it is the initial value.
    pub from: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineKind {
    Read,
    Write,
    /// Reads and writes in one step.
    Update,
    #[default]
    Sync,
    Thread,
    Input,
    Output,
    Fault,
}

impl LineKind {
    pub fn reads(self) -> bool {
        matches!(self, LineKind::Read | LineKind::Update)
    }
}

impl Trace {
    /// Leaves all but the last events and the inputs out.
    pub(crate) fn keep_last(&mut self, most: usize) {
        let first = self.lines.len().saturating_sub(most);
        let mut places = Vec::with_capacity(self.lines.len());
        let mut kept = 0;
        for (i, line) in self.lines.iter().enumerate() {
            let is_kept = i >= first || line.kind == LineKind::Input;
            places.push(is_kept.then_some(kept));
            kept += usize::from(is_kept);
        }
        self.left_out += self.lines.len() - kept;
        let mut index = 0;
        self.lines.retain_mut(|line| {
            line.from = line.from.and_then(|from| places[from]);
            index += 1;
            places[index - 1].is_some()
        });
    }

    pub(crate) fn new(machine: &mut Machine, end: &End, made: Option<&Made>) -> Trace {
        let mut events = machine.take_events();
        let program = Rc::clone(&machine.program);
        let shapes = made.and_then(|made| Shapes::of(made, machine, &events));
        let known = shapes.as_ref().map(Shapes::known_objects);
        let names = Names::with(&program, known.unwrap_or_default());
        if made.is_some() {
            // What the driver sets up is shown as shapes.
            events.retain(|event| !is_set_up(&program.module.functions[event.function].name));
        }
        let builder = Builder {
            machine,
            names: &names,
            contended: contended(&events),
            writers: HashMap::new(),
            candidates: Vec::new(),
        };
        let mut trace = builder.build(&events, end);
        trace.shapes = shapes.map_or(Vec::new(), |shapes| shapes.lines());
        if let Some(made) = made {
            for function in &mut trace.functions {
                if let Some(expression) = made.expression_of(function) {
                    *function = expression.to_owned();
                }
            }
        }
        trace
    }
}

/// Bytes at which threads could get in each other's way.
fn contended(events: &[Event]) -> HashSet<u64> {
    let visible = events.iter().filter(|e| e.visible);
    visible.filter_map(range).flatten().collect()
}

fn range(event: &Event) -> Option<std::ops::Range<u64>> {
    match event.kind {
        EventKind::Read { address, bytes, .. }
        | EventKind::Write { address, bytes, .. }
        | EventKind::Update { address, bytes, .. }
        | EventKind::CompareExchange { address, bytes, .. } => {
            Some(address..address + u64::from(bytes))
        }
        _ => None,
    }
}

struct Builder<'a> {
    machine: &'a Machine,
    names: &'a Names<'a>,
    contended: HashSet<u64>,
    /// The last candidate that wrote each byte.
    writers: HashMap<u64, usize>,
    candidates: Vec<Candidate>,
}

/// A line, perhaps of the trace.
struct Candidate {
    line: Line,
    /// No other thread could have come in between: of interest only if it explains something.
    private: bool,
}

impl Builder<'_> {
    fn build(mut self, events: &[Event], end: &End) -> Trace {
        for event in events {
            self.event(event);
        }
        let mut trace = Trace::default();
        let count = self
            .machine
            .thread_ids()
            .map(|t| t.index() + 1)
            .max()
            .unwrap_or(1);
        let threads = || (0..count).map(ThreadId::from);
        trace.threads = threads().map(|t| self.names.thread(t)).collect();
        trace.functions = threads().map(|t| self.function_of(t, events)).collect();
        self.end(end, events, &mut trace);
        trace.lines = joins_late(select(self.candidates));
        trace
    }

    fn event(&mut self, event: &Event) {
        let private = match range(event) {
            Some(mut bytes) if !event.visible => {
                if !bytes.any(|b| self.contended.contains(&b)) {
                    return;
                }
                true
            }
            _ => false,
        };
        let from = range(event).and_then(|mut bytes| self.writer(&mut bytes));
        let (kind, text) = self.phrase(&event.kind);
        if matches!(kind, LineKind::Write | LineKind::Update) {
            let here = self.candidates.len();
            self.writers
                .extend(range(event).into_iter().flatten().map(|b| (b, here)));
        }
        let line = Line {
            kind,
            text,
            from: if kind.reads() { from } else { None },
            ..self.line(event.thread, event.loc, event.function)
        };
        self.candidates.push(Candidate { line, private });
    }

    fn phrase(&self, kind: &EventKind) -> (LineKind, String) {
        let name =
            |address: u64, bytes: u32| self.names.memory(self.machine, address, u64::from(bytes));
        let show = |address, bytes, value| self.names.value(self.machine, address, bytes, value);
        match kind {
            EventKind::Read {
                address,
                bytes,
                value,
            } => {
                let value = show(*address, *bytes, *value);
                (
                    LineKind::Read,
                    format!("reads {} = {value}", name(*address, *bytes)),
                )
            }
            EventKind::Write {
                address,
                bytes,
                value,
            } => {
                let value = show(*address, *bytes, *value);
                (
                    LineKind::Write,
                    format!("writes {} = {value}", name(*address, *bytes)),
                )
            }
            EventKind::Update {
                address,
                bytes,
                old,
                new,
            } => {
                let (old, new) = (show(*address, *bytes, *old), show(*address, *bytes, *new));
                (
                    LineKind::Update,
                    format!("changes {} from {old} to {new}", name(*address, *bytes)),
                )
            }
            EventKind::CompareExchange {
                address,
                bytes,
                old,
                new,
                success,
            } => {
                let (name, old) = (name(*address, *bytes), show(*address, *bytes, *old));
                if *success {
                    let new = show(*address, *bytes, *new);
                    (
                        LineKind::Update,
                        format!("changes {name} from {old} to {new}"),
                    )
                } else {
                    (LineKind::Read, format!("reads {name} = {old}: no exchange"))
                }
            }
            EventKind::Sync {
                operation,
                address,
                note,
            } => {
                let object = self.names.sync_object(self.machine, *address);
                (
                    LineKind::Sync,
                    phrases::synchronisation(operation, &object, note),
                )
            }
            EventKind::Create { child, .. } => (
                LineKind::Thread,
                format!("starts {}", self.names.thread(*child)),
            ),
            EventKind::Join(child) => (
                LineKind::Thread,
                format!("joins {}", self.names.thread(*child)),
            ),
            EventKind::EndThread => (LineKind::Thread, "ends".to_string()),
            EventKind::Free { address } => {
                let known = self.names.known_block(*address).map(str::to_owned);
                let block = known.unwrap_or_else(|| name(*address, 1));
                (LineKind::Sync, format!("frees {block}"))
            }
            EventKind::Input { name, value } => {
                let value = value.known(&self.machine.terms);
                let value = value.map_or("?".to_string(), |bits| phrases::input_value(name, bits));
                (LineKind::Input, format!("input {name} = {value}"))
            }
            EventKind::Environment(text) => (LineKind::Input, text.clone()),
            EventKind::Output(text) => (LineKind::Output, format!("prints {text:?}")),
            EventKind::Call { what } => (LineKind::Sync, (*what).to_string()),
        }
    }

    fn line(&self, thread: ThreadId, loc: LocId, function: ir::FuncId) -> Line {
        let (file, line) = self.names.file_and_line(loc).unwrap_or(("", 0));
        Line {
            thread: thread.index(),
            file: file.to_string(),
            line,
            function: self.names.function(function).to_string(),
            ..Line::default()
        }
    }

    fn end(&mut self, end: &End, events: &[Event], trace: &mut Trace) {
        trace.message = ending::describe(self.machine, self.names, end);
        let End::Fault(at) = end else { return };
        if at.fault == Fault::Deadlock {
            let deadlock = Deadlock::new(self.machine, self.names, events);
            trace.message = deadlock.message.clone();
            trace.deadlock = Some(deadlock);
            return;
        }
        if let Fault::LockMisuse(misuse) = &at.fault
            && misuse.problem == Problem::HeldByCaller
        {
            let held = locks(self.machine, self.names, at.thread, events);
            if let Some(lock) = held.iter().find(|lock| lock.address == misuse.object) {
                let place = format!("{}:{}", short(&lock.file), lock.line);
                trace.message += &format!(" (locked at {place}): it would wait for itself");
            }
        }
        if let Fault::Race(race) = &at.fault {
            trace.race = Some(RaceReport::new(self.machine, self.names, race, events));
        }
        let function = self.innermost(at.thread).unwrap_or(ir::FuncId(0));
        let line = Line {
            kind: LineKind::Fault,
            text: trace.message.clone(),
            ..self.line(at.thread, at.loc, function)
        };
        self.candidates.push(Candidate {
            line,
            private: false,
        });
    }

    fn innermost(&self, thread: ThreadId) -> Option<ir::FuncId> {
        self.user_functions(thread).last()
    }

    /// The user's functions that the thread is in, outermost first.
    fn user_functions(&self, thread: ThreadId) -> impl DoubleEndedIterator<Item = ir::FuncId> + '_ {
        let frames = self.machine.thread(thread).frames.iter();
        frames
            .map(|f| f.function)
            .filter(|f| !self.machine.program.function(*f).runtime)
    }

    /// The function a thread runs: the outermost it is in, or for one that has ended the first it
    /// was seen in.
    fn function_of(&self, thread: ThreadId, events: &[Event]) -> String {
        if !self.machine.thread_exists(thread) {
            return String::new();
        }
        let seen = || {
            let mut own = events
                .iter()
                .filter(|e| e.thread == thread && e.loc != LocId(0));
            own.next().map(|e| e.function)
        };
        if thread == ThreadId::MAIN {
            return "main".to_string();
        }
        let started = events.iter().find_map(|e| match e.kind {
            EventKind::Create { child, function } if child == thread => Some(function),
            _ => None,
        });
        // A thread of C++ starts in our library: what it was seen to do says more.
        let started = started.filter(|f| !self.machine.program.function(*f).runtime);
        let function = started
            .or_else(|| self.user_functions(thread).next())
            .or_else(seen);
        function.map_or(String::new(), |f| self.names.function(f).to_string())
    }

    fn writer(&self, bytes: &mut std::ops::Range<u64>) -> Option<usize> {
        bytes.filter_map(|b| self.writers.get(&b).copied()).max()
    }
}

/// Leaves out what explains nothing: private reads long before the end, and private writes whose
/// value nobody shown reads.
fn select(candidates: Vec<Candidate>) -> Vec<Line> {
    let mut keep: Vec<bool> = candidates.iter().map(|c| !c.private).collect();
    let is_access = |c: &Candidate| c.line.kind.reads() || c.line.kind == LineKind::Write;
    let last_visible = candidates.iter().rposition(|c| !c.private && is_access(c));
    let start = last_visible.map_or(0, |i| i + 1);
    let late = (start..candidates.len()).rev();
    let late_reads = late.filter(|i| candidates[*i].private && candidates[*i].line.kind.reads());
    for i in late_reads.take(LAST_PRIVATE_READS) {
        keep[i] = true;
    }
    // From the end, so that a write kept for a later read keeps in turn what it read itself.
    for i in (0..candidates.len()).rev() {
        if keep[i]
            && let Some(from) = candidates[i].line.from
        {
            keep[from] = true;
        }
    }
    let mut numbers = Vec::with_capacity(keep.len());
    let mut lines: Vec<Line> = Vec::new();
    for (candidate, keep) in candidates.into_iter().zip(keep) {
        numbers.push(lines.len());
        if keep {
            let mut line = candidate.line;
            line.from = line.from.map(|i| numbers[i]);
            lines.push(line);
        }
    }
    lines
}

/// Moves each join down to what its thread does next. A join happens as soon as it can, which is in
/// the middle of what other threads do; it could as well wait, and the reader is spared a switch.
fn joins_late(lines: Vec<Line>) -> Vec<Line> {
    let is_join = |line: &Line| line.kind == LineKind::Thread && line.text.starts_with("joins ");
    let mut order: Vec<usize> = Vec::with_capacity(lines.len());
    let mut waiting: Vec<usize> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if is_join(line) {
            waiting.push(i);
            continue;
        }
        order.extend(waiting.extract_if(.., |j| {
            lines[*j].thread == line.thread || line.kind == LineKind::Fault
        }));
        order.push(i);
    }
    order.extend(waiting);
    let mut place = vec![0; lines.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    let mut lines: Vec<Option<Line>> = lines.into_iter().map(Some).collect();
    let mut moved: Vec<Line> = order.iter().filter_map(|old| lines[*old].take()).collect();
    for line in &mut moved {
        line.from = line.from.map(|from| place[from]);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(kind: LineKind, from: Option<usize>, private: bool) -> Candidate {
        let line = Line {
            kind,
            from,
            ..Line::default()
        };
        Candidate { line, private }
    }

    #[test]
    fn private_writes_stay_if_their_value_is_shown() {
        let lines = select(vec![
            candidate(LineKind::Write, None, true),
            candidate(LineKind::Write, None, true),
            candidate(LineKind::Read, Some(1), false),
        ]);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1].from, Some(0));
    }

    #[test]
    fn private_reads_stay_only_at_the_end() {
        let lines = select(vec![
            candidate(LineKind::Read, None, true),
            candidate(LineKind::Write, None, false),
            candidate(LineKind::Read, Some(1), true),
        ]);
        let kinds: Vec<_> = lines.iter().map(|l| l.kind).collect();
        assert_eq!(kinds, [LineKind::Write, LineKind::Read]);
    }

    #[test]
    fn joins_wait_for_what_their_thread_does_next() {
        let line = |thread, kind, text: &str, from| Line {
            thread,
            kind,
            text: text.to_string(),
            from,
            ..Line::default()
        };
        let lines = joins_late(vec![
            line(0, LineKind::Thread, "joins T1", None),
            line(2, LineKind::Write, "writes x = 1", None),
            line(0, LineKind::Thread, "joins T2", None),
            line(0, LineKind::Read, "reads x = 1", Some(1)),
        ]);
        let texts: Vec<_> = lines.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(
            texts,
            ["writes x = 1", "joins T1", "joins T2", "reads x = 1"]
        );
        assert_eq!(lines[3].from, Some(0));
    }
}

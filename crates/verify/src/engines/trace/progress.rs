//! How far the trace engine is.

use std::time::Duration;

use ::explore::{Outcome, TraceStatistics};
use encode::{Graph, Knowledge, Model, Question, ThreadIx};
use ir::Module;
use ir::debug::LocId;
use machine::End;
use rustc_hash::FxHashMap;

/// Set to print what the engine does, for whoever works on it.
const TOLD: &str = "SLEAVE_TRACE";

pub(super) struct Progress {
    tells: bool,
    /// What others are told.
    pub outcome: Outcome,
    /// All runs so far, if they are to be looked at afterwards.
    pub logs: Option<Vec<Log>>,
}

/// What a run executed: threads and lines, each where its last instruction was.
pub(super) type Log = Vec<(ThreadIx, u32)>;

/// Without the instructions after which the thread goes on in the same line.
fn whole_lines(mut log: Log) -> Log {
    let mut next: FxHashMap<ThreadIx, u32> = FxHashMap::default();
    log.reverse();
    log.retain(|(thread, line)| next.insert(*thread, *line) != Some(*line));
    log.reverse();
    log
}

impl Default for Progress {
    fn default() -> Progress {
        Progress {
            tells: std::env::var_os(TOLD).is_some(),
            outcome: Outcome::default(),
            logs: None,
        }
    }
}

impl Progress {
    pub fn unrolled(&mut self, graph: &Graph, known: &Knowledge) {
        let trace = self.outcome.trace.get_or_insert_default();
        *trace = TraceStatistics {
            edges: known.visited(),
            open_exits: graph.exits.len(),
            events: graph.events.len(),
            graphs: trace.graphs + 1,
        };
        self.outcome.threads = self.outcome.threads.max(graph.threads.len() as u32);
        if self.tells {
            eprintln!(
                "unrolled: {} threads, {} events, {} atoms, {} faults, {} exits, {} waits; {} locations known",
                graph.threads.len(),
                graph.events.len(),
                graph.atoms.len(),
                graph.faults.len(),
                graph.exits.len(),
                graph.waits.len(),
                known.visited()
            );
        }
    }

    /// One slice of time for a question.
    pub fn solved_for(&mut self, time: Duration) {
        self.outcome.solver.time += time;
    }

    pub fn asked(&mut self, question: Question, answer: bool) {
        self.outcome.solver.queries += 1;
        if let (Question::Exit, false, Some(trace)) = (question, answer, &mut self.outcome.trace) {
            trace.open_exits = 0;
        }
        if self.tells {
            eprintln!("asked: {question:?}: {answer}");
        }
    }

    pub fn fails(&self, graph: &Graph, faults: &[usize]) {
        if self.tells {
            for fault in faults {
                let fault = &graph.faults[*fault];
                eprintln!(
                    "fails: {:?} of {} at {:?}",
                    fault.kind, fault.thread, fault.loc
                );
            }
        }
    }

    pub fn follows(&self, model: &Model, module: &Module) {
        if self.tells {
            for step in &model.steps {
                let (function, block, inst) = step.place;
                let function = module.functions.get(function).map_or("", |f| &f.name);
                let line = module.debug.locs[step.loc].line;
                eprintln!(
                    "  {} {:?} in {function} {block}.{inst}, line {line}",
                    step.thread, step.kind
                );
            }
            for (thread, name, value) in &model.inputs {
                eprintln!("  {thread} gets {name} = {value}");
            }
        }
    }

    /// Whether it asks what runs execute.
    pub fn wants_log(&self) -> bool {
        self.tells || self.logs.is_some()
    }

    pub fn ran(
        &mut self,
        known: &Knowledge,
        (end, decisions): (&End, usize),
        executed: Option<Vec<(ThreadIx, LocId)>>,
        module: &Module,
    ) {
        self.outcome.runs.complete += 1;
        self.outcome.events += decisions as u64;
        if let Some(trace) = &mut self.outcome.trace {
            trace.edges = known.visited();
        }
        let executed = executed.unwrap_or_default().into_iter();
        let line = |(thread, loc)| (thread, module.debug.locs[loc].line);
        let log = whole_lines(executed.map(line).filter(|(_, line)| *line != 0).collect());
        if self.tells {
            let (runs, known) = (self.outcome.runs.complete, known.visited());
            eprintln!("run {runs}: {known} locations known, ended: {end:?}");
            for part in log.chunk_by(|(a, _), (b, _)| a == b) {
                let lines: Vec<String> = part.iter().map(|(_, line)| line.to_string()).collect();
                eprintln!("  {} executed {}", part[0].0, lines.join(" "));
            }
        }
        if let Some(logs) = &mut self.logs {
            logs.push(log);
        }
    }
}

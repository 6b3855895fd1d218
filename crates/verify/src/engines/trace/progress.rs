//! How far the trace engine is.

use std::time::Duration;

use ::explore::{Outcome, TraceStatistics};
use encode::{Graph, Knowledge, Model, Question};
use ir::Module;
use machine::End;

/// Set to print what the engine does, for whoever works on it.
const TOLD: &str = "SLEAVE_TRACE";

pub(super) struct Progress {
    tells: bool,
    /// What others are told.
    pub outcome: Outcome,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress {
            tells: std::env::var_os(TOLD).is_some(),
            outcome: Outcome::default(),
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

    pub fn ran(&mut self, known: &Knowledge, end: &End, decisions: usize) {
        self.outcome.runs.complete += 1;
        self.outcome.events += decisions as u64;
        if let Some(trace) = &mut self.outcome.trace {
            trace.edges = known.visited();
        }
        if self.tells {
            let (runs, known) = (self.outcome.runs.complete, known.visited());
            eprintln!("run {runs}: {known} locations known, ended: {end:?}");
        }
    }
}

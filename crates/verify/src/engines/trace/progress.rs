//! How far the trace engine is.

use encode::{Graph, Knowledge, Model, Question};
use ir::Module;
use machine::End;

/// Set to print what the engine does, for whoever works on it.
const TOLD: &str = "SLEAVE_TRACE";

pub(super) struct Progress {
    tells: bool,
    runs: u64,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress {
            tells: std::env::var_os(TOLD).is_some(),
            runs: 0,
        }
    }
}

impl Progress {
    pub fn unrolled(&self, graph: &Graph, known: &Knowledge) {
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

    pub fn asked(&self, question: Question, answer: bool) {
        if self.tells {
            eprintln!("asked: {question:?}: {answer}");
        }
    }

    pub fn fails(&self, graph: &Graph, faults: &[usize]) {
        if self.tells {
            for fault in faults {
                let fault = &graph.faults[*fault];
                eprintln!("fails: {:?} of {} at {:?}", fault.kind, fault.thread, fault.loc);
            }
        }
    }

    pub fn follows(&self, model: &Model, module: &Module) {
        if self.tells {
            for step in &model.steps {
                let (function, block, inst) = step.place;
                let function = module.functions.get(function).map_or("", |f| &f.name);
                let line = module.debug.locs[step.loc].line;
                eprintln!("  {} {:?} in {function} {block}.{inst}, line {line}", step.thread, step.kind);
            }
            for (thread, name, value) in &model.inputs {
                eprintln!("  {thread} gets {name} = {value}");
            }
        }
    }

    pub fn ran(&mut self, known: &Knowledge, end: &End) {
        self.runs += 1;
        if self.tells {
            eprintln!("run {}: {} locations known, ended: {end:?}", self.runs, known.visited());
        }
    }
}

//! How far the trace engine is.

use encode::{Graph, Knowledge, Question};

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

    pub fn ran(&mut self, known: &Knowledge) {
        self.runs += 1;
        if self.tells {
            eprintln!("run {}: {} locations known", self.runs, known.visited());
        }
    }
}

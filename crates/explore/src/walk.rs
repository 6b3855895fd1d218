//! What every search carries: the machine, the solver, what was found so far.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ir::debug::LocId;
use machine::{Cutoff, Inputs, Machine, Mode, Probes, Program, Property, Setup};
use smt::{CmpOp, TermId};

use crate::decision::{Decision, Schedule};
use crate::error::Error;
use crate::facts::SearchFacts;
use crate::feasibility::{Feasibility, Feasible};
use crate::options::Options;
use crate::outcome::{Monitor, Outcome, Reduced, Stopped};

/// A question takes microseconds, or milliseconds where the solver is asked.
const QUESTIONS: u64 = 64;

pub(crate) struct Walk<'a> {
    pub machine: Machine,
    pub feasibility: Feasibility,
    pub options: &'a Options,
    pub outcome: Outcome,
    pub monitor: &'a mut dyn Monitor,
    /// Events that were counted before and done again.
    pub repeated: u64,
    /// Events that belong to what was searched before.
    pub counted: u64,
    /// Questions of the machine, of which one in [`QUESTIONS`] is an occasion to tell how far the
    /// search is.
    questions: u64,
}

impl<'a> Walk<'a> {
    pub fn start(
        program: &Arc<Program>,
        options: &'a Options,
        monitor: &'a mut dyn Monitor,
        facts: &SearchFacts,
        mode: Mode,
        probes: Probes,
    ) -> Result<Walk<'a>, Error> {
        let setup = Setup {
            config: options.machine.clone(),
            mode: Mode {
                slices: options.slices,
                ..mode
            },
            probes: match options.properties.contains(Property::Race) {
                true => probes.with_races(),
                false => probes,
            },
            shared: facts.shared.clone(),
            inputs: Inputs::Symbolic,
            names: facts.threads.clone(),
            interrupt: Arc::clone(&options.interrupt),
        };
        let machine = Machine::start(Arc::clone(program), setup)?;
        Ok(Walk {
            feasibility: Feasibility::new(smt::interruptible_solver(
                options.solver_timeout,
                Arc::clone(&options.interrupt),
            )),
            machine,
            options,
            outcome: Outcome {
                restarts: facts.restarts,
                shared: facts.shared.clone(),
                ..Outcome::default()
            },
            monitor,
            repeated: 0,
            counted: 0,
            questions: 0,
        })
    }

    /// What was found, when the search is over.
    pub fn finish(mut self) -> Outcome {
        self.note_threads();
        self.outcome.events = self.machine.total_events - self.repeated;
        self.outcome.shared = self.machine.state.memory.shared.clone();
        self.outcome.solver = self.feasibility.stats();
        self.outcome
    }

    /// How many threads there were, and where there would have been more.
    fn note_threads(&mut self) {
        self.outcome.threads = self.machine.threads_seen;
        if !self.machine.crowded.is_empty() {
            self.outcome.crowded.extend(&self.machine.crowded);
        }
    }

    pub fn equals(&mut self, term: TermId, value: u128) -> TermId {
        let width = self.machine.terms.width(term);
        let constant = self.machine.terms.constant(width, value);
        self.machine.terms.cmp(CmpOp::Eq, term, constant)
    }

    pub fn check(&mut self, conditions: &[TermId]) -> Feasible {
        self.feasibility.check(&mut self.machine, conditions)
    }

    /// Whether the conditions can hold together, whatever the current path.
    pub fn check_alone(&mut self, conditions: &[TermId]) -> Feasible {
        self.feasibility.check_alone(&mut self.machine, conditions)
    }

    /// The solver cannot decide: part of the tree stays unexplored.
    pub fn give_up(&mut self) -> bool {
        let loc = self.machine.user_loc(self.machine.current_thread());
        let is_interrupted = self.options.interrupt.load(Ordering::Relaxed);
        if is_interrupted {
            // The next tick stops the search, unless this was its last question.
            let reason = self.monitor.stop_reason();
            self.outcome.stopped.get_or_insert(reason);
        }
        let cutoff = match is_interrupted {
            true => Cutoff::Interrupted,
            false => Cutoff::Solver,
        };
        self.cut_off(cutoff, loc);
        false
    }

    pub fn cut_off(&mut self, cutoff: Cutoff, loc: LocId) {
        *self.outcome.cut_off.entry((cutoff, loc)).or_default() += 1;
    }

    /// Tells how far the search is; `Some`: it is over.
    pub fn tick(&mut self, depth: usize) -> Option<Stopped> {
        self.note_threads();
        self.outcome.events = self.machine.total_events - self.repeated - self.counted;
        self.monitor.tick(&self.outcome, depth)
    }

    /// The same, now and then, in the middle of an execution in which much is asked, or between two
    /// that differ much. That may take longer than anybody wants to wait.
    pub fn tick_at_question(&mut self, depth: usize) -> Option<Stopped> {
        self.questions += 1;
        let is_due = self.questions.is_multiple_of(QUESTIONS);
        is_due.then(|| self.tick(depth))?
    }

    /// These decisions, with what is needed to follow them.
    pub fn schedule_of(&self, decisions: Vec<Decision>) -> Schedule {
        Schedule {
            observed: self.machine.mode().observed,
            observes_joins: self.machine.mode().observes_joins,
            observes_last: self.machine.mode().observes_last,
            decisions,
            visible: self.machine.state.memory.shared.clone(),
            threads: self.machine.thread_names().to_vec(),
        }
    }

    pub(crate) fn reduced(&self) -> Option<Reduced> {
        let options = self.options;
        (options.slices || options.search.peeks()).then(|| Reduced {
            peeking: self.machine.peeks().then(|| self.machine.peeked()),
            mutexes: self.machine.peeked_mutexes(),
        })
    }
}

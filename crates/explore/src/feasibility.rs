//! Questions of the machine about terms, answered by the solver.

use machine::Machine;
use smt::{Answer, Model, Solver, TermId};

/// Whether a condition can hold on the current path.
#[derive(Clone, Debug)]
pub enum Feasible {
    Yes(Model),
    No,
    /// The solver gave up.
    Unknown,
}

pub struct Feasibility {
    solver: Box<dyn Solver>,
    query: Vec<TermId>,
}

impl Feasibility {
    pub fn new(solver: Box<dyn Solver>) -> Feasibility {
        Feasibility {
            solver,
            query: Vec::new(),
        }
    }

    /// Is there an input for the path on which all of `conditions` hold?
    pub fn check(&mut self, machine: &mut Machine, conditions: &[TermId]) -> Feasible {
        self.query.clear();
        self.query.extend_from_slice(&machine.state.path);
        self.query.extend_from_slice(conditions);
        self.ask(machine)
    }

    /// Is there an input on which all of `conditions` hold?
    pub fn check_alone(&mut self, machine: &mut Machine, conditions: &[TermId]) -> Feasible {
        self.query.clear();
        self.query.extend_from_slice(conditions);
        self.ask(machine)
    }

    fn ask(&mut self, machine: &mut Machine) -> Feasible {
        match self.solver.check(&mut machine.terms, &self.query) {
            Answer::Sat(model) => Feasible::Yes(model),
            Answer::Unsat => Feasible::No,
            Answer::Unknown(_) => Feasible::Unknown,
        }
    }

    pub fn stats(&self) -> smt::SolverStats {
        self.solver.stats()
    }
}

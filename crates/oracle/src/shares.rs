//! How much of what a program can do fails: a bug that one schedule in a thousand shows, for one
//! input, is harder to find than one that all of them show.

use std::collections::HashMap;

use crate::lower::lower;
use crate::program::Program;
use crate::reference::{Interpreter, Semantics, State, Stop, spurious_wakeups};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailingShare {
    /// Of all schedules for all inputs. A schedule is a sequence of steps up to where nobody can go
    /// on or an assumption is false.
    pub runs: f64,
    /// Of all assignments of values to inputs: for these some schedule fails.
    pub inputs: f64,
}

/// The program must be [valid](Program::validate).
pub fn failing_share(program: &Program, semantics: Semantics) -> FailingShare {
    let code: Vec<_> = program.threads.iter().map(lower).collect();
    let assignments = program.input_assignments();
    let (mut all, mut failing, mut failing_inputs) = (0.0, 0.0, 0.0);
    for inputs in &assignments {
        let interpreter = Interpreter {
            program,
            semantics,
            code: &code,
            inputs,
        };
        let counts = count(&interpreter, interpreter.initial(), &mut HashMap::new());
        all += counts.all;
        failing += counts.failing;
        failing_inputs += f64::from(counts.failing > 0.0);
    }
    FailingShare {
        runs: failing / all,
        inputs: failing_inputs / assignments.len() as f64,
    }
}

/// Numbers of schedules, which may be larger than any integer.
#[derive(Clone, Copy, Default)]
struct Counts {
    all: f64,
    failing: f64,
}

/// Every step leads forward: no state comes again.
fn count(
    interpreter: &Interpreter<'_>,
    state: State,
    known: &mut HashMap<State, Counts>,
) -> Counts {
    if let Some(counts) = known.get(&state) {
        return *counts;
    }
    let mut counts = Counts::default();
    let mut successors = vec![];
    for thread in 0..state.threads.len() {
        for result in interpreter.steps(&state, thread) {
            match result {
                Ok(next) => successors.push(next),
                Err(Stop::Failed(_)) => {
                    counts.all += 1.0;
                    counts.failing += 1.0;
                }
                Err(Stop::Discarded) => counts.all += 1.0,
                Err(Stop::Blocked) => {}
            }
        }
    }
    if interpreter.semantics.spurious_wakeups {
        successors.extend(spurious_wakeups(&state));
    }
    for next in successors {
        let its = count(interpreter, next, known);
        counts.all += its.all;
        counts.failing += its.failing;
    }
    if counts.all == 0.0 {
        counts.all = 1.0;
    }
    known.insert(state, counts);
    counts
}

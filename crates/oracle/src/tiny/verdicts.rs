//! All that can go wrong with a program: every state that can be reached is visited, for every
//! input.
//!
//! *Stuck for ever*. A run that never ends is no bug by itself: a loop may go round while the
//! thread that it waits for is not scheduled. It is one if it cannot end any more, however fair the
//! schedule: then the threads that are left block, or wait for each other by going round. Since
//! there are finitely many states, that is a state from which none is reachable in which the
//! process has ended (or failed, which ends it as well). A schedule that leaves such a state alone
//! exists from every other state, and a fair one takes it. So the graph of all states is built, and
//! searched backwards from those in which the process ends.
//!
//! A thread that waits for a condition may wake for nothing, but nobody may rely on it: such steps
//! lead to states that count, and are none when it comes to getting out.

use std::collections::{BTreeSet, HashMap};

use super::knowledge::Knowledge;
use super::steps::{Interpreter, Step};
use super::syntax::Program;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    Assertion,
    Memory,
    LockMisuse,
    /// Some threads cannot go on, or go round for ever.
    Stuck,
    Race,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub failures: BTreeSet<Failure>,
    /// Some thread goes round in a state that is stuck.
    pub livelock: bool,
    pub states: usize,
}

/// There are more states than were allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Every kind of failure that the program has. Races are looked for only if asked, and on their
/// own, since what follows one is of no interest.
pub fn failures(program: &Program, races: bool, most: usize) -> Result<Found, TooLarge> {
    let mut found = Found::default();
    for inputs in program.input_assignments() {
        let interpreter = Interpreter::new(program, &inputs);
        visit(&interpreter, false, most, &mut found)?;
        if races && !found.failures.contains(&Failure::Race) {
            visit(&interpreter, true, most, &mut found)?;
        }
    }
    Ok(found)
}

fn visit(
    interpreter: &Interpreter<'_>,
    races: bool,
    most: usize,
    found: &mut Found,
) -> Result<(), TooLarge> {
    let mut initial = interpreter.initial();
    initial.knowledge = races.then(|| Box::new(Knowledge::of(initial.threads.len())));
    let mut numbers = HashMap::from([(initial.clone(), 0)]);
    let mut pending = vec![(0, initial)];
    // Whose process has ended after one step, and what leads to what.
    let mut ends = vec![false];
    let mut goes_on = vec![false];
    let mut edges: Vec<(usize, usize)> = Vec::new();
    while let Some((number, state)) = pending.pop() {
        let mut successors = Vec::new();
        for thread in 0..state.threads.len() {
            for step in interpreter.steps(&state, thread) {
                match step {
                    Step::To(next) => successors.push((next, true)),
                    Step::End => ends[number] = true,
                    Step::Failed(Failure::Race) => {
                        found.failures.insert(Failure::Race);
                        return Ok(());
                    }
                    Step::Failed(failure) => {
                        ends[number] = true;
                        if !races {
                            found.failures.insert(failure);
                        }
                    }
                }
            }
        }
        let woken = interpreter.spurious_wakeups(&state).into_iter();
        successors.extend(woken.map(|next| (next, false)));
        for (next, counts) in successors {
            let fresh = numbers.len();
            let to = *numbers.entry(next.clone()).or_insert(fresh);
            if to == fresh {
                if fresh == most {
                    return Err(TooLarge);
                }
                ends.push(false);
                goes_on.push(false);
                pending.push((to, next));
            }
            if counts {
                goes_on[number] = true;
                edges.push((to, number));
            }
        }
    }
    found.states = found.states.max(ends.len());
    if !races {
        let gets_out = reaches(&ends, &edges);
        let halts: Vec<bool> = goes_on.iter().map(|goes_on| !goes_on).collect();
        let may_halt = reaches(&halts, &edges);
        for stuck in (0..ends.len()).filter(|number| !gets_out[*number]) {
            found.failures.insert(Failure::Stuck);
            found.livelock |= !may_halt[stuck];
        }
    }
    Ok(())
}

/// From which states one is reachable that ends; edges are given backwards.
fn reaches(ends: &[bool], edges: &[(usize, usize)]) -> Vec<bool> {
    let mut before = vec![Vec::new(); ends.len()];
    for (to, from) in edges {
        before[*to].push(*from);
    }
    let mut reaches = ends.to_vec();
    let mut pending: Vec<usize> = (0..ends.len()).filter(|number| ends[*number]).collect();
    while let Some(number) = pending.pop() {
        for from in &before[number] {
            if !reaches[*from] {
                reaches[*from] = true;
                pending.push(*from);
            }
        }
    }
    reaches
}

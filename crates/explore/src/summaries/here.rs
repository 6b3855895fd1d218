//! Whether what summaries require holds in the present state: by evaluation where the state is
//! concrete, by the solver where it depends on inputs (P1, section 5.1).

use machine::{Location, Machine, Value};
use rustc_hash::FxHashMap;
use smt::{InputId, Model, Substitution, TermId};

use super::Statistics;
use super::table::Candidate;
use crate::feasibility::Feasible;
use crate::walk::Walk;

/// Whether conditions hold in the present state.
pub enum Holds {
    /// For all inputs that are possible on this path.
    Always,
    /// For those of which this is true.
    If(TermId),
    Not,
}

/// What it took to find that out.
#[derive(Default)]
pub struct Cost {
    evaluated: u64,
    solved: u64,
}

impl Cost {
    pub fn book(&self, statistics: &mut Statistics) {
        statistics.evaluated += self.evaluated;
        statistics.solved += self.solved;
    }
}

pub fn holds(walk: &mut Walk, here: &mut Here, conditions: &[TermId], cost: &mut Cost) -> Holds {
    let mut open = walk.machine.terms.bool(true);
    for &condition in conditions {
        match here.value_of(&mut walk.machine, condition) {
            Some(true) => continue,
            Some(false) => return Holds::Not,
            None => {}
        }
        let condition = here.term(walk, condition);
        match walk.machine.terms.as_constant(condition) {
            Some(1) => {}
            Some(_) => return Holds::Not,
            None => open = walk.machine.terms.and(open, condition),
        }
    }
    cost.evaluated += 1;
    match walk.machine.terms.as_constant(open) {
        Some(1) => return Holds::Always,
        Some(_) => return Holds::Not,
        None => {}
    }
    cost.solved += 1;
    let fails = walk.machine.terms.not(open);
    match walk.check(&[fails]) {
        Feasible::No => Holds::Always,
        Feasible::Yes(_) => Holds::If(open),
        // Perhaps there are no other inputs, and no path must be followed that none has.
        Feasible::Unknown => Holds::Not,
    }
}

/// What is in locations that conditions mention, as far as it was looked up. Of one that holds
/// nothing no condition is true.
#[derive(Default)]
pub struct Here {
    found: FxHashMap<InputId, Option<Value>>,
    numbers: Model,
}

impl Here {
    /// What is in the location that the term stands for, if it is a number.
    pub fn number(&mut self, machine: &mut Machine, term: TermId) -> Option<u128> {
        let input = *machine.terms.support(term).first()?;
        let location = machine.location_of(input)?;
        let value = self.look_up(machine, input, location)?;
        value.is_concrete().then(|| self.numbers.get(input))?
    }

    /// `None`: nothing, or nothing of this width.
    fn look_up(
        &mut self,
        machine: &mut Machine,
        input: InputId,
        location: Location,
    ) -> Option<Value> {
        let found = self.found.entry(input).or_insert_with(|| {
            let value = machine.value_at(location)?;
            let width = machine.terms.input_width(input);
            if value.is_concrete() {
                let number = u128::from(value.bits) & (u128::MAX >> (128 - width));
                self.numbers.set(input, number);
                return Some(value);
            }
            (machine.terms.width(value.term) == width).then_some(value)
        });
        *found
    }

    /// Whether the condition holds, if that does not depend on inputs.
    pub fn value_of(&mut self, machine: &mut Machine, condition: TermId) -> Option<bool> {
        let mut is_plain = true;
        for i in 0..machine.terms.support(condition).len() {
            let input = machine.terms.support(condition)[i];
            let Some(location) = machine.location_of(input) else {
                is_plain = false;
                continue;
            };
            match self.look_up(machine, input, location) {
                None => return Some(false),
                Some(value) => is_plain &= value.is_concrete(),
            }
        }
        is_plain.then(|| machine.terms.eval(condition, &self.numbers) == 1)
    }

    /// The condition with these values, all of which were looked up.
    fn term(&self, walk: &mut Walk, condition: TermId) -> TermId {
        let terms = &mut walk.machine.terms;
        let mut here = Substitution::default();
        for i in 0..terms.support(condition).len() {
            let input = terms.support(condition)[i];
            let Some(Some(value)) = self.found.get(&input) else {
                continue;
            };
            let term = match value.is_concrete() {
                true => terms.constant(terms.input_width(input), u128::from(value.bits)),
                false => value.term,
            };
            here.insert(input, term);
        }
        here.apply(terms, condition)
    }
}

/// Whether inputs are left for which none of several summaries holds, each under its condition on
/// these. One alone leaves some.
pub fn others_left(
    walk: &mut Walk,
    partly: &[(Candidate, TermId)],
    statistics: &mut Statistics,
) -> Feasible {
    if partly.len() < 2 {
        return Feasible::Yes(Default::default());
    }
    statistics.solved += 1;
    let conditions = partly.iter().map(|(_, condition)| *condition);
    let none: Vec<TermId> = conditions.map(|c| walk.machine.terms.not(c)).collect();
    walk.check(&none)
}

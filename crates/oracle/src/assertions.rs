//! Assertions worth checking, chosen after looking at what the program does without them.
//!
//! Random conditions mostly hold always or never. Here the final values of a thread's locals are known, and the condition excludes
//! either one of them, preferably one that few final states have (it can fail), or one that none has (it holds at the end
//! of every complete run).

use std::collections::BTreeMap;

use crate::behaviours::Behaviours;
use crate::expr::{BinaryOp, Expr};
use crate::ids::{AssertId, LocalId};
use crate::program::{Op, Program, Stmt};
use crate::random::Random;

/// Appends an assertion about the first locals of a thread: of thread t the first `relevant[t]`. Does nothing if there is no such
/// thread or no complete run.
pub fn append_assertion(
    random: &mut Random,
    program: &mut Program,
    relevant: &[usize],
    seen: &Behaviours,
    id: AssertId,
    can_fail: bool,
) {
    let locals: Vec<(usize, LocalId)> = (0..program.threads.len())
        .flat_map(|t| (0..program.threads[t].locals).map(move |l| (t, LocalId(l))))
        .collect();
    let first = program.shared.len() + program.arrays.iter().map(Vec::len).sum::<usize>();
    let mut interesting = vec![];
    for (position, (thread, local)) in locals.iter().enumerate() {
        let is_relevant = |(t, l): &(usize, LocalId)| l.0 < relevant[*t];
        if !is_relevant(&(*thread, *local)) {
            continue;
        }
        let neighbour = locals
            .get(position + 1)
            .filter(|next| next.0 == *thread && is_relevant(next));
        let columns = (first + position, neighbour.map(|_| first + position + 1));
        let values = histogram(seen, columns);
        if !values.is_empty() {
            interesting.push((*thread, *local, values));
        }
    }
    // A local whose value depends on the schedule or on an input is worth more than one that is constant.
    let varying = interesting.iter().any(|(_, _, values)| values.len() > 1);
    interesting.retain(|(_, _, values)| !varying || values.len() > 1);
    if interesting.is_empty() {
        return;
    }
    let (thread, local, values) = random.pick(&interesting).clone();
    let excluded = if can_fail {
        rare(random, &values)
    } else {
        absent(random, &values)
    };
    let differs =
        |local: LocalId, value: i32| Expr::binary(BinaryOp::Ne, local.into(), value.into());
    let (value, neighbour) = excluded;
    let mut condition = differs(local, value);
    if let Some(value) = neighbour {
        condition = Expr::binary(
            BinaryOp::Or,
            condition,
            differs(LocalId(local.0 + 1), value),
        );
    }
    let assertion = Stmt::Do(Op::Assert(id, condition));
    program.threads[thread].body.push(assertion);
}

/// The value of a local, with that of the next local of the same thread if it has one.
type Values = (i32, Option<i32>);

/// How many final states have each of the values.
fn histogram(seen: &Behaviours, columns: (usize, Option<usize>)) -> BTreeMap<Values, usize> {
    let mut counts = BTreeMap::new();
    for end in &seen.finals {
        let value = |column: usize| end.values[column] as i32;
        let key = (value(columns.0), columns.1.map(value));
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// One of the two values that the fewest final states have.
fn rare(random: &mut Random, counts: &BTreeMap<Values, usize>) -> Values {
    let mut values: Vec<_> = counts.iter().collect();
    values.sort_by_key(|(_, count)| **count);
    values.truncate(2);
    *random.pick(&values).0
}

/// Values that never occur together, although each does alone if such exist.
fn absent(random: &mut Random, counts: &BTreeMap<Values, usize>) -> Values {
    let firsts = counts.keys().map(|key| key.0);
    let seconds: Vec<_> = counts.keys().map(|key| key.1).collect();
    let mut combinations: Vec<Values> = firsts
        .flat_map(|first| seconds.iter().map(move |second| (first, *second)))
        .filter(|values| !counts.contains_key(values))
        .collect();
    if combinations.is_empty() {
        let largest = counts.keys().map(|key| key.0).max().unwrap_or(0);
        combinations.push((largest.wrapping_add(1), seconds[0]));
    }
    *random.pick(&combinations)
}

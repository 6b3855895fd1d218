//! Assertions worth checking, chosen after looking at what the program does without them.
//!
//! Random conditions mostly hold always or never. Here the final values of a thread's locals and of
//! memory are known, and the condition excludes either some of them, preferably such that few final
//! states have (it can fail), or such that none has (it holds at the end of every complete run).

use std::collections::BTreeMap;

use crate::behaviours::{Behaviours, Final};
use crate::config::Config;
use crate::expr::{BinaryOp, Expr};
use crate::ids::{ArrayId, AssertId, InputId, LocalId, SharedId, ThreadId};
use crate::program::{Access, Index, Op, Place, Program, Stmt, Thread};
use crate::random::Random;
use crate::statements::check;

/// Appends an assertion: to a thread, about its first locals, of thread t the first `relevant[t]`;
/// or to `main`, about memory when all threads have ended. Does nothing if there is no such thread
/// or no complete run.
pub fn append_assertion(
    random: &mut Random,
    config: &Config,
    program: &mut Program,
    relevant: &[usize],
    seen: &Behaviours,
    can_fail: bool,
) {
    let inputs = match chance(random, config.about_inputs) {
        true => (0..program.inputs.len()).map(InputId).collect(),
        false => vec![],
    };
    let subjects = match chance(random, config.in_the_end) {
        true => cells(program),
        false => locals(program, relevant),
    };
    let values = |subject: &Subject| histogram(seen, subject, &[]).len();
    let mut interesting: Vec<_> = subjects.into_iter().filter(|s| values(s) > 0).collect();
    // What depends on the schedule or on an input is worth more than what is constant.
    let varying = interesting.iter().any(|subject| values(subject) > 1);
    interesting.retain(|subject| !varying || values(subject) > 1);
    if interesting.is_empty() {
        return;
    }
    let subject = random.pick(&interesting).clone();
    let values = histogram(seen, &subject, &inputs);
    let excluded = if can_fail {
        rare(random, &values)
    } else {
        absent(random, &values)
    };
    let id = AssertId(program.assertions().len());
    let check = check(random, config.other_checks);
    let (thread, locals) = match subject {
        Subject::Locals { thread, locals, .. } => (thread, locals),
        Subject::Cells(cells) => read_in_the_end(program, &cells),
    };
    let terms = locals.into_iter().map(Expr::from);
    let terms = terms
        .chain(inputs.into_iter().map(Expr::from))
        .zip(excluded);
    let differs = terms.map(|(term, value)| Expr::binary(BinaryOp::Ne, term, value.into()));
    let condition = differs.reduce(|a, b| Expr::binary(BinaryOp::Or, a, b));
    let condition = condition.expect("a subject has values");
    let assertion = Stmt::Do(Op::Assert(check, id, condition));
    program.threads[thread].body.push(assertion);
}

/// Nothing is drawn where there is no choice.
fn chance(random: &mut Random, percent: u32) -> bool {
    percent > 0 && random.percent(percent)
}

/// What an assertion may be about.
#[derive(Clone)]
enum Subject {
    /// One local, and the next one of the same thread if it has one; the first is this column of a
    /// final state.
    Locals {
        thread: usize,
        locals: Vec<LocalId>,
        first: usize,
    },
    /// Columns of a final state, each with its place.
    Cells(Vec<(usize, Place)>),
}

fn locals(program: &Program, relevant: &[usize]) -> Vec<Subject> {
    let mut column = program.shared.len() + program.arrays.iter().map(Vec::len).sum::<usize>();
    let mut subjects = vec![];
    for (thread, of_thread) in program.threads.iter().enumerate() {
        for local in 0..relevant[thread] {
            let locals = local..(local + 2).min(relevant[thread]);
            subjects.push(Subject::Locals {
                thread,
                locals: locals.map(LocalId).collect(),
                first: column + local,
            });
        }
        column += of_thread.locals;
    }
    subjects
}

/// One cell, two and three that are next to each other.
fn cells(program: &Program) -> Vec<Subject> {
    let scalars = (0..program.shared.len()).map(|g| Place::Scalar(SharedId(g)));
    let element = |array, index| {
        let index = Index::Wrapped((index as i32).into());
        Place::Element(ArrayId(array), index)
    };
    let arrays = program.arrays.iter().enumerate();
    let elements = arrays.flat_map(|(a, array)| (0..array.len()).map(move |i| element(a, i)));
    let cells: Vec<_> = scalars.chain(elements).enumerate().collect();
    let windows = |length| cells.windows(length).map(|w| Subject::Cells(w.to_vec()));
    windows(1).chain(windows(2)).chain(windows(3)).collect()
}

/// Has `main` read the cells after all joins. Returns its number, and where they are then.
fn read_in_the_end(program: &mut Program, cells: &[(usize, Place)]) -> (usize, Vec<LocalId>) {
    if !program.has_main {
        program.threads.push(Thread::default());
        program.has_main = true;
    }
    let main = program.threads.len() - 1;
    for thread in (0..main).map(ThreadId) {
        let is_own = program
            .starter(thread)
            .is_none_or(|starter| starter == main);
        let join = Stmt::Do(Op::Join(thread));
        if is_own && !program.threads[main].body.contains(&join) {
            program.threads[main].body.push(join);
        }
    }
    let main_thread = &mut program.threads[main];
    let mut locals = vec![];
    for (_, place) in cells {
        let local = LocalId(main_thread.locals);
        main_thread.locals += 1;
        let read = Op::Read(Access::Plain, local, place.clone());
        main_thread.body.push(Stmt::Do(read));
        locals.push(local);
    }
    (main, locals)
}

/// The values of a subject, and of the inputs.
type Values = Vec<i32>;

/// How many final states have each of the values.
fn histogram(seen: &Behaviours, subject: &Subject, inputs: &[InputId]) -> BTreeMap<Values, usize> {
    let columns: Vec<usize> = match subject {
        Subject::Locals { locals, first, .. } => (*first..first + locals.len()).collect(),
        Subject::Cells(cells) => cells.iter().map(|(column, _)| *column).collect(),
    };
    let key = |end: &Final| {
        let values = columns.iter().map(|column| end.values[*column] as i32);
        let inputs = inputs.iter().map(|input| end.inputs[input.0] as i32);
        values.chain(inputs).collect()
    };
    let mut counts = BTreeMap::new();
    for end in &seen.finals {
        *counts.entry(key(end)).or_default() += 1;
    }
    counts
}

/// One of the two values that the fewest final states have.
fn rare(random: &mut Random, counts: &BTreeMap<Values, usize>) -> Values {
    let mut values: Vec<_> = counts.iter().collect();
    values.sort_by_key(|(_, count)| **count);
    values.truncate(2);
    random.pick(&values).0.clone()
}

/// Values that never occur together, although each does alone if such exist.
fn absent(random: &mut Random, counts: &BTreeMap<Values, usize>) -> Values {
    let firsts = counts.keys().map(|key| key[0]);
    let others: Vec<&[i32]> = counts.keys().map(|key| &key[1..]).collect();
    let together = |first: i32, others: &[i32]| [&[first], others].concat();
    let mut combinations: Vec<Values> = firsts
        .flat_map(|first| others.iter().map(move |others| together(first, others)))
        .filter(|values| !counts.contains_key(values))
        .collect();
    if combinations.is_empty() {
        let largest = counts.keys().map(|key| key[0]).max().unwrap_or(0);
        combinations.push(together(largest.wrapping_add(1), others[0]));
    }
    random.pick(&combinations).clone()
}

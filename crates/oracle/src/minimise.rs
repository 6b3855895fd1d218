//! From a program on which something goes wrong to a smallest one on which it still does.
//!
//! Greedy: as long as one single simplification keeps the failure, it is made. Every simplification
//! removes a node, lowers a number or drops a declaration, so the process ends; the result fails,
//! and none of its single simplifications does.

use std::ops::Range;

use crate::expr::Expr;
use crate::ids::{InputId, ThreadId};
use crate::program::{Access, Check, Init, Op, Program, Stmt, Thread};
use crate::unused::without_unused;
use crate::visit::{self, Mention};

/// The smallest program found on which `fails` holds, as it must on `program`. It is asked about
/// valid programs only.
pub fn minimise(program: &Program, fails: impl Fn(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    while let Some(smaller) = simplifications(&smallest)
        .into_iter()
        .find(|candidate| candidate.validate().is_ok() && fails(candidate))
    {
        smallest = smaller;
    }
    smallest
}

/// Everything that one simplification leads to, large steps first.
fn simplifications(program: &Program) -> Vec<Program> {
    let mut candidates = vec![];
    let mut with = |change: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        change(&mut candidate);
        if candidate != *program {
            candidates.push(candidate);
        }
    };
    for thread in 0..program.threads.len() {
        with(&|p| remove_thread(p, ThreadId(thread)));
    }
    with(&|p| *p = without_unused(p));
    for (thread, Thread { body, .. }) in program.threads.iter().enumerate() {
        for simpler in simpler_blocks(body) {
            with(&|p| p.threads[thread].body = simpler.clone());
        }
    }
    for (number, input) in program.inputs.iter().enumerate() {
        with(&|p| replace_input(p, InputId(number), input.low));
        with(&|p| p.inputs[number].high = input.low.max(input.high - 1));
    }
    for (number, init) in program.shared.iter().enumerate() {
        if let Init::Const(value) = init {
            for simpler in simpler_constants(*value) {
                with(&|p| p.shared[number] = Init::Const(simpler));
            }
        }
    }
    for (number, array) in program.arrays.iter().enumerate() {
        with(&|p| p.arrays[number].truncate(array.len() - 1));
        for (index, value) in array.iter().enumerate() {
            for simpler in simpler_constants(*value) {
                with(&|p| p.arrays[number][index] = simpler);
            }
        }
    }
    for (number, value) in program.semaphores.iter().enumerate() {
        with(&|p| p.semaphores[number] = value.saturating_sub(1));
    }
    candidates
}

fn remove_thread(program: &mut Program, removed: ThreadId) {
    program.has_main &= !program.is_main(removed.0);
    program.threads.remove(removed.0);
    for thread in &mut program.threads {
        thread.body.retain(
            |stmt| !matches!(stmt, Stmt::Do(Op::Start(id) | Op::Join(id)) if *id == removed),
        );
        visit::block_mentions(&mut thread.body, &mut |mention| {
            if let Mention::Thread(id) = mention
                && *id > removed
            {
                id.0 -= 1;
            }
        });
    }
}

fn replace_input(program: &mut Program, input: InputId, value: i32) {
    for init in &mut program.shared {
        if *init == Init::Input(input) {
            *init = Init::Const(value);
        }
    }
    for thread in &mut program.threads {
        visit::for_each_expr(&mut thread.body, &mut |expr| {
            replace_in_expr(expr, input, value);
        });
    }
}

fn replace_in_expr(expr: &mut Expr, input: InputId, value: i32) {
    match expr {
        Expr::Input(found) if *found == input => *expr = Expr::Const(value),
        Expr::Const(_) | Expr::Local(_) | Expr::Input(_) => {}
        Expr::Binary(_, left, right) => {
            replace_in_expr(left, input, value);
            replace_in_expr(right, input, value);
        }
    }
}

fn simpler_blocks(block: &[Stmt]) -> Vec<Vec<Stmt>> {
    let spliced = |range: Range<usize>, replacement: Vec<Stmt>| {
        let mut simpler = block.to_vec();
        simpler.splice(range, replacement);
        simpler
    };
    let mut candidates = vec![];
    // A lock and its unlock go together only: two statements are removed as well as one.
    for first in 0..block.len() {
        candidates.push(spliced(first..first + 1, vec![]));
    }
    for first in 0..block.len() {
        for second in first + 1..block.len() {
            let mut simpler = spliced(second..second + 1, vec![]);
            simpler.remove(first);
            candidates.push(simpler);
        }
    }
    for (position, stmt) in block.iter().enumerate() {
        for replacement in simpler_stmts(stmt) {
            candidates.push(spliced(position..position + 1, replacement));
        }
    }
    candidates
}

fn simpler_stmts(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    match stmt {
        Stmt::Do(op) => simpler_ops(op)
            .into_iter()
            .map(|op| vec![Stmt::Do(op)])
            .collect(),
        Stmt::If {
            condition,
            then,
            otherwise,
        } => {
            let rebuilt = |condition: &Expr, then: &[Stmt], otherwise: &[Stmt]| {
                vec![Stmt::If {
                    condition: condition.clone(),
                    then: then.to_vec(),
                    otherwise: otherwise.to_vec(),
                }]
            };
            let mut candidates = vec![then.clone(), otherwise.clone()];
            for simpler in simpler_blocks(then) {
                candidates.push(rebuilt(condition, &simpler, otherwise));
            }
            for simpler in simpler_blocks(otherwise) {
                candidates.push(rebuilt(condition, then, &simpler));
            }
            for simpler in simpler_exprs(condition) {
                candidates.push(rebuilt(&simpler, then, otherwise));
            }
            candidates
        }
        Stmt::Repeat { times, body } => {
            let rebuilt = |times: u32, body: Vec<Stmt>| vec![Stmt::Repeat { times, body }];
            let mut candidates = vec![body.clone()];
            if *times > 1 {
                candidates.push(rebuilt(times - 1, body.clone()));
            }
            let bodies = simpler_blocks(body).into_iter();
            candidates.extend(bodies.map(|body| rebuilt(*times, body)));
            candidates
        }
        Stmt::BreakIf(condition) => simpler_exprs(condition)
            .into_iter()
            .map(|condition| vec![Stmt::BreakIf(condition)])
            .collect(),
        Stmt::Atomic(body) => {
            let mut candidates = vec![body.clone()];
            let bodies = simpler_blocks(body).into_iter();
            candidates.extend(bodies.map(|body| vec![Stmt::Atomic(body)]));
            candidates
        }
    }
}

fn simpler_ops(op: &Op) -> Vec<Op> {
    let mut candidates = vec![];
    match op {
        Op::Read(access, local, place) if *access != Access::Plain => {
            candidates.push(Op::Read(Access::Plain, *local, place.clone()));
        }
        Op::Write(access, place, value) if *access != Access::Plain => {
            candidates.push(Op::Write(Access::Plain, place.clone(), value.clone()));
        }
        Op::Assert(check, id, condition) if *check != Check::Assert => {
            candidates.push(Op::Assert(Check::Assert, *id, condition.clone()));
        }
        _ => {}
    }
    let mut exprs = vec![];
    visit::op_exprs(&mut op.clone(), &mut |expr| exprs.push(expr.clone()));
    for (position, expr) in exprs.iter().enumerate() {
        for simpler in simpler_exprs(expr) {
            let mut candidate = op.clone();
            let mut current = 0;
            visit::op_exprs(&mut candidate, &mut |expr| {
                if current == position {
                    *expr = simpler.clone();
                }
                current += 1;
            });
            candidates.push(candidate);
        }
    }
    candidates
}

fn simpler_exprs(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Const(value) => simpler_constants(*value).map(Expr::Const).collect(),
        Expr::Local(_) | Expr::Input(_) => vec![Expr::Const(0)],
        Expr::Binary(op, left, right) => {
            let mut candidates = vec![Expr::Const(0), (**left).clone(), (**right).clone()];
            let lefts = simpler_exprs(left).into_iter();
            candidates.extend(lefts.map(|left| Expr::binary(*op, left, (**right).clone())));
            let rights = simpler_exprs(right).into_iter();
            candidates.extend(rights.map(|right| Expr::binary(*op, (**left).clone(), right)));
            candidates
        }
    }
}

/// Nearer to 0: 0 itself, half, one less; of a negative number also the opposite.
fn simpler_constants(value: i32) -> impl Iterator<Item = i32> {
    let opposite = if value < 0 { value.checked_neg() } else { None };
    let nearer = [0, value / 2, value - value.signum()].into_iter();
    let nearer = nearer.filter(move |simpler| *simpler != value);
    opposite.into_iter().chain(nearer)
}

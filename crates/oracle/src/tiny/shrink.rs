//! Smaller programs: a statement left out, a block in place of what it stands in, one side of a
//! condition in place of both.

use super::render::created_in;
use super::syntax::*;

/// The smallest program found for which `differs` still holds, made smaller step by step.
pub fn shrink(program: &Program, mut differs: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    'again: loop {
        for smaller in candidates(&best) {
            if differs(&smaller) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}

/// Every program that is one change smaller, the greatest changes first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for input in 0..program.inputs.len() {
        if program.inputs[input] > 0 {
            let mut smaller = program.clone();
            smaller.inputs[input] = 0;
            found.push(smaller);
        }
    }
    for number in 0..program.threads.len() {
        for body in smaller_blocks(&program.threads[number].body) {
            let mut smaller = program.clone();
            smaller.threads[number].body = body;
            found.push(smaller);
        }
    }
    for number in 0..program.functions.len() {
        for body in smaller_blocks(&program.functions[number].body) {
            let mut smaller = program.clone();
            smaller.functions[number].body = body;
            found.push(smaller);
        }
    }
    found.retain(is_sound);
    found
}

/// Whoever is joined was created by the same thread.
fn is_sound(program: &Program) -> bool {
    program.threads.iter().all(|thread| {
        let created = created_in(&thread.body);
        joined_in(&thread.body).iter().all(|t| created.contains(t))
    })
}

fn joined_in(block: &[Stmt]) -> Vec<crate::ids::ThreadId> {
    let joined = block.iter().filter_map(|stmt| match stmt {
        Stmt::Do(Expr::Call(call)) | Stmt::Set(_, Expr::Call(call)) => match **call {
            Call::Join(thread) | Call::JoinResult(thread) => Some(thread),
            _ => None,
        },
        _ => None,
    });
    joined.collect()
}

fn smaller_blocks(block: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    let mut put = |at: usize, instead: Vec<Stmt>| {
        let mut smaller = block.to_vec();
        smaller.splice(at..=at, instead);
        found.push(smaller);
    };
    for at in 0..block.len() {
        put(at, vec![]);
    }
    for (at, stmt) in block.iter().enumerate() {
        for instead in smaller_statements(stmt) {
            put(at, instead);
        }
    }
    found
}

fn smaller_statements(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let mut found: Vec<Vec<Stmt>> = Vec::new();
    let keeps_loop = |body: &Vec<Stmt>| !body.iter().any(breaks);
    match stmt {
        Stmt::If(condition, then, otherwise) => {
            found.push(then.clone());
            found.push(otherwise.clone());
            for then in smaller_blocks(then) {
                found.push(vec![Stmt::If(condition.clone(), then, otherwise.clone())]);
            }
            for otherwise in smaller_blocks(otherwise) {
                found.push(vec![Stmt::If(condition.clone(), then.clone(), otherwise)]);
            }
            for condition in smaller_exprs(condition) {
                found.push(vec![Stmt::If(condition, then.clone(), otherwise.clone())]);
            }
        }
        Stmt::While(condition, body) => {
            if keeps_loop(body) {
                found.push(body.clone());
            }
            for body in smaller_blocks(body) {
                found.push(vec![Stmt::While(condition.clone(), body)]);
            }
            for condition in smaller_exprs(condition) {
                found.push(vec![Stmt::While(condition, body.clone())]);
            }
        }
        Stmt::DoWhile(body, condition) => {
            found.push(body.clone());
            for body in smaller_blocks(body) {
                found.push(vec![Stmt::DoWhile(body, condition.clone())]);
            }
            for condition in smaller_exprs(condition) {
                found.push(vec![Stmt::DoWhile(body.clone(), condition)]);
            }
        }
        Stmt::Switch(value, cases) => {
            for at in 0..cases.len() {
                found.push(cases[at].1.clone());
                let mut fewer = cases.clone();
                fewer.remove(at);
                found.push(vec![Stmt::Switch(value.clone(), fewer)]);
            }
        }
        Stmt::Set(variable, value) => {
            for value in smaller_exprs(value) {
                found.push(vec![Stmt::Set(*variable, value)]);
            }
        }
        Stmt::Store(access, place, value) => {
            for value in smaller_exprs(value) {
                found.push(vec![Stmt::Store(*access, place.clone(), value)]);
            }
        }
        Stmt::Assert(condition) => {
            for condition in smaller_exprs(condition) {
                found.push(vec![Stmt::Assert(condition)]);
            }
        }
        Stmt::Do(expr) => {
            for expr in smaller_exprs(expr) {
                found.push(vec![Stmt::Do(expr)]);
            }
        }
        Stmt::Return(value) => {
            for value in smaller_exprs(value) {
                found.push(vec![Stmt::Return(value)]);
            }
        }
        Stmt::Atomic(body) => {
            found.push(body.clone());
            for body in smaller_blocks(body) {
                found.push(vec![Stmt::Atomic(body)]);
            }
        }
        Stmt::Fill(to, byte, count) => {
            for byte in smaller_exprs(byte) {
                found.push(vec![Stmt::Fill(to.clone(), byte, count.clone())]);
            }
            for count in smaller_exprs(count) {
                found.push(vec![Stmt::Fill(to.clone(), byte.clone(), count)]);
            }
        }
        Stmt::Move(to, from, count) => {
            for count in smaller_exprs(count) {
                found.push(vec![Stmt::Move(to.clone(), from.clone(), count)]);
            }
        }
        Stmt::Repeat(..) | Stmt::Break | Stmt::Copy(..) | Stmt::CopyNode(..) | Stmt::Assume(_) => {}
    }
    found
}

/// Whether a statement leaves the loop around it.
fn breaks(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Break => true,
        Stmt::If(_, then, otherwise) => then.iter().any(breaks) || otherwise.iter().any(breaks),
        _ => false,
    }
}

fn smaller_exprs(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::And(left, right) | Expr::Or(left, right) => {
            let join = |left: Expr, right: Expr| match expr {
                Expr::And(..) => left.and(right),
                _ => left.or(right),
            };
            let mut found = vec![(**left).clone(), (**right).clone()];
            for left in smaller_exprs(left) {
                found.push(join(left, (**right).clone()));
            }
            for right in smaller_exprs(right) {
                found.push(join((**left).clone(), right));
            }
            found
        }
        Expr::Not(of) => smaller_exprs(of).into_iter().map(Expr::negate).collect(),
        Expr::Binary(op, left, right) if !matches!(**right, Expr::Const(_)) => {
            vec![Expr::binary(*op, (**left).clone(), 1)]
        }
        Expr::Load(_, _) | Expr::Update(..) | Expr::Input(_) => vec![Expr::Const(1)],
        _ => vec![],
    }
}

//! Visiting every id and every expression of a program: what validation, rendering and minimisation
//! have in common.

use crate::expr::Expr;
use crate::ids::*;
use crate::program::{Index, Init, Op, Place, Program, Stmt};

/// A mention of an entity.
pub enum Mention<'a> {
    Local(&'a mut LocalId),
    Shared(&'a mut SharedId),
    Array(&'a mut ArrayId),
    Pointer(&'a mut PointerId),
    LocalPointer(&'a mut LocalPointerId),
    Mutex(&'a mut MutexId),
    Semaphore(&'a mut SemaphoreId),
    Condition(&'a mut ConditionId),
    Input(&'a mut InputId),
    Thread(&'a mut ThreadId),
}

type Visitor<'v> = &'v mut dyn FnMut(Mention<'_>);

/// Every id that the program mentions.
pub fn program_mentions(program: &mut Program, visit: Visitor<'_>) {
    init_mentions(program, visit);
    for thread in &mut program.threads {
        block_mentions(&mut thread.body, visit);
    }
}

/// The inputs that are initial values, and what pointers point to at first.
pub fn init_mentions(program: &mut Program, visit: Visitor<'_>) {
    for init in &mut program.shared {
        if let Init::Input(input) = init {
            visit(Mention::Input(input));
        }
    }
    let locals = program.threads.iter_mut().flat_map(|t| &mut t.pointers);
    for target in program.pointers.iter_mut().chain(locals) {
        visit(Mention::Shared(target));
    }
}

pub fn block_mentions(block: &mut [Stmt], visit: Visitor<'_>) {
    for_each_op(block, &mut |op| op_mentions(op, visit));
    for_each_expr(block, &mut |expr| expr_mentions(expr, visit));
}

/// Every operation, in the order of the source.
pub fn for_each_op(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Op)) {
    for stmt in block {
        match stmt {
            Stmt::Do(op) => visit(op),
            Stmt::If {
                then, otherwise, ..
            } => {
                for_each_op(then, visit);
                for_each_op(otherwise, visit);
            }
            Stmt::Repeat { body, .. } | Stmt::Atomic(body) => for_each_op(body, visit),
            Stmt::BreakIf(_) => {}
        }
    }
}

/// Every outermost expression: conditions, values, indices.
pub fn for_each_expr(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        match stmt {
            Stmt::Do(op) => op_exprs(op, visit),
            Stmt::If {
                condition,
                then,
                otherwise,
            } => {
                visit(condition);
                for_each_expr(then, visit);
                for_each_expr(otherwise, visit);
            }
            Stmt::Repeat { body, .. } | Stmt::Atomic(body) => for_each_expr(body, visit),
            Stmt::BreakIf(condition) => visit(condition),
        }
    }
}

/// The outermost expressions of one operation.
pub fn op_exprs(op: &mut Op, visit: &mut dyn FnMut(&mut Expr)) {
    match op {
        Op::Assign(_, value) | Op::Assert(_, _, value) | Op::Assume(value) => visit(value),
        Op::Point(_, place) | Op::Read(_, _, place) => place_exprs(place, visit),
        Op::LoadPointer(..) | Op::StorePointer(..) => {}
        Op::Write(_, place, value)
        | Op::Add(place, value)
        | Op::FetchAdd(_, place, value)
        | Op::Update(_, place, value)
        | Op::FetchAddRelaxed(_, place, value)
        | Op::Exchange(_, place, value)
        | Op::CompareExchange {
            place,
            desired: value,
            ..
        } => {
            place_exprs(place, visit);
            visit(value);
        }
        Op::Lock(_)
        | Op::Unlock(_)
        | Op::TryLock(..)
        | Op::SemWait(_)
        | Op::SemPost(_)
        | Op::SemTryWait(..)
        | Op::Wait(..)
        | Op::Signal(_)
        | Op::Broadcast(_)
        | Op::Start(_)
        | Op::Join(_) => {}
    }
}

fn place_exprs(place: &mut Place, visit: &mut dyn FnMut(&mut Expr)) {
    if let Place::Element(_, Index::Wrapped(index) | Index::Raw(index)) = place {
        visit(index);
    }
}

/// The ids an operation mentions itself, outside of its expressions.
fn op_mentions(op: &mut Op, visit: Visitor<'_>) {
    match op {
        Op::Assign(local, _) => visit(Mention::Local(local)),
        Op::Point(pointer, place) => {
            visit(Mention::LocalPointer(pointer));
            place_mentions(place, visit);
        }
        Op::LoadPointer(local, shared) | Op::StorePointer(shared, local) => {
            visit(Mention::LocalPointer(local));
            visit(Mention::Pointer(shared));
        }
        Op::Read(_, local, place)
        | Op::FetchAdd(local, place, _)
        | Op::FetchAddRelaxed(local, place, _)
        | Op::Exchange(local, place, _) => {
            visit(Mention::Local(local));
            place_mentions(place, visit);
        }
        Op::CompareExchange {
            success,
            place,
            expected,
            ..
        } => {
            visit(Mention::Local(success));
            visit(Mention::Local(expected));
            place_mentions(place, visit);
        }
        Op::Write(_, place, _) | Op::Add(place, _) | Op::Update(_, place, _) => {
            place_mentions(place, visit);
        }
        Op::Lock(mutex) | Op::Unlock(mutex) => visit(Mention::Mutex(mutex)),
        Op::TryLock(local, mutex) => {
            visit(Mention::Local(local));
            visit(Mention::Mutex(mutex));
        }
        Op::SemWait(semaphore) | Op::SemPost(semaphore) => visit(Mention::Semaphore(semaphore)),
        Op::SemTryWait(local, semaphore) => {
            visit(Mention::Local(local));
            visit(Mention::Semaphore(semaphore));
        }
        Op::Wait(condition, mutex) => {
            visit(Mention::Condition(condition));
            visit(Mention::Mutex(mutex));
        }
        Op::Signal(condition) | Op::Broadcast(condition) => visit(Mention::Condition(condition)),
        Op::Start(thread) | Op::Join(thread) => visit(Mention::Thread(thread)),
        Op::Assert(..) | Op::Assume(_) => {}
    }
}

fn place_mentions(place: &mut Place, visit: Visitor<'_>) {
    match place {
        Place::Scalar(shared) => visit(Mention::Shared(shared)),
        Place::Element(array, _) => visit(Mention::Array(array)),
        Place::Through(pointer) => visit(Mention::LocalPointer(pointer)),
    }
}

fn expr_mentions(expr: &mut Expr, visit: Visitor<'_>) {
    match expr {
        Expr::Const(_) => {}
        Expr::Local(local) => visit(Mention::Local(local)),
        Expr::Input(input) => visit(Mention::Input(input)),
        Expr::Binary(_, left, right) => {
            expr_mentions(left, visit);
            expr_mentions(right, visit);
        }
    }
}

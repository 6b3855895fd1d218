//! Short forms for programs written by hand.

use oracle::*;

pub const L0: LocalId = LocalId(0);
pub const L1: LocalId = LocalId(1);
pub const G0: Place = Place::Scalar(SharedId(0));
pub const G1: Place = Place::Scalar(SharedId(1));
pub const M0: MutexId = MutexId(0);
pub const M1: MutexId = MutexId(1);
pub const S0: SemaphoreId = SemaphoreId(0);
pub const C0: ConditionId = ConditionId(0);

/// Threads with two locals each over two shared ints that are 0, two mutexes, a semaphore that is 0
/// and a condition variable.
pub fn program<const N: usize>(threads: [Vec<Stmt>; N]) -> Program {
    let thread = |body| Thread {
        locals: 2,
        pointers: vec![],
        body,
    };
    Program {
        shared: vec![Init::Const(0), Init::Const(0)],
        arrays: vec![],
        pointers: vec![],
        mutexes: 2,
        semaphores: vec![0],
        conditions: 1,
        inputs: vec![],
        has_main: false,
        threads: threads.into_iter().map(thread).collect(),
    }
}

pub fn ops<const N: usize>(ops: [Op; N]) -> Vec<Stmt> {
    ops.into_iter().map(Stmt::Do).collect()
}

pub fn read(local: LocalId, place: Place) -> Op {
    Op::Read(Access::Plain, local, place)
}

pub fn write(place: Place, value: impl Into<Expr>) -> Op {
    Op::Write(Access::Plain, place, value.into())
}

pub fn add(place: Place, value: impl Into<Expr>) -> Op {
    Op::Add(place, value.into())
}

pub fn assert(id: usize, condition: Expr) -> Op {
    Op::Assert(Check::Assert, AssertId(id), condition)
}

pub fn eq(left: impl Into<Expr>, right: impl Into<Expr>) -> Expr {
    Expr::binary(BinaryOp::Eq, left.into(), right.into())
}

pub fn ne(left: impl Into<Expr>, right: impl Into<Expr>) -> Expr {
    Expr::binary(BinaryOp::Ne, left.into(), right.into())
}

//! The programs under test, as a syntax tree.
//!
//! `main` sets the inputs, creates every thread that no [other starts](Op::Start), and joins what
//! it created. What it does in between is written down as a thread, too, if [there is
//! anything](Program::has_main); only the other threads are functions of their own. At its end a
//! thread joins those that it started and did not [join](Op::Join).
//!
//! A statement makes at most one visible operation, except [`Op::Add`] (a read, then a write) and
//! [`Op::Wait`] (a release, then an acquisition).

use std::fmt;

use crate::expr::Expr;
use crate::ids::*;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub shared: Vec<Init>,
    pub arrays: Vec<Vec<i32>>,
    /// What each shared pointer points to when the threads start.
    pub pointers: Vec<SharedId>,
    pub mutexes: usize,
    /// The initial value of each semaphore.
    pub semaphores: Vec<u32>,
    pub conditions: usize,
    pub inputs: Vec<InputDecl>,
    pub threads: Vec<Thread>,
    /// The last of the threads is `main`, once it has created others.
    pub has_main: bool,
}

/// What a shared `int` holds when the threads start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    Const(i32),
    Input(InputId),
}

/// An input takes every value from `low` to `high`. Both fit a signed byte, see `render.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputDecl {
    pub low: i32,
    pub high: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    pub locals: usize,
    /// What each pointer of the thread points to at first.
    pub pointers: Vec<SharedId>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Do(Op),
    If {
        condition: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Repeat {
        times: u32,
        body: Vec<Stmt>,
    },
    /// Leaves the loop that it stands in if the condition is not zero. Not in a section.
    BreakIf(Expr),
    /// `__VERIFIER_atomic_begin` .. `__VERIFIER_atomic_end`. Contains no
    /// [synchronisation](Op::is_synchronisation) and no other section.
    Atomic(Vec<Stmt>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Assign(LocalId, Expr),
    /// The pointer becomes the address of the place.
    Point(LocalPointerId, Place),
    LoadPointer(LocalPointerId, PointerId),
    StorePointer(PointerId, LocalPointerId),
    Read(Access, LocalId, Place),
    Write(Access, Place, Expr),
    /// `place = place + value`: another thread may write in between.
    Add(Place, Expr),
    /// The local receives the old value.
    FetchAdd(LocalId, Place, Expr),
    /// An atomic read-modify-write whose result nobody uses.
    Update(UpdateOp, Place, Expr),
    /// The same with `memory_order_relaxed`.
    FetchAddRelaxed(LocalId, Place, Expr),
    /// The local receives the old value.
    Exchange(LocalId, Place, Expr),
    /// C11's `success = compare_exchange_strong(&place, &expected, desired)`: a failure stores the
    /// value found in `expected`.
    CompareExchange {
        success: LocalId,
        place: Place,
        expected: LocalId,
        desired: Expr,
    },
    Lock(MutexId),
    Unlock(MutexId),
    /// The local becomes 1 if the mutex was taken, else 0.
    TryLock(LocalId, MutexId),
    SemWait(SemaphoreId),
    SemPost(SemaphoreId),
    /// The local becomes 1 if the semaphore was decremented, else 0.
    SemTryWait(LocalId, SemaphoreId),
    Wait(ConditionId, MutexId),
    Signal(ConditionId),
    Broadcast(ConditionId),
    Assert(Check, AssertId, Expr),
    Assume(Expr),
    /// The thread begins here and not when the program does. Stands in no other statement.
    Start(ThreadId),
    /// Waits for the end of a thread that this one created. Stands in no other statement.
    Join(ThreadId),
}

/// How an assertion is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// `assert(c)`
    Assert,
    /// `__VERIFIER_assert(c)`
    Verifier,
    /// `if (!c) reach_error()`
    ReachError,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

impl UpdateOp {
    pub(crate) fn apply(self, old: i32, value: i32) -> i32 {
        match self {
            UpdateOp::Add => old.wrapping_add(value),
            UpdateOp::Sub => old.wrapping_sub(value),
            UpdateOp::And => old & value,
            UpdateOp::Or => old | value,
            UpdateOp::Xor => old ^ value,
        }
    }
}

/// All are executed in the order of the program, one after the other. They differ in how they are
/// written in C, and in what they order, which decides what [races](crate::races).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Plain,
    /// `memory_order_seq_cst`
    Atomic,
    /// A write releases, a read acquires.
    Paired,
    Relaxed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Scalar(SharedId),
    Element(ArrayId, Index),
    /// Where the pointer points to.
    Through(LocalPointerId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// The value as unsigned, modulo the size: always in range.
    Wrapped(Expr),
    /// The value itself: may be out of range.
    Raw(Expr),
}

/// An `int` whose final value counts: element `index` of the C global `global` (0 for a scalar).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observable {
    pub global: String,
    pub index: usize,
    /// Whether `global` is an array.
    pub element: bool,
}

impl Program {
    /// What makes up a final state, in this order: shared ints, array elements, each thread's
    /// locals (copied to `t0_l0`, .. at its end). Pointers are not part of it.
    pub fn observables(&self) -> Vec<Observable> {
        let scalar = |global: String| Observable {
            global,
            index: 0,
            element: false,
        };
        let shared = (0..self.shared.len()).map(|g| scalar(SharedId(g).to_string()));
        let elements = self.arrays.iter().enumerate().flat_map(|(a, array)| {
            (0..array.len()).map(move |index| Observable {
                global: ArrayId(a).to_string(),
                index,
                element: true,
            })
        });
        let locals = self.threads.iter().enumerate().flat_map(|(t, thread)| {
            (0..thread.locals).map(move |l| scalar(local_copy(t, LocalId(l))))
        });
        shared.chain(elements).chain(locals).collect()
    }

    /// The thread that starts another; `None`: `main` does, at first.
    pub fn starter(&self, thread: ThreadId) -> Option<usize> {
        let starts = |stmt: &Stmt| *stmt == Stmt::Do(Op::Start(thread));
        self.threads.iter().position(|t| t.body.iter().any(starts))
    }

    /// The threads that a thread starts.
    pub fn started_by(&self, thread: usize) -> Vec<ThreadId> {
        let started = |stmt: &Stmt| match stmt {
            Stmt::Do(Op::Start(child)) => Some(*child),
            _ => None,
        };
        let body = self.threads[thread].body.iter();
        body.filter_map(started).collect()
    }

    /// Whether the thread is `main`.
    pub fn is_main(&self, thread: usize) -> bool {
        self.has_main && thread + 1 == self.threads.len()
    }

    /// The inputs in the order in which `main` calls `__VERIFIER_nondet_int`.
    pub fn inputs(&self) -> &[InputDecl] {
        &self.inputs
    }

    /// Every assignment of values to the inputs, in lexicographic order; one empty assignment if
    /// there are no inputs.
    pub fn input_assignments(&self) -> Vec<Vec<i32>> {
        let mut assignments = vec![vec![]];
        for input in &self.inputs {
            assignments = assignments
                .iter()
                .flat_map(|prefix: &Vec<i32>| {
                    (input.low..=input.high).map(|value| [prefix.as_slice(), &[value]].concat())
                })
                .collect();
        }
        assignments
    }
}

impl Op {
    /// Whether the operation does more than access memory: it may block, or change who is blocked.
    pub fn is_synchronisation(&self) -> bool {
        match self {
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
            | Op::Join(_) => true,
            Op::Assign(..)
            | Op::Point(..)
            | Op::LoadPointer(..)
            | Op::StorePointer(..)
            | Op::Read(..)
            | Op::Write(..)
            | Op::Add(..)
            | Op::FetchAdd(..)
            | Op::Update(..)
            | Op::FetchAddRelaxed(..)
            | Op::Exchange(..)
            | Op::CompareExchange { .. }
            | Op::Assert(..)
            | Op::Assume(_) => false,
        }
    }
}

/// The global into which a thread copies a local at its end.
pub(crate) fn local_copy(thread: usize, local: LocalId) -> String {
    format!("t{thread}_{local}")
}

impl fmt::Display for Observable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.element {
            write!(f, "{}[{}]", self.global, self.index)
        } else {
            f.write_str(&self.global)
        }
    }
}

//! A thread's statements as flat code, so that a position is one number.
//!
//! Loops are unrolled: every jump goes forward, hence every run ends.

use crate::expr::{BinaryOp, Expr};
use crate::ids::LocalId;
use crate::program::{Access, Op, Stmt, Thread};

#[derive(Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Any operation but [`Op::Add`].
    Do(Op),
    /// Goes on at the target if the condition is zero.
    BranchIfZero(Expr, usize),
    Jump(usize),
    AtomicBegin,
    AtomicEnd,
}

impl Instruction {
    /// Whether no other thread can notice when it happens, and it cannot end the run.
    pub fn is_local(&self) -> bool {
        matches!(
            self,
            Instruction::Do(Op::Assign(..) | Op::Point(..))
                | Instruction::BranchIfZero(..)
                | Instruction::Jump(_)
        )
    }
}

/// For each instruction of a thread's code, the number of the operation that it comes from, in the
/// order of the source.
pub fn origins(thread: &Thread) -> Vec<Option<usize>> {
    let mut origins = vec![];
    block_origins(&thread.body, 0, &mut origins);
    origins
}

/// The number of the operation after the block.
fn block_origins(block: &[Stmt], first: usize, origins: &mut Vec<Option<usize>>) -> usize {
    let mut next = first;
    for stmt in block {
        match stmt {
            Stmt::Do(op) => {
                let count = if matches!(op, Op::Add(..)) { 3 } else { 1 };
                origins.extend(std::iter::repeat_n(Some(next), count));
                next += 1;
            }
            Stmt::If {
                then, otherwise, ..
            } => {
                origins.push(None);
                next = block_origins(then, next, origins);
                origins.push(None);
                next = block_origins(otherwise, next, origins);
            }
            Stmt::Repeat { times, body } => {
                let mut after = next + operations(body);
                for _ in 0..*times {
                    after = block_origins(body, next, origins);
                }
                next = after;
            }
            Stmt::BreakIf(_) => origins.extend([None, None]),
            Stmt::Atomic(body) => {
                origins.push(None);
                next = block_origins(body, next, origins);
                origins.push(None);
            }
        }
    }
    next
}

fn operations(block: &[Stmt]) -> usize {
    let mut count = 0;
    crate::visit::for_each_op(&mut block.to_vec(), &mut |_| count += 1);
    count
}

/// The code of a thread. It uses one more local than the thread declares, as a register for
/// [`Op::Add`].
pub fn lower(thread: &Thread) -> Vec<Instruction> {
    let mut code = vec![];
    let breaks = lower_block(&thread.body, LocalId(thread.locals), &mut code);
    debug_assert!(breaks.is_empty());
    code
}

/// Returns where jumps stand that leave the loop around the block.
fn lower_block(block: &[Stmt], register: LocalId, code: &mut Vec<Instruction>) -> Vec<usize> {
    let mut breaks = vec![];
    for stmt in block {
        match stmt {
            Stmt::Do(Op::Add(place, value)) => {
                let sum = Expr::binary(BinaryOp::Add, register.into(), value.clone());
                code.push(Instruction::Do(Op::Read(
                    Access::Plain,
                    register,
                    place.clone(),
                )));
                code.push(Instruction::Do(Op::Write(
                    Access::Plain,
                    place.clone(),
                    sum,
                )));
                // States that differ in a dead register only are the same.
                code.push(Instruction::Do(Op::Assign(register, 0.into())));
            }
            Stmt::Do(op) => code.push(Instruction::Do(op.clone())),
            Stmt::If {
                condition,
                then,
                otherwise,
            } => {
                let branch = code.len();
                code.push(Instruction::Jump(usize::MAX));
                breaks.extend(lower_block(then, register, code));
                let jump = code.len();
                code.push(Instruction::Jump(usize::MAX));
                code[branch] = Instruction::BranchIfZero(condition.clone(), code.len());
                breaks.extend(lower_block(otherwise, register, code));
                code[jump] = Instruction::Jump(code.len());
            }
            Stmt::Repeat { times, body } => {
                let mut leave = vec![];
                for _ in 0..*times {
                    leave.extend(lower_block(body, register, code));
                }
                for jump in leave {
                    code[jump] = Instruction::Jump(code.len());
                }
            }
            Stmt::BreakIf(condition) => {
                code.push(Instruction::BranchIfZero(condition.clone(), code.len() + 2));
                breaks.push(code.len());
                code.push(Instruction::Jump(usize::MAX));
            }
            Stmt::Atomic(body) => {
                code.push(Instruction::AtomicBegin);
                breaks.extend(lower_block(body, register, code));
                code.push(Instruction::AtomicEnd);
            }
        }
    }
    breaks
}

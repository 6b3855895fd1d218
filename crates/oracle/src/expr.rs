//! Expressions: 32-bit wrapping integers over constants, locals of the thread, and inputs. They
//! touch nothing shared.

use crate::ids::{InputId, LocalId};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Const(i32),
    Local(LocalId),
    Input(InputId),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// Comparisons are signed and give 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
}

impl Expr {
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn eval(&self, locals: &[i32], inputs: &[i32]) -> i32 {
        match self {
            Expr::Const(value) => *value,
            Expr::Local(local) => locals[local.0],
            Expr::Input(input) => inputs[input.0],
            Expr::Binary(op, left, right) => {
                op.apply(left.eval(locals, inputs), right.eval(locals, inputs))
            }
        }
    }
}

impl BinaryOp {
    fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::Eq => i32::from(a == b),
            BinaryOp::Ne => i32::from(a != b),
            BinaryOp::Lt => i32::from(a < b),
            BinaryOp::Le => i32::from(a <= b),
        }
    }
}

impl From<i32> for Expr {
    fn from(value: i32) -> Expr {
        Expr::Const(value)
    }
}

impl From<LocalId> for Expr {
    fn from(local: LocalId) -> Expr {
        Expr::Local(local)
    }
}

impl From<InputId> for Expr {
    fn from(input: InputId) -> Expr {
        Expr::Input(input)
    }
}

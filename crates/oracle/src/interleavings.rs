//! How many schedules a naive search may have to go through.

use crate::program::{Op, Program, Stmt};

/// The number of interleavings of the threads' visible operations, if every thread took its longest
/// path and nothing ever blocked: an upper bound, the multinomial (n1 + .. + nk)! / (n1! .. nk!).
/// Saturates.
pub fn interleavings(program: &Program) -> u64 {
    let mut total: u128 = 1;
    let mut placed: u128 = 0;
    for thread in &program.threads {
        // Multiplied by C(placed + n, n), one factor at a time; each intermediate quotient is
        // exact.
        for i in 1..=u128::from(visible_operations(&thread.body)) {
            total = total.saturating_mul(placed + i) / i;
            if total > u128::from(u64::MAX) {
                return u64::MAX;
            }
        }
        placed += u128::from(visible_operations(&thread.body));
    }
    total as u64
}

/// The visible operations on the longest path. An atomic section counts as one.
fn visible_operations(block: &[Stmt]) -> u64 {
    let count = |stmt: &Stmt| match stmt {
        Stmt::Do(Op::Assign(..) | Op::Point(..) | Op::Assert(..) | Op::Assume(_)) => 0,
        Stmt::Do(Op::Add(..) | Op::Wait(..)) => 2,
        Stmt::Do(_) => 1,
        Stmt::If {
            then, otherwise, ..
        } => visible_operations(then).max(visible_operations(otherwise)),
        Stmt::Repeat { times, body } => u64::from(*times) * visible_operations(body),
        Stmt::BreakIf(_) => 0,
        Stmt::Atomic(body) => visible_operations(body).min(1),
    };
    block.iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SharedId;
    use crate::program::{Place, Thread};

    fn adders(counts: &[u32]) -> Program {
        let thread = |times: &u32| Thread {
            locals: 0,
            pointers: vec![],
            body: vec![Stmt::Repeat {
                times: *times,
                body: vec![Stmt::Do(Op::Add(Place::Scalar(SharedId(0)), 1.into()))],
            }],
        };
        Program {
            threads: counts.iter().map(thread).collect(),
            ..Program::default()
        }
    }

    #[test]
    fn is_the_multinomial() {
        assert_eq!(interleavings(&adders(&[])), 1);
        assert_eq!(interleavings(&adders(&[3])), 1);
        assert_eq!(interleavings(&adders(&[1, 1])), 6);
        assert_eq!(interleavings(&adders(&[2, 2])), 70);
        assert_eq!(interleavings(&adders(&[1, 1, 1])), 90);
        assert_eq!(interleavings(&adders(&[100, 100])), u64::MAX);
    }
}

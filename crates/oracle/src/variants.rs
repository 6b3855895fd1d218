//! Programs made from others, for comparing races: assertions do not matter for these, memory
//! orders do.

use crate::program::{Access, Op, Program};
use crate::random::Random;
use crate::visit;

/// The program with nothing in it that an assertion could end.
pub fn without_assertions(program: &Program) -> Program {
    let mut program = program.clone();
    for thread in &mut program.threads {
        visit::for_each_op(&mut thread.body, &mut |op| {
            if matches!(op, Op::Assert(..)) {
                *op = Op::Assume(1.into());
            }
        });
    }
    program
}

/// The program with some accesses made atomic, and with other memory orders. What it does stays the
/// same.
pub fn with_memory_orders(program: &Program, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut program = program.clone();
    for thread in &mut program.threads {
        visit::for_each_op(&mut thread.body, &mut |op| change(op, &mut random));
    }
    program
}

fn change(op: &mut Op, random: &mut Random) {
    match op {
        Op::Read(access, ..) | Op::Write(access, ..)
            if *access != Access::Plain || random.percent(30) =>
        {
            *access = *random.pick(&[Access::Atomic, Access::Paired, Access::Relaxed]);
        }
        Op::FetchAdd(local, place, value) if random.percent(50) => {
            *op = Op::FetchAddRelaxed(*local, place.clone(), value.clone());
        }
        _ => {}
    }
}

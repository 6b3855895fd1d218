//! Threads that start late: not when the program does, but after something has happened.

use crate::ids::ThreadId;
use crate::program::{Op, Program, Stmt};
use crate::random::Random;

/// In per cent: threads that are waited for before the end of the one that created them.
const JOINED_EARLY: u32 = 50;

/// Has so many per cent of the threads started by others, at any time; and has them and others
/// joined, at any time.
pub fn start_late(random: &mut Random, program: &mut Program, percent: u32) {
    let functions = program.threads.len() - usize::from(program.has_main);
    for thread in 0..functions {
        // Who starts it comes before it, or is `main`, which comes last.
        let starters = thread + usize::from(program.has_main);
        let is_late = starters > 0 && random.percent(percent);
        let starter = match is_late {
            true => random.below(starters),
            false => thread,
        };
        let starter = if starter < thread { starter } else { functions };
        let Some(creator) = program.threads.get_mut(starter) else {
            continue;
        };
        let mut place = 0;
        if is_late {
            place = random.below(creator.body.len() + 1);
            let start = Stmt::Do(Op::Start(ThreadId(thread)));
            creator.body.insert(place, start);
            place += 1;
        }
        if random.percent(JOINED_EARLY) {
            place += random.below(creator.body.len() + 1 - place);
            let join = Stmt::Do(Op::Join(ThreadId(thread)));
            creator.body.insert(place, join);
        }
    }
}

//! Random programs, small enough for a naive search, rich enough to be wrong in interesting ways.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use crate::assertions::append_assertion;
use crate::behaviours::{Behaviours, Final};
use crate::config::Config;
use crate::ids::*;
use crate::interleavings::interleavings;
use crate::program::{Init, InputDecl, Program, Thread};
use crate::random::Random;
use crate::reference::{Semantics, behaviours};
use crate::shares::failing_share;
use crate::starts::start_late;
use crate::statements::Statements;
use crate::worlds::{Counts, World};

/// The program of this seed: always the same one for the same configuration.
pub fn generate(config: &Config, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut config = config.clone();
    // The smaller of two draws: with many threads only the shortest bodies stay below the bound.
    // Drawn once, lest rejection leave two threads nearly always.
    let threads = random.within(&config.threads);
    let threads = threads.min(random.within(&config.threads));
    loop {
        let (program, relevant) = draw(&mut random, &config, threads);
        if interleavings(&program) <= config.max_interleavings {
            let seen = behaviours(&program, Semantics::default());
            // A program whose every run is discarded by an assumption tests nothing.
            let ends = !seen.finals.is_empty() || seen.deadlock || seen.can_fail();
            if ends && (varies(&program, &relevant, &seen) || random.percent(UNIFORM_KEPT)) {
                return with_assertion(&mut random, &config, &program, &relevant, &seen);
            }
        }
        // Smaller from time to time, so that a narrow bound is met at last: an empty program always
        // does.
        if random.percent(10) {
            let (low, high) = config.statements.into_inner();
            config.statements = low.saturating_sub(1)..=high.saturating_sub(1);
        }
    }
}

fn with_assertion(
    random: &mut Random,
    config: &Config,
    program: &Program,
    relevant: &[usize],
    seen: &Behaviours,
) -> Program {
    let can_fail = random.percent(config.failing);
    let mut candidate = || {
        let mut program = program.clone();
        append_assertion(random, config, &mut program, relevant, seen, can_fail);
        program
    };
    if config.tries == 1 || !can_fail {
        return candidate();
    }
    let share = |program: &Program| match failing_share(program, Semantics::default()).runs {
        0.0 => 1.0,
        share => share,
    };
    let candidates: Vec<_> = (0..config.tries).map(|_| candidate()).collect();
    let rarest = candidates
        .into_iter()
        .min_by(|a, b| share(a).total_cmp(&share(b)));
    rarest.expect("there is a try")
}

/// In per cent: programs that do not [vary](varies) and are kept. Some of them show what others
/// hide, most are dull.
const UNIFORM_KEPT: u32 = 10;

/// Whether some thread computes different values in different runs, or there is a deadlock besides
/// complete runs.
fn varies(program: &Program, relevant: &[usize], seen: &Behaviours) -> bool {
    let locals: usize = program.threads.iter().map(|thread| thread.locals).sum();
    let computed = |end: &Final| {
        let mut locals = end.values[end.values.len() - locals..].iter();
        let mut values = vec![];
        for (thread, relevant) in program.threads.iter().zip(relevant) {
            let of_thread: Vec<i64> = locals.by_ref().take(thread.locals).copied().collect();
            values.extend_from_slice(&of_thread[..*relevant]);
        }
        values
    };
    let different: BTreeSet<_> = seen.finals.iter().map(computed).collect();
    different.len() + usize::from(seen.deadlock) > 1
}

/// A program, and how many of each thread's locals an assertion may be about.
fn draw(random: &mut Random, config: &Config, threads: usize) -> (Program, Vec<usize>) {
    let (mut program, counts) = declarations(random, config);
    let mut assertions = 0;
    let mut relevant = vec![];
    let in_main = optional(random, &config.main);
    program.has_main = in_main > 0;
    for number in 0..threads + usize::from(program.has_main) {
        let locals = random.within(&config.locals);
        relevant.push(locals);
        let count = match number < threads {
            true => random.within(&config.statements),
            false => in_main,
        };
        let more = optional(random, &config.irrelevant.locals);
        let mut thread = Thread {
            locals: locals + more,
            pointers: vec![],
            body: vec![],
        };
        let pointers = targets(random, &config.local_pointers, 0..counts.shared);
        let local_pointers = pointers.len();
        let others = counts.shared..program.shared.len();
        thread.pointers = pointers;
        thread
            .pointers
            .extend(targets(random, &config.irrelevant.local_pointers, others));
        let worlds = World::all(&program, &thread).split(counts, locals, local_pointers);
        let mut statements = Statements::new(random, config, &program, &thread, worlds, assertions);
        let body = statements.block(count);
        assertions = statements.assertions();
        program.threads.push(Thread { body, ..thread });
    }
    if config.late > 0 {
        start_late(random, &mut program, config.late);
    }
    (program, relevant)
}

/// Nothing is drawn where there is no choice, so that a feature which is switched off leaves the
/// programs of all seeds as they are.
fn optional(random: &mut Random, range: &RangeInclusive<usize>) -> usize {
    if *range.end() == 0 {
        0
    } else {
        random.within(range)
    }
}

/// What so many pointers point to at first; there are none if there is nothing.
fn targets(
    random: &mut Random,
    count: &RangeInclusive<usize>,
    shared: Range<usize>,
) -> Vec<SharedId> {
    if shared.is_empty() {
        return vec![];
    }
    (0..optional(random, count))
        .map(|_| SharedId(shared.start + random.below(shared.len())))
        .collect()
}

/// What is declared, and how much of it belongs to the first world.
fn declarations(random: &mut Random, config: &Config) -> (Program, Counts) {
    let inputs: Vec<_> = (0..random.within(&config.inputs))
        .map(|_| {
            let low = *random.pick(&[0, 0, 0, -1]);
            let high = low + random.value(1..=3);
            InputDecl { low, high }
        })
        .collect();
    let mut program = Program {
        inputs,
        ..Program::default()
    };
    let (number, more) = (random.within(&config.shared), &config.irrelevant);
    declare_shared(random, &mut program, number);
    let number = random.within(&config.arrays);
    declare_arrays(random, &mut program, number);
    program.mutexes = random.within(&config.mutexes);
    program.semaphores = (0..random.within(&config.semaphores))
        .map(|_| random.below(3) as u32)
        .collect();
    program.conditions = random.within(&config.conditions);
    program.pointers = targets(random, &config.pointers, 0..program.shared.len());
    let counts = Counts {
        shared: program.shared.len(),
        arrays: program.arrays.len(),
        mutexes: program.mutexes,
        pointers: program.pointers.len(),
    };
    let number = optional(random, &more.shared);
    declare_shared(random, &mut program, number);
    let number = optional(random, &more.arrays);
    declare_arrays(random, &mut program, number);
    program.mutexes += optional(random, &more.mutexes);
    let others = counts.shared..program.shared.len();
    program
        .pointers
        .extend(targets(random, &more.pointers, others));
    (program, counts)
}

fn declare_shared(random: &mut Random, program: &mut Program, number: usize) {
    for _ in 0..number {
        let init = if !program.inputs.is_empty() && random.percent(25) {
            Init::Input(InputId(random.below(program.inputs.len())))
        } else {
            Init::Const(random.value(0..=2))
        };
        program.shared.push(init);
    }
}

fn declare_arrays(random: &mut Random, program: &mut Program, number: usize) {
    for _ in 0..number {
        let size = random.within(&(2..=4));
        let array = (0..size).map(|_| random.value(0..=3)).collect();
        program.arrays.push(array);
    }
}

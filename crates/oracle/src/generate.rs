//! Random programs, small enough for a naive search, rich enough to be wrong in interesting ways.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::assertions::append_assertion;
use crate::behaviours::{Behaviours, Final};
use crate::ids::*;
use crate::interleavings::interleavings;
use crate::program::{Init, InputDecl, Program, Thread};
use crate::random::Random;
use crate::reference::{Semantics, behaviours};
use crate::statements::Statements;

/// What programs look like. A range that is only 0 switches the feature off.
#[derive(Clone, Debug)]
pub struct Config {
    pub threads: RangeInclusive<usize>,
    /// Statements of a thread, not counting nested ones.
    pub statements: RangeInclusive<usize>,
    /// Statements of a nested block.
    pub nested: RangeInclusive<usize>,
    pub locals: RangeInclusive<usize>,
    pub shared: RangeInclusive<usize>,
    pub arrays: RangeInclusive<usize>,
    pub mutexes: RangeInclusive<usize>,
    pub semaphores: RangeInclusive<usize>,
    pub conditions: RangeInclusive<usize>,
    pub inputs: RangeInclusive<usize>,
    pub weights: Weights,
    /// In per cent: an assertion is chosen such that it can fail.
    pub failing: u32,
    /// Programs with [more](interleavings) are not generated.
    pub max_interleavings: u64,
}

/// How often each kind of statement is chosen; 0 is never.
#[derive(Clone, Debug)]
pub struct Weights {
    pub assign: u32,
    pub read: u32,
    pub write: u32,
    pub add: u32,
    /// Atomic accesses of all kinds.
    pub atomic: u32,
    /// Atomic read-modify-writes whose result nobody uses.
    pub update: u32,
    pub branch: u32,
    pub repeat: u32,
    pub atomic_section: u32,
    /// Well nested critical sections.
    pub critical_section: u32,
    /// Two mutexes released in the order in which they were taken.
    pub overlapping_locks: u32,
    pub try_lock: u32,
    /// A lock that is kept for ever.
    pub forgotten_unlock: u32,
    pub semaphore: u32,
    /// Waits, signals and broadcasts.
    pub condition: u32,
    pub assume: u32,
    /// Assertions with a random condition, besides the chosen one.
    pub assert: u32,
    /// Array indices that may be out of range; relative to 10 for those that cannot.
    pub raw_index: u32,
    /// A lock or unlock anywhere.
    pub lock_misuse: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            threads: 2..=4,
            statements: 2..=6,
            nested: 1..=2,
            locals: 1..=2,
            shared: 1..=3,
            arrays: 0..=1,
            mutexes: 0..=3,
            semaphores: 0..=1,
            conditions: 0..=0,
            inputs: 0..=2,
            weights: Weights::default(),
            failing: 50,
            max_interleavings: 3000,
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            assign: 4,
            read: 14,
            write: 14,
            add: 6,
            atomic: 8,
            update: 10,
            branch: 8,
            repeat: 3,
            atomic_section: 3,
            critical_section: 16,
            overlapping_locks: 14,
            try_lock: 3,
            forgotten_unlock: 2,
            semaphore: 16,
            condition: 8,
            assume: 1,
            assert: 1,
            raw_index: 0,
            lock_misuse: 0,
        }
    }
}

/// The program of this seed: always the same one for the same configuration.
pub fn generate(config: &Config, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut config = config.clone();
    // The smaller of two draws: with many threads only the shortest bodies stay below the bound. Drawn once, lest
    // rejection leave two threads nearly always.
    let threads = random.within(&config.threads);
    let threads = threads.min(random.within(&config.threads));
    loop {
        let mut program = draw(&mut random, &config, threads);
        if interleavings(&program) <= config.max_interleavings {
            let seen = behaviours(&program, Semantics::default());
            // A program whose every run is discarded by an assumption tests nothing.
            let ends = !seen.finals.is_empty() || seen.deadlock || seen.can_fail();
            if ends && (varies(&program, &seen) || random.percent(UNIFORM_KEPT)) {
                let can_fail = random.percent(config.failing);
                let id = AssertId(program.assertions().len());
                append_assertion(&mut random, &mut program, &seen, id, can_fail);
                return program;
            }
        }
        // Smaller from time to time, so that a narrow bound is met at last: an empty program always does.
        if random.percent(10) {
            let (low, high) = config.statements.into_inner();
            config.statements = low.saturating_sub(1)..=high.saturating_sub(1);
        }
    }
}

/// In per cent: programs that do not [vary](varies) and are kept. Some of them show what others hide, most are dull.
const UNIFORM_KEPT: u32 = 10;

/// Whether some thread computes different values in different runs, or there is a deadlock besides complete runs.
fn varies(program: &Program, seen: &Behaviours) -> bool {
    let locals: usize = program.threads.iter().map(|thread| thread.locals).sum();
    let computed = |end: &Final| end.values[end.values.len() - locals..].to_vec();
    let different: BTreeSet<_> = seen.finals.iter().map(computed).collect();
    different.len() + usize::from(seen.deadlock) > 1
}

fn draw(random: &mut Random, config: &Config, threads: usize) -> Program {
    let mut program = declarations(random, config);
    let mut assertions = 0;
    for _ in 0..threads {
        let locals = random.within(&config.locals);
        let count = random.within(&config.statements);
        let mut statements = Statements::new(random, config, &program, locals, assertions);
        let body = statements.block(count);
        assertions = statements.assertions();
        program.threads.push(Thread { locals, body });
    }
    program
}

fn declarations(random: &mut Random, config: &Config) -> Program {
    let inputs: Vec<_> = (0..random.within(&config.inputs))
        .map(|_| {
            let low = *random.pick(&[0, 0, 0, -1]);
            let high = low + random.value(1..=3);
            InputDecl { low, high }
        })
        .collect();
    let shared = (0..random.within(&config.shared)).map(|_| {
        if !inputs.is_empty() && random.percent(25) {
            Init::Input(InputId(random.below(inputs.len())))
        } else {
            Init::Const(random.value(0..=2))
        }
    });
    let shared = shared.collect();
    let arrays = (0..random.within(&config.arrays))
        .map(|_| {
            let size = random.within(&(2..=4));
            (0..size).map(|_| random.value(0..=3)).collect()
        })
        .collect();
    let mutexes = random.within(&config.mutexes);
    let semaphores = (0..random.within(&config.semaphores))
        .map(|_| random.below(3) as u32)
        .collect();
    Program {
        shared,
        arrays,
        mutexes,
        semaphores,
        conditions: random.within(&config.conditions),
        inputs,
        threads: vec![],
    }
}

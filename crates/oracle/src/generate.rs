//! Random programs, small enough for a naive search, rich enough to be wrong in interesting ways.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use crate::assertions::append_assertion;
use crate::behaviours::{Behaviours, Final};
use crate::ids::*;
use crate::interleavings::interleavings;
use crate::program::{Init, InputDecl, Program, Thread};
use crate::random::Random;
use crate::reference::{Semantics, behaviours};
use crate::statements::Statements;
use crate::worlds::{Counts, World};

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
    /// Shared pointers, and pointers of a thread. Only where there are shared ints.
    pub pointers: RangeInclusive<usize>,
    pub local_pointers: RangeInclusive<usize>,
    pub mutexes: RangeInclusive<usize>,
    pub semaphores: RangeInclusive<usize>,
    pub conditions: RangeInclusive<usize>,
    pub inputs: RangeInclusive<usize>,
    pub weights: Weights,
    pub irrelevant: Irrelevant,
    /// In per cent: an assertion is chosen such that it can fail.
    pub failing: u32,
    /// Programs with [more](interleavings) are not generated.
    pub max_interleavings: u64,
}

/// What there is besides, and no assertion is about: see `worlds.rs`.
#[derive(Clone, Debug)]
pub struct Irrelevant {
    /// Of statements, in per cent; 0 switches it off.
    pub statements: u32,
    /// In per cent: where a relevant statement may mention anything, so that something becomes relevant in a hidden way.
    pub hidden: u32,
    pub locals: RangeInclusive<usize>,
    pub shared: RangeInclusive<usize>,
    pub arrays: RangeInclusive<usize>,
    pub pointers: RangeInclusive<usize>,
    pub local_pointers: RangeInclusive<usize>,
    pub mutexes: RangeInclusive<usize>,
}

/// How often each kind of statement is chosen; 0 is never.
#[derive(Clone, Debug)]
pub struct Weights {
    pub assign: u32,
    pub read: u32,
    pub write: u32,
    /// Pointers are set, loaded and stored.
    pub pointer: u32,
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
            pointers: 0..=0,
            local_pointers: 0..=0,
            mutexes: 0..=3,
            semaphores: 0..=1,
            conditions: 0..=0,
            inputs: 0..=2,
            weights: Weights::default(),
            irrelevant: Irrelevant::default(),
            failing: 50,
            max_interleavings: 3000,
        }
    }
}

impl Default for Irrelevant {
    fn default() -> Self {
        Irrelevant {
            statements: 0,
            hidden: 0,
            locals: 0..=0,
            shared: 0..=0,
            arrays: 0..=0,
            pointers: 0..=0,
            local_pointers: 0..=0,
            mutexes: 0..=0,
        }
    }
}

impl Config {
    /// About half the statements are irrelevant to the assertion, and there are pointers.
    pub fn half_irrelevant() -> Config {
        let usual = Config::default();
        Config {
            threads: 2..=3,
            statements: 2..=7,
            mutexes: 0..=2,
            pointers: 0..=1,
            local_pointers: 0..=2,
            inputs: 0..=1,
            weights: Weights {
                pointer: 25,
                ..usual.weights.clone()
            },
            irrelevant: Irrelevant {
                statements: 50,
                hidden: 10,
                locals: 1..=2,
                shared: 1..=2,
                arrays: 0..=1,
                pointers: 0..=1,
                local_pointers: 0..=1,
                mutexes: 0..=1,
            },
            // The reference visits states, of which there are far fewer.
            max_interleavings: 20_000,
            ..usual
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            assign: 4,
            read: 14,
            write: 14,
            pointer: 0,
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
        let (mut program, relevant) = draw(&mut random, &config, threads);
        if interleavings(&program) <= config.max_interleavings {
            let seen = behaviours(&program, Semantics::default());
            // A program whose every run is discarded by an assumption tests nothing.
            let ends = !seen.finals.is_empty() || seen.deadlock || seen.can_fail();
            if ends && (varies(&program, &relevant, &seen) || random.percent(UNIFORM_KEPT)) {
                let can_fail = random.percent(config.failing);
                let id = AssertId(program.assertions().len());
                append_assertion(&mut random, &mut program, &relevant, &seen, id, can_fail);
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
    for _ in 0..threads {
        let locals = random.within(&config.locals);
        relevant.push(locals);
        let count = random.within(&config.statements);
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
    (program, relevant)
}

/// Nothing is drawn where there is no choice, so that a feature which is switched off leaves the programs of all seeds as they are.
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

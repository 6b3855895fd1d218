//! What random programs look like.

use std::ops::RangeInclusive;

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
    /// So often a thread waits for them at most. More than once only where nobody wakes for
    /// nothing.
    pub waits: usize,
    /// Plain accesses are made in critical sections of the first mutex, if they are in none and it
    /// is free.
    pub protected: bool,
    pub inputs: RangeInclusive<usize>,
    /// Statements of `main` between creating and joining threads.
    pub main: RangeInclusive<usize>,
    /// In per cent: a thread is started by another one, or by `main` later.
    pub late: u32,
    /// In per cent: a loop may be left early.
    pub breaks: u32,
    pub weights: Weights,
    pub irrelevant: Irrelevant,
    /// In per cent: an assertion is chosen such that it can fail.
    pub failing: u32,
    /// Of so many that can fail the one is taken that does on the fewest schedules and inputs.
    pub tries: usize,
    /// In per cent: it is one of `main`, about memory, after all joins.
    pub in_the_end: u32,
    /// In per cent: it is about the inputs, too.
    pub about_inputs: u32,
    /// In per cent: assertions that are not written as `assert`.
    pub other_checks: u32,
    /// Programs with [more](interleavings) are not generated.
    pub max_interleavings: u64,
}

/// What there is besides, and no assertion is about: see `worlds.rs`.
#[derive(Clone, Debug)]
pub struct Irrelevant {
    /// Of statements, in per cent; 0 switches it off.
    pub statements: u32,
    /// In per cent: where a relevant statement may mention anything, so that something becomes
    /// relevant in a hidden way.
    pub hidden: u32,
    /// In per cent: an irrelevant branch is on an input.
    pub on_inputs: u32,
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
    /// An element of an array whose index was read from memory.
    pub indirect: u32,
    /// A branch on what was read from memory.
    pub consult: u32,
    /// A pointer that a condition chooses, and an access through it.
    pub choose_pointer: u32,
    /// A mutex that is taken on a condition, and kept.
    pub kept_if: u32,
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
            waits: 1,
            protected: false,
            inputs: 0..=2,
            main: 0..=0,
            late: 0,
            breaks: 0,
            weights: Weights::default(),
            irrelevant: Irrelevant::default(),
            failing: 50,
            tries: 1,
            in_the_end: 0,
            about_inputs: 0,
            other_checks: 0,
            max_interleavings: 3000,
        }
    }
}

impl Default for Irrelevant {
    fn default() -> Self {
        Irrelevant {
            statements: 0,
            hidden: 0,
            on_inputs: 0,
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
                on_inputs: 0,
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

    /// The same, with many branches that do not matter, most of them on inputs.
    pub fn irrelevant_branches() -> Config {
        let usual = Config::half_irrelevant();
        Config {
            inputs: 1..=2,
            breaks: 30,
            weights: Weights {
                branch: 40,
                repeat: 6,
                ..usual.weights.clone()
            },
            irrelevant: Irrelevant {
                on_inputs: 70,
                ..usual.irrelevant.clone()
            },
            about_inputs: 40,
            ..usual
        }
    }

    /// Mostly one mutex protects everything, and threads wait with it.
    pub fn monitor() -> Config {
        let usual = Config::default();
        Config {
            threads: 2..=3,
            arrays: 0..=0,
            mutexes: 1..=1,
            semaphores: 0..=0,
            conditions: 1..=2,
            waits: 2,
            protected: true,
            inputs: 0..=0,
            weights: Weights {
                atomic: 1,
                update: 2,
                branch: 4,
                atomic_section: 0,
                critical_section: 20,
                try_lock: 0,
                forgotten_unlock: 0,
                condition: 40,
                assume: 0,
                ..usual.weights.clone()
            },
            max_interleavings: 20_000,
            ..usual
        }
    }

    /// All there is: whether a program fails depends on values, addresses and on who can go on, and
    /// these on the schedule and on inputs.
    pub fn everything() -> Config {
        let usual = Config::default();
        Config {
            threads: 2..=4,
            shared: 2..=3,
            arrays: 1..=1,
            pointers: 0..=1,
            local_pointers: 1..=1,
            mutexes: 1..=2,
            conditions: 0..=1,
            inputs: 1..=2,
            main: 0..=2,
            late: 25,
            breaks: 50,
            weights: Weights {
                pointer: 16,
                assume: 3,
                repeat: 6,
                branch: 10,
                indirect: 20,
                consult: 20,
                choose_pointer: 8,
                kept_if: 5,
                semaphore: 24,
                condition: 20,
                overlapping_locks: 6,
                ..usual.weights.clone()
            },
            tries: 4,
            in_the_end: 50,
            about_inputs: 60,
            other_checks: 50,
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
            indirect: 0,
            consult: 0,
            choose_pointer: 0,
            kept_if: 0,
        }
    }
}

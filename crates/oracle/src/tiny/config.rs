//! What random programs look like, family by family. Each can be run on its own.

use std::ops::RangeInclusive;

/// How many of what there are, and how often each kind of statement is chosen. A feature whose
/// numbers are 0 is off.
#[derive(Clone, Debug)]
pub struct Config {
    /// Besides `main`.
    pub threads: RangeInclusive<usize>,
    /// Of a thread.
    pub statements: RangeInclusive<usize>,
    /// Of `main`, between creating and joining threads.
    pub main: RangeInclusive<usize>,
    pub ints: RangeInclusive<usize>,
    /// Numbers of one byte.
    pub bytes: RangeInclusive<usize>,
    pub pointers: RangeInclusive<usize>,
    pub arrays: RangeInclusive<usize>,
    /// In per cent: an element lies far behind the end if it is not the first.
    pub far: u32,
    pub mutexes: RangeInclusive<usize>,
    /// In per cent: a mutex that is recursive or checks for errors.
    pub odd_mutexes: u32,
    pub rwlocks: RangeInclusive<usize>,
    pub semaphores: RangeInclusive<usize>,
    pub barriers: RangeInclusive<usize>,
    pub conditions: RangeInclusive<usize>,
    /// Shared pointers to nodes.
    pub nodes: RangeInclusive<usize>,
    pub pairs: RangeInclusive<usize>,
    pub words: RangeInclusive<usize>,
    pub accounts: RangeInclusive<usize>,
    pub buffers: RangeInclusive<usize>,
    /// In per cent: an input has many values, and buffers many bytes.
    pub wide: u32,
    pub thread_locals: RangeInclusive<usize>,
    /// In per cent: a buffer, a lock or its like lies on the heap, where threads free it.
    pub heap: u32,
    pub inputs: RangeInclusive<usize>,
    /// In per cent: accesses to ints that are atomic.
    pub atomic: u32,
    /// In per cent: a condition is tested by a function.
    pub functions: u32,
    /// In per cent: `main` joins what it created.
    pub joins: u32,
    /// In per cent: `main` looks at what threads return.
    pub results: u32,
    /// In per cent: there are assertions.
    pub assertions: u32,
    /// In per cent: a thread is created by another one.
    pub tree: u32,
    /// In per cent: a call waits for a while only, or not at all.
    pub impatient: u32,
    /// In per cent: a lock or its like is one of two.
    pub chosen: u32,
    /// In per cent: a wait for a condition is with any mutex.
    pub any_mutex: u32,
    /// Whether rounds of loops that wait may take a mutex and keep it.
    pub keeps: bool,
    /// In per cent: `main` does something after it has joined its threads.
    pub after: u32,
    /// In per cent: what a loop waits for is done by somebody in the end.
    pub woken: u32,
    pub weights: Weights,
    /// Whether races are looked for, which takes more states.
    pub races: bool,
    /// Programs with more are not generated.
    pub most_states: usize,
}

/// How often each kind of statement is chosen.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    pub store: u32,
    pub copy: u32,
    pub add: u32,
    pub update: u32,
    pub branch: u32,
    pub assume: u32,
    /// Loops that wait for what others do.
    pub wait: u32,
    /// A value is handed over, and a flag set; or waited for.
    pub message: u32,
    /// Sections between a loop of atomic exchanges and a store.
    pub test_and_set: u32,
    /// Sections after a loop that tries to lock.
    pub try_loop: u32,
    /// One mutex is taken, the other tried, until both are held.
    pub lock_both: u32,
    /// A flag is looked at under a mutex, again and again.
    pub poll: u32,
    /// Sections of a mutex.
    pub section: u32,
    /// A mutex is taken, or given back, anywhere.
    pub misuse: u32,
    pub read_section: u32,
    pub write_section: u32,
    pub semaphore: u32,
    pub barrier: u32,
    /// Waits, in a loop or not; signals and broadcasts.
    pub condition: u32,
    /// Nodes are made and shown to others,
    pub make_node: u32,
    /// looked at and changed,
    pub use_node: u32,
    /// and freed.
    pub free_node: u32,
    pub pointer: u32,
    pub word: u32,
    pub pair: u32,
    pub account: u32,
    /// Accesses to parts of buffers,
    pub part: u32,
    /// and to many bytes at once.
    pub bulk: u32,
    /// Of thread-local variables, also by other threads.
    pub thread_local: u32,
    /// Atomic sections.
    pub atomic: u32,
    /// Locks and their like are destroyed, or freed if they lie on the heap,
    pub end: u32,
    /// and looked at as data.
    pub mutex_word: u32,
    /// A function that may not come back, depending on a variable.
    pub stop_for_good: u32,
    pub exit: u32,
}

impl Config {
    /// Few variables, few statements, nothing special.
    fn plain() -> Config {
        Config {
            threads: 2..=2,
            statements: 1..=3,
            main: 0..=1,
            ints: 2..=3,
            bytes: 0..=0,
            pointers: 0..=0,
            arrays: 0..=0,
            far: 0,
            mutexes: 0..=0,
            odd_mutexes: 0,
            rwlocks: 0..=0,
            semaphores: 0..=0,
            barriers: 0..=0,
            conditions: 0..=0,
            nodes: 0..=0,
            pairs: 0..=0,
            words: 0..=0,
            accounts: 0..=0,
            buffers: 0..=0,
            wide: 0,
            thread_locals: 0..=0,
            heap: 0,
            inputs: 0..=1,
            atomic: 25,
            functions: 10,
            joins: 85,
            results: 25,
            assertions: 60,
            tree: 0,
            impatient: 0,
            chosen: 0,
            any_mutex: 0,
            keeps: false,
            after: 0,
            woken: 92,
            weights: Weights {
                store: 12,
                copy: 4,
                add: 4,
                update: 4,
                branch: 5,
                assume: 1,
                ..Weights::default()
            },
            races: false,
            most_states: 20_000,
        }
    }

    /// Loops that wait: for several variables, through pointers and indices, in rounds that leave
    /// things as they were.
    pub fn waiting() -> Config {
        let plain = Config::plain();
        Config {
            threads: 2..=3,
            statements: 1..=2,
            pointers: 0..=1,
            arrays: 0..=1,
            mutexes: 0..=2,
            weights: Weights {
                wait: 24,
                message: 8,
                test_and_set: 6,
                try_loop: 6,
                lock_both: 3,
                poll: 4,
                section: 3,
                stop_for_good: 2,
                ..plain.weights.clone()
            },
            ..plain
        }
    }

    /// Locks of all kinds, semaphores, barriers, condition variables, with and without patience.
    pub fn locks() -> Config {
        let plain = Config::plain();
        Config {
            threads: 2..=3,
            mutexes: 1..=2,
            odd_mutexes: 50,
            rwlocks: 0..=1,
            semaphores: 0..=1,
            barriers: 0..=1,
            conditions: 0..=1,
            impatient: 25,
            weights: Weights {
                section: 12,
                misuse: 2,
                read_section: 6,
                write_section: 6,
                semaphore: 8,
                barrier: 6,
                condition: 12,
                try_loop: 2,
                poll: 2,
                ..plain.weights.clone()
            },
            ..plain
        }
    }

    /// Nodes that are made, linked, passed on, freed, and used once too often; pointers kept as
    /// numbers.
    pub fn heap() -> Config {
        let plain = Config::plain();
        Config {
            nodes: 1..=2,
            pointers: 0..=1,
            arrays: 0..=1,
            far: 40,
            mutexes: 0..=1,
            weights: Weights {
                make_node: 12,
                use_node: 14,
                free_node: 8,
                pointer: 8,
                section: 4,
                wait: 4,
                ..plain.weights.clone()
            },
            ..plain
        }
    }

    /// Unions, bit-fields, copies of structures, mutexes in them.
    pub fn bytes() -> Config {
        let plain = Config::plain();
        Config {
            ints: 1..=2,
            bytes: 0..=1,
            words: 0..=1,
            pairs: 0..=2,
            accounts: 0..=2,
            statements: 1..=4,
            weights: Weights {
                word: 20,
                pair: 16,
                account: 14,
                wait: 2,
                ..plain.weights.clone()
            },
            ..plain
        }
    }

    /// Threads that create and join threads, and exit.
    pub fn trees() -> Config {
        let plain = Config::plain();
        Config {
            threads: 2..=4,
            statements: 1..=2,
            mutexes: 0..=1,
            joins: 60,
            tree: 60,
            weights: Weights {
                wait: 6,
                message: 4,
                section: 5,
                stop_for_good: 3,
                exit: 6,
                ..plain.weights.clone()
            },
            ..plain
        }
    }

    /// A little of everything, looked at for races. Assertions would hide some.
    pub fn races() -> Config {
        let plain = Config::plain();
        Config {
            atomic: 85,
            assertions: 0,
            mutexes: 0..=2,
            rwlocks: 0..=1,
            semaphores: 0..=1,
            barriers: 0..=1,
            conditions: 0..=1,
            buffers: 0..=1,
            tree: 30,
            impatient: 15,
            weights: Weights {
                add: 1,
                wait: 8,
                message: 10,
                test_and_set: 6,
                try_loop: 4,
                poll: 4,
                section: 14,
                read_section: 4,
                write_section: 4,
                semaphore: 5,
                barrier: 4,
                condition: 4,
                part: 3,
                bulk: 2,
                ..plain.weights.clone()
            },
            races: true,
            ..plain
        }
    }

    /// Sections of locks, mostly as they should be, and little else: what may be proved without a
    /// search.
    pub fn sections() -> Config {
        let plain = Config::plain();
        Config {
            threads: 1..=3,
            statements: 1..=2,
            ints: 1..=3,
            arrays: 0..=1,
            far: 15,
            mutexes: 1..=2,
            odd_mutexes: 8,
            rwlocks: 0..=1,
            atomic: 40,
            joins: 80,
            results: 10,
            assertions: 15,
            tree: 15,
            weights: Weights {
                section: 30,
                misuse: 2,
                read_section: 3,
                write_section: 3,
                message: 1,
                exit: 1,
                assume: 1,
                branch: 3,
                store: 4,
                add: 4,
                update: 4,
                ..Weights::default()
            },
            ..plain
        }
    }

    /// The same, looked at for races.
    pub fn section_races() -> Config {
        Config {
            races: true,
            assertions: 0,
            ..Config::sections()
        }
    }

    /// Bytes that are read and written in parts, filled and copied, by atomic sections or without;
    /// variables that threads have for themselves; all of it in use when it ends, now and then.
    pub fn memory() -> Config {
        let plain = Config::plain();
        Config {
            statements: 1..=3,
            main: 0..=2,
            ints: 1..=2,
            pointers: 1..=1,
            arrays: 0..=1,
            far: 10,
            nodes: 0..=1,
            buffers: 1..=2,
            wide: 20,
            thread_locals: 0..=1,
            heap: 30,
            after: 50,
            weights: Weights {
                store: 6,
                wait: 3,
                part: 30,
                bulk: 14,
                thread_local: 12,
                pointer: 4,
                atomic: 10,
                make_node: 3,
                use_node: 3,
                free_node: 2,
                end: 6,
                ..plain.weights.clone()
            },
            ..plain
        }
    }

    /// Locks, semaphores, barriers and conditions that end while others use them, or are used as
    /// what they are not; and rounds of loops that keep a lock.
    pub fn lifetimes() -> Config {
        let plain = Config::plain();
        Config {
            threads: 2..=3,
            statements: 1..=2,
            ints: 1..=2,
            mutexes: 1..=2,
            odd_mutexes: 20,
            rwlocks: 0..=1,
            semaphores: 0..=1,
            barriers: 0..=1,
            conditions: 0..=1,
            accounts: 0..=1,
            heap: 45,
            impatient: 20,
            chosen: 15,
            any_mutex: 25,
            keeps: true,
            after: 40,
            weights: Weights {
                store: 8,
                wait: 10,
                section: 10,
                misuse: 1,
                read_section: 5,
                write_section: 5,
                semaphore: 6,
                barrier: 5,
                condition: 12,
                try_loop: 5,
                poll: 5,
                account: 5,
                atomic: 3,
                end: 14,
                mutex_word: 12,
                ..plain.weights.clone()
            },
            ..plain
        }
    }

    /// Everything at once.
    pub fn mixed() -> Config {
        let plain = Config::plain();
        Config {
            threads: 2..=3,
            bytes: 0..=1,
            pointers: 0..=1,
            arrays: 0..=1,
            far: 10,
            mutexes: 0..=2,
            odd_mutexes: 20,
            rwlocks: 0..=1,
            semaphores: 0..=1,
            barriers: 0..=1,
            conditions: 0..=1,
            nodes: 0..=1,
            pairs: 0..=1,
            words: 0..=1,
            accounts: 0..=1,
            buffers: 0..=1,
            thread_locals: 0..=1,
            heap: 10,
            chosen: 5,
            any_mutex: 5,
            keeps: true,
            after: 15,
            tree: 20,
            impatient: 20,
            weights: Weights {
                wait: 10,
                message: 6,
                test_and_set: 4,
                try_loop: 4,
                lock_both: 2,
                poll: 3,
                section: 6,
                misuse: 1,
                read_section: 3,
                write_section: 3,
                semaphore: 4,
                barrier: 3,
                condition: 5,
                make_node: 4,
                use_node: 5,
                free_node: 3,
                pointer: 3,
                word: 5,
                pair: 4,
                account: 5,
                part: 5,
                bulk: 3,
                thread_local: 2,
                atomic: 3,
                end: 2,
                mutex_word: 1,
                exit: 1,
                ..plain.weights.clone()
            },
            ..plain
        }
    }
}

/// A name and its programs.
pub type Family = (&'static str, fn() -> Config);

pub const FAMILIES: [Family; 11] = [
    ("waiting", Config::waiting),
    ("locks", Config::locks),
    ("heap", Config::heap),
    ("bytes", Config::bytes),
    ("trees", Config::trees),
    ("races", Config::races),
    ("memory", Config::memory),
    ("lifetimes", Config::lifetimes),
    ("mixed", Config::mixed),
    ("sections", Config::sections),
    ("section-races", Config::section_races),
];

/// The family of that name.
pub fn family(name: &str) -> Option<Config> {
    let mut families = FAMILIES.iter();
    families
        .find(|(its, _)| *its == name)
        .map(|(_, make)| make())
}

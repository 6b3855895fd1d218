//! Random programs.
//!
//! Every statement is made for a purpose: there is a lock, so sections are made; there is a flag,
//! so somebody waits for it and somebody sets it. What is random is which, where and how many.
//! Conditions on which loops wait are remembered, and mostly somebody makes them true in the end:
//! otherwise all programs would get stuck.
//!
//! A program has finitely many states: numbers in memory are added to only where no loop goes
//! round, or taken back in the same round, and nodes are made outside of loops.

mod bytes;
mod heap;
mod lifetimes;
mod locks;
mod memory;
mod waiting;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::ids::{InputId, ThreadId};
use crate::random::Random;

use self::lifetimes::ends;
use super::config::Config;
use super::syntax::*;
use super::verdicts::{Found, failures};

/// The program of a seed, and what can go wrong with it. Those that are too large are left out, and
/// the next one is taken.
pub fn generate(config: &Config, seed: u64) -> (Program, Found) {
    let mut random = Random::new(seed);
    loop {
        let program = Generator::new(config, Random::new(random.next())).program();
        if let Ok(found) = failures(&program, config.races, config.most_states) {
            return (program, found);
        }
    }
}

struct Generator<'a> {
    config: &'a Config,
    random: Random,
    program: Program,
    /// The thread at hand, `main` being the last that is made.
    thread: usize,
    /// What it holds.
    held: Vec<Place>,
    depth: usize,
    /// What somebody waits for: an int, its value, and the thread that does.
    wanted: Vec<(Place, i64, usize)>,
    /// An int that only sections change, with how much they add to it, if every section is gone
    /// through.
    counters: Vec<(GlobalId, i64)>,
    has_assertions: bool,
    /// The bytes of a buffer that were accessed last.
    spot: Option<(GlobalId, usize, usize)>,
}

/// The variables that every thread has.
const NUMBERS: [VarId; 2] = [VarId(0), VarId(1)];
const POINTER: VarId = VarId(2);
const NODE_POINTER: VarId = VarId(3);
const VARIABLES: [Kind; 4] = [Kind::Number, Kind::Number, Kind::ToInt, Kind::ToNode];

/// An input with many values takes those up to this.
const WIDE_INPUT: u8 = 40;

type Maker = fn(&mut Generator<'_>) -> Vec<Stmt>;

impl<'a> Generator<'a> {
    fn new(config: &'a Config, mut random: Random) -> Generator<'a> {
        let has_assertions = random.percent(config.assertions);
        Generator {
            config,
            random,
            program: Program {
                globals: Vec::new(),
                heap: BTreeSet::new(),
                inputs: Vec::new(),
                functions: Vec::new(),
                threads: Vec::new(),
            },
            thread: 0,
            held: Vec::new(),
            depth: 0,
            wanted: Vec::new(),
            counters: Vec::new(),
            has_assertions,
            spot: None,
        }
    }

    fn program(mut self) -> Program {
        self.declare();
        let threads = 1 + self.random.within(&self.config.threads);
        self.program.threads = vec![Function::default(); threads];
        for thread in (1..threads).chain([0]) {
            self.thread = thread;
            self.held.clear();
            let count = match thread {
                0 => self.random.within(&self.config.main),
                _ => self.random.within(&self.config.statements),
            };
            let body = self.block(count);
            let function = &mut self.program.threads[thread];
            function.variables = VARIABLES.into();
            function.body.extend(body);
        }
        self.wake();
        self.create_and_join();
        self.program
    }

    fn declare(&mut self) {
        let config = self.config;
        for _ in 0..self.random.within(&config.inputs) {
            let is_wide = config.wide > 0 && self.random.percent(config.wide);
            self.program
                .inputs
                .push(if is_wide { WIDE_INPUT } else { 1 });
        }
        let inputs = self.program.inputs.len();
        for _ in 0..self.random.within(&config.ints) {
            let shape = match self.random.below(8) {
                0 if inputs > 0 => Shape::FromInput(InputId(self.random.below(inputs))),
                1 => Shape::Scalar(Type::I32, 1),
                _ => Shape::Scalar(Type::I32, 0),
            };
            self.program.globals.push(shape);
        }
        let ints = self.globals(|shape| matches!(shape, Shape::Scalar(..)));
        for _ in 0..self.random.within(&config.pointers) {
            let to = (!ints.is_empty()).then(|| *self.random.pick(&ints));
            let shape = Shape::PointerTo(to.filter(|_| self.random.percent(80)));
            self.program.globals.push(shape);
        }
        for _ in 0..self.random.within(&config.mutexes) {
            let odd = config.odd_mutexes > 0 && self.random.percent(config.odd_mutexes);
            let kinds = [Mutex::Recursive, Mutex::ErrorChecking];
            let kind = match odd {
                true => *self.random.pick(&kinds),
                false => Mutex::Normal,
            };
            self.program.globals.push(Shape::Mutex(kind));
        }
        let threads = *config.threads.end() as u32;
        let mut several = |range, make: fn(&mut Random, u32) -> Shape| {
            for _ in 0..self.random.within(range) {
                let shape = make(&mut self.random, threads);
                self.program.globals.push(shape);
            }
        };
        several(&config.arrays, |random, _| {
            Shape::Array((0..2).map(|_| i64::from(random.percent(30))).collect())
        });
        several(&config.bytes, |random, _| {
            Shape::Scalar(Type::U8, i64::from(random.percent(30)))
        });
        several(&config.rwlocks, |_, _| Shape::RwLock);
        several(&config.semaphores, |random, _| {
            Shape::Semaphore(random.below(2) as u32)
        });
        several(&config.barriers, |random, threads| {
            Shape::Barrier(2 + random.below(threads as usize) as u32 / 2)
        });
        several(&config.conditions, |_, _| Shape::Condition);
        several(&config.nodes, |_, _| Shape::ToNode);
        several(&config.pairs, |random, _| {
            let value = random.below(2) as i64;
            Shape::Pair(value, value)
        });
        several(&config.words, |random, _| {
            Shape::Word([0, 1, 0x0101][random.below(3)])
        });
        several(&config.accounts, |_, _| Shape::Account);
        // A seed gives the program for good that it has given: nothing is drawn for what is off.
        for _ in 0..self.several(&config.buffers) {
            let has_wide_input = self.program.inputs.contains(&WIDE_INPUT);
            let size = match has_wide_input && self.random.percent(70) {
                true => 64,
                false => [4, 8, 8, 16][self.random.below(4)],
            };
            let shape = Shape::Buffer(size);
            self.program.globals.push(shape);
        }
        for _ in 0..self.several(&config.thread_locals) {
            self.program.globals.push(Shape::ThreadLocal);
        }
        self.move_to_heap();
    }

    fn several(&mut self, range: &RangeInclusive<usize>) -> usize {
        match *range.end() {
            0 => 0,
            _ => self.random.within(range),
        }
    }

    fn block(&mut self, count: usize) -> Vec<Stmt> {
        (0..count).flat_map(|_| self.statements()).collect()
    }

    fn nested(&mut self) -> Vec<Stmt> {
        self.depth += 1;
        let block = self.block(1);
        self.depth -= 1;
        block
    }

    /// What belongs together, of one kind.
    fn statements(&mut self) -> Vec<Stmt> {
        let w = &self.config.weights;
        let has = |holds: bool, weight: u32| if holds { weight } else { 0 };
        let any = |wanted: fn(&Shape) -> bool| self.program.globals.iter().any(wanted);
        let count =
            |wanted: fn(&Shape) -> bool| self.program.globals.iter().filter(|s| wanted(s)).count();
        let nests = self.depth < 2;
        let mutexes = count(|s| matches!(s, Shape::Mutex(_)));
        let normal = count(|s| *s == Shape::Mutex(Mutex::Normal));
        let asserts = self.has_assertions;
        let buffers = any(|s| matches!(s, Shape::Buffer(_)));
        let choices: [(u32, Maker); 37] = [
            (w.store, |g| g.store()),
            (w.copy, |g| g.copy()),
            (w.add, |g| g.add()),
            (w.update, |g| g.update()),
            (has(nests, w.branch), |g| g.branch()),
            (has(asserts, w.store / 2), |g| vec![Stmt::Assert(g.test())]),
            (w.assume, |g| vec![Stmt::Assume(g.test())]),
            (w.wait, |g| g.wait()),
            (w.message, |g| g.message()),
            (has(nests, w.test_and_set), |g| g.test_and_set()),
            (has(nests && mutexes > 0, w.try_loop), |g| g.try_loop()),
            (has(nests && normal > 1, w.lock_both), |g| g.lock_both()),
            (has(mutexes > 0, w.poll), |g| g.poll()),
            (has(nests && mutexes > 0, w.section), |g| g.section()),
            (has(mutexes > 0, w.misuse), |g| g.misuse()),
            (
                has(nests && any(|s| *s == Shape::RwLock), w.read_section),
                |g| g.rw_section(false),
            ),
            (
                has(nests && any(|s| *s == Shape::RwLock), w.write_section),
                |g| g.rw_section(true),
            ),
            (
                has(any(|s| matches!(s, Shape::Semaphore(_))), w.semaphore),
                |g| g.semaphore(),
            ),
            (
                has(any(|s| matches!(s, Shape::Barrier(_))), w.barrier),
                |g| g.barrier(),
            ),
            (
                has(normal > 0 && any(|s| *s == Shape::Condition), w.condition),
                |g| g.condition_variable(),
            ),
            (has(any(|s| *s == Shape::ToNode), w.make_node), |g| {
                g.make_node()
            }),
            (has(any(|s| *s == Shape::ToNode), w.use_node), |g| {
                g.use_node()
            }),
            (has(any(|s| *s == Shape::ToNode), w.free_node), |g| {
                g.free_node()
            }),
            (
                has(any(|s| matches!(s, Shape::PointerTo(_))), w.pointer),
                |g| g.pointer(),
            ),
            (has(any(|s| matches!(s, Shape::Word(_))), w.word), |g| {
                g.word()
            }),
            (has(any(|s| matches!(s, Shape::Pair(..))), w.pair), |g| {
                g.pair()
            }),
            (has(any(|s| *s == Shape::Account), w.account), |g| {
                g.account()
            }),
            (
                has(count(|s| *s == Shape::Account) > 1, w.account / 2),
                |g| g.copy_account(),
            ),
            (has(buffers, w.part), |g| g.part()),
            (has(buffers, w.bulk), |g| g.bulk()),
            (
                has(any(|s| *s == Shape::ThreadLocal), w.thread_local),
                |g| g.thread_local(),
            ),
            (has(nests, w.atomic), |g| g.atomic()),
            (has(any(ends), w.end), |g| g.end()),
            (has(mutexes > 0, w.mutex_word), |g| g.mutex_word()),
            (w.stop_for_good, |g| g.stop_for_good()),
            (w.exit, |_| vec![Stmt::call(Call::Exit)]),
            (w.exit / 2, |_| vec![Stmt::Return(0.into())]),
        ];
        let make = self.random.weighted(&choices).expect("something to do");
        make(self)
    }

    // ----- what is there -----

    fn globals(&self, wanted: impl Fn(&Shape) -> bool) -> Vec<GlobalId> {
        let globals = self.program.globals.iter().enumerate();
        let found = globals.filter(|(_, shape)| wanted(shape));
        found.map(|(number, _)| GlobalId(number)).collect()
    }

    fn global(&mut self, wanted: impl Fn(&Shape) -> bool) -> GlobalId {
        let globals = self.globals(wanted);
        *self.random.pick(&globals)
    }

    /// An int of its own name.
    fn int(&mut self) -> Place {
        let ints = self
            .globals(|shape| matches!(shape, Shape::Scalar(Type::I32, _) | Shape::FromInput(_)));
        let free: Vec<GlobalId> = ints
            .iter()
            .copied()
            .filter(|int| self.counters.iter().all(|(counter, _)| counter != int))
            .collect();
        let ints = if free.is_empty() { ints } else { free };
        Place::Global(*self.random.pick(&ints))
    }

    /// A place to look at, whose address takes no look at memory to find.
    fn place(&mut self) -> Place {
        let arrays = self.globals(|shape| matches!(shape, Shape::Array(_)));
        let bytes = self.globals(|shape| matches!(shape, Shape::Scalar(Type::U8, _)));
        let own = self.globals(|shape| *shape == Shape::ThreadLocal);
        match self.random.below(6) {
            0 if !arrays.is_empty() => {
                let (array, index) = (*self.random.pick(&arrays), Box::new(self.number()));
                match self.config.far > 0 && self.random.percent(self.config.far) {
                    true => Place::FarElement(array, index),
                    false => Place::Element(array, index),
                }
            }
            1 if !bytes.is_empty() => Place::Global(*self.random.pick(&bytes)),
            2 if !own.is_empty() => Place::Global(*self.random.pick(&own)),
            _ => self.int(),
        }
    }

    /// Where the index itself may lie in memory.
    fn source(&mut self) -> Place {
        let arrays = self.globals(|shape| matches!(shape, Shape::Array(_)));
        if !arrays.is_empty() && self.random.percent(15) {
            let index = Expr::load(self.int());
            return Place::Element(*self.random.pick(&arrays), Box::new(index));
        }
        self.place()
    }

    fn access(&mut self) -> Access {
        match self.random.percent(self.config.atomic) {
            true => Access::Atomic,
            false => Access::Plain,
        }
    }

    fn load(&mut self) -> Expr {
        let place = self.source();
        Expr::Load(self.access(), place)
    }

    fn value(&mut self) -> i64 {
        self.random.below(3) as i64
    }

    fn number(&mut self) -> Expr {
        let inputs = self.program.inputs.len();
        match self.random.below(8) {
            0 | 1 => (*self.random.pick(&NUMBERS)).into(),
            2 if inputs > 0 => Expr::Input(InputId(self.random.below(inputs))),
            _ => self.value().into(),
        }
    }

    /// A look at memory that holds or does not.
    fn test(&mut self) -> Expr {
        match self.random.below(10) {
            0 => {
                let (left, right) = (self.load(), self.load());
                Expr::binary(Operator::Eq, left, right)
            }
            1 | 2 => self.load(),
            3 => self.load().negate(),
            4 => {
                let right = self.number();
                Expr::binary(Operator::Lt, self.load(), right)
            }
            5 => Expr::binary(Operator::Eq, NUMBERS[0], self.number()),
            choice => {
                let op = [Operator::Eq, Operator::Ne][choice % 2];
                let right = self.number();
                Expr::binary(op, self.load(), right)
            }
        }
    }

    // ----- plain statements -----

    fn store(&mut self) -> Vec<Stmt> {
        let (place, value) = (self.place(), self.number());
        vec![Stmt::Store(self.access(), place, value)]
    }

    fn copy(&mut self) -> Vec<Stmt> {
        let from = self.load();
        match self.random.below(3) {
            0 => vec![Stmt::Set(NUMBERS[0], from)],
            1 => vec![Stmt::Set(NUMBERS[1], from)],
            _ => {
                let to = self.int();
                vec![Stmt::Store(self.access(), to, from)]
            }
        }
    }

    /// Others may come between the read and the write.
    fn add(&mut self) -> Vec<Stmt> {
        let place = self.place();
        let sum = Expr::binary(Operator::Add, Expr::load(place.clone()), 1);
        vec![Stmt::store(place, sum)]
    }

    fn update(&mut self) -> Vec<Stmt> {
        let ops = [Update::Add, Update::Sub, Update::Or, Update::Xor];
        let op = *self.random.pick(&ops);
        let update = Expr::Update(op, self.int(), Box::new(1.into()));
        match self.random.percent(50) {
            true => vec![Stmt::Do(update)],
            false => vec![Stmt::Set(NUMBERS[0], update)],
        }
    }

    fn branch(&mut self) -> Vec<Stmt> {
        let (condition, then) = (self.test(), self.nested());
        let otherwise = match self.random.percent(30) {
            true => self.nested(),
            false => vec![],
        };
        vec![Stmt::If(condition, then, otherwise)]
    }

    // ----- the whole -----

    /// What loops wait for comes about, mostly.
    fn wake(&mut self) {
        for (place, value, waiter) in std::mem::take(&mut self.wanted) {
            if !self.random.percent(self.config.woken) {
                continue;
            }
            let others: Vec<usize> = (0..self.program.threads.len())
                .filter(|thread| *thread != waiter)
                .collect();
            let thread = *self.random.pick(&others);
            let store = Stmt::Store(self.access(), place, value.into());
            let body = &mut self.program.threads[thread].body;
            let at = self.random.below(body.len() + 1);
            body.insert(at, store);
        }
    }

    /// Threads are created by `main` or by one that was created before them.
    fn create_and_join(&mut self) {
        let threads = self.program.threads.len();
        let joins = self.random.percent(self.config.joins);
        let (mut created, mut joined) = (Vec::new(), Vec::new());
        for thread in 1..threads {
            let parent = match thread > 1 && self.random.percent(self.config.tree) {
                true => self.random.below(thread),
                false => 0,
            };
            let (create, join) = (
                Stmt::call(Call::Create(ThreadId(thread))),
                Stmt::call(Call::Join(ThreadId(thread))),
            );
            if parent == 0 {
                created.push(create);
                joined.extend(joins.then_some(join));
                continue;
            }
            let body = &mut self.program.threads[parent].body;
            let at = self.random.below(body.len() + 1);
            body.insert(at, create);
            if self.random.percent(70) {
                let at = at + 1 + self.random.below(body.len() - at);
                body.insert(at, join);
            }
        }
        self.look_at_results(&mut joined);
        let is_counted = joins && self.has_assertions;
        let counters = std::mem::take(&mut self.counters);
        let body = &mut self.program.threads[0].body;
        body.splice(0..0, created);
        body.extend(joined);
        if self.config.after > 0 && self.random.percent(self.config.after) {
            (self.thread, self.depth) = (0, 0);
            self.held.clear();
            let after = self.statements();
            self.program.threads[0].body.extend(after);
        }
        let body = &mut self.program.threads[0].body;
        for (counter, sum) in counters.into_iter().filter(|_| is_counted) {
            let counted = Expr::load(Place::Global(counter));
            body.push(Stmt::Assert(Expr::binary(Operator::Eq, counted, sum)));
        }
    }

    /// What the first threads that `main` joins return is looked at, now and then.
    fn look_at_results(&mut self, joined: &mut Vec<Stmt>) {
        if !self.has_assertions || joined.is_empty() || !self.random.percent(self.config.results) {
            return;
        }
        let mut seen = Vec::new();
        for (stmt, variable) in joined.iter_mut().zip(NUMBERS) {
            if let Stmt::Do(Expr::Call(call)) = stmt
                && let Call::Join(thread) = **call
            {
                *stmt = Stmt::Set(variable, Expr::call(Call::JoinResult(thread)));
                let value = self.value();
                seen.push(Expr::binary(Operator::Eq, variable, value));
            }
        }
        let all = seen.into_iter().reduce(Expr::and);
        joined.extend(all.map(|all| Stmt::Assert(all.negate())));
    }
}

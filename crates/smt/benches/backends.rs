//! The backends, bare and under all layers, on questions like those of symbolic execution.
//!
//! `cargo bench -p smt` prints a table: for each workload and solver the CPU time per question and
//! how many reached the backend. The questions are generated from a fixed seed.

use std::time::Duration;

use smt::{Answer, BinOp, BitBlaster, CmpOp, Solver, TermId, Terms, Z3};

/// Far above any question here: the bench compares times, not patience.
const TIMEOUT: Duration = Duration::from_secs(300);

type Workload = fn(&mut Terms, &mut dyn Solver) -> u64;
type NewSolver = fn() -> Box<dyn Solver>;

fn main() {
    let workloads: [(&str, Workload); 5] = [
        ("branches", branches),
        ("bytes", bytes),
        ("table loads", table_loads),
        ("implications", implications),
        ("products", products),
    ];
    let solvers: [(&str, NewSolver); 4] = [
        ("Z3", || Box::new(Z3::new(TIMEOUT))),
        ("bits", || Box::new(BitBlaster::new(TIMEOUT))),
        ("layers + Z3", || Box::new(smt::layered(Z3::new(TIMEOUT)))),
        ("layers + bits", || {
            Box::new(smt::layered(BitBlaster::new(TIMEOUT)))
        }),
    ];
    println!(
        "{:14} {:14} {:>9} {:>9} {:>9} {:>8} {:>10}",
        "workload", "solver", "asked", "backend", "sat", "total s", "us each"
    );
    for (workload_name, workload) in workloads {
        for (solver_name, new_solver) in solvers {
            let mut terms = Terms::new();
            let mut solver = new_solver();
            let start = cpu_time();
            let sat = workload(&mut terms, &mut *solver);
            let elapsed = cpu_time() - start;
            let stats = solver.stats();
            println!(
                "{workload_name:14} {solver_name:14} {:9} {:9} {sat:9} {:8.3} {:10.1}",
                stats.asked,
                stats.queries,
                elapsed.as_secs_f64(),
                elapsed.as_secs_f64() * 1e6 / stats.asked as f64,
            );
        }
    }
}

/// Of this thread, so that other work on the machine does not count. Linux only, as the solvers are
/// timed there.
fn cpu_time() -> Duration {
    let schedule =
        std::fs::read_to_string("/proc/thread-self/schedstat").expect("the kernel counts CPU time");
    let on_cpu = schedule
        .split(' ')
        .next()
        .expect("the first field is the time on the CPU");
    Duration::from_nanos(on_cpu.parse().expect("nanoseconds"))
}

/// xorshift: the bench needs repeatable variety, not quality.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

fn is_sat(terms: &mut Terms, solver: &mut dyn Solver, assertions: &[TermId]) -> bool {
    match solver.check(terms, assertions) {
        Answer::Sat(_) => true,
        Answer::Unsat => false,
        Answer::Unknown(reason) => panic!("{reason:?}"),
    }
}

/// Depth-first through a tree of branches, both sides of each asked, up to a depth and a number of
/// questions.
fn walk(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    depth: usize,
    most: u64,
    mut condition: impl FnMut(&mut Terms) -> TermId,
) -> u64 {
    let mut sat = 0;
    let mut asked = 0;
    // A path is continued on each side that is possible; the last one pushed is walked first.
    let mut open: Vec<Vec<TermId>> = vec![Vec::new()];
    while let Some(path) = open.pop() {
        if asked >= most {
            break;
        }
        if path.len() == depth {
            continue;
        }
        let branch = condition(terms);
        let other = terms.not(branch);
        for side in [branch, other] {
            let mut longer = path.clone();
            longer.push(side);
            asked += 1;
            if is_sat(terms, solver, &longer) {
                sat += 1;
                open.push(longer);
            }
        }
    }
    sat
}

const COMPARISONS: [CmpOp; 5] = [CmpOp::Eq, CmpOp::Slt, CmpOp::Sle, CmpOp::Ult, CmpOp::Ne];

/// Comparisons of sums of a few 32-bit inputs, as in most programs.
fn branches(terms: &mut Terms, solver: &mut dyn Solver) -> u64 {
    let mut random = Random(0x1234_5678_9abc_def1);
    let inputs: Vec<TermId> = (0..6).map(|i| terms.input(&format!("x{i}"), 32)).collect();
    walk(terms, solver, 24, 4000, |terms| {
        let (a, b) = (random.of(&inputs), random.of(&inputs));
        let k = terms.constant(32, random.below(100) as u128);
        let left = match random.below(4) {
            0 => terms.bin(BinOp::Add, a, k),
            1 => terms.bin(BinOp::Sub, a, b),
            2 => terms.bin(BinOp::Mul, a, k),
            _ => a,
        };
        let right = if random.below(3) == 0 {
            random.of(&inputs)
        } else {
            terms.constant(32, random.below(200) as u128)
        };
        terms.cmp(random.of(&COMPARISONS), left, right)
    })
}

/// A parser's conditions on the bytes of a buffer.
fn bytes(terms: &mut Terms, solver: &mut dyn Solver) -> u64 {
    let mut random = Random(0xfeed_beef_1234_5677);
    let buffer: Vec<TermId> = (0..16)
        .map(|i| terms.input(&format!("byte{i}"), 8))
        .collect();
    let mut at = 0;
    walk(terms, solver, 40, 4000, |terms| {
        at = (at + random.below(3)) % 13;
        let byte = terms.zext(buffer[at], 32);
        match random.below(4) {
            0 => {
                let k = terms.constant(32, b'0' as u128 + random.below(40) as u128);
                terms.cmp(CmpOp::Eq, byte, k)
            }
            1 => {
                let zero = terms.constant(32, b'0' as u128);
                let digit = terms.bin(BinOp::Sub, byte, zero);
                let ten = terms.constant(32, 10);
                terms.cmp(CmpOp::Ult, digit, ten)
            }
            2 => {
                let mask = terms.constant(32, 1 << random.below(8));
                let bit = terms.bin(BinOp::And, byte, mask);
                let zero = terms.constant(32, 0);
                terms.cmp(CmpOp::Ne, bit, zero)
            }
            _ => {
                let word =
                    (at + 1..at + 4).fold(buffer[at], |word, i| terms.concat(buffer[i], word));
                let k = terms.constant(32, random.next() as u128);
                terms.cmp(CmpOp::Slt, word, k)
            }
        }
    })
}

/// Loads at an input index from a table of 256 bytes, some of them inputs.
fn table_loads(terms: &mut Terms, solver: &mut dyn Solver) -> u64 {
    let mut random = Random(0x0bad_cafe_dead_10cc);
    let indices: Vec<TermId> = (0..4).map(|i| terms.input(&format!("i{i}"), 32)).collect();
    let mut content: Vec<TermId> = (0..256)
        .map(|_| terms.constant(8, random.next() as u128))
        .collect();
    for i in 0..8 {
        let at = random.below(256);
        content[at] = terms.input(&format!("cell{i}"), 8);
    }
    let table = terms.table(&content);
    walk(terms, solver, 12, 600, |terms| {
        let (a, b) = (random.of(&indices), random.of(&indices));
        let k = terms.constant(32, random.below(9) as u128);
        let index = terms.bin(BinOp::Add, a, k);
        let loaded = terms.select(table, index);
        match random.below(3) {
            0 => {
                let other = terms.select(table, b);
                terms.cmp(CmpOp::Ult, loaded, other)
            }
            1 => {
                let k = terms.constant(8, random.next() as u128);
                terms.cmp(random.of(&COMPARISONS), loaded, k)
            }
            _ => {
                let bound = terms.constant(32, 256);
                terms.cmp(CmpOp::Ult, index, bound)
            }
        }
    })
}

/// A summary: does the path condition imply a disjunction of conjunctions?
fn implications(terms: &mut Terms, solver: &mut dyn Solver) -> u64 {
    let mut random = Random(0x7777_1111_2222_3333);
    let inputs: Vec<TermId> = (0..5).map(|i| terms.input(&format!("v{i}"), 32)).collect();
    let mut atom = |terms: &mut Terms| {
        let a = random.of(&inputs);
        let k = terms.constant(32, random.below(16) as u128);
        let right = if random.below(3) == 0 {
            random.of(&inputs)
        } else {
            k
        };
        let sum = if random.below(2) == 0 {
            terms.bin(BinOp::Add, a, k)
        } else {
            a
        };
        terms.cmp(random.of(&COMPARISONS), sum, right)
    };
    let mut sat = 0;
    for _ in 0..1000 {
        let mut question: Vec<TermId> = (0..8).map(|_| atom(terms)).collect();
        let mut summary = terms.bool(false);
        for _ in 0..6 {
            let conjunct: Vec<TermId> = (0..4).map(|_| atom(terms)).collect();
            let conjunct = terms.all(&conjunct);
            summary = terms.or(summary, conjunct);
        }
        question.push(terms.not(summary));
        sat += is_sat(terms, solver, &question) as u64;
    }
    sat
}

/// Products and quotients of inputs: rare, but each is hard.
fn products(terms: &mut Terms, solver: &mut dyn Solver) -> u64 {
    let mut random = Random(0x5555_9999_3333_1117);
    let inputs: Vec<TermId> = (0..4).map(|i| terms.input(&format!("p{i}"), 16)).collect();
    walk(terms, solver, 8, 120, |terms| {
        let (a, b) = (random.of(&inputs), random.of(&inputs));
        let (a, b) = (terms.zext(a, 32), terms.zext(b, 32));
        let op = random.of(&[BinOp::Mul, BinOp::Mul, BinOp::URem, BinOp::UDiv]);
        let left = terms.bin(op, a, b);
        let k = terms.constant(32, random.below(1 << 16) as u128);
        terms.cmp(random.of(&[CmpOp::Ult, CmpOp::Ult, CmpOp::Eq]), left, k)
    })
}

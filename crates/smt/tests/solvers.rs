//! Every solver against brute force and against the others, on incremental sequences of questions.

mod generator;

use std::time::{Duration, Instant};

use generator::{Pair, Step, WIDTHS, build, config, fit, steps};
use proptest::prelude::*;
use smt::{
    Answer, BinOp, BitBlaster, Bounds, CmpOp, Fold, Independent, Model, QueryCache, Solver, TermId,
    Terms, UnknownReason, Z3,
};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Few enough bits that all 2^9 models of the three inputs can be tried.
const SMALL_WIDTHS: [u32; 4] = [1, 2, 3, 4];

fn solvers() -> Vec<(&'static str, Box<dyn Solver>)> {
    vec![
        ("Z3", Box::new(Z3::new(TIMEOUT))),
        ("bit-blaster", Box::new(BitBlaster::new(TIMEOUT))),
        ("fold", Box::new(Fold::new(Z3::new(TIMEOUT)))),
        ("independent", Box::new(Independent::new(Z3::new(TIMEOUT)))),
        ("query_cache", Box::new(QueryCache::new(Z3::new(TIMEOUT)))),
        (
            "query_cache with cores",
            Box::new(QueryCache::new(BitBlaster::new(TIMEOUT))),
        ),
        ("bounds", Box::new(Bounds::new(Z3::new(TIMEOUT)))),
        ("all layers", smt::default_solver(TIMEOUT)),
    ]
}

/// Conditions from the pool, and questions as lists of them: each keeps a prefix of the one before
/// and appends.
fn questions(terms: &mut Terms, pool: &[Pair], moves: &[(u8, u8)]) -> Vec<Vec<Pair>> {
    let mut current: Vec<Pair> = Vec::new();
    let mut questions = Vec::new();
    for &(keep, append) in moves {
        current.truncate(keep as usize % (current.len() + 1));
        for i in 0..1 + append as usize % 3 {
            let term = pool[pool.len() - 1 - (append as usize / 3 + 5 * i) % pool.len()];
            current.push(fit(terms, term, 1));
        }
        questions.push(current.clone());
    }
    questions
}

fn pick(question: &[Pair], raw: bool) -> Vec<TermId> {
    question
        .iter()
        .map(|pair| if raw { pair.raw } else { pair.simple })
        .collect()
}

fn holds(terms: &Terms, assertions: &[TermId], model: &Model) -> bool {
    assertions
        .iter()
        .all(|&assertion| terms.eval(assertion, model) == 1)
}

fn brute_force(terms: &Terms, assertions: &[TermId]) -> bool {
    let inputs: Vec<_> = terms.inputs().collect();
    let bits: u32 = inputs.iter().map(|&input| terms.input_width(input)).sum();
    (0..1u128 << bits).any(|mut choice| {
        let mut model = Model::new();
        for &input in &inputs {
            let width = terms.input_width(input);
            model.set(input, choice & ((1 << width) - 1));
            choice >>= width;
        }
        holds(terms, assertions, &model)
    })
}

fn agree_with_brute_force(steps: &[Step], moves: &[(u8, u8)], raw: bool) {
    let mut terms = Terms::new();
    let pool = build(&mut terms, steps, &SMALL_WIDTHS);
    let questions = questions(&mut terms, &pool, moves);
    for (name, mut solver) in solvers() {
        for question in &questions {
            let assertions = pick(question, raw);
            let expected = brute_force(&terms, &assertions);
            match solver.check(&mut terms, &assertions) {
                Answer::Sat(model) => {
                    assert!(expected, "{name}: sat, by brute force unsat");
                    assert!(holds(&terms, &assertions, &model), "{name}: a wrong model");
                }
                Answer::Unsat => assert!(!expected, "{name}: unsat, by brute force sat"),
                Answer::Unknown(reason) => panic!("{name}: {reason:?}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn simplified_questions(steps in steps(25), moves in prop::collection::vec(any::<(u8, u8)>(), 1..8)) {
        agree_with_brute_force(&steps, &moves, false);
    }

    #[test]
    fn raw_questions(steps in steps(25), moves in prop::collection::vec(any::<(u8, u8)>(), 1..8)) {
        agree_with_brute_force(&steps, &moves, true);
    }
}

proptest! {
    // Fewer: multiplications and divisions of 32 bits take Z3 long.
    #![proptest_config(config(40))]

    #[test]
    fn wide_questions(steps in steps(15), moves in prop::collection::vec(any::<(u8, u8)>(), 1..6)) {
        // No brute force at 128 bits: the solvers must agree with one another, raw or simplified.
        let mut terms = Terms::new();
        let pool = build(&mut terms, &steps, &WIDTHS[..7]);
        let questions = questions(&mut terms, &pool, &moves);
        let mut verdicts: Vec<Option<bool>> = vec![None; questions.len()];
        for (name, mut solver) in solvers() {
            for (question, verdict) in questions.iter().zip(&mut verdicts) {
                for raw in [false, true] {
                    let is_sat = match solver.check(&mut terms, &pick(question, raw)) {
                        Answer::Sat(_) => true,
                        Answer::Unsat => false,
                        Answer::Unknown(UnknownReason::Timeout) => continue,
                        Answer::Unknown(reason) => panic!("{name}: {reason:?}"),
                    };
                    prop_assert_eq!(*verdict.get_or_insert(is_sat), is_sat, "{}, raw {}", name, raw);
                }
            }
        }
    }
}

#[test]
fn a_second_arena_is_refused() {
    for (name, mut solver) in solvers()
        .into_iter()
        .filter(|(name, _)| ["Z3", "all layers"].contains(name))
    {
        let mut first = Terms::new();
        let x = first.input("x", 1);
        assert!(solver.check(&mut first, &[x]).is_sat());
        let mut second = Terms::new();
        let y = second.input("y", 1);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            solver.check(&mut second, &[y])
        }));
        assert!(outcome.is_err(), "{name}");
    }
}

/// The factors of the product of two 32-bit primes: no solver finds them at once.
fn factoring(terms: &mut Terms) -> Vec<TermId> {
    let (a, b) = (terms.input("a", 32), terms.input("b", 32));
    let (wide_a, wide_b) = (terms.zext(a, 64), terms.zext(b, 64));
    let product = terms.bin(BinOp::Mul, wide_a, wide_b);
    let target = terms.constant(64, 2_654_435_761 * 3_266_489_917);
    let one = terms.constant(32, 1);
    vec![
        terms.cmp(CmpOp::Ult, one, a),
        terms.cmp(CmpOp::Ult, a, b),
        terms.cmp(CmpOp::Eq, product, target),
    ]
}

#[test]
fn a_time_out_is_unknown_and_the_solver_goes_on() {
    let short = Duration::from_millis(100);
    let backends: [(&str, Box<dyn Solver>); 3] = [
        ("Z3", Box::new(Z3::new(short))),
        ("bit-blaster", Box::new(BitBlaster::new(short))),
        ("all layers", smt::default_solver(short)),
    ];
    for (name, mut solver) in backends {
        let mut terms = Terms::new();
        let hard = factoring(&mut terms);
        let start = Instant::now();
        assert_eq!(
            solver.check(&mut terms, &hard),
            Answer::Unknown(UnknownReason::Timeout),
            "{name}"
        );
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{name} took {:?}",
            start.elapsed()
        );
        assert_eq!(solver.stats().timeouts, 1, "{name}");
        // On a busy machine the short time can be over before an easy question was looked at: it is
        // asked again.
        let mut easy = |terms: &mut Terms, question: &[TermId]| {
            (0..100)
                .map(|_| solver.check(terms, question))
                .find(|answer| !matches!(answer, Answer::Unknown(_)))
                .unwrap_or_else(|| panic!("{name} does not go on"))
        };
        assert!(easy(&mut terms, &hard[..2]).is_sat(), "{name}");
        let contradiction = terms.not(hard[0]);
        assert!(
            easy(&mut terms, &[hard[0], contradiction]).is_unsat(),
            "{name}"
        );
    }
}

#[test]
fn layers_spare_the_backend() {
    let mut terms = Terms::new();
    let mut solver = smt::default_solver(TIMEOUT);
    let (x, y) = (terms.input("x", 32), terms.input("y", 32));
    let [three, five, ten, twenty] = [3, 5, 10, 20].map(|k| terms.constant(32, k));
    let x_below_ten = terms.cmp(CmpOp::Slt, x, ten);
    let x_from_three = terms.cmp(CmpOp::Sge, x, three);
    let y_is_five = terms.cmp(CmpOp::Eq, y, five);
    let path = [x_below_ten, x_from_three, y_is_five];
    // Intervals give a model, of each part.
    assert!(solver.check(&mut terms, &path).is_sat());
    assert_eq!(solver.stats().bounded, 2);
    // Asked again, in another order.
    assert!(
        solver
            .check(&mut terms, &[y_is_five, x_from_three, x_below_ten])
            .is_sat()
    );
    assert_eq!(solver.stats().cache_hits, 2);
    // Intervals refute, folding refutes.
    let x_above_twenty = terms.cmp(CmpOp::Sgt, x, twenty);
    assert!(
        solver
            .check(&mut terms, &[&path[..], &[x_above_twenty]].concat())
            .is_unsat()
    );
    let not_five = terms.not(y_is_five);
    assert!(
        solver
            .check(&mut terms, &[&path[..], &[not_five]].concat())
            .is_unsat()
    );
    let stats = solver.stats();
    assert_eq!(
        (stats.asked, stats.folded, stats.bounded, stats.queries),
        (4, 1, 3, 0),
        "{stats:?}"
    );
}

#[test]
fn solvers_move_between_threads() {
    let mut terms = Terms::new();
    let x = terms.input("x", 8);
    let square = terms.bin(BinOp::Mul, x, x);
    let k = terms.constant(8, 49);
    let equal = terms.cmp(CmpOp::Eq, square, k);
    for (name, mut solver) in solvers() {
        assert!(solver.check(&mut terms, &[equal]).is_sat(), "{name}");
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(solver.check(&mut terms, &[equal]).is_sat(), "{name}"));
        });
    }
}

#[test]
fn a_refuted_subset_is_remembered() {
    let mut terms = Terms::new();
    let mut solver = smt::default_solver(TIMEOUT);
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.input(name, 32));
    let cycle = [(x, y), (y, z), (z, x)].map(|(a, b)| terms.cmp(CmpOp::Slt, a, b));
    assert!(solver.check(&mut terms, &cycle).is_unsat());
    let k = terms.constant(32, 12);
    let sum = terms.bin(BinOp::Add, x, y);
    let more = terms.cmp(CmpOp::Slt, sum, k);
    assert!(
        solver
            .check(&mut terms, &[cycle[0], more, cycle[2], cycle[1]])
            .is_unsat()
    );
    assert_eq!((solver.stats().core_hits, solver.stats().queries), (1, 1));
}

//! Every solver against brute force and against the others, on incremental sequences of questions.

mod generator;

use std::time::Duration;

use generator::{Pair, Step, WIDTHS, build, fit, steps};
use proptest::prelude::*;
use smt::{
    Answer, BitBlaster, Bounds, Fold, Independent, Model, Recall, Solver, TermId, Terms, Z3,
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
        ("recall", Box::new(Recall::new(Z3::new(TIMEOUT)))),
        ("bounds", Box::new(Bounds::new(Z3::new(TIMEOUT)))),
        ("all layers", smt::default_solver(TIMEOUT)),
    ]
}

/// Conditions from the pool, and questions as lists of them: each keeps a prefix of the one before and appends.
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
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn simplified_questions(steps in steps(25), moves in prop::collection::vec(any::<(u8, u8)>(), 1..8)) {
        agree_with_brute_force(&steps, &moves, false);
    }

    #[test]
    fn raw_questions(steps in steps(25), moves in prop::collection::vec(any::<(u8, u8)>(), 1..8)) {
        agree_with_brute_force(&steps, &moves, true);
    }

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

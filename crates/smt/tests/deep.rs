//! Long chains and heavily shared graphs: no walker recurses with the depth of a term or unfolds
//! what is shared.

use std::time::Duration;

use smt::{BinOp, CmpOp, InputId, Model, Node, Solver, TermId, Terms, Z3};

/// Two nodes each.
const DEPTH: usize = 50_000;
const TIMEOUT: Duration = Duration::from_secs(120);

/// A stack too small for any recursion over the term.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(test)
        .expect("a thread")
        .join()
        .expect("the test");
}

/// `((x ^ 1) + y) ^ 2) + y ...`: nothing folds.
fn chain(terms: &mut Terms, depth: usize) -> TermId {
    let (x, y) = (terms.input("x", 8), terms.input("y", 8));
    (0..depth).fold(x, |term, i| {
        let k = terms.constant(8, 1 + i as u128 % 254);
        let mixed = terms.bin(BinOp::Xor, term, k);
        terms.bin(BinOp::Add, mixed, y)
    })
}

#[test]
fn a_chain_is_evaluated() {
    on_a_small_stack(|| {
        let mut terms = Terms::new();
        let term = chain(&mut terms, DEPTH);
        let model: Model = [(InputId(0), 17), (InputId(1), 3)].into_iter().collect();
        let expected = (0..DEPTH).fold(17u8, |value, i| {
            (value ^ (1 + (i % 254) as u8)).wrapping_add(3)
        });
        assert_eq!(terms.eval(term, &model), expected as u128);
        assert_eq!(terms.support(term), [InputId(0), InputId(1)]);
        assert!(terms.display(term).to_string().len() < 10_000);
    });
}

#[test]
fn a_chain_is_solved() {
    on_a_small_stack(|| {
        let mut terms = Terms::new();
        let term = chain(&mut terms, DEPTH);
        let zero = terms.constant(8, 0);
        // With y = 0 everything folds into one exclusive or, so the question is large but easy.
        let y = terms.input("y", 8);
        let is_zero = terms.cmp(CmpOp::Eq, y, zero);
        let target = terms.constant(8, 77);
        let reached = terms.cmp(CmpOp::Eq, term, target);
        assert!(
            smt::default_solver(TIMEOUT)
                .check(&mut terms, &[is_zero, reached])
                .is_sat()
        );
    });
}

#[test]
fn z3_translates_a_chain() {
    // Z3 itself recurses in places, so it gets an ordinary stack; the translation does not need it.
    std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(|| {
            let mut terms = Terms::new();
            let (x, y) = (terms.input("x", 8), terms.input("y", 8));
            let term = (0..DEPTH).fold(x, |term, i| {
                let k = terms.constant(8, i as u128);
                let op = if i % 2 == 0 { BinOp::Xor } else { BinOp::And };
                let mixed = terms.raw(Node::Bin(op, term, k));
                terms.raw(Node::Bin(BinOp::Xor, mixed, y))
            });
            let one = terms.constant(8, 1);
            let equal = terms.raw(Node::Cmp(CmpOp::Eq, term, one));
            assert!(Z3::new(TIMEOUT).check(&mut terms, &[equal]).is_sat());
        })
        .expect("a thread")
        .join()
        .expect("the test");
}

#[test]
fn sharing_is_not_unfolded() {
    // t = t * t + 1, 200 times: 2^200 nodes as a tree.
    let mut terms = Terms::new();
    let x = terms.input("x", 8);
    let one = terms.constant(8, 1);
    let mut term = x;
    let mut expected = 5u8;
    for _ in 0..200 {
        let square = terms.bin(BinOp::Mul, term, term);
        term = terms.bin(BinOp::Add, square, one);
        expected = expected.wrapping_mul(expected).wrapping_add(1);
    }
    let model: Model = [(InputId(0), 5)].into_iter().collect();
    assert_eq!(terms.eval(term, &model), expected as u128);
    assert!(terms.display(term).to_string().len() < 10_000);
    let zero = terms.constant(8, 0);
    let odd_or_not = terms.cmp(CmpOp::Ne, term, zero);
    assert!(
        smt::default_solver(TIMEOUT)
            .check(&mut terms, &[odd_or_not])
            .is_sat()
    );
}

#[test]
fn chains_of_choices_and_conjunctions_are_built_and_flattened() {
    on_a_small_stack(|| {
        let mut terms = Terms::new();
        let mut value = terms.input("x", 32);
        let mut all = terms.bool(true);
        for i in 0..20_000 {
            let c = terms.input(&format!("c{}", i % 50), 1);
            let k = terms.constant(32, i);
            value = terms.ite(c, k, value);
            let bound = terms.constant(32, 1_000_000 + i);
            let below = terms.cmp(CmpOp::Ult, value, bound);
            all = terms.and(all, below);
        }
        assert!(
            smt::default_solver(TIMEOUT)
                .check(&mut terms, &[all])
                .is_sat()
        );
    });
}

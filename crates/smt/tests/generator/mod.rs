//! Random terms, each built twice: through the simplifying constructors and as raw nodes.

#![allow(dead_code)] // Each test file uses a part.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use smt::{BinOp, CmpOp, Model, Node, TermId, Terms};

/// One step of a straight-line program over a growing pool of terms.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub kind: u8,
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub number: u128,
}

#[derive(Clone, Copy)]
pub struct Pair {
    pub raw: TermId,
    pub simple: TermId,
}

/// The same cases in every run. `PROPTEST_CASES` and `PROPTEST_RNG_SEED` make it more and others.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

/// Widths that meet in practice, and odd ones.
pub const WIDTHS: [u32; 9] = [1, 2, 3, 8, 16, 31, 32, 64, 128];

pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..most)
}

fn step() -> impl Strategy<Value = Step> {
    (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>(), number()).prop_map(
        |(kind, a, b, c, number)| Step {
            kind,
            a,
            b,
            c,
            number,
        },
    )
}

/// Values at which rules change their mind, and any others.
pub fn number() -> impl Strategy<Value = u128> {
    prop_oneof![
        4 => 0u128..5,
        2 => (0u32..128).prop_map(|bit| 1 << bit),
        2 => (0u32..128).prop_map(|bit| (1 << bit) - 1),
        1 => Just(u128::MAX),
        1 => Just(u128::MAX - 1),
        3 => any::<u128>(),
    ]
}

/// The pool after all steps. Its first terms are three inputs of the first three kinds of width.
pub fn build(terms: &mut Terms, steps: &[Step], widths: &[u32]) -> Vec<Pair> {
    let mut pool = Vec::new();
    for (i, &width) in widths.iter().rev().take(3).enumerate() {
        let input = terms.input(&format!("x{i}"), width);
        pool.push(Pair {
            raw: input,
            simple: input,
        });
    }
    for step in steps {
        let pair = apply(terms, &pool, step, widths);
        assert_eq!(
            terms.width(pair.raw),
            terms.width(pair.simple),
            "{step:?} changed the width"
        );
        pool.push(pair);
    }
    pool
}

fn apply(terms: &mut Terms, pool: &[Pair], step: &Step, widths: &[u32]) -> Pair {
    // Late terms more often than early ones.
    let pick = |n: u8| pool[pool.len() - 1 - (n as usize * n as usize * pool.len() / 65536)];
    let (a, b, c) = (pick(step.a), pick(step.b), pick(step.c));
    let width = terms.width(a.raw);
    let other_width = widths[step.number as usize % widths.len()];
    match step.kind % 16 {
        0 => {
            let constant = terms.constant(other_width, step.number);
            Pair {
                raw: constant,
                simple: constant,
            }
        }
        1..=4 => {
            let op = BinOp::ALL[step.b as usize % BinOp::ALL.len()];
            let b = fit(terms, c, width);
            bin(terms, op, a, b)
        }
        5..=6 => {
            let op = BinOp::ALL[step.b as usize % BinOp::ALL.len()];
            let k = terms.constant(width, step.number);
            let k = Pair { raw: k, simple: k };
            if step.c.is_multiple_of(4) {
                bin(terms, op, k, a)
            } else {
                bin(terms, op, a, k)
            }
        }
        7..=8 => {
            let op = CmpOp::ALL[step.c as usize % CmpOp::ALL.len()];
            let b = if step.kind < 128 {
                fit(terms, b, width)
            } else {
                let k = terms.constant(width, step.number);
                Pair { raw: k, simple: k }
            };
            Pair {
                raw: terms.raw(Node::Cmp(op, a.raw, b.raw)),
                simple: terms.cmp(op, a.simple, b.simple),
            }
        }
        9 if step.b.is_multiple_of(2) => Pair {
            raw: terms.raw(Node::Not(a.raw)),
            simple: terms.not(a.simple),
        },
        9 => Pair {
            raw: terms.raw(Node::Neg(a.raw)),
            simple: terms.neg(a.simple),
        },
        10..=11 => {
            let condition = fit(terms, b, 1);
            let c = if step.kind < 128 {
                fit(terms, c, width)
            } else {
                let k = terms.constant(width, step.number);
                Pair { raw: k, simple: k }
            };
            Pair {
                raw: terms.raw(Node::Ite(condition.raw, a.raw, c.raw)),
                simple: terms.ite(condition.simple, a.simple, c.simple),
            }
        }
        12 => {
            let lo = step.b as u32 % width;
            let kept = 1 + step.c as u32 % (width - lo);
            extract(terms, a, lo, kept)
        }
        13 => {
            let room = 128 - width;
            if room == 0 {
                return a;
            }
            let b = if terms.width(b.raw) > room {
                fit(terms, b, room)
            } else {
                b
            };
            Pair {
                raw: terms.raw(Node::Concat {
                    hi: a.raw,
                    lo: b.raw,
                }),
                simple: terms.concat(a.simple, b.simple),
            }
        }
        14 => {
            let to = width.max(other_width);
            match step.b % 2 {
                0 => Pair {
                    raw: terms.raw(Node::Zext {
                        term: a.raw,
                        width: to,
                    }),
                    simple: terms.zext(a.simple, to),
                },
                _ => Pair {
                    raw: terms.raw(Node::Sext {
                        term: a.raw,
                        width: to,
                    }),
                    simple: terms.sext(a.simple, to),
                },
            }
        }
        _ => {
            let length = step.b as usize % 7;
            let bytes: Vec<Pair> = (0..length)
                .map(|i| {
                    if i % 2 == 0 {
                        let k = terms.constant(8, step.number >> i);
                        Pair { raw: k, simple: k }
                    } else {
                        fit(terms, pick(step.c.wrapping_add(40 * i as u8)), 8)
                    }
                })
                .collect();
            let raw: Vec<TermId> = bytes.iter().map(|byte| byte.raw).collect();
            let simple: Vec<TermId> = bytes.iter().map(|byte| byte.simple).collect();
            let (raw, simple) = (terms.table(&raw), terms.table(&simple));
            Pair {
                raw: terms.raw(Node::Select {
                    table: raw,
                    index: a.raw,
                }),
                simple: terms.select(simple, a.simple),
            }
        }
    }
}

fn bin(terms: &mut Terms, op: BinOp, a: Pair, b: Pair) -> Pair {
    Pair {
        raw: terms.raw(Node::Bin(op, a.raw, b.raw)),
        simple: terms.bin(op, a.simple, b.simple),
    }
}

/// Cuts or extends a term to a width.
pub fn fit(terms: &mut Terms, a: Pair, width: u32) -> Pair {
    if terms.width(a.raw) >= width {
        return extract(terms, a, 0, width);
    }
    Pair {
        raw: terms.raw(Node::Zext { term: a.raw, width }),
        simple: terms.zext(a.simple, width),
    }
}

fn extract(terms: &mut Terms, a: Pair, lo: u32, width: u32) -> Pair {
    Pair {
        raw: terms.raw(Node::Extract {
            term: a.raw,
            lo,
            width,
        }),
        simple: terms.extract(a.simple, lo, width),
    }
}

/// A model of all inputs, their values taken from `numbers`.
pub fn model(terms: &Terms, numbers: &[u128]) -> Model {
    terms
        .inputs()
        .zip(numbers.iter().cycle())
        .map(|(input, &value)| (input, value))
        .collect()
}

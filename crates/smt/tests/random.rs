//! Random terms: the simplifier, the known bits and the backends against evaluation.

mod generator;

use generator::{WIDTHS, build, config, model, number, steps};
use proptest::prelude::*;
use smt::Terms;

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn simplified_terms_have_the_same_value(steps in steps(20), numbers in prop::collection::vec(number(), 12)) {
        let mut terms = Terms::new();
        let pool = build(&mut terms, &steps, &WIDTHS);
        for numbers in numbers.windows(3) {
            let model = model(&terms, numbers);
            for pair in &pool {
                prop_assert_eq!(
                    terms.eval(pair.raw, &model), terms.eval(pair.simple, &model),
                    "{} became {} under {:?}", terms.display(pair.raw), terms.display(pair.simple), model
                );
            }
        }
    }

    #[test]
    fn known_bits_are_known(steps in steps(20), numbers in prop::collection::vec(number(), 12)) {
        let mut terms = Terms::new();
        let pool = build(&mut terms, &steps, &WIDTHS);
        for numbers in numbers.windows(3) {
            let model = model(&terms, numbers);
            for term in pool.iter().flat_map(|pair| [pair.raw, pair.simple]) {
                let (known, value) = (terms.known_bits(term), terms.eval(term, &model));
                prop_assert!(
                    value & known.zeros == 0 && known.ones & !value == 0,
                    "{} is {value:#x}, known {known:x?}", terms.display(term)
                );
            }
        }
    }

    #[test]
    fn simplified_terms_are_fixed_points(steps in steps(20)) {
        // Building the same term again gives the same id, even though other terms now exist.
        let mut terms = Terms::new();
        let first = build(&mut terms, &steps, &WIDTHS);
        let second = build(&mut terms, &steps, &WIDTHS);
        for (a, b) in first.iter().zip(&second) {
            prop_assert_eq!(a.simple, b.simple, "{}", terms.display(a.raw));
        }
    }
}

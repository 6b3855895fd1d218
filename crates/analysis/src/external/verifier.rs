//! What programs say to a verifier: inputs, assumptions, assertions, atomic sections.

use super::Class::*;
use super::Effect::Writes;
use super::Extent::Argument;
use super::{Row, Table, row};

const ROWS: &[Row] = &[
    row(
        &[
            "__assert_fail",
            "__assert",
            "__assert_rtn",
            "__assert_perror_fail",
            "klee_report_error",
            "__CPROVER_fail",
        ],
        Fails,
        &[],
    ),
    row(&["__CPROVER_assert"], Asserts(0), &[]),
    row(
        &["klee_assume", "__CPROVER_assume", "__sleave_assume"],
        Assumes(0),
        &[],
    ),
    row(&["klee_silent_exit"], GivesUp, &[]),
    row(
        &[
            "klee_int",
            "klee_range",
            "__sleave_input",
            "__sleave_fixed_input",
            "__sleave_byte",
        ],
        Input,
        &[],
    ),
    row(
        &[
            "__sleave_environment_is_whole",
            "__sleave_input_length",
            "__sleave_uses_descriptors",
            "__sleave_stdin_size",
        ],
        Asks,
        &[],
    ),
    row(
        &["klee_make_symbolic", "__sleave_make_symbolic"],
        Input,
        &[Writes(0, Argument(1))],
    ),
    row(
        &["__sleave_unsupported", "__sleave_beyond"],
        Unmodelled,
        &[],
    ),
    row(&["__CPROVER_atomic_begin"], BeginsAtomic, &[]),
    row(&["__CPROVER_atomic_end"], EndsAtomic, &[]),
    row(&["__CPROVER_input", "__CPROVER_output"], Nothing, &[]),
];

pub(super) const TABLE: Table = Table(ROWS);

/// These hold even where the program defines the function.
pub(super) const OVERRIDING: Table = Table(&[
    row(
        &["__VERIFIER_assume", "assume_abort_if_not"],
        Assumes(0),
        &[],
    ),
    row(&["__VERIFIER_assert"], Asserts(0), &[]),
    row(&["__VERIFIER_error", "reach_error"], Fails, &[]),
    row(&["__VERIFIER_atomic_begin"], BeginsAtomic, &[]),
    row(&["__VERIFIER_atomic_end"], EndsAtomic, &[]),
]);

//! Output, and formatting into memory.

use super::Class::Output;
use super::Effect::{Formats, FormatsList, Reads, Writes};
use super::Extent::{Any, Argument, Product};
use super::{Arg, Effect, Row, Table, row};

const fn listed(format: Arg) -> Effect {
    Formats {
        format,
        first: format + 1,
    }
}

const fn in_memory(format: Arg) -> Effect {
    FormatsList {
        format,
        list: format + 1,
    }
}

const ROWS: &[Row] = &[
    row(&["printf"], Output, &[listed(0)]),
    row(
        &["__printf_chk", "fprintf", "dprintf"],
        Output,
        &[listed(1)],
    ),
    row(&["__fprintf_chk"], Output, &[listed(2)]),
    row(&["vprintf"], Output, &[in_memory(0)]),
    row(
        &["vfprintf", "vdprintf", "__vprintf_chk"],
        Output,
        &[in_memory(1)],
    ),
    row(&["__vfprintf_chk"], Output, &[in_memory(2)]),
    row(&["sprintf"], Output, &[Writes(0, Any), listed(1)]),
    row(&["__sprintf_chk"], Output, &[Writes(0, Any), listed(3)]),
    row(&["vsprintf"], Output, &[Writes(0, Any), in_memory(1)]),
    row(&["__vsprintf_chk"], Output, &[Writes(0, Any), in_memory(3)]),
    row(&["snprintf"], Output, &[Writes(0, Argument(1)), listed(2)]),
    row(
        &["__snprintf_chk"],
        Output,
        &[Writes(0, Argument(1)), listed(4)],
    ),
    row(
        &["vsnprintf"],
        Output,
        &[Writes(0, Argument(1)), in_memory(2)],
    ),
    row(
        &["__vsnprintf_chk"],
        Output,
        &[Writes(0, Argument(1)), in_memory(4)],
    ),
    row(
        &["puts", "fputs", "fputs_unlocked"],
        Output,
        &[Reads(0, Any)],
    ),
    row(
        &[
            "putchar",
            "fputc",
            "putc",
            "putchar_unlocked",
            "putc_unlocked",
            "fputc_unlocked",
            "_IO_putc",
        ],
        Output,
        &[],
    ),
    row(
        &["fwrite", "fwrite_unlocked"],
        Output,
        &[Reads(0, Product(1, 2))],
    ),
];

pub(super) const TABLE: Table = Table(ROWS);

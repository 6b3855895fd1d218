//! Output, and formatting into memory.

use super::Class::Output;
use super::Effect::{Formats, FormatsList, Reads, Writes};
use super::Extent::{Any, Argument, Bytes, Product};
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

/// There must be one.
const fn stream(arg: Arg) -> Effect {
    Reads(arg, Bytes(1))
}

const ROWS: &[Row] = &[
    row(&["printf"], Output, &[listed(0)]),
    row(&["__printf_chk", "dprintf"], Output, &[listed(1)]),
    row(&["fprintf"], Output, &[stream(0), listed(1)]),
    row(&["__fprintf_chk"], Output, &[stream(0), listed(2)]),
    row(&["vprintf"], Output, &[in_memory(0)]),
    row(&["vdprintf", "__vprintf_chk"], Output, &[in_memory(1)]),
    row(&["vfprintf"], Output, &[stream(0), in_memory(1)]),
    row(&["__vfprintf_chk"], Output, &[stream(0), in_memory(2)]),
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
    row(&["puts"], Output, &[Reads(0, Any)]),
    row(
        &["fputs", "fputs_unlocked"],
        Output,
        &[Reads(0, Any), stream(1)],
    ),
    row(&["putchar", "putchar_unlocked"], Output, &[]),
    row(
        &[
            "fputc",
            "putc",
            "putc_unlocked",
            "fputc_unlocked",
            "_IO_putc",
        ],
        Output,
        &[stream(1)],
    ),
    row(
        &["fwrite", "fwrite_unlocked"],
        Output,
        &[Reads(0, Product(1, 2)), stream(3)],
    ),
];

pub(super) const TABLE: Table = Table(ROWS);

//! The heap, and copying and filling memory.

use super::Class::{Allocates, Asks, Moves, Releases};
use super::Effect::*;
use super::Extent::{Any, Argument, Product};
use super::{Row, Table, row};

const ROWS: &[Row] = &[
    row(
        &[
            "malloc",
            "valloc",
            "_ZnwmRKSt9nothrow_t",
            "_ZnamRKSt9nothrow_t",
        ],
        Allocates,
        &[ReturnsNew { bytes: Argument(0) }, WritesErrno],
    ),
    row(
        &[
            "__sleave_malloc",
            "_Znwm",
            "_Znam",
            "_Znwj",
            "_Znaj",
            "_ZnwmSt11align_val_t",
            "_ZnamSt11align_val_t",
            "_ZnwjSt11align_val_t",
            "_ZnajSt11align_val_t",
        ],
        Allocates,
        &[ReturnsNew { bytes: Argument(0) }],
    ),
    row(
        &["calloc"],
        Allocates,
        &[
            ReturnsNew {
                bytes: Product(0, 1),
            },
            WritesErrno,
        ],
    ),
    row(
        &["aligned_alloc", "memalign"],
        Allocates,
        &[ReturnsNew { bytes: Argument(1) }, WritesErrno],
    ),
    row(
        &["posix_memalign"],
        Allocates,
        &[StoresNew {
            to: 0,
            bytes: Argument(2),
        }],
    ),
    row(
        &["realloc"],
        Allocates,
        &[
            Reallocates {
                old: 0,
                bytes: Argument(1),
            },
            WritesErrno,
        ],
    ),
    row(
        &["reallocarray"],
        Allocates,
        &[
            Reallocates {
                old: 0,
                bytes: Product(1, 2),
            },
            WritesErrno,
        ],
    ),
    row(
        &[
            "free",
            "cfree",
            "_ZdlPv",
            "_ZdaPv",
            "_ZdlPvm",
            "_ZdaPvm",
            "_ZdlPvj",
            "_ZdaPvj",
            "_ZdlPvSt11align_val_t",
            "_ZdaPvSt11align_val_t",
            "_ZdlPvmSt11align_val_t",
            "_ZdaPvmSt11align_val_t",
            "_ZdlPvRKSt9nothrow_t",
            "_ZdaPvRKSt9nothrow_t",
        ],
        Releases,
        &[Frees(0)],
    ),
    // What the environment gives.
    row(
        &["__sleave_text", "__sleave_environment", "__sleave_stdin"],
        Allocates,
        &[ReturnsNew { bytes: Any }],
    ),
    // Whether the object is alive is looked at, and how large it is.
    row(&["malloc_usable_size"], Asks, &[Reads(0, Any)]),
    row(
        &["memcpy", "memmove"],
        Moves,
        &[
            Copies {
                to: 0,
                from: 1,
                bytes: Argument(2),
            },
            Returns(0),
        ],
    ),
    row(
        &["memset"],
        Moves,
        &[
            Fills {
                to: 0,
                byte: 1,
                bytes: Argument(2),
            },
            Returns(0),
        ],
    ),
];

pub(super) const TABLE: Table = Table(ROWS);

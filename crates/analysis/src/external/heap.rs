//! The heap.

use ir::modelled::Heap;

use super::Class::{Allocates, Asks, Releases};
use super::Effect::*;
use super::Extent::{Any, Argument, Product};
use super::{External, external};

pub(super) fn heap(function: Heap) -> External {
    match function {
        Heap::Malloc | Heap::PageAlloc => {
            external(Allocates, &[ReturnsNew { bytes: Argument(0) }, WritesErrno])
        }
        Heap::New | Heap::AlignedNew => external(Allocates, &[ReturnsNew { bytes: Argument(0) }]),
        Heap::Calloc => external(
            Allocates,
            &[
                ReturnsNew {
                    bytes: Product(0, 1),
                },
                WritesErrno,
            ],
        ),
        Heap::AlignedAlloc => {
            external(Allocates, &[ReturnsNew { bytes: Argument(1) }, WritesErrno])
        }
        Heap::PosixMemalign => external(
            Allocates,
            &[StoresNew {
                to: 0,
                bytes: Argument(2),
            }],
        ),
        Heap::Realloc => external(
            Allocates,
            &[
                Reallocates {
                    old: 0,
                    bytes: Argument(1),
                },
                WritesErrno,
            ],
        ),
        Heap::ReallocArray => external(
            Allocates,
            &[
                Reallocates {
                    old: 0,
                    bytes: Product(1, 2),
                },
                WritesErrno,
            ],
        ),
        Heap::Free => external(Releases, &[Frees(0)]),
        // It must be alive, and its size is looked up.
        Heap::UsableSize => external(Asks, &[Reads(0, Any)]),
    }
}

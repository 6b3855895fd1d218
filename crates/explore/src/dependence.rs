//! Dependence: which operations on one cell may change places.
//!
//! By the usual *conflict* relation two operations depend on each other if one of them writes. Two flags make it finer:
//!
//! - *Commute*: atomic updates of one kind (additions and subtractions, or ors, ...) of the very same bytes, whose results
//!   nobody uses, are independent.
//! - *Observers* (Aronis, Jonsson, Lång, Sagonas: Optimal Dynamic Partial Order Reduction with Observers, TACAS'18): two
//!   operations that replace the very same bytes are independent unless one of them is seen. Of those that come directly
//!   after each other on a cell, the last one is seen if anything else comes after them, and then comes after the others;
//!   these are in no order. What a variable holds in the end is seen only if the program looks.
//!
//! On one cell, being independent is being of the same [`Access`], except for [`Access::Write`]. So operations fall into
//! *groups*: those of the same access that come directly after each other. `census.rs` names traces by them.
//!
//! Sound for assertions, faults and deadlocks: all that a thread does follows from what it read. What is not a store of its
//! own is no [`Access::Replace`]: compare-and-swap, synchronisation, the end of an object, atomic sections, stores whose
//! address depends on an input. Ranges that overlap without being the same depend on each other.

use machine::{Change, Touch, Update};

use crate::cells::NO_CELL;

/// Pairs of operations that count as independent although both write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Independence {
    pub commute: bool,
    pub observers: bool,
}

impl Independence {
    pub fn is_finer(self) -> bool {
        self != Independence::default()
    }
}

/// What an operation does to its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    Read,
    /// So many bytes from this address on are combined with an operand, and nothing is learnt.
    Update(Update, u64, u64),
    /// So many bytes from this address on are replaced.
    Replace(u64, u64),
    /// Anything else.
    Write,
}

impl Access {
    pub fn of(touches: &[Touch], independence: Independence) -> Access {
        if !touches.iter().any(|t| t.written) {
            return Access::Read;
        }
        let [touch] = touches else {
            return Access::Write;
        };
        match touch.change {
            _ if touch.conditional => Access::Write,
            Change::Updated(kind) if independence.commute => {
                Access::Update(kind, touch.address, touch.bytes)
            }
            Change::Replaced if independence.observers => {
                Access::Replace(touch.address, touch.bytes)
            }
            Change::Other | Change::Replaced | Change::Updated(_) => Access::Write,
        }
    }

    pub fn writes(self) -> bool {
        self != Access::Read
    }

    pub fn replaces(self) -> bool {
        matches!(self, Access::Replace(..))
    }

    /// Whether two operations on the same cell are independent; if they replace it, unless the later one is seen.
    pub fn commutes_with(self, other: Access) -> bool {
        self == other && self != Access::Write
    }
}

/// A cell, and what is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    pub cell: u32,
    pub access: Access,
}

impl Effect {
    pub const NONE: Effect = Effect {
        cell: NO_CELL,
        access: Access::Read,
    };

    pub fn is_on_cell_of(self, other: Effect) -> bool {
        self.cell == other.cell && self.cell != NO_CELL
    }
}

//! Dependence: which operations on one cell may change places.
//!
//! By the usual *conflict* relation two operations depend on each other if one of them writes. Two
//! flags make it finer:
//!
//! - *Commute*: atomic updates of one kind (additions and subtractions, or ors, ...) of the very
//!   same bytes, whose results are not used, are independent.
//! - *Observers* (Aronis, Jonsson, Lång, Sagonas: Optimal Dynamic Partial Order Reduction with
//!   Observers, TACAS'18): two operations that replace the very same bytes are independent unless
//!   one of them is seen. Of those that come directly after each other on a cell, the last one is
//!   seen if anything else comes after them, and then comes after the others; these are in no
//!   order. What a variable holds in the end is seen only if the program looks.
//!
//! On one cell, being independent is being of the same [`Access`], except for [`Access::Write`]. So
//! operations fall into *groups*: those of the same access that come directly after each other.
//! `census.rs` names traces by them.
//!
//! A critical section that is one step (`machine::peek`) has an effect on each cell it touches: it
//! depends on another step if one of its effects does. An atomic section has one effect, on a cell
//! that is all it touches ([`Cells::of`]).
//!
//! Sound for assertions, faults and deadlocks: all that a thread does follows from what it read.
//! What is not a store of its own is no [`Access::Replace`]: compare-and-swap, synchronisation, the
//! end of an object, atomic sections, stores whose address depends on an input. Ranges that overlap
//! without being the same depend on each other.

use machine::{Change, Touch, Update};
use smallvec::{SmallVec, smallvec};

use crate::cells::{CellId, Cells};

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
    /// Bytes, by their address and number, are combined with an operand; the result is not used.
    Update(Update, u64, u64),
    /// Bytes, by their address and number, are replaced.
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

    /// What a critical section does to one cell. Whether it does that may depend on what it finds
    /// in others, but on these it has effects, too: what commutes with all of them finds the same.
    /// Whether a cell it replaced is seen is not looked for.
    fn of_section(touches: &[&Touch], independence: Independence) -> Access {
        match touches {
            [touch] if touch.written && independence.commute => match touch.change {
                Change::Updated(kind) => Access::Update(kind, touch.address, touch.bytes),
                Change::Other | Change::Replaced => Access::Write,
            },
            touches if touches.iter().any(|t| t.written) => Access::Write,
            _ => Access::Read,
        }
    }

    pub fn writes(self) -> bool {
        self != Access::Read
    }

    pub fn replaces(self) -> bool {
        matches!(self, Access::Replace(..))
    }

    /// Whether two operations on the same cell are independent; if they replace it, unless the
    /// later one is seen.
    pub fn commutes_with(self, other: Access) -> bool {
        self == other && self != Access::Write
    }
}

/// A cell, and what is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    pub cell: CellId,
    pub access: Access,
}

/// What a step does to its cells.
pub type Effects = SmallVec<[Effect; 1]>;

impl Effect {
    pub const NONE: Effect = Effect {
        cell: CellId::NONE,
        access: Access::Read,
    };

    /// The effects of a step that touched this, on one cell each.
    pub fn all(
        cells: &mut Cells,
        touches: &[Touch],
        is_section: bool,
        independence: Independence,
    ) -> Effects {
        if !is_section {
            let cell = cells.of(touches);
            let access = Access::of(touches, independence);
            return match cell {
                CellId::NONE => Effects::new(),
                cell => smallvec![Effect { cell, access }],
            };
        }
        let footprint: SmallVec<[CellId; 8]> = touches
            .iter()
            .map(|touch| cells.at(touch.address, touch.bytes))
            .collect();
        let mut effects = Effects::new();
        for &cell in &footprint {
            if effects.iter().any(|e| e.cell == cell) {
                continue;
            }
            let on_cell = touches.iter().zip(&footprint).filter(|(_, c)| **c == cell);
            let on_cell: SmallVec<[&Touch; 8]> = on_cell.map(|(touch, _)| touch).collect();
            let access = Access::of_section(&on_cell, independence);
            effects.push(Effect { cell, access });
        }
        effects
    }

    /// Whether two operations may not change places because of what they do to one cell.
    pub fn depends_on(self, other: Effect) -> bool {
        self.cell == other.cell && !self.access.commutes_with(other.access)
    }

    pub fn is_on_cell_of(self, other: Effect) -> bool {
        self.cell == other.cell && self.cell != CellId::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINEST: Independence = Independence {
        commute: true,
        observers: true,
    };

    fn touch(address: u64, written: bool, change: Change) -> Touch {
        Touch {
            address,
            bytes: 4,
            written,
            conditional: true,
            in_section: true,
            change,
            words: None,
        }
    }

    fn of_section(cells: &mut Cells, touches: &[Touch]) -> Vec<Access> {
        let effects = Effect::all(cells, touches, true, FINEST);
        effects.iter().map(|effect| effect.access).collect()
    }

    #[test]
    fn a_section_has_an_effect_on_each_cell() {
        let mut cells = Cells::default();
        let waits = touch(16, true, Change::Updated(Update::Wait));
        let touches = [
            touch(0, false, Change::Other),
            touch(8, false, Change::Other),
            touch(8, true, Change::Replaced),
            waits,
        ];
        let update = Access::Update(Update::Wait, 16, 4);
        let expected = [Access::Read, Access::Write, update];
        assert_eq!(of_section(&mut cells, &touches), expected);
        // One that does something else to the condition as well does more than wait.
        let twice = [touch(16, false, Change::Other), waits];
        assert_eq!(of_section(&mut cells, &twice), [Access::Write]);
        assert!(!cells.merged);
    }

    #[test]
    fn an_atomic_section_is_on_one_cell() {
        let mut cells = Cells::default();
        let touches = [
            touch(0, false, Change::Other),
            touch(8, true, Change::Other),
        ];
        let effects = Effect::all(&mut cells, &touches, false, FINEST);
        assert_eq!(effects.len(), 1);
        assert_eq!(effects[0].access, Access::Write);
        assert!(Effect::all(&mut cells, &[], false, FINEST).is_empty());
    }
}

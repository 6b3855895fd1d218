//! Loads and stores through a set of places: edges between a node and the cells there, or a *hub*
//! that all accesses of the same set share.

use smallvec::{SmallVec, smallvec};

use super::{Solver, UNKNOWN};
use crate::points_to::place::{ObjectKind, Place};
use crate::points_to::set::SparseSet;
use crate::points_to::shared::SetId;

/// An access to all of some places.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Hub {
    places: SetId,
    bytes: Option<u64>,
    is_read: bool,
}

/// There is no such access.
const NO_CELL: u32 = u32::MAX - 1;
/// As many places get a hub: with fewer, the hub itself is as much work as it saves.
const HUB: usize = 6;

impl Solver {
    /// The node reads from all the places, or what it holds is written to them.
    pub(super) fn access_all(
        &mut self,
        places: SetId,
        bytes: Option<u64>,
        is_read: bool,
        node: u32,
    ) {
        if self.sets.get(places).len() < HUB {
            return self.access_each(places, bytes, is_read, node);
        }
        let hub = self.hub(places, bytes, is_read);
        match is_read {
            true => self.add_copy(hub, node),
            false => self.add_copy(node, hub),
        }
    }

    fn access_each(&mut self, places: SetId, bytes: Option<u64>, is_read: bool, node: u32) {
        let mut cells = std::mem::take(self.cells.entry((bytes, is_read)).or_default());
        for number in self.sets.get(places).map(|number| number) {
            let known = cells.get(number as usize).copied().unwrap_or(UNKNOWN);
            let cell = match known {
                UNKNOWN => self.access(number, bytes, is_read, node, &mut cells),
                cell => cell,
            };
            match (cell, is_read) {
                (NO_CELL | UNKNOWN, _) => {}
                (cell, true) => self.add_copy(cell, node),
                (cell, false) => self.add_copy(node, cell),
            }
        }
        self.cells.insert((bytes, is_read), cells);
    }

    /// The cell that is accessed at a place. `UNKNOWN`: there are several, and the node reads or
    /// writes them now.
    fn access(
        &mut self,
        number: u32,
        bytes: Option<u64>,
        is_read: bool,
        node: u32,
        cells: &mut Vec<u32>,
    ) -> u32 {
        let place = self.places.get(number);
        let mut found = match is_read {
            true => self.read_from(place, bytes),
            false => self.written_to(place, bytes),
        };
        let cell = match found.as_slice() {
            [] => NO_CELL,
            [cell] => *cell,
            _ => {
                for cell in found.drain(..) {
                    match is_read {
                        true => self.add_copy(cell, node),
                        false => self.add_copy(node, cell),
                    }
                }
                return UNKNOWN;
            }
        };
        if cells.len() <= number as usize {
            cells.resize(self.places.count(), UNKNOWN);
        }
        cells[number as usize] = cell;
        cell
    }

    /// The hub of the places: loads from all of them read it, stores to all of them write to it.
    /// Subsets that other sets may share have hubs of their own.
    fn hub(&mut self, places: SetId, bytes: Option<u64>, is_read: bool) -> u32 {
        let hub = Hub {
            places,
            bytes,
            is_read,
        };
        if let Some(&node) = self.hubs.get(&hub) {
            return node;
        }
        let node = self.add_node();
        self.hubs.insert(hub, node);
        let words = self.sets.get(places).words().to_vec();
        if words.len() == 1 {
            self.access_each(places, bytes, is_read, node);
        } else {
            for word in words {
                let part = self.sets.add(SparseSet::of_word(word));
                self.access_all(part, bytes, is_read, node);
            }
        }
        node
    }

    /// The cells that are read at a place.
    fn read_from(&mut self, place: Place, bytes: Option<u64>) -> SmallVec<[u32; 2]> {
        if self.places.objects[place.object].kind == ObjectKind::Anything {
            return smallvec![self.outside];
        }
        let keys = self.places.keys(place, bytes).into_iter();
        keys.map(|key| self.read_cell(place.object, key)).collect()
    }

    /// The cells that are written at a place.
    fn written_to(&mut self, place: Place, bytes: Option<u64>) -> SmallVec<[u32; 2]> {
        let object = &self.places.objects[place.object];
        if object.kind == ObjectKind::Anything {
            return smallvec![self.outside];
        }
        // Writing to it is a fault.
        if object.constant {
            return smallvec![];
        }
        let keys = self.places.keys(place, bytes).into_iter();
        keys.map(|key| self.written_cell(place.object, key))
            .collect()
    }
}

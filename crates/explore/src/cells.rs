//! Cells: the units of memory on which operations depend. Two operations are dependent if they
//! touch the same cell and one of them writes it, or fewer (`dependence.rs`).
//!
//! A cell is a range of bytes that operations were seen to touch as a whole, or several ranges that
//! one operation touched together (an atomic section, a condition and its mutex). Ranges that
//! overlap, or are touched together, are one cell. When an operation shows that two cells are one,
//! what was explored with the finer cells is void and the search starts over.

use std::collections::BTreeMap;

use base::id;
use machine::Touch;
use rustc_hash::{FxHashMap, FxHashSet};

id!(
    /// A cell, numbered in the order in which a search found them. What becomes one keeps the
    /// smaller number.
    CellId, "c"
);

impl CellId {
    /// The cell of an operation that depends on none.
    pub const NONE: CellId = CellId(u32::MAX);
}

#[derive(Default)]
pub struct Cells {
    /// By its first address: the end of a range, and its cell.
    ranges: BTreeMap<u64, (u64, CellId)>,
    /// The cells of address and length that were asked for before.
    known: FxHashMap<(u64, u64), CellId>,
    /// Cells found so far.
    count: u32,
    version: u32,
    /// Two cells have become one.
    pub merged: bool,
}

impl Cells {
    /// The cell of an operation.
    #[inline]
    pub fn of(&mut self, touches: &[Touch]) -> CellId {
        let mut cell = CellId::NONE;
        for touch in touches {
            let one = self.at(touch.address, touch.bytes);
            if cell == CellId::NONE {
                cell = one;
            } else if cell != one {
                cell = self.merge(cell, one);
            }
        }
        cell
    }

    #[inline]
    pub fn at(&mut self, address: u64, bytes: u64) -> CellId {
        match self.known.get(&(address, bytes)) {
            Some(cell) => *cell,
            None => self.find(address, bytes),
        }
    }

    /// The cell that holds this byte, if one was touched that does.
    pub fn around(&self, address: u64) -> Option<CellId> {
        let (_, (end, cell)) = self.ranges.range(..=address).next_back()?;
        (address < *end).then_some(*cell)
    }

    /// The ranges of each cell.
    pub fn groups(&self) -> Vec<Vec<(u64, u64)>> {
        let mut groups: BTreeMap<CellId, Vec<(u64, u64)>> = BTreeMap::new();
        for (start, (end, cell)) in &self.ranges {
            let group = groups.entry(*cell).or_default();
            group.push((*start, end - start));
        }
        groups.into_values().collect()
    }

    /// Adds the cells of another search, each given by its ranges. Two cells of the one that are a
    /// single cell of the other become one: whichever had two explored with cells that were too
    /// fine.
    pub fn add(&mut self, groups: &[Vec<(u64, u64)>]) {
        for group in groups {
            let mut cell = CellId::NONE;
            for (address, bytes) in group {
                let one = self.at(*address, *bytes);
                if cell != CellId::NONE && cell != one {
                    self.merge(cell, one);
                }
                // The cell may have been merged into another one.
                cell = self.at(*address, *bytes);
            }
        }
        let mut seen = FxHashSet::default();
        for (address, bytes) in groups.iter().filter_map(|group| group.first()) {
            let is_new = seen.insert(self.at(*address, *bytes));
            self.merged |= !is_new;
        }
    }

    /// Grows whenever ranges or cells change.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Some range of the cell.
    pub fn some_range(&self, cell: CellId) -> Option<(u64, u64)> {
        let mut ranges = self.ranges.iter();
        let (start, (end, _)) = ranges.find(|(_, (_, c))| *c == cell)?;
        Some((*start, end - start))
    }

    #[cold]
    fn find(&mut self, address: u64, bytes: u64) -> CellId {
        self.version += 1;
        let end = address + bytes;
        let overlapping: Vec<(u64, u64, CellId)> = self
            .ranges
            .range(..end)
            .rev()
            .take_while(|(_, (e, _))| *e > address)
            .map(|(s, (e, c))| (*s, *e, *c))
            .collect();
        let cell = match *overlapping.as_slice() {
            [] => {
                let cell = CellId(self.count);
                self.count += 1;
                self.ranges.insert(address, (end, cell));
                cell
            }
            [(start, e, cell)] if start <= address && end <= e => cell,
            _ => {
                let (mut low, mut high) = (address, end);
                let mut cell = overlapping[0].2;
                for (s, e, c) in overlapping {
                    (low, high) = (low.min(s), high.max(e));
                    self.ranges.remove(&s);
                    if c != cell {
                        cell = self.merge(cell, c);
                    }
                }
                self.ranges.insert(low, (high, cell));
                cell
            }
        };
        self.known.insert((address, bytes), cell);
        cell
    }

    fn merge(&mut self, a: CellId, b: CellId) -> CellId {
        self.version += 1;
        let (keep, drop) = (a.min(b), a.max(b));
        for (_, cell) in self.ranges.values_mut() {
            if *cell == drop {
                *cell = keep;
            }
        }
        self.known.clear();
        self.merged = true;
        keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(groups: &[Vec<(u64, u64)>]) -> Cells {
        let mut cells = Cells::default();
        cells.add(groups);
        cells
    }

    /// Whether no two cells of one search are a single cell of the other. Checks that the order in
    /// which the two are added makes no difference.
    fn go_together(one: &[Vec<(u64, u64)>], other: &[Vec<(u64, u64)>]) -> bool {
        let add = |one, other| {
            let mut cells = cells(one);
            cells.add(other);
            let mut groups = cells.groups();
            groups.sort();
            (cells.merged, groups)
        };
        let (merged, groups) = add(one, other);
        assert_eq!(add(other, one), (merged, groups));
        !merged
    }

    #[test]
    fn what_is_one_cell_for_one_and_two_for_another_does_not_go_together() {
        let halves = [vec![(0, 4)], vec![(4, 4)]];
        assert!(!go_together(&halves, &[vec![(0, 8)]]));
        assert!(!go_together(&halves, &[vec![(0, 4), (4, 4)]]));
        assert!(!go_together(&halves, &[vec![(2, 4)]]));
    }

    #[test]
    fn a_cell_that_has_grown_for_one_only_goes_together() {
        assert!(go_together(&[vec![(0, 4)]], &[vec![(0, 8)]]));
        assert!(go_together(&[vec![(0, 4)]], &[vec![(4, 4)]]));
        assert!(go_together(
            &[vec![(0, 4)], vec![(8, 4)]],
            &[vec![(0, 8)], vec![(8, 4)]]
        ));
    }
}

//! The cells of abstract objects as nodes of the constraint graph.
//!
//! Each cell has a node for what is written to it and one for what is read from it. What is written to a cell is read from every cell
//! that shares a word with it; so a store through an unknown offset reaches all fields, and fields that are only used through known
//! offsets stay apart.

use base::IndexVec;
use rustc_hash::FxHashMap;

use super::place::{Key, ObjectId, Place, gcd};
use super::solver::Solver;

/// What is copied between two objects as a whole: each word goes `by` further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Relation {
    to: ObjectId,
    by: i64,
    /// Further by any multiple of this.
    step: u64,
    /// Not those before this word.
    first: Option<i64>,
    /// The words do not lie alike: each is spread over two.
    uneven: bool,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Nodes {
    written: u32,
    read: u32,
}

impl Default for Nodes {
    fn default() -> Self {
        Nodes {
            written: NONE,
            read: NONE,
        }
    }
}

/// The cells of one object.
#[derive(Default)]
pub(super) struct Cells {
    single: FxHashMap<i64, Nodes>,
    repeated: Vec<(Key, Nodes)>,
    relations: Vec<Relation>,
}

/// More single cells than that, made by copying, are one: it bounds memory that is moved along in itself.
const MAX_CELLS: usize = 512;

impl Cells {
    fn nodes(&self, key: Key) -> Nodes {
        if key.step == 0 {
            return self.single.get(&key.at).copied().unwrap_or_default();
        }
        let found = self.repeated.iter().find(|(k, _)| *k == key);
        found.map_or_else(Nodes::default, |(_, nodes)| *nodes)
    }

    fn nodes_mut(&mut self, key: Key) -> &mut Nodes {
        if key.step == 0 {
            return self.single.entry(key.at).or_default();
        }
        let index = match self.repeated.iter().position(|(k, _)| *k == key) {
            Some(index) => index,
            None => {
                self.repeated.push((key, Nodes::default()));
                self.repeated.len() - 1
            }
        };
        &mut self.repeated[index].1
    }

    /// The cells that share a word with `key`, which may be among them.
    fn overlapping(&self, key: Key) -> Vec<Nodes> {
        let repeated = self.repeated.iter().filter(|(k, _)| k.overlaps(key));
        let repeated = repeated.map(|(_, nodes)| *nodes);
        if key.step == 0 {
            return repeated.chain(self.single.get(&key.at).copied()).collect();
        }
        let single = self.single.iter().filter(|(at, _)| {
            let single = Key { at: **at, step: 0 };
            single.overlaps(key)
        });
        repeated.chain(single.map(|(_, nodes)| *nodes)).collect()
    }

    fn written(&self) -> Vec<(Key, u32)> {
        let single = self.single.iter();
        let single = single.map(|(at, nodes)| (Key { at: *at, step: 0 }, nodes.written));
        let repeated = self
            .repeated
            .iter()
            .map(|(key, nodes)| (*key, nodes.written));
        single
            .chain(repeated)
            .filter(|(_, node)| *node != NONE)
            .collect()
    }
}

/// The memory of all objects.
#[derive(Default)]
pub(super) struct Memory {
    cells: IndexVec<ObjectId, Cells>,
    /// Cells that are written for the first time; relations have not been applied to them.
    born: Vec<(ObjectId, Key)>,
}

impl Memory {
    fn of(&mut self, object: ObjectId) -> &mut Cells {
        while self.cells.len() <= object.index() {
            self.cells.push(Cells::default());
        }
        &mut self.cells[object]
    }
}

impl Solver {
    /// The node for what is read from a cell.
    pub(super) fn read_cell(&mut self, object: ObjectId, key: Key) -> u32 {
        let known = self.memory.of(object).nodes(key).read;
        if known != NONE {
            return known;
        }
        let node = self.add_node();
        let cells = self.memory.of(object);
        cells.nodes_mut(key).read = node;
        for cell in cells.overlapping(key) {
            if cell.written != NONE {
                self.add_copy(cell.written, node);
            }
        }
        node
    }

    /// The node for what is written to a cell.
    pub(super) fn written_cell(&mut self, object: ObjectId, key: Key) -> u32 {
        let known = self.memory.of(object).nodes(key).written;
        if known != NONE {
            return known;
        }
        let node = self.add_node();
        let cells = self.memory.of(object);
        cells.nodes_mut(key).written = node;
        for cell in cells.overlapping(key) {
            if cell.read != NONE {
                self.add_copy(node, cell.read);
            }
        }
        self.memory.born.push((object, key));
        node
    }

    /// From now on, what is at `from` and behind is also at `to` and behind.
    pub(super) fn relate(&mut self, from: Place, to: Place) {
        let word = self.places.word();
        let stride = gcd(from.stride, to.stride);
        let distance = to.offset.wrapping_sub(from.offset);
        let even = stride.is_multiple_of(word as u64);
        let relation = Relation {
            to: to.object,
            by: distance.div_euclid(word),
            step: if even { stride / word as u64 } else { 1 },
            first: (from.stride == 0).then(|| from.offset.div_euclid(word)),
            uneven: distance.rem_euclid(word) != 0,
        };
        let cells = self.memory.of(from.object);
        if cells.relations.contains(&relation) {
            return;
        }
        cells.relations.push(relation);
        for (key, node) in self.memory.of(from.object).written() {
            self.follow(relation, key, node);
        }
    }

    fn follow(&mut self, relation: Relation, key: Key, node: u32) {
        let before = |first| key.step == 0 && key.at < first;
        if relation.first.is_some_and(before) {
            return;
        }
        for extra in 0..=i64::from(relation.uneven) {
            let mut to = Key {
                at: key.at.wrapping_add(relation.by).wrapping_add(extra),
                step: gcd(key.step, relation.step),
            };
            let cells = self.memory.of(relation.to);
            if to.step == 0 && cells.single.len() >= MAX_CELLS && cells.nodes(to).written == NONE {
                to = Key::ALL;
            }
            if let Some(to) = self.places.key(relation.to, to) {
                let cell = self.written_cell(relation.to, to);
                self.add_copy(node, cell);
            }
        }
    }

    /// Applies relations to new cells until there are none.
    pub(super) fn settle_cells(&mut self) {
        while let Some((object, key)) = self.memory.born.pop() {
            let cells = self.memory.of(object);
            let node = cells.nodes(key).written;
            for relation in cells.relations.clone() {
                self.follow(relation, key, node);
            }
        }
    }
}

//! The cells of abstract objects as nodes of the constraint graph.
//!
//! A single word has one node. A cell of several words has a node for what is written to it, which
//! goes to every cell that shares a word with it, and one for what is read from it, which comes
//! from all of those. So a store through an unknown offset reaches all fields, and fields that are
//! only used through known offsets stay apart.

use base::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

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

/// The node of a single word.
#[derive(Clone, Copy)]
struct Single {
    node: u32,
    /// It has been written on its own.
    written: bool,
}

/// The nodes of a cell of several words.
#[derive(Clone, Copy)]
struct Repeated {
    key: Key,
    written: u32,
    read: u32,
}

/// The cells of one object.
#[derive(Default)]
pub(super) struct Cells {
    single: FxHashMap<i64, Single>,
    repeated: Vec<Repeated>,
    relations: Vec<Relation>,
    known: FxHashSet<Relation>,
}

/// More single cells than that, made by copying, are one: it bounds memory that is moved along in
/// itself.
const MAX_CELLS: usize = 512;

impl Cells {
    fn repeated_mut(&mut self, key: Key) -> &mut Repeated {
        let index = match self.repeated.iter().position(|cell| cell.key == key) {
            Some(index) => index,
            None => {
                self.repeated.push(Repeated {
                    key,
                    written: NONE,
                    read: NONE,
                });
                self.repeated.len() - 1
            }
        };
        &mut self.repeated[index]
    }

    /// The nodes of single words that are in a cell.
    fn singles(&self, key: Key) -> Vec<u32> {
        let inside = self.single.iter().filter(|(at, _)| {
            let single = Key { at: **at, step: 0 };
            single.overlaps(key)
        });
        inside.map(|(_, single)| single.node).collect()
    }

    /// What has been written, and its node.
    fn written(&self) -> Vec<(Key, u32)> {
        let single = self.single.iter().filter(|(_, single)| single.written);
        let single = single.map(|(at, single)| (Key { at: *at, step: 0 }, single.node));
        let repeated = self.repeated.iter().map(|cell| (cell.key, cell.written));
        let all = single.chain(repeated);
        all.filter(|(_, node)| *node != NONE).collect()
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
        if key.step == 0 {
            return self.single_cell(object, key.at);
        }
        let known = self.memory.of(object).repeated_mut(key).read;
        if known != NONE {
            return known;
        }
        let node = self.add_node();
        let cells = self.memory.of(object);
        cells.repeated_mut(key).read = node;
        let mut sources = cells.singles(key);
        let others = cells
            .repeated
            .iter()
            .filter(|other| other.key.overlaps(key));
        sources.extend(others.map(|other| other.written));
        for source in sources.into_iter().filter(|source| *source != NONE) {
            self.add_copy(source, node);
        }
        node
    }

    /// The node for what is written to a cell.
    pub(super) fn written_cell(&mut self, object: ObjectId, key: Key) -> u32 {
        if key.step == 0 {
            let node = self.single_cell(object, key.at);
            let cell = self.memory.of(object).single.get_mut(&key.at);
            let cell = cell.expect("it was just looked up");
            if !std::mem::replace(&mut cell.written, true) {
                self.memory.born.push((object, key));
            }
            return node;
        }
        let known = self.memory.of(object).repeated_mut(key).written;
        if known != NONE {
            return known;
        }
        let node = self.add_node();
        let cells = self.memory.of(object);
        cells.repeated_mut(key).written = node;
        let mut sinks = cells.singles(key);
        let others = cells
            .repeated
            .iter()
            .filter(|other| other.key.overlaps(key));
        sinks.extend(others.map(|other| other.read));
        for sink in sinks.into_iter().filter(|sink| *sink != NONE) {
            self.add_copy(node, sink);
        }
        self.memory.born.push((object, key));
        node
    }

    fn single_cell(&mut self, object: ObjectId, at: i64) -> u32 {
        if let Some(single) = self.memory.of(object).single.get(&at) {
            return single.node;
        }
        let node = self.add_node();
        let cells = self.memory.of(object);
        let written = false;
        cells.single.insert(at, Single { node, written });
        let key = Key { at, step: 0 };
        let others = cells
            .repeated
            .iter()
            .filter(|other| other.key.overlaps(key));
        for other in others.copied().collect::<Vec<_>>() {
            if other.written != NONE {
                self.add_copy(other.written, node);
            }
            if other.read != NONE {
                self.add_copy(node, other.read);
            }
        }
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
        if !cells.known.insert(relation) {
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
            if to.step == 0 && cells.single.len() >= MAX_CELLS && !cells.single.contains_key(&to.at)
            {
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
            let relations = self.memory.of(object).relations.clone();
            if relations.is_empty() {
                continue;
            }
            let node = self.written_cell(object, key);
            for relation in relations {
                self.follow(relation, key, node);
            }
        }
    }
}

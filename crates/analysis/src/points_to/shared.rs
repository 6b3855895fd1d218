//! Sets of places by number: equal sets are one, and what was computed from two of them is known
//! the next time.
//!
//! Most pointers of a large program lead to the same places as many others. So there are few sets,
//! and few pairs of which a union is ever asked for (persistent points-to sets: Barbar and Sui
//! 2021).

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::set::SparseSet;

/// The number of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SetId(u32);

impl SetId {
    pub const EMPTY: SetId = SetId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn is_empty(self) -> bool {
        self == SetId::EMPTY
    }
}

pub(super) struct SharedSets {
    all: Vec<SparseSet>,
    /// By their hashes.
    numbers: FxHashMap<u64, SmallVec<[SetId; 1]>>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    differences: FxHashMap<(SetId, SetId), SetId>,
    /// Words in all sets.
    words: usize,
}

impl SharedSets {
    pub fn new() -> SharedSets {
        let mut sets = SharedSets {
            all: Vec::new(),
            numbers: FxHashMap::default(),
            unions: FxHashMap::default(),
            differences: FxHashMap::default(),
            words: 0,
        };
        sets.add(SparseSet::default());
        sets
    }

    pub fn get(&self, set: SetId) -> &SparseSet {
        &self.all[set.0 as usize]
    }

    pub fn words(&self) -> usize {
        self.words
    }

    pub fn add(&mut self, set: SparseSet) -> SetId {
        let hash = FxBuildHasher.hash_one(&set);
        let same = self.numbers.entry(hash).or_default();
        if let Some(known) = same.iter().find(|id| self.all[id.0 as usize] == set) {
            return *known;
        }
        let id = SetId(self.all.len() as u32);
        same.push(id);
        self.words += set.words().len();
        self.all.push(set);
        id
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let union = self.get(a).union(self.get(b));
        let union = self.add(union);
        self.unions.insert(key, union);
        union
    }

    /// What is in the first and not in the second.
    pub fn minus(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b {
            return SetId::EMPTY;
        }
        if a.is_empty() || b.is_empty() {
            return a;
        }
        if let Some(&known) = self.differences.get(&(a, b)) {
            return known;
        }
        let difference = self.get(a).minus(self.get(b));
        let difference = self.add(difference);
        self.differences.insert((a, b), difference);
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_one_number() {
        let mut sets = SharedSets::new();
        let a = sets.add(SparseSet::of(vec![1, 2, 300]));
        let b = sets.add(SparseSet::of(vec![300, 7]));
        let both = sets.union(a, b);
        assert_eq!(sets.union(b, a), both);
        assert_eq!(sets.add(SparseSet::of(vec![300, 7, 2, 1])), both);
        let rest = sets.minus(both, b);
        assert_eq!(sets.get(rest).iter().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(sets.union(rest, b), both);
        assert!(sets.minus(b, both).is_empty());
        assert_eq!(sets.minus(a, SetId::EMPTY), a);
    }
}

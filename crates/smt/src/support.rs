//! Interned sets of inputs: which inputs a term depends on. Most terms share their set with an
//! operand.

use rustc_hash::FxHashMap;

use crate::node::InputId;

base::id!(SupportId, "sup");

pub struct Supports {
    /// Sorted, without duplicates. Set 0 is empty.
    sets: Vec<Box<[InputId]>>,
    interned: FxHashMap<Box<[InputId]>, SupportId>,
    unions: FxHashMap<(SupportId, SupportId), SupportId>,
}

impl Supports {
    pub const EMPTY: SupportId = SupportId(0);

    pub fn new() -> Self {
        let empty: Box<[InputId]> = Box::new([]);
        Supports {
            sets: vec![empty.clone()],
            interned: FxHashMap::from_iter([(empty, Self::EMPTY)]),
            unions: FxHashMap::default(),
        }
    }

    pub fn get(&self, id: SupportId) -> &[InputId] {
        &self.sets[id.index()]
    }

    pub fn singleton(&mut self, input: InputId) -> SupportId {
        self.intern(Box::new([input]))
    }

    pub fn union(&mut self, a: SupportId, b: SupportId) -> SupportId {
        if a == b || b == Self::EMPTY {
            return a;
        }
        if a == Self::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let mut both = [self.get(a), self.get(b)].concat();
        both.sort_unstable();
        both.dedup();
        let id = self.intern(both.into_boxed_slice());
        self.unions.insert(key, id);
        id
    }

    fn intern(&mut self, set: Box<[InputId]>) -> SupportId {
        if let Some(&id) = self.interned.get(&set) {
            return id;
        }
        let id = SupportId::from(self.sets.len());
        self.sets.push(set.clone());
        self.interned.insert(set, id);
        id
    }
}

//! Objects that are taken to be shared as a whole. An array proves to be shared element by element,
//! each at the cost of starting over. What is shared only means more events: nothing is lost
//! (`machine::sharing`).

use machine::{Machine, SharedSet};

/// Larger objects are not taken to be shared as a whole.
const SMALL_OBJECT: u64 = 4096;

/// So many bytes of an object are many parts.
const PARTS: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct InParts {
    pub base: u64,
    size: u64,
}

/// Small objects of which more is shared than was known. A mutex that others look at otherwise
/// could no longer be looked into, so objects with one are left alone.
pub(crate) fn found_in_parts(machine: &Machine, known: &SharedSet) -> Vec<InParts> {
    let memory = &machine.state.memory;
    let mutexes = machine.peeked_mutexes();
    let mut found: Vec<InParts> = Vec::new();
    for address in memory.shared.beyond(known) {
        let Some(id) = memory.object_at(address) else {
            continue;
        };
        let object = memory.object(id);
        let (base, size) = (object.base, object.size);
        let object = InParts { base, size };
        if found.last() != Some(&object) && size <= SMALL_OBJECT && !mutexes.overlaps(base, size) {
            found.push(object);
        }
    }
    found
}

impl InParts {
    pub fn has_many_parts_in(&self, shared: &SharedSet) -> bool {
        let bytes = self.base..self.base + self.size;
        bytes.filter(|at| shared.overlaps(*at, 1)).count() >= PARTS
    }

    pub fn add_to(&self, shared: &mut SharedSet) {
        shared.insert_range(self.base, self.size);
    }
}

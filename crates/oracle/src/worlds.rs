//! Two worlds in one program: what its assertions are about, and the rest.
//!
//! Statements of the second world write only what belongs to it, and read everything. Statements of
//! the first keep to their own, except now and then: then something of the second matters after
//! all, through a value, a condition or a pointer.

use std::ops::Range;

use crate::program::{Program, Thread};

/// How many of each there are: the first ones belong to the first world, the others to the second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub shared: usize,
    pub arrays: usize,
    pub mutexes: usize,
    pub pointers: usize,
}

/// What statements may mention, as ranges of ids.
#[derive(Clone, Debug)]
pub struct World {
    pub shared: Range<usize>,
    pub arrays: Range<usize>,
    pub mutexes: Range<usize>,
    pub pointers: Range<usize>,
    pub locals: Range<usize>,
    pub local_pointers: Range<usize>,
}

impl World {
    /// Of a thread's statements, whatever they are about.
    pub fn all(program: &Program, thread: &Thread) -> World {
        World {
            shared: 0..program.shared.len(),
            arrays: 0..program.arrays.len(),
            mutexes: 0..program.mutexes,
            pointers: 0..program.pointers.len(),
            locals: 0..thread.locals,
            local_pointers: 0..thread.pointers.len(),
        }
    }

    /// The first `counts` of everything, and the rest.
    pub fn split(self, counts: Counts, locals: usize, local_pointers: usize) -> (World, World) {
        let cut = |range: Range<usize>, count: usize| (0..count, count..range.end);
        let (shared, more_shared) = cut(self.shared, counts.shared);
        let (arrays, more_arrays) = cut(self.arrays, counts.arrays);
        let (mutexes, more_mutexes) = cut(self.mutexes, counts.mutexes);
        let (pointers, more_pointers) = cut(self.pointers, counts.pointers);
        let (locals, more_locals) = cut(self.locals, locals);
        let (local_pointers, more_local_pointers) = cut(self.local_pointers, local_pointers);
        let first = World {
            shared,
            arrays,
            mutexes,
            pointers,
            locals,
            local_pointers,
        };
        let second = World {
            shared: more_shared,
            arrays: more_arrays,
            mutexes: more_mutexes,
            pointers: more_pointers,
            locals: more_locals,
            local_pointers: more_local_pointers,
        };
        (first, second)
    }

    pub fn has_memory(&self) -> bool {
        !self.shared.is_empty() || !self.arrays.is_empty()
    }
}

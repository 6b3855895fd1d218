//! What is known of a program's threads: it only ever grows.
//!
//! The graph is unrolled anew from this whenever it has grown. Names (of locations, threads,
//! objects) stay the same from one time to the next, so that terms do, too.

use std::collections::{BTreeMap, BTreeSet};

use ir::{BlockId, FuncId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::memory::{Object, Space};
use crate::place::Key;

base::id!(
    /// A thread by where it is created: its parent and the unrolled location.
    ThreadIx,
    "t"
);
base::id!(
    /// An unrolled location, without the thread.
    KeyId,
    "k"
);

impl ThreadIx {
    pub const MAIN: ThreadIx = ThreadIx(0);

    /// What a lock holds while the thread owns it.
    pub fn owner_word(self) -> u128 {
        u128::from(self.0) + 1
    }

    /// The thread as the program sees it, a `pthread_t`.
    pub fn handle(self) -> u128 {
        u128::from(self.0) + 1
    }
}

/// The numbers that a pointer in shared memory may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    Few(BTreeSet<u64>),
    Any,
}

/// More numbers than these are any number.
const FEW: usize = 64;

impl Values {
    pub fn none() -> Values {
        Values::Few(BTreeSet::new())
    }

    pub fn one(value: u64) -> Values {
        Values::Few(BTreeSet::from([value]))
    }

    /// Whether it grew.
    pub fn add(&mut self, other: &Values) -> bool {
        match (&mut *self, other) {
            (Values::Any, _) => false,
            (_, Values::Any) => {
                *self = Values::Any;
                true
            }
            (Values::Few(all), Values::Few(more)) => {
                let before = all.len();
                all.extend(more);
                let grew = all.len() > before;
                if all.len() > FEW {
                    *self = Values::Any;
                }
                grew
            }
        }
    }
}

#[derive(Default)]
pub struct Knowledge {
    keys: FxHashMap<Key, KeyId>,
    threads: FxHashMap<(ThreadIx, KeyId), ThreadIx>,
    visited: FxHashSet<(ThreadIx, KeyId)>,
    /// Blocks that executions have entered.
    executed: BTreeSet<(FuncId, BlockId)>,
    /// Edges between blocks that they have taken.
    taken: FxHashSet<(FuncId, BlockId, BlockId)>,
    objects: FxHashMap<(ThreadIx, KeyId, u32), u64>,
    space: Space,
    /// Objects that some thread has made: one that is unrolled before may have their addresses.
    pub(crate) made: BTreeMap<u64, Object>,
    /// Whose each of them is that ends with a function or a thread.
    pub(crate) owners: FxHashMap<u64, ThreadIx>,
    /// Ranges of memory that are accessed by threads at the same time, as they are accessed.
    pub(crate) contended: BTreeSet<(u64, u64)>,
    /// By eight bytes: the mutexes that are held whenever threads access them at the same time.
    pub(crate) guards: FxHashMap<u64, Vec<u64>>,
    /// Mutexes of which critical sections are not single events.
    pub(crate) unfused: BTreeSet<u64>,
    /// Objects of which it is not said where they are accessed, and those that must not be such.
    pub(crate) coarse: BTreeSet<u64>,
    pub(crate) exact: BTreeSet<u64>,
    /// The mutexes that are taken somewhere.
    pub(crate) mutexes: BTreeSet<u64>,
    /// What is written to such ranges, of the size of a pointer.
    pub(crate) pointers: BTreeMap<u64, Values>,
    /// Mutexes that are used otherwise than by a thread that locks and then unlocks them.
    pub(crate) odd_mutexes: BTreeSet<u64>,
    /// By condition variable: the mutexes with which threads wait for it.
    pub(crate) waited_with: BTreeMap<u64, BTreeSet<u64>>,
    /// Barriers at which threads wait, and those that they do not pass in phases.
    pub(crate) barriers: BTreeSet<u64>,
    pub(crate) uneven: BTreeSet<u64>,
    /// Synchronisation objects that are destroyed somewhere.
    pub(crate) destroyed: BTreeSet<u64>,
    /// Atomic sections with assumptions in them.
    pub(crate) optional: FxHashSet<(ThreadIx, KeyId)>,
    /// Something was left out that matters.
    pub(crate) slice_is_refuted: bool,
    /// Objects that may end while another thread uses them.
    pub(crate) mortal: BTreeSet<u64>,
}

impl Knowledge {
    pub fn key(&mut self, key: &[u32]) -> KeyId {
        if let Some(id) = self.keys.get(key) {
            return *id;
        }
        let id = KeyId(self.keys.len() as u32);
        self.keys.insert(key.into(), id);
        id
    }

    /// The thread that this one creates at the location.
    pub fn child(&mut self, parent: ThreadIx, key: &[u32]) -> ThreadIx {
        let key = self.key(key);
        let next = ThreadIx(self.threads.len() as u32 + 1);
        *self.threads.entry((parent, key)).or_insert(next)
    }

    /// By eight bytes: the mutex that guards them, if one does whose sections can be single events.
    pub(crate) fn guards_to_use(&self) -> FxHashMap<u64, u64> {
        let fused = |mutex: &&u64| !self.unfused.contains(*mutex);
        let guard = |(granule, all): (&u64, &Vec<u64>)| Some((*granule, *all.iter().find(fused)?));
        self.guards.iter().filter_map(guard).collect()
    }

    /// An execution, or a model, has come here. Whether that is new.
    pub fn visit(&mut self, thread: ThreadIx, key: &[u32]) -> bool {
        let key = self.key(key);
        self.visited.insert((thread, key))
    }

    pub fn is_visited(&self, thread: ThreadIx, key: &[u32]) -> bool {
        let key = self.keys.get(key);
        key.is_some_and(|key| self.visited.contains(&(thread, *key)))
    }

    /// An execution has entered the block.
    pub fn enter(&mut self, function: FuncId, block: BlockId) {
        self.executed.insert((function, block));
    }

    /// An execution has gone from one block to another.
    pub fn take(&mut self, function: FuncId, from: BlockId, to: BlockId) {
        self.executed.insert((function, to));
        self.taken.insert((function, from, to));
    }

    /// Whether an execution has gone from one block to another.
    pub fn is_taken(&self, edge: (FuncId, BlockId, BlockId)) -> bool {
        self.taken.contains(&edge)
    }

    /// The blocks that executions have entered.
    pub fn executed(&self) -> &BTreeSet<(FuncId, BlockId)> {
        &self.executed
    }

    /// Nothing is left out from now on. Whether something was.
    pub fn refute_slice(&mut self) -> bool {
        !std::mem::replace(&mut self.slice_is_refuted, true)
    }

    /// All accesses are exact from now on. Whether some were not.
    pub fn refine(&mut self) -> bool {
        let coarse = std::mem::take(&mut self.coarse);
        let is_new = !coarse.is_empty();
        self.exact.extend(coarse);
        is_new
    }

    /// How many locations are known.
    pub fn visited(&self) -> usize {
        self.visited.len()
    }

    /// The memory that remains beside what is there from the start.
    pub(crate) fn set_space(&mut self, pointer_bits: u32) {
        if self.objects.is_empty() {
            self.space = Space::of_objects(pointer_bits);
        }
    }

    /// The address of the object that the thread makes at a location.
    pub(crate) fn object(
        &mut self,
        at: (ThreadIx, KeyId, u32),
        size: u64,
        align: u64,
    ) -> Option<u64> {
        if let Some(base) = self.objects.get(&at) {
            return Some(*base);
        }
        let base = self.space.allocate(size, align)?;
        self.objects.insert(at, base);
        Some(base)
    }
}

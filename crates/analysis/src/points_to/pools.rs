//! Pools: allocations that the analysis of a large program does not tell apart.
//!
//! In a large program much of what is allocated can be reached by much of the code: a queue of jobs
//! or a table of handlers is enough. Then telling all of it apart costs as much as there are
//! pointers times objects, for every analysis that follows, and says little. So when the
//! constraints of a program turn out to be too large, objects that some pointer cannot tell apart
//! are put into *pools*, those of one size together, and the constraints are solved anew with a
//! pool as one object; if that is still too much, with more in pools. Sound: an object stands for
//! more of what is allocated than before. What is too large is counted, not timed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::Flow;
use super::place::{Object, ObjectId, ObjectKind};
use super::shared::SetId;
use super::solver::Solver;

/// Which allocations are in which pool.
pub(super) struct Pools {
    limits: Limits,
    /// By what the object would be, on its own.
    numbers: FxHashMap<ObjectKind, u32>,
    pools: Classes,
    round: usize,
}

/// In each round, the number of allocated objects from which on a pointer does not tell its targets
/// apart.
const MANY: [usize; 4] = [64, 16, 4, 2];

/// When the constraints of a program are too large.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps of solving.
    pub work: usize,
    /// Objects that all accesses together may touch, each counted for each access: what the
    /// analyses that follow have to look at.
    pub touched: usize,
}

impl Default for Limits {
    /// Several times what 6,000 lines need in which everything reaches everything, and about two
    /// seconds.
    fn default() -> Limits {
        Limits {
            work: 12_000_000,
            touched: 6_000_000,
        }
    }
}

impl Pools {
    pub fn new(limits: Limits) -> Pools {
        Pools {
            limits,
            numbers: FxHashMap::default(),
            pools: Classes::default(),
            round: 0,
        }
    }

    /// After how many steps solving is to stop.
    pub fn budget(&self) -> usize {
        match self.round < MANY.len() {
            true => self.limits.work,
            false => usize::MAX,
        }
    }

    /// How many places are told apart in an object. A record with more fields than in the first
    /// round, all of whose addresses are taken, is rare.
    pub fn place_limit(&self) -> u32 {
        match self.round {
            0 => 256,
            _ => 32,
        }
    }

    pub fn of(&self, object: ObjectKind) -> Option<u32> {
        let number = self.numbers.get(&object)?;
        Some(self.pools.find(*number))
    }

    /// Whether a solution is too large to be used.
    pub fn is_too_large(&self, solver: &mut Solver, flow: &Flow) -> bool {
        if self.round == MANY.len() {
            return false;
        }
        let mut counts: FxHashMap<SetId, usize> = FxHashMap::default();
        let mut touched = 0;
        for touch in &flow.touches {
            let set = solver.set_of(touch.through);
            touched += *counts.entry(set).or_insert_with(|| {
                let found = objects_of(solver, set).into_iter();
                let found = found.map(|object| &solver.places.objects[object]);
                let is_code = |object: &&Object| matches!(object.kind, ObjectKind::Function(_));
                found.filter(|o| !o.constant && !is_code(o)).count()
            });
        }
        touched > self.limits.touched
    }

    /// Puts more objects together, after what is known of where pointers lead. `sizes`: those of
    /// allocated objects, as far as they are known; they only decide what is kept apart.
    pub fn join(&mut self, solver: &mut Solver, sizes: &FxHashMap<ObjectId, u64>) {
        let mut changed = false;
        while !changed && self.round < MANY.len() {
            changed = self.join_many(solver, sizes, MANY[self.round]);
            self.round += 1;
        }
    }

    /// Joins what some pointer that may lead to so many objects does not tell apart. Whether there
    /// was anything.
    fn join_many(
        &mut self,
        solver: &mut Solver,
        sizes: &FxHashMap<ObjectId, u64>,
        many: usize,
    ) -> bool {
        let mut classes = Classes::default();
        solver.places.objects.iter().for_each(|_| {
            classes.add();
        });
        let mut seen = FxHashSet::default();
        for node in 0..solver.node_count() as u32 {
            let set = solver.set_of(node);
            if !seen.insert(set) {
                continue;
            }
            let mut found = objects_of(solver, set);
            found.retain(|object| {
                let kind = solver.places.objects[*object].kind;
                matches!(kind, ObjectKind::Heap { .. } | ObjectKind::Pool(_))
            });
            if found.len() < many {
                continue;
            }
            let mut first: FxHashMap<Option<u64>, ObjectId> = FxHashMap::default();
            for object in found {
                let size = sizes.get(&object).copied();
                let first = first.entry(size).or_insert(object);
                classes.unite(first.0, object.0);
            }
        }
        self.number(solver, &classes)
    }

    /// Makes a pool of each class of several objects. Whether there are any.
    fn number(&mut self, solver: &Solver, classes: &Classes) -> bool {
        let mut members = vec![0; solver.places.objects.len()];
        for object in solver.places.objects.ids() {
            members[classes.find(object.0) as usize] += 1;
        }
        let mut pools: FxHashMap<u32, u32> = FxHashMap::default();
        for (id, object) in solver.places.objects.enumerate() {
            let class = classes.find(id.0);
            if members[class as usize] < 2 {
                continue;
            }
            let known = match object.kind {
                ObjectKind::Pool(pool) => Some(pool),
                kind => self.numbers.get(&kind).copied(),
            };
            let pool = *pools
                .entry(class)
                .or_insert_with(|| known.unwrap_or_else(|| self.pools.add()));
            match known {
                Some(known) => self.pools.unite(pool, known),
                None => {
                    self.numbers.insert(object.kind, pool);
                }
            }
        }
        !pools.is_empty()
    }
}

/// The objects that places of a set are in, sorted.
fn objects_of(solver: &Solver, set: SetId) -> Vec<ObjectId> {
    let numbers = solver.sets.get(set).iter();
    let mut objects: Vec<ObjectId> = numbers.map(|n| solver.places.get(n).object).collect();
    objects.sort_unstable();
    objects.dedup();
    objects
}

/// Numbers that belong together, each with a step towards the smallest.
#[derive(Default)]
struct Classes(Vec<u32>);

impl Classes {
    fn add(&mut self) -> u32 {
        let number = self.0.len() as u32;
        self.0.push(number);
        number
    }

    fn find(&self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            number = self.0[number as usize];
        }
        number
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let low = a.min(b);
        self.0[a as usize] = low;
        self.0[b as usize] = low;
    }
}

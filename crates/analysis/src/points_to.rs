//! Where pointers may point: inclusion-based, flow- and context-insensitive (Andersen 1994), with
//! offsets as fields (Pearce, Kelly and Hankin 2004) and function pointers resolved on the way.
//!
//! Sound for what the machine executes: in every execution, an address that a value or a cell of
//! memory holds lies in one of the places computed for it, as long as addresses come from
//! addresses: from symbols, allocation, and arithmetic on such. (All values carry them, of any
//! type, through memory of any layout.) Deviations:
//! 1. A number that is no address by its origin points nowhere: a constant, an input of another
//!    type than a pointer, memory that was never written. A program that dereferences one guesses
//!    how the machine lays out memory.
//! 2. What an index of half a pointer's width adds to an address stays in the object of that
//!    address.
//! 3. An access out of the bounds of its object does not continue: it is a fault of the program.
//!
//! `place` has the domain, `generate` and `calls` the constraints, `solver` and `memory` solve
//! them, `access` says what each instruction touches.

mod access;
mod calls;
mod clones;
mod flow;
mod generate;
mod memory;
mod place;
mod pools;
mod print;
mod receivers;
mod set;
mod share;
mod shared;
mod solver;
#[cfg(test)]
mod tests;

use base::{IndexVec, id};
use ir::{FuncId, Module, ValueId};
use rustc_hash::FxHashMap;

pub use access::{Access, AccessKind};
pub use place::{Object, ObjectId, ObjectKind, Place};
pub use pools::Limits;
use pools::Pools;
pub(crate) use print::{function_name, place_name, quoted};

use crate::external::External;
use crate::node::{NodeId, Nodes};

id!(
    /// A set of places. Equal sets have the same number.
    PlaceSet, "set"
);

/// A place as most need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    pub object: ObjectId,
    /// In bytes. `None`: anywhere in it.
    pub offset: Option<u64>,
}

impl From<Place> for Location {
    fn from(place: Place) -> Location {
        let offset = u64::try_from(place.offset).ok();
        Location {
            object: place.object,
            offset: offset.filter(|_| place.stride == 0),
        }
    }
}

/// Where every value of a module may point, which functions its calls reach, and what its
/// instructions touch.
pub struct PointsTo {
    objects: IndexVec<ObjectId, Object>,
    freed: IndexVec<ObjectId, bool>,
    sets: IndexVec<PlaceSet, Box<[Place]>>,
    /// For every function with a body, those of its values.
    values: IndexVec<FuncId, Vec<PlaceSet>>,
    /// The number of a list, for every call that reaches anyone.
    callees: FxHashMap<NodeId, u32>,
    callee_lists: Vec<Vec<FuncId>>,
    /// What a node touches: where that begins, and one past the last.
    ranges: IndexVec<NodeId, (u32, u32)>,
    accesses: Vec<Access>,
    /// For every object, the nodes that may touch it, and by which access.
    touching: IndexVec<ObjectId, Vec<(NodeId, u32)>>,
    /// What functions do that are not entered.
    externals: IndexVec<FuncId, Option<External>>,
    /// What a call may allocate.
    allocated: FxHashMap<NodeId, Vec<ObjectId>>,
}

impl PointsTo {
    pub fn of(module: &Module, nodes: &Nodes) -> PointsTo {
        PointsTo::within(module, nodes, Limits::default())
    }

    /// The same for warnings: unmodelled functions touch only what they are given the address of,
    /// keep no address and return none that the program knows.
    pub fn trusting(module: &Module, nodes: &Nodes) -> PointsTo {
        PointsTo::solved(module, nodes, Limits::default(), true)
    }

    /// The same, with other limits to what is told apart. With none, what is allocated is told
    /// apart as little as it ever is.
    pub fn within(module: &Module, nodes: &Nodes, limits: Limits) -> PointsTo {
        PointsTo::solved(module, nodes, limits, false)
    }

    fn solved(module: &Module, nodes: &Nodes, limits: Limits, trusting: bool) -> PointsTo {
        let mut pools = Pools::new(limits);
        loop {
            let (mut solver, mut flow) = flow::constraints(module, nodes, &pools, trusting);
            let solved = solver.solve(&mut flow, pools.budget());
            if solved && !pools.is_too_large(&mut solver, &flow) {
                return access::result(solver, flow);
            }
            let sizes = flow.sizes;
            pools.join(&mut solver, &sizes);
        }
    }

    /// Where the value may point.
    pub fn targets(&self, function: FuncId, value: ValueId) -> impl Iterator<Item = Location> + '_ {
        let places = self.places(self.set_of(function, value));
        places.iter().map(|place| Location::from(*place))
    }

    /// The same as a set.
    pub fn set_of(&self, function: FuncId, value: ValueId) -> PlaceSet {
        let values = self.values.get(function);
        let set = values.and_then(|values| values.get(value.index()));
        set.copied().unwrap_or_default()
    }

    /// What is in a set, sorted by object. An object that is in it as a whole is in it once.
    pub fn places(&self, set: PlaceSet) -> &[Place] {
        &self.sets[set]
    }

    /// Those of the places in a set that are in one object.
    pub fn places_in(&self, set: PlaceSet, object: ObjectId) -> &[Place] {
        let places = self.places(set);
        let start = places.partition_point(|place| place.object < object);
        of_object(&places[start..], object)
    }

    pub fn objects(&self) -> &IndexVec<ObjectId, Object> {
        &self.objects
    }

    /// The objects that a call itself may allocate, sorted.
    pub fn allocated(&self, node: NodeId) -> &[ObjectId] {
        self.allocated.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The functions that a call may reach, with and without a body. Sorted.
    pub fn callees(&self, node: NodeId) -> &[FuncId] {
        let list = self.callee_group(node);
        list.map_or(&[], |list| &self.callee_lists[list as usize])
    }

    /// A number that calls have in common which may reach the same functions; `None`: it reaches
    /// none.
    pub fn callee_group(&self, node: NodeId) -> Option<u32> {
        self.callees.get(&node).copied()
    }

    /// What calls of a function mean, unless it is entered.
    pub fn external(&self, function: FuncId) -> Option<External> {
        self.externals[function]
    }

    /// What the node's calls of functions without a body mean.
    pub fn externals(&self, node: NodeId) -> impl Iterator<Item = External> + '_ {
        let callees = self.callees(node).iter();
        callees.filter_map(|callee| self.external(*callee))
    }

    /// The functions with a body that the node may call.
    pub fn entered(&self, node: NodeId) -> impl Iterator<Item = FuncId> + '_ {
        let callees = self.callees(node).iter().copied();
        callees.filter(|callee| self.external(*callee).is_none())
    }

    /// All that the node itself may read or write, but not what functions do that it enters.
    pub fn accesses(&self, node: NodeId) -> &[Access] {
        let (start, end) = self.ranges[node];
        &self.accesses[start as usize..end as usize]
    }

    /// The objects that an access may touch, sorted.
    pub fn objects_of(&self, access: &Access) -> impl Iterator<Item = ObjectId> + '_ {
        let places = self.places(access.locations);
        places
            .chunk_by(|a, b| a.object == b.object)
            .map(|places| places[0].object)
    }

    /// The nodes that may touch an object, and the access by which they do, in the order of the
    /// nodes. Accesses that may touch anything are not among them. A constant object has none.
    pub fn touching(&self, object: ObjectId) -> impl Iterator<Item = (NodeId, &Access)> {
        let all = self.touching.get(object).map_or(&[][..], Vec::as_slice);
        all.iter()
            .map(|&(node, access)| (node, &self.accesses[access as usize]))
    }

    /// Whether both may touch the same byte. (Both may be reads.)
    pub fn may_overlap(&self, a: &Access, b: &Access) -> bool {
        let (mut left, mut right) = (self.places(a.locations), self.places(b.locations));
        let anything = |places: &[Place]| {
            let first = places.first();
            first.is_some_and(|place| self.objects[place.object].kind == ObjectKind::Anything)
        };
        if left.is_empty() || right.is_empty() {
            return false;
        }
        if anything(left) || anything(right) {
            return true;
        }
        while let (Some(x), Some(y)) = (left.first(), right.first()) {
            let object = x.object.max(y.object);
            left = &left[left.partition_point(|place| place.object < object)..];
            right = &right[right.partition_point(|place| place.object < object)..];
            let (mine, theirs) = (of_object(left, object), of_object(right, object));
            let overlap = mine.iter().any(|x| {
                let mut theirs = theirs.iter();
                theirs.any(|y| x.may_overlap(a.bytes, *y, b.bytes))
            });
            if overlap {
                return true;
            }
            left = &left[mine.len()..];
            right = &right[theirs.len()..];
        }
        false
    }

    /// Whether something may end the object's life: `free`, `realloc`, `delete`. Returning from a
    /// function is not meant.
    pub fn is_freed(&self, object: ObjectId) -> bool {
        self.freed[object]
    }
}

/// Those at the beginning that are of the object.
fn of_object(places: &[Place], object: ObjectId) -> &[Place] {
    let count = places.partition_point(|place| place.object == object);
    &places[..count]
}

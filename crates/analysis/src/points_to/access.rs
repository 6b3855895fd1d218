//! From the solved constraints to facts: sets of places by value, and what each instruction
//! touches.

use base::IndexVec;
use ir::Init;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::flow::{Flow, Touch};
use super::place::{ObjectId, ObjectKind, Place};
use super::shared::SetId;
use super::solver::Solver;
use super::{PlaceSet, PointsTo};
use crate::node::NodeId;

/// What a node does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub kind: AccessKind,
    /// Where it may begin.
    pub locations: PlaceSet,
    /// How far it goes at most. `None`: not known.
    pub bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    Read,
    Write,
}

pub(super) fn result(mut solver: Solver, mut flow: Flow) -> PointsTo {
    let mut sets = Sets::new(&mut solver);
    let formats = std::mem::take(&mut flow.formats);
    for format in formats {
        if sets.may_store(&format.format, &flow) {
            for through in format.written {
                flow.touch(format.node, AccessKind::Write, through, None);
            }
        }
    }
    let (ranges, accesses) = accesses(&mut sets, &flow);
    let values = values(&mut sets, &flow);
    let (callees, callee_lists) = callees(&flow);
    let mut freed: IndexVec<ObjectId, bool> =
        sets.solver.places.objects.iter().map(|_| false).collect();
    for &(_, through) in &flow.frees {
        let set = sets.of_nodes(&[through]);
        for place in &sets.sets[set] {
            freed[place.object] = true;
        }
    }
    // A pointer from nowhere that is freed may be any of them.
    if freed[ObjectId(0)] {
        freed.iter_mut().for_each(|freed| *freed = true);
    }
    let mut touching: IndexVec<ObjectId, Vec<_>> = freed.iter().map(|_| Vec::new()).collect();
    for (node, &(start, end)) in ranges.enumerate() {
        for index in start..end {
            let places = &sets.sets[accesses[index as usize].locations];
            for same in places.chunk_by(|a, b| a.object == b.object) {
                let object = same[0].object;
                // What never changes is read by everything alike.
                if !sets.solver.places.objects[object].constant {
                    touching[object].push((node, index));
                }
            }
        }
    }
    let sets = sets.sets;
    let mut allocated: FxHashMap<NodeId, Vec<ObjectId>> = FxHashMap::default();
    for (&(site, _), &object) in &flow.heap {
        allocated.entry(site).or_default().push(object);
    }
    for objects in allocated.values_mut() {
        objects.sort_unstable();
        objects.dedup();
    }
    PointsTo {
        objects: solver.places.objects,
        freed,
        sets,
        values,
        callees,
        callee_lists,
        ranges,
        accesses,
        touching,
        externals: flow.externals,
        allocated,
    }
}

/// Sets of places by what is in them.
struct Sets<'s> {
    solver: &'s mut Solver,
    sets: IndexVec<PlaceSet, Box<[Place]>>,
    numbers: FxHashMap<Box<[Place]>, PlaceSet>,
    /// All places in order, and where each stands there.
    sorted: Vec<Place>,
    ranks: Vec<u32>,
    of_set: Vec<Option<PlaceSet>>,
    of_access: FxHashMap<(PlaceSet, AccessKind), PlaceSet>,
}

impl<'s> Sets<'s> {
    fn new(solver: &'s mut Solver) -> Sets<'s> {
        let mut order: Vec<(Place, u32)> = solver.places.numbered().collect();
        order.sort_unstable();
        let mut ranks = vec![0; order.len()];
        for (rank, (_, number)) in order.iter().enumerate() {
            ranks[*number as usize] = rank as u32;
        }
        let mut sets = Sets {
            solver,
            sets: IndexVec::new(),
            numbers: FxHashMap::default(),
            sorted: order.into_iter().map(|(place, _)| place).collect(),
            ranks,
            of_set: Vec::new(),
            of_access: FxHashMap::default(),
        };
        sets.intern(&[]);
        sets
    }

    /// The places are sorted.
    fn intern(&mut self, places: &[Place]) -> PlaceSet {
        let places = without_parts(places);
        let places = places.into_boxed_slice();
        if let Some(&set) = self.numbers.get(&places) {
            return set;
        }
        let set = self.sets.push(places.clone());
        self.numbers.insert(places, set);
        set
    }

    /// All that the nodes hold.
    fn of_nodes(&mut self, nodes: &[u32]) -> PlaceSet {
        let held = nodes.iter().map(|n| self.solver.set_of(*n));
        let mut held: SmallVec<[SetId; 4]> = held.collect();
        held.sort_unstable();
        held.dedup();
        let all = held.into_iter();
        let all = all.reduce(|a, b| self.solver.sets.union(a, b));
        let all = all.unwrap_or_default();
        if self.of_set.len() <= all.index() {
            self.of_set.resize(all.index() + 1, None);
        }
        if let Some(set) = self.of_set[all.index()] {
            return set;
        }
        let numbers = self.solver.sets.get(all);
        let mut ranks = numbers.map(|number| self.ranks[number as usize]);
        ranks.sort_unstable();
        let places = ranks.iter().map(|rank| self.sorted[*rank as usize]);
        let places: Vec<Place> = places.collect();
        let set = self.intern(&places);
        self.of_set[all.index()] = Some(set);
        set
    }

    /// Those of the places that can be accessed. A thread that reads or writes the code of a
    /// function, or writes to a constant, fails there.
    fn accessible(&mut self, set: PlaceSet, kind: AccessKind) -> PlaceSet {
        if let Some(&known) = self.of_access.get(&(set, kind)) {
            return known;
        }
        let places = self.sets[set].iter().copied().filter(|place| {
            let object = &self.solver.places.objects[place.object];
            let is_code = matches!(object.kind, ObjectKind::Function(_));
            !(is_code || object.constant && kind == AccessKind::Write)
        });
        let places: Vec<Place> = places.collect();
        let accessible = self.intern(&places);
        self.of_access.insert((set, kind), accessible);
        accessible
    }

    /// Whether a format may contain `%n`: it is not known, or it does.
    fn may_store(&mut self, format: &u32, flow: &Flow) -> bool {
        if *format == flow.special.nothing {
            return false;
        }
        let set = self.of_nodes(&[*format]);
        self.sets[set].iter().any(|place| {
            let object = &self.solver.places.objects[place.object];
            let ObjectKind::Global(global) = object.kind else {
                return true;
            };
            match &flow.module.globals[global].init {
                Some(init) if object.constant => stores(init),
                _ => true,
            }
        })
    }
}

/// Leaves out what is part of another place. The places are sorted.
fn without_parts(places: &[Place]) -> Vec<Place> {
    let mut kept = Vec::with_capacity(places.len());
    for same in places.chunk_by(|a, b| a.object == b.object) {
        let wide: Vec<&Place> = same.iter().filter(|place| place.stride != 0).collect();
        kept.extend(same.iter().filter(|place| {
            let mut wide = wide.iter();
            !wide.any(|other| *other != *place && other.contains(**place))
        }));
    }
    kept
}

/// Whether there is a `%n` in the text.
fn stores(init: &Init) -> bool {
    let conversions = init.bytes.split(|byte| *byte == b'%').skip(1);
    let letters = |text: &[u8]| {
        // Flags, width, precision and length come first.
        let first = |byte: &&u8| !b"0123456789+-# '.*$hljztqLI".contains(byte);
        text.iter().find(first).copied()
    };
    conversions
        .into_iter()
        .any(|text| letters(text) == Some(b'n'))
}

type Ranges = IndexVec<NodeId, (u32, u32)>;

fn accesses(sets: &mut Sets, flow: &Flow) -> (Ranges, Vec<Access>) {
    let mut touches: Vec<&Touch> = flow.touches.iter().collect();
    // Instances of one function touch with the same instruction.
    touches.sort_by_key(|touch| (touch.node, touch.kind, touch.bytes));
    let mut ranges: Ranges = (0..flow.nodes.len()).map(|_| (0, 0)).collect();
    let mut accesses = Vec::new();
    for same in touches.chunk_by(|a, b| (a.node, a.kind, a.bytes) == (b.node, b.kind, b.bytes)) {
        let through = same.iter().map(|touch| touch.through);
        let through: SmallVec<[u32; 4]> = through.collect();
        let touch = same[0];
        let locations = sets.of_nodes(&through);
        let locations = sets.accessible(locations, touch.kind);
        let range = &mut ranges[touch.node];
        if range.0 == range.1 {
            *range = (accesses.len() as u32, accesses.len() as u32);
        }
        range.1 += 1;
        accesses.push(Access {
            kind: touch.kind,
            locations,
            bytes: touch.bytes,
        });
    }
    (ranges, accesses)
}

fn values(sets: &mut Sets, flow: &Flow) -> IndexVec<ir::FuncId, Vec<PlaceSet>> {
    let mut instances: IndexVec<ir::FuncId, Vec<u32>> =
        flow.module.functions.iter().map(|_| Vec::new()).collect();
    for (index, instance) in flow.instances.iter().enumerate() {
        instances[instance.function].push(index as u32);
    }
    let mut values = IndexVec::new();
    for all in &instances {
        let count = all.first().map_or(0, |first| {
            let first = &flow.instances[*first as usize];
            first.values.len()
        });
        let of_function = (0..count).map(|value| {
            let nodes = all.iter();
            let nodes = nodes.map(|instance| flow.instances[*instance as usize].values[value]);
            let nodes: SmallVec<[u32; 4]> = nodes.collect();
            sets.of_nodes(&nodes)
        });
        values.push(of_function.collect());
    }
    values
}

/// The functions that calls may reach: numbers of lists, and the lists.
fn callees(flow: &Flow) -> (FxHashMap<NodeId, u32>, Vec<Vec<ir::FuncId>>) {
    let mut sites: Vec<_> = flow.sites.iter().collect();
    // Instances of one function call with the same instruction.
    sites.sort_by_key(|site| site.node);
    let mut lists: Vec<Vec<ir::FuncId>> = Vec::new();
    let mut numbers: FxHashMap<Vec<ir::FuncId>, u32> = FxHashMap::default();
    let mut callees = FxHashMap::default();
    for same in sites.chunk_by(|a, b| a.node == b.node) {
        let all = same.iter().flat_map(|site| site.callees.iter().copied());
        let mut list: Vec<ir::FuncId> = all.collect();
        if same.len() > 1 {
            list.sort_unstable();
            list.dedup();
        }
        if list.is_empty() {
            continue;
        }
        let number = *numbers.entry(list).or_insert_with_key(|list| {
            lists.push(list.clone());
            lists.len() as u32 - 1
        });
        callees.insert(same[0].node, number);
    }
    (callees, lists)
}

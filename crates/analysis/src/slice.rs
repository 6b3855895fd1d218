//! Backward slices: all that some criteria depend on, over the system dependence graph.
//!
//! Two phases in one (Horwitz, Reps and Binkley, TOPLAS 1990): from a vertex in the first phase edges that lead up to callers are followed;
//! results of calls are entered in the second phase, in which no edge leads up, and summaries bring their arguments. Memory edges
//! cross contexts: what they lead to is in the first phase. So is every access to memory: the search treats an access of the slice as a
//! scheduling point wherever its function was called from, and what it does there must follow from the slice too.
//!
//! The claim that the search relies on: let S be the slice of criteria. Which access or criterion of S a thread executes next, and with
//! which operands, follows from what it has executed in S so far, as long as code outside S terminates. For
//! - a branch outside S cannot choose between two of them (S is closed under classic control dependence, see [`crate::control`]; calls that do
//!   not return, and throws, are criteria);
//! - their operands are computed from values in S, those from reads in S, and all writes that such a read may see are in S.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::node::{NodeId, NodeSet};
use crate::points_to::{ObjectId, Place};
use crate::sdg::summaries::Summaries;
use crate::sdg::{Edge, Sdg, Vertex};

/// Everything that some vertices depend on, themselves included.
pub struct Slice {
    /// By the number of the vertex.
    up: FixedBitSet,
    down: FixedBitSet,
}

impl Slice {
    pub fn contains(&self, sdg: &Sdg, vertex: Vertex) -> bool {
        let index = sdg.vertices.index(vertex);
        self.up.contains(index) || self.down.contains(index)
    }

    /// The nodes that the slice says anything about but that they are reached.
    pub fn nodes(&self, sdg: &Sdg) -> NodeSet {
        let mut nodes = sdg.facts.nodes.none();
        for (function, body, _) in sdg.facts.entered() {
            for value in body.values.ids() {
                let vertex = Vertex::Value(function, value);
                if self.contains(sdg, vertex)
                    && let Some(node) = sdg.node(vertex)
                {
                    nodes.insert(node);
                }
            }
            for node in sdg.facts.nodes.of_function(function) {
                let about = [
                    Vertex::Runs(node),
                    Vertex::Touches(node),
                    Vertex::Reads(node),
                    Vertex::Writes(node),
                    Vertex::Decides(node),
                ];
                if about.iter().any(|vertex| self.contains(sdg, *vertex)) {
                    nodes.insert(node);
                }
            }
        }
        nodes
    }

    /// Whether what the node reads from or writes to memory is in the slice.
    pub fn has_access(&self, sdg: &Sdg, node: NodeId) -> bool {
        self.contains(sdg, Vertex::Reads(node)) || self.contains(sdg, Vertex::Writes(node))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// May go on to callers.
    Up,
    /// In a callee of something in the slice.
    Down,
}

/// The slice of the criteria.
pub fn backward(sdg: &Sdg, criteria: impl IntoIterator<Item = Vertex>) -> Slice {
    let mut slicing = Slicing {
        sdg,
        slice: Slice {
            up: FixedBitSet::with_capacity(sdg.vertices.len()),
            down: FixedBitSet::with_capacity(sdg.vertices.len()),
        },
        summaries: Summaries::default(),
        left: FxHashMap::default(),
        pending: Vec::new(),
    };
    for vertex in criteria {
        slicing.add(vertex, Phase::Up);
    }
    while let Some((vertex, phase)) = slicing.pending.pop() {
        slicing.step(vertex, phase);
    }
    slicing.slice
}

struct Slicing<'s, 'a> {
    sdg: &'s Sdg<'a>,
    slice: Slice,
    summaries: Summaries,
    /// The writes to an object that are not in the slice yet, once one has been looked for.
    left: FxHashMap<ObjectId, Vec<(NodeId, u32)>>,
    pending: Vec<(Vertex, Phase)>,
}

impl Slicing<'_, '_> {
    fn add(&mut self, vertex: Vertex, phase: Phase) {
        let index = self.sdg.vertices.index(vertex);
        if phase == Phase::Up || vertex.is_about_memory() {
            if !self.slice.up.put(index) {
                self.pending.push((vertex, Phase::Up));
            }
        } else if !self.slice.up.contains(index) && !self.slice.down.put(index) {
            self.pending.push((vertex, phase));
        }
    }

    fn step(&mut self, vertex: Vertex, phase: Phase) {
        let mut found = Vec::new();
        self.sdg.for_each_dependence(vertex, &mut |edge, other| {
            let phase = match edge {
                Edge::Return => Phase::Down,
                Edge::Parameter | Edge::Entry if phase == Phase::Down => return,
                Edge::Memory | Edge::Interference => Phase::Up,
                _ => phase,
            };
            found.push((other, phase));
        });
        for (other, phase) in found {
            self.add(other, phase);
        }
        if let Some((site, result)) = self.sdg.call_result_at(vertex) {
            let callees: Vec<_> = self.sdg.facts.entered_by(site).collect();
            for callee in callees {
                let parameters = self.summaries.parameters(self.sdg, callee, result).to_vec();
                for index in parameters {
                    if let Some(argument) = self.sdg.argument(site, index) {
                        self.add(argument, phase);
                    }
                }
            }
        }
        if let Vertex::Reads(node) = vertex {
            self.add_writes(node);
        }
    }

    /// The writes that a read may see. Those of an object are looked through again only until they are in the slice.
    fn add_writes(&mut self, read: NodeId) {
        let reaching = self.sdg.reaching;
        let local = reaching.in_thread(read);
        let walked = local.is_some();
        for write in local.into_iter().flatten() {
            self.add(Vertex::Writes(write), Phase::Up);
        }
        for access in reaching.reads(read) {
            for &place in reaching.facts.points_to.places(access.locations) {
                self.add_writes_at(read, place, access.bytes, walked);
            }
            let mut found = Vec::new();
            reaching.for_each_wild(access, &mut |write| {
                if reaching.counts(walked, write, read) {
                    found.push(write);
                }
            });
            for write in found {
                self.add(Vertex::Writes(write), Phase::Up);
            }
        }
    }

    fn add_writes_at(&mut self, read: NodeId, place: Place, bytes: Option<u64>, walked: bool) {
        let reaching = self.sdg.reaching;
        let fresh = || reaching.writes_at(place).to_vec();
        let mut left = std::mem::take(self.left.entry(place.object).or_insert_with(fresh));
        left.retain(|&(write, index)| {
            let sees = reaching.overlaps(write, index, place, bytes)
                && reaching.counts(walked, write, read);
            if sees {
                self.add(Vertex::Writes(write), Phase::Up);
            }
            !sees
        });
        self.left.insert(place.object, left);
    }
}

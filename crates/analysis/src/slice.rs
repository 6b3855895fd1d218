//! Backward slices: all that some criteria depend on, over the system dependence graph.
//!
//! Two phases in one (Horwitz, Reps and Binkley, TOPLAS 1990): from a vertex in the first phase
//! edges that lead up to callers are followed; results of calls are entered in the second phase, in
//! which no edge leads up, and summaries bring their arguments. Memory edges cross contexts: what
//! they lead to is in the first phase. So is every access to memory: the search treats an access of
//! the slice as a scheduling point wherever its function was called from, and what it does there
//! must follow from the slice too.
//!
//! The claim that the search relies on: let S be the slice of criteria. Which access or criterion
//! of S a thread executes next, and with which operands, follows from what it has executed in S so
//! far, as long as code outside S terminates. For
//! - a branch outside S cannot choose between two of them (S is closed under classic control
//!   dependence, see [`crate::control`]; calls that do not return, and throws, are criteria);
//! - their operands are computed from values in S, those from reads in S, and all writes that such
//!   a read may see are in S.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::{NodeId, NodeSet};
use crate::points_to::PlaceSet;
use crate::sdg::summaries::Summaries;
use crate::sdg::{Edge, Sdg, Vertex};
use crate::threads::ThreadId;

/// Everything that some vertices depend on, themselves included.
#[derive(Clone)]
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
    let mut slicing = Slicing::new(sdg);
    slicing.grow(criteria);
    slicing.slice
}

/// What a function gets from its callers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Passed {
    Control,
    Argument(u32),
}

/// A slice that may get more criteria. What comes out does not depend on when they come.
#[derive(Clone)]
pub struct Slicing<'s, 'a> {
    sdg: &'s Sdg<'a>,
    slice: Slice,
    summaries: Summaries,
    /// Reads whose writes are in the slice: where, how much, and whose own writes do not count.
    done: FxHashSet<(PlaceSet, Option<u64>, Option<ThreadId>)>,
    /// What the calls of a caller group (see [`CallGraph`](crate::CallGraph)) pass, as far as it is
    /// in the slice.
    passed: FxHashSet<(u32, Passed)>,
    /// Callee groups whose results are in the slice, and the parameters that these depend on.
    returned: FxHashMap<(u32, u32), Vec<u32>>,
    pending: Vec<(Vertex, Phase)>,
}

impl<'s, 'a> Slicing<'s, 'a> {
    /// The slice of nothing.
    pub fn new(sdg: &'s Sdg<'a>) -> Slicing<'s, 'a> {
        Slicing {
            sdg,
            slice: Slice {
                up: FixedBitSet::with_capacity(sdg.vertices.len()),
                down: FixedBitSet::with_capacity(sdg.vertices.len()),
            },
            summaries: Summaries::default(),
            done: FxHashSet::default(),
            passed: FxHashSet::default(),
            returned: FxHashMap::default(),
            pending: Vec::new(),
        }
    }

    /// Adds the criteria, and all that they depend on.
    pub fn grow(&mut self, criteria: impl IntoIterator<Item = Vertex>) {
        for vertex in criteria {
            self.add(vertex, Phase::Up);
        }
        while let Some((vertex, phase)) = self.pending.pop() {
            self.step(vertex, phase);
        }
    }

    /// The same slice, with more criteria.
    pub fn grown(&self, criteria: impl IntoIterator<Item = Vertex>) -> Slice {
        let mut grown = self.clone();
        grown.grow(criteria);
        grown.slice
    }

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
        if self.is_passed(vertex, phase) {
            return;
        }
        if let Some((site, result)) = self.sdg.call_result_at(vertex) {
            return self.call_result(site, result, phase);
        }
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
        if let Vertex::Reads(node) = vertex {
            self.add_writes(node);
        }
    }

    /// Whether the vertex depends on callers alone, and what they do there is in the slice, or does
    /// not matter in this phase.
    fn is_passed(&mut self, vertex: Vertex, phase: Phase) -> bool {
        let (function, what) = match vertex {
            Vertex::Enters(function) => (function, Passed::Control),
            _ => match self.sdg.parameter_at(vertex) {
                Some((_, _)) if phase == Phase::Down => return true,
                Some((function, index)) => (function, Passed::Argument(index)),
                None => return false,
            },
        };
        let facts = self.sdg.facts;
        let group = facts.calls.caller_group(function);
        facts.starts(function).is_empty() && !self.passed.insert((group, what))
    }

    fn call_result(&mut self, site: NodeId, result: u32, phase: Phase) {
        let mut found = Vec::new();
        self.sdg
            .for_each_dependence_of_call(site, &mut |_, other| found.push(other));
        for other in found.drain(..) {
            self.add(other, phase);
        }
        let facts = self.sdg.facts;
        let Some(group) = facts.points_to.callee_group(site) else {
            return;
        };
        if !self.returned.contains_key(&(group, result)) {
            let mut parameters = Vec::new();
            for callee in facts.entered_by(site) {
                self.sdg
                    .for_each_returned(callee, result as usize, &mut |vertex| found.push(vertex));
                parameters.extend(self.summaries.parameters(self.sdg, callee, result));
            }
            for vertex in found {
                self.add(vertex, Phase::Down);
            }
            parameters.sort_unstable();
            parameters.dedup();
            self.returned.insert((group, result), parameters);
        }
        for index in self.returned[&(group, result)].clone() {
            if let Some(argument) = self.sdg.argument(site, index) {
                self.add(argument, phase);
            }
        }
    }

    /// The writes that a read may see. Reads of the same places that see the same threads' writes
    /// are looked at once.
    fn add_writes(&mut self, read: NodeId) {
        let reaching = self.sdg.reaching;
        let local = reaching.in_thread(read);
        let walked = local.is_some();
        for write in local.into_iter().flatten() {
            self.add(Vertex::Writes(write), Phase::Up);
        }
        let thread = reaching.concurrency.alone(read).filter(|_| walked);
        for access in reaching.reads(read) {
            if !self.done.insert((access.locations, access.bytes, thread)) {
                continue;
            }
            reaching.for_each_overlapping(access, &mut |writes| {
                for &write in writes {
                    if thread.is_none() || reaching.concurrency.alone(write) != thread {
                        self.add(Vertex::Writes(write), Phase::Up);
                    }
                }
            });
        }
    }
}

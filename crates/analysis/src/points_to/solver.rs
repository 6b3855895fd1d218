//! The constraint graph and its least solution.
//!
//! Nodes are values, cells of memory and a few that stand for the whole program; a node has the places it may hold. An edge copies
//! them; a rule says what follows from a place: which cells a load reads, where an offset leads, whom a call reaches. Only what is new
//! at a node is sent on (difference propagation: Pearce, Kelly and Hankin 2004). Where an edge brings nothing new because both ends
//! hold the same, a cycle is looked for and becomes one node (lazy cycle detection: Hardekopf and Lin 2007).

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::memory::Memory;
use super::place::{ObjectId, ObjectKind, Place, Places};
use super::set::SparseSet;
use crate::components::components;

/// What follows from a place at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// What is read there goes to the node.
    Load { to: u32, bytes: Option<u64> },
    /// What the node holds is written there.
    Store { from: u32, bytes: Option<u64> },
    /// The place further on goes to the node.
    Shift { to: u32, by: i64, stride: u64 },
    /// The place with some low bits of its address changed goes to the node.
    Bits { to: u32, change: LowBits },
    /// The memory there is copied to the object.
    CopyFrom(ObjectId),
    /// The object is copied to the memory there.
    CopyTo(ObjectId),
    /// A function there is called.
    Call(u32),
    /// A function there is started as a thread.
    Start(u32),
    /// Code that nobody knows has the address.
    Escape,
}

/// Low bits of an address that are cleared, set or inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LowBits {
    Clear(u32),
    Set(u32),
    Invert(u32),
}

/// The machine puts every object on a multiple of this.
const OBJECT_ALIGN: u64 = 64;

impl LowBits {
    fn apply(self, place: Place) -> Place {
        let (Self::Clear(bits) | Self::Set(bits) | Self::Invert(bits)) = self;
        let reach = (u64::from(bits) + 1).next_power_of_two();
        if reach > OBJECT_ALIGN || !place.stride.is_multiple_of(reach) {
            return Place::anywhere(place.object);
        }
        let bits = i64::from(bits);
        let offset = match self {
            LowBits::Clear(_) => place.offset & !bits,
            LowBits::Set(_) => place.offset | bits,
            LowBits::Invert(_) => place.offset ^ bits,
        };
        Place { offset, ..place }
    }
}

/// What a rule asks of the program; the solver knows no functions.
pub(super) trait Program {
    fn called(&mut self, solver: &mut Solver, site: u32, place: Place);
    fn started(&mut self, solver: &mut Solver, site: u32, place: Place);
    fn escaped(&mut self, solver: &mut Solver, place: Place);
}

#[derive(Default)]
struct Node {
    targets: SparseSet,
    /// Those of the targets that were not sent on.
    fresh: SparseSet,
    copies: Vec<u32>,
    rules: Vec<Rule>,
    queued: bool,
}

pub(super) struct Solver {
    pub places: Places,
    pub memory: Memory,
    /// What is known to the outside: unmodelled functions read and write there.
    pub outside: u32,
    nodes: Vec<Node>,
    /// Towards the node that a node was merged into.
    parents: Vec<u32>,
    edges: FxHashSet<(u32, u32)>,
    queue: VecDeque<u32>,
    /// Edges along which a cycle was looked for.
    examined: FxHashSet<(u32, u32)>,
    /// Rules that were added while the graph was being solved, and have not been applied to what their node held.
    late: Vec<(u32, Rule)>,
    solving: bool,
}

impl Solver {
    pub fn new(places: Places) -> Solver {
        let mut solver = Solver {
            places,
            memory: Memory::default(),
            outside: 0,
            nodes: Vec::new(),
            parents: Vec::new(),
            edges: FxHashSet::default(),
            queue: VecDeque::new(),
            examined: FxHashSet::default(),
            late: Vec::new(),
            solving: false,
        };
        solver.outside = solver.add_node();
        solver
    }

    pub fn add_node(&mut self) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(Node::default());
        self.parents.push(node);
        node
    }

    pub fn find(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[node as usize];
            self.parents[node as usize] = self.parents[above as usize];
            node = above;
        }
        node
    }

    pub fn targets(&mut self, node: u32) -> &SparseSet {
        let node = self.find(node);
        &self.nodes[node as usize].targets
    }

    pub fn add_target(&mut self, node: u32, place: Place) {
        let number = self.places.number(place);
        let node = self.find(node);
        let n = &mut self.nodes[node as usize];
        if n.targets.insert(number) {
            n.fresh.insert(number);
            self.enqueue(node);
        }
    }

    /// What `from` holds, `to` holds.
    pub fn add_copy(&mut self, from: u32, to: u32) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.nodes[from as usize].copies.push(to);
        if !self.nodes[from as usize].targets.is_empty() {
            let all = std::mem::take(&mut self.nodes[from as usize].targets);
            self.send(&all, to);
            self.nodes[from as usize].targets = all;
        }
    }

    pub fn add_rule(&mut self, node: u32, rule: Rule) {
        let node = self.find(node);
        let n = &mut self.nodes[node as usize];
        n.rules.push(rule);
        // Before, all that it holds is still to be sent on.
        if self.solving && !n.targets.is_empty() {
            self.late.push((node, rule));
        }
    }

    /// Both hold the same from now on.
    pub fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let gone = std::mem::take(&mut self.nodes[b as usize]);
        self.parents[b as usize] = a;
        let kept = &mut self.nodes[a as usize];
        kept.targets.union_with(&gone.targets);
        kept.copies.extend(gone.copies);
        kept.rules.extend(gone.rules);
        // The rules and edges of one have not seen what the other held.
        kept.fresh = kept.targets.clone();
        if !kept.fresh.is_empty() {
            self.enqueue(a);
        }
    }

    pub fn solve(&mut self, program: &mut impl Program) {
        self.merge_known_cycles();
        self.widen_loops();
        self.solving = true;
        loop {
            self.settle_cells();
            if let Some((node, rule)) = self.late.pop() {
                let all = self.targets(node).clone();
                self.apply(rule, &all, program);
            } else if let Some(node) = self.queue.pop_front() {
                self.nodes[node as usize].queued = false;
                if self.find(node) == node {
                    self.process(node, program);
                }
            } else {
                break;
            }
        }
    }

    fn enqueue(&mut self, node: u32) {
        if !std::mem::replace(&mut self.nodes[node as usize].queued, true) {
            self.queue.push_back(node);
        }
    }

    /// Whether there was anything new.
    fn send(&mut self, places: &SparseSet, to: u32) -> bool {
        let n = &mut self.nodes[to as usize];
        let grew = n.targets.union_noting(places, &mut n.fresh);
        if grew {
            self.enqueue(to);
        }
        grew
    }

    fn process(&mut self, node: u32, program: &mut impl Program) {
        let fresh = std::mem::take(&mut self.nodes[node as usize].fresh);
        if fresh.is_empty() {
            return;
        }
        let mut copies = std::mem::take(&mut self.nodes[node as usize].copies);
        let mut suspects = Vec::new();
        let mut merged = false;
        for copy in &mut copies {
            let to = self.find(*copy);
            merged |= to != *copy;
            *copy = to;
            if to == node || self.send(&fresh, to) {
                continue;
            }
            let same = self.nodes[to as usize].targets == self.nodes[node as usize].targets;
            if same && self.examined.insert((node, to)) {
                suspects.push(to);
            }
        }
        if merged {
            copies.sort_unstable();
            copies.dedup();
        }
        self.nodes[node as usize].copies = copies;
        let rules = std::mem::take(&mut self.nodes[node as usize].rules);
        for &rule in &rules {
            self.apply(rule, &fresh, program);
        }
        // Applying may have added some.
        let added = std::mem::replace(&mut self.nodes[node as usize].rules, rules);
        self.nodes[node as usize].rules.extend(added);
        for suspect in suspects {
            self.merge_cycles_from(suspect);
        }
    }

    fn apply(&mut self, rule: Rule, places: &SparseSet, program: &mut impl Program) {
        match rule {
            Rule::Shift { to, by, stride } => {
                self.forward(places, to, |place| place.shifted(by, stride));
                return;
            }
            Rule::Bits { to, change } => {
                self.forward(places, to, |place| change.apply(place));
                return;
            }
            _ => {}
        }
        for number in places.iter() {
            let place = self.places.get(number);
            match rule {
                Rule::Load { to, bytes } => self.load(place, bytes, to),
                Rule::Store { from, bytes } => self.store(place, bytes, from),
                Rule::CopyFrom(object) => self.relate(place, Place::start(object)),
                Rule::CopyTo(object) => {
                    if !self.places.objects[place.object].constant {
                        self.relate(Place::start(object), place);
                    }
                }
                Rule::Call(site) => program.called(self, site, place),
                Rule::Start(site) => program.started(self, site, place),
                Rule::Escape => program.escaped(self, place),
                Rule::Shift { .. } | Rule::Bits { .. } => {}
            }
        }
    }

    fn forward(&mut self, places: &SparseSet, to: u32, change: impl Fn(Place) -> Place) {
        let mut changed = SparseSet::default();
        for number in places.iter() {
            let place = change(self.places.get(number));
            changed.insert(self.places.number(place));
        }
        let to = self.find(to);
        self.send(&changed, to);
    }

    fn load(&mut self, place: Place, bytes: Option<u64>, to: u32) {
        if self.places.objects[place.object].kind == ObjectKind::Anything {
            self.add_copy(self.outside, to);
            return;
        }
        for key in self.places.keys(place, bytes) {
            let cell = self.read_cell(place.object, key);
            self.add_copy(cell, to);
        }
    }

    fn store(&mut self, place: Place, bytes: Option<u64>, from: u32) {
        let object = &self.places.objects[place.object];
        if object.kind == ObjectKind::Anything {
            self.add_copy(from, self.outside);
            return;
        }
        // Writing to it is a fault.
        if object.constant {
            return;
        }
        for key in self.places.keys(place, bytes) {
            let cell = self.written_cell(place.object, key);
            self.add_copy(from, cell);
        }
    }

    /// Cycles of copies that are there from the beginning become one node each.
    fn merge_known_cycles(&mut self) {
        let found = components(self.nodes.len(), |node| {
            self.nodes[node].copies.iter().map(|to| *to as usize)
        });
        self.merge_components(&found);
    }

    fn merge_components(&mut self, component: &[u32]) {
        let mut first = vec![u32::MAX; component.len()];
        for (node, &c) in component.iter().enumerate() {
            let node = node as u32;
            match first[c as usize] {
                u32::MAX => first[c as usize] = node,
                other => self.merge(other, node),
            }
        }
    }

    /// An offset that is added on the way around a loop is added any number of times.
    fn widen_loops(&mut self) {
        let parents: Vec<u32> = (0..self.nodes.len() as u32).map(|n| self.find(n)).collect();
        let component = components(self.nodes.len(), |node| {
            let n = &self.nodes[node];
            let shifts = n.rules.iter().filter_map(|rule| match rule {
                Rule::Shift { to, .. } | Rule::Bits { to, .. } => Some(*to),
                _ => None,
            });
            let next = n.copies.iter().copied().chain(shifts);
            next.map(|to| parents[to as usize] as usize)
        });
        for node in 0..self.nodes.len() {
            for rule in &mut self.nodes[node].rules {
                let Rule::Shift { to, by, stride } = rule else {
                    continue;
                };
                if component[parents[*to as usize] as usize] == component[node] {
                    *stride = super::place::gcd(*stride, by.unsigned_abs());
                    *by = 0;
                }
            }
        }
    }

    /// Merges the cycles of copies that can be reached from a node.
    fn merge_cycles_from(&mut self, start: u32) {
        let start = self.find(start);
        // A part of the graph with numbers of its own.
        let mut members = vec![start];
        let mut numbers = rustc_hash::FxHashMap::default();
        numbers.insert(start, 0usize);
        let mut successors: Vec<Vec<usize>> = Vec::new();
        let mut next = 0;
        while next < members.len() {
            let node = members[next];
            next += 1;
            let mut list = Vec::new();
            for i in 0..self.nodes[node as usize].copies.len() {
                let to = self.nodes[node as usize].copies[i];
                let to = self.find(to);
                // Nodes on a cycle with this edge hold the same, at the end if not now.
                if to == node
                    || self.nodes[to as usize].targets != self.nodes[start as usize].targets
                {
                    continue;
                }
                let number = *numbers.entry(to).or_insert_with(|| {
                    members.push(to);
                    members.len() - 1
                });
                list.push(number);
            }
            successors.push(list);
        }
        let component = components(members.len(), |node| successors[node].iter().copied());
        let mut first = vec![u32::MAX; members.len()];
        for (index, &c) in component.iter().enumerate() {
            match first[c as usize] {
                u32::MAX => first[c as usize] = members[index],
                other => self.merge_equal(other, members[index]),
            }
        }
    }

    /// Merges two nodes with the same targets: only what one of them has not sent on is new.
    fn merge_equal(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let gone = std::mem::take(&mut self.nodes[b as usize]);
        self.parents[b as usize] = a;
        let kept = &mut self.nodes[a as usize];
        kept.copies.extend(gone.copies);
        kept.rules.extend(gone.rules);
        kept.fresh.union_with(&gone.fresh);
        if !kept.fresh.is_empty() {
            self.enqueue(a);
        }
    }
}

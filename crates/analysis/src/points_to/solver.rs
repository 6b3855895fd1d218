//! The constraint graph and its least solution.
//!
//! Nodes are values, cells of memory and a few that stand for the whole program; a node has the
//! places it may hold. An edge copies them; a rule says what follows from a place: which cells a
//! load reads, where an offset leads, which functions a call reaches.
//!
//! Solved in waves (Pereira and Berlin 2009): cycles of copies become one node each, what is new is
//! sent along the copies in topological order, then rules are applied to what is new, which adds
//! edges. Only what is new at a node is sent on (difference propagation: Pearce, Kelly and Hankin
//! 2004). Accesses through pointers that may lead to the same places share the edges to and from
//! the cells there: those are between the cells and a *hub*.

mod accesses;

use std::collections::BinaryHeap;

use base::components;
use rustc_hash::{FxHashMap, FxHashSet};

use super::memory::Memory;
use super::place::{ObjectId, Place, Places};
use super::set::{Gathering, SparseSet};
use super::shared::{SetId, SharedSets};
use accesses::Hub;

/// What follows from a place at a node. (Sorted, those that may be shared stand together.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    /// What is read there goes to the node.
    Load { bytes: Option<u64>, to: u32 },
    /// What the node holds is written there.
    Store { bytes: Option<u64>, from: u32 },
    /// The place further on goes to the node.
    Shift { by: i64, stride: u64, to: u32 },
    /// The place with some low bits of its address changed goes to the node.
    Bits { change: LowBits, to: u32 },
    /// The memory there is copied to the object.
    CopyFrom(ObjectId),
    /// The object is copied to the memory there.
    CopyTo(ObjectId),
    /// A function there is called.
    Call(u32),
    /// Something there is what a call by way of it is made with.
    Receive(u32),
    /// A function there is one that was found from a place of a receiver.
    Dispatch(u32),
    /// A function there is started as a thread.
    Start(u32),
    /// Unmodelled code has the address.
    Escape,
}

/// Low bits of an address that are cleared, set or inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// What a rule makes of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Change {
    Shift(i64, u64),
    Bits(LowBits),
}

impl Change {
    fn apply(self, place: Place) -> Place {
        match self {
            Change::Shift(by, stride) => place.shifted(by, stride),
            Change::Bits(change) => change.apply(place),
        }
    }
}

/// What a word of a set costs, in steps.
const WORD: usize = 4;

/// What a rule asks of the program; the solver knows no functions.
pub(super) trait Program {
    fn called(&mut self, solver: &mut Solver, site: u32, places: &[Place]);
    fn received(&mut self, solver: &mut Solver, site: u32, places: &[Place]);
    fn dispatched(&mut self, solver: &mut Solver, dispatch: u32, places: &[Place]);
    fn started(&mut self, solver: &mut Solver, site: u32, place: Place);
    fn escaped(&mut self, solver: &mut Solver, place: Place);
}

#[derive(Default)]
struct Node {
    targets: SetId,
    /// Those of the targets that were not sent on.
    fresh: SetId,
    /// Those of the targets that the rules have not seen. Empty if there are no rules.
    unseen: SetId,
    copies: Vec<u32>,
    rules: Vec<Rule>,
    /// Larger than that of the nodes it is copied to, as far as is known.
    rank: u32,
    /// What it holds comes from one rule alone, now and later.
    single_source: bool,
    /// All that it holds is written through one pointer.
    gate: bool,
    queued: bool,
}

pub(super) struct Solver {
    pub places: Places,
    pub sets: SharedSets,
    pub memory: Memory,
    /// What is known to the outside: unmodelled functions read and write there.
    pub outside: u32,
    nodes: Vec<Node>,
    /// Towards the node that a node was merged into.
    parents: Vec<u32>,
    edges: FxHashSet<(u32, u32)>,
    /// Nodes with something to send on, by rank.
    queue: BinaryHeap<(u32, u32)>,
    /// Nodes whose rules have not seen everything.
    waiting: Vec<u32>,
    /// Edges since cycles were looked for.
    new_edges: usize,
    /// Rules that were added while the graph was being solved, and have not been applied to what
    /// their node held.
    late: Vec<(u32, Rule)>,
    /// Nodes that have got rules since those that do the same were looked for.
    pub(super) unshared: Vec<u32>,
    solving: bool,
    /// Nodes between several cells and those that read or write all of them.
    hubs: FxHashMap<Hub, u32>,
    /// The cell that an access of this size, a read or a write, finds at each place.
    cells: FxHashMap<(Option<u64>, bool), Vec<u32>>,
    /// What has been made of the places of a set.
    changes: FxHashMap<(SetId, Change), SetId>,
    /// What has been made of each place, as far as that is remembered.
    changed: FxHashMap<Change, Vec<u32>>,
    gathering: Gathering,
    /// How much has been done, and how much may be.
    work: usize,
    budget: usize,
}

/// It is not known which cell that is, or there are several.
const UNKNOWN: u32 = u32::MAX;
/// Of as many places it is remembered what has been made of them: programs with more have too many
/// changes as well.
const REMEMBERED: u32 = 16_384;
impl Solver {
    pub fn new(places: Places) -> Solver {
        let mut solver = Solver {
            places,
            sets: SharedSets::new(),
            memory: Memory::default(),
            outside: 0,
            nodes: Vec::new(),
            parents: Vec::new(),
            edges: FxHashSet::default(),
            queue: BinaryHeap::new(),
            waiting: Vec::new(),
            new_edges: 0,
            late: Vec::new(),
            unshared: Vec::new(),
            solving: false,
            hubs: FxHashMap::default(),
            cells: FxHashMap::default(),
            changes: FxHashMap::default(),
            changed: FxHashMap::default(),
            gathering: Gathering::default(),
            work: 0,
            budget: usize::MAX,
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

    /// What the node holds.
    pub fn set_of(&mut self, node: u32) -> SetId {
        let node = self.find(node);
        self.nodes[node as usize].targets
    }

    pub fn add_target(&mut self, node: u32, place: Place) {
        let one = vec![self.places.number(place)];
        let one = self.sets.add(SparseSet::of(one));
        let node = self.find(node);
        self.send(one, node);
    }

    /// What `from` holds, `to` holds.
    pub fn add_copy(&mut self, from: u32, to: u32) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.new_edges += 1;
        self.work += 1;
        self.nodes[from as usize].copies.push(to);
        let all = self.nodes[from as usize].targets;
        self.send(all, to);
    }

    pub fn add_rule(&mut self, node: u32, rule: Rule) {
        let node = self.find(node);
        self.nodes[node as usize].rules.push(rule);
        self.unshared.push(node);
        self.add_late(node, rule);
    }

    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn rules(&mut self, node: u32) -> &mut Vec<Rule> {
        &mut self.nodes[node as usize].rules
    }

    pub(super) fn is_single_source(&self, node: u32) -> bool {
        self.nodes[node as usize].single_source
    }

    pub(super) fn is_gate(&self, node: u32) -> bool {
        self.nodes[node as usize].gate
    }

    /// A node for all that is stored through the pointer through which `from` is.
    pub(super) fn gate_for(&mut self, from: u32) -> u32 {
        if self.is_gate(from) {
            return from;
        }
        let gate = self.add_node();
        self.nodes[gate as usize].gate = true;
        self.add_copy(from, gate);
        gate
    }

    /// The rule has not been applied to what its node holds.
    pub(super) fn add_late(&mut self, node: u32, rule: Rule) {
        // Before solving begins, no rule has.
        if self.solving && !self.set_of(node).is_empty() {
            self.late.push((node, rule));
        }
    }

    /// Whatever the node holds will come from one rule.
    pub fn has_single_source(&mut self, node: u32) {
        let node = self.find(node);
        self.nodes[node as usize].single_source = true;
    }

    /// Both hold the same from now on.
    pub fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let gone = std::mem::take(&mut self.nodes[b as usize]);
        self.parents[b as usize] = a;
        let sets = &mut self.sets;
        let kept = &mut self.nodes[a as usize];
        let same = kept.targets == gone.targets;
        kept.targets = sets.union(kept.targets, gone.targets);
        kept.copies.extend(gone.copies);
        if !gone.rules.is_empty() {
            kept.rules.extend(gone.rules);
            self.unshared.push(a);
        }
        kept.single_source |= gone.single_source;
        kept.gate &= gone.gate;
        if same {
            kept.fresh = sets.union(kept.fresh, gone.fresh);
            kept.unseen = sets.union(kept.unseen, gone.unseen);
        } else {
            // The rules and edges of one have not seen what the other held.
            kept.fresh = kept.targets;
            kept.unseen = kept.targets;
        }
        self.enqueue(a);
    }

    /// Whether it was done within the budget. Otherwise only some of what nodes may hold is known.
    pub fn solve(&mut self, program: &mut impl Program, budget: usize) -> bool {
        self.budget = budget;
        self.merge_cycles();
        self.share();
        self.widen_loops();
        self.begin();
        loop {
            self.propagate();
            let any = self.apply_rules(program);
            if self.is_exhausted() {
                return false;
            }
            if !any {
                return true;
            }
            // Looking is as much work as a few of the edges are likely to save.
            if self.new_edges > self.nodes.len() / 4 {
                self.merge_cycles();
                self.share();
            }
        }
    }

    fn is_exhausted(&self) -> bool {
        self.work + WORD * self.sets.words() > self.budget
    }

    /// All that nodes hold is still to be seen by their rules.
    fn begin(&mut self) {
        self.solving = true;
        for node in 0..self.nodes.len() {
            let n = &mut self.nodes[node];
            if !n.rules.is_empty() && !n.targets.is_empty() {
                n.unseen = n.targets;
                self.waiting.push(node as u32);
            }
        }
    }

    fn enqueue(&mut self, node: u32) {
        let n = &mut self.nodes[node as usize];
        if !n.fresh.is_empty() && !std::mem::replace(&mut n.queued, true) {
            self.queue.push((n.rank, node));
        }
        if self.solving && !n.unseen.is_empty() {
            self.waiting.push(node);
        }
    }

    fn send(&mut self, places: SetId, to: u32) {
        self.work += 1;
        let n = &mut self.nodes[to as usize];
        let new = self.sets.minus(places, n.targets);
        if new.is_empty() {
            return;
        }
        n.targets = self.sets.union(n.targets, new);
        if n.copies.is_empty() && n.rules.is_empty() && self.solving {
            return;
        }
        n.fresh = self.sets.union(n.fresh, new);
        if !std::mem::replace(&mut n.queued, true) {
            self.queue.push((n.rank, to));
        }
    }

    /// Sends what is new along the copies until nothing is.
    fn propagate(&mut self) {
        while !self.is_exhausted()
            && let Some((_, node)) = self.queue.pop()
        {
            let n = &mut self.nodes[node as usize];
            n.queued = false;
            let fresh = std::mem::take(&mut n.fresh);
            if fresh.is_empty() {
                continue;
            }
            if !n.rules.is_empty() && self.solving {
                if n.unseen.is_empty() {
                    self.waiting.push(node);
                }
                n.unseen = self.sets.union(n.unseen, fresh);
            }
            let copies = std::mem::take(&mut n.copies);
            for &to in &copies {
                let to = self.find(to);
                if to != node {
                    self.send(fresh, to);
                }
            }
            self.nodes[node as usize].copies = copies;
        }
    }

    /// Applies rules to what they have not seen. Whether there was anything.
    fn apply_rules(&mut self, program: &mut impl Program) -> bool {
        let mut any = false;
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_unstable();
        waiting.dedup();
        for node in waiting {
            if self.is_exhausted() {
                return true;
            }
            let node = self.find(node);
            let unseen = std::mem::take(&mut self.nodes[node as usize].unseen);
            if unseen.is_empty() {
                continue;
            }
            any = true;
            // Applying may add some; those are late.
            for index in 0..self.nodes[node as usize].rules.len() {
                let rule = self.nodes[node as usize].rules[index];
                self.apply(rule, unseen, program);
            }
        }
        while let Some((node, rule)) = self.late.pop() {
            any = true;
            let all = self.set_of(node);
            self.apply(rule, all, program);
        }
        self.settle_cells();
        any
    }

    fn apply(&mut self, rule: Rule, places: SetId, program: &mut impl Program) {
        match rule {
            Rule::Load { to, bytes } => self.access_all(places, bytes, true, to),
            Rule::Store { from, bytes } => self.access_all(places, bytes, false, from),
            Rule::Shift { to, by, stride } => self.forward(places, to, Change::Shift(by, stride)),
            Rule::Bits { to, change } => self.forward(places, to, Change::Bits(change)),
            Rule::Call(site) => {
                let places = self.list(places);
                program.called(self, site, &places);
            }
            Rule::Receive(site) => {
                let places = self.list(places);
                program.received(self, site, &places);
            }
            Rule::Dispatch(dispatch) => {
                let places = self.list(places);
                program.dispatched(self, dispatch, &places);
            }
            Rule::CopyFrom(_) | Rule::CopyTo(_) | Rule::Start(_) | Rule::Escape => {
                for place in self.list(places) {
                    self.apply_to(rule, place, program);
                }
            }
        }
    }

    fn list(&self, places: SetId) -> Vec<Place> {
        let numbers = self.sets.get(places);
        numbers.map(|number| self.places.get(number))
    }

    fn apply_to(&mut self, rule: Rule, place: Place, program: &mut impl Program) {
        match rule {
            Rule::CopyFrom(object) => self.relate(place, Place::start(object)),
            Rule::CopyTo(object) if !self.places.objects[place.object].constant => {
                self.relate(Place::start(object), place);
            }
            Rule::Start(site) => program.started(self, site, place),
            Rule::Escape => program.escaped(self, place),
            _ => {}
        }
    }

    /// Sends on what a shift or a change of bits makes of some places.
    fn forward(&mut self, places: SetId, to: u32, change: Change) {
        let changed = match self.changes.get(&(places, change)) {
            Some(known) => *known,
            None => {
                let numbers = self.sets.get(places);
                self.work += numbers.len();
                let known = self.changed.entry(change).or_default();
                for number in numbers.iter() {
                    let mut place = known.get(number as usize).copied().unwrap_or(UNKNOWN);
                    if place == UNKNOWN {
                        place = self.places.changed(number, |place| change.apply(place));
                        if number < REMEMBERED {
                            if known.len() <= number as usize {
                                known.resize(number as usize + 1, UNKNOWN);
                            }
                            known[number as usize] = place;
                        }
                    }
                    self.gathering.add(place);
                }
                let changed = self.sets.add(self.gathering.take());
                self.changes.insert((places, change), changed);
                changed
            }
        };
        let to = self.find(to);
        self.send(changed, to);
    }

    /// Cycles of copies become one node each; the others are ranked.
    fn merge_cycles(&mut self) {
        self.new_edges = 0;
        for node in 0..self.nodes.len() {
            let mut copies = std::mem::take(&mut self.nodes[node].copies);
            copies.iter_mut().for_each(|to| *to = self.find(*to));
            copies.sort_unstable();
            copies.dedup();
            self.nodes[node].copies = copies;
        }
        let found = components(self.nodes.len(), |node| {
            self.nodes[node].copies.iter().map(|to| *to as usize)
        });
        let mut first = vec![u32::MAX; found.len()];
        for (node, &component) in found.iter().enumerate() {
            match first[component as usize] {
                u32::MAX => first[component as usize] = node as u32,
                other => {
                    self.merge(other, node as u32);
                    self.nodes[other as usize].single_source = false;
                }
            }
        }
        self.queue.clear();
        for (node, &component) in found.iter().enumerate() {
            let n = &mut self.nodes[node];
            n.rank = component;
            n.queued = !n.fresh.is_empty();
            if n.queued {
                self.queue.push((component, node as u32));
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
}

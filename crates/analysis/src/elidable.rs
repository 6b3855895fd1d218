//! Elidable mutexes: their critical sections can be executed without locking.
//!
//! A section is *short* if it begins and ends in one function, with a lock and an unlock of the
//! same address on every path, and contains no operation that waits or for which others wait: no
//! other synchronisation, no creation or end of a thread. A mutex is short if all its sections are,
//! every unlock of it ends one of them, and nothing else is done to it (except initialising and
//! destroying it while no thread holds it or can use it). A thread that waits for a short mutex
//! gets it in the end, so the mutex takes part in no deadlock, and it is never misused. A section
//! is *observable* if it contains something essential or an access that is a scheduling point. If
//! no section of a short mutex is observable, the order of its sections makes no difference: the
//! mutex is *elidable*, and it does not matter whether and how often it is locked.
//!
//! Only for searches that look into critical sections (P4, section 5.1), in which such a lock is no
//! event. Which nodes are essential depends on which mutexes are elidable, and the other way round.
//! `Slicer::relevant` therefore computes a greatest fixed point: it takes all short mutexes to be
//! elidable, and drops observable ones until none is left. Errs on the side of less.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use ir::{BlockId, FuncId, Op, ValueId};
use rustc_hash::FxHashMap;

use crate::address::{Address, Addresses};
use crate::concurrency::Concurrency;
use crate::external::{Class, Effect, Mode, Sync, Wait};
use crate::facts::{Facts, Flow};
use crate::node::{NodeId, NodeSet, Stands};
use crate::points_to::{AccessKind, ObjectKind};
use crate::unique::Unique;

/// Short critical sections, those of one mutex in one group.
#[derive(Default)]
pub struct Sections {
    sections: Vec<Section>,
}

struct Section {
    /// Its locks and unlocks.
    calls: Vec<NodeId>,
    inside: Vec<NodeId>,
    /// What may be called inside.
    below: Vec<FuncId>,
    /// Sections that may be of one mutex have the same number.
    group: usize,
}

impl Sections {
    pub fn of(facts: &Facts, concurrency: &dyn Concurrency) -> Sections {
        let unique = Unique::of(facts.module, facts.nodes, facts.points_to);
        let finder = Finder {
            facts,
            addresses: Addresses::of(facts.module, facts.points_to, &unique),
        };
        if finder.something_touches_anything() {
            return Sections::default();
        }
        let mut sections = Vec::new();
        for (function, _, flow) in facts.entered() {
            finder.sections(function, flow, &mut sections);
        }
        finder.group(sections, concurrency)
    }

    /// The locks and unlocks of all sections.
    pub fn calls(&self, facts: &Facts) -> NodeSet {
        let mut calls = facts.nodes.none();
        for section in &self.sections {
            for call in &section.calls {
                calls.insert(*call);
            }
        }
        calls
    }

    /// What else may write to their mutexes. If one is copied while a thread holds it, so is the
    /// copy.
    pub fn plain_writes(&self, facts: &Facts, elidable: &NodeSet) -> Vec<NodeId> {
        let points_to = facts.points_to;
        let mut found = facts.nodes.none();
        for &call in self.sections.iter().flat_map(|section| &section.calls) {
            for access in points_to.accesses(call) {
                for object in points_to.objects_of(access) {
                    for (node, other) in points_to.touching(object) {
                        if other.kind == AccessKind::Write
                            && !elidable.contains(node)
                            && points_to.may_overlap(access, other)
                        {
                            found.insert(node);
                        }
                    }
                }
            }
        }
        found.iter().collect()
    }

    /// Drops the mutexes in a section of which one of these nodes may be executed. Whether there
    /// are any.
    pub fn drop_where(&mut self, facts: &Facts, is_observable: impl Fn(NodeId) -> bool) -> bool {
        let mut observable = BTreeSet::new();
        let mut known: FxHashMap<FuncId, bool> = FxHashMap::default();
        for section in &self.sections {
            let mut is_below = |function: &FuncId| {
                *known
                    .entry(*function)
                    .or_insert_with(|| facts.nodes.of_function(*function).any(&is_observable))
            };
            let mut all = section.calls.iter().chain(&section.inside);
            if all.any(|node| is_observable(*node)) || section.below.iter().any(&mut is_below) {
                observable.insert(section.group);
            }
        }
        self.sections
            .retain(|section| !observable.contains(&section.group));
        !observable.is_empty()
    }
}

/// What a call does to a mutex.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LockEffect {
    Lock(ValueId),
    Unlock(ValueId),
}

struct Finder<'c, 'a> {
    facts: &'c Facts<'a>,
    addresses: Addresses,
}

impl Finder<'_, '_> {
    fn something_touches_anything(&self) -> bool {
        let points_to = self.facts.points_to;
        let anything = |object| points_to.objects()[object].kind == ObjectKind::Anything;
        let functions = self.facts.entered().map(|(function, ..)| function);
        let mut nodes = functions.flat_map(|function| self.facts.nodes.of_function(function));
        nodes.any(|node| {
            let mut accesses = points_to.accesses(node).iter();
            accesses.any(|access| points_to.objects_of(access).any(anything))
        })
    }

    fn effect(&self, node: NodeId) -> Option<LockEffect> {
        let call = self.facts.call(node)?;
        let mut effect = None;
        for external in self.facts.externals(node) {
            let this = match external.class {
                Class::Synchronises(Sync::Lock {
                    lock,
                    mode: Mode::Exclusive,
                    wait: Wait::Forever,
                }) => LockEffect::Lock(*call.args.get(lock)?),
                Class::Synchronises(Sync::Unlock { lock }) => {
                    LockEffect::Unlock(*call.args.get(lock)?)
                }
                _ => return None,
            };
            if effect.is_some_and(|effect| effect != this) {
                return None;
            }
            effect = Some(this);
        }
        effect.filter(|_| self.facts.entered_by(node).next().is_none())
    }

    /// The short sections of a function.
    fn sections(&self, function: FuncId, flow: &Flow, found: &mut Vec<Section>) {
        let mut addresses: Vec<&Address> = Vec::new();
        for node in self.facts.calls.calls(function) {
            if let Some(LockEffect::Lock(value)) = self.effect(*node) {
                addresses.push(self.addresses.get(function, value));
            }
        }
        addresses.sort_unstable();
        addresses.dedup();
        if addresses.is_empty() || self.facts.returns_twice(function) {
            return;
        }
        for address in addresses {
            found.extend(self.section(function, flow, address));
        }
    }

    /// All sections of the address in the function, as one.
    fn section(&self, function: FuncId, flow: &Flow, address: &Address) -> Option<Section> {
        let body = self.facts.body(function);
        let mut section = Section {
            calls: Vec::new(),
            inside: Vec::new(),
            below: Vec::new(),
            group: 0,
        };
        let cfg = &flow.cfg;
        let mut held: Vec<Option<bool>> = vec![None; cfg.len() + 1];
        held[cfg.entry().index()] = Some(false);
        // Every predecessor but those of back edges comes first.
        for &block in cfg.order() {
            if block == cfg.exit() {
                continue;
            }
            let mut is_held = held[block.index()]?;
            let changes = |value: &ValueId| self.addresses.mentions(function, address, *value);
            if is_held && body.blocks[block].params.iter().any(changes) {
                return None;
            }
            for node in self.facts.nodes.of_block(function, block) {
                is_held = self.step(function, address, node, is_held, &mut section)?;
            }
            for next in cfg.successors(block) {
                self.join(&mut held, *next, is_held)?;
            }
        }
        // A way out with the mutex in hand.
        if held[cfg.exit().index()] == Some(true) {
            return None;
        }
        let below = self
            .facts
            .calls
            .reachable_from(&section.below, self.facts.module, false);
        section.below = below
            .enumerate()
            .filter(|(_, r)| **r)
            .map(|(f, _)| f)
            .collect();
        let calls = |function: &FuncId| self.facts.calls.calls(*function).iter();
        let mut inside = section
            .inside
            .iter()
            .chain(section.below.iter().flat_map(calls));
        let waits = |node: &NodeId| self.facts.externals(*node).any(|e| is_observable(e.class));
        (!inside.any(waits)).then_some(section)
    }

    fn join(&self, held: &mut [Option<bool>], block: BlockId, is_held: bool) -> Option<()> {
        let known = held[block.index()].get_or_insert(is_held);
        (*known == is_held).then_some(())
    }

    /// Whether the mutex is held after the node; `None`: that cannot be told.
    fn step(
        &self,
        function: FuncId,
        address: &Address,
        node: NodeId,
        is_held: bool,
        section: &mut Section,
    ) -> Option<bool> {
        let is_it = |value| self.addresses.get(function, value) == address;
        match self.effect(node) {
            Some(LockEffect::Lock(value)) if is_it(value) => {
                section.calls.push(node);
                return (!is_held).then_some(true);
            }
            Some(LockEffect::Unlock(value)) if is_it(value) => {
                section.calls.push(node);
                return is_held.then_some(false);
            }
            _ => {}
        }
        if !is_held {
            return Some(false);
        }
        section.inside.push(node);
        section.below.extend(self.facts.entered_by(node));
        if let Stands::Inst(inst) = self.facts.nodes.stands_for(self.facts.module, node) {
            let mut changes = false;
            inst.op.for_each_result(|value| {
                changes |= self.addresses.mentions(function, address, value);
            });
            if changes {
                return None;
            }
        }
        Some(true)
    }

    /// Keeps the sections of mutexes to which nothing else is done.
    fn group(&self, mut sections: Vec<Section>, concurrency: &dyn Concurrency) -> Sections {
        let mut owner: FxHashMap<NodeId, usize> = FxHashMap::default();
        for (index, section) in sections.iter_mut().enumerate() {
            section.group = index;
            for call in &section.calls {
                owner.insert(*call, index);
            }
        }
        let mut groups: Vec<usize> = (0..sections.len()).collect();
        let mut bad = FixedBitSet::with_capacity(sections.len());
        for (index, section) in sections.iter().enumerate() {
            for call in &section.calls {
                self.relate(section, *call, &owner, concurrency, |other| match other {
                    Some(other) => unite(&mut groups, index, other),
                    None => bad.insert(index),
                });
            }
        }
        for (index, section) in sections.iter_mut().enumerate() {
            section.group = root(&groups, index);
        }
        let bad: Vec<usize> = bad.ones().map(|index| root(&groups, index)).collect();
        sections.retain(|section| !bad.contains(&section.group));
        Sections { sections }
    }

    /// All that is done to the mutex of a lock or unlock: the section it belongs to; `None`:
    /// something else.
    fn relate(
        &self,
        section: &Section,
        call: NodeId,
        owner: &FxHashMap<NodeId, usize>,
        concurrency: &dyn Concurrency,
        mut f: impl FnMut(Option<usize>),
    ) {
        let points_to = self.facts.points_to;
        let mine = points_to.accesses(call);
        if mine.is_empty() {
            return f(None);
        }
        for access in mine {
            for object in points_to.objects_of(access) {
                for (node, other) in points_to.touching(object) {
                    if !points_to.may_overlap(access, other) {
                        continue;
                    }
                    match owner.get(&node) {
                        Some(section) => f(Some(*section)),
                        // What a section does to its own mutex decides what its unlock finds.
                        None if self.is_inside(node, section) => f(None),
                        // A copy of a held mutex is held for ever.
                        None if other.kind == AccessKind::Write && self.may_copy(node) => f(None),
                        None if self.is_apart(node, call, concurrency) => {}
                        None => f(None),
                    }
                }
            }
        }
    }

    /// Whether what it writes may be what is somewhere else in memory, constants apart.
    fn may_copy(&self, node: NodeId) -> bool {
        let points_to = self.facts.points_to;
        let is_constant = |object| points_to.objects()[object].constant;
        let mut read = points_to.accesses(node).iter();
        let mut read = read
            .by_ref()
            .filter(|access| access.kind == AccessKind::Read);
        let reads = read.any(|access| !points_to.objects_of(access).all(is_constant));
        let copies = match self.facts.nodes.stands_for(self.facts.module, node) {
            Stands::Inst(inst) => match &inst.op {
                Op::Store { value, .. } => {
                    let body = self.facts.body(self.facts.nodes.function(node));
                    return body.values[*value].constant.is_none();
                }
                Op::Intrinsic { .. } => true,
                _ => false,
            },
            Stands::Terminator(_) => false,
        };
        let by_call =
            |effect: &Effect| matches!(effect, Effect::Copies { .. } | Effect::Reallocates { .. });
        let mut externals = self.facts.externals(node);
        reads && (copies || externals.any(|external| external.effects.iter().any(by_call)))
    }

    fn is_inside(&self, node: NodeId, section: &Section) -> bool {
        section.inside.contains(&node) || section.below.contains(&self.facts.nodes.function(node))
    }

    /// Whether the node makes, destroys or plainly accesses the mutex, and never while another
    /// thread can use it.
    fn is_apart(&self, node: NodeId, call: NodeId, concurrency: &dyn Concurrency) -> bool {
        let is_use = |class| {
            !matches!(
                class,
                Class::Synchronises(Sync::Initialise { .. } | Sync::Destroy { .. })
                    | Class::Allocates
                    | Class::Moves
                    | Class::Output
            )
        };
        let is_used = self.facts.externals(node).any(|e| is_use(e.class));
        !is_used && !concurrency.may_happen_in_parallel(node, call)
    }
}

/// What waits, or is waited for, or ends something.
fn is_observable(class: Class) -> bool {
    !matches!(
        class,
        Class::Output | Class::Moves | Class::Asks | Class::Nothing
    )
}

fn root(groups: &[usize], mut index: usize) -> usize {
    while groups[index] != index {
        index = groups[index];
    }
    index
}

fn unite(groups: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(groups, a), root(groups, b));
    groups[a.max(b)] = a.min(b);
}

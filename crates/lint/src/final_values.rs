//! The final values of variables: what a thread has stored in them where it stays for ever, at its
//! end or in a loop that waits.
//!
//! The search goes from that place backwards along control flow and calls to the last stores. A
//! store of anything but a constant leaves something unknown.

use analysis::cfg::Cfg;
use analysis::{AccessKind, Address, NodeId, Stands, call_at};
use fixedbitset::FixedBitSet;
use ir::{BlockId, Op};

use crate::Facts;
use crate::counts::number;
use crate::locks::VisitId;

/// What may be in a variable; `None`: something unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinalValues {
    pub values: Vec<Option<i64>>,
    /// There is a way from the thread's beginning without a store.
    pub untouched: bool,
}

impl FinalValues {
    fn add(&mut self, value: Option<i64>) {
        if !self.values.contains(&value) {
            self.values.push(value);
        }
    }
}

/// What the thread has left in the variable when it is at the node of the visit.
pub fn final_values(facts: Facts, visit: VisitId, node: NodeId, variable: &Address) -> FinalValues {
    let mut found = FinalValues::default();
    let (mut visit, mut node) = (visit, node);
    loop {
        let reaches_entry = search(facts, node, variable, &mut found);
        if !reaches_entry {
            return found;
        }
        match facts.locks.visits[visit].caller {
            Some((caller, call)) => (visit, node) = (caller, call),
            None => {
                found.untouched = true;
                return found;
            }
        }
    }
}

/// Looks for stores before the node in its function. Whether there is a way from the entry without
/// one.
fn search(facts: Facts, node: NodeId, variable: &Address, found: &mut FinalValues) -> bool {
    let function = facts.nodes.function(node);
    let body = facts.module.functions[function].body.as_ref();
    let cfg = Cfg::of(body.expect("a body"));
    let mut seen = FixedBitSet::with_capacity(cfg.len());
    let mut reaches_entry = false;
    let first = facts.nodes.of_block(function, facts.nodes.block(node));
    let first: Vec<NodeId> = first.take_while(|earlier| *earlier < node).collect();
    let mut stack: Vec<(BlockId, Vec<NodeId>)> = vec![(facts.nodes.block(node), first)];
    while let Some((block, nodes)) = stack.pop() {
        let ends = nodes
            .iter()
            .rev()
            .any(|node| stores(facts, *node, variable, found));
        if ends {
            continue;
        }
        reaches_entry |= block == cfg.entry();
        for &before in cfg.predecessors(block) {
            if cfg.is_reachable(before) && !seen.put(before.index()) {
                let nodes = facts.nodes.of_block(function, before).collect();
                stack.push((before, nodes));
            }
        }
    }
    reaches_entry
}

/// Notes what the node stores in the variable. Whether it certainly stores.
fn stores(facts: Facts, node: NodeId, variable: &Address, found: &mut FinalValues) -> bool {
    if call_at(facts.module, facts.nodes, node).is_some() {
        for callee in facts.points_to.entered(node) {
            called(facts, callee, variable, found);
        }
        return false;
    }
    let Some(value) = stored(facts, node, variable) else {
        return false;
    };
    found.add(value);
    address_of(facts, node).is_some_and(|address| address == variable)
}

/// All that a function and those it calls may store.
fn called(facts: Facts, function: ir::FuncId, variable: &Address, found: &mut FinalValues) {
    let mut seen = FixedBitSet::with_capacity(facts.module.functions.len());
    let mut stack = vec![function];
    while let Some(function) = stack.pop() {
        if seen.put(function.index()) {
            continue;
        }
        for node in facts.nodes.of_function(function) {
            if call_at(facts.module, facts.nodes, node).is_some() {
                stack.extend(facts.points_to.entered(node));
            } else if let Some(value) = stored(facts, node, variable) {
                found.add(value);
            }
        }
    }
}

/// The number that the node may store in the variable; `Some(None)` if it is not known.
pub fn stored(facts: Facts, node: NodeId, variable: &Address) -> Option<Option<i64>> {
    let object = variable.anchor?;
    let writes = facts.points_to.accesses(node).iter();
    let mut writes = writes.filter(|access| access.kind == AccessKind::Write);
    let may = writes.any(|access| {
        let mut places = facts.points_to.places(access.locations).iter();
        places.any(|place| place.object == object && place.may_be(variable.offset))
    });
    if !may {
        return None;
    }
    let function = facts.nodes.function(node);
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => match &inst.op {
            Op::Store { value, .. } => Some(number(facts, function, *value)),
            _ => Some(None),
        },
        Stands::Terminator(_) => Some(None),
    }
}

/// Where a node accesses memory, if it is a load, a store or both.
pub fn address_of(facts: Facts<'_>, node: NodeId) -> Option<&Address> {
    let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, node) else {
        return None;
    };
    let pointer = match &inst.op {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } => *ptr,
        Op::Rmw { ptr, .. } | Op::CmpXchg { ptr, .. } => *ptr,
        _ => return None,
    };
    let function = facts.nodes.function(node);
    Some(facts.threads.addresses.get(function, pointer))
}

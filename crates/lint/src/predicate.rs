//! What a wait for a condition waits for: the loop that tests again after waking, and what it reads
//! to decide.
//!
//! The loop is looked for in the function that has locked the mutex, so that a wait in a wrapper
//! counts as one of its caller. A loop that locks the mutex itself in every round is no test: it
//! begins something new.

use analysis::cfg::Cfg;
use analysis::dominance::DominatorTree;
use analysis::external::{Class, Sync};
use analysis::loops::{Loop, loops};
use analysis::{AccessKind, NodeId, Stands, call_at};
use fixedbitset::FixedBitSet;
use ir::{BlockId, FuncId, Op, Terminator, ValueId};

use crate::Facts;
use crate::locks::{Held, Lock, Moment, VisitId};

/// A wait, as the function sees it that has locked the mutex.
pub struct Waiter {
    pub visit: VisitId,
    pub function: FuncId,
    /// The wait, or the call that leads to it.
    pub node: NodeId,
    pub test: Option<Test>,
}

/// A loop around the wait.
pub struct Test {
    pub round: Loop,
    /// The nodes that read what decides whether it goes on.
    pub reads: Vec<NodeId>,
}

pub fn waiter(facts: Facts, moment: &Moment) -> Waiter {
    let mutex: Vec<&Held> = mutex(facts, moment);
    let (mut visit, mut node) = (moment.visit, moment.node);
    // The function that has locked it is this one or one that called it.
    let locked_in = mutex.first().map(|held| outermost(facts, held));
    while let Some(function) = locked_in
        && facts.locks.visits[visit].function != function
    {
        match facts.locks.visits[visit].caller {
            Some((caller, call)) => (visit, node) = (caller, call),
            None => {
                (visit, node) = (moment.visit, moment.node);
                break;
            }
        }
    }
    let function = facts.nodes.function(node);
    let locked_at: Vec<NodeId> = mutex
        .iter()
        .filter_map(|held| held.path.first().copied())
        .filter(|node| facts.nodes.function(*node) == function)
        .collect();
    Waiter {
        visit,
        function,
        node,
        test: test(facts, function, node, &locked_at),
    }
}

fn outermost(facts: Facts, held: &Held) -> FuncId {
    facts.nodes.function(held.path[0])
}

/// The mutex that the wait gives back, as it is held.
pub fn mutex<'a>(facts: Facts, moment: &'a Moment) -> Vec<&'a Held> {
    let Some(call) = call_at(facts.module, facts.nodes, moment.node) else {
        return Vec::new();
    };
    let position = facts
        .points_to
        .externals(moment.node)
        .find_map(|e| match e.class {
            Class::Synchronises(Sync::WaitCondition { mutex, .. }) => Some(mutex),
            _ => None,
        });
    let Some(operand) = position.and_then(|position| call.args.get(position)) else {
        return Vec::new();
    };
    let function = facts.nodes.function(moment.node);
    let address = facts.threads.addresses.get(function, *operand);
    let is_it = |held: &&Held| held.lock == Lock::At(address.clone()) && !held.path.is_empty();
    moment.held.held.iter().filter(is_it).collect()
}

/// The innermost loop around the node that does not lock the mutex.
fn test(facts: Facts, function: FuncId, node: NodeId, locked_at: &[NodeId]) -> Option<Test> {
    let body = facts.module.functions[function].body.as_ref()?;
    let cfg = Cfg::of(body);
    let dominators = DominatorTree::dominators(&cfg);
    let block = facts.nodes.block(node);
    let outside = |l: &Loop| {
        let mut places = locked_at.iter().map(|node| facts.nodes.block(*node));
        locked_at.is_empty() || places.any(|locked| !l.contains(locked))
    };
    let around = loops(&cfg, &dominators).into_iter();
    let round = around
        .filter(|l| l.contains(block) && outside(l))
        .min_by_key(|l| l.blocks.len())?;
    let reads = reads(facts, function, &round);
    Some(Test { round, reads })
}

/// The loads and calls on which the branches in the loop depend, by values.
pub fn reads(facts: Facts, function: FuncId, round: &Loop) -> Vec<NodeId> {
    let body = facts.module.functions[function]
        .body
        .as_ref()
        .expect("a body");
    let mut stack: Vec<ValueId> = Vec::new();
    for &block in &round.blocks {
        match &body.blocks[block].terminator {
            Terminator::CondBr { cond, .. } => stack.push(*cond),
            Terminator::Switch { value, .. } => stack.push(*value),
            _ => {}
        }
    }
    let mut seen = FixedBitSet::with_capacity(body.values.len());
    let mut found = Vec::new();
    while let Some(value) = stack.pop() {
        if seen.put(value.index()) {
            continue;
        }
        let Some(node) = facts.threads.definitions.of(function, value) else {
            stack.extend(given(facts, function, round, value));
            continue;
        };
        if !round.contains(facts.nodes.block(node)) {
            continue;
        }
        let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, node) else {
            found.extend(called_reads(facts, node));
            continue;
        };
        match &inst.op {
            Op::Call(_) => found.extend(called_reads(facts, node)),
            op => {
                if matches!(op, Op::Load { .. } | Op::Rmw { .. } | Op::CmpXchg { .. }) {
                    found.push(node);
                }
                op.for_each_operand(|operand| stack.push(operand));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What a block parameter of the loop is given inside it.
fn given(facts: Facts, function: FuncId, round: &Loop, param: ValueId) -> Vec<ValueId> {
    let body = facts.module.functions[function]
        .body
        .as_ref()
        .expect("a body");
    let mut found = Vec::new();
    let position = |block: BlockId| {
        let params = &body.blocks[block].params;
        params.iter().position(|p| *p == param)
    };
    for &block in &round.blocks {
        let mut give = |target: &ir::Target| {
            if let Some(position) = position(target.block) {
                found.extend(target.args.get(position));
            }
        };
        match &body.blocks[block].terminator {
            Terminator::Br(target) => give(target),
            Terminator::CondBr { then, other, .. } => {
                give(then);
                give(other);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| give(target));
                give(default);
            }
            Terminator::Invoke { normal, .. } => give(normal),
            _ => {}
        }
    }
    found
}

/// What the functions read that a call enters.
fn called_reads(facts: Facts, call: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut seen = FixedBitSet::with_capacity(facts.module.functions.len());
    let mut stack: Vec<FuncId> = facts.points_to.entered(call).collect();
    while let Some(function) = stack.pop() {
        if seen.put(function.index()) {
            continue;
        }
        for node in facts.nodes.of_function(function) {
            let mut accesses = facts.points_to.accesses(node).iter();
            if call_at(facts.module, facts.nodes, node).is_some() {
                stack.extend(facts.points_to.entered(node));
            } else if accesses.any(|access| access.kind == AccessKind::Read) {
                found.push(node);
            }
        }
    }
    found
}

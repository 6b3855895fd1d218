//! Accesses to memory that no other thread knows yet: after its allocation, and before its address
//! is first handed on.
//!
//! Within one function: the address is the result of the allocation plus a number, and no way leads
//! from a place where the result, or an address made of it, is stored, returned or passed on to the
//! access, unless it allocates anew. Functions that keep nothing may be given it: those that fill
//! memory or initialise a lock, and those of the program that only read and write through it.

use analysis::external::{Class, Sync};
use analysis::{NodeId, NodeSet, Stands, call_at};
use fixedbitset::FixedBitSet;
use ir::{BlockId, Body, Call, FuncId, Op, Terminator, ValueId};

use crate::Facts;

/// How deep calls are looked into that are given the address.
const DEEPEST: u32 = 4;

/// The accesses of the program to memory that only their thread knows.
pub fn fresh(facts: Facts) -> NodeSet {
    let mut found = facts.nodes.none();
    for (function, f) in facts.module.functions.enumerate() {
        let Some(body) = &f.body else { continue };
        for node in facts.nodes.of_function(function) {
            if let Some(result) = allocated(facts, node) {
                add(facts, function, body, node, result, &mut found);
            }
        }
    }
    found
}

/// What the node allocates.
fn allocated(facts: Facts, node: NodeId) -> Option<ValueId> {
    let call = call_at(facts.module, facts.nodes, node)?;
    let mut classes = facts.points_to.externals(node).map(|e| e.class);
    let mut only = classes.next() == Some(Class::Allocates);
    only &= classes.all(|class| class == Class::Allocates);
    // `realloc` is given an address: what it returns may be known.
    let body = facts.module.functions[facts.nodes.function(node)]
        .body
        .as_ref()?;
    let is_given = call
        .args
        .iter()
        .any(|arg| body.ty(*arg) == ir::Type::Ptr && body.values[*arg].constant.is_none());
    let enters = facts.points_to.entered(node).next().is_some();
    (only && !is_given && !enters)
        .then(|| call.results.first().copied())
        .flatten()
}

fn add(
    facts: Facts,
    function: FuncId,
    body: &Body,
    site: NodeId,
    result: ValueId,
    found: &mut NodeSet,
) {
    let own = derived(facts, function, result);
    let mut known = FixedBitSet::with_capacity(body.blocks.len());
    let mut leaks: Vec<NodeId> = Vec::new();
    let mut accesses: Vec<NodeId> = Vec::new();
    for node in facts.nodes.of_function(function) {
        if leaks_at(facts, node, &own, 0) {
            leaks.push(node);
        } else if accessed(facts, node).is_some_and(|pointer| own.contains(pointer.index())) {
            accesses.push(node);
        }
    }
    // Blocks at whose beginning it may be known.
    let mut stack: Vec<BlockId> = Vec::new();
    let home = facts.nodes.block(site);
    for leak in &leaks {
        let block = facts.nodes.block(*leak);
        // Before the allocation in its own block, it was the one before.
        if block != home || *leak > site {
            successors(body, block, &mut stack);
        }
    }
    while let Some(block) = stack.pop() {
        if !known.put(block.index()) && block != home {
            successors(body, block, &mut stack);
        }
    }
    for access in accesses {
        let block = facts.nodes.block(access);
        let after_site = block == home && access > site;
        let leaked_here = leaks.iter().any(|leak| {
            let here = facts.nodes.block(*leak) == block && *leak < access;
            here && (!after_site || *leak > site)
        });
        // Known from before, unless it was allocated anew in this block.
        let from_before = known.contains(block.index()) && !after_site;
        if !leaked_here && !from_before && (after_site || block != home) {
            found.insert(access);
        }
    }
}

fn successors(body: &Body, block: BlockId, stack: &mut Vec<BlockId>) {
    body.blocks[block]
        .terminator
        .for_each_successor(|next| stack.push(next));
}

/// The value and all that is computed from it in the function without memory.
fn derived(facts: Facts, function: FuncId, value: ValueId) -> FixedBitSet {
    let body = facts.module.functions[function].body.as_ref();
    let body = body.expect("a body");
    let mut own = FixedBitSet::with_capacity(body.values.len());
    own.insert(value.index());
    loop {
        let before = own.count_ones(..);
        for block in &body.blocks {
            for inst in &block.insts {
                let keeps_address = matches!(
                    inst.op,
                    Op::PtrAdd { .. } | Op::Cast { .. } | Op::Bin { .. } | Op::Select { .. }
                );
                if keeps_address && inst.op.any_operand(|value| own.contains(value.index())) {
                    inst.op.for_each_result(|dst| own.insert(dst.index()));
                }
            }
        }
        if own.count_ones(..) == before {
            return own;
        }
    }
}

fn accessed(facts: Facts, node: NodeId) -> Option<ValueId> {
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => match inst.op {
            Op::Load { ptr, .. } | Op::Store { ptr, .. } => Some(ptr),
            _ => None,
        },
        Stands::Terminator(_) => None,
    }
}

/// Whether another thread or function may know one of the values after the node.
fn leaks_at(facts: Facts, node: NodeId, own: &FixedBitSet, depth: u32) -> bool {
    let is_own = |value: &ValueId| own.contains(value.index());
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => match &inst.op {
            Op::Load { .. } | Op::Cmp { .. } | Op::PtrAdd { .. } | Op::Cast { .. } => false,
            Op::Bin { .. } | Op::Select { .. } => false,
            Op::Store { value, .. } => is_own(value),
            Op::Call(call) => passes_on(facts, node, call, own, depth),
            op => op.any_operand(|operand| is_own(&operand)),
        },
        Stands::Terminator(terminator @ Terminator::Invoke { call, .. }) => {
            let uses = |operand| is_own(&operand) && !call.args.contains(&operand);
            passes_on(facts, node, call, own, depth) || terminator.any_operand(uses)
        }
        // A comparison with the value decides; block parameters are other names for it.
        Stands::Terminator(terminator) => terminator.any_operand(|operand| is_own(&operand)),
    }
}

/// Whether a call keeps an address that it is given, or hands it on.
fn passes_on(facts: Facts, node: NodeId, call: &Call, own: &FixedBitSet, depth: u32) -> bool {
    let given: Vec<usize> = (0..call.args.len())
        .filter(|i| own.contains(call.args[*i].index()))
        .collect();
    if given.is_empty() {
        return false;
    }
    if depth == DEEPEST || facts.points_to.callees(node).is_empty() {
        return true;
    }
    let mut classes = facts.points_to.externals(node).map(|e| e.class);
    let keeps = |class: Class| {
        !matches!(
            class,
            Class::Moves | Class::Synchronises(Sync::Initialise { .. }) | Class::Nothing
        )
    };
    if classes.any(keeps) {
        return true;
    }
    facts.points_to.entered(node).any(|callee| {
        let f = &facts.module.functions[callee];
        let Some(body) = f.body.as_ref().filter(|_| !f.variadic) else {
            return true;
        };
        given.iter().any(|position| {
            let Some(param) = body.params.get(*position) else {
                return true;
            };
            let own = derived(facts, callee, *param);
            facts
                .nodes
                .of_function(callee)
                .any(|node| leaks_at(facts, node, &own, depth + 1))
        })
    })
}

//! Definitions of what conditions read (P2, Equation 3 and section 6).
//!
//! The abstract system has those that reach a branch inside its function, which are cheap to find
//! and few. A refinement asks for all that may write what a read has found, by any thread and
//! wherever points-to facts say. What a definition makes of a variable is read off the instruction,
//! where that is a constant or a sum with one.

use std::collections::BTreeSet;

use ir::{BinOp, BlockId, Const, FuncId, Op, RmwOp, ValueId};
use rustc_hash::FxHashSet;

use super::{Ground, condition_at};
use crate::edge::for_each_argument;
use crate::node::{NodeId, Stands};
use crate::points_to::AccessKind;

/// A place that may write a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Definition {
    pub at: NodeId,
    pub change: Change,
}

/// What becomes of the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    To(u128),
    /// A number of so many bits is added to it.
    By {
        addend: u128,
        bits: u32,
    },
    Anything,
}

impl Ground<'_> {
    /// The reads of memory in the function on which the value depends, through registers.
    pub fn reads_of(&self, function: FuncId, value: ValueId) -> Vec<NodeId> {
        self.sources(function, value).reads.into_iter().collect()
    }

    /// Definitions in the function that reach the condition there: writes to what it reads, calls
    /// whose results it uses, and ends of blocks that hand it a value.
    pub(super) fn reach_condition(&self, node: NodeId) -> BTreeSet<NodeId> {
        let facts = self.facts;
        let Some(condition) = condition_at(self, node) else {
            return BTreeSet::new();
        };
        let function = facts.nodes.function(node);
        let sources = self.sources(function, condition.value());
        let mut found = sources.others;
        for read in sources.reads {
            for definition in self.definitions_of(read) {
                let at = definition.at;
                let is_before = || {
                    let flow = facts.flow(function)?;
                    let place = |node| flow.cfg.place(facts.nodes.block(node));
                    Some(place(at)? <= place(node)?)
                };
                if facts.nodes.function(at) == function && is_before() == Some(true) {
                    found.insert(at);
                }
            }
        }
        found
    }

    /// All that may write what the node reads.
    pub fn definitions_of(&self, read: NodeId) -> Vec<Definition> {
        let points_to = self.facts.points_to;
        let mut found = BTreeSet::new();
        let reads = points_to.accesses(read).iter();
        for access in reads.filter(|access| access.kind == AccessKind::Read) {
            for object in points_to.objects_of(access) {
                for (node, write) in points_to.touching(object) {
                    if write.kind == AccessKind::Write
                        && points_to.may_overlap(access, write)
                        && self
                            .facts
                            .calls
                            .is_reachable(self.facts.nodes.function(node))
                    {
                        let is_same = access.bytes == write.bytes;
                        let change = match is_same {
                            true => self.change(node),
                            false => Change::Anything,
                        };
                        found.insert(Definition { at: node, change });
                    }
                }
            }
        }
        found.into_iter().collect()
    }

    fn change(&self, node: NodeId) -> Change {
        let facts = self.facts;
        let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, node) else {
            return Change::Anything;
        };
        let function = facts.nodes.function(node);
        let constant = |value| self.constant(function, value);
        let to = |value| constant(value).map_or(Change::Anything, |(bits, _)| Change::To(bits));
        match &inst.op {
            Op::Store { value, .. } => match constant(*value) {
                Some((bits, _)) => Change::To(bits),
                None => self.sum(node, *value),
            },
            Op::Rmw { op, value, .. } => match (op, constant(*value)) {
                (RmwOp::Add, Some((addend, bits))) => Change::By { addend, bits },
                (RmwOp::Sub, Some((addend, bits))) => Change::By {
                    addend: negative(addend, bits),
                    bits,
                },
                (RmwOp::Xchg, _) => to(*value),
                _ => Change::Anything,
            },
            Op::CmpXchg { new, .. } => to(*new),
            _ => Change::Anything,
        }
    }

    /// The value that a node stores is what is there already and a constant.
    fn sum(&self, node: NodeId, value: ValueId) -> Change {
        let facts = self.facts;
        let function = facts.nodes.function(node);
        let Some(at) = self.definitions.of(function, value) else {
            return Change::Anything;
        };
        let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, at) else {
            return Change::Anything;
        };
        let Op::Bin { op, a, b, .. } = inst.op else {
            return Change::Anything;
        };
        let (read, (addend, bits)) = match (self.constant(function, a), self.constant(function, b))
        {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) if op == BinOp::Add => (b, constant),
            _ => return Change::Anything,
        };
        let addend = match op {
            BinOp::Add => addend,
            BinOp::Sub => negative(addend, bits),
            _ => return Change::Anything,
        };
        let reads_it = self.definitions.of(function, read).is_some_and(|load| {
            let is_load = matches!(facts.nodes.stands_for(facts.module, load), Stands::Inst(inst) if matches!(inst.op, Op::Load { .. }));
            let mut stores = facts.points_to.accesses(node).iter();
            is_load
                && stores.any(|store| {
                    let mut loads = facts.points_to.accesses(load).iter();
                    loads.any(|load| facts.points_to.may_overlap(load, store))
                })
        });
        match reads_it {
            true => Change::By { addend, bits },
            false => Change::Anything,
        }
    }

    /// A constant, and how many bits it has.
    fn constant(&self, function: FuncId, value: ValueId) -> Option<(u128, u32)> {
        let module = self.facts.module;
        let body = module.functions[function].body.as_ref()?;
        match body.values[value].constant? {
            Const::Bits(bits) => Some((bits, body.ty(value).bits(module.pointer_bits))),
            Const::Address(..) => None,
        }
    }

    fn sources(&self, function: FuncId, value: ValueId) -> Sources {
        let facts = self.facts;
        let mut sources = Sources::default();
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        let Some(body) = facts.module.functions[function].body.as_ref() else {
            return sources;
        };
        while let Some(value) = work.pop() {
            if !seen.insert(value) || body.values[value].constant.is_some() {
                continue;
            }
            let Some(node) = self.definitions.of(function, value) else {
                let handed = handed(body, value);
                for (block, value) in handed {
                    sources
                        .others
                        .insert(facts.nodes.terminator(function, block));
                    work.push(value);
                }
                continue;
            };
            match facts.nodes.stands_for(facts.module, node) {
                Stands::Inst(inst) => match &inst.op {
                    Op::Load { .. } => {
                        sources.reads.insert(node);
                    }
                    Op::Rmw { .. } | Op::CmpXchg { .. } => {
                        sources.reads.insert(node);
                    }
                    Op::Call(_) => {
                        sources.others.insert(node);
                    }
                    op => op.for_each_operand(|operand| work.push(operand)),
                },
                Stands::Terminator(_) => {
                    sources.others.insert(node);
                }
            }
        }
        sources
    }
}

/// What a value is made of.
#[derive(Default)]
struct Sources {
    reads: BTreeSet<NodeId>,
    /// Calls, and ends of blocks.
    others: BTreeSet<NodeId>,
}

/// The blocks at whose ends the parameter of a block is assigned, and what it is assigned.
fn handed(body: &ir::Body, parameter: ValueId) -> Vec<(BlockId, ValueId)> {
    let mut found = Vec::new();
    let is_of = |block: &ir::Block| block.params.iter().position(|p| *p == parameter);
    let mut blocks = body.blocks.enumerate();
    let Some((to, index)) = blocks.find_map(|(id, block)| Some((id, is_of(block)?))) else {
        return found;
    };
    for (id, block) in body.blocks.enumerate() {
        for_each_argument(&block.terminator, to, index, |value| {
            found.extend(value.map(|value| (id, value)));
        });
    }
    found
}

fn negative(bits: u128, width: u32) -> u128 {
    let mask = match width {
        128.. => u128::MAX,
        _ => (1 << width) - 1,
    };
    bits.wrapping_neg() & mask
}

//! Frames that keep their place on the stack, and locals that threads share.
//!
//! The machine reuses the place of a frame only if no address in it can be known after the return:
//! no local's address leaves its function, here or in a function called from here. A frame that
//! keeps its place moves all later ones, so their addresses depend on how many such frames there
//! were.

use base::IndexVec;
use fixedbitset::FixedBitSet;
use ir::{Body, FuncId, Intrinsic, Op, ValueId};

use crate::concurrency::Concurrency;
use crate::facts::Facts;
use crate::points_to::ObjectKind;

pub struct Stack {
    keeping: IndexVec<FuncId, bool>,
    /// Functions with locals that several threads may touch.
    shared: FixedBitSet,
    is_shared: bool,
}

impl Stack {
    pub fn of(facts: &Facts, concurrency: &dyn Concurrency) -> Stack {
        let mut shared = FixedBitSet::with_capacity(facts.module.functions.len());
        let mut is_shared = false;
        for (id, object) in facts.points_to.objects().enumerate() {
            match object.kind {
                ObjectKind::Local(site) if concurrency.is_shared(id) => {
                    shared.insert(facts.nodes.function(site).index());
                    is_shared = true;
                }
                ObjectKind::VariableArguments(_) => is_shared |= concurrency.is_shared(id),
                _ => {}
            }
        }
        let keeps = facts.module.functions.iter().map(|f| {
            let body = f.body.as_ref();
            f.variadic || body.is_some_and(leaks)
        });
        let mut stack = Stack {
            keeping: keeps.collect(),
            shared,
            is_shared,
        };
        let mut changed = is_shared;
        while changed {
            changed = false;
            for (function, ..) in facts.entered() {
                let mut callees = facts.calls.callees(function).iter();
                if !stack.keeping[function] && callees.any(|callee| stack.keeping[*callee]) {
                    stack.keeping[function] = true;
                    changed = true;
                }
            }
        }
        stack
    }

    /// Whether the names of locals matter to more than one thread.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    pub fn keeps_frame(&self, function: FuncId) -> bool {
        self.keeping[function]
    }

    pub fn has_shared(&self, function: FuncId) -> bool {
        self.shared.contains(function.index())
    }
}

/// Whether the address of a local may leave the function: then its frame's part of the stack is not
/// used again. An address stays inside if it is only used to load, to store to, to copy and to
/// compute other such addresses.
fn leaks(body: &Body) -> bool {
    let mut inside = vec![false; body.values.len()];
    let insts = || body.blocks.iter().flat_map(|block| &block.insts);
    let mut grown = true;
    while grown {
        grown = false;
        for inst in insts() {
            let dst = match &inst.op {
                Op::Alloca { dst, .. } => *dst,
                Op::PtrAdd { dst, base, .. } if inside[base.index()] => *dst,
                _ => continue,
            };
            grown |= !std::mem::replace(&mut inside[dst.index()], true);
        }
    }
    let mut leaks = false;
    let mut used = |value: ValueId| leaks |= inside[value.index()];
    for inst in insts() {
        match &inst.op {
            Op::Load { .. } => {}
            Op::Store { value, .. } | Op::Rmw { value, .. } => used(*value),
            Op::CmpXchg { expected, new, .. } => {
                used(*expected);
                used(*new);
            }
            Op::PtrAdd { indices, .. } => indices.iter().for_each(|(index, _)| used(*index)),
            Op::Intrinsic {
                op: Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset,
                ..
            } => {}
            op => op.for_each_operand(&mut used),
        }
    }
    for block in &body.blocks {
        block.terminator.for_each_operand(&mut used);
    }
    leaks
}

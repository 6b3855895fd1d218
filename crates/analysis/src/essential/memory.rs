//! Which accesses cannot go wrong: their address is inside an object that certainly exists.
//!
//! An access is proved safe only if its address is computed from that of a global, of a local of
//! the same function, or of the thread's own copy of a thread-local, by an offset whose bounds are
//! known. A pointer from anywhere else may be null, whatever it points to. Calls of functions
//! without a body are proved safe only if they touch a known number of bytes.

use ir::{
    BlockId, Body, Call, Callee, Const, GlobalId, Intrinsic, Op, Symbol, Terminator, Type, ValueId,
};

use crate::bounds::Bounds;
use crate::concurrency::Concurrency;
use crate::external::{Effect, Extent};
use crate::facts::Facts;
use crate::node::{NodeId, Stands};
use crate::points_to::{AccessKind, ObjectKind};

/// Some bytes that a function knows the address of without a pointer that comes from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub of: Whole,
    /// From this offset up to that.
    pub from: u64,
    pub to: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    Global(GlobalId),
    ThreadLocal(GlobalId),
    /// By the node that makes it.
    Local(NodeId),
}

/// What the node itself accesses, if that can be told without knowing where pointers point. `None`:
/// it cannot. Of the points-to facts, only the callees of direct calls are used.
pub fn parts(facts: &Facts, bounds: &Bounds, node: NodeId) -> Option<Vec<(AccessKind, Part)>> {
    let body = facts.body(facts.nodes.function(node));
    let mut parts = Vec::new();
    for_each_pointer(facts, node, &mut |kind, pointer, bytes| {
        parts.push((kind, part(facts, body, bounds, node, pointer, bytes)?));
        Some(())
    })?;
    Some(parts)
}

/// Calls `f` with every pointer through which the node accesses memory, and how many bytes, until
/// it says `None`. `None`: there may be others.
pub fn for_each_pointer(
    facts: &Facts,
    node: NodeId,
    f: &mut dyn FnMut(AccessKind, ValueId, u64) -> Option<()>,
) -> Option<()> {
    let body = facts.body(facts.nodes.function(node));
    let bytes_of = |value| u64::from(body.ty(value).bytes(facts.module.pointer_bits));
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => match &inst.op {
            Op::Load { ptr, dst, .. } => f(AccessKind::Read, *ptr, bytes_of(*dst)),
            Op::Store { ptr, value, .. } => f(AccessKind::Write, *ptr, bytes_of(*value)),
            Op::Rmw { ptr, value, .. }
            | Op::CmpXchg {
                ptr, new: value, ..
            } => {
                f(AccessKind::Read, *ptr, bytes_of(*value))?;
                f(AccessKind::Write, *ptr, bytes_of(*value))
            }
            Op::Intrinsic { op, args, .. } => match (op, args.as_slice()) {
                (Intrinsic::Memcpy | Intrinsic::Memmove, [to, from, bytes]) => {
                    let bytes = constant(body, *bytes)?;
                    f(AccessKind::Read, *from, bytes)?;
                    f(AccessKind::Write, *to, bytes)
                }
                (Intrinsic::Memset, [to, _, bytes]) => {
                    f(AccessKind::Write, *to, constant(body, *bytes)?)
                }
                (Intrinsic::VaStart | Intrinsic::VaEnd | Intrinsic::VaCopy, _) => None,
                _ => Some(()),
            },
            Op::Call(call) => for_each_pointer_of_call(facts, body, node, call, f),
            _ => Some(()),
        },
        Stands::Terminator(Terminator::Invoke { call, .. }) => {
            for_each_pointer_of_call(facts, body, node, call, f)
        }
        Stands::Terminator(_) => Some(()),
    }
}

fn for_each_pointer_of_call(
    facts: &Facts,
    body: &Body,
    node: NodeId,
    call: &Call,
    f: &mut dyn FnMut(AccessKind, ValueId, u64) -> Option<()>,
) -> Option<()> {
    let Callee::Direct(callee) = call.callee else {
        return None;
    };
    if crate::external::is_entered(&facts.module.functions[callee]) {
        return Some(());
    }
    let is_pointer = |value: &ValueId| body.ty(*value) == Type::Ptr;
    let is_given_pointer = call.args.iter().any(is_pointer);
    let mut is_known = !is_given_pointer;
    for external in facts.externals(node) {
        for effect in external.effects {
            let (kind, arg, bytes) = match effect {
                Effect::Reads(arg, Extent::Bytes(bytes)) => (AccessKind::Read, arg, bytes),
                Effect::Writes(arg, Extent::Bytes(bytes)) => (AccessKind::Write, arg, bytes),
                // No address of the object is known yet.
                Effect::ReturnsNew { .. } => continue,
                _ => return None,
            };
            f(kind, *call.args.get(*arg)?, *bytes)?;
            is_known = true;
        }
    }
    is_known.then_some(())
}

/// What may be wrong with a node's accesses.
#[derive(Clone, Copy, Default)]
pub struct Safety {
    /// The address may be bad.
    pub may_fail: bool,
    /// What is there may have come to its end by another thread's doing.
    pub may_be_gone: bool,
}

pub fn safety(
    facts: &Facts,
    concurrency: &dyn Concurrency,
    bounds: &Bounds,
    node: NodeId,
) -> Safety {
    let function = facts.nodes.function(node);
    let body = facts.body(function);
    let mut safety = Safety::default();
    let safe = match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => match &inst.op {
            Op::Load {
                ptr, dst: value, ..
            }
            | Op::Store { ptr, value, .. }
            | Op::Rmw { ptr, value, .. }
            | Op::CmpXchg {
                ptr, new: value, ..
            } => {
                let bytes = body.ty(*value).bytes(facts.module.pointer_bits);
                is_inside(facts, body, bounds, node, *ptr, u64::from(bytes))
            }
            Op::Intrinsic { op, args, .. } => match (op, args.as_slice()) {
                (Intrinsic::Memcpy | Intrinsic::Memmove, [to, from, bytes]) => {
                    constant(body, *bytes).is_some_and(|bytes| {
                        is_inside(facts, body, bounds, node, *to, bytes)
                            && is_inside(facts, body, bounds, node, *from, bytes)
                    })
                }
                (Intrinsic::Memset, [to, _, bytes]) => constant(body, *bytes)
                    .is_some_and(|bytes| is_inside(facts, body, bounds, node, *to, bytes)),
                _ => facts.points_to.accesses(node).is_empty(),
            },
            Op::Call(call) => is_safe_call(facts, body, bounds, node, call),
            _ => true,
        },
        Stands::Terminator(Terminator::Invoke { call, .. }) => {
            is_safe_call(facts, body, bounds, node, call)
        }
        Stands::Terminator(_) => true,
    };
    if safe {
        return safety;
    }
    safety.may_fail = true;
    let objects = facts.points_to.objects();
    for access in facts.points_to.accesses(node) {
        for object in facts.points_to.objects_of(access) {
            let ends = match objects[object].kind {
                ObjectKind::Anything => true,
                ObjectKind::Local(_) | ObjectKind::VariableArguments(_) => true,
                ObjectKind::Global(global) => facts.module.globals[global].thread_local,
                _ => facts.points_to.is_freed(object),
            };
            safety.may_be_gone |= ends && concurrency.is_shared(object);
        }
    }
    safety
}

/// Whether the call itself touches nothing (variable arguments have a place of their own), or so
/// many bytes that lie in objects that exist.
fn is_safe_call(facts: &Facts, body: &Body, bounds: &Bounds, node: NodeId, call: &Call) -> bool {
    let Callee::Direct(_) = call.callee else {
        return false;
    };
    let is_safe = |effect: &Effect| match effect {
        Effect::Reads(arg, Extent::Bytes(bytes)) | Effect::Writes(arg, Extent::Bytes(bytes)) => {
            let pointer = call.args.get(*arg);
            pointer.is_some_and(|p| is_inside(facts, body, bounds, node, *p, *bytes))
        }
        _ => false,
    };
    facts.points_to.accesses(node).is_empty()
        || (facts.externals(node)).all(|external| external.effects.iter().all(is_safe))
}

/// Whether this number of bytes at the pointer certainly lies in one object that exists.
fn is_inside(
    facts: &Facts,
    body: &Body,
    bounds: &Bounds,
    node: NodeId,
    pointer: ValueId,
    bytes: u64,
) -> bool {
    part(facts, body, bounds, node, pointer, bytes).is_some()
}

/// Where this number of bytes at the pointer lies, if that is certainly in one object that exists.
fn part(
    facts: &Facts,
    body: &Body,
    bounds: &Bounds,
    node: NodeId,
    pointer: ValueId,
    bytes: u64,
) -> Option<Part> {
    let offset = bounds.offset(pointer, facts.nodes.block(node));
    let (of, size, start) = match body.values[offset.base].constant {
        Some(Const::Address(Symbol::Global(id), start)) => {
            let global = &facts.module.globals[id];
            global.init.as_ref()?;
            (Whole::Global(id), global.size, start)
        }
        Some(_) => return None,
        None => match bounds.definition(offset.base) {
            // Later ones may end before the function does.
            Some((
                BlockId(0),
                Op::Alloca {
                    size, count: None, ..
                },
            )) => {
                let function = facts.nodes.function(node);
                let entry = &body.blocks[BlockId(0)].insts;
                let is_it = |inst: &ir::Inst| matches!(&inst.op, Op::Alloca { dst, .. } if *dst == offset.base);
                let index = entry.iter().position(is_it)?;
                let site = facts.nodes.at(function, BlockId(0), index);
                (Whole::Local(site), *size, 0)
            }
            Some((_, Op::TlsAddr { global: id, .. })) => {
                let global = &facts.module.globals[*id];
                global.init.as_ref()?;
                (Whole::ThreadLocal(*id), global.size, 0)
            }
            _ => return None,
        },
    };
    let (low, high) = (
        offset.low + i128::from(start),
        offset.high + i128::from(start) + i128::from(bytes),
    );
    let inside = low >= 0 && high <= i128::from(size);
    let certain = inside && !writes_constant(facts, body, node, offset.base);
    certain.then_some(Part {
        of,
        from: low as u64,
        to: high as u64,
    })
}

/// Whether the node may write to a global that is read-only.
fn writes_constant(facts: &Facts, body: &Body, node: NodeId, base: ValueId) -> bool {
    let Some(Const::Address(Symbol::Global(global), _)) = body.values[base].constant else {
        return false;
    };
    let is_load = matches!(
        facts.nodes.stands_for(facts.module, node),
        Stands::Inst(inst) if matches!(inst.op, Op::Load { .. })
    );
    facts.module.globals[global].constant && !is_load
}

fn constant(body: &Body, value: ValueId) -> Option<u64> {
    match (body.values[value].constant, body.ty(value)) {
        (Some(Const::Bits(bits)), Type::Int(_)) => u64::try_from(bits).ok(),
        _ => None,
    }
}

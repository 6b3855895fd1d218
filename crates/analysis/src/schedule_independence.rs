//! Whether the outcome is independent of the schedule: no order of the threads' operations makes a
//! difference to the properties.
//!
//! Let R be the slice of what the properties themselves depend on: where they fail, how threads are
//! created and joined, where executions end; but not which threads wait for which. If no two
//! accesses of R that conflict may happen in parallel, every read in R sees the same write in every
//! schedule: conflicting accesses are ordered by creations and joins, which are in R. By induction
//! each thread executes the same part of R, with the same values, in every schedule; a thread that
//! is cut short executes a prefix of it. So one schedule in which **every thread comes to its end**
//! shows all that any schedule can show, for given inputs.
//!
//! Three things could still tell schedules apart, and are excluded:
//! - an execution that ends for all threads because of one of them (an exit, an assumption that
//!   fails) while another is on its way to a failure;
//! - objects whose life another thread ends (any access whose order with that end matters);
//! - addresses used as numbers: the address of an object depends on how many objects there were
//!   before. The comparison of two addresses for equality does not depend on it, nor does address
//!   arithmetic inside an object.
//!
//! Nothing is said about deadlocks and misuse of locks: both depend on order by their nature.

use ir::{BinOp, CmpOp, FuncId, Op, Terminator, ValueId};

use crate::concurrency::Concurrency;
use crate::essential::{Essential, Properties, Question};
use crate::external::Class;
use crate::facts::Facts;
use crate::node::{NodeId, Stands};
use crate::points_to::{Access, AccessKind, ObjectKind};
use crate::premises::{Certain, Premises};
use crate::sdg::{Sdg, Vertex};
use crate::slice::{Slice, Slicing};
use crate::threads::Threads;

/// Whether anything can be said about the properties.
pub fn can_be_independent(properties: Properties) -> bool {
    !(properties.deadlocks || properties.locks)
}

/// If one schedule in which every thread comes to its end stands for all of them: what that rests
/// on.
pub fn schedule_independence(
    sdg: &Sdg,
    concurrency: &dyn Concurrency,
    threads: &Threads,
    properties: Properties,
) -> Option<Premises> {
    if !can_be_independent(properties) {
        return None;
    }
    let mut essential = Essential::of(sdg, concurrency, properties, Question::Outcome);
    essential.criteria.append(&mut essential.calls);
    if !essential.ordered.is_empty() {
        return None;
    }
    let failures: Vec<NodeId> = essential
        .criteria
        .iter()
        .filter_map(|vertex| sdg.node(*vertex))
        .collect();
    if may_end_early(sdg.facts, threads, &failures) {
        return None;
    }
    let certain = Certain::of(sdg.facts);
    let mut slicing = Slicing::new(sdg);
    slicing.grow(essential.criteria);
    loop {
        let slice = slicing.grown([]);
        if uses_addresses_as_numbers(sdg, &slice)
            || has_parallel_conflict(sdg, concurrency, threads, &slice)
        {
            return None;
        }
        let premises = certain.premises(sdg, &slice, &sdg.facts.nodes.none());
        let unseen: Vec<NodeId> = certain.unseen(sdg.facts, &premises).collect();
        if unseen.is_empty() {
            return Some(premises);
        }
        slicing.grow(unseen.into_iter().map(Vertex::Writes));
    }
}

/// Whether an execution may end for all threads while one is at an essential place.
fn may_end_early(facts: &Facts, threads: &Threads, essential: &[NodeId]) -> bool {
    let ends_all = |node: NodeId| {
        let mut externals = facts.externals(node);
        let ends = externals.any(|external| {
            matches!(
                external.class,
                Class::Assumes(_) | Class::GivesUp | Class::ExitsProcess
            ) && !facts.says_what_inputs_are(node)
        });
        ends || facts.module.functions[facts.nodes.function(node)].name == "main"
            && matches!(
                facts.nodes.stands_for(facts.module, node),
                Stands::Terminator(Terminator::Ret(_))
            )
    };
    facts.entered().any(|(function, ..)| {
        let mut nodes = facts
            .nodes
            .of_function(function)
            .filter(|node| ends_all(*node));
        nodes.any(|end| {
            let mut others = essential.iter();
            others.any(|other| threads.may_happen_in_parallel(end, *other))
        })
    })
}

fn has_parallel_conflict(
    sdg: &Sdg,
    concurrency: &dyn Concurrency,
    threads: &Threads,
    slice: &Slice,
) -> bool {
    let facts = sdg.facts;
    // Every thread has its own locals and thread-locals; they are one abstract object.
    let is_shared = |access: &Access| {
        let mut objects = facts.points_to.objects_of(access);
        objects.any(|object| concurrency.is_shared(object))
    };
    facts.entered().any(|(function, ..)| {
        let mut nodes = facts.nodes.of_function(function);
        nodes.any(|node| {
            let reads = slice.contains(sdg, Vertex::Reads(node));
            let writes = slice.contains(sdg, Vertex::Writes(node));
            let mut accesses = facts.points_to.accesses(node).iter();
            accesses.any(|access| {
                let matters = match access.kind {
                    AccessKind::Read => reads,
                    AccessKind::Write => writes,
                };
                let mut conflict = false;
                if matters && is_shared(access) {
                    sdg.reaching.for_each_overlapping(access, &mut |others| {
                        conflict = conflict
                            || others.iter().any(|other| {
                                slice.contains(sdg, Vertex::Writes(*other))
                                    && threads.may_happen_in_parallel(node, *other)
                            });
                    });
                }
                conflict
            })
        })
    })
}

/// Whether something in the slice is computed from an address as a number.
fn uses_addresses_as_numbers(sdg: &Sdg, slice: &Slice) -> bool {
    let facts = sdg.facts;
    facts.entered().any(|(function, ..)| {
        facts.nodes.of_function(function).any(|node| {
            match facts.nodes.stands_for(facts.module, node) {
                Stands::Inst(inst) => {
                    let mut about = false;
                    inst.op.for_each_result(|value| {
                        about |= slice.contains(sdg, Vertex::Value(function, value));
                    });
                    about && computes_with_addresses(facts, function, &inst.op)
                }
                Stands::Terminator(Terminator::Switch { value, .. }) => {
                    slice.contains(sdg, Vertex::Decides(node))
                        && is_allocated_address(facts, function, *value)
                }
                Stands::Terminator(_) => false,
            }
        })
    })
}

fn computes_with_addresses(facts: &Facts, function: FuncId, op: &Op) -> bool {
    let is_allocated_address = |value: ValueId| is_allocated_address(facts, function, value);
    let body = facts.body(function);
    let is_constant = |value: ValueId| body.values[value].constant.is_some();
    match op {
        Op::Cmp {
            op: CmpOp::Eq | CmpOp::Ne,
            ..
        }
        | Op::Load { .. }
        | Op::Rmw { .. }
        | Op::CmpXchg { .. }
        | Op::Call(_)
        | Op::Alloca { .. } => false,
        Op::Cast { src, dst, .. } => {
            let bits = |value| body.ty(value).bits(facts.module.pointer_bits);
            is_allocated_address(*src) && bits(*src) > bits(*dst)
        }
        Op::Select { cond, .. } => is_allocated_address(*cond),
        Op::PtrAdd { indices, .. } => indices
            .iter()
            .any(|(index, _)| is_allocated_address(*index)),
        // Still an address in the same object.
        Op::Bin {
            op: BinOp::Add | BinOp::Sub,
            a,
            b,
            ..
        } if is_constant(*b) => is_allocated_address(*a) && is_allocated_address(*b),
        op => op.any_operand(is_allocated_address),
    }
}

/// Whether the value may be an address that depends on what was allocated before.
fn is_allocated_address(facts: &Facts, function: FuncId, value: ValueId) -> bool {
    facts.points_to.targets(function, value).any(|target| {
        match facts.points_to.objects()[target.object].kind {
            ObjectKind::Global(global) => facts.module.globals[global].thread_local,
            ObjectKind::Function(_)
            | ObjectKind::Stream
            | ObjectKind::ArgumentVector
            | ObjectKind::ArgumentText => false,
            _ => true,
        }
    })
}

//! Conditions that a reader can do without.

use ir::{Body, Callee, Const, Op, Symbol, ValueId};
use machine::{Location, ObjectKind, Program};
use smt::{InputId, Node};

use super::definitions::{assignment, body};
use super::formula::Formula;
use super::naming::{Leaf, Scene, Sync};

/// Why a condition is not worth a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// Where a local variable lies: the same wherever the threads stand so.
    Fixed,
    /// A word of a synchronisation object that says nothing of who holds it, and is as it is in
    /// every one; or the handle of a thread.
    Usual,
}

pub fn routine(scene: &Scene, formula: &Formula) -> Option<Routine> {
    let Formula::Bound(term, set) = formula else {
        return None;
    };
    let Node::Input(input) = *scene.machine.terms.node(*term) else {
        return None;
    };
    let number = set.only()?;
    if is_place(scene, input) {
        return Some(Routine::Fixed);
    }
    let is_thread = (1..=scene.snapshot.threads.len() as u128 + 1).contains(&number);
    let is_usual = match scene.leaf(input) {
        Leaf::Sync {
            sync: Sync::Lock,
            offset: 4,
            ..
        } => number <= 1,
        Leaf::Sync {
            sync: Sync::Lock,
            offset,
            ..
        } => offset > 4 && number == 0,
        Leaf::Sync {
            sync: Sync::Semaphore | Sync::Once,
            offset,
            ..
        } => offset > 0 && number == 0,
        Leaf::Sync {
            sync: Sync::RwLock,
            offset,
            ..
        } => offset > 4 && number == 0,
        Leaf::Sync {
            sync: Sync::Barrier,
            offset,
            ..
        } => offset > 8 && number == 0,
        Leaf::Sync {
            sync: Sync::Condition,
            ..
        } => number == 0,
        _ => is_thread && is_handle(scene, input),
    };
    is_usual.then_some(Routine::Usual)
}

/// A register that holds the address of a local variable.
fn is_place(scene: &Scene, input: InputId) -> bool {
    let Some((body, value)) = register(scene, input) else {
        return false;
    };
    matches!(assignment(body, value), Some(Op::Alloca { .. }))
}

fn register<'a>(scene: &Scene<'a>, input: InputId) -> Option<(&'a Body, ValueId)> {
    let Location::Register {
        thread,
        depth,
        slot,
        ..
    } = scene.machine.location_of(input)?
    else {
        return None;
    };
    let body = body(scene.program, scene.snapshot, thread, depth)?;
    Some((body, ValueId(slot)))
}

/// What a thread is joined by: handed to `pthread_join`, or written by `pthread_create`.
fn is_handle(scene: &Scene, input: InputId) -> bool {
    if let Some((body, value)) = register(scene, input) {
        let joins = |args: &[ValueId]| args.first() == Some(&value);
        return calls(scene.program, body, &["pthread_join", "pthread_detach"]).any(joins);
    }
    let Some(Location::Cell { address, .. }) = scene.machine.location_of(input) else {
        return false;
    };
    let Some(object) = scene.snapshot.object_at(address) else {
        return false;
    };
    let functions = scene.program.module.functions.iter();
    let mut bodies = functions.filter_map(|f| f.body.as_ref());
    bodies.any(|body| {
        let makes = |args: &[ValueId]| {
            let to = args.first().map(|to| base(body, *to));
            to.is_some_and(|to| is_address_of(body, to, object.kind))
        };
        calls(scene.program, body, &["pthread_create"]).any(makes)
    })
}

/// The arguments of all calls of these functions.
fn calls<'a>(
    program: &'a Program,
    body: &'a Body,
    names: &'static [&'static str],
) -> impl Iterator<Item = &'a [ValueId]> {
    let insts = body.blocks.iter().flat_map(|b| &b.insts);
    insts.filter_map(move |inst| match &inst.op {
        Op::Call(call) => match call.callee {
            Callee::Direct(f) => {
                let name = program.module.functions[f].name.as_str();
                names.contains(&name).then_some(call.args.as_slice())
            }
            Callee::Indirect(_) => None,
        },
        _ => None,
    })
}

fn base(body: &Body, pointer: ValueId) -> ValueId {
    match assignment(body, pointer) {
        Some(Op::PtrAdd { base: inner, .. }) => base(body, *inner),
        _ => pointer,
    }
}

fn is_address_of(body: &Body, pointer: ValueId, kind: ObjectKind) -> bool {
    match (kind, body.values[pointer].constant) {
        (ObjectKind::Global(id), Some(Const::Address(Symbol::Global(global), _))) => id == global,
        (ObjectKind::Stack { var, .. }, None) => match assignment(body, pointer) {
            Some(Op::Alloca { var: of, .. }) => var.is_some() && *of == var,
            _ => false,
        },
        _ => false,
    }
}

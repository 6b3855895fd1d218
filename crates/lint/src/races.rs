//! Pairs of accesses that may overlap, of which one writes and one is not atomic, by threads that
//! may be there at the same time and have no lock in common.

mod dense_races;

use analysis::external::{Class, Sync};
use analysis::{
    Access, AccessKind, ContextId, NodeId, NodeSet, ObjectId, ObjectKind, Situation, Stands,
    call_at,
};
use fixedbitset::FixedBitSet;
use ir::{Const, Op, Symbol, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::apart::{Use, are_apart};
use crate::fresh::fresh;
use crate::guard::{Guarded, exclude_each_other};
use crate::locks::{Lock, Moment};
use crate::order::{Line, line};
use crate::{Effect, Facts, Point, Race, RaceAccess};

/// All races. Of an object that more than `most` accesses may touch, few pairs are reported: see
/// [`dense_races`].
pub fn races(facts: Facts, most: usize) -> Vec<Race> {
    let moments = by_node(facts);
    let mut dense = dense_races::DenseRaces::default();
    let hidden = hidden_objects(facts);
    let fresh = fresh(facts);
    let mut found: FxHashMap<(Line, Line), Race> = FxHashMap::default();
    for object in facts.points_to.objects().ids() {
        if facts.threads.escapes(object) && !hidden.contains(object.index()) {
            let candidates = candidates(facts, object, &moments, &fresh);
            match candidates.len() > most {
                true => dense.on_object(facts, object, &candidates, &mut found),
                false => on_object(facts, object, &candidates, &mut found),
            }
        }
    }
    let mut races: Vec<_> = found.into_iter().collect();
    races.sort_by_key(|(lines, _)| *lines);
    races.into_iter().map(|(_, race)| race).collect()
}

/// What tells moments apart: the node, the threads alive, the locks that protect it, and what is
/// known of the function's arguments: where it was called, and whether a thread starts with it.
type Kind<'a> = (
    NodeId,
    &'a Situation,
    Vec<(&'a Lock, bool)>,
    Option<ContextId>,
    bool,
);

/// The moments of every node, one of those that are alike.
fn by_node<'a>(facts: Facts<'a>) -> FxHashMap<NodeId, Vec<&'a Moment>> {
    let mut all: FxHashMap<NodeId, Vec<&'a Moment>> = FxHashMap::default();
    let mut seen: FxHashSet<Kind> = FxHashSet::default();
    for moment in &facts.locks.moments {
        let certain = moment.held.held.iter().filter(|held| held.certain);
        let certain = certain.filter(|held| held.lock != Lock::Nameless);
        let certain = certain.map(|held| (&held.lock, held.shared)).collect();
        let visit = &facts.locks.visits[moment.visit];
        let starts = visit.caller.is_none();
        if seen.insert((
            moment.node,
            &moment.situation,
            certain,
            visit.context,
            starts,
        )) {
            all.entry(moment.node).or_default().push(moment);
        }
    }
    all
}

/// Objects on which no race is reported: those of Sleave's own C library, which have no names in
/// the program, and what comes from outside the program.
fn hidden_objects(facts: Facts) -> FixedBitSet {
    let mut named = FixedBitSet::with_capacity(facts.module.globals.len());
    for f in facts.module.functions.iter().filter(|f| !f.runtime) {
        for value in f.body.iter().flat_map(|body| &body.values) {
            if let Some(Const::Address(Symbol::Global(global), _)) = value.constant {
                named.insert(global.index());
            }
        }
    }
    let mut hidden = FixedBitSet::with_capacity(facts.points_to.objects().len());
    for (id, object) in facts.points_to.objects().enumerate() {
        let mut touching = facts.points_to.touching(id);
        let is_own = match object.kind {
            ObjectKind::Global(global) => {
                object.constant
                    || !named.contains(global.index())
                        && facts.module.globals[global].var.is_none()
                        && touching.all(|(node, _)| is_runtime(facts, node))
            }
            // Addresses from outside lead there: which threads have them is not known.
            ObjectKind::Anything => true,
            ObjectKind::Function(_) | ObjectKind::Errno | ObjectKind::Stream => true,
            _ => false,
        };
        hidden.set(id.index(), is_own);
    }
    hidden
}

fn is_runtime(facts: Facts, node: NodeId) -> bool {
    facts.module.functions[facts.nodes.function(node)].runtime
}

/// One access of a node.
struct Candidate<'a> {
    node: NodeId,
    access: Access,
    effect: Effect,
    atomic: bool,
    pointer: Option<ValueId>,
    moments: &'a [&'a Moment],
}

impl<'a> Candidate<'a> {
    fn used(&self, moment: &'a Moment) -> Use<'a> {
        Use {
            moment,
            pointer: self.pointer,
            bytes: self.access.bytes,
        }
    }
}

/// What may race on the object.
fn candidates<'a>(
    facts: Facts,
    object: ObjectId,
    moments: &'a FxHashMap<NodeId, Vec<&'a Moment>>,
    fresh: &NodeSet,
) -> Vec<Candidate<'a>> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut writing: FxHashSet<NodeId> = FxHashSet::default();
    for (node, access) in facts.points_to.touching(object) {
        if access.kind == AccessKind::Write {
            writing.insert(node);
        }
    }
    if writing.is_empty() {
        return candidates;
    }
    for (node, access) in facts.points_to.touching(object) {
        let Some(here) = moments.get(&node) else {
            continue;
        };
        if fresh.contains(node) || is_hearsay(facts, node, object) {
            continue;
        }
        // What reads and writes is one update.
        let (effect, atomic, pointer) = describe(facts, node, access.kind);
        if access.kind == AccessKind::Read && writing.contains(&node) && effect != Effect::Read {
            continue;
        }
        candidates.push(Candidate {
            node,
            access: *access,
            effect,
            atomic,
            pointer,
            moments: here,
        });
    }
    candidates
}

fn on_object(
    facts: Facts,
    object: ObjectId,
    candidates: &[Candidate],
    found: &mut FxHashMap<(Line, Line), Race>,
) {
    for (i, a) in candidates.iter().enumerate() {
        for b in &candidates[i..] {
            if a.effect == Effect::Read && b.effect == Effect::Read || a.atomic && b.atomic {
                continue;
            }
            let lines = (line(facts, a.node), line(facts, b.node));
            let key = (lines.0.min(lines.1), lines.0.max(lines.1));
            if found.contains_key(&key) || !facts.points_to.may_overlap(&a.access, &b.access) {
                continue;
            }
            if let Some(race) = race(facts, object, a, b) {
                found.insert(key, race);
            }
        }
    }
}

/// The race of two accesses that may overlap, if there is one.
fn race(facts: Facts, object: ObjectId, a: &Candidate, b: &Candidate) -> Option<Race> {
    let (here, there) = meet(facts, a, b)?;
    let accesses = [(a, here), (b, there)].map(|(candidate, moment)| RaceAccess {
        at: Point::of(moment),
        effect: candidate.effect,
        atomic: candidate.atomic,
        bytes: candidate.access.bytes,
    });
    Some(Race {
        object,
        offset: offset(facts, object, &a.access, &b.access),
        accesses,
    })
}

/// Whether only an unmodelled function may touch the object there, and the object's address is not
/// among its arguments. It could find the object by following pointers, but is believed not to
/// (exception 4).
fn is_hearsay(facts: Facts, node: NodeId, object: ObjectId) -> bool {
    let Some(call) = call_at(facts.module, facts.nodes, node) else {
        return false;
    };
    let mut classes = facts.points_to.externals(node).map(|e| e.class);
    if !classes.any(|class| class == Class::Unmodelled) {
        return false;
    }
    let function = facts.nodes.function(node);
    let body = facts.module.functions[function].body.as_ref();
    let body = body.expect("a body");
    let mut pointers = call.args.iter().filter(|arg| body.ty(**arg) == Type::Ptr);
    !pointers.any(|arg| {
        let mut targets = facts.points_to.targets(function, *arg);
        targets.any(|target| target.object == object)
    })
}

/// Two moments that may coincide, one of each access.
fn meet<'a>(
    facts: Facts,
    a: &Candidate<'a>,
    b: &Candidate<'a>,
) -> Option<(&'a Moment, &'a Moment)> {
    let address = |candidate: &Candidate| {
        let function = facts.nodes.function(candidate.node);
        candidate
            .pointer
            .map(|pointer| facts.threads.addresses.get(function, pointer))
    };
    let (here, there) = (address(a), address(b));
    for &one in a.moments {
        for &other in b.moments {
            let guarded = |moment: &'a Moment, address| Guarded {
                held: &moment.held.held,
                address,
            };
            if facts.threads.are_parallel(&one.situation, &other.situation)
                && !exclude_each_other(&guarded(one, here), &guarded(other, there))
                && !are_apart(facts, &a.used(one), &b.used(other))
            {
                return Some((one, other));
            }
        }
    }
    None
}

/// Where in the object both may access it, if that is one place.
fn offset(facts: Facts, object: ObjectId, a: &Access, b: &Access) -> Option<u64> {
    let one = |access: &Access| {
        let places = facts.points_to.places(access.locations).iter();
        let mut places = places.filter(|place| place.object == object);
        let first = places.next().filter(|place| place.stride == 0)?;
        places.next().is_none().then_some(first.offset)
    };
    let offset = match (one(a), one(b)) {
        (Some(a), Some(b)) => a.max(b),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return None,
    };
    u64::try_from(offset).ok()
}

fn describe(facts: Facts, node: NodeId, kind: AccessKind) -> (Effect, bool, Option<ValueId>) {
    let plain = match kind {
        AccessKind::Read => Effect::Read,
        AccessKind::Write => Effect::Write,
    };
    let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, node) else {
        return (plain, false, None);
    };
    match &inst.op {
        Op::Load { ptr, atomic, .. } => (Effect::Read, atomic.is_some(), Some(*ptr)),
        Op::Store { ptr, atomic, .. } => (Effect::Write, atomic.is_some(), Some(*ptr)),
        Op::Rmw { ptr, .. } | Op::CmpXchg { ptr, .. } => (Effect::Update, true, Some(*ptr)),
        _ => {
            let mut classes = facts.points_to.externals(node).map(|e| e.class);
            match classes.next() {
                Some(Class::Synchronises(Sync::Initialise { .. } | Sync::Destroy { .. })) => {
                    (Effect::Write, false, None)
                }
                Some(Class::Synchronises(_)) => (Effect::Update, true, None),
                Some(Class::Releases) => (Effect::Free, false, None),
                _ => (plain, false, None),
            }
        }
    }
}

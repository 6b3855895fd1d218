//! Accesses that conflict are ordered, by creations and joins or by a common mutex.

use analysis::external::{Class, Effect, Sync};
use analysis::facts::Facts;
use analysis::{AccessKind, NodeId, NotPlain, Part, Situation, Stands, Whole};
use ir::Op;
use lint::locks::Moment;
use rustc_hash::FxHashMap;

use super::mutexes::{Mutexes, overlap};
use super::{Subject, at};

/// No two accesses race.
pub(super) fn none(subject: &Subject, mutexes: &Mutexes) -> Result<(), NotPlain> {
    let mut moments: FxHashMap<NodeId, Vec<&Moment>> = FxHashMap::default();
    for moment in &subject.locks.moments {
        moments.entry(moment.node).or_default().push(moment);
    }
    let meeting = Meeting {
        subject,
        mutexes,
        moments,
    };
    let mut by_object: Vec<(Whole, Vec<Touch>)> = Vec::new();
    for touch in subject.nodes().flat_map(|node| touches(subject, node)) {
        match by_object.iter_mut().find(|(of, _)| *of == touch.part.of) {
            Some((_, touches)) => touches.push(touch),
            None => by_object.push((touch.part.of, vec![touch])),
        }
    }
    for (_, touches) in &by_object {
        for (i, a) in touches.iter().enumerate() {
            for b in &touches[i..] {
                if a.conflicts_with(b) && meeting.may_coincide(a.node, b.node) {
                    return at(
                        a.node,
                        "two threads may access the same memory here and elsewhere",
                    );
                }
            }
        }
    }
    Ok(())
}

/// An access to memory that more than one thread may know.
struct Touch {
    node: NodeId,
    part: Part,
    writes: bool,
    atomic: bool,
}

impl Touch {
    fn conflicts_with(&self, other: &Touch) -> bool {
        (self.writes || other.writes)
            && !(self.atomic && other.atomic)
            && overlap(&self.part, &other.part)
    }
}

fn touches<'a>(subject: &'a Subject, node: NodeId) -> impl Iterator<Item = Touch> + 'a {
    let atomic = is_atomic(subject.facts, node);
    let is_shared = move |part: &Part| match part.of {
        Whole::Global(_) => true,
        // A plain program gives no thread the address of another one's copy, or of its locals,
        // unless they are those of `main`.
        Whole::ThreadLocal(_) => false,
        Whole::Local(site) => subject.is_only_main(site),
    };
    let accesses = subject.plain.accesses(node).iter();
    let shared = accesses.filter(move |(_, part)| is_shared(part));
    shared.map(move |(kind, part)| Touch {
        node,
        part: *part,
        writes: *kind == AccessKind::Write,
        atomic,
    })
}

/// Whether all its accesses are atomic.
fn is_atomic(facts: &Facts, node: NodeId) -> bool {
    if let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, node) {
        match &inst.op {
            Op::Load { atomic, .. } | Op::Store { atomic, .. } => return atomic.is_some(),
            Op::Rmw { .. } | Op::CmpXchg { .. } => return true,
            _ => {}
        }
    }
    let mut externals = facts.externals(node).peekable();
    externals.peek().is_some()
        && externals.all(|external| match external.class {
            Class::Synchronises(sync) => is_atomic_operation(sync, external.effects),
            _ => false,
        })
}

/// Whether it touches nothing but what it synchronises by. Others read the time until which they
/// wait, or write what they find.
fn is_atomic_operation(sync: Sync, effects: &[Effect]) -> bool {
    let objects = match sync {
        Sync::Initialise { .. } | Sync::Destroy { .. } => return false,
        Sync::WaitCondition { .. } => 2,
        _ => 1,
    };
    effects.iter().all(|effect| match effect {
        Effect::Reads(arg, _) | Effect::Writes(arg, _) => *arg < objects,
        Effect::WritesErrno => true,
        _ => false,
    })
}

struct Meeting<'a> {
    subject: &'a Subject<'a>,
    mutexes: &'a Mutexes,
    moments: FxHashMap<NodeId, Vec<&'a Moment>>,
}

impl Meeting<'_> {
    /// Whether two threads may be at these nodes, with nothing that orders them.
    fn may_coincide(&self, a: NodeId, b: NodeId) -> bool {
        let threads = self.subject.threads;
        let (Some(here), Some(there)) = (self.moments.get(&a), self.moments.get(&b)) else {
            return threads.may_happen_in_parallel(a, b);
        };
        let parallel = |a: &Situation, b: &Situation| threads.are_parallel(a, b);
        here.iter().any(|one| {
            there.iter().any(|other| {
                parallel(&one.situation, &other.situation)
                    && !self.mutexes.exclude(&one.held.held, &other.held.held)
            })
        })
    }
}

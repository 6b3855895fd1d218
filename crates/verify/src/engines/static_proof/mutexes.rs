//! Mutexes (read-write locks and spin locks, too) that do what they are for.
//!
//! The program keeps to this: a lock is a global whose bytes begin as zero and are touched by
//! operations on it alone; it is initialised, if at all, by `main` while there is no other thread,
//! without attributes; nobody tries it or waits for it for a time, or destroys it; a thread that
//! locks it does not hold it already, by whatever path it came, and one that unlocks it, or waits
//! on a condition with it, certainly holds it. Then at most one thread has it locked exclusively,
//! and nobody misuses it.

use analysis::external::{Class, Sync, Wait};
use analysis::{Address, NodeId, NotPlain, Part, ThreadId, Whole};
use ir::Const;
use lint::locks::{Held, Lock, Moment, may_be_shared};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Subject, at};

pub(super) struct Mutexes {
    /// The operations on them, each with the address.
    pub operations: FxHashMap<NodeId, Address>,
}

impl Mutexes {
    pub fn of(subject: &Subject) -> Result<Mutexes, NotPlain> {
        let mut mutexes = Mutexes {
            operations: FxHashMap::default(),
        };
        let mut bytes: Vec<Part> = Vec::new();
        for node in subject.nodes() {
            let Some(argument) = operand(subject, node)? else {
                continue;
            };
            let (address, part) = place(subject, node, argument)?;
            mutexes.operations.insert(node, address);
            if !bytes.contains(&part) {
                bytes.push(part);
            }
        }
        for node in subject.nodes() {
            match mutexes.operations.get(&node) {
                Some(address) => check_own(subject, node, address, &bytes)?,
                None => check_other(subject, node, &bytes)?,
            }
        }
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        for moment in &subject.locks.moments {
            if let Some(address) = mutexes.operations.get(&moment.node) {
                check_moment(subject, moment, address)?;
                seen.insert(moment.node);
            }
        }
        let mut unseen = mutexes.operations.keys().filter(|n| !seen.contains(*n));
        match unseen.next() {
            Some(node) => at(*node, "it is not known which locks are held here"),
            None => Ok(mutexes),
        }
    }

    /// Whether one lock that both certainly hold excludes that two threads are at both.
    pub fn exclude(&self, a: &[Held], b: &[Held]) -> bool {
        a.iter().any(|mine| {
            self.is_certain(mine)
                && b.iter().any(|theirs| {
                    self.is_certain(theirs)
                        && mine.lock == theirs.lock
                        && !(may_be_shared(a, mine) && may_be_shared(b, theirs))
                })
        })
    }

    fn is_certain(&self, held: &Held) -> bool {
        let by = held.path.last().and_then(|node| self.operations.get(node));
        held.certain && by.is_some_and(|address| held.lock == Lock::At(address.clone()))
    }
}

/// Which argument of a call is the mutex that it locks or unlocks.
fn operand(subject: &Subject, node: NodeId) -> Result<Option<usize>, NotPlain> {
    let mut found = None;
    for external in subject.facts.externals(node) {
        let Class::Synchronises(sync) = external.class else {
            continue;
        };
        found = match sync {
            Sync::Lock {
                lock,
                wait: Wait::Forever,
                ..
            } => Some(lock),
            Sync::Lock { .. } => return at(node, "a lock may be refused"),
            Sync::Unlock { lock } => Some(lock),
            Sync::WaitCondition { mutex, .. } => Some(mutex),
            _ => None,
        };
    }
    Ok(found)
}

/// Where the mutex is.
fn place(subject: &Subject, node: NodeId, arg: usize) -> Result<(Address, Part), NotPlain> {
    let facts = subject.facts;
    let call = facts.call(node).expect("an operation is a call");
    let function = facts.nodes.function(node);
    let address = subject.threads.addresses.get(function, call.args[arg]);
    let mut parts = subject.plain.accesses(node).iter().map(|(_, part)| *part);
    let is_global = |part: &Part| matches!(part.of, Whole::Global(_));
    let part = parts.find(|part| is_global(part) && lies_at(subject, address, part));
    let Some(part) = part.filter(|_| address.is_absolute()) else {
        return at(node, "it is not known which lock this is");
    };
    match begins_as_zero(subject, &part) {
        true => Ok((address.clone(), part)),
        false => at(node, "the lock does not begin as usual"),
    }
}

/// Whether the part begins at the address.
fn lies_at(subject: &Subject, address: &Address, part: &Part) -> bool {
    let objects = subject.facts.points_to.objects();
    let (Some(anchor), Whole::Global(global)) = (address.anchor, part.of) else {
        return false;
    };
    objects[anchor].kind == analysis::ObjectKind::Global(global)
        && u64::try_from(address.offset) == Ok(part.from)
}

fn begins_as_zero(subject: &Subject, part: &Part) -> bool {
    let Whole::Global(global) = part.of else {
        return false;
    };
    let Some(init) = &subject.facts.module.globals[global].init else {
        return false;
    };
    let bytes = init.bytes.get(part.from as usize..part.to as usize);
    bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
        && (init.relocations.iter()).all(|r| r.offset >= part.to || r.offset + 8 <= part.from)
}

/// The operation touches no other mutex, nor a part of one.
fn check_own(
    subject: &Subject,
    node: NodeId,
    address: &Address,
    mutexes: &[Part],
) -> Result<(), NotPlain> {
    let mut accesses = subject.plain.accesses(node).iter();
    let is_own = accesses.all(|(_, part)| {
        let mut met = mutexes.iter().filter(|mutex| overlap(part, mutex));
        met.all(|mutex| mutex == part && lies_at(subject, address, part))
    });
    match is_own {
        true => Ok(()),
        false => at(node, "a lock is used otherwise"),
    }
}

/// Nobody but operations on mutexes touches their bytes, unless it initialises them before there
/// are threads.
fn check_other(subject: &Subject, node: NodeId, mutexes: &[Part]) -> Result<(), NotPlain> {
    let mut accesses = subject.plain.accesses(node).iter();
    let touches = accesses.any(|(_, part)| mutexes.iter().any(|mutex| overlap(part, mutex)));
    if !touches {
        return Ok(());
    }
    let facts = subject.facts;
    let mut externals = facts.externals(node);
    let initialises = externals
        .any(|external| matches!(external.class, Class::Synchronises(Sync::Initialise { .. })));
    if !initialises {
        return at(node, "a lock is used otherwise");
    }
    let call = facts.call(node).expect("it initialises");
    let body = facts.body(facts.nodes.function(node));
    let mut others = call.args.iter().skip(1);
    if others.any(|value| body.values[*value].constant != Some(Const::Bits(0))) {
        return at(node, "a lock has attributes");
    }
    let situations = subject.threads.situations(node);
    let is_alone = situations
        .iter()
        .all(|situation| situation.thread == ThreadId::MAIN && situation.alive.is_clear());
    match is_alone && !situations.is_empty() && subject.is_free_at(node) {
        true => Ok(()),
        false => at(node, "a lock is initialised while there are other threads"),
    }
}

pub(super) fn overlap(a: &Part, b: &Part) -> bool {
    a.of == b.of && a.from < b.to && b.from < a.to
}

/// Who locks does not hold it, who unlocks does.
fn check_moment(subject: &Subject, moment: &Moment, address: &Address) -> Result<(), NotPlain> {
    let lock = Lock::At(address.clone());
    let node = moment.node;
    let mut externals = subject.facts.externals(node);
    let locks =
        externals.any(|external| matches!(external.class, Class::Synchronises(Sync::Lock { .. })));
    if !moment.held.has_only_names() {
        return at(node, "it is not known which locks are held here");
    }
    let mut same = moment.held.held.iter().filter(|held| held.lock == lock);
    let is_held = match locks {
        true => same.next().is_none(),
        false => same.any(|held| held.certain && held.count == 1),
    };
    match (is_held, locks) {
        (true, _) => Ok(()),
        (false, true) => at(node, "a lock may be held already"),
        (false, false) => at(node, "a lock may not be held here"),
    }
}

//! Waits for conditions, semaphores and barriers that may not end.
//!
//! Whether a signal comes depends on values, which this analysis hardly considers. It reports a
//! wait whose code is suspicious:
//! 1. no thread signals or posts;
//! 2. nothing is tested again after waking, so that a signal before the wait is lost;
//! 3. no other thread changes what is tested;
//! 4. it is changed and signalled without the mutex, perhaps between the test and the wait;
//! 5. there is a way around the signal from a change to the end of the function;
//! 6. a signal wakes one of several threads that wait for different things, or for one thing that
//!    none of them uses up;
//! 7. all changes of a counter, posts of a semaphore or arrivals at a barrier together do not
//!    suffice (`counts`);
//! 8. the thread holds another lock while it waits, and the thread that would signal may wait for
//!    that lock.
//!
//! All other waits are reported only if [`Options::waits`] asks for them: they end if values are
//! right.

use analysis::cfg::Cfg;
use analysis::dominance::DominatorTree;
use analysis::external::{Class, Sync, Wait};
use analysis::{Access, AccessKind, NodeId, ObjectKind, PlaceSet, call_at};
use fixedbitset::FixedBitSet;
use ir::{BlockId, Terminator};

use crate::counts::{are_short, number, total};
use crate::deadlocks::{Which, held_which, may_meet};
use crate::final_values::address_of;
use crate::guard::{Guarded, exclude_each_other};
use crate::locks::{Held, Lock, Moment, sets_meet};
use crate::predicate::{Test, Waiter, mutex, waiter};
use crate::{Does, Facts, Options, Point, Stuck, StuckKind};

/// How a wait may be answered.
struct Answer<'a> {
    moment: &'a Moment,
    object: PlaceSet,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Signal,
    Broadcast,
    Post,
    /// A semaphore may begin with more than zero.
    Starts,
}

/// A moment at which a thread waits.
struct Waiting<'a> {
    moment: &'a Moment,
    object: PlaceSet,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Condition,
    Semaphore,
    Barrier,
}

pub fn endless(
    facts: Facts,
    options: Options,
    locking: &[(&Moment, Which)],
    add: &mut impl FnMut(Stuck),
) {
    let (answers, waits) = moments(facts);
    for wait in &waits {
        let answers: Vec<&Answer> = answers
            .iter()
            .filter(|answer| sets_meet(facts.points_to, wait.object, answer.object))
            .collect();
        if let Some((held, other)) = holding(facts, wait, &answers, locking) {
            add(Stuck {
                kind: StuckKind::EndlessWait,
                steps: vec![
                    (Point::of(wait.moment), Does::WaitsHolding(held.clone())),
                    (Point::of(other), Does::WaitsForLock),
                ],
            });
            continue;
        }
        let why = match wait.kind {
            Kind::Condition => condition(facts, wait, &answers, &waits),
            Kind::Semaphore => semaphore(facts, wait, &answers, &waits),
            Kind::Barrier => barrier(facts, wait, &answers, &waits),
        };
        let why = why.or(options.waits.then_some(Does::Waits));
        if let Some(why) = why {
            add(Stuck {
                kind: StuckKind::EndlessWait,
                steps: vec![(Point::of(wait.moment), why)],
            });
        }
    }
}

/// The moments at which threads answer waits, and those at which threads wait.
fn moments(facts: Facts) -> (Vec<Answer>, Vec<Waiting>) {
    let (mut answers, mut waits) = (Vec::new(), Vec::new());
    for moment in &facts.locks.moments {
        for external in facts.points_to.externals(moment.node) {
            let Class::Synchronises(sync) = external.class else {
                continue;
            };
            let operand = |position: usize| -> Option<PlaceSet> {
                let call = call_at(facts.module, facts.nodes, moment.node)?;
                let function = facts.nodes.function(moment.node);
                Some(facts.points_to.set_of(function, *call.args.get(position)?))
            };
            let mut answer = |position: usize, how: How| {
                answers.extend(operand(position).map(|object| Answer {
                    moment,
                    object,
                    how,
                }));
            };
            let mut wait = |position: usize, kind: Kind| {
                waits.extend(operand(position).map(|object| Waiting {
                    moment,
                    object,
                    kind,
                }));
            };
            match sync {
                Sync::Signal { condition } => answer(condition, How::Signal),
                Sync::Broadcast { condition } => answer(condition, How::Broadcast),
                Sync::Post { semaphore } => answer(semaphore, How::Post),
                Sync::Initialise { object } => answer(object, How::Starts),
                Sync::WaitCondition { condition, .. } => wait(condition, Kind::Condition),
                Sync::WaitSemaphore {
                    semaphore,
                    wait: Wait::Forever,
                } => wait(semaphore, Kind::Semaphore),
                Sync::WaitBarrier { barrier } => wait(barrier, Kind::Barrier),
                _ => {}
            }
        }
    }
    (answers, waits)
}

/// A lock that is held meanwhile, and a thread that may wait for it and signals or posts elsewhere.
fn holding<'a>(
    facts: Facts,
    wait: &Waiting<'a>,
    answers: &[&Answer],
    locking: &[(&'a Moment, Which)],
) -> Option<(&'a Held, &'a Moment)> {
    let given_back: Vec<&Held> = mutex(facts, wait.moment);
    let mut kept = wait.moment.held.held.iter().filter(|held| {
        let is_given_back = given_back.iter().any(|given| given.lock == held.lock);
        held.certain && held.lock != Lock::Sections && !is_given_back
    });
    kept.find_map(|held| {
        let which = held_which(facts, held);
        let waiting = locking.iter().find(|(other, waits)| {
            let thread = other.situation.thread;
            let mut answering = answers.iter().filter(|answer| answer.how != How::Starts);
            answering.any(|answer| answer.moment.situation.thread == thread)
                && facts
                    .threads
                    .are_parallel(&wait.moment.situation, &other.situation)
                && may_meet(facts, &which, waits)
        });
        waiting.map(|(other, _)| (held, *other))
    })
}

/// Why a wait for a semaphore may not end: no thread posts, or all posts together are fewer than
/// all waits.
fn semaphore(facts: Facts, wait: &Waiting, answers: &[&Answer], waits: &[Waiting]) -> Option<Does> {
    let start = start(facts, answers);
    let posts: Vec<&Answer> = answers
        .iter()
        .filter(|answer| answer.how == How::Post)
        .copied()
        .collect();
    let starts_empty = answers.is_empty() || start == Some(0);
    if posts.is_empty() && starts_empty {
        return Some(Does::WaitsUnanswered);
    }
    let is_one = posts.iter().all(|post| is_one(facts, post.object));
    let posts: Vec<&Moment> = posts.iter().map(|post| post.moment).collect();
    let waits = beside(facts, wait, waits)?;
    let all = start?.checked_add(total(facts, &posts)?)?;
    (is_one && total(facts, &waits)? > all).then_some(Does::WaitsInVain)
}

/// Why a wait for a barrier may not end: the number of arrivals is no multiple of its size.
fn barrier(facts: Facts, wait: &Waiting, answers: &[&Answer], waits: &[Waiting]) -> Option<Does> {
    let size = start(facts, answers).filter(|size| *size > 0)?;
    let waits = beside(facts, wait, waits)?;
    (total(facts, &waits)? % size != 0).then_some(Does::WaitsInVain)
}

/// The number that a semaphore or barrier starts with, if it is initialised once.
fn start(facts: Facts, answers: &[&Answer]) -> Option<i64> {
    let mut starts: Vec<NodeId> = answers
        .iter()
        .filter(|answer| answer.how == How::Starts)
        .map(|answer| answer.moment.node)
        .collect();
    starts.dedup();
    let [node] = starts.as_slice() else {
        return None;
    };
    let call = call_at(facts.module, facts.nodes, *node)?;
    number(facts, facts.nodes.function(*node), *call.args.get(2)?)
}

fn is_one(facts: Facts, object: PlaceSet) -> bool {
    matches!(facts.points_to.places(object), [place] if place.stride == 0)
}

/// All waits for the same object, if it is known which one that is.
fn beside<'a>(facts: Facts, wait: &Waiting<'a>, waits: &[Waiting<'a>]) -> Option<Vec<&'a Moment>> {
    let same = waits.iter().filter(|other| {
        other.kind == wait.kind && sets_meet(facts.points_to, wait.object, other.object)
    });
    same.map(|other| is_one(facts, other.object).then_some(other.moment))
        .collect()
}

/// Why a wait for a condition may not end.
fn condition(facts: Facts, wait: &Waiting, answers: &[&Answer], waits: &[Waiting]) -> Option<Does> {
    let is_signal = |answer: &&&Answer| matches!(answer.how, How::Signal | How::Broadcast);
    let signals: Vec<&Answer> = answers.iter().filter(is_signal).copied().collect();
    if signals.is_empty() {
        return Some(Does::WaitsUnanswered);
    }
    let waiter = waiter(facts, wait.moment);
    let Some(test) = &waiter.test else {
        return Some(Does::WaitsUntested);
    };
    let reads = tested(facts, test);
    let parallel = |moment: &&&Moment| {
        facts
            .threads
            .are_parallel(&wait.moment.situation, &moment.situation)
    };
    if let Some(reads) = &reads {
        let changes = changes(facts, reads);
        let others: Vec<&Moment> = changes.iter().filter(parallel).copied().collect();
        if others.is_empty() {
            return Some(Does::WaitsUnchanged);
        }
        if is_unguarded(facts, wait, reads, &others)
            && signals
                .iter()
                .any(|signal| !holds_same(wait.moment, signal.moment))
        {
            return Some(Does::WaitsUnguarded);
        }
        if others
            .iter()
            .any(|change| may_skip(facts, change.node, &signals))
        {
            return Some(Does::WaitsSkipped);
        }
    }
    let wakes_one = signals.iter().all(|signal| signal.how == How::Signal);
    if wakes_one && may_wake_another(facts, wait, &waiter, reads.as_deref(), waits) {
        return Some(Does::WaitsWithOthers);
    }
    are_short(facts, wait.moment, &waiter).then_some(Does::WaitsInVain)
}

/// What a test reads of memory that threads share; `None` if it may be anything, or nothing at all.
fn tested<'a>(facts: Facts<'a>, test: &Test) -> Option<Vec<(NodeId, &'a Access)>> {
    let mut found = Vec::new();
    for &node in &test.reads {
        for access in facts.points_to.accesses(node) {
            if access.kind != AccessKind::Read {
                continue;
            }
            for object in facts.points_to.objects_of(access) {
                if facts.points_to.objects()[object].kind == ObjectKind::Anything {
                    return None;
                }
            }
            let mut objects = facts.points_to.objects_of(access);
            if objects.any(|object| facts.threads.escapes(object)) {
                found.push((node, access));
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// All moments at which something is written that is read there.
fn changes<'a>(facts: Facts<'a>, reads: &[(NodeId, &Access)]) -> Vec<&'a Moment> {
    let mut writing = facts.nodes.none();
    for (_, read) in reads {
        for object in facts.points_to.objects_of(read) {
            for (node, write) in facts.points_to.touching(object) {
                if write.kind == AccessKind::Write && facts.points_to.may_overlap(read, write) {
                    writing.insert(node);
                }
            }
        }
    }
    let moments = facts.locks.moments.iter();
    moments
        .filter(|moment| writing.contains(moment.node))
        .collect()
}

/// Whether one of the changes may happen between the test and the wait.
fn is_unguarded(
    facts: Facts,
    wait: &Waiting,
    reads: &[(NodeId, &Access)],
    changes: &[&Moment],
) -> bool {
    changes.iter().any(|change| {
        let theirs = Guarded {
            held: &change.held.held,
            address: address_of(facts, change.node),
        };
        // The mutex of the wait excludes the change, whatever of what is read it is.
        !reads.iter().any(|(read, _)| {
            let mine = Guarded {
                held: &wait.moment.held.held,
                address: address_of(facts, *read),
            };
            exclude_each_other(&mine, &theirs)
        })
    })
}

fn holds_same(a: &Moment, b: &Moment) -> bool {
    let [a, b] = [a, b].map(|moment| Guarded {
        held: &moment.held.held,
        address: None,
    });
    exclude_each_other(&a, &b)
}

/// Whether a signal follows the change in its function, but not on every way to its end.
fn may_skip(facts: Facts, change: NodeId, signals: &[&Answer]) -> bool {
    let function = facts.nodes.function(change);
    let Some(body) = facts.module.functions[function].body.as_ref() else {
        return false;
    };
    let signalling: Vec<NodeId> = signalling(facts, function, signals);
    let block = facts.nodes.block(change);
    // One that comes before the change takes effect when the mutex is unlocked.
    let dominators = DominatorTree::dominators(&Cfg::of(body));
    let is_certain = |node: &NodeId| {
        let there = facts.nodes.block(*node);
        there == block || dominators.dominates(there, block)
    };
    if signalling.iter().any(is_certain) {
        return false;
    }
    let signals_in = |block: BlockId| {
        signalling
            .iter()
            .any(|node| facts.nodes.block(*node) == block)
    };
    let mut seen = FixedBitSet::with_capacity(body.blocks.len());
    let mut stack = Vec::new();
    body.blocks[block]
        .terminator
        .for_each_successor(|next| stack.push(next));
    let mut returns = matches!(body.blocks[block].terminator, Terminator::Ret(_));
    let mut signals = false;
    while let Some(block) = stack.pop() {
        if seen.put(block.index()) {
            continue;
        }
        if signals_in(block) {
            signals = true;
            continue;
        }
        let terminator = &body.blocks[block].terminator;
        returns |= matches!(terminator, Terminator::Ret(_));
        terminator.for_each_successor(|next| stack.push(next));
    }
    signals && returns
}

/// The nodes of a function that signal, themselves or by what they call.
fn signalling(facts: Facts, function: ir::FuncId, signals: &[&Answer]) -> Vec<NodeId> {
    let is_signal = |node: NodeId| signals.iter().any(|signal| signal.moment.node == node);
    let calls_signal = |node: NodeId| {
        let mut seen = FixedBitSet::with_capacity(facts.module.functions.len());
        let mut stack: Vec<ir::FuncId> = facts.points_to.entered(node).collect();
        while let Some(function) = stack.pop() {
            if seen.put(function.index()) {
                continue;
            }
            for node in facts.nodes.of_function(function) {
                if is_signal(node) {
                    return true;
                }
                if call_at(facts.module, facts.nodes, node).is_some() {
                    stack.extend(facts.points_to.entered(node));
                }
            }
        }
        false
    };
    let nodes = facts.nodes.of_function(function);
    nodes
        .filter(|node| call_at(facts.module, facts.nodes, *node).is_some())
        .filter(|node| is_signal(*node) || calls_signal(*node))
        .collect()
}

/// Whether a signal may wake another thread instead: one that waits for the same condition but
/// something else, or for the same thing if no thread that was woken uses it up.
fn may_wake_another(
    facts: Facts,
    wait: &Waiting,
    own: &Waiter,
    reads: Option<&[(NodeId, &Access)]>,
    waits: &[Waiting],
) -> bool {
    waits.iter().any(|other| {
        let meets = other.kind == Kind::Condition
            && sets_meet(facts.points_to, wait.object, other.object)
            && facts
                .threads
                .are_parallel(&wait.moment.situation, &other.moment.situation);
        if !meets {
            return false;
        }
        let theirs = waiter(facts, other.moment);
        if theirs.node != own.node {
            let same = theirs.test.as_ref().and_then(|test| tested(facts, test));
            let alike = match (reads, &same) {
                (Some(a), Some(b)) => reads_alike(facts, a, b),
                _ => false,
            };
            if !alike {
                return true;
            }
        }
        !reads.is_some_and(|reads| uses_up(facts, own, reads))
    })
}

/// Whether two tests read the same memory and compare it in the same way.
fn reads_alike(facts: Facts, a: &[(NodeId, &Access)], b: &[(NodeId, &Access)]) -> bool {
    let places = |reads: &[(NodeId, &Access)]| {
        let mut places: Vec<PlaceSet> = reads.iter().map(|(_, access)| access.locations).collect();
        places.sort_unstable();
        places.dedup();
        places
    };
    let comparisons = |reads: &[(NodeId, &Access)]| {
        let mut found: Vec<_> = reads
            .iter()
            .filter_map(|(node, _)| crate::counts::compared(facts, *node))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    places(a) == places(b) && comparisons(a) == comparisons(b)
}

/// Whether the thread that was woken changes what it waited for, on some path after the wait.
fn uses_up(facts: Facts, waiter: &Waiter, reads: &[(NodeId, &Access)]) -> bool {
    let mut reached = FixedBitSet::with_capacity(facts.module.functions.len());
    let mut stack = vec![waiter.function];
    while let Some(function) = stack.pop() {
        if !reached.put(function.index()) {
            for node in facts.nodes.of_function(function) {
                if call_at(facts.module, facts.nodes, node).is_some() {
                    stack.extend(facts.points_to.entered(node));
                }
            }
        }
    }
    changes(facts, reads)
        .iter()
        .any(|change| reached.contains(facts.nodes.function(change.node).index()))
}

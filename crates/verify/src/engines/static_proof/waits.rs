//! Waits that end, and synchronisation that is not misused.
//!
//! Threads wait for mutexes and for the end of threads only. Nobody ends or waits for an end with a
//! mutex locked, and whenever a thread waits for one mutex and holds another, the two come in the
//! same order in all threads. So among threads that wait for mutexes, one waits for a mutex whose
//! owner does not wait for a mutex. All loops end, so that the owner comes to its unlock. Only
//! `main` waits for the end of threads; so every thread ends, and so does `main`.

use analysis::dominance::DominatorTree;
use analysis::external::{Class, Sync, is_atomic};
use analysis::loops::{certainly_ends, loops};
use analysis::{AccessKind, Address, NodeId, NotPlain, Part, Situation, Stands, ThreadId};
use base::components;
use ir::Op;
use lint::locks::Lock;

use super::mutexes::{Mutexes, overlap};
use super::{Subject, at};

/// Nobody waits for ever.
pub(super) fn all_end(subject: &Subject, mutexes: &Mutexes) -> Result<(), NotPlain> {
    only_mutexes(subject)?;
    loops_end(subject)?;
    joins_end(subject)?;
    ends_are_free(subject)?;
    is_ordered(subject, mutexes)
}

/// Nobody misuses a lock (see `mutexes`) or the handle of a thread.
pub(super) fn no_misuse(subject: &Subject) -> Result<(), NotPlain> {
    only_mutexes(subject)?;
    let joins: Vec<NodeId> = of_class(subject, |class| matches!(class, Class::Joins { .. }));
    let creates: Vec<NodeId> = of_class(subject, |class| matches!(class, Class::Creates { .. }));
    let detaches = of_class(subject, |class| matches!(class, Class::Detaches { .. }));
    if let Some(node) = detaches.first() {
        return at(*node, "a thread is detached");
    }
    let handles = handles(subject, &joins)?;
    for (&join, handle) in joins.iter().zip(&handles) {
        if handles
            .iter()
            .filter(|other| overlap(other, handle))
            .count()
            > 1
        {
            return at(join, "a thread may be joined twice");
        }
        let mut made = creates.iter().filter(|create| {
            let mut accesses = subject.plain.accesses(**create).iter();
            accesses.any(|(kind, part)| *kind == AccessKind::Write && overlap(part, handle))
        });
        let create = made.next().filter(|_| made.next().is_none());
        let fits = create.is_some_and(|create| is_once_after(subject, *create, join));
        if !fits {
            return at(join, UNKNOWN_THREAD);
        }
    }
    Ok(())
}

fn of_class(subject: &Subject, is_meant: impl Fn(Class) -> bool) -> Vec<NodeId> {
    let is_meant = |node: &NodeId| {
        let mut externals = subject.facts.externals(*node);
        externals.any(|external| is_meant(external.class))
    };
    subject.nodes().filter(is_meant).collect()
}

fn only_mutexes(subject: &Subject) -> Result<(), NotPlain> {
    let is_other = |class| match class {
        Class::Synchronises(sync) => !matches!(
            sync,
            Sync::Lock { .. } | Sync::Unlock { .. } | Sync::Initialise { .. }
        ),
        Class::BeginsAtomic | Class::EndsAtomic => true,
        _ => false,
    };
    match of_class(subject, is_other).first() {
        Some(node) => at(
            *node,
            "threads wait for each other here by other means than a mutex",
        ),
        None => Ok(()),
    }
}

fn loops_end(subject: &Subject) -> Result<(), NotPlain> {
    let facts = subject.facts;
    for (function, body, flow) in subject.reached.entered(facts) {
        if is_atomic(&facts.module.functions[function]) {
            let node = facts.nodes.at(function, ir::BlockId(0), 0);
            return at(node, "a function is executed in one step");
        }
        if let Some(&block) = flow.cfg.endless().first() {
            return at(facts.nodes.terminator(function, block), "a loop has no end");
        }
        let dominators = DominatorTree::dominators(&flow.cfg);
        for lp in loops(&flow.cfg, &dominators) {
            if !certainly_ends(body, facts.module.pointer_bits, &dominators, &lp) {
                let node = facts.nodes.terminator(function, lp.header);
                return at(node, "a loop may have no end");
            }
        }
    }
    Ok(())
}

/// `main` alone joins, holding nothing, and not itself.
fn joins_end(subject: &Subject) -> Result<(), NotPlain> {
    let joins = of_class(subject, |class| matches!(class, Class::Joins { .. }));
    handles(subject, &joins)?;
    for &join in &joins {
        let situations = subject.threads.situations(join);
        let is_mains = |situation: &Situation| situation.thread == ThreadId::MAIN;
        if situations.is_empty() || !situations.iter().all(is_mains) {
            return at(join, "a thread other than main joins");
        }
        if !subject.is_free_at(join) {
            return at(join, "a thread is joined with a lock held");
        }
    }
    Ok(())
}

/// Where each of these joins reads the handle of the thread. Only creations write there.
fn handles(subject: &Subject, joins: &[NodeId]) -> Result<Vec<Part>, NotPlain> {
    let handles = joins.iter().map(|join| handle(subject, *join));
    let handles: Vec<Part> = handles.collect::<Result<_, _>>()?;
    for node in subject.nodes() {
        let mut externals = subject.facts.externals(node);
        if externals.any(|external| matches!(external.class, Class::Creates { .. })) {
            continue;
        }
        let accesses = subject.plain.accesses(node).iter();
        for (_, part) in accesses.filter(|(kind, _)| *kind == AccessKind::Write) {
            if let Some(index) = handles.iter().position(|handle| overlap(part, handle)) {
                return at(joins[index], UNKNOWN_THREAD);
            }
        }
    }
    Ok(handles)
}

const UNKNOWN_THREAD: &str = "it is not known which thread is joined";

fn handle(subject: &Subject, join: NodeId) -> Result<Part, NotPlain> {
    let facts = subject.facts;
    let call = facts.call(join).expect("a join is a call");
    let argument = (facts.externals(join)).find_map(|external| match external.class {
        Class::Joins { thread } => call.args.get(thread),
        _ => None,
    });
    let function = facts.nodes.function(join);
    let read = argument.and_then(|value| subject.threads.definitions.of(function, *value));
    let is_load = |read: &NodeId| {
        matches!(
            facts.nodes.stands_for(facts.module, *read),
            Stands::Inst(inst) if matches!(inst.op, Op::Load { .. })
        )
    };
    match read
        .filter(is_load)
        .map(|read| subject.plain.accesses(read))
    {
        Some(&[(_, part)]) => Ok(part),
        _ => at(join, UNKNOWN_THREAD),
    }
}

/// Whether each is executed at most once, the second only after the first; both are in `main`.
fn is_once_after(subject: &Subject, first: NodeId, second: NodeId) -> bool {
    let facts = subject.facts;
    let function = facts.nodes.function(first);
    if function != facts.nodes.function(second) || !subject.is_only_main(first) {
        return false;
    }
    let flow = facts.flow(function).expect("it is entered");
    let dominators = DominatorTree::dominators(&flow.cfg);
    let repeats = loops(&flow.cfg, &dominators);
    let (a, b) = (facts.nodes.block(first), facts.nodes.block(second));
    let is_repeated = repeats.iter().any(|lp| lp.contains(a) || lp.contains(b));
    let is_before = match a == b {
        true => facts.nodes.index(first) < facts.nodes.index(second),
        false => dominators.dominates(a, b),
    };
    is_before && !is_repeated
}

/// A thread that ends holds nothing.
fn ends_are_free(subject: &Subject) -> Result<(), NotPlain> {
    let facts = subject.facts;
    for visit in subject.locks.visits.iter() {
        if visit.caller.is_none() && !visit.ends_free() {
            let node = facts.nodes.at(visit.function, ir::BlockId(0), 0);
            return at(node, "a thread may end with a lock held");
        }
    }
    for node in of_class(subject, |class| class == Class::ExitsThread) {
        if !subject.is_free_at(node) {
            return at(node, "a thread may end with a lock held");
        }
    }
    Ok(())
}

/// Mutexes are locked in one order.
fn is_ordered(subject: &Subject, mutexes: &Mutexes) -> Result<(), NotPlain> {
    let mut names: Vec<&Address> = mutexes.operations.values().collect();
    names.sort();
    names.dedup();
    let number = |address: &Address| names.binary_search(&address);
    let mut after: Vec<Vec<usize>> = names.iter().map(|_| Vec::new()).collect();
    let mut last = None;
    for moment in &subject.locks.moments {
        let Some(wanted) = mutexes.operations.get(&moment.node) else {
            continue;
        };
        let wanted = number(wanted).expect("all have names");
        for held in moment.held.held.iter() {
            let Lock::At(address) = &held.lock else {
                return at(moment.node, "it is not known which locks are held here");
            };
            let Ok(held) = number(address) else {
                return at(moment.node, "it is not known which locks are held here");
            };
            // A lock is held where it is unlocked.
            if held != wanted {
                after[held].push(wanted);
                last = Some(moment.node);
            }
        }
    }
    let component = components(names.len(), |name| after[name].iter().copied());
    let mut sizes = vec![0; names.len()];
    for number in &component {
        sizes[*number as usize] += 1;
    }
    match last {
        Some(node) if sizes.iter().any(|size| *size > 1) => {
            at(node, "locks may be taken in different orders")
        }
        _ => Ok(()),
    }
}

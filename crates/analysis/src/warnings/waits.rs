//! Other ways to wait for ever: for a lock whose holder has ended, for a thread that waits for a lock one holds, for a signal
//! that may not come.
//!
//! Whether a signal comes depends on values, which nobody looks at here. A wait is told of if its text is suspicious: nobody signals, or
//! nothing is tested again after waking, or one of several is woken. [`Options::waits`] asks for all of them.

use rustc_hash::FxHashMap;

use super::deadlocks::{Which, held_which, may_meet, point, waited_for};
use super::guard::{Guarded, exclude_each_other};
use super::order::{Line, line};
use super::{Does, Facts, Options, Point, Stuck, StuckKind};
use crate::callgraph::call_at;
use crate::calls::externals;
use crate::external::{Class, Sync, Wait};
use crate::locks::{Held, Lock, Moment};
use crate::node::NodeId;
use crate::points_to::PlaceSet;
use crate::threads::ThreadId;

pub fn waits(facts: Facts, options: Options) -> Vec<Stuck> {
    let mut found: FxHashMap<(StuckKind, Vec<Line>), Stuck> = FxHashMap::default();
    let mut add = |stuck: Stuck| {
        let lines = stuck.steps.iter().map(|(point, _)| line(facts, point.node));
        let lines: Vec<Line> = lines.collect();
        found.entry((stuck.kind, lines)).or_insert(stuck);
    };
    let locking = locking(facts);
    kept(facts, &locking, &mut add);
    joins(facts, &locking, &mut add);
    signals(facts, options, &mut add);
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, stuck)| stuck).collect()
}

/// All moments at which a lock is waited for.
fn locking<'a>(facts: Facts<'a>) -> Vec<(&'a Moment, Which)> {
    let which = |moment: &'a Moment| {
        let (operand, ..) = waited_for(facts, moment.node)?;
        Some((
            moment,
            Which::of(facts, facts.nodes.function(moment.node), operand),
        ))
    };
    facts.locks.moments.iter().filter_map(which).collect()
}

/// Locks that are held when a thread ends.
fn kept(facts: Facts, locking: &[(&Moment, Which)], add: &mut impl FnMut(Stuck)) {
    let mut ends: Vec<(Point, Vec<Held>)> = Vec::new();
    for (id, visit) in facts.locks.visits.enumerate() {
        let thread = &facts.threads.threads()[visit.situation.thread];
        if visit.caller.is_none()
            && thread.creation.is_some()
            && thread.entries.contains(&visit.function)
            && let Some(exit) = &visit.exit
            && let Some(node) = last_node(facts, visit.function)
        {
            let at = Point {
                thread: visit.situation.thread,
                visit: id,
                node,
                held: exit.held.clone(),
            };
            ends.push((at, exit.held.clone()));
        }
    }
    for moment in &facts.locks.moments {
        let mut classes = externals(facts.module, facts.points_to, moment.node).map(|e| e.class);
        if classes.any(|class| class == Class::ExitsThread) {
            ends.push((point(moment), moment.held.held.clone()));
        }
    }
    for (at, held) in ends {
        for held in held.iter().filter(|held| held.lock != Lock::Sections) {
            let which = held_which(facts, held);
            let others =
                |thread: ThreadId| thread != at.thread || facts.threads.threads()[thread].many;
            let waiting = locking.iter().find(|(moment, waits)| {
                others(moment.situation.thread) && may_meet(facts, &which, waits)
            });
            if let Some((moment, _)) = waiting {
                add(Stuck {
                    kind: StuckKind::KeptLock,
                    steps: vec![
                        (at.clone(), Does::EndsHolding(held.clone())),
                        (point(moment), Does::WaitsForLock),
                    ],
                });
            }
        }
    }
}

/// Where a function returns.
fn last_node(facts: Facts, function: ir::FuncId) -> Option<NodeId> {
    let body = facts.module.functions[function].body.as_ref()?;
    let mut returns = body.blocks.enumerate();
    let (block, _) = returns.find(|(_, b)| matches!(b.terminator, ir::Terminator::Ret(_)))?;
    Some(facts.nodes.terminator(function, block))
}

/// Waiting for the end of a thread that may wait for a lock that one holds.
fn joins(facts: Facts, locking: &[(&Moment, Which)], add: &mut impl FnMut(Stuck)) {
    for moment in &facts.locks.moments {
        let mut classes = externals(facts.module, facts.points_to, moment.node).map(|e| e.class);
        if !classes.any(|class| matches!(class, Class::Joins { .. })) {
            continue;
        }
        for held in moment
            .held
            .held
            .iter()
            .filter(|held| held.lock != Lock::Sections)
        {
            let which = held_which(facts, held);
            for (other, waits) in locking {
                let [mine, theirs] = [moment, other].map(|moment| Guarded {
                    held: &moment.held.held,
                    address: None,
                });
                if may_meet(facts, &which, waits)
                    && facts
                        .threads
                        .are_parallel(&moment.situation, &other.situation)
                    && !exclude_each_other(&mine, &theirs)
                {
                    add(Stuck {
                        kind: StuckKind::JoinUnderLock,
                        steps: vec![
                            (point(moment), Does::JoinsHolding(held.clone())),
                            (point(other), Does::WaitsForLock),
                        ],
                    });
                }
            }
        }
    }
}

/// What is waited for otherwise: the object, and whether one of several is woken.
fn signalled_by(class: Class) -> Option<(usize, bool)> {
    match class {
        Class::Synchronises(Sync::Signal { condition }) => Some((condition, true)),
        Class::Synchronises(Sync::Broadcast { condition }) => Some((condition, false)),
        Class::Synchronises(Sync::Post { semaphore }) => Some((semaphore, false)),
        Class::Synchronises(Sync::Initialise { object }) => Some((object, true)),
        _ => None,
    }
}

fn signals(facts: Facts, options: Options, add: &mut impl FnMut(Stuck)) {
    let operand = |node: NodeId, position: usize| -> Option<PlaceSet> {
        let call = call_at(facts.module, facts.nodes, node)?;
        let function = facts.nodes.function(node);
        Some(facts.points_to.set_of(function, *call.args.get(position)?))
    };
    let classes = |node: NodeId| externals(facts.module, facts.points_to, node).map(|e| e.class);
    let mut answers: Vec<(PlaceSet, bool, bool)> = Vec::new();
    for moment in &facts.locks.moments {
        for class in classes(moment.node) {
            let starts = matches!(class, Class::Synchronises(Sync::Initialise { .. }));
            if let Some((position, one)) = signalled_by(class)
                && let Some(set) = operand(moment.node, position)
            {
                answers.push((set, one, starts));
            }
        }
    }
    for moment in &facts.locks.moments {
        for class in classes(moment.node) {
            let (position, is_condition) = match class {
                Class::Synchronises(Sync::WaitCondition { condition, .. }) => (condition, true),
                Class::Synchronises(Sync::WaitSemaphore {
                    semaphore,
                    wait: Wait::Forever,
                }) => (semaphore, false),
                Class::Synchronises(Sync::WaitBarrier { barrier }) if options.waits => {
                    (barrier, false)
                }
                _ => continue,
            };
            let Some(set) = operand(moment.node, position) else {
                continue;
            };
            let meets = |other: &PlaceSet| crate::locks::sets_meet(facts.points_to, set, *other);
            let mut answered = answers
                .iter()
                .filter(|(other, _, starts)| meets(other) && !(*starts && is_condition));
            let is_answered = answered.next().is_some();
            let signals = answers
                .iter()
                .filter(|(other, _, starts)| meets(other) && !starts);
            let wakes_one = is_condition && signals.into_iter().all(|(_, one, _)| *one);
            let function = facts.nodes.function(moment.node);
            let tests_again = facts
                .threads
                .is_in_cycle(function, facts.nodes.block(moment.node));
            let several = facts.locks.moments.iter().any(|other| {
                other.node == moment.node
                    && facts
                        .threads
                        .are_parallel(&moment.situation, &other.situation)
            });
            let why = if !is_answered {
                Does::WaitsUnanswered
            } else if is_condition && !tests_again {
                Does::WaitsUntested
            } else if wakes_one && several {
                Does::WaitsWithOthers
            } else if options.waits {
                Does::Waits
            } else {
                continue;
            };
            add(Stuck {
                kind: StuckKind::EndlessWait,
                steps: vec![(point(moment), why)],
            });
        }
    }
}

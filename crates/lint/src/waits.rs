//! Other waits that may not end: for a lock whose holder has ended, for a thread that waits for a
//! lock that the waiting thread holds, for a signal that may not come (`conditions`), for a write
//! that may not come (`spins`).

use analysis::external::Class;
use analysis::{NodeId, Stands, ThreadId, call_at};
use rustc_hash::FxHashMap;

use crate::conditions::endless;
use crate::deadlocks::{Which, held_which, may_meet, waited_for};
use crate::guard::may_coincide;
use crate::locks::{Lock, Moment, sets_meet};
use crate::order::{Line, line};
use crate::spins::{ends, spins};
use crate::{Does, Facts, Options, Point, Stuck, StuckKind};

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
    circles(facts, &mut add);
    endless(facts, options, &locking, &mut add);
    spins(facts, &ends(facts), &mut add);
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
    let mut ends: Vec<Point> = Vec::new();
    for (id, visit) in facts.locks.visits.enumerate() {
        let thread = &facts.threads.threads()[visit.situation.thread];
        if visit.caller.is_none()
            && thread.creation.is_some()
            && thread.entries.contains(&visit.function)
            && let Some(exit) = &visit.exit
            && let Some(node) = last_node(facts, visit.function)
        {
            ends.push(Point {
                thread: visit.situation.thread,
                visit: id,
                node,
                held: exit.held.clone(),
            });
        }
    }
    for moment in &facts.locks.moments {
        let mut classes = facts.points_to.externals(moment.node).map(|e| e.class);
        if classes.any(|class| class == Class::ExitsThread) {
            ends.push(Point::of(moment));
        }
    }
    for at in ends {
        for held in at.held.iter().filter(|held| held.lock != Lock::Sections) {
            let which = held_which(facts, held);
            let others =
                |thread: ThreadId| thread != at.thread || facts.threads.threads()[thread].many;
            let waiting = locking.iter().filter(|(moment, waits)| {
                others(moment.situation.thread) && may_meet(facts, &which, waits)
            });
            let mut steps = vec![(at.clone(), Does::EndsHolding(held.clone()))];
            let mut lines: Vec<Line> = Vec::new();
            for (moment, _) in waiting {
                let line = line(facts, moment.node);
                if !lines.contains(&line) {
                    lines.push(line);
                    steps.push((Point::of(moment), Does::WaitsForLock));
                }
            }
            if !lines.is_empty() {
                add(Stuck {
                    kind: StuckKind::KeptLock,
                    steps,
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

/// Joins of a thread that may wait for a lock that the joining thread holds.
fn joins(facts: Facts, locking: &[(&Moment, Which)], add: &mut impl FnMut(Stuck)) {
    for moment in &facts.locks.moments {
        let mut classes = facts.points_to.externals(moment.node).map(|e| e.class);
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
                if may_meet(facts, &which, waits) && may_coincide(facts, moment, other) {
                    add(Stuck {
                        kind: StuckKind::JoinUnderLock,
                        steps: vec![
                            (Point::of(moment), Does::JoinsHolding(held.clone())),
                            (Point::of(other), Does::WaitsForLock),
                        ],
                    });
                }
            }
        }
    }
}

/// Two threads that wait for each other's end, neither of which is an ancestor of the other.
fn circles(facts: Facts, add: &mut impl FnMut(Stuck)) {
    let all = facts.locks.moments.iter();
    let waits: Vec<(&Moment, Vec<ThreadId>)> = all
        .filter_map(|moment| Some((moment, joined(facts, moment)?)))
        .collect();
    let is_ancestor = |a: ThreadId, b: ThreadId| {
        let mut creators =
            std::iter::successors(Some(b), |thread| facts.threads.threads()[*thread].creator);
        creators.any(|thread| thread == a)
    };
    for (index, (one, joins)) in waits.iter().enumerate() {
        for (other, joins_back) in &waits[index + 1..] {
            let (a, b) = (one.situation.thread, other.situation.thread);
            if joins.contains(&b)
                && joins_back.contains(&a)
                && !is_ancestor(a, b)
                && !is_ancestor(b, a)
                && facts.threads.are_parallel(&one.situation, &other.situation)
            {
                add(Stuck {
                    kind: StuckKind::EndlessWait,
                    steps: vec![
                        (Point::of(one), Does::JoinsInCircle),
                        (Point::of(other), Does::JoinsInCircle),
                    ],
                });
            }
        }
    }
}

/// The threads whose handles may be where the join reads its own. `None`: it is no join.
fn joined(facts: Facts, moment: &Moment) -> Option<Vec<ThreadId>> {
    let call = call_at(facts.module, facts.nodes, moment.node)?;
    let mut classes = facts.points_to.externals(moment.node).map(|e| e.class);
    let position = classes.find_map(|class| match class {
        Class::Joins { thread } => Some(thread),
        _ => None,
    })?;
    let function = facts.nodes.function(moment.node);
    let read = facts
        .threads
        .definitions
        .of(function, *call.args.get(position)?)?;
    let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, read) else {
        return None;
    };
    let ir::Op::Load { ptr, .. } = inst.op else {
        return None;
    };
    let place = facts.points_to.set_of(function, ptr);
    let written = |creation: NodeId| {
        let call = call_at(facts.module, facts.nodes, creation)?;
        let function = facts.nodes.function(creation);
        Some(facts.points_to.set_of(function, *call.args.first()?))
    };
    let threads = facts.threads.threads().enumerate();
    let is_there = |creation: Option<NodeId>| {
        let set = creation.and_then(written);
        set.is_some_and(|set| sets_meet(facts.points_to, place, set))
    };
    Some(
        threads
            .filter(|(_, thread)| is_there(thread.creation))
            .map(|(id, _)| id)
            .collect(),
    )
}

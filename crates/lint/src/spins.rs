//! Loops that only wait for what another thread writes, and may wait for ever.
//!
//! Such a loop is reported if
//! 1. no other thread writes what it reads;
//! 2. another thread may stay for ever, at its end or in a loop of this kind, and the final values
//!    of the variables keep the loop going (and the other loop, if there is one);
//! 3. it reads a counter of which updates may be lost, since they race.
//!
//! Only variables at fixed addresses that are compared with constants are considered; loops on
//! others are not reported.

use analysis::bounds::compares;
use analysis::cfg::Cfg;
use analysis::dominance::DominatorTree;
use analysis::external::{Class, Sync};
use analysis::loops::{Loop, loops, may_wait};
use analysis::{AccessKind, Address, NodeId, ThreadId, call_at};
use ir::{BlockId, FuncId, Op, Terminator};
use rustc_hash::FxHashMap;

use crate::counts::{added, initial_at, number, op};
use crate::final_values::{FinalValues, address_of, final_values, stored};
use crate::guard::may_coincide;
use crate::locks::Moment;
use crate::predicate::reads;
use crate::{Does, Facts, Point, Stuck, StuckKind};

/// A loop that waits, and a moment at which a thread is in it.
struct Spin<'a> {
    moment: &'a Moment,
    function: FuncId,
    round: Loop,
    /// What it reads.
    variables: Vec<(NodeId, Address)>,
    /// It does nothing but read and compare.
    is_tight: bool,
}

/// Where a thread may stay for ever: at its end, or in a loop that waits. What it has left in the
/// variables depends on the place.
struct FinalPlace<'a> {
    thread: ThreadId,
    moment: &'a Moment,
    /// The loop in which it waits; `None`: it has ended.
    spin: Option<&'a Spin<'a>>,
    node: NodeId,
}

/// More values of the variables of a loop than these are not tried.
const MOST_VALUATIONS: usize = 4096;

pub fn spins(facts: Facts, ends: &[(NodeId, &Moment)], add: &mut impl FnMut(Stuck)) {
    let spins = find(facts);
    let mut final_places: Vec<FinalPlace> = Vec::new();
    for &(node, moment) in ends {
        final_places.push(FinalPlace {
            thread: moment.situation.thread,
            moment,
            spin: None,
            node,
        });
    }
    for spin in &spins {
        final_places.push(FinalPlace {
            thread: spin.moment.situation.thread,
            moment: spin.moment,
            spin: Some(spin),
            node: spin.variables[0].0,
        });
    }
    for spin in &spins {
        let changes = changes(facts, spin);
        let is_writer = |place: &&FinalPlace| {
            let mut threads = changes.iter().map(|change| change.situation.thread);
            threads.any(|thread| thread == place.thread)
        };
        let why = if spin.is_tight && changes.is_empty() {
            Some(Does::SpinsUnchanged)
        } else if may_lose(facts, spin) {
            Some(Does::SpinsOnLost)
        } else if final_places
            .iter()
            .filter(is_writer)
            .any(|place| keeps(facts, spin, place))
        {
            Some(Does::SpinsInVain)
        } else {
            None
        };
        if let Some(why) = why {
            add(Stuck {
                kind: StuckKind::EndlessWait,
                steps: vec![(Point::of(spin.moment), why)],
            });
        }
    }
}

fn find<'a>(facts: Facts<'a>) -> Vec<Spin<'a>> {
    let mut moments: FxHashMap<NodeId, Vec<&'a Moment>> = FxHashMap::default();
    for moment in &facts.locks.moments {
        moments.entry(moment.node).or_default().push(moment);
    }
    let mut found = Vec::new();
    for (function, f) in facts.module.functions.enumerate() {
        let Some(body) = f.body.as_ref().filter(|_| !f.runtime) else {
            continue;
        };
        let cfg = Cfg::of(body);
        for round in loops(&cfg, &DominatorTree::dominators(&cfg)) {
            if round.exits(&cfg).next().is_none()
                || !may_wait(body, facts.module.pointer_bits, &round)
            {
                continue;
            }
            let mut variables = Vec::new();
            for read in reads(facts, function, &round) {
                if facts.nodes.function(read) == function
                    && let Some(address) = address_of(facts, read)
                    && address.is_absolute()
                    && moments.contains_key(&read)
                {
                    variables.push((read, address.clone()));
                }
            }
            let Some((first, _)) = variables.first() else {
                continue;
            };
            let nodes = nodes_of(facts, function, &round);
            let acts = nodes.iter().any(|node| {
                waits_otherwise(facts, *node)
                    || variables
                        .iter()
                        .any(|(_, v)| stored(facts, *node, v).is_some())
            });
            if acts {
                continue;
            }
            let mut threads: Vec<ThreadId> = Vec::new();
            for moment in &moments[first] {
                // One moment of every kind of thread stands for all.
                if threads.contains(&moment.situation.thread) {
                    continue;
                }
                threads.push(moment.situation.thread);
                found.push(Spin {
                    moment,
                    function,
                    is_tight: nodes.iter().all(|node| is_elidable(facts, *node)),
                    round: Loop {
                        header: round.header,
                        blocks: round.blocks.clone(),
                        latches: round.latches.clone(),
                        natural: round.natural,
                    },
                    variables: variables.clone(),
                });
            }
        }
    }
    found
}

fn nodes_of(facts: Facts, function: FuncId, round: &Loop) -> Vec<NodeId> {
    let blocks = round.blocks.iter();
    blocks
        .flat_map(|block| facts.nodes.of_block(function, *block))
        .collect()
}

/// Whether the loop waits by other means: conditions, semaphores, joins are looked at elsewhere.
fn waits_otherwise(facts: Facts, node: NodeId) -> bool {
    facts.points_to.externals(node).any(|e| {
        matches!(
            e.class,
            Class::Synchronises(
                Sync::WaitCondition { .. } | Sync::WaitSemaphore { .. } | Sync::WaitBarrier { .. }
            ) | Class::Joins { .. }
        )
    })
}

fn is_elidable(facts: Facts, node: NodeId) -> bool {
    let mut accesses = facts.points_to.accesses(node).iter();
    facts.points_to.entered(node).next().is_none()
        && call_at(facts.module, facts.nodes, node).is_none()
        && !accesses.any(|access| access.kind == AccessKind::Write)
}

/// The moments at which other threads may write what the loop reads.
fn changes<'a>(facts: Facts<'a>, spin: &Spin) -> Vec<&'a Moment> {
    let moments = facts.locks.moments.iter();
    let writes = |moment: &&Moment| {
        let mut variables = spin.variables.iter();
        variables.any(|(_, v)| stored(facts, moment.node, v).is_some())
    };
    let parallel = |moment: &&Moment| {
        facts
            .threads
            .are_parallel(&spin.moment.situation, &moment.situation)
    };
    moments.filter(parallel).filter(writes).collect()
}

/// Whether a counter that the loop reads may lose updates: one of them reads and writes, and
/// another write may come between.
fn may_lose(facts: Facts, spin: &Spin) -> bool {
    spin.variables.iter().any(|(_, variable)| {
        let moments = facts.locks.moments.iter();
        let writes: Vec<&Moment> = moments
            .filter(|moment| stored(facts, moment.node, variable).is_some())
            .collect();
        writes.iter().any(|update| {
            added(facts, update.node, variable).is_some()
                && writes
                    .iter()
                    .any(|other| may_coincide(facts, update, other))
        })
    })
}

/// Whether the loop may go on for ever while the other thread stays where it is.
fn keeps(facts: Facts, spin: &Spin, place: &FinalPlace) -> bool {
    let threads = &facts.threads.threads();
    let own = spin.moment.situation.thread;
    if place.thread == own && !threads[own].many {
        return false;
    }
    if !facts
        .threads
        .are_parallel(&spin.moment.situation, &place.moment.situation)
    {
        return false;
    }
    let mut variables: Vec<Address> = spin.variables.iter().map(|(_, v)| v.clone()).collect();
    if let Some(other) = place.spin {
        variables.extend(other.variables.iter().map(|(_, v)| v.clone()));
    }
    variables.sort_unstable();
    variables.dedup();
    let mut choices: Vec<Vec<Option<i64>>> = Vec::new();
    for variable in &variables {
        let mine = final_values(facts, spin.moment.visit, spin.moment.node, variable);
        let theirs = final_values(facts, place.moment.visit, place.node, variable);
        choices.push(values(facts, spin, variable, &mine, &theirs));
    }
    let count: usize = choices.iter().map(Vec::len).product();
    if count > MOST_VALUATIONS {
        return false;
    }
    (0..count).any(|mut index| {
        let mut valuation: Vec<(&Address, Option<i64>)> = Vec::new();
        for (variable, values) in variables.iter().zip(&choices) {
            valuation.push((variable, values[index % values.len()]));
            index /= values.len();
        }
        stays(facts, spin, &valuation)
            && place
                .spin
                .is_none_or(|other| stays(facts, other, &valuation))
    })
}

/// What may be in the variable when both are where they are.
fn values(
    facts: Facts,
    spin: &Spin,
    variable: &Address,
    mine: &FinalValues,
    theirs: &FinalValues,
) -> Vec<Option<i64>> {
    let mut values = mine.values.clone();
    values.extend(&theirs.values);
    if mine.untouched && theirs.untouched {
        values.extend(before(facts, spin, variable));
    }
    values.sort_unstable();
    values.dedup();
    if values.is_empty() {
        values.push(None);
    }
    values
}

/// What was in the variable before the loop's thread and its peers: what threads have stored there
/// that are not alive together with it, or else the initial value.
fn before(facts: Facts, spin: &Spin, variable: &Address) -> Vec<Option<i64>> {
    let mut found = Vec::new();
    for moment in &facts.locks.moments {
        let own = moment.situation.thread == spin.moment.situation.thread;
        let parallel = facts
            .threads
            .are_parallel(&spin.moment.situation, &moment.situation);
        if !own && !parallel {
            found.extend(stored(facts, moment.node, variable));
        }
    }
    if found.is_empty() {
        let read = spin.variables.iter().find(|(_, v)| v == variable);
        let access = read.and_then(|(node, _)| facts.points_to.accesses(*node).first());
        let bytes = access.and_then(|access| access.bytes);
        found.push(bytes.and_then(|bytes| initial_at(facts, variable, bytes)));
    }
    found
}

/// Whether the loop certainly goes round, with these values of its variables, and does nothing
/// else.
fn stays(facts: Facts, spin: &Spin, valuation: &[(&Address, Option<i64>)]) -> bool {
    let body = facts.module.functions[spin.function].body.as_ref();
    let body = body.expect("a body");
    let mut block = spin.round.header;
    let writes = |node: NodeId| {
        let mut variables = valuation.iter();
        variables.any(|(variable, _)| stored(facts, node, variable).is_some())
    };
    for _ in 0..=spin.round.blocks.len() {
        let mut nodes = facts.nodes.of_block(spin.function, block);
        if nodes.any(|node| writes(node) || call_at(facts.module, facts.nodes, node).is_some()) {
            return false;
        }
        let next: BlockId = match &body.blocks[block].terminator {
            Terminator::Br(target) => target.block,
            Terminator::CondBr { cond, then, other } => {
                match decided(facts, spin.function, *cond, valuation) {
                    Some(true) => then.block,
                    Some(false) => other.block,
                    None => return false,
                }
            }
            _ => return false,
        };
        if next == spin.round.header {
            return true;
        }
        if !spin.round.contains(next) {
            return false;
        }
        block = next;
    }
    // It goes round inside.
    true
}

fn decided(
    facts: Facts,
    function: FuncId,
    cond: ir::ValueId,
    valuation: &[(&Address, Option<i64>)],
) -> Option<bool> {
    let (
        _,
        Op::Cmp {
            op: compare, a, b, ..
        },
    ) = op(facts, function, cond)?
    else {
        return None;
    };
    let read = |value: ir::ValueId| -> Option<i64> {
        let (node, Op::Load { .. }) = op(facts, function, value)? else {
            return None;
        };
        let address = address_of(facts, node)?;
        let known = valuation.iter().find(|(variable, _)| *variable == address);
        known.and_then(|(_, value)| *value)
    };
    let side = |value: ir::ValueId| number(facts, function, value).or_else(|| read(value));
    compares(*compare, side(*a)?, side(*b)?)
}

/// Where threads end: the returns of the functions that they start with, and where they join
/// others.
pub fn ends<'a>(facts: Facts<'a>) -> Vec<(NodeId, &'a Moment)> {
    let mut found = Vec::new();
    let mut last: FxHashMap<crate::locks::VisitId, &'a Moment> = FxHashMap::default();
    for moment in &facts.locks.moments {
        last.entry(moment.visit).or_insert(moment);
        let mut classes = facts.points_to.externals(moment.node).map(|e| e.class);
        if classes.any(|class| matches!(class, Class::Joins { .. } | Class::ExitsThread)) {
            found.push((moment.node, moment));
        }
    }
    for (id, visit) in facts.locks.visits.enumerate() {
        let thread = &facts.threads.threads()[visit.situation.thread];
        let is_end = visit.caller.is_none()
            && thread.creation.is_some()
            && thread.entries.contains(&visit.function);
        let Some(moment) = last.get(&id).filter(|_| is_end) else {
            continue;
        };
        let body = facts.module.functions[visit.function].body.as_ref();
        for (block, b) in body.expect("a body").blocks.enumerate() {
            if matches!(b.terminator, Terminator::Ret(_)) {
                found.push((facts.nodes.terminator(visit.function, block), *moment));
            }
        }
    }
    found
}

//! Counters that cannot become what a thread waits for: `while (n > 0) wait; n++`, against all that
//! other threads do to `n`.
//!
//! Every change must add a constant to the counter, a known number of times: loops around it must
//! count to a number. When a thread waits for the last time, each other thread has made some or all
//! of its changes, and the thread itself those before the wait. If none of the possible sums lets
//! it go on, the wait is in vain. Changes of another form are believed to suffice.

use analysis::cfg::Cfg;
use analysis::dominance::DominatorTree;
use analysis::loops::{Loop, loops};
use analysis::{AccessKind, Address, NodeId, ObjectKind, Stands, ThreadId};
use fixedbitset::FixedBitSet;
use ir::{BinOp, BlockId, CmpOp, Const, FuncId, Op, Terminator, ValueId};
use rustc_hash::FxHashMap;

use crate::Facts;
use crate::locks::{Moment, VisitId};
use crate::predicate::Waiter;

/// The wait goes on while the counter compares so with the number.
struct Guard {
    counter: Address,
    load: NodeId,
    goes_on: CmpOp,
    number: i64,
}

/// Whether the wait is in vain, the last time.
pub fn are_short(facts: Facts, wait: &Moment, waiter: &Waiter) -> bool {
    let counts = Counts {
        facts,
        rounds: FxHashMap::default(),
    };
    counts.judge(wait, waiter) == Some(true)
}

/// How often all threads come to these moments together, if loops say so.
pub fn total(facts: Facts, moments: &[&Moment]) -> Option<i64> {
    let counts = Counts {
        facts,
        rounds: rounds(facts),
    };
    let mut total = 0_i64;
    for moment in moments {
        let times = counts.times(moment.situation.thread, moment.visit, moment.node)?;
        total = total.checked_add(times)?;
    }
    Some(total)
}

fn rounds(facts: Facts) -> FxHashMap<(FuncId, BlockId), i64> {
    let mut functions = FixedBitSet::with_capacity(facts.module.functions.len());
    for (function, f) in facts.module.functions.enumerate() {
        functions.set(function.index(), f.body.is_some());
    }
    facts.threads.rounds(facts.program(), &functions)
}

struct Counts<'a> {
    facts: Facts<'a>,
    /// How often loops go round, by function and header.
    rounds: FxHashMap<(FuncId, BlockId), i64>,
}

impl Counts<'_> {
    fn judge(mut self, wait: &Moment, waiter: &Waiter) -> Option<bool> {
        let facts = self.facts;
        let guard = guard(facts, waiter)?;
        let mut start: Option<i64> = None;
        let mut changes: Vec<(&Moment, i64)> = Vec::new();
        let object = guard.counter.anchor?;
        let reads = facts.points_to.accesses(guard.load).first()?;
        for (node, access) in facts.points_to.touching(object) {
            if access.kind != AccessKind::Write || !facts.points_to.may_overlap(reads, access) {
                continue;
            }
            for moment in facts.locks.moments.iter().filter(|m| m.node == node) {
                let is_own = moment.situation.thread == wait.situation.thread;
                let parallel = facts
                    .threads
                    .are_parallel(&wait.situation, &moment.situation);
                if is_own || parallel {
                    changes.push((moment, added(facts, node, &guard.counter)?));
                } else if start
                    .replace(stored(facts, node, &guard.counter)?)
                    .is_some()
                {
                    return None;
                }
            }
        }
        let start = match start {
            Some(number) => number,
            None => {
                let bytes = reads.bytes?;
                initial_at(facts, &guard.counter, bytes)?
            }
        };
        self.rounds = rounds(facts);
        let times = self.times(wait.situation.thread, waiter.visit, waiter.node)?;
        let (mut least, mut most) = (start, start);
        for (moment, by) in changes {
            if moment.situation.thread == wait.situation.thread
                && self.is_paired(waiter, moment.node)
            {
                let before = by.checked_mul(times.checked_sub(1)?)?;
                least = least.checked_add(before)?;
                most = most.checked_add(before)?;
                continue;
            }
            let often = self.times(moment.situation.thread, moment.visit, moment.node)?;
            let all = by.checked_mul(often)?;
            least = least.checked_add(all.min(0))?;
            most = most.checked_add(all.max(0))?;
        }
        Some(goes_on_always(&guard, least, most))
    }

    /// How often threads of this kind come to a node of the visit, all together.
    fn times(&self, thread: ThreadId, visit: VisitId, node: NodeId) -> Option<i64> {
        let mut times = self.threads(thread)?;
        let (mut visit, mut node) = (visit, node);
        loop {
            times = times.checked_mul(self.in_function(node, None)?)?;
            match self.facts.locks.visits[visit].caller {
                Some((caller, call)) => (visit, node) = (caller, call),
                None => return Some(times),
            }
        }
    }

    /// How many threads of this kind there are.
    fn threads(&self, thread: ThreadId) -> Option<i64> {
        let started = &self.facts.threads.threads()[thread];
        let Some(creator) = started.creator else {
            return started.creation.is_none().then_some(1);
        };
        let mut times = self.threads(creator)?;
        for &node in &started.path {
            times = times.checked_mul(self.in_function(node, None)?)?;
        }
        Some(times)
    }

    /// How often a call of its function comes to the node, not counting the loop around a wait.
    fn in_function(&self, node: NodeId, without: Option<BlockId>) -> Option<i64> {
        let function = self.facts.nodes.function(node);
        let block = self.facts.nodes.block(node);
        let mut times = 1_i64;
        for l in around(self.facts, function, block) {
            if Some(l.header) == without || is_wait_loop(self.facts, function, &l) {
                continue;
            }
            times = times.checked_mul(*self.rounds.get(&(function, l.header))?)?;
        }
        Some(times)
    }

    /// Whether the change is made once for every time that the thread has waited, afterwards.
    fn is_paired(&self, waiter: &Waiter, change: NodeId) -> bool {
        let facts = self.facts;
        let Some(test) = &waiter.test else {
            return false;
        };
        if facts.nodes.function(change) != waiter.function {
            return false;
        }
        let body = facts.module.functions[waiter.function].body.as_ref();
        let cfg = Cfg::of(body.expect("a body"));
        let dominators = DominatorTree::dominators(&cfg);
        let headers = |block: BlockId| -> Vec<BlockId> {
            let around = around(facts, waiter.function, block).into_iter();
            let around = around.filter(|l| l.header != test.round.header);
            around.map(|l| l.header).collect()
        };
        let block = facts.nodes.block(change);
        let innermost = around(facts, waiter.function, block)
            .into_iter()
            .min_by_key(|l| l.blocks.len());
        headers(block) == headers(test.round.header)
            && !test.round.contains(block)
            && dominators.dominates(test.round.header, block)
            && innermost.is_none_or(|l| {
                let mut latches = l.latches.iter();
                latches.all(|latch| dominators.dominates(block, *latch))
            })
    }
}

/// The loops around a block, in the order of their headers.
fn around(facts: Facts, function: FuncId, block: BlockId) -> Vec<Loop> {
    let body = facts.module.functions[function].body.as_ref();
    let cfg = Cfg::of(body.expect("a body"));
    let all = loops(&cfg, &DominatorTree::dominators(&cfg)).into_iter();
    all.filter(|l| l.contains(block)).collect()
}

/// Whether it is a loop around a wait for a condition, which no counter ends.
fn is_wait_loop(facts: Facts, function: FuncId, l: &Loop) -> bool {
    use analysis::external::{Class, Sync};
    let waits = |node: NodeId| {
        facts
            .points_to
            .externals(node)
            .any(|e| matches!(e.class, Class::Synchronises(Sync::WaitCondition { .. })))
    };
    let locks = |node: NodeId| {
        facts
            .points_to
            .externals(node)
            .any(|e| matches!(e.class, Class::Synchronises(Sync::Lock { .. })))
    };
    let nodes = || {
        l.blocks
            .iter()
            .flat_map(|block| facts.nodes.of_block(function, *block))
    };
    nodes().any(waits) && !nodes().any(locks)
}

pub fn op<'a>(facts: Facts<'a>, function: FuncId, value: ValueId) -> Option<(NodeId, &'a Op)> {
    let node = facts.threads.definitions.of(function, value)?;
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => Some((node, &inst.op)),
        Stands::Terminator(_) => None,
    }
}

pub fn number(facts: Facts, function: FuncId, value: ValueId) -> Option<i64> {
    let body = facts.module.functions[function].body.as_ref()?;
    match body.values[value].constant {
        Some(Const::Bits(_)) => Some(facts.threads.addresses.get(function, value).offset),
        _ => None,
    }
}

/// The only way out of the loop, if it compares a counter with a number.
fn guard(facts: Facts, waiter: &Waiter) -> Option<Guard> {
    let test = waiter.test.as_ref()?;
    let function = waiter.function;
    let body = facts.module.functions[function].body.as_ref()?;
    let cfg = Cfg::of(body);
    let mut exits = test.round.exits(&cfg);
    let exit = exits.next()?;
    if exits.next().is_some() {
        return None;
    }
    let Terminator::CondBr { cond, then, .. } = &body.blocks[exit].terminator else {
        return None;
    };
    let (
        _,
        Op::Cmp {
            op: compare, a, b, ..
        },
    ) = op(facts, function, *cond)?
    else {
        return None;
    };
    let (load, Op::Load { ptr, .. }) = op(facts, function, *a)? else {
        return None;
    };
    let counter = facts.threads.addresses.get(function, *ptr);
    let stays = test.round.contains(then.block);
    Some(Guard {
        counter: counter.is_absolute().then(|| counter.clone())?,
        load,
        goes_on: if stays { *compare } else { compare.negated() },
        number: number(facts, function, *b)?,
    })
}

/// Whether the wait goes on for all numbers from the least to the most.
fn goes_on_always(guard: &Guard, least: i64, most: i64) -> bool {
    match guard.goes_on {
        CmpOp::Eq => least == guard.number && most == guard.number,
        CmpOp::Ne => guard.number < least || most < guard.number,
        CmpOp::Slt => most < guard.number,
        CmpOp::Sle => most <= guard.number,
        CmpOp::Sgt => least > guard.number,
        CmpOp::Sge => least >= guard.number,
        _ => false,
    }
}

/// The number that a store adds to the counter.
pub fn added(facts: Facts, node: NodeId, counter: &Address) -> Option<i64> {
    let function = facts.nodes.function(node);
    let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, node) else {
        return None;
    };
    let at = |pointer: ValueId| facts.threads.addresses.get(function, pointer) == counter;
    let Op::Store { ptr, value, .. } = &inst.op else {
        return None;
    };
    let (_, Op::Bin { op: kind, a, b, .. }) = op(facts, function, *value)? else {
        return None;
    };
    let is_counter = |value: ValueId| {
        op(facts, function, value)
            .is_some_and(|(_, op)| matches!(op, Op::Load { ptr, .. } if at(*ptr)))
    };
    if !at(*ptr) {
        return None;
    }
    match kind {
        BinOp::Add if is_counter(*a) => number(facts, function, *b),
        BinOp::Add if is_counter(*b) => number(facts, function, *a),
        BinOp::Sub if is_counter(*a) => number(facts, function, *b)?.checked_neg(),
        _ => None,
    }
}

/// The number that a store puts there.
fn stored(facts: Facts, node: NodeId, counter: &Address) -> Option<i64> {
    let function = facts.nodes.function(node);
    let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, node) else {
        return None;
    };
    match &inst.op {
        Op::Store { ptr, value, .. } if facts.threads.addresses.get(function, *ptr) == counter => {
            number(facts, function, *value)
        }
        _ => None,
    }
}

/// The number that is in memory, in `bytes` bytes, before anything is executed.
pub fn initial_at(facts: Facts, at: &Address, bytes: u64) -> Option<i64> {
    let ObjectKind::Global(global) = facts.points_to.objects()[at.anchor?].kind else {
        return None;
    };
    let init = facts.module.globals[global].init.as_ref()?;
    let start = usize::try_from(at.offset).ok()?;
    let end = start.checked_add(usize::try_from(bytes).ok()?)?;
    let mut number = 0_i64;
    for (index, at) in (start..end).enumerate() {
        // What is not said is zero.
        let byte = init.bytes.get(at).copied().unwrap_or(0);
        number |= i64::from(byte).checked_shl(8 * index as u32)?;
    }
    let unused = 64_u32.checked_sub(8 * bytes as u32)?;
    Some((number << unused) >> unused)
}

/// How what a load reads is compared with numbers: the operator's number, the number.
pub fn compared(facts: Facts, load: NodeId) -> Option<(u8, i64)> {
    let function = facts.nodes.function(load);
    let Stands::Inst(inst) = facts.nodes.stands_for(facts.module, load) else {
        return None;
    };
    let Op::Load { dst, .. } = &inst.op else {
        return None;
    };
    let mut nodes = facts.nodes.of_function(function);
    nodes.find_map(|node| match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => match &inst.op {
            Op::Cmp { op, a, b, .. } if a == dst => Some((*op as u8, number(facts, function, *b)?)),
            _ => None,
        },
        Stands::Terminator(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use analysis::bounds::compares;

    use super::*;

    fn guard(goes_on: CmpOp, number: i64) -> Guard {
        Guard {
            counter: Address::default(),
            load: NodeId(0),
            goes_on,
            number,
        }
    }

    #[test]
    fn a_wait_is_in_vain_if_it_goes_on_for_all_numbers() {
        for goes_on in [
            CmpOp::Eq,
            CmpOp::Ne,
            CmpOp::Slt,
            CmpOp::Sle,
            CmpOp::Sgt,
            CmpOp::Sge,
        ] {
            for (least, most) in [(-2, 1), (0, 0), (1, 3), (2, 2)] {
                let all = (least..=most).all(|n| compares(goes_on, n, 0) == Some(true));
                let guard = guard(goes_on, 0);
                assert_eq!(goes_on_always(&guard, least, most), all, "{goes_on:?}");
            }
        }
    }

    #[test]
    fn leaving_is_the_opposite_of_going_on() {
        for compare in [CmpOp::Eq, CmpOp::Slt, CmpOp::Sle, CmpOp::Sgt] {
            let opposite = compare.negated();
            for n in -1..=1 {
                assert_ne!(compares(compare, n, 0), compares(opposite, n, 0));
            }
        }
    }
}

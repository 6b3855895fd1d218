//! Loops that count: `for (i = first; i < bound; i += step)`.
//!
//! Only what is needed to see that one loop runs through all numbers that another has run through:
//! both begin with the same number, go on by the same step and end at the same bound, which no
//! thread changes after the first of them has begun.

use fixedbitset::FixedBitSet;
use ir::{BinOp, BlockId, Body, CmpOp, Const, FuncId, Op, Terminator, ValueId};
use rustc_hash::FxHashMap;

use super::tree::Program;
use super::writers::Writers;
use crate::address::{Address, Addresses};
use crate::cfg::Cfg;
use crate::definitions::Definitions;
use crate::dominance::DominatorTree;
use crate::loops::{Loop, loops};
use crate::node::{NodeId, Stands};
use crate::unique::Unique;

/// What loops are judged by.
pub struct Surroundings<'a> {
    pub program: Program<'a>,
    pub addresses: &'a Addresses,
    pub definitions: &'a Definitions,
    pub unique: &'a Unique,
    pub writers: &'a Writers,
}

/// What a loop's counter goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counting {
    pub function: FuncId,
    pub header: BlockId,
    pub counter: ValueId,
    first: i64,
    step: i64,
    compare: CmpOp,
    bound: Bound,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Bound {
    Number(i64),
    /// A value that does not change while the function is executed.
    Value(FuncId, ValueId),
    /// What is read at this address, of a variable that is not written once the function has come
    /// to a loop.
    At(Address),
}

impl Counting {
    /// Whether the other goes through all numbers that this one goes through.
    pub fn is_within(&self, other: &Counting) -> bool {
        let begins_alike = self.first == other.first && self.step == other.step;
        // One that counts by ones does not step over its bound, whatever it compares by.
        let is_shorter = || match (self.rounds(), other.rounds()) {
            (Some(rounds), Some(others)) => self.step == 1 && rounds <= others,
            _ => false,
        };
        let ends_alike = || {
            self.compare == other.compare
                && match (&self.bound, &other.bound) {
                    (Bound::Number(a), Bound::Number(b)) => {
                        a == b || (a < b && matches!(self.compare, CmpOp::Slt | CmpOp::Sle))
                    }
                    (a, b) => a == b,
                }
        };
        begins_alike && (ends_alike() || is_shorter())
    }

    /// Whether it ends at a number that the program text says.
    pub fn is_numbered(&self) -> bool {
        matches!(self.bound, Bound::Number(_))
    }

    /// How often the loop goes round, if nothing else ends it before.
    pub fn rounds(&self) -> Option<i64> {
        let Bound::Number(bound) = self.bound else {
            return None;
        };
        let last = match self.compare {
            CmpOp::Slt => bound.checked_sub(1)?,
            CmpOp::Sle => bound,
            CmpOp::Ult if bound > 0 && self.first >= 0 => bound - 1,
            CmpOp::Ule if bound >= 0 && self.first >= 0 => bound,
            CmpOp::Ne if self.step == 1 && self.first <= bound => bound.checked_sub(1)?,
            _ => return None,
        };
        let further = last.checked_sub(self.first)?;
        Some(if further < 0 {
            0
        } else {
            further / self.step + 1
        })
    }

    /// Whether the counter is certainly never this number in the loop.
    pub fn excludes(&self, number: i64) -> bool {
        number < self.first
            || self.rounds().is_some_and(|rounds| {
                let further = number.wrapping_sub(self.first);
                further >= 0 && (further % self.step != 0 || further / self.step >= rounds)
            })
    }

    /// Whether the two have no number in common, for certain.
    pub fn is_apart_from(&self, other: &Counting) -> bool {
        let ends_before = |a: &Counting, b: &Counting| {
            let end = a.rounds().and_then(|rounds| rounds.checked_mul(a.step));
            let end = end.and_then(|length| a.first.checked_add(length));
            end.is_some_and(|end| end <= b.first)
        };
        ends_before(self, other) || ends_before(other, self)
    }

    pub fn contains(&self, number: i64) -> bool {
        let Bound::Number(bound) = self.bound else {
            return false;
        };
        let in_bounds = match self.compare {
            CmpOp::Slt => number < bound,
            CmpOp::Sle => number <= bound,
            CmpOp::Ult => bound >= 0 && number < bound,
            CmpOp::Ule => bound >= 0 && number <= bound,
            CmpOp::Ne => number < bound && self.step == 1,
            _ => false,
        };
        self.step > 0 && number >= self.first && (number - self.first) % self.step == 0 && in_bounds
    }
}

pub struct Loops<'a> {
    unique: &'a Unique,
    functions: FxHashMap<FuncId, Found>,
}

struct Found {
    dominators: DominatorTree,
    loops: Vec<Loop>,
    counting: FxHashMap<ValueId, Counting>,
    /// Where each header's loop is left by its own condition.
    exits: FxHashMap<BlockId, BlockId>,
}

impl<'a> Loops<'a> {
    /// Of those functions.
    pub fn of(surroundings: &Surroundings<'a>, functions: &FixedBitSet) -> Loops<'a> {
        let program = surroundings.program;
        let mut found = FxHashMap::default();
        for function in functions.ones().map(FuncId::from) {
            let body = program.module.functions[function].body.as_ref();
            let cfg = Cfg::of(body.expect("a body"));
            let dominators = DominatorTree::dominators(&cfg);
            let loops = loops(&cfg, &dominators);
            let mut here = Found {
                dominators,
                loops,
                counting: FxHashMap::default(),
                exits: FxHashMap::default(),
            };
            here.find_counting(surroundings, function, &cfg);
            found.insert(function, here);
        }
        Loops {
            unique: surroundings.unique,
            functions: found,
        }
    }

    pub fn is_in_cycle(&self, function: FuncId, block: BlockId) -> bool {
        self.unique.is_in_cycle(function, block)
    }

    /// The loop whose counter the value is.
    pub fn counting(&self, function: FuncId, value: ValueId) -> Option<&Counting> {
        self.functions.get(&function)?.counting.get(&value)
    }

    /// How often loops go round that count to a number, by function and header.
    pub fn rounds(&self) -> FxHashMap<(FuncId, BlockId), i64> {
        let counting = self
            .functions
            .values()
            .flat_map(|found| found.counting.values());
        counting
            .filter_map(|counting| Some(((counting.function, counting.header), counting.rounds()?)))
            .collect()
    }

    /// Where the loop goes on when it has counted to the end, if the block is executed in every
    /// round.
    pub fn exit(&self, counting: &Counting, block: BlockId) -> Option<BlockId> {
        let found = self.functions.get(&counting.function)?;
        let here = found.loops.iter().find(|l| l.header == counting.header)?;
        let mut latches = here.latches.iter();
        let always = latches.all(|latch| found.dominators.dominates(block, *latch));
        let inside = here.contains(block);
        (always && inside).then(|| found.exits[&counting.header])
    }

    /// The blocks of the loop that come only before this one in a round.
    pub fn before(&self, program: Program, counting: &Counting, block: BlockId) -> FixedBitSet {
        let found = &self.functions[&counting.function];
        let body = program.module.functions[counting.function].body.as_ref();
        let body = body.expect("a body");
        let mut before = FixedBitSet::with_capacity(body.blocks.len());
        let Some(here) = found.loops.iter().find(|l| l.header == counting.header) else {
            return before;
        };
        here.blocks.iter().for_each(|b| before.insert(b.index()));
        let mut stack = vec![block];
        let mut seen = FixedBitSet::with_capacity(body.blocks.len());
        while let Some(block) = stack.pop() {
            if seen.put(block.index()) {
                continue;
            }
            before.set(block.index(), false);
            let terminator = &body.blocks[block].terminator;
            terminator.for_each_successor(|next| {
                if next != here.header {
                    stack.push(next);
                }
            });
        }
        before
    }

    pub fn is_inside(&self, counting: &Counting, block: BlockId) -> bool {
        let found = &self.functions[&counting.function];
        let here = found.loops.iter().find(|l| l.header == counting.header);
        here.is_some_and(|l| l.contains(block))
    }

    /// Whether the block is in no loop inside this one.
    pub fn is_once_a_round(&self, counting: &Counting, block: BlockId) -> bool {
        let found = &self.functions[&counting.function];
        let Some(here) = found.loops.iter().find(|l| l.header == counting.header) else {
            return false;
        };
        let mut inner = found.loops.iter().filter(|l| l.header != here.header);
        here.contains(block) && !inner.any(|l| l.contains(block) && here.contains(l.header))
    }
}

impl Found {
    fn find_counting(&mut self, surroundings: &Surroundings, function: FuncId, cfg: &Cfg) {
        let Surroundings {
            program,
            addresses,
            definitions,
            ..
        } = *surroundings;
        let body = program.module.functions[function].body.as_ref();
        let body = body.expect("a body");
        for l in self.loops.iter().filter(|l| l.natural) {
            let Terminator::CondBr { cond, then, other } = &body.blocks[l.header].terminator else {
                continue;
            };
            let stays = |block: BlockId| l.contains(block);
            if !stays(then.block) || stays(other.block) {
                continue;
            }
            let op = |value: ValueId| {
                let node = definitions.of(function, value)?;
                match program.nodes.stands_for(program.module, node) {
                    Stands::Inst(inst) => Some(&inst.op),
                    Stands::Terminator(_) => None,
                }
            };
            let Some(Op::Cmp {
                op: compare, a, b, ..
            }) = op(*cond)
            else {
                continue;
            };
            let counter = *a;
            let Some(position) = body.blocks[l.header]
                .params
                .iter()
                .position(|p| *p == counter)
            else {
                continue;
            };
            let number = |value: ValueId| match body.values[value].constant {
                Some(Const::Bits(_)) => Some(addresses.get(function, value).offset),
                _ => None,
            };
            let Some((first, step)) = first_and_step(body, cfg, l, position, &op, &number) else {
                continue;
            };
            if step <= 0
                || !matches!(
                    compare,
                    CmpOp::Slt | CmpOp::Sle | CmpOp::Ult | CmpOp::Ule | CmpOp::Ne
                )
            {
                continue;
            }
            let bound = match number(*b) {
                Some(number) => Some(Bound::Number(number)),
                None => self.unchanged(surroundings, function, cfg, l, *b),
            };
            if let Some(bound) = bound {
                self.exits.insert(l.header, other.block);
                self.counting.insert(
                    counter,
                    Counting {
                        function,
                        header: l.header,
                        counter,
                        first,
                        step,
                        compare: *compare,
                        bound,
                    },
                );
            }
        }
    }

    /// A bound that stays as it is from the first loop on.
    fn unchanged(
        &self,
        surroundings: &Surroundings,
        function: FuncId,
        cfg: &Cfg,
        l: &Loop,
        value: ValueId,
    ) -> Option<Bound> {
        let Surroundings {
            program,
            addresses,
            definitions,
            ..
        } = *surroundings;
        let Program { module, nodes, .. } = program;
        let body = module.functions[function].body.as_ref()?;
        let Some(node) = definitions.of(function, value) else {
            return body
                .params
                .contains(&value)
                .then_some(Bound::Value(function, value));
        };
        if !surroundings.unique.is_in_cycle(function, nodes.block(node)) {
            return Some(Bound::Value(function, value));
        }
        let Stands::Inst(inst) = nodes.stands_for(module, node) else {
            return None;
        };
        let Op::Load { ptr, .. } = inst.op else {
            return None;
        };
        let address = addresses.get(function, ptr);
        if !address.is_absolute() || nodes.block(node) != l.header {
            return None;
        }
        // Blocks that may come after a loop has begun.
        let mut later = FixedBitSet::with_capacity(cfg.len());
        let mut stack: Vec<BlockId> = self.loops.iter().map(|l| l.header).collect();
        while let Some(block) = stack.pop() {
            if !later.put(block.index()) {
                stack.extend(cfg.successors(block));
            }
        }
        let mut writers = surroundings.writers.of(program, node);
        let is_early = |writer: NodeId| {
            nodes.function(writer) == function
                && !later.contains(nodes.block(writer).index())
                && surroundings.unique.is_executed_once(nodes, writer)
        };
        writers.all(is_early).then(|| Bound::At(address.clone()))
    }
}

/// The number with which a counter begins, and the number that every round adds to it: what the
/// header's parameter at `position` is given on every way to the header.
fn first_and_step<'a>(
    body: &'a Body,
    cfg: &Cfg,
    l: &Loop,
    position: usize,
    op: &impl Fn(ValueId) -> Option<&'a Op>,
    number: &impl Fn(ValueId) -> Option<i64>,
) -> Option<(i64, i64)> {
    let counter = body.blocks[l.header].params[position];
    let mut first: Option<Option<i64>> = None;
    let mut step: Option<Option<i64>> = None;
    for &before in cfg.predecessors(l.header) {
        if !cfg.is_reachable(before) {
            continue;
        }
        for target in targets_of(&body.blocks[before].terminator, l.header) {
            let given = target[position];
            if l.contains(before) {
                let by = match op(given) {
                    Some(Op::Bin {
                        op: BinOp::Add,
                        a,
                        b,
                        ..
                    }) if *a == counter => number(*b),
                    Some(Op::Bin {
                        op: BinOp::Add,
                        a,
                        b,
                        ..
                    }) if *b == counter => number(*a),
                    _ => None,
                };
                step = Some(step.map_or(by, |known| known.filter(|k| Some(*k) == by)));
            } else {
                let start = number(given);
                first = Some(first.map_or(start, |known| known.filter(|k| Some(*k) == start)));
            }
        }
    }
    first?.zip(step?)
}

/// The arguments of every jump to the block.
fn targets_of(terminator: &Terminator, block: BlockId) -> Vec<&[ValueId]> {
    let targets = match terminator {
        Terminator::Br(target) => vec![target],
        Terminator::CondBr { then, other, .. } => vec![then, other],
        Terminator::Switch { cases, default, .. } => cases
            .iter()
            .map(|(_, target)| target)
            .chain([default])
            .collect(),
        Terminator::Invoke { normal, .. } => vec![normal],
        _ => Vec::new(),
    };
    let here = targets.into_iter().filter(|target| target.block == block);
    here.map(|target| target.args.as_slice()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(first: i64, step: i64, compare: CmpOp, bound: i64) -> Counting {
        Counting {
            function: FuncId(0),
            header: BlockId(0),
            counter: ValueId(0),
            first,
            step,
            compare,
            bound: Bound::Number(bound),
        }
    }

    #[test]
    fn rounds() {
        assert_eq!(counting(0, 1, CmpOp::Slt, 3).rounds(), Some(3));
        assert_eq!(counting(0, 2, CmpOp::Sle, 4).rounds(), Some(3));
        assert_eq!(counting(0, 2, CmpOp::Slt, 3).rounds(), Some(2));
        assert_eq!(counting(5, 1, CmpOp::Slt, 3).rounds(), Some(0));
        assert_eq!(counting(0, 1, CmpOp::Ne, 3).rounds(), Some(3));
        assert_eq!(counting(0, 2, CmpOp::Ne, 3).rounds(), None);
        assert_eq!(counting(-1, 1, CmpOp::Ult, 3).rounds(), None);
    }

    #[test]
    fn what_is_excluded_is_not_contained() {
        for compare in [CmpOp::Slt, CmpOp::Sle, CmpOp::Ult, CmpOp::Ule, CmpOp::Ne] {
            for step in 1..3 {
                let loops = counting(1, step, compare, 5);
                for number in -3..9 {
                    let both = loops.excludes(number) && loops.contains(number);
                    assert!(!both, "{loops:?} {number}");
                }
            }
        }
        assert!(counting(0, 1, CmpOp::Slt, 3).excludes(3));
        assert!(!counting(0, 1, CmpOp::Slt, 3).excludes(2));
    }

    #[test]
    fn loops_over_different_parts() {
        let (low, high) = (counting(0, 1, CmpOp::Slt, 3), counting(3, 1, CmpOp::Slt, 6));
        assert!(low.is_apart_from(&high) && high.is_apart_from(&low));
        assert!(!low.is_apart_from(&counting(2, 1, CmpOp::Slt, 6)));
        assert!(!low.is_apart_from(&low));
    }
}

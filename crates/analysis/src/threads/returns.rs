//! What a call's result tells about the threads that are alive after it: `start` in
//! `if (start() != 0) return;` starts a thread, or returns a number that says it did not.
//!
//! For every number that a function may return, the threads that are alive then; a branch that
//! tests the result knows more than the call.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use ir::{BlockId, CmpOp, FuncId, Op, Terminator, ValueId};

use super::tree::Program;
use crate::address::Addresses;
use crate::bounds::compares;
use crate::definitions::Definitions;
use crate::node::Stands;

/// What is alive if this number is returned. `None`: any other number.
pub type Returned = BTreeMap<Option<i64>, FixedBitSet>;

/// The threads that may be alive at a point, and what the result of a call tells about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    pub alive: FixedBitSet,
    /// As long as nothing has changed since the call.
    pub told: Option<(ValueId, Returned)>,
}

impl Arrival {
    pub fn of(alive: FixedBitSet) -> Arrival {
        Arrival { alive, told: None }
    }

    /// Both ways lead here. Whether that is new.
    pub fn merge(&mut self, other: &Arrival) -> bool {
        let mut changed = !other.alive.is_subset(&self.alive);
        self.alive.union_with(&other.alive);
        let Some((value, known)) = &mut self.told else {
            return changed;
        };
        match &other.told {
            Some((same, more)) if same == value => {
                for (number, alive) in more {
                    changed |= add(known, *number, alive);
                }
            }
            _ => {
                self.told = None;
                changed = true;
            }
        }
        changed
    }
}

/// Whether that is new.
pub fn add(returned: &mut Returned, number: Option<i64>, alive: &FixedBitSet) -> bool {
    match returned.get_mut(&number) {
        Some(known) => {
            let changed = !alive.is_subset(known);
            known.union_with(alive);
            changed
        }
        None => {
            returned.insert(number, alive.clone());
            true
        }
    }
}

/// What is needed to read branches and results.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub program: Program<'a>,
    pub addresses: &'a Addresses,
    pub definitions: &'a Definitions,
}

impl Reader<'_> {
    /// What arrives at the end of each edge of a block.
    pub fn edges(
        &self,
        function: FuncId,
        terminator: &Terminator,
        here: &Arrival,
    ) -> Vec<(BlockId, Arrival)> {
        match terminator {
            Terminator::CondBr { cond, then, other } => {
                let sides = [(then.block, true), (other.block, false)];
                sides
                    .into_iter()
                    .map(|(block, side)| (block, self.beside(function, *cond, side, here)))
                    .collect()
            }
            _ => {
                let mut edges = Vec::new();
                terminator.for_each_successor(|next| edges.push((next, here.clone())));
                edges
            }
        }
    }

    /// What is known where the condition is true, or false.
    fn beside(&self, function: FuncId, cond: ValueId, side: bool, here: &Arrival) -> Arrival {
        let Some((value, returned)) = &here.told else {
            return here.clone();
        };
        let Some((compare, number)) = self.comparison(function, cond, *value) else {
            return here.clone();
        };
        let mut left = returned.clone();
        left.retain(|result, _| {
            let holds = result.and_then(|result| compares(compare, result, number));
            holds.is_none_or(|holds| holds == side)
        });
        let mut alive = here.alive.clone();
        alive.clear();
        left.values().for_each(|set| alive.union_with(set));
        Arrival {
            alive,
            told: Some((*value, left)),
        }
    }

    fn comparison(&self, function: FuncId, cond: ValueId, value: ValueId) -> Option<(CmpOp, i64)> {
        let node = self.definitions.of(function, cond)?;
        match self.program.nodes.stands_for(self.program.module, node) {
            Stands::Inst(inst) => match &inst.op {
                Op::Cmp { op, a, b, .. } if *a == value => Some((*op, self.number(function, *b)?)),
                _ => None,
            },
            Stands::Terminator(_) => None,
        }
    }

    /// The value, if it is a number that the program text says.
    pub fn number(&self, function: FuncId, value: ValueId) -> Option<i64> {
        let body = self.program.module.functions[function].body.as_ref()?;
        match body.values[value].constant {
            Some(ir::Const::Bits(_)) => Some(self.addresses.get(function, value).offset),
            _ => None,
        }
    }

    /// What a block returns that does nothing but return one of its parameters, on each edge to it.
    pub fn returned_by_edge(
        &self,
        function: FuncId,
        from: &Terminator,
        to: BlockId,
    ) -> Option<Vec<ValueId>> {
        let body = self.program.module.functions[function].body.as_ref()?;
        let position = self.returned_parameter(function, to)?;
        let targets = match from {
            Terminator::Br(target) => vec![target],
            Terminator::CondBr { then, other, .. } => vec![then, other],
            _ => return None,
        };
        debug_assert!(position < body.blocks[to].params.len());
        let here = targets.into_iter().filter(|target| target.block == to);
        here.map(|target| target.args.get(position).copied())
            .collect()
    }

    /// Which parameter the block returns, if it does nothing else.
    pub fn returned_parameter(&self, function: FuncId, block: BlockId) -> Option<usize> {
        let body = self.program.module.functions[function].body.as_ref()?;
        let block = &body.blocks[block];
        match &block.terminator {
            Terminator::Ret(values) if block.insts.is_empty() => {
                let value = values.first()?;
                block.params.iter().position(|param| param == value)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(threads: &[usize]) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(4);
        set.extend(threads.iter().copied());
        set
    }

    fn told(value: u32, entries: &[(Option<i64>, &[usize])]) -> Arrival {
        let mut returned = Returned::new();
        let mut alive = set(&[]);
        for (number, threads) in entries {
            add(&mut returned, *number, &set(threads));
            alive.union_with(&set(threads));
        }
        Arrival {
            alive,
            told: Some((ValueId(value), returned)),
        }
    }

    #[test]
    fn ways_with_the_same_result_stay_apart_by_number() {
        let mut here = told(1, &[(Some(0), &[1])]);
        assert!(here.merge(&told(1, &[(Some(-1), &[])])));
        assert_eq!(here, told(1, &[(Some(-1), &[]), (Some(0), &[1])]));
        assert!(!here.clone().merge(&here));
    }

    #[test]
    fn ways_with_different_results_tell_nothing() {
        let mut here = told(1, &[(Some(0), &[1])]);
        assert!(here.merge(&Arrival::of(set(&[2]))));
        assert_eq!(here, Arrival::of(set(&[1, 2])));
    }
}

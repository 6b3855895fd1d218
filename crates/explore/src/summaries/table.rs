//! The summaries of all control states, within bounds.

use machine::ControlState;
use rustc_hash::FxHashMap;
use smt::{TermId, Terms};

use super::{Accesses, Asleep, Known};

/// How much is kept. Whatever is dropped only makes for less pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Control states.
    pub states: usize,
    /// Summaries of each.
    pub summaries: usize,
    /// Nodes of a summary, written as a tree.
    pub size: u32,
    /// So often a control state is looked up in vain before it is not looked up any more.
    pub patience: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            states: 1 << 16,
            summaries: 16,
            size: 20_000,
            patience: 200,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Looked up.
    pub lookups: u64,
    /// Compared with the state.
    pub evaluated: u64,
    /// Of these, with the help of the solver.
    pub solved: u64,
    pub pruned: u64,
    pub published: u64,
    /// Points of which nothing could be said.
    pub given_up: u64,
}

pub(super) struct Summary {
    pub conditions: Vec<TermId>,
    pub asleep: Asleep,
    accesses: Accesses,
}

#[derive(Default)]
struct State {
    summaries: Vec<Summary>,
    in_vain: u32,
}

pub struct Table {
    states: FxHashMap<ControlState, State>,
    pub limits: Limits,
    pub statistics: Statistics,
}

impl Table {
    pub fn new(limits: Limits) -> Table {
        Table {
            states: FxHashMap::default(),
            limits,
            statistics: Statistics::default(),
        }
    }

    /// How many summaries are worth a look.
    pub fn candidates(&mut self, key: &ControlState) -> usize {
        self.statistics.lookups += 1;
        let patience = self.limits.patience;
        match self.states.get_mut(key) {
            Some(state) if state.in_vain < patience => {
                state.in_vain += 1;
                state.summaries.len()
            }
            _ => 0,
        }
    }

    pub(super) fn summary(&self, key: &ControlState, index: usize) -> Option<&Summary> {
        self.states.get(key)?.summaries.get(index)
    }

    /// The summary holds. The ones that do are looked at first.
    pub fn hit(&mut self, key: &ControlState, index: usize) -> Known {
        self.statistics.pruned += 1;
        let state = self.states.get_mut(key).expect("a state with summaries");
        state.in_vain = 0;
        state.summaries[..=index].rotate_right(1);
        let summary = &state.summaries[0];
        Known {
            conditions: Some(summary.conditions.clone()),
            accesses: summary.accesses.clone(),
        }
    }

    pub(super) fn publish(
        &mut self,
        terms: &Terms,
        key: ControlState,
        asleep: Asleep,
        conditions: &[TermId],
        accesses: &Accesses,
    ) {
        let size = conditions.iter().map(|c| terms.tree_size(*c));
        if size.fold(0, u32::saturating_add) > self.limits.size
            || self.states.len() >= self.limits.states && !self.states.contains_key(&key)
        {
            return;
        }
        let state = self.states.entry(key).or_default();
        if state.in_vain >= self.limits.patience {
            return;
        }
        // One that requires no more makes another superfluous.
        let weaker = |a: &[TermId], b: &[TermId]| a.iter().all(|c| b.contains(c));
        let wakes = |a: &Asleep, b: &Asleep| a.iter().all(|z| b.contains(z));
        let serves =
            |old: &Summary| weaker(&old.conditions, conditions) && wakes(&old.asleep, &asleep);
        if state.summaries.iter().any(serves) {
            return;
        }
        state
            .summaries
            .retain(|old| !(weaker(conditions, &old.conditions) && wakes(&asleep, &old.asleep)));
        if state.summaries.len() >= self.limits.summaries {
            state.summaries.pop();
        }
        self.statistics.published += 1;
        state.summaries.insert(
            0,
            Summary {
                conditions: conditions.to_vec(),
                asleep,
                accesses: accesses.clone(),
            },
        );
    }
}

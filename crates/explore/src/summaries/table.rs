//! The summaries of all control states, within bounds.

use std::rc::Rc;

use machine::ControlState;
use rustc_hash::FxHashMap;
use serde::Serialize;
use smt::{TermId, Terms};

use super::{Accesses, Asleep, Known, merge};

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
    /// So much work, in steps of the search, is spent on summaries before there is a rest, if they hardly ever prune; 0: any.
    pub trial: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            states: 1 << 16,
            summaries: 64,
            size: 20_000,
            patience: 200,
            trial: 1 << 12,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Looked up.
    pub lookups: u64,
    /// Compared with the state.
    pub evaluated: u64,
    /// Of these, with the help of the solver.
    pub solved: u64,
    pub pruned: u64,
    /// Of these, by several summaries of which one holds in each case.
    pub together: u64,
    pub published: u64,
    /// Points of which nothing could be said.
    pub given_up: u64,
    /// In the table, and the control states they are of.
    pub kept: u64,
    pub states: u64,
    /// Gave way to others, for lack of room.
    pub replaced: u64,
    /// Nodes of the largest that was published, as `Limits::size` counts them.
    pub largest: u32,
}

pub(super) struct Summary {
    pub conditions: Vec<TermId>,
    pub asleep: Asleep,
    accesses: Accesses,
}

struct State {
    key: Rc<ControlState>,
    summaries: Vec<Summary>,
    in_vain: u32,
    /// One of its summaries held since it was last thought of to be replaced.
    is_useful: bool,
}

/// When there are too many control states, one gives way that was of no use for the longest time (the clock algorithm: the hand passes
/// over those that were, once). Of too many summaries of one control state, the one that held the longest time ago does.
pub struct Table {
    index: FxHashMap<Rc<ControlState>, u32>,
    states: Vec<State>,
    hand: usize,
    pub limits: Limits,
    pub statistics: Statistics,
}

impl Table {
    pub fn new(limits: Limits) -> Table {
        Table {
            index: FxHashMap::default(),
            states: Vec::new(),
            hand: 0,
            limits,
            statistics: Statistics::default(),
        }
    }

    fn state(&self, key: &ControlState) -> Option<&State> {
        let index = *self.index.get(key)?;
        Some(&self.states[index as usize])
    }

    fn state_mut(&mut self, key: &ControlState) -> Option<&mut State> {
        let index = *self.index.get(key)?;
        Some(&mut self.states[index as usize])
    }

    /// All summaries with their control states.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&ControlState, &Summary)> {
        let all = self.states.iter();
        all.flat_map(|state| state.summaries.iter().map(|s| (&*state.key, s)))
    }

    /// How many summaries are worth a look.
    pub fn candidates(&mut self, key: &ControlState) -> usize {
        self.statistics.lookups += 1;
        let patience = self.limits.patience;
        match self.state_mut(key) {
            Some(state) if state.in_vain < patience => {
                state.in_vain += 1;
                state.summaries.len()
            }
            _ => 0,
        }
    }

    pub(super) fn summary(&self, key: &ControlState, index: usize) -> Option<&Summary> {
        self.state(key)?.summaries.get(index)
    }

    /// The summary holds. The ones that do are looked at first.
    pub fn hit(&mut self, key: &ControlState, index: usize) -> Known {
        self.statistics.pruned += 1;
        let state = self.state_mut(key).expect("a state with summaries");
        state.in_vain = 0;
        state.is_useful = true;
        state.summaries[..=index].rotate_right(1);
        let summary = &state.summaries[0];
        Known {
            conditions: Some(summary.conditions.clone()),
            accesses: summary.accesses.clone(),
        }
    }

    /// Several summaries hold together: in each case one of them does.
    pub fn hit_together(
        &mut self,
        terms: &mut Terms,
        key: &ControlState,
        indices: &[usize],
    ) -> Known {
        self.statistics.pruned += 1;
        self.statistics.together += 1;
        self.together(terms, key, indices)
    }

    /// What several summaries say together.
    pub fn together(&mut self, terms: &mut Terms, key: &ControlState, indices: &[usize]) -> Known {
        let state = self.state_mut(key).expect("a state with summaries");
        state.in_vain = 0;
        state.is_useful = true;
        let mut any = terms.bool(false);
        let mut accesses = Accesses::default();
        for &index in indices {
            let summary = &state.summaries[index];
            let all = terms.all(&summary.conditions);
            any = terms.or(any, all);
            accesses.add(&summary.accesses);
        }
        let is_true = terms.as_constant(any) == Some(1);
        Known {
            conditions: Some(if is_true { Vec::new() } else { vec![any] }),
            accesses,
        }
    }

    /// One more summary. Together with one that is there it may make a simpler one, which then stands for both.
    pub(super) fn publish(
        &mut self,
        terms: &mut Terms,
        key: ControlState,
        asleep: Asleep,
        conditions: &[TermId],
        accesses: &Accesses,
    ) {
        let mut conditions = conditions.to_vec();
        let mut accesses = accesses.clone();
        let is_same = |other: &Asleep| {
            other.len() == asleep.len() && other.iter().all(|z| asleep.contains(z))
        };
        while let Some(state) = self.state_mut(&key) {
            let mut others = state.summaries.iter().enumerate();
            let found = others.find_map(|(i, other)| {
                let simpler = merge::either(terms, &conditions, &other.conditions);
                Some((i, simpler.filter(|_| is_same(&other.asleep))?))
            });
            let Some((i, simpler)) = found else {
                break;
            };
            conditions = simpler;
            accesses.add(&state.summaries.remove(i).accesses);
            self.statistics.kept -= 1;
        }
        self.insert(terms, key, asleep, conditions, accesses);
    }

    fn insert(
        &mut self,
        terms: &Terms,
        key: ControlState,
        asleep: Asleep,
        conditions: Vec<TermId>,
        accesses: Accesses,
    ) {
        let size = conditions.iter().map(|c| terms.tree_size(*c));
        let size = size.fold(0, u32::saturating_add);
        let Limits {
            states,
            summaries,
            patience,
            ..
        } = self.limits;
        if size > self.limits.size || states == 0 || summaries == 0 {
            return;
        }
        let state = match self.index.get(&key) {
            Some(&index) => &mut self.states[index as usize],
            None => self.make_room(key),
        };
        if state.in_vain >= patience {
            return;
        }
        // One that requires no more makes another superfluous.
        let weaker = |a: &[TermId], b: &[TermId]| a.iter().all(|c| b.contains(c));
        let wakes = |a: &Asleep, b: &Asleep| a.iter().all(|z| b.contains(z));
        let serves =
            |old: &Summary| weaker(&old.conditions, &conditions) && wakes(&old.asleep, &asleep);
        if state.summaries.iter().any(serves) {
            return;
        }
        let before = state.summaries.len();
        state
            .summaries
            .retain(|old| !(weaker(&conditions, &old.conditions) && wakes(&asleep, &old.asleep)));
        let superfluous = before - state.summaries.len();
        let replaced = state.summaries.len() >= summaries;
        if replaced {
            state.summaries.truncate(summaries - 1);
        }
        state.summaries.insert(
            0,
            Summary {
                conditions,
                asleep,
                accesses,
            },
        );
        let statistics = &mut self.statistics;
        statistics.published += 1;
        statistics.replaced += u64::from(replaced);
        statistics.kept = statistics.kept + 1 - superfluous as u64 - u64::from(replaced);
        statistics.largest = statistics.largest.max(size);
    }

    /// A place for one more control state.
    fn make_room(&mut self, key: ControlState) -> &mut State {
        let key = Rc::new(key);
        let state = State {
            key: Rc::clone(&key),
            summaries: Vec::new(),
            in_vain: 0,
            is_useful: false,
        };
        let place = if self.states.len() < self.limits.states {
            self.states.push(state);
            self.statistics.states += 1;
            self.states.len() - 1
        } else {
            while std::mem::take(&mut self.states[self.hand].is_useful) {
                self.hand = (self.hand + 1) % self.states.len();
            }
            let place = self.hand;
            self.hand = (self.hand + 1) % self.states.len();
            let gone = std::mem::replace(&mut self.states[place], state);
            self.index.remove(&gone.key);
            let count = gone.summaries.len() as u64;
            self.statistics.replaced += count;
            self.statistics.kept -= count;
            place
        };
        self.index.insert(key, place as u32);
        &mut self.states[place]
    }
}

#[cfg(test)]
mod tests;

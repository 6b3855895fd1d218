//! The summaries of all control states, within bounds.

use std::rc::Rc;

use base::{IndexVec, id};
use machine::ControlState;
use rustc_hash::FxHashMap;
use serde::Serialize;
use smt::{TermId, Terms};

use super::{Accesses, Asleep, Summary, merge};

/// How much is kept. Whatever is dropped only makes for less pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Control states, with different numbers in registers that summaries fix.
    pub states: usize,
    /// Summaries of each.
    pub summaries: usize,
    /// Nodes of a summary, written as a tree.
    pub size: u32,
    /// How often a control state is looked up in vain before it is not looked up any more.
    pub patience: u32,
    /// How much work, in steps of the search, is spent on summaries before the search backs off, if
    /// they hardly ever prune; 0: any.
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

/// A summary in the table.
pub(super) struct KeptSummary {
    pub conditions: Vec<TermId>,
    pub asleep: Asleep,
    accesses: Accesses,
}

impl KeptSummary {
    fn weight(&self) -> usize {
        self.conditions.len() + self.accesses.weight()
    }
}

/// Registers that summaries fix to a number, and these numbers: counters of loops, mostly.
/// Summaries that fix the same registers to other numbers are kept apart, so that there may be very
/// many of them, and those of which this part holds are found at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pins {
    pub registers: Vec<TermId>,
    pub numbers: Vec<u128>,
}

impl Pins {
    /// The same, whatever the order of conditions was.
    pub fn in_order(self) -> Pins {
        let mut pins: Vec<_> = self.registers.into_iter().zip(self.numbers).collect();
        pins.sort_unstable();
        pins.dedup();
        let (registers, numbers) = pins.into_iter().unzip();
        Pins { registers, numbers }
    }
}

/// How many sets of registers are told apart at a control state: each is looked up in turn. A
/// summary that fixes another set is kept as if it fixed none.
const MOST_SHAPES: usize = 8;

/// Conditions and accesses in all summaries that are kept: some hundred megabytes. Without such a
/// bound programs with arrays could have a few summaries less than are allowed, each with very many
/// of them.
const MOST_WEIGHT: usize = 8 << 20;

id!(
    /// A control state of which there are summaries, numbered in the order in which they were
    /// published. One that was dropped has another id when it comes again.
    ControlId, "control"
);

id!(
    /// A set of registers that summaries of one control state fix.
    ShapeId, "shape"
);

impl ShapeId {
    /// No register is fixed.
    const NONE: ShapeId = ShapeId(0);
}

id!(
    /// A group of summaries, by its place in the table.
    GroupId, "group"
);

/// Where summaries are kept: the control state, which registers they fix, and to what.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    control: ControlId,
    shape: ShapeId,
    numbers: Vec<u128>,
}

/// A control state of which there are summaries.
struct Control {
    id: ControlId,
    /// Which registers its summaries fix.
    shapes: IndexVec<ShapeId, Vec<TermId>>,
    /// How often it was looked up since a summary of it held last.
    in_vain: u32,
    /// How many groups of summaries it has.
    groups: u32,
}

/// Summaries of one control state that fix the same registers to the same numbers.
struct Group {
    key: Rc<ControlState>,
    place: Place,
    summaries: Vec<KeptSummary>,
    /// One of its summaries held since the hand last passed, which looks for one to replace.
    is_useful: bool,
}

impl Group {
    fn weight(&self) -> usize {
        self.summaries.iter().map(KeptSummary::weight).sum()
    }
}

/// A summary that may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    group: GroupId,
    /// Its place in the group, until a summary of the group is used.
    index: usize,
}

/// When there are too many groups, one gives way that was of no use for the longest time (the clock
/// algorithm: the hand passes over those that were, once). Of too many summaries of one group, the
/// one that held the longest time ago does.
pub struct Table {
    controls: FxHashMap<Rc<ControlState>, Control>,
    index: FxHashMap<Place, GroupId>,
    groups: IndexVec<GroupId, Group>,
    /// The last control state that was given an id.
    last_control: ControlId,
    hand: GroupId,
    weight: usize,
    pub limits: Limits,
    pub statistics: Statistics,
}

impl Table {
    pub fn new(limits: Limits) -> Table {
        Table {
            controls: FxHashMap::default(),
            index: FxHashMap::default(),
            groups: IndexVec::new(),
            last_control: ControlId(0),
            hand: GroupId(0),
            weight: 0,
            limits,
            statistics: Statistics::default(),
        }
    }

    /// All summaries with their control states.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&ControlState, &KeptSummary)> {
        let all = self.groups.iter();
        all.flat_map(|group| group.summaries.iter().map(|s| (&*group.key, s)))
    }

    /// Those that are worth a look, given what is in registers, where that is a number.
    pub fn candidates(
        &mut self,
        key: &ControlState,
        mut number: impl FnMut(TermId) -> Option<u128>,
    ) -> Vec<Candidate> {
        self.statistics.lookups += 1;
        let patience = self.limits.patience;
        let control = self.controls.get_mut(key);
        let Some(control) = control.filter(|control| control.in_vain < patience) else {
            return Vec::new();
        };
        control.in_vain += 1;
        let mut candidates = Vec::new();
        for (shape, registers) in control.shapes.enumerate() {
            let numbers = registers.iter().map(|register| number(*register));
            let Some(numbers) = numbers.collect() else {
                continue;
            };
            let place = Place {
                control: control.id,
                shape,
                numbers,
            };
            if let Some(&group) = self.index.get(&place) {
                let count = self.groups[group].summaries.len();
                candidates.extend((0..count).map(|index| Candidate { group, index }));
            }
        }
        candidates
    }

    pub(super) fn summary(&self, candidate: Candidate) -> &KeptSummary {
        &self.groups[candidate.group].summaries[candidate.index]
    }

    /// One of its summaries holds.
    fn is_of_use(&mut self, group: GroupId) {
        let group = &mut self.groups[group];
        group.is_useful = true;
        if let Some(control) = self.controls.get_mut(&group.key) {
            control.in_vain = 0;
        }
    }

    /// The summary holds. The ones that do are looked at first.
    pub fn hit(&mut self, Candidate { group, index }: Candidate) -> Summary {
        self.statistics.pruned += 1;
        self.is_of_use(group);
        let summaries = &mut self.groups[group].summaries;
        summaries[..=index].rotate_right(1);
        Summary {
            conditions: Some(summaries[0].conditions.clone()),
            accesses: summaries[0].accesses.clone(),
        }
    }

    /// Several summaries hold together: in each case one of them does.
    pub fn hit_together(&mut self, terms: &mut Terms, candidates: &[Candidate]) -> Summary {
        self.statistics.pruned += 1;
        self.statistics.together += 1;
        self.together(terms, candidates)
    }

    /// What several summaries say together.
    pub fn together(&mut self, terms: &mut Terms, candidates: &[Candidate]) -> Summary {
        let mut any = terms.bool(false);
        let mut accesses = Accesses::default();
        for &candidate in candidates {
            self.is_of_use(candidate.group);
            let summary = self.summary(candidate);
            let all = terms.all(&summary.conditions);
            any = terms.or(any, all);
            accesses.add(&summary.accesses);
        }
        let is_true = terms.as_constant(any) == Some(1);
        Summary {
            conditions: Some(if is_true { Vec::new() } else { vec![any] }),
            accesses,
        }
    }

    /// Where a summary of a control state is kept that fixes registers so.
    fn place(&mut self, key: &Rc<ControlState>, pins: Pins) -> Place {
        let control = self.controls.entry(Rc::clone(key)).or_insert_with(|| {
            self.last_control.0 += 1;
            Control {
                id: self.last_control,
                shapes: IndexVec::from_iter([Vec::new()]),
                in_vain: 0,
                groups: 0,
            }
        });
        let shapes = &mut control.shapes;
        let known = shapes.ids().find(|shape| shapes[*shape] == pins.registers);
        let (shape, numbers) = match known {
            Some(shape) => (shape, pins.numbers),
            None if shapes.len() < MOST_SHAPES => (shapes.push(pins.registers), pins.numbers),
            None => (ShapeId::NONE, Vec::new()),
        };
        Place {
            control: control.id,
            shape,
            numbers,
        }
    }

    /// One more summary. Together with one that is there it may make a simpler one, which then
    /// stands for both.
    pub(super) fn publish(
        &mut self,
        terms: &mut Terms,
        (key, pins): (ControlState, Pins),
        asleep: Asleep,
        conditions: &[TermId],
        accesses: &Accesses,
    ) {
        let Limits {
            states,
            summaries,
            patience,
            ..
        } = self.limits;
        let has_room = states > 0 && summaries > 0;
        let has_room = has_room && size(terms, conditions) <= self.limits.size;
        let control = self.controls.get(&key);
        if !has_room || control.is_some_and(|c| c.in_vain >= patience) {
            return;
        }
        let key = Rc::new(key);
        let place = self.place(&key, pins);
        let mut conditions = conditions.to_vec();
        let mut accesses = accesses.clone();
        let is_same = |other: &Asleep| {
            other.len() == asleep.len() && other.iter().all(|z| asleep.contains(z))
        };
        while let Some(&group) = self.index.get(&place) {
            let group = &mut self.groups[group];
            let mut others = group.summaries.iter().enumerate();
            let found = others.find_map(|(i, other)| {
                let simpler = merge::either(terms, &conditions, &other.conditions);
                Some((i, simpler.filter(|_| is_same(&other.asleep))?))
            });
            let Some((i, simpler)) = found else {
                break;
            };
            conditions = simpler;
            let gone = group.summaries.remove(i);
            accesses.add(&gone.accesses);
            self.weight -= gone.weight();
            self.statistics.kept -= 1;
        }
        let size = size(terms, &conditions);
        if size <= self.limits.size {
            let summary = KeptSummary {
                conditions,
                asleep,
                accesses,
            };
            self.insert(key, place, summary, size);
        }
    }

    fn insert(&mut self, key: Rc<ControlState>, place: Place, summary: KeptSummary, size: u32) {
        let most = self.limits.summaries;
        let at = match self.index.get(&place) {
            Some(&group) => group,
            None => self.make_room(key, place),
        };
        let group = &mut self.groups[at];
        // A summary that requires no more than another makes that one superfluous.
        let weaker = |a: &[TermId], b: &[TermId]| a.iter().all(|c| b.contains(c));
        let wakes = |a: &Asleep, b: &Asleep| a.iter().all(|z| b.contains(z));
        let serves = |old: &KeptSummary, new: &KeptSummary| {
            weaker(&old.conditions, &new.conditions) && wakes(&old.asleep, &new.asleep)
        };
        if group.summaries.iter().any(|old| serves(old, &summary)) {
            return;
        }
        let before = group.weight();
        let count = group.summaries.len();
        group.summaries.retain(|old| !serves(&summary, old));
        let superfluous = count - group.summaries.len();
        let replaced = group.summaries.len() >= most;
        if replaced {
            group.summaries.truncate(most - 1);
        }
        group.summaries.insert(0, summary);
        self.weight = self.weight - before + group.weight();
        let statistics = &mut self.statistics;
        statistics.published += 1;
        statistics.replaced += u64::from(replaced);
        statistics.kept = statistics.kept + 1 - superfluous as u64 - u64::from(replaced);
        statistics.largest = statistics.largest.max(size);
        while self.weight > MOST_WEIGHT {
            let least_useful = self.least_useful();
            self.empty(least_useful);
        }
    }

    /// The group that the hand comes to that was of no use since it was there last.
    fn least_useful(&mut self) -> GroupId {
        while std::mem::take(&mut self.groups[self.hand].is_useful) {
            self.move_hand();
        }
        let at = self.hand;
        self.move_hand();
        at
    }

    fn move_hand(&mut self) {
        self.hand = GroupId::from((self.hand.index() + 1) % self.groups.len());
    }

    /// Drops all summaries of a group.
    fn empty(&mut self, at: GroupId) {
        let gone = std::mem::take(&mut self.groups[at].summaries);
        let count = gone.len() as u64;
        self.weight -= gone.iter().map(KeptSummary::weight).sum::<usize>();
        self.statistics.replaced += count;
        self.statistics.kept -= count;
    }

    /// One more group, in place of another if there are too many.
    fn make_room(&mut self, key: Rc<ControlState>, place: Place) -> GroupId {
        let control = self.controls.get_mut(&key);
        control.expect("a control state with a place").groups += 1;
        let group = Group {
            key,
            place: place.clone(),
            summaries: Vec::new(),
            is_useful: false,
        };
        let at = if self.groups.len() < self.limits.states {
            self.statistics.states += 1;
            self.groups.push(group)
        } else {
            let at = self.least_useful();
            self.empty(at);
            let gone = std::mem::replace(&mut self.groups[at], group);
            self.index.remove(&gone.place);
            let control = self.controls.get_mut(&gone.key);
            let control = control.expect("a control state with summaries");
            control.groups -= 1;
            if control.groups == 0 {
                self.controls.remove(&gone.key);
            }
            at
        };
        self.index.insert(place, at);
        at
    }
}

/// Nodes, written as a tree.
pub(super) fn size(terms: &Terms, conditions: &[TermId]) -> u32 {
    let size = conditions.iter().map(|c| terms.tree_size(*c));
    size.fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests;

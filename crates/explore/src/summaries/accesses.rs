//! What steps of a subtree access, and what these accesses come after: a search that prunes looks
//! for races with them.

use std::collections::hash_map::Entry;
use std::rc::Rc;

use machine::{Guard, Machine, Protected, Recorded, ThreadId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::dependence::Effect;

/// What steps of a subtree access.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Of memory that is known to be shared.
    pub visible: FxHashMap<Visible, After>,
    /// Of the rest.
    pub recorded: Vec<Recorded>,
    /// In critical sections that are one step, and otherwise.
    pub protected: Vec<Protected>,
}

impl Accesses {
    pub(super) fn add(&mut self, other: &Accesses) {
        for (access, after) in &other.visible {
            match self.visible.entry(*access) {
                Entry::Vacant(entry) => {
                    entry.insert(after.clone());
                }
                Entry::Occupied(mut entry) => entry.get_mut().retain_common(after),
            }
        }
        for recorded in &other.recorded {
            self.record(recorded);
        }
        for protected in &other.protected {
            self.protect(protected);
        }
    }

    /// A step is made before all of these accesses. Those that depend on it come after its effects,
    /// too.
    pub(super) fn precede(&mut self, step: Crossed) {
        // Most come after the same.
        let mut known: Vec<(After, After)> = Vec::new();
        for (access, after) in &mut self.visible {
            if access.thread != step.thread && !after.depends_on(step.effects) {
                continue;
            }
            let same = known.iter().find(|(before, _)| before.is_same(after));
            let more = same.map(|(_, more)| more.clone());
            let more = more.unwrap_or_else(|| {
                let more = after.with(step.effects);
                known.push((after.clone(), more.clone()));
                more
            });
            *after = more;
        }
    }

    /// Made at once: it comes after nothing else of this.
    pub(super) fn note(&mut self, access: Visible) {
        self.visible.insert(access, After::default());
    }

    /// How much room it takes.
    pub(super) fn weight(&self) -> usize {
        self.visible.len() + self.recorded.len() + self.protected.len()
    }

    /// What the machine has accessed since a point.
    pub(super) fn add_since(&mut self, machine: &Machine, trail: usize, protections: usize) {
        for recorded in machine.recorded_from(trail) {
            self.record(&recorded);
        }
        for protected in machine.protected_from(protections) {
            self.protect(&protected);
        }
    }

    fn protect(&mut self, protected: &Protected) {
        if !self.protected.iter_mut().any(|old| old.absorb(protected)) {
            self.protected.push(*protected);
        }
    }

    /// As if all of it was accessed now, but for what is visible. It may turn out that more is
    /// shared than was known.
    pub fn access_again(&self, machine: &mut Machine) {
        machine.record_again(&self.recorded);
        machine.protect_again(&self.protected);
    }

    fn record(&mut self, recorded: &Recorded) {
        if !self.recorded.iter_mut().any(|old| old.absorb(recorded)) {
            self.recorded.push(*recorded);
        }
    }
}

/// A thread does something to a cell, once this holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Visible {
    pub thread: ThreadId,
    pub effect: Effect,
    pub guard: Guard,
}

/// What an access comes after: effects of steps between the state and the access, those nearest to
/// the state last. Shared, since most come after the same.
#[derive(Clone, Debug, Default)]
pub struct After(Option<Rc<[Effect]>>);

/// How many effects are kept, the nearest to the state. Where one is forgotten, a race may be
/// looked for where there is none.
const MOST_AFTER: usize = 16;

impl After {
    pub fn effects(&self) -> &[Effect] {
        self.0.as_deref().unwrap_or_default()
    }

    fn is_same(&self, other: &After) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    fn depends_on(&self, effects: &[Effect]) -> bool {
        let mut own = self.effects().iter();
        own.any(|own| effects.iter().any(|e| own.depends_on(*e)))
    }

    fn with(&self, effects: &[Effect]) -> After {
        let others = self.effects().iter().filter(|e| !effects.contains(e));
        let all: SmallVec<[Effect; 32]> = others.chain(effects).copied().collect();
        let kept = &all[all.len().saturating_sub(MOST_AFTER)..];
        After((!kept.is_empty()).then(|| Rc::from(kept)))
    }

    /// Leaves only what is common to both.
    fn retain_common(&mut self, other: &After) {
        if self.is_same(other) || self.0.is_none() {
            return;
        }
        let others = other.effects();
        if !self.effects().iter().all(|e| others.contains(e)) {
            let common = self.effects().iter().filter(|e| others.contains(e));
            let common: Rc<[Effect]> = common.copied().collect();
            self.0 = (!common.is_empty()).then_some(common);
        }
    }
}

/// A step from one point to the next.
#[derive(Clone, Copy)]
pub struct Crossed<'a> {
    pub thread: ThreadId,
    pub effects: &'a [Effect],
}

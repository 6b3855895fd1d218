//! Summaries that are to be explained: with the places where the threads stand.

use std::rc::Rc;

use machine::{ControlState, Machine, Object, StateSnapshot, ThreadId};
use rustc_hash::FxHashMap;
use smt::TermId;

/// Nothing fails from where the threads stand so, if the conditions hold.
#[derive(Clone, Debug)]
pub struct Published {
    pub snapshot: Rc<StateSnapshot>,
    /// The sleep set of the state for which it was made: it says nothing of executions that one of
    /// these threads can begin.
    pub asleep: Vec<ThreadId>,
    pub conditions: Vec<TermId>,
}

/// Where threads stood when summaries were begun.
#[derive(Default)]
pub(super) struct Standings {
    of: FxHashMap<ControlState, Rc<StateSnapshot>>,
    objects: Option<Rc<Vec<Object>>>,
}

impl Standings {
    pub fn note(&mut self, machine: &Machine, key: &ControlState) {
        if self.of.contains_key(key) {
            return;
        }
        let snapshot = machine.snapshot(self.objects.as_ref());
        self.objects = Some(Rc::clone(&snapshot.objects));
        self.of.insert(key.clone(), Rc::new(snapshot));
    }

    pub fn get(&self, key: &ControlState) -> Option<&Rc<StateSnapshot>> {
        self.of.get(key)
    }
}

//! No state is explored twice: for loops whose rounds change something and change it back, such as
//! a flag that is polled under a mutex, or one lock taken and the other one tried.
//!
//! The search of all interleavings (`naive`) goes back where it comes to a state that it knows, by
//! its fingerprint (`machine/fingerprint.rs`). Whatever follows that state has been explored, or is
//! being explored further up: nothing is lost, with no argument about loops at all. It ends if
//! there are finitely many states, few enough to be remembered. Nothing but equal states is merged,
//! and so this is for small programs.
//!
//! **Livelocks.** When everything was explored, the graph of all states is known. A thread that
//! comes to the end of a pure round goes on to the state in which it began, which closes a circle;
//! only one that does nothing visible at all stops there. A part of the graph that no execution
//! leaves and in which none ends is a deadlock if every thread that can go on makes a round there
//! that has no net effect, whatever the others do (`livelock`). If one does something else for
//! ever, nothing is claimed: `unknown`.

use std::collections::BTreeMap;

use base::{IndexVec, id};
use machine::{Cutoff, End, Fault, Fingerprints, Machine};
use rustc_hash::FxHashMap;

use crate::decision::Decision;
use crate::walk::Walk;

/// Some 100 bytes each.
const MOST_STATES: usize = 4_000_000;

/// How many of the parts of the graph that no execution leaves are looked at.
const CANDIDATES: usize = 64;

id!(
    /// A state, numbered in the order in which they are found.
    StateId, "state"
);

impl StateId {
    pub const FIRST: StateId = StateId(0);
}

pub(crate) struct States {
    fingerprints: Fingerprints,
    known: FxHashMap<u128, StateId>,
    states: IndexVec<StateId, State>,
    /// From one state to another.
    edges: Vec<(StateId, StateId)>,
    /// After these states an execution ended.
    ends: Vec<StateId>,
    current: StateId,
}

/// How a state was found.
struct State {
    parent: StateId,
    /// How many decisions lead to it.
    length: u32,
    /// The last of them, those after the parent.
    decisions: Box<[Decision]>,
}

pub(crate) enum Seen {
    New,
    Before,
    TooMany,
}

impl States {
    pub fn new(machine: &mut Machine) -> States {
        States {
            fingerprints: Fingerprints::new(machine),
            known: FxHashMap::default(),
            states: IndexVec::from_iter([State {
                parent: StateId::FIRST,
                length: 0,
                decisions: Box::default(),
            }]),
            edges: Vec::new(),
            ends: Vec::new(),
            current: StateId::FIRST,
        }
    }

    pub fn current(&self) -> StateId {
        self.current
    }

    pub fn go_back_to(&mut self, state: StateId) {
        self.current = state;
    }

    /// An execution ends after the current state.
    pub fn end(&mut self) {
        self.ends.push(self.current);
    }

    /// The decisions lead to the machine's state, by way of the current one.
    pub fn arrive(&mut self, machine: &Machine, decisions: &[Decision]) -> Seen {
        let Some(fingerprint) = machine.fingerprint(&mut self.fingerprints) else {
            return Seen::New;
        };
        let next = self.states.next_id();
        let state = *self.known.entry(fingerprint).or_insert(next);
        self.edges.push((self.current, state));
        if state < next {
            return Seen::Before;
        }
        // What an assumption excludes does not count, for ever as it may last.
        if machine.thread_ids().any(|t| machine.is_stopped(t)) {
            self.ends.push(state);
        }
        let length = self.states[self.current].length as usize;
        self.states.push(State {
            parent: self.current,
            length: decisions.len() as u32,
            decisions: decisions[length..].into(),
        });
        self.current = state;
        match self.states.len() > MOST_STATES {
            true => Seen::TooMany,
            false => Seen::New,
        }
    }

    /// Books the first livelock. With inputs it is not known whose values lead there: then nothing
    /// is claimed, nor is the program called safe.
    pub fn find_livelocks(self, walk: &mut Walk) {
        let traps = self.traps();
        let has_inputs = walk.machine.terms.inputs().next().is_some();
        for &state in traps.iter().take(CANDIDATES).filter(|_| !has_inputs) {
            let decisions = self.decisions_to(state);
            let schedule = walk.schedule_of(decisions.clone());
            let program = &walk.machine.program;
            let config = &walk.options.machine;
            let end = crate::replay::end_of(program, config, &schedule, &BTreeMap::new());
            if let Some(End::Fault(at)) = end
                && at.fault == Fault::Deadlock
            {
                walk.outcome.stopped = walk.fault(at, &mut || decisions.clone());
                return;
            }
        }
        if !traps.is_empty() {
            let loc = walk.machine.user_loc(walk.machine.current_thread());
            walk.cut_off(Cutoff::LoopBound, loc);
        }
    }

    /// Of each part of the graph that no execution leaves, and in which none ends, the state that
    /// was found first.
    fn traps(&self) -> Vec<StateId> {
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (from, to) in &self.edges {
            after[from.index()].push(to.index());
        }
        let component = base::components(after.len(), |state| after[state].iter().copied());
        let mut first: BTreeMap<u32, StateId> = BTreeMap::new();
        // All others follow the first one.
        for state in self.states.ids().skip(1).rev() {
            first.insert(component[state.index()], state);
        }
        for (from, to) in &self.edges {
            let (from, to) = (component[from.index()], component[to.index()]);
            if from != to {
                first.remove(&from);
            }
        }
        for state in &self.ends {
            first.remove(&component[state.index()]);
        }
        first.into_values().collect()
    }

    fn decisions_to(&self, state: StateId) -> Vec<Decision> {
        let mut parts = Vec::new();
        let mut at = state;
        while at != StateId::FIRST {
            let state = &self.states[at];
            parts.push(&state.decisions);
            at = state.parent;
        }
        parts.into_iter().rev().flatten().copied().collect()
    }
}

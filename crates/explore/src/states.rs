//! No state is explored twice: for loops whose rounds change something and change it back, such as a flag that is polled under a
//! mutex, or one lock taken and the other one tried.
//!
//! The search of all interleavings (`naive`) goes back where it comes to a state that it knows, by its fingerprint
//! (`machine/fingerprint.rs`). Whatever follows that state has been explored, or is being explored further up: nothing is
//! lost, with no argument about loops at all. It ends if there are finitely many states, few enough to be remembered. Nothing but
//! equal states is merged, and so this is for small programs.
//!
//! **Livelocks.** When everything was explored, states from which no execution ends are looked at: if every thread that can go on makes
//! a round there that changes nothing, whatever the others do, that is a deadlock (`livelock`). Threads that go round
//! for ever and change something are none.

use std::collections::BTreeMap;

use machine::{Cutoff, End, Fault, Fingerprints, Machine};
use rustc_hash::FxHashMap;

use crate::decision::Decision;
use crate::walk::Walk;

/// Some 100 bytes each.
const MOST_STATES: usize = 4_000_000;

/// Of the states from which no execution ends, so many are looked at.
const CANDIDATES: usize = 64;

pub(crate) struct States {
    fingerprints: Fingerprints,
    known: FxHashMap<u128, u32>,
    states: Vec<State>,
    /// From the state with the first number to the one with the second.
    edges: Vec<(u32, u32)>,
    /// After these states an execution ended.
    ends: Vec<u32>,
    current: u32,
}

/// How a state was first come to.
struct State {
    parent: u32,
    /// Decisions up to it.
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
            states: vec![State {
                parent: 0,
                length: 0,
                decisions: Box::default(),
            }],
            edges: Vec::new(),
            ends: Vec::new(),
            current: 0,
        }
    }

    pub fn current(&self) -> u32 {
        self.current
    }

    pub fn go_back_to(&mut self, state: u32) {
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
        let next = self.states.len() as u32;
        let state = *self.known.entry(fingerprint).or_insert(next);
        self.edges.push((self.current, state));
        if state < next {
            return Seen::Before;
        }
        let length = self.states[self.current as usize].length as usize;
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

    /// Books the first livelock. With inputs it is not known whose values lead there: then nothing is claimed, nor is the program
    /// called safe.
    pub fn find_livelocks(self, walk: &mut Walk) {
        let endless = self.without_end();
        if endless.is_empty() {
            return;
        }
        if walk.machine.terms.inputs().next().is_some() {
            let loc = walk.machine.user_loc(walk.machine.current_thread());
            walk.cut_off(Cutoff::LoopBound, loc);
            return;
        }
        for state in endless.into_iter().take(CANDIDATES) {
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
    }

    /// States from which no end can be reached.
    fn without_end(&self) -> Vec<u32> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.states.len()];
        for (from, to) in &self.edges {
            before[*to as usize].push(*from);
        }
        let mut can_end = vec![false; self.states.len()];
        let mut work = self.ends.clone();
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut can_end[state as usize], true) {
                work.extend(&before[state as usize]);
            }
        }
        let states = 1..self.states.len() as u32;
        states.filter(|s| !can_end[*s as usize]).collect()
    }

    fn decisions_to(&self, state: u32) -> Vec<Decision> {
        let mut parts = Vec::new();
        let mut at = state;
        while at != 0 {
            let state = &self.states[at as usize];
            parts.push(&state.decisions);
            at = state.parent;
        }
        parts.into_iter().rev().flatten().copied().collect()
    }
}

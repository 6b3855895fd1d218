//! Deadlocks: an execution after which no thread can go on.
//!
//! Every thread that was created has ended, or stands before an event whose condition does not hold
//! for what is in memory at the end, or goes round a loop whose last round looked at what is there
//! at the end. At least one has not ended; none stopped because of an assumption, left the process,
//! or took an open exit.
//!
//! Waits for condition variables: which wait a signal ends is a choice of the model. A wait *is
//! there* at a signal if it has begun before and is not over before. A signal chooses one wait that
//! is there, if there is one that nothing has chosen before; no wait is chosen twice. A wait that
//! was not chosen stands for ever, unless it wakes for nothing; a state that only such a wake-up
//! could leave is a deadlock. Where rounds with waits are left out, a signal may be lost to one of
//! those: that is asked about last, for such a deadlock may be none ([`Question::Deadlock`]).

use rustc_hash::{FxHashMap, FxHashSet};
use smt::order::{EventId, Lit};
use smt::{Node, Substitution, TermId, Terms};

use super::{Asked, Encoding};
use crate::graph::{AtomIx, EventIx, EventKind, Read, Signal, Waiter};

impl Encoding<'_> {
    /// Where threads do not wake for nothing, a wait goes on after a signal.
    pub(super) fn wake(&mut self, terms: &mut Terms, asked: &Asked) {
        if asked.spurious_wakeups {
            return;
        }
        let woken = self.woken(terms);
        for (wait, lit) in self.graph.waiters.iter().zip(&woken) {
            let executed = self.executed[wait.wake];
            let begun = self.has_begun(terms, wait);
            let mut clause = vec![!executed, !begun, *lit];
            if let Some(timed_out) = wait.timed {
                clause.push(self.formula.literal(terms, timed_out));
            }
            self.formula.clause(&clause);
        }
        self.woken = Some(woken);
    }

    /// Whether the thread has begun to wait there.
    fn has_begun(&mut self, terms: &mut Terms, wait: &Waiter) -> Lit {
        let begun = self.formula.literal(terms, wait.cond);
        self.formula.and(begun, self.executed[wait.begin])
    }

    /// By wait: a literal that holds if and only if a signal or broadcast has ended it.
    fn woken(&mut self, terms: &mut Terms) -> Vec<Lit> {
        let waiters: Vec<_> = (self.graph.waiters.iter())
            .map(|w| {
                let begun = self.has_begun(terms, w);
                (w.condition, (w.begin, begun), w.wake)
            })
            .collect();
        // By wait: by which signal, whether the wait is there, and whether it is chosen.
        let mut wakers: Vec<Vec<(usize, Lit)>> = vec![Vec::new(); waiters.len()];
        let mut there: Vec<(usize, Vec<(usize, Lit)>)> = Vec::new();
        for (number, signal) in self.graph.signals.iter().enumerate() {
            let node = self.events[signal.event];
            let done = self.formula.literal(terms, signal.cond);
            let done = self.formula.and(done, self.executed[signal.event]);
            let mut choices: Vec<Lit> = Vec::new();
            let mut waiting = Vec::new();
            for (i, (condition, (begin, has_begun), wake)) in waiters.iter().enumerate() {
                if *condition != signal.condition {
                    continue;
                }
                let begun = self.formula.before(self.events[*begin], node);
                let begun = self.formula.and(begun, *has_begun);
                let over = self.formula.before(self.events[*wake], node);
                let over = self.formula.and(over, self.executed[*wake]);
                let is_there = self.formula.and(begun, !over);
                let is_there = self.formula.and(is_there, done);
                if is_there == Lit::FALSE {
                    continue;
                }
                if signal.all {
                    wakers[i].push((number, is_there));
                    continue;
                }
                let chosen = self.formula.fresh();
                self.formula.clause(&[!chosen, is_there]);
                for other in &choices {
                    self.formula.clause(&[!chosen, !*other]);
                }
                choices.push(chosen);
                waiting.push((i, is_there));
                wakers[i].push((number, chosen));
            }
            if !signal.all {
                there.push((number, waiting));
            }
        }
        // A wait that is there, and was not chosen before: the signal chooses one.
        for (signal, waiting) in there {
            let choices: Vec<Lit> = (waiting.iter())
                .flat_map(|(i, _)| wakers[*i].iter().filter(|(s, _)| *s == signal))
                .map(|(_, lit)| *lit)
                .collect();
            let mut elsewhere = self.waits_left_out(signal);
            for lit in &mut elsewhere {
                *lit = self.formula.and(*lit, self.rounds_left_out);
            }
            for (i, is_there) in &waiting {
                let mut clause = vec![!*is_there];
                clause.extend(&choices);
                clause.extend(&elsewhere);
                for (other, lit) in &wakers[*i] {
                    if *other != signal {
                        let first = self.is_signal_before(*other, signal);
                        let before = self.formula.and(*lit, first);
                        clause.push(before);
                    }
                }
                self.formula.clause(&clause);
            }
            // None is chosen that was chosen before.
            for (i, _) in &waiting {
                let own = wakers[*i]
                    .iter()
                    .find(|(s, _)| *s == signal)
                    .map(|(_, l)| *l);
                let Some(own) = own else { continue };
                for (other, lit) in wakers[*i].clone() {
                    if other != signal {
                        let first = self.is_signal_before(other, signal);
                        self.formula.clause(&[!own, !lit, !first]);
                    }
                }
            }
        }
        let all = wakers.into_iter();
        all.map(|of_one| {
            let lits: Vec<Lit> = of_one.into_iter().map(|(_, lit)| lit).collect();
            self.formula.or_all(&lits)
        })
        .collect()
    }

    /// Whether the one signal comes before the other. Those of one critical section are numbered in
    /// their order.
    fn is_signal_before(&mut self, a: usize, b: usize) -> Lit {
        let events = [a, b].map(|signal| self.graph.signals[signal].event);
        match events[0] == events[1] {
            true if a < b => Lit::TRUE,
            true => Lit::FALSE,
            false => {
                let [a, b] = events.map(|event| self.events[event]);
                self.formula.before(a, b)
            }
        }
    }

    /// The signal may have woken a thread in a round that is left out: before the mutex was taken
    /// that the thread takes later here. That it could wait then is not asked, so that a deadlock
    /// may be seen where there is none, but none is missed.
    fn waits_left_out(&mut self, signal: usize) -> Vec<Lit> {
        let Signal {
            condition, event, ..
        } = self.graph.signals[signal];
        let waiters = self.graph.waiters.iter();
        let same = waiters.filter(|w| w.condition == condition);
        let since: Vec<EventIx> = same.flat_map(|w| w.since.iter().copied()).collect();
        let mut all = Vec::new();
        for taken in since {
            let first = self.formula.before(self.events[event], self.events[taken]);
            let taken = self.formula.and(first, self.executed[taken]);
            if taken != Lit::FALSE {
                all.push(taken);
            }
        }
        all
    }

    /// The literal that an execution is stuck. `end` is after all events.
    pub(super) fn deadlock_of(&mut self, terms: &mut Terms, end: EventId) -> Lit {
        let deadlock = self.formula.fresh();
        let woken = match self.woken.clone() {
            Some(woken) => woken,
            None => self.woken(terms),
        };
        // A wait may begin with one of several events; by that with which it does it is ended.
        let mut woken_at: FxHashMap<EventIx, Lit> = FxHashMap::default();
        for (wait, lit) in self.graph.waiters.iter().zip(woken) {
            if wait.timed.is_none() {
                let some = woken_at.entry(wait.wake).or_insert(Lit::FALSE);
                *some = self.formula.or(*some, lit);
            }
        }
        let faults = self.graph.faults.iter().map(|fault| fault.cond);
        let exits = self.graph.exits.iter().map(|exit| exit.cond);
        for term in self.graph.stops.iter().copied().chain(faults).chain(exits) {
            let lit = self.formula.literal(terms, term);
            self.formula.clause(&[!deadlock, !lit]);
        }
        let mut at_end = FxHashMap::default();
        let mut some_stuck = vec![!deadlock];
        for thread in &self.graph.threads {
            let made = match thread.parent {
                Some((_, create)) => self.executed[create],
                None => Lit::TRUE,
            };
            let mut places = vec![!deadlock, !made, self.executed[thread.last]];
            for event in &thread.events {
                let e = &self.graph.events[*event];
                let Some(enabled) = e.enabled else { continue };
                let reached = self.formula.literal(terms, e.reached);
                let held_up = self.formula.and(reached, !self.executed[*event]);
                let mut goes_on =
                    self.enabled_at_end(terms, &mut at_end, (deadlock, end), *event, enabled);
                if let Some(woken) = woken_at.get(event) {
                    goes_on = self.formula.and(goes_on, *woken);
                }
                let stuck = self.formula.and(held_up, !goes_on);
                if stuck == Lit::FALSE {
                    continue;
                }
                places.push(stuck);
                if e.kind != EventKind::WaitAlone {
                    some_stuck.push(stuck);
                }
            }
            for wait in 0..self.graph.waits.len() {
                if self.graph.waits[wait].thread == thread.thread {
                    let stuck = self.waits_for_ever(terms, &mut at_end, (deadlock, end), wait);
                    places.push(stuck);
                    some_stuck.push(stuck);
                }
            }
            self.formula.clause(&places);
        }
        self.formula.clause(&some_stuck);
        deadlock
    }

    /// The last round of a loop found what is there at the end: others may have changed that
    /// meanwhile and changed it back, or written the same again.
    fn waits_for_ever(
        &mut self,
        terms: &mut Terms,
        at_end: &mut FxHashMap<AtomIx, TermId>,
        (deadlock, end): (Lit, EventId),
        wait: usize,
    ) -> Lit {
        let wait = &self.graph.waits[wait];
        let mut all = vec![self.formula.literal(terms, wait.cond)];
        for event in &wait.reads {
            let e = &self.graph.events[*event];
            let is_lock = matches!(e.kind, EventKind::Lock | EventKind::Unlock);
            for read in &e.reads {
                // Others may take and give back the mutexes that the round takes, again and again.
                if is_lock && self.graph.atoms[read.atom].is_mutex {
                    continue;
                }
                let now = self.value_at_end(terms, at_end, (deadlock, end), read);
                let same = terms.eq(read.symbol, now);
                let same = self.formula.literal(terms, same);
                // What is on another way of the round is not looked at.
                let cond = self.formula.literal(terms, read.cond);
                let looks = self.formula.and(cond, self.executed[*event]);
                let fine = self.formula.or(same, !looks);
                all.push(fine);
            }
        }
        self.formula.and_all(&all)
    }

    /// What is in an atom at the end.
    fn value_at_end(
        &mut self,
        terms: &mut Terms,
        at_end: &mut FxHashMap<AtomIx, TermId>,
        (deadlock, end): (Lit, EventId),
        read: &Read,
    ) -> TermId {
        if let Some(symbol) = at_end.get(&read.atom) {
            return *symbol;
        }
        let width = terms.width(read.symbol);
        let symbol = terms.input(&format!("at the end {}", read.atom), width);
        let nothing = FxHashSet::default();
        let read_of = (read.atom, symbol, None);
        self.read_from(terms, deadlock, (end, None), read_of, &nothing);
        at_end.insert(read.atom, symbol);
        symbol
    }

    /// Whether what holds an event up would let it go on at the end.
    fn enabled_at_end(
        &mut self,
        terms: &mut Terms,
        at_end: &mut FxHashMap<AtomIx, TermId>,
        (deadlock, end): (Lit, EventId),
        event: EventIx,
        enabled: TermId,
    ) -> Lit {
        let mut with = Substitution::default();
        for read in &self.graph.events[event].reads {
            let Node::Input(input) = *terms.node(read.symbol) else {
                continue;
            };
            let symbol = self.value_at_end(terms, at_end, (deadlock, end), read);
            with.insert(input, symbol);
        }
        let enabled = match with.is_empty() {
            true => enabled,
            false => with.apply(terms, enabled),
        };
        self.formula.literal(terms, enabled)
    }
}

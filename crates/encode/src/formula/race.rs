//! Data races: two accesses to one piece of contended memory, one of them a write and one of them
//! not atomic, that stand next to each other in the order.
//!
//! Of an execution with a race, take the first: up to its second access, without what does not
//! happen before either of the two. That is an execution, too, for nothing of what stays reads what
//! is left out; and in it the two can be made one after the other. What the other threads do then
//! comes afterwards. So it is enough to look for two accesses with nothing in between. (With atomic
//! operations that are weaker than sequentially consistent this does not hold: an access may happen
//! after another in time and not *happen after* it. Nor does it with operations that give up: a
//! failed try finds that another thread holds the lock, and does not happen after that.)

use smt::Terms;
use smt::order::Lit;

use super::Encoding;
use crate::graph::{EventIx, EventKind};

impl Encoding<'_> {
    /// `None`: it was interrupted.
    pub(super) fn ask_for_races(
        &mut self,
        terms: &mut Terms,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<()> {
        let accesses: Vec<EventIx> = (self.graph.events.enumerate())
            .filter(|(_, e)| matches!(e.kind, EventKind::Access | EventKind::Section))
            .map(|(event, _)| event)
            .collect();
        self.refuse_races(&accesses);
        for (i, a) in accesses.iter().enumerate() {
            if interrupted() {
                return None;
            }
            for b in &accesses[i + 1..] {
                if let Some(lit) = self.race(terms, *a, *b) {
                    self.pairs.push((*a, *b));
                    self.races.push(lit);
                }
            }
        }
        Some(())
    }

    /// Of accesses beside operations on locks it is not said whether they race.
    fn refuse_races(&mut self, accesses: &[EventIx]) {
        if let Some(loc) = self.graph.weak {
            let why = "races with atomic operations of weak orders";
            self.refused.get_or_insert((loc, why));
        }
        if let Some(loc) = self.graph.gives_up {
            let why = "races beside operations that may give up";
            self.refused.get_or_insert((loc, why));
        }
        for (other, o) in self.graph.events.enumerate() {
            let counts = matches!(
                o.kind,
                EventKind::Synchronise | EventKind::Lock | EventKind::Unlock
            );
            for event in accesses.iter().filter(|_| counts) {
                let e = &self.graph.events[*event];
                if !self.is_apart(*event, other) && !e.plain.is_empty() && e.conflicts_with(o) {
                    let why = "races with operations on locks";
                    self.refused.get_or_insert((e.loc, why));
                }
            }
        }
    }

    /// One thread does both, or one is always before the other.
    fn is_apart(&self, a: EventIx, b: EventIx) -> bool {
        let (m, n) = (self.events[a], self.events[b]);
        self.graph.events[a].thread == self.graph.events[b].thread
            || self.formula.is_before(m, n)
            || self.formula.is_before(n, m)
    }

    /// The literal that the two stand next to each other and conflict.
    fn race(&mut self, terms: &mut Terms, a: EventIx, b: EventIx) -> Option<Lit> {
        let (x, y) = (&self.graph.events[a], &self.graph.events[b]);
        if self.is_apart(a, b) || x.kind == EventKind::Section && y.kind == EventKind::Section {
            return None;
        }
        let (m, n) = (self.events[a], self.events[b]);
        let is_plain = |atom| x.plain.contains(&atom) || y.plain.contains(&atom);
        let mut conflicts = Vec::new();
        for (first, second) in [(x, y), (y, x)] {
            for write in &first.writes {
                let reads = second.reads.iter().map(|r| (r.atom, r.cond));
                let writes = second.writes.iter().map(|w| (w.atom, w.cond));
                for (atom, cond) in reads.chain(writes) {
                    if atom == write.atom && is_plain(atom) {
                        let both = terms.and(cond, write.cond);
                        conflicts.push(self.formula.literal(terms, both));
                    }
                }
            }
        }
        if conflicts.is_empty() {
            return None;
        }
        let some = self.formula.or_all(&conflicts);
        let race = self.formula.fresh();
        for lit in [some, self.executed[a], self.executed[b]] {
            self.formula.clause(&[!race, lit]);
        }
        for other in self.graph.events.ids() {
            if other == a || other == b {
                continue;
            }
            let node = self.events[other];
            let done = self.executed[other];
            let (of_a, of_b) = (self.formula.before(node, m), self.formula.before(node, n));
            self.formula.clause(&[!race, !done, !of_a, of_b]);
            self.formula.clause(&[!race, !done, of_a, !of_b]);
        }
        Some(race)
    }
}

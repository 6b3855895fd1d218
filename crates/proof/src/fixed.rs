//! The order that holds whatever the literals are: `p` lines and what follows by transitivity.
//!
//! **Invariant:** there is no cycle, so that no event is before itself. [`crate::walk`] relies on
//! it: a step of fixed order never closes a walk alone.

use rustc_hash::FxHashMap;

use crate::facts::Event;
use crate::reason::Reason;

/// Words of all sets that are kept, 128 MB, after which they are made anew.
const KEPT_WORDS: usize = 1 << 24;

#[derive(Debug, Default)]
pub(crate) struct FixedOrder {
    /// Events in the order of their lines; from here on they are indices into `successors`.
    indices: FxHashMap<Event, usize>,
    successors: Vec<Vec<usize>>,
    /// For some events, all that are after them, of the lines so far. A proof asks for the same few
    /// again and again.
    after: FxHashMap<usize, BitSet>,
    kept_words: usize,
}

impl FixedOrder {
    pub(crate) fn add_event(&mut self, event: Event) -> Result<(), Reason> {
        let next = self.successors.len();
        if self.indices.insert(event, next).is_some() {
            return Err(Reason::EventAgain(event.0));
        }
        self.successors.push(Vec::new());
        Ok(())
    }

    /// That there is such an event.
    pub(crate) fn expect(&self, event: Event) -> Result<usize, Reason> {
        let index = self.indices.get(&event);
        index.copied().ok_or(Reason::NoEvent(event.0))
    }

    pub(crate) fn add(&mut self, before: Event, after: Event) -> Result<(), Reason> {
        let (first, second) = (self.expect(before)?, self.expect(after)?);
        // Lines mostly come in the order of the events, and then nothing is after the second yet.
        if first == second || self.all_after(second).has(first) {
            let (before, after) = (before.0, after.0);
            return Err(Reason::FixedCycle { before, after });
        }
        self.successors[first].push(second);
        self.forget();
        Ok(())
    }

    pub(crate) fn is_before(&mut self, before: Event, after: Event) -> bool {
        let (Ok(before), Ok(after)) = (self.expect(before), self.expect(after)) else {
            return false;
        };
        if !self.after.contains_key(&before) {
            let set = self.all_after(before);
            if self.kept_words + set.words.len() > KEPT_WORDS {
                self.forget();
            }
            self.kept_words += set.words.len();
            self.after.insert(before, set);
        }
        self.after[&before].has(after)
    }

    fn forget(&mut self) {
        self.after.clear();
        self.kept_words = 0;
    }

    /// Those to which at least one line leads.
    fn all_after(&self, event: usize) -> BitSet {
        let mut found = BitSet::default();
        let mut open = vec![event];
        while let Some(event) = open.pop() {
            for next in &self.successors[event] {
                if found.insert(*next) {
                    open.push(*next);
                }
            }
        }
        found
    }
}

#[derive(Debug, Default)]
struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    fn has(&self, index: usize) -> bool {
        let word = self.words.get(index / 64);
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Whether it is new.
    fn insert(&mut self, index: usize) -> bool {
        if self.words.len() <= index / 64 {
            self.words.resize(index / 64 + 1, 0);
        }
        let is_new = !self.has(index);
        self.words[index / 64] |= 1 << (index % 64);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_is_transitive_and_never_of_itself() {
        let mut order = FixedOrder::default();
        let events: Vec<Event> = (0..200).map(|n| Event(7 * n)).collect();
        for event in &events {
            order.add_event(*event).unwrap();
        }
        for pair in events.windows(2) {
            assert!(!order.is_before(pair[0], pair[1]));
            order.add(pair[0], pair[1]).unwrap();
            // Once more is no cycle.
            order.add(pair[0], pair[1]).unwrap();
        }
        for (a, first) in events.iter().enumerate() {
            for (b, second) in events.iter().enumerate() {
                assert_eq!(order.is_before(*first, *second), a < b);
                assert_eq!(order.add(*first, *second).is_ok(), a < b);
            }
        }
        assert!(!order.is_before(Event(1), Event(0)));
    }
}

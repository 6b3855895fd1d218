//! May-held sets, for coarse states: locks that may be held, known only by the instructions that
//! may have locked them.

use std::rc::Rc;

use analysis::NodeId;
use rustc_hash::FxHashMap;

use super::state::{Held, Lock, LockState, MOST_COUNTED, Path};

/// The instructions whose locks may be held, by their numbers in [`Lockers`]. Along control flow
/// the set only grows: an unlock takes nothing out of it. Copies share their words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MayHeldSet {
    /// No word at the end is zero.
    words: Rc<Vec<u64>>,
}

impl MayHeldSet {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether that is new.
    pub fn merge(&mut self, other: &MayHeldSet) -> bool {
        if Rc::ptr_eq(&self.words, &other.words) || self.contains(other) {
            return false;
        }
        if other.contains(self) {
            *self = other.clone();
            return true;
        }
        let words = Rc::make_mut(&mut self.words);
        words.resize(words.len().max(other.words.len()), 0);
        for (word, more) in words.iter_mut().zip(other.words.iter()) {
            *word |= more;
        }
        true
    }

    fn contains(&self, other: &MayHeldSet) -> bool {
        let mut pairs = self.words.iter().zip(other.words.iter());
        self.words.len() >= other.words.len() && pairs.all(|(mine, theirs)| theirs & !mine == 0)
    }

    fn insert(&mut self, number: usize) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if self.words.get(word).is_none_or(|w| w & bit == 0) {
            let words = Rc::make_mut(&mut self.words);
            words.resize(words.len().max(word + 1), 0);
            words[word] |= bit;
        }
    }

    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| at * 64 + bit)
        })
    }
}

/// The numbers of instructions that lock something, in the order in which they were added
/// to a set.
#[derive(Default)]
pub struct Lockers {
    numbers: FxHashMap<NodeId, usize>,
    /// One lock that each of them has locked.
    held: Vec<Held>,
}

impl Lockers {
    /// Adds a lock to the set.
    pub fn add(&mut self, set: &mut MayHeldSet, held: &Held) {
        let Some(&node) = held.path.last() else {
            return;
        };
        let next = self.held.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.held.push(Held {
                lock: match held.lock {
                    Lock::Sections => Lock::Sections,
                    _ => Lock::Nameless,
                },
                path: Path::from_slice(&[node]),
                shared: held.shared,
                certain: false,
                count: MOST_COUNTED,
                pending: None,
                inherited: None,
            });
        }
        self.held[number].shared &= held.shared;
        set.insert(number);
    }

    /// What is not certain goes to the set, unless a result is still to be asked for.
    pub fn settle(&mut self, state: &mut LockState) {
        let is_meant = |held: &Held| !held.certain && held.pending.is_none();
        if !state.held.iter().any(is_meant) {
            return;
        }
        let mut may_held = std::mem::take(&mut state.may_held);
        let held = Rc::make_mut(&mut state.held);
        held.retain(|held| {
            if is_meant(held) {
                self.add(&mut may_held, held);
            }
            !is_meant(held)
        });
        state.may_held = may_held;
    }

    /// Those in the set, one by one.
    pub fn all<'a>(&'a self, set: &'a MayHeldSet) -> impl Iterator<Item = &'a Held> + 'a {
        set.numbers().map(|number| &self.held[number])
    }
}

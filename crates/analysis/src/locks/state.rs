//! Which locks a thread holds at a point of the program.

use smallvec::SmallVec;

use crate::address::Address;
use crate::node::NodeId;
use ir::ValueId;

/// What is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lock {
    /// The turn of all atomic sections.
    Sections,
    /// The lock at this address, in terms of the function that is being executed.
    At(Address),
    /// Some lock that the instruction at the end of the path may have locked; its address has no name here.
    Nameless,
}

/// A lock that is or may be held.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Held {
    pub lock: Lock,
    /// The calls that led to locking it, from the function in which it was still held, and the call that locked it.
    pub path: Path,
    /// Locked for reading.
    pub shared: bool,
    /// On every way here; otherwise on some.
    pub certain: bool,
    /// How often it was locked, up to a few.
    pub count: u8,
    /// Not locked if this result is not zero. It is certain if nobody needs to ask.
    pub pending: Option<ValueId>,
    /// Held since before the function was called: its place in the state at the entry.
    pub inherited: Option<u16>,
}

pub type Path = SmallVec<[NodeId; 4]>;

/// Longer paths lose their outer part.
pub const LONGEST_PATH: usize = 8;
/// More are not counted.
pub const MOST_COUNTED: u8 = 4;

/// In order; the same lock, locked by the same instruction, stands in it once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LockState {
    pub held: Vec<Held>,
}

impl LockState {
    pub fn is_certain(&self, lock: &Lock) -> bool {
        let mut same = self.held.iter().filter(|h| h.lock == *lock);
        same.any(|h| h.certain)
    }

    pub fn lock(&mut self, new: Held) {
        let mut again = false;
        for held in &mut self.held {
            if held.lock == new.lock && new.lock != Lock::Nameless && held.certain && new.certain {
                held.count = (held.count + 1).min(MOST_COUNTED);
                again = true;
            }
        }
        if !again {
            self.held.push(new);
            self.tidy();
        }
    }

    /// One of these is unlocked; all of them, if they have one name.
    pub fn unlock(&mut self, candidates: &[usize]) {
        let lock = candidates.first().map(|i| self.held[*i].lock.clone());
        let Some(lock) = lock else { return };
        let one_name =
            lock != Lock::Nameless && candidates.iter().all(|i| self.held[*i].lock == lock);
        if one_name || candidates.len() == 1 {
            let mut index = 0;
            self.held.retain_mut(|held| {
                let is_meant = candidates.contains(&index);
                index += 1;
                // So many without a name that nobody counts any more.
                let uncounted = held.lock == Lock::Nameless && held.count == MOST_COUNTED;
                if is_meant && held.count > 1 {
                    held.count -= u8::from(!uncounted);
                    return true;
                }
                !is_meant
            });
        } else {
            for index in candidates {
                self.held[*index].certain = false;
            }
        }
        self.tidy();
    }

    /// Both ways may have come here. Whether that is new.
    pub fn merge(&mut self, other: &LockState) -> bool {
        if self == other {
            return false;
        }
        let before = self.clone();
        // Certain is what is certain on both ways, however it was locked there. What has no name is told apart by its path.
        let stays = |held: &Held, there: &LockState| {
            held.certain
                && match held.lock {
                    Lock::Nameless => there.held.iter().any(|h| h.certain && is_same(h, held)),
                    _ => there.is_certain(&held.lock),
                }
        };
        let mut merged: Vec<Held> = Vec::new();
        for (held, there) in before
            .held
            .iter()
            .map(|held| (held, other))
            .chain(other.held.iter().map(|held| (held, &before)))
        {
            let certain = stays(held, there);
            match merged.iter_mut().find(|known| is_same(known, held)) {
                Some(known) => {
                    known.certain &= certain;
                    known.shared |= held.shared;
                    known.count = match known.lock {
                        Lock::Nameless => known.count.max(held.count),
                        _ => known.count.min(held.count),
                    };
                    if is_shorter(&held.path, &known.path) {
                        known.path = held.path.clone();
                    }
                }
                None => merged.push(Held {
                    certain,
                    ..held.clone()
                }),
            }
        }
        self.held = merged;
        self.tidy();
        *self != before
    }

    /// The result is zero, or is not.
    pub fn learn(&mut self, result: ValueId, is_zero: bool) {
        self.held.retain_mut(|held| {
            if held.pending != Some(result) {
                return true;
            }
            if is_zero {
                held.pending = None;
                held.certain = true;
            }
            is_zero
        });
        self.tidy();
    }

    /// Puts together what has lost the names that told it apart.
    pub fn tidy(&mut self) {
        let mut tidied: Vec<Held> = Vec::with_capacity(self.held.len());
        for held in self.held.drain(..) {
            match tidied.iter_mut().find(|known| is_same(known, &held)) {
                Some(known) => {
                    if known.lock == Lock::Nameless {
                        known.count = (known.count + held.count).min(MOST_COUNTED);
                    }
                    known.certain &= held.certain;
                    known.shared |= held.shared;
                    if is_shorter(&held.path, &known.path) {
                        known.path = held.path;
                    }
                }
                None => tidied.push(held),
            }
        }
        tidied.sort_unstable();
        self.held = tidied;
    }
}

/// One lock, locked by one instruction. Of the ways that led there one is remembered.
fn is_same(a: &Held, b: &Held) -> bool {
    a.lock == b.lock
        && a.path.last() == b.path.last()
        && a.inherited == b.inherited
        && a.pending == b.pending
}

fn is_shorter(a: &Path, b: &Path) -> bool {
    (a.len(), a) < (b.len(), b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points_to::ObjectId;

    fn held(object: u32, node: u32) -> Held {
        Held {
            lock: Lock::At(Address::anchored(ObjectId(object), 0)),
            path: Path::from_slice(&[NodeId(node)]),
            shared: false,
            certain: true,
            count: 1,
            pending: None,
            inherited: None,
        }
    }

    fn state(all: &[Held]) -> LockState {
        let mut state = LockState::default();
        all.iter().for_each(|held| state.lock(held.clone()));
        state
    }

    #[test]
    fn what_is_locked_on_both_ways_is_certain() {
        let mut here = state(&[held(1, 10), held(2, 11)]);
        assert!(here.merge(&state(&[held(1, 20)])));
        assert!(here.is_certain(&held(1, 0).lock));
        assert!(!here.is_certain(&held(2, 0).lock));
        assert_eq!(here.held.len(), 3, "and it is known who may have locked it");
        assert!(!here.clone().merge(&here));
    }

    #[test]
    fn unlocking_one_of_two_leaves_both_in_doubt() {
        let mut here = state(&[held(1, 10), held(2, 11)]);
        here.unlock(&[0, 1]);
        assert_eq!(here.held.len(), 2);
        assert!(here.held.iter().all(|h| !h.certain));
        here.unlock(&[0]);
        assert_eq!(here.held.len(), 1);
    }

    #[test]
    fn a_lock_that_was_taken_twice_is_given_back_twice() {
        let mut here = state(&[held(1, 10), held(1, 11)]);
        here.unlock(&[0]);
        assert!(here.is_certain(&held(1, 0).lock));
        here.unlock(&[0]);
        assert!(here.held.is_empty());
    }

    #[test]
    fn a_result_tells_whether_it_is_locked() {
        let attempt = Held {
            certain: false,
            pending: Some(ValueId(7)),
            ..held(1, 10)
        };
        let mut success = state(&[attempt]);
        let mut failure = success.clone();
        success.learn(ValueId(7), true);
        failure.learn(ValueId(7), false);
        assert!(success.is_certain(&held(1, 0).lock));
        assert!(failure.held.is_empty());
    }
}

//! Which locks a thread holds at a point of the program.

use std::cmp::Ordering;
use std::rc::Rc;

use analysis::{Address, NodeId};
use smallvec::SmallVec;

use super::may_held::MayHeldSet;
use ir::ValueId;

/// What is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lock {
    /// The turn of all atomic sections.
    Sections,
    /// The lock at this address, in terms of the function that is being executed.
    At(Address),
    /// Some lock that the instruction at the end of the path may have locked; its address has no
    /// name here.
    Nameless,
}

/// A lock that is or may be held.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Held {
    pub lock: Lock,
    /// The calls that led to locking it, from the function in which it was still held, and the call
    /// that locked it.
    pub path: Path,
    /// Locked for reading.
    pub shared: bool,
    /// On every way here; otherwise on some.
    pub certain: bool,
    /// How often it was locked, up to a few.
    pub count: u8,
    /// The result of the call that locked it: it is not locked if the result is not zero, and
    /// certain if it is zero. A lock that is in doubt for another reason has none: see `doubt`.
    pub pending: Option<ValueId>,
    /// Held since before the function was called: its place in the state at the entry.
    pub inherited: Option<u16>,
}

pub type Path = SmallVec<[NodeId; 4]>;

/// Longer paths lose their outer part.
pub const LONGEST_PATH: usize = 8;
/// More are not counted.
pub const MOST_COUNTED: u8 = 4;

/// Copies share what is held until one of them changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LockState {
    /// As long as no name was lost since it was tidied: in the order of `compare`, no two alike.
    pub held: Rc<Vec<Held>>,
    /// Others that may be held, in large programs.
    pub(crate) may_held: MayHeldSet,
}

impl LockState {
    pub fn of(held: Vec<Held>) -> LockState {
        let mut state = LockState {
            held: Rc::new(held),
            may_held: MayHeldSet::default(),
        };
        state.tidy();
        state
    }

    pub fn is_certain(&self, lock: &Lock) -> bool {
        let mut same = self.held.iter().filter(|h| h.lock == *lock);
        same.any(|h| h.certain)
    }

    /// Certainly nothing is held.
    pub fn is_free(&self) -> bool {
        self.held.is_empty() && self.may_held.is_empty()
    }

    /// All that may be held has an address that is the same everywhere.
    pub fn has_only_names(&self) -> bool {
        let is_named = |held: &Held| matches!(&held.lock, Lock::At(at) if at.is_absolute());
        self.held.iter().all(is_named) && self.may_held.is_empty()
    }

    pub fn lock(&mut self, new: Held) {
        let all = Rc::make_mut(&mut self.held);
        let mut again = false;
        for held in all.iter_mut() {
            if held.lock == new.lock && new.lock != Lock::Nameless && held.certain && new.certain {
                held.count = (held.count + 1).min(MOST_COUNTED);
                again = true;
            }
        }
        if !again {
            all.push(new);
            self.tidy();
        }
    }

    /// One of these is unlocked; all of them, if they have one name.
    pub fn unlock(&mut self, candidates: &[usize]) {
        let lock = candidates.first().map(|i| self.held[*i].lock.clone());
        let Some(lock) = lock else { return };
        let one_name =
            lock != Lock::Nameless && candidates.iter().all(|i| self.held[*i].lock == lock);
        let all = Rc::make_mut(&mut self.held);
        if one_name || candidates.len() == 1 {
            let mut index = 0;
            all.retain_mut(|held| {
                let is_meant = candidates.contains(&index);
                index += 1;
                // There are too many nameless ones to count.
                let is_nameless = held.lock == Lock::Nameless;
                let uncounted = is_nameless && held.count == MOST_COUNTED;
                if is_meant && held.count > 1 {
                    held.count -= u8::from(!uncounted);
                    // The caller may know them by different names, and this one is any of them.
                    if is_nameless {
                        held.doubt();
                    }
                    return true;
                }
                !is_meant
            });
        } else {
            for index in candidates {
                all[*index].doubt();
            }
        }
        self.tidy();
    }

    /// Nothing is certain any more.
    pub fn doubt(&mut self) {
        let is_meant = |held: &Held| held.certain || held.pending.is_some();
        if self.held.iter().any(is_meant) {
            let all = Rc::make_mut(&mut self.held);
            all.iter_mut().for_each(Held::doubt);
            self.tidy();
        }
    }

    /// Locks that are meant lose their name, and results that are meant can no longer be asked for.
    pub fn forget(&mut self, is_lost: impl Fn(&Address) -> bool, value: ValueId) {
        let loses_name = |held: &Held| matches!(&held.lock, Lock::At(at) if is_lost(at));
        let is_meant = |held: &Held| held.pending == Some(value) || loses_name(held);
        if !self.held.iter().any(is_meant) {
            return;
        }
        for held in Rc::make_mut(&mut self.held) {
            if loses_name(held) {
                held.lock = Lock::Nameless;
            }
            if held.pending == Some(value) {
                held.pending = None;
            }
        }
    }

    /// Both ways may have come here. Whether that is new.
    pub fn merge(&mut self, other: &LockState) -> bool {
        let has_more = self.may_held.merge(&other.may_held);
        if self.held == other.held {
            return has_more;
        }
        let (mine, theirs) = (self.in_order(), other.in_order());
        let (mut mine, mut theirs) = (&mine[..], &theirs[..]);
        let mut merged: Vec<Held> = Vec::with_capacity(mine.len().max(theirs.len()));
        // Lock by lock, and for each lock by the instruction that locked it.
        while let Some(&first) = match (mine.first(), theirs.first()) {
            (Some(a), Some(b)) => Some(if a.lock <= b.lock { a } else { b }),
            (a, b) => a.or(b),
        } {
            let of_lock = |all: &[&Held]| all.iter().take_while(|h| h.lock == first.lock).count();
            let (ours, rest) = mine.split_at(of_lock(mine));
            let (others, their_rest) = theirs.split_at(of_lock(theirs));
            (mine, theirs) = (rest, their_rest);
            merge_lock(ours, others, &mut merged);
        }
        let merged = LockState::of(merged);
        let is_new = self.held != merged.held;
        if is_new {
            self.held = merged.held;
        }
        is_new || has_more
    }

    /// The result is zero, or is not.
    pub fn learn(&mut self, result: ValueId, is_zero: bool) {
        if self.held.iter().any(|held| held.pending == Some(result)) {
            Rc::make_mut(&mut self.held).retain_mut(|held| {
                if held.pending != Some(result) {
                    return true;
                }
                if is_zero {
                    held.pending = None;
                    held.certain = true;
                }
                is_zero
            });
        }
        self.tidy();
    }

    /// Puts together what has lost the names that told it apart.
    pub fn tidy(&mut self) {
        if self.held.is_sorted_by(|a, b| compare(a, b).is_lt()) {
            return;
        }
        let all = Rc::make_mut(&mut self.held);
        all.sort_by(compare);
        all.dedup_by(|held, known| {
            let is_same = compare(known, held).is_eq();
            if is_same {
                known.count = match known.lock {
                    Lock::Nameless => (known.count + held.count).min(MOST_COUNTED),
                    _ => known.count.min(held.count),
                };
                known.certain &= held.certain;
                known.add_way(held);
            }
            is_same
        });
    }

    /// The same, ordered by lock and by path, so that the first of several is always the same.
    pub fn listed(&self) -> LockState {
        let mut listed = self.clone();
        if !listed.held.is_sorted() {
            Rc::make_mut(&mut listed.held).sort_unstable();
        }
        listed
    }

    fn in_order(&self) -> Vec<&Held> {
        let mut all: Vec<&Held> = self.held.iter().collect();
        if !all.is_sorted_by(|a, b| compare(a, b).is_le()) {
            all.sort_by(|a, b| compare(a, b));
        }
        all
    }
}

/// Whether a lock, one of all those that a thread holds, may be locked for reading only: it may be
/// that on one way, and locked for writing on another.
pub fn may_be_shared(all: &[Held], held: &Held) -> bool {
    let mut same = all.iter().filter(|other| other.lock == held.lock);
    same.any(|other| other.shared)
}

impl Held {
    /// It may have been unlocked: no result tells any more whether it is held.
    pub fn doubt(&mut self) {
        self.certain = false;
        self.pending = None;
    }

    /// It was locked in another way, too.
    fn add_way(&mut self, other: &Held) {
        self.shared |= other.shared;
        if is_shorter(&other.path, &self.path) {
            self.path = other.path.clone();
        }
    }
}

/// One lock on two ways: certain is what is certain on both, however it was locked there, and as
/// often as on the way on which it was locked less often. Nameless locks are told apart by the
/// instruction that locked them.
fn merge_lock(mut mine: &[&Held], mut theirs: &[&Held], merged: &mut Vec<Held>) {
    let is_certain = |all: &[&Held]| all.iter().any(|held| held.certain);
    let anyhow = is_certain(mine) && is_certain(theirs);
    let certain = mine.iter().chain(theirs).filter(|held| held.certain);
    let fewest = certain.map(|held| held.count).min();
    while let Some(&first) = match (mine.first(), theirs.first()) {
        (Some(a), Some(b)) => Some(if compare(a, b).is_le() { a } else { b }),
        (a, b) => a.or(b),
    } {
        let alike = |all: &[&Held]| {
            let same = all.iter().take_while(|h| compare(h, first).is_eq());
            same.count()
        };
        let (ours, rest) = mine.split_at(alike(mine));
        let (others, their_rest) = theirs.split_at(alike(theirs));
        (mine, theirs) = (rest, their_rest);
        let stays = match first.lock {
            Lock::Nameless => is_certain(ours) && is_certain(others),
            _ => anyhow,
        };
        let mut held = first.clone();
        for other in ours.iter().chain(others) {
            held.certain &= other.certain && stays;
            held.count = match held.lock {
                Lock::Nameless => held.count.max(other.count),
                _ => held.count.min(other.count),
            };
            held.add_way(other);
        }
        if held.lock != Lock::Nameless && fewest.is_some_and(|fewest| held.count > fewest) {
            held.doubt();
        }
        // On the other way it was unlocked, or is known by another result.
        if ours.is_empty() || others.is_empty() {
            held.pending = None;
        }
        merged.push(held);
    }
}

/// Equal are one lock, locked by one instruction. Of the ways that led there one is remembered.
fn compare(a: &Held, b: &Held) -> Ordering {
    a.lock
        .cmp(&b.lock)
        .then_with(|| a.path.last().cmp(&b.path.last()))
        .then_with(|| a.inherited.cmp(&b.inherited))
        .then_with(|| a.pending.cmp(&b.pending))
}

fn is_shorter(a: &Path, b: &Path) -> bool {
    (a.len(), a) < (b.len(), b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::ObjectId;

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
    fn locks_without_a_name_are_counted_by_who_locked_them() {
        let mut here = state(&[held(1, 10), held(2, 10), held(3, 11)]);
        here.forget(|_| true, ValueId(0));
        assert_eq!(here.held.len(), 3);
        here.tidy();
        let counts: Vec<u8> = here.held.iter().map(|h| h.count).collect();
        assert_eq!(counts, [2, 1]);
        assert!(here.merge(&LockState::default()));
        assert!(here.held.iter().all(|h| !h.certain));
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

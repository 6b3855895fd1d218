//! Critical sections as single events.
//!
//! Memory that is only accessed with some mutex held, wherever another thread may access it at the
//! same time, is *guarded* by that mutex. Nobody sees what a thread does to it between taking and
//! giving back the mutex. So all reads of guarded memory are made when the mutex is taken, all writes
//! when it is given back, and in between the path carries the contents along. If the thread does
//! nothing else in between that others can notice, both are one event (the section is *alone*): it
//! finds the mutex free and leaves it free. On ways on which the thread does not give the mutex back
//! (it fails, or leaves what is known) the event leaves the mutex taken.
//!
//! What guards memory is found out like contention: it is what is held in all accesses that conflict
//! and are not ordered by creation and join ([`crate::memory::Accesses`]). Others are ordered with
//! whole sections, but for those in which a thread creates or joins threads: these are not carried
//! out like this, nor are sections in which a thread ends (`leave_as_they_are`).
//!
//! Ways on which a thread holds the mutex may meet that have taken it in different places: behind a
//! loop that waits for a condition, or where all rounds of a loop give the mutex back that find
//! nothing to do. Then the section that goes on is that of one of these events (`Began`): of the one
//! over which the thread came, which the guards of the ways tell, for a thread comes over one of them.
//! What it finds is what that event finds, and what it writes that event writes; the same as if the
//! ways had been followed apart to where the mutex is given back.

use imbl::{OrdMap, OrdSet};
use smallvec::SmallVec;
use smt::{TermId, Terms};

use super::{Unroller, Worklist};
use crate::graph::{Atom, AtomIx, EventIx, Write};
use crate::path::{Held, Path, UNSET, either};
use crate::place::Key;

/// The words of a mutex that operations on it access.
const MUTEX_BYTES: u64 = 8;

/// A mutex that a thread holds, and what it has done meanwhile to memory that the mutex guards.
#[derive(Clone)]
pub struct Open {
    pub began: Began,
    pub values: OrdMap<AtomIx, Held>,
    /// What other events of the section have accessed.
    pub direct: OrdSet<AtomIx>,
    /// The thread has made no other event since.
    pub is_alone: bool,
}

/// Events, of which a thread came over one, each with the condition that it did.
pub type Ways = SmallVec<[(EventIx, TermId); 1]>;

/// Taking the mutex: one of several events, each with the condition that the thread came over it.
#[derive(Clone, PartialEq, Eq)]
pub struct Began {
    pub ways: Ways,
    /// The guard of the path where the ways met; under it, one of them is the way.
    since: TermId,
}

impl Began {
    /// Of the two, where paths with these guards meet.
    pub fn merge(
        terms: &mut Terms,
        (a, guard_a): (&Began, TermId),
        (b, guard_b): (&Began, TermId),
        since: TermId,
    ) -> Began {
        if a == b {
            return a.clone();
        }
        let mut ways: Ways = SmallVec::new();
        for (began, guard) in [(a, guard_a), (b, guard_b)] {
            for (event, cond) in &began.ways {
                let cond = began.with(terms, guard, *cond);
                match ways.iter_mut().find(|(other, _)| other == event) {
                    Some((_, other)) => *other = either(terms, *other, cond),
                    None => ways.push((*event, cond)),
                }
            }
        }
        Began { ways, since }
    }

    /// That a path with the guard is there and has come a way.
    fn with(&self, terms: &mut Terms, guard: TermId, way: TermId) -> TermId {
        match guard == self.since && self.ways.len() > 1 {
            true => way,
            false => terms.and(guard, way),
        }
    }

    /// Where a path with the guard is, by way.
    pub fn under(&self, terms: &mut Terms, guard: TermId) -> Ways {
        let ways = self.ways.iter();
        ways.map(|(event, way)| (*event, self.with(terms, guard, *way)))
            .collect()
    }
}

/// An event that takes a mutex in this way.
pub(super) struct Taking {
    pub event: EventIx,
    pub word: AtomIx,
    pub owner: TermId,
    /// The ways on which it gives the mutex back.
    pub closed: Vec<TermId>,
}

impl Unroller<'_> {
    /// Whether the section that begins when the thread takes the mutex can be one event.
    pub(super) fn can_fuse(&mut self, path: &Path, mutex: u64) -> bool {
        self.options.fuses
            && path.atomic == 0
            && !self.known.unfused.contains(&mutex)
            && !self.may_end(mutex)
            && !path.sections.contains_key(&mutex)
    }

    /// The thread has just taken the mutex, by the event that is being made.
    pub(super) fn open_section(
        &mut self,
        path: &mut Path,
        mutex: u64,
        word: AtomIx,
        owner: TermId,
    ) {
        let section = path.section.take().expect("an event was begun");
        self.defers = true;
        self.accesses_plainly = false;
        let event = section.event;
        self.note_event(path, event);
        self.taking.push(Taking {
            event,
            word,
            owner,
            closed: Vec::new(),
        });
        let ways = SmallVec::from_iter([(event, self.terms.bool(true))]);
        let began = Began {
            ways,
            since: path.guard,
        };
        let open = Open {
            began,
            values: OrdMap::new(),
            direct: OrdSet::new(),
            is_alone: true,
        };
        path.sections.insert(mutex, open);
    }

    /// The mutex that guards the atom, if the thread holds it in such a section.
    pub(super) fn guard_of(&mut self, path: &Path, atom: AtomIx) -> Option<u64> {
        if !self.defers || path.sections.is_empty() {
            return None;
        }
        let guard = self.guard_of_atom(atom)?;
        let open = path.sections.get(&guard)?;
        if open.direct.contains(&atom) {
            self.grew |= self.known.unfused.insert(guard);
            return None;
        }
        Some(guard)
    }

    /// The mutex that guards the atom. Mutexes themselves are seen at once.
    fn guard_of_atom(&self, atom: AtomIx) -> Option<u64> {
        let Atom { address, bytes, .. } = self.graph.atoms[atom];
        let end = address + u64::from(bytes);
        let before = self.known.mutexes.range(..end).next_back();
        if before.is_some_and(|mutex| mutex + MUTEX_BYTES > address) {
            return None;
        }
        self.guards.get(&(address / 8)).copied()
    }

    pub(super) fn read_guarded(&mut self, path: &mut Path, mutex: u64, atom: AtomIx) -> TermId {
        path.fresh = None;
        let open = &path.sections[&mutex];
        let yes = self.terms.bool(true);
        let known = open.values.get(&atom).copied();
        if let Some(held) = known
            && (held.found != UNSET || held.written == yes)
        {
            return held.value;
        }
        let found = self.found_by_section(path, mutex, atom);
        let held = match known {
            // Written on some ways.
            Some(held) => Held {
                value: self.terms.ite(held.written, held.value, found),
                found,
                ..held
            },
            None => Held {
                value: found,
                written: self.terms.bool(false),
                found,
            },
        };
        path.open_mut(mutex).values.insert(atom, held);
        held.value
    }

    /// What is in the atom where the section began.
    fn found_by_section(&mut self, path: &Path, mutex: u64, atom: AtomIx) -> TermId {
        let yes = self.terms.bool(true);
        let mut found: Option<TermId> = None;
        for (event, way) in path.sections[&mutex].began.ways.clone() {
            let here = self.read_by(event, atom, yes);
            found = Some(match found {
                None => here,
                Some(other) => self.terms.ite(way, here, other),
            });
        }
        found.expect("a section begins somewhere")
    }

    /// Two paths are about to meet whose sections of the same mutexes began elsewhere: what is known
    /// on one of them of what its section found must be known on the other.
    pub(super) fn look_on_both(&mut self, a: &mut Path, b: &mut Path) {
        let mutexes: Vec<u64> = a.sections.keys().copied().collect();
        for mutex in mutexes {
            if a.sections[&mutex].began == b.sections[&mutex].began {
                continue;
            }
            let values = |path: &Path| path.sections[&mutex].values.clone();
            for (atom, _) in values(a).union(values(b)) {
                let found = |path: &Path| values(path).get(&atom).map_or(UNSET, |held| held.found);
                if found(a) != UNSET || found(b) != UNSET {
                    self.look(a, mutex, atom);
                    self.look(b, mutex, atom);
                }
            }
        }
    }

    /// What the section found in the atom is known from now on.
    fn look(&mut self, path: &mut Path, mutex: u64, atom: AtomIx) {
        let known = path.sections[&mutex].values.get(&atom).copied();
        if known.is_some_and(|held| held.found != UNSET) {
            return;
        }
        let found = self.found_by_section(path, mutex, atom);
        let held = match known {
            None => Held {
                value: found,
                written: self.terms.bool(false),
                found,
            },
            Some(held) => Held {
                value: match held.value {
                    UNSET => found,
                    value => self.terms.ite(held.written, value, found),
                },
                found,
                ..held
            },
        };
        path.open_mut(mutex).values.insert(atom, held);
    }

    pub(super) fn write_guarded(
        &mut self,
        path: &mut Path,
        mutex: u64,
        (atom, cond, value): (AtomIx, TermId, TermId),
    ) {
        path.fresh = None;
        let is_certain = self.terms.as_constant(cond) == Some(1);
        if !is_certain {
            self.read_guarded(path, mutex, atom);
        }
        let no = self.terms.bool(false);
        let old = path.sections[&mutex].values.get(&atom).copied();
        let old = old.unwrap_or(Held {
            value,
            written: no,
            found: UNSET,
        });
        let held = Held {
            value: self.terms.ite(cond, value, old.value),
            written: either(self.terms, old.written, cond),
            found: old.found,
        };
        path.open_mut(mutex).values.insert(atom, held);
        // Whether a round of a loop changes something is not compared here.
        for head in path
            .frames
            .iter_mut()
            .flat_map(|frame| frame.heads.iter_mut())
        {
            head.acted = either(self.terms, head.acted, cond);
        }
    }

    /// The mutex is given back. The events of which one did that, each with its condition; none, if
    /// an event of its own does.
    pub(super) fn close_alone(&mut self, path: &mut Path, mutex: u64) -> Option<Ways> {
        path.sections.get(&mutex).filter(|open| open.is_alone)?;
        let open = path.sections.remove(&mutex).expect("an open section");
        let ways = open.began.under(self.terms, path.guard);
        let key: Key = self.key_of(path).into();
        for (event, guard) in &ways {
            let e = &mut self.graph.events[*event];
            for (atom, held) in &open.values {
                if self.terms.as_constant(held.written) == Some(0) {
                    continue;
                }
                let cond = match *guard == e.executed {
                    true => held.written,
                    false => self.terms.and(*guard, held.written),
                };
                e.writes.push(Write {
                    atom: *atom,
                    cond,
                    value: held.value,
                });
            }
            e.ends.push((*guard, key.clone()));
            let mut taking = self.taking.iter_mut();
            let taking = taking.rfind(|taking| taking.event == *event);
            taking
                .expect("an event that takes a mutex")
                .closed
                .push(*guard);
        }
        Some(ways)
    }

    /// The mutex is given back by the event that is being made: what was done meanwhile is seen.
    pub(super) fn close_with_event(&mut self, path: &mut Path, mutex: u64) {
        let Some(open) = path.sections.remove(&mutex) else {
            return;
        };
        let section = path.section.as_mut().expect("an event was begun");
        for (atom, held) in open.values {
            if self.terms.as_constant(held.written) != Some(0) {
                section.values.insert(atom, held);
            }
        }
    }

    /// The sections that the path is in must show what they do before they end.
    pub(super) fn leave_as_they_are(&mut self, path: &Path) {
        for mutex in path.sections.keys() {
            self.grew |= self.known.unfused.insert(*mutex);
        }
    }

    /// The event accesses the atom in the middle of sections: none of them may have deferred that,
    /// nor may any later.
    pub(super) fn check_deferred(&mut self, path: &mut Path, atom: AtomIx) {
        if path.sections.is_empty() {
            return;
        }
        for (mutex, open) in &path.sections {
            if open.values.contains_key(&atom) {
                self.grew |= self.known.unfused.insert(*mutex);
            }
        }
        if let Some(guard) = self.guard_of_atom(atom)
            && path.sections.contains_key(&guard)
        {
            path.open_mut(guard).direct.insert(atom);
        }
    }

    /// The thread has been followed to its ends: on other ways the mutex stays taken.
    pub(super) fn leave_taken(&mut self, work: &Worklist) {
        let graph = &mut self.graph;
        let terms = &mut *self.terms;
        self.taking.retain(|taking| {
            let e = &mut graph.events[taking.event];
            if e.thread != work.thread {
                return true;
            }
            let mut parts = taking.closed.clone();
            while let Some(part) = parts.pop() {
                let other = parts.iter().position(|other| {
                    let both = either(terms, part, *other);
                    !matches!(*terms.node(both), smt::Node::Bin(smt::BinOp::Or, ..))
                });
                match other {
                    Some(other) => parts[other] = either(terms, part, parts[other]),
                    None => {
                        parts.push(part);
                        break;
                    }
                }
            }
            let closed = terms.any(&parts);
            let closed = if closed == e.executed {
                terms.bool(true)
            } else {
                closed
            };
            let open = terms.not(closed);
            if terms.as_constant(open) != Some(0) {
                e.writes.push(Write {
                    atom: taking.word,
                    cond: open,
                    value: taking.owner,
                });
            }
            false
        });
    }
}

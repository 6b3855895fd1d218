//! What happens before what: a vector clock for each thread and for whatever threads synchronise
//! with.

use std::rc::Rc;

use ir::MemoryOrder;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::thread::{Clock, ThreadId};

/// A moment of the execution: how much of each thread lies before it. Shared, since many hold the
/// same one.
type Moment = Rc<Clock>;

/// The clocks of a thread.
#[derive(Clone, Default)]
struct Clocks {
    now: Moment,
    /// At the last release fence: what its relaxed stores publish.
    fenced: Moment,
    /// What its relaxed loads have seen: the next acquire fence makes it happen before.
    seen: Moment,
    /// It is in an atomic section that has touched shared memory.
    in_section: bool,
}

/// What a load from these bytes synchronises with: the heads of the release sequences that the last
/// write continues, each with the thread that made it.
#[derive(Clone)]
struct Published {
    mask: u64,
    heads: SmallVec<[(ThreadId, Moment); 1]>,
}

/// A synchronisation object, or the bytes of one chunk that were accessed atomically.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Object(u64),
    /// What readers of a read-write lock released, for writers alone.
    Readers(u64),
    /// All atomic sections: one big lock.
    Sections,
}

#[derive(Default)]
pub(super) struct Order {
    threads: Vec<Clocks>,
    places: FxHashMap<Place, Moment>,
    published: FxHashMap<u64, Vec<Published>>,
    log: Vec<Undo>,
}

enum Undo {
    Thread(ThreadId, Clocks),
    Place(Place, Option<Moment>),
    Published(u64, Option<Vec<Published>>),
}

/// How an atomic access changes memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Atomic {
    Store,
    Update,
}

impl Order {
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    pub fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop().expect("an entry") {
                Undo::Thread(thread, clocks) => self.threads[thread.index()] = clocks,
                Undo::Place(place, Some(moment)) => drop(self.places.insert(place, moment)),
                Undo::Place(place, None) => drop(self.places.remove(&place)),
                Undo::Published(chunk, Some(old)) => drop(self.published.insert(chunk, old)),
                Undo::Published(chunk, None) => drop(self.published.remove(&chunk)),
            }
        }
    }

    /// The thread's clock.
    pub fn now(&mut self, thread: ThreadId) -> Moment {
        Rc::clone(&self.clocks(thread).now)
    }

    fn clocks(&mut self, thread: ThreadId) -> &mut Clocks {
        while self.threads.len() <= thread.index() {
            let mut clocks = Clocks::default();
            tick(&mut clocks.now, ThreadId::from(self.threads.len()));
            self.threads.push(clocks);
        }
        &mut self.threads[thread.index()]
    }

    /// The thread's clocks, to be changed.
    fn change(&mut self, thread: ThreadId) -> &mut Clocks {
        let old = self.clocks(thread).clone();
        self.log.push(Undo::Thread(thread, old));
        &mut self.threads[thread.index()]
    }

    // ----- threads -----

    /// What `parent` did lies before all of `child`.
    pub fn fork(&mut self, parent: ThreadId, child: ThreadId) {
        let mut now = self.now(parent);
        tick(&mut now, child);
        self.change(child).now = now;
        self.step(parent);
    }

    /// What `other` has done up to now lies before what `thread` does from now on.
    pub fn join(&mut self, thread: ThreadId, other: ThreadId) {
        let theirs = self.now(other);
        self.learn(thread, &theirs);
    }

    /// ... and what `other` does from now on does not.
    pub fn wake(&mut self, thread: ThreadId, other: ThreadId) {
        self.join(thread, other);
        self.step(other);
    }

    fn learn(&mut self, thread: ThreadId, moment: &Moment) {
        if !covers(&self.clocks(thread).now, moment) {
            merge(&mut self.change(thread).now, moment);
        }
    }

    /// What the thread does from now on lies before no event of another thread yet.
    fn step(&mut self, thread: ThreadId) {
        tick(&mut self.change(thread).now, thread);
    }

    // ----- locks and the like -----

    pub fn acquire(&mut self, thread: ThreadId, place: Place) {
        if let Some(moment) = self.places.get(&place).cloned() {
            self.learn(thread, &moment);
        }
    }

    /// A thread that acquires the place comes after all threads that released it: the holders of a
    /// lock came one after the other anyway.
    pub fn release(&mut self, thread: ThreadId, place: Place) {
        let now = self.now(thread);
        let old = self.places.get(&place).cloned();
        let mut moment = old.clone().unwrap_or_default();
        merge(&mut moment, &now);
        self.log.push(Undo::Place(place, old));
        self.places.insert(place, moment);
        self.step(thread);
    }

    pub fn forget(&mut self, place: Place) {
        let old = self.places.remove(&place);
        self.log.push(Undo::Place(place, old));
    }

    /// Whether it was not in one.
    pub fn enter_section(&mut self, thread: ThreadId) -> bool {
        let enters = !self.clocks(thread).in_section;
        if enters {
            self.acquire(thread, Place::Sections);
            self.change(thread).in_section = true;
        }
        enters
    }

    pub fn leave_section(&mut self, thread: ThreadId) {
        if self.clocks(thread).in_section {
            self.release(thread, Place::Sections);
            self.change(thread).in_section = false;
        }
    }

    // ----- atomics (C11, 5.1.2.4 and 7.17.4) -----

    /// What an atomic read of these bytes learns. Before the access itself is looked at, which
    /// comes after what it acquires.
    pub fn read(&mut self, thread: ThreadId, chunk: u64, mask: u64, order: MemoryOrder) {
        let Some(published) = self.published.get(&chunk) else {
            return;
        };
        let mut moment = Moment::default();
        for head in published.iter().filter(|p| p.mask & mask != 0) {
            head.heads.iter().for_each(|(_, m)| merge(&mut moment, m));
        }
        if order.acquires() {
            self.learn(thread, &moment);
        } else if !covers(&self.clocks(thread).seen, &moment) {
            merge(&mut self.change(thread).seen, &moment);
        }
    }

    /// What an atomic write to these bytes publishes, and whether it ends what was published
    /// before. A release, or a relaxed write after a release fence, heads a release sequence; an
    /// update continues those that it finds, a store only those of its own thread (so C11; C++20
    /// leaves that out and may have a race where none is reported).
    pub fn write(
        &mut self,
        thread: ThreadId,
        chunk: u64,
        mask: u64,
        kind: Atomic,
        order: MemoryOrder,
    ) -> bool {
        let old = self.published.get(&chunk).cloned();
        let mut all = old.clone().unwrap_or_default();
        let mut heads: SmallVec<[(ThreadId, Moment); 1]> = SmallVec::new();
        for published in all.iter().filter(|p| p.mask & mask != 0) {
            for (head, moment) in &published.heads {
                if kind == Atomic::Update || *head == thread {
                    add_head(&mut heads, *head, moment);
                }
            }
        }
        let clocks = self.clocks(thread);
        let own = if order.releases() {
            Rc::clone(&clocks.now)
        } else {
            Rc::clone(&clocks.fenced)
        };
        if !own.is_empty() {
            add_head(&mut heads, thread, &own);
        }
        let is_kept =
            |(_, moment): &(ThreadId, Moment)| heads.iter().any(|(_, m)| covers(m, moment));
        let mut before = all.iter().filter(|p| p.mask & mask != 0);
        let ends = !before.all(|published| published.heads.iter().all(is_kept));
        cut(&mut all, mask);
        if !heads.is_empty() {
            all.push(Published { mask, heads });
        }
        self.log.push(Undo::Published(chunk, old));
        self.published.insert(chunk, all);
        if order.releases() {
            self.step(thread);
        }
        ends
    }

    /// A plain write ends the release sequences of the bytes. Whether there were any.
    pub fn overwrite(&mut self, chunk: u64, mask: u64) -> bool {
        let Some(all) = self.published.get_mut(&chunk) else {
            return false;
        };
        let ends = all.iter().any(|p| p.mask & mask != 0);
        if ends {
            self.log.push(Undo::Published(chunk, Some(all.clone())));
            cut(all, mask);
        }
        ends
    }

    pub fn fence(&mut self, thread: ThreadId, order: MemoryOrder) {
        if order.acquires() {
            let seen = Rc::clone(&self.clocks(thread).seen);
            self.learn(thread, &seen);
        }
        if order.releases() {
            let now = self.now(thread);
            self.change(thread).fenced = now;
            self.step(thread);
        }
    }
}

fn add_head(heads: &mut SmallVec<[(ThreadId, Moment); 1]>, thread: ThreadId, moment: &Moment) {
    match heads.iter_mut().find(|(head, _)| *head == thread) {
        Some((_, known)) => merge(known, moment),
        None => heads.push((thread, Rc::clone(moment))),
    }
}

fn cut(all: &mut Vec<Published>, mask: u64) {
    all.iter_mut().for_each(|p| p.mask &= !mask);
    all.retain(|p| p.mask != 0);
}

fn tick(moment: &mut Moment, thread: ThreadId) {
    let clock = Rc::make_mut(moment);
    if clock.len() <= thread.index() {
        clock.resize(thread.index() + 1, 0);
    }
    clock[thread.index()] += 1;
}

/// Whether `later` knows all that `moment` does.
fn covers(later: &Clock, moment: &Clock) -> bool {
    let known = |thread: usize| later.get(thread).copied().unwrap_or(0);
    moment.iter().enumerate().all(|(t, time)| *time <= known(t))
}

fn merge(into: &mut Moment, moment: &Moment) {
    if covers(into, moment) {
        return;
    }
    if covers(moment, into) {
        *into = Rc::clone(moment);
        return;
    }
    let clock = Rc::make_mut(into);
    if clock.len() < moment.len() {
        clock.resize(moment.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(moment.iter()) {
        *mine = (*mine).max(*theirs);
    }
}

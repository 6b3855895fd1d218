//! Data races: two accesses to overlapping bytes by different threads, at least one a write, at
//! least one not atomic, neither of which happens before the other.
//!
//! Happens-before is the transitive closure of: the order of each thread; creation and join; unlock
//! and later lock of a mutex, spin lock or read-write lock (readers are not ordered among each
//! other); `sem_post` and later `sem_wait`; a signal and the wait that it ends; arrival at a
//! barrier and its opening; the end of a once routine and later calls; C11's synchronises-with
//! between atomics, release sequences and fences included (`order`); atomic sections, in the order
//! in which they are executed. `volatile` means nothing. Creating, destroying and freeing an object
//! are plain writes of all of it; locking it is an atomic write.
//!
//! Only visible bytes (`sharing`) are looked at, because two accesses that race are not ordered by
//! creation and join either. A race found before a byte is known to be visible does not count,
//! since the search then starts over. An access at an address that depends on an input is made at
//! each possible address of its own.
//!
//! The races of an execution are those of its Mazurkiewicz trace, whichever linearisation is
//! executed: two operations between which an edge of happens-before is drawn are dependent, so that
//! every linearisation has them in the same order and draws the same edges (for atomic sections see
//! `Footprint::add`: all of them touch [`SECTIONS`]); and whether two accesses race is read off
//! these edges alone. What follows a race is executed, too, so that one race does not hide another.
//! A search of one linearisation of each trace therefore finds the same pairs of places as one of
//! all (`races_are_those_of_the_reference` in `verify/tests/races.rs`).
//!
//! Loops that wait (`explore::waiting`). That a pure round can be taken out of an execution holds
//! for races only in part, since one of its accesses may be the first of a race. So
//! - a round is not pure in which a write, though of what was there, ends what others have
//!   published there: a thread that reads the byte then comes after fewer events. Any other round
//!   can be taken out if neither access of the race is in it: that leaves out edges of
//!   happens-before, and adds none;
//! - if the first access is in a round after which its thread goes on, all that the thread does
//!   then can be taken out, unless another thread is led to the second access by it although it
//!   does not come after it: by a relaxed operation, or because a lock could not be taken (by a
//!   plain access it is, too, but that is a race itself). Where a program has such operations
//!   ([`Program::orders_weakly`]), a thread goes on after a pure round once; twice if the second
//!   has the first in it, and so on. All other rounds that have none of the two accesses in them
//!   are taken out.
//!
//! `tests/programs/waiting/race_after_a_round.c`, `race_round_publishes.c`.
//!
//! Deviations: see `order::Order::write` about C++20; an atomic operation that compilers leave to a
//! library (16 bytes, odd sizes) is an atomic section, whatever its memory order.

mod history;
mod order;

use ir::debug::LocId;
use ir::{FuncId, MemoryOrder};
use serde::{Deserialize, Serialize};

use history::History;
pub use history::{Effect, RaceAccess};
use order::{Atomic, Order, Place};

use crate::code::{Code, Program};
use crate::fault::{Exec, Fault};
use crate::machine::Machine;
use crate::memory::{AccessKind, CHUNK, MemoryFault, ObjectKind, byte_mask};
use crate::sharing::SharedSet;
use crate::thread::{Guard, Status, ThreadId, Woken};

/// An address at which nothing lies: every atomic section writes here.
pub(crate) const SECTIONS: u64 = 8;

/// Two accesses that race, the later one second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    pub first: RaceAccess,
    pub second: RaceAccess,
    /// The first byte of both.
    pub address: u64,
}

/// Where the accesses of a race stand in the source: the places that may be meant, of the first and
/// of the second.
pub type RacePlaces = [Vec<LocId>; 2];

#[derive(Default)]
pub struct Races {
    order: Order,
    history: History,
    /// Those of the current path, one for each pair of places.
    pub(crate) found: Vec<Race>,
    /// How many there were before the current atomic section.
    before_section: usize,
    /// What was known to be visible from the start. An instruction that is executed again must ask
    /// the same questions.
    known: SharedSet,
    /// A thread goes on after its first pure round.
    goes_on_after_round: bool,
}

/// A point to return to.
#[derive(Clone, Copy, Default)]
pub(crate) struct RaceMark {
    order: usize,
    history: usize,
    found: usize,
    before_section: usize,
}

impl Races {
    pub(crate) fn attach(&mut self, program: &Program, shared: &SharedSet) {
        self.goes_on_after_round = program.orders_weakly();
        self.known = shared.clone();
    }

    pub(crate) fn mark(&self) -> RaceMark {
        RaceMark {
            order: self.order.mark(),
            history: self.history.mark(),
            found: self.found.len(),
            before_section: self.before_section,
        }
    }

    pub(crate) fn undo(&mut self, mark: RaceMark) {
        self.order.undo(mark.order);
        self.history.undo(mark.history);
        self.found.truncate(mark.found);
        self.before_section = mark.before_section;
    }

    /// The current atomic section turns out never to have been.
    pub(crate) fn forget_section(&mut self) {
        self.found.truncate(self.before_section);
    }
}

/// How an access is atomic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Plain,
    Load(MemoryOrder),
    Store(MemoryOrder),
    Update(MemoryOrder),
    /// An operation on a lock or the like, which says itself what it orders.
    Operation,
}

impl Program {
    /// Whether a thread can find out what another has done without coming after it: by an atomic
    /// operation that does not acquire, from one that does not release, or by one that gives up.
    fn orders_weakly(&self) -> bool {
        let is_weak = |code: &Code| match code {
            Code::Load { atomic, .. } => atomic.is_some_and(|order| !order.acquires()),
            Code::Store { atomic, .. } => atomic.is_some_and(|order| !order.releases()),
            Code::Rmw { order, .. } => !(order.acquires() && order.releases()),
            Code::CmpXchg {
                orders: [done, not],
                ..
            } => !(done.acquires() && done.releases() && not.acquires()),
            _ => false,
        };
        let gives_up = |name: &str| GIVE_UP.iter().any(|part| name.contains(part));
        let functions = self.module.functions.iter().filter(|f| f.body.is_none());
        (self.functions.iter()).any(|f| f.code.iter().any(is_weak))
            || functions.map(|f| f.name.as_str()).any(gives_up)
    }
}

/// In the names of functions that tell whether they had to give up, or how many others could go on.
const GIVE_UP: [&str; 4] = ["try", "timed", "clock", "getvalue"];

impl Machine {
    pub fn watches_races(&self) -> bool {
        self.probes.races.is_some()
    }

    /// The races of the current path, one for each pair of places.
    pub fn races_found(&self) -> &[Race] {
        self.probes.races.as_ref().map_or(&[], |races| &races.found)
    }

    /// Whether a thread goes on after its first pure round (see the head of this module).
    pub(crate) fn goes_on_after_round(&self) -> bool {
        let races = self.probes.races.as_ref();
        races.is_some_and(|races| races.goes_on_after_round)
    }

    /// An access somewhere in an object, at an address that depends on an input: whether the
    /// address must be decided, because other threads may access the object.
    pub(crate) fn wants_addresses(&self, base: u64, size: u64) -> bool {
        let Some(races) = self.probes.races.as_ref().filter(|_| self.now.concurrent) else {
            return false;
        };
        let is_known =
            |(at, mask): (u64, u64)| races.known.mask(at - at % CHUNK as u64) & mask != 0;
        chunks(base, size).any(is_known)
    }

    /// Whether accesses can race now: a thread that is alone comes after all other threads that
    /// have been, and before those to come.
    #[inline]
    fn watches(&self) -> bool {
        self.probes.races.is_some() && self.now.concurrent
    }

    fn shared_at(&self, address: u64) -> u64 {
        self.state.memory.chunk_at(address).shared
    }

    /// A plain access that has just been let pass.
    #[inline]
    pub(crate) fn note_plain(&mut self, address: u64, bytes: u64, kind: AccessKind) -> Exec<()> {
        let effect = match kind {
            AccessKind::Read => Effect::Read,
            AccessKind::Write => Effect::Write,
        };
        self.note_access(address, bytes, effect, How::Plain)
    }

    #[inline]
    pub(crate) fn note_access(
        &mut self,
        address: u64,
        bytes: u64,
        effect: Effect,
        how: How,
    ) -> Exec<()> {
        if self.watches() {
            return self.look_for_races(address, bytes, effect, how);
        }
        Ok(())
    }

    /// Memory is used after its end. The end is a write, and an earlier use may race with it; for
    /// that both must be visible.
    pub(crate) fn note_use_of_dead(
        &mut self,
        fault: MemoryFault,
        address: u64,
        bytes: u64,
        kind: AccessKind,
    ) {
        if let MemoryFault::UseAfterFree(id) | MemoryFault::UseAfterReturn(id) = fault
            && id.far_index().is_none()
            && self.watches()
        {
            let object = self.state.memory.object(id);
            let left = (object.base + object.size).saturating_sub(address);
            self.is_visible(address, bytes.min(left), kind);
        }
    }

    fn look_for_races(&mut self, address: u64, bytes: u64, effect: Effect, how: How) -> Exec<()> {
        if !chunks(address, bytes).any(|(at, mask)| self.shared_at(at) & mask != 0) {
            return Ok(());
        }
        let thread = self.now.current;
        // Such an access does not race, but it orders: the library releases the guard of a static
        // local, and the program acquires it.
        let is_own = self.is_of_the_runtime(address);
        let in_section = self.thread_state(thread).atomic > 0 && !is_own;
        let (stack, events) = match &self.probes.recorder {
            Some(recorder) => (self.user_stack(), recorder.events.len()),
            None => (Vec::new(), 0),
        };
        let access = RaceAccess {
            thread,
            loc: self.current_user_loc(),
            effect,
            atomic: how != How::Plain,
            address,
            bytes,
            stack,
            events,
        };
        let mut races = self.probes.races.take().expect("watching");
        if in_section && races.order.enter_section(thread) {
            races.before_section = races.found.len();
        }
        let mut fault = None;
        for (at, mask) in chunks(address, bytes) {
            let mask = mask & self.shared_at(at);
            if mask == 0 {
                continue;
            }
            let chunk = at - at % CHUNK as u64;
            if let How::Load(order) | How::Update(order) = how {
                races.order.read(thread, chunk, mask, order);
            }
            let now = races.order.now(thread);
            let conflicts = races.history.conflicts(chunk, mask, &access, &now);
            for other in conflicts.filter(|_| !is_own) {
                let race = Race {
                    first: other.clone(),
                    second: access.clone(),
                    address: address.max(other.address),
                };
                match &self.config.until_race {
                    Some(places) if is_at(&race, places) => fault = Some(race),
                    Some(_) => {}
                    None if races.found.iter().any(|r| is_alike(r, &race)) => {}
                    None => races.found.push(race),
                }
            }
            if !is_own {
                races.history.add(chunk, mask, access.clone(), &now);
            }
            let order = &mut races.order;
            let ends = match how {
                How::Store(how) => order.write(thread, chunk, mask, Atomic::Store, how),
                How::Update(how) => order.write(thread, chunk, mask, Atomic::Update, how),
                How::Plain if effect.writes() => order.overwrite(chunk, mask),
                How::Plain | How::Load(_) | How::Operation => false,
            };
            // Other threads may race because of that, so that a round in which it happens is not
            // pure, though it may write what was there.
            self.trail.effects += u32::from(ends);
        }
        self.probes.races = Some(races);
        match fault {
            Some(race) => self.fault(Fault::Race(Box::new(race))),
            None => Ok(()),
        }
    }

    /// Whether these bytes are variables of Sleave's own library, which have no names. Accesses of
    /// the library to them are no races of the program.
    fn is_of_the_runtime(&self, address: u64) -> bool {
        let function = self.running.frames.last().expect("a frame").function;
        if !self.program.function(function).runtime {
            return false;
        }
        let object = self
            .state
            .memory
            .object_at(address)
            .map(|id| self.state.memory.object(id));
        matches!(object.map(|o| o.kind), Some(ObjectKind::Global(id)) if self.program.module.globals[id].var.is_none())
    }

    fn user_stack(&self) -> Vec<(FuncId, LocId)> {
        let frames = self.running.frames.iter().rev();
        let of_user = frames.filter(|f| !self.program.function(f.function).runtime);
        of_user
            .map(|frame| {
                let locs = &self.program.function(frame.function).locs;
                let loc = locs.get(frame.pc as usize).copied().unwrap_or_default();
                (frame.function, loc)
            })
            .collect()
    }

    // ----- what orders -----

    fn order(&mut self) -> Option<(&mut Order, ThreadId)> {
        let thread = self.now.current;
        let races = self.probes.races.as_mut().filter(|_| self.now.concurrent)?;
        Some((&mut races.order, thread))
    }

    /// The current thread comes after those that released the object.
    #[inline]
    pub(crate) fn acquire(&mut self, object: u64) {
        if let Some((order, thread)) = self.order() {
            order.acquire(thread, Place::Object(object));
        }
    }

    /// A writer of a read-write lock comes after its readers, too.
    pub(crate) fn acquire_from_readers(&mut self, object: u64) {
        if let Some((order, thread)) = self.order() {
            order.acquire(thread, Place::Readers(object));
        }
    }

    #[inline]
    pub(crate) fn release(&mut self, object: u64) {
        if let Some((order, thread)) = self.order() {
            order.release(thread, Place::Object(object));
        }
    }

    pub(crate) fn release_for_writers(&mut self, object: u64) {
        if let Some((order, thread)) = self.order() {
            order.release(thread, Place::Readers(object));
        }
    }

    /// The current thread signals a waiting one.
    pub(crate) fn order_wake(&mut self, woken: ThreadId) {
        if let Some((order, thread)) = self.order() {
            order.wake(woken, thread);
        }
    }

    /// The current thread is the last that a barrier has waited for: every thread that arrived in
    /// this generation comes after every arrival.
    pub(crate) fn order_barrier(&mut self, barrier: u64, generation: u32) {
        self.release(barrier);
        let waits = |m: &Machine, t: &ThreadId| {
            let Status::Parked { guard, .. } = m.status(*t) else {
                return false;
            };
            let here = Guard::Barrier {
                address: barrier,
                generation,
            };
            // Others may have been here before it was destroyed and made anew.
            guard == here && m.thread_state(*t).woken != Woken::Destroyed
        };
        let waiting: Vec<ThreadId> = self.thread_ids().filter(|t| waits(self, t)).collect();
        if let Some((order, thread)) = self.order() {
            for thread in waiting.into_iter().chain([thread]) {
                order.acquire(thread, Place::Object(barrier));
            }
            order.forget(Place::Object(barrier));
        }
    }

    /// The current thread makes another.
    pub(crate) fn order_create(&mut self, child: ThreadId) {
        let parent = self.now.current;
        if let Some(races) = &mut self.probes.races {
            races.order.fork(parent, child);
        }
    }

    pub(crate) fn order_join(&mut self, thread: ThreadId, other: ThreadId) {
        if let Some(races) = &mut self.probes.races {
            races.order.join(thread, other);
        }
    }

    #[inline]
    pub(crate) fn order_fence(&mut self, fence: MemoryOrder) {
        if let Some((order, thread)) = self.order() {
            order.fence(thread, fence);
        }
    }

    /// The current thread leaves an atomic section.
    #[inline]
    pub(crate) fn order_section(&mut self) {
        let thread = self.now.current;
        if let Some(races) = &mut self.probes.races {
            races.order.leave_section(thread);
        }
    }
}

/// The parts of a range that lie in one chunk each: address and bytes in the chunk.
fn chunks(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = address + bytes;
    let mut at = address;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let start = (at % CHUNK as u64) as usize;
        let n = (CHUNK - start).min((end - at) as usize);
        let part = (at, byte_mask(start, n));
        at += n as u64;
        Some(part)
    })
}

fn is_at(race: &Race, [first, second]: &RacePlaces) -> bool {
    first.contains(&race.first.loc) && second.contains(&race.second.loc)
}

/// Whether the same two places race.
fn is_alike(a: &Race, b: &Race) -> bool {
    let places = |r: &Race| [r.first.loc, r.second.loc];
    let [first, second] = places(b);
    places(a) == [first, second] || places(a) == [second, first]
}

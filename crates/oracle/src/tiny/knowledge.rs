//! What races: two accesses to a byte by different threads, one of which writes, one of which is
//! not atomic, and neither of which happens before the other.
//!
//! There are no clocks, which would grow as a loop goes round. Each thread has the set of those
//! accesses that happen before whatever it does next, and so has each object for whoever acquires
//! it. Of accesses by one thread to one byte, of one kind, only the last is kept: an earlier one
//! happens before it, so that whoever races with the earlier one and comes after both races with
//! the last, too. A set of sets of finitely many things is finite, and programs with loops have
//! finitely many states.

use std::collections::{BTreeMap, BTreeSet};

use super::state::State;
use super::steps::Stop;
use super::syntax::Access;
use super::verdicts::Failure;

#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Knowledge {
    /// The last accesses of each kind.
    done: BTreeSet<Deed>,
    /// Of these, those that each thread knows.
    threads: Vec<BTreeSet<Deed>>,
    /// Of these, those that a thread comes to know that acquires what is at this address.
    released: BTreeMap<i64, BTreeSet<Deed>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Deed {
    byte: i64,
    thread: usize,
    writes: bool,
    plain: bool,
}

impl Knowledge {
    pub fn of(threads: usize) -> Knowledge {
        Knowledge {
            threads: vec![BTreeSet::new(); threads],
            ..Knowledge::default()
        }
    }

    fn note(
        &mut self,
        thread: usize,
        address: i64,
        size: usize,
        writes: bool,
        plain: bool,
    ) -> Result<(), Stop> {
        for byte in address..address + size as i64 {
            let races = |other: &&Deed| {
                other.byte == byte
                    && other.thread != thread
                    && (writes || other.writes)
                    && (plain || other.plain)
                    && !self.threads[thread].contains(other)
            };
            if self.done.iter().any(|other| races(&other)) {
                return Err(Stop::Failed(Failure::Race));
            }
            let deed = Deed {
                byte,
                thread,
                writes,
                plain,
            };
            // What others know of is an earlier one.
            let sets = self.threads.iter_mut().chain(self.released.values_mut());
            sets.for_each(|set| {
                set.remove(&deed);
            });
            self.done.insert(deed);
            self.threads[thread].insert(deed);
        }
        Ok(())
    }
}

impl State {
    pub fn note_read(
        &mut self,
        thread: usize,
        address: i64,
        size: usize,
        access: Access,
    ) -> Result<(), Stop> {
        // What it reads from comes before it, and all that comes before that.
        if access == Access::Atomic {
            self.acquire(thread, address);
        }
        let Some(knowledge) = &mut self.knowledge else {
            return Ok(());
        };
        knowledge.note(thread, address, size, false, access == Access::Plain)
    }

    pub fn note_write(
        &mut self,
        thread: usize,
        address: i64,
        size: usize,
        access: Access,
    ) -> Result<(), Stop> {
        let Some(knowledge) = &mut self.knowledge else {
            return Ok(());
        };
        knowledge.note(thread, address, size, true, access == Access::Plain)?;
        // What was there before is gone, and with it what it released.
        knowledge.released.remove(&address);
        if access == Access::Atomic {
            self.release(thread, address);
        }
        Ok(())
    }

    /// A read and a write in one, of an int.
    pub fn note_update(&mut self, thread: usize, address: i64) -> Result<(), Stop> {
        self.acquire(thread, address);
        let Some(knowledge) = &mut self.knowledge else {
            return Ok(());
        };
        knowledge.note(thread, address, 4, true, false)?;
        self.release(thread, address);
        Ok(())
    }

    /// A lock or its like is used, which is an atomic write of it.
    pub fn touch(&mut self, thread: usize, address: i64) -> Result<(), Stop> {
        match &mut self.knowledge {
            Some(knowledge) => knowledge.note(thread, address, 1, true, false),
            None => Ok(()),
        }
    }

    pub fn acquire(&mut self, thread: usize, address: i64) {
        if let Some(knowledge) = &mut self.knowledge
            && let Some(released) = knowledge.released.get(&address)
        {
            knowledge.threads[thread].extend(released);
        }
    }

    pub fn release(&mut self, thread: usize, address: i64) {
        if let Some(knowledge) = &mut self.knowledge {
            let known = knowledge.threads[thread].clone();
            knowledge.released.entry(address).or_default().extend(known);
        }
    }

    /// What the one thread does next comes after all that the other has done.
    pub fn hand_over(&mut self, from: usize, to: usize) {
        if let Some(knowledge) = &mut self.knowledge {
            let known = knowledge.threads[from].clone();
            knowledge.threads[to].extend(known);
        }
    }
}

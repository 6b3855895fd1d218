//! Barriers as phases.
//!
//! Let a barrier be for n threads, and let no more than n threads ever wait at it. Then the k-th wait
//! of a thread is over when each of the n has come to its k-th wait, and never before. For a thread
//! that waits comes to no other wait until it is let go, so that n arrivals without a release are
//! those of n different threads, hence of all; so (by induction) all are at their k-th wait when the
//! barrier opens for the k-th time. Nothing need be said of the words of the barrier, then: that the
//! others have arrived comes before the thread goes on is an order of events, like that of a thread's
//! end and a join.
//!
//! What is needed for that is found out like contention. A barrier for which it does not hold is
//! *uneven*, and its words are memory as for other operations ([`super::sync`]):
//!
//! - its count is known, and the same in all waits; nothing writes the barrier while threads may wait
//!   (what is ordered with a wait by creation and join is not in the middle of a phase: a thread that
//!   waits has not ended, nor has what comes before its creation anything to do with it);
//! - nothing but operations on barriers reads or writes its words;
//! - it is no memory that may end while threads use it;
//! - no more threads wait at it than its count says, each at one location for its k-th wait, and all
//!   ways that lead there have as many waits on them;
//! - the order of phases that follows has no cycle. (Two threads that wait at two barriers, each at
//!   another one first, stand there for ever; a fixed order would have no execution at all.)

use std::collections::BTreeMap;

use smt::TermId;

use super::address::Targets;
use super::call::Called;
use super::{Run, Unroller, Worklist};
use crate::graph::{EventIx, EventKind, FaultKind, Phase};
use crate::knowledge::ThreadIx;
use crate::memory;
use crate::path::Path;

const BYTES: u64 = 12;

/// The barriers that are passed in phases.
#[derive(Default)]
pub(super) struct Barriers {
    all: BTreeMap<u64, Barrier>,
    /// The operation that is being made is one on a barrier.
    pub is_at_one: bool,
}

struct Barrier {
    count: u64,
    phases: Vec<Rows>,
}

/// One phase: who arrives and leaves, where.
#[derive(Default)]
struct Rows {
    arrivals: Vec<(ThreadIx, EventIx, TermId)>,
    leaves: Vec<EventIx>,
}

impl Unroller<'_> {
    /// Waits at a barrier that is not uneven. `None`: it is.
    pub(super) fn wait_for_phase(
        &mut self,
        work: &mut Worklist,
        path: &mut Path,
        call: &Called,
        objects: &Targets,
    ) -> Run<Option<()>> {
        let [(at, _)] = objects.all[..] else {
            return Ok(None);
        };
        if !self.options.fuses || self.known.uneven.contains(&at) {
            return Ok(None);
        }
        self.grew |= self.known.barriers.insert(at);
        self.note_visitor(work, at);
        let is_seen = self.touch(work, path, (at, BYTES), false).is_some();
        let total = memory::read(self.terms, &self.objects, &path.contents, at, 4);
        let waits = path.waits.get(&at).copied().unwrap_or_default();
        let count = match self.number(total) {
            Some(count) if !is_seen && !self.may_end(at) && waits.0 == waits.1 => count,
            _ => {
                self.be_uneven(at);
                return Ok(None);
            }
        };
        if count == 0 {
            return self.fail(work.thread, path, FaultKind::LockMisuse);
        }
        self.begin_event(work, path, EventKind::Synchronise);
        let arrival = self.event_at(path);
        self.end_event(path);
        path.frame_mut().part = 1;
        self.begin_event(work, path, EventKind::Synchronise);
        let leave = self.event_at(path);
        let round = waits.0 as usize;
        let key = self.key_id(path);
        let is_last = format!("last at {at:x}, {}@{}", work.thread, key.0);
        let is_last = self.terms.input(&is_last, 1);
        // What it waits for is said when all threads are known.
        let yes = self.terms.bool(true);
        self.hold_up(path, leave, yes);
        self.note_other_ways(work, leave);
        self.end_event(path);
        path.frame_mut().part = 0;
        path.waits.insert(at, (waits.0 + 1, waits.0 + 1));
        let barrier = self.barriers.all.entry(at).or_insert(Barrier {
            count,
            phases: Vec::new(),
        });
        barrier
            .phases
            .resize_with(barrier.phases.len().max(round + 1), Rows::default);
        let rows = &mut barrier.phases[round];
        let is_alone = rows.arrivals.iter().all(|(by, ..)| *by != work.thread);
        if !is_alone || barrier.count != count {
            self.be_uneven(at);
            return Ok(Some(()));
        }
        rows.arrivals.push((work.thread, arrival, is_last));
        rows.leaves.push(leave);
        let (zero, serial) = (self.word_of(0), self.word_of(u128::from(u32::MAX)));
        let result = self.terms.ite(is_last, serial, zero);
        self.result(path, call, result);
        Ok(Some(()))
    }

    fn be_uneven(&mut self, barrier: u64) {
        self.grew |= self.known.uneven.insert(barrier);
    }

    /// Something else than an operation on a barrier accesses bytes, or a barrier does.
    pub(super) fn check_barriers(&mut self, address: u64, bytes: u64) {
        if self.barriers.is_at_one || self.known.barriers.is_empty() {
            return;
        }
        let before = self.known.barriers.range(..address + bytes).next_back();
        if let Some(at) = before.copied().filter(|at| at + BYTES > address) {
            self.be_uneven(at);
        }
    }

    /// All threads have been unrolled: says when phases are complete.
    pub(super) fn complete_phases(&mut self) {
        for (at, barrier) in std::mem::take(&mut self.barriers.all) {
            let arrivals = barrier.phases.iter().flat_map(|rows| &rows.arrivals);
            let mut threads: Vec<ThreadIx> = arrivals.map(|(thread, ..)| *thread).collect();
            threads.sort_unstable();
            threads.dedup();
            if threads.len() as u64 > barrier.count {
                self.be_uneven(at);
            }
            for rows in barrier.phases {
                let is_full = rows.arrivals.len() as u64 == barrier.count;
                let executed = |(_, event, _): &(ThreadIx, EventIx, TermId)| {
                    self.graph.events[*event].executed
                };
                let mut complete: Vec<TermId> = rows.arrivals.iter().map(executed).collect();
                complete.push(self.terms.bool(is_full));
                let complete = (complete.into_iter())
                    .reduce(|a, b| self.terms.and(a, b))
                    .expect("not empty");
                for leave in &rows.leaves {
                    let leave = &mut self.graph.events[*leave];
                    leave.enabled = Some(complete);
                    let required = self.terms.implies(leave.executed, complete);
                    self.graph.required.push(required);
                }
                if is_full {
                    let arrivals = rows.arrivals.into_iter();
                    self.graph.phases.push(Phase {
                        arrivals: arrivals.map(|(_, event, last)| (event, last)).collect(),
                        leaves: rows.leaves,
                    });
                }
            }
        }
        if !self.graph.phases.is_empty() && self.graph.has_cycle() {
            for at in self.known.barriers.clone() {
                self.be_uneven(at);
            }
            self.graph.phases.clear();
        }
    }
}

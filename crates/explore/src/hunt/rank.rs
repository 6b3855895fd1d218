//! The rank of what may come next (P2, section 5): how much of the traces is left, how far the next
//! place is, which data leads there.
//!
//! A thread that stands where it should wait for another trace, or at its target, is taken last
//! (h1: it would lose what was reached). Of the others that one is best which is nearest to the
//! next place of a trace that it has or may have (h2); a thread that others wait for has the rank of
//! the nearest of them. Ties are broken by a number that is drawn.

use std::sync::Arc;

use analysis::NodeId;
use analysis::abstraction::{Distances, Ground, ToPlace};
use machine::{Enabled, Machine, Place, ThreadId};

use super::progress::{Along, Progress};
use super::traces::{GuidingTrace, Purpose, TraceSet};
use crate::random::Generator;

/// What ranks are made of. The smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// It wakes without a signal.
    spurious: bool,
    /// It should wait.
    held: bool,
    /// It only spins.
    spinning: bool,
    /// It is of no use to any trace.
    useless: bool,
    /// The trace that it would go on with leads to a target, not to what one waits for.
    is_target: bool,
    distance: u32,
    tie: u64,
}

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rank { useless: true, .. } => write!(f, "leads nowhere")?,
            Rank {
                distance,
                is_target: true,
                ..
            } => write!(f, "{distance} to its target")?,
            Rank { distance, .. } => write!(f, "{distance} to a definition")?,
        }
        let notes = [
            (self.held, "waits for others"),
            (self.spinning, "spins"),
            (self.spurious, "wakes without a signal"),
        ];
        for (_, note) in notes.iter().filter(|(is_so, _)| *is_so) {
            write!(f, ", {note}")?;
        }
        Ok(())
    }
}

/// So much farther than the waiting thread is the one that it waits for.
const DETOUR: u32 = 10;
/// A thread waits for one that waits for one ..., so often at most.
const LONGEST_CHAIN: u32 = 16;

pub struct Ranking<'r, 'a> {
    pub ground: &'r Ground<'a>,
    pub distances: &'r mut Distances<'a>,
    pub set: &'r TraceSet,
    pub progress: &'r Progress,
    pub machine: &'r Machine,
    /// Threads wait as early as they can for what their traces wait for.
    pub early: bool,
}

impl Ranking<'_, '_> {
    fn node(&self, (function, block, index): Place) -> NodeId {
        self.ground.facts.nodes.at(function, block, index as usize)
    }

    pub fn stack(&self, thread: ThreadId) -> Vec<NodeId> {
        let stack = self.machine.stack(thread).into_iter();
        stack.map(|place| self.node(place)).collect()
    }

    /// The threads that can go on, the best first.
    pub fn threads(&mut self, enabled: &[Enabled], random: &mut Generator) -> Vec<(Rank, Enabled)> {
        let mut useful: Vec<(ThreadId, (bool, u32))> = Vec::new();
        let mut note = |thread, use_: (bool, u32)| match useful.iter_mut().find(|u| u.0 == thread) {
            Some((_, known)) => *known = (*known).min(use_),
            None => useful.push((thread, use_)),
        };
        for thread in self.machine.thread_ids().collect::<Vec<_>>() {
            if self.machine.status(thread).is_over() {
                continue;
            }
            let Some((is_target, distance)) = self.use_of(thread) else {
                continue;
            };
            note(thread, (is_target, distance));
            let (mut waiting, mut farther) = (thread, distance);
            for _ in 0..LONGEST_CHAIN {
                let Some(other) = self.machine.awaits(waiting) else {
                    break;
                };
                farther = farther.saturating_add(DETOUR);
                note(other, (is_target, farther));
                waiting = other;
            }
        }
        let mut ranked: Vec<(Rank, Enabled)> = Vec::new();
        for &choice in enabled {
            let known = useful.iter().find(|u| u.0 == choice.thread);
            let (is_target, distance) = known.map_or((true, u32::MAX), |u| u.1);
            let rank = Rank {
                spurious: choice.spurious,
                held: self.is_held(choice.thread),
                spinning: self.machine.is_spinning(choice.thread),
                useless: known.is_none(),
                is_target,
                distance,
                tie: random.next(),
            };
            ranked.push((rank, choice));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked
    }

    /// How near the thread is to the next place of a trace, and whether that leads to a target.
    fn use_of(&mut self, thread: ThreadId) -> Option<(bool, u32)> {
        let stack = self.stack(thread);
        let mut best: Option<(bool, u32)> = None;
        for trace in 0..self.set.0.len() {
            if self.progress.is_done(self.set, trace)
                || !self.progress.may_serve(self.set, trace, thread)
            {
                continue;
            }
            let Some(distance) = self.distance(trace, &stack) else {
                continue;
            };
            let is_target = matches!(self.set.0[trace].purpose, Purpose::Target(_));
            let found = (is_target, distance);
            best = Some(best.map_or(found, |best| best.min(found)));
        }
        best
    }

    /// To the next place of the trace; if there is no way, to a later one.
    fn distance(&mut self, trace: usize, stack: &[NodeId]) -> Option<u32> {
        let next = self.progress.traces[trace].next;
        let places = &self.set.0[trace].places;
        let mut penalty = 0u32;
        for place in &places[next.min(places.len() - 1)..] {
            let to = self.to(*place);
            if let Some(distance) = self.distances.from_stack(&to, stack) {
                return Some(distance.saturating_add(penalty));
            }
            penalty += DETOUR;
        }
        None
    }

    fn to(&mut self, place: NodeId) -> Arc<ToPlace> {
        self.distances.to(place)
    }

    /// Whether the thread can still come to the last place of the trace, or create one that can.
    pub fn reaches(&mut self, trace: usize, thread: ThreadId) -> bool {
        let to = self.to(self.set.0[trace].last());
        let stack = self.stack(thread);
        self.distances.from_stack(&to, &stack).is_some()
    }

    /// It stands at its target, or where it waits for another trace.
    fn is_held(&self, thread: ThreadId) -> bool {
        let Some(at) = self.machine.stands_at(thread) else {
            return false;
        };
        let at = self.node(at);
        for (number, trace) in self.set.0.iter().enumerate() {
            let along = &self.progress.traces[number];
            let is_own = along.thread == Some(thread);
            if is_own && stands_at_target(self.set, self.progress, number, at) {
                return true;
            }
            if !is_own && !self.progress.may_serve(self.set, number, thread) {
                continue;
            }
            for (place, awaited) in &trace.after {
                if self.progress.is_done(self.set, *awaited) || along.next > *place {
                    continue;
                }
                if at == trace.places[*place] || self.early && self.begins(thread, trace, along) {
                    return true;
                }
            }
        }
        false
    }
}

impl Ranking<'_, '_> {
    /// The thread has hardly begun, and may be the one that the trace is about.
    fn begins(&self, thread: ThreadId, trace: &GuidingTrace, along: &Along) -> bool {
        let function = |node| self.ground.facts.nodes.function(node);
        let outermost = self.machine.stack(thread).first().map(|place| place.0);
        thread != ThreadId::MAIN && along.next <= 1 && outermost == Some(function(trace.places[0]))
    }
}

/// Whether a thread with this trace, which stands there, has reached its target.
pub fn stands_at_target(set: &TraceSet, progress: &Progress, trace: usize, at: NodeId) -> bool {
    let places = &set.0[trace].places;
    matches!(set.0[trace].purpose, Purpose::Target(_))
        && at == set.0[trace].last()
        && progress.traces[trace].next + 1 >= places.len()
}

//! How far an execution has come along the traces that guide it.
//!
//! A thread that executes the place that comes next in a trace has that trace from then on. It may
//! leave out places: what it passes later counts. A branch is passed when its thread goes on at the
//! place that comes after it in the trace; if it goes elsewhere, it has missed the branch.

use analysis::{NodeId, Nodes, Stands};
use ir::{Body, Terminator};
use machine::{Executed, ThreadId};
use smallvec::SmallVec;

use super::traces::{GuidingTrace, Purpose, TraceSet};

#[derive(Clone, Debug, Default)]
pub struct Progress {
    pub traces: SmallVec<[Along; 4]>,
}

/// How far one trace is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Along {
    /// The number of the place that comes next.
    pub next: usize,
    /// The farthest so far, by any thread.
    pub farthest: usize,
    pub thread: Option<ThreadId>,
    /// It has executed a branch, in a frame of this depth, and nothing in this frame since.
    branching: Option<u32>,
    /// How often the last place was executed.
    pub times: u32,
}

/// A thread went another way than its trace.
#[derive(Clone, Copy, Debug)]
pub struct Missed {
    pub trace: usize,
    /// The number of the branch in the trace.
    pub place: usize,
    pub thread: ThreadId,
}

impl Progress {
    pub fn at_first(set: &TraceSet) -> Progress {
        Progress {
            traces: set.0.iter().map(|_| Along::default()).collect(),
        }
    }

    pub fn is_done(&self, set: &TraceSet, trace: usize) -> bool {
        let along = &self.traces[trace];
        match set.0[trace].purpose {
            Purpose::Target(_) => along.next == set.0[trace].places.len(),
            Purpose::Definition { times } => along.times >= times,
        }
    }

    /// Whether the thread has the trace of a target.
    pub fn is_bound_to_target(&self, set: &TraceSet, thread: ThreadId) -> bool {
        let mut traces = self.traces.iter().zip(&set.0);
        traces.any(|(along, trace)| {
            along.thread == Some(thread) && matches!(trace.purpose, Purpose::Target(_))
        })
    }

    /// Whether the trace may be, or is, this thread's.
    pub fn may_serve(&self, set: &TraceSet, trace: usize, thread: ThreadId) -> bool {
        match self.traces[trace].thread {
            Some(own) => own == thread,
            None => match set.0[trace].purpose {
                Purpose::Target(_) => !self.is_bound_to_target(set, thread),
                Purpose::Definition { .. } => true,
            },
        }
    }

    /// The thread will come to the target of a trace no more: the trace is anybody's again.
    pub fn give_up(&mut self, trace: usize) {
        let along = &mut self.traces[trace];
        *along = Along {
            farthest: along.farthest,
            times: along.times,
            ..Along::default()
        };
    }

    /// How much of the traces to targets was passed.
    pub fn passed(&self, set: &TraceSet) -> usize {
        let traces = self.traces.iter().zip(&set.0);
        let to_targets = traces.filter(|(_, trace)| matches!(trace.purpose, Purpose::Target(_)));
        to_targets.map(|(along, _)| along.farthest).sum()
    }

    /// Whether nothing changes by executing what is in no trace.
    pub fn is_settled(&self) -> bool {
        self.traces.iter().all(|along| along.branching.is_none())
    }

    /// An instruction was executed.
    pub fn step(
        &mut self,
        set: &TraceSet,
        nodes: &Nodes,
        module: &ir::Module,
        executed: &Executed,
        missed: &mut Vec<Missed>,
    ) {
        let node = nodes.at(executed.function, executed.block, executed.index as usize);
        for number in 0..self.traces.len() {
            let trace = &set.0[number];
            if self.is_done(set, number) || !self.may_serve(set, number, executed.thread) {
                continue;
            }
            let along = &mut self.traces[number];
            if let Some(depth) = along.branching
                && executed.depth <= depth
            {
                along.branching = None;
                let body = module.functions[executed.function].body.as_ref();
                let is_wanted = executed.depth == depth
                    && body.is_some_and(|body| leads_to(body, nodes, node, trace, along.next));
                if !is_wanted {
                    along.next -= 1;
                    missed.push(Missed {
                        trace: number,
                        place: along.next,
                        thread: executed.thread,
                    });
                } else if nodes.block(trace.places[along.next]) != executed.block {
                    // The side is an empty block, in which nothing is executed.
                    along.next += 1;
                    along.farthest = along.farthest.max(along.next);
                }
            }
            let rest = &trace.places[along.next.min(trace.places.len())..];
            let Some(ahead) = rest.iter().position(|place| *place == node) else {
                continue;
            };
            let place = along.next + ahead;
            along.thread = Some(executed.thread);
            along.next = place + 1;
            along.farthest = along.farthest.max(along.next);
            if along.next == trace.places.len() {
                along.times += 1;
                if let Purpose::Definition { times } = trace.purpose
                    && along.times < times
                {
                    self.give_up(number);
                }
                continue;
            }
            if begins_side(module, nodes, node, trace.places[place + 1]) {
                along.branching = Some(executed.depth);
            }
        }
    }
}

/// Whether the node is a branch, and the place the beginning of one of its sides.
fn begins_side(module: &ir::Module, nodes: &Nodes, node: NodeId, place: NodeId) -> bool {
    let Stands::Terminator(
        terminator @ (Terminator::CondBr { .. }
        | Terminator::Switch { .. }
        | Terminator::IndirectBr { .. }),
    ) = nodes.stands_for(module, node)
    else {
        return false;
    };
    let is_near = nodes.function(place) == nodes.function(node) && nodes.index(place) == 0;
    let mut is_successor = false;
    terminator.for_each_successor(|block| is_successor |= block == nodes.block(place));
    is_near && is_successor
}

/// Whether what is executed after a branch is on the side with which the trace goes on, which may
/// begin with blocks in which there is nothing to execute.
fn leads_to(
    body: &Body,
    nodes: &Nodes,
    executed: NodeId,
    trace: &GuidingTrace,
    next: usize,
) -> bool {
    let Some(&side) = trace.places.get(next) else {
        return true;
    };
    let mut block = nodes.block(side);
    for _ in 0..LONGEST_WAY {
        if block == nodes.block(executed) {
            return true;
        }
        match (
            &body.blocks[block].insts.is_empty(),
            &body.blocks[block].terminator,
        ) {
            (true, Terminator::Br(target)) => block = target.block,
            _ => return false,
        }
    }
    false
}

/// So many blocks in a row are hardly empty.
const LONGEST_WAY: usize = 16;

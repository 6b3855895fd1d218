//! Rounds of loops that change nothing are left out.
//!
//! A thread that goes round a loop and is afterwards as it was at the head, having done nothing
//! that others could notice, only read. An execution in which it goes round once more has a twin
//! without that round: the same events but for these reads. Whatever goes wrong later goes wrong in
//! the twin, and what goes wrong in the round itself is in the graph, for the round is. So the edge
//! back is taken only under the condition that something has changed.
//!
//! So it is if the thread takes a mutex in the round and gives it back, as long as others only lock
//! and unlock it: in the twin they find it free a little longer. And if it waits for a condition
//! with a mutex that it had just taken at the head, and has just taken again at the end: the twin
//! takes the mutex later. In between others have had it. (Which signals end which waits is not the
//! same in the twin: see `formula::deadlock`. If threads wake by signals only, such rounds stay.)
//!
//! That a thread goes round for ever is another matter: for deadlocks the graph notes where a thread
//! may do so ([`crate::graph::Wait`]), and what it looks at.

use ir::debug::LocId;
use smt::TermId;

use super::{Unroller, Worklist};
use crate::graph::{EventIx, EventKind, Wait};
use crate::memory;
use crate::path::{Head, Path};

/// A round that leaves more than this is not compared with its beginning.
const MOST_CHANGES: usize = 16;

impl Unroller<'_> {
    /// The path jumps back to the head of its innermost loop, with these arguments.
    pub(super) fn leave_out_idle_round(
        &mut self,
        work: &Worklist,
        path: &mut Path,
        arguments: &[TermId],
        loc: LocId,
    ) {
        if path.atomic > 0 {
            return;
        }
        let Some(head) = path.frame().heads.last().cloned() else {
            return;
        };
        // Without the round, those after it would have its inputs.
        if self.options.inputs.is_some() && path.inputs != head.inputs {
            return;
        }
        if path.held != head.held || path.may_hold != head.may_hold {
            return;
        }
        if self.takes_perhaps(&head, path) || head.has_waited && !is_again_fresh(&head, path) {
            return;
        }
        let mut same = self.terms.not(head.acted);
        for (now, before) in arguments.iter().zip(head.parameters.iter()) {
            let equal = self.terms.eq(*now, *before);
            same = self.terms.and(same, equal);
        }
        if self.terms.as_constant(same) == Some(0) {
            return;
        }
        let changes = memory::differences(&head.contents, &path.contents);
        if changes.len() > MOST_CHANGES {
            return;
        }
        for (at, bytes) in changes {
            let before = memory::read(self.terms, &self.objects, &head.contents, at, bytes);
            let now = memory::read(self.terms, &self.objects, &path.contents, at, bytes);
            let equal = self.terms.eq(now, before);
            same = self.terms.and(same, equal);
        }
        let waits = self.terms.and(path.guard, same);
        if self.terms.as_constant(waits) == Some(0) {
            return;
        }
        // A thread that waits for a condition in every round stands still there, unless its time is
        // up.
        if !head.has_waited || head.has_waited_a_while {
            self.graph.waits.push(Wait {
                thread: work.thread,
                loc,
                cond: waits,
                reads: head.reads.to_vec(),
                asks: path.inputs != head.inputs,
            });
        }
        let changed = self.terms.not(same);
        path.guard = self.terms.and(path.guard, changed);
    }
}

impl Unroller<'_> {
    /// Whether the round has taken a mutex that the thread holds on some ways only: that is no
    /// change of what it holds certainly, nor of what it may hold.
    fn takes_perhaps(&self, head: &Head, path: &Path) -> bool {
        let takes_one = |event: &EventIx| {
            let e = &self.graph.events[*event];
            let mut words = e
                .reads
                .iter()
                .map(|read| self.graph.atoms[read.atom].address);
            e.kind == EventKind::Lock
                && words.any(|at| path.may_hold.contains(&at) && !path.held.contains(&at))
        };
        path.may_hold != path.held && head.reads.iter().any(takes_one)
    }
}

/// Whether the thread has just taken the mutex that it had just taken at the head.
fn is_again_fresh(head: &Head, path: &Path) -> bool {
    let mutex = |fresh: Option<(u64, EventIx)>| fresh.map(|(mutex, _)| mutex);
    mutex(head.fresh) == mutex(path.fresh) && head.fresh.is_some()
}

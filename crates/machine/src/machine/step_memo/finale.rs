//! How `main` ends the process when all other threads are over: it joins them and exits. All that
//! is remembered as one, and only what can be seen of it at the end of the process is done, because
//! nothing follows but going back.

use super::StepMemo;
use super::place::{Before, Next, Read};
use crate::fault::End;
use crate::machine::{Machine, Situation};
use crate::memory::InChunk;
use crate::thread::{PlaceId, Status, ThreadId};

pub(super) struct Finale {
    joins: Box<[ThreadId]>,
    reads: Box<[Read]>,
}

impl StepMemo {
    /// From this place `main` has joined others, one after the other, and exited.
    pub(super) fn end_with(&mut self, first: PlaceId) {
        let mut joins = Vec::new();
        let mut reads = Vec::new();
        let mut next = Next::Place(first);
        while let Next::Place(number) = next
            && let place = &self.places[number.index()]
            && let Before::Join(thread) = place.before
            && let Some(step) = place.steps.get(0)
        {
            joins.push(thread);
            reads.extend_from_slice(&step.reads);
            next = step.next;
        }
        if matches!(next, Next::Exit) {
            self.places[first.index()].finale = Some(Finale {
                joins: joins.into(),
                reads: reads.into(),
            });
        }
    }
}

impl Machine {
    /// Ends the process as remembered, if it would end so.
    #[inline]
    pub(super) fn end_as_remembered(&mut self, finale: &Finale) -> bool {
        if !self.can_end_as_remembered(finale) {
            return false;
        }
        self.set_status(ThreadId::MAIN, Status::Exited);
        self.thread_mut(ThreadId::MAIN).hot.activity.place = None;
        self.now.exited = true;
        self.now.granted = false;
        self.forget_enabled();
        self.situation = Situation::End(End::Normal);
        true
    }

    fn can_end_as_remembered(&self, finale: &Finale) -> bool {
        // Whatever is read after a join: no other thread has come there, and none will.
        let is_plain = |read: &Read| {
            let InChunk { arena, chunk, .. } = read.chunk;
            read.is_same(&self.state.memory)
                && self.state.records.are_of(ThreadId::MAIN, arena, chunk)
        };
        let mut others = self.state.threads.iter().skip(1).flatten();
        others.all(|other| other.hot.status == Status::Ended)
            && finale.joins.iter().all(|thread| self.can_join(*thread))
            && finale.reads.iter().all(is_plain)
            && self.exits_after(finale.joins.len())
    }
}

//! What the other threads do while one spins: it may wait for what another one, which has not come
//! to it yet, will write.

use machine::{End, Machine, Question};

use crate::driver::{Flow, Policy, Round, drive};
use crate::walk::Walk;

/// Decisions for which others are watched while one thread spins.
const DECISIONS: u32 = 1000;

pub(crate) enum Seen {
    /// They use memory that was not known to be shared.
    Sharing,
    Fault,
    Nothing,
}

impl Walk<'_> {
    /// Lets the others run without the thread that spins, on one path, to see whether that shows
    /// more memory to be shared. All is undone.
    pub fn look_ahead(&mut self) -> Seen {
        let mark = self.machine.mark();
        let footprint = self.machine.footprint_so_far();
        let was_impatient = self.machine.begin_look_ahead();
        let mut seen = Seen::Nothing;
        if self.machine.survive_fault() && !self.machine.sharing_grew {
            seen = drive(&mut LookAhead {
                walk: self,
                left: DECISIONS,
            });
        }
        self.machine.end_look_ahead(was_impatient);
        self.machine.discard(mark);
        self.machine.set_footprint(footprint);
        match self.machine.sharing_grew {
            true => Seen::Sharing,
            false => seen,
        }
    }
}

/// The first thread that can goes on, with any reply.
struct LookAhead<'w, 'a> {
    walk: &'w mut Walk<'a>,
    left: u32,
}

impl LookAhead<'_, '_> {
    fn go_on_if(&mut self, can_go_on: bool) -> Flow<Seen> {
        self.left -= 1;
        if can_go_on && self.left > 0 && !self.walk.machine.sharing_grew {
            return Flow::Continue(());
        }
        Flow::Break(Seen::Nothing)
    }
}

impl Policy for LookAhead<'_, '_> {
    type Stop = Seen;

    fn machine(&mut self) -> &mut Machine {
        &mut self.walk.machine
    }

    fn schedule(&mut self) -> Flow<Seen> {
        let first = self.walk.machine.enabled()[0];
        self.walk.machine.schedule(first);
        self.go_on_if(true)
    }

    fn ask(&mut self, question: Question) -> Flow<Seen> {
        let reply = self.walk.any_reply(question);
        if let Some(reply) = &reply {
            self.walk.give(reply, &mut Vec::new());
        }
        self.go_on_if(reply.is_some())
    }

    fn join(&mut self) -> Flow<Seen> {
        self.walk.machine.join_on();
        self.go_on_if(true)
    }

    fn wait(&mut self, _: Round) -> Flow<Seen> {
        let others_are_left = self.walk.machine.survive_fault();
        self.go_on_if(others_are_left)
    }

    fn spin(&mut self) -> Flow<Seen> {
        let others_are_left = self.walk.machine.survive_fault();
        self.go_on_if(others_are_left)
    }

    fn end(&mut self, end: End) -> Flow<Seen> {
        Flow::Break(match end {
            End::Fault(_) => Seen::Fault,
            _ => Seen::Nothing,
        })
    }
}

//! The one loop that drives a machine, and the seam between it and those who decide.
//!
//! The machine runs until something must be decided, and says what ([`Situation`]). [`drive`] hands
//! each situation to a [`Policy`], which decides and lets the loop go on, or breaks it. A policy is
//! a whole search (`naive`, `census`), a run (`random`), the execution of one step (`dpor`,
//! `optimal`), or something that follows a given way (`replay`, `livelock`, `waiting`).
//!
//! Two situations are decided alike in every search, by [`Walk::spin`] and [`Walk::end_of_run`].
//! Replies to questions are in `replies`, the ends of executions in `ends`.

use std::ops::ControlFlow;

use machine::{Cutoff, End, Machine, Question, Situation};

use crate::look_ahead::Seen;
use crate::walk::Walk;

/// Whether the loop goes on, or what it ends with.
pub(crate) type Flow<Stop, GoesOn = ()> = ControlFlow<Stop, GoesOn>;

/// Decides what a machine asks to be decided.
pub(crate) trait Policy {
    /// What the loop ends with.
    type Stop;

    fn machine(&mut self) -> &mut Machine;

    /// Every thread stands before a visible operation, waits or has ended.
    fn schedule(&mut self) -> Flow<Self::Stop>;

    fn ask(&mut self, question: Question) -> Flow<Self::Stop>;

    /// A thread joins another that has ended.
    fn join(&mut self) -> Flow<Self::Stop> {
        self.machine().join_on();
        Flow::Continue(())
    }

    /// A thread has completed a round of a loop that changed nothing.
    fn wait(&mut self, round: Round) -> Flow<Self::Stop>;

    /// A thread has done nothing visible for long.
    fn spin(&mut self) -> Flow<Self::Stop>;

    fn end(&mut self, end: End) -> Flow<Self::Stop>;
}

/// A round of a loop that changed nothing.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    /// Its visible operations.
    pub events: u32,
    /// It stored what was there already.
    pub silent: bool,
}

/// Lets the machine run, and the policy decide, until the policy breaks the loop.
pub(crate) fn drive<P: Policy>(policy: &mut P) -> P::Stop {
    loop {
        let flow = match policy.machine().advance() {
            Situation::Schedule => policy.schedule(),
            Situation::Join => policy.join(),
            Situation::Spin => policy.spin(),
            &Situation::Await { events, silent } => policy.wait(Round { events, silent }),
            &Situation::Ask(question) => policy.ask(question),
            Situation::End(End::Normal) => policy.end(End::Normal),
            Situation::End(end) => {
                let end = end.clone();
                policy.end(end)
            }
        };
        if let Flow::Break(stop) = flow {
            return stop;
        }
    }
}

/// How a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finished {
    /// Nothing is left, or it was stopped (`Outcome::stopped`).
    Done,
    /// What was explored is void: more memory is shared than was known, cells are coarser, there
    /// are more threads, or local steps need events of their own.
    StartOver,
    /// It was asked to leave the rest to others.
    Left,
}

/// So often a thread that spins goes on if the others have nothing to do with it: its loop may just
/// be long.
const PATIENT_SPINS: u32 = 6;

/// What becomes of a thread that spins.
pub(crate) enum Spun {
    /// It goes on, and has been told so.
    GoesOn,
    /// It lets the others go first; if it is the last that is left, or if one of them fails, for
    /// ever. The policy notes the decision and tells the machine.
    Yields { fault: bool },
    /// More memory is shared than was known.
    StartOver,
}

impl Walk<'_> {
    /// A thread has done nothing visible for long: it may wait for what another one has not written
    /// yet.
    pub fn spin(&mut self) -> Spun {
        match self.look_ahead() {
            Seen::Sharing => Spun::StartOver,
            Seen::Nothing if self.machine.spins() < PATIENT_SPINS => {
                self.machine.spin_on();
                Spun::GoesOn
            }
            Seen::Nothing => Spun::Yields { fault: false },
            Seen::Fault => Spun::Yields { fault: true },
        }
    }

    /// The end of an execution, unless it is the end of the search.
    pub fn end_of_run(&mut self, end: &End) -> Result<(), Finished> {
        if matches!(end, End::Cutoff(Cutoff::Interrupted, _)) {
            self.outcome.stopped = Some(self.monitor.stop_reason());
            return Err(Finished::Done);
        }
        if self.machine.sharing_grew {
            // The decisions were made with too few scheduling points: even a fault must be found
            // anew.
            return Err(Finished::StartOver);
        }
        Ok(())
    }
}

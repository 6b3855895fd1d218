//! Probes: what is kept of an execution besides the program's own state. None of them changes what
//! the program does; some change where the machine stops.

use std::sync::Arc;

use super::step_memo::StepMemo;
use super::{Config, Mode};
use crate::code::Program;
use crate::history::{History, Shown};
use crate::invisible::Shadow;
use crate::memory::Memory;
use crate::older_value::OlderValue;
use crate::peek::{Peek, Peeking};
use crate::race::Races;
use crate::record::Recorder;
use crate::sharing::{Records, SharedSet};
use crate::touch::Footprint;

/// The probes of a machine. By default none is attached; `with_...` attaches one.
#[derive(Default)]
pub struct Probes {
    /// The visible operation of the current transition: what it accessed.
    pub(crate) footprint: Footprint,
    /// An earlier value of a cell that the next operation reads instead of the present one.
    pub(crate) older_value: Option<OlderValue>,
    /// Accesses of a slice that is said to have one schedule for all (see `premises`).
    pub(crate) agreement: Option<Box<Records>>,
    /// The words of elidable mutexes whose addresses are certain (see `premises`).
    pub(crate) elided_words: Vec<u64>,
    pub(crate) recorder: Option<Box<Recorder>>,
    pub(crate) races: Option<Box<Races>>,
    pub(crate) peek: Option<Box<Peek>>,
    pub(crate) shadow: Option<Box<Shadow>>,
    pub(crate) history: Option<Box<History>>,
    pub(super) step_memo: Option<Box<StepMemo>>,
    /// A probe must see visible accesses, so that they take no fast path
    /// (`Machine::note_attention` brings it up to date).
    pub(crate) attended: bool,
}

impl Probes {
    /// Looks for data races (see `race`).
    pub fn with_races(mut self) -> Probes {
        self.races = Some(Box::default());
        self
    }

    /// Records events, for a report.
    pub fn with_recorder(mut self) -> Probes {
        self.recorder = Some(Box::default());
        self
    }

    /// Keeps the instructions that are executed, for weakest preconditions. The jumps that are
    /// `shown` are questions, whatever they depend on, so that the state there can be looked at.
    pub fn with_history(mut self, shown: Arc<Shown>) -> Probes {
        self.history = Some(Box::new(History::showing(shown)));
        self
    }

    /// Gives up executions of more instructions than these, as if they were interrupted. For a
    /// machine with a history, which grows with each.
    pub fn with_most_instructions(mut self, most: usize) -> Probes {
        if let Some(history) = &mut self.history {
            history.most = Some(most);
        }
        self
    }

    /// Looks into critical sections (see `peek`), with what is known of them.
    pub fn with_peek(mut self, known: Peeking) -> Probes {
        self.peek = Some(Box::new(Peek::new(known)));
        self
    }

    /// Looks also into critical sections that wait on a condition, if it looks into any. Not where
    /// threads may wake spuriously: whether they do so again depends on which threads held the
    /// mutex meanwhile, so that cannot be left out.
    pub fn with_peek_at_waits(mut self) -> Probes {
        if let Some(peek) = &mut self.peek {
            peek.waits = true;
        }
        self
    }

    /// Follows a search to which this is visible, and which has fewer scheduling points (see
    /// `invisible`).
    pub fn with_shadow(mut self, visible: SharedSet, peeking: Option<Peeking>) -> Probes {
        self.shadow = Some(Box::new(Shadow::of(visible, peeking)));
        self
    }

    /// Remembers steps, so that they are not interpreted again. For a search that goes back often.
    pub fn with_step_memo(mut self) -> Probes {
        self.step_memo = Some(Box::default());
        self
    }

    /// Tells the probes of the program and the state that they are attached to.
    pub(super) fn attach(
        &mut self,
        program: &Program,
        config: &Config,
        mode: Mode,
        memory: &mut Memory,
    ) {
        if config.until_race.is_some() {
            self.races.get_or_insert_default();
        }
        if let Some(races) = &mut self.races {
            races.attach(program, &memory.shared);
        }
        if let Some(peek) = &mut self.peek {
            peek.waits &= !config.spurious_wakeups;
        }
        if self.history.is_some() && mode.slices {
            // What is left to a summary is not executed again.
            memory.uses.get_or_insert_default();
        }
    }
}

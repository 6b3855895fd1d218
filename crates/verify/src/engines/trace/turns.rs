//! Long work lets others have their turns, and stops when it is to stop.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use ::explore::{Guide, Monitor, Outcome, Stopped};
use machine::{Executed, Machine, ThreadId};

/// Between two turns of others, at least.
const PERIOD: Duration = Duration::from_millis(1);

/// Lets others have their turns.
pub(super) fn tick(monitor: &mut dyn Monitor, outcome: &Outcome) -> Option<Stopped> {
    monitor.idle();
    monitor.tick(outcome, 0)
}

/// For work that asks very often whether it is to stop.
pub(super) struct Turns<'m> {
    monitor: RefCell<&'m mut dyn Monitor>,
    outcome: &'m Outcome,
    last: Cell<Instant>,
    stopped: Cell<Option<Stopped>>,
}

impl<'m> Turns<'m> {
    pub fn new(monitor: &'m mut dyn Monitor, outcome: &'m Outcome) -> Turns<'m> {
        Turns {
            monitor: RefCell::new(monitor),
            outcome,
            last: Cell::new(Instant::now()),
            stopped: Cell::new(None),
        }
    }

    /// Whether to stop.
    pub fn is_over(&self) -> bool {
        if self.last.get().elapsed() >= PERIOD && self.stopped.get().is_none() {
            self.stopped
                .set(tick(*self.monitor.borrow_mut(), self.outcome));
            self.last.set(Instant::now());
        }
        self.stopped.get().is_some()
    }

    /// Why the work has stopped, if it has.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped.get()
    }
}

/// A run that lets others have their turns, and is not too long.
pub(super) struct Paced<'t, 'm, G> {
    pub guide: G,
    pub turns: &'t Turns<'m>,
    pub most_instructions: usize,
}

/// So many instructions are looked at between two questions whether to stop.
const TOGETHER: usize = 64;

impl<G: Guide> Guide for Paced<'_, '_, G> {
    fn executed(&mut self, machine: &Machine, instructions: &[Executed]) {
        for part in instructions.chunks(TOGETHER) {
            if self.turns.is_over() {
                return;
            }
            self.guide.executed(machine, part);
        }
    }

    fn next(&mut self, machine: &Machine) -> Option<ThreadId> {
        self.guide.next(machine)
    }

    fn choose(&mut self, machine: &Machine, count: u32) -> u32 {
        self.guide.choose(machine, count)
    }

    fn expects_standstill(&self) -> bool {
        self.guide.expects_standstill()
    }

    fn restart(&mut self) {
        self.guide.restart();
    }

    fn most_instructions(&self) -> usize {
        self.most_instructions
    }

    fn is_over(&self) -> bool {
        self.turns.stopped().is_some()
    }
}

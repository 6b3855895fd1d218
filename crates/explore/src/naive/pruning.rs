//! What need not be explored: states that were explored before (`states`), and such for which a
//! summary holds (`summaries`).

use machine::{End, Property};

use super::Search;
use crate::outcome::Stopped;
use crate::states::Seen;
use crate::summaries::{self, Asleep, Covering, Kind, PointId, Summary};

impl Search<'_> {
    /// Whether this state has been explored, or is being explored.
    pub(super) fn is_known_state(&mut self) -> bool {
        let Some(states) = self.states.as_mut().filter(|_| !self.aftermath) else {
            return false;
        };
        match states.arrive(&self.walk.machine, &self.decisions) {
            Seen::New => false,
            Seen::Before => {
                self.walk.outcome.runs.pruned += 1;
                self.walk.outcome.stopped = self.walk.tick(self.nodes.len());
                true
            }
            Seen::TooMany => {
                self.walk.outcome.stopped = Some(Stopped::MemoryLimit);
                true
            }
        }
    }

    /// When everything was explored: states from which no execution ends.
    pub(super) fn find_livelocks(&mut self) {
        let is_asked_for = self.walk.options.properties.contains(Property::Deadlock);
        let is_done = self.walk.outcome.is_complete() && self.walk.outcome.found.is_empty();
        let Some(states) = self.states.take().filter(|_| is_asked_for && is_done) else {
            return;
        };
        states.find_livelocks(&mut self.walk);
    }

    /// Whether a summary holds here, so that nothing need be explored.
    pub(super) fn is_pruned(&mut self) -> bool {
        let Some(summaries) = self.summaries.as_mut().filter(|s| !s.is_backing_off()) else {
            return false;
        };
        let key = self.walk.machine.control_state();
        let Some(key) = key.filter(|_| !self.aftermath) else {
            return false;
        };
        let asleep = Asleep::new();
        match summaries.covering(&mut self.walk, &key, &asleep) {
            Covering::All(known) => {
                self.leave_to(known);
                true
            }
            Covering::Inputs { inputs, known } => {
                let machine = &mut self.walk.machine;
                known.accesses.access_again(machine);
                summaries.open_remainder(machine, (key, asleep), &known);
                let rest = machine.terms.not(inputs);
                machine.assume(rest);
                // More may be shared than was known.
                machine.sharing_grew
            }
            Covering::AllBut { .. } | Covering::Nothing => false,
        }
    }

    fn leave_to(&mut self, known: Summary) {
        self.walk.outcome.runs.pruned += 1;
        known.accesses.access_again(&mut self.walk.machine);
        if let Some(summaries) = &mut self.summaries {
            summaries.deliver(&mut self.walk.machine, known, None);
        }
        self.walk.outcome.stopped = self.walk.tick(self.nodes.len());
    }

    /// At a state from which a thread will be chosen.
    pub(super) fn open_point(&mut self) -> PointId {
        let Some(summaries) = &mut self.summaries else {
            return PointId::FIRST;
        };
        if self.aftermath {
            return summaries.last();
        }
        let machine = &mut self.walk.machine;
        if summaries.is_backing_off() {
            return summaries.open(machine, Kind::All, None, Vec::new());
        }
        let conditions = summaries::disabled(machine);
        let is_known = conditions.is_some();
        let key = machine.control_state().map(|key| (key, Asleep::new()));
        let point = summaries.open(machine, Kind::All, key, conditions.unwrap_or_default());
        if !is_known {
            summaries.spoil();
        }
        point
    }

    /// Where a thread joins another that has ended.
    pub(super) fn open_join(&mut self) {
        let Some(summaries) = self.summaries.as_mut().filter(|s| !s.is_backing_off()) else {
            return;
        };
        let machine = &mut self.walk.machine;
        if !self.aftermath
            && let Some(key) = machine.control_state()
        {
            summaries.open(machine, Kind::All, Some((key, Asleep::new())), Vec::new());
        }
    }

    pub(super) fn spoil(&mut self) {
        if self.aftermath {
            return;
        }
        if let Some(summaries) = &mut self.summaries {
            summaries.spoil();
        }
    }

    pub(super) fn summarise_end(&mut self, end: &End) {
        let Some(summaries) = &mut self.summaries else {
            return;
        };
        if self.aftermath {
            // What follows a fault counts only for what it shows to be shared.
            summaries.note_recorded(&self.walk.machine);
            return;
        }
        if !summaries.is_of_interest() {
            return;
        }
        let is_fine = match end {
            End::Normal | End::Discarded => true,
            End::Fault(at) => {
                let properties = &self.walk.options.properties;
                let is_deadlock = at.fault.property() == Property::Deadlock;
                is_deadlock && !properties.contains(Property::Deadlock)
                    || summaries::happens_again(&at.fault) && self.walk.has_found(at)
            }
            End::Cutoff(..) => false,
        };
        let machine = &mut self.walk.machine;
        let conditions = summaries::disabled(machine).filter(|_| is_fine);
        let known = conditions.map_or_else(Summary::nothing, Summary::fine);
        summaries.deliver(machine, known, None);
    }
}

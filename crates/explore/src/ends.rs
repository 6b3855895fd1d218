//! Ends of executions, in every search: what they come to, and what is booked.

use std::collections::BTreeMap;

use machine::{Cutoff, End, Fault, FaultAt, Property, Status, ThreadId};
use smt::{InputId, Model};

use crate::decision::Decision;
use crate::feasibility::Feasible;
use crate::outcome::{Found, Site, Stopped};
use crate::walk::Walk;

/// Whether an execution ends in the middle of a step, and not because no thread can go on. The
/// others could have gone on before it.
pub(crate) fn ends_step(end: &End) -> bool {
    match end {
        End::Fault(at) => at.fault.property() != Property::Deadlock,
        End::Cutoff(..) => true,
        End::Normal | End::Discarded => false,
    }
}

/// What was decided in an execution: by steps, with their threads. The first step is what the
/// program does before anything can be decided.
pub(crate) fn decisions_of<'s>(
    steps: impl Iterator<Item = (ThreadId, &'s [Decision])>,
) -> Vec<Decision> {
    let all = steps.enumerate().flat_map(|(i, (thread, decisions))| {
        let run = (i > 0).then_some(Decision::Run(thread));
        run.into_iter().chain(decisions.iter().copied())
    });
    all.collect()
}

impl Walk<'_> {
    /// Whether the thread stands in an atomic section that cannot be passed now, where the
    /// execution ends in the middle of its step.
    pub fn is_refused(&self, end: &End, thread: ThreadId) -> bool {
        *end == End::Discarded
            && self.machine.status(thread) == Status::Running
            && self.machine.is_concurrent()
    }

    /// Books the end of an execution; `Some`: the search is over.
    pub fn end(
        &mut self,
        end: &End,
        decisions: &mut dyn FnMut() -> Vec<Decision>,
        depth: usize,
    ) -> Option<Stopped> {
        let failing = self.outcome.failing;
        let raced = self.book_races(decisions);
        if raced && !self.options.all {
            self.outcome.runs.complete += 1;
            self.outcome.failing += 1;
            return Some(Stopped::FirstBug);
        }
        match end {
            End::Normal => {
                self.outcome.runs.complete += 1;
                self.monitor.complete(&mut self.machine);
            }
            End::Discarded => self.outcome.runs.blocked += 1,
            End::Cutoff(cutoff, loc) => self.cut_off(cutoff.clone(), *loc),
            End::Fault(fault) => {
                if let Some(stopped) = self.fault(fault.clone(), decisions) {
                    return Some(stopped);
                }
            }
        }
        if raced && self.outcome.failing == failing {
            self.outcome.failing += 1;
        }
        self.tick(depth)
    }

    pub fn fault(
        &mut self,
        fault: FaultAt,
        decisions: &mut dyn FnMut() -> Vec<Decision>,
    ) -> Option<Stopped> {
        let property = fault.fault.property();
        if !self.options.properties.contains(property) {
            if property == Property::Deadlock {
                self.outcome.runs.complete += 1;
            } else {
                // Nothing is known of what comes after undefined behaviour.
                let what = property.name().to_string();
                self.cut_off(Cutoff::OtherFault(what), fault.loc);
            }
            return None;
        }
        let model = self.model()?;
        self.outcome.runs.complete += 1;
        self.outcome.failing += 1;
        self.keep(fault, &model, decisions);
        (!self.options.all).then_some(Stopped::FirstBug)
    }

    /// Books the races of the path that ends here. It went on after them, so that none hides
    /// another, and the decisions up to its end lead there as well. Whether there are any.
    fn book_races(&mut self, decisions: &mut dyn FnMut() -> Vec<Decision>) -> bool {
        let races = self.machine.races_found().to_vec();
        if races.is_empty() {
            return false;
        }
        for race in races {
            let fault = FaultAt {
                thread: race.second.thread,
                loc: race.second.loc,
                fault: Fault::Race(Box::new(race)),
            };
            if self.has_found(&fault) {
                continue;
            }
            let Some(model) = self.model() else {
                return false;
            };
            self.keep(fault, &model, decisions);
        }
        true
    }

    /// Inputs that lead along the current path; `None`: the solver cannot tell.
    fn model(&mut self) -> Option<Model> {
        match self.check(&[]) {
            Feasible::Yes(model) => Some(model),
            Feasible::No => unreachable!("the path condition can be satisfied"),
            Feasible::Unknown => {
                self.give_up();
                None
            }
        }
    }

    /// Remembers a fault that is not known yet, and how to get there.
    fn keep(
        &mut self,
        fault: FaultAt,
        model: &Model,
        decisions: &mut dyn FnMut() -> Vec<Decision>,
    ) {
        if !self.has_found(&fault) {
            let inputs = self.inputs_of(model);
            let schedule = self.schedule_of(decisions());
            // A livelock is found when the machine has gone back to its start (`states`): then it
            // has made no events, but every event on the way was a decision.
            let decided = schedule.decisions.len() as u64;
            self.outcome.found.push(Found {
                site: Site::of(&fault, &self.machine.program.module.debug),
                events: self.machine.visible_events().max(decided),
                reduced: self.reduced(),
                fault,
                inputs,
                schedule,
            });
        }
    }

    /// The program's inputs in a model.
    pub fn inputs_of(&self, model: &Model) -> BTreeMap<String, u128> {
        let terms = &self.machine.terms;
        let is_input = |i: &InputId| !terms.input_name(*i).starts_with('@');
        let inputs = terms.inputs().filter(is_input);
        let named = inputs.map(|i| (terms.input_name(i).to_string(), model.get(i).unwrap_or(0)));
        named.collect()
    }

    /// Whether a fault at the same site was found.
    pub fn has_found(&self, fault: &FaultAt) -> bool {
        let site = Site::of(fault, &self.machine.program.module.debug);
        self.outcome.found.iter().any(|f| f.site == site)
    }
}

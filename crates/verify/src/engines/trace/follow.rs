//! A model's schedule, for the machine.
//!
//! The machine stops at accesses that proved to be shared in some run, the model has an order of
//! contended accesses: neither need be the other's. So the guide does not count steps. It asks for
//! the thread of the model's next event until that thread has gone past it.

use std::collections::BTreeMap;

use ::explore::Guide;
use encode::{EventKind, Knowledge, Model, Step, ThreadIx, Walker, Within};
use ir::debug::LocId;
use ir::{Module, Terminator};
use machine::{Executed, Guard, Machine, Status, ThreadId};
use rustc_hash::FxHashMap;

use super::Names;

/// So often a thread is asked for before its event is taken to be nowhere.
const MOST_TRIES: u32 = 64;

/// What a run must end in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Expects {
    /// Anything: it shows what more there is.
    #[default]
    Anything,
    Fault,
    /// No thread can go on.
    Standstill,
}

/// Which thread goes on where the model says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Preference {
    #[default]
    Any,
    /// The one that was created last.
    Newest,
    Oldest,
    /// Main, and when that can go no further, the one that was created last.
    MainAndNewest,
    InTurns,
}

/// What a run is for.
#[derive(Clone, Debug, Default)]
pub(super) struct Goal {
    pub expects: Expects,
    /// Threads that go on after the model's last step, to where the run should lead.
    pub last: Vec<ThreadIx>,
    pub preference: Preference,
}

impl Goal {
    pub fn ending_in(expects: Expects) -> Goal {
        Goal {
            expects,
            ..Goal::default()
        }
    }
}

pub(super) struct Follow<'r, 'm> {
    module: &'m Module,
    known: &'r mut Knowledge,
    steps: &'r [Step],
    goal: Goal,
    /// The thread that went on last, where the model said nothing.
    latest: ThreadId,
    next: usize,
    tries: u32,
    walker: Walker<'m>,
    /// By thread of the machine.
    threads: FxHashMap<ThreadId, ThreadIx>,
    /// What the run executes, if it is to be told afterwards.
    pub log: Option<Vec<(ThreadIx, LocId)>>,
}

/// Threads as the machine names them: parent and index of creation, in the order in which the model
/// creates them.
pub(super) fn names_of(model: &Model) -> (Names, FxHashMap<ThreadIx, ThreadId>) {
    let mut names = vec![(ThreadId::MAIN, 0)];
    let mut ids = FxHashMap::from_iter([(ThreadIx::MAIN, ThreadId::MAIN)]);
    let mut children: FxHashMap<ThreadIx, u32> = FxHashMap::default();
    for step in &model.steps {
        if let EventKind::Create(child) = step.kind
            && let Some(parent) = ids.get(&step.thread).copied()
        {
            let index = children.entry(step.thread).or_insert(0);
            ids.insert(child, ThreadId::from(names.len()));
            names.push((parent, *index));
            *index += 1;
        }
    }
    (names, ids)
}

/// Inputs as the machine names them.
pub(super) fn inputs_of(
    model: &Model,
    threads: &FxHashMap<ThreadIx, ThreadId>,
) -> BTreeMap<String, u128> {
    let mut counts: FxHashMap<ThreadIx, u32> = FxHashMap::default();
    let mut inputs = BTreeMap::new();
    for (thread, name, value) in &model.inputs {
        let index = counts.entry(*thread).or_insert(0);
        if let Some(id) = threads.get(thread) {
            inputs.insert(format!("{id}.{index}.{name}"), *value);
        }
        *index += 1;
    }
    inputs
}

impl<'r, 'm> Follow<'r, 'm> {
    pub fn new(
        module: &'m Module,
        known: &'r mut Knowledge,
        model: &'r Model,
        goal: Goal,
    ) -> Follow<'r, 'm> {
        Follow {
            module,
            known,
            steps: &model.steps,
            goal,
            latest: ThreadId::MAIN,
            next: 0,
            tries: 0,
            walker: Walker::new(module),
            threads: FxHashMap::from_iter([(ThreadId::MAIN, ThreadIx::MAIN)]),
            log: None,
        }
    }

    fn thread(&mut self, machine: &Machine, thread: ThreadId) -> Option<ThreadIx> {
        if let Some(known) = self.threads.get(&thread) {
            return Some(*known);
        }
        let (parent, index) = *machine.thread_names().get(thread.index())?;
        let parent = self.thread(machine, parent)?;
        let child = self.walker.child(parent, index)?;
        self.threads.insert(thread, child);
        Some(child)
    }

    fn id_of(&mut self, machine: &Machine, thread: ThreadIx) -> Option<ThreadId> {
        let all = 0..machine.thread_names().len();
        let mut ids = all.map(ThreadId::from);
        ids.find(|id| machine.thread_exists(*id) && self.thread(machine, *id) == Some(thread))
    }

    /// The thread that should go on where the model says nothing.
    fn preferred(&mut self, machine: &Machine) -> Option<ThreadId> {
        let enabled = machine.enabled();
        let fresh = enabled
            .iter()
            .filter(|e| !e.spurious && !machine.is_spinning(e.thread));
        let mut threads = fresh.map(|e| e.thread);
        match self.goal.preference {
            Preference::Any => None,
            Preference::Newest => threads.max(),
            Preference::Oldest => threads.min(),
            Preference::MainAndNewest => threads.max_by_key(|t| (*t == ThreadId::MAIN, *t)),
            Preference::InTurns => {
                let all: Vec<ThreadId> = threads.by_ref().collect();
                let after = all.iter().find(|thread| **thread > self.latest);
                self.latest = *after.or(all.first())?;
                Some(self.latest)
            }
        }
    }

    /// Whether the thread is in the middle of an instruction.
    fn look_within(&mut self, machine: &Machine, thread: ThreadIx, id: ThreadId) {
        match machine.unfinished_instruction(id) {
            None => self.walker.stand_between(thread),
            Some((at, done)) => {
                let place = (at.function, at.block, at.index);
                let depth = at.depth as usize;
                let leaves = matches!(
                    machine.status(id),
                    Status::Parked {
                        guard: Guard::Leaving { .. },
                        ..
                    }
                );
                let within = match leaves {
                    true => Within::Begun,
                    false => Within::Part(done),
                };
                self.walker
                    .stand_within(self.known, thread, depth, place, within);
            }
        }
    }

    fn advance(&mut self) {
        self.next += 1;
        self.tries = 0;
    }

    /// What a thread does after its last event is none that others know of, as far as is known: it
    /// must not be the others' turn before, who may do what is not known.
    fn finish(&mut self, machine: &Machine) -> Option<ThreadId> {
        self.tries += 1;
        if self.tries > MOST_TRIES {
            return None;
        }
        let last = self.goal.last.clone().into_iter();
        let mut last = last.filter_map(|thread| self.id_of(machine, thread));
        last.find(|id| machine.enabled().iter().any(|e| e.thread == *id))
    }
}

impl Guide for Follow<'_, '_> {
    fn executed(&mut self, machine: &Machine, instructions: &[Executed]) {
        for at in instructions {
            if let Some(thread) = self.thread(machine, at.thread) {
                let place = (at.function, at.block, at.index);
                self.walker
                    .step(self.known, thread, at.depth as usize, place);
                if let Some(log) = &mut self.log {
                    log.push((thread, loc_of(self.module, at)));
                }
            }
        }
    }

    fn next(&mut self, machine: &Machine) -> Option<ThreadId> {
        loop {
            let Some(step) = self.steps.get(self.next) else {
                return self.finish(machine).or_else(|| self.preferred(machine));
            };
            let id = self.id_of(machine, step.thread);
            if let Some(id) = id {
                self.look_within(machine, step.thread, id);
            }
            // Nothing of an atomic section has happened that others know of, as long as it can stand
            // in the middle of its first access.
            let begins = matches!(step.kind, EventKind::Section)
                && self.walker.is_within(step.thread, &step.key);
            if !begins && self.walker.has_passed(step.thread, &step.key) {
                self.advance();
                continue;
            }
            // What the thread that is waited for still does is none that others know of.
            if let EventKind::Join(over) = step.kind
                && let Some(over) = self.id_of(machine, over)
                && machine.enabled().iter().any(|e| e.thread == over)
                && self.tries < MOST_TRIES
            {
                self.tries += 1;
                return Some(over);
            }
            // These are no decisions of the machine.
            let is_automatic = matches!(
                step.kind,
                EventKind::Begin | EventKind::End | EventKind::Join(_) | EventKind::WaitAlone
            );
            let Some(id) = id.filter(|_| !is_automatic) else {
                self.advance();
                continue;
            };
            // A thread that waits in a loop looks again if it is asked to.
            let is_enabled =
                machine.is_blocked_in_loop(id) || machine.enabled().iter().any(|e| e.thread == id);
            if !is_enabled || self.tries > MOST_TRIES {
                self.advance();
                continue;
            }
            self.tries += 1;
            return Some(id);
        }
    }

    /// A thread that begins to wait wakes without a signal if the model lets it go on at all. Of
    /// several waiters one is signalled that goes on.
    fn choose(&mut self, machine: &Machine, count: u32) -> u32 {
        let Some(thread) = self.thread(machine, machine.current_thread()) else {
            return 0;
        };
        let rest = self.steps.get(self.next..).unwrap_or_default();
        let own = rest
            .iter()
            .find(|step| step.thread == thread && !self.walker.has_passed(thread, &step.key));
        let Some(begin) = own else { return 0 };
        let is_wake = |step: &&Step| {
            step.thread == thread
                && step.start.len() == begin.key.len() + 1
                && step.start.starts_with(&begin.key)
        };
        u32::from(count == 2 && rest.iter().any(|step| is_wake(&step)))
    }

    fn expects_standstill(&self) -> bool {
        self.goal.expects == Expects::Standstill
    }

    fn restart(&mut self) {
        self.next = 0;
        self.tries = 0;
        self.latest = ThreadId::MAIN;
        self.walker = Walker::new(self.module);
        self.threads = FxHashMap::from_iter([(ThreadId::MAIN, ThreadIx::MAIN)]);
        if let Some(log) = &mut self.log {
            log.clear();
        }
    }
}

/// Where an instruction stands. A jump that is always taken stands nowhere.
fn loc_of(module: &Module, at: &Executed) -> LocId {
    let Some(body) = &module.functions[at.function].body else {
        return LocId::default();
    };
    let block = &body.blocks[at.block];
    match (block.insts.get(at.index as usize), &block.terminator) {
        (Some(inst), _) => inst.loc,
        (None, Terminator::Br(_)) => LocId::default(),
        (None, _) => block.terminator_loc,
    }
}

//! A campaign: target sets that are hunted in turns, each by its own trials.
//!
//! In every round each set that is open has a turn, with twice the states of the round before, and
//! one more trial: the next set of traces of its abstract system. So no set and no trial can starve
//! the others, and what a round does depends on the seed alone, not on time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use analysis::abstraction::{AbstractSystem, Ground, TraceSets};
use explore::{
    Found, FoundThere, HuntStatistics, Hunter, Miss, Monitor, Outcome, Properties, Scene, Search,
    Silent, Stopped, Trial, Turn, Wanted,
};
use ir::debug::LocId;
use machine::{Cutoff, Property, SharedSet};

use super::targets::{Aim, TargetSet, facts_of};
use crate::Internal;
use crate::engine::Task;
use crate::relevance::StaticFacts;

/// States of a trial's first turn.
const FIRST_TURN: u64 = 250;
/// Trials of one set.
const MOST_TRIALS: usize = 64;

/// What came of a target set.
#[derive(Clone, Debug)]
pub(crate) enum Pursued {
    Open,
    /// Something went wrong there.
    Found(Box<Found>),
    /// No way leads there in the abstract system.
    NoWay,
    /// It was proved by someone else that nothing goes wrong there.
    Proved,
}

/// A target set and its trials.
pub(crate) struct Pursuit<'c> {
    pub set: TargetSet,
    /// Of its abstract system, which is made when it has its first turn.
    traces: Option<TraceSets>,
    pub trials: Vec<Trial>,
    hunter: Hunter<'c>,
    pub pursued: Pursued,
    /// What went wrong elsewhere.
    pub besides: Vec<Found>,
    has_all_traces: bool,
    /// If one trial alone is to be made.
    only: Option<OneTrial>,
}

/// A trial by its number, and its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OneTrial {
    pub number: usize,
    pub states: u64,
}

impl Pursuit<'_> {
    pub fn statistics(&self) -> HuntStatistics {
        let mut sum = HuntStatistics::default();
        for trial in &self.trials {
            sum.states += trial.statistics.states;
            sum.executions += trial.statistics.executions;
            sum.refinements += trial.statistics.refinements;
        }
        sum.length = self
            .trials
            .first()
            .map_or(0, |trial| trial.statistics.length);
        sum
    }

    /// What stood in the way.
    pub fn nearest(&self) -> Option<&Miss> {
        self.trials.iter().find_map(|trial| trial.nearest.as_ref())
    }

    /// Why runs were given up, most often.
    pub fn cut_off(&self) -> Option<&(Cutoff, LocId)> {
        let cut_off = self.hunter.outcome.cut_off.iter();
        let others = cut_off.filter(|((cutoff, _), _)| *cutoff != Cutoff::Interrupted);
        others
            .max_by_key(|(_, count)| **count)
            .map(|(cause, _)| cause)
    }

    pub fn reached(&self) -> Option<&explore::Reached> {
        self.trials.iter().find_map(|trial| trial.reached.as_ref())
    }

    pub fn is_open(&self) -> bool {
        matches!(self.pursued, Pursued::Open)
    }

    /// One turn of every trial, with one trial more.
    fn turn(
        &mut self,
        scene: &mut Scene,
        round: u32,
        seed: u64,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Stopped>, Internal> {
        let (before, most) = match self.only {
            Some(only) => (only.number, 1),
            None => (0, MOST_TRIALS),
        };
        if self.trials.len() < most && !self.has_all_traces {
            if self.traces.is_none() {
                let system = AbstractSystem::of(scene.ground, &self.set.targets, &[]);
                if !system.leads_to_targets() {
                    self.pursued = Pursued::NoWay;
                    return Ok(None);
                }
                let mut traces = TraceSets::of(&Arc::new(system));
                if let Some(only) = self.only {
                    traces.by_ref().take(only.number).for_each(drop);
                }
                self.traces = Some(traces);
            }
            match self.traces.as_mut().and_then(Iterator::next) {
                Some(traces) => {
                    let number = (before + self.trials.len()) as u64;
                    let seed = seed ^ number << 32;
                    let (targets, wanted) = (self.set.targets.clone(), self.set.wanted.clone());
                    self.trials.push(Trial::new(targets, wanted, traces, seed));
                }
                None => self.has_all_traces = true,
            }
        }
        for number in 0..self.trials.len() {
            let rounds = round.saturating_sub(number as u32).min(20);
            let trial = &mut self.trials[number];
            let states = self.only.map_or(FIRST_TURN << rounds, |only| only.states);
            match self.hunter.turn(scene, trial, states, monitor)? {
                Turn::Found(found) => {
                    self.sort_out(found);
                    if !self.is_open() {
                        return Ok(None);
                    }
                }
                Turn::Over | Turn::Exhausted => {}
                Turn::Stopped => return Ok(Some(Stopped::Interrupted)),
            }
        }
        Ok(None)
    }

    fn sort_out(&mut self, found: Vec<FoundThere>) {
        for FoundThere { found, at_target } in found {
            // The lines of a race say where it is.
            let is_there = at_target || found.fault.fault.property() == Property::Race;
            if self.is_open() && is_there && is_meant(&self.set, &found) {
                self.pursued = Pursued::Found(Box::new(found));
            } else {
                self.besides.push(found);
            }
        }
    }
}

/// Whether a fault is the one that a target set is about.
pub(crate) fn is_meant(set: &TargetSet, found: &Found) -> bool {
    let property = found.fault.fault.property();
    match (&set.wanted, property) {
        (Wanted::Race(lines), Property::Race) => found.site == explore::Site::Race(*lines),
        (Wanted::Race(_), _) if set.aim == Aim::Race => false,
        _ => set.aim == Aim::Lines || set.aim.properties().contains(&property),
    }
}

/// Target sets that are hunted in turns.
pub(crate) struct Campaign<'c> {
    ground: &'c Ground<'c>,
    pub pursuits: Vec<Pursuit<'c>>,
    round: u32,
    seed: u64,
    /// One for each worker.
    scenes: Vec<Scene<'c>>,
}

/// What a campaign found first.
#[derive(Default)]
pub(crate) struct Discovery {
    pub found: Vec<Found>,
    pub outcome: Outcome,
}

/// Makes a campaign and lets it be carried out: what it is made of lives as long as that.
pub(crate) fn with<R>(
    task: &Task,
    facts: &StaticFacts,
    sets: Vec<TargetSet>,
    seed: u64,
    carry_out: impl FnOnce(&mut Campaign) -> Result<R, Internal>,
) -> Result<R, Internal> {
    let module = &*task.loaded.program.module;
    let facts = facts_of(module, facts);
    let ground = Ground::of(&facts);
    let options = |set: &TargetSet| explore::Options {
        machine: task.machine.clone(),
        search: Search::naive(),
        properties: properties(set),
        // What goes wrong elsewhere does not end a hunt.
        all: true,
        slices: false,
        solver_timeout: task.solver_timeout,
        interrupt: Arc::clone(&task.halt),
        shared: SharedSet::default(),
    };
    let options: Vec<explore::Options> = sets.iter().map(options).collect();
    let pursuits = sets.into_iter().zip(&options);
    let pursuits = pursuits.map(|(set, options)| Pursuit {
        set,
        traces: None,
        trials: Vec::new(),
        hunter: Hunter::new(&task.loaded.program, options),
        pursued: Pursued::Open,
        besides: Vec::new(),
        has_all_traces: false,
        only: None,
    });
    let mut campaign = Campaign {
        ground: &ground,
        pursuits: pursuits.collect(),
        round: 0,
        seed,
        scenes: Vec::new(),
    };
    carry_out(&mut campaign)
}

/// Everything that can go wrong, races only where they are looked for.
fn properties(set: &TargetSet) -> Properties {
    let mut properties = Properties::all();
    if matches!(set.wanted, Wanted::Race(_)) {
        properties.0.insert(Property::Race);
    }
    properties
}

impl<'c> Campaign<'c> {
    /// So many workers share each round.
    pub fn on(&mut self, jobs: usize) {
        let ground = self.ground;
        self.scenes.resize_with(jobs.max(1), || Scene::of(ground));
    }

    /// Only this trial of the one target set.
    pub fn only(&mut self, trial: OneTrial) {
        for pursuit in &mut self.pursuits {
            pursuit.only = Some(trial);
        }
    }

    pub fn ground(&self) -> &'c Ground<'c> {
        self.ground
    }

    pub fn is_over(&self) -> bool {
        self.pursuits.iter().all(|pursuit| !pursuit.is_open())
    }

    /// Rounds until something was found, or it is to stop.
    pub fn until_found(&mut self, monitor: &mut dyn Monitor) -> Result<Discovery, Internal> {
        let mut scene = Scene::of(self.ground);
        loop {
            for number in 0..self.pursuits.len() {
                let pursuit = &mut self.pursuits[number];
                if !pursuit.is_open() {
                    continue;
                }
                let stopped = pursuit.turn(&mut scene, self.round, self.seed, monitor)?;
                let mut found = std::mem::take(&mut pursuit.besides);
                if let Pursued::Found(meant) = &pursuit.pursued {
                    found.insert(0, (**meant).clone());
                }
                if !found.is_empty() || stopped.is_some() {
                    let outcome = std::mem::take(&mut pursuit.hunter.outcome);
                    return Ok(Discovery { found, outcome });
                }
            }
            self.round += 1;
            let is_spent = |pursuit: &Pursuit| {
                !pursuit.is_open() || pursuit.has_all_traces && pursuit.is_exhausted()
            };
            let stopped = monitor.tick(&Outcome::default(), 0);
            if self.pursuits.iter().all(is_spent) || stopped.is_some() {
                return Ok(Discovery::default());
            }
        }
    }

    /// One round. Whether it was told to stop.
    pub fn round(&mut self, monitor: &mut dyn Monitor) -> Result<Option<Stopped>, Internal> {
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let (round, seed) = (self.round, self.seed);
        let failed: Mutex<Option<Internal>> = Mutex::new(None);
        let pursuits: Vec<Mutex<&mut Pursuit>> = self.pursuits.iter_mut().map(Mutex::new).collect();
        let work = |scene: &mut Scene, monitor: &mut dyn Monitor| {
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(pursuit) = pursuits.get(number) else {
                    break;
                };
                let mut pursuit = pursuit.lock().unwrap_or_else(PoisonError::into_inner);
                if !pursuit.is_open() {
                    continue;
                }
                match pursuit.turn(scene, round, seed, monitor) {
                    Ok(None) => {}
                    Ok(Some(_)) => stop.store(true, Ordering::Relaxed),
                    Err(error) => {
                        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                        failed.get_or_insert(error);
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        };
        let (own, others) = self.scenes.split_first_mut().expect("a worker");
        std::thread::scope(|scope| {
            for scene in others {
                scope.spawn(|| {
                    let mut helping = Helping {
                        stop: &stop,
                        inner: Silent,
                    };
                    work(scene, &mut helping);
                });
            }
            work(own, monitor);
        });
        let is_stopped = stop.load(Ordering::Relaxed);
        drop(pursuits);
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        self.round += 1;
        Ok(is_stopped.then_some(Stopped::Interrupted))
    }

    pub fn is_exhausted(&self) -> bool {
        let is_spent = |pursuit: &Pursuit| {
            !pursuit.is_open() || pursuit.has_all_traces && pursuit.is_exhausted()
        };
        self.pursuits.iter().all(is_spent)
    }
}

impl Pursuit<'_> {
    fn is_exhausted(&self) -> bool {
        self.trials.iter().all(|trial| trial.current().is_none())
    }
}

/// Of a worker that helps: it stops when the others do.
struct Helping<'s> {
    stop: &'s AtomicBool,
    inner: Silent,
}

impl Monitor for Helping<'_> {
    fn inner(&mut self) -> Option<&mut dyn Monitor> {
        Some(&mut self.inner)
    }

    fn tick(&mut self, _: &Outcome, _: usize) -> Option<Stopped> {
        let is_over = self.stop.load(Ordering::Relaxed);
        is_over.then_some(Stopped::Interrupted)
    }
}

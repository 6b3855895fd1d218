//! How many executions there are, before all of them are done (Knuth 1975, "Estimating the efficiency of backtrack programs").
//!
//! A *probe* goes down the tree at random. After every step the search can go on, or take one of the step's other places or
//! replies instead; the probe takes one of these ways, all equally likely, and multiplies their numbers. An execution at
//! the end stands for as many as that product says. The mean over all probes is right on average, whatever the shape of the
//! tree. It tends to be too small at first: large parts of the tree that are hard to hit weigh much and are rare. So ways
//! that earlier probes found to lead to more executions are made more likely, and count for less in turn, which leaves the mean as
//! it is (importance sampling, section 5 of that paper).
//!
//! The order in which the search itself goes through the tree is of no use here: small subtrees come first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use machine::Program;
use rustc_hash::FxHashMap;

use super::job::{Knowledge, Piece};
use super::sequence::Origin;
use super::{Executed, Open, Place, Plan, Saved, Search};
use crate::random::Generator;
use crate::replies::Others;
use crate::walk::{Options, Walk};

/// What probes said.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    pub count: u64,
    sum: f64,
    squares: f64,
    /// What they took.
    pub time: Duration,
    sizes: Sizes,
}

/// What was found behind ways, by the thread and number of the step and the kind of way.
#[derive(Clone, Debug, Default)]
struct Sizes(FxHashMap<(u32, u32), [Size; KINDS]>);

/// How often a way was tried, how often something lay behind it, and how much.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    tried: f64,
    possible: f64,
    sum: f64,
}

/// Kinds of ways: to go on, to stand before a write, to revisit another step, to reply otherwise.
const KINDS: usize = 4;
const ON: usize = 0;
const BEFORE: usize = 1;
const REVISIT: usize = 2;

/// A part of the likelihood is the same for all ways, however small what lies behind one of them seems: most of what is
/// impossible shows at once, but there are many steps at which to take such a way.
const EVEN: f64 = 0.05;

impl Size {
    /// As it seems. What was not tried yet is as large as the others may be.
    fn mean(&self) -> Option<f64> {
        (self.sum > 0.0).then(|| self.sum / self.tried)
    }

    /// The part of the ways that is possible, with a doubt.
    fn possible(&self) -> f64 {
        (self.possible + 1.0) / (self.tried + 1.0)
    }
}

impl Sizes {
    /// How likely each way of a kind is to be taken, given how many there are of each kind.
    fn likely(&mut self, step: (u32, u32), ways: [usize; KINDS]) -> [f64; KINDS] {
        let count = ways.iter().sum::<usize>() as f64;
        let sizes = self.0.entry(step).or_default();
        let is_known = |kind: usize| ways[kind] == 0 || sizes[kind].mean().is_some();
        let all_known = (0..KINDS).all(is_known);
        let guess = |kind: usize| match sizes[kind].mean() {
            Some(mean) if all_known => mean,
            _ => sizes[kind].possible(),
        };
        let total: f64 = (0..KINDS).map(|kind| ways[kind] as f64 * guess(kind)).sum();
        std::array::from_fn(|kind| EVEN / count + (1.0 - EVEN) * guess(kind) / total)
    }

    /// Something lies behind the way that was taken, or nothing.
    fn tried(&mut self, step: (u32, u32), kind: usize, is_possible: bool) {
        let size = &mut self.0.entry(step).or_default()[kind];
        size.tried += 1.0;
        size.possible += f64::from(u8::from(is_possible));
    }
}

/// A way that a probe took: the step, the kind, and what an execution stood for from there on.
type Turn = ((u32, u32), usize, f64);

impl Probes {
    /// Executions in all.
    pub fn mean(&self) -> Option<f64> {
        (self.sum > 0.0).then(|| self.sum / self.count as f64)
    }

    /// The standard error, as a part of the mean.
    pub fn error(&self) -> f64 {
        let n = self.count as f64;
        let mean = self.sum / n;
        let variance = (self.squares / n - mean * mean).max(0.0);
        (variance / n).sqrt() / mean
    }

    fn add(&mut self, executions: f64) {
        self.count += 1;
        self.sum += executions;
        self.squares += executions * executions;
    }

    /// Probes for so long.
    pub fn go_on(
        &mut self,
        program: &Arc<Program>,
        options: &Options,
        knowledge: &Knowledge,
        time: Duration,
    ) {
        let start = Instant::now();
        let mut silent = crate::Silent;
        // What it finds does not count.
        let options = Options {
            all: true,
            ..options.clone()
        };
        let walk = Walk::start(program, &options, &mut silent, &knowledge.known());
        if let Ok(walk) = walk
            && let Ok(mut search) = Search::start(walk, knowledge)
        {
            while start.elapsed() < time {
                // The first number makes the sequence of probes the same in every run.
                let mut random = Generator::of_run(0, self.count);
                let mut turns = Vec::new();
                match search.probe(&mut random, &mut self.sizes, &mut turns) {
                    Some(executions) => {
                        self.add(executions);
                        for (step, kind, weight) in turns {
                            let sizes = self.sizes.0.entry(step).or_default();
                            sizes[kind].sum += executions / weight;
                        }
                    }
                    None => break,
                }
            }
        }
        self.time += start.elapsed();
    }
}

impl Search<'_> {
    /// Goes down the tree once. `None`: more must be known first, or the search is to stop.
    fn probe(
        &mut self,
        random: &mut Generator,
        sizes: &mut Sizes,
        turns: &mut Vec<Turn>,
    ) -> Option<f64> {
        let mut executed = self.load(Piece::whole()).ok()?;
        let mut weight = 1.0;
        let mut total = 0.0;
        let mut counted = self.executions_booked();
        loop {
            executed = match executed {
                Executed::Finished(_) => return None,
                Executed::Refused if self.refused.is_some() => {
                    self.withdraw(0, false);
                    self.turned = self.turned.min(self.sequence.len());
                    Executed::Done
                }
                Executed::Awaits(earlier) => {
                    self.withdraw(earlier, true);
                    self.turned = self.turned.min(self.sequence.len());
                    Executed::Done
                }
                Executed::Refused | Executed::Infeasible => match self.take_open(random) {
                    Some((executed, ways)) => {
                        weight *= ways as f64;
                        executed
                    }
                    None => return Some(total),
                },
                Executed::Done => {
                    if self.judge().is_some() {
                        return None;
                    }
                    let turned = self.turn(random, sizes, turns, &mut weight);
                    if let Some(executed) = turned {
                        executed
                    } else if let Some(thread) = self.next() {
                        let stamp = self.next_stamp;
                        self.next_stamp += 1;
                        self.execute(Some(thread), super::Todo::fresh(thread, stamp), None)
                    } else {
                        if self.leaf().is_some() {
                            return None;
                        }
                        // What could not be done, if anything, is tried in other places.
                        Executed::Infeasible
                    }
                }
            };
            let now = self.executions_booked();
            total += weight * (now - counted) as f64;
            counted = now;
        }
    }

    fn executions_booked(&self) -> u64 {
        self.walk.outcome.runs.complete + self.walk.outcome.runs.blocked
    }

    /// After a step: goes on, or does something else instead.
    fn turn(
        &mut self,
        random: &mut Generator,
        sizes: &mut Sizes,
        turns: &mut Vec<Turn>,
        weight: &mut f64,
    ) -> Option<Executed> {
        let n = self.sequence.len() - 1;
        let step = &self.sequence.steps[n];
        if step.origin == Origin::Kept || self.turned > n {
            return None;
        }
        self.turned = n + 1;
        let mut plans = Vec::new();
        if step.origin == Origin::Fresh && step.replies.all_first() {
            plans = self.plans(step, self.sequence.base(n), n);
            if !plans.is_empty() {
                self.leave_unusual_replies_out(&mut plans, n);
            }
        }
        let step = &self.sequence.steps[n];
        let name = (step.thread, step.index);
        let has_others = step.replies.0.iter().any(|r| r.others != Others::None) || step.waits;
        let (mut before, mut revisit): (Vec<Plan>, Vec<Plan>) = plans
            .into_iter()
            .partition(|plan| matches!(plan.place, Place::Before(_)));
        let ways = [1, before.len(), revisit.len(), usize::from(has_others)];
        if ways == [1, 0, 0, 0] {
            return None;
        }
        let likely = sizes.likely(name, ways);
        // Between 0 and 1.
        let mut drawn = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        let mut taken = (ON, 0);
        for kind in 0..KINDS {
            let way = (drawn / likely[kind]) as usize;
            if way < ways[kind] {
                taken = (kind, way);
                break;
            }
            drawn -= likely[kind] * ways[kind] as f64;
        }
        let (kind, way) = taken;
        *weight /= likely[kind];
        turns.push((name, kind, *weight));
        let executed = match kind {
            ON => None,
            BEFORE | REVISIT => {
                self.next_stamp = self.sequence.steps[n].stamp;
                let step = self.remove();
                self.open(Some(step), Vec::new());
                self.turned = 0;
                let plans = if kind == BEFORE {
                    &mut before
                } else {
                    &mut revisit
                };
                Some(self.take(plans.swap_remove(way)))
            }
            // OTHERWISE
            _ => {
                let step = self.remove();
                self.turned = n;
                Some(self.reply_otherwise(step))
            }
        };
        let is_possible = match executed {
            Some(Executed::Refused) => self.refused.is_some(),
            Some(Executed::Infeasible) => false,
            _ => true,
        };
        sizes.tried(name, kind, is_possible);
        executed
    }

    /// Takes one of the plans that are open at the end of an execution.
    fn take_open(&mut self, random: &mut Generator) -> Option<(Executed, usize)> {
        let open: &mut Open = self.open.last_mut()?;
        if open.plans.is_empty() {
            return None;
        }
        let ways = open.plans.len();
        let plan = open.plans.swap_remove(random.below(ways));
        open.plans.clear();
        debug_assert!(open.saved.steps.is_empty());
        open.saved = Saved::default();
        self.turned = 0;
        Some((self.take(plan), ways))
    }
}

//! How many executions there are, before all of them are done (Knuth 1975, "Estimating the
//! efficiency of backtrack programs").
//!
//! A *probe* goes down the tree at random. After every step the search can go on, or take one of
//! the step's other places or replies instead; the probe takes one of these ways, all equally
//! likely, and multiplies their numbers. An execution at the end stands for as many as that product
//! says. The mean over all probes is right on average, whatever the shape of the tree. It tends to
//! be too small at first: large parts of the tree that are hard to hit weigh much and are rare. So
//! ways that earlier probes found to lead to more executions are made more likely, and count for
//! less in turn, which leaves the mean as it is (importance sampling, section 5 of that paper).
//!
//! The order in which the search itself goes through the tree is of no use here: small subtrees
//! come first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use machine::Program;
use rustc_hash::FxHashMap;

use super::sequence::Origin;
use super::unit::WorkUnit;
use super::{Direction, Executed, Finished, Open, Revisit, Saved, Search};
use crate::facts::SearchFacts;
use crate::options::Options;
use crate::random::Generator;
use crate::replies::Others;
use crate::step::{EventId, StepId};

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

/// Of the ways that probes took, by step and kind: how many, and the sum of the executions that
/// were found behind them.
#[derive(Clone, Debug, Default)]
struct Sizes(FxHashMap<EventId, [(f64, f64); KINDS]>);

/// What a probe may do after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    GoOn,
    StandBeforeWrite,
    Revisit,
    ReplyOtherwise,
}

const KINDS: usize = 4;

/// This part of the likelihood is the same for all ways, however few executions seem to lie behind
/// one of them.
const EVEN: f64 = 0.3;

/// Nothing is known of a way before this many probes have taken it.
const FEW: f64 = 3.0;

impl Sizes {
    /// How likely each of these ways is to be taken.
    fn likely(&self, step: EventId, kinds: &[Kind]) -> Vec<f64> {
        let count = kinds.len() as f64;
        let sizes = self.0.get(&step).copied().unwrap_or_default();
        let is_known =
            |kind: &Kind| sizes[*kind as usize].0 >= FEW && sizes[*kind as usize].1 > 0.0;
        if !kinds.iter().all(is_known) {
            return vec![1.0 / count; kinds.len()];
        }
        let mean = |kind: &Kind| sizes[*kind as usize].1 / sizes[*kind as usize].0;
        let total: f64 = kinds.iter().map(mean).sum();
        let likely = kinds.iter().map(mean);
        likely
            .map(|mean| EVEN / count + (1.0 - EVEN) * mean / total)
            .collect()
    }
}

/// A way that a probe took: the step, the kind, and what an execution stood for from there on.
type Turn = (EventId, Kind, f64);

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

    /// Probes until this time has passed.
    pub fn go_on(
        &mut self,
        program: &Arc<Program>,
        options: &Options,
        facts: &SearchFacts,
        time: Duration,
    ) {
        let start = Instant::now();
        let mut silent = crate::Silent;
        // What it finds does not count.
        let options = Options {
            all: true,
            ..options.clone()
        };
        if let Ok(mut search) = Search::start(program, &options, &mut silent, facts) {
            while start.elapsed() < time {
                // The first number makes the sequence of probes the same in every run.
                let mut random = Generator::of_run(0, self.count);
                let mut turns = Vec::new();
                let until = start + 2 * time;
                let probed = search.probe(&mut random, &self.sizes, &mut turns, until);
                let Some(executions) = probed else {
                    break;
                };
                self.add(executions);
                for (step, kind, weight) in turns {
                    let (count, sum) = &mut self.sizes.0.entry(step).or_default()[kind as usize];
                    *count += 1.0;
                    *sum += executions / weight;
                }
            }
        }
        self.time += start.elapsed();
    }
}

impl Search<'_> {
    /// Goes down the tree once. `None`: more must be known first, the search is to stop, or it
    /// takes too long.
    fn probe(
        &mut self,
        random: &mut Generator,
        sizes: &Sizes,
        turns: &mut Vec<Turn>,
        until: Instant,
    ) -> Option<f64> {
        let mut executed = self.load(WorkUnit::whole()).ok()?;
        let mut weight = 1.0;
        let mut total = 0.0;
        let mut counted = self.executions_booked();
        loop {
            if Instant::now() > until {
                return None;
            }
            executed = match executed {
                Executed::Finished(_) => return None,
                Executed::Refused if self.refused.is_some() => {
                    self.withdraw();
                    self.turned = self.turned.min(self.sequence.end());
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
                    let turned = self.turn(random, sizes, turns, &mut weight, until);
                    if let Some(executed) = turned {
                        executed
                    } else if let Some(thread) = self.next() {
                        self.execute_fresh(thread)
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
        sizes: &Sizes,
        turns: &mut Vec<Turn>,
        weight: &mut f64,
        until: Instant,
    ) -> Option<Executed> {
        let last = self.sequence.last();
        let step = &self.sequence.steps[last];
        if step.origin == Origin::Kept || self.turned > last {
            return None;
        }
        self.turned = last.next();
        let mut revisits = Vec::new();
        if step.origin == Origin::Fresh && step.replies.all_first() {
            revisits = self.revisits(step, self.sequence.base(last), last);
            if let Some(finished) = self.interrupted() {
                return Some(Executed::Finished(finished));
            }
            if !revisits.is_empty() {
                self.leave_unusual_replies_out(&mut revisits, last);
            }
        }
        let step = &self.sequence.steps[last];
        let has_others = step.replies.0.iter().any(|r| r.others != Others::None) || step.waits;
        if !revisits.is_empty()
            && let Err(finished) = self.keep_possible(&mut revisits, until)
        {
            return Some(finished);
        }
        let step = &self.sequence.steps[last];
        let event = step.event();
        let mut kinds = vec![Kind::GoOn];
        kinds.extend(revisits.iter().map(|revisit| match revisit.direction {
            Direction::Forward(_) => Kind::StandBeforeWrite,
            Direction::Backward { .. } | Direction::Insist => Kind::Revisit,
        }));
        kinds.extend(has_others.then_some(Kind::ReplyOtherwise));
        if kinds == [Kind::GoOn] {
            return None;
        }
        let likely = sizes.likely(event, &kinds);
        // Between 0 and 1.
        let mut drawn = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        let mut way = 0;
        while way + 1 < likely.len() && drawn >= likely[way] {
            drawn -= likely[way];
            way += 1;
        }
        *weight /= likely[way];
        turns.push((event, kinds[way], *weight));
        if way == 0 {
            return None;
        }
        let insertion_order = self.sequence.steps[last].insertion_order;
        let step = self.remove();
        let executed = if way <= revisits.len() {
            self.next_insertion_order = insertion_order;
            self.open(Some(step), Vec::new());
            self.turned = StepId::FIRST;
            self.take(revisits.swap_remove(way - 1))
        } else {
            self.turned = last;
            self.reply_otherwise(step)
        };
        Some(executed)
    }

    /// Leaves out other places of the last step where it cannot be done. Of many that shows at
    /// once, and a probe that takes one tells nothing of what is behind the rest.
    fn keep_possible(
        &mut self,
        revisits: &mut Vec<Revisit>,
        until: Instant,
    ) -> Result<(), Executed> {
        let last = self.sequence.last();
        let base = self.sequence.base(last).to_vec();
        let (next_insertion_order, turned) = (self.next_insertion_order, self.turned);
        self.next_insertion_order = self.sequence.steps[last].insertion_order;
        let step = self.remove();
        self.open(Some(step), Vec::new());
        let opened = self.open.len();
        let mut possible = Vec::new();
        for revisit in revisits.drain(..) {
            // In a long execution there are many, and each takes long.
            if Instant::now() > until {
                return Err(Executed::Finished(Finished::Done));
            }
            let is_possible = match self.take(revisit.clone()) {
                finished @ Executed::Finished(_) => return Err(finished),
                Executed::Refused => self.refused.take().is_some(),
                Executed::Infeasible => false,
                Executed::Done => true,
            };
            self.refused = None;
            self.open.truncate(opened);
            self.restore_open();
            if is_possible {
                possible.push(revisit);
            }
        }
        *revisits = possible;
        let open = self.open.pop().expect("the open step");
        let mut step = open.step.expect("the last step");
        step.slot = self.track.allocate();
        self.track.enter(step.slot);
        self.sequence.push(step, &base);
        (self.next_insertion_order, self.turned) = (next_insertion_order, turned);
        match self.catch_up() {
            Executed::Done => Ok(()),
            other => Err(other),
        }
    }

    /// Takes out what was put in place by the last revisit.
    fn restore_open(&mut self) {
        let open = self.open.last_mut().expect("an open step");
        self.attempts.clone_from(&open.attempts);
        self.next_insertion_order = open.next_insertion_order;
        let base = open.base;
        while self.sequence.end() > base {
            self.remove();
        }
        self.put_back_saved();
    }

    /// Takes one of the revisits that are open at the end of an execution.
    fn take_open(&mut self, random: &mut Generator) -> Option<(Executed, usize)> {
        let open: &mut Open = self.open.last_mut()?;
        if open.revisits.is_empty() {
            return None;
        }
        let ways = open.revisits.len();
        let revisit = open.revisits.swap_remove(random.below(ways));
        open.revisits.clear();
        debug_assert!(open.saved.steps.is_empty());
        open.saved = Saved::default();
        self.turned = StepId::FIRST;
        Some((self.take(revisit), ways))
    }
}

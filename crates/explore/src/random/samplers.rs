//! Which thread runs next, in a run at random.
//!
//! - `Priorities` is PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS'10): threads have
//!   random priorities and the highest runs; at d - 1 random points the running thread falls below
//!   all others. A bug of depth d (so many orderings must be right) in a run of n threads and k
//!   steps is found with probability 1/(n k^(d-1)) at least. Deviation: a thread that has been
//!   running for long falls, too, since it may be waiting in a loop for the others.
//! - `Uniform` gives the turn to a thread with a probability that is proportional to the steps it
//!   has still to do. If these were known and no thread ever waited, all interleavings were equally
//!   likely.
//!
//! Both need to know how long runs are: `History` has it from earlier runs. Steps are scheduling
//! decisions: where only one thread can go on there is none.

use base::IndexVec;
use machine::{Enabled, ThreadId};

use super::generator::Generator;

/// Depths of bugs are tried in turn up to this one: bugs that need more orderings are rare.
pub const DEEPEST: u32 = 4;

/// How many steps a thread may make one after another while others could go on. Longer than most
/// work between two waits; short against the bound on loops, so that a thread that waits in a loop
/// does not end the run.
const MOST_IN_A_ROW: u32 = 150;

/// How long runs have been, on average, with more weight on the latest.
#[derive(Default)]
pub struct History {
    length: Average,
    /// How many steps each thread makes in one run.
    steps: IndexVec<ThreadId, Average>,
}

/// In sixteenths.
#[derive(Clone, Copy, Default)]
struct Average(u64);

impl Average {
    fn add(&mut self, value: u64) {
        let value = 16 * value;
        // The first value is the average.
        self.0 = if self.0 == 0 {
            value
        } else {
            (7 * self.0 + value) / 8
        };
    }

    fn rounded(self) -> u64 {
        (self.0 + 8) / 16
    }
}

impl History {
    fn add(&mut self, steps: &Steps) {
        self.length.add(steps.0.iter().sum());
        if let Some(last) = steps.0.ids().next_back() {
            self.steps.reach(last, Average::default());
        }
        for thread in self.steps.ids() {
            self.steps[thread].add(steps.of(thread));
        }
    }
}

pub enum Sampler {
    Priorities(Priorities),
    Uniform(Uniform),
}

impl Sampler {
    /// One of the threads that can go on; there is at least one.
    pub fn choose(&mut self, enabled: &[Enabled], random: &mut Generator) -> Enabled {
        match self {
            Sampler::Priorities(priorities) => priorities.choose(enabled, random),
            Sampler::Uniform(uniform) => uniform.choose(enabled, random),
        }
    }

    /// The run is over.
    pub fn report(&self, history: &mut History) {
        history.add(match self {
            Sampler::Priorities(priorities) => &priorities.steps,
            Sampler::Uniform(uniform) => &uniform.steps,
        });
    }
}

/// How many steps each thread has made.
#[derive(Default)]
struct Steps(IndexVec<ThreadId, u64>);

impl Steps {
    fn add(&mut self, thread: ThreadId) {
        self.0.reach(thread, 0);
        self.0[thread] += 1;
    }

    fn of(&self, thread: ThreadId) -> u64 {
        self.0.get(thread).copied().unwrap_or(0)
    }
}

pub struct Priorities {
    /// The thread with the highest runs; `None`: not seen yet.
    priorities: IndexVec<ThreadId, Option<i64>>,
    /// Steps before which the running thread falls, the next one last.
    changes: Vec<u64>,
    /// Below all priorities given so far.
    lowest: i64,
    /// The thread that ran last, and how often in a row.
    in_a_row: (ThreadId, u32),
    total: u64,
    steps: Steps,
}

impl Priorities {
    pub fn new(depth: u32, history: &History, random: &mut Generator) -> Priorities {
        let length = history.length.rounded().max(1) as usize;
        let mut changes: Vec<u64> = (1..depth).map(|_| random.below(length) as u64).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Priorities {
            priorities: IndexVec::new(),
            changes,
            lowest: 0,
            in_a_row: (ThreadId::MAIN, 0),
            total: 0,
            steps: Steps::default(),
        }
    }

    fn choose(&mut self, enabled: &[Enabled], random: &mut Generator) -> Enabled {
        let mut best = self.highest(enabled, random);
        let mut falls = false;
        while self.changes.last().is_some_and(|at| *at <= self.total) {
            self.changes.pop();
            falls = true;
        }
        let thread = best.thread;
        if falls || self.in_a_row.0 == thread && self.in_a_row.1 >= MOST_IN_A_ROW {
            self.lowest -= 1;
            self.priorities[thread] = Some(self.lowest);
            best = self.highest(enabled, random);
        }
        let thread = best.thread;
        self.in_a_row = match self.in_a_row {
            (last, times) if last == thread => (thread, times + 1),
            _ => (thread, 1),
        };
        self.total += 1;
        self.steps.add(thread);
        best
    }

    fn highest(&mut self, enabled: &[Enabled], random: &mut Generator) -> Enabled {
        let mut best = (enabled[0], i64::MIN);
        for &e in enabled {
            self.priorities.reach(e.thread, None);
            let priority = &mut self.priorities[e.thread];
            let priority = *priority.get_or_insert_with(|| (random.next() >> 1) as i64);
            if priority > best.1 {
                best = (e, priority);
            }
        }
        best.0
    }
}

pub struct Uniform {
    /// How many steps each thread is expected to make.
    expected: IndexVec<ThreadId, u64>,
    steps: Steps,
}

impl Uniform {
    pub fn new(history: &History) -> Uniform {
        Uniform {
            expected: history.steps.iter().map(|a| a.rounded()).collect(),
            steps: Steps::default(),
        }
    }

    fn choose(&mut self, enabled: &[Enabled], random: &mut Generator) -> Enabled {
        let total: u64 = enabled.iter().map(|e| self.weight(*e)).sum();
        let mut rest = random.below(total as usize) as u64;
        let is_chosen = |e: &Enabled| {
            let weight = self.weight(*e);
            let is_here = rest < weight;
            rest = rest.saturating_sub(weight);
            is_here
        };
        let choice = enabled.iter().copied().find(is_chosen);
        let choice = choice.expect("less than the total was drawn");
        self.steps.add(choice.thread);
        choice
    }

    fn weight(&self, e: Enabled) -> u64 {
        let expected = self.expected.get(e.thread).copied().unwrap_or(0);
        expected.saturating_sub(self.steps.of(e.thread)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedule that a sampler makes of two threads that never wait and make this many steps.
    fn schedule(sampler: &mut Sampler, steps: [u64; 2], random: &mut Generator) -> Vec<u32> {
        let mut left = steps;
        let mut schedule = Vec::new();
        while left != [0, 0] {
            let enabled: Vec<Enabled> = [ThreadId(0), ThreadId(1)]
                .into_iter()
                .filter(|t| left[t.index()] > 0)
                .map(|thread| Enabled {
                    thread,
                    spurious: false,
                })
                .collect();
            let thread = sampler.choose(&enabled, random).thread;
            left[thread.index()] -= 1;
            schedule.push(thread.0);
        }
        schedule
    }

    #[test]
    fn without_changes_the_first_to_run_runs_to_its_end() {
        for seed in 0..20 {
            let mut random = Generator::new(seed);
            let pct = Priorities::new(1, &History::default(), &mut random);
            let found = schedule(&mut Sampler::Priorities(pct), [3, 3], &mut random);
            assert!(found == [0, 0, 0, 1, 1, 1] || found == [1, 1, 1, 0, 0, 0]);
        }
    }

    #[test]
    fn each_change_is_one_switch_more() {
        let mut history = History::default();
        history.add(&Steps(IndexVec::from_iter([5, 5])));
        for seed in 0..200 {
            for depth in 1..=DEEPEST {
                let mut random = Generator::new(seed);
                let pct = Priorities::new(depth, &history, &mut random);
                let found = schedule(&mut Sampler::Priorities(pct), [5, 5], &mut random);
                let switches = found.windows(2).filter(|w| w[0] != w[1]).count();
                assert!(switches <= depth as usize, "{found:?}");
            }
        }
    }

    /// Of 5 and 5 steps there are 252 interleavings; with 40 runs each, all should be seen, about
    /// equally often.
    #[test]
    fn interleavings_are_equally_likely() {
        let mut history = History::default();
        history.add(&Steps(IndexVec::from_iter([5, 5])));
        let mut random = Generator::new(7);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..252 * 40 {
            let mut uniform = Sampler::Uniform(Uniform::new(&history));
            *seen
                .entry(schedule(&mut uniform, [5, 5], &mut random))
                .or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 252);
        assert!(seen.values().all(|n| (15..=75).contains(n)), "{seen:?}");
    }

    #[test]
    fn a_thread_that_waits_in_a_loop_lets_others_go_on() {
        let mut random = Generator::new(3);
        let pct = Priorities::new(1, &History::default(), &mut random);
        let found = schedule(&mut Sampler::Priorities(pct), [1000, 1000], &mut random);
        let first_switch = found.windows(2).position(|w| w[0] != w[1]);
        assert_eq!(first_switch, Some(MOST_IN_A_ROW as usize - 1));
    }
}

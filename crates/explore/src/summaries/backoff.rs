//! When to make no summaries for a while. Making one costs many times what a step costs; where
//! nothing can be pruned that buys nothing.
//!
//! A *trial* is an amount of work that is spent on summaries. If too few runs are pruned meanwhile,
//! a rest follows, so much longer that trials take a small part of the whole. Then comes a trial
//! twice as long: what pays off only in large subtrees gets its chance. Everything is counted,
//! nothing timed, so that searches stay deterministic. The unit of work is a step of the search,
//! roughly.

/// A pruned run is worth so much work. That is generous: it may stand for very many, and searches
/// that prune at all are not disturbed.
const WORTH_OF_A_RUN: u64 = 1 << 16;

/// A rest lasts so many steps for each unit of work before it: trials cost a tenth.
const REST: u64 = 10;

/// Taking conditions back over a step costs as much as so many steps, and so many nodes of them
/// cost one more (measured on `benches/summaries`).
const STEPS: u64 = 8;
const NODES: u64 = 6;

/// A trial lasts at least for so many runs: before some have ended there are no summaries to prune
/// by.
const RUNS: u32 = 16;

/// So many times the work of a trial may be spent between two points.
const LONGEST: u64 = 64;

pub struct Rest {
    /// Work of a trial; 0: there is no rest.
    trial: u64,
    /// Work of this trial.
    spent: u64,
    /// Runs that were pruned before it.
    pruned: u64,
    /// Runs that have ended in this trial, pruned or not.
    runs: u32,
    /// Points until the end of the rest.
    left: u64,
}

impl Rest {
    pub fn new(trial: u64) -> Rest {
        Rest {
            trial,
            spent: 0,
            pruned: 0,
            runs: 0,
            left: 0,
        }
    }

    pub fn is_on(&self) -> bool {
        self.left > 0
    }

    /// Conditions with so many nodes were taken back over a step.
    pub fn spend(&mut self, nodes: u32) {
        self.spent += STEPS + u64::from(nodes) / NODES;
    }

    /// A run has ended, or was pruned.
    pub fn end_run(&mut self) {
        self.runs = self.runs.saturating_add(1);
    }

    /// A point is reached; so many runs were pruned up to now. Whether a rest begins here.
    pub fn begins_at(&mut self, pruned: u64) -> bool {
        if self.left > 0 {
            self.left -= 1;
            self.pruned = pruned;
            return false;
        }
        let has_had_its_chance = self.runs >= RUNS || self.is_overdue(pruned);
        if !self.is_over(self.trial) || !has_had_its_chance {
            return false;
        }
        let pays_off = self.pays_off(pruned);
        if !pays_off {
            self.left = REST.saturating_mul(self.spent);
            self.trial = self.trial.saturating_mul(2);
        }
        (self.spent, self.pruned, self.runs) = (0, pruned, 0);
        !pays_off
    }

    /// The way back from the end of a long execution may cost many trials before another point is
    /// reached. Whether it is not worth while to go on with it.
    pub fn is_overdue(&self, pruned: u64) -> bool {
        self.is_over(self.trial.saturating_mul(LONGEST)) && !self.pays_off(pruned)
    }

    fn is_over(&self, trial: u64) -> bool {
        trial != 0 && self.spent >= trial
    }

    fn pays_off(&self, pruned: u64) -> bool {
        let gained = (pruned - self.pruned).saturating_mul(WORTH_OF_A_RUN);
        gained >= self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points at which rests begin, and the work in all, if summaries of so many nodes are made
    /// and every so many points a run is pruned.
    fn is_backing_off(points: u64, nodes: u32, per_run: u64) -> (Vec<u64>, u64) {
        let mut rest = Rest::new(1000);
        let (mut begin, mut work) = (Vec::new(), 0);
        for point in 1..=points {
            if rest.begins_at(point / per_run) {
                begin.push(point);
            }
            rest.end_run();
            if !rest.is_on() {
                rest.spend(nodes);
                work += STEPS + u64::from(nodes) / NODES;
            }
        }
        (begin, work)
    }

    #[test]
    fn where_nothing_is_pruned_trials_are_short_and_grow() {
        // Each point costs ten units: a trial of 100 points, 10,000 of rest, a trial of 200, 20,000
        // of rest, ...
        let (begin, work) = is_backing_off(100_000, 12, u64::MAX);
        assert_eq!(begin, [101, 10_301, 30_701, 71_501]);
        assert!(work <= 100_000 / REST + 8000);
    }

    #[test]
    fn what_costs_more_is_tried_for_fewer_points() {
        assert_eq!(is_backing_off(30_000, 552, u64::MAX).0, [17, 16_037]);
    }

    #[test]
    fn where_enough_is_pruned_there_is_no_rest() {
        assert_eq!(is_backing_off(100_000, 12, 90).0, []);
        assert!(!is_backing_off(100_000, 12, 200).0.is_empty());
    }

    #[test]
    fn long_runs_are_not_judged_before_some_have_ended() {
        let mut rest = Rest::new(1000);
        for _ in 0..RUNS {
            assert!(!rest.begins_at(0));
            (0..200).for_each(|_| rest.spend(12));
            rest.end_run();
        }
        assert!(rest.begins_at(0));
    }

    #[test]
    fn a_way_back_is_given_up_after_many_trials() {
        let mut rest = Rest::new(1000);
        let steps = (0..).take_while(|_| {
            rest.spend(12);
            !rest.is_overdue(0)
        });
        assert_eq!(steps.count() as u64, LONGEST * 1000 / 10 - 1);
        assert!(!rest.is_overdue(1));
    }

    #[test]
    fn a_trial_of_no_length_is_endless() {
        let mut rest = Rest::new(0);
        rest.spend(u32::MAX);
        assert!((0..1000).all(|_| !rest.begins_at(0)));
        assert!(!rest.is_overdue(0));
    }
}

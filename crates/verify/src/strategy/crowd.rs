//! Programs that make more threads than there is room for, mostly without end: servers, and tests
//! of what any number of threads does.
//!
//! Such a program cannot be proved safe by following its executions. But what goes wrong in it
//! mostly goes wrong with few threads, and a search among a hundred comes to it late, or never. So
//! once a thread had to stand still, the search is left, and others are made in which only so many
//! threads are made as [`CROWDS`] says, each with an attack first. They are short in the first
//! pass, and longer in each that follows.
//!
//! What they find is real: a thread that stands still is one that is never scheduled again. They
//! prove nothing, since more threads may do more.

use std::time::Duration;

use explore::Outcome;
use machine::Config;

use super::{Attack, Attacking};
use crate::check::Options;
use crate::relevance::Subject;
use crate::rivals::Decided;

/// So many threads are made, `main` among them: most bugs need two or three others, some a few
/// more.
const CROWDS: [u32; 6] = [2, 3, 4, 5, 6, 8];

/// What a pass takes at most, if nobody sets a limit; there are as many passes as these.
const PASSES: [Duration; 3] = [
    Duration::from_secs(2),
    Duration::from_secs(8),
    Duration::from_secs(32),
];

impl Attacking<'_, '_> {
    /// Looks for bugs that need few threads. The number of threads of which everything was
    /// searched, if there is one.
    pub(super) fn attack_with_few_threads(&mut self) -> Option<u32> {
        let mut covered = None;
        for (pass, longest) in PASSES.iter().enumerate() {
            let is_last = pass + 1 == PASSES.len();
            let left = self.time_left();
            let time = match left {
                Some(left) if is_last => left,
                Some(left) => left.min(*longest),
                None => *longest,
            };
            let open = CROWDS.iter().filter(|c| covered < Some(**c));
            let open: Vec<u32> = open.copied().collect();
            for threads in &open {
                let slice = time / open.len() as u32;
                if self.attack_with_threads(*threads, slice) {
                    covered = Some(*threads);
                }
                if !matches!(self.attack, Attack::Done) || self.is_time_up() {
                    return covered;
                }
            }
        }
        covered
    }

    /// Whether everything that so many threads can do was searched.
    fn attack_with_threads(&mut self, threads: u32, slice: Duration) -> bool {
        let options = Options {
            machine: Config {
                threads: Some(threads),
                ..self.options.machine.clone()
            },
            ..self.options.clone()
        };
        // As much for runs at random and few preemptions as for everything.
        let found = match self.attack_on(&options, slice / 2) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => self.within(&options, slice / 2, &mut |program, options, monitor| {
                explore::search(program, options, monitor)
            }),
            Err(why) => Err(why),
        };
        match found {
            Err(why) => {
                self.attack = Attack::Failed(why);
                false
            }
            Ok(outcome) if outcome.found.is_empty() => {
                outcome.stopped.is_none() && outcome.cut_off.is_empty()
            }
            Ok(outcome) => {
                self.decide(outcome, options);
                false
            }
        }
    }

    fn decide(&mut self, outcome: Outcome, options: Options) {
        self.attack = Attack::Decided(Box::new(Decided {
            outcome,
            subject: Subject::of(self.loaded, &options),
            options,
        }));
    }

    fn time_left(&self) -> Option<Duration> {
        let limit = self.options.time_limit?;
        Some(limit.saturating_sub(self.monitor.start.elapsed()))
    }

    /// Or somebody does not want to wait.
    fn is_time_up(&self) -> bool {
        self.is_interrupted() || self.time_left().is_some_and(|left| left.is_zero())
    }
}

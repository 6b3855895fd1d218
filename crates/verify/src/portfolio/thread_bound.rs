//! Programs that make more threads than there is room for, mostly without end: servers, and tests
//! of what any number of threads does.
//!
//! Such a program cannot be proved safe by following its executions. But what goes wrong in it
//! mostly goes wrong with few threads, and a search among a hundred comes to it late, or never. So
//! once a thread had to stand still, the search is left, and others are made in which only so many
//! threads are made as [`BOUNDS`] says, each with a bug hunt first. They are short in the first
//! pass, and longer in each that follows.
//!
//! What they find is real: a thread that stands still is one that is never scheduled again. They
//! prove nothing, since more threads may do more.

use std::sync::atomic::Ordering;
use std::time::Duration;

use machine::Config;

use super::{Table, bug_hunt};
use crate::Internal;
use crate::engine::{Answer, Task};
use crate::engines::explore::Explorer;

/// So many threads are made, `main` among them: most bugs need two or three others, some a few
/// more.
const BOUNDS: [u32; 6] = [2, 3, 4, 5, 6, 8];

/// What a pass takes at most, if nobody sets a limit; there are as many passes as these.
const PASSES: [Duration; 3] = [
    Duration::from_secs(2),
    Duration::from_secs(8),
    Duration::from_secs(32),
];

pub(super) enum Found {
    Bug(Box<Answer>),
    /// Everything was searched with at most so many threads, if with any bound.
    Nothing {
        covered: Option<u32>,
    },
}

impl Table<'_, '_, '_> {
    /// Looks for bugs that need few threads.
    pub(super) fn search_with_few_threads(&mut self) -> Result<Found, Internal> {
        let mut covered = None;
        for (pass, longest) in PASSES.iter().enumerate() {
            let is_last = pass + 1 == PASSES.len();
            let time = match self.time_left() {
                Some(left) if is_last => left,
                Some(left) => left.min(*longest),
                None => *longest,
            };
            let open = BOUNDS.iter().filter(|bound| covered < Some(**bound));
            let open: Vec<u32> = open.copied().collect();
            for threads in &open {
                let answer = self.search_with_threads(*threads, time / open.len() as u32)?;
                if !answer.candidates.is_empty() {
                    return Ok(Found::Bug(Box::new(answer)));
                }
                if answer.coverage.stopped.is_none() && answer.coverage.cut_off.is_empty() {
                    covered = Some(*threads);
                }
                if self.is_time_up() {
                    return Ok(Found::Nothing { covered });
                }
            }
        }
        Ok(Found::Nothing { covered })
    }

    /// As much time for runs at random and few preemptions as for everything.
    fn search_with_threads(&mut self, threads: u32, time: Duration) -> Result<Answer, Internal> {
        let task = Task {
            machine: Config {
                threads: Some(threads),
                ..self.task.machine.clone()
            },
            ..self.task.clone()
        };
        if let Some(found) = bug_hunt::run(self.portfolio, &task, time / 2, self.inner)? {
            return Ok(found);
        }
        let main = Explorer::new(self.portfolio.main.clone()).without_one_schedule();
        bug_hunt::run_within(&main, &task, time / 2, self.inner)
    }

    fn time_left(&self) -> Option<Duration> {
        let limit = self.task.time_limit?;
        Some(limit.saturating_sub(self.start.elapsed()))
    }

    /// Or somebody does not want to wait.
    fn is_time_up(&self) -> bool {
        self.task.interrupt.load(Ordering::Relaxed)
            || self.time_left().is_some_and(|left| left.is_zero())
    }
}

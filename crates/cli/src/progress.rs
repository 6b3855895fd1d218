//! The progress line: on a terminal only, redrawn a few times a second, gone at the end.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use verify::{Phase, Progress, Watcher};

const REDRAW: Duration = Duration::from_millis(100);

pub struct ProgressLine {
    active: bool,
    drawn: Option<Duration>,
}

impl ProgressLine {
    pub fn new(quiet: bool) -> ProgressLine {
        ProgressLine {
            active: !quiet && std::io::stderr().is_terminal(),
            drawn: None,
        }
    }
}

impl Watcher for ProgressLine {
    fn progress(&mut self, progress: Progress) {
        let due = self
            .drawn
            .is_none_or(|last| progress.elapsed >= last + REDRAW);
        // The first tenth of a second shows nothing: most checks are over by then.
        if self.active && due && progress.elapsed >= REDRAW {
            self.drawn = Some(progress.elapsed);
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", text(progress));
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn text(progress: Progress) -> String {
    let seconds = progress.elapsed.as_secs_f64();
    let rate = progress.runs as f64 / seconds.max(0.001);
    let phase = match progress.phase {
        Phase::Exhaustive => String::new(),
        Phase::Preemptions(1) => "at most 1 preemption: ".to_string(),
        Phase::Preemptions(bound) => format!("at most {bound} preemptions: "),
        Phase::Random => "at random: ".to_string(),
    };
    format!(
        "{phase}{} runs, depth {}, {rate:.0} runs/s, {seconds:.1} s",
        progress.runs, progress.depth
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_far_it_is() {
        let mut progress = Progress {
            phase: Phase::Exhaustive,
            runs: 3000,
            depth: 12,
            elapsed: Duration::from_millis(1500),
        };
        assert_eq!(text(progress), "3000 runs, depth 12, 2000 runs/s, 1.5 s");
        progress.phase = Phase::Preemptions(2);
        assert!(text(progress).starts_with("at most 2 preemptions: 3000 runs"));
        progress.phase = Phase::Random;
        assert!(text(progress).starts_with("at random: 3000 runs"));
    }
}

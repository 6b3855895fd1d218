//! The progress line: on a terminal only, redrawn a few times a second, gone at the end.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use verify::{Phase, Progress, SolverStats, TraceStatistics, Watcher};

use crate::output;

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
    fn wants_estimate(&self) -> bool {
        self.active
    }

    fn progress(&mut self, progress: Progress) {
        let due = self
            .drawn
            .is_none_or(|last| progress.elapsed >= last + REDRAW);
        // The first tenth of a second shows nothing: most checks are over by then.
        if self.active && due && progress.elapsed >= REDRAW {
            self.drawn = Some(progress.elapsed);
            // A line that is too long would be left behind.
            let mut line = text(progress);
            line.truncate(output::width().saturating_sub(1));
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
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
        Phase::Hunt => "hunting: ".to_string(),
        Phase::Trace => {
            let formula = progress.trace.map_or(String::new(), formula);
            return format!(
                "{} runs{formula}, {}",
                grouped(progress.runs),
                time(seconds)
            );
        }
    };
    let runs = grouped(progress.runs);
    let is_all = progress.phase == Phase::Exhaustive;
    // An estimate that has come to its end was too low, and there is no better one.
    let done = progress.runs as f64;
    let is_of_use = |expected: &f64| is_all && done > 0.0 && *expected > ESTIMATE_ENDS * done;
    let search = match progress.expected.filter(is_of_use) {
        Some(expected) => format!(
            "{runs} executions, about {} expected, {} left",
            about(expected),
            time((expected - done) / rate)
        ),
        None => format!(
            "{phase}{runs} executions, {}/s, {}",
            grouped(rate as u64),
            time(seconds)
        ),
    };
    search + &progress.trace.map_or(String::new(), formula)
}

/// How far the trace engine is.
fn formula((trace, solver): (TraceStatistics, SolverStats)) -> String {
    format!(
        "; {} edges, {} open, {} queries in {}",
        grouped(trace.edges as u64),
        grouped(trace.open_exits as u64),
        grouped(solver.queries),
        time(solver.time.as_secs_f64())
    )
}

/// An estimate that is not this much above what is done says nothing.
const ESTIMATE_ENDS: f64 = 1.1;

/// With a comma every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Two digits are more than an estimate is good for.
pub fn about(number: f64) -> String {
    if number >= 1e15 {
        return format!("{number:.0e}");
    }
    let scale = 10f64.powi((number.max(1.0).log10().floor() as i32 - 1).max(0));
    grouped(((number / scale).round() * scale) as u64)
}

fn time(seconds: f64) -> String {
    const DAY: f64 = 86_400.0;
    if seconds >= 1000.0 * DAY {
        return "years".to_string();
    }
    if seconds >= 2.0 * DAY {
        return format!("{:.0} days", seconds / DAY);
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
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
            expected: None,
            summaries: None,
            trace: None,
        };
        assert_eq!(text(progress), "3,000 executions, 2,000/s, 0:02");
        progress.expected = Some(13_217.0);
        assert_eq!(
            text(progress),
            "3,000 executions, about 13,000 expected, 0:05 left"
        );
        progress.expected = Some(3e9);
        assert!(text(progress).ends_with("about 3,000,000,000 expected, 17 days left"));
        progress.expected = Some(3_001.0);
        assert_eq!(text(progress), "3,000 executions, 2,000/s, 0:02");
        progress.phase = Phase::Preemptions(2);
        assert!(text(progress).starts_with("at most 2 preemptions: 3,000 executions"));
        progress.phase = Phase::Random;
        assert!(text(progress).starts_with("at random: 3,000 executions"));
        progress.phase = Phase::Exhaustive;
        let trace = TraceStatistics {
            edges: 1200,
            open_exits: 3,
            ..TraceStatistics::default()
        };
        let solver = SolverStats {
            queries: 14,
            time: Duration::from_millis(600),
            ..SolverStats::default()
        };
        progress.trace = Some((trace, solver));
        let formula = "; 1,200 edges, 3 open, 14 queries in 0:01";
        assert_eq!(
            text(progress),
            format!("3,000 executions, 2,000/s, 0:02{formula}")
        );
        progress.phase = Phase::Trace;
        assert_eq!(text(progress), format!("3,000 runs{formula}, 0:02"));
    }
}

//! A table as text. Two lines a program: the paper's and ours, runs and seconds for each
//! configuration. What was not finished is marked: `>60`.

use std::fmt::Write;

use crate::MeasuredRow;
use crate::table::Table;

const NAME: usize = 16;
const CELL: usize = 21;

pub fn head(table: &Table) -> String {
    let mut text = format!("{}\n\n{:NAME$}       ", table.about, "");
    for configuration in &table.configurations {
        let _ = write!(text, "{:>CELL$}", configuration.name);
    }
    let _ = write!(text, "\n{:NAME$}       ", "");
    for _ in &table.configurations {
        let _ = write!(text, "{:>CELL$}", "runs    seconds");
    }
    text.push('\n');
    text
}

pub fn row(result: &MeasuredRow) -> String {
    let mut text = format!("{:NAME$} paper ", result.row.name);
    for paper in &result.row.paper {
        let runs = paper.runs.map_or("-".to_string(), |runs| runs.to_string());
        text.push_str(&cell(&runs, paper.time_s, paper.runs.is_some()));
    }
    text.push('\n');
    if result.measured.is_empty() {
        return text;
    }
    let _ = write!(text, "{:NAME$} Sleave", "");
    for measured in &result.measured {
        let mark = if measured.finished { "" } else { ">" };
        let runs = format!("{mark}{}", measured.runs);
        text.push_str(&cell(&runs, measured.time_s, measured.finished));
    }
    let mut verdicts: Vec<&str> = result.measured.iter().map(|m| &*m.verdict).collect();
    verdicts.dedup();
    let _ = writeln!(text, "  {}", verdicts.join(", "));
    text
}

/// Over the programs that were measured.
pub fn sums(results: &[MeasuredRow], configurations: usize) -> String {
    let measured = || results.iter().filter(|result| !result.measured.is_empty());
    let papers = measured().map(|r| r.row.paper.len()).min().unwrap_or(0);
    let mut text = format!("{:NAME$} paper ", "all of them");
    for k in 0..papers {
        let cells = || measured().map(|result| result.row.paper[k]);
        let finished = cells().all(|cell| cell.runs.is_some());
        let runs: u64 = cells().filter_map(|cell| cell.runs).sum();
        let seconds = cells().map(|cell| cell.time_s).sum();
        text.push_str(&sum(runs, seconds, finished));
    }
    let _ = write!(text, "\n{:NAME$} Sleave", "");
    for k in 0..configurations {
        let cells = || measured().map(|result| &result.measured[k]);
        let finished = cells().all(|cell| cell.finished);
        let runs = cells().map(|cell| cell.runs).sum();
        let seconds = cells().map(|cell| cell.time_s).sum();
        text.push_str(&sum(runs, seconds, finished));
    }
    text.push('\n');
    text
}

pub fn foot(table: &Table) -> String {
    let mut text = "\n".to_string();
    for configuration in &table.configurations {
        let _ = writeln!(text, "{}: {}", configuration.name, configuration.flags);
    }
    let _ = writeln!(text, "\n{}", table.notes);
    text
}

fn sum(runs: u64, seconds: f64, finished: bool) -> String {
    let mark = if finished { "" } else { ">" };
    cell(&format!("{mark}{runs}"), seconds, finished)
}

fn cell(runs: &str, seconds: f64, finished: bool) -> String {
    let mark = if finished { "" } else { ">" };
    let seconds = format!("{mark}{seconds:.3}");
    format!("{:>CELL$}", format!("{runs} {seconds:>10}"))
}

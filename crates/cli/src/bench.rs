//! `sleave bench`: the tables of the papers, their figures beside ours. The programs are part of the binary.

mod p4;

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use clap::Parser;
use serde::Serialize;
use verify::{Loaded, Quiet, Runs, Verdict};

use crate::check;
use crate::exit::{Exit, fault_text};
use crate::flags::{BenchFlags, Command, Flags, Format};
use crate::output;

/// A table of a paper.
struct Table {
    name: &'static str,
    about: &'static str,
    configurations: &'static [Configuration],
    rows: &'static [Row],
    notes: &'static str,
}

/// A column of it.
struct Configuration {
    name: &'static str,
    /// Of `sleave check`.
    flags: &'static str,
}

/// A program, and what the paper says of it for each configuration.
struct Row {
    name: &'static str,
    file: &'static str,
    source: &'static str,
    clang_flags: &'static [&'static str],
    paper: &'static [Paper],
}

#[derive(Clone, Copy, Serialize)]
struct Paper {
    runs: u64,
    time_s: f64,
}

const TABLES: &[Table] = &[p4::TABLE];

/// What became of one program in one configuration.
#[derive(Serialize)]
struct Measured {
    configuration: &'static str,
    flags: &'static str,
    /// `safe`, `bug`, or why it is unknown.
    verdict: String,
    /// Executions, complete or not.
    runs: u64,
    time_s: f64,
}

pub fn run(flags: &BenchFlags) -> Exit {
    let Some(name) = &flags.table else {
        let mut text = String::new();
        for table in TABLES {
            let _ = writeln!(text, "{:4} {}", table.name, table.about);
        }
        output::print(&text);
        return Exit::Safe;
    };
    let Some(table) = TABLES.iter().find(|table| table.name == name) else {
        let names: Vec<_> = TABLES.iter().map(|table| table.name).collect();
        output::error(&format!("no table {name}: there is {}", names.join(", ")));
        return Exit::Usage;
    };
    let mut results = Vec::new();
    for row in table.rows {
        match measure(table, row, flags) {
            Ok(measured) => results.push(measured),
            Err(message) => {
                output::error(&format!("{}: {message}", row.name));
                return Exit::Fault;
            }
        }
    }
    output::print(&match flags.format {
        Format::Json => json(table, &results),
        Format::Text => text(table, &results),
    });
    Exit::Safe
}

/// One result for each configuration.
fn measure(table: &Table, row: &Row, flags: &BenchFlags) -> Result<Vec<Measured>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file = folder.path().join(row.file);
    std::fs::write(&file, row.source).map_err(|e| e.to_string())?;
    let clang_flags: Vec<String> = row.clang_flags.iter().map(ToString::to_string).collect();
    let loaded =
        verify::load(std::slice::from_ref(&file), &clang_flags).map_err(|e| e.to_string())?;
    let measure = |configuration: &Configuration| {
        let (verdict, runs, time_s) = search(&loaded, &file, configuration.flags, flags)?;
        Ok(Measured {
            configuration: configuration.name,
            flags: configuration.flags,
            verdict,
            runs: runs.complete + runs.blocked,
            time_s,
        })
    };
    table.configurations.iter().map(measure).collect()
}

/// As `sleave check` does it: to the first bug.
fn search(
    loaded: &Loaded,
    file: &Path,
    of_check: &str,
    flags: &BenchFlags,
) -> Result<(String, Runs, f64), String> {
    let words = ["sleave", "check", "--no-attack"].into_iter();
    let words = words.chain(of_check.split_whitespace());
    let words = words.map(Into::into).chain([file.as_os_str().to_owned()]);
    let parsed = Flags::try_parse_from(words).map_err(|e| e.to_string())?;
    let Command::Check(parsed) = parsed.command else {
        unreachable!("the first word says `check`");
    };
    let mut options = check::options(&parsed)?;
    options.time_limit = Some(flags.time_limit);
    let start = Instant::now();
    let checked = verify::check(loaded, &options, &mut Quiet)
        .map_err(|fault| fault_text(&fault.to_string()))?;
    let time = start.elapsed().as_secs_f64();
    let verdict = match checked.verdict {
        Verdict::Safe => "safe".to_string(),
        Verdict::Bug(_) => "bug".to_string(),
        Verdict::Unknown(reason) => reason.name,
    };
    Ok((verdict, checked.outcome.runs, time))
}

#[derive(Serialize)]
struct JsonTable<'a> {
    table: &'static str,
    rows: Vec<JsonRow<'a>>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    program: &'static str,
    paper: &'a [Paper],
    sleave: &'a [Measured],
}

fn json(table: &Table, results: &[Vec<Measured>]) -> String {
    let rows = table.rows.iter().zip(results);
    let rows = rows.map(|(row, measured)| JsonRow {
        program: row.name,
        paper: row.paper,
        sleave: measured,
    });
    let report = JsonTable {
        table: table.name,
        rows: rows.collect(),
    };
    let mut text = serde_json::to_string(&report).expect("a table is plain data");
    text.push('\n');
    text
}

/// Two lines a program: the paper's and ours, runs and seconds for each configuration.
fn text(table: &Table, results: &[Vec<Measured>]) -> String {
    const NAME: usize = 16;
    const CELL: usize = 17;
    let mut text = format!("{}\n\n{:NAME$}       ", table.about, "");
    for configuration in table.configurations {
        let _ = write!(text, "{:>CELL$}", configuration.name);
    }
    let heads = table.configurations.iter().map(|_| "runs   seconds");
    let _ = write!(text, "\n{:NAME$}       ", "");
    heads.for_each(|head| {
        let _ = write!(text, "{head:>CELL$}");
    });
    text.push('\n');
    for (row, measured) in table.rows.iter().zip(results) {
        let cell = |runs: &str, seconds: f64| format!("{runs} {seconds:>9.3}");
        let _ = write!(text, "{:NAME$} paper ", row.name);
        for paper in row.paper {
            let cell = cell(&paper.runs.to_string(), paper.time_s);
            let _ = write!(text, "{cell:>CELL$}");
        }
        let _ = write!(text, "\n{:NAME$} Sleave", "");
        for measured in measured {
            let cell = match &*measured.verdict {
                "safe" | "bug" => cell(&measured.runs.to_string(), measured.time_s),
                _ => "unknown".to_string(),
            };
            let _ = write!(text, "{cell:>CELL$}");
        }
        let verdicts = measured.iter().map(|m| &*m.verdict);
        let mut verdicts: Vec<_> = verdicts.collect();
        verdicts.dedup();
        let _ = writeln!(text, "  {}", verdicts.join(", "));
    }
    text.push('\n');
    for configuration in table.configurations {
        let _ = writeln!(text, "{}: {}", configuration.name, configuration.flags);
    }
    let _ = writeln!(text, "\n{}", table.notes);
    text
}

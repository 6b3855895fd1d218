//! Tables of papers and what was measured for them, as data.

use serde::Serialize;

/// A table of a paper.
pub struct Table {
    pub name: &'static str,
    pub about: &'static str,
    pub configurations: Vec<Configuration>,
    pub rows: Vec<Row>,
    pub notes: &'static str,
    /// Figures that compare two configurations, row by row.
    pub scatters: Vec<Scatter>,
    /// A program of growing size, for one more figure: as a row for each size.
    pub growth: Vec<Row>,
}

/// A column of it. Those that are not in the paper come last.
#[derive(Clone, Copy)]
pub struct Configuration {
    pub name: &'static str,
    /// Of `sleave check`.
    pub flags: &'static str,
}

/// A program, and what the paper says of it for each configuration.
pub struct Row {
    pub name: &'static str,
    pub size: Option<Size>,
    /// Ours. Those of others are not in here, and are not measured.
    pub program: Option<Program>,
    pub paper: Vec<Paper>,
}

/// What the paper says of a program.
#[derive(Clone, Copy, Serialize)]
pub struct Size {
    pub lines: u32,
    pub threads: u32,
}

pub struct Program {
    pub file: &'static str,
    pub source: &'static str,
    pub clang_flags: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Paper {
    /// Nothing: it was not done after that time.
    pub runs: Option<u64>,
    pub time_s: f64,
}

/// A figure of the paper: configuration `y` against configuration `x`, in runs and in time.
pub struct Scatter {
    pub figure: u32,
    pub x: usize,
    pub y: usize,
}

/// A row of a table, and what was measured: one for each configuration that was asked for, or
/// nothing if the program is not ours to ship.
pub struct MeasuredRow {
    pub row: Row,
    pub measured: Vec<Measured>,
}

/// What became of one program in one configuration.
#[derive(Serialize)]
pub struct Measured {
    pub configuration: &'static str,
    pub flags: &'static str,
    /// `safe`, `bug`, or why it is unknown.
    pub verdict: String,
    /// The search came to its end, at the first bug or with `--all` when all was done. Otherwise,
    /// so much was done in that time.
    pub finished: bool,
    /// Executions, complete or not.
    pub runs: u64,
    pub time_s: f64,
}

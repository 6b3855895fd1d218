//! Tables of papers and what was measured for them, as data.

use serde::Serialize;

/// A table of a paper.
pub struct Table {
    pub name: &'static str,
    pub about: &'static str,
    pub quantity: Quantity,
    pub configurations: Vec<Configuration>,
    pub rows: Vec<Row>,
    pub notes: &'static str,
    /// Figures that compare two configurations, row by row.
    pub scatters: Vec<Scatter>,
    pub growth: Vec<Growth>,
}

impl Table {
    pub fn has_figures(&self) -> bool {
        !self.scatters.is_empty() || !self.growth.is_empty()
    }
}

/// What it costs to check a program, beside time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Runs,
    /// The most that a process ever held: each measurement is made in a process of its own.
    Memory,
    /// What a hunt has seen, with its memory: likewise in a process of its own.
    States,
}

/// A column of it. Those that are not in the paper come last.
#[derive(Clone, Copy)]
pub struct Configuration {
    pub name: &'static str,
    pub command: Command,
    /// Of that command.
    pub flags: &'static str,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `sleave check`
    Check,
    /// `sleave hunt`, for the targets of the row.
    Hunt,
}

impl Command {
    pub fn name(self) -> &'static str {
        match self {
            Command::Check => "check",
            Command::Hunt => "hunt",
        }
    }
}

/// A program, and what the paper says of it for each configuration.
pub struct Row {
    pub name: &'static str,
    pub size: Option<Size>,
    /// Ours. Those of others are not in here, and are not measured.
    pub program: Option<Program>,
    /// `None`: the paper does not say.
    pub paper: Vec<Option<Cost>>,
}

/// What the paper says of a program.
#[derive(Clone, Copy, Serialize)]
pub struct Size {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    pub threads: u32,
    /// Steps of the longest execution that is looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

pub struct Program {
    pub file: &'static str,
    pub source: &'static str,
    /// Files beside it that it includes: names and contents.
    pub headers: &'static [(&'static str, &'static str)],
    pub clang_flags: Vec<&'static str>,
    /// Where threads are to be at the same time, for a hunt. None: where an assertion fails.
    pub targets: Vec<Place>,
}

impl Program {
    /// Without headers and targets.
    pub(crate) fn new(
        file: &'static str,
        source: &'static str,
        clang_flags: Vec<&'static str>,
    ) -> Program {
        Program {
            file,
            source,
            headers: &[],
            clang_flags,
            targets: Vec::new(),
        }
    }
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: &'static str,
    pub line: usize,
}

/// What a check took. If it was not finished, it was stopped after that time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The search came to its end, at the first bug or with `--all` when all was done.
    pub finished: bool,
    /// Executions, complete or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// Of a hunt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<f64>,
    pub time_s: f64,
    /// Places of the first set of abstract traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinements: Option<u64>,
}

impl Cost {
    /// In a paper that counts runs, and gives none where a search was not done.
    pub(crate) fn of_runs(runs: Option<u64>, time_s: f64) -> Cost {
        Cost {
            finished: runs.is_some(),
            runs,
            ..Cost::unfinished(time_s)
        }
    }

    /// Likewise, in a paper that measures memory.
    pub(crate) fn of_memory(memory_mb: Option<f64>, time_s: f64) -> Cost {
        Cost {
            finished: memory_mb.is_some(),
            memory_mb,
            ..Cost::unfinished(time_s)
        }
    }

    pub(crate) fn unfinished(time_s: f64) -> Cost {
        Cost {
            finished: false,
            runs: None,
            states: None,
            memory_mb: None,
            time_s,
            trace_length: None,
            refinements: None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "for people to look at")]
    pub(crate) fn amount(&self, quantity: Quantity) -> Option<f64> {
        match quantity {
            Quantity::Runs => self.runs.map(|runs| runs as f64),
            Quantity::Memory => self.memory_mb,
            Quantity::States => self.states.map(|states| states as f64),
        }
    }
}

/// A figure of the paper: configuration `y` against configuration `x`, in runs and in time.
pub struct Scatter {
    pub figure: u32,
    pub x: usize,
    pub y: usize,
}

/// One more figure: what it costs to check one program, by its number of threads.
pub struct Growth {
    /// Of the figure, behind the table's name.
    pub file: &'static str,
    pub title: &'static str,
    /// So many of the table's configurations, the first ones.
    pub columns: usize,
    pub sizes: Sizes,
}

pub enum Sizes {
    /// The table's rows of this program.
    OfTable(&'static str),
    /// A row for each size, for this figure alone.
    Beside(Vec<Row>),
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
    #[serde(flatten)]
    pub cost: Cost,
}

//! `sleave bench`: the tables of the papers, their figures beside ours. Tables and programs are in
//! the library `benchmarks`; here they are chosen, measured and printed.

mod measure;

use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use benchmarks::{Configuration, Cost, Measured, MeasuredRow, Row, Size, Sizes, Table, text};
use serde::Serialize;

use crate::exit::Exit;
use crate::flags::{BenchFlags, Format};
use crate::last_resort::Watch;
use crate::output;
use measure::{MeasureError, measure};

/// Why nothing is measured.
#[derive(Debug, thiserror::Error)]
enum ChoiceError {
    #[error("no table {name}: there is {}", known.join(", "))]
    NoTable {
        name: String,
        known: Vec<&'static str>,
    },
    #[error("{0} has no figures: leave --plots out")]
    NoFigures(&'static str),
    #[error("no program of {table} is called {name}")]
    NoProgram { table: &'static str, name: String },
    #[error("no column {name} in {table}: there is {}", known.join(", "))]
    NoColumn {
        table: &'static str,
        name: String,
        known: Vec<&'static str>,
    },
    #[error("the figures compare all columns: --plots does not go with --column")]
    FiguresOfColumn,
}

/// Why a table is not printed to its end.
#[derive(Debug, thiserror::Error)]
enum TableError {
    #[error("{program}: {error}")]
    Measure {
        program: &'static str,
        error: Box<MeasureError>,
    },
    #[error("{}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
}

pub fn run(flags: &BenchFlags) -> Exit {
    let Some(name) = &flags.table else {
        let mut text = String::new();
        for table in benchmarks::tables() {
            let _ = writeln!(text, "{:4} {}", table.name, table.about);
        }
        output::print(&text);
        return Exit::Safe;
    };
    let mut table = match choose(name, flags) {
        Ok(table) => table,
        Err(error) => return usage(&error.to_string()),
    };
    if let Some(folder) = &flags.plots
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        return usage(&format!("{}: {error}", folder.display()));
    }
    let watch = Watch::plain();
    match print(&mut table, flags, &watch) {
        Ok(()) => watch.report(Exit::Safe, || {}),
        Err(_) if watch.is_over() => watch.report_known(),
        Err(error) => watch.report(Exit::Fault, || output::error(&error.to_string())),
    }
}

/// The table, with the rows and the configurations that were asked for.
fn choose(name: &str, flags: &BenchFlags) -> Result<Table, ChoiceError> {
    let tables = benchmarks::tables();
    let known = tables.iter().map(|table| table.name).collect();
    let mut tables = tables.into_iter();
    let Some(mut table) = tables.find(|table| table.name == name) else {
        let name = name.to_string();
        return Err(ChoiceError::NoTable { name, known });
    };
    if flags.plots.is_some() && !table.has_figures() {
        return Err(ChoiceError::NoFigures(table.name));
    }
    if let Some(only) = &flags.only {
        table.rows.retain(|row| row.name.contains(only.as_str()));
        if table.rows.is_empty() {
            return Err(ChoiceError::NoProgram {
                table: table.name,
                name: only.clone(),
            });
        }
    }
    let Some(column) = &flags.column else {
        return Ok(table);
    };
    let Some(kept) = table.configurations.iter().position(|c| c.name == column) else {
        return Err(ChoiceError::NoColumn {
            table: table.name,
            name: column.clone(),
            known: table.configurations.iter().map(|c| c.name).collect(),
        });
    };
    if flags.plots.is_some() {
        return Err(ChoiceError::FiguresOfColumn);
    }
    table.configurations = vec![table.configurations.swap_remove(kept)];
    for row in &mut table.rows {
        row.paper = row.paper.get(kept).copied().into_iter().collect();
    }
    Ok(table)
}

/// Rows are printed as they are done: some take long.
fn print(table: &mut Table, flags: &BenchFlags, watch: &Watch) -> Result<(), TableError> {
    let is_text = flags.format == Format::Text;
    let tell = |text: &str| {
        if is_text {
            output::print(text);
        }
    };
    let quantity = table.quantity;
    let measure = |row: Row, configurations: &[Configuration]| {
        let measured = measure(
            &row,
            configurations,
            quantity,
            flags.time_limit,
            watch.leash(),
        );
        match measured.map_err(Box::new) {
            Ok(measured) => Ok(MeasuredRow { row, measured }),
            Err(error) => Err(TableError::Measure {
                program: row.name,
                error,
            }),
        }
    };
    tell(&text::head(table));
    let mut results = Vec::new();
    for row in std::mem::take(&mut table.rows) {
        let result = measure(row, &table.configurations)?;
        tell(&text::row(&result, quantity));
        results.push(result);
    }
    tell(&text::sums(&results, table));
    tell(&text::foot(table));
    if let Some(folder) = &flags.plots {
        let mut beside = Vec::new();
        for growth in &mut table.growth {
            let mut measured = Vec::new();
            if let Sizes::Beside(rows) = &mut growth.sizes {
                for row in std::mem::take(rows) {
                    measured.push(measure(row, &table.configurations[..growth.columns])?);
                }
            }
            beside.push(measured);
        }
        for (name, svg) in benchmarks::draw(table, &results, &beside) {
            let path = folder.join(name);
            if let Err(error) = std::fs::write(&path, svg) {
                return Err(TableError::Write { path, error });
            }
        }
    }
    if !is_text {
        output::print(&json(table, &results));
    }
    Ok(())
}

#[derive(Serialize)]
struct JsonTable<'a> {
    table: &'static str,
    rows: Vec<JsonRow<'a>>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    program: &'a str,
    #[serde(flatten)]
    size: Option<Size>,
    paper: &'a [Option<Cost>],
    sleave: &'a [Measured],
}

fn json(table: &Table, results: &[MeasuredRow]) -> String {
    let rows = results.iter().map(|result| JsonRow {
        program: result.row.name,
        size: result.row.size,
        paper: &result.row.paper,
        sleave: &result.measured,
    });
    let report = JsonTable {
        table: table.name,
        rows: rows.collect(),
    };
    let mut text = serde_json::to_string(&report).expect("a table is plain data");
    text.push('\n');
    text
}

fn usage(message: &str) -> Exit {
    output::error(message);
    Exit::Usage
}

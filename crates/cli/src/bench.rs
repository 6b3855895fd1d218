//! `sleave bench`: the tables of the papers, their figures beside ours. Tables and programs are in
//! the library `benchmarks`; here they are chosen, measured and printed.

mod measure;

use std::fmt::Write;

use benchmarks::{Configuration, Measured, MeasuredRow, Paper, Row, Size, Table, text};
use serde::Serialize;

use crate::exit::Exit;
use crate::flags::{BenchFlags, Format};
use crate::last_resort::Watch;
use crate::output;
use measure::measure;

pub fn run(flags: &BenchFlags) -> Exit {
    let mut tables = benchmarks::tables();
    let Some(name) = &flags.table else {
        let mut text = String::new();
        for table in tables {
            let _ = writeln!(text, "{:4} {}", table.name, table.about);
        }
        output::print(&text);
        return Exit::Safe;
    };
    let Some(table) = tables.iter_mut().find(|table| table.name == name) else {
        let names: Vec<_> = tables.iter().map(|table| table.name).collect();
        return usage(&format!("no table {name}: there is {}", names.join(", ")));
    };
    if flags.plots.is_some() && table.scatters.is_empty() {
        return usage(&format!("{name} has no figures: leave --plots out"));
    }
    if let Err(message) = choose(table, flags) {
        return usage(&message);
    }
    if let Some(folder) = &flags.plots
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        return usage(&format!("{}: {error}", folder.display()));
    }
    let watch = Watch::plain();
    match print(table, flags, &watch) {
        Ok(()) => watch.report(Exit::Safe, || {}),
        Err(_) if watch.is_over() => watch.report_known(),
        Err(message) => watch.report(Exit::Fault, || output::error(&message)),
    }
}

/// Leaves the rows and the configurations that were asked for.
fn choose(table: &mut Table, flags: &BenchFlags) -> Result<(), String> {
    if let Some(only) = &flags.only {
        table.rows.retain(|row| row.name.contains(only.as_str()));
        if table.rows.is_empty() {
            return Err(format!("no program of {} is called {only}", table.name));
        }
    }
    let Some(column) = &flags.column else {
        return Ok(());
    };
    let Some(kept) = table.configurations.iter().position(|c| c.name == column) else {
        let names: Vec<_> = table.configurations.iter().map(|c| c.name).collect();
        let names = names.join(", ");
        return Err(format!(
            "no column {column} in {}: there is {names}",
            table.name
        ));
    };
    if flags.plots.is_some() {
        return Err(
            "the figures compare all columns: --plots does not go with --column".to_string(),
        );
    }
    table.configurations = vec![table.configurations.swap_remove(kept)];
    for row in &mut table.rows {
        row.paper = row.paper.get(kept).copied().into_iter().collect();
    }
    Ok(())
}

/// Rows are printed as they are done: some take long.
fn print(table: &mut Table, flags: &BenchFlags, watch: &Watch) -> Result<(), String> {
    let is_text = flags.format == Format::Text;
    let tell = |text: &str| {
        if is_text {
            output::print(text);
        }
    };
    let measure = |row: Row, configurations: &[Configuration]| {
        let measured = measure(&row, configurations, flags.time_limit, watch.leash())
            .map_err(|message| format!("{}: {message}", row.name))?;
        Ok::<_, String>(MeasuredRow { row, measured })
    };
    tell(&text::head(table));
    let mut results = Vec::new();
    for row in std::mem::take(&mut table.rows) {
        let result = measure(row, &table.configurations)?;
        tell(&text::row(&result));
        results.push(result);
    }
    tell(&text::sums(&results, table.configurations.len()));
    tell(&text::foot(table));
    if let Some(folder) = &flags.plots {
        let mut growth = Vec::new();
        for row in std::mem::take(&mut table.growth) {
            growth.push(measure(row, &table.configurations)?);
        }
        for (name, svg) in benchmarks::draw(table, &results, &growth) {
            let path = folder.join(name);
            std::fs::write(&path, svg).map_err(|e| format!("{}: {e}", path.display()))?;
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
    paper: &'a [Paper],
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

//! The figures of a table: scatter plots of two configurations, and how each grows with the size of
//! one program. Runs on the left, seconds on the right.

use crate::MeasuredRow;
use crate::plot::{Axis, Line, Mark, Panel, Point, Series, svg};
use crate::table::{Scatter, Table};

/// Files to write: names and contents.
pub fn draw(
    table: &Table,
    results: &[MeasuredRow],
    growth: &[MeasuredRow],
) -> Vec<(String, String)> {
    let scatters = table.scatters.iter();
    let mut files: Vec<_> = scatters
        .map(|scatter| {
            let panels =
                QUANTITIES.map(|quantity| scatter_panel(table, scatter, results, quantity));
            let name = format!("{}-figure-{}.svg", table.name, scatter.figure);
            (name, svg(&panels))
        })
        .collect();
    if !growth.is_empty() {
        let panels = QUANTITIES.map(|quantity| growth_panel(table, growth, quantity));
        let figure = table.scatters.iter().map(|s| s.figure).max().unwrap_or(0) + 1;
        files.push((format!("{}-figure-{figure}.svg", table.name), svg(&panels)));
    }
    files
}

/// What is counted.
#[derive(Clone, Copy)]
enum Quantity {
    Runs,
    Seconds,
}

const QUANTITIES: [Quantity; 2] = [Quantity::Runs, Quantity::Seconds];

/// Whose figures.
#[derive(Clone, Copy)]
enum Whose {
    Paper,
    Ours,
}

/// Of a configuration. Nothing if it was not finished or not measured.
fn value(result: &MeasuredRow, whose: Whose, column: usize, quantity: Quantity) -> Option<f64> {
    let (runs, seconds) = match whose {
        Whose::Paper => {
            let cell = result.row.paper.get(column)?;
            (cell.runs?, cell.time_s)
        }
        Whose::Ours => {
            let cell = result.measured.get(column).filter(|cell| cell.finished)?;
            (cell.runs, cell.time_s)
        }
    };
    Some(match quantity {
        #[expect(clippy::cast_precision_loss, reason = "for a place on paper")]
        Quantity::Runs => runs as f64,
        Quantity::Seconds => seconds,
    })
}

fn name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Runs => "runs",
        Quantity::Seconds => "seconds",
    }
}

/// A dot for each program. Those below the diagonal are better with `y`.
fn scatter_panel(
    table: &Table,
    scatter: &Scatter,
    results: &[MeasuredRow],
    quantity: Quantity,
) -> Panel {
    let axis = |column: usize| Axis::Logarithmic {
        label: format!("{}: {}", table.configurations[column].name, name(quantity)),
    };
    let series = |name: &str, whose: Whose, mark: Mark, color: &'static str| Series {
        name: name.to_string(),
        mark,
        color,
        line: Line::None,
        points: { results.iter() }
            .filter(|result| match whose {
                Whose::Paper => !result.row.paper.is_empty(),
                Whose::Ours => !result.measured.is_empty(),
            })
            .map(|result| Point {
                x: value(result, whose, scatter.x, quantity),
                y: value(result, whose, scatter.y, quantity),
                name: result.row.name.to_string(),
            })
            .collect(),
    };
    Panel {
        title: format!("Figure {}: {}", scatter.figure, name(quantity)),
        x: axis(scatter.x),
        y: axis(scatter.y),
        diagonal: true,
        series: vec![
            series("paper", Whose::Paper, Mark::Ring, PAPER),
            series("Sleave", Whose::Ours, Mark::Disc, COLORS[0]),
        ],
    }
}

/// A curve for each configuration.
fn growth_panel(table: &Table, growth: &[MeasuredRow], quantity: Quantity) -> Panel {
    let threads = |result: &MeasuredRow| result.row.size.map(|size| f64::from(size.threads));
    let series = |column: usize, whose: Whose| {
        let configuration = table.configurations[column].name;
        let (name, mark, line) = match whose {
            Whose::Paper => (format!("{configuration}, paper"), Mark::Ring, Line::Dashed),
            Whose::Ours => (format!("{configuration}, Sleave"), Mark::Disc, Line::Solid),
        };
        let points = growth.iter().filter_map(|result| {
            Some(Point {
                x: threads(result),
                y: Some(value(result, whose, column, quantity)?),
                name: format!("{} threads", threads(result)?),
            })
        });
        Series {
            name,
            mark,
            color: COLORS[column % COLORS.len()],
            line,
            points: points.collect(),
        }
    };
    let columns = 0..table.configurations.len();
    let series = columns.flat_map(|k| [series(k, Whose::Ours), series(k, Whose::Paper)]);
    let program = growth.first().map_or("", |result| result.row.name);
    let figure = table.scatters.iter().map(|s| s.figure).max().unwrap_or(0) + 1;
    Panel {
        title: format!("Figure {figure}: {program}, {}", name(quantity)),
        x: Axis::Counted {
            label: "threads".to_string(),
        },
        y: Axis::Logarithmic {
            label: name(quantity).to_string(),
        },
        diagonal: false,
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
}

const PAPER: &str = "#767676";
/// Told apart by the colour-blind as well.
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

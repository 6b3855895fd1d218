//! The figures of a table: scatter plots of two configurations, and how each grows with the size of
//! one program. Runs, memory or states on the left, seconds on the right.

use crate::MeasuredRow;
use crate::plot::{Axis, Line, Mark, Panel, Point, Series, svg};
use crate::table::{Cost, Growth, Quantity, Scatter, Sizes, Table};

/// Files to write: names and contents. `beside` are, for each growth, the sizes that are no rows of
/// the table.
pub fn draw(
    table: &Table,
    results: &[MeasuredRow],
    beside: &[Vec<MeasuredRow>],
) -> Vec<(String, String)> {
    let shown = [Shown::Amount(table.quantity), Shown::Seconds];
    let scatters = table.scatters.iter();
    let mut files: Vec<_> = scatters
        .map(|scatter| {
            let panels = shown.map(|shown| scatter_panel(table, scatter, results, shown));
            let name = format!("{}-figure-{}.svg", table.name, scatter.figure);
            (name, svg(&panels))
        })
        .collect();
    for (growth, beside) in table.growth.iter().zip(beside) {
        let rows: Vec<&MeasuredRow> = match growth.sizes {
            Sizes::Beside(_) => beside.iter().collect(),
            Sizes::OfTable(file) => { results.iter() }
                .filter(|result| { result.row.program.as_ref() }.is_some_and(|p| p.file == file))
                .collect(),
        };
        let panels = shown.map(|shown| growth_panel(table, growth, &rows, shown));
        files.push((format!("{}-{}.svg", table.name, growth.file), svg(&panels)));
    }
    files
}

/// What an axis shows.
#[derive(Clone, Copy)]
enum Shown {
    Amount(Quantity),
    Seconds,
}

impl Shown {
    fn name(self) -> &'static str {
        match self {
            Shown::Amount(Quantity::Runs) => "runs",
            Shown::Amount(Quantity::Memory) => "MB",
            Shown::Amount(Quantity::States) => "states",
            Shown::Seconds => "seconds",
        }
    }
}

/// Whose figures.
#[derive(Clone, Copy)]
enum Whose {
    Paper,
    Ours,
}

/// Of a configuration. Nothing if it was not finished or not measured.
fn value(result: &MeasuredRow, whose: Whose, column: usize, shown: Shown) -> Option<f64> {
    let cost: Cost = match whose {
        Whose::Paper => (*result.row.paper.get(column)?)?,
        Whose::Ours => result.measured.get(column)?.cost,
    };
    match shown {
        _ if !cost.finished => None,
        Shown::Amount(quantity) => cost.amount(quantity),
        Shown::Seconds => Some(cost.time_s),
    }
}

/// A dot for each program. Those below the diagonal are better with `y`.
fn scatter_panel(table: &Table, scatter: &Scatter, results: &[MeasuredRow], shown: Shown) -> Panel {
    let axis = |column: usize| Axis::Logarithmic {
        label: format!("{}: {}", table.configurations[column].name, shown.name()),
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
                x: value(result, whose, scatter.x, shown),
                y: value(result, whose, scatter.y, shown),
                name: result.row.name.to_string(),
            })
            .collect(),
    };
    Panel {
        title: format!("Figure {}: {}", scatter.figure, shown.name()),
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
fn growth_panel(table: &Table, growth: &Growth, rows: &[&MeasuredRow], shown: Shown) -> Panel {
    let threads = |result: &MeasuredRow| result.row.size.map(|size| f64::from(size.threads));
    let series = |column: usize, whose: Whose| {
        let configuration = table.configurations[column].name;
        let (name, mark, line) = match whose {
            Whose::Paper => (format!("{configuration}, paper"), Mark::Ring, Line::Dashed),
            Whose::Ours => (format!("{configuration}, Sleave"), Mark::Disc, Line::Solid),
        };
        let points = rows.iter().filter_map(|result| {
            Some(Point {
                x: threads(result),
                y: Some(value(result, whose, column, shown)?),
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
    let columns = 0..growth.columns;
    let series = columns.flat_map(|k| [series(k, Whose::Ours), series(k, Whose::Paper)]);
    Panel {
        title: format!("{}, {}", growth.title, shown.name()),
        x: Axis::Counted {
            label: "threads".to_string(),
        },
        y: Axis::Logarithmic {
            label: shown.name().to_string(),
        },
        diagonal: false,
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
}

const PAPER: &str = "#767676";
/// Told apart by the colour-blind as well.
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Measured;

    /// Of the table's rows, those of one program are points; what was not finished is none.
    #[test]
    fn growth_is_of_one_program() {
        let mut table = crate::p3::table();
        let measured = |configuration: &crate::Configuration| Measured {
            configuration: configuration.name,
            flags: configuration.flags,
            verdict: "bug".to_string(),
            cost: Cost::of_memory(Some(20.0), 1.0),
        };
        let rows = std::mem::take(&mut table.rows);
        let results: Vec<MeasuredRow> = { rows.into_iter() }
            .map(|row| MeasuredRow {
                row,
                measured: table.configurations.iter().map(measured).collect(),
            })
            .collect();
        let files = draw(&table, &results, &[Vec::new()]);
        let [(name, svg)] = files.as_slice() else {
            panic!("{} files", files.len());
        };
        assert_eq!(name, "p3-growth.svg");
        let dots = svg.matches(" threads</title>").count();
        // Two panels; 16 rows of three columns, and of the paper 8 of BMC and 16 of TDV.
        assert_eq!(dots, 2 * (3 * 16 + 8 + 16));
        assert!(svg.contains("recursion.c, MB") && svg.contains("BMC, paper"));
    }
}

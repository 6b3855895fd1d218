//! A table as text. Two lines a program: the paper's and ours, runs, memory or states, and seconds for
//! each configuration. What was not finished is marked: `>60`.

use std::fmt::Write;

use crate::MeasuredRow;
use crate::table::{Cost, Quantity, Table};

const NAME: usize = 16;
const CELL: usize = 21;
/// Memory, the length of traces and refinements, behind the states and seconds of a hunt.
const HUNT: usize = 25;

pub fn head(table: &Table) -> String {
    let mut text = format!("{}\n\n{:NAME$}       ", table.about, "");
    let width = width(table.quantity);
    for configuration in &table.configurations {
        let _ = write!(text, "{:>width$}", configuration.name);
    }
    let _ = write!(text, "\n{:NAME$}       ", "");
    for _ in &table.configurations {
        let head = match table.quantity {
            Quantity::Runs => "runs    seconds",
            Quantity::Memory => "MB    seconds",
            Quantity::States => "states    seconds     MB  length  refined ",
        };
        let _ = write!(text, "{head:>width$}");
    }
    text.push('\n');
    text
}

pub fn row(result: &MeasuredRow, quantity: Quantity) -> String {
    let mut text = format!("{:NAME$} paper ", result.row.name);
    for paper in &result.row.paper {
        text.push_str(&match paper {
            Some(cost) => cell(cost, quantity),
            None => " ".repeat(width(quantity)),
        });
    }
    text.push('\n');
    if result.measured.is_empty() {
        return text;
    }
    let _ = write!(text, "{:NAME$} Sleave", "");
    for measured in &result.measured {
        text.push_str(&cell(&measured.cost, quantity));
    }
    let mut verdicts: Vec<&str> = result.measured.iter().map(|m| &*m.verdict).collect();
    verdicts.dedup();
    let _ = writeln!(text, "  {}", verdicts.join(", "));
    text
}

/// Over the programs that were measured. Nothing for memory, which does not add up, nor for states:
/// each program is a question of its own.
pub fn sums(results: &[MeasuredRow], table: &Table) -> String {
    if table.quantity != Quantity::Runs {
        return String::new();
    }
    let measured = || results.iter().filter(|result| !result.measured.is_empty());
    let papers = measured().map(|r| r.row.paper.len()).min().unwrap_or(0);
    let mut text = format!("{:NAME$} paper ", "all of them");
    for k in 0..papers {
        let cells = measured().filter_map(|result| result.row.paper[k]);
        text.push_str(&cell(&sum(cells), Quantity::Runs));
    }
    let _ = write!(text, "\n{:NAME$} Sleave", "");
    for k in 0..table.configurations.len() {
        let cells = measured().map(|result| result.measured[k].cost);
        text.push_str(&cell(&sum(cells), Quantity::Runs));
    }
    text.push('\n');
    text
}

pub fn foot(table: &Table) -> String {
    let mut text = "\n".to_string();
    for configuration in &table.configurations {
        let (command, flags) = (configuration.command.name(), configuration.flags);
        let line = format!("{}: sleave {command} {flags}", configuration.name);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(text, "\n{}", table.notes);
    text
}

fn sum(costs: impl Iterator<Item = Cost>) -> Cost {
    let mut all = Cost::of_runs(Some(0), 0.0);
    for cost in costs {
        all.finished &= cost.finished;
        all.runs = Some(all.runs.unwrap_or(0) + cost.runs.unwrap_or(0));
        all.time_s += cost.time_s;
    }
    all
}

fn cell(cost: &Cost, quantity: Quantity) -> String {
    let mark = if cost.finished { "" } else { ">" };
    let amount = cost.amount(quantity);
    let amount = amount.map_or("-".to_string(), |amount| match quantity {
        Quantity::Runs => format!("{mark}{amount}"),
        Quantity::Memory | Quantity::States => amount.to_string(),
    });
    let seconds = format!("{mark}{:.3}", cost.time_s);
    let cell = format!("{:>CELL$}", format!("{amount} {seconds:>10}"));
    match quantity {
        Quantity::Runs | Quantity::Memory => cell,
        Quantity::States => {
            let known = |value: Option<String>| value.unwrap_or("-".to_string());
            let memory = known(cost.memory_mb.map(|mb| mb.to_string()));
            let length = known(cost.trace_length.map(|length| length.to_string()));
            let refinements = known(cost.refinements.map(|count| count.to_string()));
            format!("{cell}{memory:>7}{length:>8}{refinements:>9} ")
        }
    }
}

fn width(quantity: Quantity) -> usize {
    match quantity {
        Quantity::Runs | Quantity::Memory => CELL,
        Quantity::States => CELL + HUNT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Measured, Row};

    fn measured(cost: Cost, verdict: &str) -> Measured {
        Measured {
            configuration: "BMC",
            flags: "",
            verdict: verdict.to_string(),
            cost,
        }
    }

    #[test]
    fn memory_that_a_paper_does_not_give() {
        let row = Row {
            name: "recursion45",
            size: None,
            program: None,
            paper: vec![
                Some(Cost::of_memory(None, 3600.0)),
                None,
                Some(Cost::of_memory(Some(745.86), 77.79)),
            ],
        };
        let stopped = Cost {
            finished: false,
            ..Cost::of_memory(Some(90.0), 60.0)
        };
        let measured = vec![
            measured(stopped, "time limit"),
            measured(Cost::of_memory(Some(31.0), 1.5), "bug"),
            measured(Cost::of_memory(Some(20.0), 0.25), "bug"),
        ];
        let result = MeasuredRow { row, measured };
        assert_eq!(
            super::row(&result, Quantity::Memory),
            "\
recursion45      paper          -  >3600.000                         745.86     77.790
                 Sleave        90    >60.000        31      1.500        20      0.250  time limit, bug
"
        );
    }

    #[test]
    fn sums_are_unfinished_if_one_is() {
        let costs = [(Some(3), 0.5), (None, 1800.0)];
        let costs = costs.map(|(runs, time_s)| Cost::of_runs(runs, time_s));
        let all = sum(costs.into_iter());
        assert_eq!(cell(&all, Quantity::Runs).trim(), ">3  >1800.500");
    }
}

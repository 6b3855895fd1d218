//! P1, Table 2: Guo, Kusano, Wang, Yang and Gupta, "Assertion guided symbolic execution of
//! multithreaded programs" (FSE 2015), and its Figures 7, 8 and 9. The paper's figures are in
//! `benchmarks/p1/table2.txt`, the programs beside it.

use crate::table::{
    Command, Configuration, Cost, Growth, Program, Quantity, Row, Scatter, Size, Sizes, Table,
};

pub fn table() -> Table {
    let rows = TABLE_2.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Row> = rows
        .map(|line| parse(line).unwrap_or_else(|| panic!("`{line}` is no row of table2.txt")))
        .collect();
    Table {
        name: "p1",
        about: "Assertion guided symbolic execution (FSE 2015), Table 2: predicate summaries",
        quantity: Quantity::Runs,
        configurations: CONFIGURATIONS.to_vec(),
        growth: vec![Growth {
            file: "figure-9",
            title: "Figure 9: reorder2false",
            columns: CONFIGURATIONS.len(),
            sizes: Sizes::Beside(growth(&rows)),
        }],
        rows,
        notes: NOTES,
        scatters: vec![
            Scatter {
                figure: 7,
                x: 0,
                y: 2,
            },
            Scatter {
                figure: 8,
                x: 1,
                y: 2,
            },
        ],
    }
}

/// The paper looks for assertions that fail, and goes on when it has found one: only so do its
/// counts of programs that fail come out. The last column of the paper is beside the best that
/// there is here.
const CONFIGURATIONS: [Configuration; 3] = [
    Configuration {
        name: "Cloud9",
        command: Command::Check,
        flags: "--engine explore --all --property assertion --por none --prune none --no-slice",
    },
    Configuration {
        name: "+DPOR",
        command: Command::Check,
        flags: "--engine explore --all --property assertion --por dpor --prune none --no-slice",
    },
    Configuration {
        name: "+DPOR+AG",
        command: Command::Check,
        flags: "--engine explore --all --property assertion --por source --prune summaries --dependence predicate --peek",
    },
];

const NOTES: &str = "\
Runs are executions, complete or not; a search does not stop at a bug. `>`: not finished.
Beside +DPOR+AG stand source sets, summaries and slicing.
Seconds of Sleave are without compiling; those of the paper are of a machine of 2015.
The programs are written afresh (benchmarks/p1); their heads say what is an input, what fails and why, and where the counts come from.";

const TABLE_2: &str = include_str!("../p1/table2.txt");

/// `name lines threads (runs seconds){3} [program clang-flags*]`
fn parse(line: &'static str) -> Option<Row> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let size = Size {
        lines: Some(words.next()?.parse().ok()?),
        threads: words.next()?.parse().ok()?,
        depth: None,
    };
    let mut paper = Vec::new();
    for _ in 0..3 {
        let runs = match words.next()? {
            "-" => None,
            runs => Some(runs.parse().ok()?),
        };
        let time_s = words.next()?.parse().ok()?;
        paper.push(Some(Cost::of_runs(runs, time_s)));
    }
    let program = match words.next() {
        None => None,
        Some(file) => Some(Program::new(file, source(file)?, words.collect())),
    };
    Some(Row {
        name,
        size: Some(size),
        program,
        paper,
    })
}

/// Figure 9: one thread that sets and 1 to 7 that check. Up to four threads the paper's values are
/// those of the table; beyond, they are in its figure only.
fn growth(rows: &[Row]) -> Vec<Row> {
    const CHECKERS: [&str; 7] = [
        "-DCHECKERS=1",
        "-DCHECKERS=2",
        "-DCHECKERS=3",
        "-DCHECKERS=4",
        "-DCHECKERS=5",
        "-DCHECKERS=6",
        "-DCHECKERS=7",
    ];
    let of_table = |flag| {
        let mut rows = rows.iter();
        rows.find(|row| {
            let program = row.program.as_ref();
            program.is_some_and(|p| p.file == "reorder.c" && p.clang_flags == [flag])
        })
    };
    let sizes = CHECKERS.into_iter().zip(2..);
    sizes
        .map(|(flag, threads)| Row {
            name: "reorder2false",
            size: Some(Size {
                lines: Some(85),
                threads,
                depth: None,
            }),
            program: Some(Program::new(
                "reorder.c",
                include_str!("../p1/reorder.c"),
                vec![flag],
            )),
            paper: of_table(flag).map_or(Vec::new(), |row| row.paper.clone()),
        })
        .collect()
}

macro_rules! sources {
    ($($file:literal),* $(,)?) => {
        fn source(file: &str) -> Option<&'static str> {
            match file {
                $($file => Some(include_str!(concat!("../p1/", $file))),)*
                _ => None,
            }
        }
    };
}

sources!(
    "account.c",
    "art_example.c",
    "bluetooth.c",
    "circular_buffer.c",
    "dekker.c",
    "fib_bench.c",
    "fsbench.c",
    "indexer.c",
    "lazy.c",
    "peterson.c",
    "queue.c",
    "read_read_write.c",
    "read_write_lock.c",
    "reorder.c",
    "sigma.c",
    "singleton.c",
    "stack.c",
    "stateful.c",
    "szymanski.c",
    "ticket.c",
    "time_var_mutex.c",
    "two_stage.c",
    "unverif.c",
);

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper gives the sum of the lines and the averages of the times: the table was copied
    /// without a mistake in these.
    #[test]
    fn the_table_adds_up() {
        let table = table();
        assert_eq!(table.rows.len(), 50);
        let sizes = table.rows.iter().filter_map(|row| row.size);
        assert_eq!(sizes.filter_map(|size| size.lines).sum::<u32>(), 40_291);
        for (column, average) in [986.9, 518.5, 51.6].into_iter().enumerate() {
            let cells = table.rows.iter().filter_map(|row| row.paper[column]);
            let ours = cells.map(|cell| cell.time_s).sum::<f64>() / 50.0;
            assert!((ours - average).abs() < 0.05, "{column}: {ours}");
        }
    }

    #[test]
    fn every_small_row_has_a_program() {
        let table = table();
        let has = |row: &&Row| row.program.is_some();
        assert_eq!(table.rows.iter().filter(has).count(), 34);
        let others = table.rows.iter().filter(|row| !has(row));
        assert!(
            { others }.all(|row| row.name.starts_with("nbds") || row.name == "nedmalloc"),
            "what is not ours to ship"
        );
    }

    #[test]
    fn figure_9_goes_on_where_the_table_ends() {
        let growth = growth(&table().rows);
        let threads: Vec<u32> = growth.iter().map(|row| row.size.unwrap().threads).collect();
        assert_eq!(threads, [2, 3, 4, 5, 6, 7, 8]);
        let known: Vec<Option<u64>> = { growth.iter() }
            .filter_map(|row| row.paper.first().copied().flatten())
            .map(|cell| cell.runs)
            .collect();
        assert_eq!(known, [Some(7), Some(91), Some(2421)]);
    }
}

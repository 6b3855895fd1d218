//! P2, Table 2: Rungta, Mercer and Visser, "Efficient testing of concurrent programs with
//! abstraction-guided symbolic execution" (SPIN 2009). The programs are in `benchmarks/p2`.

use crate::table::{
    Command, Configuration, Cost, Growth, Place, Program, Quantity, Row, Size, Sizes, Table,
};

pub fn table() -> Table {
    let reorder = REORDER.map(|(name, n, flags, paper)| {
        let program = Program::new("reorder.c", include_str!("../p2/reorder.c"), words(flags));
        row(name, Some(n), program, paper)
    });
    let airline = AIRLINE.map(|(name, n, flags, paper)| {
        let program = Program::new("airline.c", include_str!("../p2/airline.c"), words(flags));
        row(name, Some(n), program, paper)
    });
    let vectors = VECTORS.map(|(name, file, source, targets, paper)| {
        let program = Program {
            headers: &HEADERS,
            targets: targets.iter().map(|target| find(*target)).collect(),
            ..Program::new(file, source, Vec::new())
        };
        row(name, None, program, paper)
    });
    Table {
        name: "p2",
        about: "Abstraction-guided symbolic execution (SPIN 2009), Table 2: the way to one fault",
        quantity: Quantity::States,
        configurations: CONFIGURATIONS.to_vec(),
        rows: { reorder.into_iter() }
            .chain(airline)
            .chain(vectors)
            .collect(),
        notes: NOTES,
        scatters: Vec::new(),
        growth: vec![
            Growth {
                file: "reorder",
                title: "Reorder (N,1)",
                columns: 1,
                sizes: Sizes::Beside(
                    SETTERS
                        .map(|(n, flag)| of_size(n, "reorder.c", flag))
                        .into(),
                ),
            },
            Growth {
                file: "airline",
                title: "Airline (N,1)",
                columns: 1,
                sizes: Sizes::Beside(
                    TICKETS
                        .map(|(n, flag)| of_size(n, "airline.c", flag))
                        .into(),
                ),
            },
        ],
    }
}

/// The paper's exhaustive search stops at the first fault, or after an hour.
const CONFIGURATIONS: [Configuration; 2] = [
    Configuration {
        name: "hunt",
        command: Command::Hunt,
        flags: "",
    },
    Configuration {
        name: "exhaustive",
        command: Command::Check,
        flags: "--engine explore --all",
    },
];

const NOTES: &str = "\
States of a hunt are choices: of a thread, a side of a branch or a reply, in all of its executions together. Those of the paper are of
Java PathFinder. The length is that of the first set of abstract traces; refinements are all that were made, of any set of traces.
Seconds of Sleave are without compiling; those of the paper are of two dual-core Xeons with 2.6 GHz, each set of traces on a machine of
its own, without the making of the abstract system. MB are the most that the process ever held, with everything but clang.
Reorder and Airline are hunted by their assertions, the Vector library by two places each, which its sources mark. Exhaustive is the
explorer with all of its reductions, to the end; the paper's, a depth-first search with partial order reduction, had found none of the
faults after an hour.
The paper prints none of its programs. Ours are written afresh (benchmarks/p2); their heads say what fails and why.";

const LIMIT_S: f64 = 3600.0;

/// States, seconds, MB, length, refinements.
type Cells = (u64, f64, f64, u64, u64);

/// The name of the row, how many threads are alike, clang's flags, and the paper's figures.
type Sized = (&'static str, u32, &'static str, Cells);

const REORDER: [Sized; 2] = [
    (
        "Reorder (9,1)",
        9,
        "-DSETTERS=9 -DCHECKERS=1",
        (205, 0.874, 7.0, 13, 1),
    ),
    (
        "Reorder (10,1)",
        10,
        "-DSETTERS=10 -DCHECKERS=1",
        (239, 0.875, 7.0, 13, 1),
    ),
];

const AIRLINE: [Sized; 3] = [
    (
        "Airline (15,3)",
        15,
        "-DTICKETS=15 -DCUSHION=3",
        (619, 0.548, 5.0, 3, 13),
    ),
    (
        "Airline (20,2)",
        20,
        "-DTICKETS=20 -DCUSHION=2",
        (1230, 0.521, 6.0, 3, 19),
    ),
    (
        "Airline (20,1)",
        20,
        "-DTICKETS=20 -DCUSHION=1",
        (1248, 0.498, 6.0, 3, 20),
    ),
];

/// A line by the words that mark it.
type Marked = (&'static str, &'static str);

/// The name of the row, file, source, targets, and the paper's figures.
type VectorRow = (&'static str, &'static str, &'static str, [Marked; 2], Cells);

const VECTORS: [VectorRow; 3] = [
    (
        "VecDeadlock0",
        "vec_deadlock0.cpp",
        include_str!("../p2/vector/vec_deadlock0.cpp"),
        [
            ("vector.h", "VecDeadlock0: both threads wait here"),
            ("vector.h", "VecDeadlock0: both threads wait here"),
        ],
        (37, 1.003, 66.0, 14, 1),
    ),
    (
        "VecDeadlock1",
        "vec_deadlock1.cpp",
        include_str!("../p2/vector/vec_deadlock1.cpp"),
        [
            ("vector.h", "VecDeadlock1: removeAll waits here"),
            ("vector.h", "VecDeadlock1: equals waits here"),
        ],
        (294, 1.005, 69.0, 15, 2),
    ),
    (
        "VecRace",
        "vec_race.cpp",
        include_str!("../p2/vector/vec_race.cpp"),
        [
            ("abstract_list.h", "VecRace: containsAll reads here"),
            ("vector.h", "VecRace: removeElement writes here"),
        ],
        (312, 1.032, 65.0, 12, 1),
    ),
];

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../p2/vector/", $name)))),*]
    };
}

const HEADERS: [(&str, &str); 15] = headers![
    "abstract_collection.h",
    "abstract_list.h",
    "array.h",
    "array_list.h",
    "collection.h",
    "collections.h",
    "comparator.h",
    "element.h",
    "exceptions.h",
    "hash_set.h",
    "iterator.h",
    "linked_list.h",
    "monitor.h",
    "synchronized.h",
    "vector.h",
];

const SETTERS: [(u32, &str); 7] = [
    (5, "-DSETTERS=5"),
    (10, "-DSETTERS=10"),
    (20, "-DSETTERS=20"),
    (40, "-DSETTERS=40"),
    (60, "-DSETTERS=60"),
    (80, "-DSETTERS=80"),
    (100, "-DSETTERS=100"),
];

const TICKETS: [(u32, &str); 7] = [
    (5, "-DTICKETS=5"),
    (10, "-DTICKETS=10"),
    (20, "-DTICKETS=20"),
    (40, "-DTICKETS=40"),
    (60, "-DTICKETS=60"),
    (80, "-DTICKETS=80"),
    (100, "-DTICKETS=100"),
];

/// For the figures: with one checker, or a cushion of one.
fn of_size(threads: u32, file: &'static str, flag: &'static str) -> Row {
    let program = match file {
        "reorder.c" => {
            let flags = vec![flag, "-DCHECKERS=1"];
            Program::new(file, include_str!("../p2/reorder.c"), flags)
        }
        _ => {
            let flags = vec![flag, "-DCUSHION=1"];
            Program::new(file, include_str!("../p2/airline.c"), flags)
        }
    };
    Row {
        name: file,
        size: Some(size(threads)),
        program: Some(program),
        paper: Vec::new(),
    }
}

fn row(name: &'static str, threads: Option<u32>, program: Program, paper: Cells) -> Row {
    let (states, time_s, memory_mb, trace_length, refinements) = paper;
    let hunt = Cost {
        finished: true,
        states: Some(states),
        memory_mb: Some(memory_mb),
        trace_length: Some(trace_length),
        refinements: Some(refinements),
        ..Cost::unfinished(time_s)
    };
    Row {
        name,
        size: threads.map(size),
        program: Some(program),
        paper: vec![Some(hunt), Some(Cost::unfinished(LIMIT_S))],
    }
}

fn size(threads: u32) -> Size {
    Size {
        lines: None,
        threads,
        depth: None,
    }
}

fn words(flags: &'static str) -> Vec<&'static str> {
    flags.split_whitespace().collect()
}

/// The line of a header that these words mark.
fn find((file, words): Marked) -> Place {
    let source = HEADERS.iter().find(|(name, _)| *name == file);
    let line = source.and_then(|(_, source)| source.lines().position(|line| line.contains(words)));
    let line = line.unwrap_or_else(|| panic!("no line of {file} is marked `{words}`"));
    Place {
        file,
        line: line + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line is marked once, and there is something to execute before the mark.
    #[test]
    fn targets_are_marked() {
        for (_, _, _, targets, _) in VECTORS {
            for (file, words) in targets {
                let marked: Vec<&str> = { HEADERS.iter() }
                    .flat_map(|(_, source)| source.lines())
                    .filter(|line| line.contains(words))
                    .collect();
                let [line] = marked.as_slice() else {
                    panic!("{file}, {words}: {marked:?}");
                };
                assert!(!line.trim().starts_with("/*"), "{line}");
            }
        }
    }

    /// What a program includes is there when it is measured.
    #[test]
    fn headers_are_complete() {
        let programs = VECTORS.iter().map(|(_, _, source, _, _)| *source);
        for source in programs.chain(HEADERS.map(|(_, source)| source)) {
            let included = source.lines().filter_map(|line| {
                let name = line.strip_prefix("#include \"")?;
                name.strip_suffix('"')
            });
            for name in included {
                assert!(HEADERS.iter().any(|(known, _)| *known == name), "{name}");
            }
        }
    }
}

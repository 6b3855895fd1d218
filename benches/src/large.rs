//! Static analysis of large programs, beside clang compiling them.
//!
//! The programs are generated: modules with records of their own in hash tables, trees and lists, tables of functions, handlers and jobs
//! with arguments of any type, one allocation function for all, and threads that work off the jobs. Every module can reach the
//! records of every other, as far as an analysis that knows no types can tell.

use std::fmt::Write;
use std::time::{Duration, Instant};

use analysis::{CallGraph, Nodes, PointsTo, Properties, Slicer, Threads};

const COMMON: &str = include_str!("../large/common.c");
const MODULE: &str = include_str!("../large/module.c");

/// Modules of the programs: 6,000, 25,000 and 100,000 lines.
const MODULES: [usize; 3] = [25, 103, 410];

pub fn run() -> anyhow::Result<()> {
    println!("Static analysis of generated programs, seconds\n");
    println!("| lines | clang | points-to | threads | slice | in all | lint | resident |");
    println!("|---|---|---|---|---|---|---|---|");
    for modules in MODULES {
        let program = program(modules);
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("large.c");
        std::fs::write(&file, &program)?;
        let loaded = verify::load(&[file], &[])?;
        let module = &*loaded.program.module;
        let start = Instant::now();
        let nodes = Nodes::of(module);
        let points_to = PointsTo::of(module, &nodes);
        let calls = CallGraph::of(module, &nodes, &points_to);
        let pointed = start.elapsed();
        let threads = Threads::of(module, &nodes, &points_to);
        let threaded = start.elapsed();
        let slicer = Slicer::new(module, &nodes, &points_to, &calls, &threads);
        slicer.relevant(default_properties());
        let sliced = start.elapsed();
        let linted = Instant::now();
        verify::lint(&loaded, verify::LintOptions::default());
        let seconds = |duration: Duration| format!("{:.1}", duration.as_secs_f64());
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} MB |",
            program.lines().count(),
            seconds(loaded.compile_time),
            seconds(pointed),
            seconds(threaded - pointed),
            seconds(sliced - threaded),
            seconds(sliced),
            seconds(linted.elapsed()),
            verify::resident_mb(),
        );
    }
    println!();
    Ok(())
}

/// What `sleave check` looks for if nothing else is said.
fn default_properties() -> Properties {
    Properties {
        assertions: true,
        aborts: true,
        unreachable: true,
        deadlocks: true,
        memory: true,
        division: true,
        locks: true,
        peeks: true,
        one_way: true,
    }
}

/// A program of so many modules, the same every time.
fn program(modules: usize) -> String {
    let mut random = Random(1);
    let mut text = format!("#define MODULES {}\n{COMMON}", 2 * modules);
    text.push_str("\nstatic int module_none(int n, struct list *found) { return n; }\n");
    for number in 0..modules {
        let slots = 4 + random.below(13);
        let buckets = 8 + random.below(57);
        let factor = 1 + random.below(99);
        let mut peer = || match number {
            0 => "none".to_string(),
            _ => random.below(number).to_string(),
        };
        let (first, second) = (peer(), peer());
        let module = MODULE
            .replace("@N", &number.to_string())
            .replace("@S", &slots.to_string())
            .replace("@B", &buckets.to_string())
            .replace("@K", &factor.to_string())
            .replace("@X", &first)
            .replace("@Y", &second);
        text.push_str(&module);
    }
    text.push_str("\nint main(void) {\n    struct list found = {0, 0};\n    int sum = 0;\n");
    for number in 0..modules {
        let _ = writeln!(text, "    sum += module_{number}({}, &found);", number % 11);
    }
    text.push_str(
        "    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(total >= 0);
    return sum & 1;
}
",
    );
    text
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

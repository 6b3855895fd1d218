//! Static analysis of large programs, beside clang compiling them.
//!
//! The programs are generated: modules with records of their own in hash tables, trees and lists,
//! tables of functions, handlers and jobs with arguments of any type, one allocation function for
//! all, and threads that work off the jobs. Every module can reach the records of every other, as
//! far as an analysis that knows no types can tell.

use std::fmt::Write;
use std::time::Duration;

use analysis::{CallGraph, Nodes, PointsTo, Properties, Slicer, Threads};

use crate::trail::cpu_time;

const COMMON: &str = include_str!("../large/common.c");
const MODULE: &str = include_str!("../large/module.c");

/// Modules of the programs: 2,600, 5,000, 6,000, 25,000 and 100,000 lines.
const MODULES: [usize; 5] = [10, 20, 25, 103, 410];

/// Small ones are measured as often, clang and the analysis taking turns. The best counts.
const TURNS: usize = 5;

pub fn run() -> anyhow::Result<()> {
    println!("Static analysis of generated programs, seconds of processor time\n");
    println!("| lines | clang | points-to | threads | slice | in all | lint | resident |");
    println!("|---|---|---|---|---|---|---|---|");
    for modules in MODULES {
        let program = program(modules);
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("large.c");
        std::fs::write(&file, &program)?;
        let mut loaded = None;
        let mut compiled = Duration::MAX;
        let mut best = [Duration::MAX; 4];
        for _ in 0..if modules <= 25 { TURNS } else { 1 } {
            let before = children_time();
            let program = loaded.insert(verify::load(std::slice::from_ref(&file), &[])?);
            compiled = compiled.min(children_time() - before);
            let times = analysed(&program.program.module);
            if times[3] < best[3] {
                best = times;
            }
        }
        let before = cpu_time();
        let loaded = loaded.expect("it is loaded at least once");
        verify::lint(&loaded, verify::LintOptions::default());
        let linted = cpu_time() - before;
        let [pointed, threaded, sliced, all] = best;
        let seconds = |duration: Duration| format!("{:.3}", duration.as_secs_f64());
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} MB |",
            program.lines().count(),
            seconds(compiled),
            seconds(pointed),
            seconds(threaded),
            seconds(sliced),
            seconds(all),
            seconds(linted),
            verify::resident_mb(),
        );
    }
    println!();
    Ok(())
}

/// How long points-to sets, threads and slices take, and all of them.
fn analysed(module: &ir::Module) -> [Duration; 4] {
    let start = cpu_time();
    let nodes = Nodes::of(module);
    let points_to = PointsTo::of(module, &nodes);
    let calls = CallGraph::of(module, &nodes, &points_to);
    let pointed = cpu_time();
    let threads = Threads::of(module, &nodes, &points_to);
    let threaded = cpu_time();
    let slicer = Slicer::new(module, &nodes, &points_to, &calls, &threads);
    slicer.relevant(default_properties());
    slicer.schedule_independence(default_properties());
    let sliced = cpu_time();
    [
        pointed - start,
        threaded - pointed,
        sliced - threaded,
        sliced - start,
    ]
}

/// What the programs took that this one has run.
fn children_time() -> Duration {
    // SAFETY: the structure is plain numbers, and is written by the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
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
        dont_care_branches: true,
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

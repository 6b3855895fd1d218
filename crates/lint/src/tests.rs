//! C programs, and the lines of their warnings. Programs of the same kind that are run as well are
//! in `tests/programs`.

mod coarse;
mod locked;

use std::collections::BTreeSet;
use std::path::Path;

use analysis::{Nodes, PointsTo, Threads};
use ir::Module;

use super::order::line;
use super::{Facts, LIMITS, Limits, Options, Warning, warnings_within};
use crate::locks::Locks;

/// A warning: its kind, and the lines at which threads are, sorted.
type Lines = (&'static str, Vec<(u32, u32)>);

/// How large programs may be until not everything is known or told of.
#[derive(Clone, Copy)]
struct Sizes {
    /// `None`: states are coarse from the beginning.
    carried: Option<usize>,
    limits: Limits,
}

/// Nothing of what the tests have is too large.
const FINE: Sizes = Sizes {
    carried: Some(usize::MAX),
    limits: LIMITS,
};
/// All of it is too large to tell apart states in which locks are held.
const COARSE: Sizes = Sizes {
    carried: None,
    ..FINE
};

fn compile(source: &str, name: &str) -> Module {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    std::fs::write(&path, source).expect("a file");
    load(&path, &[]).expect("a program")
}

fn load(path: &Path, flags: &[&str]) -> Option<Module> {
    let mut clang_flags = vec!["-w".to_string()];
    clang_flags.extend(flags.iter().map(|flag| flag.to_string()));
    let options = bitcode::Options {
        clang_flags,
        ..bitcode::Options::default()
    };
    let loaded = bitcode::load(&[path.to_path_buf()], &options).ok()?;
    Some(loaded.module)
}

/// Warnings of one program, within different sizes.
fn found(module: &Module, sizes: &[Sizes]) -> Vec<BTreeSet<Lines>> {
    let nodes = Nodes::of(module);
    let points_to = PointsTo::trusting(module, &nodes);
    let threads = Threads::of(module, &nodes, &points_to);
    let within = |sizes: &Sizes| {
        let locks = Locks::within(module, &nodes, &points_to, &threads, sizes.carried);
        let facts = Facts {
            module,
            nodes: &nodes,
            points_to: &points_to,
            threads: &threads,
            locks: &locks,
        };
        let all = warnings_within(facts, Options::default(), sizes.limits);
        all.iter().map(|warning| lines(facts, warning)).collect()
    };
    sizes.iter().map(within).collect()
}

fn lines(facts: Facts, warning: &Warning) -> Lines {
    let (kind, points): (_, Vec<_>) = match warning {
        Warning::Race(race) => ("race", race.accesses.iter().map(|a| &a.at).collect()),
        Warning::LockOrder(order) => ("lock order", order.waits.iter().map(|w| &w.at).collect()),
        Warning::DoubleLock(twice) => ("double lock", vec![&twice.at]),
        Warning::Stuck(stuck) => ("stuck", stuck.steps.iter().map(|(at, _)| at).collect()),
    };
    let mut lines: Vec<_> = points.iter().map(|at| line(facts, at.node)).collect();
    lines.sort_unstable();
    lines.dedup();
    (kind, lines)
}

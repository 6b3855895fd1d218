//! What is told of programs that are too large to know and tell everything contains what is told of
//! small ones, as far as it claims to.

use std::path::{Path, PathBuf};

use super::*;

/// The programs of these folders that have something to do with locks: to others all states are
/// alike.
fn programs(folders: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut all = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let paths = paths.filter(|path| path.extension().is_some_and(|e| e == "c"));
        all.extend(paths.filter(|path| {
            let source = std::fs::read_to_string(path).expect("a file");
            ["lock", "mtx_", "atomic_begin"]
                .iter()
                .any(|word| source.contains(word))
        }));
    }
    all.sort();
    all
}

/// All pairs and cycles are told of, but of locks that may be held only who may have locked them is
/// known.
#[test]
fn coarse_states_lose_no_warning() {
    let (mut compared, mut more) = (0, 0);
    for path in programs(&["bug", "lint", "safe", "unknown"]) {
        let Some(module) = load_program(&path) else {
            continue;
        };
        let all = found(&module, &[FINE, COARSE]);
        let lost: Vec<&Lines> = all[0].difference(&all[1]).collect();
        assert!(
            lost.is_empty(),
            "{}: {lost:?}\n{:?}",
            path.display(),
            all[1]
        );
        compared += usize::from(!all[0].is_empty());
        more += usize::from(all[1].len() > all[0].len());
    }
    assert!(compared > 80 && more > 0, "{compared}, {more}");
}

/// Each line of a race is named, each that waits for a lock in a circle of two threads, and each at
/// which a lock may be taken twice.
#[test]
fn dense_programs_lose_no_line() {
    let dense = Sizes {
        limits: Limits {
            accesses: 0,
            held: 0,
        },
        ..FINE
    };
    let mut compared = 0;
    for path in programs(&["bug", "lint"]) {
        let Some(module) = load_program(&path) else {
            continue;
        };
        let all = found(&module, &[FINE, dense]);
        for group in [&["race"][..], &["lock order", "double lock"]] {
            let named = |warnings: &BTreeSet<Lines>, most: usize| -> BTreeSet<(u32, u32)> {
                let meant = warnings.iter();
                let meant = meant.filter(|w| group.contains(&w.0) && w.1.len() <= most);
                meant.flat_map(|w| w.1.iter().copied()).collect()
            };
            let (fine, dense) = (named(&all[0], 2), named(&all[1], usize::MAX));
            let lost: Vec<_> = fine.difference(&dense).collect();
            assert!(lost.is_empty(), "{}: {group:?} {lost:?}", path.display());
            compared += usize::from(!fine.is_empty());
        }
    }
    assert!(compared > 40, "{compared}");
}

/// With the flags that its first line has for the compiler.
fn load_program(path: &Path) -> Option<Module> {
    let source = std::fs::read_to_string(path).expect("a file");
    let options = source
        .lines()
        .next()
        .filter(|l| l.starts_with("// sleave:"));
    let flags = options.and_then(|options| options.split_once(" -- "));
    let flags: Vec<&str> = flags.map_or(Vec::new(), |(_, f)| f.split_whitespace().collect());
    load(path, &flags)
}

//! Random programs, loaded for comparisons with the reference interpreter.

use std::path::PathBuf;

pub use oracle::campaign::{BATCH, compare, only_first, seeds};
use oracle::{AssertId, Program};
use verify::Loaded;

use crate::batch::Batch;

pub fn load(programs: &[Program]) -> (Loaded, Batch<'_>) {
    let batch = Batch::new(programs);
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("programs.c");
    std::fs::write(&file, &batch.source).expect("the file is written");
    let loaded = verify::load(&[file], &[]).expect("a program that compiles");
    (loaded, batch)
}

/// The assertion of a program at a place that is reported.
pub fn assertion(batch: &Batch<'_>, index: usize, location: &str) -> Result<AssertId, String> {
    let line: Option<u32> = location.rsplit(':').nth(1).and_then(|l| l.parse().ok());
    line.and_then(|l| l.checked_sub(batch.offsets[index]))
        .and_then(|l| batch.rendered[index].assertion_at(l))
        .ok_or_else(|| format!("no assertion at {location}"))
}

//! Seeds of a campaign, and comparisons on all cores. `SLEAVE_CAMPAIGN=FIRST..LAST` chooses other
//! seeds than the usual ones; `SLEAVE_FIRST=1` stops at the first difference and does not make it
//! small.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs compiled together.
pub const BATCH: u64 = 20;

/// Those of the command line, or the usual ones.
pub fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("SLEAVE_CAMPAIGN") else {
        return usual;
    };
    let (first, last) = text
        .split_once("..")
        .expect("SLEAVE_CAMPAIGN is FIRST..LAST");
    first.parse().expect("a seed")..last.parse().expect("a seed")
}

/// Stop at the first difference and do not make it small.
pub fn only_first() -> bool {
    std::env::var("SLEAVE_FIRST").is_ok()
}

/// Has batches of seeds compared, on all cores, and panics with all the differences found.
pub fn compare(seeds: Range<u64>, compare: impl Fn(Range<u64>) -> Vec<String> + Sync) {
    let next = AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let differences: Vec<String> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    let mut found = Vec::new();
                    loop {
                        let first = next.fetch_add(BATCH, Ordering::Relaxed);
                        if first >= seeds.end {
                            return found;
                        }
                        found.extend(compare(first..(first + BATCH).min(seeds.end)));
                        if only_first() && !found.is_empty() {
                            next.store(seeds.end, Ordering::Relaxed);
                        }
                    }
                })
            })
            .collect();
        handles
            .into_iter()
            .flat_map(|h| h.join().expect("no panic"))
            .collect()
    });
    assert!(
        differences.is_empty(),
        "{} programs differ:\n{}",
        differences.len(),
        differences.join("\n\n")
    );
}

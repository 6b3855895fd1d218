//! The loops of a function, and which of them may wait.
//!
//! A natural loop is a header with all blocks that lead back to it and that it dominates; loops
//! with one header are one loop. A cycle that can be entered at several places is an irreducible
//! loop: a strongly connected part of what is left when the headers of natural loops are set aside.
//!
//! A loop *may wait* if one round may leave all the parameters of its header as they were: it may
//! then be waiting for another thread to write, and go round until that happens. A loop does not
//! wait if one parameter certainly changes in every round (`i + 1`, `p + 8`, `(i + 1) % m`,
//! `(i + 1) & mask`): it is searching or counting. The answer errs towards "may wait". A wait that
//! counts (`while (!flag) n++`) is not recognised: a search that meets it reaches its bound and
//! reports that, so it proves nothing wrong.
//!
//! A loop *certainly ends* if in every round it compares a number that is counted up or down by the
//! same step with something that it cannot miss (`i < n`, `n != 0`), or accesses memory at such a
//! number or pointer, which is outside its object in the end. A loop that only changes something
//! may miss what it looks for (`n += 2` until it is 5), or come round again (`(i + 1) % m`).

mod progress;

use base::components;
use ir::{BlockId, Body};

use crate::cfg::Cfg;
use crate::dominance::DominatorTree;
use progress::Progress;

pub struct Loop {
    pub header: BlockId,
    /// In ascending order; the header is one of them.
    pub blocks: Vec<BlockId>,
    /// Blocks of the loop with an edge back to the header.
    pub latches: Vec<BlockId>,
    /// Whether it can be entered only at its header.
    pub natural: bool,
}

impl Loop {
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }

    /// The blocks of the loop from which it can be left.
    pub fn exits<'a>(&'a self, cfg: &'a Cfg) -> impl Iterator<Item = BlockId> + 'a {
        let leaves = |block: &BlockId| {
            cfg.successors(*block)
                .iter()
                .any(|next| !self.contains(*next))
        };
        self.blocks.iter().copied().filter(leaves)
    }
}

/// All loops of the function, by the place of their headers.
pub fn loops(cfg: &Cfg, dominators: &DominatorTree) -> Vec<Loop> {
    let mut loops = Vec::new();
    let mut irreducible = false;
    for &header in cfg.order() {
        let mut latches = Vec::new();
        for &before in cfg.predecessors(header) {
            if !cfg.is_reachable(before) {
                continue;
            }
            if dominators.dominates(header, before) {
                latches.push(before);
            } else {
                // An edge back in the order whose target does not dominate its source enters a
                // cycle sideways.
                irreducible |= cfg.place(before) >= cfg.place(header);
            }
        }
        if !latches.is_empty() {
            loops.push(natural_loop(cfg, header, latches));
        }
    }
    if irreducible {
        irreducible_loops(cfg, dominators, &mut loops);
    }
    loops
}

fn natural_loop(cfg: &Cfg, header: BlockId, latches: Vec<BlockId>) -> Loop {
    let mut blocks = vec![header];
    let mut stack = latches.clone();
    let mut seen = rustc_hash::FxHashSet::from_iter([header]);
    while let Some(block) = stack.pop() {
        if cfg.is_reachable(block) && seen.insert(block) {
            blocks.push(block);
            stack.extend(cfg.predecessors(block));
        }
    }
    blocks.sort_unstable();
    Loop {
        header,
        blocks,
        latches,
        natural: true,
    }
}

/// Strongly connected parts of the graph without the edges back to headers of natural loops.
fn irreducible_loops(cfg: &Cfg, dominators: &DominatorTree, loops: &mut Vec<Loop>) {
    let component = components(cfg.len(), |block| {
        let block = BlockId::from(block);
        let next = cfg.successors(block).iter().copied();
        let forward = move |next: &BlockId| !dominators.dominates(*next, block);
        next.filter(forward).map(BlockId::index)
    });
    let mut members: Vec<Vec<BlockId>> = vec![Vec::new(); cfg.len()];
    for &block in cfg.order() {
        members[component[block.index()] as usize].push(block);
    }
    for mut blocks in members {
        if blocks.len() < 2 {
            continue;
        }
        blocks.sort_unstable();
        let header = *blocks.iter().min_by_key(|b| cfg.place(**b)).expect("two");
        let latches = cfg.predecessors(header).iter().copied();
        let latches = latches
            .filter(|b| blocks.binary_search(b).is_ok())
            .collect();
        loops.push(Loop {
            header,
            latches,
            blocks,
            natural: false,
        });
    }
}

/// Whether one round of the loop may leave every parameter of its header as it was.
pub fn may_wait(body: &Body, pointer_bits: u32, lp: &Loop) -> bool {
    if !lp.natural {
        return true;
    }
    let progress = Progress::new(body, pointer_bits, lp);
    let params = 0..body.blocks[lp.header].params.len();
    !params.into_iter().any(|index| {
        let param = body.blocks[lp.header].params[index];
        let mut latches = lp.latches.iter();
        latches.all(|latch| progress.certainly_changes(*latch, index, param))
    })
}

/// Whether every execution leaves the loop after finitely many rounds, if each round comes to its
/// end.
pub fn certainly_ends(
    body: &Body,
    pointer_bits: u32,
    dominators: &DominatorTree,
    lp: &Loop,
) -> bool {
    if !lp.natural {
        return false;
    }
    let progress = Progress::new(body, pointer_bits, lp);
    let mut every_round = (lp.blocks.iter().copied()).filter(|block| {
        lp.latches
            .iter()
            .all(|latch| dominators.dominates(*block, *latch))
    });
    every_round.any(|block| progress.leaves_at(block) || progress.walks_in(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Body {
        let mut module = ir::text::parse(text).expect("valid text");
        module.functions[ir::FuncId(0)].body.take().expect("a body")
    }

    fn found(text: &str) -> Vec<(u32, Vec<u32>, bool, bool)> {
        let body = body(text);
        let cfg = Cfg::of(&body);
        let loops = loops(&cfg, &DominatorTree::dominators(&cfg));
        let plain = |lp: &Loop| {
            let blocks = lp.blocks.iter().map(|b| b.0).collect();
            (lp.header.0, blocks, lp.natural, may_wait(&body, 64, lp))
        };
        loops.iter().map(plain).collect()
    }

    #[test]
    fn nested() {
        let loops = found(
            "func @f(i1 %0) { b0: br b1  b1: condbr %0, b2, b4  b2: condbr %0, b2, b3  b3: br b1  b4: ret }",
        );
        assert_eq!(
            loops,
            [(1, vec![1, 2, 3], true, true), (2, vec![2], true, true)]
        );
    }

    #[test]
    fn two_entries() {
        let loops = found(
            "func @f(i1 %0) { b0: condbr %0, b1, b2  b1: br b2  b2: condbr %0, b1, b3  b3: ret }",
        );
        assert_eq!(loops, [(1, vec![1, 2], false, true)]);
    }

    /// The last value that `next` assigns is the next one of the header's parameter %2.
    #[track_caller]
    fn check_waits(next: &str, waits: bool) {
        let last = next.matches(':').count() + 2;
        let text = format!(
            "func @f(i1 %0, i32 %1) {{ b0: br b1(i32 0)  b1(%2: i32): condbr %0, b2, b3  b2: {next} br b1(%{last})  b3: ret }}"
        );
        let loops = found(&text);
        assert_eq!(loops.len(), 1);
        assert_eq!(loops[0].3, waits, "{next}");
    }

    #[test]
    fn counting_is_not_waiting() {
        check_waits("%3: i32 = add %2, i32 1", false);
        check_waits("%3: i32 = sub %2, i32 3", false);
        check_waits("%3: i32 = add %2, i32 1 %4: i32 = urem %3, i32 128", false);
        check_waits("%3: i32 = add %2, i32 1 %4: i32 = srem %3, i32 128", false);
        check_waits("%3: i32 = add %2, i32 1 %4: i32 = and %3, i32 127", false);
        check_waits(
            "%3: i32 = add %2, i32 1 %4: i32 = add %2, i32 2 %5: i32 = select %0, %3, %4",
            false,
        );
    }

    #[test]
    fn what_may_stay_as_it_was_may_wait() {
        check_waits("%3: i32 = add %2, i32 0", true);
        check_waits("%3: i32 = add %2, %1", true);
        check_waits("%3: i32 = mul %2, i32 3", true);
        check_waits("%3: i32 = add %2, i32 128 %4: i32 = urem %3, i32 128", true);
        check_waits("%3: i32 = add %2, i32 8 %4: i32 = and %3, i32 7", true);
        check_waits("%3: i32 = add %2, i32 1 %4: i32 = and %3, i32 5", true);
        check_waits("%3: i32 = add %2, i32 1 %4: i32 = select %0, %2, %3", true);
        check_waits(
            "%3: i32 = add %2, i32 1 %4: i32 = sub %2, i32 1 %5: i32 = select %0, %3, %4",
            true,
        );
    }

    /// A loop that counts from %2 in `round` and goes on while `condition` holds; %1 is what it
    /// knows from before.
    #[track_caller]
    fn check_ends(condition: &str, round: &str, ends: bool) {
        let last = round.matches(':').count() + 3;
        let text = format!(
            "func @f(ptr %0, i32 %1) {{ b0: br b1(i32 0)  b1(%2: i32): %3: i1 = {condition} condbr %3, b2, b3  \
             b2: {round} br b1(%{last})  b3: ret }}"
        );
        let body = body(&text);
        let cfg = Cfg::of(&body);
        let dominators = DominatorTree::dominators(&cfg);
        let loops = loops(&cfg, &dominators);
        assert_eq!(loops.len(), 1);
        let found = certainly_ends(&body, 64, &dominators, &loops[0]);
        assert_eq!(found, ends, "{condition}, {round}");
    }

    #[test]
    fn counting_to_what_cannot_be_missed_ends() {
        let (up, down, by_two) = (
            "%4: i32 = add %2, i32 1",
            "%4: i32 = sub %2, i32 1",
            "%4: i32 = add %2, i32 2",
        );
        check_ends("cmp slt %2, %1", up, true);
        check_ends("cmp ult %2, %1", up, true);
        check_ends("cmp ne %2, %1", up, true);
        check_ends("cmp ne %2, %1", down, true);
        check_ends("cmp sgt %2, %1", down, true);
        check_ends("cmp sgt %1, %2", up, true);
        check_ends("cmp slt %2, i32 2147483646", by_two, true);
        check_ends("cmp sle %2, i32 2147483646", up, true);
        check_ends("cmp sge %2, i32 -2147483647", down, true);
        check_ends("cmp eq %2, %1", by_two, true);
    }

    #[test]
    fn what_can_be_missed_may_go_on() {
        let (up, down, by_two) = (
            "%4: i32 = add %2, i32 1",
            "%4: i32 = sub %2, i32 1",
            "%4: i32 = add %2, i32 2",
        );
        check_ends("cmp ne %2, %1", by_two, false);
        check_ends("cmp slt %2, %1", by_two, false);
        check_ends("cmp slt %2, i32 2147483647", by_two, false);
        check_ends("cmp sle %2, %1", up, false);
        check_ends("cmp sle %2, i32 2147483647", up, false);
        check_ends("cmp sge %2, i32 -2147483648", down, false);
        check_ends("cmp uge %2, i32 0", down, false);
        check_ends("cmp slt %2, %1", down, false);
        check_ends("cmp sgt %2, %1", up, false);
        // What it is compared with changes, too.
        check_ends("cmp ne %2, %2", up, false);
        let ring = "%4: i32 = add %2, i32 1 %5: i32 = and %4, i32 7";
        check_ends("cmp slt %2, i32 9", ring, false);
    }

    #[test]
    fn walking_over_memory_ends() {
        let text = |bits: u32, next: &str| {
            format!(
                "func @f(ptr %0) {{ b0: br b1(i{bits} 0)  b1(%1: i{bits}): %2: ptr = ptradd %0 + %1 * 4 %3: i32 = load %2 \
                 %4: i1 = cmp ne %3, i32 0 condbr %4, b2, b3  b2: {next} br b1(%5)  b3: ret }}"
            )
        };
        let ends = |text: String| {
            let body = body(&text);
            let cfg = Cfg::of(&body);
            let dominators = DominatorTree::dominators(&cfg);
            certainly_ends(&body, 64, &dominators, &loops(&cfg, &dominators)[0])
        };
        assert!(ends(text(32, "%5: i32 = add %1, i32 3")));
        assert!(!ends(text(32, "%5: i32 = add %1, i32 0")));
        // It comes round after 256 elements.
        assert!(!ends(text(8, "%5: i8 = add %1, i8 1")));
    }
}

//! Dominators and post-dominators, by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast
//! Dominance Algorithm" (2001).
//!
//! Post-dominators are dominators of the reversed graph, rooted at the virtual exit; the edges that
//! [`Cfg::onward`] adds for endless loops are part of it, so that every block that can be reached
//! has a post-dominator.

use ir::BlockId;

use crate::cfg::Cfg;

/// A tree of blocks; the virtual exit is one of them in a tree of post-dominators.
pub struct DominatorTree {
    /// By block; the root is its own, and so is what cannot be reached from it.
    parents: Vec<u32>,
    /// When a walk over the tree enters and leaves a block; `(0, 0)` if it is not in the tree.
    intervals: Vec<(u32, u32)>,
    root: BlockId,
}

impl DominatorTree {
    pub fn dominators(cfg: &Cfg) -> DominatorTree {
        let order: Vec<u32> = cfg.order().iter().map(|block| block.0).collect();
        let before = |block: u32, f: &mut dyn FnMut(u32)| {
            let before = cfg.predecessors(BlockId(block)).iter();
            before.for_each(|block| f(block.0));
        };
        DominatorTree::new(cfg.len(), cfg.entry(), &order, before)
    }

    pub fn post_dominators(cfg: &Cfg) -> DominatorTree {
        let order = backward_order(cfg);
        let after = |block: u32, f: &mut dyn FnMut(u32)| {
            if BlockId(block) != cfg.exit() {
                cfg.onward(BlockId(block)).for_each(|next| f(next.0));
            }
        };
        DominatorTree::new(cfg.len(), cfg.exit(), &order, after)
    }

    /// `order` is a reverse postorder from the root; `before` lists the blocks from which a block
    /// is entered.
    fn new(
        len: usize,
        root: BlockId,
        order: &[u32],
        before: impl Fn(u32, &mut dyn FnMut(u32)),
    ) -> DominatorTree {
        const NONE: u32 = u32::MAX;
        let mut places = vec![NONE; len];
        for (place, block) in order.iter().enumerate() {
            places[*block as usize] = place as u32;
        }
        // By place in the order, so that an ancestor always has the smaller number.
        let mut parents = vec![NONE; order.len()];
        if let Some(first) = parents.first_mut() {
            *first = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for place in 1..order.len() {
                let mut parent = NONE;
                before(order[place], &mut |block| {
                    let other = places[block as usize];
                    if other == NONE || parents[other as usize] == NONE {
                        return;
                    }
                    parent = if parent == NONE {
                        other
                    } else {
                        common(&parents, parent, other)
                    };
                });
                if parents[place] != parent {
                    parents[place] = parent;
                    changed = true;
                }
            }
        }
        let mut by_block: Vec<u32> = (0..len as u32).collect();
        for (place, block) in order.iter().enumerate() {
            by_block[*block as usize] = order[parents[place] as usize];
        }
        DominatorTree {
            intervals: intervals(len, order, &parents),
            parents: by_block,
            root,
        }
    }

    /// The block that immediately dominates this one; `None` for the root and for what cannot be
    /// reached.
    pub fn parent(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.parents[block.index()];
        (parent != block.0).then_some(BlockId(parent))
    }

    pub fn root(&self) -> BlockId {
        self.root
    }

    /// Whether every way to `b` passes `a` (for post-dominators: from `b` to the exit); a block
    /// dominates itself.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (a_in, a_out) = self.intervals[a.index()];
        let (b_in, b_out) = self.intervals[b.index()];
        a == b || (b_in != 0 && a_in != 0 && a_in <= b_in && b_out <= a_out)
    }
}

fn common(parents: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = parents[a as usize];
        }
        while b > a {
            b = parents[b as usize];
        }
    }
    a
}

/// A parent comes before its children in the order, so sizes add up backwards and intervals
/// forwards.
fn intervals(len: usize, order: &[u32], parents: &[u32]) -> Vec<(u32, u32)> {
    let mut sizes = vec![1u32; order.len()];
    for place in (1..order.len()).rev() {
        sizes[parents[place] as usize] += sizes[place];
    }
    // Where the next child of a block begins.
    let mut next = vec![0u32; order.len()];
    let mut intervals = vec![(0, 0); len];
    for place in 0..order.len() {
        let start = if place == 0 {
            1
        } else {
            let parent = parents[place] as usize;
            let start = next[parent];
            next[parent] += sizes[place];
            start
        };
        next[place] = start + 1;
        intervals[order[place] as usize] = (start, start + sizes[place] - 1);
    }
    intervals
}

/// A reverse postorder of the reversed graph, from the exit. Blocks that cannot be reached from the
/// entry are left out.
fn backward_order(cfg: &Cfg) -> Vec<u32> {
    let exit = cfg.exit();
    let mut seen = vec![false; cfg.len()];
    let mut order = Vec::new();
    let mut stack = vec![(exit, 0)];
    seen[exit.index()] = true;
    while let Some((block, taken)) = stack.last_mut() {
        let before = cfg.predecessors(*block);
        let next = if *taken < before.len() {
            Some(before[*taken])
        } else if *block == exit {
            cfg.endless().get(*taken - before.len()).copied()
        } else {
            None
        };
        match next {
            Some(next) => {
                *taken += 1;
                if cfg.is_reachable(next) && !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push((next, 0));
                }
            }
            None => {
                order.push(block.0);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::tests::cfg;

    const B: fn(u32) -> BlockId = BlockId;

    #[test]
    fn diamond() {
        let cfg = cfg(
            "func @f(i1 %0) { b0: condbr %0, b1, b2  b1: br b3  b2: br b3  b3: ret  b4: br b3 }",
        );
        let dominators = DominatorTree::dominators(&cfg);
        let post = DominatorTree::post_dominators(&cfg);
        assert_eq!(dominators.parent(B(3)), Some(B(0)));
        assert_eq!(dominators.parent(B(0)), None);
        assert_eq!(post.parent(B(0)), Some(B(3)));
        assert_eq!(post.parent(B(3)), Some(cfg.exit()));
        assert!(dominators.dominates(B(0), B(2)) && !dominators.dominates(B(1), B(3)));
        assert!(!dominators.dominates(B(4), B(3)) && !dominators.dominates(B(0), B(4)));
        assert!(post.dominates(B(3), B(1)) && !post.dominates(B(1), B(0)));
    }

    #[test]
    fn endless_loops_have_post_dominators() {
        let cfg = cfg(
            "func @f(i1 %0) { b0: br b1  b1: condbr %0, b2, b3  b2: br b4  b3: br b4  b4: br b1 }",
        );
        let post = DominatorTree::post_dominators(&cfg);
        assert_eq!(post.parent(B(1)), Some(B(4)));
        assert_eq!(post.parent(B(4)), Some(cfg.exit()));
    }

    /// Against the definition: a dominates b if b cannot be reached without a.
    #[test]
    fn agrees_with_the_definition() {
        let mut seed = 7u32;
        let mut random = |bound: u32| {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            (seed >> 16) % bound
        };
        for _ in 0..200 {
            let blocks = 2 + random(7);
            let mut text = "func @f(i1 %0) {".to_string();
            for block in 0..blocks {
                let (a, b) = (random(blocks), random(blocks));
                text += &match random(5) {
                    0 => format!(" b{block}: ret"),
                    1 => format!(" b{block}: br b{a}"),
                    _ => format!(" b{block}: condbr %0, b{a}, b{b}"),
                };
            }
            let cfg = cfg(&(text + " }"));
            let trees = [
                (DominatorTree::dominators(&cfg), cfg.entry(), true),
                (DominatorTree::post_dominators(&cfg), cfg.exit(), false),
            ];
            for (tree, root, forward) in trees {
                for a in 0..=blocks {
                    for b in 0..=blocks {
                        let (a, b) = (B(a), B(b));
                        if a == b || !cfg.is_reachable(a) || !cfg.is_reachable(b) {
                            continue;
                        }
                        let avoids = reaches(&cfg, root, b, a, forward);
                        if forward && (a == cfg.exit() || b == cfg.exit()) {
                            continue;
                        }
                        assert_eq!(tree.dominates(a, b), !avoids, "{a} {b} {}", cfg.len());
                    }
                }
            }
        }
    }

    fn reaches(cfg: &Cfg, from: BlockId, to: BlockId, without: BlockId, forward: bool) -> bool {
        let (from, to) = if forward { (from, to) } else { (to, from) };
        let mut seen = vec![false; cfg.len()];
        let mut stack = vec![from];
        while let Some(block) = stack.pop() {
            if block == without || std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            if block == to {
                return true;
            }
            if block != cfg.exit() {
                stack.extend(cfg.onward(block));
            }
        }
        false
    }
}

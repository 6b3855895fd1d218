//! Dominators and post-dominators of a function's blocks.
//!
//! Post-dominators are dominators of the reversed graph, rooted at the virtual exit; the edges that
//! [`Cfg::onward`] adds for endless loops are part of it, so that every block that can be reached
//! has a post-dominator.

use base::{Dominators, reverse_postorder};
use ir::BlockId;

use crate::cfg::Cfg;

/// A tree of blocks; the virtual exit is one of them in a tree of post-dominators.
pub struct DominatorTree {
    tree: Dominators,
    root: BlockId,
}

impl DominatorTree {
    pub fn dominators(cfg: &Cfg) -> DominatorTree {
        let order: Vec<u32> = cfg.order().iter().map(|block| block.0).collect();
        let before = |block| cfg.predecessors(BlockId(block)).iter().map(|block| block.0);
        DominatorTree {
            tree: Dominators::of(cfg.len(), &order, before),
            root: cfg.entry(),
        }
    }

    pub fn post_dominators(cfg: &Cfg) -> DominatorTree {
        let exit = cfg.exit();
        // Against the direction of control, without blocks that cannot be reached from the entry.
        let back = |block| {
            let endless = cfg.endless().iter().filter(move |_| BlockId(block) == exit);
            let before = cfg.predecessors(BlockId(block)).iter().chain(endless);
            let before = before.filter(|block| cfg.is_reachable(**block));
            before.map(|block| block.0)
        };
        let order = reverse_postorder(cfg.len(), exit.0, back);
        let onward = |block| cfg.onward(BlockId(block)).map(|block| block.0);
        DominatorTree {
            tree: Dominators::of(cfg.len(), &order, onward),
            root: exit,
        }
    }

    /// The block that immediately dominates this one; `None` for the root and for what cannot be
    /// reached.
    pub fn parent(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block.0).map(BlockId)
    }

    pub fn root(&self) -> BlockId {
        self.root
    }

    /// Whether every way to `b` passes `a` (for post-dominators: from `b` to the exit); a block
    /// dominates itself.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.dominates(a.0, b.0)
    }
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

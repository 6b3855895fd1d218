//! Control dependence between the blocks of a function, in two strengths.
//!
//! *Classic* (Ferrante, Ottenstein, Warren, TOPLAS 1987): a block depends on a branch if every path
//! from one side of the branch to the exit passes the block, and some path from the other side does
//! not. Let a set of blocks be closed under this dependence. From any block outside, at most one
//! member (or the exit) can be reached first: code outside the set cannot choose which member comes
//! next, it can only fail to terminate.
//!
//! *Non-termination sensitive* (Ranganath et al., TOPLAS 2007): as above, but a path that goes
//! round a loop for ever counts as one that does not pass the block. Computed block by block after
//! Chalupa et al., "Fast Computation of Strong Control Dependencies" (CAV 2021): mark backwards all
//! blocks from which every maximal path passes the block; it depends on those unmarked ones that
//! have a marked successor.
//!
//! Blocks that cannot be reached depend on nothing and nothing depends on them.

use ir::{BlockId, FuncId};

use crate::cfg::Cfg;
use crate::dominance::DominatorTree;
use crate::node::{NodeId, Nodes};

/// For every block of a function, the blocks whose terminators decide whether it is executed.
pub struct Control {
    /// The dependences of block `b` are `on[starts[b]..starts[b + 1]]`, in ascending order.
    starts: Vec<u32>,
    on: Vec<BlockId>,
}

impl Control {
    pub fn classic(cfg: &Cfg, post_dominators: &DominatorTree) -> Control {
        let mut pairs = Vec::new();
        for &branch in cfg.order() {
            let end = post_dominators.parent(branch);
            for next in cfg.onward(branch) {
                // Everything from the successor up to what post-dominates the branch, exclusively.
                let mut block = Some(next);
                while block != end {
                    let Some(dependent) = block else { break };
                    if dependent == cfg.exit() {
                        break;
                    }
                    pairs.push((dependent, branch));
                    block = post_dominators.parent(dependent);
                }
            }
        }
        Control::from_pairs(cfg, pairs)
    }

    pub fn nontermination_sensitive(cfg: &Cfg) -> Control {
        let mut pairs = Vec::new();
        let degrees = |block: usize| cfg.successors(BlockId::from(block)).len() as u32;
        let degrees: Vec<u32> = (0..cfg.len()).map(degrees).collect();
        // Successors that are not marked; marked blocks and how to find them again for the next
        // target.
        let mut left = degrees.clone();
        let mut marked = vec![false; cfg.len()];
        let mut touched = Vec::new();
        for &target in cfg.order() {
            marked[target.index()] = true;
            touched.push(target);
            let mut stack = vec![target];
            while let Some(block) = stack.pop() {
                for before in cfg.predecessors(block) {
                    if !cfg.is_reachable(*before) {
                        continue;
                    }
                    left[before.index()] -= 1;
                    touched.push(*before);
                    if left[before.index()] == 0 && !marked[before.index()] {
                        marked[before.index()] = true;
                        stack.push(*before);
                    }
                }
            }
            for block in touched.iter().copied() {
                // The target itself may be a branch that need not come back to it.
                let some = left[block.index()] < degrees[block.index()];
                if some && left[block.index()] > 0 {
                    pairs.push((target, block));
                }
            }
            for block in touched.drain(..) {
                left[block.index()] = degrees[block.index()];
                marked[block.index()] = false;
            }
        }
        Control::from_pairs(cfg, pairs)
    }

    fn from_pairs(cfg: &Cfg, mut pairs: Vec<(BlockId, BlockId)>) -> Control {
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = Vec::with_capacity(cfg.len() + 1);
        let mut next = 0;
        for block in 0..cfg.len() {
            starts.push(next as u32);
            while pairs.get(next).is_some_and(|(b, _)| b.index() == block) {
                next += 1;
            }
        }
        starts.push(next as u32);
        Control {
            starts,
            on: pairs.into_iter().map(|(_, branch)| branch).collect(),
        }
    }

    /// The blocks whose terminators the execution of this block depends on.
    pub fn of_block(&self, block: BlockId) -> &[BlockId] {
        let start = self.starts[block.index()] as usize;
        &self.on[start..self.starts[block.index() + 1] as usize]
    }

    /// The terminators that a node of `function`, whose dependences these are, is control dependent
    /// on.
    pub fn of<'a>(
        &'a self,
        nodes: &'a Nodes,
        function: FuncId,
        node: NodeId,
    ) -> impl Iterator<Item = NodeId> + 'a {
        let on = self.of_block(nodes.block(node)).iter();
        on.map(move |block| nodes.terminator(function, *block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::tests::cfg;

    fn classic(cfg: &Cfg) -> Control {
        Control::classic(cfg, &DominatorTree::post_dominators(cfg))
    }

    #[track_caller]
    fn check(control: &Control, block: u32, expected: &[u32]) {
        let on: Vec<u32> = control
            .of_block(BlockId(block))
            .iter()
            .map(|b| b.0)
            .collect();
        assert_eq!(on, expected, "b{block}");
    }

    #[test]
    fn branch_and_join() {
        let cfg = cfg("func @f(i1 %0) { b0: condbr %0, b1, b2  b1: br b3  b2: br b3  b3: ret }");
        for control in [classic(&cfg), Control::nontermination_sensitive(&cfg)] {
            check(&control, 0, &[]);
            check(&control, 1, &[0]);
            check(&control, 2, &[0]);
            check(&control, 3, &[]);
        }
    }

    /// Whether what stands behind a loop is reached depends on the loop only if it may run for
    /// ever.
    #[test]
    fn behind_a_loop() {
        let cfg = cfg("func @f(i1 %0) { b0: br b1  b1: condbr %0, b2, b3  b2: br b1  b3: ret }");
        check(&classic(&cfg), 1, &[1]);
        check(&classic(&cfg), 2, &[1]);
        check(&classic(&cfg), 3, &[]);
        let sensitive = Control::nontermination_sensitive(&cfg);
        check(&sensitive, 1, &[1]);
        check(&sensitive, 2, &[1]);
        check(&sensitive, 3, &[1]);
    }

    /// The two arms inside an endless loop depend on the branch that chooses between them.
    #[test]
    fn inside_an_endless_loop() {
        let cfg = cfg(
            "func @f(i1 %0) { b0: br b1  b1: condbr %0, b2, b3  b2: br b4  b3: br b4  b4: br b1 }",
        );
        for control in [classic(&cfg), Control::nontermination_sensitive(&cfg)] {
            assert!(control.of_block(BlockId(2)).contains(&BlockId(1)));
            assert!(control.of_block(BlockId(3)).contains(&BlockId(1)));
        }
    }

    /// From any block outside a set that is closed under classic dependence, at most one member or
    /// the exit comes next.
    #[test]
    fn closed_sets_have_one_next_member() {
        let mut seed = 11u32;
        let mut random = |bound: u32| {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            (seed >> 16) % bound
        };
        for _ in 0..500 {
            let blocks = 3 + random(7);
            let mut text = "func @f(i1 %0) {".to_string();
            for block in 0..blocks {
                let (a, b) = (random(blocks), random(blocks));
                text += &match random(4) {
                    0 => format!(" b{block}: ret"),
                    _ => format!(" b{block}: condbr %0, b{a}, b{b}"),
                };
            }
            let cfg = cfg(&(text + " }"));
            let control = classic(&cfg);
            let mut set = vec![false; cfg.len()];
            let mut stack = vec![BlockId(random(blocks)), BlockId(random(blocks))];
            while let Some(block) = stack.pop() {
                if cfg.is_reachable(block) && !std::mem::replace(&mut set[block.index()], true) {
                    stack.extend(control.of_block(block));
                }
            }
            set[cfg.exit().index()] = true;
            for &start in cfg.order() {
                if set[start.index()] {
                    continue;
                }
                let mut seen = vec![false; cfg.len()];
                let mut firsts = Vec::new();
                let mut stack = vec![start];
                while let Some(block) = stack.pop() {
                    if std::mem::replace(&mut seen[block.index()], true) {
                        continue;
                    }
                    if set[block.index()] {
                        firsts.push(block);
                    } else {
                        stack.extend(cfg.onward(block));
                    }
                }
                assert!(firsts.len() <= 1, "{start}: {firsts:?}");
            }
        }
    }
}

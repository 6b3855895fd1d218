//! Branches that decide how long code runs: with one of them outside the slice, a search could go
//! round a loop for ever, or call too deep.
//!
//! A branch *may come back* if it lies on a cycle that avoids its immediate post-dominator. Every
//! cycle has such a branch, or a block of an endless region: else every block of the cycle would
//! have its immediate post-dominator on it, and these form a tree. So if all of them are in a
//! slice, and the calls that close a recursion too, then what runs outside the slice comes to its
//! next member or to the end of its thread, whichever way the branches outside go. Non-termination
//! sensitive control dependence (see [`crate::control`]) gives the same guarantee, but adds
//! dependences that are not needed here.

use ir::{BlockId, FuncId, Terminator};

use crate::cfg::Cfg;
use crate::dominance::DominatorTree;
use crate::facts::{Facts, Flow};
use crate::node::NodeId;
use crate::sdg::Vertex;

/// What must be in a slice so that all else is certain to end.
pub fn of(facts: &Facts) -> Vec<Vertex> {
    let mut criteria = Vec::new();
    for (function, body, flow) in facts.entered() {
        let cfg = &flow.cfg;
        criteria.extend(endless(facts, function, flow));
        if has_cycle(cfg) {
            let post_dominators = DominatorTree::post_dominators(cfg);
            for &block in cfg.order() {
                let is_branch = !matches!(body.blocks[block].terminator, Terminator::Br(_));
                if is_branch && may_come_back(cfg, &post_dominators, block) {
                    criteria.push(Vertex::Decides(facts.nodes.terminator(function, block)));
                }
            }
        }
        criteria.extend(recursion(facts, function));
    }
    criteria
}

/// What is reached where a function can be left no more.
pub fn endless(facts: &Facts, function: FuncId, flow: &Flow) -> impl Iterator<Item = Vertex> {
    let endless = flow.cfg.endless().iter();
    endless.map(move |block| Vertex::Runs(facts.nodes.terminator(function, *block)))
}

/// The calls of a function that close a recursion.
pub fn recursion(facts: &Facts, function: FuncId) -> impl Iterator<Item = Vertex> {
    let is_recursive = facts.calls.is_recursive(function);
    let calls = facts.calls.calls(function).iter();
    let closes = move |call: &NodeId| {
        let component = facts.calls.component(function);
        let is_own = |callee| facts.calls.component(callee) == component;
        is_recursive && facts.entered_by(*call).any(is_own)
    };
    calls.copied().filter(closes).map(Vertex::Runs)
}

fn has_cycle(cfg: &Cfg) -> bool {
    let goes_back = |block: &BlockId| {
        let next = cfg.successors(*block).iter();
        next.copied()
            .any(|next| next != cfg.exit() && cfg.place(next) <= cfg.place(*block))
    };
    cfg.order().iter().any(goes_back)
}

/// Whether the block can be reached from itself by a way that avoids its immediate post-dominator.
fn may_come_back(cfg: &Cfg, post_dominators: &DominatorTree, branch: BlockId) -> bool {
    let end = post_dominators.parent(branch);
    let mut seen = vec![false; cfg.len()];
    let mut stack = vec![branch];
    while let Some(block) = stack.pop() {
        for &next in cfg.successors(block) {
            if next == branch && end != Some(branch) {
                return true;
            }
            if next != cfg.exit()
                && Some(next) != end
                && !std::mem::replace(&mut seen[next.index()], true)
            {
                stack.push(next);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::tests::cfg;

    fn coming_back(text: &str) -> Vec<u32> {
        let cfg = cfg(text);
        let post_dominators = DominatorTree::post_dominators(&cfg);
        let order = cfg.order().iter().copied();
        let mut found: Vec<u32> = order
            .filter(|block| may_come_back(&cfg, &post_dominators, *block))
            .map(|block| block.0)
            .collect();
        found.sort_unstable();
        found
    }

    /// `while (c) { if (d) ..; }`: the loop decides how often, the branch inside does not.
    #[test]
    fn a_branch_that_joins_within_a_round_does_not_decide_how_many_there_are() {
        let text = "func @f(i1 %0) { b0: br b1 b1: condbr %0, b2, b5 b2: condbr %0, b3, b4 \
             b3: br b4 b4: br b1 b5: ret }";
        assert_eq!(coming_back(text), [1]);
    }

    /// `for (;;) { if (c) continue; if (d) break; }`: classic control dependence does not see the
    /// first one.
    #[test]
    fn a_branch_that_may_skip_the_exit_for_ever_decides() {
        let text = "func @f(i1 %0) { b0: condbr %0, b0, b1 b1: condbr %0, b0, b2 b2: ret }";
        assert_eq!(coming_back(text), [0, 1]);
    }

    #[test]
    fn every_cycle_has_a_branch_that_may_come_back() {
        let mut seed = 5u32;
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
            let text = text + " }";
            let graph = cfg(&text);
            let mut cut = vec![false; graph.len()];
            for block in coming_back(&text) {
                cut[block as usize] = true;
            }
            for block in graph.endless() {
                cut[block.index()] = true;
            }
            // Without them nothing comes back to where it was.
            for &start in graph.order() {
                let mut seen = vec![false; graph.len()];
                let mut stack = vec![start];
                while let Some(block) = stack.pop() {
                    if cut[block.index()] {
                        continue;
                    }
                    for &next in graph.successors(block) {
                        assert!(next != start || cut[start.index()], "{text}: {start}");
                        if !std::mem::replace(&mut seen[next.index()], true) {
                            stack.push(next);
                        }
                    }
                }
            }
        }
    }
}

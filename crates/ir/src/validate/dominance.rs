//! Dominators of a body's control flow.
//!
//! Nodes are the blocks and, for every invoke, the edge on which its call returns: that is where
//! the call's results are assigned, so they are usable exactly in what the edge dominates.

use base::{Dominators, reverse_postorder};

use crate::inst::Terminator;
use crate::module::{BlockId, Body};

pub struct Dominance {
    blocks: usize,
    tree: Dominators,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node(u32);

impl Dominance {
    /// Every block named in `body` exists.
    pub fn new(body: &Body) -> Dominance {
        let successors = successors(body);
        let mut order = Vec::new();
        if !successors.is_empty() {
            let after = |node: u32| successors[node as usize].iter().copied();
            order = reverse_postorder(successors.len(), 0, after);
        }
        let mut predecessors = vec![Vec::new(); successors.len()];
        for &node in &order {
            for next in &successors[node as usize] {
                predecessors[*next as usize].push(node);
            }
        }
        let before = |node: u32| predecessors[node as usize].iter().copied();
        Dominance {
            blocks: body.blocks.len(),
            tree: Dominators::of(successors.len(), &order, before),
        }
    }

    pub fn block(&self, block: BlockId) -> Node {
        Node(block.0)
    }

    /// The edge on which the call of the invoke that ends `block` returns.
    pub fn normal_edge(&self, block: BlockId) -> Node {
        Node((self.blocks + block.index()) as u32)
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.tree.is_reachable(block.0)
    }

    /// Whether every way to `b` passes `a`; a node dominates itself.
    pub fn dominates(&self, a: Node, b: Node) -> bool {
        self.tree.dominates(a.0, b.0)
    }
}

/// Nodes `0..n` are the blocks, `n..2n` their normal edges, which only invokes use.
fn successors(body: &Body) -> Vec<Vec<u32>> {
    let blocks = body.blocks.len();
    let mut successors = vec![Vec::new(); 2 * blocks];
    for (id, block) in body.blocks.enumerate() {
        if let Terminator::Invoke { normal, unwind, .. } = &block.terminator {
            let edge = blocks + id.index();
            successors[id.index()] = vec![edge as u32, unwind.block.0];
            successors[edge] = vec![normal.block.0];
        } else {
            let next = &mut successors[id.index()];
            block
                .terminator
                .for_each_successor(|block| next.push(block.0));
        }
    }
    successors
}

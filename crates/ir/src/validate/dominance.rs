//! Dominators of a body's control flow, by the iteration of Cooper, Harvey and Kennedy, "A Simple,
//! Fast Dominance Algorithm".
//!
//! Nodes are the blocks and, for every invoke, the edge on which its call returns: that is where
//! the call's results are assigned, so they are usable exactly in what the edge dominates.

use crate::inst::Terminator;
use crate::module::{BlockId, Body};

pub struct Dominance {
    blocks: usize,
    /// When a walk over the dominator tree enters and leaves each node; `None` if it cannot be
    /// reached.
    interval: Vec<Option<(u32, u32)>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node(usize);

impl Dominance {
    /// Every block named in `body` exists.
    pub fn new(body: &Body) -> Dominance {
        let successors = successors(body);
        let order = reverse_postorder(&successors);
        let dominators = immediate_dominators(&successors, &order);
        Dominance {
            blocks: body.blocks.len(),
            interval: intervals(&dominators, &order, successors.len()),
        }
    }

    pub fn block(&self, block: BlockId) -> Node {
        Node(block.index())
    }

    /// The edge on which the call of the invoke that ends `block` returns.
    pub fn normal_edge(&self, block: BlockId) -> Node {
        Node(self.blocks + block.index())
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.interval[block.index()].is_some()
    }

    /// Whether every way to `b` passes `a`; a node dominates itself.
    pub fn dominates(&self, a: Node, b: Node) -> bool {
        match (self.interval[a.0], self.interval[b.0]) {
            (Some((a_in, a_out)), Some((b_in, b_out))) => a_in <= b_in && b_out <= a_out,
            _ => false,
        }
    }
}

/// Nodes `0..n` are the blocks, `n..2n` their normal edges, which only invokes use.
fn successors(body: &Body) -> Vec<Vec<usize>> {
    let blocks = body.blocks.len();
    let mut successors = vec![Vec::new(); 2 * blocks];
    for (id, block) in body.blocks.enumerate() {
        let node = id.index();
        if let Terminator::Invoke { normal, unwind, .. } = &block.terminator {
            successors[node] = vec![blocks + node, unwind.block.index()];
            successors[blocks + node] = vec![normal.block.index()];
        } else {
            block
                .terminator
                .for_each_successor(|next| successors[node].push(next.index()));
        }
    }
    successors
}

/// The nodes reachable from node 0.
fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    // A node and how many of its successors have been taken.
    let mut stack = Vec::new();
    if !successors.is_empty() {
        seen[0] = true;
        stack.push((0, 0));
    }
    while let Some((node, taken)) = stack.last_mut() {
        match successors[*node].get(*taken) {
            Some(next) => {
                *taken += 1;
                if !seen[*next] {
                    seen[*next] = true;
                    stack.push((*next, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// By position in `order`, whose first node is its own dominator.
fn immediate_dominators(successors: &[Vec<usize>], order: &[usize]) -> Vec<usize> {
    let mut position = vec![usize::MAX; successors.len()];
    for (index, node) in order.iter().enumerate() {
        position[*node] = index;
    }
    let mut predecessors = vec![Vec::new(); order.len()];
    for (index, node) in order.iter().enumerate() {
        for next in &successors[*node] {
            predecessors[position[*next]].push(index);
        }
    }
    const UNKNOWN: usize = usize::MAX;
    let mut dominator = vec![UNKNOWN; order.len()];
    if let Some(entry) = dominator.first_mut() {
        *entry = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for index in 1..order.len() {
            let known = predecessors[index].iter().copied();
            let common = known
                .filter(|p| dominator[*p] != UNKNOWN)
                .reduce(|a, b| common_dominator(&dominator, a, b))
                .expect("in reverse postorder some predecessor comes first");
            if dominator[index] != common {
                dominator[index] = common;
                changed = true;
            }
        }
    }
    dominator
}

fn common_dominator(dominator: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = dominator[a];
        }
        while b > a {
            b = dominator[b];
        }
    }
    a
}

/// Numbers the nodes by a walk over the dominator tree.
fn intervals(dominators: &[usize], order: &[usize], nodes: usize) -> Vec<Option<(u32, u32)>> {
    let mut children = vec![Vec::new(); order.len()];
    for (index, dominator) in dominators.iter().enumerate().skip(1) {
        children[*dominator].push(index);
    }
    let mut intervals = vec![None; nodes];
    let mut clock = 0;
    let mut stack = Vec::new();
    if !order.is_empty() {
        stack.push((0, 0, clock));
    }
    while let Some((index, taken, entered)) = stack.last_mut() {
        match children[*index].get(*taken) {
            Some(child) => {
                *taken += 1;
                clock += 1;
                stack.push((*child, 0, clock));
            }
            None => {
                intervals[order[*index]] = Some((*entered, clock));
                stack.pop();
            }
        }
    }
    intervals
}

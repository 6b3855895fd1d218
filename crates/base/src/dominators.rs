//! Dominators of a graph with a root, by the iteration of Cooper, Harvey and Kennedy, "A Simple,
//! Fast Dominance Algorithm" (2001).

/// The nodes that can be reached from the root, in reverse postorder: the root first, and a node
/// before its successors unless an edge leads back. The graph has `count` nodes.
pub fn reverse_postorder<I: Iterator<Item = u32>>(
    count: usize,
    root: u32,
    successors: impl Fn(u32) -> I,
) -> Vec<u32> {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    seen[root as usize] = true;
    let mut path = vec![(root, successors(root))];
    while let Some((node, rest)) = path.last_mut() {
        match rest.next() {
            Some(next) if std::mem::replace(&mut seen[next as usize], true) => {}
            Some(next) => path.push((next, successors(next))),
            None => {
                order.push(*node);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The dominator tree. A node *dominates* another if every path from the root to that one passes
/// it.
pub struct Dominators {
    /// By node: its immediate dominator. The root is its own, and so is a node that cannot be
    /// reached.
    parents: Vec<u32>,
    /// When a walk over the tree enters and leaves a node; `(0, 0)` if it cannot be reached.
    intervals: Vec<(u32, u32)>,
}

impl Dominators {
    /// `order` is a reverse postorder from the root, `count` the number of all nodes.
    pub fn of<I: Iterator<Item = u32>>(
        count: usize,
        order: &[u32],
        predecessors: impl Fn(u32) -> I,
    ) -> Dominators {
        let places = immediate(count, order, predecessors);
        let mut parents: Vec<u32> = (0..count as u32).collect();
        for (place, node) in order.iter().enumerate() {
            parents[*node as usize] = order[places[place] as usize];
        }
        Dominators {
            intervals: intervals(count, order, &places),
            parents,
        }
    }

    /// The immediate dominator; `None` for the root and for what cannot be reached.
    pub fn parent(&self, node: u32) -> Option<u32> {
        let parent = self.parents[node as usize];
        (parent != node).then_some(parent)
    }

    pub fn is_reachable(&self, node: u32) -> bool {
        self.intervals[node as usize].0 != 0
    }

    /// Whether every path to `b` passes `a`; a node dominates itself.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (a_in, a_out) = self.intervals[a as usize];
        let (b_in, b_out) = self.intervals[b as usize];
        a == b || (b_in != 0 && a_in != 0 && a_in <= b_in && b_out <= a_out)
    }
}

/// The immediate dominator of every node in `order`. Both are given by their places in the order,
/// so that a dominator always has the smaller number.
fn immediate<I: Iterator<Item = u32>>(
    count: usize,
    order: &[u32],
    predecessors: impl Fn(u32) -> I,
) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut places = vec![NONE; count];
    for (place, node) in order.iter().enumerate() {
        places[*node as usize] = place as u32;
    }
    let mut parents = vec![NONE; order.len()];
    if let Some(root) = parents.first_mut() {
        *root = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for place in 1..order.len() {
            let before = predecessors(order[place]).map(|node| places[node as usize]);
            let known = before.filter(|p| *p != NONE && parents[*p as usize] != NONE);
            let parent = known.reduce(|a, b| common(&parents, a, b)).unwrap_or(NONE);
            if parents[place] != parent {
                parents[place] = parent;
                changed = true;
            }
        }
    }
    parents
}

/// The closest node that dominates both.
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
fn intervals(count: usize, order: &[u32], parents: &[u32]) -> Vec<(u32, u32)> {
    let mut sizes = vec![1u32; order.len()];
    for place in (1..order.len()).rev() {
        sizes[parents[place] as usize] += sizes[place];
    }
    // Where the next child of a node begins.
    let mut next = vec![0u32; order.len()];
    let mut intervals = vec![(0, 0); count];
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `0 -> 1, 2 -> 3 -> 1`, and 4, which leads to 3 and cannot be reached.
    #[test]
    fn a_diamond_with_an_edge_back() {
        let successors: [&[u32]; 5] = [&[1, 2], &[3], &[3], &[1], &[3]];
        let predecessors: [&[u32]; 5] = [&[], &[0, 3], &[0], &[1, 2, 4], &[]];
        let order = reverse_postorder(5, 0, |n| successors[n as usize].iter().copied());
        assert_eq!(order, [0, 2, 1, 3]);
        let tree = Dominators::of(5, &order, |n| predecessors[n as usize].iter().copied());
        assert_eq!(tree.parent(3), Some(0));
        assert_eq!((tree.parent(0), tree.parent(4)), (None, None));
        assert!(tree.dominates(0, 3) && !tree.dominates(1, 3) && !tree.dominates(4, 3));
        assert!(tree.is_reachable(0) && !tree.is_reachable(4));
    }
}

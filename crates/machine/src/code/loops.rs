//! Which jumps go back to the head of a loop: retreating edges of a depth-first walk.

use base::{Dominators, reverse_postorder};
use ir::{BlockId, Body};

/// For each block, whether some jump back enters it.
pub struct Loops {
    /// The place of each block in reverse postorder; `None`: unreachable.
    places: Vec<Option<u32>>,
    heads: Vec<bool>,
    /// Only of a function that has loops.
    dominators: Option<Dominators>,
}

impl Loops {
    pub fn of(body: &Body) -> Loops {
        let n = body.blocks.len();
        let mut loops = Loops {
            places: vec![None; n],
            heads: vec![false; n],
            dominators: None,
        };
        if n == 0 {
            return loops;
        }
        let mut successors = vec![Vec::new(); n];
        for (id, block) in body.blocks.enumerate() {
            let next = &mut successors[id.index()];
            block
                .terminator
                .for_each_successor(|block| next.push(block.0));
        }
        let order = reverse_postorder(n, 0, |block| successors[block as usize].iter().copied());
        for (place, block) in order.iter().enumerate() {
            loops.places[*block as usize] = Some(place as u32);
        }
        let mut predecessors = vec![Vec::new(); n];
        for &block in &order {
            for &next in &successors[block as usize] {
                predecessors[next as usize].push(block);
                if loops.is_back(BlockId(block), BlockId(next)) {
                    loops.heads[next as usize] = true;
                }
            }
        }
        if loops.heads.contains(&true) {
            let before = |block: u32| predecessors[block as usize].iter().copied();
            loops.dominators = Some(Dominators::of(n, &order, before));
        }
        loops
    }

    /// Whether every way to `block` passes `head`. Known in functions with loops alone.
    pub fn dominates(&self, head: BlockId, block: BlockId) -> bool {
        let dominators = self.dominators.as_ref();
        dominators.is_some_and(|tree| tree.dominates(head.0, block.0))
    }

    pub fn is_head(&self, block: BlockId) -> bool {
        self.heads[block.index()]
    }

    /// A jump to a block that is finished later in the walk, or to itself.
    pub fn is_back(&self, from: BlockId, to: BlockId) -> bool {
        match (self.places[from.index()], self.places[to.index()]) {
            (Some(a), Some(b)) => a >= b,
            _ => false,
        }
    }
}

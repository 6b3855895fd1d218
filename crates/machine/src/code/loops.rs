//! Which jumps go back to the head of a loop: retreating edges of a depth-first walk.

use ir::{BlockId, Body, Terminator};

/// For each block, whether some jump back enters it.
pub struct Loops {
    /// Position of each block in the walk's post-order; `None`: unreachable.
    order: Vec<Option<u32>>,
    heads: Vec<bool>,
    /// The closest block that every way to a block passes; itself for the first.
    dominator: Vec<Option<BlockId>>,
}

impl Loops {
    pub fn of(body: &Body) -> Loops {
        let n = body.blocks.len();
        let mut loops = Loops {
            order: vec![None; n],
            heads: vec![false; n],
            dominator: vec![None; n],
        };
        if n == 0 {
            return loops;
        }
        let mut seen = vec![false; n];
        let mut next = 0;
        let mut stack = vec![(BlockId(0), 0)];
        seen[0] = true;
        while let Some((block, child)) = stack.pop() {
            let successors = successors(&body.blocks[block].terminator);
            if let Some(&successor) = successors.get(child) {
                stack.push((block, child + 1));
                if !seen[successor.index()] {
                    seen[successor.index()] = true;
                    stack.push((successor, 0));
                }
            } else {
                loops.order[block.index()] = Some(next);
                next += 1;
            }
        }
        for block in body.blocks.ids() {
            for successor in successors(&body.blocks[block].terminator) {
                if loops.is_back(block, successor) {
                    loops.heads[successor.index()] = true;
                }
            }
        }
        if loops.heads.contains(&true) {
            loops.find_dominators(body);
        }
        loops
    }

    /// Cooper, Harvey and Kennedy: intersect what is known of the predecessors until nothing
    /// changes.
    fn find_dominators(&mut self, body: &Body) {
        let mut blocks: Vec<BlockId> = body
            .blocks
            .ids()
            .filter(|b| self.order[b.index()].is_some())
            .collect();
        blocks.sort_by_key(|b| std::cmp::Reverse(self.order[b.index()]));
        let mut predecessors = vec![Vec::new(); body.blocks.len()];
        for &block in &blocks {
            for successor in successors(&body.blocks[block].terminator) {
                predecessors[successor.index()].push(block);
            }
        }
        self.dominator[0] = Some(BlockId(0));
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &blocks[1..] {
                let mut known = predecessors[block.index()]
                    .iter()
                    .filter(|p| self.dominator[p.index()].is_some());
                let Some(&first) = known.next() else {
                    continue;
                };
                let dominator = known.fold(first, |a, b| self.common_dominator(a, *b));
                if self.dominator[block.index()] != Some(dominator) {
                    self.dominator[block.index()] = Some(dominator);
                    changed = true;
                }
            }
        }
    }

    fn common_dominator(&self, mut a: BlockId, mut b: BlockId) -> BlockId {
        while a != b {
            let lower = if self.order[a.index()] < self.order[b.index()] {
                &mut a
            } else {
                &mut b
            };
            *lower = self.dominator[lower.index()].expect("a block that was reached");
        }
        a
    }

    /// Whether every way to `block` passes `head`. Known in functions with loops alone.
    pub fn dominates(&self, head: BlockId, mut block: BlockId) -> bool {
        while block != head {
            match self.dominator[block.index()] {
                Some(dominator) if dominator != block => block = dominator,
                _ => return false,
            }
        }
        true
    }

    pub fn is_head(&self, block: BlockId) -> bool {
        self.heads[block.index()]
    }

    /// A jump to a block that is finished later in the walk, or to itself.
    pub fn is_back(&self, from: BlockId, to: BlockId) -> bool {
        match (self.order[from.index()], self.order[to.index()]) {
            (Some(a), Some(b)) => a <= b,
            _ => false,
        }
    }
}

pub fn successors(terminator: &Terminator) -> Vec<BlockId> {
    match terminator {
        Terminator::Br(target) => vec![target.block],
        Terminator::CondBr { then, other, .. } => vec![then.block, other.block],
        Terminator::Switch { cases, default, .. } => cases
            .iter()
            .map(|(_, target)| target.block)
            .chain([default.block])
            .collect(),
        Terminator::IndirectBr { targets, .. } => targets.clone(),
        Terminator::Invoke { normal, unwind, .. } => vec![normal.block, unwind.block],
        Terminator::Ret(_) | Terminator::Resume { .. } | Terminator::Unreachable => Vec::new(),
    }
}

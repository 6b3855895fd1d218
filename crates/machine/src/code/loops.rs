//! Which jumps go back to the head of a loop: retreating edges of a depth-first walk.

use ir::{BlockId, Body, Terminator};

/// For each block, whether some jump back enters it.
pub struct Loops {
    /// Position of each block in the walk's post-order; `None`: unreachable.
    order: Vec<Option<u32>>,
    heads: Vec<bool>,
}

impl Loops {
    pub fn of(body: &Body) -> Loops {
        let n = body.blocks.len();
        let mut loops = Loops {
            order: vec![None; n],
            heads: vec![false; n],
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
        loops
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

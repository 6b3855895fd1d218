//! Unrolled locations: where a thread stands, with the calls that led there and the rounds of the
//! loops it is in.
//!
//! Keys are compared as lists of numbers, and a thread only ever goes from a smaller key to a
//! greater one. So when the paths of a thread are followed in the order of their keys, all that
//! meet at a location have come there before any of them goes on. A key begins with how many
//! functions the thread has run to their ends (constructors before `main`). For a frame it has the
//! function; for each loop around the block, outermost first, the place of its head and the round;
//! the place of the block, and the instruction. Places are those of a reverse postorder: within one
//! round every jump leads forward, and what comes after a loop has a greater place than its head.

use base::{Dominators, reverse_postorder};
use ir::{BlockId, Body};

/// The list of numbers that an unrolled location is.
pub type Key = Box<[u32]>;

/// The loops of a function.
pub struct Shape {
    /// By block, its place in reverse postorder; `u32::MAX`: unreachable.
    places: Vec<u32>,
    /// By block, the heads of the loops around it, outermost first; a head is in its own loop.
    loops: Vec<Vec<BlockId>>,
}

impl Shape {
    /// `None`: a loop can be entered at several places.
    pub fn of(body: &Body) -> Option<Shape> {
        let count = body.blocks.len();
        let mut successors = vec![Vec::new(); count];
        for (id, block) in body.blocks.enumerate() {
            let next = &mut successors[id.index()];
            block
                .terminator
                .for_each_successor(|block| next.push(block.0));
        }
        let order = reverse_postorder(count, 0, |b| successors[b as usize].iter().copied());
        let mut places = vec![u32::MAX; count];
        for (place, block) in order.iter().enumerate() {
            places[*block as usize] = place as u32;
        }
        let mut predecessors = vec![Vec::new(); count];
        for &block in &order {
            for &next in &successors[block as usize] {
                predecessors[next as usize].push(block);
            }
        }
        let dominators =
            Dominators::of(count, &order, |b| predecessors[b as usize].iter().copied());
        let mut loops = vec![Vec::new(); count];
        // In the order of places, so that outer heads come first.
        for &head in &order {
            let mut members = vec![false; count];
            let mut work = Vec::new();
            for &from in &predecessors[head as usize] {
                if places[from as usize] >= places[head as usize] {
                    if !dominators.dominates(head, from) {
                        return None;
                    }
                    work.push(from);
                }
            }
            if work.is_empty() {
                continue;
            }
            members[head as usize] = true;
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut members[block as usize], true) {
                    work.extend(&predecessors[block as usize]);
                }
            }
            for (block, _) in members.iter().enumerate().filter(|(_, member)| **member) {
                loops[block].push(BlockId(head));
            }
        }
        Some(Shape { places, loops })
    }

    pub fn place(&self, block: BlockId) -> u32 {
        self.places[block.index()]
    }

    /// The heads of the loops around the block, outermost first.
    pub fn loops(&self, block: BlockId) -> &[BlockId] {
        &self.loops[block.index()]
    }

    /// The rounds after a jump from one block to another, and whether it begins a further round of
    /// the loop of its target.
    pub fn jump(&self, rounds: &mut Vec<u32>, from: BlockId, to: BlockId) -> bool {
        let (before, after) = (self.loops(from), self.loops(to));
        let common = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        rounds.truncate(common);
        let goes_round = after.len() == common && after.last() == Some(&to);
        if goes_round {
            rounds[common - 1] += 1;
        }
        rounds.resize(after.len(), 0);
        goes_round
    }

    /// Appends the key of a location within a frame.
    pub fn extend_key(&self, key: &mut Vec<u32>, block: BlockId, rounds: &[u32], inst: u32) {
        for (head, round) in self.loops(block).iter().zip(rounds) {
            key.extend([self.place(*head), *round]);
        }
        key.extend([self.place(block), inst]);
    }
}

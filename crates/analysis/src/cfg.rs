//! The control flow of one function: blocks, the edges between them and one virtual exit.
//!
//! Every block that returns, goes on unwinding or cannot be left has an edge to the exit. An invoke
//! has an edge to where its call returns and one to its landing pad, an indirect branch one to each
//! of its labels. A call that is known never to return ends its block.
//!
//! From an endless loop the exit cannot be reached, and post-dominance would say nothing about it.
//! [`Cfg::onward`] therefore gives every such region one more edge to the exit. Additional paths
//! only make more blocks control dependent, which errs on the safe side.
//!
//! `longjmp` is not an edge here. Reaching definitions treat functions that call `setjmp`
//! separately, and for control dependence the jump itself is always essential.

use std::fmt::Write;

use base::reverse_postorder;
use ir::{BlockId, Body, Call, Function, Op, Terminator};
use smallvec::SmallVec;

pub struct Cfg {
    successors: Vec<SmallVec<[BlockId; 2]>>,
    predecessors: Vec<SmallVec<[BlockId; 2]>>,
    /// The blocks that can be reached, in reverse postorder.
    order: Vec<BlockId>,
    /// A block's place in `order`, or `UNREACHABLE`.
    places: Vec<u32>,
    /// One block of every region from which the exit cannot be reached.
    endless: Vec<BlockId>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Cfg {
    pub fn of(body: &Body) -> Cfg {
        Cfg::with_ends(body, |_| false)
    }

    /// `never_returns` may answer for some calls that control does not come back.
    pub fn with_ends(body: &Body, never_returns: impl Fn(&Call) -> bool) -> Cfg {
        let exit = BlockId::from(body.blocks.len());
        let mut successors = vec![SmallVec::new(); body.blocks.len() + 1];
        let mut predecessors = vec![SmallVec::new(); body.blocks.len() + 1];
        for (id, block) in body.blocks.enumerate() {
            let next: &mut SmallVec<[BlockId; 2]> = &mut successors[id.index()];
            let ends = |op: &Op| matches!(op, Op::Call(call) if never_returns(call));
            if !block.insts.iter().any(|inst| ends(&inst.op)) {
                let returns = !matches!(&block.terminator, Terminator::Invoke { call, .. } if never_returns(call));
                match &block.terminator {
                    Terminator::Invoke { unwind, .. } if !returns => next.push(unwind.block),
                    terminator => terminator.for_each_successor(|block| next.push(block)),
                }
            }
            if next.is_empty() {
                next.push(exit);
            }
            next.sort_unstable();
            next.dedup();
            for block in next {
                let before: &mut SmallVec<[BlockId; 2]> = &mut predecessors[block.index()];
                before.push(id);
            }
        }
        let order = order(&successors, exit);
        let mut places = vec![UNREACHABLE; successors.len()];
        for (place, block) in order.iter().enumerate() {
            places[block.index()] = place as u32;
        }
        let mut cfg = Cfg {
            successors,
            predecessors,
            order,
            places,
            endless: Vec::new(),
        };
        cfg.endless = cfg.find_endless();
        cfg
    }

    pub fn entry(&self) -> BlockId {
        BlockId(0)
    }

    /// The virtual exit; it stands for no block of the function.
    pub fn exit(&self) -> BlockId {
        BlockId::from(self.successors.len() - 1)
    }

    /// How many blocks there are, the virtual exit included.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// Each once, in ascending order.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.index()]
    }

    /// Each once, in ascending order, also those that cannot be reached.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    /// The successors, and for one block of an endless region the exit.
    pub fn onward(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let exit = self.endless.contains(&block).then(|| self.exit());
        self.successors(block).iter().copied().chain(exit)
    }

    /// The blocks of endless regions that [`Cfg::onward`] gives an edge to the exit.
    pub fn endless(&self) -> &[BlockId] {
        &self.endless
    }

    /// The blocks that can be reached, the entry first, a block before its successors but for edges
    /// back. Without the exit.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// The block's place in [`Cfg::order`].
    pub fn place(&self, block: BlockId) -> Option<usize> {
        let place = self.places[block.index()];
        (place != UNREACHABLE).then_some(place as usize)
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        block == self.exit() || self.place(block).is_some()
    }

    /// The last block of the order that does not reach the exit lies at the end of an endless loop.
    /// It gets an edge, and so on until every block reaches the exit.
    fn find_endless(&self) -> Vec<BlockId> {
        let mut reaches = vec![false; self.len()];
        let mut endless = Vec::new();
        self.mark_before(self.exit(), &mut reaches);
        for &block in self.order.iter().rev() {
            if !reaches[block.index()] {
                endless.push(block);
                self.mark_before(block, &mut reaches);
            }
        }
        endless
    }

    fn mark_before(&self, block: BlockId, marked: &mut [bool]) {
        marked[block.index()] = true;
        let mut stack = vec![block];
        while let Some(block) = stack.pop() {
            for before in self.predecessors(block) {
                if !std::mem::replace(&mut marked[before.index()], true) {
                    stack.push(*before);
                }
            }
        }
    }

    /// One line per block.
    pub fn to_text(&self, function: &Function) -> String {
        let mut text = format!("{}:\n", function.source_name);
        for block in 0..self.exit().index() {
            let block = BlockId::from(block);
            let next = self.successors(block).iter().map(|next| self.label(*next));
            let next: Vec<String> = next.collect();
            let note = if self.is_reachable(block) {
                ""
            } else {
                " (unreachable)"
            };
            let _ = writeln!(text, "  {block} -> {}{note}", next.join(", "));
        }
        text
    }

    /// For Graphviz.
    pub fn to_dot(&self, function: &Function) -> String {
        let mut text = format!("digraph {:?} {{\n  node [shape=box];\n", function.name);
        for block in 0..self.exit().index() {
            let block = BlockId::from(block);
            for next in self.successors(block) {
                let _ = writeln!(text, "  {block} -> {};", self.label(*next));
            }
        }
        text.push_str("}\n");
        text
    }

    fn label(&self, block: BlockId) -> String {
        if block == self.exit() {
            "exit".to_string()
        } else {
            block.to_string()
        }
    }
}

/// A reverse postorder from the entry, without the exit.
fn order(successors: &[SmallVec<[BlockId; 2]>], exit: BlockId) -> Vec<BlockId> {
    if exit == BlockId(0) {
        return Vec::new();
    }
    let after = |block: u32| {
        let after = successors[block as usize].iter();
        after.filter(|next| **next != exit).map(|next| next.0)
    };
    let order = reverse_postorder(successors.len(), 0, after);
    order.into_iter().map(BlockId).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The control flow of the one function in `text`.
    pub(crate) fn cfg(text: &str) -> Cfg {
        let module = ir::text::parse(text).expect("valid text");
        Cfg::of(
            module.functions[ir::FuncId(0)]
                .body
                .as_ref()
                .expect("a body"),
        )
    }

    #[test]
    fn edges_and_exit() {
        let text = "func @f(i1 %0, ptr %1) { b0: condbr %0, b1, b1  b1: indirectbr %1 to (b0, b2)  b2: ret  b3: unreachable }";
        let cfg = cfg(text);
        assert_eq!(cfg.successors(BlockId(0)), [BlockId(1)]);
        assert_eq!(cfg.successors(BlockId(1)), [BlockId(0), BlockId(2)]);
        assert_eq!(cfg.successors(BlockId(2)), [cfg.exit()]);
        assert_eq!(cfg.predecessors(cfg.exit()), [BlockId(2), BlockId(3)]);
        assert_eq!(cfg.order(), [BlockId(0), BlockId(1), BlockId(2)]);
        assert!(!cfg.is_reachable(BlockId(3)));
        assert!(cfg.endless().is_empty());
        let module = ir::text::parse(text).expect("valid text");
        let f = &module.functions[ir::FuncId(0)];
        let lines = "  b0 -> b1\n  b1 -> b0, b2\n  b2 -> exit\n  b3 -> exit (unreachable)\n";
        assert!(cfg.to_text(f).ends_with(lines));
        assert!(
            cfg.to_dot(f)
                .contains("  b1 -> b0;\n  b1 -> b2;\n  b2 -> exit;\n")
        );
    }

    #[test]
    fn invoke_has_two_edges() {
        let cfg = cfg(
            "func @f() { b0: invoke @f() to b1 unwind b2  b1: ret  b2(%0: ptr, %1: i32): resume %0, %1 }",
        );
        assert_eq!(cfg.successors(BlockId(0)), [BlockId(1), BlockId(2)]);
        assert_eq!(cfg.successors(BlockId(2)), [cfg.exit()]);
    }

    #[test]
    fn endless_loops_get_an_edge() {
        let cfg = cfg("func @f(i1 %0) { b0: condbr %0, b1, b3  b1: br b2  b2: br b1  b3: br b3 }");
        assert_eq!(cfg.endless().len(), 2);
        let leaves = |b: u32| cfg.onward(BlockId(b)).any(|next| next == cfg.exit());
        assert!(leaves(2) && leaves(3) && !leaves(1));
        assert!(cfg.predecessors(cfg.exit()).is_empty());
    }

    #[test]
    fn a_call_that_never_returns_ends_its_block() {
        let module = ir::text::parse(
            "func @f(i1 %0) { b0: condbr %0, b1, b2  b1: call @die() br b2  b2: ret }  func @die()",
        )
        .expect("valid text");
        let body = module.functions[ir::FuncId(0)].body.as_ref().expect("body");
        let die = |call: &Call| call.callee == ir::Callee::Direct(ir::FuncId(1));
        let cfg = Cfg::with_ends(body, die);
        assert_eq!(cfg.successors(BlockId(1)), [cfg.exit()]);
        assert_eq!(cfg.predecessors(BlockId(2)), [BlockId(0)]);
    }
}

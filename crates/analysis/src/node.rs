//! Numbers for the instructions and terminators of a module: what all facts are about.

use base::{IndexVec, id};
use fixedbitset::FixedBitSet;
use ir::debug::LocId;
use ir::{BlockId, FuncId, Inst, Module, Terminator};

id!(
    /// An instruction or terminator of the module. Those of a block are consecutive, its terminator
    /// last; so are the blocks of a function and the functions of the module.
    NodeId, "n"
);

/// Which node is which instruction.
pub struct Nodes {
    /// For every function with a body, the first node of each block, and one past its last.
    blocks: IndexVec<FuncId, Vec<u32>>,
    owners: IndexVec<NodeId, (FuncId, BlockId)>,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug)]
pub enum Stands<'a> {
    Inst(&'a Inst),
    Terminator(&'a Terminator),
}

impl Nodes {
    pub fn of(module: &Module) -> Nodes {
        let mut owners = IndexVec::new();
        let mut blocks = IndexVec::new();
        for (function, f) in module.functions.enumerate() {
            let mut firsts = Vec::new();
            for (block, b) in f.body.iter().flat_map(|body| body.blocks.enumerate()) {
                firsts.push(owners.len() as u32);
                for _ in 0..=b.insts.len() {
                    owners.push((function, block));
                }
            }
            firsts.push(owners.len() as u32);
            blocks.push(firsts);
        }
        Nodes { blocks, owners }
    }

    pub fn len(&self) -> usize {
        self.owners.len()
    }

    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// The instruction at `index` of the block; its terminator, if that is their number.
    pub fn at(&self, function: FuncId, block: BlockId, index: usize) -> NodeId {
        NodeId(self.blocks[function][block.index()] + index as u32)
    }

    pub fn function(&self, node: NodeId) -> FuncId {
        self.owners[node].0
    }

    pub fn block(&self, node: NodeId) -> BlockId {
        self.owners[node].1
    }

    /// Its place in the block.
    pub fn index(&self, node: NodeId) -> usize {
        let (function, block) = self.owners[node];
        (node.0 - self.blocks[function][block.index()]) as usize
    }

    /// The nodes of a function.
    pub fn of_function(&self, function: FuncId) -> impl Iterator<Item = NodeId> + use<> {
        let firsts = &self.blocks[function];
        (firsts[0]..*firsts.last().expect("an end")).map(NodeId)
    }

    /// The nodes of a block, its terminator last.
    pub fn of_block(
        &self,
        function: FuncId,
        block: BlockId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        let firsts = &self.blocks[function];
        (firsts[block.index()]..firsts[block.index() + 1]).map(NodeId)
    }

    pub fn terminator(&self, function: FuncId, block: BlockId) -> NodeId {
        NodeId(self.blocks[function][block.index() + 1] - 1)
    }

    pub fn stands_for<'a>(&self, module: &'a Module, node: NodeId) -> Stands<'a> {
        let (function, block) = self.owners[node];
        let body = module.functions[function].body.as_ref();
        let block = &body.expect("a function with nodes").blocks[block];
        match block.insts.get(self.index(node)) {
            Some(inst) => Stands::Inst(inst),
            None => Stands::Terminator(&block.terminator),
        }
    }

    /// Where it stands in the source.
    pub fn loc(&self, module: &Module, node: NodeId) -> LocId {
        let (function, block) = self.owners[node];
        let body = module.functions[function].body.as_ref();
        let block = &body.expect("a function with nodes").blocks[block];
        block
            .insts
            .get(self.index(node))
            .map_or(block.terminator_loc, |inst| inst.loc)
    }

    pub fn none(&self) -> NodeSet {
        NodeSet(FixedBitSet::with_capacity(self.len()))
    }
}

/// Some nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSet(FixedBitSet);

impl NodeSet {
    pub fn contains(&self, node: NodeId) -> bool {
        self.0.contains(node.index())
    }

    /// Whether it is new.
    pub fn insert(&mut self, node: NodeId) -> bool {
        !self.0.put(node.index())
    }

    pub fn len(&self) -> usize {
        self.0.count_ones(..)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_clear()
    }

    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.0.ones().map(NodeId::from)
    }

    pub fn union_with(&mut self, other: &NodeSet) {
        self.0.union_with(&other.0);
    }
}

//! Which instruction assigns a value.

use base::IndexVec;
use ir::{FuncId, Module, ValueId};

use crate::node::{NodeId, Nodes};

/// For every value of every function, the node that assigns it.
pub struct Definitions(IndexVec<FuncId, Vec<Option<NodeId>>>);

impl Definitions {
    pub(crate) fn of_module(module: &Module, nodes: &Nodes) -> Definitions {
        let of = |(function, f): (FuncId, &ir::Function)| {
            let Some(body) = &f.body else {
                return Vec::new();
            };
            let mut found = vec![None; body.values.len()];
            for (id, block) in body.blocks.enumerate() {
                for (index, inst) in block.insts.iter().enumerate() {
                    let node = nodes.at(function, id, index);
                    inst.op
                        .for_each_result(|dst| found[dst.index()] = Some(node));
                }
                for dst in block.terminator.results() {
                    found[dst.index()] = Some(nodes.terminator(function, id));
                }
            }
            found
        };
        Definitions(module.functions.enumerate().map(of).collect())
    }

    /// The node that assigns a value. `None`: it is a constant, or a parameter of the function or
    /// of a block.
    pub fn of(&self, function: FuncId, value: ValueId) -> Option<NodeId> {
        self.0[function][value.index()]
    }
}

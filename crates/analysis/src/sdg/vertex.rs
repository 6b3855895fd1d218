//! Vertices and their numbers.

use base::IndexVec;
use ir::{FuncId, Module, ValueId};

use crate::node::{NodeId, Nodes};

/// One thing about a program that something else may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vertex {
    /// What the value is.
    Value(FuncId, ValueId),
    /// That the node is executed. Of a call: not with which arguments.
    Runs(NodeId),
    /// Where an access goes. Of a call of a function without a body: all its arguments.
    Touches(NodeId),
    /// What it finds there.
    Reads(NodeId),
    /// What it leaves there.
    Writes(NodeId),
    /// Which way a terminator goes.
    Decides(NodeId),
    /// That the block of this terminator is executed.
    Reached(NodeId),
    /// That the function is called.
    Enters(FuncId),
}

impl Vertex {
    /// The node it is about; `None`: a value or a whole function.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Vertex::Value(..) | Vertex::Enters(_) => None,
            Vertex::Runs(node)
            | Vertex::Touches(node)
            | Vertex::Reads(node)
            | Vertex::Writes(node)
            | Vertex::Decides(node)
            | Vertex::Reached(node) => Some(node),
        }
    }
}

/// Numbers vertices without gaps, for sets of them.
pub struct Vertices {
    /// The number of each function's first value.
    first_values: IndexVec<FuncId, u32>,
    values: u32,
    nodes: u32,
}

/// Of the vertices that a node has.
const KINDS: u32 = 6;

impl Vertices {
    pub fn of(module: &Module, nodes: &Nodes) -> Vertices {
        let mut values = 0;
        let mut first_values = IndexVec::new();
        for f in &module.functions {
            first_values.push(values);
            values += f.body.as_ref().map_or(0, |body| body.values.len() as u32);
        }
        Vertices {
            first_values,
            values,
            nodes: nodes.len() as u32,
        }
    }

    pub fn len(&self) -> usize {
        self.values() + (KINDS * self.nodes) as usize + self.first_values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of them are values; those come first.
    pub fn values(&self) -> usize {
        self.values as usize
    }

    pub fn index(&self, vertex: Vertex) -> usize {
        let of_node = |node: NodeId, kind: u32| self.values + kind * self.nodes + node.0;
        let index = match vertex {
            Vertex::Value(function, value) => self.first_values[function] + value.0,
            Vertex::Runs(node) => of_node(node, 0),
            Vertex::Touches(node) => of_node(node, 1),
            Vertex::Reads(node) => of_node(node, 2),
            Vertex::Writes(node) => of_node(node, 3),
            Vertex::Decides(node) => of_node(node, 4),
            Vertex::Reached(node) => of_node(node, 5),
            Vertex::Enters(function) => self.values + KINDS * self.nodes + function.0,
        };
        index as usize
    }
}

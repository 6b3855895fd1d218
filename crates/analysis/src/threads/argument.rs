//! What a thread is given: often its own element of an array, or its own variable.

use fixedbitset::FixedBitSet;
use ir::{FuncId, ValueId};

use super::ThreadId;
use super::alive::Alive;
use super::handles::{Handle, Handles};
use super::tree::ContextId;
use crate::address::Address;
use crate::node::NodeId;

/// Where the argument of a thread points.
#[derive(Clone, Debug)]
pub enum Argument {
    Unknown,
    /// The same place for all threads of this kind.
    At(Address),
    /// The same number for all threads of this kind.
    Number(i64),
    /// No two threads of this kind that are alive at the same time have the same element.
    Element(Element),
}

/// `base + scale * counter`, in a loop that creates a thread for every element. A number, if the
/// base has no anchor.
#[derive(Clone, Debug)]
pub struct Element {
    pub context: ContextId,
    pub function: FuncId,
    pub base: Address,
    pub scale: i64,
    pub counter: ValueId,
    /// The node that creates the thread of a round, and the blocks that come only before it.
    pub created: NodeId,
    before: FixedBitSet,
}

impl Element {
    /// Whether the node, if it is in the loop at all, is executed only before the thread of the
    /// same round is created.
    pub fn comes_before(&self, nodes: &crate::node::Nodes, node: NodeId) -> bool {
        let block = nodes.block(node);
        nodes.function(node) == self.function
            && (self.before.contains(block.index())
                || block == nodes.block(self.created) && node < self.created)
    }
}

pub fn argument(handles: &Handles, alive: &Alive, thread: ThreadId) -> Argument {
    let Some((context, node)) = handles.tree.threads[thread].at else {
        return Argument::Unknown;
    };
    match handles.of_argument(thread) {
        Handle::At(spot) if spot.context.is_none() && spot.address.is_absolute() => {
            Argument::At(spot.address)
        }
        Handle::At(spot) if spot.context.is_none() && spot.address.anchor.is_none() => {
            Argument::Number(spot.address.offset)
        }
        Handle::Among(elements) => {
            let mut kind = FixedBitSet::with_capacity(handles.tree.threads.len());
            kind.insert(thread.index());
            let Some(created) = handles.once_in(elements.context, context, node) else {
                return Argument::Unknown;
            };
            if !alive.is_once_an_element(handles, &elements, context, node, &kind) {
                return Argument::Unknown;
            }
            let block = handles.program.nodes.block(created);
            Argument::Element(Element {
                context: elements.context,
                function: elements.counting.function,
                base: elements.base.address,
                scale: elements.scale,
                counter: elements.counting.counter,
                before: handles
                    .loops
                    .before(handles.program, &elements.counting, block),
                created,
            })
        }
        _ => Argument::Unknown,
    }
}

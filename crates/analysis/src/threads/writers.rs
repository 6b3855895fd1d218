//! The instructions that may write to what an instruction reads.

use super::tree::Program;
use crate::node::NodeId;
use crate::points_to::AccessKind;

/// All nodes that write to memory.
pub struct Writers(Vec<NodeId>);

impl Writers {
    pub fn of_program(program: Program) -> Writers {
        let ids = (0..program.nodes.len()).map(NodeId::from);
        let writes = |node: &NodeId| {
            let mut accesses = program.points_to.accesses(*node).iter();
            accesses.any(|access| access.kind == AccessKind::Write)
        };
        Writers(ids.filter(writes).collect())
    }

    /// Those that may write to what the node reads.
    pub fn of<'a>(
        &'a self,
        program: Program<'a>,
        node: NodeId,
    ) -> impl Iterator<Item = NodeId> + 'a {
        let points_to = program.points_to;
        let conflicts = move |writer: &NodeId| {
            let writes = points_to.accesses(*writer).iter();
            let mut writes = writes.filter(|access| access.kind == AccessKind::Write);
            writes.any(|write| {
                let mut reads = points_to.accesses(node).iter();
                reads.any(|read| points_to.may_overlap(read, write))
            })
        };
        self.0.iter().copied().filter(conflicts)
    }
}

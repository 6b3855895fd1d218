//! Whether calls like `setjmp` may return again. Where nothing jumps, the code for the second time
//! is never executed: that of cleanup handlers, for example, which `pthread_cleanup_push` puts
//! behind one.

use analysis::external::{self, Class};
use analysis::{NodeId, Nodes, PointsTo};
use ir::Module;

/// Whether a call like `setjmp` may return again: something jumps, or a thread exits, which
/// executes its cleanup handlers. What such a handler's own code does in the end, when it is left,
/// does not count.
pub fn jumps_back(module: &Module, nodes: &Nodes, points_to: &PointsTo) -> bool {
    (0..nodes.len()).map(NodeId::from).any(|node| {
        let mut callees = points_to.callees(node).iter();
        callees.any(|callee| {
            let f = &module.functions[*callee];
            let class = external::of(f).map(|e| e.class);
            match class {
                Some(Class::Jumps) => true,
                Some(Class::ExitsThread) => f.name != "__pthread_unwind_next",
                Some(Class::Unmodelled) => f.name == "pthread_cancel",
                _ => false,
            }
        })
    })
}

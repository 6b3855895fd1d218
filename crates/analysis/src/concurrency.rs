//! Interference: which writes of other threads a read may see.
//!
//! A write interferes with a read if another thread may make it before the read. The order of
//! threads is not used: a write of one may come before a read of the other whether they run in
//! parallel or one after the other. One case alone is excluded: only one thread executes the two
//! nodes, and it exists once.

use base::IndexVec;
use ir::{FuncId, Module};

use crate::node::{NodeId, Nodes};
use crate::points_to::{ObjectId, PointsTo};
use crate::threads::{ThreadId, Threads};
use crate::unique::Unique;

pub trait Concurrency {
    /// The one thread that ever executes the node, if it is known that there is only one.
    fn alone(&self, node: NodeId) -> Option<ThreadId>;

    /// Whether a thread may execute `read` after another thread has executed `write`.
    fn may_interfere(&self, write: NodeId, read: NodeId) -> bool {
        let thread = self.alone(write);
        thread.is_none() || thread != self.alone(read)
    }

    /// Whether two threads may be at these two nodes at the same time.
    fn may_happen_in_parallel(&self, a: NodeId, b: NodeId) -> bool;

    /// Whether more than one thread may touch the object.
    fn is_shared(&self, object: ObjectId) -> bool;
}

/// By abstract threads.
pub struct ByThreads<'a> {
    nodes: &'a Nodes,
    threads: &'a Threads,
    /// The one thread that executes a function, if there is one.
    only: IndexVec<FuncId, Option<ThreadId>>,
}

impl<'a> ByThreads<'a> {
    pub fn of(
        module: &Module,
        nodes: &'a Nodes,
        points_to: &PointsTo,
        threads: &'a Threads,
    ) -> ByThreads<'a> {
        let unique = Unique::of(module, nodes, points_to);
        let is_one = |thread: ThreadId| {
            let creation = threads.threads()[thread].creation;
            creation.is_none_or(|creation| unique.is_executed_once(nodes, creation))
        };
        let only = module.functions.ids().map(|function| {
            let mut executing = threads.executing(function);
            let first = executing.next().filter(|thread| is_one(*thread))?;
            executing.next().is_none().then_some(first)
        });
        ByThreads {
            nodes,
            threads,
            only: only.collect(),
        }
    }
}

impl Concurrency for ByThreads<'_> {
    fn alone(&self, node: NodeId) -> Option<ThreadId> {
        self.only[self.nodes.function(node)]
    }

    fn may_happen_in_parallel(&self, a: NodeId, b: NodeId) -> bool {
        self.threads.may_happen_in_parallel(a, b)
    }

    fn is_shared(&self, object: ObjectId) -> bool {
        self.threads.escapes(object)
    }
}

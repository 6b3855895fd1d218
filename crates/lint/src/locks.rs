//! Which locks a thread holds where: those that it certainly holds protect accesses, those that it
//! may hold can be part of a deadlock.
//!
//! A forward analysis of every function, once for every state in which it is entered (*value
//! contexts*, Khedker and Karkare 2008): a thread, the threads that may be alive, the locks held. A
//! lock is named by its address in closed form; at a call, addresses in terms of arguments become
//! addresses in terms of parameters, and back at the return. A lock whose address cannot be named
//! any more is still held, but protects nothing.
//!
//! A *certain* lock is held in every execution that comes there; the whole list contains every lock
//! that is held in some execution. Both errors lead to more warnings, never fewer. The assumption
//! is that only a thread that holds a lock unlocks it (`sleave check` reports the contrary as
//! misuse): an unlock that can mean only one of the held locks means that one. `flags` finds locks
//! that programs make for themselves.
//!
//! In a program for which that takes too many steps, states are *coarse*: a lock that is not
//! certain is known only by the instruction that may have locked it (`may_held`), and a function is
//! visited in few states. `tests/coarse.rs` checks that this loses no warning.

mod crossing;
mod flags;
mod identity;
mod jumps;
mod may_held;
mod moments;
mod operations;
mod print;
mod results;
mod state;
mod unlocking;
mod visit;

use analysis::{NodeId, Nodes, PointsTo, Program, Situation, ThreadId, Threads};
use base::{IndexVec, id};
use ir::{FuncId, Module};

pub(crate) use identity::{locked_by, may_be_at, sets_meet};
pub use state::{Held, Lock, LockState, Path, may_be_shared};

id!(
    /// A function, entered in one state.
    VisitId, "visit"
);

pub struct Visit {
    pub function: FuncId,
    pub situation: Situation,
    /// The call that came here first. `None`: the thread starts with it.
    pub caller: Option<(VisitId, NodeId)>,
    pub entry: LockState,
    pub(crate) exit: Option<LockState>,
    /// What is held where an exception leaves it.
    pub(crate) thrown: Option<LockState>,
    pub(crate) context: Option<analysis::ContextId>,
}

impl Visit {
    /// Certainly nothing is held where it returns, if it does.
    pub fn ends_free(&self) -> bool {
        self.exit.as_ref().is_none_or(LockState::is_free)
    }
}

/// A node in a state.
pub struct Moment {
    pub visit: VisitId,
    pub node: NodeId,
    pub situation: Situation,
    pub held: LockState,
}

/// What is held, wherever it matters.
pub struct Locks {
    pub visits: IndexVec<VisitId, Visit>,
    /// Accesses to memory that threads share, operations on locks, and waits, each in every state.
    /// By node.
    pub moments: Vec<Moment>,
}

impl Locks {
    pub fn of(module: &Module, nodes: &Nodes, points_to: &PointsTo, threads: &Threads) -> Locks {
        Locks::within(module, nodes, points_to, threads, Some(visit::MOST_CARRIED))
    }

    /// States become coarse when more locks than this have been carried into functions. `None`:
    /// they are from the beginning.
    pub(crate) fn within(
        module: &Module,
        nodes: &Nodes,
        points_to: &PointsTo,
        threads: &Threads,
        most_carried: Option<usize>,
    ) -> Locks {
        let program = Program {
            module,
            nodes,
            points_to,
        };
        visit::locks(program, threads, most_carried)
    }

    /// The calls that led to a moment: node and function, the innermost first.
    pub fn stack(&self, nodes: &Nodes, visit: VisitId, node: NodeId) -> Vec<(FuncId, NodeId)> {
        let mut stack = vec![(nodes.function(node), node)];
        let mut caller = self.visits[visit].caller;
        while let Some((visit, node)) = caller {
            stack.push((nodes.function(node), node));
            caller = self.visits[visit].caller;
        }
        stack
    }

    /// The calls that led to locking a lock that is held in this visit. The innermost first.
    pub fn stack_of(&self, nodes: &Nodes, visit: VisitId, held: &Held) -> Vec<(FuncId, NodeId)> {
        let mut stack: Vec<_> = held
            .path
            .iter()
            .rev()
            .map(|node| (nodes.function(*node), *node))
            .collect();
        let outermost = stack.last().map(|(function, _)| *function);
        // The function in which it was held first is this one or one that called it.
        let mut at = Some(visit);
        while let Some(visit) = at {
            if Some(self.visits[visit].function) == outermost {
                break;
            }
            at = self.visits[visit].caller.map(|(caller, _)| caller);
        }
        let mut caller = at.and_then(|visit| self.visits[visit].caller);
        while let Some((visit, node)) = caller {
            stack.push((nodes.function(node), node));
            caller = self.visits[visit].caller;
        }
        stack
    }

    pub fn thread(&self, visit: VisitId) -> ThreadId {
        self.visits[visit].situation.thread
    }
}

//! Which states are noted: those before accesses to shared memory, operations on locks, and waits.

use analysis::external::Class;
use analysis::{NodeId, Nodes, PointsTo, Program, Stands, Threads, call_at};
use ir::{BlockId, FuncId};
use rustc_hash::FxHashSet;

use super::flags::Flag;
use super::may_held::MayHeldSet;
use super::state::LockState;
use super::visit::Walk;
use super::{Moment, VisitId};

/// The nodes that touch what more than one thread may reach.
pub(super) fn shared_nodes(
    nodes: &Nodes,
    points_to: &PointsTo,
    threads: &Threads,
) -> FxHashSet<NodeId> {
    let all = (0..nodes.len()).map(NodeId::from);
    let touches = |node: &NodeId| {
        let mut accesses = points_to.accesses(*node).iter();
        accesses.any(|access| {
            let mut objects = points_to.objects_of(access);
            objects.any(|object| threads.escapes(object))
        })
    };
    all.filter(touches).collect()
}

impl Walk<'_> {
    /// Notes the states before the nodes of a block that matter.
    pub(super) fn note(
        &mut self,
        visit: VisitId,
        block: BlockId,
        mut state: LockState,
        moments: &mut Vec<Moment>,
    ) {
        let Program {
            module,
            nodes,
            points_to,
        } = self.program;
        let function = self.visits[visit].function;
        for node in nodes.of_block(function, block) {
            let clears = |callee: FuncId| matches!(self.flags.get(&callee), Some(Flag::Clears(_)));
            let is_operation = points_to.entered(node).any(clears)
                || points_to.externals(node).any(|external| {
                    matches!(
                        external.class,
                        Class::Synchronises(_)
                            | Class::Joins { .. }
                            | Class::Releases
                            | Class::ExitsThread
                    )
                });
            let matters = is_operation || self.shared.contains(&node);
            if matters && let Some(situation) = self.situation(visit, node) {
                moments.push(Moment {
                    visit,
                    node,
                    situation,
                    held: self.listed(&state, is_operation),
                });
            }
            if let Stands::Inst(inst) = nodes.stands_for(module, node)
                && !state.held.is_empty()
            {
                inst.op
                    .for_each_result(|dst| self.assign(function, dst, &mut state));
            }
            if let Some(call) = call_at(module, nodes, node) {
                match self.call(visit, node, call, &state).returned {
                    Some(after) => state = after,
                    None => return,
                }
            }
        }
    }

    /// The state as others look at it: accesses are protected by what is certain, operations may
    /// wait for anything.
    pub(super) fn listed(&mut self, state: &LockState, is_operation: bool) -> LockState {
        let Some(lockers) = self
            .lockers
            .as_ref()
            .filter(|_| is_operation && !state.may_held.is_empty())
        else {
            return LockState {
                may_held: MayHeldSet::default(),
                ..state.listed()
            };
        };
        let list = || {
            let all = state.held.iter().chain(lockers.all(&state.may_held));
            LockState::of(all.cloned().collect()).listed()
        };
        let entry = self.listed.entry(state.clone());
        entry.or_insert_with(list).clone()
    }
}

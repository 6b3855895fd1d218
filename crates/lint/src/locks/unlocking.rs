//! Functions below which nothing is unlocked: what their caller holds it holds afterwards.

use analysis::external::{self, Class, Sync};
use analysis::{CallGraph, Program};
use fixedbitset::FixedBitSet;
use ir::FuncId;
use rustc_hash::FxHashMap;

use super::flags::Flag;

/// The functions that may unlock something, they or what they call.
pub(super) fn unlocking(program: Program, flags: &FxHashMap<FuncId, Flag>) -> FixedBitSet {
    let Program {
        module,
        nodes,
        points_to,
    } = program;
    let calls = CallGraph::of(module, nodes, points_to);
    let mut found = FixedBitSet::with_capacity(module.functions.len());
    let mut pending: Vec<FuncId> = Vec::new();
    for function in module.functions.ids() {
        let unlocks = |class| {
            matches!(
                class,
                Class::Synchronises(Sync::Unlock { .. }) | Class::EndsAtomic | Class::Saves
            )
        };
        let mut sites = calls.calls(function).iter();
        let is_meant = matches!(flags.get(&function), Some(Flag::Clears(_)))
            || external::is_atomic(&module.functions[function])
            || sites.any(|site| points_to.externals(*site).any(|e| unlocks(e.class)));
        if is_meant {
            found.insert(function.index());
            pending.push(function);
        }
    }
    while let Some(function) = pending.pop() {
        for site in calls.callers(function) {
            let caller = nodes.function(*site);
            if !found.put(caller.index()) {
                pending.push(caller);
            }
        }
    }
    found
}

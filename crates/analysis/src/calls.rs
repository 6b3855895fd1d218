//! Reading calls: whether one is an operation on threads or the end of one, and which functions a
//! creation starts.

use ir::{Call, FuncId, Module};

use crate::external::{self, Class, Sync};
use crate::node::{NodeId, Nodes};
use crate::points_to::{ObjectKind, PointsTo};

/// Whether control never comes back from such a call.
pub fn is_final(class: Class) -> bool {
    matches!(
        class,
        Class::Fails
            | Class::Aborts
            | Class::GivesUp
            | Class::ExitsThread
            | Class::ExitsProcess
            | Class::Jumps
            | Class::Throws
    )
}

/// Whether the thread operations of a program pass through here.
pub fn is_about_threads(class: Class) -> bool {
    matches!(
        class,
        Class::Creates { .. } | Class::Joins { .. } | Class::Synchronises(Sync::WaitAlone)
    )
}

/// The functions that the node may start as a thread.
pub fn thread_functions(
    module: &Module,
    nodes: &Nodes,
    points_to: &PointsTo,
    node: NodeId,
    call: &Call,
) -> Vec<FuncId> {
    let mut found = Vec::new();
    for external in points_to.externals(node) {
        if let Class::Creates { function, .. } = external.class
            && let Some(value) = call.args.get(function)
        {
            found.extend(functions_at(
                module,
                points_to,
                nodes.function(node),
                *value,
            ));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The functions that a thread may start with, if this value is what it is to start with.
pub fn functions_at(
    module: &Module,
    points_to: &PointsTo,
    function: FuncId,
    value: ir::ValueId,
) -> Vec<FuncId> {
    let targets = points_to.targets(function, value);
    let functions = targets.filter_map(|target| match points_to.objects()[target.object].kind {
        ObjectKind::Function(f) => Some(entry_for(module, f)),
        _ => None,
    });
    let mut functions: Vec<FuncId> = functions.collect();
    functions.sort_unstable();
    functions.dedup();
    functions
}

/// What the machine enters when a thread is to start with this function.
pub fn entry_for(module: &Module, function: FuncId) -> FuncId {
    let f = &module.functions[function];
    if external::is_entered(f) && f.params.len() <= 1 && !f.variadic {
        return function;
    }
    let caller = module.function_named("__sleave_call_thread");
    caller.unwrap_or(function)
}

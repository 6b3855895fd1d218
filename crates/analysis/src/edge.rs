//! What an edge of the control flow hands to the parameters of the block it enters.

use ir::{BlockId, Target, Terminator, ValueId};

/// Calls `f` for every edge to `block`, with what it hands to parameter `index`; `None` if that is
/// not a value of the function: the exception and the selector of a landing pad.
pub fn for_each_argument(
    terminator: &Terminator,
    block: BlockId,
    index: usize,
    mut f: impl FnMut(Option<ValueId>),
) {
    let mut along = |target: &Target| {
        if target.block == block {
            f(target.args.get(index).copied());
        }
    };
    match terminator {
        Terminator::Br(target) => along(target),
        Terminator::CondBr { then, other, .. } => {
            along(then);
            along(other);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, target)| along(target));
            along(default);
        }
        Terminator::Invoke { normal, unwind, .. } => {
            along(normal);
            if unwind.block == block {
                let argument = index.checked_sub(2).and_then(|i| unwind.args.get(i));
                f(argument.copied());
            }
        }
        // Labels have no parameters.
        Terminator::IndirectBr { targets, .. } => {
            targets
                .iter()
                .filter(|t| **t == block)
                .for_each(|_| f(None));
        }
        Terminator::Ret(_) | Terminator::Resume { .. } | Terminator::Unreachable => {}
    }
}

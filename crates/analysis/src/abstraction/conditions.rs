//! Places at which a condition decides what comes next: branches, and assertions in one call.

use ir::{BlockId, Terminator, ValueId};

use super::Ground;
use crate::external::Class;
use crate::node::{NodeId, Stands};

/// What decides at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The blocks that follow if the value is true, and if it is false.
    Branch {
        value: ValueId,
        then: BlockId,
        other: BlockId,
    },
    Switch {
        value: ValueId,
    },
    /// A jump to a computed label.
    Computed {
        value: ValueId,
    },
    /// It fails if the value is zero.
    Assertion {
        value: ValueId,
    },
}

impl Condition {
    pub fn value(&self) -> ValueId {
        match self {
            Condition::Branch { value, .. }
            | Condition::Switch { value }
            | Condition::Computed { value }
            | Condition::Assertion { value } => *value,
        }
    }
}

/// What decides there; `None`: nothing.
pub fn condition_at(ground: &Ground, node: NodeId) -> Option<Condition> {
    let facts = ground.facts;
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Terminator(Terminator::CondBr { cond, then, other }) => Some(Condition::Branch {
            value: *cond,
            then: then.block,
            other: other.block,
        }),
        Stands::Terminator(Terminator::Switch { value, .. }) => {
            Some(Condition::Switch { value: *value })
        }
        Stands::Terminator(Terminator::IndirectBr { addr, .. }) => {
            Some(Condition::Computed { value: *addr })
        }
        _ => {
            let call = facts.call(node)?;
            let asserts = facts
                .externals(node)
                .find_map(|external| match external.class {
                    Class::Asserts(argument) => Some(argument),
                    _ => None,
                })?;
            let value = *call.args.get(asserts)?;
            Some(Condition::Assertion { value })
        }
    }
}

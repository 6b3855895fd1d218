//! What a slice takes for granted, so that executions can check it: see `machine::premises`, where
//! the argument is.

use crate::arguments;
use crate::essential::memory::{Part, Whole, parts};
use crate::facts::Facts;
use crate::node::{NodeId, NodeSet};
use crate::points_to::AccessKind;
use crate::sdg::{Sdg, Vertex};
use crate::slice::Slice;

/// What a slice says of accesses to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premises {
    /// Nodes of which the slice has what they read.
    pub reads: NodeSet,
    /// Nodes of which it has what they write.
    pub writes: NodeSet,
    /// Nodes whose accesses can be told without knowing where pointers point.
    pub certain: NodeSet,
    /// What others of these may write.
    pub loose: Vec<Part>,
    /// The same of locks and unlocks of elidable mutexes.
    pub elidable: Vec<Part>,
}

/// Accesses that can be told without knowing where pointers point.
pub(crate) struct Certain {
    nodes: NodeSet,
    written: Vec<(NodeId, Part)>,
}

impl Certain {
    pub fn of(facts: &Facts) -> Certain {
        let mut certain = Certain {
            nodes: facts.nodes.none(),
            written: Vec::new(),
        };
        arguments::for_each_bounds(facts, |function, flow, bounds| {
            for &block in flow.cfg.order() {
                for node in facts.nodes.of_block(function, block) {
                    if let Some(parts) = parts(facts, bounds, node) {
                        certain.nodes.insert(node);
                        let written = parts.iter().filter(|(kind, _)| *kind == AccessKind::Write);
                        let written = written.map(|(_, part)| (node, *part));
                        certain.written.extend(written);
                    }
                }
            }
        });
        certain
    }

    pub fn premises(&self, sdg: &Sdg, slice: &Slice, elidable: &NodeSet) -> Premises {
        let mut premises = Premises {
            reads: sdg.facts.nodes.none(),
            writes: sdg.facts.nodes.none(),
            certain: self.nodes.clone(),
            loose: Vec::new(),
            elidable: Vec::new(),
        };
        for (function, ..) in sdg.facts.entered() {
            for node in sdg.facts.nodes.of_function(function) {
                if slice.contains(sdg, Vertex::Reads(node)) {
                    premises.reads.insert(node);
                }
                if slice.contains(sdg, Vertex::Writes(node)) {
                    premises.writes.insert(node);
                }
            }
        }
        for &(node, part) in &self.written {
            if !premises.writes.contains(node) {
                let parts = match elidable.contains(node) {
                    true => &mut premises.elidable,
                    false => &mut premises.loose,
                };
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        premises
    }

    /// Writes outside the slice to globals that something in it reads, although it never sees what
    /// they write: it overwrites that first. No execution could check this, for the write may be
    /// one that no execution makes which is searched.
    pub fn unseen<'c>(
        &'c self,
        facts: &'c Facts,
        premises: &'c Premises,
    ) -> impl Iterator<Item = NodeId> + 'c {
        let is_outside = |node: &NodeId| !premises.writes.contains(*node);
        let is_read = |node: &NodeId| {
            let points_to = facts.points_to;
            let mut accesses = points_to.accesses(*node).iter();
            accesses.any(|access| {
                access.kind == AccessKind::Write
                    && points_to.objects_of(access).any(|object| {
                        points_to.touching(object).any(|(other, read)| {
                            read.kind == AccessKind::Read
                                && premises.reads.contains(other)
                                && points_to.may_overlap(access, read)
                        })
                    })
            })
        };
        let globals = self.written.iter();
        let globals = globals.filter(|(_, part)| matches!(part.of, Whole::Global(_)));
        globals
            .map(|(node, _)| *node)
            .filter(is_outside)
            .filter(is_read)
    }
}

//! One warning for the same lines, in the order of the source.

use std::collections::BTreeMap;

use analysis::NodeId;

use crate::{Facts, Warning};

/// File and line as the source has them.
pub type Line = (u32, u32);

pub fn line(facts: Facts, node: NodeId) -> Line {
    let loc = facts.module.debug.locs[facts.nodes.loc(facts.module, node)];
    (loc.file.0, loc.line)
}

pub fn sort(facts: Facts, warnings: Vec<Warning>) -> Vec<Warning> {
    let mut sorted: BTreeMap<(u8, Vec<(Line, NodeId)>), Warning> = BTreeMap::new();
    for warning in warnings {
        let (kind, nodes) = match &warning {
            Warning::Race(race) => (0, race.accesses.iter().map(|a| a.at.node).collect()),
            Warning::LockOrder(cycle) => (1, cycle.waits.iter().map(|w| w.at.node).collect()),
            Warning::DoubleLock(twice) => (2, vec![twice.at.node]),
            Warning::Stuck(stuck) => {
                let nodes = stuck.steps.iter().map(|(point, _)| point.node);
                (3 + stuck.kind as u8, nodes.collect())
            }
        };
        let nodes: Vec<NodeId> = nodes;
        let key = nodes.into_iter().map(|node| (line(facts, node), node));
        sorted.entry((kind, key.collect())).or_insert(warning);
    }
    sorted.into_values().collect()
}

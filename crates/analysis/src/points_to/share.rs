//! Rules of one node that do the same are one rule.
//!
//! Two loads through the same pointer give the same; so do two equal offsets from it. Nodes whose
//! only source they are become one, and so on with the rules of those. What is stored through one
//! pointer is gathered before it is sent to all the cells. (Offline this is value numbering:
//! Hardekopf and Lin 2007. Here it is repeated when cycles have been merged.)

use super::solver::{Rule, Solver};

impl Solver {
    pub(super) fn share(&mut self) {
        let mut unshared = std::mem::take(&mut self.unshared);
        unshared.sort_unstable();
        unshared.dedup();
        let mut pending = Pending::of(unshared, self.node_count());
        while let Some(node) = pending.pop() {
            let node = self.find(node);
            if self.rules(node).len() < 2 {
                continue;
            }
            let mut rules = std::mem::take(self.rules(node));
            rules.iter_mut().for_each(|rule| self.renew(rule));
            rules.sort_unstable();
            rules.dedup();
            let mut kept: Vec<Rule> = Vec::with_capacity(rules.len());
            for rule in rules {
                let merged = match kept.last_mut() {
                    Some(last) => self.share_pair(node, last, rule, &mut pending),
                    None => false,
                };
                if !merged {
                    kept.push(rule);
                }
            }
            // What was merged may be this node.
            let node = self.find(node);
            let added = std::mem::replace(self.rules(node), kept);
            self.rules(node).extend(added);
        }
    }

    /// Names the nodes that a rule is about as they are called now.
    fn renew(&mut self, rule: &mut Rule) {
        match rule {
            Rule::Load { to, .. } | Rule::Shift { to, .. } | Rule::Bits { to, .. } => {
                *to = self.find(*to);
            }
            Rule::Store { from, .. } => *from = self.find(*from),
            _ => {}
        }
    }

    /// Whether the second rule is not needed any more.
    fn share_pair(
        &mut self,
        node: u32,
        kept: &mut Rule,
        rule: Rule,
        pending: &mut Pending,
    ) -> bool {
        match (*kept, rule) {
            (
                Rule::Load { bytes, to: a },
                Rule::Load {
                    bytes: other,
                    to: b,
                },
            ) if bytes == other => self.share_targets(a, b, pending),
            (
                Rule::Shift { by, stride, to: a },
                Rule::Shift {
                    by: other,
                    stride: step,
                    to: b,
                },
            ) if (by, stride) == (other, step) => self.share_targets(a, b, pending),
            (
                Rule::Bits { change, to: a },
                Rule::Bits {
                    change: other,
                    to: b,
                },
            ) if change == other => self.share_targets(a, b, pending),
            (
                Rule::Store { bytes, from: a },
                Rule::Store {
                    bytes: other,
                    from: b,
                },
            ) if bytes == other => {
                let gate = self.gate_for(a);
                if gate != a {
                    *kept = Rule::Store { bytes, from: gate };
                    self.add_late(node, *kept);
                }
                if self.is_gate(b) {
                    self.merge(gate, b);
                } else {
                    self.add_copy(b, gate);
                }
                true
            }
            _ => false,
        }
    }

    /// Merges two nodes that hold the same, if nothing else leads to them.
    fn share_targets(&mut self, a: u32, b: u32, pending: &mut Pending) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return true;
        }
        if !self.is_single_source(a) || !self.is_single_source(b) {
            return false;
        }
        self.merge(a, b);
        pending.push(a);
        true
    }
}

/// Nodes that are to be looked at, each once, however many were merged into it meanwhile.
struct Pending {
    nodes: Vec<u32>,
    is_in: Vec<bool>,
}

impl Pending {
    fn of(nodes: Vec<u32>, count: usize) -> Pending {
        let mut is_in = vec![false; count];
        nodes.iter().for_each(|node| is_in[*node as usize] = true);
        Pending { nodes, is_in }
    }

    fn pop(&mut self) -> Option<u32> {
        let node = self.nodes.pop()?;
        self.is_in[node as usize] = false;
        Some(node)
    }

    fn push(&mut self, node: u32) {
        if self.is_in.len() <= node as usize {
            self.is_in.resize(node as usize + 1, false);
        }
        if !std::mem::replace(&mut self.is_in[node as usize], true) {
            self.nodes.push(node);
        }
    }
}

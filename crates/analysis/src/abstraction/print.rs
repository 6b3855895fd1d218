//! The abstract system and its traces, as text and for Graphviz.

use std::fmt::Write;

use super::{AbstractSystem, AbstractTrace, Ground, Roles};
use crate::node::NodeId;
use crate::points_to::{function_name, place_name, quoted};

impl Ground<'_> {
    /// `check:9`, with the file if the program has several.
    pub fn name(&self, node: NodeId) -> String {
        let facts = self.facts;
        let function = &facts.module.functions[facts.nodes.function(node)];
        let place = place_name(facts.module, facts.nodes, node);
        format!("{} {place}", function_name(function))
    }
}

impl AbstractSystem {
    /// A line for each place: what it is, and which may come next.
    pub fn to_text(&self, ground: &Ground) -> String {
        let mut text = String::new();
        for (place, roles) in self.shown(ground) {
            let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            let _ = write!(
                text,
                "{place}: {} ({})",
                ground.name(place),
                roles.join(", ")
            );
            let next: Vec<String> = self.next(place).iter().map(NodeId::to_string).collect();
            match next.is_empty() {
                true => text.push('\n'),
                false => {
                    let _ = writeln!(text, " -> {}", next.join(", "));
                }
            }
        }
        text
    }

    /// Without beginnings of Sleave's own functions from which nothing leads on.
    fn shown(&self, ground: &Ground) -> impl Iterator<Item = (NodeId, &Roles)> {
        let facts = ground.facts;
        self.places().filter(move |(place, roles)| {
            let is_own = facts.module.functions[facts.nodes.function(*place)].runtime;
            !is_own || roles.len() > 1 || !self.next(*place).is_empty()
        })
    }

    pub fn to_dot(&self, ground: &Ground) -> String {
        let mut text = String::from("digraph abstract_system {\n  node [shape=box];\n");
        for (place, roles) in self.shown(ground) {
            let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            let label = format!("{}\\n{}", ground.name(place), names.join(", "));
            let style = match roles.contains(&super::Role::Target) {
                true => ", style=bold",
                false => "",
            };
            let label = quoted(&label).replace("\\\\n", "\\n");
            let _ = writeln!(text, "  {place} [label={label}{style}];");
        }
        for (place, _) in self.shown(ground) {
            for next in self.next(place) {
                let _ = writeln!(text, "  {place} -> {next};");
            }
        }
        text.push_str("}\n");
        text
    }
}

impl AbstractTrace {
    /// A line for each place.
    pub fn to_text(&self, ground: &Ground) -> String {
        let lines = self
            .0
            .iter()
            .map(|place| format!("{place}: {}\n", ground.name(*place)));
        lines.collect()
    }
}

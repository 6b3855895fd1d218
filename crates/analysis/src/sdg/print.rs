//! The dependence graph of single functions, as text and for Graphviz.

use std::fmt::Write;

use ir::FuncId;

use super::{Edge, Sdg, Vertex};

impl Sdg<'_> {
    /// What each thing in a function depends on, a line per pair.
    pub fn to_text(&self, function: FuncId) -> String {
        let mut text = format!("{}:\n", self.facts.module.functions[function].source_name);
        self.for_each_edge(function, &mut |from, edge, to| {
            let _ = writeln!(
                text,
                "  {} -> {} ({})",
                self.name(from),
                self.name(to),
                word(edge)
            );
        });
        text
    }

    /// The same for Graphviz.
    pub fn to_dot(&self, function: FuncId) -> String {
        let name = &self.facts.module.functions[function].name;
        let mut text = format!("digraph {name:?} {{\n  node [shape=box];\n");
        self.for_each_edge(function, &mut |from, edge, to| {
            let style = match edge {
                Edge::Control | Edge::Entry => "dashed",
                Edge::Memory => "bold",
                Edge::Interference => "dotted",
                _ => "solid",
            };
            let (from, to) = (self.name(from), self.name(to));
            let _ = writeln!(text, "  {from:?} -> {to:?} [style={style}];");
        });
        text.push_str("}\n");
        text
    }

    fn for_each_edge(&self, function: FuncId, f: &mut dyn FnMut(Vertex, Edge, Vertex)) {
        if self.facts.flow(function).is_none() {
            return;
        }
        let mut vertices = vec![Vertex::Enters(function)];
        let body = self.facts.body(function);
        let assigned = body
            .values
            .enumerate()
            .filter(|(_, v)| v.constant.is_none());
        vertices.extend(assigned.map(|(value, _)| Vertex::Value(function, value)));
        for block in body.blocks.ids() {
            let terminator = self.facts.nodes.terminator(function, block);
            vertices.extend([Vertex::Reached(terminator), Vertex::Decides(terminator)]);
            for node in self.facts.nodes.of_block(function, block) {
                let accesses = self.facts.points_to.accesses(node);
                if !accesses.is_empty() {
                    vertices.extend([
                        Vertex::Touches(node),
                        Vertex::Reads(node),
                        Vertex::Writes(node),
                    ]);
                }
            }
        }
        for vertex in vertices {
            let mut edges = Vec::new();
            self.for_each_dependence(vertex, &mut |edge, to| edges.push((edge, to)));
            self.for_each_write(vertex, &mut |edge, to| edges.push((edge, to)));
            edges.sort_unstable();
            edges.dedup();
            edges.into_iter().for_each(|(edge, to)| f(vertex, edge, to));
        }
    }

    fn name(&self, vertex: Vertex) -> String {
        let function = |function: FuncId| &self.facts.module.functions[function].source_name;
        match vertex {
            Vertex::Value(f, value) => format!("{} {value}", function(f)),
            Vertex::Runs(node) => format!("{node} runs"),
            Vertex::Touches(node) => format!("{node} address"),
            Vertex::Reads(node) => format!("{node} reads"),
            Vertex::Writes(node) => format!("{node} writes"),
            Vertex::Decides(node) => format!("{node} decides"),
            Vertex::Reached(node) => {
                let block = self.facts.nodes.block(node);
                format!(
                    "{} {block} reached",
                    function(self.facts.nodes.function(node))
                )
            }
            Vertex::Enters(f) => format!("{} entered", function(f)),
        }
    }
}

fn word(edge: Edge) -> &'static str {
    match edge {
        Edge::Value => "value",
        Edge::Control => "control",
        Edge::Memory => "memory",
        Edge::Interference => "interference",
        Edge::Parameter => "parameter",
        Edge::Entry => "entry",
        Edge::Return => "return",
    }
}

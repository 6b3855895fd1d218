//! Threads and what they share, as text and for Graphviz.

use std::fmt::Write;

use ir::Module;

use super::{ThreadId, Threads};
use crate::node::{NodeId, Nodes};
use crate::points_to::PointsTo;

impl Threads {
    /// The threads, which of them may be alive at the same time, and the objects that escape.
    pub fn to_text(&self, module: &Module, nodes: &Nodes, points_to: &PointsTo) -> String {
        let mut text = String::from("threads:\n");
        for (id, thread) in self.threads.enumerate() {
            let name = self.name(module, id);
            let many = if thread.many {
                ", perhaps several at once"
            } else {
                ""
            };
            let place = thread.creation.map_or(String::new(), |node| {
                format!(", created at {}", place(module, nodes, node))
            });
            let _ = writeln!(text, "  {id}: {name}{place}{many}");
        }
        text.push_str("may run at the same time:\n");
        for a in self.threads.ids() {
            for b in self.threads.ids().filter(|b| *b >= a) {
                if self.may_be_together(a, b) {
                    let _ = writeln!(text, "  {a} and {b}");
                }
            }
        }
        text.push_str("objects that more than one thread may reach:\n");
        for object in points_to.objects().ids() {
            let is_touched = points_to.touching(object).next().is_some();
            if self.escapes(object) && is_touched {
                let name = points_to.object_name(module, nodes, object);
                let _ = writeln!(text, "  {name}");
            }
        }
        text
    }

    /// The threads as a graph: solid lines for creations, dotted ones for threads that may run at
    /// the same time.
    pub fn to_dot(&self, module: &Module) -> String {
        let mut text = String::from("digraph threads {\n  node [shape=box];\n");
        for (id, thread) in self.threads.enumerate() {
            let _ = writeln!(text, "  {id} [label={:?}];", self.name(module, id));
            if let Some(creator) = thread.creator {
                let _ = writeln!(text, "  {creator} -> {id};");
            }
        }
        for a in self.threads.ids() {
            for b in self.threads.ids().filter(|b| *b >= a) {
                if self.may_be_together(a, b) {
                    let _ = writeln!(text, "  {a} -> {b} [style=dotted, dir=none];");
                }
            }
        }
        text.push_str("}\n");
        text
    }

    fn name(&self, module: &Module, thread: ThreadId) -> String {
        if thread == ThreadId::MAIN {
            return "main".to_string();
        }
        let entries = self.threads[thread].entries.iter();
        let names: Vec<&str> = entries
            .map(|entry| module.functions[*entry].source_name.as_str())
            .collect();
        names.join(" or ")
    }

    /// Somewhere at all.
    fn may_be_together(&self, a: ThreadId, b: ThreadId) -> bool {
        let situations = |thread: ThreadId| {
            let all = self.situations.iter().flatten();
            all.filter(move |situation| situation.thread == thread)
        };
        situations(a).any(|x| situations(b).any(|y| self.are_parallel(x, y)))
    }
}

/// Where the node is in the source, `file:line`; the node itself where that is not known.
pub fn place(module: &Module, nodes: &Nodes, node: NodeId) -> String {
    let loc = module.debug.locs[nodes.loc(module, node)];
    if !loc.is_known() {
        return format!("{node}");
    }
    let file = &module.debug.files[loc.file];
    format!("{}:{}", file.rsplit('/').next().unwrap_or(file), loc.line)
}

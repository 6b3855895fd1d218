//! Which locks are held where, as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use analysis::{Nodes, PointsTo, place};
use ir::{FuncId, Module};

use super::{Held, Lock, Locks};

impl Locks {
    /// For every access to shared memory and every operation on a lock: the thread, and what it
    /// holds. Alike lines stand once.
    pub fn to_text(
        &self,
        module: &Module,
        nodes: &Nodes,
        points_to: &PointsTo,
        only: Option<FuncId>,
    ) -> String {
        let mut functions: BTreeMap<FuncId, Vec<String>> = BTreeMap::new();
        for moment in &self.moments {
            let function = nodes.function(moment.node);
            if only.is_some_and(|only| only != function) {
                continue;
            }
            let held: Vec<String> = moment
                .held
                .held
                .iter()
                .map(|held| name(held, module, nodes, points_to))
                .collect();
            let held = if held.is_empty() {
                "nothing".to_string()
            } else {
                held.join(", ")
            };
            let at = place(module, nodes, moment.node);
            let line = format!("  {at} {}: holds {held}", moment.situation.thread);
            let lines = functions.entry(function).or_default();
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        let mut text = String::new();
        for (function, lines) in functions {
            let _ = writeln!(text, "{}:", module.functions[function].source_name);
            for line in lines {
                let _ = writeln!(text, "{line}");
            }
        }
        text
    }
}

fn name(held: &Held, module: &Module, nodes: &Nodes, points_to: &PointsTo) -> String {
    let what = match &held.lock {
        Lock::Sections => "the atomic section".to_string(),
        Lock::At(address) if address.is_absolute() => {
            let object = address.anchor.expect("it is absolute");
            let name = points_to.object_name(module, nodes, object);
            if address.offset == 0 {
                name
            } else {
                format!("{name}+{}", address.offset)
            }
        }
        Lock::At(_) | Lock::Nameless => {
            let at = held.path.last().map(|node| place(module, nodes, *node));
            format!("the lock of {}", at.unwrap_or_default())
        }
    };
    let how = if held.shared { " (for reading)" } else { "" };
    let perhaps = if held.certain { "" } else { "perhaps " };
    format!("{perhaps}{what}{how}")
}

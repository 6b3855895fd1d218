//! Points-to facts as text, and as a graph for Graphviz.

use std::fmt::Write;

use ir::{Function, Module, Op};

use super::{ObjectId, ObjectKind, Place, PlaceSet, PointsTo};
use crate::node::{NodeId, Nodes, Stands};

impl PointsTo {
    /// The name of an object: that of the source, if debug information has it.
    pub fn object_name(&self, module: &Module, nodes: &Nodes, object: ObjectId) -> String {
        match self.objects[object].kind {
            ObjectKind::Anything => "anything".to_string(),
            ObjectKind::Global(global) => {
                let global = &module.globals[global];
                let variable = global.var.map(|var| &module.debug.vars[var].name);
                variable.unwrap_or(&global.name).clone()
            }
            ObjectKind::Function(function) => {
                format!("{}()", function_name(&module.functions[function]))
            }
            ObjectKind::Local(site) => {
                let function = function_name(&module.functions[nodes.function(site)]);
                match local_name(module, nodes, site) {
                    Some(name) => format!("{function}::{name}"),
                    None => format!("{function}::{site}"),
                }
            }
            ObjectKind::Heap { site, caller } => {
                let made = place_name(module, nodes, site);
                match caller {
                    Some(caller) => {
                        format!("heap({made} from {})", place_name(module, nodes, caller))
                    }
                    None => format!("heap({made})"),
                }
            }
            ObjectKind::Pool(number) => format!("heap(pool {number})"),
            ObjectKind::VariableArguments(function) => {
                format!("{}(...)", function_name(&module.functions[function]))
            }
            ObjectKind::Errno => "errno".to_string(),
            ObjectKind::Stream => "stream".to_string(),
            ObjectKind::ArgumentVector => "argv[]".to_string(),
            ObjectKind::ArgumentText => "argv[][]".to_string(),
            ObjectKind::Copying(site) => format!("copy({site})"),
        }
    }

    /// A place as `object`, `object+8`, `object+8%16` (every sixteenth byte from the eighth on) or
    /// `object+?`.
    pub fn place_name(&self, module: &Module, nodes: &Nodes, place: Place) -> String {
        let name = self.object_name(module, nodes, place.object);
        match (place.offset, place.stride) {
            (0, 0) => name,
            (offset, 0) => format!("{name}{offset:+}"),
            (_, 1) => format!("{name}+?"),
            (offset, stride) => format!("{name}{offset:+}%{stride}"),
        }
    }

    fn set_name(&self, module: &Module, nodes: &Nodes, set: PlaceSet) -> String {
        let places = self.places(set).iter();
        let names: Vec<String> = places.map(|p| self.place_name(module, nodes, *p)).collect();
        names.join(", ")
    }

    /// Every value of the program that may point somewhere, and what its indirect calls may reach.
    /// The C library is left out.
    pub fn to_text(&self, module: &Module, nodes: &Nodes) -> String {
        let mut text = String::new();
        for (function, f) in module.functions.enumerate() {
            let Some(body) = f.body.as_ref().filter(|_| !f.runtime) else {
                continue;
            };
            let _ = writeln!(text, "{}:", function_name(f));
            for (value, v) in body.values.enumerate() {
                let set = self.set_of(function, value);
                if v.constant.is_some() || self.places(set).is_empty() {
                    continue;
                }
                let name = v.name.as_ref().map_or(String::new(), |n| format!(" {n}"));
                let places = self.set_name(module, nodes, set);
                let _ = writeln!(text, "  {value}{name} -> {places}");
            }
            for node in nodes.of_function(function) {
                let indirect = crate::callgraph::call_at(module, nodes, node)
                    .is_some_and(|call| matches!(call.callee, ir::Callee::Indirect(_)));
                if indirect {
                    let callees = self.callees(node).iter();
                    let names: Vec<&str> = callees
                        .map(|callee| function_name(&module.functions[*callee]))
                        .collect();
                    let place = place_name(module, nodes, node);
                    let _ = writeln!(text, "  call at {place} -> {}", names.join(", "));
                }
            }
        }
        text
    }

    /// The same as a graph: values on one side, objects on the other.
    pub fn to_dot(&self, module: &Module, nodes: &Nodes) -> String {
        let mut text = String::from("digraph points_to {\n  rankdir=LR;\n  node [shape=box];\n");
        let mut shown: Vec<ObjectId> = Vec::new();
        for (function, f) in module.functions.enumerate() {
            let Some(body) = f.body.as_ref().filter(|_| !f.runtime) else {
                continue;
            };
            for (value, v) in body.values.enumerate() {
                let places = self.places(self.set_of(function, value));
                if v.constant.is_some() || places.is_empty() {
                    continue;
                }
                let label = match &v.name {
                    Some(name) => format!("{}::{name}", function_name(f)),
                    None => format!("{}::{value}", function_name(f)),
                };
                let id = format!("v{}_{}", function.0, value.0);
                let _ = writeln!(text, "  {id} [shape=ellipse, label={}];", quoted(&label));
                for place in places {
                    let _ = match (place.offset, place.stride) {
                        (0, 0) => writeln!(text, "  {id} -> {};", place.object),
                        (_, 1) => writeln!(text, "  {id} -> {} [label=\"?\"];", place.object),
                        (offset, 0) => {
                            writeln!(text, "  {id} -> {} [label=\"{offset:+}\"];", place.object)
                        }
                        (offset, stride) => writeln!(
                            text,
                            "  {id} -> {} [label=\"{offset:+}%{stride}\"];",
                            place.object
                        ),
                    };
                    shown.push(place.object);
                }
            }
        }
        shown.sort_unstable();
        shown.dedup();
        for object in shown {
            let name = self.object_name(module, nodes, object);
            let _ = writeln!(text, "  {object} [label={}];", quoted(&name));
        }
        text.push_str("}\n");
        text
    }
}

/// What the source calls a function.
pub(crate) fn function_name(function: &Function) -> &str {
    if function.source_name.is_empty() {
        &function.name
    } else {
        &function.source_name
    }
}

/// `file.c:12`, or the node where the source is not known.
pub(crate) fn place_name(module: &Module, nodes: &Nodes, node: NodeId) -> String {
    let loc = module.debug.locs[nodes.loc(module, node)];
    match module.debug.files.get(loc.file) {
        Some(file) if loc.is_known() => {
            let file = file.rsplit('/').next().unwrap_or(file);
            format!("{file}:{}", loc.line)
        }
        _ => node.to_string(),
    }
}

fn local_name(module: &Module, nodes: &Nodes, site: NodeId) -> Option<String> {
    let Stands::Inst(inst) = nodes.stands_for(module, site) else {
        return None;
    };
    let Op::Alloca { dst, var, .. } = &inst.op else {
        return None;
    };
    if let Some(var) = var {
        return Some(module.debug.vars[*var].name.clone());
    }
    let body = module.functions[nodes.function(site)].body.as_ref()?;
    body.values[*dst].name.clone()
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

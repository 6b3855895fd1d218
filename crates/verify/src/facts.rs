//! `sleave analyze` as a library: the facts of the static analysis as text, or as graphs for
//! Graphviz.

use std::fmt::Write;

use analysis::cfg::Cfg;
use analysis::{
    CallGraph, NodeId, Nodes, PointsTo, Properties, Relevance, Slicer, Threads, external,
};
use ir::{FuncId, Module};
use lint::Locks;

use crate::load::Loaded;

/// What can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactKind {
    Cfg,
    CallGraph,
    PointsTo,
    Escape,
    Sdg,
    Slice,
    Locks,
}

#[derive(Debug, thiserror::Error)]
pub enum FactError {
    #[error("there is no function {0} in the program")]
    NoFunction(String),
    #[error("these facts are no graph: leave --dot out")]
    NoGraph,
}

/// The facts as text; as a graph if `dot`. Of one function only, if it is named.
pub fn facts(
    loaded: &Loaded,
    kind: FactKind,
    function: Option<&str>,
    dot: bool,
) -> Result<String, FactError> {
    let module = &loaded.program.module;
    let only = function
        .map(|name| find(module, name).ok_or_else(|| FactError::NoFunction(name.to_string())))
        .transpose()?;
    let nodes = Nodes::of(module);
    if kind == FactKind::Cfg {
        return Ok(control_flow(module, only, dot));
    }
    let points_to = PointsTo::of(module, &nodes);
    let calls = CallGraph::of(module, &nodes, &points_to);
    match (kind, dot) {
        (FactKind::CallGraph, _) => return Ok(call_graph(module, &nodes, &calls, only, dot)),
        (FactKind::PointsTo, false) => return Ok(points_to.to_text(module, &nodes)),
        (FactKind::PointsTo, true) => return Ok(points_to.to_dot(module, &nodes)),
        _ => {}
    }
    let threads = Threads::of(module, &nodes, &points_to);
    match (kind, dot) {
        (FactKind::Escape, false) => Ok(threads.to_text(module, &nodes, &points_to)),
        (FactKind::Escape, true) => Ok(threads.to_dot(module)),
        (FactKind::Locks, false) => {
            let locks = Locks::of(module, &nodes, &points_to, &threads);
            Ok(locks.to_text(module, &nodes, &points_to, only))
        }
        (FactKind::Sdg, _) => {
            let slicer = Slicer::new(module, &nodes, &points_to, &calls, &threads);
            Ok(slicer.with_graph(|sdg, _| {
                let shown = shown(module, only);
                let of = |f: FuncId| if dot { sdg.to_dot(f) } else { sdg.to_text(f) };
                shown.into_iter().map(of).collect()
            }))
        }
        (FactKind::Slice, false) => {
            let slicer = Slicer::new(module, &nodes, &points_to, &calls, &threads);
            let relevance = slicer.relevant(Properties {
                assertions: true,
                dont_care_branches: true,
                ..Properties::default()
            });
            Ok(slice(module, &nodes, &relevance, only))
        }
        _ => Err(FactError::NoGraph),
    }
}

/// By the name in the source, or the linker's.
fn find(module: &Module, name: &str) -> Option<FuncId> {
    let mut functions = module.functions.enumerate();
    let named =
        functions.find(|(_, f)| f.body.is_some() && (f.source_name == name || f.name == name));
    named.map(|(id, _)| id)
}

/// The one that is asked for, or all of the program's own.
fn shown(module: &Module, only: Option<FuncId>) -> Vec<FuncId> {
    let all = module.functions.enumerate();
    let all = all.filter(|(id, f)| match only {
        Some(only) => *id == only,
        None => external::is_entered(f) && !f.runtime,
    });
    all.map(|(id, _)| id).collect()
}

fn control_flow(module: &Module, only: Option<FuncId>, dot: bool) -> String {
    let mut text = String::new();
    for function in shown(module, only) {
        let f = &module.functions[function];
        let Some(body) = &f.body else { continue };
        let cfg = Cfg::of(body);
        text.push_str(&if dot { cfg.to_dot(f) } else { cfg.to_text(f) });
    }
    text
}

fn call_graph(
    module: &Module,
    nodes: &Nodes,
    calls: &CallGraph,
    only: Option<FuncId>,
    dot: bool,
) -> String {
    let name = |function: FuncId| {
        let f = &module.functions[function];
        if f.source_name.is_empty() {
            f.name.clone()
        } else {
            f.source_name.clone()
        }
    };
    let mut text = String::new();
    if dot {
        text.push_str("digraph calls {\n  node [shape=box];\n");
    }
    for function in shown(module, only) {
        let caller = name(function);
        for &callee in calls.callees(function) {
            let callee = name(callee);
            let _ = if dot {
                writeln!(text, "  {caller:?} -> {callee:?};")
            } else {
                writeln!(text, "{caller} calls {callee}")
            };
        }
        for (node, started) in calls.created() {
            if nodes.function(*node) != function {
                continue;
            }
            for entry in started {
                let entry = name(*entry);
                let _ = if dot {
                    writeln!(text, "  {caller:?} -> {entry:?} [style=dashed];")
                } else {
                    writeln!(text, "{caller} starts {entry}")
                };
            }
        }
    }
    if dot {
        text.push_str("}\n");
    }
    text
}

/// The lines of the program that can matter to its assertions, and how much they are.
fn slice(module: &Module, nodes: &Nodes, relevance: &Relevance, only: Option<FuncId>) -> String {
    let mut text = String::new();
    for function in shown(module, only) {
        let lines = |set: &analysis::NodeSet| {
            let line = |node: NodeId| module.debug.locs[nodes.loc(module, node)].line;
            let here = nodes
                .of_function(function)
                .filter(|node| set.contains(*node));
            let mut lines: Vec<u32> = here.map(line).filter(|line| *line != 0).collect();
            lines.sort_unstable();
            lines.dedup();
            let words: Vec<String> = lines.iter().map(u32::to_string).collect();
            words.join(" ")
        };
        let name = &module.functions[function].source_name;
        let _ = writeln!(text, "{name}: lines {}", lines(&relevance.slice));
        let _ = writeln!(
            text,
            "  order matters at lines {}",
            lines(&relevance.scheduling)
        );
    }
    let statistics = relevance.statistics;
    let _ = writeln!(
        text,
        "{} of {} statements can matter; the order of {} of {} accesses does",
        statistics.statements_in_slice,
        statistics.statements,
        statistics.scheduling_points,
        statistics.accesses
    );
    text
}

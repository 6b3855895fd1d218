//! Summary edges: on which parameters a function's result depends (Horwitz, Reps and Binkley),
//! computed for the results that are asked for.
//!
//! Only paths of values and control are followed. A path through memory leaves the function's
//! context anyway: slicing goes on from an access in all contexts of its function (see
//! [`crate::slice`]), and those include what a summary could add.

use ir::FuncId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Definition, Edge, Sdg, Vertex};
use crate::node::NodeId;

/// Summaries by function and result.
#[derive(Clone, Default)]
pub struct Summaries {
    numbers: FxHashMap<(FuncId, u32), usize>,
    all: Vec<Summary>,
    pending: Vec<(usize, Vertex)>,
}

#[derive(Clone, Default)]
struct Summary {
    parameters: Vec<u32>,
    seen: FxHashSet<Vertex>,
    /// Calls in other summaries whose results this one stands for.
    waiting: Vec<(usize, NodeId)>,
}

impl Summaries {
    /// The parameters of `function` that its result number `result` may depend on.
    pub fn parameters(&mut self, sdg: &Sdg, function: FuncId, result: u32) -> &[u32] {
        let number = self.number(sdg, function, result);
        while let Some((summary, vertex)) = self.pending.pop() {
            self.step(sdg, summary, vertex);
        }
        &self.all[number].parameters
    }

    fn number(&mut self, sdg: &Sdg, function: FuncId, result: u32) -> usize {
        if let Some(number) = self.numbers.get(&(function, result)) {
            return *number;
        }
        let number = self.all.len();
        self.numbers.insert((function, result), number);
        self.all.push(Summary::default());
        sdg.for_each_returned(function, result as usize, &mut |vertex| {
            self.add(number, vertex);
        });
        number
    }

    fn add(&mut self, summary: usize, vertex: Vertex) {
        if self.all[summary].seen.insert(vertex) {
            self.pending.push((summary, vertex));
        }
    }

    fn step(&mut self, sdg: &Sdg, summary: usize, vertex: Vertex) {
        match sdg.is_parameter_or_result(vertex) {
            Some(Definition::Parameter(index)) => {
                if !self.all[summary].parameters.contains(&index) {
                    self.all[summary].parameters.push(index);
                    for (other, site) in self.all[summary].waiting.clone() {
                        self.add_argument(sdg, other, site, index);
                    }
                }
                return;
            }
            Some(Definition::Result(site, result)) => {
                for callee in sdg.facts.entered_by(site).collect::<Vec<_>>() {
                    let below = self.number(sdg, callee, result);
                    self.all[below].waiting.push((summary, site));
                    for index in self.all[below].parameters.clone() {
                        self.add_argument(sdg, summary, site, index);
                    }
                }
            }
            _ => {}
        }
        let mut found = Vec::new();
        let mut follow = |edge: Edge, other: Vertex| {
            let leaves = matches!(edge, Edge::Parameter | Edge::Entry | Edge::Return);
            if !leaves && !other.is_about_memory() {
                found.push(other);
            }
        };
        match sdg.call_result_at(vertex) {
            Some((site, _)) => sdg.for_each_dependence_of_call(site, &mut follow),
            None => sdg.for_each_dependence(vertex, &mut follow),
        }
        found.into_iter().for_each(|other| self.add(summary, other));
    }

    fn add_argument(&mut self, sdg: &Sdg, summary: usize, site: NodeId, index: u32) {
        if let Some(argument) = sdg.argument(site, index) {
            self.add(summary, argument);
        }
    }
}

impl Sdg<'_> {
    /// What the result of a call that enters `function` depends on in there.
    pub(crate) fn for_each_returned(
        &self,
        function: FuncId,
        result: usize,
        f: &mut dyn FnMut(Vertex),
    ) {
        for &ret in self.facts.returns(function) {
            f(Vertex::Reached(ret));
            if let crate::node::Stands::Terminator(ir::Terminator::Ret(values)) =
                self.facts.nodes.stands_for(self.facts.module, ret)
                && let Some(value) = values.get(result)
            {
                f(Vertex::Value(function, *value));
            }
        }
    }

    /// The argument of a call, as a vertex.
    pub(crate) fn argument(&self, site: NodeId, index: u32) -> Option<Vertex> {
        let argument = *self.facts.call(site)?.args.get(index as usize)?;
        Some(Vertex::Value(self.facts.nodes.function(site), argument))
    }

    /// The call and the number of its result, if the vertex is one.
    pub(crate) fn call_result_at(&self, vertex: Vertex) -> Option<(NodeId, u32)> {
        match self.is_parameter_or_result(vertex) {
            Some(Definition::Result(site, index)) => Some((site, index)),
            _ => None,
        }
    }

    /// The function and the number of its parameter, if the vertex is one.
    pub(crate) fn parameter_at(&self, vertex: Vertex) -> Option<(FuncId, u32)> {
        match (vertex, self.is_parameter_or_result(vertex)) {
            (Vertex::Value(function, _), Some(Definition::Parameter(index))) => {
                Some((function, index))
            }
            _ => None,
        }
    }

    /// How the value comes about, if it crosses a call.
    fn is_parameter_or_result(&self, vertex: Vertex) -> Option<Definition> {
        let Vertex::Value(..) = vertex else {
            return None;
        };
        let definition = self.definitions[self.vertices.index(vertex)];
        match definition {
            Definition::Parameter(_) => Some(definition),
            Definition::Result(node, _) if self.facts.call(node).is_some() => Some(definition),
            _ => None,
        }
    }
}

impl Vertex {
    /// Whether the vertex is about an access to memory.
    pub fn is_about_memory(self) -> bool {
        matches!(
            self,
            Vertex::Touches(_) | Vertex::Reads(_) | Vertex::Writes(_)
        )
    }
}

//! A model as a schedule: who does what in which order, and on which inputs.

use ir::debug::LocId;
use ir::{BlockId, FuncId};
use smt::Terms;
use smt::order::Lit;

use super::Encoding;
use crate::graph::{EventIx, EventKind, Graph};
use crate::knowledge::ThreadIx;
use crate::place::Key;

/// What a model says.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The events that are executed, in order.
    pub steps: Vec<Step>,
    /// What each thread gets for its inputs, in the order in which it asks: thread, name, value.
    pub inputs: Vec<(ThreadIx, String, u128)>,
    /// Exits that are taken.
    pub exits: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub event: EventIx,
    pub thread: ThreadIx,
    /// Where the event begins, and where it is over.
    pub start: Key,
    pub key: Key,
    pub place: (FuncId, BlockId, u32),
    pub kind: EventKind,
    pub loc: LocId,
}

impl Model {
    /// How many steps it takes until all events are done that the thread makes before the fault.
    pub fn steps_before(&self, graph: &Graph, fault: usize) -> usize {
        let fault = &graph.faults[fault];
        let mut threads = graph.threads.iter();
        let thread = threads.find(|thread| thread.thread == fault.thread);
        let events = thread.map_or(&[][..], |thread| &thread.events);
        let before = &events[..fault.after.min(events.len())];
        let mut steps = self.steps.iter();
        let last = steps.rposition(|step| before.contains(&step.event));
        last.map_or(0, |last| last + 1)
    }
}

impl Encoding<'_> {
    /// What a model is read off must be in the formula before it is solved.
    pub(super) fn prepare_model(&mut self, terms: &mut Terms) {
        for input in &self.graph.inputs {
            let lit = self.formula.literal(terms, input.cond);
            self.formula.bits(terms, input.term);
            self.input_lits.push(lit);
        }
        for e in self.graph.events.iter() {
            let ends = e
                .ends
                .iter()
                .map(|(cond, _)| self.formula.literal(terms, *cond));
            self.end_lits.push(ends.collect());
        }
    }

    /// After a question was answered by yes.
    pub fn model(&mut self, terms: &Terms) -> Model {
        let mut model = Model::default();
        let order = self.formula.order();
        let mut of_node = vec![None; order.len()];
        for (event, node) in self.events.enumerate() {
            of_node[node.index()] = Some(event);
        }
        for node in order {
            let Some(event) = of_node[node.index()] else {
                continue;
            };
            if !self.formula.value(self.executed[event]) {
                continue;
            }
            let e = &self.graph.events[event];
            let mut ends = e.ends.iter().zip(&self.end_lits[event.index()]);
            let end = ends.find(|(_, lit)| self.formula.value(**lit));
            model.steps.push(Step {
                event,
                thread: e.thread,
                start: e.key.clone(),
                key: end.map_or(&e.key, |((_, key), _)| key).clone(),
                place: e.place,
                kind: e.kind,
                loc: e.loc,
            });
        }
        let mut inputs: Vec<(ThreadIx, Key, String, u128)> = Vec::new();
        for (input, lit) in self.graph.inputs.iter().zip(self.input_lits.clone()) {
            if self.formula.value(lit) {
                let value = self.formula.input_value(terms, input.term).unwrap_or(0);
                inputs.push((input.thread, input.key.clone(), input.name.clone(), value));
            }
        }
        inputs.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        model.inputs = (inputs.into_iter())
            .map(|(thread, _, name, value)| (thread, name, value))
            .collect();
        for (exit, lit) in self.exits.clone().into_iter().enumerate() {
            if lit != Lit::FALSE && self.formula.value(lit) {
                model.exits.push(exit);
            }
        }
        model
    }
}

//! All orders of what can be executed along known edges, as P3's Table 1 lists them: to compare the
//! formula with a table, not to verify.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smt::order::Lit;

use super::Encoding;
use crate::graph::EventIx;

/// Events that access memory, in the order of some execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub events: Vec<EventIx>,
    /// Faults of the graph that happen in it.
    pub faults: Vec<usize>,
}

impl Encoding<'_> {
    /// The orders of the events that access memory, each once, of all executions that take no open
    /// exit; `None` if it was interrupted. There are exponentially many. An event that can be held
    /// up need not be done, so that with locks there are executions that end early among them. The
    /// formula is used up: it has no such executions left.
    pub fn orders(mut self, interrupt: &Arc<AtomicBool>) -> Option<Vec<Order>> {
        let accesses: Vec<EventIx> = (self.graph.events.enumerate())
            .filter(|(_, e)| !e.reads.is_empty() || !e.writes.is_empty())
            .map(|(event, _)| event)
            .collect();
        // So that a model decides the order of all of them.
        for (at, a) in accesses.iter().enumerate() {
            for b in &accesses[at + 1..] {
                self.formula.before(self.events[*a], self.events[*b]);
            }
        }
        let stays: Vec<Lit> = self.exits.iter().map(|exit| !*exit).collect();
        let mut orders = Vec::new();
        while self.formula.solve(&stays, Duration::MAX, interrupt)? {
            let faults = self.failing();
            let executed: Vec<EventIx> = (accesses.iter().copied())
                .filter(|event| self.formula.value(self.executed[*event]))
                .collect();
            let nodes: Vec<_> = executed.iter().map(|event| self.events[*event]).collect();
            let sorted = self.formula.order().into_iter();
            let sorted = sorted.filter_map(|node| nodes.iter().position(|n| *n == node));
            let events: Vec<EventIx> = sorted.map(|at| executed[at]).collect();
            self.leave_out_order(&accesses, &events);
            orders.push(Order { events, faults });
        }
        Some(orders)
    }

    /// Of the accesses, from now on not exactly these are executed in this order.
    fn leave_out_order(&mut self, accesses: &[EventIx], order: &[EventIx]) {
        let differently = |event: &EventIx| match order.contains(event) {
            true => !self.executed[*event],
            false => self.executed[*event],
        };
        let mut clause: Vec<Lit> = accesses.iter().map(differently).collect();
        for pair in order.windows(2) {
            let before = self.formula.before(self.events[pair[0]], self.events[pair[1]]);
            clause.push(!before);
        }
        self.formula.clause(&clause);
    }
}

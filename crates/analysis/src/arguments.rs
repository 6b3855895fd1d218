//! What integers functions are called with: the ranges of arguments, joined over all calls, callers first.
//!
//! Sound like [`Bounds`]: a function of which not every call is seen with its arguments (a root, the start of a thread, one
//! that calls itself) may be called with anything.

use base::IndexVec;
use ir::FuncId;

use crate::bounds::{Bounds, Range};
use crate::dominance::DominatorTree;
use crate::facts::{Facts, Flow};

pub struct Arguments {
    /// For each parameter; `None`: anything.
    ranges: IndexVec<FuncId, Vec<Option<Range>>>,
}

impl Arguments {
    pub fn of(facts: &Facts) -> Arguments {
        let functions = facts.module.functions.iter();
        let mut arguments = Arguments {
            ranges: functions.map(|_| Vec::new()).collect(),
        };
        let mut order: Vec<(FuncId, &Flow)> =
            facts.entered().map(|(f, _, flow)| (f, flow)).collect();
        order.sort_by_key(|(f, _)| std::cmp::Reverse(facts.calls.component(*f)));
        let mut joined: IndexVec<FuncId, Option<Vec<Option<Range>>>> =
            facts.module.functions.iter().map(|_| None).collect();
        for (function, flow) in order {
            if !is_open(facts, function) {
                arguments.ranges[function] = joined[function].take().unwrap_or_default();
            }
            if facts.calls.calls(function).is_empty() {
                continue;
            }
            let dominators = DominatorTree::dominators(&flow.cfg);
            let bounds = arguments.bounds(facts, function, flow, &dominators);
            for &node in facts.calls.calls(function) {
                let block = facts.nodes.block(node);
                let call = facts.call(node).expect("a call");
                for callee in facts.entered_by(node) {
                    let count = facts.body(callee).params.len();
                    let given = (0..count).map(|i| {
                        let argument = call.args.get(i)?;
                        bounds.range(*argument, block)
                    });
                    let given: Vec<Option<Range>> = given.collect();
                    join(&mut joined[callee], given);
                }
            }
        }
        arguments
    }

    /// The intervals of a function, given what it is called with.
    pub fn bounds<'a, 'd>(
        &self,
        facts: &Facts<'a>,
        function: FuncId,
        flow: &Flow,
        dominators: &'d DominatorTree,
    ) -> Bounds<'d>
    where
        'a: 'd,
    {
        Bounds::of(
            facts.body(function),
            facts.module.pointer_bits,
            &flow.cfg,
            dominators,
            facts.returns_twice(function),
            &self.ranges[function],
        )
    }
}

/// Whether it may be called in ways that are not seen, or again while it is.
fn is_open(facts: &Facts, function: FuncId) -> bool {
    facts.calls.is_recursive(function)
        || facts.calls.roots().contains(&function)
        || !facts.starts(function).is_empty()
        || facts.thread_functions().any(|f| f == function)
}

fn join(known: &mut Option<Vec<Option<Range>>>, given: Vec<Option<Range>>) {
    match known {
        None => *known = Some(given),
        Some(known) => {
            for (one, other) in known.iter_mut().zip(given) {
                *one = match (*one, other) {
                    (Some(one), Some(other)) if one.bits == other.bits => Some(one.join(other)),
                    _ => None,
                };
            }
        }
    }
}

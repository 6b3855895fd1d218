//! The integers with which functions are called: the intervals of arguments, joined over all calls,
//! callers first.
//!
//! Sound like [`Bounds`]: a function that may be called without a visible argument list (a root,
//! the start function of a thread) or that calls itself may get any argument.

use base::{IndexVec, Interval};
use ir::FuncId;

use crate::bounds::Bounds;
use crate::dominance::DominatorTree;
use crate::facts::{Facts, Flow};

/// Calls `f` with the intervals of every function that may be entered, given what it is called
/// with. Callers come first.
pub fn for_each_bounds(facts: &Facts, mut f: impl FnMut(FuncId, &Flow, &Bounds)) {
    let mut order: Vec<(FuncId, &Flow)> = facts.entered().map(|(f, _, flow)| (f, flow)).collect();
    order.sort_by_key(|(f, _)| std::cmp::Reverse(facts.calls.component(*f)));
    let functions = facts.module.functions.ids();
    let open: IndexVec<FuncId, bool> = functions.map(|f| is_open(facts, f)).collect();
    // For each parameter; `None`: anything.
    let mut joined: IndexVec<FuncId, Option<Vec<Option<Interval>>>> =
        open.iter().map(|_| None).collect();
    for (function, flow) in order {
        let given = joined[function].take().unwrap_or_default();
        let dominators = DominatorTree::dominators(&flow.cfg);
        let bounds = Bounds::of(
            facts.body(function),
            facts.module.pointer_bits,
            &flow.cfg,
            &dominators,
            facts.returns_twice(function),
            &given,
        );
        for &node in facts.calls.calls(function) {
            let block = facts.nodes.block(node);
            let call = facts.call(node).expect("a call");
            for callee in facts.entered_by(node).filter(|callee| !open[*callee]) {
                let count = facts.body(callee).params.len();
                let given = (0..count).map(|i| {
                    let argument = call.args.get(i)?;
                    bounds.interval(*argument, block)
                });
                join(&mut joined[callee], given.collect());
            }
        }
        f(function, flow, &bounds);
    }
}

/// Whether it may be called in ways that are not seen, or again while it is.
fn is_open(facts: &Facts, function: FuncId) -> bool {
    facts.calls.is_recursive(function)
        || facts.calls.roots().contains(&function)
        || !facts.starts(function).is_empty()
}

fn join(known: &mut Option<Vec<Option<Interval>>>, given: Vec<Option<Interval>>) {
    match known {
        None => *known = Some(given),
        Some(known) => {
            for (one, other) in known.iter_mut().zip(given) {
                *one = match (*one, other) {
                    (Some(one), Some(other)) if one.width() == other.width() => {
                        Some(one.join(other))
                    }
                    _ => None,
                };
            }
        }
    }
}

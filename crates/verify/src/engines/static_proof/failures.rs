//! Places where an execution fails by itself, if it comes there.

use analysis::bounds::Bounds;
use analysis::essential::failing_division;
use analysis::external::Class;
use analysis::facts::Facts;
use analysis::{NodeId, NotPlain, Reached, Stands, for_each_bounds, is_final};
use ir::{Body, Const, Intrinsic, Op, Terminator};
use machine::Property;

use super::at;

/// There is none that an execution may come to, of those that are asked for.
pub(super) fn none(
    facts: &Facts,
    reached: &Reached,
    asked: &dyn Fn(Property) -> bool,
) -> Result<(), NotPlain> {
    for (function, body, flow) in reached.entered(facts) {
        for &block in flow.cfg.order() {
            for node in facts.nodes.of_block(function, block) {
                if let Some(why) = failure(facts, body, node, asked) {
                    return at(node, why);
                }
            }
        }
    }
    if !asked(Property::DivisionByZero) {
        return Ok(());
    }
    let mut divides = None;
    for_each_bounds(facts, |function, flow, bounds| {
        if !reached.contains(function) {
            return;
        }
        for &block in flow.cfg.order() {
            for node in facts.nodes.of_block(function, block) {
                if divides.is_none() && may_divide_by_zero(facts, bounds, node) {
                    divides = Some(node);
                }
            }
        }
    });
    divides.map_or(Ok(()), |node| at(node, "a division may fail"))
}

fn may_divide_by_zero(facts: &Facts, bounds: &Bounds, node: NodeId) -> bool {
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => failing_division(&inst.op, bounds, facts.nodes.block(node)).is_some(),
        Stands::Terminator(_) => false,
    }
}

fn failure(
    facts: &Facts,
    body: &Body,
    node: NodeId,
    asked: &dyn Fn(Property) -> bool,
) -> Option<&'static str> {
    let stops = asked(Property::Abort) || asked(Property::Unreachable);
    match facts.nodes.stands_for(facts.module, node) {
        Stands::Inst(inst) => match inst.op {
            Op::Intrinsic {
                op: Intrinsic::Trap,
                ..
            } if stops => return Some("an execution may trap"),
            _ => {}
        },
        Stands::Terminator(Terminator::Unreachable) if asked(Property::Unreachable) => {
            let function = facts.nodes.function(node);
            let mut before = facts.nodes.of_block(function, facts.nodes.block(node));
            if !before.any(|node| never_returns(facts, node)) {
                return Some("a place that should not be reached may be");
            }
        }
        Stands::Terminator(_) => {}
    }
    let call = facts.call(node)?;
    let is_true = |arg: usize| {
        let condition = call.args.get(arg).map(|value| body.values[*value].constant);
        matches!(condition, Some(Some(Const::Bits(bits))) if bits != 0)
    };
    facts
        .externals(node)
        .find_map(|external| match external.class {
            Class::Fails if asked(Property::Assertion) => Some("an assertion may be reached"),
            Class::Asserts(arg) if asked(Property::Assertion) && !is_true(arg) => {
                Some("an assertion may be reached")
            }
            Class::Aborts if asked(Property::Abort) => Some("an execution may abort"),
            _ => None,
        })
}

/// Whether the node calls a function of which none returns.
fn never_returns(facts: &Facts, node: NodeId) -> bool {
    let mut externals = facts.externals(node).peekable();
    facts.entered_by(node).next().is_none()
        && externals.peek().is_some()
        && externals.all(|external| is_final(external.class))
}

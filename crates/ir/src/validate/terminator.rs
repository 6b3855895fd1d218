//! Terminators: where they go, and with which arguments.

use super::body::BodyChecker;
use super::operation::{self, Kind};
use super::{Report, Rule};
use crate::inst::{LandingPad, Target, Terminator};
use crate::module::{Block, BlockId, Type, ValueId};

pub fn check(body: &BodyChecker<'_>, terminator: &Terminator, report: &mut Report) {
    match terminator {
        Terminator::Br(target) => check_target(body, target, report),
        Terminator::CondBr { cond, then, other } => {
            body.expect_type(*cond, Type::BOOL, report);
            check_target(body, then, report);
            check_target(body, other, report);
        }
        Terminator::Switch {
            value,
            cases,
            default,
        } => {
            check_cases(body, *value, cases, report);
            for (_, target) in cases {
                check_target(body, target, report);
            }
            check_target(body, default, report);
        }
        Terminator::IndirectBr { addr, targets } => {
            body.expect_kind(*addr, Kind::Ptr, report);
            for block in targets {
                check_jump(body, *block, &[], report);
            }
        }
        Terminator::Ret(values) => check_return(body, values, report),
        Terminator::Invoke {
            call,
            normal,
            unwind,
        } => {
            operation::check_call(body, call, report);
            check_target(body, normal, report);
            check_landing_pad(body, unwind, report);
        }
        Terminator::Resume {
            exception,
            selector,
        } => {
            body.expect_kind(*exception, Kind::Ptr, report);
            body.expect_kind(*selector, Kind::Int, report);
        }
        Terminator::Unreachable => {}
    }
}

fn check_cases(
    body: &BodyChecker<'_>,
    value: ValueId,
    cases: &[(u128, Target)],
    report: &mut Report,
) {
    body.expect_kind(value, Kind::Int, report);
    let Some(width) = body.ty(value).map(|ty| ty.bits(body.module.pointer_bits)) else {
        return;
    };
    for (case, _) in cases {
        if width < 128 && case >> width != 0 {
            report.add(Rule::CaseRange { case: *case, width });
        }
    }
}

fn check_return(body: &BodyChecker<'_>, values: &[ValueId], report: &mut Report) {
    let results = &body.function.results;
    if values.len() != results.len() {
        report.add(Rule::ResultCount {
            expected: results.len(),
            found: values.len(),
        });
    }
    for (index, value) in values.iter().enumerate() {
        match results.get(index) {
            Some(ty) => body.expect_type(*value, *ty, report),
            None => body.expect_kind(*value, Kind::Any, report),
        }
    }
}

fn check_target(body: &BodyChecker<'_>, target: &Target, report: &mut Report) {
    check_jump(body, target.block, &target.args, report);
}

fn check_jump(body: &BodyChecker<'_>, id: BlockId, args: &[ValueId], report: &mut Report) {
    if let Some(block) = block(body, id, report) {
        check_args(body, id, &block.params, args, report);
    }
}

/// The first two parameters are given by the unwinder.
fn check_landing_pad(body: &BodyChecker<'_>, pad: &LandingPad, report: &mut Report) {
    let infos = pad.catches.iter().chain(pad.filters.iter().flatten());
    for info in infos {
        body.expect_kind(*info, Kind::Ptr, report);
    }
    let Some(block) = block(body, pad.block, report) else {
        return;
    };
    match block.params.as_slice() {
        [exception, selector, params @ ..] => {
            body.expect_kind(*exception, Kind::Ptr, report);
            body.expect_kind(*selector, Kind::Int, report);
            check_args(body, pad.block, params, &pad.args, report);
        }
        params => report.add(Rule::LandingPadParams {
            block: pad.block,
            params: params.len(),
        }),
    }
}

fn block<'m>(body: &BodyChecker<'m>, id: BlockId, report: &mut Report) -> Option<&'m Block> {
    let block = body.body.blocks.get(id);
    if block.is_none() {
        report.add(Rule::NoBlock(id));
    }
    block
}

fn check_args(
    body: &BodyChecker<'_>,
    block: BlockId,
    params: &[ValueId],
    args: &[ValueId],
    report: &mut Report,
) {
    if params.len() != args.len() {
        report.add(Rule::TargetArgs {
            block,
            params: params.len(),
            args: args.len(),
        });
    }
    for (index, arg) in args.iter().enumerate() {
        match params.get(index).and_then(|param| body.ty(*param)) {
            Some(ty) => body.expect_type(*arg, ty, report),
            None => body.expect_kind(*arg, Kind::Any, report),
        }
    }
}

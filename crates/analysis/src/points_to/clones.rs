//! Which functions are analysed once for each of their direct calls.
//!
//! If a function that returns its argument, or something that it allocates, is analysed once, all
//! its callers get the same result. So small functions are copied for every direct call, and an
//! object that is allocated in a copy is named by the call as well (Nystrom, Kim and Hwu 2004). All
//! calls through pointers share one more copy.

use base::IndexVec;
use ir::{Callee, FuncId, Function, Module, Op, Terminator, Type};

use crate::external::{self, Class};
use base::components;

/// Instructions of a function that is copied, with those of the copies that it contains.
const MAX_WEIGHT: usize = 60;
/// The same for a function that allocates.
const MAX_ALLOCATOR_WEIGHT: usize = 400;
/// Instructions that copies may add to a program. More of them make the analysis slower than the
/// compiler, and slices of large programs hardly smaller.
const MAX_GROWTH: usize = 2_000;
/// The same for warnings: a reader has to judge each of them, so precision is worth more.
const MAX_GROWTH_FOR_WARNINGS: usize = 4_000;

pub(super) fn chosen(module: &Module, for_warnings: bool) -> IndexVec<FuncId, bool> {
    let summaries: IndexVec<FuncId, Summary> = module
        .functions
        .iter()
        .map(|f| Summary::of(module, f))
        .collect();
    let component = components(module.functions.len(), |f| {
        let callees = &summaries[FuncId::from(f)].callees;
        callees.iter().map(|callee| callee.index())
    });
    let mut members = vec![0; module.functions.len()];
    component.iter().for_each(|c| members[*c as usize] += 1);
    // Callees come first.
    let mut order: Vec<FuncId> = module.functions.ids().collect();
    order.sort_by_key(|f| component[f.index()]);
    let mut calls: IndexVec<FuncId, usize> = module.functions.iter().map(|_| 0).collect();
    for summary in &summaries {
        summary
            .callees
            .iter()
            .for_each(|callee| calls[*callee] += 1);
    }
    let mut left = match for_warnings {
        true => MAX_GROWTH_FOR_WARNINGS,
        false => MAX_GROWTH,
    };
    let mut chosen: IndexVec<FuncId, bool> = module.functions.iter().map(|_| false).collect();
    let mut weight: IndexVec<FuncId, usize> = summaries.iter().map(|s| s.insts).collect();
    let mut allocates: IndexVec<FuncId, bool> = summaries.iter().map(|s| s.allocates).collect();
    for f in order {
        let summary = &summaries[f];
        for &callee in summary.callees.iter().filter(|callee| chosen[**callee]) {
            weight[f] = weight[f].saturating_add(weight[callee]);
            allocates[f] |= allocates[callee];
        }
        let recursive = members[component[f.index()] as usize] > 1 || summary.callees.contains(&f);
        let limit = if allocates[f] {
            MAX_ALLOCATOR_WEIGHT
        } else {
            MAX_WEIGHT
        };
        let growth = weight[f].saturating_mul(calls[f]);
        let fits = weight[f] <= limit && growth <= left;
        let worthwhile = calls[f] > 1 && (summary.hands_on || allocates[f]);
        if external::is_entered(&module.functions[f]) && !recursive && fits && worthwhile {
            chosen[f] = true;
            left -= growth;
        }
    }
    chosen
}

/// What of a function's body matters here.
#[derive(Default)]
struct Summary {
    insts: usize,
    /// It may return an address or write one to memory.
    hands_on: bool,
    allocates: bool,
    /// Functions that are called directly, once for each call.
    callees: Vec<FuncId>,
}

impl Summary {
    fn of(module: &Module, function: &Function) -> Summary {
        let mut summary = Summary::default();
        let Some(body) = function
            .body
            .as_ref()
            .filter(|_| external::is_entered(function))
        else {
            return summary;
        };
        let is_wide = |ty: &Type| ty.bits(module.pointer_bits) >= module.pointer_bits;
        summary.hands_on = function.results.iter().any(is_wide);
        for block in &body.blocks {
            summary.insts += block.insts.len() + 1;
            for inst in &block.insts {
                match &inst.op {
                    Op::Store { value, .. } | Op::Rmw { value, .. } => {
                        let value = &body.values[*value];
                        summary.hands_on |= value.constant.is_none() && is_wide(&value.ty);
                    }
                    Op::CmpXchg { new, .. } => summary.hands_on |= is_wide(&body.ty(*new)),
                    Op::Call(call) => summary.note_call(module, call.callee),
                    _ => {}
                }
            }
            if let Terminator::Invoke { call, .. } = &block.terminator {
                summary.note_call(module, call.callee);
            }
        }
        summary
    }

    fn note_call(&mut self, module: &Module, callee: Callee) {
        let Callee::Direct(callee) = callee else {
            return;
        };
        self.callees.push(callee);
        let external = external::of_id(module, callee);
        self.allocates |= external.is_some_and(|e| e.class == Class::Allocates);
    }
}

//! One body: its value table, where each value is assigned, and each block in turn.

use std::sync::Arc;

use super::dominance::Dominance;
use super::operation::Kind;
use super::{Place, Report, Rule, check_constant, check_width, debug, operation, terminator};
use crate::inst::Terminator;
use crate::module::{BlockId, Body, FuncId, Function, Module, Type, ValueId};

pub fn check(module: &Module, id: FuncId, function: &Function, body: &Body, report: &mut Report) {
    let checker = BodyChecker {
        module,
        id,
        name: function.name.as_str().into(),
        function,
        body,
    };
    let before = report.violations.len();
    checker.check_values(report);
    checker.check_params(report);
    checker.check_assignments(report);
    for (block, _) in body.blocks.enumerate() {
        checker.check_block(block, report);
    }
    let found = &report.violations[before..];
    if !found
        .iter()
        .any(|violation| hides_dominance(&violation.rule))
    {
        checker.check_dominance(report);
    }
}

/// Dominance is defined only if every block and value exists and values are assigned in one place.
fn hides_dominance(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::NoEntry
            | Rule::NoBlock(_)
            | Rule::NoValue(_)
            | Rule::ConstantAssigned
            | Rule::NeverAssigned
            | Rule::AssignedAgain(_)
    )
}

pub struct BodyChecker<'m> {
    pub module: &'m Module,
    id: FuncId,
    name: Arc<str>,
    pub function: &'m Function,
    pub body: &'m Body,
}

impl BodyChecker<'_> {
    fn at_function(&self) -> Place {
        Place::Function(self.id, self.name.clone())
    }

    fn at_value(&self, value: ValueId) -> Place {
        Place::Value(self.id, self.name.clone(), value)
    }

    fn at_block(&self, block: BlockId) -> Place {
        Place::Block(self.id, self.name.clone(), block)
    }

    fn at_inst(&self, block: BlockId, index: usize) -> Place {
        Place::Inst(self.id, self.name.clone(), block, index)
    }

    fn at_terminator(&self, block: BlockId) -> Place {
        Place::Terminator(self.id, self.name.clone(), block)
    }

    /// The type of a value, if it exists.
    pub fn ty(&self, value: ValueId) -> Option<Type> {
        self.body.values.get(value).map(|entry| entry.ty)
    }

    fn check_values(&self, report: &mut Report) {
        let mut variable_before = false;
        for (id, value) in self.body.values.enumerate() {
            report.place = self.at_value(id);
            check_width(value.ty, report);
            match value.constant {
                Some(constant) => {
                    if variable_before {
                        report.add(Rule::ConstantOrder);
                    }
                    check_constant(self.module, value.ty, constant, report);
                }
                None => variable_before = true,
            }
        }
    }

    fn check_params(&self, report: &mut Report) {
        report.place = self.at_function();
        if self.body.params.len() != self.function.params.len() {
            report.add(Rule::ParamCount {
                values: self.body.params.len(),
                params: self.function.params.len(),
            });
        }
        for (index, value) in self.body.params.iter().enumerate() {
            match self.function.params.get(index) {
                Some(ty) => self.expect_type(*value, *ty, report),
                None => self.expect_kind(*value, Kind::Any, report),
            }
        }
        match self.body.blocks.get(BlockId(0)) {
            None => report.add(Rule::NoEntry),
            Some(entry) if !entry.params.is_empty() => {
                report.place = self.at_block(BlockId(0));
                report.add(Rule::EntryParams);
            }
            Some(_) => {}
        }
    }

    /// Every value that is no constant is assigned exactly once.
    fn check_assignments(&self, report: &mut Report) {
        let mut assigned = vec![0u32; self.body.values.len()];
        self.for_each_assignment(|_, value| {
            if let Some(count) = assigned.get_mut(value.index()) {
                *count = count.saturating_add(1);
            }
        });
        for ((id, value), count) in self.body.values.enumerate().zip(assigned) {
            report.place = self.at_value(id);
            match (value.constant, count) {
                (Some(_), 0) | (None, 1) => {}
                (Some(_), _) => report.add(Rule::ConstantAssigned),
                (None, 0) => report.add(Rule::NeverAssigned),
                (None, _) => report.add(Rule::AssignedAgain(count)),
            }
        }
    }

    fn for_each_assignment(&self, mut f: impl FnMut(Site, ValueId)) {
        for value in &self.body.params {
            f(Site::Entry, *value);
        }
        for (id, block) in self.body.blocks.enumerate() {
            for value in &block.params {
                f(Site::Params(id), *value);
            }
            for (index, inst) in block.insts.iter().enumerate() {
                inst.op
                    .for_each_result(|value| f(Site::Inst(id, index), value));
            }
            for value in block.terminator.results() {
                f(Site::NormalEdge(id), *value);
            }
        }
    }

    fn check_block(&self, id: BlockId, report: &mut Report) {
        let block = &self.body.blocks[id];
        report.place = self.at_block(id);
        for param in &block.params {
            self.expect_kind(*param, Kind::Any, report);
        }
        for (index, inst) in block.insts.iter().enumerate() {
            report.place = self.at_inst(id, index);
            debug::check_loc(self.module, inst.loc, report);
            operation::check(self, &inst.op, report);
        }
        report.place = self.at_terminator(id);
        debug::check_loc(self.module, block.terminator_loc, report);
        terminator::check(self, &block.terminator, report);
    }

    /// Every use is dominated by the assignment; blocks that cannot be reached are exempt.
    fn check_dominance(&self, report: &mut Report) {
        let dominance = Dominance::new(self.body);
        let mut sites = vec![Site::Entry; self.body.values.len()];
        self.for_each_assignment(|site, value| sites[value.index()] = site);
        let dominates = |value: ValueId, place: Site| {
            self.body.values[value].constant.is_some()
                || sites[value.index()].dominates(place, &dominance)
        };
        for (id, block) in self.body.blocks.enumerate() {
            if !dominance.is_reachable(id) {
                continue;
            }
            for (index, inst) in block.insts.iter().enumerate() {
                report.place = self.at_inst(id, index);
                inst.op.for_each_operand(|value| {
                    if !dominates(value, Site::Inst(id, index)) {
                        report.add(Rule::NotDominated { value });
                    }
                });
            }
            report.place = self.at_terminator(id);
            let end = Site::Inst(id, block.insts.len());
            let mut edge_args: &[ValueId] = &[];
            if let Terminator::Invoke { normal, .. } = &block.terminator {
                edge_args = &normal.args;
            }
            for value in edge_args {
                if !dominates(*value, Site::NormalEdge(id)) {
                    report.add(Rule::NotDominated { value: *value });
                }
            }
            for_each_operand_but_normal(&block.terminator, |value| {
                if !dominates(value, end) {
                    report.add(Rule::NotDominated { value });
                }
            });
        }
    }
}

/// What the terminator reads, except what an invoke passes on when its call returns: that may be
/// the call's results.
fn for_each_operand_but_normal(terminator: &Terminator, mut f: impl FnMut(ValueId)) {
    match terminator {
        Terminator::Invoke { call, unwind, .. } => {
            call.for_each_operand(&mut f);
            let infos = unwind.catches.iter().chain(unwind.filters.iter().flatten());
            unwind.args.iter().chain(infos).copied().for_each(f);
        }
        _ => terminator.for_each_operand(f),
    }
}

/// A place where a value is assigned or used.
#[derive(Clone, Copy)]
enum Site {
    /// Parameters of the function.
    Entry,
    Params(BlockId),
    /// The terminator counts as the last instruction.
    Inst(BlockId, usize),
    /// On the way from an invoke to where its call returns.
    NormalEdge(BlockId),
}

impl Site {
    /// Whether what is assigned at `self` can be used at `place`, which is reachable.
    fn dominates(self, place: Site, dominance: &Dominance) -> bool {
        let place_node = match place {
            Site::Entry => return matches!(self, Site::Entry),
            Site::Params(block) | Site::Inst(block, _) => dominance.block(block),
            Site::NormalEdge(block) => dominance.normal_edge(block),
        };
        match (self, place) {
            (Site::Entry, _) => true,
            (Site::Inst(a, index), Site::Inst(b, at)) if a == b => index < at,
            (Site::Params(block) | Site::Inst(block, _), _) => {
                dominance.dominates(dominance.block(block), place_node)
            }
            (Site::NormalEdge(block), _) => {
                dominance.dominates(dominance.normal_edge(block), place_node)
            }
        }
    }
}

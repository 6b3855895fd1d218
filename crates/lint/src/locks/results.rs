//! What a branch tells of the result of a call.

use analysis::external::Class;
use analysis::{Program, Stands};
use ir::{CmpOp, Const, FuncId, Op, ValueId};

use super::visit::Walk;

impl Walk<'_> {
    /// Whether the value is what a call like `setjmp` returns.
    pub(super) fn is_saved(&self, function: FuncId, result: ValueId) -> bool {
        let Program {
            module,
            nodes,
            points_to,
        } = self.program;
        let Some(node) = self.threads.definitions.of(function, result) else {
            return false;
        };
        if let Stands::Inst(inst) = nodes.stands_for(module, node)
            && let Op::Cast { src, .. } = inst.op
        {
            return self.is_saved(function, src);
        }
        let mut classes = points_to.externals(node).map(|e| e.class);
        classes.next() == Some(Class::Saves) && classes.all(|class| class == Class::Saves)
    }

    /// `result` and the side on which it is zero, if the condition compares a result with zero.
    pub(super) fn tested(&self, function: FuncId, condition: ValueId) -> Option<(ValueId, usize)> {
        let Program { module, nodes, .. } = self.program;
        let body = module.functions[function].body.as_ref()?;
        let node = self.threads.definitions.of(function, condition)?;
        let Stands::Inst(inst) = nodes.stands_for(module, node) else {
            return None;
        };
        let Op::Cmp { op, a, b, .. } = inst.op else {
            return None;
        };
        let is_zero = |value: ValueId| body.values[value].constant == Some(Const::Bits(0));
        let result = match (is_zero(a), is_zero(b)) {
            (false, true) => a,
            (true, false) => b,
            _ => return None,
        };
        match op {
            CmpOp::Eq => Some((result, 0)),
            CmpOp::Ne => Some((result, 1)),
            _ => None,
        }
    }
}

//! The failing sides of assertions. In C an assertion is a branch and a call that never returns. The
//! call does nothing else, so that there is nothing to learn from an execution that comes to it:
//! what is asserted is a property of the executions so far (P3, section 3.1).

use ir::modelled::{Modelled, Overriding, Process, Verifier};
use ir::{Callee, Op};

use super::Unroller;
use crate::path::Path;

impl Unroller<'_> {
    /// Whether the path stands before a call that fails, and does nothing else.
    pub(super) fn fails_at_once(&self, path: &Path) -> bool {
        let frame = path.frame();
        let block = &self.body(frame.function).blocks[frame.block];
        let Some(Op::Call(call)) = block.insts.get(frame.inst as usize).map(|inst| &inst.op) else {
            return false;
        };
        let Callee::Direct(function) = call.callee else {
            return false;
        };
        let function = &self.module.functions[function];
        match Overriding::named(&function.name) {
            Some(overriding) => overriding == Overriding::Error,
            None => {
                function.body.is_none()
                    && matches!(
                        Modelled::named(&function.name),
                        Some(
                            Modelled::Verifier(Verifier::AssertFail | Verifier::Error)
                                | Modelled::Process(Process::Abort)
                        )
                    )
            }
        }
    }
}

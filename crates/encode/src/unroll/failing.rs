//! The failing sides of assertions. In C an assertion is a branch and a call that never returns. The
//! call does nothing else, so that there is nothing to learn from an execution that comes to it:
//! what is asserted is a property of the executions so far (P3, section 3.1).

use ir::modelled::{Modelled, Overriding, Process, Verifier};
use ir::{Callee, Op};

use super::{Unroller, Worklist};
use crate::graph::FaultKind;
use crate::path::Path;

impl Unroller<'_> {
    /// If the path stands before a call that fails, and does nothing else: how it fails.
    pub(super) fn fails_at_once(&self, path: &Path) -> Option<FaultKind> {
        let frame = path.frame();
        let block = &self.body(frame.function).blocks[frame.block];
        let Some(Op::Call(call)) = block.insts.get(frame.inst as usize).map(|inst| &inst.op) else {
            return None;
        };
        let Callee::Direct(function) = call.callee else {
            return None;
        };
        let function = &self.module.functions[function];
        if let Some(overriding) = Overriding::named(&function.name) {
            return (overriding == Overriding::Error).then_some(FaultKind::Assertion);
        }
        match Modelled::named(&function.name).filter(|_| function.body.is_none())? {
            Modelled::Verifier(Verifier::AssertFail | Verifier::Error) => {
                Some(FaultKind::Assertion)
            }
            Modelled::Process(Process::Abort) => Some(FaultKind::Abort),
            _ => None,
        }
    }

    /// The path ends in a failure. It does not go on to where it would meet others, which may stand
    /// in other rounds of a loop, and in other critical sections.
    pub(super) fn fail_at_once(&mut self, work: &Worklist, path: &Path, kind: FaultKind) {
        match self.fail::<()>(work.thread, path, kind) {
            Ok(()) | Err(_) => {}
        }
    }
}

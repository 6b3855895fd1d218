//! Terminators: jumps carry the arguments of the phi nodes they lead to.

use ir::{Call, LandingPad, Target, Terminator, Unsupported, ValueId};

use super::function::{FunctionLowering, Slot, Slots};
use super::{Lowered, unmodelled};
use crate::llvm::{Block, Kind, LLVMOpcode, TypeKind, Value};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn terminator(&mut self, block: Block<'m>) -> Terminator {
        let end = block.terminator();
        self.try_terminator(block, end).unwrap_or_else(|what| {
            self.unsupported(Unsupported::Instruction, what.0);
            Terminator::Unreachable
        })
    }

    fn try_terminator(&mut self, block: Block<'m>, end: Value<'m>) -> Lowered<Terminator> {
        let successors = end.successors();
        Ok(match end.opcode() {
            LLVMOpcode::LLVMRet if end.operand_count() == 0 => Terminator::Ret(Vec::new()),
            LLVMOpcode::LLVMRet => Terminator::Ret(self.values(end.operand(0))?.to_vec()),
            LLVMOpcode::LLVMBr if end.is_conditional() => {
                let cond = self.scalar(end.condition())?;
                Terminator::CondBr {
                    cond,
                    then: self.target(block, successors[0])?,
                    other: self.target(block, successors[1])?,
                }
            }
            LLVMOpcode::LLVMBr => Terminator::Br(self.target(block, successors[0])?),
            LLVMOpcode::LLVMSwitch => self.switch(block, end, &successors)?,
            LLVMOpcode::LLVMIndirectBr => {
                let mut targets = Vec::new();
                for successor in successors {
                    let target = self.target(block, successor)?;
                    if !target.args.is_empty() {
                        return unmodelled("arguments of an indirect jump");
                    }
                    if !targets.contains(&target.block) {
                        targets.push(target.block);
                    }
                }
                Terminator::IndirectBr {
                    addr: self.scalar(end.operand(0))?,
                    targets,
                }
            }
            LLVMOpcode::LLVMInvoke => self.invoke(block, end)?,
            LLVMOpcode::LLVMResume => match self.values(end.operand(0))?[..] {
                [exception, selector] => Terminator::Resume {
                    exception,
                    selector,
                },
                _ => return unmodelled("resume of another personality"),
            },
            LLVMOpcode::LLVMUnreachable => Terminator::Unreachable,
            LLVMOpcode::LLVMCallBr => return unmodelled("asm goto"),
            other => return unmodelled(format!("{other:?}")),
        })
    }

    fn switch(
        &mut self,
        block: Block<'m>,
        end: Value<'m>,
        successors: &[Block<'m>],
    ) -> Lowered<Terminator> {
        let value = self.scalar(end.operand(0))?;
        let mut cases = Vec::with_capacity(successors.len());
        for (index, &successor) in successors.iter().enumerate().skip(1) {
            let case = end.case_value(index as u32).int_bits();
            cases.push((case, self.target(block, successor)?));
        }
        Ok(Terminator::Switch {
            value,
            cases,
            default: self.target(block, successors[0])?,
        })
    }

    fn target(&mut self, from: Block<'m>, to: Block<'m>) -> Lowered<Target> {
        Ok(Target {
            block: self.program.blocks[&to],
            args: self.arguments(from, to)?,
        })
    }

    /// What the phi nodes of `to` receive from `from`.
    fn arguments(&mut self, from: Block<'m>, to: Block<'m>) -> Lowered<Vec<ValueId>> {
        let mut args = Vec::new();
        for phi in to.phis() {
            if self.program.layouts.types(phi.ty()).is_err() {
                continue; // The block got no parameters for it.
            }
            match phi.incoming_value(from) {
                Some(value) => args.extend(self.values(value)?),
                None => return unmodelled("a phi node without this edge"),
            }
        }
        Ok(args)
    }

    fn invoke(&mut self, block: Block<'m>, end: Value<'m>) -> Lowered<Terminator> {
        let callee = end.called_value();
        if callee.kind() == Kind::InlineAssembly || callee.intrinsic().is_some() {
            // Neither throws here.
            let slots = match self.operation(LLVMOpcode::LLVMCall, end) {
                Ok(slots) => slots,
                Err(what) => {
                    self.unsupported(Unsupported::Instruction, what.0);
                    let types = self.program.layouts.types(end.ty())?;
                    types.into_iter().map(Slot::Undef).collect()
                }
            };
            self.define(end, slots);
            return Ok(Terminator::Br(
                self.target(block, end.normal_destination())?,
            ));
        }
        let call: Call = self.call_parts(end)?;
        // No instruction fits between the call and the jump, so a result of another type cannot be
        // converted: it is any value.
        let expected = self.program.layouts.types(end.ty())?;
        let results: Slots = expected
            .into_iter()
            .enumerate()
            .map(|(index, ty)| match call.results.get(index) {
                Some(&result) if self.ty(result) == ty => Slot::Value(result),
                _ => Slot::Undef(ty),
            })
            .collect();
        self.define(end, results);
        let unwind = self.landing(block, end.unwind_destination())?;
        Ok(Terminator::Invoke {
            call,
            normal: self.target(block, end.normal_destination())?,
            unwind,
        })
    }

    fn landing(&mut self, from: Block<'m>, to: Block<'m>) -> Lowered<LandingPad> {
        let pad = to
            .instructions()
            .find(|i| i.opcode() == LLVMOpcode::LLVMLandingPad);
        let Some(pad) = pad else {
            return unmodelled("structured exception handling");
        };
        let (mut catches, mut filters) = (Vec::new(), Vec::new());
        for clause in pad.clauses() {
            // An array is a filter, anything else a type info to catch.
            if clause.ty().kind() == TypeKind::LLVMArrayTypeKind {
                filters.push(self.values(clause)?.to_vec());
            } else {
                catches.push(self.scalar(clause)?);
            }
        }
        Ok(LandingPad {
            block: self.program.blocks[&to],
            args: self.arguments(from, to)?,
            cleanup: pad.is_cleanup(),
            catches,
            filters,
        })
    }

    pub(super) fn landing_pad(&mut self, block: Block<'m>, pad: Value<'m>) -> Lowered<Slots> {
        let (exception, selector) = self.pads[&block];
        let slots: Slots = [exception, selector].map(Slot::Value).into_iter().collect();
        match self.program.layouts.types(pad.ty())?[..] {
            [ir::Type::Ptr, ir::Type::Int(32)] => Ok(slots),
            _ => unmodelled("a landing pad of another personality"),
        }
    }
}

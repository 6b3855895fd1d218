//! Registers that hold no variable are replaced by what they were computed from, as far as that is
//! in registers, too.
//!
//! Every register is assigned by one instruction, and as long as somebody may still use it what
//! that was computed from is what it was then: the instruction comes before every use on every way,
//! so it would have been executed again, too.

use ir::{Body, Cast, Op, Type, ValueId};
use machine::{Location, Machine, Program, StateSnapshot, ThreadId};
use smt::{Substitution, TermId};

/// Deeper expressions are not what somebody wrote.
const DEEPEST: u32 = 12;

/// The condition with such registers replaced.
pub fn unfold(
    program: &Program,
    machine: &mut Machine,
    snapshot: &StateSnapshot,
    condition: TermId,
) -> TermId {
    let mut condition = condition;
    for _ in 0..DEEPEST {
        let mut definitions = Substitution::default();
        let mut found = false;
        for input in machine.terms.support(condition).to_vec() {
            let Some(Location::Register {
                thread,
                depth,
                slot,
                width,
            }) = machine.location_of(input)
            else {
                continue;
            };
            let frame = Frame {
                thread,
                depth,
                body: match body(program, snapshot, thread, depth) {
                    Some(body) => body,
                    None => continue,
                },
            };
            if let Some(term) = frame.definition(machine, ValueId(slot))
                && machine.terms.width(term) == width
            {
                definitions.insert(input, term);
                found = true;
            }
        }
        if !found {
            break;
        }
        condition = definitions.apply(&mut machine.terms, condition);
    }
    condition
}

pub fn body<'a>(
    program: &'a Program,
    snapshot: &StateSnapshot,
    thread: ThreadId,
    depth: u32,
) -> Option<&'a Body> {
    let stand = snapshot.threads.iter().find(|s| s.thread == thread)?;
    let (function, _) = *stand.frames.get(depth as usize)?;
    program.module.functions[function].body.as_ref()
}

/// The instruction that assigns the value.
pub fn assignment(body: &Body, value: ValueId) -> Option<&Op> {
    let mut insts = body.blocks.iter().flat_map(|b| &b.insts);
    let inst = insts.find(|inst| {
        let mut found = false;
        inst.op.for_each_result(|result| found |= result == value);
        found
    });
    inst.map(|inst| &inst.op)
}

struct Frame<'a> {
    thread: ThreadId,
    depth: u32,
    body: &'a Body,
}

impl Frame<'_> {
    fn definition(&self, machine: &mut Machine, value: ValueId) -> Option<TermId> {
        if self.body.values.get(value)?.name.is_some() {
            return None;
        }
        match *assignment(self.body, value)? {
            Op::Cmp { op, a, b, .. } => {
                let (a, b) = (self.term(machine, a)?, self.term(machine, b)?);
                Some(machine.terms.cmp(op, a, b))
            }
            Op::Bin { op, a, b, .. } => {
                let (a, b) = (self.term(machine, a)?, self.term(machine, b)?);
                Some(machine.terms.bin(op, a, b))
            }
            Op::Cast { op, dst, src } => {
                let term = self.term(machine, src)?;
                let width = self.body.ty(dst).bits(machine.pointer_bits());
                let now = machine.terms.width(term);
                Some(match op {
                    Cast::ZExt if now < width => machine.terms.zext(term, width),
                    Cast::SExt if now < width => machine.terms.sext(term, width),
                    Cast::Trunc if now > width => machine.terms.extract(term, 0, width),
                    _ => return None,
                })
            }
            _ => None,
        }
    }

    fn term(&self, machine: &mut Machine, value: ValueId) -> Option<TermId> {
        let entry = &self.body.values[value];
        let Type::Int(bits) = entry.ty else {
            return None;
        };
        let width = u32::from(bits);
        match entry.constant {
            Some(ir::Const::Bits(bits)) => Some(machine.terms.constant(width, bits)),
            Some(_) => None,
            None => Some(machine.register_term(self.thread, self.depth, value.0, width)),
        }
    }
}

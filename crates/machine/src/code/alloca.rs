//! Whether the address of a stack object can outlive its frame.
//!
//! Conservative and local: an address that is used only to load, to store *to*, to compute another
//! such address, or as an operand of memcpy, memmove and memset stays inside. Anything else
//! (stored, passed, returned, compared, sent along a jump) counts as a leak.

use ir::{Body, Intrinsic, Op, ValueId};

/// The values that hold an address derived from `alloca`, and whether one of them leaks.
pub fn leaks(body: &Body, alloca: ValueId) -> bool {
    let mut derived = vec![alloca];
    let mut next = 0;
    while let Some(&address) = derived.get(next) {
        next += 1;
        for block in body.blocks.iter() {
            for inst in &block.insts {
                match &inst.op {
                    Op::Load { .. } => {}
                    Op::Store { value, .. } if *value == address => return true,
                    Op::Store { .. } => {}
                    Op::PtrAdd {
                        dst, base, indices, ..
                    } => {
                        if indices.iter().any(|(index, _)| *index == address) {
                            return true;
                        }
                        if *base == address {
                            derived.push(*dst);
                        }
                    }
                    Op::Rmw { value, .. } if *value == address => return true,
                    Op::Rmw { .. } => {}
                    Op::CmpXchg { expected, new, .. }
                        if *expected == address || *new == address =>
                    {
                        return true;
                    }
                    Op::CmpXchg { .. } => {}
                    Op::Intrinsic {
                        op: Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset,
                        ..
                    } => {}
                    op if op.any_operand(|value| value == address) => return true,
                    _ => {}
                }
            }
            if block.terminator.any_operand(|value| value == address) {
                return true;
            }
        }
    }
    false
}
